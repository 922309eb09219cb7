"""Cursors of lists: opaque, signed, and good only for the list that gave them.

A cursor is base64url(8 bytes of HMAC ‖ JSON of the last row's sort keys). The HMAC also covers the
path and the filters, so a cursor carried to another list is refused like a forged one.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from urllib.parse import urlencode

import orjson
from flask import Request

from ..errors import Invalid

_MAC = 8


def encode(key: bytes, request: Request, keys: Sequence[object]) -> str:
    """The cursor after a row with these sort keys."""
    payload = orjson.dumps(list(keys))
    return _text(_mac(key, request, payload) + payload)


def decode(key: bytes, request: Request, cursor: str) -> tuple[object, ...]:
    """The sort keys in a cursor of this list; raises `Invalid`."""
    try:
        data = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except ValueError:
        raise _refused() from None
    mac, payload = data[:_MAC], data[_MAC:]
    genuine = hmac.compare_digest(mac, _mac(key, request, payload))
    if not genuine or _text(data) != cursor:
        raise _refused()
    return tuple(orjson.loads(payload))


def next_url(request: Request, cursor: str) -> str:
    """The path and query of the next page."""
    return f"{request.path}?{urlencode([*_filters(request, ('cursor',)), ('cursor', cursor)])}"


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _mac(key: bytes, request: Request, payload: bytes) -> bytes:
    scope = urlencode(sorted(_filters(request, ("cursor", "limit", "fields"))))
    message = b"\0".join((request.path.encode(), scope.encode(), payload))
    return hmac.digest(key, message, "sha256")[:_MAC]


def _filters(request: Request, without: tuple[str, ...]) -> list[tuple[str, str]]:
    return [pair for pair in request.args.items(multi=True) if pair[0] not in without]


def _refused() -> Invalid:
    return Invalid([("?cursor", "cursor", "Not a cursor of this list; start without one.")])
