"""Many event streams on one server: what they weigh, how late they hear, who else suffers.

The server is the real one, a process of its own on a fresh SQLite file; the listeners are sockets
of this process, so both share the machine. An event is late from the moment of its commit.
"""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..access import ROLE_SCOPES
from ..config import Config
from ..db import Database
from ..migrate import upgrade
from ..models import Account, Role
from ..ports import HOST, free_port
from ..services import events, tournaments
from ..services.principal import Principal
from ..vault import Vault
from .serving import READY_S, await_server

IDLE_S = 5.0
PAUSE_S = 1.1
PROBE_S = 0.05
SPARE_FILES = 200
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Measured:
    """Milliseconds, megabytes, and shares of one processor."""

    streams: int
    opened_s: float = 0.0
    before_mb: float = 0.0
    after_mb: float = 0.0
    idle_cpu: float = 0.0
    late_ms: list[float] = field(default_factory=list)
    missed: int = 0
    quiet_ms: list[float] = field(default_factory=list)
    busy_ms: list[float] = field(default_factory=list)


def measure(streams: int, bursts: int) -> Measured:
    """Open so many streams, let them idle, tell so many events to all of them at once."""
    _allow_files(streams + SPARE_FILES)
    with tempfile.TemporaryDirectory(prefix="baohuang-bench-") as folder:
        database = Database(f"sqlite:///{folder}/arena.sqlite3")
        upgrade(database)
        tournament_id = _tournament(database)
        with _server(folder, streams) as (process, port):
            audience = _Audience(port, tournament_id)
            asyncio.run(
                _measure(audience, database, process.pid, measured := Measured(streams), bursts)
            )
        database.dispose()
    return measured


def report(measured: Measured) -> Iterator[str]:
    """What was measured, in lines."""
    each = (measured.after_mb - measured.before_mb) / measured.streams * 1024
    yield (
        f"{measured.streams} streams open after {measured.opened_s:.1f} s; server "
        f"{measured.before_mb:.0f} -> {measured.after_mb:.0f} MB ({each:.0f} KB each), "
        f"{measured.idle_cpu:.1%} of a processor while idle"
    )
    yield f"An event reaches all of them, ms after its commit: {_spread(measured.late_ms)}"
    yield f"Events missed: {measured.missed}"
    yield f"GET of a tournament, ms, nobody listening: {_spread(measured.quiet_ms)}"
    yield f"GET of a tournament, ms, meanwhile: {_spread(measured.busy_ms)}"


def _spread(values: Sequence[float]) -> str:
    ordered = sorted(values)
    last = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return f"p50 {statistics.median(ordered):.1f}, p99 {last:.1f}, max {ordered[-1]:.1f}"


async def _measure(
    audience: _Audience, database: Database, pid: int, measured: Measured, bursts: int
) -> None:
    async with _probing(audience.get, measured.quiet_ms):
        await asyncio.sleep(1.0)
    measured.before_mb = _memory_mb(pid)
    start = time.perf_counter()
    await audience.open(measured.streams)
    measured.opened_s = time.perf_counter() - start
    cpu, clock = _cpu_s(pid), time.perf_counter()
    await asyncio.sleep(IDLE_S)
    measured.idle_cpu = (_cpu_s(pid) - cpu) / (time.perf_counter() - clock)
    async with _probing(audience.get, measured.busy_ms):
        for _ in range(bursts):
            late_ms = await audience.tell(database)
            measured.late_ms += late_ms
            measured.missed += measured.streams - len(late_ms)
            await asyncio.sleep(PAUSE_S)
    measured.after_mb = _memory_mb(pid)
    await audience.close()


