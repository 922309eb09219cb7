"""Entries that are there or not: check-in, return after a withdrawal, substitutes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy.orm import Session

from ..errors import Conflict
from ..models import (
    Agent,
    AgentStatus,
    Entry,
    EntryStatus,
    Tournament,
    utc_now,
)
from . import badges, entries, history, places
from .events import tell
from .lifecycle import MOVES, Move, lock_own, permit
from .principal import Principal
from .rows import get_row

REASON_CHARS = 300
AT_ONCE = 100


def check_in(session: Session, actor: Principal, entry_id: str) -> Entry:
    """Say that an entry is there, in the time before the start. Again changes nothing."""
    entry, tournament = entries.lock_own(session, actor, entry_id, Move.CHECK_IN)
    _require_check_in(tournament)
    _require_status(entry, EntryStatus.ENTERED, EntryStatus.WAITING)
    if entry.checked_in_at is None:
        entry.checked_in_at = utc_now()
        entry.version += 1
        tell(session, tournament.id, "entry.checked_in", _who(entry))
    return entry


def come_back(session: Session, actor: Principal, entry_id: str) -> Entry:
    """After a withdrawal: seated again from the next round on, with what it had before.

    Unless another has taken the place in the meantime. Who was dropped at the start comes as a late
    entry does, while those are let in.
    """
    entry, tournament = entries.lock_own(session, actor, entry_id, Move.COME_BACK)
    _require_status(entry, EntryStatus.WITHDRAWN, EntryStatus.DROPPED)
    agent = _require_active_agent(session, entry)
    if entry.status == EntryStatus.DROPPED:
        _require_late_entry(session, tournament, agent)
    elif not places.takes_comers(session, tournament):
        raise Conflict("The format seats nobody any more.", code="format_closed")
    if not places.free(session, tournament):
        raise Conflict(f"All {tournament.capacity} places are taken.", code="tournament_full")
    if entry.joined is None:
        _let_in(session, tournament, entry)
    else:
        places.rejoin(session, tournament, entry)
    following = history.last_number(session, tournament.id) + 1
    tell(session, tournament.id, "entry.returned", {**_who(entry), "round": following})
    return entry


def _require_late_entry(session: Session, tournament: Tournament, agent: Agent) -> None:
    if not places.late_open(session, tournament):
        raise Conflict("Late entries are not let in, or no more.", code="late_entry_closed")
    if badges.lacking(tournament, agent):
        raise Conflict(badges.no_badge(agent), code="badge_required")
    entries.require_under_cap(session, tournament, agent.owner_id)


def _let_in(session: Session, tournament: Tournament, entry: Entry) -> None:
    entry.status, entry.reason = EntryStatus.ENTERED, None
    entry.version += 1
    places.seat_from_now(session, tournament, entry)


def substitute(
    session: Session, actor: Principal, entry_id: str, agent_id: str, reason: str | None = None
) -> Entry:
    """The organizer lets another agent play on for an entry, from its next match on."""
    found = get_row(session, Entry, entry_id)
    tournament = lock_own(session, actor, found.tournament_id)
    permit(tournament, Move.REPLACE)
    entry = entries.as_it_is(session, entry_id)
    _require_status(entry, EntryStatus.ENTERED, EntryStatus.WAITING, EntryStatus.WITHDRAWN)
    if entry.agent_id is None:
        raise Conflict("House bots have no substitutes.", code="house_entry")
    agent = entries.usable_agent(session, actor, tournament, agent_id)
    _require_no_forbidden_pair(session, tournament, entry, agent)
    change = {
        "at": utc_now().isoformat(timespec="milliseconds"),
        "round": _present_round(session, tournament.id),
        "after_round": history.last_number(session, tournament.id),
        "replaced": entry.agent_id,
        "agent_id": agent.id,
        "reason": reason[:REASON_CHARS] if reason else None,
    }
    entry.substitutions = [*entry.substitutions, change]
    entry.agent_id = agent.id
    entry.version += 1
    tournament.version += 1
    tell(session, tournament.id, "entry.substituted", {**_who(entry), "agent_id": agent.id})
    return entry


def _require_no_forbidden_pair(
    session: Session, tournament: Tournament, entry: Entry, agent: Agent
) -> None:
    """Rounds are drawn, some far ahead, by the pairs of those who entered."""
    partners = {x for pair in tournament.forbidden_pairs if agent.id in pair for x in pair}
    entry_of = history.entries_by_agent(session, tournament.id) if partners else {}
    if {entry_of[x] for x in partners if x in entry_of} - {entry.id}:
        raise Conflict(
            "The agent must not meet one that takes part (forbidden_pairs); choose another.",
            code="forbidden_pair",
        )


def may_check_in(session: Session, actor: Principal, tournament: Tournament) -> list[Any]:
    """The caller's entries that have to check in and can do so now; the first hundred."""
    now = tournament.status in MOVES[Move.CHECK_IN] and tournament.check_in_s is not None
    if not now or not _has_begun(tournament):
        return []
    own = entries.search(session, actor, tournament.id, None, AT_ONCE, mine=True, absent=True)
    return list(own.items)


def _require_check_in(tournament: Tournament) -> None:
    """There is one, and its time has come; without a time to start it is as long as the entry."""
    if tournament.check_in_s is None:
        raise Conflict("Nobody needs to check in here.", code="no_check_in")
    if not _has_begun(tournament):
        raise Conflict("Check-in has not begun.", code="check_in_closed")


def _has_begun(tournament: Tournament) -> bool:
    opens = check_in_opens_at(tournament)
    return opens is None or utc_now() >= opens


def check_in_opens_at(tournament: Tournament) -> Any:
    """When check-in begins; None without one, or where it goes on as long as the entry."""
    if tournament.check_in_s is None or tournament.starts_at is None:
        return None
    return tournament.starts_at - timedelta(seconds=tournament.check_in_s)


def _require_status(entry: Entry, *allowed: EntryStatus) -> None:
    if entry.status not in allowed:
        raise _refused(entry)


def _refused(entry: Entry) -> Conflict:
    return Conflict(f"The entry is {entry.status}.", code=f"entry_{entry.status}")


def _require_active_agent(session: Session, entry: Entry) -> Agent:
    agent = session.get(Agent, entry.agent_id) if entry.agent_id else None
    if agent is None or agent.status != AgentStatus.ACTIVE:
        raise Conflict("Its agent is not active.", code="agent_not_active")
    return agent


def _present_round(session: Session, tournament_id: str) -> int:
    """The round that is being played, else the next one."""
    running = history.running_number(session, tournament_id)
    return running or history.last_number(session, tournament_id) + 1


def _who(entry: Entry) -> dict[str, Any]:
    return {"entry_id": entry.id, "name": entry.name}
