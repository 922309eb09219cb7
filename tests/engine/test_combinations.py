"""The fast tables of combinations.py against slow readings of rules.md 3.6."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baohuang.engine import Draw, pairing
from baohuang.engine.combinations import combinations_for

from .legal_order import RANKS, is_sorted
from .strategies import law, seeds
from .walk import key_of

TABLES = {
    "plain": (3, False, False, False),
    "plain from six": (6, False, False, False),
    "roast": (3, False, True, False),
    "roast from six": (6, False, True, False),
    "three twos": (3, False, False, True),
    "trump": (3, True, False, False),
    "trump and three twos": (3, True, False, True),
    "roast and three twos": (6, False, True, True),
}
PAIRS = 100_000 // len(TABLES)


def tables(name, hold_back=False):
    return combinations_for(*TABLES[name], hold_back)


def naive_beats(play, prev):
    """rules.md 3.6: equal number, both sorted, every card strictly higher."""
    height = {token: at for at, token in enumerate(RANKS + "xX*")}
    one, two = (sorted((height[token] for token in cards), reverse=True) for cards in (play, prev))
    return len(one) == len(two) and all(map(int.__gt__, one, two))


def sets_of(hand):
    """Every set that these tokens hold, by the words of rules.md: one rank, any jokers on it."""
    held = Counter(hand)
    ranks = [rank for rank in RANKS if held[rank]]
    jokers = list(product(*(range(held[token] + 1) for token in "xX*")))
    tails = ["x" * s + "X" * b + "*" * t for s, b, t in jokers]
    for rank in ranks:
        for count in range(1, held[rank] + 1):
            yield from (rank * count + tail for tail in tails)
    yield from filter(None, tails)


def random_hand(name, lots, most=14):
    """Tokens as they may lie in one hand: up to 16 of a rank, four jokers of a kind, one trump."""
    low, trump, _, _ = TABLES[name]
    ranks = RANKS[RANKS.index(str(low)) :]
    few = tuple(lots.choice(tuple(ranks)) for _ in range(3))
    tokens = [
        lots.choice((*few, *few, lots.choice(tuple(ranks)), "2", "x", "X"))
        for _ in range(1 + lots.below(most))
    ]
    kept = [t for t, n in Counter(tokens).items() for _ in range(min(n, 4 if t in "xX" else 16))]
    return kept + ["*"] * (trump and lots.below(3) == 0)


def text_of(tokens):
    return "".join(sorted(tokens, key=(RANKS + "xX*").index))


# -- beating ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLES)
def test_beats_equals_the_search_over_pairings_on_100_000_random_pairs(name):
    """Half of the pairs are near each other, so that many beat; both answers occur often."""
    table, lots = tables(name), Draw(key_of("pairs", name), "walk")
    texts = tuple(table.plays)
    small = tuple(text for text in texts if len(text) <= 7)
    _, _, roast, three_twos = TABLES[name]
    found = Counter()
    for _ in range(PAIRS):
        play, prev = lots.choice(small), lots.choice(small)
        if lots.below(3):
            play = lots.choice(texts)
            prev = near(play, lots, table)
        expected = pairing.beats(play, prev, roast=roast, three_twos=three_twos)
        assert table.beats(play, prev) == expected, (play, prev)
        found[expected] += 1
    assert min(found[True], found[False]) > PAIRS // 20


LESS = {"*": "Xx", "X": "x", "x": ""}
BUNDLES = (("XX", "X"), ("xx", "x"), ("xxx", "X"), ("222", "X"))


def near(play, lots, table):
    """A play that this one beats or nearly beats: card by card lower, bundles drawn together."""
    ranks, tokens = table.ranks, play
    for _ in range(lots.below(3)):
        bundle, card = lots.choice(BUNDLES)
        tokens = tokens.replace(bundle, card, 1) if bundle in tokens else tokens
    top = ranks.index(tokens[0]) if tokens[0] in ranks else len(ranks)
    rank = ranks[lots.below(top)] if top else ranks[0]
    low = [lots.choice((rank, *LESS.get(token, ""))) for token in tokens]
    if lots.below(4) == 0:
        low[lots.below(len(low))] = lots.choice((rank, "x", "X"))
    if lots.below(6) == 0:
        low.append(lots.choice((rank, "x")))
    return text_of(low) if text_of(low) in table.plays else lots.choice(tuple(table.plays))


@pytest.mark.parametrize("name", ["plain", "plain from six", "trump"])
def test_beats_without_bundles_is_card_against_card(name):
    table, lots = tables(name), Draw(key_of("cards", name), "walk")
    texts = tuple(table.plays)
    for _ in range(5_000):
        play = lots.choice(texts)
        prev = near(play, lots, table)
        assert table.beats(play, prev) == naive_beats(play, prev), (play, prev)


@pytest.mark.parametrize("name", TABLES)
def test_what_is_beaten_by_a_play_is_not_beaten_back(name):
    table, lots = tables(name), Draw(key_of("back", name), "walk")
    texts = tuple(table.plays)
    for _ in range(3_000):
        play = lots.choice(texts)
        prev = near(play, lots, table)
        assert not (table.beats(play, prev) and table.beats(prev, play)), (play, prev)
        assert not table.beats(play, play)


# -- leads --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["plain", "plain from six", "trump"])
def test_leads_are_as_many_as_the_closed_form_says(name):
    """One rank with N, S small and B big jokers: (N+1)(S+1)(B+1)-1 leads, and no others."""
    table = tables(name)
    for n, s, b in product(range(17), range(5), range(5)):
        if n + s + b:
            hand = table.pack(["7"] * n + ["x"] * s + ["X"] * b)
            assert len(table.lead(hand)) == (n + 1) * (s + 1) * (b + 1) - 1


def test_leads_of_several_ranks_share_only_the_jokers():
    """Sum over ranks of N(S+1)(B+1)(T+1), and (S+1)(B+1)(T+1)-1 of jokers alone."""
    table, lots = tables("trump"), Draw(key_of("leads"), "walk")
    for _ in range(300):
        hand = random_hand("trump", lots, most=44)
        held = Counter(hand)
        jokers = (held["x"] + 1) * (held["X"] + 1) * (held["*"] + 1)
        naturals = sum(count for token, count in held.items() if token in RANKS)
        assert len(table.lead(table.pack(hand))) == naturals * jokers + jokers - 1


@pytest.mark.parametrize("name", TABLES)
def test_leads_against_a_naive_generator(name):
    table, lots = tables(name), Draw(key_of("naive", name), "walk")
    for _ in range(150):
        hand = random_hand(name, lots)
        leads = list(table.lead(table.pack(hand)))
        assert sorted(leads) == sorted(sets_of(hand))
        assert is_sorted("play", leads)


@pytest.mark.parametrize("name", ["plain", "plain from six", "trump", "roast"])
def test_leads_with_hold_back_against_a_naive_filter(name):
    table, lots = tables(name, hold_back=True), Draw(key_of("held", name), "walk")
    lowest, emptied = table.ranks[0], 0
    for _ in range(300):
        hand = random_hand(name, lots, most=6) + [lowest] * lots.below(3)
        leads = list(table.lead(table.pack(hand)))
        assert sorted(leads) == sorted(
            play for play in sets_of(hand) if lowest not in play or len(play) == len(hand)
        )
        assert is_sorted("play", leads)
        assert leads  # a leader always has a legal play
        emptied += any(lowest in play for play in leads)
    assert emptied


# -- answers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("hold_back", [False, True])
def test_answers_against_a_naive_generator(name, hold_back):
    table, lots = tables(name, hold_back), Draw(key_of("follow", name), "walk")
    texts = tuple(text for text in table.plays if len(text) <= 8)
    _, _, roast, three_twos = TABLES[name]
    lowest, answered = table.ranks[0], 0
    for _ in range(250):
        hand = random_hand(name, lots)
        text = near(lots.choice(tuple(sets_of(hand))), lots, table)
        prev = table.plays[text if lots.below(4) else lots.choice(texts)]
        answers = list(table.follow(table.pack(hand), prev))
        expected = [
            play
            for play in sets_of(hand)
            if pairing.beats(play, prev.text, roast=roast, three_twos=three_twos)
            if not hold_back or lowest not in play or len(play) == len(hand)
        ]
        assert answers[0] == "pass"
        assert sorted(answers[1:]) == sorted(expected), (hand, prev.text)
        assert is_sorted("play", answers)
        answered += len(answers) > 1
        assert (len(answers) > 1) == (answers != ["pass"])
    assert answered > 80


@given(st.sampled_from(sorted(TABLES)), seeds)
@law(60)
def test_lists_do_not_hang_on_what_was_asked_before(name, seed):
    """Lists are shared and kept; a fresh table gives the same ones."""
    lots = Draw(key_of(seed), "walk")
    used, fresh = tables(name), type(tables(name))(
        tables(name).ranks,
        trump=TABLES[name][1],
        roast=TABLES[name][2],
        three_twos=TABLES[name][3],
        hold_back=False,
    ) if seed % 20 == 0 else tables(name)  # fmt: skip
    for _ in range(20):
        hand = used.pack(random_hand(name, lots))
        prev = lots.choice(tuple(used.plays))
        assert used.lead(hand) == fresh.lead(hand)
        assert used.follow(hand, used.plays[prev]) == fresh.follow(hand, fresh.plays[prev])
        assert used.lead(hand) is not None


# -- the deck's plays ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("plain from six", 10 * 16 * 25 + 24),
        ("plain", 13 * 16 * 25 + 24),
        ("trump", 13 * 16 * 50 + 49),
    ],
)
def test_every_play_of_a_deck_is_known_in_order(name, count):
    """Ranks, 1 to 16 of each, with 5 x 5 sets of jokers on them; and the jokers alone."""
    texts = list(tables(name).plays)
    assert len(texts) == count
    assert is_sorted("play", texts)
