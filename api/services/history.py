"""A tournament's stored rows as the engine's values: what seating and standings are made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, func, select, update
from sqlalchemy.orm import Session

from baohuang.engine.draw import Draw, seats_key
from baohuang.engine.tournament import luck, plan, results
from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.lots import lot_of
from baohuang.engine.tournament.scheme import Course, State

from ..models import (
    Agent,
    AgentStatus,
    Entry,
    EntryStatus,
    Match,
    Result,
    Round,
    RoundStatus,
    Seat,
    Table,
    Tournament,
)
from ..vault import Vault
from . import formats, overlay

ENTRANT = (
    Entry.id, Entry.house_bot, Entry.fills, Entry.lot, Entry.joined, Entry.left, Entry.absent,
    Entry.seed, Entry.status,
)  # fmt: skip
RESULT = (
    Result.match_id, Result.seat, Result.entry_id, Result.round_number, Result.points,
    Result.penalty, Result.deals, Result.places, Result.roles, Result.stand_in,
)  # fmt: skip


@dataclass(frozen=True)
class Field:
    """Who takes part or did, by id.

    `fills`: house bots for free seats, in order of use; `house`: all house bots; `lots`: numbers by
    lot, once drawn.
    """

    entrants: tuple[Entrant, ...]
    fills: tuple[str, ...]
    house: frozenset[str]
    lots: Mapping[str, int]


def field(session: Session, tournament_id: str) -> Field:
    """The field of a tournament."""
    rows = session.execute(
        select(*ENTRANT, Agent.owner_id)
        .outerjoin(Agent, Agent.id == Entry.agent_id)
        .where(Entry.tournament_id == tournament_id, Entry.joined.is_not(None))
        .order_by(Entry.joined, Entry.id)
    ).all()
    return Field(
        entrants=tuple(_entrant(row) for row in rows if not row.fills),
        fills=tuple(row.id for row in rows if row.fills),
        house=frozenset(row.id for row in rows if row.house_bot is not None),
        lots={row.id: row.lot for row in rows if row.lot is not None},
    )


def has_house(session: Session, tournament_id: str) -> bool:
    """Whether house bots are in the field."""
    query = select(Entry.id).where(
        Entry.tournament_id == tournament_id,
        Entry.joined.is_not(None),
        Entry.house_bot.is_not(None),
    )
    return session.scalar(query.limit(1)) is not None


def _entrant(row: Any) -> Entrant:
    return Entrant(
        row.id,
        joined=row.joined,
        left=row.left,
        owner=row.owner_id,
        seed=row.seed,
        house=row.house_bot is not None,
        absent=frozenset(row.absent),
        disqualified=row.status == EntryStatus.DISQUALIFIED,
    )


def last_number(session: Session, tournament_id: str) -> int:
    """The number of the last round that was opened, 0 before the first."""
    query = select(func.max(Round.number)).where(Round.tournament_id == tournament_id)
    return session.scalar(query) or 0


def running_number(session: Session, tournament_id: str) -> int | None:
    """The number of the round that is being played, if one is."""
    query = select(Round.number).where(
        Round.tournament_id == tournament_id, Round.status == RoundStatus.RUNNING
    )
    return session.scalar(query)


def round_runs() -> ColumnElement[bool]:
    """Whether a round of the statement's tournament is being played."""
    running = select(Round.id).where(
        Round.tournament_id == Tournament.id, Round.status == RoundStatus.RUNNING
    )
    return running.correlate(Tournament).exists()


def rounds(
    session: Session, tournament_id: str, as_of: int | None = None
) -> tuple[plan.Round, ...]:
    """The rounds drawn so far (up to `as_of`): tables in order, who sat out, who was out."""
    query = select(Round.number, Round.byes, Round.out).where(Round.tournament_id == tournament_id)
    if as_of is not None:
        query = query.where(Round.number <= as_of)
    tables = _tables(session, tournament_id, as_of)
    return tuple(
        plan.Round(row.number, tables.get(row.number, ()), tuple(row.byes), tuple(row.out))
        for row in session.execute(query.order_by(Round.number))
    )


def drawings(session: Session, tournament_id: str) -> dict[int, int]:
    """round number -> the version of the drawing that drew it."""
    query = select(Round.number, Round.drawing).where(Round.tournament_id == tournament_id)
    return {row.number: row.drawing for row in session.execute(query)}


