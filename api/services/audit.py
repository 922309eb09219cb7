"""Reading the audit log, and checking that nobody has touched it.

`api/trail` writes it. Deleting the last rows together with the head leaves a log that looks whole,
so who wants to be sure keeps a head elsewhere and verifies against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import Invalid
from ..models import AuditHead, AuditRow
from ..trail import GENESIS, row_hash
from .arbiters import require_arbiter
from .lifecycle import visible
from .paging import Page, page_of
from .principal import Principal

CHUNK = 1000


@dataclass(frozen=True)
class Head:
    """The last row's number and hash: whoever keeps it can prove all rows up to it."""

    seq: int = 0
    hash: str = GENESIS


@dataclass(frozen=True)
class Verified:
    """How many rows were checked, and the first thing that is wrong (None: nothing is)."""

    rows: int
    wrong: str | None = None


def search(
    session: Session,
    actor: Principal,
    after: tuple[object, ...] | None,
    limit: int,
    *,
    tournament_id: str | None = None,
    kind: str | None = None,
    object_id: str | None = None,
    account_id: str | None = None,
) -> Page[AuditRow]:
    """Rows of the log, the newest first. Raises `Forbidden`, `NotFound`."""
    _require(session, actor, tournament_id)
    wanted = {
        AuditRow.tournament_id: tournament_id,
        AuditRow.kind: kind,
        AuditRow.object_id: object_id,
        AuditRow.account_id: account_id,
    }
    query = select(AuditRow).where(*(c == value for c, value in wanted.items() if value))
    return page_of(session, query, [AuditRow.seq], after, limit, descending=True)


def head(session: Session) -> Head:
    """The head as it is now."""
    found = session.execute(select(AuditHead.seq, AuditHead.hash)).one_or_none()
    return Head() if found is None else Head(found.seq, found.hash)


def verify(session: Session, kept: Head | None = None) -> Verified:
    """Check the whole chain, its head, and a head that was `kept` from earlier."""
    seq, last, kept_hash = 0, GENESIS, GENESIS
    for row in _rows(session):
        if row["seq"] != seq + 1:
            return Verified(seq, f"row {seq + 1} is missing: row {row['seq']} follows row {seq}")
        seq, last = row["seq"], row_hash(last, row)
        if row["hash"] != last:
            return Verified(seq, f"row {seq} is not as it was written, or not in its place")
        if kept is not None and seq == kept.seq:
            kept_hash = last
    return Verified(seq, _ends(Head(seq, last), head(session), kept, kept_hash))


def _ends(end: Head, stored: Head, kept: Head | None, kept_hash: str) -> str | None:
    if stored != end:
        return f"the log ends with row {end.seq}, its head says row {stored.seq}"
    if kept is not None and kept.seq > end.seq:
        return f"the log ends with row {end.seq}, before row {kept.seq} of the head that was kept"
    if kept is not None and kept.hash != kept_hash:
        return f"row {kept.seq} is not the one of the head that was kept"
    return None


def _rows(session: Session) -> Iterator[dict[str, Any]]:
    """All rows in order, a thousand at a time."""
    after = -(2**62)
    while True:
        query = select(*AuditRow.__table__.columns).where(AuditRow.seq > after)
        some = session.execute(query.order_by(AuditRow.seq).limit(CHUNK)).mappings().all()
        yield from map(dict, some)
        if len(some) < CHUNK:
            return
        after = some[-1]["seq"]


def _require(session: Session, actor: Principal, tournament_id: str | None) -> None:
    """Admins see all, organizers their own tournaments, arbiters those that they can see."""
    if actor.may("admin"):
        return
    if tournament_id is None:
        raise Invalid([("?tournament_id", "required", "Name a tournament; only admins see all.")])
    require_arbiter(actor, visible(session, actor, tournament_id))
