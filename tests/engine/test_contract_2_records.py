"""contract.md 2: what a record holds, what verify accepts, and that it refuses everything else."""

import copy
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baohuang.engine import PRESETS, Match, RecordError, pairing, replay, rule_set, verify
from baohuang.engine.draw import commitment

from .strategies import law, seeds
from .test_laws import busy_match
from .walk import Draw, key_of, random_match

SEATS = ["ann", "bo", "cy", "di", "ed"]
KEY = key_of("record")
TOP = ["format", "match", "rules", "seats", "draw", "deals", "totals", "penalties"]
DEAL = [
    *("number", "attempt", "first", "offered", "hands", "aside", "tribute", "answers", "emperor"),
    *("guard", "solo", "called", "factor", "places", "scores", "result"),
]


@pytest.fixture(scope="module", params=list(PRESETS))
def record(request):
    """A finished match of three deals with a server's answer here and there."""
    match = random_match(PRESETS[request.param], key_of("record", request.param), 3, absent=9)
    return json.loads(json.dumps(match.record(SEATS, "m-1")))


@pytest.fixture(scope="module")
def one():
    """One record for what does not hang on the preset; somebody scored in it."""
    for number in range(100):
        match = random_match(PRESETS["wuren"], key_of("one", number), 3, absent=9)
        if any(deal["tribute"] for deal in match.deals_done):
            return json.loads(json.dumps(match.record(SEATS)))
    raise AssertionError("no deal owed a tribute")


def refused(record, path=None):
    """verify raises RecordError with a path, and nothing else whatever it is given."""
    with pytest.raises(RecordError) as caught:
        verify(record)
    assert isinstance(caught.value.path, str)
    assert caught.value.path
    assert len(str(caught.value)) < 1000
    if path is not None:
        assert caught.value.path.startswith(path), caught.value
    return caught.value


def changed(record, *steps):
    """A copy with the value at `steps[:-1]` set to `steps[-1]`; the original stays as it is."""
    step, *rest = steps
    twin = copy.copy(record)
    twin[step] = changed(record[step], *rest) if len(rest) > 1 else rest[0]
    return twin


# -- what is in it ------------------------------------------------------------------------------


def test_2_fields(record):
    assert list(record) == TOP
    assert record["format"] == "baohuang-record/1"
    assert (record["match"], record["seats"]) == ("m-1", SEATS)
    assert list(record["draw"]) == ["scheme", "commitment", "key"]
    assert record["draw"]["scheme"] == "draw-v1"
    key = bytes.fromhex(record["draw"]["key"])
    assert record["draw"]["commitment"] == commitment(key)
    for entry in record["deals"]:
        assert list(entry) == DEAL
    verify(record)


def test_2_every_option_is_there_resolved(record):
    preset = record["rules"]["preset"]
    assert record["rules"] == PRESETS[preset].to_json()


def test_2_totals_are_the_sums_of_scores(record):
    for seat in range(5):
        assert record["totals"][seat] == sum(deal["scores"][seat] for deal in record["deals"])
    assert record["penalties"] == [0] * 5


def test_2_answers_of_the_server_are_marked(record):
    answers = [answer for deal in record["deals"] for answer in deal["answers"]]
    assert {len(answer) for answer in answers} == {2, 3}
    assert all(answer[2] == "auto" for answer in answers if len(answer) == 3)


def test_2_the_key_is_null_until_the_reveal():
    match = random_match(PRESETS["biesan"], KEY, 2)
    hidden = match.record(SEATS, reveal=False)
    assert hidden["draw"]["key"] is None
    assert KEY.hex() not in json.dumps(hidden)
    verify(json.loads(json.dumps(hidden)))
    assert hidden["draw"]["commitment"] == match.record(SEATS)["draw"]["commitment"]


def test_2_a_redeal_is_an_entry_of_its_own():
    match = Match(PRESETS["biesan"], KEY, 1)
    while not match.deals_done:
        match.answer("yield" if match.attempt == 1 else match.fallback)
    while not match.over:
        match.answer("accept" if "accept" in match.legal else match.fallback)
    entries = match.record(SEATS)["deals"]
    assert [(e["number"], e["attempt"]) for e in entries][:2] == [(1, 1), (1, 2)]
    assert entries[0]["result"] == "redeal"
    verify(match.record(SEATS))


