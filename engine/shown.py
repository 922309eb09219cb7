"""Values of strangers in the text of an error: short, and safe whatever they are.

`repr` alone raises on a list nested too deep and on a whole number too long, and may be endless.
"""

from __future__ import annotations

ROOM = 40  # characters of one value
ITEMS = 8  # of one list


def shown(value: object) -> str:
    """A value in at most a few hundred characters: lists one level deep, the rest by its kind."""
    if type(value) in (list, tuple):
        items = list(value)  # type: ignore[call-overload]
        more = [f"… {len(items)} in all"] if len(items) > ITEMS else []
        return f"[{', '.join([*map(_one, items[:ITEMS]), *more])}]"
    return _one(value)


def _one(value: object) -> str:
    if isinstance(value, str):
        return repr(value) if len(value) <= ROOM else repr(value[:ROOM]) + "…"
    if value is None or isinstance(value, (bool, float)):
        return repr(value)
    if isinstance(value, int):
        return repr(value) if value.bit_length() <= 2 * ROOM else "a huge whole number"
    return f"a {type(value).__name__}"
