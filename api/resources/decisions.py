"""Decisions of pull agents: fetch a question, answer it (contract.md 4)."""

from __future__ import annotations

import time
from collections.abc import Collection

from flask import Response
from flask.views import MethodView

from ..errors import Invalid, Unavailable
from ..http import Blueprint, Call
from ..schemas.decisions import AnswerCreate, BotRequest, DecisionsQuery, TakenSchema
from ..services import decisions
from ..services.decisions import Taken
from ..waiting import Full

JSON = "application/json"
AGAIN_S = 1  # after which somebody who found no place to wait may come again

blp = Blueprint("decisions", description="What bots that cannot be called, and people, decide.")


@blp.route("/agents/<ulid:agent_id>/decisions")
class AgentDecisions(MethodView):
    @blp.operation("fetch_decision", scope="agents:play", transaction=False, errors=(409,))
    @blp.arguments(DecisionsQuery, location="query")
    @blp.alt_response(204, description="No question came.", success=True)
    @blp.response(200, BotRequest)
    def get(self, call: Call, agent_id: str) -> Response:
        """Fetch the next question to a pull agent

        The request of the bot protocol that has waited longest; 204 if none comes within `wait`
        seconds. The clock of a decision starts when it is first fetched; until it is answered it
        is given again, unless it is `known`. Notices (`deal_end`, `match_end`) are given once.
        When too many wait already, 503 says when to come again.
        """
        known = (call.query["known"] or "").split(",")
        found = _next(call, agent_id, known, call.query["wait"])
        if found is None:
            return Response(status=204)
        response = Response(found, mimetype=JSON)
        response.add_etag()
        return response


@blp.route("/decisions/<ulid:request_id>")
class DecisionById(MethodView):
    @blp.operation("answer_decision", scope="agents:play")
    @blp.arguments(AnswerCreate)
    @blp.response(200, TakenSchema)
    def post(self, call: Call, request_id: str) -> Taken:
        """Answer a question that was fetched

        What is not legal is refused with 422 and the clock runs on. Too late is 409 (`late`), as is
        a second answer that differs (`already_answered`).
        """
        given = call.body["request"]
        if given is not None and given != request_id:
            raise Invalid([("/request", "stale", "It is not the request in the path.")])
        return decisions.answer(
            call.session, call.actor, request_id, call.body["answer"], call.body["note"]
        )


def _next(call: Call, agent_id: str, known: Collection[str], seconds: float) -> bytes | None:
    """The next request that comes within `seconds`; no transaction is open while it waits."""
    database = call.arena.database
    with database.read() as session:
        decisions.player(session, call.actor, agent_id)
    end = time.monotonic() + seconds
    while True:
        with database.begin() as session:
            found = decisions.fetch(session, agent_id, known)
        left = end - time.monotonic()
        if found is not None or left <= 0:
            return found
        _wait(call, agent_id, known, left)


def _wait(call: Call, agent_id: str, known: Collection[str], seconds: float) -> None:
    try:
        call.arena.waiting.wait(agent_id, known, seconds)
    except Full:
        raise Unavailable("Too many wait already.", AGAIN_S, code="waiting_room_full") from None
