"""Declarations and kick (rules.md 3.5): who shows himself before the first lead."""

from .table import Story, Table, after


def declarations(table: Table) -> Story:
    """Rounds over those who kept silent, until the guard is shown or nothing new is said."""
    emperor, options = table.emperor, table.options
    assert emperor is not None
    if table.solo == "open" or not (options["open_guard"] or options["rebellion"]):
        return
    silent, something_new = after(emperor), True
    while something_new:
        something_new = False
        for seat in list(silent):
            if table.shown:  # nothing is left to say
                return
            answer = yield from table.ask(seat, "declare", words(table, seat), "silent")
            if answer != "silent":
                silent.remove(seat)
                something_new = True
                stand_up(table, seat, answer)


def words(table: Table, seat: int) -> list[str]:
    """The guard may show himself, a rebel may stand up."""
    if seat == table.guard:
        return ["open", "silent"] if table.options["open_guard"] else ["silent"]
    return ["rebel", "silent"] if table.options["rebellion"] else ["silent"]


def stand_up(table: Table, seat: int, answer: str) -> None:
    """An open guard or a second rebel shows the guard, or that there is none, and doubles."""
    if answer == "rebel":
        table.rebels.append(seat)
    if answer == "open" or len(table.rebels) == 2:
        table.shown = True
        table.factor *= 2


def kick(table: Table) -> Story:
    """After a rebellion one of the court doubles again; after an open guard two of the rebels."""
    if not (table.options["kick"] and table.shown) or table.solo == "open":
        return
    assert table.emperor is not None
    rebellion = len(table.rebels) == 2
    court = [table.emperor, table.guard]
    needed = 1 if rebellion else 2
    for seat in [table.emperor, *after(table.emperor)]:
        if (seat in court) == rebellion and needed:
            answer = yield from table.ask(seat, "kick", ["kick", "silent"], "silent")
            needed -= answer == "kick"
    if not needed:
        table.factor *= 2
