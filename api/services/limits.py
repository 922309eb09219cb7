"""Limits on requests, counted in the database, so that they hold for all processes together.

A window begins with its first request. The statement that counts also says how many were counted
before, so that any number of callers at once are granted exactly the quota.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import cast

from sqlalchemy import CursorResult, delete, text
from sqlalchemy.orm import Session

from ..db import db_now
from ..models import RateWindow

# The time is that of the statement: it must not move between the two comparisons.
_NOW = {
    "sqlite": "((julianday('now') - 2440587.5) * 86400.0)",
    "postgresql": "extract(epoch FROM statement_timestamp())::double precision",
}
_TAKE = """
INSERT INTO rate_windows AS present (bucket, ends, used)
VALUES (:bucket, {now} + :window_s, :wanted)
ON CONFLICT (bucket) DO UPDATE SET
    used = CASE WHEN present.ends <= {now} THEN 0 ELSE present.used END + excluded.used,
    ends = CASE WHEN present.ends <= {now} THEN excluded.ends ELSE present.ends END
RETURNING used, ends, ends - {now} AS left_s
"""
_STATEMENTS = {name: text(_TAKE.format(now=now)) for name, now in _NOW.items()}


@dataclass(frozen=True)
class Policy:
    """`quota` requests in `window_s` seconds; a quota of 0 means no limit."""

    name: str
    quota: int
    window_s: int


@dataclass(frozen=True)
class Grant:
    """`granted` of the wanted requests may go on; `left` more are free for whoever asks first.

    `ends` names the window, `left_s` is how long it still lasts.
    """

    granted: int
    left: int
    ends: float
    left_s: float


def take(session: Session, policy: Policy, subject: str, wanted: int) -> Grant:
    """Count `wanted` requests of a subject, and say how many of them are within the quota."""
    statement = _STATEMENTS[session.get_bind().dialect.name]
    values = {"bucket": _bucket(policy, subject), "window_s": policy.window_s, "wanted": wanted}
    row = session.execute(statement, values).one()
    before = row.used - wanted
    granted = max(0, min(wanted, policy.quota - before))
    return Grant(granted, max(0, policy.quota - row.used), row.ends, row.left_s)


def purge(session: Session) -> int:
    """Forget windows that have ended; returns how many."""
    ended = delete(RateWindow).where(RateWindow.ends <= db_now(session))
    return cast(CursorResult[tuple[object]], session.execute(ended)).rowcount


def _bucket(policy: Policy, subject: str) -> str:
    """Addresses are not stored as they are."""
    return sha256(f"{policy.name}\0{subject}".encode()).hexdigest()
