"""Taking figures in rounds, one contestant after the other, so that drift hits all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Work = Callable[[], int]
"""Does a bounded amount of work and returns how many units (decisions, deals) it was."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Microseconds of processor time a unit, one number a round."""

    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        """The middle of the rounds."""
        return statistics.median(self.rounds)

    def ratio(self, other: Figures) -> float:
        """How many times as long the other takes: the median of the ratios round by round."""
        return statistics.median(o / s for s, o in zip(self.rounds, other.rounds, strict=True))


def in_rounds(works: Mapping[str, Work], rounds: int) -> dict[str, Figures]:
    """Each work once a round, in turn, after one round that does not count."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds + 1):
        for name, work in works.items():
            microseconds = _timed(work)
            if number:
                taken[name].append(microseconds)
    return {name: Figures(tuple(values)) for name, values in taken.items()}


def _timed(work: Work) -> float:
    start = time.process_time()
    units = work()
    return (time.process_time() - start) / units * 1e6