def _tables(
    session: Session, tournament_id: str, as_of: int | None
) -> dict[int, tuple[plan.Table, ...]]:
    """round number -> its tables, each five entry ids in seat order."""
    query = (
        select(Round.number, Table.number.label("table"), Seat.entry_id)
        .join(Table, Table.round_id == Round.id)
        .join(Seat, Seat.table_id == Table.id)
        .where(Round.tournament_id == tournament_id, Table.replays.is_(None))
        .order_by(Round.number, Table.number, Seat.seat)
    )
    if as_of is not None:
        query = query.where(Round.number <= as_of)
    rows = session.execute(query)
    found: dict[int, dict[int, list[str]]] = {}
    for number, table, entry_id in rows:
        found.setdefault(number, {}).setdefault(table, []).append(entry_id)
    return {number: tuple(map(tuple, tables.values())) for number, tables in found.items()}


def played(
    session: Session, tournament_id: str, as_of: int | None = None, *, hands: bool = False
) -> tuple[results.Result, ...]:
    """The results that count: of all finished matches, or of the rounds up to `as_of`."""
    aside = overlay.of(session, tournament_id).set_aside
    found = finished(session, tournament_id, as_of, hands=hands)
    return tuple(r for r in found if r.match not in aside)


def finished(
    session: Session, tournament_id: str, as_of: int | None = None, *, hands: bool = False
) -> tuple[results.Result, ...]:
    """The results of all finished matches, whatever was ruled; a replay's under its table.

    hands: whether they know what was made deal by deal.
    """
    table = func.coalesce(Table.replays, Table.number).label("table")
    query = (
        select(*RESULT, table, Entry.house_bot.label("entry_bot"))
        .join(Match, Match.id == Result.match_id)
        .join(Table, Table.id == Match.table_id)
        .join(Entry, Entry.id == Result.entry_id)
        .where(Result.tournament_id == tournament_id)
        .order_by(Result.round_number, Table.number, Match.id, Result.seat)
    )
    if hands:
        query = query.add_columns(Result.hands, Match.board)
    if as_of is not None:
        query = query.where(Result.round_number <= as_of)
    return tuple(_result(row, hands) for row in session.execute(query))


def _result(row: Any, hands: bool) -> results.Result:
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
        house=row.entry_bot is not None,
        stand_in=row.stand_in,
        cards=row.board if hands else "",
        hands=tuple(results.Held.from_json(hand) for hand in row.hands) if hands else (),
    )


@dataclass(frozen=True)
class Past:
    """What was drawn and played: the long part of a tournament, which no ruling changes.

    `results`: of all finished matches, whatever was ruled.
    """

    rounds: tuple[plan.Round, ...]
    results: tuple[results.Result, ...]

    def until(self, number: int | None) -> Past:
        """As it was after a round."""
        if number is None:
            return self
        rounds = tuple(r for r in self.rounds if r.number <= number)
        return Past(rounds, tuple(r for r in self.results if r.round <= number))


def past_of(session: Session, tournament: Tournament, as_of: int | None = None) -> Past:
    """The past of a tournament, up to round `as_of`."""
    luck_told = tells_luck(tournament)
    return Past(
        rounds(session, tournament.id, as_of),
        finished(session, tournament.id, as_of, hands=luck_told),
    )


def drawing_state(
    session: Session, vault: Vault, tournament: Tournament, past: Past | None = None
) -> State:
    """What the format draws the next round from."""
    key = draw_key(vault, tournament)
    return state(
        session, tournament, lots=lambda number: Draw(key, f"round/{number}/seats"), past=past
    )


def state(
    session: Session,
    tournament: Tournament,
    *,
    as_of: int | None = None,
    lots: Callable[[int], Draw] | None = None,
    past: Past | None = None,
) -> State:
    """All that a format may look at, as it is now or was after round `as_of`.

    Without `lots` nothing can be drawn from it, but everybody's progress can be told. The whole
    `past` need not be read again.
    """
    who = field(session, tournament.id)
    ruled = overlay.of(session, tournament.id)
    known = past_of(session, tournament, as_of) if past is None else past.until(as_of)
    return State(
        entrants=who.entrants,
        options=formats.scheme(tournament)[1],
        lots=lots or _no_lots,
        house=who.fills,
        rounds=known.rounds,
        results=tuple(r for r in known.results if r.match not in ruled.set_aside),
        adjustments=ruled.adjustments,
        forbidden=_forbidden(session, tournament),
        course=None if lots is None else _course(session, tournament.id),
        tie_breaks=tuple(tournament.tie_breaks),
        scoring=tournament.scoring,
        lot=lambda entry: who.lots.get(entry, 0),
    )


