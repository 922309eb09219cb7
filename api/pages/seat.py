"""A seat for a person: the questions of a pull agent, and buttons for the answers.

The script of the page fetches and answers through the two doors below. They are those of
`GET /agents/{id}/decisions` and `POST /decisions/{request}`, for who is logged in.
"""

from __future__ import annotations

from flask import Response, jsonify

from ..arena import arena
from ..http import polling
from ..services import decisions
from . import forms
from .blueprint import blp
from .visit import Visit, action, enter, page

WAIT_S = 20.0


@blp.get("/agents/<ulid:agent_id>/seat")
@page("agents:play")
def seat(visit: Visit, agent_id: str) -> str:
    """Sit down; nothing is fetched before the script asks."""
    return visit.show("seat.html", agent=decisions.player(visit.session, visit.actor, agent_id))


@blp.post("/agents/<ulid:agent_id>/seat/next")
def next_question(agent_id: str) -> Response:
    """The next question, 204 if none comes within 20 seconds. Its clock starts, so it is a POST."""
    with arena().database.read() as session:
        visit = enter(session, "agents:play")
        forms.require_own(visit.cookie)
        forms.read()
        decisions.player(session, visit.actor, agent_id)
    found = polling.next_question(arena(), visit.actor, agent_id, (), WAIT_S)
    return Response(status=204) if found is None else Response(found, mimetype="application/json")


@blp.post("/agents/<ulid:agent_id>/seat/answers")
@action("agents:play")
def answer_question(visit: Visit, agent_id: str) -> Response:
    """Answer it. Raises what the API says: not legal, too late."""
    sent = forms.read("request", "answer")
    decisions.player(visit.session, visit.actor, agent_id)
    taken = decisions.answer(visit.session, visit.actor, sent["request"], sent["answer"])
    return jsonify({"request": taken.request, "answer": taken.answer, "ms": taken.ms})
