"""What formats share: the last table is filled by house entries or left out by byes; owners."""

from __future__ import annotations

from collections.abc import Sequence

from .duplicate import REPLAYS
from .entrants import Entrant
from .plan import SEATS
from .scheme import Option, Options, State
from .seating import SeatingError

MOST_ROUNDS = 500

FILL = Option("fill", "house", "house entries or byes where a table lacks", words=("house", "bye"))

BOARDS = (
    Option("boards", 1, "how often a table plays its cards, seats moved round", choices=REPLAYS),
    Option("shared_boards", False, "all tables of a round play the same cards"),
)
"""Duplicate, for every format; `duplicate.sittings` makes the matches."""


def missing(entries: int) -> int:
    """House entries needed to fill the last table."""
    return -entries % SEATS


def by_house(options: Options, entries: int) -> bool:
    """Whether house entries fill the places that lack.

    A format without the option has one table: it fills up to five, and six to nine have byes.
    """
    return options["fill"] == "house" if "fill" in options else entries <= SEATS


def house_for(state: State, entries: int) -> tuple[str, ...]:
    """The house entries that play beside so many others. Raises SeatingError."""
    return house(state, missing(entries) if by_house(state.options, entries) else 0)


def house(state: State, need: int) -> tuple[str, ...]:
    """So many house entries. Raises SeatingError if there are too few."""
    if len(state.house) < need:
        raise SeatingError(f"{need} house entries are needed, {len(state.house)} are there")
    return state.house[:need]


def owners(entrants: Sequence[Entrant]) -> list[list[str]]:
    """Groups of entrants with one owner."""
    groups: dict[str, list[str]] = {}
    for e in entrants:
        if e.owner is not None:
            groups.setdefault(e.owner, []).append(e.id)
    return [group for group in groups.values() if len(group) > 1]
