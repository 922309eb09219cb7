"""Webhooks as their owners keep them: register, change, pause, delete, new secrets.

What is sent to one, and when, is deliveries.py. A webhook hears of its owner's tournaments only:
of one of them, or of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete as delete_from
from sqlalchemy import func, insert, literal, select
from sqlalchemy.orm import Session

from ..db import db_now
from ..errors import Conflict, Invalid, PreconditionFailed
from ..models import (
    Delivery,
    Journal,
    Tournament,
    Webhook,
    WebhookPosition,
    WebhookStatus,
)
from ..remote.signing import new_secret
from ..vault import Vault
from . import signing_secrets
from .paging import Page, page_of
from .principal import Principal
from .rows import get_row, lock_row, update_versioned

MOST = 20  # an account


def create(
    session: Session,
    vault: Vault,
    actor: Principal,
    *,
    name: str,
    url: str,
    kinds: Sequence[str],
    tournament_id: str | None,
) -> tuple[Webhook, str]:
    """A new webhook, and its signing secret, which nobody can show again.

    The URL must have been admitted (agent_calls.py). It hears of what happens from now on.
    """
    _require_own(session, actor, tournament_id)
    mine = select(func.count()).select_from(Webhook).where(Webhook.owner_id == actor.account_id)
    if (session.scalar(mine) or 0) >= MOST:
        raise Conflict(f"An account has {MOST} webhooks at most.", code="too_many_webhooks")
    secret = new_secret()
    hook = Webhook(
        owner_id=actor.account_id,
        tournament_id=tournament_id,
        name=name,
        url=url,
        kinds=sorted(set(kinds)),
        status=WebhookStatus.ACTIVE,
        secret=vault.seal(secret.encode()),
        next_at=db_now(session),
    )
    session.add(hook)
    session.flush()
    _begin_now(session, hook)
    return hook, secret


def find(session: Session, actor: Principal, webhook_id: str) -> Webhook:
    """A webhook of the caller's; `NotFound` for those of others."""
    hook = get_row(session, Webhook, webhook_id)
    actor.require_owner(hook.owner_id, "webhook")
    return hook


def search(
    session: Session,
    actor: Principal,
    after: tuple[object, ...] | None,
    limit: int,
    status: str | None = None,
) -> Page[Webhook]:
    """The caller's webhooks, oldest first."""
    mine = select(Webhook).where(Webhook.owner_id == actor.account_id)
    if status is not None:
        mine = mine.where(Webhook.status == status)
    return page_of(session, mine, [Webhook.id], after, limit)


def update(
    session: Session, actor: Principal, webhook_id: str, version: int, **values: Any
) -> Webhook:
    """Another name, URL or choice of kinds. A new URL is called in its turn, without a rest."""
    find(session, actor, webhook_id)
    if "kinds" in values:
        values["kinds"] = sorted(set(values["kinds"]))
    if "url" in values:
        values["next_at"] = db_now(session)
    return update_versioned(session, Webhook, webhook_id, version, **values)


def delete(session: Session, actor: Principal, webhook_id: str, version: int) -> None:
    """Forget it and its deliveries. Raises `PreconditionFailed` for a stale version."""
    hook = lock_own(session, actor, webhook_id)
    if hook.version != version:
        raise PreconditionFailed("The webhook was changed since you read it; read it again.")
    for table in (Delivery, WebhookPosition):
        session.execute(delete_from(table).where(table.webhook_id == webhook_id))
    session.delete(hook)
    session.flush()


def pause(session: Session, actor: Principal, webhook_id: str) -> Webhook:
    """Nothing is sent until it is resumed."""
    hook = lock_own(session, actor, webhook_id)
    if hook.status != WebhookStatus.PAUSED:
        hook.status, hook.status_reason = WebhookStatus.PAUSED, None
        hook.version += 1
    return hook


def resume(session: Session, actor: Principal, webhook_id: str) -> Webhook:
    """Send again: what was waiting, and what happens from now on; not what happened meanwhile."""
    hook = lock_own(session, actor, webhook_id)
    if hook.status != WebhookStatus.ACTIVE:
        hook.status, hook.status_reason = WebhookStatus.ACTIVE, None
        hook.failures, hook.failing_since, hook.next_at = 0, None, db_now(session)
        hook.version += 1
        session.flush()
        _begin_now(session, hook)
    return hook


def rotate_secret(
    session: Session, vault: Vault, actor: Principal, webhook_id: str, grace_s: int, force: bool
) -> tuple[Webhook, str]:
    """A new signing secret. Raises `Conflict` (see signing_secrets.py)."""
    hook = lock_own(session, actor, webhook_id)
    return hook, signing_secrets.rotate(vault, [hook], grace_s, force)


def lock_own(session: Session, actor: Principal, webhook_id: str) -> Webhook:
    """A webhook of the caller's, locked to the end of the transaction."""
    find(session, actor, webhook_id)
    return lock_row(session, Webhook, webhook_id)


def _require_own(session: Session, actor: Principal, tournament_id: str | None) -> None:
    tournament = session.get(Tournament, tournament_id) if tournament_id else None
    own = tournament is not None and tournament.organizer_id == actor.account_id
    if tournament_id is not None and not own:
        raise Invalid([("/tournament_id", "unknown", "There is no such tournament of yours.")])


def _begin_now(session: Session, hook: Webhook) -> None:
    """Count all that has happened in the owner's tournaments as known."""
    session.execute(
        delete_from(WebhookPosition)
        .where(WebhookPosition.webhook_id == hook.id)
        .execution_options(synchronize_session=False)
    )
    known = (
        select(literal(hook.id), Journal.tournament_id, Journal.seq)
        .join(Tournament, Tournament.id == Journal.tournament_id)
        .where(Tournament.organizer_id == hook.owner_id)
    )
    columns = ["webhook_id", "tournament_id", "seq"]
    session.execute(insert(WebhookPosition).from_select(columns, known))
