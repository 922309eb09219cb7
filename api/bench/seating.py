"""Schedules and Swiss draws of many sizes: repeated meetings, evenness, time."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

from baohuang.engine.draw import Draw
from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.formats import FORMATS
from baohuang.engine.tournament.plan import Round, repeats
from baohuang.engine.tournament.results import Result
from baohuang.engine.tournament.scheme import Seated, State
from baohuang.engine.tournament.seating import schedule

Size = tuple[int, int]
"""Entries, rounds."""

FIXED: dict[Size, int] = {
    (25, 6): 0, (30, 6): 0, (50, 9): 0, (60, 10): 0, (75, 12): 0, (100, 16): 0, (500, 20): 0,
    (10_000, 20): 0, (30, 10): 165, (35, 10): 105, (50, 10): 14,
}  # fmt: skip
"""Sizes of schedules, and the most repeated meetings that each should have."""

SWISS: dict[Size, float] = {(100, 10): 50, (1000, 20): 500, (10_000, 20): 500}
"""Sizes of Swiss tournaments without a repeated meeting, and the most milliseconds of a round."""

Rounds = Sequence[Sequence[Sequence[str]]]


def seating_report(largest: int) -> Iterator[str]:
    """Lines of the report for fields of up to `largest` entries, as they become known."""
    yield "Schedules: meetings repeated (goal, proved bound); most beside fewest of one seat; time"
    for size, goal in FIXED.items():
        if size[0] <= largest:
            yield _fixed(size, goal)
    yield "Swiss: meetings repeated; most beside fewest of one seat; the slowest round"
    for size, goal_ms in SWISS.items():
        if size[0] <= largest:
            yield _swiss(size, goal_ms)


def _fixed(size: Size, goal: int) -> str:
    entries, rounds = size
    start = time.process_time()
    made = schedule(_ids(entries), rounds, Draw(bytes(32), "bench"))
    seconds = time.process_time() - start
    return (
        f"{_name(size)}{made.repeats:6} ({goal}, {made.bound}){uneven(made.rounds):4}"
        f"{seconds:8.2f} s  {made.source}"
    )


def _swiss(size: Size, goal_ms: float) -> str:
    entries, rounds = size
    state = _start(entries, rounds)
    slowest = 0.0
    for _ in range(rounds):
        gc.disable()  # as the process that draws big rounds does
        start = time.process_time()
        decision = FORMATS["swiss"].next_round(state)
        slowest = max(slowest, time.process_time() - start)
        gc.enable()
        assert isinstance(decision, Seated)
        state = replace(
            state,
            rounds=(*state.rounds, decision.round),
            results=(*state.results, *_results(decision.round)),
            course=decision.course,
        )
    met = repeats([_numbered(drawn.tables) for drawn in state.rounds])
    return (
        f"{_name(size)}{met:6}{uneven([drawn.tables for drawn in state.rounds]):4}"
        f"{slowest * 1000:8.0f} ms (goal {goal_ms:g})"
    )


def uneven(rounds: Rounds) -> int:
    """How far anybody's most frequent seat is ahead of his rarest; seat 0 is dealt first."""
    had: dict[str, list[int]] = {}
    for tables in rounds:
        for table in tables:
            for seat, entry in enumerate(table):
                had.setdefault(entry, [0] * len(table))[seat] += 1
    return max(max(seats) - min(seats) for seats in had.values())


def _start(entries: int, rounds: int) -> State:
    field = tuple(map(Entrant, _ids(entries)))
    options = FORMATS["swiss"].options({"rounds": rounds})
    return State(field, options, lambda number: Draw(bytes(32), f"round/{number}/seats"))


def _results(drawn: Round) -> Iterator[Result]:
    """Who has the higher number, read backwards, makes more: nothing to do with the order of ids.

    Scores add up to 0.
    """
    for number, table in enumerate(drawn.tables, 1):
        for points, entry in zip((4, 2, 0, -2, -4), sorted(table, key=_backwards), strict=True):
            match, seat = f"{drawn.number}/{number}", table.index(entry)
            yield Result(entry, drawn.number, number, match, seat, points, deals=5)


def _backwards(entry: str) -> str:
    return entry[::-1]


def _numbered(tables: Sequence[Sequence[str]]) -> list[list[int]]:
    return [list(map(int, table)) for table in tables]


def _ids(entries: int) -> list[str]:
    return [f"{number:05}" for number in range(entries)]


def _name(size: Size) -> str:
    return f"{size[0]:7} entries,{size[1]:3} rounds"
