"""Entries: agents of authors and house bots, let in while there is room, or put on a waiting list.

What becomes of them later is attendance.py's, who has a place places.py's.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from sqlalchemy import Row, Select, String, cast, delete, select
from sqlalchemy.orm import Bundle, Session

from baohuang.engine.bots import BOTS

from ..errors import Conflict, Forbidden, Invalid, PreconditionFailed
from ..models import Agent, AgentStatus, Entry, EntryStatus, Tournament
from . import badges, lifecycle, places
from .events import tell
from .lifecycle import Move, lock_visible, permit, visible
from .paging import Page, page_of
from .principal import Principal
from .rows import get_row, missing, update_versioned


def search(
    session: Session,
    actor: Principal,
    tournament_id: str,
    after: tuple[object, ...] | None,
    limit: int,
    *,
    status: str | None = None,
    name: str | None = None,
    agent_id: str | None = None,
    house: bool | None = None,
    mine: bool = False,
    absent: bool = False,
) -> Page[Row[Any]]:
    """The entries of a tournament, in the order in which they came.

    name: part of it. house: house bots alone, or agents alone. mine: those of the caller's agents.
    absent: those that take part or wait, and have not checked in.
    """
    visible(session, actor, tournament_id)
    query: Select[Any] = select(Bundle("entry", *Entry.__table__.columns)).where(
        Entry.tournament_id == tournament_id
    )
    if status is not None:
        query = query.where(Entry.status == status)
    if name is not None:
        query = query.where(Entry.name.icontains(name, autoescape=True))
    if agent_id is not None:
        query = query.where(Entry.agent_id == agent_id)
    if house is not None:
        query = query.where(Entry.house_bot.is_not(None) if house else Entry.house_bot.is_(None))
    if mine:
        own = select(Agent.id).where(Agent.owner_id == actor.account_id)
        query = query.where(Entry.agent_id.in_(own))
    if absent:
        there = Entry.status.in_((EntryStatus.ENTERED, EntryStatus.WAITING))
        query = query.where(there, Entry.checked_in_at.is_(None))
    return page_of(session, query, [Entry.id], after, limit)


def find(session: Session, entry_id: str) -> Entry:
    """One entry (drafts have none, so all are public)."""
    return get_row(session, Entry, entry_id)


def enter(
    session: Session,
    actor: Principal,
    tournament_id: str,
    *,
    agent_id: str | None = None,
    house_bot: str | None = None,
) -> Entry:
    """Enter an agent or a house bot: exactly one of the two is given."""
    if agent_id is not None:
        return enter_agent(session, actor, tournament_id, agent_id)
    assert house_bot is not None, "an entry is an agent or a house bot"
    return enter_house_bot(session, actor, tournament_id, house_bot)


def enter_agent(session: Session, actor: Principal, tournament_id: str, agent_id: str) -> Entry:
    """Enter an active agent: its owner may, and the organizer. Once, and while there is room."""
    tournament = lock_visible(session, actor, tournament_id)
    require_entry(session, tournament)
    agent = usable_agent(session, actor, tournament, agent_id)
    require_under_cap(session, tournament, agent.owner_id)
    return _add(session, tournament, agent.name, agent_id=agent_id)


def enter_house_bot(session: Session, actor: Principal, tournament_id: str, bot: str) -> Entry:
    """Enter a house bot, as often as wanted: the organizer may."""
    tournament = lock_visible(session, actor, tournament_id)
    if not actor.owns(tournament.organizer_id):
        raise Forbidden("Only the organizer may enter house bots.", code="not_organizer")
    require_entry(session, tournament)
    if bot not in BOTS:
        raise Invalid([("/house_bot", "unknown", f"There are {', '.join(BOTS)}.")])
    return _add(session, tournament, bot, house_bot=bot)


def withdraw(session: Session, actor: Principal, entry_id: str, version: int) -> None:
    """Before it has taken part an entry goes. Later it stays, with its results, and is not seated
    from the next round on.

    A match that has begun is finished by whom it began with; in one of the present round that has
    not, a stand-in plays (seat_plans.py).
    """
    entry, tournament = lock_own(session, actor, entry_id, Move.WITHDRAW)
    told = {"entry_id": entry.id, "name": entry.name}
    if entry.joined is None:
        _remove(session, entry, version)
        tell(session, tournament.id, "entry.removed", told)
    else:
        _require_withdrawable(entry, version)
        places.leave(session, tournament, entry, EntryStatus.WITHDRAWN)
        tell(session, tournament.id, "entry.withdrawn", told)
    places.promote(session, tournament)


def lock_own(
    session: Session, actor: Principal, entry_id: str, move: Move
) -> tuple[Entry, Tournament]:
    """An entry of the caller's agent or tournament, as it is under the tournament's lock.

    Raises `Forbidden`, and `Conflict` if the tournament's state refuses the move.
    """
    entry = get_row(session, Entry, entry_id)
    tournament = lock_visible(session, actor, entry.tournament_id)
    _require_own(session, actor, tournament, entry)
    permit(tournament, move)
    return as_it_is(session, entry_id), tournament


def as_it_is(session: Session, entry_id: str) -> Entry:
    """An entry read again under the lock: it may have changed, or gone."""
    found = session.get(Entry, entry_id, populate_existing=True)
    if found is None:
        raise missing(Entry)
    return found


def set_seed(
    session: Session, actor: Principal, entry_id: str, version: int, seed: int | None
) -> Entry:
    """Say how strong an entry is held to be, 1 the strongest, before anything is drawn from it."""
    found = get_row(session, Entry, entry_id)
    tournament = lifecycle.lock_own(session, actor, found.tournament_id)
    permit(tournament, Move.ENTER)
    return update_versioned(session, Entry, entry_id, version, seed=seed)


def usable_agent(
    session: Session, actor: Principal, tournament: Tournament, agent_id: str
) -> Agent:
    """An active agent of the caller's, or (for the organizer) of anybody, that never took part.

    Raises `Invalid`, `Conflict`.
    """
    agent = session.get(Agent, agent_id)
    mine = agent is not None and actor.owns(agent.owner_id)
    if agent is None or not (mine or actor.owns(tournament.organizer_id)):
        raise Invalid([("/agent_id", "unknown", "There is no such agent of yours.")])
    if agent.status != AgentStatus.ACTIVE:
        raise Conflict(
            f"The agent is {agent.status}; only active ones enter.", code="agent_not_active"
        )
    if badges.lacking(tournament, agent):
        raise Conflict(badges.no_badge(agent), code="badge_required")
    if _took_part(session, tournament.id, agent_id):
        raise Conflict(
            "The agent has entered already; who left or was dropped returns with its own entry.",
            code="already_entered",
        )
    return agent


def require_entry(session: Session, tournament: Tournament) -> None:
    """The tournament is open, or its rules let late entries in. Raises `Conflict`."""
    if not places.late_open(session, tournament):
        permit(tournament, Move.ENTER)


def _require_own(session: Session, actor: Principal, tournament: Tournament, entry: Entry) -> None:
    """The agent's owner or the organizer; anybody may see the entry, so others get 403."""
    agent = session.get(Agent, entry.agent_id) if entry.agent_id else None
    if actor.owns(tournament.organizer_id) or (agent is not None and actor.owns(agent.owner_id)):
        return
    raise Forbidden("Only the agent's owner or the organizer may do this.", code="not_owner")


