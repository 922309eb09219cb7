"""The engine under random agents: play alone, whole deals, views and records, leads, jobs."""

from __future__ import annotations

import random
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

from baohuang.engine import PRESETS, DealState, Match, RuleSet, View, new_deal
from baohuang.engine.combinations import combinations_for

from .rounds import Work

KEY = bytes(range(32))


@dataclass
class Share:
    """How many decisions were forced, over all that was counted."""

    decisions: int = 0
    asked: int = 0

    @property
    def forced(self) -> float:
        """The part of the decisions that the engine answered itself."""
        return 1 - self.asked / self.decisions if self.decisions else 0.0


@dataclass
class RandomDeals:
    """Random agents on deals of one rule set through the public API: `legal`, `apply`."""

    rules: RuleSet
    deals: int = 100
    share: Share = field(default_factory=Share)
    _number: int = 0

    def whole(self) -> int:
        """Deals from the draw to the score; returns decisions."""
        pick = random.Random(self._number).random
        done = 0
        for _ in range(self.deals):
            state = self._dealt()
            _finish(state, pick)
            done += len(state.history)
            state.outcome()
        return done

    def play_only(self) -> Work:
        """The play phase of deals that were brought that far beforehand."""
        waiting: list[DealState] = []
        self.prepare(waiting)

        def work() -> int:
            states = [state.copy() for state in waiting]
            before = sum(len(state.history) for state in states)
            pick = random.Random(1).random
            for state in states:
                _finish(state, pick)
            return sum(len(state.history) for state in states) - before

        return work

    def prepare(self, waiting: list[DealState]) -> None:
        """Bring deals to the first lead."""
        pick = random.Random(0).random
        while len(waiting) < self.deals:
            state = self._dealt()
            while state.legal and state.phase != "play":
                state.apply(state.legal[int(pick() * len(state.legal))])
            if state.legal:
                waiting.append(state)

    def with_views(self) -> int:
        """Whole deals in which every agent takes its answers from its view."""
        pick = random.Random(self._number).random
        done = 0
        for _ in range(self.deals):
            state = self._dealt()
            while state.legal:
                view = View(state, state.seat)
                legal = view["legal"]
                state.apply(legal[int(pick() * len(legal))])
                self.share.asked += 1
            done += len(state.history)
        self.share.decisions += done
        return done

    def matches(self) -> int:
        """The same deals under the referee, with log and record; returns decisions."""
        pick = random.Random(self._number).random
        self._number += 1
        match = Match(self.rules, self._number.to_bytes(32, "big"), self.deals)
        done = 0
        while not match.over:
            state = match.state
            while legal := state.legal:
                match.answer(legal[int(pick() * len(legal))])
            done += len(state.history)
        match.record(["a", "b", "c", "d", "e"])
        return done

    def _dealt(self) -> DealState:
        self._number += 1
        return new_deal(self.rules, KEY, self._number)


def _finish(state: DealState, pick: Callable[[], float]) -> None:
    while legal := state.legal:
        state.apply(legal[int(pick() * len(legal))])


def lead_of_44() -> Work:
    """The list of leads of a hand of 44 cards with all eight jokers (924 plays, the most)."""
    tables = combinations_for(3, False, False, False, False)
    hand = tables.pack("3334445556667778889999TTTTJJJJQQQQKK" + "xxxxXXXX")

    def work() -> int:
        for _ in range(200):
            tables.lead(hand)
        return 200

    return work


def scaling(preset: str, jobs: int, matches: int = 60) -> float:
    """How many times as many deals a second `jobs` processes play, compared with one."""
    return _wall(preset, 1, matches) / _wall(preset, jobs, matches)


def _wall(preset: str, jobs: int, matches: int) -> float:
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        list(pool.map(_one_match, [(preset, 0)] * jobs))  # children started, tables built
        start = time.perf_counter()
        list(pool.map(_one_match, [(preset, number) for number in range(matches)], chunksize=5))
        return time.perf_counter() - start


def _one_match(task: tuple[str, int]) -> int:
    preset, number = task
    return RandomDeals(PRESETS[preset], deals=60, _number=number).matches()


def memory_of(preset: str, positions: int) -> float:
    """MiB by which this process grows while it passes through so many distinct positions."""
    deals = RandomDeals(PRESETS[preset])
    deals.with_views()
    before, deals.share = _resident(), Share()
    while deals.share.asked < positions:
        deals.with_views()
    return _resident() - before


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20
