"""A tournament's stored rows as the engine's values: what seating and standings are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from baohuang.engine.draw import Draw, seats_key
from baohuang.engine.tournament import plan, results, scheme
from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.formats import FORMATS

from ..models import Agent, Entry, EntryStatus, Match, Result, Round, Seat, Table, Tournament
from ..vault import Vault

LOTS = "standings/lot"
"""The context of the draw of lots, under the key of the seats."""

HOUSE = "house"
"""House bots count as agents of one owner, so that seating keeps them apart."""


@dataclass(frozen=True)
class Participant:
    """An entry as standings and seating see it; `lot` is its place by lot."""

    entrant: Entrant
    house: bool
    lot: int | None


def participants(session: Session, tournament_id: str) -> list[Participant]:
    """All entries, by id. The withdrawn stay: the server plays their seats."""
    rows = session.execute(
        select(Entry.id, Entry.house_bot, Entry.lot, Agent.owner_id)
        .outerjoin(Agent, Agent.id == Entry.agent_id)
        .where(Entry.tournament_id == tournament_id)
        .order_by(Entry.id)
    )
    return [
        Participant(
            Entrant(row.id, owner=row.owner_id or HOUSE), row.house_bot is not None, row.lot
        )
        for row in rows
    ]


def rounds(session: Session, tournament_id: str) -> tuple[plan.Round, ...]:
    """The rounds drawn so far, with their tables and who sat out."""
    rows = session.execute(
        select(Round.number, Table.number.label("table"), Seat.entry_id)
        .join(Table, Table.round_id == Round.id)
        .join(Seat, Seat.table_id == Table.id)
        .where(Round.tournament_id == tournament_id)
        .order_by(Round.number, Table.number, Seat.seat)
    ).all()
    everybody = {p.entrant.id for p in participants(session, tournament_id)}
    return tuple(
        _round(number, list(sitting), everybody)
        for number, sitting in groupby(rows, attrgetter("number"))
    )


def _round(number: int, sitting: Sequence[Any], everybody: set[str]) -> plan.Round:
    tables = tuple(
        tuple(row.entry_id for row in table) for _, table in groupby(sitting, attrgetter("table"))
    )
    return plan.Round(number, tables, tuple(sorted(everybody - {r.entry_id for r in sitting})))


def played(
    session: Session, tournament_id: str, as_of: int | None = None
) -> tuple[results.Result, ...]:
    """The results of all finished matches, or of the rounds up to `as_of`."""
    query = (
        select(Result, Table.number.label("table"), Entry.house_bot)
        .join(Match, Match.id == Result.match_id)
        .join(Table, Table.id == Match.table_id)
        .join(Entry, Entry.id == Result.entry_id)
        .where(Result.tournament_id == tournament_id)
        .order_by(Result.round_number, Table.number, Result.seat)
    )
    columns = query.with_only_columns(
        *Result.__table__.columns, Table.number.label("table"), Entry.house_bot
    )
    if as_of is not None:
        columns = columns.where(Result.round_number <= as_of)
    return tuple(_result(row) for row in session.execute(columns))


def _result(row: Any) -> results.Result:
    return results.Result(
        entry=row.entry_id,
        round=row.round_number,
        table=row.table,
        match=row.match_id,
        seat=row.seat,
        points=row.points,
        penalty=row.penalty,
        deals=row.deals,
        places=tuple(row.places),
        roles={name: results.RoleCount(*count) for name, count in row.roles.items()},
        house=row.house_bot is not None,
    )


def state(session: Session, vault: Vault, tournament: Tournament) -> scheme.State:
    """What a format draws the next round from."""
    key = _key(vault, tournament)
    return scheme.State(
        entrants=tuple(p.entrant for p in participants(session, tournament.id)),
        options=FORMATS[tournament.format].options({"rounds": tournament.rounds}),
        lots=lambda number: Draw(key, f"round/{number}/seats"),
        rounds=rounds(session, tournament.id),
        results=played(session, tournament.id),
        course=scheme.Course.from_json(tournament.course) if tournament.course else None,
    )


def deserted(session: Session, tournament_id: str) -> bool:
    """Whether agents had entered and all of them have withdrawn."""
    agents = select(Entry.status).where(
        Entry.tournament_id == tournament_id, Entry.agent_id.is_not(None)
    )
    return set(session.scalars(agents.distinct())) == {EntryStatus.WITHDRAWN}


def draw_lots(session: Session, vault: Vault, tournament: Tournament) -> None:
    """Give every entry its place by lot, for the tie-break of that name."""
    ids = [p.entrant.id for p in participants(session, tournament.id)]
    Draw(_key(vault, tournament), LOTS).shuffle(ids)
    session.execute(
        update(Entry), [{"id": entry_id, "lot": lot} for lot, entry_id in enumerate(ids, 1)]
    )


def _key(vault: Vault, tournament: Tournament) -> bytes:
    """The key of seats and lots; there is one from the start on, when the entrants are frozen."""
    assert tournament.entrants_hash is not None, "a tournament that has not started draws nothing"
    return seats_key(vault.open(tournament.secret), bytes.fromhex(tournament.entrants_hash))
