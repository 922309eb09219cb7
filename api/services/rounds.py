"""Rounds: opened when they are due, closed when their last match has ended.

Who meets whom is drawn by the engine from the tournament's secret and its frozen entrants, so that
anybody can draw it again after the reveal. Opening happens once: the tournament's row is locked,
and (tournament, number) is unique.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, func, insert, select
from sqlalchemy.orm import Bundle, Session

from baohuang.engine.tournament import plan
from baohuang.engine.tournament.scheme import Decision, Finished, NeedsAttention, Seated, State

from ..errors import NotFound
from ..models import (
    Match,
    MatchStatus,
    Round,
    RoundStatus,
    Seat,
    Table,
    Tournament,
    TournamentStatus,
    new_id,
    utc_now,
)
from ..vault import Vault
from . import entries, formats, history, match_events, overlay, standings
from .events import tell
from .lifecycle import Move, make, visible
from .paging import Page, page_of
from .principal import Principal
from .rows import get_row, lock_row

ENDED = (MatchStatus.FINISHED, MatchStatus.CANCELLED)


@dataclass(frozen=True)
class Drawn:
    """A round worked out in advance: good as long as the tournament is still at `version`."""

    number: int
    version: int
    decision: Decision


def search(
    session: Session,
    actor: Principal,
    tournament_id: str,
    after: tuple[object, ...] | None,
    limit: int,
) -> Page[Row[Any]]:
    """The rounds of a tournament, the first one first."""
    visible(session, actor, tournament_id)
    query: Select[Any] = select(Bundle("round", *Round.__table__.columns)).where(
        Round.tournament_id == tournament_id
    )
    return page_of(session, query, [Round.number], after, limit)


def find(session: Session, actor: Principal, tournament_id: str, number: int) -> Round:
    """One round by its number."""
    visible(session, actor, tournament_id)
    query = select(Round).where(Round.tournament_id == tournament_id, Round.number == number)
    found = session.scalars(query).one_or_none()
    if found is None:
        raise NotFound(f"There is no round {number} yet.")
    return found


def due(session: Session) -> list[str]:
    """Ids of the running tournaments whose next round may be opened now."""
    query = (
        select(Tournament.id)
        .where(
            Tournament.status == TournamentStatus.RUNNING,
            Tournament.next_round_at <= utc_now(),
            ~_unfinished(),
        )
        .order_by(Tournament.next_round_at, Tournament.id)
    )
    return list(session.scalars(query))


def draw_next(session: Session, vault: Vault, tournament_id: str) -> Drawn:
    """The next round as the format has it; reads only. Some fields take seconds to seat well."""
    tournament = get_row(session, Tournament, tournament_id)
    state = history.drawing_state(session, vault, tournament)
    if history.deserted(session, tournament_id):
        return Drawn(state.number, tournament.version, Finished("Every agent has withdrawn."))
    decision = formats.scheme(tournament)[0].next_round(state)
    by_hand = overlay.seating(session, tournament_id, state.number)
    if by_hand is not None:
        decision = _seated_by_hand(state, decision, by_hand)
    return Drawn(state.number, tournament.version, decision)


def _seated_by_hand(state: State, decision: Decision, by_hand: Mapping[str, Any]) -> Seated:
    """A ruling's tables; the format's schedule goes on as if it had drawn the round."""
    course = decision.course if isinstance(decision, Seated) else state.course
    tables = tuple(tuple(table) for table in by_hand["tables"])
    byes, out = tuple(by_hand["byes"]), tuple(by_hand["out"])
    return Seated(plan.Round(state.number, tables, byes, out), course)


def open_next(
    session: Session, vault: Vault, tournament_id: str, drawn: Drawn | None = None
) -> list[str]:
    """Open the next round of a tournament where it is due; returns its matches, table 1 first.

    Without a further round the tournament finishes; when none can be drawn it needs attention.
    `drawn` (of `draw_next`) spares the work under the lock; it is made again if it is out of date.
    """
    tournament = lock_row(session, Tournament, tournament_id)
    if not _is_due(session, tournament):
        return []
    if drawn is None or not _is_current(session, tournament, drawn):
        drawn = draw_next(session, vault, tournament_id)
    match drawn.decision:
        case Seated() as seated:
            return _open(session, vault, tournament, seated)
        case Finished(reason):
            _finish(session, tournament, reason)
        case NeedsAttention(cause):
            reason = f"Round {drawn.number} cannot be seated: {cause}"
            make(session, tournament, Move.ALERT, reason)
    return []


def close_finished(session: Session) -> list[str]:
    """Close the rounds of running tournaments whose matches have all ended.

    Sets the time of the next round, or finishes the tournament. Returns the tournaments' ids.
    """
    ids = session.scalars(
        select(Round.id)
        .join(Tournament, Tournament.id == Round.tournament_id)
        .where(
            Round.status == RoundStatus.RUNNING,
            Tournament.status == TournamentStatus.RUNNING,
            ~_unfinished(),
        )
        .order_by(Tournament.id)
    ).all()
    return [closed for round_id in ids if (closed := _close(session, round_id))]


def _is_due(session: Session, tournament: Tournament) -> bool:
    at = tournament.next_round_at
    if tournament.status != TournamentStatus.RUNNING or at is None or at > utc_now():
        return False
    again = select(Tournament.id).where(Tournament.id == tournament.id, _unfinished())
    return session.scalar(again) is None


def _unfinished() -> ColumnElement[bool]:
    """Whether a match of the tournament has not ended: of the round, or one that is replayed."""
    query = select(Match.id).where(Match.tournament_id == Tournament.id, Match.status.not_in(ENDED))
    return query.correlate(Tournament).exists()


def _is_current(session: Session, tournament: Tournament, drawn: Drawn) -> bool:
    number = last_number(session, tournament.id) + 1
    return drawn.version == tournament.version and drawn.number == number


def last_number(session: Session, tournament_id: str) -> int:
    """The number of the last round that was opened, 0 before the first."""
    query = select(func.max(Round.number)).where(Round.tournament_id == tournament_id)
    return session.scalar(query) or 0


def _open(session: Session, vault: Vault, tournament: Tournament, seated: Seated) -> list[str]:
    number = seated.round.number
    if number == 1:
        history.draw_lots(session, vault, tournament)
    opened = Round(
        tournament_id=tournament.id,
        number=number,
        opened_at=utc_now(),
        byes=list(seated.round.byes),
        out=list(seated.round.out),
    )
    session.add(opened)
    session.flush()
    tournament.course = seated.course.to_json() if seated.course else None
    tournament.next_round_at = None
    tournament.version += 1
    ids = _add_tables(session, tournament, opened, seated.round.tables)
    match_events.seated(session, opened, ids, seated.round.tables)
    if number == 1:
        standings.refresh(session, tournament.id)
    return ids


def _add_tables(
    session: Session, tournament: Tournament, opened: Round, seating: Iterable[Sequence[str]]
) -> list[str]:
    """The tables of a round, their seats and their queued matches, in three statements."""
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
    for number, sitting in enumerate(seating, 1):
        table_id, match_id = new_id(), new_id()
        board = board_id(tournament.id, opened.number, number)
        tables.append({"id": table_id, "round_id": opened.id, "number": number, **made})
        seats += [{"table_id": table_id, "seat": i, "entry_id": x} for i, x in enumerate(sitting)]
        matches.append({"id": match_id, "table_id": table_id, "board": board, **match})
        ids.append(match_id)
    session.execute(insert(Table), tables)
    session.execute(insert(Seat), seats)
    session.execute(insert(Match), matches)
    return ids


def board_id(tournament_id: str, number: int, table: int) -> str:
    """The name of a table's cards: equal names have equal deals (contract.md section 3)."""
    return f"{tournament_id}/{number}/{table}"


