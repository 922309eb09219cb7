"""Bearer tokens: `arn_pat_` + 43 base62 characters (256 bits) + 6 base62 characters of CRC32.

The checksum finds typing errors before the database is asked. Only the SHA-256 is stored: at 256
random bits a slow hash would add nothing. The text is shown once.

A token that leaks does harm until it ends, so nobody gets one by it that lives longer: what a token
makes for its own account ends with it at the latest, and so does whatever replaces that. Only a
token that a person or an admin gave out can be replaced by one that lives as long again; then it
ends itself, which its owner notices.
"""

from __future__ import annotations

import re
import secrets
import zlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from ..access import MAX_GRACE_S, MAX_TOKEN_DAYS, READ_ONLY, ROLE_SCOPES, SCOPES, TOKEN_DAYS
from ..errors import Conflict, Invalid, NotFound, Unauthorized
from ..models import Account, Role, Token, utc_now
from ..prepared import Prepared
from .paging import Page, page_of
from .principal import Principal
from .rows import lock_row

PREFIX = "arn_pat_"
TOUCH_EVERY = timedelta(minutes=5)

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_FORM = re.compile(rf"{PREFIX}([0-9A-Za-z]{{43}})([0-9A-Za-z]{{6}})")

_TOKENS = select(
    Token.id,
    Token.account_id,
    Token.scopes,
    Token.expires_at,
    Token.last_used_at,
    Token.revoked_at,
    Account.name,
    Account.role,
).join(Token.account)
_BY_DIGEST = Prepared(_TOKENS.where(Token.digest == bindparam("digest")))
_BY_ID = Prepared(_TOKENS.where(Token.id == bindparam("id")))


class _Found(NamedTuple):
    """What `_TOKENS` selects."""

    id: str
    account_id: str
    scopes: list[str]
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None
    name: str
    role: str


@dataclass(frozen=True)
class Known:
    """A valid token's owner; `needs_touch` when its last use should be written down again."""

    principal: Principal
    token_id: str
    needs_touch: bool


def new_text() -> str:
    """A fresh token's text."""
    body = _base62(secrets.randbits(256), 43)
    return f"{PREFIX}{body}{_checksum(body)}"


def identify(session: Session, text: str) -> Known:
    """Whose token this is; its scopes are those that its role still allows.

    Raises `Unauthorized`, with one text for unknown, expired and revoked tokens.
    """
    form = _FORM.fullmatch(text)
    if form is None or _checksum(form[1]) != form[2]:
        raise Unauthorized("This is not a token of this server.", code="invalid_token")
    return _known(_BY_DIGEST.first(session, digest=_digest(text)))


def known(session: Session, token_id: str) -> Known:
    """As `identify`, for a token that was shown before (a login's, services/logins.py)."""
    return _known(_BY_ID.first(session, id=token_id))


def _known(row: tuple[Any, ...] | None) -> Known:
    """What a row of `_TOKENS`, or None, comes to."""
    found = None if row is None else _Found(*row)
    now = utc_now()
    if found is None or found.revoked_at is not None or found.expires_at <= now:
        raise Unauthorized("The token is unknown, expired or revoked.", code="invalid_token")
    role = Role(found.role)
    scopes = ROLE_SCOPES[role].intersection(found.scopes)
    principal = Principal(found.account_id, role, scopes, found.name, found.id, found.expires_at)
    return Known(principal, found.id, _stale(found.last_used_at, now))


def touch(session: Session, token_id: str) -> None:
    """Write down that a token was used."""
    session.execute(update(Token).where(Token.id == token_id).values(last_used_at=utc_now()))


def create(
    session: Session,
    account: Account,
    name: str,
    scopes: Collection[str] | None = None,
    days: int = TOKEN_DAYS,
    ends_by: datetime | None = None,
) -> tuple[Token, str]:
    """A new token and its text, which nobody can show again. Without scopes it can only read.

    Raises `Invalid` for unknown scopes and for those beyond the account's role.
    """
    chosen = READ_ONLY if scopes is None else scopes
    return _make(session, account, name, chosen, timedelta(days=days), ends_by)


def create_own(
    session: Session,
    actor: Principal,
    name: str,
    scopes: Collection[str] | None = None,
    days: int = TOKEN_DAYS,
) -> tuple[Token, str]:
    """A further token of the caller's, with no more scopes than the one that asks for it has, and
    no longer a life than is left to that one.

    Without `scopes` it can read what that one can.
    """
    wanted = READ_ONLY & actor.scopes if scopes is None else scopes
    for scope in wanted:
        if scope in SCOPES:
            actor.require(scope)
    account = session.get_one(Account, actor.account_id)
    return create(session, account, name, wanted, days, actor.until)


