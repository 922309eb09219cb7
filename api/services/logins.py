"""Logins at the pages: begun with an identity, shown again as a cookie, ended by log-out or time.

The cookie is 256 random bits, made anew at each log-in; the database has its SHA-256. A login can
do what its identity can at this moment, never more.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any, cast

from sqlalchemy import CursorResult, delete, or_, select, update
from sqlalchemy.orm import Session

from ..errors import Unauthorized
from ..models import Login, utc_now
from .identities import Identity, principal_of
from .tokens import Known

LIFE = timedelta(hours=12)
IDLE = timedelta(hours=2)
TOUCH_EVERY = timedelta(minutes=5)


@dataclass(frozen=True)
class Present:
    """A login that holds; `needs_touch` when its use should be written down again."""

    login_id: str
    known: Known
    needs_touch: bool


def begin(session: Session, identity: Identity, account_id: str) -> str:
    """A new login; returns the cookie, which nobody can show again."""
    cookie = secrets.token_urlsafe(32)
    login = Login(
        account_id=account_id,
        issuer=identity.issuer,
        subject=identity.subject,
        digest=_digest(cookie),
        expires_at=utc_now() + LIFE,
    )
    session.add(login)
    session.flush()
    return cookie


def resume(session: Session, cookie: str) -> Present | None:
    """Who shows this cookie; None if it is no login, or one that has ended."""
    now = utc_now()
    found = session.scalars(select(Login).where(Login.digest == _digest(cookie))).one_or_none()
    if found is None or found.expires_at <= now or found.last_used_at <= now - IDLE:
        return None
    try:
        known = principal_of(session, Identity(found.issuer, found.subject))
    except Unauthorized:
        return None
    return Present(found.id, known, now - found.last_used_at > TOUCH_EVERY)


def touch(session: Session, login_id: str) -> None:
    """Write down that a login was used."""
    session.execute(update(Login).where(Login.id == login_id).values(last_used_at=utc_now()))


def end(session: Session, login_id: str) -> None:
    """Log out; once more changes nothing."""
    session.execute(delete(Login).where(Login.id == login_id))


def purge(session: Session) -> int:
    """Forget logins that have ended by themselves; returns how many."""
    now = utc_now()
    ended = delete(Login).where(or_(Login.expires_at <= now, Login.last_used_at <= now - IDLE))
    return cast(CursorResult[Any], session.execute(ended)).rowcount


def _digest(cookie: str) -> str:
    return sha256(cookie.encode()).hexdigest()
