"""Sampling: a seat that is asked sees the same in a drawn deal, and the deal is a real one."""

import json
from collections import Counter
from functools import cache

import pytest
from hypothesis import given

from baohuang.engine import PRESETS, DealState, Draw, View, new_deal, sample_hands, sample_state
from baohuang.engine.cards import sort_hand
from baohuang.engine.sampling.question import replayed
from baohuang.engine.sampling.seen import read
from baohuang.engine.view import view_json

from .board import rules, slots
from .laws import check_cards, check_end, check_question, whole
from .strategies import keys, law, rule_sets, seeds
from .walk import key_of, random_walk

SCORES = [4, -1, -1, -1, -1]


def asked_view(state):
    """What the asked seat is sent, as it arrives."""
    return json.loads(json.dumps(view_json(View(state, state.seat, SCORES))))


def lots_of(*words):
    return Draw(key_of("sampling", *words), "test")


def check_samples(state, lots):
    """The laws, at every question of a deal that is answered at random."""
    start = whole(state)
    while state.result is None:
        view = asked_view(state)
        drawn = sample_state(state.rules, view, lots)
        assert asked_view(drawn) == view
        check_question(drawn)
        check_cards(drawn, start)
        if lots.below(5) == 0:
            while drawn.result is None:
                drawn.apply(lots.choice(drawn.legal))
            check_end(drawn)
            check_cards(drawn, start)
        state.apply(lots.choice(state.legal))


@given(rule_sets(), keys, seeds)
@law(35)
def test_the_asked_seat_sees_the_same_and_the_deal_can_be_played(ruleset, key, seed):
    check_samples(new_deal(ruleset, key), lots_of(seed))


@pytest.mark.parametrize("preset", PRESETS)
def test_the_asked_seat_sees_the_same_in_every_preset(preset):
    for number in (1, 2):
        check_samples(new_deal(PRESETS[preset], key_of(preset), number), lots_of(preset, number))


@given(rule_sets(), keys, seeds)
@law(30)
def test_with_the_cards_that_are_really_there_the_state_is_the_real_one(ruleset, key, seed):
    """Of what went with the throne only the emperor card is known, and later on it is no matter."""
    for state in random_walk(new_deal(ruleset, key), seed):
        if state.result is None:
            again = replayed(read(ruleset, asked_view(state)), state.cards)
            assert again is not None
            assert comparable(again) == comparable(state)


def comparable(state):
    found = slots(state) | {"cards": list(map(sort_hand, state.cards)), "lanes": None}
    del found["travelling"]
    return found


@given(rule_sets(), keys, seeds)
@law(10)
def test_nothing_but_the_view_is_used(ruleset, key, seed):
    """The lazy view of a state and its bare text give the same deal."""
    for state in random_walk(new_deal(ruleset, key), seed):
        if state.result is None and len(state.history) % 16 == 0:
            bare = sample_state(ruleset, asked_view(state), lots_of(seed))
            lazy = sample_state(ruleset, View(state, state.seat), lots_of(seed))
            assert bare.cards == lazy.cards


@given(rule_sets(), keys, seeds)
@law(10)
def test_hands_are_what_the_sampled_seats_hold(ruleset, key, seed):
    for state in random_walk(new_deal(ruleset, key), seed):
        if state.result is None and len(state.history) % 16 == 0:
            view = asked_view(state)
            hands = sample_hands(ruleset, view, lots_of(seed))
            drawn = sample_state(ruleset, view, lots_of(seed))
            assert [" ".join(hand) for hand in hands] == [View(drawn, s)["hand"] for s in range(5)]
            assert list(map(len, hands)) == view["public"]["hand_sizes"]
            assert " ".join(hands[view["seat"]]) == view["hand"]


# -- what is refused ----------------------------------------------------------------------------


def test_a_seat_that_is_not_asked_cannot_sample():
    state = new_deal(PRESETS["baike"], key_of("waiting"))
    other = View(state, (state.seat + 1) % 5)
    for sample in (sample_state, sample_hands):
        with pytest.raises(ValueError, match="only a seat that is asked"):
            sample(state.rules, other, lots_of())


def test_a_view_with_a_fifth_big_joker_is_refused():
    view = asked_view(new_deal(PRESETS["jingji"], key_of("fifth")))
    view |= {"hand": "6C X X X X E"}
    with pytest.raises(ValueError, match="more cards of a kind than the deck has"):
        sample_state(PRESETS["jingji"], view, lots_of())


def test_a_view_that_never_was_is_refused():
    view = asked_view(new_deal(PRESETS["lianzhong-simple"], key_of("never")))
    view["legal"] = ["silent", "kick"]
    with pytest.raises(ValueError, match=f"fits what seat {view['seat']} sees"):
        sample_state(PRESETS["lianzhong-simple"], view, lots_of())


# -- what is certain, and what is open ----------------------------------------------------------


def until(ruleset, wanted, choose=None, deals=400):
    """The first question of these deals that `wanted` likes; answers are random or chosen."""
    for number in range(1, deals):
        state, lots = new_deal(ruleset, key_of("until"), number), lots_of(number)
        while state.result is None:
            if wanted(state):
                return state
            said = choose(state) if choose else None
            state.apply(said if said in state.legal else lots.choice(state.legal))
    raise AssertionError("no such question")


