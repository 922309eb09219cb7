"""Decisions of pull agents: fetch a question, answer it (contract.md 4)."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from flask import Response, request
from flask.views import MethodView

from ..errors import Invalid
from ..http import Blueprint, Call, polling
from ..http.streaming import JSON, stream_response, wants_stream
from ..live.questions import QuestionStream
from ..schemas.decisions import AnswerCreate, BotRequest, DecisionsQuery, TakenSchema
from ..services import decisions
from ..services.decisions import Taken

NDJSON = "application/x-ndjson"

blp = Blueprint("decisions", description="What bots that cannot be called, and people, decide.")


@blp.route("/agents/<ulid:agent_id>/decisions")
class AgentDecisions(MethodView):
    @blp.operation("fetch_decision", scope="agents:play", transaction=False, errors=(409,))
    @blp.arguments(DecisionsQuery, location="query")
    @blp.alt_response(204, description="No question came.", success=True)
    @blp.response(200, BotRequest, stream=NDJSON)
    def get(self, call: Call, agent_id: str) -> Response:
        """Fetch the next question to a pull agent

        The request of the bot protocol that has waited longest; 204 if none comes within `wait`
        seconds. The clock of a decision starts when it is first fetched; until it is answered it
        is given again, unless it is `known`. Notices (`deal_end`, `match_end`) are given once.

        With `Accept: application/x-ndjson` all of them, one a line as they come, and an empty line
        every ten seconds; after ten minutes the stream ends and you come back. When too many wait
        already, 503 says when to come again; 429 (`too_many_streams`), that you have as many
        streams and waiting agents as one account may.
        """
        with call.arena.database.read() as session:
            decisions.player(session, call.actor, agent_id)
        if request.method == "HEAD":
            return Response(status=204)  # to look is not to fetch
        if wants_stream(request, NDJSON):
            guest = polling.guest(call.arena, call.actor, agent_id)
            fetch = partial(_fetch, call, agent_id)
            parts = QuestionStream(call.arena.waiting, agent_id, fetch, guest)
            return stream_response(parts, NDJSON)
        known = (call.query["known"] or "").split(",")
        found = polling.next_question(call.arena, call.actor, agent_id, known, call.query["wait"])
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


def _fetch(call: Call, agent_id: str, known: Collection[str]) -> bytes | None:
    return polling.fetch(call.arena, agent_id, known)
