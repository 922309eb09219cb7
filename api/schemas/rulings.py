"""Rulings in JSON."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, validate, validates_schema

from ..models import RulingKind
from . import fields
from .base import Schema

KINDS = [kind.value for kind in RulingKind]
MOST_POINTS = 1_000_000
MOST_TABLES = 2000

WANTS: dict[str, set[str]] = {
    "annul": {"match_id"},
    "replay": {"match_id"},
    "adjust": {"entry_id", "round", "points"},
    "penalize": {"entry_id", "round", "points"},
    "warn": {"entry_id"},
    "disqualify": {"entry_id"},
    "seat": {"tables"},
    "undo": {"ruling_id"},
}
"""The fields that each kind wants beside its reason."""

MAY: dict[str, set[str]] = {"seat": {"byes", "others"}}
"""What a kind may have besides."""


class RulingCreate(Schema):
    """A ruling: `annul` and `replay` want match_id; `adjust` and `penalize` entry_id, round and
    points; `warn` and `disqualify` entry_id; `seat` tables (and byes); `undo` ruling_id.
    """

    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    reason = fields.Name(maximum=500, required=True, metadata={"description": "Everybody sees it."})
    match_id = fields.Id()
    entry_id = fields.Id()
    round = fields.Integer(minimum=1, maximum=fields.MOST_ROUND)
    points = fields.Integer(minimum=-MOST_POINTS, maximum=MOST_POINTS)
    ruling_id = fields.Id()
    tables = fields.List(
        fields.List(fields.Id(), validate=validate.Length(equal=5)),
        validate=validate.Length(1, MOST_TABLES),
        metadata={"description": "Of the coming round: entry ids in seat order."},
    )
    byes = fields.List(fields.Id(), validate=validate.Length(max=5 * MOST_TABLES))
    others = fields.String(
        validate=validate.OneOf(["bye", "drawn"]),
        metadata={
            "description": "Whom no table of a seating names: bye (or out, if byes are given); or "
            "drawn: the round is drawn and the tables are put into it. bye if not given.",
        },
    )

    @validates_schema
    def _fits(self, data: dict[str, Any], **_options: Any) -> None:
        if "kind" not in data:
            return
        wanted = WANTS.get(data["kind"], set())
        given = set(data) - {"kind", "reason"} - MAY.get(data["kind"], set())
        errors = {name: ["Missing data for required field."] for name in wanted - given}
        errors |= {name: [f"Not for {data['kind']}."] for name in given - wanted}
        if errors:
            raise ValidationError(errors)


class RulingSchema(Schema):
    """One ruling; it stands unless another one undid it."""

    id = fields.Id(required=True)
    created_at = fields.Time(required=True)
    tournament_id = fields.Id(required=True)
    number = fields.Integer(required=True)
    author_id = fields.Id(required=True, allow_none=True)
    kind = fields.String(required=True, validate=validate.OneOf(KINDS))
    reason = fields.String(required=True)
    after_round = fields.Integer(
        required=True, metadata={"description": "The last round drawn when it was made."}
    )
    match_id = fields.Id(required=True, allow_none=True)
    replay_id = fields.Id(
        required=True, allow_none=True, metadata={"description": "The match played instead."}
    )
    entry_id = fields.Id(required=True, allow_none=True)
    round = fields.Integer(required=True, allow_none=True)
    points = fields.Integer(required=True, allow_none=True)
    undoes_id = fields.Id(required=True, allow_none=True)
    undone_by = fields.Id(required=True, allow_none=True)
    details = fields.Dict(
        keys=fields.String(),
        required=True,
        metadata={
            "description": "tables, byes, out and others of a seating by hand; no tables while the "
            "tournament's `pseudonyms` hide who sits there."
        },
    )


class RankedFacts(Schema):
    """What counts of a row of the standings."""

    position = fields.Integer(required=True)
    rank = fields.Integer(required=True)
    points = fields.Integer(required=True)
    tie_breaks = fields.Dict(
        keys=fields.String(), values=fields.String(allow_none=True), required=True
    )


class RankedDifference(Schema):
    """An entry whose row would be another one."""

    entry_id = fields.Id(required=True)
    name = fields.String(required=True)
    before = fields.Nested(RankedFacts, required=True, allow_none=True)
    after = fields.Nested(RankedFacts, required=True)


class ComingRound(Schema):
    """The round to come; `cause` says why it cannot be drawn."""

    round = fields.Integer(required=True)
    tables = fields.List(
        fields.List(fields.Id(allow_none=True)),
        required=True,
        metadata={
            "description": "Entries in seat order; null is a house bot that the ruling would bring "
            "in, which has no entry yet."
        },
    )
    byes = fields.List(fields.Id(), required=True)
    cause = fields.String(required=True, allow_none=True)


class SeatingDifference(Schema):
    """The coming round without the ruling and with it; null where there is none to come."""

    before = fields.Nested(ComingRound, required=True, allow_none=True)
    after = fields.Nested(ComingRound, required=True, allow_none=True)
    changed = fields.Boolean(required=True)


class RulingDifference(Schema):
    """What a ruling would change."""

    standings = fields.List(fields.Nested(RankedDifference), required=True)
    seating = fields.Nested(SeatingDifference, required=True)
