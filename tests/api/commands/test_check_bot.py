"""`baohuang check-bot`: good agents pass, and each kind of bad one fails by its own line."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema_rs
import pytest
from click.testing import CliRunner, Result

from baohuang.api.cli import main
from baohuang.api.remote import conformance
from baohuang.api.remote.client import Client
from baohuang.api.remote.guard import Guard
from baohuang.api.remote.signing import SignatureError, decode_secret, new_secret, verify

from ..remote.test_bot_yaml import DOCUMENT, KIND_SCHEMAS

EXAMPLES = Path(__file__).parents[3] / "examples" / "bots"
SECRET = new_secret()
HEADER_SCHEMAS = {
    parameter["name"]: jsonschema_rs.Draft202012Validator(
        {"components": DOCUMENT["components"]} | parameter["schema"]
    )
    for parameter in DOCUMENT["components"]["parameters"].values()
}


UNHURRIED = ["--budget-ms", "30000"]  # nobody is warned for half of it


def check(url: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["check-bot", url, *options])


@contextlib.contextmanager
def sample(name: str, secret: str = SECRET) -> Iterator[str]:
    """A sample agent as its own program; its URL."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={"AGENT_SECRET": secret}
    ) as agent:
        assert agent.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(agent.stdout.readline())}/"
        finally:
            agent.kill()


