"""One contract for every format of the registry, and what each of them promises."""

from collections import Counter
from dataclasses import replace

import pytest

from baohuang.engine.draw import Draw
from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.formats import FORMATS
from baohuang.engine.tournament.scheme import (
    Course,
    Finished,
    NeedsAttention,
    OptionError,
    Seated,
    State,
)

from .conftest import ids, met, seats_had

HOUSE = tuple(f"house-{k}" for k in range(1, 10))
OPTIONS = {"single_table": {"rounds": 5, "effort": 20}, "round_robin": {"rounds": 4, "effort": 50},
           "knockout": {"group_rounds": 4, "final_rounds": 2}}  # fmt: skip


def lots(number):
    return Draw(bytes(32), f"round/{number}/seats")


def state(name, entrants, options=None, **more):
    options = OPTIONS.get(name, {}) if options is None else options
    return State(tuple(entrants), FORMATS[name].options(options), lots, HOUSE, **more)


def play(name, start, most=30):
    """Rounds up to the end, and the last decision."""
    while len(start.rounds) < most:
        decision = FORMATS[name].next_round(start)
        if not isinstance(decision, Seated):
            return start.rounds, decision
        start = replace(start, rounds=(*start.rounds, decision.round), course=decision.course)
    return start.rounds, None


def entrants(n, left=None, joined=None):
    return [Entrant(x, (joined or {}).get(x, 1), (left or {}).get(x)) for x in ids(n)]


def assert_sound(rounds, field):
    """Rounds are numbered; who is active is at one table or has a bye, nobody else is seated."""
    for number, round_ in enumerate(rounds, 1):
        assert round_.number == number
        active = sorted(e.id for e in field if e.active(number))
        placed = [*(x for t in round_.tables for x in t), *round_.byes, *round_.out]
        assert sorted(x for x in placed if x not in HOUSE) == active
        assert len(set(placed)) == len(placed)
        assert all(len(table) == 5 for table in round_.tables)
        assert not set(round_.byes) & set(HOUSE)


def fields(scheme):
    return [
        n for n in (1, 4, 5, 6, 9, 11, 23) if not scheme.most_entries or n <= scheme.most_entries
    ]


@pytest.mark.parametrize("name", FORMATS)
class TestEveryFormat:
    """The contract of scheme.py."""

    def test_default_options_are_complete_and_parse_to_themselves(self, name):
        scheme = FORMATS[name]
        options = scheme.options({})
        assert set(options) == {option.name for option in scheme.known}
        assert scheme.options(options) == options

    def test_unknown_and_mistyped_options_are_refused_by_name(self, name):
        scheme = FORMATS[name]
        with pytest.raises(OptionError, match="colour: unknown"):
            scheme.options({"colour": 1})
        for option in scheme.known:
            for wrong in (None, [], 1.5, "no such word", -1, 10**9):
                with pytest.raises(OptionError, match=f"{option.name}: must be"):
                    scheme.options({option.name: wrong})

    def test_rounds_are_sound_and_as_many_as_announced(self, name):
        scheme = FORMATS[name]
        for n in fields(scheme):
            start = state(name, entrants(n))
            rounds, end = play(name, start, most=6)
            assert_sound(rounds, start.entrants)
            total = scheme.rounds_total(start.options, n)
            if total is not None and total < 6:
                assert len(rounds) == total
                assert isinstance(end, Finished)

    def test_without_its_course_the_next_round_is_the_same(self, name):
        start = state(name, entrants(7, left={"e003": 3}))
        for _ in range(3):
            decision = FORMATS[name].next_round(start)
            assert FORMATS[name].next_round(replace(start, course=None)) == decision
            start = replace(start, rounds=(*start.rounds, decision.round), course=decision.course)

    def test_the_order_of_entrants_does_not_matter(self, name):
        forward, backward = entrants(6), entrants(6)[::-1]
        assert play(name, state(name, forward), 3) == play(name, state(name, backward), 3)

    def test_everybody_gone_ends_it_with_a_reason(self, name):
        field = entrants(5, left=dict.fromkeys(ids(5), 3))
        rounds, end = play(name, state(name, field))
        assert len(rounds) == 2
        assert end == Finished("nobody is left")

    def test_leaving_and_coming_late(self, name):
        field = entrants(9, left={"e000": 2, "e001": 3, "e002": 3}, joined={"e007": 3, "e008": 4})
        rounds, _ = play(name, state(name, field), most=4)
        assert_sound(rounds, field)
        assert len(rounds) == 4

    def test_what_must_not_be_needs_attention(self, name):
        field = entrants(5)
        decision = FORMATS[name].next_round(state(name, field, forbidden=(("e000", "e001"),)))
        assert isinstance(decision, NeedsAttention)
        assert "e000 and e001" in decision.cause

    def test_forbidden_pairs_never_meet(self, name):
        never = (("e000", "e001"), ("e002", "e007"), ("e001", "e008"))
        rounds, _ = play(name, state(name, entrants(9), forbidden=never), most=3)
        times = met([r.tables for r in rounds])
        assert len(rounds) == 3
        assert [times[frozenset(pair)] for pair in never] == [0, 0, 0]

    def test_a_forbidden_pair_of_which_one_has_left_is_nobodys_business(self, name):
        field = entrants(6, left={"e001": 1})
        decision = FORMATS[name].next_round(state(name, field, forbidden=(("e000", "e001"),)))
        assert isinstance(decision, Seated)

    def test_agents_of_one_owner_are_kept_apart_where_that_can_be(self, name):
        pairs = ("e000", "e005"), ("e001", "e006")
        owner = {x: pair[0] for pair in pairs for x in pair}
        field = [replace(e, owner=owner.get(e.id)) for e in entrants(9)]
        rounds, _ = play(name, state(name, field), most=3)
        times = met([r.tables for r in rounds])
        assert len(rounds) == 3
        assert [times[frozenset(pair)] for pair in pairs] == [0, 0]

    def test_agents_of_one_owner_meet_where_it_must_be(self, name):
        field = [replace(e, owner="o") for e in entrants(5)]
        assert isinstance(FORMATS[name].next_round(state(name, field)), Seated)

    def test_lacking_house_entries_need_attention(self, name):
        start = replace(state(name, entrants(3)), house=("house-1",))
        decision = FORMATS[name].next_round(start)
        assert decision == NeedsAttention("2 house entries are needed, 1 are there")


