"""From events to what is sent: a delivery an event and a webhook, and the body of its call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import Select, and_, func, insert, select
from sqlalchemy.orm import Session

from ..event_kinds import HOOK_KINDS
from ..models import (
    Delivery,
    DeliveryStatus,
    Event,
    Journal,
    Tournament,
    Webhook,
    WebhookPosition,
    new_id,
    utc_now,
)
from .clock import now_seconds

BATCH = 8  # sent to one receiver at once
MADE_AT_ONCE = 200


@dataclass(frozen=True)
class Parcel:
    """One event, ready to be signed and sent. `message` is the webhook-id: the event's own id."""

    delivery_id: str
    message: str
    body: bytes


def message_id(tournament_id: str, seq: int) -> str:
    """The id of an event, the same at every attempt and for every receiver."""
    return f"{tournament_id}-{seq}"


def behind(hook: Webhook | type[Webhook]) -> Select[str, int, int]:
    """(tournament, number up to which deliveries were made, last number), where these differ.

    Of one webhook, or of the one that the table stands for in a statement around this.
    """
    known = func.coalesce(WebhookPosition.seq, 0)
    here = and_(
        WebhookPosition.webhook_id == hook.id,
        WebhookPosition.tournament_id == Tournament.id,
    )
    return (
        select(Tournament.id, known, Journal.seq)
        .select_from(Tournament)
        .join(Journal, Journal.tournament_id == Tournament.id)
        .outerjoin(WebhookPosition, here)
        .where(
            Tournament.organizer_id == hook.owner_id,
            Tournament.id == func.coalesce(hook.tournament_id, Tournament.id),
            Journal.seq > known,
        )
    )


def make(session: Session, hook: Webhook) -> None:
    """Deliveries of what happened since the last time, in the order of the events."""
    for tournament_id, known, last in session.execute(behind(hook)).all():
        _make_of(session, hook, tournament_id, known, last)


def due(session: Session, hook: Webhook) -> list[Parcel]:
    """What is to be sent now: a few at once, or one while the receiver fails."""
    deliveries = session.scalars(
        select(Delivery)
        .where(
            Delivery.webhook_id == hook.id,
            Delivery.status == DeliveryStatus.PENDING,
            Delivery.next_at <= now_seconds(),
        )
        .order_by(Delivery.next_at, Delivery.id)
        .limit(1 if hook.failures else BATCH)
    ).all()
    found = [(delivery, event_of(session, delivery)) for delivery in deliveries]
    for delivery, event in found:
        if event is None:
            delivery.status, delivery.detail = DeliveryStatus.FAILED, "The event is not kept."
    return [
        Parcel(delivery.id, message_id(event.tournament_id, delivery.seq), body_of(event))
        for delivery, event in found
        if event is not None
    ]


def event_of(session: Session, delivery: Delivery) -> Event | None:
    """The event of a delivery; None when it is no longer kept."""
    its = and_(Event.tournament_id == delivery.tournament_id, Event.seq == delivery.seq)
    return session.scalars(select(Event).where(its)).one_or_none()


def body_of(event: Event) -> bytes:
    """The body of a call, as Standard Webhooks has it; `data` is the event as arbiters see it."""
    assert event.at is not None, "what is sent has a number, and so a time"
    at = event.at.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
    names = ("seq", "kind", "view", "tournament_id", "match_id", "payload")
    data: Mapping[str, Any] = {"at": at} | {name: getattr(event, name) for name in names}
    return orjson.dumps({"type": event.kind, "timestamp": at, "data": data})


def _make_of(session: Session, hook: Webhook, tournament_id: str, known: int, last: int) -> None:
    fresh = session.execute(
        select(Event.seq, Event.kind)
        .where(
            Event.tournament_id == tournament_id,
            Event.seq > known,
            Event.seq <= last,
            Event.kind.in_(hook.kinds or HOOK_KINDS),
        )
        .order_by(Event.seq)
        .limit(MADE_AT_ONCE)
    ).all()
    if fresh:
        now = utc_now()
        same = {"webhook_id": hook.id, "tournament_id": tournament_id, "since": now}
        same |= {"created_at": now, "version": 1, "status": DeliveryStatus.PENDING}
        same |= {"attempts": 0, "next_at": 0.0}
        rows = [{**same, "id": new_id(), "seq": row.seq, "kind": row.kind} for row in fresh]
        session.execute(insert(Delivery), rows)
    place = WebhookPosition(webhook_id=hook.id, tournament_id=tournament_id)
    place.seq = fresh[-1].seq if len(fresh) == MADE_AT_ONCE else last
    session.merge(place)
    session.flush()
