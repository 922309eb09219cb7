"""The versions of a caller's agents."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView

from ..http import Blueprint, Call
from ..http.outward import errand
from ..models import AgentVersion
from ..schemas.agents import SecretRotate
from ..schemas.versions import (
    VersionCheck,
    VersionCreate,
    VersionCreated,
    VersionReport,
    VersionSchema,
)
from ..services import agent_calls, badges, shadow_calls, version_secrets, versions
from ..services.paging import Page
from ..services.rows import columns
from .agents import admit_url, limit_calls

blp = Blueprint("versions", description="Versions of agents: changed without leaving a table.")

ONE = "/agents/<ulid:agent_id>/versions/<int(min=1):number>"


@blp.route("/agents/<ulid:agent_id>/versions")
class Versions(MethodView):
    @blp.operation("list_agent_versions", scope="agents:read")
    @blp.page(VersionSchema)
    def get(self, call: Call, agent_id: str) -> Page[AgentVersion]:
        """List the versions of an agent

        The newest first, retired ones included.
        """
        return versions.search(call.session, call.actor, agent_id, **call.query)

    @blp.operation("create_agent_version", scope="agents:write", before=admit_url, errors=[409])
    @blp.arguments(VersionCreate)
    @blp.response(201, VersionCreated, location="/api/v1/agents/{agent_id}/versions/{number}")
    def post(self, call: Call, agent_id: str) -> dict[str, Any]:
        """Register a version of an agent

        With a URL and a signing secret of its own; the secret is in this answer only. Once it is
        verified, rounds that open from then on play with it; a round that is open goes on with the
        version that it was opened with. A `shadow` is asked what the version that plays is asked,
        its answers count nowhere, and its report compares them.
        """
        made, secret = versions.create(
            call.session, call.arena.vault, call.actor, agent_id, **call.body
        )
        return {**columns(made), "secret": secret}


@blp.route(ONE)
class VersionByNumber(MethodView):
    @blp.operation("get_agent_version", scope="agents:read")
    @blp.response(200, VersionSchema)
    def get(self, call: Call, agent_id: str, number: int) -> AgentVersion:
        """Show a version of an agent

        Number 1 is the one that the agent was registered with.
        """
        return versions.find(call.session, call.actor, agent_id, number)


@blp.route(f"{ONE}/verify")
class VersionVerify(MethodView):
    @blp.operation(
        "verify_agent_version",
        scope="agents:write",
        idempotent=False,
        transaction=False,
        before=limit_calls,
        errors=[409],
    )
    @blp.response(200, VersionSchema)
    def post(self, call: Call, agent_id: str, number: int) -> AgentVersion:
        """Verify a version of an agent

        Calls it with a challenge (`hello`), which it must echo within ten seconds. 422 with the
        kind of fault if it does not.
        """
        database = call.arena.database
        with database.read() as session:
            version = versions.to_call(session, call.actor, agent_id, number)
            contact = agent_calls.contact_of(call.arena.vault, version)
        with errand(call) as errands:
            fault = agent_calls.hello(errands, contact)
        agent_calls.refuse_fault(fault)
        with database.begin() as session:
            return versions.record_hello(session, call.actor, agent_id, number)


@blp.route(f"{ONE}/promote")
class VersionPromote(MethodView):
    @blp.operation("promote_agent_version", scope="agents:write", errors=[409])
    @blp.response(200, VersionSchema)
    def post(self, call: Call, agent_id: str, number: int) -> AgentVersion:
        """Make a shadow a version that plays

        From the next round on, unless a newer version plays.
        """
        return versions.promote(call.session, call.actor, agent_id, number)


@blp.route(f"{ONE}/retire")
class VersionRetire(MethodView):
    @blp.operation("retire_agent_version", scope="agents:write", errors=[409])
    @blp.response(200, VersionSchema)
    def post(self, call: Call, agent_id: str, number: int) -> AgentVersion:
        """Retire a version of an agent

        It is never called again, not even in matches that run: there the live version goes on. If
        it was the live one, the newest verified version before it is now.
        """
        return versions.retire(call.session, call.actor, agent_id, number)


@blp.route(f"{ONE}/rotate-secret")
class VersionRotateSecret(MethodView):
    @blp.operation("rotate_agent_version_secret", scope="agents:write", errors=[409])
    @blp.arguments(SecretRotate, required=False)
    @blp.response(200, VersionCreated)
    def post(self, call: Call, agent_id: str, number: int) -> dict[str, Any]:
        """Give a version of an agent a new signing secret

        For one with a secret of its own: a shadow, or one that a round still goes on with after a
        newer one went live. Each other version that signs with the same secret gets it too. Calls
        carry signatures of both secrets for `grace_s` seconds (a day by default; 0 after a leak).
        The new secret is in this answer only.
        """
        _, version, secret = version_secrets.rotate(
            call.session, call.arena.vault, call.actor, agent_id, number=number, **call.body
        )
        return {**columns(version), "secret": secret}


@blp.route(f"{ONE}/report")
class VersionReports(MethodView):
    @blp.operation("get_agent_version_report", scope="agents:read")
    @blp.response(200, VersionReport)
    def get(self, call: Call, agent_id: str, number: int) -> dict[str, Any]:
        """Compare a shadow with the versions that played

        How often it answered the same, how fast, and what went wrong. At most 5,000 questions are
        put to one shadow; where several workers play its agent's matches at once, each further one
        may put 250 more. The newest 5,000 are compared.
        """
        return shadow_calls.report(call.session, call.actor, agent_id, number)


@blp.route(f"{ONE}/check")
class VersionChecks(MethodView):
    @blp.operation("get_agent_version_check", scope="agents:read")
    @blp.response(200, VersionCheck)
    def get(self, call: Call, agent_id: str, number: int) -> dict[str, Any]:
        """Show what the last check of a version found

        One finding for each thing that was tried.
        """
        return badges.shown(versions.find(call.session, call.actor, agent_id, number))

    @blp.operation(
        "check_agent_version",
        scope="agents:write",
        idempotent=False,
        before=limit_calls,
        errors=[409],
    )
    @blp.response(202, VersionCheck)
    def post(self, call: Call, agent_id: str, number: int) -> dict[str, Any]:
        """Have a version checked

        A worker does what `baohuang check-bot` does: every phase of every preset, signatures, odd
        requests. A pull agent finds its questions where it finds those of matches, and is not
        tried for what belongs to being called. If nothing fails the version has a badge for 90
        days, which tournaments may require; if something does, it has none.
        """
        return badges.shown(badges.ask(call.session, call.actor, agent_id, number))
