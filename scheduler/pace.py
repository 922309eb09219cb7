"""Work that grows is done the more rarely: each subject gets a share of the time at most."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

MANY = 1000  # subjects; beyond that those that need not rest any more are forgotten


class Pace:
    """After work of t seconds a subject rests for t / `share`. In this process alone."""

    def __init__(self, share: float, clock: Callable[[], float] = monotonic) -> None:
        self._share = share
        self._clock = clock
        self._rest_until: dict[str, float] = {}
        self._lock = threading.Lock()

    def ready(self, subject: str) -> bool:
        """Whether it has rested enough."""
        return self._rest_until.get(subject, 0.0) <= self._clock()

    @contextmanager
    def working(self, subject: str) -> Iterator[None]:
        """The work; one that fails rests as well."""
        began = self._clock()
        try:
            yield
        finally:
            self.worked(subject, self._clock() - began)

    def worked(self, subject: str, seconds: float) -> None:
        """It was worked on for so long, here or elsewhere, and rests from now on."""
        now = self._clock()
        with self._lock:
            if len(self._rest_until) >= MANY:
                self._forget(now)
            self._rest_until[subject] = now + seconds / self._share

    def _forget(self, now: float) -> None:
        kept = {name: until for name, until in self._rest_until.items() if until > now}
        self._rest_until = kept
