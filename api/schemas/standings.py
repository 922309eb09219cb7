"""Standings in JSON."""

from __future__ import annotations

from marshmallow import validate

from . import fields
from .base import Schema
from .entries import STATUSES

VIEWS = ("live", "frozen")


class StandingFilters(Schema):
    """Which standings."""

    as_of = fields.Integer(
        load_default=None,
        minimum=1,
        maximum=fields.MOST_ROUND,
        metadata={
            "description": "As they were after this round, which has been drawn; without it, now."
        },
    )
    house = fields.Boolean(
        load_default=True,
        metadata={"description": "false leaves house bots out; ranks then skip them."},
    )
    view = fields.String(
        load_default="live",
        validate=validate.OneOf(VIEWS),
        metadata={
            "description": "frozen: as they were published when round `as_of` (or the last one) "
            "closed, whatever was ruled since; without intervals, which are worked out later."
        },
    )


class TitleSchema(Schema):
    """A title of the ladder, by total points (rules.md 7)."""

    name = fields.String(required=True)
    english = fields.String(required=True)


class IntervalSchema(Schema):
    """How sure it is: by resampling the deals of the closed rounds, cards shared kept together.

    What is measured is what `scoring` ranks by.
    """

    as_of = fields.Integer(required=True, metadata={"description": "The last round that it knows."})
    deals = fields.Integer(required=True)
    mean = fields.Float(required=True, metadata={"description": "Mean score a deal."})
    low = fields.Float(required=True, metadata={"description": "Of its interval of 95 %."})
    high = fields.Float(required=True)
    first = fields.Float(
        required=True,
        allow_none=True,
        metadata={
            "description": "The chance that it would be first with other luck, 0 to 1; house bots "
            "aside. null where points alone do not decide (knockout, ladder), and for house bots."
        },
    )
    rank_low = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The best likely rank, of 95 %."}
    )
    rank_high = fields.Integer(required=True, allow_none=True)


class RoleCount(Schema):
    """Deals in a role, and the points made in them."""

    deals = fields.Integer(required=True)
    points = fields.Integer(required=True)


class StandingSchema(Schema):
    """One line of the standings."""

    position = fields.Integer(required=True, metadata={"description": "1, 2, … without gaps."})
    rank = fields.Integer(required=True, metadata={"description": "Equal for who is tied."})
    shared = fields.Boolean(
        required=True, metadata={"description": "Whether others have the same rank."}
    )
    entry_id = fields.Id(required=True)
    name = fields.String(required=True)
    house = fields.Boolean(required=True, metadata={"description": "A house bot."})
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    points = fields.Integer(
        required=True,
        metadata={"description": "scored + penalty + adjustment: decides, unless scoring differs."},
    )
    scored = fields.Integer(required=True, metadata={"description": "Sum of deal scores."})
    penalty = fields.Integer(required=True)
    adjustment = fields.Integer(required=True)
    deals = fields.Integer(required=True)
    rounds = fields.Integer(required=True, metadata={"description": "Rounds with a result."})
    byes = fields.Integer(required=True)
    places = fields.List(
        fields.Integer(), required=True, metadata={"description": "Deals by place, 1st to 5th."}
    )
    roles = fields.Dict(
        keys=fields.String(), values=fields.Nested(RoleCount), required=True,
        metadata={"description": "By role: emperor, guard, rebel, solo."},
    )  # fmt: skip
    title = fields.Nested(TitleSchema, required=True)
    interval = fields.Nested(
        IntervalSchema,
        required=True,
        allow_none=True,
        metadata={
            "description": "null until a round has closed, or after a single deal; of a past round "
            "(`as_of`) unless it knows that round and no later one."
        },
    )
    board_difference = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "scored, less what all who held the same cards made on average; null "
            "where cards are played once."
        },
    )
    adjusted = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "scored, less par; null where there is none."},
    )
    tie_breaks = fields.Dict(
        keys=fields.String(),
        values=fields.String(allow_none=True),
        required=True,
        metadata={"description": "The values that were needed; null where one did not apply."},
    )
