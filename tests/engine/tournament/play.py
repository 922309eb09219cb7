"""Playing tournaments in memory: formats draw, a made-up strength decides."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from baohuang.engine.draw import Draw
from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.formats import FORMATS
from baohuang.engine.tournament.plan import Round
from baohuang.engine.tournament.results import Result
from baohuang.engine.tournament.scheme import Seated, State

from .conftest import ids

HOUSE = tuple(f"house-{k}" for k in range(1, 10))


def lots(number: int) -> Draw:
    return Draw(bytes(32), f"round/{number}/seats")


def entrants(n: int) -> list[Entrant]:
    return [Entrant(x) for x in ids(n)]


def state(name: str, field: Iterable[Entrant], **options: object) -> State:
    return State(tuple(field), FORMATS[name].options(options), lots, HOUSE)


def strength_of(entry: str) -> int:
    """A strength that has nothing to do with the order of ids; house entries are weakest."""
    return -1 if entry.startswith("house") else Draw(bytes(32), entry).below(10**6)


def table_rows(round_: Round, strength: Callable[[str], int]) -> Iterator[Result]:
    """Results in which the stronger of a table make more; scores add up to 0."""
    for number, table in enumerate(round_.tables, 1):
        ranked = sorted(table, key=strength, reverse=True)
        for points, entry in zip((4, 2, 0, -2, -4), ranked, strict=True):
            match, seat = f"{round_.number}/{number}", table.index(entry)
            house = entry.startswith("house")
            yield Result(entry, round_.number, number, match, seat, points, deals=5, house=house)


def play(
    name: str, start: State, rounds: int = 100, strength: Callable[[str], int] = strength_of
) -> State:
    """So many rounds, or up to the end."""
    for _ in range(rounds):
        decision = FORMATS[name].next_round(start)
        if not isinstance(decision, Seated):
            break
        start = replace(
            start,
            rounds=(*start.rounds, decision.round),
            results=(*start.results, *table_rows(decision.round, strength)),
            course=decision.course,
        )
    return start