def test_a_course_survives_storing():
    course = FORMATS["round_robin"].next_round(state("round_robin", entrants(9))).course
    assert Course.from_json(course.to_json()) == course
    with pytest.raises(ValueError, match="start"):
        Course.from_json({})


def test_single_table_of_five_has_every_seat_once_in_five_rounds():
    rounds, _ = play("single_table", state("single_table", entrants(5)))
    assert all(had == [1] * 5 for had in seats_had([r.tables for r in rounds]).values())


def test_single_table_of_seven_has_byes_and_no_house_entry():
    rounds, _ = play("single_table", state("single_table", entrants(7), {"rounds": 7}))
    out = [x for r in rounds for x in r.byes]
    assert sorted(out) == sorted(ids(7) * 2)


def test_round_robin_is_full_by_default():
    scheme = FORMATS["round_robin"]
    assert scheme.rounds_total(scheme.options({}), 25) == 6
    assert scheme.rounds_total(scheme.options({}), 23) == 6, "two house entries make 25"
    assert scheme.rounds_total(scheme.options({}), 20) == 19
    assert scheme.rounds_total(scheme.options({"fill": "bye"}), 24) == 6 * 4
    rounds, end = play("round_robin", state("round_robin", entrants(25), {}))
    assert set(met([r.tables for r in rounds]).values()) == {1}
    assert end == Finished("all 6 rounds are played")


def test_a_withdrawal_is_taken_over_by_a_house_entry_and_nothing_else_changes():
    whole, _ = play("round_robin", state("round_robin", entrants(25), {}))
    left, _ = play("round_robin", state("round_robin", entrants(25, left={"e004": 3}), {}))
    assert left[:2] == whole[:2]
    swapped = [
        tuple(tuple("house-1" if x == "e004" else x for x in table) for table in r.tables)
        for r in whole[2:]
    ]
    assert [r.tables for r in left[2:]] == swapped


def test_a_late_entry_takes_over_from_a_house_entry():
    rounds, _ = play("round_robin", state("round_robin", entrants(25, joined={"e024": 3}), {}))
    before = {x for r in rounds[:2] for table in r.tables for x in table}
    after = {x for r in rounds[2:] for table in r.tables for x in table}
    assert before - after == {"house-1"}
    assert after - before == {"e024"}
    assert max(met([r.tables for r in rounds]).values()) == 1


def test_five_withdrawals_cost_a_table():
    field = entrants(15, left=dict.fromkeys(ids(5), 3))
    rounds, _ = play("round_robin", state("round_robin", field))
    assert [len(r.tables) for r in rounds] == [3, 3, 2, 2]


def test_a_late_entry_never_brings_a_forbidden_pair_together():
    field = entrants(10, joined={"e009": 2})
    start = state("round_robin", field, {"rounds": 6}, forbidden=(("e009", "e000"),))
    rounds, _ = play("round_robin", start)
    assert not met([r.tables for r in rounds])[frozenset(("e009", "e000"))]


def comings(start, *changes):
    """Rounds of a round robin to the end, with the courses; changes: (after round, entrants)."""
    when = dict(changes)
    while isinstance(decision := FORMATS["round_robin"].next_round(start), Seated):
        assert FORMATS["round_robin"].next_round(replace(start, course=None)) == decision
        start = replace(start, rounds=(*start.rounds, decision.round), course=decision.course)
        start = replace(start, entrants=tuple(when.get(len(start.rounds), start.entrants)))
    return start.rounds


