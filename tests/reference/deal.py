"""One attempt at one deal, from the tribute to the scores (rules.md 3)."""

from dataclasses import dataclass, field

from . import score
from .call import call, grab
from .declare import declarations, kick
from .table import Story, Table
from .throne import throne
from .tribute import Debt, Gift, pay
from .trick import play


@dataclass
class Outcome:
    """What a record says of a deal, computed."""

    result: str
    emperor: int | None = None
    guard: int | None = None
    solo: str | None = None
    called: str | None = None
    factor: int = 1
    places: list[int] | None = None
    scores: list[int] = field(default_factory=lambda: [0] * 5)


def offered_first(table: Table, drawn: int | None) -> int:
    """The seat that the laid-aside emperor card was drawn for, else its holder."""
    if drawn is not None:
        table.travelling = ["E"]
        return drawn
    holder = table.holder("E")
    table.hands[holder].remove("E")
    table.travelling = ["E"]
    return holder


def tribute(table: Table, debt: Debt | None) -> list[Gift]:
    return pay(table.hands, debt, table.options)


def deal(table: Table, drawn: int | None) -> Story:
    """Tells the deal after the tribute; returns its Outcome."""
    first = offered_first(table, drawn)
    if not (yield from throne(table, first)):
        if table.options["refused_by_all"] != "abdicate":
            return Outcome("redeal")
        points = score.abdicated_scores(table, first)
        return Outcome("abdicated", emperor=first, solo="hidden", scores=points)
    yield from enthrone(table)
    yield from play(table)
    place = score.places(table)
    return Outcome(
        "scored",
        table.emperor,
        table.guard,
        table.solo,
        table.called,
        table.factor,
        place,
        score.scores(table, place),
    )


def enthrone(table: Table) -> Story:
    """All that is said between the accepted throne and the first lead."""
    if table.options["grab"]:
        yield from grab(table)
    if table.solo is None:
        yield from call(table)
    yield from declarations(table)
    yield from kick(table)


def next_debt(outcome: Outcome) -> Debt | None:
    """Who owes whom; a voided deal changes nothing and does not come here."""
    if outcome.result == "uncounted" or outcome.emperor is None:
        return None
    points = outcome.scores[outcome.emperor]
    won = (points > 0) - (points < 0)
    places = outcome.places or places_of_a_thrower(outcome.emperor)
    return Debt(outcome.emperor, outcome.guard, outcome.solo, places, won)


def places_of_a_thrower(thrower: int) -> list[int]:
    """He came last; the others in playing order from him."""
    return [(seat - thrower - 1) % 5 + 1 for seat in range(5)]