def create_for(
    session: Session,
    actor: Principal,
    account: Account,
    name: str,
    scopes: Collection[str] | None = None,
    days: int = TOKEN_DAYS,
) -> tuple[Token, str]:
    """A token that an admin gives out; one for his own account ends with the one that asks."""
    ends_by = actor.until if account.id == actor.account_id else None
    return create(session, account, name, scopes, days, ends_by)


def _make(
    session: Session,
    account: Account,
    name: str,
    scopes: Collection[str],
    life: timedelta,
    ends_by: datetime | None,
) -> tuple[Token, str]:
    chosen = sorted(set(scopes))
    _check_scopes(chosen, Role(account.role))
    text = new_text()
    expires_at = utc_now() + life
    token = Token(
        account_id=account.id,
        name=name,
        hint=text[: len(PREFIX) + 4],
        digest=_digest(text),
        scopes=chosen,
        expires_at=expires_at if ends_by is None else min(expires_at, ends_by),
        ends_by=ends_by,
    )
    session.add(token)
    session.flush()
    return token, text


def find(session: Session, actor: Principal, token_id: str) -> Token:
    """A token of the caller's; an admin may see everybody's."""
    token = session.get(Token, token_id)
    if token is None or not actor.owns(token.account_id):
        raise NotFound("There is no such token.")
    return token


def search(
    session: Session, actor: Principal, after: tuple[object, ...] | None, limit: int
) -> Page[Token]:
    """The caller's tokens, oldest first, revoked ones included."""
    mine = select(Token).where(Token.account_id == actor.account_id)
    return page_of(session, mine, [Token.id], after, limit)


def revoke(session: Session, actor: Principal, token_id: str) -> Token:
    """End a token now; once more changes nothing."""
    token = _lock(session, actor, token_id)
    if token.revoked_at is None:
        token.revoked_at = utc_now()
        token.version += 1
    return token


def rotate(session: Session, actor: Principal, token_id: str, grace_s: int) -> tuple[Token, str]:
    """A successor with the same name, scopes and lifetime; the old one lives `grace_s` longer.

    It lives less long where `ends_by` says so, or where another token of the account asks for it.
    Raises `Conflict` (`token_ended`) for a token that is revoked or expired, `Forbidden` for one
    with scopes that the caller's token lacks.
    """
    old = _lock(session, actor, token_id)
    for scope in old.scopes:
        actor.require(scope)
    now = utc_now()
    if not _alive(old, now):
        raise Conflict("The token has ended; create a new one.", code="token_ended")
    life = min(old.expires_at - old.created_at, timedelta(days=MAX_TOKEN_DAYS))
    account = session.get_one(Account, old.account_id)
    allowed = ROLE_SCOPES[Role(account.role)].intersection(old.scopes)
    successor = _make(session, account, old.name, allowed, life, _replaced_by(actor, old))
    old.expires_at = min(old.expires_at, now + timedelta(seconds=min(grace_s, MAX_GRACE_S)))
    old.ends_by = old.expires_at  # it has been replaced: once
    old.version += 1
    return successor


def _replaced_by(actor: Principal, old: Token) -> datetime | None:
    """When a successor that the caller asks for ends at the latest."""
    another = old.account_id == actor.account_id and old.id != actor.token_id
    bounds = (old.ends_by, actor.until if another else None)
    return min((bound for bound in bounds if bound is not None), default=None)


def _lock(session: Session, actor: Principal, token_id: str) -> Token:
    find(session, actor, token_id)
    return lock_row(session, Token, token_id)


def _check_scopes(scopes: Collection[str], role: Role) -> None:
    beyond = [scope for scope in scopes if scope not in ROLE_SCOPES[role]]
    if beyond:
        known = "is not a scope" if beyond[0] not in SCOPES else f"is not for the role {role}"
        raise Invalid([("/scopes", "scope", f"{beyond[0]} {known}.")])


def _alive(token: Token, now: datetime) -> bool:
    return token.revoked_at is None and token.expires_at > now


def _stale(last_used_at: datetime | None, now: datetime) -> bool:
    return last_used_at is None or now - last_used_at > TOUCH_EVERY


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode()), 6)


def _base62(value: int, width: int) -> str:
    digits = []
    for _ in range(width):
        value, digit = divmod(value, 62)
        digits.append(_BASE62[digit])
    return "".join(reversed(digits))
