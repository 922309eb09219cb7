"""contract.md 4 and rules.md 3.4: what a seat sees, and that it sees nothing else.

Two ways to look for leaks. One changes what others hold under the view's nose. The other deals
other hands from the start, plays the same public answers, and compares what the seat is shown and
asked all the way.
"""

import json

import pytest
from hypothesis import given

from baohuang.engine import PRESETS, DealState, Draw, Match, View, new_deal
from baohuang.engine import match as match_module
from baohuang.engine.deal import Dealt
from baohuang.engine.view import view_json

from .board import asked, plain, position, rules, say
from .strategies import keys, law, rule_sets, seeds
from .walk import key_of, random_match

FIELDS = ["seat", "phase", "hand", "role", "public", "trick", "history", "legal", "fallback"]
PUBLIC = [
    *("emperor", "guard", "solo", "called", "factor", "rebels"),
    *("hand_sizes", "places", "scores"),
]


def seen(state, seat):
    """The whole view as bytes."""
    return json.dumps(view_json(View(state, seat)), sort_keys=True).encode()


# -- fields -------------------------------------------------------------------------------------


def test_4_the_contracts_example_field_by_field():
    """A rebel, seat 2, is asked to beat 55: emperor 1, the guard unknown."""
    hands = ("9C 9D", "5C 5D 6C E", "7C 7D 8S x", "TC TD", "3C 3D G")
    ruleset = rules("lianzhong-simple", low_rank=3, rebellion=False)
    state = say(position(ruleset, *hands), "1 accept", "4 silent", "1 55")
    assert json.loads(seen(state, 2)) == {
        "seat": 2,
        "phase": "play",
        "hand": "7C 7D 8S x",
        "role": "rebel",
        "public": {
            "emperor": 1,
            "guard": None,
            "solo": None,
            "called": None,
            "factor": 1,
            "rebels": [],
            "hand_sizes": [2, 2, 4, 2, 3],
            "places": [0, 0, 0, 0, 0],
            "scores": [0, 0, 0, 0, 0],
        },
        "trick": {"leader": 1, "to_beat": "55", "by": 1, "passed": []},
        "history": [
            *([1, "accept"], [2, "silent"], [3, "silent"], [4, "silent"], [0, "silent"]),
            [1, "55"],
        ],
        "legal": ["pass", "77", "7x", "8x"],
        "fallback": "pass",
    }


@pytest.mark.parametrize("preset", PRESETS)
def test_4_a_match_gives_every_field_of_a_decide_request(preset):
    match = Match(PRESETS[preset], key_of("fields", preset), 3)
    lots, turns = Draw(key_of("fields"), "walk"), []
    while not match.over:
        view = match.view()
        assert list(view) == ["deal", "deals", "turn", "seat", "rules", *FIELDS[1:]]
        assert list(view["public"]) == PUBLIC
        assert (view["deal"], view["deals"], view["seat"]) == (match.deal, 3, match.seat)
        assert view["rules"] == PRESETS[preset].to_json()
        assert view["public"]["scores"] == match.totals
        assert view["legal"] == list(match.legal)
        assert view["fallback"] == match.fallback
        assert json.loads(json.dumps(view))["legal"] == view["legal"]
        turns.append(view["turn"])
        match.answer(lots.choice(match.legal))
    assert turns == sorted(set(turns))
    assert turns[0] >= 1


def test_4_the_lazy_view_and_the_whole_one_are_equal():
    match = Match(PRESETS["biesan"], key_of("lazy"), 1)
    while not match.over:
        lazy, whole = match.look(), match.view()
        assert sorted(lazy) == sorted(FIELDS)
        assert {name: lazy[name] for name in FIELDS} == {name: whole[name] for name in FIELDS}
        match.answer(match.fallback)


def test_4_only_the_seat_that_is_asked_sees_its_answers():
    state = say(plain("7C 8C E", "8D 9C G", "9D", "TC", "JC"), "0 7")
    assert (View(state, 1)["legal"], View(state, 1)["fallback"]) == (list(state.legal), "pass")
    for seat in (0, 2, 3, 4):
        assert (View(state, seat)["legal"], View(state, seat)["fallback"]) == ([], None)


