"""The pages for people: what this server is, the API's documentation, what an error means."""

from __future__ import annotations

from datetime import datetime
from importlib.resources import files
from pathlib import Path

from flask import Blueprint, Response, abort, render_template, request, send_from_directory

from .arena import arena
from .errors import STATUS, DomainError
from .extensions import rest
from .services import tournaments
from .services.principal import ANONYMOUS

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SHOWN = 50  # tournaments on the front page
SWAGGER_UI = frozenset({"swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"})

blp = Blueprint("pages", __name__, static_folder="static", static_url_path="/static")


@blp.get("/")
def index() -> str:
    """What this server is, and its newest tournaments."""
    with arena().database.read() as session:
        newest = tournaments.search(session, ANONYMOUS, None, SHOWN)
        return render_template("index.html", tournaments=newest.items, more=newest.after)


@blp.get("/docs")
def docs() -> str:
    """Swagger UI."""
    return render_template("docs.html")


@blp.get("/docs/<path:name>")
def swagger_ui(name: str) -> Response:
    """Swagger UI's own files, from its package: nothing is fetched from elsewhere."""
    if name not in SWAGGER_UI:
        abort(404)
    return send_from_directory(Path(str(files("flask_swagger_ui") / "dist")), name)


@blp.get("/openapi.json")
def openapi() -> Response:
    """The API's description."""
    response = Response(rest.document, mimetype="application/json")
    response.add_etag()
    response.make_conditional(request)
    return response


@blp.get("/problems/<code>")
def problem(code: str) -> str:
    """What an error of this kind means; problem documents point here."""
    kinds: dict[str, type[DomainError]] = {kind.code: kind for kind in STATUS}
    if code not in kinds:
        abort(404)
    return render_template("problem.html", kind=kinds[code], status=STATUS[kinds[code]])


@blp.after_request
def protect(response: Response) -> Response:
    """Pages load scripts and styles of this server only."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response.headers.setdefault("Cache-Control", "no-cache")
    return response


def moment(time: datetime | None) -> str:
    """A moment for readers, to the minute, in UTC."""
    return "" if time is None else f"{time:%Y-%m-%d %H:%M} UTC"
