"""Reading a request's body: time, size, type, JSON, then the operation's schema."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from flask import Request
from marshmallow import Schema, ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from .. import limits
from ..arena import arena
from ..errors import Invalid, Malformed, TooLarge, UnsupportedMediaType
from ..intake import Peer
from ..remote.strict import NotStrictJson, loads
from .pointers import field_errors
from .streaming import outside

MAX_BODY = 64 * 1024
_HERE = "baohuang.body"


def fetch(request: Request, max_bytes: int) -> None:
    """Have the body here, and one byte more if it is longer, before anything else is held.

    Others are answered meanwhile. No session may be open. Raises `TooSlow`, and what else
    `Intake.read` does.
    """
    environ, length = request.environ, request.content_length
    chunked = environ.get("wsgi.input_terminated") and "HTTP_TRANSFER_ENCODING" in environ
    size = max_bytes + 1 if length is None else length
    if _HERE in environ or not (length or chunked) or size > max_bytes + 1:
        return  # there is none, or one that is refused unread
    proxied = environ.get("werkzeug.proxy_fix.orig", environ)
    peer = Peer(str(proxied.get("REMOTE_ADDR") or ""), int(proxied.get("SERVER_PORT") or 0))
    with outside(request):
        data = arena().intake.read(environ["wsgi.input"], size, limits.address(), peer)
    environ["wsgi.input"] = BytesIO(data)
    environ[_HERE] = True


def read_body(request: Request, max_bytes: int) -> bytes:
    """The bytes, at most `max_bytes` of them (413), and only JSON (415), in time (408).

    One byte more is read, because a body that comes without a length is cut at the limit, silently.
    """
    request.max_content_length = max_bytes + 1
    fetch(request, max_bytes)
    try:
        data = request.get_data()
    except RequestEntityTooLarge:
        raise _too_large(max_bytes) from None
    if len(data) > max_bytes:
        raise _too_large(max_bytes)
    if data:
        _check_type(request)
    return data


def load_body(data: bytes, schema: Schema | None, *, required: bool) -> dict[str, Any]:
    """The fields of a body by its schema: 400 if it is no clean JSON, 422 with pointers if wrong.

    No body counts as an empty object unless it is `required`; without a schema no field is known.
    """
    if required and not data:
        raise _malformed("body_missing", "The body is missing; send a JSON object.")
    try:
        value: Any = loads(data) if data else {}
        loaded: dict[str, Any] = (schema or Schema()).load(value)
    except NotStrictJson as error:
        raise _malformed("malformed_json", f"The body is refused: {error}.") from None
    except ValidationError as error:
        raise Invalid(field_errors(error.messages)) from None
    return loaded


def _too_large(max_bytes: int) -> TooLarge:
    return TooLarge(f"This operation reads bodies of at most {max_bytes} bytes.")


def _malformed(code: str, detail: str) -> Malformed:
    return Malformed(detail, code=code, errors=[("", code, detail)])


def _check_type(request: Request) -> None:
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype != "application/json" or charset not in ("utf-8", "utf8"):
        raise UnsupportedMediaType(
            "The body must be application/json in UTF-8.",
            errors=[("", "content_type", "Send Content-Type: application/json.")],
        )
