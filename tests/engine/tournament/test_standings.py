"""Results, sheets and ranks, with values worked out by hand."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.lots import lot_of
from baohuang.engine.tournament.plan import Round
from baohuang.engine.tournament.results import Adjustment, Result, RoleCount, role, rows
from baohuang.engine.tournament.sheets import make_sheets
from baohuang.engine.tournament.standings import (
    TIE_BREAKS,
    TieBreakError,
    check_tie_breaks,
    decimal,
    standings,
)

from ..strategies import law
from .conftest import draw

A, B, C, D, E, F = "abcdef"


def results(number, points, penalties=None, places=None, house=(), boards=None):
    """Rows of one table; `points` by entry in seat order."""
    return [
        Result(
            x,
            number,
            1,
            f"m{number}",
            seat,
            p,
            (penalties or {}).get(x, 0),
            4,
            (places or {}).get(x, (0, 0, 4, 0, 0)),
            house=x in house,
            board=(boards or {}).get(x),
        )
        for seat, (x, p) in enumerate(points.items())
    ]


def sheets_of(*tables, entries=(A, B, C, D, E), house=(), byes=(), **more):
    """Sheets of rounds with one table each."""
    played = [
        row for number, table in enumerate(tables, 1) for row in results(number, table, **more)
    ]
    rounds = [Round(n, (tuple(table),), tuple(byes)) for n, table in enumerate(tables, 1)]
    return make_sheets([Entrant(x) for x in entries], rounds, played, house=house)


def lots(key=0):
    """Everybody's number by lot."""
    return lambda entry: lot_of(lambda context: draw(context, key), entry)


def ranks(table):
    return [(row.rank, row.entry) for row in table]


DEALS = [
    {"result": "scored", "emperor": 1, "guard": 4, "solo": None, "places": [3, 1, 2, 5, 4],
     "scores": [-1, 2, -1, -1, 1]},
    {"result": "redeal", "emperor": None, "guard": None, "solo": None, "places": None,
     "scores": [0, 0, 0, 0, 0]},
    {"result": "scored", "emperor": 1, "guard": None, "solo": "hidden", "places": [2, 1, 3, 4, 5],
     "scores": [-3, 12, -3, -3, -3]},
    {"result": "uncounted", "emperor": 0, "guard": 2, "solo": None, "places": [1, 2, 3, 4, 5],
     "scores": [9, 9, 9, 9, 9]},
    {"result": "abdicated", "emperor": 0, "guard": None, "solo": "hidden", "places": None,
     "scores": [-16, 4, 4, 4, 4]},
]  # fmt: skip
for number, deal in enumerate(DEALS, 1):
    deal |= {"number": number, "attempt": 1, "first": 0}


def test_rows_of_a_match_leave_out_redeals_and_uncounted_deals():
    made = rows(list("vwxyz"), DEALS, [0, 0, -40, 0, 0], round_=2, table=3, match="m", house={"z"})
    assert [r.points for r in made] == [-20, 18, 0, 0, 2]
    assert [r.penalty for r in made] == [0, 0, -40, 0, 0]
    assert {r.deals for r in made} == {3}
    assert [r.house for r in made] == [False, False, False, False, True]
    assert made[0].places == (0, 1, 1, 0, 0), "an abdicated deal has no places"
    assert made[1].places == (2, 0, 0, 0, 0)
    assert made[1].roles == {
        "emperor": RoleCount(1, 2),
        "solo": RoleCount(1, 12),
        "rebel": RoleCount(1, 4),
    }
    assert made[4].roles == {"guard": RoleCount(1, 1), "rebel": RoleCount(2, 1)}
    assert [(r.round, r.table, r.seat) for r in made] == [(2, 3, seat) for seat in range(5)]


def test_role_of_a_seat():
    assert [role(DEALS[0], seat) for seat in range(5)] == [
        "rebel", "emperor", "rebel", "rebel", "guard",
    ]  # fmt: skip
    assert [role(DEALS[2], seat) for seat in range(3)] == ["rebel", "solo", "rebel"]


