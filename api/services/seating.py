"""A drawn round in the database: its tables, their seats, their queued matches."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

from sqlalchemy import case, insert, select
from sqlalchemy.orm import Session

from baohuang.engine.tournament import duplicate, luck, plan
from baohuang.engine.tournament.drawing import DRAWING

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
    VersionStatus,
    new_id,
    utc_now,
)
from . import deadlines, formats


@dataclass(frozen=True)
class Seated:
    """A new match: its table's number, and the entries in the order of its seats."""

    match_id: str
    table: int
    seats: plan.Table


def add_round(
    session: Session, tournament: Tournament, drawn: plan.Round
) -> tuple[Round, list[Seated]]:
    """The round, and its matches, table 1 first."""
    now = utc_now()
    opened = Round(
        tournament_id=tournament.id,
        number=drawn.number,
        opened_at=now,
        deadline_at=deadlines.of_round(tournament, now),
        byes=list(drawn.byes),
        out=list(drawn.out),
        drawing=DRAWING,
    )
    session.add(opened)
    session.flush()
    _use_spares(session, tournament.id, {x for table in drawn.tables for x in table})
    return opened, _add_tables(session, tournament, opened, drawn)


def duplicate_boards(tournament: Tournament) -> bool:
    """Whether cards are played more than once."""
    return luck.compares(formats.scheme(tournament)[1])


def sittings(tournament: Tournament, drawn: plan.Round) -> list[duplicate.Sitting]:
    """The matches of a round as the tournament's boards have it, table 1 first."""
    options = formats.scheme(tournament)[1]
    replays, shared = luck.replays(options), luck.shares(options)
    return duplicate.sittings(drawn, tournament.deals, replays, shared=shared)


def board_id(tournament_id: str, board: str) -> str:
    """The name of cards: equal names have equal deals (contract.md section 3)."""
    return f"{tournament_id}/{board}"


def live_versions(session: Session, tournament: Tournament) -> dict[str, str]:
    """entry id -> the version of its agent that plays a round which opens now.

    Where badges are required, the newest one that has one; if none does any more, that had one.
    """
    query = (
        select(Entry.id, AgentVersion.id.label("version"))
        .join(Agent, Agent.id == Entry.agent_id)
        .join(AgentVersion, AgentVersion.agent_id == Agent.id)
        .where(Entry.tournament_id == tournament.id)
    )
    live = session.execute(query.where(AgentVersion.number == Agent.current))
    found = {row.id: row.version for row in live}
    if tournament.badge_required:
        checked = query.where(
            AgentVersion.badge_until.is_not(None),
            AgentVersion.status == VersionStatus.VERIFIED,
            ~AgentVersion.shadow,
        )
        good = case((AgentVersion.badge_until > utc_now(), 1), else_=0)
        best_last = session.execute(checked.order_by(good, AgentVersion.number))
        found |= {row.id: row.version for row in best_last}
    return found


def changed_versions(session: Session, opened: Round) -> list[dict[str, Any]]:
    """Entries for whose agent another version plays in a round than in the one before."""
    now = _versions_in(session, opened.tournament_id, opened.number)
    before = _versions_in(session, opened.tournament_id, opened.number - 1)
    moved = {x for x, version in now.items() if before.get(x, version) != version}
    pinned = {now[x] for x in moved} | {before[x] for x in moved}
    columns = (AgentVersion.id, AgentVersion.agent_id, AgentVersion.number)
    rows = session.execute(select(*columns).where(AgentVersion.id.in_(pinned))) if moved else ()
    versions = {row.id: row for row in rows}
    changed = {x for x in moved if _same_agent(versions[now[x]], versions[before[x]])}
    named = select(Entry.id, Entry.name).where(Entry.id.in_(changed)).order_by(Entry.id)
    return [
        {
            "entry_id": entry.id,
            "name": entry.name,
            "agent_id": versions[now[entry.id]].agent_id,
            "version": versions[now[entry.id]].number,
        }
        for entry in (session.execute(named) if changed else ())
    ]


def _same_agent(one: Any, other: Any) -> bool:
    same: bool = one.agent_id == other.agent_id
    return same


def _versions_in(session: Session, tournament_id: str, number: int) -> dict[str, str]:
    """entry -> the version of its agent that a round pinned."""
    rows = session.execute(
        select(Seat.entry_id, Seat.agent_version_id)
        .join(Table, Table.id == Seat.table_id)
        .join(Round, Round.id == Table.round_id)
        .where(Round.tournament_id == tournament_id, Round.number == number)
        .where(Seat.agent_version_id.is_not(None))
    )
    return {entry_id: version_id for entry_id, version_id in rows if version_id is not None}


def _use_spares(session: Session, tournament_id: str, seated: set[str]) -> None:
    """House bots that are seated are spare no more."""
    spare = (Entry.tournament_id == tournament_id, Entry.status == EntryStatus.SPARE)
    for entry in session.scalars(select(Entry).where(*spare)):
        if entry.id in seated:
            entry.status = EntryStatus.ENTERED
            entry.version += 1


def _add_tables(
    session: Session, tournament: Tournament, opened: Round, drawn: plan.Round
) -> list[Seated]:
    """Three statements, however many tables and matches."""
    made = {"created_at": opened.opened_at, "version": 1}
    ids = [new_id() for _ in drawn.tables]
    pinned = live_versions(session, tournament)
    session.execute(
        insert(Table),
        [
            {"id": table_id, "round_id": opened.id, "number": number, **made}
            for number, table_id in enumerate(ids, 1)
        ],
    )
    session.execute(
        insert(Seat),
        [
            {"table_id": table_id, "seat": i, "entry_id": x, "agent_version_id": pinned.get(x)}
            for table_id, table in zip(ids, drawn.tables, strict=True)
            for i, x in enumerate(table)
        ],
    )
    matches = _shuffled(sittings(tournament, drawn))
    made_ids = [new_id() for _ in matches]
    rows = [
        {
            **made,
            "id": match_id,
            "tournament_id": tournament.id,
            "round_id": opened.id,
            "table_id": ids[each.table - 1],
            "board": board_id(tournament.id, each.board),
            "sitting": each.replay,
            "deals": each.deals,
            "status": MatchStatus.QUEUED,
            "epoch": 0,
            "attempts": 0,
        }
        for match_id, each in zip(made_ids, matches, strict=True)
    ]
    session.execute(insert(Match), rows)
    return [
        Seated(match_id, each.table, each.seats)
        for match_id, each in zip(made_ids, matches, strict=True)
    ]


def _shuffled(matches: list[duplicate.Sitting]) -> list[duplicate.Sitting]:
    """Table by table, each table's in an order that tells nobody which of them share cards."""
    mixed = [(each.table, secrets.randbits(64), each) for each in matches]
    return [each for *_, each in sorted(mixed, key=lambda item: item[:2])]
