"""Servers of one database, each on its port, and the requests that are made to them.

Servers share one processor and the caller has another, where there are two.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ...ports import HOST, free_port
from ..serving import READY_S, await_server
from .arrangement import Arrangement
from .load import request
from .rows import SHOWN

OURS = "Baohuang Arena"
STOCK = "stock flask-smorest, ORM"
FASTAPI = "FastAPI, Pydantic, ORM"
READY = "FastAPI, Core rows, ready JSON"

THREADS = 4
_TICKS = os.sysconf("SC_CLK_TCK")
_PROGRAM = "from baohuang.api.cli import main; main()"


@dataclass(frozen=True)
class Contestant:
    """A server that runs."""

    name: str
    pid: int
    port: int
    requests: tuple[bytes, ...]
    database_pid: int | None = None

    @property
    def cpu_s(self) -> float:
        """Processor time that it has taken so far, with its children; and the database's server."""
        own = _family(self.pid)
        database = [] if self.database_pid is None else _family(self.database_pid)
        return sum(map(_cpu_ticks, [*own, *database])) / _TICKS


@contextmanager
def running(arrangement: Arrangement) -> Iterator[list[Contestant]]:
    """All that can be run here: us, and the peers that are installed."""
    with ExitStack() as stack, _apart():
        made = [stack.enter_context(_ours(arrangement)), _peer(stack, arrangement, STOCK, "stock")]
        if find_spec("fastapi"):
            made.append(_peer(stack, arrangement, FASTAPI, "fastapi-orm"))
            made.append(_peer(stack, arrangement, READY, "fastapi-core"))
        yield made


@contextmanager
def _ours(arrangement: Arrangement) -> Iterator[Contestant]:
    """The program itself, with all that it does for a request; its limits are the default ones."""
    path = f"/api/v1/tournaments/{arrangement.tournament_id}/standings?limit={SHOWN}"
    requests = tuple(
        request(path, f"Authorization: Bearer {token}") for token in arrangement.tokens
    )
    environ = {
        "BAOHUANG_SECRET_KEY": arrangement.secret_key,
        "BAOHUANG_HOST": HOST,
        "BAOHUANG_THREADS": str(THREADS),
        "BAOHUANG_LOG_LEVEL": "WARNING",
    }
    port = free_port()
    environ["BAOHUANG_PORT"] = str(port)
    with _process(arrangement, port, environ, "-c", _PROGRAM, "api") as pid:
        yield Contestant(OURS, pid, port, requests, arrangement.server_pid)


def _peer(stack: ExitStack, arrangement: Arrangement, name: str, peer: str) -> Contestant:
    port = free_port()
    command = ("-m", f"{__package__}.serve", peer, str(port), str(THREADS))
    pid = stack.enter_context(_process(arrangement, port, {}, *command))
    path = f"/tournaments/{arrangement.tournament_id}/standings"
    return Contestant(name, pid, port, (request(path),), arrangement.server_pid)


@contextmanager
def _process(
    arrangement: Arrangement, port: int, environ: dict[str, str], *command: str
) -> Iterator[int]:
    settings = {**os.environ, "DATABASE_URL": arrangement.database_url, **environ}
    process = subprocess.Popen([sys.executable, *command], env=settings)
    os.sched_setaffinity(process.pid, {(os.cpu_count() or 1) - 1})
    try:
        await_server(port)
        yield process.pid
    finally:
        process.terminate()
        process.wait(READY_S)


@contextmanager
def _apart() -> Iterator[None]:
    """This process on the first processor; `_process` puts the servers on the last."""
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(mine)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, mine)


def _family(pid: int) -> list[int]:
    """A process and those under it that are there now."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [pid, *(member for child in children for member in _family(int(child)))]


def _cpu_ticks(pid: int) -> int:
    """What a process has taken, and its children that have ended (they are in nobody else's)."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return sum(map(int, fields[11:15]))
