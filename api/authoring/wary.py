"""To a terminal an arena is a stranger: its words steer nothing, and no redirect gets the token."""

from __future__ import annotations

import json
from typing import Any
from urllib.request import HTTPRedirectHandler, build_opener


class _StaysHere(HTTPRedirectHandler):
    """Follows no redirect: the token is for the arena that the user named."""

    def redirect_request(self, *_: Any) -> None:
        return None


open_here = build_opener(_StaysHere).open


def read(data: bytes) -> Any:
    """The JSON of an answer (None of an empty one), its texts `plain`. Raises `ValueError`."""
    try:
        return _plainly(json.loads(data or "null"))
    except RecursionError:
        raise ValueError("the answer is nested too deep") from None


def plain(text: object) -> str:
    """A stranger's text for a terminal: whatever would steer it becomes a question mark."""
    return "".join(letter if letter.isprintable() else "?" for letter in str(text))


def _plainly(value: Any) -> Any:
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, list):
        return [_plainly(item) for item in value]
    if isinstance(value, dict):
        return {plain(name): _plainly(item) for name, item in value.items()}
    return value