def test_4_roles():
    state = position(rules(), "7C E", "8C G", "9C", "TC", "JC")
    assert [View(state, seat)["role"] for seat in range(5)] == [None] * 5
    say(state, "0 accept")
    expected = ["emperor", "guard", "rebel", "rebel", "rebel"]
    assert [View(state, seat)["role"] for seat in range(5)] == expected


@pytest.mark.parametrize("preset", PRESETS)
def test_4_a_hand_shrinks_by_what_is_played(preset):
    state, lots = new_deal(PRESETS[preset], key_of("hand", preset)), Draw(key_of("hand"), "walk")
    while state.legal:
        sizes = [len(View(state, seat)["hand"].split()) for seat in range(5)]
        assert sizes == state.hand_sizes()
        state.apply(lots.choice(state.legal))


# -- nothing of the others: cards exchanged under the view --------------------------------------


def exchanged(state, seat, lots):
    """The state with one held card exchanged between two seats other than `seat`; None if equal.

    Only what is hidden moves: roles stay, so a guard's own card stays where it is.
    """
    others = [s for s in range(5) if s != seat]
    one = others.pop(lots.below(4))
    two = others.pop(lots.below(3))
    twin = state.copy()
    twin.lanes = [None] * 5
    if not state.hands:
        if not twin.cards[one] or not twin.cards[two]:
            return None
        i, j = lots.below(len(twin.cards[one])), lots.below(len(twin.cards[two]))
        a, b = twin.cards[one][i], twin.cards[two][j]
        twin.cards[one][i], twin.cards[two][j] = b, a
        return twin
    lanes = state.combinations.lane
    pairs = [
        (a, b)
        for a in lanes
        for b in lanes
        if a != b and state.combinations.count(state.hands[one], a)
        if state.combinations.count(state.hands[two], b)
    ]
    if not pairs:
        return None
    a, b = pairs[lots.below(len(pairs))]
    twin.hands[one] += (1 << lanes[b]) - (1 << lanes[a])
    twin.hands[two] += (1 << lanes[a]) - (1 << lanes[b])
    return twin


@given(rule_sets(), keys, seeds)
@law(60)
def test_4_a_view_does_not_hang_on_what_others_hold(ruleset, key, seed):
    state, lots, compared = new_deal(ruleset, key), Draw(key_of(seed), "laws"), 0
    while state.result is None:
        if state.phase != "play" or lots.below(8) == 0:
            for seat in range(5):
                twin = exchanged(state, seat, lots)
                if twin is not None:
                    assert seen(twin, seat) == seen(state, seat)
                    compared += 1
        state.apply(lots.choice(state.legal))
    assert compared


# -- nothing of the others: other hands, the same public answers --------------------------------


def follow(hands, ruleset, offered, history):
    """A deal of other hands led along public answers; None when they cannot have been given."""
    state = DealState(ruleset, hands, offered)
    while len(state.history) < len(history) and state.result is None:
        if state.history != history[: len(state.history)]:
            return None
        seat, answer = history[len(state.history)]
        if state.legal == ("hidden", "open") and state.seat != seat:
            answer = "hidden"  # says nothing, so it stands in no history
        elif state.legal == ("hidden", "open") and answer not in state.legal:
            answer = "hidden"
        elif state.seat != seat or answer not in state.legal:
            return None
        state.apply(answer)
    return state if state.history == history else None


def known(state, seat):
    """What the seat may know and other hands may change: gifts, sizes, who is public."""
    shown = state.guard if state.guard_public else None
    own = sorted(state.cards[seat]), state.role(seat)
    return own, state.hand_sizes(), shown, state.solo if state.solo_public else None


