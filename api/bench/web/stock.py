"""The peer of our own kind: flask-smorest as its guide has it, with the ORM, and nothing more.

No authentication, no ETag, no cursor, no errors of its own: the least that answers with the rows.
"""

from __future__ import annotations

import os
from typing import Any

import flask_smorest
from flask import Flask
from flask.views import MethodView
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from ...schemas.standings import StandingSchema
from .rows import FIRST_PAGE, as_dict

engine = create_engine(os.environ["DATABASE_URL"])
app = Flask(__name__)
app.config.update(API_TITLE="Stock", API_VERSION="1", OPENAPI_VERSION="3.1.0")
api = flask_smorest.Api(app)
blp = flask_smorest.Blueprint("standings", __name__)


@blp.route("/tournaments/<tournament_id>/standings")
class Standings(MethodView):
    """The first fifty."""

    @blp.response(200, StandingSchema(many=True))  # type: ignore[untyped-decorator]
    def get(self, tournament_id: str) -> list[dict[str, Any]]:
        """The rows, for marshmallow to show."""
        with Session(engine) as session:
            found = session.execute(FIRST_PAGE, {"tournament_id": tournament_id})
            return [as_dict(*row) for row in found]


api.register_blueprint(blp)
