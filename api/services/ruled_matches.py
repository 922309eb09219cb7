"""Rulings about a match: it counts no more, or is played again with other cards."""

from __future__ import annotations

from sqlalchemy import func, select

from ..errors import Conflict
from ..models import Match, MatchStatus, Round, Ruling, Seat, Table, utc_now
from . import match_log, overlay, pseudonyms, seating
from .events import tell
from .rows import lock_row
from .ruling_case import Ask, Case, refuse

OVER = (MatchStatus.FINISHED, MatchStatus.CANCELLED)


def annul(case: Case, ask: Ask) -> None:
    """Its results count no more; one that is not over never will be."""
    match = _match(case, ask)
    if match.id in overlay.of(case.session, case.tournament.id).set_aside:
        raise Conflict("The match was set aside already.", code="already_set_aside")
    if match.status == MatchStatus.CANCELLED:
        raise Conflict("The match was cancelled.", code="match_cancelled")
    _set_aside(case, match)


def replay(case: Case, ask: Ask) -> None:
    """The same five in the same seats get new cards, at a further table of the round.

    Also instead of a match that was cancelled or annulled; not twice instead of the same one.
    """
    old = _match(case, ask)
    if overlay.is_replayed(case.session, old.id):
        raise Conflict("The match is replayed already.", code="already_set_aside")
    _set_aside(case, old)
    again = _played_again(case, old)
    case.ruling.replay_id = again.id


def undo_annul(case: Case, ruling: Ruling) -> None:
    """The results count again."""
    match = case.session.get_one(Match, ruling.match_id)
    if match.status != MatchStatus.FINISHED:
        raise Conflict("The match was cancelled; order a replay instead.", code="match_cancelled")


def undo_replay(case: Case, ruling: Ruling) -> None:
    """The first match counts again if it was played to its end, the second one no more."""
    assert ruling.replay_id is not None
    if overlay.is_replayed(case.session, ruling.replay_id):
        raise Conflict("The replay is replayed itself; undo that first.", code="ruled_upon")
    again = lock_row(case.session, Match, ruling.replay_id)
    if again.status not in OVER:
        _cancel(case, again)


def _match(case: Case, ask: Ask) -> Match:
    found = None if ask.match_id is None else case.session.get(Match, ask.match_id)
    if found is None or found.tournament_id != case.tournament.id:
        raise refuse("/match_id", "There is no such match in this tournament.")
    return lock_row(case.session, Match, found.id)


def _set_aside(case: Case, match: Match) -> None:
    case.ruling.match_id = match.id
    if match.status not in OVER:
        _cancel(case, match)


def _cancel(case: Case, match: Match) -> None:
    """Whoever plays it is fenced off."""
    match.status, match.finished_at = MatchStatus.CANCELLED, utc_now()
    match.epoch += 1
    match.lease_until = None
    match.version += 1
    case.session.flush()
    tell(case.session, case.tournament.id, "match.cancelled", match_id=match.id)


def _played_again(case: Case, old: Match) -> Match:
    session = case.session
    first = session.get_one(Table, old.table_id)
    opened = session.get_one(Round, old.round_id)
    last = session.scalar(select(func.max(Table.number)).where(Table.round_id == opened.id)) or 0
    table = Table(round_id=opened.id, number=last + 1, replays=first.replays or first.number)
    session.add(table)
    session.flush()
    sitting = select(Seat).where(Seat.table_id == first.id).order_by(Seat.seat)
    for seat in session.scalars(sitting):
        session.add(
            Seat(
                table_id=table.id,
                seat=seat.seat,
                entry_id=seat.entry_id,
                agent_version_id=seat.agent_version_id,
            )
        )
    board = f"{opened.number}/{table.number}"
    if seating.duplicate_boards(case.tournament):
        board += "/again"  # numbers alone may be a board that is shared or replayed
    match = Match(
        tournament_id=case.tournament.id,
        round_id=opened.id,
        table_id=table.id,
        board=seating.board_id(case.tournament.id, board),
        sitting=old.sitting,
        deals=old.deals,
    )
    session.add(match)
    session.flush()
    _tell_seated(case, match, opened.number, table)
    return match


def _tell_seated(case: Case, match: Match, number: int, table: Table) -> None:
    sitting = match_log.sitting(case.session, match.id)
    seats = [
        {"entry_id": entry, "name": name}
        for entry, name in zip(sitting.entries, sitting.names, strict=True)
    ]
    if pseudonyms.hides(case.tournament):
        seats = pseudonyms.masked(seats)
    told = {"round": number, "table": table.number, "seats": seats}
    tell(case.session, case.tournament.id, "match.seated", told, match_id=match.id)
