"""The ladder."""

from dataclasses import replace
from fractions import Fraction

from baohuang.engine.tournament.formats import FORMATS
from baohuang.engine.tournament.results import Adjustment, Held
from baohuang.engine.tournament.scheme import Finished
from baohuang.engine.tournament.sheets import make_sheets
from baohuang.engine.tournament.standings import standings

from .conftest import met
from .play import entrants, play, state, strength_of

LADDER = FORMATS["ladder"]


def test_it_has_no_end_unless_a_season_is_set():
    assert LADDER.rounds_total(LADDER.options({}), 10) is None
    assert len(play("ladder", state("ladder", entrants(10)), 40).rounds) == 40
    season = play("ladder", state("ladder", entrants(10), rounds=3))
    assert len(season.rounds) == 3
    assert LADDER.next_round(season) == Finished("all 3 rounds are played")


def test_nobody_is_met_again_within_the_rounds_to_avoid():
    played = play("ladder", state("ladder", entrants(60), avoid=3), 12)
    for k in range(9):
        assert max(met([r.tables for r in played.rounds[k : k + 4]]).values()) == 1


def test_points_a_deal_are_shrunk_and_few_deals_do_not_lead():
    played = play("ladder", state("ladder", entrants(10), shrink=150), 6)
    entry = "e003"
    points = sum(r.points for r in played.results if r.entry == entry)
    assert LADDER.progress(played)[entry] == (1, Fraction(points, 6 * 5 + 150))
    strict = state("ladder", entrants(10), least_deals=31)
    assert {done for done, _ in LADDER.progress(play("ladder", strict, 6)).values()} == {0}


def test_rulings_that_cancel_out_are_as_none_for_who_has_not_played():
    never = Adjustment("e009", 1, 5), Adjustment("e009", 1, -5)
    fresh = replace(play("ladder", state("ladder", entrants(10)), 1), results=())
    assert LADDER.progress(replace(fresh, adjustments=never)) == LADDER.progress(fresh) == {}
    assert LADDER.progress(replace(fresh, adjustments=never[:1])).keys() == {"e009"}


def test_rulings_of_later_rounds_do_not_count_before_them():
    """Of five after one round, two deals apart, 100 points of round 3 move nobody."""
    played = play("ladder", state("ladder", entrants(5)), 3)
    then = replace(played, rounds=played.rounds[:1])
    then = replace(then, results=tuple(r for r in played.results if r.round == 1))
    ruled = replace(then, adjustments=(Adjustment("e000", 3, 100),))
    assert LADDER.progress(ruled) == LADDER.progress(then)


def test_points_a_deal_are_by_the_scoring():
    """Four points of five deals that were worth seven by par are -3 above it."""
    played = play("ladder", state("ladder", entrants(5), shrink=15), 1)
    best = max(played.results, key=lambda r: r.points)
    hand = Held(1, 1, 0, 4, 1, "rebel", Fraction(7))
    results = tuple(replace(r, hands=(hand,)) if r is best else r for r in played.results)
    scored = replace(played, results=results, scoring="adjusted")
    assert LADDER.progress(scored)[best.entry] == (1, Fraction(-3, 5 + 15))
    assert LADDER.progress(played)[best.entry] == (1, Fraction(4, 5 + 15))


def test_the_ranking_finds_the_strongest():
    played = play("ladder", state("ladder", entrants(30)), 30)
    sheets = make_sheets(played.entrants, played.rounds, played.results)
    table = standings(sheets, progress=LADDER.progress(played))
    strongest = sorted((e.id for e in played.entrants), key=strength_of, reverse=True)
    assert table[0].entry == strongest[0]
    assert len({row.entry for row in table[:10]} & set(strongest[:10])) >= 7