def test_2_an_abdicated_deal():
    """rules.md 8, details: the thrower as emperor, solo hidden, no guard, no places."""
    for number in range(400):
        match = Match(PRESETS["jingji"], key_of("abdicate", number), 2)
        while match.phase == "throne" and match.deal == 1:
            match.answer("yield")
        if match.deal == 2:
            break
    (entry,) = match.deals_done
    thrower = entry["offered"]
    assert entry["result"] == "abdicated"
    assert (entry["emperor"], entry["guard"], entry["solo"]) == (thrower, None, "hidden")
    assert entry["places"] is None
    assert entry["scores"] == tuple(-16 if seat == thrower else 4 for seat in range(5))
    while not match.over:
        match.answer("accept" if "accept" in match.legal else match.fallback)
    assert match.deals_done[1]["first"] == thrower
    verify(json.loads(json.dumps(match.record(SEATS))))


def test_2_replay_gives_the_state(record):
    ruleset = PRESETS[record["rules"]["preset"]]
    for entry in record["deals"]:
        state = replay(ruleset, entry)
        assert state.result in (entry["result"], "redeal", "scored")
        assert [state.emperor, state.guard] == [
            -1 if entry[role] is None else entry[role] for role in ("emperor", "guard")
        ]


# -- a single change ----------------------------------------------------------------------------


def test_2_every_answer_changed_into_another_is_refused(record):
    """Each in turn becomes another play, another seat's, or goes: the next one stands at odds."""
    for d, entry in enumerate(record["deals"]):
        for a in range(d, len(entry["answers"]), 11):
            seat, answer, *auto = entry["answers"][a]
            path = f"deals[{d}]"
            refused(changed(record, "deals", d, "answers", a, [seat, "XXXXXXXXXX", *auto]), path)
            refused(changed(record, "deals", d, "answers", a, [(seat + 1) % 5, answer]), path)
            refused(changed(record, "deals", d, "answers", a, [seat, answer + " "]), path)
            refused(changed(record, "deals", d, "answers", a, [seat, answer.upper() + "!"]), path)


def test_2_an_answer_changed_into_another_legal_one_is_refused_or_a_deal_of_the_same_end(record):
    """A different game mostly breaks the rest of the record. Where it does not, it is another
    possible game with the same roles, places and scores, which no checker can tell apart.
    """
    ruleset, tried, refusals = PRESETS[record["rules"]["preset"]], 0, 0
    for d, entry in enumerate(record["deals"]):
        state = replay(ruleset, entry | {"answers": []})
        for a, (seat, answer, *_) in enumerate(entry["answers"]):
            if a % 5 == 0 or state.phase != "play":
                other = next(text for text in state.legal if text != answer)
                twin = changed(record, "deals", d, "answers", a, [seat, other])
                tried += 1
                try:
                    verify(twin)
                except RecordError as error:
                    refusals += error.path.startswith(f"deals[{d}]")
                else:
                    tells_the_same(ruleset, twin["deals"][d], entry)
                    refusals += 1
            state.apply(answer)
    assert refusals == tried


def tells_the_same(ruleset, other, entry):
    """Two entries of one deal end alike when they are played."""
    one, two = (replay(ruleset, played) for played in (other, entry))
    assert (one.result, one.emperor, one.guard) == (two.result, two.emperor, two.guard)
    assert (one.solo, one.called, one.factor) == (two.solo, two.called, two.factor)
    assert one.outcome() == two.outcome()
    assert len(other["answers"]) == len(entry["answers"])


