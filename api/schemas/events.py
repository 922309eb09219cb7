"""Events in JSON, and how a reader says which of them."""

from __future__ import annotations

from collections.abc import Mapping

from marshmallow import validate

from ..event_kinds import KINDS
from ..models import EventView
from . import fields
from .base import Schema

MAX_SEQ = 10**15

VIEWS = [view.value for view in EventView]


class EventFilters(Schema):
    """Which events, from where on."""

    after = fields.Integer(
        attribute="since",
        minimum=0,
        maximum=MAX_SEQ,
        load_default=None,
        metadata={"description": "Only those with a greater number; a stream takes Last-Event-ID."},
    )
    start = fields.String(
        load_default="first",
        validate=validate.OneOf(["first", "now"]),
        metadata={"description": "Where a stream begins that is given no number."},
    )
    view = fields.String(
        load_default=EventView.PUBLIC.value,
        validate=validate.OneOf(VIEWS),
        metadata={
            "description": "`public`: what all may know by now. `after`: also what was hidden, "
            "once the secret is revealed. `arbiter`: everything at once, for the organizer and "
            "arbiters. Numbers of different views have nothing to do with each other."
        },
    )
    kind = fields.List(
        fields.String(validate=validate.OneOf(list(KINDS))),
        attribute="kinds",
        load_default=list,
        validate=validate.Length(max=len(KINDS)),
        metadata={"description": "Only those of this kind; may be given several times."},
    )


class Facts(fields.Dict):
    """An object that is JSON as it is stored."""

    def show(self, value: Mapping[str, object]) -> Mapping[str, object]:
        """As it is; what http/dump.py asks."""
        return value


class EventSchema(Schema):
    """Something that happened."""

    seq = fields.Integer(
        required=True,
        maximum=MAX_SEQ,
        metadata={"description": "Its number in this view, 1, 2, 3 … in each tournament."},
    )
    kind = fields.String(required=True, metadata={"description": "Kinds may be added."})
    view = fields.String(required=True, validate=validate.OneOf(VIEWS))
    at = fields.Time(required=True)
    tournament_id = fields.Id(required=True)
    match_id = fields.Id(required=True, allow_none=True)
    payload = Facts(
        keys=fields.String(), required=True, metadata={"description": "What its kind tells."}
    )
