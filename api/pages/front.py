"""What this server is, the API's documentation, what an error means."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from flask import Response, abort, render_template, request, send_from_directory

from ..errors import STATUS, DomainError
from ..extensions import rest
from ..services import tournaments
from . import places
from .blueprint import blp
from .visit import Visit, page

SHOWN = 50  # tournaments on the front page
SWAGGER_UI = frozenset({"swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"})


@blp.get("/")
@page()
def index(visit: Visit) -> str:
    """What this server is, and its tournaments, the newest first."""
    after = places.row()
    found = tournaments.search(visit.session, visit.actor, after, SHOWN)
    return visit.show("index.html", tournaments=found.items, older=places.following(found))


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
@page()
def problem(visit: Visit, code: str) -> str:
    """What an error of this kind means; problem documents point here."""
    kinds: dict[str, type[DomainError]] = {kind.code: kind for kind in STATUS}
    if code not in kinds:
        abort(404)
    return visit.show("problem.html", kind=kinds[code], status=STATUS[kinds[code]])
