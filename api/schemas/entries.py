"""Entries in JSON."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, validate, validates_schema

from ..models import EntryStatus
from . import fields
from .base import Schema

STATUSES = [status.value for status in EntryStatus]


class EntryCreate(Schema):
    """Who enters: an agent, or (the organizer may) a house bot."""

    agent_id = fields.Id()
    house_bot = fields.String(validate=validate.Length(1, 30))

    @validates_schema
    def _one(self, data: dict[str, Any], **_options: Any) -> None:
        if len(data) != 1:
            raise ValidationError("Give either agent_id or house_bot.")


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
    withdrawn_at = fields.Time(required=True, allow_none=True)
