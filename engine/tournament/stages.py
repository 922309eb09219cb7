"""The stages of a knockout, read from the rounds as they were drawn: who belongs to which table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .plan import SEATS, Round, Table
from .scheme import Options


@dataclass(frozen=True)
class Stage:
    """Rounds first..last (numbers), as they were played so far; `index` counts from 0."""

    index: int
    first: int
    last: int
    rounds: tuple[Round, ...]

    @property
    def tables(self) -> tuple[Table, ...]:
        """As they sat in its latest round."""
        return self.rounds[-1].tables

    @property
    def seated(self) -> set[str]:
        """Whoever sat at a table of it."""
        return {x for r in self.rounds for table in r.tables for x in table}

    @property
    def byes(self) -> set[str]:
        """Whoever had a bye in it, which only an organizer gives."""
        return {x for r in self.rounds for x in r.byes}

    def homes(self) -> dict[str, int]:
        """The table (index in `tables`) of everybody who sat at one; who left keeps his.

        Nobody is at a table that was given up because all of it had left.
        """
        at: dict[str, int] = {}
        before: Sequence[Table] = ()
        for round_ in self.rounds:
            where = {x: t for t, table in enumerate(round_.tables) for x in table}
            now = [_same(table, where) for table in before]
            kept = {x: now[t] for x, t in at.items()}
            at = {x: t for x, t in kept.items() if t is not None} | where
            before = round_.tables
        return at


def _same(table: Table, where: Mapping[str, int]) -> int | None:
    """Which table most of this one sit at, if any of them does. where: everybody's table."""
    found = Counter(where[x] for x in table if x in where)
    return min(found, key=lambda t: (-found[t], t), default=None)


def stages(options: Options, rounds: Sequence[Round]) -> Iterator[Stage]:
    """The stages so far, the groups first."""
    first, index = 1, 0
    while first <= len(rounds):
        last = first + length(options, index, len(rounds[first - 1].tables)) - 1
        yield Stage(index, first, last, tuple(rounds[first - 1 : last]))
        first, index = last + 1, index + 1


def length(options: Options, index: int, tables: int) -> int:
    """Rounds of a stage; a single table is the final, be it the first stage."""
    if tables == 1:
        return int(options["final_rounds"])
    return int(options["stage_rounds" if index else "group_rounds"])


def tables_after(options: Options, tables: int) -> int:
    """Of the stage after one of `tables`; always fewer, 0 after the final."""
    return min(-(-tables * int(options["advance"]) // SEATS), tables - 1)


def by_table(homes: Mapping[str, int], ids: Sequence[str]) -> dict[int, list[str]]:
    """table -> those of `ids` whose home it is, in their order."""
    found: dict[int, list[str]] = {}
    for x in ids:
        if x in homes:
            found.setdefault(homes[x], []).append(x)
    return found
