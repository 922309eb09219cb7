"""Rulings on results and seats."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from flask.views import MethodView

from ..http import Blueprint, Call
from ..models import RulingKind
from ..schemas.rulings import RulingCreate, RulingDifference, RulingSchema
from ..services import ruling_trial, rulings
from ..services.paging import Page
from ..services.ruling_case import Ask
from ..services.rulings import Told

blp = Blueprint("rulings", description="What organizers and arbiters decide about results.")


@blp.route("/tournaments/<ulid:tournament_id>/rulings")
class Rulings(MethodView):
    @blp.operation("list_rulings", scope=None)
    @blp.page(RulingSchema)
    def get(self, call: Call, tournament_id: str) -> Page[Told]:
        """List the rulings of a tournament

        In order. One that another undid is marked.
        """
        return rulings.search(call.session, call.actor, tournament_id, **call.query)

    @blp.operation("create_ruling", scope="results:write", errors=(409,), max_body=1024 * 1024)
    @blp.arguments(RulingCreate)
    @blp.response(201, RulingSchema, location="/api/v1/rulings/{id}")
    def post(self, call: Call, tournament_id: str) -> Told:
        """Make a ruling

        The organizer and arbiters may. Finished matches and drawn rounds stay as they are; the
        standings and the rounds to come follow the ruling.
        """
        made = rulings.make(call.session, call.actor, tournament_id, _ask(call))
        return rulings.find(call.session, call.actor, made.id)


@blp.route("/tournaments/<ulid:tournament_id>/rulings/dry-run")
class RulingTrial(MethodView):
    @blp.operation(
        "try_ruling",
        scope="results:write",
        errors=(409,),
        max_body=1024 * 1024,
        transaction=False,
    )
    @blp.arguments(RulingCreate)
    @blp.response(200, RulingDifference)
    def post(self, call: Call, tournament_id: str) -> dict[str, Any]:
        """Try a ruling out

        Nothing is kept. Answers with what would change in the standings, their tie-breaks and the
        seating of the coming round. Of big tournaments one at a time is worked out: 503 with the
        code `working` says to come again.
        """
        who, ask, database = (call.actor, tournament_id), _ask(call), call.arena.database
        with database.read() as session:
            small = ruling_trial.is_small(session, *who)
        with nullcontext() if small else call.arena.figures.alone():
            with database.snapshot() as session:
                known = ruling_trial.past(session, *who)
            with database.begin() as session:
                tried = ruling_trial.tried(session, call.arena.vault, *who, ask, known)
            return tried.differences()


@blp.route("/rulings/<ulid:ruling_id>")
class RulingById(MethodView):
    @blp.operation("get_ruling", scope=None)
    @blp.response(200, RulingSchema)
    def get(self, call: Call, ruling_id: str) -> Told:
        """Show a ruling

        With its reason and whether another one undid it.
        """
        return rulings.find(call.session, call.actor, ruling_id)


def _ask(call: Call) -> Ask:
    body: Any = call.body
    return Ask(**{**body, "kind": RulingKind(body["kind"])})