@pytest.mark.parametrize("where", ["first", "middle", "last"])
def test_2_an_answer_more_or_less_is_refused(record, where):
    for d, entry in enumerate(record["deals"]):
        if not entry["answers"]:
            continue
        a = {"first": 0, "middle": len(entry["answers"]) // 2, "last": -1}[where]
        twin = copy.deepcopy(record)
        del twin["deals"][d]["answers"][a]
        refused(twin, f"deals[{d}]")
        twin = copy.deepcopy(record)
        twin["deals"][d]["answers"].insert(a, entry["answers"][a])
        refused(twin, f"deals[{d}]")
        twin = copy.deepcopy(record)
        twin["deals"][d]["answers"].append(entry["answers"][-1])
        refused(twin, f"deals[{d}].answers[{len(entry['answers'])}]")


def test_2_an_exchanged_card_is_refused(record):
    for d, entry in enumerate(record["deals"]):
        for seat in range(5):
            cards = entry["hands"][seat].split()
            for other in (cards[1:], [*cards, "9C"], [*cards[:-1], "9C"], cards[::-1], []):
                twin = changed(record, "deals", d, "hands", seat, " ".join(other))
                if " ".join(other) != entry["hands"][seat]:
                    refused(twin, f"deals[{d}].hands")
        swapped = [entry["hands"][1], entry["hands"][0], *entry["hands"][2:]]
        refused(changed(record, "deals", d, "hands", swapped), f"deals[{d}].hands")


def test_2_an_exchanged_card_is_refused_without_the_key_too(record):
    hidden = changed(record, "draw", "key", None)
    verify(hidden)
    for d, entry in enumerate(record["deals"]):
        cards = entry["hands"][0].split()
        for other in (cards[1:], [*cards, "9C"], [*cards[:-1], cards[-2]], ["X"] * 34):
            refused(changed(hidden, "deals", d, "hands", 0, " ".join(other)), f"deals[{d}].hands")


@pytest.mark.parametrize("seat", range(5))
@pytest.mark.parametrize("by", [1, -1, 1000])
def test_2_scores_places_totals(record, seat, by):
    for d, entry in enumerate(record["deals"]):
        scores = entry["scores"]
        refused(
            changed(record, "deals", d, "scores", seat, scores[seat] + by), f"deals[{d}].scores"
        )
        if entry["places"]:
            place = entry["places"][seat]
            refused(changed(record, "deals", d, "places", seat, place + by), f"deals[{d}].places")
    refused(changed(record, "totals", seat, record["totals"][seat] + by), "totals")


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("number", [0, 2, 7, -1, "1", 1.0, None, True]),
        ("attempt", [0, 2, 3, "1", True, None]),
        ("first", [1, 4, 5, -1, "0", None, False]),
        ("offered", [-1, 5, "0", None, 0.0, True]),
        ("aside", ["E", "X", "", False, 0]),
        ("tribute", [[[0, 1, "X"]], {}, None, [[0, 1]], [0], ""]),
        ("emperor", [5, -1, "0", None, True]),
        ("guard", [5, -1, "0", True, []]),
        ("solo", ["hidden", "open", "", False, 0]),
        ("called", ["9C", "3D", "", 0]),
        ("factor", [0, 3, 8, -1, 1.0, 2.0, "1", True, None]),
        ("result", ["redeal", "uncounted", "abdicated", "", None, 0, "Scored"]),
        ("places", [[1, 2, 3, 4], [1, 1, 1, 1, 1], {}, "12345", []]),
        ("scores", [[0, 0, 0, 0], {}, "0", [0, 0, 0, 0, 0, 0], None]),
        ("hands", [[], {}, None, "3C", ["3C"] * 5, ["3C"] * 4, [None] * 5]),
        ("answers", [[], {}, None, "pass", [[0]], [[]], [0], [["0", "pass"]], [[0, 0]]]),
    ],
)
def test_2_every_field_of_a_deal(record, name, values):
    for value in values:
        given_ = record["deals"][0][name]
        if type(value) is not type(given_) or value != given_:
            refused(changed(record, "deals", 0, name, value), "deals[0]")


@pytest.mark.parametrize("name", DEAL)
def test_2_a_field_of_a_deal_missing(record, name):
    twin = copy.deepcopy(record)
    del twin["deals"][1][name]
    if name == "offered":
        verify(twin)  # it follows from the draw
    else:
        refused(twin, "deals[1]")


@pytest.mark.parametrize("name", TOP)
def test_2_a_field_missing(record, name):
    twin = copy.deepcopy(record)
    del twin[name]
    refused(twin, f"record.{name}")


