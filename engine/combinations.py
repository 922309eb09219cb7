"""What may be laid together, what beats what, and which plays a hand holds (rules.md 3.6).

A hand in play is one int of 8-bit lanes: natural rank number r at bits 8r, then small jokers, big
jokers and the called trump. Suits do not matter here. Every play is one `Play` with its text; the
lists of legal answers are tuples of texts, and those without jokers, the usual case, are shared:
they are kept by (number of cards, ranks), so that nothing is built twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, compress, product, zip_longest
from typing import Any

from .cards import ORDER, PACKS, SEATS, Card, rank_of, ranks_from

PASS = "pass"
PASS_ONLY = (PASS,)
TRUMP = "*"
JOKER_TOKENS = ("x", "X", TRUMP)

Hand = int
Texts = tuple[str, ...]
BySize = tuple[Texts, ...]
Tail = tuple[tuple[int, int, int], int]
"""(small, big, trump) and the same, packed."""

HungAnswers = tuple[Hand, tuple[tuple[int, int], ...], Texts]
"""Added to a hand it sets the guard bits of ranks with enough naturals; (naturals needed, packed
jokers); `pass` and jokers alone."""
Group = tuple[int, int, int, int, int]
"""Cards that answer together: naturals, x, X, *, and twos of a `222` bundle."""

MEMO_LIMIT = 20_000  # kept lists of leads with jokers; dropped when full

PAIR = 1 << 16  # where the number of a pair of neighbouring ranks stands in the key of such a list


class Play:
    """One combination: `naturals` cards of rank number `rank` and jokers hung on it.

    `rank` is -1 for jokers alone. `pack` is what it takes out of a hand.
    """

    __slots__ = (
        "above",
        "add",
        "bundled",
        "higher",
        "hung",
        "jokers",
        "naturals",
        "pack",
        "plain",
        "rank",
        "said",
        "shared",
        "size",
        "test",
        "text",
    )

    text: str
    rank: int
    naturals: int
    jokers: tuple[int, int, int]  # small, big, trump
    size: int
    pack: Hand
    add: Hand  # added to a hand it sets the guard bits of the ranks with `size` naturals
    above: Hand  # guard bits of the ranks that beat it without jokers
    said: tuple[tuple[int, str], ...]  # (seat, text) of each seat, for histories
    bundled: bool  # bundles may answer it, so numbers of cards may differ
    plain: Hand  # hands below this have a simple answer: no jokers in them, no bundles
    test: tuple[Hand, Hand, Hand, dict[Hand, Texts]]  # plain, add, above, shared
    shared: dict[Hand, tuple[str, ...]]
    higher: Hand  # guard bits of the ranks above its own
    hung: dict[int, HungAnswers]  # by the jokers of who answers


class Combinations:
    """The plays of one kind of deck, and the answers that hands have.

    `ranks` are the natural ranks from low to high; `trump` says whether a called trump exists;
    `roast` and `three_twos` are the options of the same name; `hold_back` keeps the lowest rank.
    `plays` has them by text; `said` and `logged`, by text and seat, are (seat, text) and (seat,
    text, False), made once: of what is kept by the thousand the garbage collector knows nothing.
    """

    def __init__(
        self, ranks: str, *, trump: bool, roast: bool, three_twos: bool, hold_back: bool
    ) -> None:
        self.ranks = ranks
        self.roast = roast
        self.three_twos = three_twos
        self.hold_back = hold_back
        count = len(ranks)
        self.joker_shift = 8 * count
        self.joker_base = 1 << self.joker_shift
        self.ones = sum(1 << 8 * rank for rank in range(count))
        self.guards = self.ones << 7
        self._one = self._enough(1)
        self.lane = {token: 8 * index for index, token in enumerate((*ranks, *JOKER_TOKENS))}
        self._units = {
            card: 1 << self.lane[rank_of(card)] for card in ORDER if rank_of(card) in self.lane
        }
        self._jokers = _joker_sets(trump)
        self._suffix = {pack: _suffix(jokers) for jokers, pack in self._jokers.items()}
        self._shared: list[dict[Hand, tuple[str, ...]]] = [{} for _ in range(4 * PACKS + 10)]
        self._leads: list[dict[Hand, Texts]] = [{} for _ in range(4 * PACKS)]
        self._hung: dict[tuple[int, tuple[int, int, int]], dict[int, HungAnswers]] = {}
        self._hangable: dict[int, tuple[Tail, ...]] = {}
        self._chunks: dict[int, BySize] = {}
        self._rank_leads: dict[tuple[int, int, int], BySize] = {}
        self._jokers_alone: dict[int, BySize] = {}
        self.plays: dict[str, Play] = {play.text: play for play in self._all_plays()}
        self.said = {text: play.said for text, play in self.plays.items()}
        self.said[PASS] = _by_seat(PASS)
        self.logged = {text: _by_seat(text, False) for text in self.said}
        self.order = {text: index for index, text in enumerate(self.plays)}
        self.rows = self._text_rows()
        self._sets = [
            [row[size][0] for row in self.rows] if size else [] for size in range(4 * PACKS + 1)
        ]

    # -- tables -------------------------------------------------------------------------------

    def _all_plays(self) -> Iterator[Play]:
        """Every play, in the order of contract.md section 1."""
        top = 4 * PACKS
        shapes = [
            (naturals + sum(jokers), rank, jokers, naturals)
            for naturals, rank, jokers in product(
                range(1, top + 1), range(len(self.ranks)), self._jokers
            )
        ]
        alone = [
            (sum(jokers), len(self.ranks), jokers, 0) for jokers in self._jokers if any(jokers)
        ]
        for size, rank, jokers, naturals in sorted(shapes + alone):
            yield self._play(size, rank if naturals else -1, naturals, jokers)

    def _play(self, size: int, rank: int, naturals: int, jokers: tuple[int, int, int]) -> Play:
        play = Play()
        pack = self._jokers[jokers]
        play.text = self.ranks[rank] * naturals + self._suffix[pack]
        play.said = _by_seat(play.text)
        play.rank, play.naturals, play.jokers, play.size = rank, naturals, jokers, size
        play.pack = (naturals << 8 * rank if naturals else 0) + (pack << self.joker_shift)
        play.add = self._enough(size)
        beaten_by_naturals = not any(jokers)
        play.higher = self.guards & -(1 << 8 * (rank + 1))
        play.above = play.higher if beaten_by_naturals else 0
        play.bundled = (self.roast and any(jokers)) or (self.three_twos and jokers[1] > 0)
        play.plain = 0 if play.bundled else self.joker_base
        play.shared = self._shared[size]
        play.test = (play.plain, play.add, play.above, play.shared)
        play.hung = self._hung.setdefault((naturals, jokers), {})
        return play

    def _enough(self, count: int) -> Hand:
        """Added to a hand, this sets the guard bit of every rank of which it has `count`."""
        return self.guards - count * self.ones

    def _text_rows(self) -> list[list[dict[int, str]]]:
        """rows[rank][naturals][packed jokers] is that play's text."""
        rows: list[list[dict[int, str]]] = [
            [{} for _ in range(4 * PACKS + 1)] for _ in range(len(self.ranks))
        ]
        for play in self.plays.values():
            if play.naturals:
                rows[play.rank][play.naturals][play.pack >> self.joker_shift] = play.text
        return rows

    # -- hands --------------------------------------------------------------------------------

    def pack(self, tokens: Iterable[str]) -> Hand:
        """The hand that holds these tokens (ranks, `x`, `X`, `*`)."""
        lane = self.lane
        return sum(1 << lane[token] for token in tokens)

    def pack_cards(self, cards: Iterable[Card]) -> Hand:
        """The hand that holds these cards, none of them a called trump."""
        return sum(map(self._units.__getitem__, cards))

    def unpack(self, hand: Hand) -> dict[str, int]:
        """How many of each token a hand holds; tokens that it has none of are left out."""
        counts = zip(self.lane, hand.to_bytes(len(self.lane), "little"), strict=True)
        return {token: count for token, count in counts if count}

    def count(self, hand: Hand, token: str) -> int:
        """How many of `token` a hand holds."""
        return hand >> self.lane[token] & 0xFF

    # -- answers to a play --------------------------------------------------------------------

    def follow(self, hand: Hand, prev: Play) -> tuple[str, ...]:
        """The legal answers to `prev`: `pass`, then every play of `hand` that beats it, sorted."""
        if hand < prev.plain:
            mask = (hand + prev.add) & prev.above
            return self.follow_plain(prev, mask) if mask else PASS_ONLY
        return self.follow_jokers(hand, prev)

    def follow_plain(self, prev: Play, mask: Hand) -> tuple[str, ...]:
        """`pass` and the plays of `prev.size` naturals of the ranks whose guard bits are set."""
        found = prev.shared.get(mask)
        if found is None:
            found = prev.shared[mask] = (PASS, *self._naturals(prev.size, mask))
        return found

    def _naturals(self, size: int, mask: Hand) -> Iterator[str]:
        """The sets of `size` naturals of the ranks whose guard bits are set."""
        return compress(self._sets[size], mask.to_bytes(len(self.ranks), "little"))

    def follow_jokers(self, hand: Hand, prev: Play) -> tuple[str, ...]:
        """`follow` for a hand with jokers, or for a play that bundles may answer."""
        if prev.bundled:
            return self._follow_bundled(hand, prev)
        jokers = hand >> self.joker_shift
        hung = prev.hung.get(jokers)
        if hung is None:
            hung = prev.hung[jokers] = self._hung_answers(prev, jokers)
        add, groups, alone = hung
        mask = (hand + add) & prev.higher
        if not mask:
            return alone
        found = [PASS]
        mask >>= 7
        while mask:
            rank = (mask & -mask).bit_length() >> 3
            held, row = hand >> 8 * rank & 0xFF, self.rows[rank]
            for needed, tail in groups:
                if needed <= held:
                    found.append(row[needed][tail])
            mask &= mask - 1
        found += alone[1:]
        return tuple(found)

    def _hung_answers(self, prev: Play, jokers: int) -> HungAnswers:
        """How a hand with these jokers can answer `prev`.

        Cards higher than a big joker must be as many as its big jokers, those higher than a small
        joker as many as both kinds together; the naturals then lie opposite naturals.
        """
        small, big, trump = prev.jokers
        if trump:
            return 0, (), PASS_ONLY
        fits = [
            (prev.size - sum(own), pack)
            for own, pack in self._tails(jokers)
            if own[2] >= big and own[1] + own[2] >= big + small
        ]
        groups = tuple((needed, pack) for needed, pack in fits if needed > 0)
        alone = tuple(self._suffix[pack] for needed, pack in fits if needed == 0)
        add = self._enough(min(needed for needed, _ in groups)) if groups else 0
        return add, groups, (PASS, *alone) if alone else PASS_ONLY

    def _follow_bundled(self, hand: Hand, prev: Play) -> tuple[str, ...]:
        """With bundles numbers of cards differ, so the answers are sorted at the end."""
        found = sorted(set(self._bundled(hand, prev)), key=self.order.__getitem__)
        return (PASS, *found) if found else PASS_ONLY

    def _bundled(self, hand: Hand, prev: Play) -> Iterator[str]:
        two = len(self.ranks) - 1
        groups = answers_to(prev.naturals, prev.jokers, self.roast, self.three_twos)
        for naturals, small, big, trump, twos in groups:
            tail = _pack_jokers(small, big, trump)
            if not _within(small, big, trump, hand >> self.joker_shift):
                continue
            if not naturals and not twos:
                yield self._suffix[tail]
            # Twos of a bundle make the whole play a set of twos.
            lowest = max(prev.rank + 1 if naturals else 0, two if twos else 0)
            for rank in range(lowest, two + 1) if naturals + twos else ():
                if hand >> 8 * rank & 0xFF >= naturals + twos:
                    yield self.rows[rank][naturals + twos][tail]

    def beats(self, play: str, prev: str) -> bool:
        """Whether `play` beats `prev`. KeyError when either is no play of this deck."""
        return play in self.follow(self.plays[play].pack, self.plays[prev])

    # -- leads --------------------------------------------------------------------------------

    def lead(self, hand: Hand) -> tuple[str, ...]:
        """Every play that `hand` may lead, sorted. A hand with cards always has one."""
        if self.hold_back and hand & 0xFF:
            return self._lead_held_back(hand)
        if hand >= self.joker_base:
            return self._lead_with_jokers(hand)
        found: list[str] = []
        ones, guards, tables = self.ones, self.guards, self._leads
        left = hand + self._one
        mask = left & guards
        size = 0
        while mask:
            found += tables[size].get(mask) or self._lead_plain(size, mask)
            size += 1
            left -= ones
            mask = left & guards
        return tuple(found)

    def _lead_plain(self, size: int, mask: Hand) -> Texts:
        found = self._leads[size][mask] = tuple(self._naturals(size + 1, mask))
        return found

    def _lead_held_back(self, hand: Hand) -> tuple[str, ...]:
        """The lowest rank goes out last, all at once, jokers allowed with it."""
        rest = hand & ~0xFF
        found = self.lead(rest) if rest else ()
        if rest & self.joker_base - 1:
            return found
        return (*found, self.rows[0][hand & 0xFF][hand >> self.joker_shift])

    def _lead_with_jokers(self, hand: Hand) -> Texts:
        jokers = hand >> self.joker_shift
        naturals, key, chunks = hand & self.joker_base - 1, jokers << 24, []
        while naturals:
            held = naturals & 0xFFFF
            if held:
                chunks.append(self._chunks.get(key | held) or self._chunk(key | held))
            naturals >>= 16
            key += PAIR
        chunks.append(self._alone(jokers))
        return tuple(chain.from_iterable(chain.from_iterable(zip_longest(*chunks, fillvalue=()))))

    def _chunk(self, key: int) -> BySize:
        """The leads of two neighbouring ranks with jokers: key is jokers, pair, counts."""
        jokers, pair = key >> 24, key >> 16 & 0xFF
        low, high = key & 0xFF, key >> 8 & 0xFF
        both = [self._of_rank(2 * pair, low, jokers), self._of_rank(2 * pair + 1, high, jokers)]
        if len(self._chunks) >= MEMO_LIMIT:
            self._chunks.clear()
        found = self._chunks[key] = tuple(
            tuple(chain.from_iterable(texts)) for texts in zip_longest(*both, fillvalue=())
        )
        return found

    def _of_rank(self, rank: int, held: int, jokers: int) -> BySize:
        """The leads with naturals of one rank, by number of cards (of none there are none)."""
        key = (rank, held, jokers)
        found = self._rank_leads.get(key)
        if found is None:
            sizes: list[list[str]] = [[] for _ in range(held + _total(jokers) + 1)]
            for counts, pack in self._tails(jokers):
                size = sum(counts)
                for naturals in range(1, held + 1):
                    sizes[size + naturals].append(self.rows[rank][naturals][pack])
            found = self._rank_leads[key] = tuple(map(tuple, sizes))
        return found

    def _alone(self, jokers: int) -> BySize:
        """The leads of jokers alone, by number of cards."""
        found = self._jokers_alone.get(jokers)
        if found is None:
            sizes: list[list[str]] = [[] for _ in range(_total(jokers) + 1)]
            for counts, pack in self._tails(jokers):
                sizes[sum(counts)].append(self._suffix[pack])
            sizes[0].clear()  # nothing at all is no play
            found = self._jokers_alone[jokers] = tuple(map(tuple, sizes))
        return found

    def _tails(self, jokers: int) -> tuple[Tail, ...]:
        """The jokers that a hand with these can hang on a set, in ascending order."""
        found = self._hangable.get(jokers)
        if found is None:
            found = self._hangable[jokers] = tuple(
                (own, pack) for own, pack in self._jokers.items() if _within(*own, jokers)
            )
        return found


