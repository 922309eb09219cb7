"""Play (rules.md 3.6): tricks from the emperor's lead until the deal is settled."""

from .cards import is_joker, token
from .plays import follows, leads, lowest_single
from .score import settled
from .table import Story, Table, after


def play(table: Table) -> Story:
    leader = table.emperor
    while True:
        assert leader is not None
        winner = yield from trick(table, leader)
        if settled(table):
            return
        leader = heir(table, winner)


def trick(table: Table, leader: int) -> Story:
    """One trick; returns its winner. Stops at once where the deal is settled."""
    table.clear(leader)
    legal = leads(table.tokens(leader), table.options)
    answer = yield from table.ask(leader, "play", legal, lowest_single(legal))
    put(table, leader, answer)
    seat = leader
    while not settled(table) and not everyone_else_passed(table):
        seat = (seat + 1) % 5
        if table.hands[seat] and seat not in table.passed:
            yield from follow(table, seat)
    assert table.by is not None
    return table.by


def everyone_else_passed(table: Table) -> bool:
    return all(seat in table.passed for seat in table.active() if seat != table.by)


def follow(table: Table, seat: int) -> Story:
    """A seat that passed is asked again only after a new play, with the pass lock not even then."""
    legal = follows(table.tokens(seat), table.to_beat or "", table.options)
    answer = yield from table.ask(seat, "play", legal, "pass")
    if answer == "pass":
        table.passed.append(seat)
        return
    if not table.options["pass_lock"]:
        table.passed.clear()
    put(table, seat, answer)


def put(table: Table, seat: int, answer: str) -> None:
    table.to_beat, table.by = answer, seat
    for played in answer:
        card = next_copy(table, seat, played)
        table.hands[seat].remove(card)
        if seat != table.emperor and card in exposing(table):
            table.shown = True
    if not table.hands[seat]:
        table.out.append(seat)


def exposing(table: Table) -> list[str]:
    """The cards that show a guard who plays them."""
    if table.guard is None:
        return []
    if table.options["guard"] == "marked":
        return ["G"]
    return ["*" if table.trump else table.called or ""]


def next_copy(table: Table, seat: int, played: str) -> str:
    """Which of several equal cards leaves the hand: the one that exposes comes last."""
    copies = [card for card in table.hands[seat] if token(card) == played]
    return min(copies, key=lambda card: (card in exposing(table), is_joker(card)))


def heir(table: Table, winner: int) -> int:
    """Who leads: the winner, or the next seat with cards, or a publicly known teammate."""
    if table.hands[winner]:
        return winner
    with_cards = [seat for seat in after(winner) if table.hands[seat]]
    if table.options["heir"] == "teammate" and table.shown:
        friends = [seat for seat in with_cards if seat in table.side(winner)]
        return (friends + with_cards)[0]
    return with_cards[0]
