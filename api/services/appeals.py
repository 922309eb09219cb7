"""Appeals: owners say what they hold against a match or a ruling, arbiters decide.

An appeal changes nothing by itself and holds nothing up: who upholds it makes a ruling and names
it. Everybody sees appeals and decisions, as they see rulings; but who appeals about a match says
that he sits there. Where a round that runs shows no names, its appeals are for the judges and for
whoever appealed until it has ended, and events tell of them when the secret is revealed.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, and_, func, or_, select
from sqlalchemy.orm import Bundle, Session

from ..errors import Conflict, Forbidden, Invalid
from ..models import (
    Agent,
    Appeal,
    AppealStatus,
    Entry,
    EventView,
    Match,
    Role,
    Round,
    RoundStatus,
    Ruling,
    Seat,
    Tournament,
    TournamentStatus,
    utc_now,
)
from . import pseudonyms
from .arbiters import judges, lock_judged, require_no_part
from .events import tell
from .lifecycle import UNDER_WAY, lock_visible, visible
from .paging import Page, page_of
from .principal import Principal
from .rows import get_row, missing

ABOUT: Final = ("match_id", "ruling_id")


def make(
    session: Session,
    actor: Principal,
    tournament_id: str,
    *,
    entry_id: str,
    statement: str,
    match_id: str | None = None,
    ruling_id: str | None = None,
) -> Appeal:
    """Appeal for an entry of the caller's agent, about exactly one match or ruling.

    Raises `Conflict` when it is too late or was done before, `Forbidden` for entries of others,
    `Invalid` for what is not of the tournament.
    """
    tournament = lock_visible(session, actor, tournament_id)
    _require_appeals(tournament)
    entry = _own_entry(session, actor, tournament, entry_id)
    if match_id is not None:
        _require_match(session, tournament, entry, match_id)
    elif ruling_id is not None:
        _require_ruling(session, tournament, ruling_id)
    _require_first(session, entry, match_id, ruling_id)
    appeal = Appeal(
        tournament_id=tournament_id,
        number=_next_number(session, tournament_id),
        entry_id=entry_id,
        author_id=actor.account_id,
        match_id=match_id,
        ruling_id=ruling_id,
        statement=statement,
    )
    session.add(appeal)
    session.flush()
    about = {"entry_id": entry_id, "match_id": match_id, "ruling_id": ruling_id}
    _tell(session, tournament, appeal, "appeal.made", about)
    return appeal


def search(
    session: Session,
    actor: Principal,
    tournament_id: str,
    after: tuple[object, ...] | None,
    limit: int,
    *,
    status: str | None = None,
    newest_first: bool = False,
) -> Page[Row[Any]]:
    """The appeals of a tournament, in order."""
    tournament = visible(session, actor, tournament_id)
    query: Select[Any] = select(Bundle("appeal", *Appeal.__table__.columns)).where(
        Appeal.tournament_id == tournament_id
    )
    if pseudonyms.hides(tournament) and not judges(actor, tournament):
        query = query.where(or_(~_at_hidden_table(), _own(actor)))
    if status is not None:
        query = query.where(Appeal.status == status)
    return page_of(session, query, [Appeal.number], after, limit, descending=newest_first)


def find(session: Session, actor: Principal, appeal_id: str) -> Appeal:
    """One appeal; raises `NotFound`."""
    found = get_row(session, Appeal, appeal_id)
    tournament = visible(session, actor, found.tournament_id)
    hidden = _is_hidden(session, tournament, appeal_id) and not judges(actor, tournament)
    if hidden and not _is_own(session, actor, appeal_id):
        raise missing(Appeal)
    return found


def decide(
    session: Session,
    actor: Principal,
    appeal_id: str,
    *,
    outcome: str,
    reason: str,
    ruling_id: str | None = None,
) -> Appeal:
    """Uphold or reject; `ruling_id` is the ruling that came of it. Once.

    An arbiter decides about no ruling and no entry of his own; the organizer has the last word.
    """
    found = get_row(session, Appeal, appeal_id)
    tournament = lock_judged(session, actor, found.tournament_id)
    _require_heard(tournament)
    appeal = _open(session, appeal_id)
    ruled = session.get(Ruling, appeal.ruling_id) if appeal.ruling_id else None
    if actor.role == Role.ARBITER and ruled is not None and ruled.author_id == actor.account_id:
        raise Forbidden("The appeal is against a ruling of yours.", code="own_ruling")
    require_no_part(session, actor, tournament, entry_id=appeal.entry_id)
    about = appeal if ruled is None else ruled
    require_no_part(session, actor, tournament, match_id=about.match_id, entry_id=about.entry_id)
    if ruling_id is not None:
        _ruling(session, tournament, ruling_id)
    appeal.remedy_id = ruling_id
    appeal.decision, appeal.decided_by_id = reason, actor.account_id
    _close(appeal, AppealStatus(outcome))
    told = {"outcome": outcome, "reason": reason, "ruling_id": ruling_id}
    _tell(session, tournament, appeal, "appeal.decided", told)
    return appeal


def withdraw(session: Session, actor: Principal, appeal_id: str) -> Appeal:
    """Take back what one's own entry appealed for, before it is decided."""
    found = get_row(session, Appeal, appeal_id)
    tournament = lock_visible(session, actor, found.tournament_id)
    _own_entry(session, actor, tournament, found.entry_id)
    _require_heard(tournament)
    appeal = _open(session, appeal_id)
    _close(appeal, AppealStatus.WITHDRAWN)
    _tell(session, tournament, appeal, "appeal.withdrawn", {})
    return appeal


