"""Headers that every answer carries: the request's id and what browsers need to be careful."""

from __future__ import annotations

import re

from flask import Flask, Response, g, request

from ..models.base import new_id

_REQUEST_ID = re.compile(r"[A-Za-z0-9._~-]{1,64}")
CAREFUL = (
    ("Server", "Baohuang"),  # or the HTTP server would tell its own name
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
)
ASK_AGAIN, VARY = "private, no-cache", "Authorization"


def register(app: Flask) -> None:
    """Give every request an id and every answer its headers."""
    app.before_request(_name_request)
    app.after_request(_complete)


def request_id(given: str) -> str:
    """The client's own id if it is harmless, else a new one."""
    return given if _REQUEST_ID.fullmatch(given) else new_id()


def _name_request() -> None:
    g.request_id = request_id(request.headers.get("X-Request-Id", ""))


def _complete(response: Response) -> Response:
    headers = response.headers
    if "request_id" in g:
        headers["X-Request-Id"] = g.request_id
    for name, value in CAREFUL:
        headers.setdefault(name, value)
    if "Cache-Control" not in headers:
        # GETs may be kept, but are asked for again by their tag; nothing else may be kept
        headers["Cache-Control"] = ASK_AGAIN if _reads() else "no-store"
        headers.add("Vary", VARY)
    return response


def _reads() -> bool:
    return request.method in ("GET", "HEAD")