def test_every_line_is_classified():
    rounds = [
        Round(1, (("a", "b", "c", "d", "e"),), ("f",)),
        Round(2, (("f", "b", "c", "d", "h"),), ("a",)),
        Round(3, (("a", "b", "c", "d", "g"),), ()),
    ]
    field = [*map(Entrant, "abcde"), Entrant("f", left=3), Entrant("g", joined=3)]
    made = make_sheets(field, rounds, results(1, dict.fromkeys("abcde", 0)), house={"h"})
    kinds = {x: [line.kind for line in sheet.lines] for x, sheet in made.items()}
    assert kinds["a"] == ["played", "bye", "waiting"]
    assert kinds["f"] == ["bye", "waiting", "absent"]
    assert kinds["g"] == ["late", "late", "waiting"]
    assert kinds["e"] == ["played", "absent", "absent"]
    assert made["h"].house
    assert list(made) == list("abcdefgh")


def test_points_are_scores_penalties_and_rulings():
    played = results(1, {A: 8, B: 4, C: 0, D: -4, E: -8}, penalties={A: -40})
    rounds = [Round(1, (tuple("abcde"),))]
    ruled = [Adjustment(E, 1, 50), Adjustment(E, 1, -2), Adjustment(B, 2, 99)]
    made = make_sheets([*map(Entrant, "abcde")], rounds, played, adjustments=ruled)
    table = standings(made)
    assert ranks(table) == [(1, E), (2, B), (3, C), (4, D), (5, A)]
    assert (table[0].points, table[0].scored, table[0].adjustment) == (40, -8, 48)
    assert (table[4].points, table[4].penalty) == (-32, -40)


def test_as_of_leaves_later_rounds_out():
    tables = [{A: 4, B: 1, C: 0, D: -1, E: -4}, {A: -9, B: 9, C: 0, D: 0, E: 0}]
    played = [row for n, table in enumerate(tables, 1) for row in results(n, table)]
    rounds = [Round(n, (tuple("abcde"),)) for n in (1, 2)]
    field = [*map(Entrant, "abcde")]
    first = standings(make_sheets(field, rounds, played, as_of=1))
    assert ranks(first)[0] == (1, A)
    assert first == standings(make_sheets(field, rounds[:1], played[:5]))


def test_progress_ranks_before_points():
    made = sheets_of({A: 4, B: 3, C: 0, D: -3, E: -4})
    table = standings(made, (), progress={E: (2, -1), D: (2, 7), A: (1,)})
    assert ranks(table) == [(1, D), (2, E), (3, A), (4, B), (5, C)]


def test_equal_entries_share_a_rank_and_the_next_rank_is_skipped():
    table = standings(sheets_of({A: 3, B: 0, C: 0, D: 0, E: -3}), ("firsts",))
    assert ranks(table) == [(1, A), (2, B), (2, C), (2, D), (5, E)]
    assert [row.shared for row in table] == [False, True, True, True, False]


def test_house_entries_are_marked_and_can_be_left_out():
    made = sheets_of({A: 1, B: 5, C: 0, D: 0, E: -6}, entries=(A, C, D, E), house={B})
    assert ranks(standings(made, ()))[:2] == [(1, B), (2, A)]
    assert standings(made, ())[0].house
    assert ranks(standings(made, (), house=False)) == [(1, A), (2, C), (2, D), (4, E)]


def test_firsts_break_a_tie():
    places = {A: (1, 0, 0, 0, 3), B: (2, 0, 0, 0, 2)}
    made = sheets_of({A: 2, B: 2, C: 0, D: 0, E: -4}, places=places)
    assert ranks(standings(made, ("firsts",)))[:2] == [(1, B), (2, A)]


def test_average_place_breaks_a_tie_the_smaller_the_better():
    places = {A: (1, 0, 0, 0, 3), B: (1, 0, 0, 1, 2)}
    made = sheets_of({A: 2, B: 2, C: 0, D: 0, E: -4}, places=places)
    table = standings(made, ("firsts", "average_place"))
    assert ranks(table)[:2] == [(1, B), (2, A)]
    # A: (1 + 3·5)/4 = 4, B: (1 + 4 + 2·5)/4 = 3.75
    assert [row.tie_breaks["average_place"] for row in table[:2]] == [Fraction(15, 4), 4]
    assert table[0].to_json()["tie_breaks"] == {"firsts": "1.0000", "average_place": "3.7500"}


def test_tie_breaks_are_shown_only_where_they_were_needed():
    table = standings(sheets_of({A: 2, B: 2, C: 1, D: -1, E: -4}), ("firsts",))
    assert [dict(row.tie_breaks) for row in table] == [{"firsts": 0}, {"firsts": 0}, {}, {}, {}]


