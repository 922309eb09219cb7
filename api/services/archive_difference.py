"""Where a line of an archive and what its rows give differ: the line by its name, and the field.

Values are not told: they may be long, and keys are among them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any, Final

NAMES: Final = ("id", "number", "match", "entry", "as_of")
"""Which member names a line, of those that its type has."""
_MISSING: Final = object()


def told(ours: str | None, theirs: str | None) -> str:
    """What is wrong with a line of an archive, where rows give another or one of them gives none.

    ours: from the rows; theirs: from the archive. They are not the same.
    """
    if theirs is None:
        return f"after it the {_name(ours)} is missing, which the rows before give"
    if ours is None:
        return f"the rows before do not give this {_name(theirs)}"
    if _name(ours) != _name(theirs):
        return f"the rows before give the {_name(ours)} here, not the {_name(theirs)}"
    field = next(_differences(json.loads(ours), json.loads(theirs), ""), "its form")
    return f"{_name(theirs)}: {field} is not what the rows before give"


def _name(line: str | None) -> str:
    data = json.loads(line or "{}")
    which = next((f" {data[name]}" for name in NAMES if name in data), "")
    return f"{data.get('type')}{which}"


def _differences(ours: Any, theirs: Any, path: str) -> Iterator[str]:
    """The paths of fields, as `results[2].points`."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for name in sorted({*ours, *theirs}):
            below = f"{path}.{name}" if path else name
            yield from _differences(ours.get(name, _MISSING), theirs.get(name, _MISSING), below)
    elif isinstance(ours, list) and isinstance(theirs, list):
        for place, (mine, other) in enumerate(zip_longest(ours, theirs, fillvalue=_MISSING)):
            yield from _differences(mine, other, f"{path}[{place}]")
    elif ours is not theirs and (type(ours) is not type(theirs) or ours != theirs):
        yield path
