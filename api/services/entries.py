"""Entries: who takes part. Agents of authors, and house bots where seats would stay free."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count as numbers
from typing import Any

from sqlalchemy import Row, Select, delete, func, select
from sqlalchemy.orm import Bundle, Session

from baohuang.engine.bots import BOTS

from ..errors import Conflict, Forbidden, Invalid, PreconditionFailed
from ..models import Agent, AgentStatus, Entry, EntryStatus, Tournament, TournamentStatus, utc_now
from . import formats
from .events import tell
from .lifecycle import Move, lock_visible, permit, visible
from .paging import Page, page_of
from .principal import Principal
from .rows import get_row, missing, update_versioned

NAME_CHARS = 80

LISTED = ("id", "version", "created_at", "tournament_id", "agent_id", "house_bot", "name", "lot",
          "fills", "status", "withdrawn_at")  # fmt: skip
"""The columns that a list shows."""


def search(
    session: Session,
    actor: Principal,
    tournament_id: str,
    after: tuple[object, ...] | None,
    limit: int,
) -> Page[Row[Any]]:
    """The entries of a tournament, in the order in which they came."""
    visible(session, actor, tournament_id)
    columns = [getattr(Entry, name) for name in LISTED]
    query: Select[Any] = select(Bundle("entry", *columns)).where(
        Entry.tournament_id == tournament_id
    )
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
    permit(tournament, Move.ENTER)
    agent = _agent(session, actor, tournament, agent_id)
    if _entered(session, tournament_id, agent_id):
        raise Conflict("The agent has entered already.", code="already_entered")
    return _add(session, tournament, agent.name, agent_id=agent_id)


def enter_house_bot(session: Session, actor: Principal, tournament_id: str, bot: str) -> Entry:
    """Enter a house bot, as often as wanted: the organizer may."""
    tournament = lock_visible(session, actor, tournament_id)
    if not actor.owns(tournament.organizer_id):
        raise Forbidden("Only the organizer may enter house bots.", code="not_organizer")
    permit(tournament, Move.ENTER)
    if bot not in BOTS:
        raise Invalid([("/house_bot", "unknown", f"There are {', '.join(BOTS)}.")])
    return _add(session, tournament, bot, house_bot=bot)


def withdraw(session: Session, actor: Principal, entry_id: str, version: int) -> None:
    """Before the start the entry goes. Afterwards it stays with its results, and the server plays
    its seats from its next match on.
    """
    found = get_row(session, Entry, entry_id)
    tournament = lock_visible(session, actor, found.tournament_id)
    _require_own(session, actor, tournament, found)
    permit(tournament, Move.WITHDRAW)
    who = {"entry_id": entry_id, "name": found.name}
    if tournament.status == TournamentStatus.OPEN:
        _remove(session, entry_id, version)
        tell(session, tournament.id, "entry.removed", who)
        return
    session.refresh(found)
    if found.agent_id is None:
        raise Conflict("House bots stay to the end.", code="house_entry")
    if found.status == EntryStatus.WITHDRAWN:
        raise Conflict("The entry has been withdrawn already.", code="already_withdrawn")
    left = {"status": EntryStatus.WITHDRAWN, "withdrawn_at": utc_now()}
    update_versioned(session, Entry, entry_id, version, **left)
    tournament.version += 1  # its standings mark the entry now
    tell(session, tournament.id, "entry.withdrawn", who)


def count(session: Session, tournament_id: str, *, fills: bool = True) -> int:
    """How many entries a tournament has, with or without the house bots in free seats."""
    query = select(func.count()).select_from(Entry).where(Entry.tournament_id == tournament_id)
    return session.scalar(query if fills else query.where(~Entry.fills)) or 0


def fill(session: Session, tournament: Tournament) -> None:
    """House bots for the free seats, as many as the format wants."""
    bot = tournament.house_bot
    filled = [
        _insert(session, tournament, bot, house_bot=bot, fills=True)
        for _ in range(formats.free_seats(tournament, count(session, tournament.id)))
    ]
    if filled:
        seats = [{"entry_id": entry.id, "name": entry.name} for entry in filled]
        tell(session, tournament.id, "entry.filled", {"entries": seats})


def _agent(session: Session, actor: Principal, tournament: Tournament, agent_id: str) -> Agent:
    agent = session.get(Agent, agent_id)
    mine = agent is not None and actor.owns(agent.owner_id)
    if agent is None or not (mine or actor.owns(tournament.organizer_id)):
        raise Invalid([("/agent_id", "unknown", "There is no such agent of yours.")])
    if agent.status != AgentStatus.ACTIVE:
        raise Conflict(
            f"The agent is {agent.status}; only active ones enter.", code="agent_not_active"
        )
    return agent


def _entered(session: Session, tournament_id: str, agent_id: str) -> bool:
    same = (Entry.tournament_id == tournament_id, Entry.agent_id == agent_id)
    return session.scalar(select(Entry.id).where(*same)) is not None


def _add(session: Session, tournament: Tournament, name: str, **who: Any) -> Entry:
    if count(session, tournament.id) >= tournament.capacity:
        raise Conflict(f"All {tournament.capacity} places are taken.", code="tournament_full")
    entry = _insert(session, tournament, name, **who)
    told = {name: getattr(entry, name) for name in ("name", "agent_id", "house_bot")}
    told["entry_id"] = entry.id
    tell(session, tournament.id, "entry.entered", told)
    return entry


def _insert(session: Session, tournament: Tournament, name: str, **who: Any) -> Entry:
    entry = Entry(tournament_id=tournament.id, name=_free_name(session, tournament.id, name), **who)
    session.add(entry)
    session.flush()
    return entry


def _free_name(session: Session, tournament_id: str, wanted: str) -> str:
    """`wanted`, or with the first number that makes it different from all others."""
    taken = select(Entry.id).where(Entry.tournament_id == tournament_id)
    return next(
        name for name in _names(wanted) if session.scalar(taken.where(Entry.name == name)) is None
    )


def _names(wanted: str) -> Iterator[str]:
    yield wanted[:NAME_CHARS]
    for number in numbers(2):
        suffix = f" {number}"
        yield wanted[: NAME_CHARS - len(suffix)] + suffix


def _require_own(session: Session, actor: Principal, tournament: Tournament, entry: Entry) -> None:
    """The agent's owner or the organizer; anybody may see the entry, so others get 403."""
    agent = session.get(Agent, entry.agent_id) if entry.agent_id else None
    if actor.owns(tournament.organizer_id) or (agent is not None and actor.owns(agent.owner_id)):
        return
    raise Forbidden("Only the agent's owner or the organizer may do this.", code="not_owner")


def _remove(session: Session, entry_id: str, version: int) -> None:
    gone = session.execute(
        delete(Entry)
        .where(Entry.id == entry_id, Entry.version == version)
        .returning(Entry.id)
        .execution_options(synchronize_session=False)
    ).first()
    if gone is None:
        if session.scalar(select(Entry.id).where(Entry.id == entry_id)) is None:
            raise missing(Entry)
        raise PreconditionFailed("The entry was changed since you read it; read it again.")
