"""Announced changes pass the gate, unannounced ones do not."""

from __future__ import annotations

import pytest

from baohuang.api.contract import Change, DeclarationError, parse, undeclared

ENTRY = """
[[breaking]]
change = "path_removed /api/v1/old"
reason = "Replaced by /api/v1/new."
deprecated = 2026-01-01
sunset = 2026-07-01
"""


def test_only_an_announced_change_passes() -> None:
    announced = Change("/api/v1/old", "path_removed", "the path is gone")
    other = Change("/api/v1/other", "path_removed", "the path is gone")
    assert undeclared([announced, other], parse(ENTRY)) == [other]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ENTRY.replace("2026-07-01", "2025-07-01"), "before the deprecation"),
        (ENTRY.replace('reason = "Replaced by /api/v1/new."', ""), "exactly"),
        (ENTRY.replace('"Replaced by /api/v1/new."', '""'), "reason"),
        (ENTRY.replace("2026-01-01", '"soon"'), "deprecated"),
        ("[[breaking", "not TOML"),
        ("breaking = 3", "list of tables"),
    ],
)
def test_a_declaration_without_sense_is_refused(text: str, message: str) -> None:
    with pytest.raises(DeclarationError, match=message):
        parse(text)