@pytest.mark.parametrize("name", ["", "Format", "note", "deals "])
def test_2_a_field_more(record, name):
    refused(record | {name: None}, "record")
    refused(changed(record, "draw", name, None), "draw")
    refused(changed(record, "deals", 0, name, None), "deals[0]")
    refused(changed(record, "rules", name, None), "rules")
    refused(changed(record, "rules", "options", name, None), "rules.options")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("format", "baohuang-record/2"), ("format", None), ("format", 1), ("match", 3),
        ("match", ["m"]), ("seats", SEATS[:4]), ("seats", [*SEATS, "fy"]),
        ("seats", [1, 2, 3, 4, 5]), ("seats", "abcde"), ("seats", None), ("deals", []),
        ("deals", {}), ("deals", None),
        ("deals", [None]), ("deals", [[]]), ("totals", [0] * 4), ("totals", None), ("totals", "0"),
        ("penalties", [0] * 4), ("penalties", [0, 0, 0, 0, -39]), ("penalties", [40, 0, 0, 0, 0]),
        ("penalties", [0, 0, 0, 0, 0.0]), ("penalties", [0, 0, 0, 0, None]), ("penalties", {}),
        ("penalties", [False, 0, 0, 0, 0]), ("penalties", ["-40", 0, 0, 0, 0]), ("draw", None),
        ("draw", []), ("rules", None), ("rules", []), ("rules", "wuren"),
        ("penalties", [10**5000, 0, 0, 0, 0]),
    ],
)  # fmt: skip
def test_2_every_field_of_the_top(one, path, value):
    refused(changed(one, path, value), path)


def test_2_a_desertion_penalty_where_leaving_was_possible_is_believed(one):
    """A record does not say when somebody left; only the amount can be checked."""
    verify(changed(one, "penalties", 2, -40))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("scheme", value) for value in ("draw-v2", "", None, 1)),
        *(("commitment", value) for value in ("", "00" * 32, None, 0, [])),
        *(("key", value) for value in ("", "00" * 32, "zz" * 32, "00" * 31, 0, [], KEY.hex()[:-1])),
        ("key", KEY.hex().upper()),
        ("key", " ".join(KEY.hex()[i : i + 2] for i in range(0, 64, 2))),
        ("key", KEY.hex() + " "),
        ("key", "\u0660" * 64),
        ("key", "0" * 10**6),
    ],
)
def test_2_every_field_of_the_draw(one, name, value):
    refused(changed(one, "draw", name, value), "draw")


@pytest.mark.parametrize("bit", [0, 1, 7, 100, 255])
def test_2_a_bit_of_the_key_or_of_the_commitment(one, bit):
    for name in ("key", "commitment"):
        flipped = int(one["draw"][name], 16) ^ (1 << bit)
        refused(changed(one, "draw", name, f"{flipped:064x}"), "draw")


@pytest.mark.parametrize("value", ["", None, 0, [], "00" * 31, "GG" * 32])
def test_2_a_commitment_must_be_one_without_the_key_too(one, value):
    twin = changed(one, "draw", "key", None)
    refused(changed(twin, "draw", "commitment", value), "draw.commitment")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("low_rank", 6), ("aside", False), ("guard", "marked"), ("callable", None),
        ("called_trump", True), ("scores", "biesan"), ("tribute", False), ("tribute_jokers", None),
        ("roast", 1), ("kick", True), ("autoplay_limit", 0), ("autoplay_limit", "3"),
        ("desertion_penalty", 40.0), ("heir", "nobody"), ("grab", True), ("direction", ""),
    ],
)  # fmt: skip
def test_2_an_option_of_the_rules(one, option, value):
    """Refused where it changes the game or is no value; some change nothing and cannot be seen."""
    refused(changed(one, "rules", "options", option, value))


@pytest.mark.parametrize("option", list(PRESETS["wuren"].to_json()["options"]))
def test_2_an_option_missing(one, option):
    twin = copy.deepcopy(one)
    del twin["rules"]["options"][option]
    refused(twin, "rules.options")


@pytest.mark.parametrize("preset", ["", "weihai", None, 3, []])
def test_2_an_unknown_preset(one, preset):
    refused(changed(one, "rules", "preset", preset), "rules")


def test_2_a_tribute_more_less_or_other(one):
    at = next(d for d, deal in enumerate(one["deals"]) if deal["tribute"])
    gifts = one["deals"][at]["tribute"]
    giver, taker, card = gifts[0]
    for other in (
        gifts[1:], gifts + gifts[:1], gifts[::-1], [[giver, taker, "3C"], *gifts[1:]],
        [[giver, (taker + 1) % 5, card], *gifts[1:]], [[giver, taker], *gifts[1:]],
        [[giver, taker, card, 1], *gifts[1:]], [None, *gifts[1:]], [],
    ):  # fmt: skip
        refused(changed(one, "deals", at, "tribute", other), f"deals[{at}].tribute")


