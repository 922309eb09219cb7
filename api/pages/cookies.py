"""Two cookies: a login's, and before log-in one that ties a form to the browser that got it.

They have names of their own: whoever comes by a link from elsewhere shows no cookie, though the
browser has one, and would lose the login to the cookie of the form.
"""

from __future__ import annotations

import re

from flask import request
from werkzeug.wrappers import Response

LOGIN, FORM = "arena", "arena-form"

_TEXT = re.compile("[A-Za-z0-9_-]{43}")


def name(which: str) -> str:
    """Over https a name that browsers accept from this very host and path alone."""
    return f"__Host-{which}" if request.is_secure else which


def given(which: str) -> str | None:
    """What the browser shows, if it has the form of a cookie of ours."""
    text = request.cookies.get(name(which), "")
    return text if _TEXT.fullmatch(text) else None


def give(response: Response, which: str, text: str, max_age_s: int | None = None) -> None:
    """Let the browser keep it: out of reach of scripts, and never sent from elsewhere."""
    response.set_cookie(
        name(which),
        text,
        max_age=max_age_s,
        path="/",
        secure=request.is_secure,
        httponly=True,
        samesite="Strict",
    )


def take_back(response: Response, which: str) -> None:
    """Let the browser forget it."""
    response.delete_cookie(
        name(which), path="/", secure=request.is_secure, httponly=True, samesite="Strict"
    )
