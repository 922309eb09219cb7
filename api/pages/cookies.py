"""The one cookie: a login's, or before log-in what ties a form to the browser that got it."""

from __future__ import annotations

import re

from flask import request
from werkzeug.wrappers import Response

_FORM = re.compile("[A-Za-z0-9_-]{43}")


def name() -> str:
    """Over https a name that browsers accept from this very host and path alone."""
    return "__Host-arena" if request.is_secure else "arena"


def given() -> str | None:
    """What the browser shows, if it has the form of a cookie of ours."""
    text = request.cookies.get(name(), "")
    return text if _FORM.fullmatch(text) else None


def give(response: Response, text: str, max_age_s: int | None = None) -> None:
    """Let the browser keep it: out of reach of scripts, and never sent from elsewhere."""
    response.set_cookie(
        name(),
        text,
        max_age=max_age_s,
        path="/",
        secure=request.is_secure,
        httponly=True,
        samesite="Strict",
    )


def take_back(response: Response) -> None:
    """Let the browser forget it."""
    response.delete_cookie(
        name(), path="/", secure=request.is_secure, httponly=True, samesite="Strict"
    )
