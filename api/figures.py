"""What takes seconds to work out for a GET, the longer the more was played: never much at once.

Standings of an earlier round, fairness certificates and reports come from all matches of a
tournament, and whoever may read it may ask for them, as often as he likes. So an answer is kept
while it is the right one, equal requests wait for one and the same work, one at a time is worked
on, and who finds too many waiting is told to come again: most threads stay free for the rest.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from threading import Condition, Event, Lock
from time import monotonic
from typing import Any, TypeVar

from .errors import Unavailable

T = TypeVar("T")

SMALL = 500
"""Matches; what comes from no more of them takes a tenth of a second and needs none of this."""

SMALL_FIELD = 40
"""Entries; the next round of no more of them is drawn in well under a second."""

ROWS = 50_000  # kept in a process, over all answers
WAIT_S = 20.0  # for others' work
RETRY_AFTER_S = 5


class Turns:
    """One works at a time, a few wait for it; with them that are `places`."""

    def __init__(self, places: int, wait_s: float = WAIT_S) -> None:
        self._places = places
        self._wait_s = wait_s
        self._inside = 0
        self._working = False
        self._changed = Condition()

    @contextmanager
    def place(self) -> Iterator[float]:
        """A place, to work or to wait in; until when. Raises `Unavailable` if all are taken."""
        with self._changed:
            if self._inside >= self._places:
                raise busy()
            self._inside += 1
        try:
            yield monotonic() + self._wait_s
        finally:
            with self._changed:
                self._inside -= 1

    @contextmanager
    def turn(self, end: float) -> Iterator[None]:
        """Alone, for who has a place. Raises `Unavailable` if that does not come before `end`."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._working, end - monotonic()):
                raise busy()
            self._working = True
        try:
            yield
        finally:
            with self._changed:
                self._working = False
                self._changed.notify()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """A place and a turn."""
        with self.place() as end, self.turn(end):
            yield


@dataclass(eq=False)
class _Begun:
    """An answer that is being worked out."""

    over: Event = field(default_factory=Event)
    answers: list[Any] = field(default_factory=list)  # one, if it came to that

    @classmethod
    def with_(cls, answer: Any) -> _Begun:
        """One that is over."""
        made = cls(answers=[answer])
        made.over.set()
        return made


class Figures:
    """Answers by what they depend on; the last used of them are kept, up to so many rows."""

    def __init__(self, turns: Turns, rows: int = ROWS) -> None:
        self._turns = turns
        self._most = rows
        self._rows = 0
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._begun: dict[Hashable, _Begun] = {}
        self._lock = Lock()

    def of(self, key: Hashable, work: Callable[[], T], rows: Callable[[T], int]) -> T:
        """The answer to `key`, which `work` makes if nobody did; nobody may change it.

        key: everything on which the answer depends. rows: what it takes to keep it. Raises
        `Unavailable` when too many ask for too much.
        """
        found: list[T] = self._known(key)
        if found:
            return found[0]
        with self._turns.place() as end:
            begun, mine = self._join(key)
            if mine:
                return self._work(key, begun, end, work, rows)
            if not begun.over.wait(end - monotonic()) or not begun.answers:
                raise busy()
            answer: T = begun.answers[0]
            return answer

    def alone(self) -> AbstractContextManager[None]:
        """A turn for work whose answer is not kept. Raises `Unavailable` as `of` does."""
        return self._turns.alone()

    def _known(self, key: Hashable) -> list[Any]:
        with self._lock:
            if key not in self._kept:
                return []
            self._kept.move_to_end(key)
            return [self._kept[key][0]]

    def _join(self, key: Hashable) -> tuple[_Begun, bool]:
        """What is being worked out for the key, and whether it is the caller who does it."""
        with self._lock:
            if key in self._kept:  # made since the caller looked
                return _Begun.with_(self._kept[key][0]), False
            begun = self._begun.get(key)
            if begun is not None:
                return begun, False
            begun = self._begun[key] = _Begun()
            return begun, True

    def _work(
        self,
        key: Hashable,
        begun: _Begun,
        end: float,
        work: Callable[[], T],
        rows: Callable[[T], int],
    ) -> T:
        try:
            with self._turns.turn(end):
                answer = work()
            begun.answers.append(answer)
            self._keep(key, answer, rows(answer))
            return answer
        finally:
            with self._lock:
                del self._begun[key]
            begun.over.set()

    def _keep(self, key: Hashable, answer: Any, rows: int) -> None:
        """Unless it alone is too much."""
        if rows > self._most:
            return
        with self._lock:
            self._kept[key] = answer, rows
            self._rows += rows
            while self._rows > self._most:
                _, (_, freed) = self._kept.popitem(last=False)
                self._rows -= freed


def figured(
    figures: Figures | None,
    matches: int,
    key: Hashable,
    work: Callable[[], T],
    rows: Callable[[T], int],
) -> T:
    """As `Figures.of`, where it comes from more than a few matches; else, or for who asks alone
    (no `figures`), at once.
    """
    if figures is None or matches <= SMALL:
        return work()
    return figures.of(key, work, rows)


def busy() -> Unavailable:
    """Too much is asked for at once."""
    detail = "Too much is being worked out just now; try again."
    return Unavailable(detail, RETRY_AFTER_S, code="working")
