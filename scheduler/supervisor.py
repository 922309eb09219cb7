"""Runs child processes: starts them, restarts those that die, ends them all together.

Workers exit when PostgreSQL goes away and rely on this (or on systemd, or compose) to come back.
Every child leads a process group of its own, so that Ctrl-C reaches the supervisor alone and what
a dead child leaves behind (a pool, server workers) can be ended with it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from asyncio.subprocess import Process
from collections.abc import Coroutine, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import IO, Any

from .tether import tethered

log = logging.getLogger(__name__)

FIRST_DELAY_S = 0.5
LAST_DELAY_S = 30.0
HEALTHY_S = 10.0  # a child that lived this long starts again without delay


@dataclass(frozen=True)
class Child:
    """A process to keep alive. `env` is added to the supervisor's own environment.

    `output` is a file that what it says is added to, instead of our own standard streams.
    """

    name: str
    command: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    output: Path | None = None


class Backoff:
    """How long to wait before the next start: half a second, doubled up to half a minute."""

    def __init__(self) -> None:
        self._failures = 0

    def after(self, lived_s: float) -> float:
        """The delay after a child that lived for `lived_s`."""
        self._failures = 0 if lived_s >= HEALTHY_S else self._failures + 1
        if not self._failures:
            return 0.0
        return float(min(LAST_DELAY_S, FIRST_DELAY_S * 2 ** min(self._failures - 1, 10)))


class Supervisor:
    """Keeps `children` alive until `stop` is set; then asks them to end, and later makes them."""

    def __init__(self, children: Iterable[Child], grace_s: float = 15.0) -> None:
        self._children = tuple(children)
        self._grace_s = grace_s
        self.running: dict[str, Process] = {}

    async def run(self, stop: asyncio.Event) -> None:
        """Return when every child has ended after `stop`."""
        async with asyncio.TaskGroup() as group:
            for child in self._children:
                group.create_task(self._keep(child, stop))

    async def _keep(self, child: Child, stop: asyncio.Event) -> None:
        backoff = Backoff()
        while not stop.is_set():
            started = monotonic()
            status = await self._once(child, stop)
            if not stop.is_set():
                delay = backoff.after(monotonic() - started)
                log.warning("%s ended with status %s; again in %.1f s", child.name, status, delay)
                await _wait(stop, delay)

    async def _once(self, child: Child, stop: asyncio.Event) -> int:
        with _opened(child.output) as output:
            process = await asyncio.create_subprocess_exec(
                *tethered(child.command),
                env={**os.environ, **child.env},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                process_group=0,
            )
        self.running[child.name] = process
        try:
            await _first(process.wait(), stop.wait())
            return await self._end(process)
        finally:
            del self.running[child.name]
            _signal_group(process.pid, signal.SIGKILL)

    async def _end(self, process: Process) -> int:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.terminate()
        with suppress(TimeoutError):
            return await asyncio.wait_for(process.wait(), self._grace_s)
        _signal_group(process.pid, signal.SIGKILL)
        return await process.wait()


def _opened(path: Path | None) -> AbstractContextManager[IO[bytes] | None]:
    return path.open("ab") if path is not None else nullcontext()


async def _first(*waits: Coroutine[Any, Any, object]) -> None:
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)


def _signal_group(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def stop_on_signals() -> asyncio.Event:
    """An event of the running loop that SIGTERM and SIGINT set, any number of times."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    return stop