@cache
def sampled(question, count):
    view = asked_view(question)
    return [sample_state(question.rules, view, lots_of("many", n)) for n in range(count)]


def quiet(state):
    """Says as little as possible before play, and keeps jokers while anything else will do."""
    said = {"throne": "accept", "call": "hidden"}.get(state.phase, "silent")
    plain = [play for play in state.legal if not set(play) & set("xX*")]
    return (plain or ["pass"])[-1] if state.phase == "play" else said


def follower(state: DealState) -> bool:
    """At the first question of play to a seat that is neither emperor nor guard."""
    return state.phase == "play" and state.role(state.seat) == "rebel" and len(state.out) == 0


def test_the_emperor_card_and_the_three_shown_copies_are_with_the_emperor():
    question = until(rules("baike"), follower, quiet)
    assert question.called is not None
    for drawn in sampled(question, 30):
        began = Counter(drawn.cards[question.emperor])
        assert began["E"] == 1
        assert began[question.called] >= 3
        assert drawn.called == question.called


def test_a_secret_guard_may_be_anybody_who_may_be_or_nobody():
    """At the first answer to the first lead three seats (33 or 34 cards) may hold `G`, or the
    emperor (33 beside `E`, less what he led): about a quarter each; 400 draws lie within 4 sigma.
    """
    question = until(rules("jingji"), follower, quiet)
    found = Counter(drawn.guard for drawn in sampled(question, 400))
    others = {0, 1, 2, 3, 4} - {question.seat, question.emperor}
    assert set(found) == others | {-1}
    assert all(65 <= count <= 135 for count in found.values()), found
    assert all((d.solo == "hidden") == (d.guard == -1) for d in sampled(question, 400))


def test_plain_cards_are_dealt_evenly():
    """Each of n unseen twos lies with a seat by its share of the unseen places: the mean of 400
    draws of a hand's twos lies within 4 sigma of it, sigma below sqrt(n/4 * 3/4 / 400)."""
    question = until(rules("jingji"), follower, quiet)
    assert all("2" not in answer for _, answer in question.history)
    own = sum(card[0] == "2" for card in question.cards[question.seat])
    sizes = question.hand_sizes()
    places = sum(sizes) - sizes[question.seat] - 1  # `E` is where it is
    for seat in {0, 1, 2, 3, 4} - {question.seat}:
        free = sizes[seat] - (seat == question.emperor)
        twos = [sum(c[0] == "2" for c in d.cards[seat]) for d in sampled(question, 400)]
        mean = (16 - own) * free / places
        assert abs(sum(twos) / 400 - mean) < 4 * ((16 - own) * 3 / 16 / 400) ** 0.5


def test_who_rebelled_is_no_guard():
    ruleset = rules("lianzhong-simple", open_guard=False)
    question = until(
        ruleset,
        lambda state: follower(state) and len(state.rebels) == 1,
        lambda state: quiet(state) if state.rebels or "rebel" not in state.legal else "rebel",
    )
    (rebel,) = question.rebels
    assert all(drawn.guard != rebel for drawn in sampled(question, 60))


def test_no_solo_is_left_when_two_others_are_out():
    """By lianzhong scores a solo would be settled (rules.md 3.7)."""
    question = until(
        rules("lianzhong-simple"),
        lambda s: len(s.out) == 2 and s.emperor not in s.out and not s.guard_public
        and s.role(s.seat) == "rebel",
        quiet,
    )  # fmt: skip
    assert question.solo is None
    assert all(drawn.solo is None for drawn in sampled(question, 60))


def test_a_guard_who_laid_his_card_has_no_other_of_its_kind():
    """It goes last: who laid `G` has no small joker left."""
    question = until(
        rules("jingji"),
        lambda s: s.guard_public and s.factor == 1 and s.role(s.seat) == "rebel",
        lambda state: None if state.phase == "play" else quiet(state),
    )
    for drawn in sampled(question, 60):
        assert drawn.guard == question.guard
        assert {"x", "G"}.isdisjoint(View(drawn, drawn.guard)["hand"].split())


def test_who_threw_the_throne_away_is_the_guard():
    question = until(
        rules("jingji", rebellion=False),
        lambda state: follower(state) and state.history[0][1] == "yield",
        lambda state: "yield" if state.offers == 0 else quiet(state),
        deals=2000,
    )
    thrower = question.history[0][0]
    assert all(drawn.guard == thrower for drawn in sampled(question, 20))


def test_gifts_lie_with_the_emperor():
    """Three refused, two of them with a gift: he has two twos at least."""
    question = until(
        rules("wuren"),
        lambda s: follower(s) and s.offers == 3 and not any("2" in a for _, a in s.history),
        lambda state: (
            ("yield" if state.offers < 3 else "accept") if state.phase == "throne" else quiet(state)
        ),
    )
    for drawn in sampled(question, 30):
        assert sum(card[0] == "2" for card in drawn.cards[question.emperor]) >= 2


def test_who_is_asked_to_take_the_throne_passes_its_gifts_on():
    ruleset = rules("lianzhong-simple")
    question = until(ruleset, lambda state: state.offers == 3, lambda state: "yield")
    drawn = sample_state(ruleset, asked_view(question), lots_of())
    giver = drawn.seat
    before = drawn.hand_sizes()
    drawn.apply("yield")
    assert drawn.hand_sizes()[giver] == before[giver] - 4  # `E`, two gifts and its own
