"""Plans that no formula gives, found by search and kept as data.

`data/zero_repeat_schedules.json`: whole plans without a repeated meeting, "30x6" = 30 entries,
6 rounds. `data/rr_base_rounds.json`: one base round for n entries; adding 0..n-2 to it modulo n-1
(entry n-1 stays) gives n-1 rounds in which every pair meets exactly four times.
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
def _base_rounds() -> dict[int, list[list[int]]]:
    bases: dict[str, list[list[int]]] = _data("rr_base_rounds.json")
    return {int(n): base for n, base in bases.items()}


def _data(name: str) -> Any:
    return json.loads(files(__package__).joinpath("data", name).read_text("ascii"))


def free_rounds(n: int) -> int:
    """How many rounds without a repeated meeting are stored for n entries."""
    return len(_zero_repeat().get(n, ()))


def rounds(n: int, count: int) -> Plan:
    """The first `count` of them."""
    return [[list(table) for table in tables] for tables in _zero_repeat()[n][:count]]


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