def test_head_to_head_counts_rounds_at_the_same_table():
    # A and B have 4 each; where they met B was ahead 5 to 1.
    tables = [{A: 1, B: 5, C: 0, D: -3, E: -3}, {A: 3, C: 0, D: 0, E: 0, F: -3},
              {B: -1, C: 0, D: 0, E: 0, F: 1}]  # fmt: skip
    table = standings(sheets_of(*tables, entries="abcdef"), ("head_to_head",))
    assert ranks(table)[:2] == [(1, B), (2, A)]
    assert [row.tie_breaks["head_to_head"] for row in table[:2]] == [4, -4]


def test_head_to_head_does_not_apply_unless_all_tied_met():
    # A, B and F are tied on 0; A and B met, F met neither.
    tables = [{A: 0, B: 0, C: 1, D: 1, E: -2}, {F: 0, "g": 0, "h": 0, "i": 0, "j": 0}]
    made = sheets_of(*tables, entries="abcdefghij")
    table = standings(made, ("head_to_head", "firsts"))
    tied = [row for row in table if row.points == 0]
    assert {row.tie_breaks["head_to_head"] for row in tied} == {None}
    assert tied[0].to_json()["tie_breaks"] == {"head_to_head": None, "firsts": "0.0000"}


def test_opponents_strength_leaves_out_the_rounds_played_together():
    # A's four opponents made 3, -3, 0, 0 elsewhere: mean 0. F's made 4, 0, 0, -4 … by hand below.
    tables = [{A: 0, B: 4, C: 0, D: 0, E: -4}, {F: 0, B: 3, C: -3, D: 0, E: 0}]
    made = sheets_of(*tables, entries="abcdef")
    table = standings(made, ("opponents",))
    strengths = {row.entry: row.tie_breaks.get("opponents") for row in table}
    # A met B C D E, who made 3 -3 0 0 in round 2: 0. F met them too; in round 1: 4 0 0 -4: 0.
    assert strengths[A] == strengths[F] == 0
    made = sheets_of(*tables, entries="abcdef", house={B})
    table = standings(made, ("opponents",))
    strengths = {row.entry: row.tie_breaks.get("opponents") for row in table}
    # B is a house entry now and counts 0: A's opponents -3/4, F's -4/4.
    assert (strengths[A], strengths[F]) == (Fraction(-3, 4), -1)


def test_a_bye_counts_as_four_opponents_of_no_strength():
    rounds = [Round(1, (tuple("bcdef"),), ("a",)), Round(2, (tuple("abcde"),), ("f",))]
    played = results(1, {B: 8, C: 0, D: 0, E: 0, F: -8}) + results(2, dict.fromkeys("abcde", 0))
    made = make_sheets([*map(Entrant, "abcdef")], rounds, played)
    table = standings(made, ("opponents",))
    assert {r.entry: r.byes for r in table}[A] == 1
    # A met B, who made 8 elsewhere, C, D, E (0), and has four phantoms: 8/8 = 1.
    assert {r.entry: r.tie_breaks.get("opponents") for r in table}[A] == 1


def test_board_difference_breaks_a_tie():
    boards = {A: Fraction(1, 3), B: Fraction(2, 3)}
    made = sheets_of({A: 2, B: 2, C: 0, D: 0, E: -4}, boards=boards)
    assert ranks(standings(made, ("board_difference",)))[:2] == [(1, B), (2, A)]


def test_the_lot_ends_every_tie_and_is_the_same_for_the_same_draw():
    made = sheets_of(dict.fromkeys("abcde", 0))
    table = standings(made, ("lot",), lot=lots())
    assert [row.rank for row in table] == [1, 2, 3, 4, 5]
    assert table == standings(made, ("lot",), lot=lots())
    others = {tuple(r.entry for r in standings(made, ("lot",), lot=lots(k))) for k in range(9)}
    assert len(others) > 3


def test_the_lot_does_not_depend_on_results():
    level = standings(sheets_of(dict.fromkeys("abcde", 0)), ("lot",), lot=lots())
    apart = sheets_of({A: 5, B: 5, C: 5, D: 5, E: -20})
    ahead = [r.entry for r in standings(apart, ("lot",), lot=lots())][:4]
    assert ahead == [r.entry for r in level if r.entry != E]


