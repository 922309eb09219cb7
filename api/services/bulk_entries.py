"""Entering many at once: all or nothing, with every bad one named.

What is asked of one entry is asked of each (entries.py), but of the whole list together: a few
queries instead of six for each, since the tournament is locked meanwhile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from baohuang.engine.bots import BOTS

from ..errors import Conflict, FieldError, Forbidden, Invalid
from ..models import Agent, AgentStatus, Entry, EntryStatus, Tournament
from . import badges, entries, history, places
from .events import Telling, tell_all
from .lifecycle import lock_visible
from .principal import Principal

MOST = 500


@dataclass(frozen=True, slots=True)
class Wish:
    """Who is to enter: an agent or a house bot, and how strong it is held to be."""

    agent_id: str | None = None
    house_bot: str | None = None
    seed: int | None = None


class Refusal(NamedTuple):
    """Why one cannot enter; `wrong`: the list is at fault, not the state of things."""

    error: FieldError
    wrong: bool


def enter_all(
    session: Session, actor: Principal, tournament_id: str, wishes: Sequence[Wish]
) -> list[Entry]:
    """Enter all of them in the order of the list, or none.

    Raises `Invalid` if the list is wrong, `Conflict` (`entries_refused`) if those that it names
    cannot enter now; either names all of them. `Forbidden` for what only the organizer may.
    """
    tournament = lock_visible(session, actor, tournament_id)
    directs = actor.owns(tournament.organizer_id)
    if not directs and any(wish.house_bot or wish.seed for wish in wishes):
        detail = "Only the organizer may enter house bots, and seed."
        raise Forbidden(detail, code="not_organizer")
    entries.require_entry(session, tournament)
    check = _Check(session, actor, tournament, wishes)
    refused = [refusal for number, wish in enumerate(wishes) for refusal in check.of(number, wish)]
    _raise(refused)
    made = _made(session, tournament, wishes, check.agents)
    _tell(session, tournament, made)
    return made


class _Check:
    """What is known of all who are named, and of the tournament, before anybody enters."""

    def __init__(
        self, session: Session, actor: Principal, tournament: Tournament, wishes: Iterable[Wish]
    ) -> None:
        named = [wish.agent_id for wish in wishes if wish.agent_id is not None]
        query = select(Agent).where(Agent.id.in_(named)).options(joinedload(Agent.live))
        found = session.scalars(query)
        self.agents = {agent.id: agent for agent in found}
        self._actor, self._tournament = actor, tournament
        self._directs = actor.owns(tournament.organizer_id)
        self._here = entries.all_who_took_part(session, tournament.id)
        self._cap = tournament.entries_per_owner
        self._by_owner = entries.by_owner(session, tournament.id) if self._cap else Counter[str]()
        free = places.free(session, tournament)
        waiting = max(tournament.waiting_list - places.waiting(session, tournament.id), 0)
        self._room, self._capacity = free + waiting, tournament.capacity

    def of(self, number: int, wish: Wish) -> Iterable[Refusal]:
        """Why this one cannot enter after those before it."""
        if wish.agent_id is None:
            yield from self._of_house_bot(number, wish.house_bot)
        else:
            yield from self._of_agent(number, wish.agent_id)
        self._room -= 1
        if self._room == -1:  # the first who is too many; the others need no line of their own
            detail = f"All {self._capacity} places are taken, from this one on."
            yield Refusal(FieldError(f"/entries/{number}", "tournament_full", detail), False)

    def _of_house_bot(self, number: int, bot: str | None) -> Iterable[Refusal]:
        if bot not in BOTS:
            yield _wrong(number, "house_bot", "unknown", f"There are {', '.join(BOTS)}.")

    def _of_agent(self, number: int, agent_id: str) -> Iterable[Refusal]:
        agent = self.agents.get(agent_id)
        if agent is None or not (self._directs or self._actor.owns(agent.owner_id)):
            yield _wrong(number, "agent_id", "unknown", "There is no such agent of yours.")
            return
        if agent.status != AgentStatus.ACTIVE:
            detail = f"The agent is {agent.status}; only active ones enter."
            yield _refused(number, "agent_not_active", detail)
        if badges.lacking(self._tournament, agent):
            yield _refused(number, "badge_required", badges.no_badge(agent))
        if agent_id in self._here:
            yield _refused(number, "already_entered", "The agent has entered already.")
        self._here.add(agent_id)
        self._by_owner[agent.owner_id] += 1
        if self._cap is not None and self._by_owner[agent.owner_id] > self._cap:
            yield _refused(number, "owner_cap", f"An owner may have {self._cap} entries here.")


def _wrong(number: int, member: str, code: str, detail: str) -> Refusal:
    return Refusal(FieldError(f"/entries/{number}/{member}", code, detail), True)


def _refused(number: int, code: str, detail: str) -> Refusal:
    return Refusal(FieldError(f"/entries/{number}/agent_id", code, detail), False)


def _raise(refused: Collection[Refusal]) -> None:
    if any(refusal.wrong for refusal in refused):
        raise Invalid([refusal.error for refusal in refused])
    if refused:
        detail = f"{len(refused)} of them cannot enter, so nobody did."
        errors = [refusal.error for refusal in refused]
        raise Conflict(detail, code="entries_refused", errors=errors)


def _made(
    session: Session,
    tournament: Tournament,
    wishes: Sequence[Wish],
    agents: Mapping[str, Agent],
) -> list[Entry]:
    free = places.free(session, tournament)
    names = places.Names(session, tournament.id)
    made = [
        Entry(
            tournament_id=tournament.id,
            name=names.free(agents[wish.agent_id].name if wish.agent_id else str(wish.house_bot)),
            status=EntryStatus.ENTERED if number < free else EntryStatus.WAITING,
            agent_id=wish.agent_id,
            house_bot=wish.house_bot,
            seed=wish.seed,
        )
        for number, wish in enumerate(wishes)
    ]
    if tournament.started_at is not None:
        following = history.last_number(session, tournament.id) + 1
        for entry in made[:free]:
            entry.joined = following
        tournament.version += 1
    session.add_all(made)
    session.flush()
    if tournament.started_at is not None:
        places.keep_spares(session, tournament)
    return made


def _tell(session: Session, tournament: Tournament, made: Iterable[Entry]) -> None:
    tellings = []
    for entry in made:
        kind = "entry.entered" if entry.status == EntryStatus.ENTERED else "entry.waiting"
        who: dict[str, Any] = {"agent_id": entry.agent_id, "house_bot": entry.house_bot}
        tellings.append(Telling(kind, {"entry_id": entry.id, "name": entry.name, **who}))
    tell_all(session, tournament.id, tellings)
