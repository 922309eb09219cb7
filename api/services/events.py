"""Events are told in the transaction of what they tell of, and numbered so that none is missed.

A number may be given to nothing that is not committed in the order of the numbers: a reader who saw
12 would never look for 11 again. So whoever numbers holds the tournament's journal row to the end
of his transaction. For rare events that is the one who tells. Events of running matches would then
commit one after the other, hundreds a second; they are written without a number, and get it from
the next event of their tournament that has one, or from `number_waiting` within a second.

The order is that of the rows' ids: what came after a commit has a greater id than what was in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from sqlalchemy import (
    BigInteger,
    CursorResult,
    Table,
    and_,
    bindparam,
    case,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from ..db import db_now
from ..event_kinds import KINDS
from ..models import Event, EventView, Journal

_events = cast(Table, Event.__table__)  # half the time of an insert of models


@dataclass(frozen=True, slots=True)
class Telling:
    """An event to be told; `view` only where it differs from its kind's."""

    kind: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    match_id: str | None = None
    view: EventView | None = None


def tell(
    session: Session,
    tournament_id: str,
    kind: str,
    payload: Mapping[str, Any] | None = None,
    *,
    match_id: str | None = None,
    view: EventView | None = None,
) -> None:
    """Tell one event. Call it last where it can be: the journal stays locked to the commit."""
    tell_all(session, tournament_id, [Telling(kind, payload or {}, match_id, view)])


def tell_all(session: Session, tournament_id: str, tellings: Sequence[Telling]) -> None:
    """Tell several events of one tournament, in order."""
    if not tellings:
        return
    session.flush()
    journal = None
    if not all(KINDS[telling.kind].running for telling in tellings):
        journal = _lock(session, tournament_id)
    session.execute(insert(_events), [_row(tournament_id, telling) for telling in tellings])
    if journal is not None:
        _number(session, journal)


def number_waiting(session: Session, tournament_id: str) -> None:
    """Number what was told of running matches."""
    _number(session, _lock(session, tournament_id))


def waiting(session: Session) -> list[str]:
    """The tournaments that have events without a number."""
    return list(session.scalars(select(Event.tournament_id).where(Event.seq.is_(None)).distinct()))


def purge(session: Session, tournament_id: str, before: datetime) -> int:
    """Forget the events of a tournament from before a moment, the oldest first; returns how many.

    The journal remembers up to where, so that readers who come back learn that they missed some.
    """
    journal = _lock(session, tournament_id)
    old = and_(Event.tournament_id == tournament_id, Event.at < before)
    last = select(func.max(Event.seq), func.max(Event.public_seq)).where(old)
    seq, public_seq = session.execute(last).one()
    journal.purged_seq = max(journal.purged_seq, seq or 0)
    journal.purged_public_seq = max(journal.purged_public_seq, public_seq or 0)
    gone = session.execute(delete(Event).where(old).execution_options(synchronize_session=False))
    return cast(CursorResult[Any], gone).rowcount


def outdated(session: Session, before: datetime) -> list[str]:
    """The tournaments that have events from before a moment."""
    return list(session.scalars(select(Event.tournament_id).where(Event.at < before).distinct()))


def _row(tournament_id: str, telling: Telling) -> dict[str, Any]:
    kind = KINDS[telling.kind]
    return {
        "tournament_id": tournament_id,
        "match_id": telling.match_id,
        "kind": kind.name,
        "view": telling.view or kind.view,
        "payload": dict(telling.payload),
    }


def _lock(session: Session, tournament_id: str) -> Journal:
    """The tournament's journal, locked to the end of the transaction; made where there is none."""
    found = _locked(session, tournament_id)
    if found is None:
        made = _insert(session).values(tournament_id=tournament_id)
        session.execute(made.on_conflict_do_nothing())
        found = _locked(session, tournament_id)
    assert found is not None, "journals are never deleted"
    return found


def _locked(session: Session, tournament_id: str) -> Journal | None:
    return session.get(Journal, tournament_id, with_for_update=True, populate_existing=True)


def _insert(session: Session) -> postgresql.Insert | sqlite.Insert:
    postgres = session.get_bind().dialect.name == "postgresql"
    return postgresql.insert(Journal) if postgres else sqlite.insert(Journal)


def _numbering() -> Any:
    """Numbers every event of a tournament that can be seen and has none; built once, because to
    build it takes longer than to run it.
    """
    public = case((_events.c.view == EventView.PUBLIC, 1), else_=0)
    place = func.row_number().over(order_by=_events.c.id)
    public_place = func.sum(public).over(order_by=_events.c.id)
    after = bindparam("after", type_=BigInteger)
    public_after = bindparam("public_after", type_=BigInteger)
    fresh = (
        select(
            _events.c.id,
            (after + place).label("seq"),
            case((public == 1, public_after + public_place)).label("public_seq"),
        )
        .where(_events.c.tournament_id == bindparam("of_tournament"), _events.c.seq.is_(None))
        .subquery()
    )
    return (
        update(_events)
        .where(_events.c.id == fresh.c.id)
        .values(seq=fresh.c.seq, public_seq=fresh.c.public_seq, at=bindparam("moment"))
        .returning(_events.c.seq, _events.c.public_seq)
    )


_NUMBERING = _numbering()


def _number(session: Session, journal: Journal) -> None:
    """Number every event of the tournament that can be seen and has no number, by one UPDATE."""
    journal.at = max(journal.at, db_now(session))
    values = {
        "after": journal.seq,
        "public_after": journal.public_seq,
        "of_tournament": journal.tournament_id,
        "moment": moment(journal.at),
    }
    numbered = session.execute(_NUMBERING, values).all()
    journal.seq += len(numbered)
    journal.public_seq += sum(row.public_seq is not None for row in numbered)
    session.flush()


def moment(seconds: float) -> datetime:
    """A moment of the database's clock (seconds since 1970)."""
    return datetime.fromtimestamp(0, UTC) + timedelta(seconds=seconds)