@pytest.mark.parametrize(
    ("first", "second"), [("e000", "e010"), ("e003", "e020"), ("e015", "e005")]
)
def test_who_comes_back_has_his_own_place_again(first, second):
    """Two of 25 leave and the second comes back: still nobody meets twice in the whole plan."""
    start = state("round_robin", entrants(25), {})
    gone = entrants(25, left={first: 4, second: 4})
    back = [replace(e, left=None, absent=frozenset({4})) if e.id == second else e for e in gone]
    rounds = comings(start, (3, gone), (4, back))
    whole, _ = play("round_robin", start)
    planned = [{frozenset(t) - {first} for t in r.tables} for r in whole[4:]]
    assert [{frozenset(t) - {*HOUSE} for t in r.tables} for r in rounds[4:]] == planned
    assert max(met([r.tables for r in rounds]).values()) == 1


def test_who_came_late_and_comes_back_has_the_place_again_that_it_took():
    """Two late entries take over from two house entries, leave, and come back the other way."""
    late = [Entrant("late-1", joined=2), Entrant("late-2", joined=2)]
    gone = [replace(e, left=3) for e in late]
    one = [gone[0], replace(late[1], absent=frozenset({3}))]
    both = [replace(e, absent=frozenset({3})) for e in late[:1]] + one[1:]
    both[0] = replace(late[0], absent=frozenset({3, 4}))
    field = entrants(23)
    rounds = comings(
        state("round_robin", field, {"effort": 1}),
        (1, [*field, *late]),
        (2, [*field, *gone]),
        (3, [*field, *one]),
        (4, [*field, *both]),
    )
    assert len(rounds) == 6
    assert max(met([r.tables for r in rounds]).values()) == 1


def test_who_finds_his_place_taken_meets_as_few_again_as_can_be():
    """One leaves, a late entry takes over, and it comes back to the place of another leaver.

    In 30 entries over 6 rounds nobody meets twice; the place that it gets is one that meets fewest
    of those that it has met, counted here for every free place.
    """
    start = state("round_robin", entrants(30), {"rounds": 6})
    gone = entrants(30, left={"e000": 3, "e011": 4, "e022": 4})
    came = [*gone, Entrant("late", joined=3)]
    back = [replace(e, left=None, absent=frozenset({3})) if e.id == "e000" else e for e in came]
    whole, _ = play("round_robin", start)
    gone_too = {"e000", "e011", "e022"}
    known = {x for r in whole[:2] for t in r.tables if "e000" in t for x in t} - gone_too
    again = {
        place: sum(x in known for r in whole[3:] for t in r.tables if place in t for x in t)
        for place in ("e011", "e022")
    }
    rounds = comings(start, (2, came), (3, back))
    taken = next(
        place
        for place in again
        if all(
            next(t.index("e000") for t in r.tables if "e000" in t)
            == next(t.index(place) for t in w.tables if place in t)
            for r, w in zip(rounds[3:], whole[3:], strict=True)
        )
    )
    assert again[taken] == min(again.values())


@pytest.mark.parametrize("k", range(0, 23, 4))
def test_a_late_entry_takes_the_place_where_it_meets_its_owners_other_agent_least(k):
    """One of two house entries never meets the sibling in the rounds to come: it gives way."""
    field = [replace(e, owner="o" if e.id == f"e{k:03}" else None) for e in entrants(23)]
    late = Entrant("late", joined=2, owner="o")
    options = {"rounds": 5, "effort": 1}
    base, _ = play("round_robin", state("round_robin", field, options))
    times = [
        met([r.tables for r in base[1:]])[frozenset((house, f"e{k:03}"))] for house in HOUSE[:2]
    ]
    rounds = comings(state("round_robin", field, options), (1, [*field, late]))
    assert met([r.tables for r in rounds])[frozenset(("late", f"e{k:03}"))] == min(times)


def byes_of(rounds, n):
    had = Counter(x for r in rounds for x in r.byes)
    return [had[x] for x in ids(n)]


@pytest.mark.parametrize(("n", "total"), [(11, 11), (16, 8), (7, 7)])
@pytest.mark.parametrize("other", range(3))
def test_byes_by_hand_are_made_up_in_the_rounds_to_come(n, total, other):
    """Whoever had the bye of the first round by hand waits for the next until all have had it."""
    options = {"rounds": total, "fill": "bye", "effort": 20}
    start = state("round_robin", entrants(n), options)
    decision = FORMATS["round_robin"].next_round(start)
    drawn = decision.round
    last = [x for x in ids(n) if x not in drawn.byes][-1 - other]
    turned = {last: drawn.byes[0], drawn.byes[0]: last}
    tables = tuple(tuple(turned.get(x, x) for x in table) for table in drawn.tables)
    by_hand = replace(drawn, tables=tables, byes=tuple(turned.get(x, x) for x in drawn.byes))
    start = replace(start, rounds=(by_hand,), course=decision.course)
    while len(start.rounds) < total:
        decision = FORMATS["round_robin"].next_round(start)
        start = replace(start, rounds=(*start.rounds, decision.round), course=decision.course)
        counts = byes_of(start.rounds, n)
        assert max(counts) - min(counts) <= 1


def test_a_course_of_before_has_no_places_of_ones_own():
    course = FORMATS["round_robin"].next_round(state("round_robin", entrants(9))).course
    old = {k: v for k, v in course.to_json().items() if k != "own"}
    assert Course.from_json(old) == course
