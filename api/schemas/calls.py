"""Calls to agents, as their owners see them."""

from __future__ import annotations

from marshmallow import validate

from . import fields
from .base import Schema


class CallFilters(Schema):
    """Which calls a list holds."""

    seat = fields.Integer(
        load_default=None,
        minimum=0,
        maximum=4,
        metadata={"description": "Only those to this seat of yours."},
    )


class CallSchema(Schema):
    """One question to an agent of yours, and how it went."""

    seq = fields.Integer(
        required=True, metadata={"description": "The decision's place in the match, from 0."}
    )
    seat = fields.Integer(required=True)
    asked_at = fields.Time(
        required=True,
        metadata={
            "description": "When its clock began: an agent that fetches has fetched it then. What "
            "`deadline` counts from."
        },
    )
    budget_ms = fields.Integer(required=True)
    bank_ms = fields.Integer(required=True, metadata={"description": "Before the call."})
    ms = fields.Integer(required=True)
    charged_ms = fields.Integer(required=True)
    answer = fields.String(required=True, metadata={"description": "What was played."})
    auto = fields.Boolean(
        required=True, metadata={"description": "Whether the fallback was played for a fault."}
    )
    fault = fields.String(required=True, allow_none=True)
    charged_to = fields.String(required=True, allow_none=True)
    detail = fields.String(
        required=True, allow_none=True, metadata={"description": "What went wrong, in words."}
    )
    note = fields.String(required=True, allow_none=True)
    taken_over = fields.String(
        required=True,
        allow_none=True,
        validate=validate.OneOf(("deal", "match")),
        metadata={
            "description": "Whether the arena played the seat from here on, unasked: to the end of "
            "the `deal`, for this was one fault more than `autoplay_limit` allows in it, or to the "
            "end of the `match`, which it left for good. null: it was asked on."
        },
    )


class CallDetail(CallSchema):
    """A call with the request as it was sent."""

    request = fields.Dict(
        keys=fields.String(),
        required=True,
        metadata={"description": "The body, as the bot protocol has it (openapi/bot.yaml)."},
    )


class FurtherCallSchema(Schema):
    """A request to an agent of yours that no decision tells of."""

    id = fields.Id(required=True)
    kind = fields.String(
        required=True,
        validate=validate.OneOf(("decide", "deal_end", "match_end")),
        metadata={
            "description": "A notice, or `decide`: a question that failed through the arena's own "
            "fault and was put again."
        },
    )
    seat = fields.Integer(required=True)
    seq = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "Of `decide`: the decision's place in the match, from 0."},
    )
    asked_at = fields.Time(required=True)
    ms = fields.Integer(required=True)
    fault = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "null: the notice was taken, or left for an agent that fetches. The "
            "faults of notices cost nothing."
        },
    )
    charged_to = fields.String(required=True, allow_none=True)
    detail = fields.String(required=True, allow_none=True)


class FurtherCallDetail(FurtherCallSchema):
    """One of them with the request as it was sent."""

    request = fields.Dict(
        keys=fields.String(),
        required=True,
        metadata={"description": "The body, as the bot protocol has it (openapi/bot.yaml)."},
    )


class ReplayCreate(Schema):
    """Where else the question is to be sent."""

    url = fields.String(
        required=True,
        validate=validate.Length(1, 2048),
        metadata={"description": "Of another version of your agent, on the public internet."},
    )


class ReplaySchema(Schema):
    """How another version answers a question of a match."""

    url = fields.String(required=True)
    answer = fields.String(
        required=True, allow_none=True, metadata={"description": "null if there was no valid one."}
    )
    same = fields.Boolean(
        required=True, metadata={"description": "Whether it is what was played in the match."}
    )
    ms = fields.Integer(required=True)
    fault = fields.String(required=True, allow_none=True)
    detail = fields.String(required=True, allow_none=True)
    note = fields.String(required=True, allow_none=True)
