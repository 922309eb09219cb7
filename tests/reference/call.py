"""Grab and call (rules.md 3.3, 3.4): who stands alone, and who guards the emperor."""

from .table import Story, Table


def grab(table: Table) -> Story:
    """The emperor first, then the others from the previous seat on; cards stay where they are."""
    emperor = table.emperor
    assert emperor is not None
    legal = ["open", "silent"]
    if table.options["open_solo"] != "declare":
        legal = ["silent"]
    elif table.options["guard"] == "called" and not table.callable_cards(emperor):
        legal = ["open"]
    if (yield from table.ask(emperor, "grab", legal, "silent")) == "open":
        alone(table, "open")
        return
    for seat in [(emperor - step) % 5 for step in (1, 2, 3, 4)]:
        if (yield from table.ask(seat, "grab", ["grab", "silent"], "silent")) == "grab":
            table.emperor = seat
            alone(table, "open")
            return


def alone(table: Table, solo: str) -> None:
    """One against four. Only under the scores of Lianzhong is an open solo's 2 in the table."""
    table.solo = solo
    if solo == "open":
        table.shown = True
        table.factor = 1 if table.options["scores"] == "lianzhong" else 2


def call(table: Table) -> Story:
    if table.options["guard"] == "marked":
        yield from marked(table)
    else:
        yield from name_a_card(table)


def marked(table: Table) -> Story:
    """The guard card makes the guard; the emperor who holds it himself is alone."""
    emperor = table.emperor
    assert emperor is not None
    if table.holder("G") != emperor:
        table.guard = table.holder("G")
        return
    legal = ["hidden"]
    if table.options["open_solo"] == "declare" and not table.options["grab"]:
        legal = ["hidden", "open"]
    alone(table, (yield from table.ask(emperor, "call", legal, "hidden")))


def name_a_card(table: Table) -> Story:
    emperor = table.emperor
    assert emperor is not None
    legal = [f"call {card}" for card in table.callable_cards(emperor)]
    if table.options["open_solo"] == "show_four":
        legal += [f"open {card}" for card in table.callable_cards(emperor, [4])]
    if table.options["open_solo"] == "declare" and not table.options["grab"]:
        legal += ["open"]
    answer = yield from table.ask(emperor, "call", legal, legal[0])
    if answer == "open":
        alone(table, "open")
        return
    word, card = answer.split()
    table.called = card
    if table.copies(emperor, card) == 4:
        alone(table, "open" if word == "open" else "hidden")
    else:
        table.guard = next(s for s in range(5) if s != emperor and table.copies(s, card))
    if table.options["called_trump"]:
        lay_trump(table, card, emperor if table.guard is None else table.guard)


def lay_trump(table: Table, card: str, seat: int) -> None:
    """The fourth copy becomes `*`, wherever it lies."""
    table.trump = card
    hand = table.hands[seat]
    hand[hand.index(card)] = "*"