def _close(session: Session, round_id: str) -> str | None:
    """Close one round under its tournament's lock; None if another process was first."""
    closing = get_row(session, Round, round_id)
    tournament = lock_row(session, Tournament, closing.tournament_id)
    session.refresh(closing)
    if tournament.status != TournamentStatus.RUNNING or closing.status != RoundStatus.RUNNING:
        return None
    closing.status, closing.closed_at = RoundStatus.FINISHED, utc_now()
    closing.version += 1
    session.flush()
    tell(session, tournament.id, "round.finished", {"round": closing.number})
    standings.refresh(session, tournament.id)
    total = formats.rounds_total(tournament, entries.count(session, tournament.id, fills=False))
    if total is not None and closing.number >= total:
        _finish(session, tournament)
    else:
        _schedule(session, tournament, closing.number + 1)
    return tournament.id


def _schedule(session: Session, tournament: Tournament, number: int) -> None:
    at = tournament.next_round_at = utc_now() + timedelta(seconds=tournament.round_interval_s)
    tournament.version += 1
    told = {"round": number, "at": at.isoformat(timespec="milliseconds")}
    tell(session, tournament.id, "round.scheduled", told)


def _finish(session: Session, tournament: Tournament, reason: str | None = None) -> None:
    """From here on the secret and the keys are shown."""
    tournament.finished_at = utc_now()
    tournament.next_round_at = None
    make(session, tournament, Move.FINISH, reason)