# -- the mark of the server ---------------------------------------------------------------------


def test_2_the_mark_on_an_answer_that_autoplay_would_not_give(one):
    """`auto` on anything but the fallback is a lie."""
    ruleset, found = PRESETS["wuren"], 0
    for d, entry in enumerate(one["deals"]):
        state = replay(ruleset, entry | {"answers": []})
        for a, (seat, answer, *_) in enumerate(entry["answers"]):
            if answer != state.fallback and found < 40:
                found += 1
                twin = changed(one, "deals", d, "answers", a, [seat, answer, "auto"])
                refused(twin, f"deals[{d}].answers[{a}]")
            state.apply(answer)
    assert found == 40


@pytest.mark.parametrize("mark", ["Auto", "", None, True, 1, [], "auto "])
def test_2_no_other_mark(one, mark):
    seat, answer, *_ = one["deals"][0]["answers"][0]
    refused(changed(one, "deals", 0, "answers", 0, [seat, answer, mark]), "deals[0].answers[0]")
    refused(changed(one, "deals", 0, "answers", 0, [seat, answer, "auto", mark]), "deals[0]")


def test_2_no_answer_of_its_own_after_more_than_three_of_the_server():
    match = Match(PRESETS["lianzhong-simple"], KEY, 1)
    match.answer("accept")
    while not match.over:
        match.autoplay() if match.seat == 3 else match.answer(match.legal[0])
    record = json.loads(json.dumps(match.record(SEATS)))
    verify(record)
    mine = [a for a, answer in enumerate(record["deals"][0]["answers"]) if answer[0] == 3]
    assert len(mine) > 5
    refused(
        changed(record, "deals", 0, "answers", mine[4], record["deals"][0]["answers"][mine[4]][:2]),
        f"deals[0].answers[{mine[4]}]",
    )
    # Among the first four a mark may be missing: three are then too few to stay on autoplay.
    refused(changed(record, "deals", 0, "answers", mine[0], ["3", "pass"]))


def test_2_all_on_autoplay_must_be_uncounted():
    match = Match(PRESETS["lianzhong-simple"], KEY, 2)
    while match.deal == 1:
        match.autoplay()
    while not match.over:
        match.answer("accept" if "accept" in match.legal else match.fallback)
    record = json.loads(json.dumps(match.record(SEATS)))
    at = next(d for d, deal in enumerate(record["deals"]) if deal["result"] == "uncounted")
    verify(record)
    refused(changed(record, "deals", at, "result", "scored"), f"deals[{at}].result")


def test_2_nothing_may_follow_a_table_that_was_dissolved():
    def played(dissolves):
        match = Match(rule_set("lianzhong-simple", {"autoplay_dissolves": dissolves}), KEY, 2)
        match.answer("accept")
        while not match.over:
            match.autoplay() if match.seat == 3 else match.answer(
                "accept" if "accept" in match.legal else match.fallback
            )
        return json.loads(json.dumps(match.record(SEATS)))

    verify(played(True))
    twice = played(False)
    verify(twice)
    refused(changed(twice, "rules", "options", "autoplay_dissolves", True), "deals[")


def test_2_uncounted_where_leaving_costs_nothing():
    match = Match(rule_set("lianzhong-simple", {"desertion_penalty": 0}), KEY, 1)
    match.answer("accept")
    for seat in range(5):
        match.desert(seat)
    assert match.deals_done[-1]["result"] == "uncounted"
    verify(json.loads(json.dumps(match.record(SEATS))))


# -- deals between each other -------------------------------------------------------------------


def test_2_deals_left_out_repeated_or_out_of_order(record):
    deals = record["deals"]
    for other in (deals[1:], [*deals, deals[-1]], deals[::-1], [deals[0], *deals]):
        refused(record | {"deals": other})


def test_2_a_match_does_not_end_with_a_redeal():
    match = Match(PRESETS["biesan"], KEY, 1)
    while not match.deals_done:
        match.answer("yield")
    refused(json.loads(json.dumps(match.record(SEATS))), "deals")


