"""`Idempotency-Key`: the same request again gets the same answer, and the work is done once."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256

from flask import Request, Response

from ..errors import Malformed
from ..services import idempotency
from ..services.idempotency import Answer
from .call import Call

_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_KEPT = ("Location", "ETag", "Content-Type", "Link")


def wanted_key(request: Request) -> str | None:
    """The request's key, checked; None without the header."""
    key = request.headers.get("Idempotency-Key")
    if key is not None and not _KEY.fullmatch(key):
        raise Malformed("Idempotency-Key must be 1 to 255 visible ASCII characters.")
    return key


def digest(request: Request, data: bytes) -> str:
    """What makes two requests the same: method, path, arguments and body."""
    head = f"{request.method} {request.full_path}\0".encode()
    return sha256(head + data).hexdigest()


def once(call: Call, key: str, same: str, work: Callable[[], Response]) -> Response:
    """`work()`, or the stored answer of the first request with this key (and this `same` digest).

    The key's row is inserted before the work and in its transaction: a failed or killed attempt
    leaves no key behind, and two at once cannot both do the work.
    """
    first = idempotency.reserve(call.session, call.actor, key, same)
    if first is not None:
        return _replayed(first, call)
    response = work()
    idempotency.store(call.session, call.actor, key, _answer(response, call))
    return response


def _answer(response: Response, call: Call) -> Answer:
    """Answers may show a secret once, so they are sealed like one."""
    headers = {name: response.headers[name] for name in _KEPT if name in response.headers}
    return Answer(response.status_code, headers, call.arena.vault.seal(response.get_data()))


def _replayed(answer: Answer, call: Call) -> Response:
    response = Response(call.arena.vault.open(answer.body), answer.status, answer.headers)
    response.headers["Idempotent-Replayed"] = "true"
    return response
