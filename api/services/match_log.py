"""What a match leaves in the database: its log, its faults, its results.

Everything else follows from the key and the rules, so this is all that another worker needs to go
on with it (design.md section 6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, cast

from sqlalchemy import Table as SqlTable
from sqlalchemy import and_, func, insert, select
from sqlalchemy.orm import Session

from baohuang.engine.tournament import results
from baohuang.engine.tournament.par import Worth

from ..models import (
    Decision,
    Entry,
    Fault,
    FurtherCall,
    Match,
    PracticeSeat,
    Result,
    Round,
    Seat,
    Table,
    new_id,
)
from ..remote.faults import ChargedTo
from ..remote.table import SeatClock
from ..remote.wire import Clock, LastCall
from .sittings import SEAT

LogEntry = tuple[int, str, bool]
"""(seat, answer, auto): one answer from outside, as in the referee's log."""

DETAIL_CHARS = 300
_ADD_DECISIONS = insert(cast(SqlTable, Decision.__table__))  # past the ORM, which costs twice that


_CALL = ("asked_at", "budget_ms", "bank_ms", "ms", "charged_ms", "note")
_NO_CALL: dict[str, Any] = dict.fromkeys(_CALL)


class SeatFault(Protocol):
    """A fault as the table of a match reports it; `seq` is its decision's place in the log."""

    @property
    def seq(self) -> int: ...
    @property
    def seat(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def charged_to(self) -> str: ...
    @property
    def ms(self) -> int: ...
    @property
    def detail(self) -> str | None: ...


class SeatCall(Protocol):
    """How the call behind a decision went; `seq` is the decision's place in the log."""

    @property
    def seq(self) -> int: ...
    @property
    def asked_at(self) -> datetime: ...
    @property
    def budget_ms(self) -> int: ...
    @property
    def bank_ms(self) -> int: ...
    @property
    def ms(self) -> int: ...
    @property
    def charged_ms(self) -> int: ...
    @property
    def note(self) -> str | None: ...


class SeatFurther(Protocol):
    """A request that no decision tells of (models: `FurtherCall`)."""

    @property
    def seat(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def seq(self) -> int | None: ...
    @property
    def request(self) -> str: ...
    @property
    def asked_at(self) -> datetime: ...
    @property
    def ms(self) -> int: ...
    @property
    def fault(self) -> str | None: ...
    @property
    def charged_to(self) -> str | None: ...
    @property
    def detail(self) -> str | None: ...


class RecordedMatch(Protocol):
    """What storing a finished match needs of the engine's `Match`."""

    @property
    def log(self) -> Sequence[LogEntry]: ...
    @property
    def deals_done(self) -> Sequence[Mapping[str, Any]]: ...
    @property
    def penalties(self) -> Sequence[int]: ...

    def record(
        self, seats: Sequence[str], match: str | None = None, reveal: bool = True
    ) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Sitting:
    """Who sits where in a match: entry ids and names by seat."""

    entries: Sequence[str]
    names: Sequence[str]


def sitting(session: Session, match_id: str) -> Sitting:
    """The five entries of a match in the order of its seats."""
    rows = session.execute(
        select(Entry.id, Entry.name)
        .join(Seat, Seat.entry_id == Entry.id)
        .join(Match, Match.table_id == Seat.table_id)
        .where(Match.id == match_id)
        .order_by(SEAT)
    ).all()
    return Sitting([row.id for row in rows], [row.name for row in rows])


def names(session: Session, match_id: str) -> Sequence[str]:
    """The five names of a match in seat order, of a practice match as well."""
    practice = select(PracticeSeat.name).where(PracticeSeat.match_id == match_id)
    found = session.scalars(practice.order_by(PracticeSeat.seat)).all()
    return found or sitting(session, match_id).names


def load(session: Session, match_id: str) -> tuple[LogEntry, ...]:
    """The stored log, in order."""
    rows = session.execute(
        select(Decision.seat, Decision.answer, Decision.auto)
        .where(Decision.match_id == match_id)
        .order_by(Decision.seq)
    )
    return tuple((seat, answer, auto) for seat, answer, auto in rows)


def clocks(session: Session, match_id: str) -> dict[int, SeatClock]:
    """seat -> bank and last call of the agents that were asked so far."""
    asked = Decision.match_id == match_id, Decision.ms.is_not(None)
    last = select(func.max(Decision.seq)).where(*asked).group_by(Decision.seat)
    rows = session.execute(
        select(
            Decision.seat, Decision.budget_ms, Decision.bank_ms, Decision.ms, Decision.charged_ms,
            Fault.kind,
        )
        .outerjoin(Fault, and_(Fault.match_id == Decision.match_id, Fault.seq == Decision.seq))
        .where(Decision.match_id == match_id, Decision.seq.in_(last))
    )  # fmt: skip
    return {row.seat: _clock_after(row) for row in rows}


def _clock_after(row: Any) -> SeatClock:
    clock = SeatClock(row.bank_ms)
    call = LastCall(row.ms, row.charged_ms, row.kind or "ok")
    clock.spend(Clock(row.budget_ms, row.bank_ms), call)
    return clock


def charges(session: Session, match_id: str) -> dict[int, ChargedTo]:
    """Place in the log -> to whom the fault there is charged."""
    rows = session.execute(select(Fault.seq, Fault.charged_to).where(Fault.match_id == match_id))
    return {seq: cast(ChargedTo, charged_to) for seq, charged_to in rows}


def store(
    session: Session,
    match_id: str,
    epoch: int,
    start_seq: int,
    entries: Sequence[LogEntry],
    calls: Sequence[SeatCall] = (),
) -> None:
    """Add a block that begins at place `start_seq` (from 0) of the log."""
    went = {call.seq: _went(call) for call in calls}
    rows = [
        {"match_id": match_id, "seq": seq, "seat": s, "answer": text, "auto": auto, "epoch": epoch}
        | went.get(seq, _NO_CALL)
        for seq, (s, text, auto) in enumerate(entries, start_seq)
    ]
    if rows:
        session.execute(_ADD_DECISIONS, rows)


def _went(call: SeatCall) -> dict[str, Any]:
    return {name: getattr(call, name) for name in _CALL}


def store_faults(session: Session, match_id: str, faults: Sequence[SeatFault]) -> None:
    """Add faults, each under the entry that sits at its seat (none in a practice match)."""
    if not faults:
        return
    seats: Sequence[str | None] = sitting(session, match_id).entries or [None] * 5
    rows = [
        {
            "match_id": match_id,
            "seq": fault.seq,
            "seat": fault.seat,
            "entry_id": seats[fault.seat],
            "kind": fault.kind,
            "charged_to": fault.charged_to,
            "ms": fault.ms,
            "detail": fault.detail[:DETAIL_CHARS] if fault.detail else None,
        }
        for fault in faults
    ]
    session.execute(insert(Fault), rows)


_FURTHER = ("seat", "kind", "seq", "request", "asked_at", "ms", "fault", "charged_to", "detail")


def store_further(session: Session, match_id: str, further: Sequence[SeatFurther]) -> None:
    """Add what was sent besides."""
    rows = [
        {"id": new_id(), "match_id": match_id} | {name: getattr(call, name) for name in _FURTHER}
        for call in further
    ]
    if rows:
        session.execute(insert(FurtherCall), rows)


def store_results(
    session: Session, match_id: str, match: RecordedMatch, par: Worth | None = None
) -> None:
    """What each of the five took from it; deals that do not count are left out."""
    place = session.execute(
        select(Match.tournament_id, Match.lineup, Round.number, Table.number.label("table"))
        .join(Round, Round.id == Match.round_id)
        .join(Table, Table.id == Match.table_id)
        .where(Match.id == match_id)
    ).one()
    rows = results.rows(
        sitting(session, match_id).entries,
        match.deals_done,
        match.penalties,
        round_=place.number,
        table=place.table,
        match=match_id,
        par=par,
    )
    session.execute(
        insert(Result),
        [
            {**player, **_columns(place.tournament_id, row)}
            for row, player in zip(rows, place.lineup, strict=True)
        ],
    )


def _columns(tournament_id: str, row: results.Result) -> dict[str, Any]:
    return {
        "match_id": row.match,
        "seat": row.seat,
        "tournament_id": tournament_id,
        "entry_id": row.entry,
        "round_number": row.round,
        "points": row.points,
        "penalty": row.penalty,
        "deals": row.deals,
        "places": list(row.places),
        "roles": {name: [count.deals, count.points] for name, count in row.roles.items()},
        "hands": [hand.to_json() for hand in row.hands],
    }
