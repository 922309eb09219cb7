"""A database with people in it, and a tournament at any point of its life."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select

from baohuang.api.access import ROLE_SCOPES
from baohuang.api.db import Database
from baohuang.api.models import Account, Agent, AgentStatus, Entry, Role, Tournament
from baohuang.api.services import entries, rounds, tournaments
from baohuang.api.services.principal import Principal
from baohuang.api.vault import Vault

SETTINGS: dict[str, Any] = {
    "name": "Spring cup",
    "rule_set": "lianzhong-simple",
    "overrides": {},
    "format": "round_robin",
    "format_options": {"effort": 1},  # little, for speed
    "rounds": 2,
    "deals": 2,
    "capacity": 20,
    "waiting_list": 0,
    "entries_per_owner": None,
    "check_in_s": None,
    "late_entry_round": 0,
    "house_bot": "greedy",
    "no_show": "house_bot",
    "forbidden_pairs": [],
    "budget_ms": 1000,
    "bank_ms": 10_000,
    "round_interval_s": 0,
    "tie_breaks": ["firsts", "average_place", "lot"],
    "starts_at": None,
}


@dataclass
class World:
    """A database, its vault, and accounts by name."""

    database: Database
    vault: Vault
    people: dict[str, Principal] = field(default_factory=dict)

    def person(self, name: str, role: Role) -> Principal:
        with self.database.begin() as session:
            account = Account(name=name, role=role)
            session.add(account)
            session.flush()
            self.people[name] = Principal(account.id, role, ROLE_SCOPES[role], name)
        return self.people[name]

    def agent(self, owner: str, name: str, status: AgentStatus = AgentStatus.ACTIVE) -> str:
        with self.database.begin() as session:
            agent = Agent(
                owner_id=self.people[owner].account_id,
                name=name,
                url=f"https://{name}.example/bot",
                status=status,
                secret=self.vault.seal(f"whsec_{name}".encode()),
            )
            session.add(agent)
            session.flush()
            return agent.id

    def agents(self, owners: int, number: int) -> list[str]:
        """So many active agents of so many owners, in turn."""
        for owner in range(owners):
            self.person(f"owner-{owner}", Role.AUTHOR)
        with self.database.begin() as session:
            made = [
                Agent(
                    owner_id=self.people[f"owner-{k % owners}"].account_id,
                    name=f"agent-{k}",
                    url=f"https://agent-{k}.example/bot",
                    status=AgentStatus.ACTIVE,
                    secret=self.vault.seal(b"whsec_secret"),
                )
                for k in range(number)
            ]
            session.add_all(made)
            session.flush()
            return [agent.id for agent in made]

    def draft(self, **changes: Any) -> str:
        with self.database.begin() as session:
            options = {} if "format" in changes else SETTINGS["format_options"]
            settings: Any = {**SETTINGS, "format_options": options, **changes}
            return tournaments.create(session, self.vault, self.people["olga"], settings).id

    def opened(self, **changes: Any) -> str:
        tournament_id = self.draft(**changes)
        self.act("open_entry", tournament_id)
        return tournament_id

    def started(self, agents: int = 3, **changes: Any) -> str:
        """With `agents` of author `anna`'s entered; house bots fill up."""
        tournament_id = self.opened(**changes)
        for number in range(agents):
            self.enter(tournament_id, self.agent("anna", f"bot-{number}-{tournament_id}"))
        self.act("start", tournament_id)
        return tournament_id

    def playing(self, agents: int = 3, **changes: Any) -> tuple[str, list[str]]:
        """Started, and round 1 opened: the tournament's id and its matches'."""
        tournament_id = self.started(agents, **changes)
        return tournament_id, self.open_next(tournament_id)

    def enter(self, tournament_id: str, agent_id: str, who: str = "anna") -> str:
        with self.database.begin() as session:
            return entries.enter_agent(session, self.people[who], tournament_id, agent_id).id

    def act(self, action: str, tournament_id: str, who: str = "olga", **more: Any) -> None:
        with self.database.begin() as session:
            getattr(tournaments, action)(session, self.people[who], tournament_id, **more)

    def do(self, service: Callable[..., Any], who: str, *args: Any, **more: Any) -> Any:
        """A service called in a transaction of its own, by somebody."""
        with self.database.begin() as session:
            return service(session, self.people[who], *args, **more)

    def see(self, service: Callable[..., Any], *args: Any, **more: Any) -> Any:
        """A service that only reads."""
        with self.database.read() as session:
            return service(session, *args, **more)

    def entry(self, entry_id: str) -> Entry:
        with self.database.read() as session:
            return session.get_one(Entry, entry_id)

    def entries(self, tournament_id: str, **where: Any) -> list[Entry]:
        """In the order in which they came."""
        with self.database.read() as session:
            query = select(Entry).filter_by(tournament_id=tournament_id, **where)
            return list(session.scalars(query.order_by(Entry.id)))

    def open_next(self, tournament_id: str) -> list[str]:
        with self.database.begin() as session:
            return rounds.open_next(session, self.vault, tournament_id)

    def close_rounds(self) -> list[str]:
        """As the timer does; the tournaments whose round was closed."""
        ids = self.see(rounds.played_out)
        return [tournament_id for tournament_id in ids if self._close(tournament_id)]

    def _close(self, tournament_id: str) -> bool:
        with self.database.begin() as session:
            return rounds.close(session, tournament_id)

    def tournament(self, tournament_id: str) -> Tournament:
        with self.database.read() as session:
            return session.get_one(Tournament, tournament_id)


@pytest.fixture
def world(arena_url: str) -> Iterator[World]:
    """Organizer `olga`, author `anna`, author `bert`, organizer `oskar`, admin `ada`."""
    yield from _world(arena_url)


@pytest.fixture
def sqlite_world(sqlite_arena: str) -> Iterator[World]:
    """The same, on SQLite alone."""
    yield from _world(sqlite_arena)


@pytest.fixture
def postgres_world(postgres_arena: str) -> Iterator[World]:
    """The same, on PostgreSQL alone: where several write at once."""
    yield from _world(postgres_arena)


def _world(url: str) -> Iterator[World]:
    database = Database(url)
    made = World(database, Vault(Fernet.generate_key()))
    for name, role in [
        ("olga", Role.ORGANIZER),
        ("oskar", Role.ORGANIZER),
        ("anna", Role.AUTHOR),
        ("bert", Role.AUTHOR),
        ("ada", Role.ADMIN),
    ]:
        made.person(name, role)
    yield made
    database.dispose()