def others_swap(hands, seat, lots):
    """Hands with up to three cards exchanged between seats other than `seat`; not the `E`."""
    twins = [list(hand) for hand in hands]
    for _ in range(1 + lots.below(3)):
        one, two = (s for s in _two_of([s for s in range(5) if s != seat], lots))
        i, j = lots.below(len(twins[one])), lots.below(len(twins[two]))
        if "E" not in (twins[one][i], twins[two][j]):
            twins[one][i], twins[two][j] = twins[two][j], twins[one][i]
    return twins


def _two_of(items, lots):
    one = items.pop(lots.below(len(items)))
    return one, items.pop(lots.below(len(items)))


@given(rule_sets(), keys, seeds)
@law(60)
def test_4_a_seat_is_shown_and_asked_the_same_whatever_others_were_dealt(ruleset, key, seed):
    """At the seat's own questions, as long as the other hands allow the same public answers."""
    lots = Draw(key_of(seed), "laws")
    state = new_deal(ruleset, key)
    start = [[card for card in hand if card != "E"] for hand in state.cards]
    if not ruleset.aside:
        start[state.offered].append("E")
    seat = lots.below(5)
    questions = []
    while state.result is None:
        if state.seat == seat and len(state.history) < 60:
            questions.append((state.copy(), seen(state, seat)))
        state.apply(lots.choice(state.legal))
    for before, view in questions[:3] + questions[-3:]:
        twin = follow(others_swap(start, seat, lots), ruleset, before.offered, before.history)
        if twin is not None and known(twin, seat) == known(before, seat):
            assert seen(twin, seat) == view


# -- a guard exchanged for a hidden solo --------------------------------------------------------

CALLED = ("9C 9C 9C TC KC E", "8C QC JH", "7C 7D JD", "9C AC TD", "JC QD")
CALLED_SOLO = ("9C 9C 9C 9C KC E", "8C QC JH", "7C 7D JD", "TC AC TD", "JC QD")
MARKED = ("9C 9C TC E", "8C QC JH", "7C 7D JD", "G AC TD", "JC QD")
MARKED_SOLO = ("9C 9C G E", "8C QC JH", "7C 7D JD", "TC AC TD", "JC QD")

SAME = [
    ("lianzhong-classic", CALLED, CALLED_SOLO, {}),
    ("lianzhong-classic", CALLED, CALLED_SOLO, {"rebellion": True}),
    ("lianzhong-classic", CALLED, CALLED_SOLO, {"grab": False}),
    ("wuren", CALLED, CALLED_SOLO, {}),
    ("baike", CALLED, CALLED_SOLO, {}),
    ("baike", CALLED, CALLED_SOLO, {"open_guard": True}),
    ("biesan", CALLED, CALLED_SOLO, {}),
    ("biesan", CALLED, CALLED_SOLO, {"open_guard": False}),
    ("lianzhong-simple", MARKED, MARKED_SOLO, {}),
    ("lianzhong-simple", MARKED, MARKED_SOLO, {"rebellion": False}),
    ("lianzhong-simple", MARKED, MARKED_SOLO, {"open_guard": False}),
    ("lianzhong-simple", MARKED, MARKED_SOLO, {"grab": True}),
    ("jingji", MARKED, MARKED_SOLO, {}),
]
IDS = [f"{preset} {options}" for preset, _, _, options in SAME]


def quietly(match):
    """The throne is taken, a card called, nothing said; passes and low leads in play."""
    while not match.over:
        for answer in ("accept", "call 9C", "hidden", "silent", match.fallback):
            if answer in match.legal:
                yield answer
                break


def dealt_as(monkeypatch, ruleset, hands, deals=1):
    """A match that is dealt these hands."""
    cards = tuple(tuple(hand.replace(" E", "").split()) for hand in hands)
    if not ruleset.aside:
        cards = ((*cards[0], "E"), *cards[1:])
    aside = "E" if ruleset.aside else None
    monkeypatch.setattr(match_module, "deal", lambda *_: Dealt(cards, aside, 0))
    return Match(ruleset, bytes(32), deals)


