"""Versions of agents in JSON. A signing secret appears only in the answer that makes it."""

from __future__ import annotations

from marshmallow import validate

from ..models import VersionStatus
from . import fields
from .base import Schema

STATUSES = [status.value for status in VersionStatus]
VERDICTS = ["ok", "warning", "failed"]
LABEL = "Your own name for it, `v2.3` say."
SHADOW = "Whether it is asked what the one that plays is asked, without effect."


class VersionCreate(Schema):
    """A version to register."""

    url = fields.String(
        required=True,
        validate=validate.Length(1, 2048),
        metadata={"description": "Where it is called: http or https, on the public internet."},
    )
    label = fields.Name(maximum=60, load_default=None, metadata={"description": LABEL})
    shadow = fields.Boolean(load_default=False, metadata={"description": SHADOW})


class VersionSchema(Schema):
    """A version of an agent, as its owner sees it."""

    id = fields.Id(required=True)
    agent_id = fields.Id(required=True)
    number = fields.Integer(
        required=True, minimum=1, metadata={"description": "1 is the one it was registered with."}
    )
    label = fields.String(required=True, allow_none=True, metadata={"description": LABEL})
    url = fields.String(
        required=True, allow_none=True, metadata={"description": "null for `pull` agents."}
    )
    status = fields.String(
        required=True,
        validate=validate.OneOf(STATUSES),
        metadata={
            "description": "The newest `verified` one that is no shadow plays in rounds to come."
        },
    )
    shadow = fields.Boolean(required=True, metadata={"description": SHADOW})
    created_at = fields.Time(required=True)
    verified_at = fields.Time(required=True, allow_none=True)
    badge_until = fields.Time(
        required=True,
        allow_none=True,
        metadata={"description": "Until when its badge is good, if it has one."},
    )
    previous_secret_until = fields.Time(
        required=True,
        allow_none=True,
        metadata={"description": "Until when calls are signed with the old secret as well."},
    )


class VersionCreated(VersionSchema):
    """A version with its signing secret."""

    secret = fields.String(
        required=True,
        metadata={"description": "Signs the calls (Standard Webhooks). It is shown this once."},
    )


class Quantiles(Schema):
    """How long calls took, in milliseconds."""

    p50 = fields.Integer(required=True, minimum=0)
    p90 = fields.Integer(required=True, minimum=0)
    p99 = fields.Integer(required=True, minimum=0)
    most = fields.Integer(required=True, minimum=0)


class PhaseAgreement(Schema):
    """Answers of one phase."""

    phase = fields.String(required=True)
    compared = fields.Integer(required=True, minimum=0)
    same = fields.Integer(required=True, minimum=0)


class Difference(Schema):
    """A question that the shadow answered otherwise, or not at all."""

    request = fields.String(required=True)
    match_id = fields.Id(required=True)
    seat = fields.Integer(required=True, minimum=0, maximum=4)
    phase = fields.String(required=True)
    asked_at = fields.Time(required=True)
    played = fields.String(required=True, allow_none=True)
    answer = fields.String(required=True, allow_none=True)
    ms = fields.Integer(required=True, minimum=0)
    fault = fields.String(required=True, allow_none=True)
    detail = fields.String(required=True, allow_none=True)


class VersionReport(Schema):
    """How a shadow compares with the versions that played."""

    number = fields.Integer(required=True, minimum=1)
    shadow = fields.Boolean(required=True, metadata={"description": SHADOW})
    asked = fields.Integer(required=True, minimum=0)
    skipped = fields.Integer(
        required=True,
        minimum=0,
        metadata={
            "description": "Questions and notices it was spared: it, or we, were busy, or it had "
            "had its 5,000."
        },
    )
    answered = fields.Integer(
        required=True, minimum=0, metadata={"description": "With a legal answer, in time."}
    )
    compared = fields.Integer(
        required=True, minimum=0, metadata={"description": "Questions that both answered."}
    )
    same = fields.Integer(required=True, minimum=0)
    agreement = fields.Float(
        required=True,
        allow_none=True,
        validate=validate.Range(0, 1),
        metadata={"description": "`same` of `compared`; null of none."},
    )
    illegal = fields.Integer(required=True, minimum=0)
    faults = fields.Dict(
        keys=fields.String(),
        values=fields.Integer(minimum=1),
        required=True,
        metadata={"description": "How often, by kind."},
    )
    over_budget = fields.Integer(
        required=True,
        minimum=0,
        metadata={"description": "Calls that took longer than the decision's budget."},
    )
    ms = fields.Nested(
        Quantiles, required=True, allow_none=True, metadata={"description": "The shadow's calls."}
    )
    played_ms = fields.Nested(
        Quantiles,
        required=True,
        allow_none=True,
        metadata={"description": "The same questions at the table."},
    )
    phases = fields.List(fields.Nested(PhaseAgreement), required=True)
    differences = fields.List(
        fields.Nested(Difference), required=True, metadata={"description": "The newest 20."}
    )


class CheckFinding(Schema):
    """One thing that was tried."""

    name = fields.String(required=True)
    verdict = fields.String(required=True, validate=validate.OneOf(VERDICTS))
    detail = fields.String(required=True, metadata={"description": "What to mend, if anything."})


class VersionCheck(Schema):
    """Whether a version keeps the protocol."""

    number = fields.Integer(required=True, minimum=1)
    waiting = fields.Boolean(
        required=True, metadata={"description": "Whether a check is still to come, or going on."}
    )
    checked_at = fields.Time(
        required=True, allow_none=True, metadata={"description": "When the last one ended."}
    )
    passed = fields.Boolean(
        required=True,
        allow_none=True,
        metadata={"description": "Whether nothing failed then; warnings do not count."},
    )
    badge_until = fields.Time(
        required=True, allow_none=True, metadata={"description": "Until when its badge is good."}
    )
    findings = fields.List(fields.Nested(CheckFinding), required=True)
