"""Who judges: the organizer of a tournament, arbiters in every one, admins."""

from __future__ import annotations

from sqlalchemy.orm import Session

from ..errors import Forbidden
from ..models import Role, Tournament
from .lifecycle import lock_visible
from .principal import Principal


def judges(actor: Principal, tournament: Tournament) -> bool:
    """Whether the caller sees what others may not: one of them, by a token that is for it.

    A bot of an arbiter's plays with a token of his, which says so (`agents:play`).
    """
    if actor.owns(tournament.organizer_id):
        return actor.may("tournaments:read")
    return actor.role == Role.ARBITER and actor.may("results:write")


def require_arbiter(actor: Principal, tournament: Tournament) -> None:
    """Raises `Forbidden` for everybody else. (The operation has asked for the scope.)"""
    if not (actor.owns(tournament.organizer_id) or actor.role == Role.ARBITER):
        raise Forbidden("Only the organizer and arbiters may do this.", code="not_arbiter")


def lock_judged(session: Session, actor: Principal, tournament_id: str) -> Tournament:
    """A tournament that the caller may judge, locked; raises `NotFound` or `Forbidden`."""
    tournament = lock_visible(session, actor, tournament_id)
    require_arbiter(actor, tournament)
    return tournament
