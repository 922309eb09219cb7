"""Logging in with a token, and out again. The token itself is kept nowhere."""

from __future__ import annotations

import re

from flask import g, redirect, request
from werkzeug.wrappers import Response

from .. import limits
from ..arena import arena
from ..errors import Unauthorized
from ..services import identities, logins
from ..trail import Origin, acting
from . import cookies, forms
from .blueprint import blp
from .visit import Visit, action, enter, page

_PATH = re.compile(r"/(?:[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)*)?")


@blp.get("/login")
@page()
def login(visit: Visit) -> Response:
    """The form; who is logged in already goes on."""
    after = _path(request.args.get("next", ""))
    if visit.logged_in:
        return redirect(after, 303)
    return visit.show_form("login.html", next=after, error=None)


@blp.post("/login")
def log_in() -> Response:
    """Exchange a token for a cookie, which is made anew; an older login of the browser ends."""
    with arena().database.read() as session:
        visit = enter(session, None)
        forms.require_own(visit.cookie, cookies.given(cookies.FORM))
        given = forms.read("token", "next")
        after = _path(given["next"])
        try:
            identity, known = identities.of_token(session, given["token"])
        except Unauthorized as error:
            limits.failed_login(given["token"])
            return visit.show_form("login.html", 401, next=after, error=error.detail)
    origin = Origin("log_in", known.principal.account_id, known.token_id, g.request_id)
    with acting(origin), arena().database.begin() as session:
        if visit.login_id is not None:
            logins.end(session, visit.login_id)
        cookie = logins.begin(session, identity, known.principal.account_id)
    g.personal = True
    response = redirect(after, 303)
    cookies.give(response, cookies.LOGIN, cookie, int(logins.LIFE.total_seconds()))
    return response


@blp.post("/logout")
@action(None)
def log_out(visit: Visit) -> Response:
    """End the login; the token goes on."""
    forms.read()
    if visit.login_id is not None:
        logins.end(visit.session, visit.login_id)
    response = redirect("/", 303)
    cookies.take_back(response, cookies.LOGIN)
    return response


def _path(text: str) -> str:
    """A page of this server, else the front page."""
    return text if _PATH.fullmatch(text) else "/"
