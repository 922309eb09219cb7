"""A tournament's format: its scheme of the engine, with the options that the organizer chose.

`rounds` stands apart from the other options because every reader wants it; 0 means that the format
decides (a whole round robin, a ladder without end, the stages of a knockout). The start puts the
number there that came out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from baohuang.engine.tournament import filling
from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.formats import FORMATS
from baohuang.engine.tournament.plan import Round
from baohuang.engine.tournament.scheme import OptionError, Options, Scheme

from ..models import Tournament


def check(name: str, chosen: Mapping[str, object], rounds: int) -> None:
    """Whether an organizer may choose these options and so many rounds. Raises `OptionError`."""
    if "rounds" in chosen:
        raise OptionError("rounds", "cannot be given here")
    if rounds and not has_rounds(name):
        raise OptionError("rounds", "follow from the format's options; leave them out")
    _options(name, chosen, rounds)


def scheme(tournament: Tournament) -> tuple[Scheme, Options]:
    """The format's scheme and its options."""
    options = _options(tournament.format, tournament.format_options, tournament.rounds)
    return FORMATS[tournament.format], options


def _options(name: str, chosen: Mapping[str, object], rounds: int) -> Options:
    own = {"rounds": rounds} if rounds and has_rounds(name) else {}
    return FORMATS[name].options({**chosen, **own})


def has_rounds(name: str) -> bool:
    """Whether the number of rounds is the organizer's to choose."""
    return any(option.name == "rounds" for option in FORMATS[name].known)


def rounds_total(tournament: Tournament, entered: int) -> int | None:
    """How many rounds a field of `entered` (without fill-ins) plays; None if that is open."""
    found, options = scheme(tournament)
    return found.rounds_total(options, entered)


def most_rounds(name: str, chosen: Mapping[str, object], capacity: int) -> int | None:
    """How many rounds a format that is given none can have with up to `capacity` entries.

    One entry more or less makes a whole round robin several times as long. None if that is open.
    """
    if not has_rounds(name):
        return None
    found, options = FORMATS[name], _options(name, chosen, 0)
    totals = [found.rounds_total(options, size) for size in (capacity, capacity - 1)]
    return max((total for total in totals if total is not None), default=None)


def free_seats(tournament: Tournament, entered: int) -> int:
    """How many house bots fill up the tables; none where byes do it instead."""
    found, options = scheme(tournament)
    may_have_byes = "fill" in options or found.most_entries is not None
    if may_have_byes and not filling.by_house(options, entered):
        return 0
    return filling.missing(entered)


def last_round(tournament: Tournament) -> int | None:
    """Of a tournament that has started: the number of its last round, if that is known.

    The stages of a knockout can be shorter, when entries leave or tables are seated by hand.
    """
    return tournament.last_round or tournament.rounds or None


def limits_comers(tournament: Tournament) -> bool:
    """Whether the format cannot seat any number of those who come, or come back, late."""
    return tournament.format == "knockout"


def room_for_comers(
    tournament: Tournament, entrants: Sequence[Entrant], rounds: Sequence[Round]
) -> int:
    """How many who come, or come back, a knockout can seat in the next round.

    In its groups alone, where a house bot or nobody would sit.
    """
    tables, number = rounds[-1].tables, len(rounds) + 1
    length = "final_rounds" if len(rounds[0].tables) == 1 else "group_rounds"
    if number > int(scheme(tournament)[1][length]):
        return 0
    seated = {x for table in tables for x in table}
    active = {e.id for e in entrants if e.active(number)}
    return max(len(seated - active) - len(active - seated), 0)


def house_for_leavers(tournament: Tournament, at_start: int, leavers: int) -> int:
    """How many house bots may be needed when so many have left; tables of a knockout stay whole."""
    return at_start + leavers if tournament.format == "knockout" else 0
