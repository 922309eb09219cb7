"""What the last release promised still holds, but for what was announced."""

from __future__ import annotations

import json
from pathlib import Path

from baohuang.api.contract import changes, parse, undeclared

OPENAPI = Path(__file__).parents[3] / "openapi"


def test_the_api_keeps_what_the_last_release_promised() -> None:
    released = json.loads((OPENAPI / "released.json").read_text("utf-8"))
    current = json.loads((OPENAPI / "openapi.json").read_text("utf-8"))
    declared = parse((OPENAPI / "breaking.toml").read_text("utf-8"))
    found = changes(released, current)
    assert undeclared(found, declared) == []
    assert set(declared) <= {change.key for change in found}, "a declaration that nothing needs"
