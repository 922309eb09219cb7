"""What happened, as a list or as a stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flask import Response, request
from flask.views import MethodView

from .. import limits
from ..http import Blueprint, Call
from ..http.streaming import EVENT_STREAM, last_event_id, stream_response, wants_stream
from ..live.stream import Stream
from ..models import EventView
from ..schemas.events import EventFilters, EventSchema
from ..services import event_feed
from ..services.event_feed import Topic, Wanted
from ..services.paging import Page

blp = Blueprint("events", description="What happened, in order, as a list or as a live stream.")

Events = Page[Mapping[str, Any]] | Response


@blp.route("/tournaments/<ulid:tournament_id>/events")
class TournamentEvents(MethodView):
    @blp.operation("list_tournament_events", scope=None, errors=(400, 403, 409))
    @blp.page(EventSchema, EventFilters, stream=EVENT_STREAM)
    def get(self, call: Call, tournament_id: str) -> Events:
        """Follow a tournament

        As a list, the oldest first, or with `Accept: text/event-stream` as server-sent events that
        go on as long as you listen: each with its number as `id`, a comment every 15 seconds, and
        `resync` when what you missed is no longer kept.
        """
        view = EventView(call.query["view"])
        found = event_feed.of_tournament(call.session, call.actor, tournament_id, view)
        return _answer(call, *found)


@blp.route("/matches/<ulid:match_id>/events")
class MatchEvents(MethodView):
    @blp.operation("list_match_events", scope=None, errors=(400, 403, 409))
    @blp.page(EventSchema, EventFilters, stream=EVENT_STREAM)
    def get(self, call: Call, match_id: str) -> Events:
        """Follow a match

        Every public answer in order, while it is played. Numbers are the tournament's, so those of
        other matches are missing here.
        """
        view = EventView(call.query["view"])
        found = event_feed.of_match(call.session, call.actor, match_id, view)
        return _answer(call, *found)


def _answer(call: Call, topic: Topic, wanted: Wanted) -> Events:
    query = call.query
    wanted = replace(wanted, kinds=frozenset(query["kinds"]))
    if wants_stream(request):
        position = _position(call, topic)
        holder = call.actor.account_id or limits.address()
        hub, looked = call.arena.hub, request.method == "HEAD"
        parts = () if looked else Stream(hub, topic, wanted, position, holder)
        return stream_response(parts)
    since = query["since"] or 0
    return event_feed.search(call.session, topic, wanted, query.get("after"), query["limit"], since)


def _position(call: Call, topic: Topic) -> int:
    """Where a stream begins: where its reader was, where he says, at the first, or now."""
    given = last_event_id(request)
    if given is not None:
        return given
    if call.query["since"] is not None:
        since: int = call.query["since"]
        return since
    return event_feed.newest(call.session, topic) if call.query["start"] == "now" else 0
