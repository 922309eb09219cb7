"""Groups, then knockout, to one table."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import pytest

from baohuang.engine.draw import Draw
from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.formats import FORMATS
from baohuang.engine.tournament.results import Adjustment, Held, Result
from baohuang.engine.tournament.scheme import Finished, NeedsAttention, Seated
from baohuang.engine.tournament.sheets import make_sheets
from baohuang.engine.tournament.standings import standings

from .conftest import ids, met, seats_had
from .play import HOUSE, entrants, play, state, strength_of, table_rows

KNOCKOUT = FORMATS["knockout"]


def sizes(played):
    return [len(r.tables) for r in played.rounds]


def table_of(played):
    sheets = make_sheets(played.entrants, played.rounds, played.results, house=HOUSE)
    return standings(sheets, progress=KNOCKOUT.progress(played), house=False)


@pytest.mark.parametrize(
    ("n", "advance", "expected"),
    [
        (5, 2, [1]),
        (10, 2, [2, 1]),
        (25, 2, [5, 2, 1]),
        (25, 1, [5, 1]),
        (125, 2, [25, 10, 4, 2, 1]),
        (25, 4, [5, 4, 3, 2, 1]),
        (23, 2, [5, 2, 1]),
    ],
)
def test_stages_shrink_to_one_table(n, advance, expected):
    options = {"group_rounds": 1, "stage_rounds": 1, "final_rounds": 1, "advance": advance}
    played = play("knockout", state("knockout", entrants(n), **options))
    assert sizes(played) == expected
    assert KNOCKOUT.rounds_total(played.options, n) == len(expected)
    assert isinstance(KNOCKOUT.next_round(played), Finished)


def test_each_stage_has_its_rounds_and_keeps_its_tables():
    options = {"group_rounds": 5, "stage_rounds": 2, "final_rounds": 3}
    played = play("knockout", state("knockout", entrants(25), **options))
    assert sizes(played) == [5] * 5 + [2] * 2 + [1] * 3
    groups = [{frozenset(t) for t in r.tables} for r in played.rounds]
    assert all(r == groups[0] for r in groups[:5])
    assert groups[5] == groups[6]
    had = seats_had([r.tables for r in played.rounds[:5]])
    assert all(seats == [1] * 5 for seats in had.values())


def test_the_best_of_every_group_go_on_and_the_best_of_the_rest_fill_up():
    options = {"group_rounds": 1, "stage_rounds": 1, "final_rounds": 1}
    played = play("knockout", state("knockout", entrants(25), **options))
    for table in played.rounds[0].tables:
        best = sorted(table, key=strength_of)[-2:]
        assert set(best) <= {x for t in played.rounds[1].tables for x in t}
    last = set(played.rounds[2].tables[0])
    for table in played.rounds[1].tables:
        assert set(sorted(table, key=strength_of)[-2:]) <= last


def test_the_strongest_wins_and_the_final_comes_first():
    played = play("knockout", state("knockout", entrants(25)))
    table = table_of(played)
    assert table[0].entry == max(ids(25), key=strength_of)
    assert {row.entry for row in table[:5]} == set(played.rounds[-1].tables[0])
    semis = {x for t in played.rounds[5].tables for x in t}
    assert {row.entry for row in table[:10]} == semis


def test_nobody_of_one_group_meets_again_in_the_next_stage_where_that_can_be():
    options = {"group_rounds": 1, "stage_rounds": 1, "advance": 1}
    played = play("knockout", state("knockout", entrants(125), **options), 2)
    assert max(met([r.tables for r in played.rounds]).values()) == 1


def test_owners_and_forbidden_pairs_are_drawn_into_different_groups():
    field = [Entrant(x, owner=f"o{i // 3}") for i, x in enumerate(ids(15))]
    start = replace(state("knockout", field), forbidden=(("e000", "e014"),))
    together = met([KNOCKOUT.next_round(start).round.tables])
    assert not any(
        together[frozenset(p)] for p in [("e000", "e001"), ("e012", "e014"), ("e000", "e014")]
    )


def test_seeds_are_spread_over_the_groups():
    field = [Entrant(x, seed=i) for i, x in enumerate(ids(25), 1)]
    tables = KNOCKOUT.next_round(state("knockout", field)).round.tables
    assert all(sorted(int(x[1:]) // 5 for x in table) == [0, 1, 2, 3, 4] for table in tables)


def test_house_entries_never_go_on():
    start = state("knockout", entrants(8), group_rounds=1, final_rounds=1)
    played = play("knockout", start, strength=lambda x: 1 - strength_of(x))
    assert not set(HOUSE) & set(played.rounds[1].tables[0])


def test_who_left_after_the_groups_is_replaced_by_the_next_best():
    start = state("knockout", entrants(10), group_rounds=1, final_rounds=1)
    whole = play("knockout", start)
    gone = max(ids(10), key=strength_of)
    field = tuple(Entrant(x, left=2 if x == gone else None) for x in ids(10))
    played = play("knockout", replace(start, entrants=field))
    assert played.rounds[0] == whole.rounds[0]
    assert gone not in played.rounds[1].tables[0]
    assert set(played.rounds[1].tables[0]) > set(whole.rounds[1].tables[0]) - {gone}
    assert not set(played.rounds[1].tables[0]) & set(HOUSE)


def test_carry_counts_all_points_so_far():
    options = {"group_rounds": 2, "final_rounds": 1}
    own = play("knockout", state("knockout", entrants(10), **options))
    carried = play("knockout", state("knockout", entrants(10), carry="all", **options))
    finalist = own.rounds[-1].tables[0][0]
    total = sum(r.points for r in own.results if r.entry == finalist)
    last = sum(r.points for r in own.results if r.entry == finalist and r.round == 3)
    assert KNOCKOUT.progress(own)[finalist] == (1, last)
    assert KNOCKOUT.progress(carried)[finalist] == (1, total)


SHORT = {"group_rounds": 1, "stage_rounds": 1, "final_rounds": 1}
PLACES = {6: (3, 1, 1, 0, 0), -9: (0, 1, 1, 1, 2)}
TIED = ((2, 1, 0, 1, 1), (0, 1, 2, 1, 1), (0, 1, 1, 2, 1))
"""Places of second, third, fourth: 2, 0, 0 firsts; 17/5 is a better mean than 18/5."""


def lots_of(key, number):
    return Draw(key.to_bytes(32, "big"), f"round/{number}/seats")


def tied_groups(key):
    """Two groups in which second, third and fourth have the same points; each table as ranked."""
    start = replace(state("knockout", entrants(10), **SHORT), lots=partial(lots_of, key))
    round_ = KNOCKOUT.next_round(start).round
    rows = [
        Result(x, 1, t, f"m{t}", seat, points, deals=5, places=places)
        for t, table in enumerate(round_.tables, 1)
        for seat, (x, points, places) in enumerate(
            zip(table, (6, 1, 1, 1, -9), (PLACES[6], *TIED, PLACES[-9]), strict=True)
        )
    ]
    return replace(start, rounds=(round_,), results=tuple(rows))


@pytest.mark.parametrize("key", range(12))
def test_the_published_tie_breaks_decide_who_goes_on(key):
    at = replace(tied_groups(key), tie_breaks=("firsts", "average_place"))
    final = set(KNOCKOUT.next_round(at).round.tables[0])
    one, two = at.rounds[0].tables
    assert {*one[:2], *two[:2]} < final, "the second of each has two first places"
    assert final - {*one[:2], *two[:2]} < {one[2], two[2]}, "of the others a third is the best"


def test_the_tie_break_lot_is_the_published_one():
    """By lot the fourths are before the thirds, and those before the seconds."""
    at = tied_groups(1)
    lot = {x: -k for table in at.rounds[0].tables for k, x in enumerate(table)}
    final = KNOCKOUT.next_round(replace(at, tie_breaks=("lot",), lot=lot.__getitem__)).round
    one, two = at.rounds[0].tables
    assert {one[0], two[0], one[3], two[3]} < set(final.tables[0])


def test_what_no_tie_break_decides_is_drawn():
    finals = [set(KNOCKOUT.next_round(tied_groups(key)).round.tables[0]) for key in range(12)]
    tables = [tied_groups(key).rounds[0].tables for key in range(12)]
    seconds = [len({a[1], b[1]} & final) for (a, b), final in zip(tables, finals, strict=True)]
    assert {0, 1} & set(seconds), "not always both seconds"


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("carry", ["none", "all"])
def test_nobody_goes_on_before_who_stands_above_at_the_same_table(seed, carry):
    """A law, on points that tie often."""
    options = {**SHORT, "group_rounds": 2, "carry": carry}
    lots = Draw(seed.to_bytes(32, "big"), "points")
    at = state("knockout", entrants(50), **options)
    at = replace(at, tie_breaks=("firsts", "best_round"))
    while isinstance(decision := KNOCKOUT.next_round(at), Seated):
        if at.rounds and len(decision.round.tables) < len(at.rounds[-1].tables):
            assert_the_best_go_on(at, decision.round)
        rows = [
            replace(r, points=lots.below(3) - 1, places=(lots.below(2), 0, 0, 0, 0))
            for r in table_rows(decision.round, strength_of)
        ]
        at = replace(at, rounds=(*at.rounds, decision.round), results=(*at.results, *rows))
    assert len(at.rounds) == 5


def assert_the_best_go_on(at, new):
    sheets = make_sheets(at.entrants, at.rounds, at.results, house=HOUSE)
    rows = standings(sheets, at.tie_breaks, progress=KNOCKOUT.progress(at))
    rank, on = {r.entry: r.rank for r in rows}, {x for t in new.tables for x in t}
    for table in at.rounds[-1].tables:
        going = [rank[x] for x in table if x in on]
        staying = [rank[x] for x in table if x not in on]
        assert len(going) >= 2
        assert max(going) <= min(staying)


def test_points_by_the_scoring_decide_who_goes_on():
    """By par the last two of each group are ahead: their hands were worth -100."""
    start = state("knockout", entrants(10), **SHORT)
    played = play("knockout", start, 1)
    bad = Held(1, 1, 0, 0, 1, "rebel", Fraction(-100))
    rows = tuple(replace(r, hands=(bad,) if r.points < 0 else ()) for r in played.results)
    at = replace(played, results=rows, scoring="adjusted")
    low = {r.entry for r in rows if r.points < 0}
    assert low < set(KNOCKOUT.next_round(at).round.tables[0])
    points = {r.entry: r.points for r in rows}
    one = next(iter(low))
    assert KNOCKOUT.progress(at)[one] == (0, points[one] + 100)


def test_rulings_of_later_rounds_do_not_count_before_them():
    played = play("knockout", state("knockout", entrants(10)), 3)
    then = replace(played, rounds=played.rounds[:1])
    ruled = replace(then, adjustments=(Adjustment("e000", 3, 100),))
    assert KNOCKOUT.progress(ruled) == KNOCKOUT.progress(then)


def test_where_all_who_should_go_on_are_too_many_the_lowest_of_them_do_not():
    """Four of each of four tables are 16; three new tables have 15 places."""
    played = play("knockout", state("knockout", entrants(20), advance=4, **SHORT), 2)
    on = {x for table in played.rounds[1].tables for x in table}
    four = {x for t in played.rounds[0].tables for x in sorted(t, key=strength_of)[1:]}
    (cut,) = four - on
    assert on < four
    fourths = {sorted(t, key=strength_of)[1] for t in played.rounds[0].tables}
    assert cut in fourths


def table_with(round_, x):
    return next(set(table) for table in round_.tables if x in table)


@pytest.mark.parametrize("first", [True, False])
def test_who_comes_back_has_his_own_table_again(first):
    """One of each group leaves; whichever comes back meets whom it met."""
    played = play("knockout", state("knockout", entrants(10)), 1)
    a, b = (table[0] for table in played.rounds[0].tables)
    left = [replace(e, left=2) if e.id in (a, b) else e for e in played.entrants]
    played = play("knockout", replace(played, entrants=tuple(left)), 1)
    back = a if first else b
    field = [
        replace(e, left=None, absent=frozenset({2})) if e.id == back else e for e in played.entrants
    ]
    third = KNOCKOUT.next_round(replace(played, entrants=tuple(field))).round
    assert table_with(third, back) == table_with(played.rounds[0], back)
    assert third.out == ()


def test_who_comes_back_finds_his_table_though_all_of_it_had_left():
    played = play("knockout", state("knockout", entrants(10)), 1)
    gone = played.rounds[0].tables[0]
    left = tuple(replace(e, left=2) if e.id in gone[1:] else e for e in played.entrants)
    played = play("knockout", replace(played, entrants=left), 1)
    field = tuple(
        replace(e, left=3) if e.id == gone[0]
        else replace(e, left=None, absent=frozenset({2})) if e.id == gone[1] else e
        for e in played.entrants
    )  # fmt: skip
    third = KNOCKOUT.next_round(replace(played, entrants=field)).round
    assert table_with(third, gone[1]) & set(ids(10)) == {gone[1]}


def test_a_no_show_of_a_later_stage_is_not_knocked_out():
    start = state("knockout", entrants(10), group_rounds=1, final_rounds=3)
    played = play("knockout", start, 2)
    x = played.rounds[1].tables[0][0]
    missing = tuple(replace(e, absent=frozenset({3})) if e.id == x else e for e in played.entrants)
    played = play("knockout", replace(played, entrants=missing), 1)
    assert x not in played.rounds[2].tables[0]
    assert set(KNOCKOUT.next_round(played).round.tables[0]) == set(played.rounds[1].tables[0])


@pytest.mark.parametrize("everybody_else", [True, False])
def test_a_bye_by_hand_in_the_final_knocks_nobody_out(everybody_else):
    """A house entry plays one round for a finalist. Byes for who was out bring nobody back."""
    start = state("knockout", entrants(10), group_rounds=1, final_rounds=3)
    played = play("knockout", start, 1)
    drawn = KNOCKOUT.next_round(played).round
    x, *others = drawn.tables[0]
    byes, out = ((x, *drawn.out), ()) if everybody_else else ((x,), drawn.out)
    by_hand = replace(drawn, tables=(("house-1", *others),), byes=byes, out=out)
    played = replace(
        played,
        rounds=(*played.rounds, by_hand),
        results=(*played.results, *table_rows(by_hand, strength_of)),
    )
    third = KNOCKOUT.next_round(played).round
    assert set(third.tables[0]) == {x, *others}
    assert set(third.out) == set(drawn.out)


def test_a_bye_by_hand_in_the_last_round_of_the_groups_counts_for_its_table():
    start = state("knockout", entrants(10), group_rounds=2, final_rounds=1)
    played = play("knockout", start, 1)
    drawn = KNOCKOUT.next_round(played).round
    best = max(drawn.tables[0], key=strength_of)
    table = tuple("house-1" if x == best else x for x in drawn.tables[0])
    by_hand = replace(drawn, tables=(table, *drawn.tables[1:]), byes=(best,))
    played = replace(played, rounds=(*played.rounds, by_hand))
    assert best in KNOCKOUT.next_round(played).round.tables[0]


def test_when_all_finalists_have_left_it_is_over():
    start = state("knockout", entrants(10), group_rounds=1, final_rounds=3)
    played = play("knockout", start, 2)
    left = tuple(
        replace(e, left=3) if e.id in played.rounds[1].tables[0] else e for e in played.entrants
    )
    assert KNOCKOUT.next_round(replace(played, entrants=left)) == Finished("nobody is left")


def with_house(played):
    """The tables of round 1 at which a house entry sits, and who sits with it."""
    tables = [t for t in played.rounds[0].tables if set(HOUSE) & set(t)]
    return [[x for x in table if x not in HOUSE] for table in tables]


@pytest.mark.parametrize("k", [0, 1])
def test_a_late_entry_sits_where_it_meets_nobody_whom_it_must_not(k):
    played = play("knockout", state("knockout", entrants(8)), 1)
    five, other = with_house(played)[k], with_house(played)[1 - k]
    came = (*played.entrants, Entrant("late", joined=2))
    second = KNOCKOUT.next_round(replace(played, entrants=came, forbidden=((five[0], "late"),)))
    assert table_with(second.round, "late") >= set(other)


@pytest.mark.parametrize("k", [0, 1])
def test_a_late_entry_sits_where_no_other_agent_of_its_owner_is(k):
    played = play("knockout", state("knockout", entrants(8)), 1)
    five, other = with_house(played)[k], with_house(played)[1 - k]
    field = [replace(e, owner="o" if e.id == five[0] else None) for e in played.entrants]
    came = (*field, Entrant("late", joined=2, owner="o"))
    second = KNOCKOUT.next_round(replace(played, entrants=came))
    assert table_with(second.round, "late") >= set(other)


def test_two_late_entries_change_places_where_that_helps():
    """Each may sit at one of the two tables alone, whoever is seated first."""
    played = play("knockout", state("knockout", entrants(8)), 1)
    one, two = with_house(played)
    came = (*played.entrants, Entrant("late-a", joined=2), Entrant("late-b", joined=2))
    for a, b in ((one, two), (two, one)):
        never = ((a[0], "late-b"), (b[0], "late-a"))
        second = KNOCKOUT.next_round(replace(played, entrants=came, forbidden=never)).round
        assert table_with(second, "late-a") >= set(a)
        assert table_with(second, "late-b") >= set(b)


def test_a_late_entry_whom_no_table_may_take_needs_attention():
    played = play("knockout", state("knockout", entrants(9)), 1)
    (five,) = with_house(played)
    came = (*played.entrants, Entrant("late", joined=2))
    decision = KNOCKOUT.next_round(replace(played, entrants=came, forbidden=(("late", five[2]),)))
    assert decision == NeedsAttention(f"these must not meet but have to: {five[2]} and late")


@pytest.mark.parametrize("rounds", [1, 2, 3, 4, 6, 9])
def test_seats_are_within_one_in_any_number_of_rounds_of_a_group(rounds):
    played = play("knockout", state("knockout", entrants(20), group_rounds=rounds), rounds)
    for r in range(1, rounds + 1):
        had = seats_had([round_.tables for round_ in played.rounds[:r]])
        assert all(max(seats) - min(seats) <= 1 for seats in had.values())


def test_a_stage_goes_on_with_the_seats_that_were_had_least():
    """After one round of groups everybody who goes on has another seat in the next four rounds."""
    options = {"group_rounds": 1, "stage_rounds": 4}
    played = play("knockout", state("knockout", entrants(10), **options, final_rounds=4), 5)
    had = seats_had([round_.tables for round_ in played.rounds])
    finalists = played.rounds[-1].tables[0]
    assert sum(max(had[x]) - min(had[x]) for x in finalists) <= 4
