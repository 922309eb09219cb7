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
from ..schemas.matches import FaultSchema, MatchDetail, MatchFilters, MatchSchema, RecordSchema
from ..services import records, tables
from ..services.paging import Page

NDJSON = "application/x-ndjson"

blp = Blueprint("matches", description="One table's deals in one round, and their records.")


@blp.route("/tournaments/<ulid:tournament_id>/matches")
class Matches(MethodView):
    @blp.operation("list_matches", scope=None)
    @blp.page(MatchSchema, MatchFilters)
    def get(self, call: Call, tournament_id: str) -> Page[Row[Any]]:
        """List the matches of a tournament

        Of all rounds, or of one, in the order in which they were made.
        """
        number = call.query.pop("round")
        return tables.search_matches(
            call.session, call.actor, tournament_id, number=number, **call.query
        )


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
    @blp.response(200, RecordSchema)
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

        The organizer sees all of it, an agent's owner what concerns the agent.
        """
        return tables.search_faults(call.session, call.actor, match_id, **call.query)


@blp.route("/tournaments/<ulid:tournament_id>/records")
class TournamentRecords(MethodView):
    @blp.operation("list_records", scope=None, transaction=False)
    @blp.response(200, RecordSchema, content_type=NDJSON)
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
