"""What may happen to a tournament when: one table, and whatever is not in it is refused.

Every move is made on a locked row (`lock_row`), so two moves, or a move and an entry, cannot
interleave. The version rises with each, so that readers' ETags and writers' If-Match notice.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, and_, bindparam, or_, select
from sqlalchemy.orm import Session

from ..errors import Conflict, Forbidden
from ..models import Entry, Tournament, TournamentStatus, utc_now
from ..prepared import Prepared
from .events import tell
from .principal import Principal
from .rows import get_row, lock_row, missing

State = TournamentStatus
REASON_CHARS = 500


class Move(StrEnum):
    """Something that is done to a tournament, or with it."""

    EDIT = "edit"
    OPEN = "open"
    ENTER = "enter"
    WITHDRAW = "withdraw"
    CHECK_IN = "check_in"
    COME_BACK = "come_back"
    REPLACE = "replace"
    START = "start"
    NEXT = "next"
    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    ALERT = "alert"  # by the server: it cannot go on alone
    FINISH = "finish"  # by the server, or before its last round by the organizer


UNDER_WAY: Final = (State.RUNNING, State.PAUSED, State.NEEDS_ATTENTION)
"""Started, and not at its end."""

_STAYS: Final = {state: state for state in (State.OPEN, *UNDER_WAY)}

MOVES: Final[Mapping[Move, Mapping[State, State]]] = {
    Move.EDIT: {State.DRAFT: State.DRAFT, **_STAYS},
    Move.OPEN: {State.DRAFT: State.OPEN},
    Move.ENTER: {State.OPEN: State.OPEN},
    Move.WITHDRAW: _STAYS,
    Move.CHECK_IN: {State.OPEN: State.OPEN},
    Move.COME_BACK: {state: state for state in UNDER_WAY},
    Move.REPLACE: _STAYS,
    Move.START: {State.OPEN: State.RUNNING},
    Move.NEXT: {State.RUNNING: State.RUNNING},
    Move.PAUSE: {State.RUNNING: State.PAUSED},
    Move.RESUME: {State.PAUSED: State.RUNNING, State.NEEDS_ATTENTION: State.RUNNING},
    Move.CANCEL: {
        State.DRAFT: State.CANCELLED,
        State.OPEN: State.CANCELLED,
        State.RUNNING: State.CANCELLED,
        State.PAUSED: State.CANCELLED,
        State.NEEDS_ATTENTION: State.CANCELLED,
    },
    Move.ALERT: {
        State.RUNNING: State.NEEDS_ATTENTION,
        State.PAUSED: State.NEEDS_ATTENTION,
        State.NEEDS_ATTENTION: State.NEEDS_ATTENTION,
    },
    Move.FINISH: dict.fromkeys(UNDER_WAY, State.FINISHED),
}
"""move -> state before -> state after."""

TOLD: Final[Mapping[Move, str]] = {
    Move.OPEN: "tournament.opened",
    Move.START: "tournament.started",
    Move.PAUSE: "tournament.paused",
    Move.RESUME: "tournament.resumed",
    Move.CANCEL: "tournament.cancelled",
    Move.ALERT: "tournament.needs_attention",
    Move.FINISH: "tournament.finished",
}
"""The event that tells of a move; the others are told by whoever makes them."""


_GLANCE: Final = Prepared(
    select(
        Tournament.status,
        Tournament.organizer_id,
        Tournament.version,
        Tournament.standings_count,
        Tournament.results_count,
        Tournament.intervals_done,
    ).where(Tournament.id == bindparam("tournament_id"))
)


def permit(tournament: Tournament, move: Move) -> State:
    """The state after a move; raises `Conflict` (code `tournament_<state>`) if it is refused."""
    status = State(tournament.status)
    after = MOVES[move].get(status)
    if after is None:
        wanted = " or ".join(MOVES[move])
        raise Conflict(
            f"The tournament is {status}; {move} needs {wanted}.",
            code=f"tournament_{status}",
            errors=[("/status", "state", f"is {status}, must be {wanted}")],
        )
    return after


def make(
    session: Session,
    tournament: Tournament,
    move: Move,
    reason: str | None = None,
    **facts: Any,
) -> None:
    """Make a move on a locked tournament, and tell of it; raises `Conflict`."""
    tournament.status = permit(tournament, move)
    tournament.status_reason = reason[:REASON_CHARS] if reason else None
    if move in (Move.PAUSE, Move.ALERT):
        tournament.stopped_at = tournament.stopped_at or utc_now()
    tournament.version += 1
    told = facts | ({"reason": tournament.status_reason} if reason else {})
    tell(session, tournament.id, TOLD[move], told)


def public() -> ColumnElement[bool]:
    """Tournaments for everybody: not drafts, nor what was cancelled before anybody had entered."""
    entered = select(Entry.id).where(Entry.tournament_id == Tournament.id).exists()
    not_draft = Tournament.status != State.DRAFT
    return and_(not_draft, or_(Tournament.status != State.CANCELLED, entered))


def visible(session: Session, actor: Principal, tournament_id: str) -> Tournament:
    """A tournament that the caller may see: the organizer every one of his own, others `public`.

    Raises `NotFound`.
    """
    tournament = get_row(session, Tournament, tournament_id)
    _show(session, tournament, actor)
    return tournament


class Glance(NamedTuple):
    """A tournament that the caller may see, and what changes whenever its standings do."""

    id: str
    version: int
    standings_count: int
    results_count: int
    intervals_done: int

    @property
    def tag(self) -> str:
        """The standings' entity tag."""
        return ".".join(map(str, self[1:]))


def glance(session: Session, actor: Principal, tournament_id: str) -> Glance:
    """As `visible`, without the row: for answers that are often known already."""
    found = _GLANCE.first(session, tournament_id=tournament_id)
    if found is None:
        raise missing(Tournament)
    status, organizer_id, *seen = found
    own = actor.owns(organizer_id) and actor.may("tournaments:read")
    if not own and status in (State.DRAFT, State.CANCELLED):
        visible(session, actor, tournament_id)
    return Glance(tournament_id, *seen)


def lock_visible(session: Session, actor: Principal, tournament_id: str) -> Tournament:
    """As `visible`, locked to the end of the transaction."""
    tournament = lock_row(session, Tournament, tournament_id)
    _show(session, tournament, actor)
    return tournament


def lock_own(session: Session, actor: Principal, tournament_id: str) -> Tournament:
    """The caller's own tournament, locked; raises `NotFound` or `Forbidden`."""
    tournament = lock_visible(session, actor, tournament_id)
    if not actor.owns(tournament.organizer_id):
        raise Forbidden("Only the organizer may do this.", code="not_organizer")
    return tournament


def _show(session: Session, tournament: Tournament, actor: Principal) -> None:
    if actor.owns(tournament.organizer_id) and actor.may("tournaments:read"):
        return
    if (
        session.scalar(select(Tournament.id).where(Tournament.id == tournament.id, public()))
        is None
    ):
        raise missing(Tournament)
