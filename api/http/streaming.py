"""Lists that may also be followed: `Accept` decides, `Last-Event-ID` says where to go on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext

from flask import Request, Response

from ..errors import Malformed

EVENT_STREAM = "text/event-stream"
JSON = "application/json"

OUTSIDE = "baohuang.outside"
"""Where a server that lets few requests in at once says how one that waits steps out."""

_NUMBER = re.compile("[0-9]{1,15}")


def outside(request: Request) -> AbstractContextManager[None]:
    """For as long as it lasts, others may be answered in this request's place."""
    step_out: Callable[[], AbstractContextManager[None]] = request.environ.get(OUTSIDE, nullcontext)
    return step_out()


def wants_stream(request: Request, content_type: str = EVENT_STREAM) -> bool:
    """Whether the client would rather have the stream; without a preference it gets the other."""
    return request.accept_mimetypes.best_match([JSON, content_type]) == content_type


def last_event_id(request: Request) -> int | None:
    """The number after which a reader goes on; None at its first call. Raises `Malformed`."""
    given = request.headers.get("Last-Event-ID", "")
    if given and not _NUMBER.fullmatch(given):
        raise Malformed("Last-Event-ID must be an id of this stream: a number.")
    return int(given) if given else None


def stream_response(parts: Iterable[bytes], content_type: str = EVENT_STREAM) -> Response:
    """The answer that goes on; proxies must neither keep nor gather it."""
    response = Response(parts, mimetype=content_type)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    return response