class Bot(BaseHTTPRequestHandler):
    """Plays its fallback and checks no signature; tests spoil it."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def reply(self, asked: dict[str, object]) -> dict[str, object]:
        if asked.get("kind") == "hello":
            return {"challenge": asked["challenge"]}
        if asked.get("kind") in ("deal_end", "match_end"):
            return {}
        return {"request": asked["request"], "answer": asked["fallback"]}

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            answer, status = json.dumps(self.reply(json.loads(body))).encode(), 200
        except (ValueError, KeyError, AttributeError, TypeError):
            answer, status = b"", 400
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None: ...


@contextlib.contextmanager
def serving(bot: type[Bot]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), bot) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def failures(result: Result) -> list[str]:
    return [line for line in result.stdout.splitlines() if line.startswith("FAIL")]


@pytest.mark.parametrize("name", ["lowest", "random_bot", "greedy", "careful"])
def test_every_sample_agent_passes_without_a_warning(name: str) -> None:
    with sample(name) as url:
        result = check(url, "--secret", SECRET, "--each", "1", *UNHURRIED)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1].endswith("ok, 0 warning, 0 failed"), result.output
    assert result.stderr == ""


def test_the_misbehaving_one_fails_with_status_1() -> None:
    with sample("misbehaving") as url:
        result = check(url, "--secret", SECRET)
    assert result.exit_code == 1
    assert failures(result)


def test_an_agent_that_answers_illegally_is_told_so() -> None:
    class Illegal(Bot):
        def reply(self, asked: dict[str, object]) -> dict[str, object]:
            return super().reply(asked) | ({"answer": "XXXX"} if "legal" in asked else {})

    with serving(Illegal) as url:
        result = check(url, "--each", "1")
    assert result.exit_code == 1
    assert "illegal: 'XXXX' is not in legal" in failures(result)[0]


def test_an_agent_that_ignores_signatures_fails_once_it_has_a_secret() -> None:
    with serving(Bot) as url:
        assert check(url, "--each", "1").exit_code == 0
        result = check(url, "--each", "1", "--secret", SECRET)
    assert result.exit_code == 1
    assert [line.split(":")[0] for line in failures(result)] == [
        "FAIL  no signature at all",
        "FAIL  a wrong signature",
        "FAIL  a signature of an hour ago",
    ]


def test_an_agent_with_another_secret_fails_at_hello_and_is_asked_nothing_else() -> None:
    with sample("lowest") as url:
        result = check(url, "--secret", new_secret())
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "FAIL  hello: status: status 401 instead of 200",
        "0 ok, 0 warning, 1 failed",
    ]


def test_without_a_secret_a_refusal_says_that_the_call_was_not_signed() -> None:
    with sample("lowest") as url:
        unsigned = check(url)
        known = CliRunner().invoke(
            main, ["check-bot", url, "--each", "1"], env={"AGENT_SECRET": SECRET}
        )
    assert "no secret was given" in failures(unsigned)[0]
    assert "signatures are not tried" in unsigned.stderr
    assert known.exit_code == 0, known.output
    assert known.stderr == ""


def test_a_slow_start_is_a_warning() -> None:
    started = threading.Event()

    class Cold(Bot):
        def reply(self, asked: dict[str, object]) -> dict[str, object]:
            if not started.is_set():
                started.wait(1.6)
                started.set()
            return super().reply(asked)

    with serving(Cold) as url:
        result = check(url, "--each", "1", "--budget-ms", "1500")
    warning = r"warn  hello: answered after \d+\.\d s: keep the agent warm"
    assert re.search(warning, result.stdout)
    assert result.exit_code == 0, result.output


def test_an_agent_that_answers_nonsense_is_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    class Trusting(Bot):
        def reply(self, asked: dict[str, object]) -> dict[str, object]:
            return super().reply(asked) if isinstance(asked, dict) and "kind" in asked else {}

    odd = {"a list": b"[1, 2, 3]"}
    monkeypatch.setattr(conformance, "_odd_bodies", lambda: odd)
    with serving(Trusting) as url:
        result = check(url, "--each", "1", *UNHURRIED)
    warned = [line for line in result.stdout.splitlines() if line.startswith("warn")]
    assert warned == ["warn  a list: answered 200; 4xx tells a mistake sooner"]
    assert result.exit_code == 0


def test_nobody_there_is_one_failure() -> None:
    result = check("http://127.0.0.1:9/")
    assert result.exit_code == 2  # a port that no bot may have
    result = check("http://127.0.0.1:65000/", "--budget-ms", "300")
    assert result.exit_code == 1
    assert failures(result)[0].startswith("FAIL  hello: connect")


@pytest.mark.parametrize("url", ["ftp://bot.example/", "http://10.0.0.1/", "http://", "nonsense"])
def test_an_url_that_may_not_be_called_is_wrong_usage(url: str) -> None:
    result = check(url)
    assert result.exit_code == 2
    assert result.stdout == ""


NO_SECRETS = {
    "hunter2": "a signing secret begins with whsec_",
    "whsec_hunter2!": "a signing secret is base64 after its prefix",
    "whsec_aHVudGVyMg==": "a signing secret holds 24 to 64 bytes",
}
WITH_A_SECRET = {
    "check-bot": ["check-bot", "http://127.0.0.1:9000/"],
    "play": [
        "play",
        "--rules",
        "lianzhong-simple",
        "--seats",
        "http://127.0.0.1:9000/" + 4 * ",greedy",
    ],
}


@pytest.mark.parametrize("command", WITH_A_SECRET.values(), ids=WITH_A_SECRET)
@pytest.mark.parametrize(("secret", "why"), NO_SECRETS.items(), ids=["text", "base64", "short"])
def test_a_secret_that_is_none_is_wrong_usage_and_not_repeated(
    command: list[str], secret: str, why: str
) -> None:
    for arguments, env in ((["--secret", secret], ""), ([], secret)):
        result = CliRunner().invoke(main, [*command, *arguments], env={"AGENT_SECRET": env})
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"Invalid value for '--secret': {why}" in result.stderr
        assert secret.removeprefix("whsec_") not in result.output


class OneSignature(Bot):
    """Looks at the first signature alone."""

    protocol_version = "HTTP/1.0"  # rfile is replaced below

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        first = dict(self.headers) | {
            "webhook-signature": self.headers.get("webhook-signature", "").split(" ")[0]
        }
        try:
            verify([decode_secret(SECRET)], first, body, time.time())
        except SignatureError:
            self.send_response(401)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.rfile = io.BytesIO(body)
        super().do_POST()


def test_an_agent_that_reads_one_signature_only_would_fail_after_a_rotation() -> None:
    with serving(OneSignature) as url:
        result = check(url, "--each", "1", "--secret", SECRET)
    assert [line.split(":")[0] for line in failures(result)] == [
        "FAIL  two signatures, the second one fits"
    ]


def test_the_report_says_what_was_printed_and_the_badge_that_it_passed(tmp_path: Path) -> None:
    report, badge = tmp_path / "report.json", tmp_path / "badge.svg"
    with sample("lowest") as url:
        options = ["--report", str(report), "--badge", str(badge), *UNHURRIED]
        result = check(url, "--secret", SECRET, "--each", "1", *options)
    said = json.loads(report.read_text())
    *lines, last = result.stdout.splitlines()
    assert (said["format"], said["protocol"], said["url"]) == ("baohuang-check/1", 1, url)
    assert said["passed"] is True
    assert [finding["name"] for finding in said["findings"]] == [
        line[6:].split(":")[0] for line in lines
    ]
    assert SECRET not in report.read_text()
    texts = [
        each.text for each in ElementTree.parse(badge).iter("{http://www.w3.org/2000/svg}text")
    ]
    assert texts == ["bot protocol 1", f"{len(lines)} of {len(lines)} checks"]
    assert last == f"{len(lines)} ok, 0 warning, 0 failed"


def test_a_badge_of_an_agent_that_failed_counts_what_did_not(tmp_path: Path) -> None:
    badge = tmp_path / "badge.svg"
    with serving(Bot) as url:
        assert check(url, "--each", "1", "--secret", SECRET, "--badge", str(badge)).exit_code == 1
    assert re.search(r">(\d+) of (\d+) checks<", badge.read_text())
    assert "#c62828" in badge.read_text()


def calls_of_a_check() -> list[tuple[dict[str, str], bytes]]:
    """What an agent with a secret is sent: headers and bodies. It refuses what it should."""
    sent: list[tuple[dict[str, str], bytes]] = []

    class Recording(Bot):
        protocol_version = "HTTP/1.0"  # rfile is replaced below

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            sent.append((headers, body))
            self.rfile = io.BytesIO(body)
            try:
                verify([decode_secret(SECRET)], headers, body, time.time())
            except SignatureError:
                self.send_error(401)
                return
            super().do_POST()

    with serving(Recording) as url:
        result = check(url, "--each", "1", "--secret", SECRET)
    assert result.exit_code == 0, result.output
    return sent


def test_every_call_is_as_bot_yaml_says_but_for_what_it_is_to_break() -> None:
    odd = []
    kinds = set()
    for headers, body in calls_of_a_check():
        if "webhook-id" in headers:
            for header, values in HEADER_SCHEMAS.items():
                values.validate(headers[header])
        asked = json_or_nothing(body)
        if "request" in asked:
            assert headers.get("webhook-id", asked["request"]) == asked["request"]
        if asked.get("kind") in KIND_SCHEMAS and KIND_SCHEMAS[asked["kind"]].is_valid(asked):
            kinds.add(asked["kind"])
            assert asked.get("round") is asked.get("table") is None  # it is in no tournament
        elif "new" not in asked.get("public", ()):
            odd.append(asked.get("kind", body))
    assert kinds == set(KIND_SCHEMAS)
    assert odd == ["dance", b"{not json", b"", b"[1, 2, 3]", "decide"]


def test_a_request_id_stands_for_one_body_and_another_check_has_others() -> None:
    """Who answers a repeated id from memory is right to, and an id may be refused twice."""
    bodies: dict[str, set[bytes]] = {}
    for _, body in calls_of_a_check():
        asked = json_or_nothing(body)
        if "request" in asked:
            same = {name: value for name, value in asked.items() if name != "clock"}
            bodies.setdefault(asked["request"], set()).add(json.dumps(same).encode())
    assert {len(each) for each in bodies.values()} == {1}
    others = {json_or_nothing(body).get("request") for _, body in calls_of_a_check()}
    assert not others & set(bodies)


def json_or_nothing(body: bytes) -> dict[str, Any]:
    """A request, if it is one."""
    with contextlib.suppress(ValueError):
        asked = json.loads(body)
        if isinstance(asked, dict):
            return asked
    return {}


def test_two_checks_of_one_url_share_no_connection() -> None:
    client = Client(Guard())
    first, second = (conformance.Subject("http://127.0.0.1:9000/", client) for _ in range(2))
    assert first.lane != second.lane
    assert replace(first, budget_ms=1).lane == first.lane, "one check is one agent"
