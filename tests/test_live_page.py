"""The page about streams and webhooks: its table is the registry's, its code works."""

from __future__ import annotations

import base64
import hmac
import re
from pathlib import Path

from baohuang.api.event_kinds import HOOK_KINDS, KINDS
from baohuang.api.remote.signing import decode_secret, new_secret, signed_headers
from baohuang.api.schemas.events import EventSchema

PAGE = (Path(__file__).parent.parent / "docs" / "live.md").read_text("utf-8")


def test_its_table_of_kinds_is_the_registry():
    table = PAGE.partition("## Kinds")[2].partition("## Webhooks")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    wanted = [
        f"| `{kind.name}` | {kind.view} | {kind.meaning} | {kind.facts} |"
        for kind in KINDS.values()
    ]
    assert rows == wanted, "the rows of docs/live.md are to be:\n" + "\n".join(wanted)


def test_what_webhooks_never_have_is_what_it_says():
    assert {name for name in KINDS if name not in HOOK_KINDS} == {
        name for name in KINDS if name.startswith("deal.")
    }


def test_its_example_has_the_fields_of_an_event():
    example = PAGE.partition("data: ")[2].partition("```")[0]
    assert re.findall(r'"(\w+)":', example)[:7] == list(EventSchema().fields)


def test_its_five_lines_tell_genuine_calls_from_forged_ones():
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(code.splitlines()) == 5
    scope = {"base64": base64, "hmac": hmac}
    exec(code, scope)
    genuine, secrets = scope["genuine"], [new_secret(), new_secret()]
    body = '{"type":"round.opened","data":{"name":"保皇"}}'.encode()
    headers = signed_headers([decode_secret(secret) for secret in secrets], "T-1", 1000, body)
    assert all(genuine(secret, headers, body) for secret in secrets)
    assert not genuine(new_secret(), headers, body)
    assert not genuine(secrets[0], headers, body + b" ")
    assert not genuine(secrets[0], {**headers, "webhook-timestamp": "1001"}, body)
    assert not genuine(secrets[0], {**headers, "webhook-id": "T-2"}, body)