def _tell(
    session: Session, tournament: Tournament, appeal: Appeal, kind: str, told: dict[str, Any]
) -> None:
    session.flush()
    hidden = _is_hidden(session, tournament, appeal.id)
    named = {"appeal_id": appeal.id, "number": appeal.number}
    view = EventView.AFTER if hidden else None
    tell(session, tournament.id, kind, {**named, **told}, view=view)


def _is_hidden(session: Session, tournament: Tournament, appeal_id: str) -> bool:
    """Whether it would tell now who sits at a table, to those who may not know."""
    found = select(Appeal.id).where(Appeal.id == appeal_id, _at_hidden_table())
    return pseudonyms.hides(tournament) and session.scalar(found) is not None


def _at_hidden_table() -> ColumnElement[bool]:
    """Of an appeal: the match that it is about, or its ruling is, belongs to a round that runs."""
    ruling = select(Ruling.match_id).where(Ruling.id == Appeal.ruling_id)
    ruled = ruling.correlate(Appeal).scalar_subquery()
    return (
        select(Match.id)
        .join(Round, and_(Round.id == Match.round_id, Round.status == RoundStatus.RUNNING))
        .where(or_(Match.id == Appeal.match_id, Match.id == ruled))
        .correlate(Appeal)
        .exists()
    )


def _own(actor: Principal) -> ColumnElement[bool]:
    """Of an appeal: the caller made it, or it was made for an entry of his agent."""
    entries = (
        select(Entry.id)
        .join(Agent, Agent.id == Entry.agent_id)
        .where(Agent.owner_id == actor.account_id)
    )
    return or_(Appeal.author_id == actor.account_id, Appeal.entry_id.in_(entries))


def _is_own(session: Session, actor: Principal, appeal_id: str) -> bool:
    found = select(Appeal.id).where(Appeal.id == appeal_id, _own(actor))
    return session.scalar(found) is not None


def _close(appeal: Appeal, status: AppealStatus) -> None:
    appeal.status, appeal.decided_at = status, utc_now()
    appeal.version += 1


def _open(session: Session, appeal_id: str) -> Appeal:
    """As it is under the tournament's lock."""
    appeal = session.get_one(Appeal, appeal_id, populate_existing=True)
    if appeal.status != AppealStatus.OPEN:
        raise Conflict(f"The appeal is {appeal.status}.", code=f"appeal_{appeal.status}")
    return appeal


def _require_appeals(tournament: Tournament) -> None:
    if not tournament.appeal_window_s:
        raise Conflict("This tournament hears no appeals.", code="no_appeals")
    _require_heard(tournament)


def _require_heard(tournament: Tournament) -> None:
    """Of a tournament that was cancelled nothing is heard any more."""
    if tournament.status not in (*UNDER_WAY, TournamentStatus.FINISHED):
        raise Conflict(
            f"The tournament is {tournament.status}.", code=f"tournament_{tournament.status}"
        )


def _own_entry(session: Session, actor: Principal, tournament: Tournament, entry_id: str) -> Entry:
    """An entry that the caller's agent plays for. Raises `Invalid`, `Forbidden`."""
    entry = session.get(Entry, entry_id)
    if entry is None or entry.tournament_id != tournament.id:
        raise Invalid([("/entry_id", "unknown", "There is no such entry in this tournament.")])
    agent = session.get(Agent, entry.agent_id) if entry.agent_id else None
    if agent is None or not actor.owns(agent.owner_id):
        raise Forbidden("Only the agent's owner may do this.", code="not_owner")
    return entry


def _require_match(session: Session, tournament: Tournament, entry: Entry, match_id: str) -> None:
    """The entry sat there, and it is not too long ago."""
    match = session.get(Match, match_id)
    if match is None or match.tournament_id != tournament.id:
        raise Invalid([("/match_id", "unknown", "There is no such match in this tournament.")])
    seat = select(Seat.seat).where(Seat.table_id == match.table_id, Seat.entry_id == entry.id)
    if session.scalar(seat) is None:
        raise Invalid([("/match_id", "not_there", "The entry has no seat in this match.")])
    if match.finished_at is not None:
        _require_in_time(tournament, match.finished_at)


def _require_ruling(session: Session, tournament: Tournament, ruling_id: str) -> None:
    _require_in_time(tournament, _ruling(session, tournament, ruling_id).created_at)


def _ruling(session: Session, tournament: Tournament, ruling_id: str) -> Ruling:
    ruling = session.get(Ruling, ruling_id)
    if ruling is None or ruling.tournament_id != tournament.id:
        raise Invalid([("/ruling_id", "unknown", "There is no such ruling in this tournament.")])
    return ruling


def _require_in_time(tournament: Tournament, since: Any) -> None:
    if utc_now() > since + timedelta(seconds=tournament.appeal_window_s):
        detail = f"Appeals were possible for {tournament.appeal_window_s} seconds."
        raise Conflict(detail, code="too_late")


def _require_first(
    session: Session, entry: Entry, match_id: str | None, ruling_id: str | None
) -> None:
    """Whoever took an appeal back may make it again, in time."""
    same = select(Appeal.id).where(
        Appeal.entry_id == entry.id,
        Appeal.match_id == match_id if match_id else Appeal.ruling_id == ruling_id,
        Appeal.status != AppealStatus.WITHDRAWN,
    )
    if session.scalar(same) is not None:
        raise Conflict("The entry has appealed about this.", code="already_appealed")


def _next_number(session: Session, tournament_id: str) -> int:
    query = select(func.max(Appeal.number)).where(Appeal.tournament_id == tournament_id)
    return (session.scalar(query) or 0) + 1
