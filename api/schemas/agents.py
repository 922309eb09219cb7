"""Agents in JSON. The signing secret appears only in the answers that make it."""

from __future__ import annotations

from marshmallow import validate

from ..access import MAX_GRACE_S
from ..models import AgentKind, AgentStatus, NoticeKind, PausedBy
from . import fields
from .base import Schema

KINDS = [kind.value for kind in AgentKind]
PAUSERS = [who.value for who in PausedBy]
NOTICES = [kind.value for kind in NoticeKind]
SPARRING = "Whether anybody may have it play practice matches."
STATUSES = [status.value for status in AgentStatus]


class AgentCreate(Schema):
    """A bot to register."""

    name = fields.Name(
        maximum=60, required=True, metadata={"description": "Unique among your agents."}
    )
    kind = fields.String(
        load_default=AgentKind.HTTP.value,
        validate=validate.OneOf(KINDS),
        metadata={"description": "`http` is called at its URL; `pull` fetches its questions."},
    )
    url = fields.String(
        load_default=None,
        validate=validate.Length(1, 2048),
        metadata={
            "description": "Where it is called: http or https, on the public internet. "
            "Required for `http`; a `pull` agent has none."
        },
    )
    sparring = fields.Boolean(load_default=False, metadata={"description": SPARRING})


class AgentUpdate(Schema):
    """What to change. A new URL has to be verified again."""

    name = fields.Name(maximum=60, metadata={"description": "Unique among your agents."})
    url = fields.String(
        validate=validate.Length(1, 2048), metadata={"description": "Where it is called."}
    )
    sparring = fields.Boolean(metadata={"description": SPARRING})


class AgentFilters(Schema):
    """Which agents to list."""

    status = fields.String(
        validate=validate.OneOf(STATUSES), metadata={"description": "Only those in this state."}
    )
    kind = fields.String(
        validate=validate.OneOf(KINDS), metadata={"description": "Only those of this kind."}
    )
    name = fields.Search()


class SecretRotate(Schema):
    """How the old secret ends."""

    grace_s = fields.Integer(
        minimum=0,
        maximum=MAX_GRACE_S,
        load_default=MAX_GRACE_S,
        metadata={"description": "Seconds that calls carry signatures of both secrets."},
    )
    force = fields.Boolean(
        load_default=False,
        metadata={"description": "Rotate although the last rotation is still going on."},
    )


class AgentSchema(Schema):
    """An agent, as its owner sees it."""

    id = fields.Id(required=True)
    owner_id = fields.Id(required=True, metadata={"description": "Whose account it belongs to."})
    name = fields.String(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    url = fields.String(
        required=True, allow_none=True, metadata={"description": "null for `pull` agents."}
    )
    status = fields.String(
        required=True,
        validate=validate.OneOf(STATUSES),
        metadata={"description": "Only `active` agents may enter tournaments and play."},
    )
    current = fields.Integer(
        required=True,
        metadata={"description": "The number of the version that plays in rounds to come."},
    )
    badge_until = fields.Time(
        required=True,
        allow_none=True,
        metadata={"description": "Until when that version's badge is good, if it has one."},
    )
    sparring = fields.Boolean(required=True, metadata={"description": SPARRING})
    created_at = fields.Time(required=True)
    verified_at = fields.Time(required=True, allow_none=True)
    paused_by = fields.String(
        required=True,
        allow_none=True,
        validate=validate.OneOf(PAUSERS),
        metadata={
            "description": "Who paused it: its owner, or the arena because its probes failed; then "
            "it is resumed once they are answered again."
        },
    )
    last_fault = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "What went wrong when it was last called outside of matches, to be "
            "verified or probed, if anything."
        },
    )
    previous_secret_until = fields.Time(
        required=True,
        allow_none=True,
        metadata={"description": "Until when calls are signed with the old secret as well."},
    )


class MatchFault(Schema):
    """What went wrong with a question of a match."""

    match_id = fields.Id(required=True)
    seq = fields.Integer(
        required=True, metadata={"description": "The decision's place in the match, from 0."}
    )
    kind = fields.String(required=True)
    charged_to = fields.String(required=True)
    detail = fields.String(required=True, allow_none=True)
    at = fields.Time(required=True)


class AgentShown(AgentSchema):
    """An agent by itself, with what is looked up for it alone."""

    match_fault = fields.Nested(
        MatchFault,
        required=True,
        allow_none=True,
        metadata={"description": "The last fault in a match, of a tournament or for practice."},
    )


class AgentNoticeSchema(Schema):
    """Something that the arena did about an agent."""

    id = fields.Id(required=True)
    at = fields.Time(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(NOTICES))
    match_id = fields.Id(required=True, allow_none=True)
    detail = fields.String(required=True, metadata={"description": "Why, in words."})


class AgentCreated(AgentSchema):
    """An agent with its new signing secret."""

    secret = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "Signs the calls (Standard Webhooks). It is shown this once; null for "
            "`pull` agents, which are not called."
        },
    )
