"""Rounds and their tables in JSON."""

from __future__ import annotations

from marshmallow import validate

from ..models import MatchStatus, RoundStatus
from . import fields
from .base import Schema

STATUSES = [status.value for status in RoundStatus]
MATCH_STATUSES = [status.value for status in MatchStatus]


class RoundSchema(Schema):
    """One round of a tournament."""

    id = fields.Id(required=True)
    tournament_id = fields.Id(required=True)
    number = fields.Integer(required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    opened_at = fields.Time(required=True)
    closed_at = fields.Time(required=True, allow_none=True)
    deadline_at = fields.Time(
        required=True,
        allow_none=True,
        metadata={"description": "What is not finished by then is ended; see `overdue`."},
    )
    overran_at = fields.Time(
        required=True, allow_none=True, metadata={"description": "When that was done."}
    )
    byes = fields.List(
        fields.Id(), required=True, metadata={"description": "Entries that sit out."}
    )
    out = fields.List(
        fields.Id(), required=True, metadata={"description": "Entries that are knocked out."}
    )


class RoundRequest(Schema):
    """When the next round is to come."""

    at = fields.Time(metadata={"description": "When; without it, now."})


class SeatSchema(Schema):
    """Who sits where."""

    seat = fields.Integer(
        required=True, minimum=0, maximum=4, metadata={"description": "In playing order."}
    )
    entry_id = fields.Id(required=True)
    name = fields.String(required=True)


class TableMatch(Schema):
    """One of a table's matches."""

    id = fields.Id(required=True)
    status = fields.String(required=True, validate=validate.OneOf(MATCH_STATUSES))


class TableSchema(Schema):
    """A table of a round: five seats and a match, or several where boards are played again."""

    id = fields.Id(required=True)
    number = fields.Integer(required=True)
    match_id = fields.Id(required=True, metadata={"description": "Its first match."})
    status = fields.String(
        required=True,
        validate=validate.OneOf(MATCH_STATUSES),
        metadata={"description": "The match's; of several: running until the last has ended."},
    )
    matches = fields.List(fields.Nested(TableMatch), required=True)
    seats = fields.List(
        fields.Nested(SeatSchema),
        required=True,
        metadata={"description": "None while the tournament's `pseudonyms` hide who sits there."},
    )


class SeatResult(SeatSchema):
    """What a seat took from a match."""

    entry_id = fields.Id(
        required=True,
        allow_none=True,
        metadata={"description": "null while the tournament's `pseudonyms` hide who sits there."},
    )
    agent_id = fields.Id(
        required=True, allow_none=True, metadata={"description": "Who played it, or"}
    )
    house_bot = fields.String(
        required=True, allow_none=True, metadata={"description": "which house bot did."}
    )
    stand_in = fields.Boolean(
        required=True,
        metadata={"description": "For an entry that was not there; the points are nobody's."},
    )
    points = fields.Integer(
        required=True, metadata={"description": "Sum of deal scores, without the penalty."}
    )
    penalty = fields.Integer(required=True)
    deals = fields.Integer(
        required=True,
        metadata={
            "description": "How many were scored; the match's `uncounted` says why others were not."
        },
    )
    places = fields.List(
        fields.Integer(), required=True, metadata={"description": "Deals by place, 1st to 5th."}
    )


class MatchResults(Schema):
    """A match of the round."""

    id = fields.Id(required=True)
    table = fields.Integer(required=True)
    status = fields.String(required=True, validate=validate.OneOf(MATCH_STATUSES))
    finished_at = fields.Time(required=True, allow_none=True)
    results = fields.List(
        fields.Nested(SeatResult),
        required=True,
        metadata={
            "description": "By seat; empty until it has finished, and others with its cards."
        },
    )


class RoundResults(Schema):
    """A round's results."""

    tournament_id = fields.Id(required=True)
    round = fields.Integer(required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    matches = fields.List(
        fields.Nested(MatchResults), required=True, metadata={"description": "By table."}
    )
