"""Headers that every answer carries: the request's id and what browsers need to be careful."""

from __future__ import annotations

import re

from flask import Flask, Response, g, request

from ..models.base import new_id

_REQUEST_ID = re.compile(r"[A-Za-z0-9._~-]{1,64}")
_NOTHING = "default-src 'none'; frame-ancestors 'none'"


def register(app: Flask) -> None:
    """Give every request an id and every answer its headers."""
    app.before_request(_name_request)
    app.after_request(_complete)


def _name_request() -> None:
    """The client's own id if it is harmless, else a new one."""
    given = request.headers.get("X-Request-Id", "")
    g.request_id = given if _REQUEST_ID.fullmatch(given) else new_id()


def _complete(response: Response) -> Response:
    headers = response.headers
    if "request_id" in g:
        headers["X-Request-Id"] = g.request_id
    headers.setdefault("X-Content-Type-Options", "nosniff")
    headers.setdefault("Referrer-Policy", "no-referrer")
    headers.setdefault("Content-Security-Policy", _NOTHING)
    if "Cache-Control" not in headers:
        # GETs may be kept, but are asked for again by their tag; nothing else may be kept
        headers["Cache-Control"] = "private, no-cache" if _reads() else "no-store"
        headers.add("Vary", "Authorization")
    return response


def _reads() -> bool:
    return request.method in ("GET", "HEAD")
