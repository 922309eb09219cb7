"""Tournaments, and the moves of their lives."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView
from sqlalchemy import Row

from ..http import Blueprint, Call
from ..models import Tournament
from ..schemas.tournaments import (
    FinishRequest,
    TournamentCreate,
    TournamentFilters,
    TournamentSchema,
    TournamentSummary,
    TournamentUpdate,
)
from ..services import attendance, finishing, tournaments
from ..services.paging import Page
from ..services.rows import columns

blp = Blueprint("tournaments", description="Events of an organizer, from draft to standings.")


@blp.route("/tournaments")
class Tournaments(MethodView):
    @blp.operation("list_tournaments", scope=None)
    @blp.page(TournamentSummary, TournamentFilters, partial=True)
    def get(self, call: Call) -> Page[Row[Any]]:
        """List tournaments

        The newest first. Drafts are shown to their organizers only.
        """
        return tournaments.search(call.session, call.actor, **call.query)

    @blp.operation("create_tournament", scope="tournaments:write")
    @blp.arguments(TournamentCreate)
    @blp.response(201, TournamentSchema)
    def post(self, call: Call) -> dict[str, Any]:
        """Create a tournament

        It begins as a draft. The commitment to its deals and seats is fixed from now on.
        """
        body: Any = call.body
        made = tournaments.create(call.session, call.arena.vault, call.actor, body)
        return shown(call, made)


@blp.route("/tournaments/<ulid:tournament_id>")
class TournamentById(MethodView):
    @blp.operation("get_tournament", scope=None)
    @blp.response(200, TournamentSchema)
    def get(self, call: Call, tournament_id: str) -> dict[str, Any]:
        """Show a tournament

        With its rules, whole, and what makes its deals provable.
        """
        return shown(call, tournaments.find(call.session, call.actor, tournament_id))

    @blp.operation("update_tournament", scope="tournaments:write", errors=(409,))
    @blp.arguments(TournamentUpdate)
    @blp.response(200, TournamentSchema)
    def patch(self, call: Call, tournament_id: str) -> dict[str, Any]:
        """Change a tournament

        Its rules are frozen when it opens. Once it has started what was entered for is fixed, too;
        `name`, `capacity`, `waiting_list`, `entries_per_owner`, `late_entry_round`, `advance`,
        `round_interval_s`, `round_limit_s` (of the round that runs, too), `overdue`,
        `appeal_window_s` and `ending` can change until it has finished.
        """
        body: Any = call.body
        changed = tournaments.update_settings(
            call.session, call.actor, tournament_id, call.version, body
        )
        return shown(call, changed)


@blp.route("/tournaments/<ulid:tournament_id>/open")
class TournamentOpening(MethodView):
    @blp.operation("open_tournament", scope="tournaments:write")
    @blp.response(200, TournamentSchema)
    def post(self, call: Call, tournament_id: str) -> dict[str, Any]:
        """Open the entry

        Everybody sees the tournament, agents may enter, the rules are frozen. 409 `start_passed`
        when `starts_at` has passed: change it first.
        """
        return shown(call, tournaments.open_entry(call.session, call.actor, tournament_id))


@blp.route("/tournaments/<ulid:tournament_id>/start")
class TournamentStart(MethodView):
    @blp.operation("start_tournament", scope="tournaments:write")
    @blp.response(200, TournamentSchema)
    def post(self, call: Call, tournament_id: str) -> dict[str, Any]:
        """Start it

        The entry closes, who did not check in where that was asked loses the place, house bots
        fill the free seats, the first round comes at once.
        """
        return shown(call, tournaments.start(call.session, call.actor, tournament_id))


@blp.route("/tournaments/<ulid:tournament_id>/pause")
class TournamentPause(MethodView):
    @blp.operation("pause_tournament", scope="tournaments:write")
    @blp.response(200, TournamentSchema)
    def post(self, call: Call, tournament_id: str) -> dict[str, Any]:
        """Pause it

        No match begins; those that run stop within seconds and keep what was decided.
        """
        return shown(call, tournaments.pause(call.session, call.actor, tournament_id))


@blp.route("/tournaments/<ulid:tournament_id>/resume")
class TournamentResumption(MethodView):
    @blp.operation("resume_tournament", scope="tournaments:write")
    @blp.response(200, TournamentSchema)
    def post(self, call: Call, tournament_id: str) -> dict[str, Any]:
        """Go on

        After a pause, or after it needed attention: matches that had failed are tried again.
        """
        return shown(call, tournaments.resume(call.session, call.actor, tournament_id))


@blp.route("/tournaments/<ulid:tournament_id>/finish")
class TournamentFinish(MethodView):
    @blp.operation("finish_tournament", scope="tournaments:write")
    @blp.arguments(FinishRequest, required=False)
    @blp.response(200, TournamentSchema)
    def post(self, call: Call, tournament_id: str) -> dict[str, Any]:
        """Finish it

        No further round is drawn. A round that runs becomes the last one, and the end comes as
        `ending` has it; otherwise it finishes now, whatever it was held for, or when matches that
        are replayed have ended. What was played counts, unlike in a cancelled tournament.
        """
        asked = finishing.ask(call.session, call.actor, tournament_id, **call.body)
        return shown(call, asked)


@blp.route("/tournaments/<ulid:tournament_id>/cancel")
class TournamentCancellation(MethodView):
    @blp.operation("cancel_tournament", scope="tournaments:write")
    @blp.response(200, TournamentSchema)
    def post(self, call: Call, tournament_id: str) -> dict[str, Any]:
        """Cancel it

        Matches that have not finished never will, nothing that was played is rated, and nothing can
        be appealed against or ruled. There is no way back; `finish` ends a tournament that counts.
        """
        return shown(call, tournaments.cancel(call.session, call.actor, tournament_id))


def shown(call: Call, tournament: Tournament) -> dict[str, Any]:
    """A tournament as `TournamentSchema` wants it: its secret only after the last match."""
    draw = {
        "scheme": "draw-v1",
        "commitment": tournament.commitment,
        "entrants_hash": tournament.entrants_hash,
        "secret": tournaments.revealed_secret(call.arena.vault, tournament),
    }
    opens = attendance.check_in_opens_at(tournament)
    return {**columns(tournament), "draw": draw, "check_in_opens_at": opens}
