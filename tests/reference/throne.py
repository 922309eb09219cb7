"""The throne in its six ways (rules.md 3.2): who is offered it, who must take it, what it costs."""

from .cards import highest, in_order, strength
from .table import Story, Table


def way(table: Table, first: int) -> list[int]:
    """The five seats in the order in which the throne travels."""
    if table.options["yield_to"] == "previous":
        return [(first - step) % 5 for step in range(5)]
    return [(first + step) % 5 for step in (0, 2, 3, 4, 1)]


def throne(table: Table, first: int) -> Story:
    """Returns whether somebody took the throne; then `emperor` is set and holds what travelled."""
    order = way(table, first)
    for offer, seat in enumerate(order + second_round(table, order)):
        table.offered = seat
        legal = answers(table, seat, offer)
        if (yield from table.ask(seat, "throne", legal, "yield")) == "accept":
            take(table, seat)
            return True
        if offer > 0:  # the first refusal is free
            table.travelling += gift(table, seat)
    return (yield from force(table, order))


def second_round(table: Table, order: list[int]) -> list[int]:
    """Who is asked once more when all five have refused."""
    again = {"second_round": 5, "forced_second_round": 5, "ask_first_again": 1}
    return order[: again.get(table.options["refused_by_all"], 0)]


def answers(table: Table, seat: int, offer: int) -> list[str]:
    """`offer` counts from 0; 5 is the second question to the first seat."""
    rule = table.options["refused_by_all"]
    if not can_accept(table, seat):
        return ["yield"]
    if rule == "abdicate" and offer == 0 and "G" not in table.hands[seat]:
        return ["accept"]
    if rule == "forced_second_round" and offer == 5 and has_exactly_three(table, seat):
        return ["accept"]
    return ["accept", "yield"]


def can_accept(table: Table, seat: int) -> bool:
    if table.options["guard"] == "marked" or table.options["open_solo"] == "declare":
        return True
    return bool(table.callable_cards(seat))


def has_exactly_three(table: Table, seat: int) -> bool:
    return table.options["guard"] == "called" and bool(table.callable_cards(seat, [3]))


def force(table: Table, order: list[int]) -> Story:
    """`force_exact_three`: the first from the first seat on who holds exactly three alike."""
    if table.options["refused_by_all"] == "force_exact_three":
        for seat in order:
            table.offered = seat
            if has_exactly_three(table, seat):
                yield from table.ask(seat, "throne", ["accept"], "accept")
                take(table, seat)
                return True
    table.offered = None
    return False


def take(table: Table, seat: int) -> None:
    """Gifts and the emperor card stay with whoever accepts."""
    table.hands[seat] = in_order(table.held(seat))
    table.travelling = []
    table.offered = None
    table.emperor = seat


def gift(table: Table, seat: int) -> list[str]:
    """What a refusal costs, taken out of the seat's own hand; of equal cards the lowest suit."""
    rule = table.options["gift"]
    own = table.hands[seat]
    best = highest(own, jokers=False)[:1]
    twos = [card for card in best if strength(card) == strength("2C")]
    given = {"none": [], "two": twos, "two_or_highest": best}[rule]
    for card in given:
        own.remove(card)
    return given
