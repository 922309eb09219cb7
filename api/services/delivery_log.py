"""What was sent to a webhook, as its owner sees it; and sending again by hand."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import Conflict
from ..models import Delivery, DeliveryStatus, WebhookStatus, utc_now
from . import webhooks
from .events import moment
from .paging import Page, page_of
from .parcels import event_of, message_id
from .principal import Principal
from .rows import columns, lock_row, missing

Shown = dict[str, Any]


def search(
    session: Session,
    actor: Principal,
    webhook_id: str,
    after: tuple[object, ...] | None,
    limit: int,
    status: str | None = None,
) -> Page[Shown]:
    """The deliveries of a webhook of the caller's, the newest first."""
    webhooks.find(session, actor, webhook_id)
    query = select(Delivery).where(Delivery.webhook_id == webhook_id)
    if status is not None:
        query = query.where(Delivery.status == status)
    page = page_of(session, query, [Delivery.id], after, limit, descending=True)
    return Page([shown(delivery) for delivery in page.items], page.after)


def send_again(session: Session, actor: Principal, webhook_id: str, delivery_id: str) -> Shown:
    """Send once more, at once, and for another day if it fails; whatever came of it before.

    Raises `Conflict` for a paused webhook, and when the event is no longer kept.
    """
    hook = webhooks.lock_own(session, actor, webhook_id)
    delivery = lock_row(session, Delivery, delivery_id)
    if delivery.webhook_id != hook.id:
        raise missing(Delivery)
    if hook.status == WebhookStatus.PAUSED:
        raise Conflict("The webhook is paused; resume it first.", code="webhook_paused")
    if event_of(session, delivery) is None:
        raise Conflict("The event is no longer kept.", code="event_purged")
    delivery.status, delivery.since, delivery.next_at = DeliveryStatus.PENDING, utc_now(), 0.0
    delivery.version += 1
    hook.next_at = 0.0
    return shown(delivery)


def shown(delivery: Delivery) -> Shown:
    """A delivery with its webhook-id, and when it is tried next while it is pending."""
    pending = delivery.status == DeliveryStatus.PENDING
    resting = pending and delivery.next_at > 0
    return {
        **columns(delivery),
        "message_id": message_id(delivery.tournament_id, delivery.seq),
        "next_at": moment(delivery.next_at) if resting else None,
    }
