"""How entries of a random tournament come and go; a refusal is an answer too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from baohuang.api.errors import Conflict
from baohuang.api.models import Agent, AgentStatus, Entry, EntryStatus
from baohuang.api.services import attendance, entries
from baohuang.api.services.principal import Principal

from .conftest import World


class Goings:
    """Part of a simulation, which says what it is about."""

    world: World
    random: Random
    agents: list[str]
    tournament_id: str

    def one_in(self, chances: int) -> bool:
        return self.random.randrange(chances) == 0

    def step(self, what: str) -> None:
        raise NotImplementedError

    def settings(self, size: int) -> dict[str, Any]:
        """Of the life of entries: too few places now and then, check-in, late entry."""
        tight = max(5, size - 2)
        return {
            "capacity": tight if self.one_in(3) else 9 if size <= 9 else 80,
            "waiting_list": 5,
            "late_entry_round": self.random.randint(0, 3),
            "check_in_s": self.random.choice([None, 600]),
            "no_show": self.random.choice(["house_bot", "autoplay"]),
        }

    def attempt(self, what: str, service: Callable[..., Any], *about: Any, **more: Any) -> None:
        """The organizer does it, or `who`."""
        try:
            self.world.do(service, more.pop("who", "olga"), *about, **more)
        except Conflict:
            what = f"{what} refused"
        self.step(what)

    def attempt_all(self, what: str, service: Callable[..., Any], things: list[str]) -> None:
        """The same with several things, some of them in one transaction."""
        while things:
            some = [things.pop() for _ in range(min(len(things), self.random.randint(1, 12)))]
            with self.world.database.begin() as session:
                for thing in some:
                    with suppress(Conflict):
                        service(session, self.world.people["olga"], thing)
            self.step(what)

    def enter(self, agent_id: str) -> None:
        self.attempt("enter", entries.enter_agent, self.tournament_id, agent_id)

    def enter_all(self, agent_ids: list[str]) -> None:
        def enter(session: Session, actor: Principal, agent_id: str) -> None:
            entries.enter_agent(session, actor, self.tournament_id, agent_id)

        self.attempt_all("enter", enter, list(agent_ids))

    def check_in(self) -> None:
        """Most do; at least one of those who have a place."""
        first, *others = self.world.entries(self.tournament_id)
        there = [first.id, *(e.id for e in others if not self.one_in(8))]
        self.attempt_all("check in", attendance.check_in, there)

    def come_or_go(self) -> None:
        """One thing of several."""
        self.random.choice((self.withdraw, self.come_back, self.come_late, self.substitute))()

    def withdraw(self) -> None:
        entry = self.world.entry(self.any_entry())
        self.attempt("withdraw", entries.withdraw, entry.id, entry.version)

    def come_back(self) -> None:
        gone = self.world.entries(self.tournament_id, status=EntryStatus.WITHDRAWN)
        if gone:
            self.attempt("come back", attendance.come_back, self.random.choice(gone).id)

    def come_late(self) -> None:
        self.enter(self.random.choice(self.agents))

    def substitute(self) -> None:
        here = {entry.agent_id for entry in self.world.entries(self.tournament_id)}
        fresh = [agent_id for agent_id in self.agents if agent_id not in here]
        if fresh:
            agent_id = self.random.choice(fresh)
            self.attempt("substitute", attendance.substitute, self.any_entry(), agent_id)

    @contextmanager
    def somebody_missing(self) -> Iterator[None]:
        """An agent is not active meanwhile."""
        agent_id = self.random.choice(self.agents)
        self.set_status(agent_id, AgentStatus.PAUSED)
        yield
        self.set_status(agent_id, AgentStatus.ACTIVE)

    def set_status(self, agent_id: str, status: AgentStatus) -> None:
        with self.world.database.begin() as session:
            session.get_one(Agent, agent_id).status = status
        self.step(f"{status} agent")

    def any_entry(self) -> str:
        """One that has taken part."""
        with self.world.database.read() as session:
            who = select(Entry.id).where(
                Entry.tournament_id == self.tournament_id, ~Entry.fills, Entry.joined.is_not(None)
            )
            before = select(Entry.id).where(Entry.tournament_id == self.tournament_id)
            found = sorted(session.scalars(who)) or sorted(session.scalars(before))
            return self.random.choice(found)
