"""A caller's own agents."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView
from sqlalchemy.orm import Session

from .. import limits
from ..http import Blueprint, Call
from ..http.outward import errand
from ..models import Agent, AgentNotice, AgentStatus
from ..schemas.agents import (
    AgentCreate,
    AgentCreated,
    AgentFilters,
    AgentNoticeSchema,
    AgentSchema,
    AgentShown,
    AgentUpdate,
    SecretRotate,
)
from ..schemas.matches import AgentMatchSchema
from ..services import (
    agent_calls,
    agent_health,
    agent_matches,
    agents,
    match_faults,
    version_secrets,
)
from ..services.paging import Page
from ..services.rows import columns

blp = Blueprint("agents", description="Bots that play: register, verify, pause, retire.")


def admit_url(call: Call) -> None:
    """Count a URL that is given, and refuse one that may not be called."""
    if call.body.get("url") is not None:
        limits.url(call.actor.account_id)
        look_up_url(call)


def look_up_url(call: Call) -> None:
    """Refuse a URL that may not be called; asks the name servers."""
    with errand(call) as errands:
        agent_calls.admit(errands, call.body["url"])


def limit_calls(call: Call) -> None:
    """Refuse an account that has had its agents called too often."""
    limits.verification(call.actor.account_id)


@blp.route("/agents")
class Agents(MethodView):
    @blp.operation("list_agents", scope="agents:read")
    @blp.page(AgentSchema, AgentFilters)
    def get(self, call: Call) -> Page[Agent]:
        """List your agents

        Oldest first, retired ones included.
        """
        return agents.search(call.session, call.actor, **call.query)

    @blp.operation("register_agent", scope="agents:write", before=admit_url)
    @blp.arguments(AgentCreate)
    @blp.response(201, AgentCreated)
    def post(self, call: Call) -> dict[str, Any]:
        """Register an agent

        Its URL must lead to the public internet; a refusal names the rule. The signing secret is in
        this answer only. The agent plays once it is verified; a `pull` agent, which is not called
        but fetches its questions, at once.
        """
        return _with_secret(
            *agents.register(call.session, call.arena.vault, call.actor, **call.body)
        )


@blp.route("/agents/<ulid:agent_id>")
class AgentById(MethodView):
    @blp.operation("get_agent", scope="agents:read")
    @blp.response(200, AgentShown)
    def get(self, call: Call, agent_id: str) -> dict[str, Any]:
        """Show an agent

        One of your own; those of others are answered with 404.
        """
        agent = agents.find(call.session, call.actor, agent_id)
        return _with_fault(call.session, agent)

    @blp.operation("update_agent", scope="agents:write", before=admit_url, errors=[409])
    @blp.arguments(AgentUpdate)
    @blp.response(200, AgentShown)
    def patch(self, call: Call, agent_id: str) -> dict[str, Any]:
        """Change an agent

        With a new URL it is unverified again.
        """
        agent = agents.update(call.session, call.actor, agent_id, call.version, **call.body)
        return _with_fault(call.session, agent)


@blp.route("/agents/<ulid:agent_id>/verify")
class AgentVerify(MethodView):
    @blp.operation(
        "verify_agent",
        scope="agents:write",
        idempotent=False,
        transaction=False,
        before=limit_calls,
        errors=[409],
    )
    @blp.response(200, AgentShown)
    def post(self, call: Call, agent_id: str) -> dict[str, Any]:
        """Verify an agent

        Calls it with a challenge (`hello`), which it must echo within ten seconds. 422 with the
        kind of fault if it does not.
        """
        database = call.arena.database
        with database.read() as session:
            contact = agent_calls.contact(session, call.arena.vault, call.actor, agent_id)
        with errand(call) as errands:
            fault = agent_calls.hello(errands, contact)
        with database.begin() as session:
            agent = agent_calls.record_hello(session, call.actor, contact, fault)
            shown = _with_fault(session, agent)
        agent_calls.refuse_fault(fault)
        return shown


@blp.route("/agents/<ulid:agent_id>/notices")
class AgentNotices(MethodView):
    @blp.operation("list_agent_notices", scope="agents:read")
    @blp.page(AgentNoticeSchema)
    def get(self, call: Call, agent_id: str) -> Page[AgentNotice]:
        """List what the arena did about an agent

        The newest first: paused because its probes failed, resumed when they were answered again,
        left a match. Each change is told once.
        """
        return agent_health.notices(call.session, call.actor, agent_id, **call.query)


@blp.route("/agents/<ulid:agent_id>/matches")
class AgentMatches(MethodView):
    @blp.operation("list_agent_matches", scope="agents:read")
    @blp.page(AgentMatchSchema)
    def get(self, call: Call, agent_id: str) -> Page[dict[str, Any]]:
        """List the matches of an agent

        Those of its entries in tournaments and those of practice, the newest first. Where
        `pseudonyms` hide who sits where, a round's are in it once it has ended.
        """
        return agent_matches.search(call.session, call.actor, agent_id, **call.query)


@blp.route("/agents/<ulid:agent_id>/pause")
class AgentPause(MethodView):
    @blp.operation("pause_agent", scope="agents:write")
    @blp.response(200, AgentShown)
    def post(self, call: Call, agent_id: str) -> dict[str, Any]:
        """Pause an agent

        The server plays for it until it is resumed; in running matches from its next question on.
        """
        agent = agents.move(call.session, call.actor, agent_id, AgentStatus.PAUSED)
        return _with_fault(call.session, agent)


@blp.route("/agents/<ulid:agent_id>/resume")
class AgentResume(MethodView):
    @blp.operation("resume_agent", scope="agents:write")
    @blp.response(200, AgentShown)
    def post(self, call: Call, agent_id: str) -> dict[str, Any]:
        """Resume a paused agent

        It plays again, in running matches too.
        """
        agent = agents.move(call.session, call.actor, agent_id, AgentStatus.ACTIVE)
        return _with_fault(call.session, agent)


@blp.route("/agents/<ulid:agent_id>/retire")
class AgentRetire(MethodView):
    @blp.operation("retire_agent", scope="agents:write")
    @blp.response(200, AgentShown)
    def post(self, call: Call, agent_id: str) -> dict[str, Any]:
        """Retire an agent

        For good: it is never called again. Its results stay.
        """
        agent = agents.move(call.session, call.actor, agent_id, AgentStatus.RETIRED)
        return _with_fault(call.session, agent)


@blp.route("/agents/<ulid:agent_id>/rotate-secret")
class AgentRotateSecret(MethodView):
    @blp.operation("rotate_agent_secret", scope="agents:write")
    @blp.arguments(SecretRotate, required=False)
    @blp.response(200, AgentCreated)
    def post(self, call: Call, agent_id: str) -> dict[str, Any]:
        """Give an agent a new signing secret

        The live version gets it, and each other one that signs with the same secret: those that it
        had before a change of its URL, which rounds may still go on with. Calls carry signatures of
        both secrets for `grace_s` seconds (a day by default; 0 after a leak). The new secret is in
        this answer only.
        """
        agent, _, secret = version_secrets.rotate(
            call.session, call.arena.vault, call.actor, agent_id, **call.body
        )
        return _with_secret(agent, secret)


def _with_secret(agent: Agent, secret: str | None) -> dict[str, Any]:
    return {**_shown(agent), "secret": secret}


def _with_fault(session: Session, agent: Agent) -> dict[str, Any]:
    session.flush()
    return {**_shown(agent), "match_fault": match_faults.last_in_matches(session, agent.id)}


def _shown(agent: Agent) -> dict[str, Any]:
    names = ("url", "previous_secret_until", "badge_until")
    return {**columns(agent), **{name: getattr(agent, name) for name in names}}
