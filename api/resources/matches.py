"""Matches, what went wrong in them, and their records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from flask import Response
from flask.views import MethodView
from sqlalchemy import Row

from ..http import Blueprint, Call
from ..models import Fault
from ..schemas.matches import (
    FaultSchema,
    MatchCreate,
    MatchDetail,
    MatchFilters,
    MatchRecordSchema,
    MatchSchema,
    OpponentSchema,
)
from ..services import practices, records, tables
from ..services.paging import Page

NDJSON = "application/x-ndjson"

blp = Blueprint("matches", description="One table's deals in one round, and their records.")


@blp.route("/tournaments/<ulid:tournament_id>/matches")
class Matches(MethodView):
    @blp.operation("list_matches", scope=None)
    @blp.page(MatchSchema, MatchFilters, partial=True)
    def get(self, call: Call, tournament_id: str) -> Page[Row[Any]]:
        """List the matches of a tournament

        Of all rounds, or of one, in the order in which they were made.
        """
        return tables.search_matches(call.session, call.actor, tournament_id, **call.query)


@blp.route("/matches")
class PracticeMatches(MethodView):
    @blp.operation("list_practice_matches", scope="agents:read")
    @blp.page(MatchSchema)
    def get(self, call: Call) -> Page[Row[Any]]:
        """List your practice matches

        The newest first.
        """
        return tables.search_practices(call.session, call.actor, **call.query)

    @blp.operation("create_practice_match", scope="entries:write", errors=(429,))
    @blp.arguments(MatchCreate)
    @blp.response(201, MatchDetail)
    def post(self, call: Call) -> dict[str, Any]:
        """Have a practice match played

        Between agents of yours, agents whose owners let anybody practise against them
        (`list_opponents`) and house bots, with cards of its own. A worker takes it up within
        seconds; its record, with the key, is there when it has finished. It counts nowhere.
        """
        wish = practices.Wish(**call.body)
        match_id = practices.create(call.session, call.arena.vault, call.actor, wish)
        return tables.find_match(call.session, call.actor, match_id)


@blp.route("/opponents")
class Opponents(MethodView):
    @blp.operation("list_opponents", scope="agents:read")
    @blp.page(OpponentSchema)
    def get(self, call: Call) -> Page[Row[Any]]:
        """List agents to practise against

        Those whose owners allow it to anybody, the oldest first.
        """
        return practices.opponents(call.session, **call.query)


@blp.route("/matches/<ulid:match_id>/cancel")
class MatchCancel(MethodView):
    @blp.operation("cancel_practice_match", scope="entries:write")
    @blp.response(200, MatchDetail)
    def post(self, call: Call, match_id: str) -> dict[str, Any]:
        """End a practice match of yours

        Or one that an agent of yours is to play. What was played of it is lost.
        """
        practices.cancel(call.session, call.actor, match_id)
        return tables.find_match(call.session, call.actor, match_id)


@blp.route("/matches/<ulid:match_id>")
class MatchById(MethodView):
    @blp.operation("get_match", scope=None)
    @blp.response(200, MatchDetail)
    def get(self, call: Call, match_id: str) -> dict[str, Any]:
        """Show a match

        Its state, its seats and, once it has ended, its points.
        """
        return tables.find_match(call.session, call.actor, match_id)


@blp.route("/matches/<ulid:match_id>/record")
class MatchRecord(MethodView):
    @blp.operation("get_record", scope=None, errors=(409,))
    @blp.response(200, MatchRecordSchema)
    def get(self, call: Call, match_id: str) -> dict[str, Any]:
        """Show the record of a finished match

        Its key is null until the tournament has ended; then the record proves itself.
        """
        return records.of_match(call.session, call.actor, match_id)


@blp.route("/matches/<ulid:match_id>/faults")
class MatchFaults(MethodView):
    @blp.operation("list_faults", scope="agents:read")
    @blp.page(FaultSchema)
    def get(self, call: Call, match_id: str) -> Page[Fault]:
        """List what bots and the network did wrong

        Whoever judges the tournament sees all of it, an agent's owner what concerns the agent.
        """
        return tables.search_faults(call.session, call.actor, match_id, **call.query)


@blp.route("/tournaments/<ulid:tournament_id>/records")
class TournamentRecords(MethodView):
    @blp.operation("list_records", scope=None, transaction=False)
    @blp.response(200, MatchRecordSchema, content_type=NDJSON)
    def get(self, call: Call, tournament_id: str) -> Response:
        """Download the records of all finished matches

        One JSON object a line, by round and table. Keys are null until the tournament has ended.
        """
        first = _some(call, tournament_id, None)
        return Response(_lines(call, tournament_id, first), mimetype=NDJSON)


def _some(call: Call, tournament_id: str, after: tuple[object, ...] | None) -> Page[dict[str, Any]]:
    with call.arena.database.read() as session:
        return records.of_tournament(session, call.actor, tournament_id, after)


def _lines(call: Call, tournament_id: str, page: Page[dict[str, Any]]) -> Iterator[bytes]:
    """Records as they come; no transaction stays open while a slow client reads."""
    while True:
        yield b"".join(orjson.dumps(record) + b"\n" for record in page.items)
        if page.after is None:
            return
        page = _some(call, tournament_id, page.after)
