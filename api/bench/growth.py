"""What a finished match costs, the more of them came before in its tournament.

A ladder of 500 entries grows to a thousand, ten thousand, a hundred thousand matches. What came
before is written in bulk; then a round is opened, played and closed by the services, as scheduler
and workers do it, and every transaction is timed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from sqlalchemy import func, insert, select, update

from baohuang.engine.tournament.plan import SEATS

from ..access import ROLE_SCOPES
from ..config import Config
from ..db import Database
from ..migrate import upgrade
from ..models import (
    Account,
    Agent,
    AgentStatus,
    Entry,
    Event,
    Journal,
    Match,
    Result,
    Role,
    Round,
    RoundStatus,
    Seat,
    Table,
    Tournament,
    new_id,
    utc_now,
)
from ..services import matches, rounds, standings, tournaments
from ..services.principal import Principal
from ..vault import Vault

ENTRIES = 500
TABLES = ENTRIES // SEATS
DEALS = 5
POINTS = (4, 1, 0, -2, -3)
ANSWERS = [(0, "pass", False)] * 10
LEASE_S = 600.0


@dataclass
class Played:
    """A match that is over at once: what a referee would hand over."""

    deals_done: list[dict[str, Any]]
    penalties: list[int] = field(default_factory=lambda: [0] * SEATS)
    log: list[tuple[int, str, bool]] = field(default_factory=lambda: ANSWERS * 2)

    def record(
        self, seats: Sequence[str], match: str | None = None, reveal: bool = True
    ) -> dict[str, Any]:
        """As far as the database looks at it."""
        draw = {"scheme": "draw-v1", "commitment": "c0", "key": "4b" if reveal else None}
        return {"match": match, "seats": list(seats), "draw": draw, "deals": self.deals_done}


@dataclass
class Costs:
    """Milliseconds, one a match or one a round."""

    claim: list[float] = field(default_factory=list)
    block: list[float] = field(default_factory=list)
    finish: list[float] = field(default_factory=list)
    live: list[float] = field(default_factory=list)
    draw: list[float] = field(default_factory=list)
    due: list[float] = field(default_factory=list)
    open: list[float] = field(default_factory=list)
    close: list[float] = field(default_factory=list)


def growth_report(most: int, postgres: str | None = None) -> Iterator[str]:
    """Lines of the table, as they become known."""
    with _arena(postgres) as arena:
        yield f"{arena.name}, a ladder of {ENTRIES} entries, {TABLES} matches a round; ms:"
        yield (
            f"{'matches before':>15}{'claim':>8}{'block':>8}{'finish':>8}   "
            f"{'live standings':>15}{'due':>7}{'draw':>9}{'open':>8}{'close':>8}"
        )
        for size in _sizes(most):
            arena.grow_to(size)
            costs = arena.round()
            yield _line(size, costs)


def _sizes(most: int) -> list[int]:
    return [size for size in (100, 1000, 10_000, 100_000, 1_000_000) if size <= most]


def _line(size: int, costs: Costs) -> str:
    each = [median(costs.claim), median(costs.block), median(costs.finish)]
    whole = [median(costs.live), *costs.due, *costs.draw, *costs.open, *costs.close]
    widths = (15, 7, 9, 8, 8)
    shown = "".join(f"{cost:{width}.0f}" for cost, width in zip(whole, widths, strict=True))
    return f"{size:15,}" + "".join(f"{cost:8.2f}" for cost in each) + "   " + shown


@contextmanager
def _arena(postgres: str | None) -> Iterator[Growing]:
    with TemporaryDirectory(prefix="baohuang-bench-") as folder:
        name = "PostgreSQL" if postgres else "SQLite"
        arena = Growing(name, postgres or f"sqlite:///{folder}/arena.sqlite3")
        try:
            yield arena
        finally:
            arena.database.dispose()


class Growing:
    """A tournament that grows."""

    def __init__(self, name: str, url: str) -> None:
        from cryptography.fernet import Fernet

        self.name = name
        self.database = Database(url)
        upgrade(self.database)
        key = Fernet.generate_key().decode()
        self.vault = Vault.of(Config(database_url=url, secret_key=key))
        self.random = Random(1)
        self.tournament_id = self._start()
        self.seq = 0
        with self.database.read() as session:
            ids = select(Entry.id).where(Entry.tournament_id == self.tournament_id)
            self.entries = sorted(session.scalars(ids))

    def _start(self) -> str:
        with self.database.begin() as session:
            account = Account(name="bench", role=Role.ORGANIZER)
            session.add(account)
            session.flush()
            actor = Principal(account.id, Role.ORGANIZER, ROLE_SCOPES[Role.ORGANIZER], "bench")
            made = tournaments.create(session, self.vault, actor, _settings())
            tournaments.open_entry(session, actor, made.id)
            owners = [Account(name=f"owner {k}", role=Role.AUTHOR) for k in range(ENTRIES // 2 + 1)]
            session.add_all(owners)
            session.flush()
            agents = [self._agent(owners[k // 2].id, k) for k in range(ENTRIES)]
            session.add_all(agents)
            session.flush()
            of = {"tournament_id": made.id}
            rows = [{**of, "id": new_id(), "agent_id": a.id, "name": a.name} for a in agents]
            session.execute(insert(Entry), rows)
            tournaments.start(session, actor, made.id)
        return made.id

    def _agent(self, owner_id: str, number: int) -> Agent:
        return Agent(
            owner_id=owner_id,
            name=f"agent {number}",
            url=f"https://agent-{number}.example/",
            status=AgentStatus.ACTIVE,
            secret=self.vault.seal(b"whsec_c2VjcmV0"),
        )

    def grow_to(self, size: int) -> None:
        """Whole rounds that were played, past the services: they are not what is measured."""
        with self.database.read() as session:
            rounds_ = select(func.count()).select_from(Round)
            begun = session.scalar(rounds_.where(Round.tournament_id == self.tournament_id)) or 0
        self._read_journal()
        for number in range(begun + 1, size // TABLES + 1):
            self._add_round(number)
        self._write_journal()
        values = {"results_count": size, "standings_count": size, "next_round_at": utc_now()}
        mine = update(Tournament).where(Tournament.id == self.tournament_id)
        with self.database.engine.begin() as connection:
            connection.execute(mine.values(**values))
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("ANALYZE")

    def _read_journal(self) -> None:
        with self.database.read() as session:
            self.seq = session.get_one(Journal, self.tournament_id).seq

    def _write_journal(self) -> None:
        mine = update(Journal).where(Journal.tournament_id == self.tournament_id)
        with self.database.engine.begin() as connection:
            connection.execute(mine.values(seq=self.seq, public_seq=self.seq))

    def _events(self, match_ids: Sequence[str], at: datetime) -> list[dict[str, Any]]:
        """As many as a match of a few deals has, all public."""
        row = {"tournament_id": self.tournament_id, "view": "public", "at": at, "payload": {}}
        found = []
        for match_id in match_ids:
            for kind in ("match.seated", "match.started", "deal.started", "match.finished"):
                self.seq += 1
                numbered = {"seq": self.seq, "public_seq": self.seq}
                found.append({**row, **numbered, "match_id": match_id, "kind": kind})
        return found

    def _add_round(self, number: int) -> None:
        now, order = utc_now(), list(self.entries)
        self.random.shuffle(order)
        made = {"created_at": now, "version": 1}
        of = {"tournament_id": self.tournament_id}
        round_id, tables, seats, played, results = new_id(), [], [], [], []
        opened = {"status": RoundStatus.FINISHED, "opened_at": now, "closed_at": now}
        for table in range(1, TABLES + 1):
            table_id, match_id = new_id(), new_id()
            five = order[(table - 1) * SEATS : table * SEATS]
            tables.append({"id": table_id, "round_id": round_id, "number": table, **made})
            seats += [{"table_id": table_id, "seat": s, "entry_id": x} for s, x in enumerate(five)]
            played.append(self._match(match_id, round_id, table_id, number, table) | made)
            results += [self._result(match_id, s, x, number) | of for s, x in enumerate(five)]
        lists: dict[str, list[str]] = {"byes": [], "out": []}
        with self.database.engine.begin() as connection:
            whole = {"id": round_id, "number": number, **of, **opened, **made, **lists}
            told = self._events([match["id"] for match in played], now)
            models = (Round, Table, Seat, Match, Result, Event)
            for model, rows in zip(
                models, ([whole], tables, seats, played, results, told), strict=True
            ):
                connection.execute(insert(model), rows)

    def _match(self, match_id: str, round_id: str, table_id: str, number: int, table: int) -> Any:
        return {
            "id": match_id, "tournament_id": self.tournament_id, "round_id": round_id,
            "table_id": table_id, "board": f"{self.tournament_id}/{number}/{table}",
            "deals": DEALS, "status": "finished", "epoch": 1, "attempts": 0,
        }  # fmt: skip

    def _result(self, match_id: str, seat: int, entry_id: str, number: int) -> dict[str, Any]:
        points = POINTS[seat] * self.random.randint(1, 4)
        return {
            "match_id": match_id, "seat": seat, "entry_id": entry_id, "round_number": number,
            "points": points, "penalty": 0, "deals": DEALS, "places": [1, 1, 1, 1, 1],
            "roles": {"rebel": [DEALS, points]}, "stand_in": False,
            "hands": [],
        }  # fmt: skip

    def round(self) -> Costs:
        """One round by the services, timed."""
        costs = Costs()
        with _timed(costs.draw), self.database.read() as session:
            drawn = rounds.draw_next(session, self.vault, self.tournament_id)
        with _timed(costs.due), self.database.read() as session:
            assert rounds.due(session) == [self.tournament_id], "the timer finds it"
        with _timed(costs.open), self.database.begin() as session:
            ids = rounds.open_next(session, self.vault, self.tournament_id, drawn)
        for place, match_id in enumerate(ids):
            self._play(match_id, costs)
            if place == TABLES // 2:
                with _timed(costs.live):
                    self._refresh()
        with self.database.read() as session:
            made = standings.make(session, self.tournament_id, closing=True)
        with _timed(costs.close), self.database.begin() as session:
            rounds.close(session, self.tournament_id, made)
        return costs

    def _refresh(self) -> None:
        with self.database.read() as session:
            made = standings.make(session, self.tournament_id)
        with self.database.begin() as session:
            standings.catch_up(session, made)

    def _play(self, match_id: str, costs: Costs) -> None:
        with _timed(costs.claim), self.database.begin() as session:
            held = matches.claim(session, self.vault, match_id, "bench", LEASE_S)
        assert held is not None, "nobody else plays it"
        with _timed(costs.block), self.database.begin() as session:
            kept = matches.checkpoint(session, match_id, held.epoch, 0, ANSWERS, [], LEASE_S)
        assert kept, "the match is still ours"
        over = Played([_deal(self.random, k) for k in range(1, DEALS + 1)])
        with _timed(costs.finish), self.database.begin() as session:
            matches.finish(session, match_id, held.epoch, over, ANSWERS, [])


def _deal(random: Random, number: int) -> dict[str, Any]:
    places = random.sample(range(1, SEATS + 1), SEATS)
    return {
        "number": number, "attempt": 1, "first": 0, "scores": [POINTS[k - 1] for k in places],
        "places": places, "emperor": 0, "guard": 1, "solo": None, "result": "scored",
    }  # fmt: skip


def _settings() -> Any:
    return {
        "name": "Growth", "rule_set": "lianzhong-simple", "overrides": {}, "format": "ladder",
        "rounds": None, "deals": DEALS, "capacity": ENTRIES, "house_bot": "greedy",
        "budget_ms": 1000, "bank_ms": 0, "round_interval_s": 0, "tie_breaks": ["firsts", "lot"],
        "starts_at": None,
    }  # fmt: skip


@contextmanager
def _timed(into: list[float]) -> Iterator[None]:
    began = perf_counter()
    yield
    into.append((perf_counter() - began) * 1000)