@pytest.mark.parametrize(("preset", "guard", "solo", "options"), SAME, ids=IDS)
def test_4_a_hidden_solo_looks_like_a_deal_with_a_guard(monkeypatch, preset, guard, solo, options):
    """Seats 1, 2 and 4 hold the same cards in both deals: what they are asked and shown is equal.

    Whole requests are compared, so a counter that tells who had a choice is a leak too.
    """
    ruleset = rules(preset, **options)
    shown = []
    for hands in (guard, solo):
        match = dealt_as(monkeypatch, ruleset, hands)
        views = []
        for answer in quietly(match):
            if match.seat in (1, 2, 4):
                views.append((list(match.state.history), match.phase, json.dumps(match.view())))
            match.answer(answer)
        shown.append(views)
    phases = []
    for one, two in zip(*shown, strict=False):
        if one[0] != two[0]:
            break  # by now somebody has said or played what he could not in the other deal
        phases.append(one[1])
        assert one == two
    assert "play" in phases


@pytest.mark.parametrize(("preset", "guard", "solo", "options"), SAME, ids=IDS)
def test_4_nobody_but_the_two_sees_a_difference_at_the_first_lead(preset, guard, solo, options):
    ruleset = rules(preset, **options)
    states = []
    for hands in (guard, solo):
        if ruleset.aside:
            hands = tuple(hand.replace(" E", "") for hand in hands)
        state = position(ruleset, *hands, offered=0)
        while state.phase != "play":
            choices = ("accept", "call 9C", "hidden", "silent")
            state.apply(next(answer for answer in choices if answer in state.legal))
        states.append(state)
    assert [state.solo for state in states] == [None, "hidden"]
    for seat in (1, 2, 4):
        assert seen(states[0], seat) == seen(states[1], seat)


def test_4_a_lone_rebel_in_a_hidden_solo_learns_nothing():
    """Failed rebellion: the round goes round again in both deals, and nothing more is shown."""
    states = []
    for hands in (MARKED, MARKED_SOLO):
        state = say(position(rules(), *hands), "0 accept")
        while state.phase != "play":
            choices = ("hidden", "rebel" if state.seat == 2 else "silent")
            state.apply(next(answer for answer in choices if answer in state.legal))
        states.append(state)
    assert [answer for _, answer in states[0].history].count("rebel") == 1
    for seat in (1, 2, 4):
        assert seen(states[0], seat) == seen(states[1], seat)


def test_4_hidden_stands_in_no_history_that_is_shown():
    state = say(position(rules("jingji"), *MARKED_SOLO), "0 accept", "0 hidden")
    for seat in range(5):
        assert "hidden" not in seen(state, seat).decode()


def test_4_a_forced_pass_cannot_be_told_from_a_chosen_one():
    """3 holds an ace and passes, or holds nothing: the next lead shows the same."""
    views = []
    for third in ("AC AD", "8C 8D"):
        state = plain("QC KC E", "7C 7D G", "JC JD", third, "8H 8S")
        say(state, "0 K")
        if state.seat == 1:
            say(state, "1 pass")
        if state.seat == 3:
            say(state, "3 pass")
        assert asked(state)[0] == 0
        views.append(seen(state, 0))
    assert views[0] == views[1]


# -- keys and hands -----------------------------------------------------------------------------


@pytest.mark.parametrize("preset", PRESETS)
def test_4_no_key_and_no_other_hand_in_any_request(preset):
    key = key_of("secret", preset)
    match, lots = Match(PRESETS[preset], key, 2), Draw(key_of("secret"), "walk")
    while not match.over:
        text = json.dumps(match.view())
        assert key.hex() not in text
        assert repr(key) not in text
        for seat in range(5):
            hand = View(match.state, seat)["hand"]
            if seat != match.seat and len(hand) > 12:
                assert hand not in text
        match.answer(lots.choice(match.legal))


def test_4_a_match_does_not_print_its_key():
    key = key_of("repr")
    match = random_match(PRESETS["jingji"], key, 1)
    for text in (repr(match), str(match), repr(match.look()), repr(match.state)):
        assert key.hex() not in text
        assert repr(key) not in text
