"""Rulings about the coming round: who sits where, by hand."""

from __future__ import annotations

from baohuang.engine.tournament.checker import sense, strange
from baohuang.engine.tournament.plan import Round

from ..errors import Conflict
from ..models import Ruling
from . import formats, history
from .ruling_case import Ask, Case, refuse

BYE, DRAWN = "bye", "drawn"
"""What becomes of those whom no table names."""


def seat(case: Case, ask: Ask) -> None:
    """The coming round is not drawn but seated so; whoever is at no table has a bye.

    With `byes` given, whoever is in neither is out of the round. With others=drawn the round is
    drawn after all, and these tables are put into it. The last such ruling counts.
    """
    number = case.ruling.after_round + 1
    total = formats.last_round(case.tournament)
    if total is not None and number > total:
        raise Conflict("There is no further round.", code="no_round")
    made = _tables(case, ask, number) if ask.others == DRAWN else _round(case, ask, number)
    case.ruling.round = number
    case.ruling.details = {
        "tables": [list(table) for table in made.tables],
        "byes": list(made.byes),
        "out": list(made.out),
        "others": ask.others,
    }


def undo_seat(case: Case, ruling: Ruling) -> None:
    """The format draws the round after all, if it is not drawn yet."""
    if history.last_number(case.session, case.tournament.id) >= (ruling.round or 0):
        raise Conflict("The round has been drawn.", code="round_drawn")


def _round(case: Case, ask: Ask, number: int) -> Round:
    state = history.state(case.session, case.tournament)
    tables = tuple(tuple(table) for table in ask.tables)
    placed = {x for table in tables for x in table} | set(ask.byes or ())
    rest = tuple(e.id for e in state.active(number) if e.id not in placed)
    byes, out = (rest, ()) if ask.byes is None else (tuple(ask.byes), rest)
    made = Round(number, tables, byes, out)
    wrong = next(sense(made, state), None)
    if wrong is not None or not tables:
        raise refuse("/tables", wrong or "There is no table.", "seating")
    return made


def _tables(case: Case, ask: Ask, number: int) -> Round:
    """Single tables; how the others sit is found when the round is drawn."""
    state = history.state(case.session, case.tournament)
    made = Round(number, tuple(tuple(table) for table in ask.tables))
    if ask.byes is not None:
        raise refuse("/byes", "They are drawn too.", "seating")
    wrong = next(strange(made, state), None)
    if wrong is not None:
        raise refuse("/tables", wrong, "seating")
    return made
