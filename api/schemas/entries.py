"""Entries in JSON."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, validate, validates_schema

from ..models import EntryStatus
from . import fields
from .base import Schema

STATUSES = [status.value for status in EntryStatus]
MOST_AT_ONCE = 500


class EntryCreate(Schema):
    """Who enters: an agent, or (the organizer may) a house bot."""

    agent_id = fields.Id()
    house_bot = fields.String(validate=validate.Length(1, 30))

    @validates_schema
    def _one(self, data: dict[str, Any], **_options: Any) -> None:
        if len(data) != 1:
            raise ValidationError("Give either agent_id or house_bot.")


class BulkEntry(Schema):
    """One who enters: an agent, or (the organizer may) a house bot."""

    agent_id = fields.Id()
    house_bot = fields.String(validate=validate.Length(1, 30))
    seed = fields.Integer(
        minimum=1,
        maximum=10_000,
        metadata={"description": "As the organizer holds it strong, 1 the strongest."},
    )

    @validates_schema
    def _one(self, data: dict[str, Any], **_options: Any) -> None:
        if ("agent_id" in data) == ("house_bot" in data):
            raise ValidationError("Give either agent_id or house_bot.")


class BulkEntries(Schema):
    """Who enters, in the order in which they count as having come."""

    entries = fields.List(
        fields.Nested(BulkEntry), required=True, validate=validate.Length(1, MOST_AT_ONCE)
    )


class EntryUpdate(Schema):
    """What the organizer says of an entry."""

    seed = fields.Integer(
        required=True,
        allow_none=True,
        minimum=1,
        maximum=10_000,
        metadata={"description": "How strong it is held to be, 1 the strongest; null: unknown."},
    )


class SubstitutionRequest(Schema):
    """Which agent plays on for an entry."""

    agent_id = fields.Id(required=True, metadata={"description": "Active, and not in it so far."})
    reason = fields.String(
        load_default=None, validate=validate.Length(1, 300), metadata={"description": "Why."}
    )


class EntryFilters(Schema):
    """Which entries a list holds."""

    status = fields.String(
        load_default=None,
        validate=validate.OneOf(STATUSES),
        metadata={"description": "Only those in this state."},
    )
    name = fields.Search(load_default=None)
    agent_id = fields.Id(load_default=None, metadata={"description": "Only this agent's."})
    house = fields.Boolean(
        load_default=None, metadata={"description": "true: only house bots; false: only agents."}
    )
    mine = fields.Boolean(
        load_default=False, metadata={"description": "true: only those of your agents."}
    )


class Substitution(Schema):
    """One agent came in place of another."""

    at = fields.String(required=True)
    round = fields.Integer(
        required=True, metadata={"description": "From its next match on; this round or later."}
    )
    replaced = fields.Id(required=True, metadata={"description": "The agent that played before."})
    agent_id = fields.Id(required=True)
    reason = fields.String(required=True, allow_none=True)


class EntrySchema(Schema):
    """One participant of a tournament."""

    id = fields.Id(required=True)
    created_at = fields.Time(required=True)
    tournament_id = fields.Id(required=True)
    agent_id = fields.Id(
        required=True, allow_none=True, metadata={"description": "null for a house bot."}
    )
    house_bot = fields.String(required=True, allow_none=True)
    fills = fields.Boolean(
        required=True, metadata={"description": "A house bot in a seat that would be free."}
    )
    name = fields.String(required=True, metadata={"description": "As seats and standings show it."})
    lot = fields.Integer(
        required=True,
        allow_none=True,
        metadata={
            "description": "Its number by lot (a smaller one is first), drawn with its first round."
        },
    )
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    reason = fields.String(
        required=True, allow_none=True, metadata={"description": "Why it has no place any more."}
    )
    seed = fields.Integer(required=True, allow_none=True)
    checked_in_at = fields.Time(required=True, allow_none=True)
    joined = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "Its first round; null until it takes part."},
    )
    left = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "The first round it is not seated in any more."},
    )
    absent = fields.List(
        fields.Integer(),
        required=True,
        metadata={"description": "Rounds it missed before it came back."},
    )
    withdrawn_at = fields.Time(required=True, allow_none=True)
    substitutions = fields.List(fields.Nested(Substitution), required=True)


class EntriesEntered(Schema):
    """All who entered."""

    tournament_id = fields.Id(required=True)
    entered = fields.Integer(required=True, metadata={"description": "How many have a place."})
    waiting = fields.Integer(required=True, metadata={"description": "How many wait for one."})
    entries = fields.List(
        fields.Nested(EntrySchema), required=True, metadata={"description": "As they were sent."}
    )
