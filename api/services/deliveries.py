"""Sending to webhooks: claimed by lease, sent outside any transaction, written down after.

Whoever holds a webhook's lease makes deliveries of what happened since, sends those that are due,
and notes how it went. Events reach a receiver at least once: a sender that dies after the call and
before the note leaves the delivery to the next one. `epoch` rises with every claim, so a sender
that was taken for dead notes nothing.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import ColumnElement, CursorResult, and_, delete, or_, select, update
from sqlalchemy.orm import Session

from ..db import db_now
from ..models import Delivery, DeliveryStatus, Webhook, WebhookStatus
from ..remote.faults import Fault
from ..vault import Vault
from . import parcels
from .clock import now_seconds
from .events import moment, tell
from .parcels import Parcel
from .signing_secrets import SecretUnreadable, signing_secrets

GIVE_UP = timedelta(hours=24)
"""How long a delivery is tried, and how long a webhook may fail without a success between."""

FIRST_S, LONGEST_S = 10.0, 2 * 3600.0
DETAIL_CHARS = 300
GONE = 410
UNREADABLE = Fault("server", "server", "its signing secret cannot be opened; give it a new one")

_spread = random.SystemRandom()


@dataclass(frozen=True)
class Batch:
    """What is due at one receiver, the caller's to send until the lease runs out."""

    webhook_id: str
    epoch: int
    url: str
    secrets: tuple[str, ...] = field(repr=False)
    parcels: Sequence[Parcel] = ()


@dataclass(frozen=True)
class Outcome:
    """How one call went: `fault` is None for a success; `ms` is how long it took."""

    delivery_id: str
    fault: Fault | None
    ms: int


def is_due(session: Session, among: Collection[str] | None = None) -> bool:
    """Whether some webhook (of those named, if any are) has something to be sent now."""
    return session.scalar(select(Webhook.id).where(_due(among)).limit(1)) is not None


def claim(
    session: Session, vault: Vault, lease_s: float, among: Collection[str] | None = None
) -> Batch | None:
    """Take the webhook whose last turn is longest ago; None if none (of those named) is due.

    One statement decides, by the database's clock. The batch may be empty: nothing wanted happened,
    or the webhook's secret cannot be opened, which counts as a failed call.
    """
    first = select(Webhook.id).where(_due(among)).order_by(Webhook.next_at, Webhook.id).limit(1)
    taken = session.scalar(
        update(Webhook)
        .where(
            Webhook.id == first.with_for_update(skip_locked=True).scalar_subquery(),
            _free(),
        )
        .values(epoch=Webhook.epoch + 1, lease_until=now_seconds() + lease_s)
        .returning(Webhook.id)
        .execution_options(synchronize_session=False)
    )
    if taken is None:
        return None
    hook = session.get_one(Webhook, taken, populate_existing=True)
    parcels.make(session, hook)
    due = parcels.due(session, hook)
    empty = Batch(hook.id, hook.epoch, hook.url, (), [])
    if not due:
        hook.lease_until = None
        return empty
    try:
        return replace(empty, secrets=signing_secrets(vault, hook), parcels=due)
    except SecretUnreadable:
        record(session, empty, [Outcome(parcel.delivery_id, UNREADABLE, 0) for parcel in due])
        return empty


def record(session: Session, batch: Batch, outcomes: Sequence[Outcome]) -> bool:
    """Note how a batch went, and give the webhook back; False, and nothing, for a stale epoch.

    A webhook pauses by itself when its receiver says 410, or has failed for a day.
    """
    mine = and_(Webhook.id == batch.webhook_id, Webhook.epoch == batch.epoch)
    hook = session.scalars(select(Webhook).where(mine).with_for_update()).one_or_none()
    if hook is None:
        return False
    now = db_now(session)
    for outcome in outcomes:
        _note(session, outcome, now)
    faults = [outcome.fault for outcome in outcomes if outcome.fault is not None]
    hook.lease_until = None
    if len(faults) < len(outcomes):
        hook.failures, hook.failing_since, hook.next_at = 0, None, now  # the others are next
    elif faults:
        hook.failures += 1
        hook.failing_since = hook.failing_since or moment(now)
        hook.next_at = now + pause_s(hook.failures)
    reason = _why_pause(hook, faults, moment(now))
    if reason is not None and hook.status == WebhookStatus.ACTIVE:
        _pause(session, hook, reason)
    return True


def pause_s(attempts: int) -> float:
    """Seconds to the next attempt: doubled each time, half of it drawn, two hours at most."""
    most: float = min(LONGEST_S, FIRST_S * 2 ** min(attempts - 1, 20))
    return most * _spread.uniform(0.5, 1.0)


def purge(session: Session, before: datetime) -> int:
    """Forget what was delivered or given up before a moment; returns how many."""
    old = and_(Delivery.status != DeliveryStatus.PENDING, Delivery.since < before)
    gone = session.execute(delete(Delivery).where(old).execution_options(synchronize_session=False))
    return cast(CursorResult[Any], gone).rowcount


def _due(among: Collection[str] | None) -> ColumnElement[bool]:
    waits = select(Delivery.id).where(
        Delivery.webhook_id == Webhook.id,
        Delivery.status == DeliveryStatus.PENDING,
        Delivery.next_at <= now_seconds(),
    )
    behind = parcels.behind(Webhook)
    due = and_(_free(), or_(waits.correlate(Webhook).exists(), behind.correlate(Webhook).exists()))
    return due if among is None else and_(due, Webhook.id.in_(among))


def _free() -> ColumnElement[bool]:
    """Active, not resting after a failure, and nobody sends to it."""
    unheld = or_(Webhook.lease_until.is_(None), Webhook.lease_until < now_seconds())
    active = Webhook.status == WebhookStatus.ACTIVE
    return and_(active, Webhook.next_at <= now_seconds(), unheld)


def _note(session: Session, outcome: Outcome, now: float) -> None:
    delivery = session.get(Delivery, outcome.delivery_id, with_for_update=True)
    if delivery is None:
        return
    fault = outcome.fault
    delivery.attempts += 1
    delivery.last_at, delivery.last_ms = moment(now), outcome.ms
    delivery.fault = None if fault is None else fault.kind
    delivery.detail = None if fault is None else fault.detail[:DETAIL_CHARS]
    delivery.version += 1
    if fault is None:
        delivery.status = DeliveryStatus.DELIVERED
    elif moment(now) - delivery.since >= GIVE_UP:
        delivery.status = DeliveryStatus.FAILED
    else:
        delivery.next_at = now + pause_s(delivery.attempts)


def _why_pause(hook: Webhook, faults: Sequence[Fault], now: datetime) -> str | None:
    if any(fault.status == GONE for fault in faults):
        return "The receiver answered 410: it wants no more."
    if faults and hook.failing_since is not None and now - hook.failing_since >= GIVE_UP:
        return f"No call succeeded for a day. The last one: {faults[-1].detail}"
    return None


def _pause(session: Session, hook: Webhook, reason: str) -> None:
    """It is told in the tournament whose event could not be delivered."""
    hook.status, hook.status_reason = WebhookStatus.PAUSED, reason[:DETAIL_CHARS]
    hook.version += 1
    session.flush()
    tried = select(Delivery.tournament_id).where(
        Delivery.webhook_id == hook.id, Delivery.last_at.is_not(None)
    )
    tournament_id = session.scalar(tried.order_by(Delivery.last_at.desc()).limit(1))
    if tournament_id is not None:
        told = {"webhook_id": hook.id, "reason": hook.status_reason}
        tell(session, tournament_id, "webhook.paused", told)
