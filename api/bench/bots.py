"""House bots against each other on duplicate deals, with confidence intervals, and their speed.

A board is dealt five times, the bot under test in each seat once; what counts is its mean over the
five, so that the luck of the cards is taken out. Intervals are over boards, not over deals.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from baohuang.engine import BOTS, PRESETS
from baohuang.engine.bots import Bot, Lots
from baohuang.engine.play import play_match

SEATS = 5
PAIRS = (("tactician", "greedy"), ("greedy", "random"))
Z95 = 1.96


@dataclass(frozen=True, slots=True)
class Duel:
    """One bot against four of another: mean score a deal, and half of its 95 % interval."""

    mean: float
    margin: float

    @property
    def won(self) -> bool:
        """Whether the whole interval lies above 0."""
        return self.mean > self.margin


class _Timed:
    """A bot with a stopwatch for its own processor time."""

    def __init__(self, bot: Bot) -> None:
        self.name = bot.name
        self.slowest = 0.0
        self._bot = bot

    def choose(self, view: Mapping[str, Any], lots: Lots) -> str:
        start = time.thread_time()
        answer = self._bot.choose(view, lots)
        self.slowest = max(self.slowest, time.thread_time() - start)
        return answer


def bots_report(boards: int, jobs: int) -> Iterator[str]:
    """Lines of the report: every pair on every preset, then each bot's slowest answer."""
    yield f"{SEATS * boards} deals each: {boards} boards, every seat once; mean score a deal, 95 %"
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for preset in PRESETS:
            for bot, others in PAIRS:
                tasks = [(preset, bot, others, number) for number in range(boards)]
                duel = _summary(list(pool.map(_board, tasks, chunksize=10)))
                verdict = "" if duel.won else "   not shown"
                yield (
                    f"{preset:18} {bot:>9} against four {others:9} "
                    f"{duel.mean:+6.2f} ± {duel.margin:.2f}{verdict}"
                )
    for name in BOTS:
        yield f"{name:18} slowest answer {_slowest(name) * 1000:.2f} ms (goal: below 5)"


def _board(task: tuple[str, str, str, int]) -> float:
    preset, bot, others, number = task
    key = number.to_bytes(32, "big")
    total = 0
    for seat in range(SEATS):
        bots = [BOTS[bot if place == seat else others] for place in range(SEATS)]
        total += play_match(PRESETS[preset], key, 1, bots).totals[seat]
    return total / SEATS


def _summary(boards: list[float]) -> Duel:
    error = statistics.stdev(boards) / math.sqrt(len(boards))
    return Duel(statistics.mean(boards), Z95 * error)


def _slowest(name: str) -> float:
    """Over 10 deals of each preset. Includes what the view costs that the bot reads."""
    timed = _Timed(BOTS[name])
    for rules in PRESETS.values():
        play_match(rules, bytes(31) + b"\1", 10, [timed] * SEATS)
    return timed.slowest
