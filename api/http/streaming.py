"""Lists that may also be followed: `Accept` decides, `Last-Event-ID` says where to go on."""

from __future__ import annotations

import re
from collections.abc import Iterable

from flask import Request, Response

from ..errors import Malformed

EVENT_STREAM = "text/event-stream"
JSON = "application/json"

_NUMBER = re.compile("[0-9]{1,15}")


def wants_stream(request: Request) -> bool:
    """Whether the client would rather have the stream; without a preference it gets the list."""
    return request.accept_mimetypes.best_match([JSON, EVENT_STREAM]) == EVENT_STREAM


def last_event_id(request: Request) -> int | None:
    """The number after which a reader goes on; None at its first call. Raises `Malformed`."""
    given = request.headers.get("Last-Event-ID", "")
    if given and not _NUMBER.fullmatch(given):
        raise Malformed("Last-Event-ID must be an id of this stream: a number.")
    return int(given) if given else None


def stream_response(parts: Iterable[bytes]) -> Response:
    """The answer that goes on; proxies must neither keep nor gather it."""
    response = Response(parts, mimetype=EVENT_STREAM)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response
