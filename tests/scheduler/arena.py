"""An arena for tests: a database with a started tournament, and real processes on it."""

import os
import subprocess
import sys
from contextlib import contextmanager
from time import monotonic, sleep

from cryptography.fernet import Fernet
from sqlalchemy import func, select

from baohuang.api.access import ROLE_SCOPES
from baohuang.api.db import Database
from baohuang.api.models import (
    Account,
    Agent,
    AgentKind,
    AgentStatus,
    Decision,
    Match,
    MatchStatus,
    Result,
    Role,
    Standing,
    Tournament,
)
from baohuang.api.remote.signing import new_secret
from baohuang.api.services import entries, tokens, tournaments
from baohuang.api.services.principal import Principal
from baohuang.api.vault import Vault

LEASE_S = 2
SETTINGS = {
    "name": "Kill cup",
    "rule_set": "lianzhong-simple",
    "overrides": {},
    "format": "round_robin",
    "rounds": 1,
    "deals": 2,
    "capacity": 25,
    "house_bot": "greedy",
    "budget_ms": 5000,
    "bank_ms": 20_000,
    "round_interval_s": 0,
    "tie_breaks": ["firsts", "average_place", "lot"],
    "starts_at": None,
}


class Arena:
    """`url` names a database; a second arena on a copy of it plays the same cards."""

    def __init__(self, url, key=None):
        self.url = url
        self.key = key or Fernet.generate_key().decode()
        self.database = Database(url)
        self.vault = Vault(self.key)
        self.tournament_id = None

    def prepare(self, urls, prefix="bot", **settings):
        """Register an agent for each URL (None: one that fetches), enter them all, start.

        `prefix`: of the agents' names.
        """
        with self.database.begin() as session:
            organizer = self._person(session, "olga", Role.ORGANIZER)
            author = self._person(session, "anna", Role.AUTHOR)
            made = tournaments.create(
                session, self.vault, organizer, {**SETTINGS, "capacity": len(urls), **settings}
            )
            tournaments.open_entry(session, organizer, made.id)
            for number, url in enumerate(urls):
                agent = self._agent(session, author, f"{prefix} {number:02}", url)
                entries.enter_agent(session, author, made.id, agent)
            tournaments.start(session, organizer, made.id)
            _, self.author_token = tokens.create(
                session, session.get_one(Account, author.account_id), "bots", ["agents:play"]
            )
        self.organizer, self.tournament_id = organizer, made.id

    def author(self, urls):
        """An author and his agents, without any tournament: who he is, and their ids."""
        with self.database.begin() as session:
            author = self._person(session, "anna", Role.AUTHOR)
            return author, [
                self._agent(session, author, f"bot {number:02}", url)
                for number, url in enumerate(urls)
            ]

    def _person(self, session, name, role):
        account = session.scalar(select(Account).where(Account.name == name))
        if account is None:
            account = Account(name=name, role=role)
            session.add(account)
            session.flush()
        return Principal(account.id, role, ROLE_SCOPES[role], name)

    def _agent(self, session, owner, name, url):
        secret = self.vault.seal(new_secret().encode())
        agent = Agent(
            owner_id=owner.account_id,
            name=name,
            kind=AgentKind.HTTP if url else AgentKind.PULL,
            url=url,
            status=AgentStatus.ACTIVE,
            secret=secret,
        )
        session.add(agent)
        session.flush()
        return agent.id

    @contextmanager
    def process(self, *words, stderr=None, **env):
        """A process of `baohuang …` on this arena, killed at the end if it still runs."""
        command = [sys.executable, "-m", "baohuang.scheduler", *words]
        environ = {**os.environ, **self.environ(), **env}
        process = subprocess.Popen(command, env=environ, stderr=stderr)
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def environ(self):
        return {
            "DATABASE_URL": self.url,
            "BAOHUANG_SECRET_KEY": self.key,
            "BAOHUANG_ALLOW": "127.0.0.0/8",
            "BAOHUANG_LEASE_S": str(LEASE_S),
            "BAOHUANG_LOG_LEVEL": "WARNING",
        }

    def act(self, move):
        """Let the organizer do something with the tournament."""
        with self.database.begin() as session:
            move(session, self.organizer, self.tournament_id)

    def one(self, query):
        with self.database.read() as session:
            return session.execute(query).scalar()

    def rows(self, query):
        with self.database.read() as session:
            return session.execute(query).all()

    def status(self):
        """Of the tournament that was prepared here last, or the only one of a copied database."""
        query = select(Tournament.status)
        if self.tournament_id is not None:
            query = query.where(Tournament.id == self.tournament_id)
        return self.one(query)

    def decisions(self):
        """How many are written."""
        return self.one(select(func.count()).select_from(Decision))

    def running_owners(self):
        """pid -> matches that a process of that pid plays now."""
        owned = select(Match.owner).where(Match.status == MatchStatus.RUNNING)
        pids = [int(owner.split(":")[1]) for (owner,) in self.rows(owned) if owner]
        return {pid: pids.count(pid) for pid in pids}

    def played(self):
        """(board without the tournament, status, epoch) of every match."""
        query = select(Match.board, Match.status, Match.epoch).order_by(Match.board)
        return [tuple(row) for row in self.rows(query)]

    def results(self):
        """What every seat took, by board: equal in two arenas that played the same."""
        query = (
            select(Match.board, Result.seat, Result.entry_id, Result.points, Result.penalty)
            .join(Match, Match.id == Result.match_id)
            .order_by(Match.board, Result.seat)
        )
        return [tuple(row) for row in self.rows(query)]

    def standings(self):
        query = select(Standing.position, Standing.rank, Standing.entry_id, Standing.row)
        return [tuple(row) for row in self.rows(query.order_by(Standing.position))]

    def records(self):
        return [record for (record,) in self.rows(select(Match.record))]

    def close(self):
        self.database.dispose()


def until(condition, seconds=60.0):
    """Wait until something holds that other processes bring about; what it gave."""
    deadline = monotonic() + seconds
    while not (value := condition()):
        assert monotonic() < deadline, "waited in vain"
        sleep(0.02)
    return value
