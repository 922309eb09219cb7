"""Server-sent events as bytes (WHATWG HTML, section 9.2).

Events come without a name, so that one handler gets them all; their JSON says the kind. What the
stream says about itself has a name: `resync`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from ..schemas.fields import shown_time


def shown(event: Mapping[str, Any]) -> dict[str, Any]:
    """An event as lists show it (schemas/events.py); a test compares the two."""
    return {**event, "at": shown_time(event["at"])}


def message(event: Mapping[str, Any]) -> bytes:
    """One event, with its number as the id from which a reader goes on."""
    return b"id: %d\ndata: %s\n\n" % (event["seq"], orjson.dumps(shown(event)))


def opening(position: int, retry_ms: int) -> bytes:
    """How long to wait before coming back, and the number that the stream begins after."""
    return b"retry: %d\nid: %d\n\n" % (retry_ms, position)


def heartbeat(position: int) -> bytes:
    """A comment that keeps the connection alive, and the number up to which all is known."""
    return b": alive\nid: %d\n\n" % position


def resync(position: int, reason: str) -> bytes:
    """Some events cannot be had: read the state anew, then go on from this number."""
    data = orjson.dumps({"reason": reason, "seq": position})
    return b"event: resync\nid: %d\ndata: %s\n\n" % (position, data)
