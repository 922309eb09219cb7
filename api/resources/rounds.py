"""Rounds and their tables."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView
from sqlalchemy import Row

from ..http import Blueprint, Call
from ..models import Round
from ..schemas.fairness import FairnessSchema
from ..schemas.rounds import RoundRequest, RoundResults, RoundSchema, TableSchema
from ..schemas.tournaments import TournamentSchema
from ..services import fairness, next_round, round_results, rounds, tables
from ..services.paging import Page
from .tournaments import shown

blp = Blueprint("rounds", description="Rounds of a tournament, and who sits at which table.")


@blp.route("/tournaments/<ulid:tournament_id>/rounds")
class Rounds(MethodView):
    @blp.operation("list_rounds", scope=None)
    @blp.page(RoundSchema)
    def get(self, call: Call, tournament_id: str) -> Page[Row[Any]]:
        """List the rounds of a tournament

        By number, the first one first.
        """
        return rounds.search(call.session, call.actor, tournament_id, **call.query)

    @blp.operation("request_round", scope="tournaments:write")
    @blp.arguments(RoundRequest, required=False)
    @blp.response(202, TournamentSchema)
    def post(self, call: Call, tournament_id: str) -> dict[str, Any]:
        """Let the next round come

        Now or at a time; it opens within seconds after that, drawn by the format or as a ruling
        seats it.
        """
        asked = next_round.ask(call.session, call.actor, tournament_id, **call.body)
        return shown(call, asked)


@blp.route("/tournaments/<ulid:tournament_id>/rounds/<int(min=1, max=1000000):number>")
class RoundByNumber(MethodView):
    @blp.operation("get_round", scope=None)
    @blp.response(200, RoundSchema)
    def get(self, call: Call, tournament_id: str, number: int) -> Round:
        """Show a round

        By its number, 1 for the first.
        """
        return rounds.find(call.session, call.actor, tournament_id, number)


@blp.route("/tournaments/<ulid:tournament_id>/rounds/<int(min=1, max=1000000):number>/tables")
class RoundTables(MethodView):
    @blp.operation("list_tables", scope=None)
    @blp.page(TableSchema)
    def get(self, call: Call, tournament_id: str, number: int) -> Page[dict[str, Any]]:
        """List the tables of a round

        Each with its five seats, in playing order, and its match.
        """
        return tables.search_tables(call.session, call.actor, tournament_id, number, **call.query)


@blp.route("/tournaments/<ulid:tournament_id>/fairness")
class Fairness(MethodView):
    @blp.operation("get_fairness", scope=None)
    @blp.response(200, FairnessSchema)
    def get(self, call: Call, tournament_id: str) -> dict[str, Any]:
        """Show the fairness certificate

        Who met whom, who sat where, how often each was dealt first, counted from the rounds as they
        were drawn, beside what no schedule can do better. 503 with the code `working`: more is
        asked for than is worked out at once.
        """
        call.tagged(fairness.tag(call.session, call.actor, tournament_id))
        figures = call.arena.figures
        return fairness.certificate(call.session, call.actor, tournament_id, figures)


@blp.route("/tournaments/<ulid:tournament_id>/rounds/<int(min=1, max=1000000):number>/results")
class RoundResultsByNumber(MethodView):
    @blp.operation("get_round_results", scope=None)
    @blp.response(200, RoundResults)
    def get(self, call: Call, tournament_id: str, number: int) -> dict[str, Any]:
        """Show the results of a round

        All of them in one answer, as they were played; what was ruled later is in the rulings and
        the standings.
        """
        return round_results.of_round(call.session, call.actor, tournament_id, number)