def _by_seat(*what: Any) -> tuple[tuple[Any, ...], ...]:
    return tuple((seat, *what) for seat in range(SEATS))


def _total(jokers: int) -> int:
    return (jokers & 0xFF) + (jokers >> 8 & 0xFF) + (jokers >> 16)


def _joker_sets(trump: bool) -> dict[tuple[int, int, int], int]:
    """Every set of jokers (small, big, trump) with its packed form, in ascending order."""
    return {
        (small, big, star): _pack_jokers(small, big, star)
        for small, big, star in product(range(PACKS + 1), range(PACKS + 1), range(1 + trump))
    }


def _pack_jokers(small: int, big: int, trump: int) -> int:
    return small | big << 8 | trump << 16


def _suffix(jokers: tuple[int, int, int]) -> str:
    return "".join(token * count for token, count in zip(JOKER_TOKENS, jokers, strict=True))


def _within(small: int, big: int, trump: int, jokers: int) -> bool:
    return small <= jokers & 0xFF and big <= jokers >> 8 & 0xFF and trump <= jokers >> 16


@lru_cache(maxsize=4096)
def answers_to(
    naturals: int, jokers: tuple[int, int, int], roast: bool = False, three_twos: bool = False
) -> frozenset[Group]:
    """Every way to answer a play card by card: one higher card, or one bundle, for each.

    A natural is answered by a higher natural or any joker; `x` by `X`, `*`, with roast `xx`; `X` by
    `*`, with roast `XX` and `xxx`, with three twos `222`; `*` by nothing.
    """
    small, big, trump = jokers
    if trump:
        return frozenset()
    natural_ways = ((1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0))
    small_ways: tuple[Group, ...] = ((0, 0, 1, 0, 0), (0, 0, 0, 1, 0))
    big_ways: tuple[Group, ...] = ((0, 0, 0, 1, 0),)
    if roast:
        small_ways += ((0, 2, 0, 0, 0),)
        big_ways += ((0, 0, 2, 0, 0), (0, 3, 0, 0, 0))
    if three_twos:
        big_ways += ((0, 0, 0, 0, 3),)
    found: frozenset[Group] = frozenset({(0, 0, 0, 0, 0)})
    for ways in [big_ways] * big + [small_ways] * small + [natural_ways] * naturals:
        found = frozenset(_joined(found, ways))
    return found


def _joined(found: Iterable[Group], ways: Iterable[Group]) -> Iterator[Group]:
    for (n, s, b, t, w), (dn, ds, db, dt, dw) in product(found, tuple(ways)):
        if s + ds <= PACKS and b + db <= PACKS and t + dt <= 1 and w + dw <= 4 * PACKS:
            yield (n + dn, s + ds, b + db, t + dt, w + dw)


@lru_cache(maxsize=64)
def combinations_for(
    low_rank: int, trump: bool, roast: bool, three_twos: bool, hold_back: bool
) -> Combinations:
    """The shared tables of one kind of deck."""
    return Combinations(
        ranks_from(low_rank),
        trump=trump,
        roast=roast,
        three_twos=three_twos,
        hold_back=hold_back,
    )
