"""Tables and matches as spectators see them, and the faults that owners and organizers see."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import Row, Select, and_, select
from sqlalchemy.orm import Bundle, Session

from ..errors import Forbidden
from ..models import Agent, Entry, Fault, Match, Result, Round, Seat, Table, Tournament
from . import rounds
from .lifecycle import visible
from .paging import Page, page_of
from .principal import Principal
from .rows import get_row, missing

MATCH_COLUMNS = (
    Match.id,
    Match.version,
    Match.tournament_id,
    Round.number.label("round"),
    Table.number.label("table"),
    Match.deals,
    Match.status,
    Match.attempts,
    Match.error,
    Match.started_at,
    Match.finished_at,
)


def search_tables(
    session: Session,
    actor: Principal,
    tournament_id: str,
    number: int,
    after: tuple[object, ...] | None,
    limit: int,
) -> Page[dict[str, Any]]:
    """The tables of a round with their five seats and their match, table 1 first."""
    found = rounds.find(session, actor, tournament_id, number)
    columns = (Table.id, Table.number, Match.id.label("match_id"), Match.status)
    query: Select[Any] = (
        select(Bundle("table", *columns))
        .join(Match, Match.table_id == Table.id)
        .where(Table.round_id == found.id)
    )
    page: Page[Row[Any]] = page_of(session, query, [Table.number], after, limit)
    seats = _seats(session, [row.id for row in page.items])
    shown = [{**row._mapping, "seats": seats[row.id]} for row in page.items]
    return Page(shown, page.after)


def search_matches(
    session: Session,
    actor: Principal,
    tournament_id: str,
    after: tuple[object, ...] | None,
    limit: int,
    *,
    number: int | None = None,
    status: str | None = None,
) -> Page[Row[Any]]:
    """The matches of a tournament, or of its round `number`, in the order of their making."""
    visible(session, actor, tournament_id)
    query = _matches().where(Match.tournament_id == tournament_id)
    if number is not None:
        query = query.where(Round.number == number)
    if status is not None:
        query = query.where(Match.status == status)
    return page_of(session, query, [Match.id], after, limit)


def find_match(session: Session, actor: Principal, match_id: str) -> dict[str, Any]:
    """One match with its seats; each shows its points once the match has finished."""
    found: Row[Any] | None = session.scalars(_matches().where(Match.id == match_id)).one_or_none()
    if found is None:
        raise missing(Match)
    visible(session, actor, found.tournament_id)
    seats = session.execute(
        select(Seat.seat, Seat.entry_id, Entry.name, Result.points, Result.penalty)
        .join(Entry, Entry.id == Seat.entry_id)
        .join(Match, Match.table_id == Seat.table_id)
        .outerjoin(Result, and_(Result.match_id == Match.id, Result.seat == Seat.seat))
        .where(Match.id == match_id)
        .order_by(Seat.seat)
    ).all()
    return {**found._mapping, "seats": seats}


def search_faults(
    session: Session,
    actor: Principal,
    match_id: str,
    after: tuple[object, ...] | None,
    limit: int,
) -> Page[Fault]:
    """The faults of a match: all for the organizer, for an agent's owner those of the agent."""
    match = get_row(session, Match, match_id)
    query = select(Fault).where(Fault.match_id == match_id)
    if not actor.owns(session.get_one(Tournament, match.tournament_id).organizer_id):
        mine = _own_entries(session, actor, match.table_id)
        if not mine:
            raise Forbidden("Only the organizer and the players' owners may see this.")
        query = query.where(Fault.entry_id.in_(mine))
    return page_of(session, query, [Fault.seq], after, limit)


def _matches() -> Select[Any]:
    return (
        select(Bundle("match", *MATCH_COLUMNS))
        .join(Round, Round.id == Match.round_id)
        .join(Table, Table.id == Match.table_id)
    )


def _seats(session: Session, table_ids: Sequence[str]) -> dict[str, list[Row[Any]]]:
    rows: Sequence[Any] = session.execute(
        select(Seat.table_id, Seat.seat, Seat.entry_id, Entry.name)
        .join(Entry, Entry.id == Seat.entry_id)
        .where(Seat.table_id.in_(table_ids))
        .order_by(Seat.table_id, Seat.seat)
    ).all()
    return {table: list(seats) for table, seats in groupby(rows, lambda row: row.table_id)}


def _own_entries(session: Session, actor: Principal, table_id: str) -> list[str]:
    query = (
        select(Entry.id)
        .join(Agent, Agent.id == Entry.agent_id)
        .join(Seat, Seat.entry_id == Entry.id)
        .where(Seat.table_id == table_id, Agent.owner_id == actor.account_id)
    )
    return list(session.scalars(query))