def _course(session: Session, tournament_id: str) -> Course | None:
    """The schedule in progress."""
    found = session.scalar(select(Tournament.course).where(Tournament.id == tournament_id))
    return Course.from_json(found) if found else None


def tells_luck(tournament: Tournament) -> bool:
    """Whether standings look at single hands: what others made of them, par."""
    return tournament.par is not None or luck.compares(formats.scheme(tournament)[1])


def _forbidden(session: Session, tournament: Tournament) -> tuple[tuple[str, str], ...]:
    """The pairs of entries that must not meet; a substitute inherits the pairs of its entry."""
    if not tournament.forbidden_pairs:
        return ()
    entry_of = entries_by_agent(session, tournament.id)
    pairs = ((entry_of.get(a), entry_of.get(b)) for a, b in tournament.forbidden_pairs)
    return tuple((x, y) for x, y in pairs if x is not None and y is not None)


def entries_by_agent(session: Session, tournament_id: str) -> dict[str, str]:
    """agent id -> the entry that takes part for which it plays, or did until a substitute came."""
    rows = session.execute(
        select(Entry.id, Entry.agent_id, Entry.substitutions).where(
            Entry.tournament_id == tournament_id,
            Entry.joined.is_not(None),
            Entry.agent_id.is_not(None),
        )
    )
    return {x: row.id for row in rows for x in players(row.agent_id, row.substitutions)}


def players(agent_id: str, substitutions: Sequence[Mapping[str, Any]]) -> list[str]:
    """The agent that plays for an entry, and all that did until a substitute came."""
    return [agent_id, *(change["replaced"] for change in substitutions)]


def _no_lots(number: int) -> Draw:
    raise RuntimeError(f"nothing of round {number} may be drawn here")


def is_deserted() -> ColumnElement[bool]:
    """Whether agents had taken part in a tournament and none of them does any more, or ever can."""
    agents = select(Entry.id).where(
        Entry.tournament_id == Tournament.id,
        Entry.agent_id.is_not(None),
        Entry.joined.is_not(None),
    )
    there = agents.join(Agent, Agent.id == Entry.agent_id).where(
        Entry.status == EntryStatus.ENTERED, Agent.status != AgentStatus.RETIRED
    )
    return and_(agents.correlate(Tournament).exists(), ~there.correlate(Tournament).exists())


def deserted(session: Session, tournament_id: str) -> bool:
    """The same of one tournament."""
    found = select(Tournament.id).where(Tournament.id == tournament_id, is_deserted())
    return session.scalar(found) is not None


def nobody_plays(session: Session, tournament_id: str) -> bool:
    """Whether stand-ins alone would play: agents take part, and not one of them is active now."""
    there = (
        select(Agent.status)
        .join(Entry, Entry.agent_id == Agent.id)
        .where(
            Entry.tournament_id == tournament_id,
            Entry.joined.is_not(None),
            Entry.status == EntryStatus.ENTERED,
        )
        .distinct()
    )
    found = set(session.scalars(there))
    return bool(found) and AgentStatus.ACTIVE not in found


def draw_lots(session: Session, vault: Vault, tournament: Tournament) -> None:
    """Give every entry that has none its number by lot, for the tie-break of that name."""
    new = (
        Entry.tournament_id == tournament.id,
        Entry.lot.is_(None),
        Entry.joined.is_not(None),
    )
    ids = session.scalars(select(Entry.id).where(*new)).all()
    key = draw_key(vault, tournament)
    lots = [{"id": x, "lot": lot_of(lambda context: Draw(key, context), x)} for x in ids]
    if lots:
        session.execute(update(Entry), lots)


def draw_key(vault: Vault, tournament: Tournament) -> bytes:
    """The key of seats and lots; there is one from the start on, when the entrants are frozen."""
    assert tournament.entrants_hash is not None, "a tournament that has not started draws nothing"
    return seats_key(vault.open(tournament.secret), bytes.fromhex(tournament.entrants_hash))
