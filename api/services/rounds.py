"""Rounds: opened when they are due, closed when their last match has ended.

Who meets whom is drawn by the engine from the tournament's secret and its frozen entrants, so that
anybody can draw it again after the reveal. Opening happens once: the tournament's row is locked,
and (tournament, number) is unique.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Row, Select, and_, or_, select
from sqlalchemy.orm import Bundle, Session

from baohuang.engine.tournament.scheme import Finished, NeedsAttention, Seated

from ..errors import NotFound
from ..models import (
    Entry,
    Round,
    RoundStatus,
    Ruling,
    RulingKind,
    Tournament,
    TournamentStatus,
    utc_now,
)
from ..vault import Vault
from . import (
    endings,
    formats,
    history,
    intervals,
    match_events,
    next_round,
    places,
    seating,
    standings,
)
from .events import tell
from .lifecycle import Move, make, visible
from .paging import Page, page_of
from .principal import Principal
from .rows import lock_row
from .undrawn import Drawn, undrawn


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
    query = select(Tournament.id).where(_due()).order_by(Tournament.next_round_at, Tournament.id)
    return list(session.scalars(query))


def draw_next(session: Session, vault: Vault, tournament_id: str) -> Drawn:
    """The next round as the format has it; reads only. Some fields take seconds to seat well."""
    return undrawn(session, vault, tournament_id).drawn()


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
        case Finished(reason) if drawn.number == 1:
            endings.finish(session, tournament, reason)
        case Finished(reason):
            endings.begin(session, tournament, reason)
        case NeedsAttention(cause):
            _alert(session, tournament, drawn.number, cause)
    return []


def played_out(session: Session) -> list[str]:
    """Ids of the running tournaments that have a round whose matches have all ended."""
    query = (
        select(Tournament.id)
        .join(Round, Round.tournament_id == Tournament.id)
        .where(
            Round.status == RoundStatus.RUNNING,
            Tournament.status == TournamentStatus.RUNNING,
            ~endings.unfinished(),
        )
        .order_by(Tournament.id)
    )
    return list(session.scalars(query))


def close(session: Session, tournament_id: str, made: standings.Made | None = None) -> bool:
    """Close the round whose matches have all ended; whether there was one.

    Sets the time of the next round, or finishes the tournament. `made`: its standings, worked out
    before as they are after it (`standings.make` with `closing`).
    """
    tournament = lock_row(session, Tournament, tournament_id)
    query = select(Round).where(
        Round.tournament_id == tournament_id, Round.status == RoundStatus.RUNNING
    )
    closing = session.scalars(query.execution_options(populate_existing=True)).one_or_none()
    if closing is None or tournament.status != TournamentStatus.RUNNING:
        return False
    if _is_unfinished(session, tournament):
        return False
    _close(session, tournament, closing, made)
    return True


def _is_due(session: Session, tournament: Tournament) -> bool:
    session.flush()
    found = select(Tournament.id).where(Tournament.id == tournament.id, _due())
    return session.scalar(found) is not None


def _due() -> ColumnElement[bool]:
    """Its time has come; or every agent has gone between two rounds, and nobody need wait."""
    gone = and_(~history.round_runs(), history.is_deserted())
    return and_(
        Tournament.status == TournamentStatus.RUNNING,
        Tournament.last_round.is_(None),
        or_(Tournament.next_round_at <= utc_now(), gone),
        ~endings.unfinished(),
    )


def _is_unfinished(session: Session, tournament: Tournament) -> bool:
    found = select(Tournament.id).where(Tournament.id == tournament.id, endings.unfinished())
    return session.scalar(found) is not None


def _is_current(session: Session, tournament: Tournament, drawn: Drawn) -> bool:
    number = history.last_number(session, tournament.id) + 1
    return drawn.version == tournament.version and drawn.number == number


def _open(session: Session, vault: Vault, tournament: Tournament, seated: Seated) -> list[str]:
    history.draw_lots(session, vault, tournament)
    opened, made = seating.add_round(session, tournament, seated.round)
    tournament.course = seated.course.to_json() if seated.course else None
    tournament.next_round_at = None
    tournament.version += 1
    match_events.seated(session, opened, made)
    if opened.number == 1:
        places.promote(session, tournament)  # to places that became free after the start
        standings.refresh(session, tournament.id)
    return [each.match_id for each in made]


def _alert(session: Session, tournament: Tournament, number: int, cause: str) -> None:
    """Let the organizer decide: house bots are kept ready for tables seated by hand (rulings)."""
    places.keep_spares(session, tournament)
    query = select(Entry.id, Entry.name).where(Entry.tournament_id == tournament.id)
    for entry_id, name in session.execute(query):
        cause = cause.replace(entry_id, name)
    make(session, tournament, Move.ALERT, f"Round {number} cannot be seated: {cause}")


def _close(
    session: Session, tournament: Tournament, closing: Round, made: standings.Made | None
) -> None:
    closing.status, closing.closed_at = RoundStatus.FINISHED, utc_now()
    closing.version += 1
    session.flush()
    tell(session, tournament.id, "round.finished", {"round": closing.number})
    standings.refresh(session, tournament.id, made)
    standings.freeze(session, tournament.id, closing.number)
    intervals.ask(tournament)
    if _was_last(session, tournament, closing.number):
        endings.begin(session, tournament)
    else:
        next_round.plan(session, tournament)


def _was_last(session: Session, tournament: Tournament, number: int) -> bool:
    """Whether that is known already; else the next draw will say."""
    seated = select(Ruling.id).where(
        Ruling.tournament_id == tournament.id, Ruling.kind == RulingKind.SEAT
    )
    last = formats.last_round(tournament)
    if last is None or number < last:
        return False
    if tournament.last_round is not None:
        return True
    return formats.has_rounds(tournament.format) or session.scalar(seated) is None
