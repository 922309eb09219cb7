"""Reading a request's body: size, type, JSON, then the operation's schema."""

from __future__ import annotations

from typing import Any

from flask import Request
from marshmallow import Schema, ValidationError

from ..errors import Invalid, Malformed, UnsupportedMediaType
from .pointers import field_errors
from .strict_json import parse

MAX_BODY = 64 * 1024


def read_body(request: Request, max_bytes: int) -> bytes:
    """The bytes, at most `max_bytes` of them (413), and only JSON (415)."""
    request.max_content_length = max_bytes
    data = request.get_data(cache=True)
    if data:
        _check_type(request)
    return data


def load_body(data: bytes, schema: Schema | None) -> dict[str, Any]:
    """The fields of a body by its schema: 400 if it is no clean JSON, 422 with pointers if wrong.

    An operation without a schema takes no body, or an empty object.
    """
    if schema is None:
        return _load(data or b"{}", Schema())
    if not data:
        raise Malformed(
            "The body is missing; send a JSON object.",
            code="body_missing",
            errors=[("", "required", "The body is missing.")],
        )
    return _load(data, schema)


def _load(data: bytes, schema: Schema) -> dict[str, Any]:
    try:
        loaded: dict[str, Any] = schema.load(parse(data))  # type: ignore[arg-type]
    except ValidationError as error:
        raise Invalid(field_errors(error.messages)) from None
    return loaded


def _check_type(request: Request) -> None:
    charset = request.mimetype_params.get("charset", "utf-8").lower()
    if request.mimetype != "application/json" or charset not in ("utf-8", "utf8"):
        raise UnsupportedMediaType(
            "The body must be application/json in UTF-8.",
            errors=[("", "content_type", "Send Content-Type: application/json.")],
        )
