"""What agents were asked in a match, for their owners; and asking again elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from flask.views import MethodView
from sqlalchemy import Row

from ..http import Blueprint, Call
from ..http.outward import errand
from ..schemas.calls import (
    CallDetail,
    CallFilters,
    CallSchema,
    FurtherCallDetail,
    FurtherCallSchema,
    ReplayCreate,
    ReplaySchema,
)
from ..services import calls, further_calls, takeovers
from ..services.paging import Page
from .agents import limit_calls, look_up_url

blp = Blueprint("calls", description="The calls to your agents in a match, one by one.")


def limit_and_admit(call: Call) -> None:
    """Count it, and refuse a URL that may not be called."""
    limit_calls(call)
    look_up_url(call)


def _told(row: Row[Any], taken: Mapping[int, str]) -> dict[str, Any]:
    return {**row._mapping, "taken_over": taken.get(row.seq)}


@blp.route("/matches/<ulid:match_id>/calls")
class Calls(MethodView):
    @blp.operation("list_calls", scope="agents:read")
    @blp.page(CallSchema, CallFilters)
    def get(self, call: Call, match_id: str) -> Page[dict[str, Any]]:
        """List the calls to your agents in a match

        Also while it is played. Those of others' agents are not shown. The organizer and arbiters
        see the calls of all seats, with the agents' notes, but no requests. Where the arena played
        on for an agent, the call before says so: `taken_over`.
        """
        found = calls.search(call.session, call.actor, match_id, **call.query)
        taken = takeovers.of_match(call.session, call.arena.vault, match_id)
        return Page([_told(row, taken) for row in found.items], found.after)


@blp.route("/matches/<ulid:match_id>/calls/<int:seq>")
class CallBySeq(MethodView):
    @blp.operation("get_call", scope="agents:read")
    @blp.response(200, CallDetail)
    def get(self, call: Call, match_id: str, seq: int) -> dict[str, Any]:
        """Show a call with its request

        The request is the one that was sent, worked out anew from the match.
        """
        found = calls.find(call.session, call.arena.vault, call.actor, match_id, seq)
        taken = takeovers.of_match(call.session, call.arena.vault, match_id)
        return {**_told(found.row, taken), "request": orjson.loads(found.body)}


@blp.route("/matches/<ulid:match_id>/calls/<int:seq>/replay")
class CallReplay(MethodView):
    @blp.operation(
        "replay_call",
        scope="agents:write",
        idempotent=False,
        transaction=False,
        before=limit_and_admit,
        errors=[409, 429],
    )
    @blp.arguments(ReplayCreate)
    @blp.response(200, ReplaySchema)
    def post(self, call: Call, match_id: str, seq: int) -> dict[str, Any]:
        """Send a question of a match to another URL

        To see how another version of your agent would have answered. Signed with the agent's
        secret; it has the decision's budget, ten seconds at most, and changes nothing.
        """
        url, arena = call.body["url"], call.arena
        with arena.database.read() as session:
            question = calls.errand(session, arena.vault, call.actor, match_id, seq, url)
        with errand(call) as errands:
            answered = calls.send(errands, question)
        return calls.compared(question, answered)


@blp.route("/matches/<ulid:match_id>/further-calls")
class FurtherCalls(MethodView):
    @blp.operation("list_further_calls", scope="agents:read")
    @blp.page(FurtherCallSchema, CallFilters)
    def get(self, call: Call, match_id: str) -> Page[Row[Any]]:
        """List what else was sent to your agents in a match

        The notices `deal_end` and `match_end`, and questions that were put again because the arena
        could not reach its own agent either; in the order in which they ended. Who sees the calls
        of a match sees these.
        """
        return further_calls.search(call.session, call.actor, match_id, **call.query)


@blp.route("/matches/<ulid:match_id>/further-calls/<ulid:further_call_id>")
class FurtherCallById(MethodView):
    @blp.operation("get_further_call", scope="agents:read")
    @blp.response(200, FurtherCallDetail)
    def get(self, call: Call, match_id: str, further_call_id: str) -> dict[str, Any]:
        """Show one of them with its request

        Worked out anew from the match, as the requests of calls are.
        """
        found = further_calls.find(
            call.session, call.arena.vault, call.actor, match_id, further_call_id
        )
        return {**found.row._mapping, "request": orjson.loads(found.body)}
