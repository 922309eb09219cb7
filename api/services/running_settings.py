"""Settings of a tournament that has begun: what may change yet, and what that means for its rounds.

What was drawn, what is played by and what ranks stays as everybody entered for; when rounds come,
how they end and who may still come is its organizer's to the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ..errors import Conflict
from ..models import Advance, Round, RoundStatus, Tournament, utc_now
from . import endings, history, next_round
from .lifecycle import UNDER_WAY

CHANGEABLE: Final = frozenset(
    {
        "name",
        "capacity",
        "waiting_list",
        "entries_per_owner",
        "late_entry_round",
        "advance",
        "round_interval_s",
        "round_limit_s",
        "overdue",
        "appeal_window_s",
        "ending",
    }
)


def require_changeable(tournament: Tournament, names: Iterable[str]) -> None:
    """Raises `Conflict` with every setting that is fixed since the start."""
    fixed = sorted(set(names) - CHANGEABLE)
    if tournament.status in UNDER_WAY and fixed:
        raise Conflict(
            f"The tournament is {tournament.status}; these settings are fixed since it started: "
            f"{', '.join(fixed)}.",
            code=f"tournament_{tournament.status}",
            errors=[(f"/{name}", "fixed", "It cannot change any more.") for name in fixed],
        )


def take_effect(session: Session, tournament: Tournament, before: dict[str, Any]) -> None:
    """Let the changed settings of a tournament under way hold; `before`: those that changed."""
    if tournament.status not in UNDER_WAY:
        return
    opened = session.scalars(
        select(Round).where(
            Round.tournament_id == tournament.id, Round.status == RoundStatus.RUNNING
        )
    ).one_or_none()
    if opened is not None:
        if "round_limit_s" in before:
            _move_deadline(opened, before["round_limit_s"], tournament.round_limit_s)
    elif tournament.last_round is not None:
        if before.keys() & {"ending", "appeal_window_s"}:
            endings.plan(session, tournament)
    elif "advance" in before and history.last_number(session, tournament.id):
        _plan_next(session, tournament)


def _move_deadline(opened: Round, old: int | None, new: int | None) -> None:
    """As if the round had had the new limit from its opening on; pauses stay given back."""
    if opened.overran_at is not None:
        return
    opened.version += 1
    if new is None:
        opened.deadline_at = None
    elif opened.deadline_at is None or old is None:
        opened.deadline_at = opened.opened_at + timedelta(seconds=new)
    else:
        opened.deadline_at += timedelta(seconds=new - old)


def _plan_next(session: Session, tournament: Tournament) -> None:
    """A round that was to come by itself waits, or the other way round."""
    waits = tournament.next_round_at is None
    if tournament.advance == Advance.MANUAL and not waits and not _is_due(tournament):
        tournament.next_round_at = None
        next_round.announce(session, tournament)
    elif tournament.advance == Advance.AUTOMATIC and waits:
        next_round.plan(session, tournament)


def _is_due(tournament: Tournament) -> bool:
    return tournament.next_round_at is not None and tournament.next_round_at <= utc_now()
