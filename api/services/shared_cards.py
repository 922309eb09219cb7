"""What is kept back while other tables have yet to play the same cards.

Points tell who was on whose side, and who was the guard with that: at another table it is still
hidden. So where all tables of a round share their cards, what was made of a board waits for its
last match, and the standings for the end of the round. Where a table plays its own cards again its
five know all that already.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session, aliased

from baohuang.engine.tournament import luck

from ..models import UNFINISHED, Match, Tournament
from . import formats, pseudonyms
from .arbiters import judges
from .principal import Principal


def shares(tournament: Tournament) -> bool:
    """Whether it goes on, and its tables play the same cards."""
    on = tournament.status not in pseudonyms.OVER
    return on and luck.shares(formats.scheme(tournament)[1])


def keeps(actor: Principal, tournament: Tournament) -> bool:
    """Whether results of cards that others have yet to play are kept from the caller."""
    return shares(tournament) and not judges(actor, tournament)


def in_play() -> ColumnElement[bool]:
    """Whether a match that is not over has the same board as a statement's, and so its cards."""
    other = aliased(Match)
    return (
        select(other.id)
        .where(
            other.tournament_id == Match.tournament_id,
            other.board == Match.board,
            other.status.in_(UNFINISHED),
        )
        .correlate(Match)
        .exists()
    )


def are_in_play(session: Session, match_id: str) -> bool:
    """The same of one match."""
    return session.scalar(select(Match.id).where(Match.id == match_id, in_play())) is not None


def last_told(session: Session, tournament: Tournament) -> int | None:
    """The last round of which standings and lists of results may tell; None: all."""
    if shares(tournament):
        return pseudonyms.last_ended(session, tournament.id)
    return pseudonyms.last_shown(session, tournament)
