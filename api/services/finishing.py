"""A tournament's end by its organizer's word, be it in the midst of it."""

from __future__ import annotations

from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import Conflict
from ..models import Ending, Overdue, Tournament, TournamentStatus
from . import deadlines, endings, history, tournaments
from .lifecycle import Move, lock_own, permit
from .principal import Principal


class Rest(StrEnum):
    """What becomes of matches that are not over: played, ended by autoplay, or cancelled."""

    PLAY = "play"
    AUTOPLAY = "autoplay"
    CANCEL = "cancel"


def ask(
    session: Session, actor: Principal, tournament_id: str, rest: str = Rest.PLAY
) -> Tournament:
    """Draw no further round, and finish as soon as what runs has ended.

    Where a round runs it becomes the last one, and the end comes as `ending` has it. Otherwise
    nothing is waited for but matches that are replayed. Raises `Conflict` before round 1.
    """
    tournament = lock_own(session, actor, tournament_id)
    permit(tournament, Move.FINISH)
    last = history.last_number(session, tournament_id)
    if not last:
        raise Conflict("No round was drawn; cancel it instead.", code="nothing_played")
    if rest != Rest.PLAY:
        deadlines.end_rest(session, tournament, Overdue(rest))
    tournament.last_round = last
    tournament.next_round_at = tournament.finishes_at = None
    if history.running_number(session, tournament_id) is None:
        tournament.ending = Ending.AT_ONCE
    if not _plays(session, tournament_id):
        endings.finish(session, tournament)
        return tournament
    tournament.version += 1
    if tournament.status != TournamentStatus.RUNNING:
        tournaments.go_on(session, tournament)
    endings.announce(session, tournament)
    return tournament


def _plays(session: Session, tournament_id: str) -> bool:
    session.flush()
    found = select(Tournament.id).where(Tournament.id == tournament_id, endings.is_playing())
    return session.scalar(found) is not None
