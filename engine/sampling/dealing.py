"""Cards for what a view leaves open: a random deal that agrees with all that is certain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..bots.protocol import Lots
from ..cards import ORDER, PACKS, SEATS, Card, kind_of
from ..combinations import TRUMP
from ..phases.play import OTHERS_OUT
from .seen import TOKEN, Hands, Seen, copies, guards_card


@dataclass(slots=True)
class Dealing:
    """Hands that fill up. `wanted` are the tokens that a seat laid from cards not drawn yet."""

    hands: Hands
    wanted: list[Counter[str]]

    def room(self, seen: Seen, seat: int) -> int:
        """Places of a hand for cards of which nothing is known."""
        return seen.sizes[seat] - len(self.hands[seat]) - self.wanted[seat].total()


def deal(seen: Seen, lots: Lots) -> Hands | None:
    """Five hands with which play may have begun; None where the draw came to a dead end."""
    hands = [list(cards) for cards in seen.known]
    hands[seen.seat] += seen.hand
    wanted = [seen.laid[seat] - _tokens(seen, seat) for seat in range(SEATS)]
    dealing = Dealing(hands, wanted)
    unseen = list(seen.unseen)
    lots.shuffle(unseen)
    if seen.secret and not _place_secret(seen, dealing, seen.secret, lots):
        return None
    return hands if _hand_out(seen, dealing, unseen) else None


def _tokens(seen: Seen, seat: int) -> Counter[str]:
    """What the known cards of a seat are in play."""
    cards, called = seen.known[seat], seen.called
    tokens = Counter(map(TOKEN.__getitem__, cards))
    if called and seen.rules.called_trump:
        alike = len(copies(cards, called))
        if seen.laid[seat][TRUMP] if seat == seen.seat else alike in (1, PACKS):
            tokens[TOKEN[called]] -= 1
            tokens[TRUMP] += 1
    return tokens


# -- the guard's card ---------------------------------------------------------------------------


def _place_secret(seen: Seen, dealing: Dealing, secret: Card, lots: Lots) -> bool:
    """Put the guard's card where it may be: in a hand, or among what the emperor laid.

    Each of the cards that are alike in play may be the one, each place may hold it. False where
    there is none.
    """
    token, emperor = TOKEN[secret], seen.public["emperor"]
    rooms = [dealing.room(seen, seat) for seat in range(SEATS)]
    in_hands = 1 + sum(TOKEN[card] == token for card in seen.unseen)
    in_hands -= sum(wanted[token] for wanted in dealing.wanted)
    weights = [in_hands * rooms[seat] * _may_hold(seen, seat) for seat in range(SEATS)]
    if _may_hold(seen, emperor) and (not seen.rules.called_trump or copies(seen.hand, secret)):
        weights.append(sum(rooms) * dealing.wanted[emperor][token])
    if sum(weights) <= 0:
        return False
    place = _weighted(weights, lots)
    if place == SEATS:
        dealing.wanted[emperor][token] -= 1
    dealing.hands[emperor if place == SEATS else place].append(secret)
    return True


def _may_hold(seen: Seen, seat: int) -> bool:
    """Whether the deal would still go on if the guard's card were with `seat`."""
    emperor, rules = seen.public["emperor"], seen.rules
    out = {other for other, place in enumerate(seen.public["places"]) if place}
    if seat == emperor:
        return emperor not in out and len(out) < OTHERS_OUT[rules.scores]
    others = set(range(SEATS)) - {emperor, seat}
    return seat not in seen.public["rebels"] and (rules.end == "one_left" or not others <= out)


def _weighted(weights: Sequence[int], lots: Lots) -> int:
    at = lots.below(sum(weights))
    for place, weight in enumerate(weights):
        if at < weight:
            return place
        at -= weight
    raise AssertionError("a number below the sum lies in one of the parts")


# -- all others ---------------------------------------------------------------------------------


def _hand_out(seen: Seen, dealing: Dealing, unseen: Sequence[Card]) -> bool:
    """First what was laid and gifts, then the rest, from cards in random order.

    The seat itself takes before the others, and nothing that it would have kept longer than what
    it still holds. False where it does not find what it laid.
    """
    hands, own = dealing.hands, dict(dealing.wanted[seen.seat])
    order, kept = _laying_order(seen), _first_kept(seen, hands[seen.seat])
    takers = _takers(seen, dealing)
    rest: list[Card] = []
    for card in unseen:
        token = TOKEN[card]
        if own.get(token) and (token not in kept or order(card) <= kept[token]):
            own[token] -= 1
            hands[seen.seat].append(card)
        elif seats := takers.get(token):
            hands[seats.pop()].append(card)
        else:
            rest.append(card)
    _fill(seen, hands, rest)
    return not any(own.values())


def _laying_order(seen: Seen) -> Callable[[Card], tuple[bool, int]]:
    """The order in which the seat lays cards that are equal in play (rules.md 3.4)."""
    last = seen.called if seen.view["role"] == "guard" else None
    return lambda card: (kind_of(card) == last, ORDER[card])


def _first_kept(seen: Seen, began: Sequence[Card]) -> dict[str, tuple[bool, int]]:
    """By token, where the cards that the seat still holds begin in that order."""
    kept, order = list(seen.hand), _laying_order(seen)
    if _holds_trump(seen, began):  # no card is equal to it
        kept.remove(max(copies(kept, seen.called), key=order))
    return {TOKEN[card]: order(card) for card in sorted(kept, key=order, reverse=True)}


def _holds_trump(seen: Seen, began: Sequence[Card]) -> bool:
    """Whether the seat still holds the called trump, if it began with these cards."""
    if not seen.rules.called_trump or not seen.called or seen.laid[seen.seat][TRUMP]:
        return False
    return seen.view["role"] == "guard" or len(copies(began, seen.called)) == PACKS


def _takers(seen: Seen, dealing: Dealing) -> dict[str, list[int]]:
    """By token, the other seats that must be given one; the last is served first."""
    takers = {"2": [seen.holder] * _gifts(seen, dealing)}
    for seat, wanted in enumerate(dealing.wanted):
        if seat != seen.seat:
            for token, count in wanted.items():
                takers[token] = takers.get(token, []) + [seat] * count
    return takers


def _gifts(seen: Seen, dealing: Dealing) -> int:
    """How many twos must still be put with the throne (rules.md 3.2)."""
    if seen.rules.gift == "none" or seen.holder == seen.seat:
        return 0
    has = sum(TOKEN[card] == "2" for card in dealing.hands[seen.holder])
    missing = len(seen.refusals[1:]) - has - dealing.wanted[seen.holder]["2"]
    return max(0, min(missing, dealing.room(seen, seen.holder)))


def _fill(seen: Seen, hands: Hands, rest: list[Card]) -> None:
    """The places that are left; first those of a guard who has no other of his kind."""
    guard, kind = _spent_guard(seen)
    for seat in sorted(range(SEATS), key=lambda seat: seat != guard):
        if seat == guard:
            rest.sort(key=lambda card: TOKEN[card] == kind)
        room = seen.sizes[seat] - len(hands[seat])
        hands[seat] += rest[:room]
        del rest[:room]


def _spent_guard(seen: Seen) -> tuple[int | None, str | None]:
    """A guard who is public because he laid his card, and its token."""
    card = guards_card(seen.rules, seen.called)
    declared = seen.public["factor"] > 1
    if seen.public["guard"] is None or declared or card is None:
        return None, None
    return seen.public["guard"], TRUMP if seen.rules.called_trump else TOKEN[card]
