"""A child process that works off one job after the other, and the line of those that wait for it.

Whoever asks comes again until it is done. A job's time runs from when it is the first of the line,
as far as anybody saw: what waits behind long work is not to blame for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from time import monotonic
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

GIVE_UP_S = 900.0  # of work; a child that died never answers


class GaveUp(Exception):
    """Something was not worked out in time."""


class Result(Protocol):
    """What a pool answers with; multiprocessing's AsyncResult is one."""

    def ready(self) -> bool: ...

    def get(self) -> Any: ...


class Child(Protocol):
    """A pool of one process, which takes jobs in the order of their coming."""

    def apply_async(self, work: Callable[[str], Any], args: list[str], /) -> Result: ...

    def terminate(self) -> None: ...


@dataclass(eq=False)
class _Job:
    """since: when it was first seen at the head of the line."""

    result: Result
    since: float | None = None
    given_up: bool = False


class Line:
    """Jobs by key, in the order in which the child gets them. Timers ask from their own threads."""

    def __init__(self, start: Callable[[], Child], clock: Callable[[], float] = monotonic) -> None:
        self._start = start
        self._clock = clock
        self._child: Child | None = None
        self._jobs: dict[Hashable, _Job] = {}
        self._lock = threading.Lock()

    def ask(self, work: Callable[[str], T], subject: str) -> T | None:
        """What `work(subject)` made in the child; None while it is not ready: ask again.

        Raises GaveUp, and what the work raised.
        """
        key = (work, subject)
        with self._lock:
            job = self._jobs.get(key) or self._join(key, work, subject)
            self._watch()
            if job.given_up:
                del self._jobs[key]
                raise GaveUp(f"after {GIVE_UP_S:.0f} s")
            if not job.result.ready():
                return None
            self._jobs.pop(key, None)
        made: T = job.result.get()
        return made

    def close(self) -> None:
        """Give up what is not ready."""
        with self._lock:
            self._jobs.clear()
            self._stop()

    def _join(self, key: Hashable, work: Callable[[str], Any], subject: str) -> _Job:
        if self._child is None:
            self._child = self._start()
        job = self._jobs[key] = _Job(self._child.apply_async(work, [subject]))
        return job

    def _watch(self) -> None:
        """Stop the child if it computes for ever; those who wait behind that begin again.

        Whoever asks looks to it: for the first one in the line nobody may ask any more.
        """
        head = next((j for j in self._jobs.values() if not (j.given_up or j.result.ready())), None)
        if head is None:
            return
        if head.since is None:
            head.since = self._clock()
        elif self._clock() - head.since > GIVE_UP_S:
            head.given_up = True
            self._stop()

    def _stop(self) -> None:
        if self._child is not None:
            self._child.terminate()
            self._child = None
        self._jobs = {
            key: job for key, job in self._jobs.items() if job.given_up or job.result.ready()
        }
