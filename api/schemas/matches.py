"""Matches, their faults and their records in JSON."""

from __future__ import annotations

from marshmallow import validate

from . import fields
from .base import Schema
from .rounds import MATCH_STATUSES, SeatSchema


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


class MatchSchema(Schema):
    """A match as lists show it."""

    id = fields.Id(required=True)
    tournament_id = fields.Id(required=True)
    round = fields.Integer(required=True)
    table = fields.Integer(required=True)
    deals = fields.Integer(required=True)
    status = fields.String(required=True, validate=validate.OneOf(MATCH_STATUSES))
    attempts = fields.Integer(
        required=True, metadata={"description": "How often a worker could not go on with it."}
    )
    error = fields.String(
        required=True, allow_none=True, metadata={"description": "Why not, the last time."}
    )
    started_at = fields.Time(required=True, allow_none=True)
    finished_at = fields.Time(required=True, allow_none=True)


class PlayedSeat(SeatSchema):
    """A seat, with what it took from the match."""

    points = fields.Integer(
        required=True, allow_none=True, metadata={"description": "null until it has finished."}
    )
    penalty = fields.Integer(required=True, allow_none=True)


class MatchDetail(MatchSchema):
    """A match with its seats."""

    seats = fields.List(fields.Nested(PlayedSeat), required=True)


class FaultSchema(Schema):
    """What went wrong with one question; the fallback was played instead."""

    seq = fields.Integer(
        required=True, metadata={"description": "The decision's place in the match, from 0."}
    )
    seat = fields.Integer(required=True)
    entry_id = fields.Id(required=True)
    kind = fields.String(required=True)
    charged_to = fields.String(required=True)
    ms = fields.Integer(required=True)
    detail = fields.String(required=True, allow_none=True)
    at = fields.Time(required=True)


class RecordDraw(Schema):
    """How the deals were drawn."""

    scheme = fields.Constant("draw-v1", required=True)
    commitment = fields.String(required=True)
    key = fields.String(
        required=True, allow_none=True, metadata={"description": "null until the reveal."}
    )


class RecordSchema(Schema):
    """`baohuang-record/1`: everything that is needed to check the match again."""

    format = fields.Constant("baohuang-record/1", required=True)
    match = fields.String(required=True, allow_none=True)
    rules = fields.Dict(keys=fields.String(), required=True)
    seats = fields.List(fields.String(), required=True)
    draw = fields.Nested(RecordDraw, required=True)
    deals = fields.List(fields.Dict(keys=fields.String()), required=True)
    totals = fields.List(fields.Integer(), required=True)
    penalties = fields.List(fields.Integer(), required=True)
