"""Webhooks and deliveries in JSON. The signing secret appears only in the answers that make it."""

from __future__ import annotations

from marshmallow import validate

from ..event_kinds import HOOK_KINDS
from ..models import DeliveryStatus, WebhookStatus
from . import fields
from .base import Schema

STATUSES = [status.value for status in WebhookStatus]
DELIVERY_STATUSES = [status.value for status in DeliveryStatus]

_URL = "Where events are posted: http or https, on the public internet."
_KINDS = "Only events of these kinds; empty: of every kind but the play of the cards."


class WebhookCreate(Schema):
    """Where to tell of events."""

    name = fields.Name(maximum=60, required=True, metadata={"description": "As lists show it."})
    url = fields.String(
        required=True, validate=validate.Length(1, 2048), metadata={"description": _URL}
    )
    kinds = fields.List(
        fields.String(validate=validate.OneOf(HOOK_KINDS)),
        validate=validate.Length(max=len(HOOK_KINDS)),
        load_default=list,
        metadata={"description": _KINDS},
    )
    tournament_id = fields.Id(
        load_default=None,
        allow_none=True,
        metadata={"description": "Only of this tournament of yours; null: of all of them."},
    )


class WebhookUpdate(Schema):
    """What to change."""

    name = fields.Name(maximum=60, metadata={"description": "As lists show it."})
    url = fields.String(validate=validate.Length(1, 2048), metadata={"description": _URL})
    kinds = fields.List(
        fields.String(validate=validate.OneOf(HOOK_KINDS)),
        validate=validate.Length(max=len(HOOK_KINDS)),
        metadata={"description": _KINDS},
    )


class WebhookFilters(Schema):
    """Which webhooks to list."""

    status = fields.String(
        validate=validate.OneOf(STATUSES), metadata={"description": "Only those in this state."}
    )


class WebhookSchema(Schema):
    """A webhook, as its owner sees it."""

    id = fields.Id(required=True)
    created_at = fields.Time(required=True)
    owner_id = fields.Id(required=True)
    tournament_id = fields.Id(required=True, allow_none=True)
    name = fields.String(required=True)
    url = fields.String(required=True)
    kinds = fields.List(fields.String(), required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    status_reason = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "Why the server paused it: a 410, or a day without a success."},
    )
    failures = fields.Integer(
        required=True, metadata={"description": "Calls in a row that failed."}
    )
    failing_since = fields.Time(required=True, allow_none=True)
    previous_secret_until = fields.Time(
        required=True,
        allow_none=True,
        metadata={"description": "Until when calls are signed with the old secret as well."},
    )


class WebhookCreated(WebhookSchema):
    """A webhook with its new signing secret."""

    secret = fields.String(
        required=True,
        metadata={"description": "Signs the calls (Standard Webhooks). It is shown this once."},
    )


class DeliveryFilters(Schema):
    """Which deliveries to list."""

    status = fields.String(
        validate=validate.OneOf(DELIVERY_STATUSES),
        metadata={"description": "Only those in this state."},
    )


class DeliverySchema(Schema):
    """One event on its way to a webhook, and how the last attempt went."""

    id = fields.Id(required=True)
    created_at = fields.Time(required=True)
    webhook_id = fields.Id(required=True)
    tournament_id = fields.Id(required=True)
    seq = fields.Integer(
        required=True,
        maximum=10**15,
        metadata={"description": "The event's number in the view `arbiter`."},
    )
    message_id = fields.String(
        required=True, metadata={"description": "The `webhook-id` of its calls."}
    )
    kind = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf(DELIVERY_STATUSES))
    attempts = fields.Integer(required=True)
    last_at = fields.Time(required=True, allow_none=True)
    last_ms = fields.Integer(required=True, allow_none=True)
    fault = fields.String(
        required=True, allow_none=True, metadata={"description": "What went wrong, as with agents."}
    )
    detail = fields.String(required=True, allow_none=True)
    next_at = fields.Time(
        required=True, allow_none=True, metadata={"description": "null: at once, or not any more."}
    )
