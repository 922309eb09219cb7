"""A drawn round in the database: its tables, their seats, their queued matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import and_, insert, select
from sqlalchemy.orm import Session

from baohuang.engine.tournament import plan

from ..models import (
    Agent,
    AgentVersion,
    Entry,
    EntryStatus,
    Match,
    MatchStatus,
    Round,
    Seat,
    Table,
    Tournament,
    new_id,
    utc_now,
)
from . import deadlines


def add_round(
    session: Session, tournament: Tournament, drawn: plan.Round
) -> tuple[Round, list[str]]:
    """The round, and the ids of its matches, table 1 first."""
    now = utc_now()
    opened = Round(
        tournament_id=tournament.id,
        number=drawn.number,
        opened_at=now,
        deadline_at=deadlines.of_round(tournament, now),
        byes=list(drawn.byes),
        out=list(drawn.out),
    )
    session.add(opened)
    session.flush()
    _use_spares(session, tournament.id, {x for table in drawn.tables for x in table})
    return opened, _add_tables(session, tournament, opened, drawn.tables)


def board_id(tournament_id: str, number: int, table: int) -> str:
    """The name of a table's cards: equal names have equal deals (contract.md section 3)."""
    return f"{tournament_id}/{number}/{table}"


def live_versions(session: Session, tournament_id: str) -> dict[str, str]:
    """entry id -> the version of its agent that plays a round which opens now."""
    rows = session.execute(
        select(Entry.id, AgentVersion.id.label("live"))
        .join(Agent, Agent.id == Entry.agent_id)
        .join(
            AgentVersion,
            and_(AgentVersion.agent_id == Agent.id, AgentVersion.number == Agent.current),
        )
        .where(Entry.tournament_id == tournament_id)
    )
    return {row.id: row.live for row in rows}


def _use_spares(session: Session, tournament_id: str, seated: set[str]) -> None:
    """House bots that are seated are spare no more."""
    spare = (Entry.tournament_id == tournament_id, Entry.status == EntryStatus.SPARE)
    for entry in session.scalars(select(Entry).where(*spare)):
        if entry.id in seated:
            entry.status = EntryStatus.ENTERED
            entry.version += 1


def _add_tables(
    session: Session, tournament: Tournament, opened: Round, seating: Iterable[Sequence[str]]
) -> list[str]:
    """Three statements, however many tables."""
    made = {"created_at": opened.opened_at, "version": 1}
    match = {
        **made,
        "tournament_id": tournament.id,
        "round_id": opened.id,
        "deals": tournament.deals,
        "status": MatchStatus.QUEUED,
        "epoch": 0,
        "attempts": 0,
    }
    tables, seats, matches, ids = [], [], [], []
    pinned = live_versions(session, tournament.id)
    for number, sitting in enumerate(seating, 1):
        table_id, match_id = new_id(), new_id()
        board = board_id(tournament.id, opened.number, number)
        tables.append({"id": table_id, "round_id": opened.id, "number": number, **made})
        seats += [
            {"table_id": table_id, "seat": i, "entry_id": x, "agent_version_id": pinned.get(x)}
            for i, x in enumerate(sitting)
        ]
        matches.append({"id": match_id, "table_id": table_id, "board": board, **match})
        ids.append(match_id)
    session.execute(insert(Table), tables)
    session.execute(insert(Seat), seats)
    session.execute(insert(Match), matches)
    return ids
