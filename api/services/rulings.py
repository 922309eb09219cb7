"""Rulings: what an organizer or an arbiter decides about what was played, or is to come.

A ruling is a row that is never changed; services/overlay.py says what the rows come to. Matches
that have finished stay as they are, and so do rounds that are drawn: corrections count from the
next round on. Only what is not over yet is touched: an unfinished match that is set aside is
cancelled, a replay adds a table, who is disqualified is withdrawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import Row, Select, func, select
from sqlalchemy.orm import Bundle, Session, aliased

from ..errors import Conflict, NotFound
from ..models import Ruling, RulingKind, Tournament, TournamentStatus
from . import (
    endings,
    history,
    intervals,
    pseudonyms,
    ruled_entries,
    ruled_matches,
    ruled_seats,
    standings,
)
from .arbiters import judges, lock_judged, require_no_part
from .events import tell
from .lifecycle import visible
from .paging import Page, page_of
from .principal import Principal
from .ruling_case import Ask, Case, refuse

GOING_ON: Final = (
    TournamentStatus.RUNNING,
    TournamentStatus.PAUSED,
    TournamentStatus.NEEDS_ATTENTION,
)
TOLD: Final = ("number", "match_id", "entry_id", "round", "points", "undoes_id", "reason")

Told = Row[Any] | dict[str, Any]
"""A ruling as it is shown."""


def make(session: Session, actor: Principal, tournament_id: str, ask: Ask) -> Ruling:
    """Rule; big standings follow some seconds later (`standings.correct`).

    Raises `Conflict` where it cannot be, `Invalid` for what is not of the tournament, `Forbidden`
    for an arbiter's own entry.
    """
    tournament = lock_judged(session, actor, tournament_id)
    _permit(tournament, ask)
    ruling = Ruling(
        tournament_id=tournament_id,
        number=_next_number(session, tournament_id),
        author_id=actor.account_id,
        kind=ask.kind,
        reason=ask.reason,
        after_round=history.last_number(session, tournament_id),
        details={},
    )
    _APPLY[ask.kind](Case(session, tournament, ruling), ask)
    about = {"match_id": ruling.match_id, "entry_id": ruling.entry_id}
    require_no_part(session, actor, tournament, **about)
    session.add(ruling)
    tournament.version += 1
    session.flush()
    told = {name: getattr(ruling, name) for name in TOLD}
    told |= {"ruling_id": ruling.id, "ruling": ruling.kind}
    tell(session, tournament_id, "ruling.made", told)
    standings.correct(session, tournament)
    intervals.ask(tournament)
    endings.replan(session, tournament)
    return ruling


def search(
    session: Session,
    actor: Principal,
    tournament_id: str,
    after: tuple[object, ...] | None,
    limit: int,
    *,
    newest_first: bool = False,
) -> Page[Told]:
    """The rulings of a tournament in order, each with the one that undid it."""
    known = _known(session, actor, visible(session, actor, tournament_id))
    query = _shown().where(Ruling.tournament_id == tournament_id)
    page: Page[Row[Any]] = page_of(
        session, query, [Ruling.number], after, limit, descending=newest_first
    )
    return Page([_told(row, known) for row in page.items], page.after)


def find(session: Session, actor: Principal, ruling_id: str) -> Told:
    """One ruling; raises `NotFound`."""
    found: Row[Any] | None = session.scalars(_shown().where(Ruling.id == ruling_id)).one_or_none()
    if found is None:
        raise NotFound("There is no such ruling.")
    tournament = visible(session, actor, found.tournament_id)
    return _told(found, _known(session, actor, tournament))


def _known(session: Session, actor: Principal, tournament: Tournament) -> int | None:
    """The last round of which the caller may know who sits where; None: all."""
    return None if judges(actor, tournament) else pseudonyms.last_shown(session, tournament)


def _told(ruling: Row[Any], known: int | None) -> Told:
    """A ruling, without the tables of a seating whose round comes after `known`."""
    if known is None or "tables" not in ruling.details or ruling.round <= known:
        return ruling
    details = {name: value for name, value in ruling.details.items() if name != "tables"}
    return {**ruling._mapping, "details": details}


def _shown() -> Select[Any]:
    other = aliased(Ruling)
    undone_by = select(other.id).where(other.undoes_id == Ruling.id).scalar_subquery()
    columns = [*Ruling.__table__.columns, undone_by.label("undone_by")]
    return select(Bundle("ruling", *columns))


def _permit(tournament: Tournament, ask: Ask) -> None:
    """Results may be corrected when all is over; a replay or a seating needs a future."""
    needs_future = ask.kind in (RulingKind.REPLAY, RulingKind.SEAT)
    finished = tournament.status == TournamentStatus.FINISHED and not needs_future
    if tournament.status not in GOING_ON and not finished:
        raise Conflict(
            f"The tournament is {tournament.status}; {ask.kind} is not possible.",
            code=f"tournament_{tournament.status}",
        )


def _next_number(session: Session, tournament_id: str) -> int:
    query = select(func.max(Ruling.number)).where(Ruling.tournament_id == tournament_id)
    return (session.scalar(query) or 0) + 1


def _undo(case: Case, ask: Ask) -> None:
    target = _target(case, ask)
    case.ruling.undoes_id = target.id
    case.ruling.match_id, case.ruling.entry_id = target.match_id, target.entry_id
    case.ruling.round, case.ruling.points = target.round, target.points
    undoing = _UNDO.get(RulingKind(target.kind))
    if undoing is not None:
        undoing(case, target)


def _target(case: Case, ask: Ask) -> Ruling:
    target = None if ask.ruling_id is None else case.session.get(Ruling, ask.ruling_id)
    if target is None or target.tournament_id != case.tournament.id:
        raise refuse("/ruling_id", "There is no such ruling in this tournament.")
    if target.kind == RulingKind.UNDO:
        raise Conflict("What was undone is ruled anew, not undone twice.", code="is_undo")
    undone = select(Ruling.id).where(Ruling.undoes_id == target.id)
    if case.session.scalar(undone) is not None:
        raise Conflict("The ruling has been undone already.", code="already_undone")
    return target


_APPLY: Final[Mapping[RulingKind, Callable[[Case, Ask], None]]] = {
    RulingKind.ANNUL: ruled_matches.annul,
    RulingKind.REPLAY: ruled_matches.replay,
    RulingKind.ADJUST: ruled_entries.adjust,
    RulingKind.PENALIZE: ruled_entries.penalize,
    RulingKind.WARN: ruled_entries.warn,
    RulingKind.DISQUALIFY: ruled_entries.disqualify,
    RulingKind.SEAT: ruled_seats.seat,
    RulingKind.UNDO: _undo,
}

_UNDO: Final[Mapping[RulingKind, Callable[[Case, Ruling], None]]] = {
    RulingKind.ANNUL: ruled_matches.undo_annul,
    RulingKind.REPLAY: ruled_matches.undo_replay,
    RulingKind.DISQUALIFY: ruled_entries.undo_disqualify,
    RulingKind.SEAT: ruled_seats.undo_seat,
}
