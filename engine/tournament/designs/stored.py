"""Plans that no formula gives, found by search and kept as data.

In `data`: `zero_repeat_schedules.json` has whole plans without a repeated meeting, "30x6" = 30
entries, 6 rounds. `few_repeats.json` likewise, for exactly that many rounds, with as few repeats
as are known (30x10: 165, the bound; 50x10: 14). `rr_base_rounds.json` has one base round for n
entries; adding 0..n-2 to it modulo n-1 (entry n-1 stays) gives n-1 rounds in which every pair
meets exactly four times. `one_table.json`: seats of one table for so many rounds, up to twenty, in
which everybody has every seat, and every ordered pair is neighbours, equally often to within one;
seats within one after every round, but for 8, 9, 12, 15 and 16 rounds, where there are no such
seats (tests/engine/tournament/test_one_table.py tries all): there within two. For four and five
rounds there are none at all, as constraint solving proved.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

from ..plan import Plan


@cache
def _zero_repeat() -> dict[int, Plan]:
    plans: dict[str, Plan] = _data("zero_repeat_schedules.json")
    return {int(name.split("x")[0]): plan for name, plan in plans.items()}


@cache
def _few_repeats() -> dict[str, Plan]:
    plans: dict[str, Plan] = _data("few_repeats.json")
    return plans


@cache
def _base_rounds() -> dict[int, list[list[int]]]:
    bases: dict[str, list[list[int]]] = _data("rr_base_rounds.json")
    return {int(n): base for n, base in bases.items()}


@cache
def _one_table() -> dict[int, list[list[int]]]:
    rows: dict[str, list[list[int]]] = _data("one_table.json")
    return {int(count): seats for count, seats in rows.items()}


def _data(name: str) -> Any:
    return json.loads(files(__package__).joinpath("data", name).read_text("ascii"))


def free_rounds(n: int) -> int:
    """How many rounds without a repeated meeting are stored for n entries."""
    return len(_zero_repeat().get(n, ()))


def rounds(n: int, count: int) -> Plan:
    """The first `count` of them."""
    return [[list(table) for table in tables] for tables in _zero_repeat().get(n, [])[:count]]


def few_repeats(n: int, count: int) -> Plan | None:
    """Exactly `count` rounds with few repeats, if stored."""
    plan = _few_repeats().get(f"{n}x{count}")
    return plan and [[list(table) for table in tables] for tables in plan]


def has_round_robin(n: int) -> bool:
    """Whether n - 1 rounds with every pair meeting exactly four times are known."""
    return n in _base_rounds()


def round_robin(n: int) -> Plan:
    """Those n - 1 rounds."""
    base = _base_rounds()[n]
    return [
        [[x if x == n - 1 else (x + shift) % (n - 1) for x in table] for table in base]
        for shift in range(n - 1)
    ]


def one_table(count: int) -> list[list[int]] | None:
    """Who of 0..4 has seat 0, 1, … in each of exactly `count` rounds, if stored."""
    return _one_table().get(count)
