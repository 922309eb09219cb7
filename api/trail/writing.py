"""From what was touched to rows of the audit log.

The head is locked last of all locks and only until the commit that follows at once, so that
transactions stand one after the other for that moment alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import func, insert, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from ..models import AuditHead, AuditRow, Tournament, utc_now
from ..models.base import Identified
from .chain import GENESIS, canonical, digest, row_hash
from .changes import Note, Touch, Touched
from .origin import origin
from .scope import facts, kind_of, shown

HEAD: Final = 1
MANY: Final = 500  # ids in one statement
LONGEST: Final = 600  # bytes of one shown value

Row = dict[str, Any]


def write(session: Session, touched: Touched) -> None:
    """Add what changed to the log."""
    rows = [
        row
        for model, by_id in touched.rows.items()
        for some in _portions(list(by_id))
        for row in _changes(session, model, {row_id: by_id[row_id] for row_id in some})
    ]
    rows += map(_noted, touched.notes)
    if rows:
        _append(session, rows)


def _portions(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[start : start + MANY] for start in range(0, len(ids), MANY))


def _changes(
    session: Session, model: type[Identified], touches: Mapping[str, Touch]
) -> Iterator[Row]:
    """The rows of the log for one table, in the order of touching."""
    now = _now(session, model, touches)
    before = _known(session, model, [x for x, touch in touches.items() if not touch.made])
    for row_id, touch in touches.items():
        values = now.get(row_id)
        old, new = before.get(row_id), None if values is None else digest(values)
        if old != new:
            yield _row(model, row_id, touch, values, old, new)


def _row(
    model: type[Identified],
    row_id: str,
    touch: Touch,
    values: Mapping[str, Any] | None,
    before: str | None,
    after: str | None,
) -> Row:
    found = values or {}
    return {
        "action": "delete" if values is None else "create" if touch.made else "change",
        "kind": kind_of(model),
        "object_id": row_id,
        "tournament_id": row_id if model is Tournament else found.get("tournament_id"),
        "before": before,
        "after": after,
        "payload": {name: _told(found[name]) for name in _names(model, touch) if name in found},
    }


def _names(model: type[Identified], touch: Touch) -> list[str]:
    return sorted(shown(model) & (set(facts(model)) if touch.made else touch.columns))


def _told(value: Any) -> Any:
    """A value as the log shows it; a long one by its digest. No floats: they may change shape."""
    if value is None or isinstance(value, (bool, int)):
        return value
    data = canonical(value)
    if len(data) > LONGEST:
        return {"sha256": digest({"value": value})}
    return value if isinstance(value, str) else data.decode().strip('"')


def _now(
    session: Session, model: type[Identified], ids: Iterable[str]
) -> dict[str, Mapping[str, Any]]:
    """The facts as the database has them now, by id."""
    columns = [getattr(model, name) for name in facts(model)]
    found = session.execute(select(*columns).where(model.id.in_(list(ids))))
    return {row["id"]: dict(row) for row in found.mappings()}


def _known(session: Session, model: type[Identified], ids: Sequence[str]) -> dict[str, str | None]:
    """The digests after the last change that the log tells of, by id."""
    kind = kind_of(model)
    last = (
        select(AuditRow.object_id, func.max(AuditRow.seq))
        .where(AuditRow.kind == kind, AuditRow.object_id.in_(ids))
        .group_by(AuditRow.object_id)
    )
    query = select(AuditRow.object_id, AuditRow.after).where(
        AuditRow.kind == kind, tuple_(AuditRow.object_id, AuditRow.seq).in_(last)
    )
    return {row.object_id: row.after for row in session.execute(query)} if ids else {}


def _noted(told: Note) -> Row:
    return {
        "action": told.action,
        "kind": told.kind,
        "object_id": told.object_id,
        "tournament_id": told.object_id if told.kind == "tournament" else None,
        "before": None,
        "after": None,
        "payload": {name: _told(value) for name, value in told.payload.items()},
    }


def _append(session: Session, rows: Sequence[Row]) -> None:
    who = origin()
    common = {
        "at": utc_now(),
        "account_id": who.account_id,
        "token_id": who.token_id,
        "request_id": who.request_id,
        "operation": who.operation,
    }
    seq, last = _lock_head(session)
    sealed = []
    for seq, row in enumerate(rows, seq + 1):  # noqa: B020 - the numbers go on from the head's
        whole = {"seq": seq, **common, **row}
        last = row_hash(last, whole)
        sealed.append({**whole, "hash": last})
    session.execute(insert(AuditRow), sealed)
    session.execute(update(AuditHead).where(AuditHead.id == HEAD).values(seq=seq, hash=last))


def _lock_head(session: Session) -> tuple[int, str]:
    """Number and hash of the last row, locked to the commit."""
    found = _head(session)
    if found is None:
        postgres = session.get_bind().dialect.name == "postgresql"
        insertion = postgresql.insert(AuditHead) if postgres else sqlite.insert(AuditHead)
        first = insertion.values(id=HEAD, seq=0, hash=GENESIS)
        session.execute(first.on_conflict_do_nothing())
        found = _head(session)
    assert found is not None, "the head is never deleted"
    return found


def _head(session: Session) -> tuple[int, str] | None:
    query = select(AuditHead.seq, AuditHead.hash).where(AuditHead.id == HEAD).with_for_update()
    row = session.execute(query).one_or_none()
    return None if row is None else (row.seq, row.hash)