def test_nobodys_lot_depends_on_who_else_is_there():
    few, many = "abcde", "abcdefghij"
    of_few = standings(sheets_of(dict.fromkeys(few, 0)), ("lot",), lot=lots())
    of_many = standings(sheets_of(dict.fromkeys(few, 0), entries=many), ("lot",), lot=lots())
    assert [r.entry for r in of_few] == [r.entry for r in of_many if r.entry in few]


def test_what_a_stand_in_makes_belongs_to_nobody():
    played = results(1, {A: 4, B: 2, C: 0, D: -2, E: -4}, places={A: (3, 0, 0, 0, 1)})
    played[0] = replace(played[0], stand_in=True)
    made = make_sheets([*map(Entrant, "abcde")], [Round(1, (tuple("abcde"),))], played)
    assert made[A].lines[0].kind == "absent"
    row = next(r for r in standings(made, ("firsts", "head_to_head")) if r.entry == A)
    assert (row.points, row.deals, row.rounds, row.places) == (0, 0, 0, (0,) * 5)
    assert sum(r.points for r in standings(made)) == -4


def test_who_met_a_stand_in_did_not_meet_the_entry():
    first, second = results(1, {A: 1, B: 1, C: 0, D: 0, E: -2}), results(2, {A: 0, B: 2, C: -2})
    first[1] = replace(first[1], stand_in=True)
    rounds = [Round(1, (tuple("abcde"),)), Round(2, (tuple("abcde"),))]
    made = make_sheets([*map(Entrant, "abcde")], rounds, [*first, *second])
    table = {r.entry: r for r in standings(made, ("head_to_head",))}
    # A has 1 + 0, B only the 2 of round 2; nobody is tied.
    assert (table[A].points, table[B].points) == (1, 2)
    level = results(1, {A: 2, B: 7, C: 0, D: 0, E: -9})
    level[1] = replace(level[1], stand_in=True)
    made = make_sheets([*map(Entrant, "abcde")], rounds, [*level, *second])
    table = {r.entry: r for r in standings(made, ("head_to_head",))}
    # Both have 2. They met in round 2 alone, where B was 2 ahead.
    assert (table[A].points, table[B].points) == (2, 2)
    assert (table[B].rank, table[A].rank) == (1, 2)
    assert table[B].tie_breaks == {"head_to_head": 2}


@pytest.mark.parametrize("names", [("beauty",), ("firsts", "firsts"), ("points",)])
def test_unknown_and_repeated_tie_breaks_are_refused(names):
    with pytest.raises(TieBreakError):
        check_tie_breaks(names)


def test_the_lot_needs_a_draw():
    with pytest.raises(TieBreakError, match="needs a draw"):
        standings({}, ("lot",))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1, 3), "0.3333"),
        (Fraction(-2, 3), "-0.6667"),
        (Fraction(7), "7.0000"),
        (Fraction(-1, 20_000), "0.0000"),
        (Fraction(3, 20_000), "0.0002"),
    ],
)
def test_decimals(value, text):
    assert decimal(value) == text


TABLE = st.permutations("abcdefghij").flatmap(
    lambda who: st.lists(st.integers(-3, 3), min_size=4, max_size=4).map(
        lambda four: dict(zip(who[:5], [*four, -sum(four)], strict=True))
    )
)


@given(st.lists(TABLE, min_size=1, max_size=5), st.permutations(sorted(set(TIE_BREAKS))))
@law(100)
def test_laws_of_every_ranking(tables, names):
    entries = "abcdefghij"
    made = sheets_of(*tables, entries=entries)
    table = standings(made, names, lot=lots())
    assert sorted(row.entry for row in table) == list(entries)
    assert [row.rank for row in table] == list(range(1, 11)), "the lot leaves no tie"
    assert [row.points for row in table] == sorted((row.points for row in table), reverse=True)
    assert sum(row.points for row in table) == 0
    shuffled = sheets_of(*tables, entries=entries[::-1])
    assert standings(shuffled, names, lot=lots()) == table
    without = standings(made, [n for n in names if n != "lot"])
    for row in without:
        ahead = sum(other.rank < row.rank for other in without)
        assert row.rank == ahead + 1
        assert row.shared == (sum(other.rank == row.rank for other in without) > 1)
