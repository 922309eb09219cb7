"""What all pages share: their headers, how they show moments, and what an error looks like."""

from __future__ import annotations

import re
from datetime import datetime

from flask import Blueprint, Flask, Response, g, make_response, redirect, render_template, request
from markupsafe import Markup, escape
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as AnyResponse

from ..errors import DomainError, NotFound, TooLarge, Unauthorized, status_of
from ..http import problems

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

_MOMENT = Markup(
    '<time datetime="{0:%Y-%m-%dT%H:%MZ}">'
    '<span class="day">{0:%Y-%m-%d}</span> {0:%H:%M} UTC</time>'
)

blp = Blueprint("pages", __name__, static_folder="../static", static_url_path="/static")


def register(app: Flask) -> None:
    """Serve the pages."""
    app.register_blueprint(blp)
    app.jinja_env.filters.update(moment=moment, words=words, code=code)
    for status in (404, 405, 500):
        app.register_error_handler(status, show_anywhere)


class LoginNeeded(Unauthorized):
    """Nobody is logged in, and the page is somebody's."""


@blp.after_request
def protect(response: Response) -> Response:
    """Pages load scripts and styles of this server only, and nobody else keeps what they show.

    The referrer stays here; with none at all, browsers would hide where a form comes from.
    """
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers.setdefault("Cache-Control", "no-store" if g.get("personal") else "no-cache")
    if request.endpoint != "pages.static":
        response.vary.add("Cookie")
    return response


@blp.errorhandler(LoginNeeded)
def ask_to_log_in(error: LoginNeeded) -> AnyResponse:
    """Reading: first log in, then come back. A form that was sent is not sent again."""
    if request.method in ("GET", "HEAD"):
        return redirect(f"/login?next={request.path}", 303)
    return show_error(error)


@blp.errorhandler(DomainError)
def show_error(error: DomainError) -> Response:
    """An error as a page, with the status and headers that the API would give it."""
    response = _error_page(status_of(error), error.title, error.detail)
    response.headers.extend(error.headers)
    return response


@blp.errorhandler(404)
def show_missing(_error: HTTPException) -> Response:
    """No such page."""
    return show_error(NotFound("There is nothing at this address."))


@blp.errorhandler(413)
def show_too_large(_error: HTTPException) -> Response:
    """A form that is longer than any of ours."""
    return show_error(TooLarge("The form is too long."))


def show_anywhere(error: HTTPException) -> Response:
    """No such address, no such method, or a failure: a page for people, a problem for programs."""
    wanted = request.accept_mimetypes.best_match([problems.PROBLEM, "text/html"])
    if request.path.startswith("/api/") or wanted != "text/html":
        return problems.http_error(error)
    response = _error_page(error.code or 500, error.name, problems.sentence(error))
    response.headers.extend((k, v) for k, v in error.get_headers() if k.lower() != "content-type")
    return protect(response)


def _error_page(status: int, title: str, detail: str) -> Response:
    """Who got as far as a visit keeps the menu."""
    values = {"status": status, "title": title, "detail": detail, "visit": g.get("visit")}
    return make_response(render_template("error.html", **values), status)


def words(name: str) -> str:
    """A name of the API as words."""
    return name.replace("_", " ")


def code(text: str) -> Markup:
    """A sentence in which `…` is code."""
    return Markup(re.sub("`([^`]*)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704 - escaped


def moment(time: datetime | None) -> Markup:
    """A moment for readers, to the minute, in UTC; its day stays on one line."""
    if time is None:
        return Markup("")
    return _MOMENT.format(time)
