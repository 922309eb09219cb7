"""One's own agents: how they are; pause and resume."""

from __future__ import annotations

from flask import redirect
from werkzeug.wrappers import Response

from ..models import AgentStatus
from ..services import agent_health, agent_matches, agents, match_faults
from . import forms, places
from .blueprint import blp
from .visit import Visit, action, page

ROWS = 100
MATCHES = 20  # on the page of an agent


@blp.get("/agents")
@page("agents:read")
def own_agents(visit: Visit) -> str:
    """All of them, the oldest first."""
    found = agents.search(visit.session, visit.actor, places.row(), ROWS)
    return visit.show("agents.html", agents=found.items, more=places.following(found))


@blp.get("/agents/<ulid:agent_id>")
@page("agents:read")
def own_agent(visit: Visit, agent_id: str) -> str:
    """One of them, its matches, and what the arena did about it."""
    who = visit.session, visit.actor, agent_id
    told = agent_health.notices(*who, None, ROWS)
    played = agent_matches.search(*who, places.row(), MATCHES)
    return visit.show(
        "agent.html",
        agent=agents.find(*who),
        match_fault=match_faults.last_in_matches(visit.session, agent_id),
        notices=told.items,
        matches=played.items,
        older=places.following(played),
    )


@blp.post("/agents/<ulid:agent_id>/pause")
@action("agents:write")
def pause_agent(visit: Visit, agent_id: str) -> Response:
    """It is not seated until it is resumed."""
    return _move(visit, agent_id, AgentStatus.PAUSED)


@blp.post("/agents/<ulid:agent_id>/resume")
@action("agents:write")
def resume_agent(visit: Visit, agent_id: str) -> Response:
    """It plays again."""
    return _move(visit, agent_id, AgentStatus.ACTIVE)


def _move(visit: Visit, agent_id: str, to: AgentStatus) -> Response:
    forms.read()
    agents.move(visit.session, visit.actor, agent_id, to)
    return redirect("/agents", 303)