def test_2_the_record_of_another_match_under_this_key(record):
    other = random_match(PRESETS[record["rules"]["preset"]], key_of("other"), 1).record(SEATS)
    refused(record | {"draw": other["draw"]}, "deals[0].hands")


def test_2_a_play_is_also_checked_by_the_search_over_pairings(one, monkeypatch):
    """The second reading has a veto of its own."""
    monkeypatch.setattr(pairing, "beats", lambda *_, **__: False)
    assert "does not beat" in str(refused(one, "deals[0].answers["))


# -- hostile ------------------------------------------------------------------------------------


def deep(depth, leaf=0):
    value = leaf
    for _ in range(depth):
        value = [value]
    return value


def deep_object(depth):
    value = {}
    for _ in range(depth):
        value = {"a": value}
    return value


HOSTILE = [
    None, True, 0, -1, 1.5, math.nan, math.inf, "", "x", "\ud800", "\0", [], {}, [[]], {"a": 1},
    10**5000, -(10**5000), "9" * 10**6, ["pass"] * 10**4, deep(900), deep(50_000),
    deep_object(50_000), {"": None}, {"format": "baohuang-record/1"}, [None] * 5, b"x", (1, 2),
    object(), {1: 2}, {None: None}, {("a",): 1}, float("-inf"), 2**63, [math.nan] * 5,
    ["\ud800"] * 5, [10**5000] * 5, [deep(900)] * 5,
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_2_hostile_values_instead_of_a_record(number):
    refused(HOSTILE[number])


PLACES = [
    *((name,) for name in TOP if name != "match"),
    *(("rules", name) for name in ("preset", "options")),
    *(("rules", "options", name) for name in ("low_rank", "grab", "heir", "autoplay_limit")),
    *(("draw", name) for name in ("scheme", "commitment")),
    *(("deals", 0, name) for name in DEAL if name != "aside"),
    ("deals", 0, "hands", 2),
    ("deals", 0, "answers", 0),
    ("deals", 0, "answers", 0, 0),
    ("deals", 0, "answers", 0, 1),
    ("deals", 0, "scores", 0),
    ("deals", 0, "places", 0),
    ("totals", 3),
    ("penalties", 3),
]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: ".".join(map(str, place)))
def test_2_hostile_values_in_every_place(one, place):
    for value in HOSTILE:
        at = one
        for step in place:
            at = at[step]
        if type(value) is type(at) and value == at:
            continue
        if place == ("seats",) and value == ["\ud800"] * 5:
            continue  # five names
        refused(changed(one, *place, value))


def test_2_a_hostile_answer_does_not_start_a_long_search(one):
    """Legality is looked up before the search over pairings; this one would take for ever."""
    d = 0
    for a, (seat, answer, *_) in enumerate(one["deals"][d]["answers"]):
        if answer == "pass":
            text = "3456789TJQKA2xX" * 1000
            refused(
                changed(one, "deals", d, "answers", a, [seat, text]), f"deals[{d}].answers[{a}]"
            )


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from([*TOP, *DEAL, "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(json_values)
@law(300)
def test_2_any_json_is_refused(value):
    refused(value)


@given(st.data(), seeds)
@law(300)
def test_2_any_one_value_replaced(data, seed):
    """A random place of a record gets a random value: RecordError, or it was the same value."""
    record = busy_record()
    place = data.draw(st.sampled_from(record[1]))
    value = data.draw(json_values)
    at = record[0]
    for step in place:
        at = at[step]
    if type(value) is type(at) and value == at:
        return
    try:
        verify(changed(record[0], *place, value))
    except RecordError:
        pass
    else:
        assert (
            place[0] in ("seats", "match", "penalties")
            or place[1] == "options"
            or (place[2] == "answers")
        )  # names, unused options, and what the tests above say of answers


_RECORDS = []


def busy_record():
    """A small record and every place in it that must not change, made once."""
    if not _RECORDS:
        match = busy_match(PRESETS["lianzhong-simple"], KEY, 1, Draw(KEY, "laws"))
        record = json.loads(json.dumps(match.record(SEATS)))
        _RECORDS.append((record, [place for place in _places(record) if place]))
    return _RECORDS[0]


def _places(value, path=()):
    yield path
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for step, inner in items:
            yield from _places(inner, (*path, step))
