"""What all pages share: their headers, how they show moments, and what an error looks like."""

from __future__ import annotations

from datetime import datetime

from flask import Blueprint, Flask, Response, g, make_response, redirect, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as AnyResponse

from ..errors import DomainError, NotFound, TooLarge, Unauthorized, status_of

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

blp = Blueprint("pages", __name__, static_folder="../static", static_url_path="/static")


def register(app: Flask) -> None:
    """Serve the pages."""
    app.register_blueprint(blp)
    app.jinja_env.filters["moment"] = moment


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
    status = status_of(error)
    page = render_template("error.html", status=status, title=error.title, detail=error.detail)
    response = make_response(page, status)
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


def moment(time: datetime | None) -> str:
    """A moment for readers, to the minute, in UTC."""
    return "" if time is None else f"{time:%Y-%m-%d %H:%M} UTC"
