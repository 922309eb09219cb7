"""Series of tournaments in JSON."""

from __future__ import annotations

from typing import Any

import marshmallow
from marshmallow import validate

from ..models import SeriesStatus
from . import fields
from .base import Schema
from .tournaments import TournamentCreate

STATUSES = [status.value for status in SeriesStatus]
YEAR_S = 366 * 24 * 3600

TournamentSettings = Schema.from_dict(
    {
        name: field
        for name, field in TournamentCreate._declared_fields.items()
        if name not in ("name", "starts_at")
    },
    name="TournamentSettings",
)


def _settings(*, required: bool) -> dict[str, marshmallow.fields.Field[Any]]:
    def optional(value: Any) -> dict[str, Any]:
        return {"load_default": value} if required else {}

    return {
        "name": fields.Name(
            maximum=100,
            required=required,
            metadata={
                "description": "Its tournaments have it too, with their local date and time."
            },
        ),
        "cron": fields.String(
            required=required,
            validate=validate.Length(1, 100),
            metadata={
                "description": "Minute, hour, day of month, month, day of week, on the clocks of "
                "the time zone; at least 15 minutes apart.",
                "examples": ["0 18 * * fri"],
            },
        ),
        "time_zone": fields.String(
            required=required,
            validate=validate.Length(1, 60),
            metadata={
                "description": "A name of the IANA time zone database.",
                "examples": ["Europe/Berlin"],
            },
        ),
        "lead_s": fields.Integer(
            minimum=60,
            maximum=YEAR_S,
            metadata={
                "description": "How long before its start a tournament is made and opened; but no "
                "more than 100 of a series wait for their start."
            },
            **optional(24 * 3600),
        ),
        "until": fields.Time(
            allow_none=True,
            metadata={"description": "No tournament starts later; null: no end."},
            **optional(None),
        ),
        "settings": fields.Nested(
            TournamentSettings,
            required=required,
            metadata={"description": "Of its tournaments, as when one is created."},
        ),
    }


SeriesCreate = Schema.from_dict(_settings(required=True), name="SeriesCreate")

SeriesUpdate = Schema.from_dict(
    {
        **_settings(required=False),
        "status": fields.String(
            validate=validate.OneOf(STATUSES),
            metadata={"description": "A paused series makes no tournaments."},
        ),
    },
    name="SeriesUpdate",
)


class SeriesRun(Schema):
    """One tournament to come."""

    at = fields.Time(required=True)
    local = fields.String(
        required=True,
        metadata={"description": "The same moment in the time zone, with its offset."},
    )


class SeriesSchema(Schema):
    """A series of tournaments."""

    id = fields.Id(required=True)
    created_at = fields.Time(required=True)
    organizer_id = fields.Id(required=True)
    name = fields.String(required=True)
    cron = fields.String(required=True)
    time_zone = fields.String(required=True)
    lead_s = fields.Integer(required=True)
    until = fields.Time(required=True, allow_none=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    status_reason = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Why the server paused it; null when the organizer did."},
    )
    settings = fields.Nested(TournamentSettings, required=True)
    open_tournaments = fields.Integer(
        required=True,
        minimum=0,
        metadata={
            "description": "How many of its tournaments wait for their start. At 100 the next one "
            "is made when one of them has begun, or was cancelled."
        },
    )
    next_runs = fields.List(
        fields.Nested(SeriesRun),
        required=True,
        metadata={"description": "When the next tournaments start, five at most."},
    )
