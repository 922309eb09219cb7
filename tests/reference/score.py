"""When a deal is over, the places, and the four score tables (rules.md 3.7, 4)."""

from .table import SEATS, Table, after

WUREN = {1: 4, 2: 2, 3: 0, 4: -2, 5: -4}
EARLY = {"lianzhong": 2, "biesan": 2, "jingji": 4, "wuren": 4}  # others out: solo is settled


def settled(table: Table) -> bool:
    out = set(table.out)
    if table.solo:
        return solo_settled(table, out)
    if table.options["end"] == "one_left":
        return len(out) == 4
    court = {table.emperor, table.guard}
    return court <= out or set(SEATS) - court <= out


def solo_settled(table: Table, out: set[int]) -> bool:
    if table.solo == "open" and table.options["scores"] == "lianzhong":
        return bool(out)
    return table.emperor in out or len(out) >= EARLY[table.options["scores"]]


def places(table: Table) -> list[int]:
    """By going out; seats with cards get the rest in playing order from the emperor."""
    assert table.emperor is not None
    rest = [seat for seat in [table.emperor, *after(table.emperor)] if seat not in table.out]
    order = table.out + rest
    return [order.index(seat) + 1 for seat in SEATS]


def scores(table: Table, place: list[int]) -> list[int]:
    """Points by seat, doublings included."""
    assert table.emperor is not None
    e = place[table.emperor]
    if table.guard is None:
        emperor, rebel = solo_points(table, e)
        guard = 0
    else:
        guard = guard_points(table.options["scores"], e, place[table.guard])
        emperor, rebel = 2 * guard, -guard
    points = [rebel] * 5
    points[table.emperor] = emperor
    if table.guard is not None:
        points[table.guard] = guard
    return [table.factor * point for point in points]


def guard_points(rule: str, e: int, g: int) -> int:
    """Two against three: the guard's points; the emperor gets twice that, each rebel minus it."""
    if rule == "wuren":
        return (WUREN[e] + WUREN[g]) // 2
    if rule == "biesan":
        pair = (min(e, g), max(e, g))
        return {(1, 2): 1, (1, 3): 1, (2, 3): 0}.get(pair, -1)
    return 6 - (e + g)


def solo_points(table: Table, e: int) -> tuple[int, int]:
    """One against four: the emperor's and each other seat's points, before doublings."""
    rule = table.options["scores"]
    if rule == "wuren":
        return 4 * WUREN[e], -WUREN[e]
    if rule == "biesan":
        return {1: (4, -1), 2: (0, 0)}.get(e, (-4, 1))
    if rule == "jingji":
        return {1: (16, -4), 2: (8, -2), 3: (0, 0), 4: (-8, 2), 5: (-16, 4)}[e]
    if table.solo == "open":
        return (24, -6) if e == 1 else (-24, 6)
    return {1: (12, -3), 2: (0, 0)}.get(e, (-12, 3))


def abdicated_scores(table: Table, thrower: int) -> list[int]:
    """The thrower loses as a hidden solo that came last."""
    table.emperor, table.solo = thrower, "hidden"
    order = [*after(thrower), thrower]
    return scores(table, [order.index(seat) + 1 for seat in SEATS])
