"""To a terminal an arena is a stranger: its words steer nothing, no redirect gets the token, and an
answer has an end.
"""

from __future__ import annotations

import json
import time
from http.client import IncompleteRead
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, build_opener


class _StaysHere(HTTPRedirectHandler):
    """Follows no redirect: the token is for the arena that the user named."""

    def redirect_request(self, *_: Any) -> None:
        return None


open_here = build_opener(_StaysHere).open


MOST_BYTES: Final = 32 * 1024 * 1024  # the record of a match of 1,000 deals is the longest answer
MOST_S: Final = 300.0  # that it may take to come, once it has begun
_AT_ONCE: Final = 65_536


def body_of(answer: Any, most: int = MOST_BYTES, within_s: float = MOST_S) -> bytes:
    """The body of an `HTTPResponse` or `HTTPError`, in memory as far as it may go.

    Raises `ValueError` for one that is longer than `most` bytes or takes longer than `within_s`,
    `HTTPException` for one that breaks off, `OSError`.
    """
    end = time.monotonic() + within_s
    parts: list[bytes] = []
    left = most
    while part := answer.read1(_AT_ONCE):
        parts.append(part)
        left -= len(part)
        if left < 0:
            raise ValueError(f"the answer has more than {most} bytes")
        if time.monotonic() > end:
            raise ValueError(f"the answer is not there after {within_s:.0f} s")
    if answer.length:
        raise IncompleteRead(b"", answer.length)
    return b"".join(parts)


def later(error: HTTPError, digits: int) -> int | None:
    """Seconds by `Retry-After`; None unless it says so in no more than that many digits."""
    text = error.headers.get("Retry-After") or ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


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
