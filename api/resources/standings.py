"""Standings of a tournament."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView

from ..http import Blueprint, Call
from ..schemas.standings import StandingFilters, StandingSchema
from ..services import lifecycle, standings
from ..services.paging import Page, TextPage

blp = Blueprint("standings", description="Who is where, and what decided it.")


@blp.route("/tournaments/<ulid:tournament_id>/standings")
class Standings(MethodView):
    @blp.operation("list_standings", scope=None, glance=lifecycle.glance)
    @blp.page(StandingSchema, StandingFilters, partial=True)
    def get(self, call: Call, tournament_id: str) -> Page[dict[str, Any]] | TextPage:
        """Show the standings

        Best first. Equal ranks are shared, positions are not. House bots are marked.

        With `as_of` or `house` they may have to be worked out from all matches. Where those are
        many, one such work goes on at a time, and 503 with the code `working` says to come again.
        """
        return standings.page(
            call.session, call.actor, call.seen, figures=call.arena.figures, **call.query
        )
