"""Idempotency keys: a row a key, inserted first, in the transaction that does the work."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from typing import cast

from sqlalchemy import CursorResult, Table, delete, insert, select, text, update
from sqlalchemy.orm import Session

from ..errors import Conflict, Invalid
from ..models import IdempotencyKey, utc_now
from .principal import Principal

KEPT = timedelta(hours=24)

_TRY_LOCK = text("SELECT pg_try_advisory_xact_lock(:number)")
_keys = cast(Table, IdempotencyKey.__table__)


@dataclass(frozen=True)
class Answer:
    """A stored HTTP answer; the body is sealed by the caller."""

    status: int
    headers: dict[str, str]
    body: bytes = field(repr=False)


def reserve(session: Session, actor: Principal, key: str, digest: str) -> Answer | None:
    """Take a key for this transaction: None means go on, an `Answer` means it was done before.

    Raises `Conflict` while another transaction holds the key, `Invalid` when the key was used for
    another request (`digest` differs). Expired keys count as unused.
    """
    _lock(session, actor, key)
    mine = (IdempotencyKey.account_id == actor.account_id, IdempotencyKey.key == key)
    session.execute(delete(_keys).where(*mine, IdempotencyKey.created_at < utc_now() - KEPT))
    found = session.execute(select(IdempotencyKey).where(*mine)).scalar_one_or_none()
    if found is None:
        row = {"account_id": actor.account_id, "key": key, "request_digest": digest}
        session.execute(insert(_keys).values(**row, created_at=utc_now()))
        return None
    if found.request_digest != digest:
        raise Invalid(
            [("Idempotency-Key", "reused", "The key was used for another request.")],
            code="idempotency_key_reused",
        )
    return Answer(found.status or 0, cast(dict[str, str], found.headers or {}), found.body or b"")


def store(session: Session, actor: Principal, key: str, answer: Answer) -> None:
    """Keep the answer with the key, in the transaction that did the work."""
    mine = (IdempotencyKey.account_id == actor.account_id, IdempotencyKey.key == key)
    session.execute(
        update(_keys)
        .where(*mine)
        .values(status=answer.status, headers=answer.headers, body=answer.body)
    )


def purge(session: Session, now: datetime) -> int:
    """Forget keys older than 24 hours; returns how many."""
    result = session.execute(delete(_keys).where(IdempotencyKey.created_at < now - KEPT))
    return cast(CursorResult[tuple[object]], result).rowcount


def _lock(session: Session, actor: Principal, key: str) -> None:
    """One transaction a key. SQLite's write transactions already stand one after the other."""
    if session.get_bind().dialect.name != "postgresql":
        return
    name = sha256(f"{actor.account_id}\0{key}".encode()).digest()
    number = int.from_bytes(name[:8], "big", signed=True)
    if not session.execute(_TRY_LOCK, {"number": number}).scalar_one():
        raise Conflict(
            "A request with this Idempotency-Key is still being answered; try again in a second.",
            code="idempotency_key_in_progress",
            headers={"Retry-After": "1"},
        )
