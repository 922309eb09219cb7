"""The page about asking names every filter that a list takes, and none that it does not."""

from __future__ import annotations

import re
from pathlib import Path

from .api.specification import operations

PAGE = (Path(__file__).parent.parent / "docs/requests.md").read_text("utf-8")
OFTEN = {"limit", "cursor", "fields"}


def test_the_table_has_the_filters_of_the_specification():
    rows = dict(re.findall(r"^\| (\w+) \| (`.*) \|$", PAGE, re.MULTILINE))
    named = {noun: set(re.findall(r"`(\w+)`", filters)) for noun, filters in rows.items()}
    found = {
        str(operation).removeprefix("list_"): set(operation.parameters_in("query")) - OFTEN
        for operation in operations()
        if str(operation).startswith("list_")
    }
    assert named == {noun: found[noun] for noun in named}
    assert {"tournaments", "agents", "entries", "matches", "standings"} <= set(named)