class _Audience:
    """Listeners of one tournament, and a caller who listens to nothing."""

    def __init__(self, port: int, tournament_id: str) -> None:
        self.tournament_id = tournament_id
        self._heard_at: list[float] = []
        self._all_heard = asyncio.Event()
        self._port = port
        self._path = f"/api/v1/tournaments/{tournament_id}"
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self, count: int) -> None:
        listening = [asyncio.Event() for _ in range(count)]
        for ready in listening:
            self._tasks.append(asyncio.create_task(self._listen(ready)))
        async with asyncio.timeout(READY_S):
            for ready in listening:
                await ready.wait()

    async def tell(self, database: Database) -> list[float]:
        """Tell an event to all; how late each heard it, without those who did not."""
        self._heard_at.clear()
        self._all_heard.clear()
        told_at = await asyncio.to_thread(_tell, database, self.tournament_id)
        with suppress(TimeoutError):
            await asyncio.wait_for(self._all_heard.wait(), READY_S)
        return [(heard_at - told_at) * 1000 for heard_at in self._heard_at]

    async def get(self) -> None:
        reader, writer = await self._ask(self._path, "Connection: close")
        try:
            await reader.read()
        finally:
            writer.close()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _listen(self, ready: asyncio.Event) -> None:
        where = f"{self._path}/events?start=now"
        reader, writer = await self._ask(where, "Accept: text/event-stream")
        try:
            while line := await reader.readline():
                if line.startswith(b"retry:"):
                    ready.set()
                elif line.startswith(b"data:"):
                    self._heard_at.append(time.time())
                    if len(self._heard_at) == len(self._tasks):
                        self._all_heard.set()
        finally:
            writer.close()

    async def _ask(self, path: str, header: str) -> tuple[Any, Any]:
        reader, writer = await asyncio.open_connection(HOST, self._port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: bench\r\n{header}\r\n\r\n".encode())
        return reader, writer


@contextmanager
def _server(folder: str, streams: int) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    port = free_port()
    environ = {
        "DATABASE_URL": f"sqlite:///{folder}/arena.sqlite3",
        "BAOHUANG_HOST": HOST,
        "BAOHUANG_PORT": str(port),
        "BAOHUANG_STREAMS": str(streams + streams // 3 + 4),  # a quarter is for players
        "BAOHUANG_STREAMS_EACH": "0",  # all come from one address
        "BAOHUANG_LIMIT_ADDRESS": "0",
        "BAOHUANG_LOG_LEVEL": "WARNING",
    }
    program = "from baohuang.api.cli import main; main()"
    command = [sys.executable, "-c", program, "api"]
    process = subprocess.Popen(command, env={**os.environ, **environ})
    try:
        await_server(port)
        yield process, port
    finally:
        process.terminate()
        process.wait(READY_S)


class _probing:
    """Calls again and again for as long as the context lasts, and keeps how long each took.

    There is one call at least, and the last one comes to its end.
    """

    def __init__(self, call: Any, taken_ms: list[float]) -> None:
        self._call = call
        self._taken_ms = taken_ms
        self._over = asyncio.Event()

    async def __aenter__(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def __aexit__(self, *_error: object) -> None:
        self._over.set()
        await asyncio.wait([self._task], timeout=READY_S)
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            start = time.perf_counter()
            await self._call()
            self._taken_ms.append((time.perf_counter() - start) * 1000)
            if await self._ends_within(PROBE_S):
                return

    async def _ends_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), seconds)
        return self._over.is_set()


def _tournament(database: Database) -> str:
    vault = Vault.of(Config(database_url=str(database.engine.url)))
    with database.begin() as session:
        account = Account(name="bench", role=Role.ORGANIZER)
        session.add(account)
        session.flush()
        actor = Principal(account.id, Role.ORGANIZER, ROLE_SCOPES[Role.ORGANIZER], "bench")
        settings: Any = {
            "name": "Bench", "rule_set": "lianzhong-simple", "overrides": {},
            "format": "round_robin", "deals": 10, "capacity": 25, "house_bot": "greedy",
            "budget_ms": 1000, "bank_ms": 0, "round_interval_s": 0, "tie_breaks": ["lot"],
            "starts_at": None,
        }  # fmt: skip
        made = tournaments.create(session, vault, actor, settings)
        tournaments.open_entry(session, actor, made.id)
        return made.id


def _tell(database: Database, tournament_id: str) -> float:
    """Tell one event; when it was committed."""
    with database.begin() as session:
        events.tell(session, tournament_id, "tournament.paused")
    return time.time()


def _allow_files(count: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(member for child in children for member in _family(int(child)))]


def _memory_mb(pid: int) -> float:
    """Proportional memory of a process and its children (Linux)."""
    lines = (
        line
        for member in _family(pid)
        for line in Path(f"/proc/{member}/smaps_rollup").read_text().splitlines()
    )
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def _cpu_s(pid: int) -> float:
    fields = [
        Path(f"/proc/{member}/stat").read_text().rsplit(")")[-1].split() for member in _family(pid)
    ]
    return sum(int(field[11]) + int(field[12]) for field in fields) / _TICKS
