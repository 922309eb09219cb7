"""Appeals in JSON."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, validate, validates_schema

from ..models import AppealStatus
from . import fields
from .base import Schema

STATUSES = [status.value for status in AppealStatus]
OUTCOMES = [AppealStatus.UPHELD.value, AppealStatus.REJECTED.value]


class AppealCreate(Schema):
    """An appeal: about a match or about a ruling."""

    entry_id = fields.Id(required=True, metadata={"description": "Your agent's entry."})
    match_id = fields.Id()
    ruling_id = fields.Id()
    statement = fields.Name(
        maximum=1000, required=True, metadata={"description": "Everybody sees it."}
    )

    @validates_schema
    def _about_one_thing(self, data: dict[str, Any], **_options: Any) -> None:
        if len({"match_id", "ruling_id"} & set(data)) != 1:
            raise ValidationError({"match_id": ["Give a match or a ruling, one of them."]})


class AppealDecision(Schema):
    """What an arbiter decides."""

    outcome = fields.String(required=True, validate=validate.OneOf(OUTCOMES))
    reason = fields.Name(maximum=500, required=True, metadata={"description": "Everybody sees it."})
    ruling_id = fields.Id(metadata={"description": "The ruling that came of it."})


class AppealFilters(Schema):
    """Which appeals a list holds."""

    status = fields.String(
        load_default=None,
        validate=validate.OneOf(STATUSES),
        metadata={"description": "Only those in this state."},
    )


class AppealSchema(Schema):
    """One appeal."""

    id = fields.Id(required=True)
    created_at = fields.Time(required=True)
    tournament_id = fields.Id(required=True)
    number = fields.Integer(required=True)
    entry_id = fields.Id(required=True)
    author_id = fields.Id(required=True, allow_none=True)
    match_id = fields.Id(required=True, allow_none=True)
    ruling_id = fields.Id(required=True, allow_none=True)
    statement = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    decided_at = fields.Time(
        required=True, allow_none=True, metadata={"description": "Or taken back."}
    )
    decided_by_id = fields.Id(required=True, allow_none=True)
    decision = fields.String(
        required=True, allow_none=True, metadata={"description": "The arbiter's reason."}
    )
    remedy_id = fields.Id(
        required=True, allow_none=True, metadata={"description": "The ruling that came of it."}
    )
