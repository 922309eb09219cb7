"""Who sits where, kept from everybody but the judges from the draw of a round to its end.

Only where the organizer says so. A player is called by the seat: that is stable within a match and
tells nothing across matches. What would give the round away by subtraction, standings and the
fairness certificate, waits for its end as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, func, select
from sqlalchemy.orm import Session

from ..models import Match, Round, RoundStatus, Tournament, TournamentStatus
from .arbiters import judges
from .principal import Principal

OVER = (TournamentStatus.FINISHED, TournamentStatus.CANCELLED)

Seat = Mapping[str, Any]


def name_of(seat: int) -> str:
    """What a player is called; seats are counted from 0."""
    return f"player {seat + 1}"


def hides(tournament: Tournament) -> bool:
    """Whether a round of it that runs shows no names."""
    return tournament.pseudonyms and tournament.status not in OVER


def hidden(session: Session, actor: Principal, tournament: Tournament, round_id: str) -> bool:
    """Whether the caller may not know who sits where in a round."""
    if not hides(tournament) or judges(actor, tournament):
        return False
    status = session.scalar(select(Round.status).where(Round.id == round_id))
    return status == RoundStatus.RUNNING


def in_hidden_round() -> ColumnElement[bool]:
    """Whether a statement's match is of a tournament's round that shows no names as yet."""
    going_on = Tournament.status.not_in(OVER)
    return and_(Tournament.pseudonyms, going_on, Round.status == RoundStatus.RUNNING)


def hidden_match(session: Session, actor: Principal, match: Match) -> bool:
    """The same of a match; nothing is hidden in a practice match."""
    if match.tournament_id is None or match.round_id is None:
        return False
    tournament = session.get_one(Tournament, match.tournament_id)
    return hidden(session, actor, tournament, match.round_id)


def last_shown(session: Session, tournament: Tournament) -> int | None:
    """The last round that standings and certificate may tell of; None: all."""
    return last_ended(session, tournament.id) if hides(tournament) else None


def last_ended(session: Session, tournament_id: str) -> int:
    """The number of the last round that is not running, 0 before."""
    ended = select(func.max(Round.number)).where(
        Round.tournament_id == tournament_id, Round.status != RoundStatus.RUNNING
    )
    return session.scalar(ended) or 0


def masked(seats: Sequence[Seat]) -> list[dict[str, Any]]:
    """Seats of a match or table without who sits there; points by seat stay."""
    return [_masked(seat, row) for seat, row in enumerate(seats)]


def _masked(seat: int, row: Seat) -> dict[str, Any]:
    hidden = {"entry_id": None, "name": name_of(seat)}
    return {**row, **hidden, "player": None} if "player" in row else {**row, **hidden}
