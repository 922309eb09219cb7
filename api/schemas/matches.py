"""Matches, their faults and their records in JSON."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, validate, validates_schema

from . import fields
from .base import Schema
from .rounds import MATCH_STATUSES, SeatSchema
from .rule_sets import RuleOverrides

HOUR_MS = 3_600_000


class MatchFilters(Schema):
    """Which matches a list holds."""

    round = fields.Integer(
        load_default=None, minimum=1, metadata={"description": "Only those of this round."}
    )
    status = fields.String(
        load_default=None,
        validate=validate.OneOf(MATCH_STATUSES),
        metadata={"description": "Only those in this state."},
    )
    entry_id = fields.Id(
        load_default=None, metadata={"description": "Only those in which this entry has a seat."}
    )
    agent_id = fields.Id(
        load_default=None, metadata={"description": "Only those of entries of this agent."}
    )
    finished_after = fields.Time(
        load_default=None,
        metadata={"description": "Only those that ended then or later."},
    )
    finished_before = fields.Time(
        load_default=None, metadata={"description": "Only those that ended before."}
    )


class MatchSchema(Schema):
    """A match as lists show it."""

    id = fields.Id(required=True)
    tournament_id = fields.Id(
        required=True, allow_none=True, metadata={"description": "null for a practice match."}
    )
    round = fields.Integer(required=True, allow_none=True)
    table = fields.Integer(required=True, allow_none=True)
    deals = fields.Integer(required=True)
    status = fields.String(required=True, validate=validate.OneOf(MATCH_STATUSES))
    attempts = fields.Integer(
        required=True, metadata={"description": "How often a worker could not go on with it."}
    )
    error = fields.String(
        required=True, allow_none=True, metadata={"description": "Why not, the last time."}
    )
    hurried = fields.Boolean(
        required=True, metadata={"description": "Autoplay ends it, for its round is overdue."}
    )
    started_at = fields.Time(required=True, allow_none=True)
    finished_at = fields.Time(required=True, allow_none=True)
    board = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "The name of its cards, once the tournament has ended: matches with "
            "equal names had equal cards."
        },
    )
    sitting = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "Which replay of the board, once the tournament has ended; 0 is as the "
            "table was drawn."
        },
    )


class AgentMatchSchema(MatchSchema):
    """A match of an agent's, as its owner sees it."""

    tournament = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The tournament's name; null for a practice match."},
    )
    points = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "What the agent took; null until the match has finished, and others "
            "with these cards, and where somebody else played in its place."
        },
    )
    penalty = fields.Integer(required=True, allow_none=True)


class Player(Schema):
    """Who plays a seat."""

    agent_id = fields.Id(required=True, allow_none=True)
    version = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "Which version of the agent; null for house bots."},
    )
    house_bot = fields.String(required=True, allow_none=True)
    stand_in = fields.Boolean(
        required=True,
        metadata={"description": "For an entry that is not there; the points are nobody's."},
    )


class PlayedSeat(SeatSchema):
    """A seat, who plays it, and what it took from the match."""

    entry_id = fields.Id(
        required=True,
        allow_none=True,
        metadata={
            "description": "null in a practice match, and while `pseudonyms` hide who it is."
        },
    )
    player = fields.Nested(
        Player,
        required=True,
        allow_none=True,
        metadata={"description": "null until it begins, and in a practice match."},
    )
    points = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "null until it has finished, and others with these cards."},
    )
    penalty = fields.Integer(required=True, allow_none=True)


class UncountedDeal(Schema):
    """A deal that gave nobody points, and why."""

    deal = fields.Integer(required=True, metadata={"description": "Its number, from 1."})
    why = fields.String(
        required=True,
        validate=validate.OneOf(("refused", "autoplay", "dissolved")),
        metadata={
            "description": "refused: nobody took the throne, in a hundred shuffles. autoplay: the "
            "arena played all five seats. dissolved: the match had ended before it, for a seat was "
            "on autoplay and `autoplay_dissolves` is set."
        },
    )


class MatchDetail(MatchSchema):
    """A match with its seats."""

    seats = fields.List(fields.Nested(PlayedSeat), required=True)
    uncounted = fields.List(
        fields.Nested(UncountedDeal),
        required=True,
        allow_none=True,
        metadata={
            "description": "The deals that do not count, in order; null until it has finished, and "
            "others with these cards."
        },
    )


class FaultSchema(Schema):
    """What went wrong with one question; the fallback was played instead."""

    seq = fields.Integer(
        required=True, metadata={"description": "The decision's place in the match, from 0."}
    )
    seat = fields.Integer(required=True)
    entry_id = fields.Id(required=True, allow_none=True)
    kind = fields.String(required=True)
    charged_to = fields.String(required=True)
    ms = fields.Integer(required=True)
    detail = fields.String(required=True, allow_none=True)
    at = fields.Time(required=True)


class PracticeSeatCreate(Schema):
    """Who sits there: an agent of yours, one that anybody may practise against, a house bot."""

    agent_id = fields.Id()
    house_bot = fields.String(validate=validate.Length(1, 30))

    @validates_schema
    def _one(self, data: dict[str, Any], **_options: Any) -> None:
        if len(data) != 1:
            raise ValidationError("Give either agent_id or house_bot.")


class MatchCreate(Schema):
    """A practice match. Seats beyond those given are filled with house bots."""

    rule_set = fields.String(
        required=True,
        validate=validate.Length(1, 60),
        metadata={
            "description": "A preset's name, or the id of a rule set of yours.",
            "examples": ["lianzhong-simple"],
        },
    )
    overrides = fields.Nested(
        RuleOverrides,
        load_default=dict,
        metadata={"description": "Options that differ from the rule set's."},
    )
    deals = fields.Integer(minimum=1, maximum=20, load_default=5)
    budget_ms = fields.Integer(
        minimum=50,
        maximum=HOUR_MS,
        load_default=2000,
        metadata={"description": "Thinking time for a decision."},
    )
    bank_ms = fields.Integer(
        minimum=0,
        maximum=HOUR_MS,
        load_default=30_000,
        metadata={"description": "Thinking time for the match, beyond the budgets."},
    )
    seats = fields.List(
        fields.Nested(PracticeSeatCreate),
        required=True,
        validate=validate.Length(1, 5),
        metadata={"description": "In playing order; one of them at least an agent of yours."},
    )


class OpponentSchema(Schema):
    """An agent that anybody may practise against."""

    id = fields.Id(required=True)
    name = fields.String(required=True)
    kind = fields.String(required=True)
    owner = fields.String(required=True, metadata={"description": "Whose it is, by name."})


class RecordDraw(Schema):
    """How the deals were drawn."""

    scheme = fields.Constant("draw-v1", required=True)
    commitment = fields.String(required=True)
    key = fields.String(
        required=True, allow_none=True, metadata={"description": "null until the reveal."}
    )


class MatchRecordSchema(Schema):
    """`baohuang-record/1`: everything that is needed to check the match again."""

    format = fields.Constant("baohuang-record/1", required=True)
    match = fields.String(required=True, allow_none=True)
    rules = fields.Dict(keys=fields.String(), required=True)
    seats = fields.List(fields.String(), required=True)
    draw = fields.Nested(RecordDraw, required=True)
    deals = fields.List(fields.Dict(keys=fields.String()), required=True)
    totals = fields.List(fields.Integer(), required=True)
    penalties = fields.List(fields.Integer(), required=True)
