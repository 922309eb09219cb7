"""Groups, then knockout, to one table."""

from dataclasses import replace

import pytest

from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.formats import FORMATS
from baohuang.engine.tournament.scheme import Finished
from baohuang.engine.tournament.sheets import make_sheets
from baohuang.engine.tournament.standings import standings

from .conftest import ids, met, seats_had
from .play import HOUSE, entrants, play, state, strength_of

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