def _require_withdrawable(entry: Entry, version: int) -> None:
    if entry.agent_id is None:
        raise Conflict("House bots stay to the end.", code="house_entry")
    if entry.status == EntryStatus.WITHDRAWN:
        raise Conflict("The entry has been withdrawn already.", code="already_withdrawn")
    if entry.status != EntryStatus.ENTERED:
        raise Conflict(f"The entry is {entry.status}.", code=f"entry_{entry.status}")
    if entry.version != version:
        raise _changed()


def _remove(session: Session, entry: Entry, version: int) -> None:
    gone = session.execute(
        delete(Entry)
        .where(Entry.id == entry.id, Entry.version == version)
        .returning(Entry.id)
        .execution_options(synchronize_session=False)
    ).first()
    if gone is None:
        raise _changed()


def _changed() -> PreconditionFailed:
    return PreconditionFailed("The entry was changed since you read it; read it again.")


def all_who_took_part(session: Session, tournament_id: str) -> set[str]:
    """The agents that are in a tournament, or were until a substitute came."""
    rows = session.execute(
        select(Entry.agent_id, Entry.substitutions).where(Entry.tournament_id == tournament_id)
    ).all()
    left = {change["replaced"] for _, changes in rows for change in changes}
    return left | {agent_id for agent_id, _ in rows if agent_id is not None}


def by_owner(session: Session, tournament_id: str) -> Counter[str]:
    """How many entries count for each owner, those too that left: leaving earns nothing."""
    owners = session.scalars(
        select(Agent.owner_id)
        .join(Entry, Entry.agent_id == Agent.id)
        .where(Entry.tournament_id == tournament_id, Entry.status != EntryStatus.DROPPED)
    )
    return Counter(owners)


def _took_part(session: Session, tournament_id: str, agent_id: str) -> bool:
    """Whether an agent is in a tournament, or was until a substitute came."""
    here = Entry.tournament_id == tournament_id
    if session.scalar(select(Entry.id).where(here, Entry.agent_id == agent_id)) is not None:
        return True
    changed = cast(Entry.substitutions, String) != "[]"
    lists = session.scalars(select(Entry.substitutions).where(here, changed))
    return any(agent_id == change["replaced"] for changes in lists for change in changes)


def require_under_cap(session: Session, tournament: Tournament, owner_id: str) -> None:
    """Raises `Conflict` where an owner has as many entries as the tournament lets have."""
    cap = tournament.entries_per_owner
    if cap is not None and by_owner(session, tournament.id)[owner_id] >= cap:
        raise Conflict(f"An owner may have {cap} entries here.", code="owner_cap")


def _add(session: Session, tournament: Tournament, name: str, **who: Any) -> Entry:
    free = places.free(session, tournament) > 0
    if not free:
        _require_waiting_room(session, tournament)
    entry = Entry(
        tournament_id=tournament.id,
        name=places.free_name(session, tournament.id, name),
        status=EntryStatus.ENTERED if free else EntryStatus.WAITING,
        **who,
    )
    session.add(entry)
    session.flush()
    if free:
        places.seat_from_now(session, tournament, entry)
    who = {"agent_id": entry.agent_id, "house_bot": entry.house_bot}
    told = {"entry_id": entry.id, "name": entry.name, **who}
    tell(session, tournament.id, "entry.entered" if free else "entry.waiting", told)
    return entry


def _require_waiting_room(session: Session, tournament: Tournament) -> None:
    if places.waiting(session, tournament.id) >= tournament.waiting_list:
        raise Conflict(f"All {tournament.capacity} places are taken.", code="tournament_full")
