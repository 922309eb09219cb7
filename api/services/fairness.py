"""The fairness certificate of a tournament, from its rounds as they were drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, FromClause, case, column, func, select
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from baohuang.engine.tournament import luck
from baohuang.engine.tournament.entrants import took_part
from baohuang.engine.tournament.fairness import certificate as certify
from baohuang.engine.tournament.fairness import dealt_first_spread

from ..figures import Figures, figured
from ..models import Entry, Result, Tournament
from . import formats, history, pseudonyms, shared_cards
from .lifecycle import visible
from .principal import Principal


class Told(NamedTuple):
    """Numbers of rounds: the last one drawn, the last of which tables and deals are told yet."""

    drawn: int
    tables: int
    deals: int


def told(session: Session, actor: Principal, tournament_id: str) -> Told:
    """How far the certificate goes; the rest waits for the end of the round."""
    return _told(session, visible(session, actor, tournament_id))


def _told(session: Session, tournament: Tournament) -> Told:
    drawn = history.last_number(session, tournament.id)
    tables = pseudonyms.last_shown(session, tournament)
    deals = shared_cards.last_told(session, tournament)
    return Told(drawn, drawn if tables is None else tables, drawn if deals is None else deals)


def tag(session: Session, actor: Principal, tournament_id: str) -> str:
    """What changes whenever the certificate does: the start of its ETag."""
    tournament = visible(session, actor, tournament_id)
    known = ".".join(map(str, _told(session, tournament)))
    return f"{tournament.version}.{known}.{tournament.results_count}"


def certificate(
    session: Session, actor: Principal, tournament_id: str, figures: Figures | None = None
) -> dict[str, Any]:
    """The certificate of the rounds drawn so far, `entries` with their names."""
    key = ("fairness", tournament_id, tag(session, actor, tournament_id))
    tournament = visible(session, actor, tournament_id)

    def work() -> dict[str, Any]:
        return _certificate(session, tournament)

    return figured(figures, tournament.results_count, key, work, _rows)


def _rows(made: dict[str, Any]) -> int:
    """What it takes to keep it: the matrices have rows as well."""
    matrices = sum(made[name] is not None for name in ("meetings", "next"))
    return len(made["entries"]) * (1 + matrices)


def _certificate(session: Session, tournament: Tournament) -> dict[str, Any]:
    tournament_id = tournament.id
    field = history.field(session, tournament_id)
    drawn = history.rounds(session, tournament_id, pseudonyms.last_shown(session, tournament))
    made = certify(
        took_part(field.entrants, len(drawn)),
        drawn,
        house=field.house,
        replays=luck.replays(formats.scheme(tournament)[1]),
    )
    names = _names(session, tournament_id)
    first, deals = _dealt(session, tournament, made.entries)
    return {
        **made.to_json(),
        "entries": [{"entry_id": entry, "name": names[entry]} for entry in made.entries],
        "dealt_first": first,
        "dealt_first_spread": asdict(dealt_first_spread(first, deals)),
        "apart": [{"entry_ids": [x, y], "meetings": times} for x, y, times in made.apart],
    }


def _names(session: Session, tournament_id: str) -> dict[str, str]:
    query = select(Entry.id, Entry.name).where(Entry.tournament_id == tournament_id)
    return {row.id: row.name for row in session.execute(query)}


def _dealt(
    session: Session, tournament: Tournament, entries: Sequence[str]
) -> tuple[list[int], list[int]]:
    """Deals in which each was dealt first, and all its deals.

    After the first of a match that follows the emperor, so it tells of the deal before, and waits
    as the standings do. The database counts them: nobody else need see all hands.
    """
    each, packet = _PACKETS[session.get_bind().dialect.name]()
    query = (
        select(Result.entry_id, func.sum(case((packet == 0, 1), else_=0)), func.count())
        .select_from(Result, each)
        .where(Result.tournament_id == tournament.id)
    )
    known = shared_cards.last_told(session, tournament)
    if known is not None:
        query = query.where(Result.round_number <= known)
    rows = session.execute(query.group_by(Result.entry_id))
    counts = {entry: (first, deals) for entry, first, deals in rows}
    dealt = [counts.get(entry, (0, 0)) for entry in entries]
    return [first for first, _ in dealt], [deals for _, deals in dealt]


Packets = tuple[FromClause, ColumnElement[Any]]
"""A row for every hand of a result, and its packet: 0 was dealt first."""


def _of_sqlite() -> Packets:
    each = func.json_each(Result.hands).table_valued("value", joins_implicitly=True)
    return each, func.json_extract(each.c.value, "$[2]")


def _of_postgresql() -> Packets:
    each = func.jsonb_array_elements(Result.hands).table_valued(
        column("value", JSONB), joins_implicitly=True
    )
    return each, each.c.value[2].as_integer()


_PACKETS = {"sqlite": _of_sqlite, "postgresql": _of_postgresql}
