"""How sure standings are, what was published, titles: worked out aside, stored, read with a row."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from baohuang.api.errors import Invalid, NotFound
from baohuang.api.models import Match, RulingKind
from baohuang.api.services import intervals, next_round, rulings, standing_lines, standings
from baohuang.api.services.principal import ANONYMOUS
from baohuang.api.services.ruling_case import Ask

from .playing import FakeMatch, deal, finish

EVER = [4, 1, 0, -2, -3]
TURNED = [-3, 1, 0, -2, 4]


def one_table(world, *scores, penalties=(0, 0, 0, 0, 0), **settings):
    """A table of five agents that has played one round; nobody has asked for a second."""
    settings = {"rounds": 2, "advance": "manual", **settings}
    tournament_id, (match_id,) = world.playing(agents=5, **settings)
    match = FakeMatch([deal(made) for made in scores], list(penalties))
    finish(world, match_id, match)
    world.close_rounds()
    return tournament_id


def made(world, tournament_id):
    worked = world.see(intervals.work_out, tournament_id)
    with world.database.begin() as session:
        intervals.store(session, worked)
    return worked


def page(world, tournament_id, **query):
    with world.database.read() as session:
        return standings.rows(session, ANONYMOUS, tournament_id, None, 100, **query).items


def rule(world, tournament_id, **fields):
    ask = Ask(RulingKind.ADJUST, "a reason", **fields)
    world.do(rulings.make, "olga", tournament_id, ask)


def test_who_makes_the_same_in_every_deal_is_sure_and_first(world):
    tournament_id = one_table(world, *[EVER] * 6)
    assert world.see(intervals.due) == [tournament_id]
    assert all(row["interval"] is None for row in page(world, tournament_id))
    made(world, tournament_id)
    assert world.see(intervals.due) == []
    first, *_, last = [row["interval"] for row in page(world, tournament_id)]
    assert (first["mean"], first["low"], first["high"]) == pytest.approx((4, 4, 4))
    assert (first["first"], first["rank_low"], first["rank_high"]) == (1, 1, 1)
    assert (last["first"], last["rank_low"], last["rank_high"]) == (0, 5, 5)
    assert (first["deals"], first["as_of"]) == (6, 1)


def test_two_who_take_turns_are_equally_likely_and_unsure(world):
    tournament_id = one_table(world, *[EVER, TURNED] * 10)
    made(world, tournament_id)
    by_mean = [row["interval"] for row in page(world, tournament_id)]
    turns = [each for each in by_mean if each["high"] - each["low"] > 1]
    assert len(turns) == 2
    for each in turns:
        assert each["low"] < 0.5 < each["high"]
        assert each["mean"] == pytest.approx(0.5)
    assert sum(each["first"] for each in by_mean) == pytest.approx(1)


def test_a_penalty_costs_the_chance_and_moves_no_interval(world):
    tournament_id = one_table(world, *[EVER] * 6, penalties=[-40, 0, 0, 0, 0])
    made(world, tournament_id)
    (last,) = [r["interval"] for r in page(world, tournament_id) if r["penalty"]]
    assert (last["low"], last["high"]) == pytest.approx((4, 4))
    assert (last["first"], last["rank_low"]) == (0, 4), "24 - 40 against -18"


def test_tables_that_share_cards_are_one_piece_of_luck(world):
    """One deal, played at two tables: shared it tells nothing of its luck, apart it does."""
    found = []
    for shared in (True, False):
        tournament_id, ids = world.playing(
            agents=10, deals=1, advance="manual",
            format_options={"shared_boards": shared, "effort": 1},
        )  # fmt: skip
        for match_id in ids:
            finish(world, match_id, FakeMatch([deal(EVER)]))
        world.close_rounds()
        made(world, tournament_id)
        found.append([row["interval"] for row in page(world, tournament_id)])
    assert found[0] == [None] * 10
    assert any(row["high"] > row["low"] for row in found[1])


def test_a_big_field_is_resampled_by_whole_matches_with_the_same_means(world, monkeypatch):
    tournament_id = one_table(world, EVER, TURNED, EVER)
    by_deal = {row["entry_id"]: row for row in world.see(intervals.work_out, tournament_id).rows}
    monkeypatch.setattr(intervals, "BY_DEAL", 0)
    for row in world.see(intervals.work_out, tournament_id).rows:
        assert row["mean"] == pytest.approx(by_deal[row["entry_id"]]["mean"])
        assert row["deals"] == 3


def test_a_ruling_asks_again_and_a_demand_meanwhile_stays_open(world):
    tournament_id = one_table(world, EVER, TURNED)
    before = made(world, tournament_id)
    entry = before.rows[0]["entry_id"]
    rule(world, tournament_id, entry_id=entry, round=1, points=5)
    worked = world.see(intervals.work_out, tournament_id)
    rule(world, tournament_id, entry_id=entry, round=1, points=5)
    with world.database.begin() as session:
        intervals.store(session, worked)
    assert world.see(intervals.due) == [tournament_id]
    made(world, tournament_id)
    assert world.see(intervals.due) == []


def test_a_replay_after_its_round_has_closed_asks_again(world):
    tournament_id = one_table(world, EVER)
    with world.database.read() as session:
        match_id = session.scalars(select(Match.id)).one()
    ask = Ask(RulingKind.REPLAY, "a reason", match_id=match_id)
    again = world.do(rulings.make, "olga", tournament_id, ask).replay_id
    made(world, tournament_id)
    assert world.see(intervals.due) == []
    finish(world, again, FakeMatch([deal(TURNED), deal(EVER)]))
    assert world.see(intervals.due) == [tournament_id]
    assert {row["deals"] for row in made(world, tournament_id).rows} == {2}


def test_the_same_deals_give_the_same_numbers(world):
    tournament_id = one_table(world, EVER, TURNED, EVER)
    first, second = (world.see(intervals.work_out, tournament_id) for _ in range(2))
    assert first == second


def test_where_points_do_not_decide_there_is_no_chance_to_tell(world):
    tournament_id, ids = world.playing(
        agents=10, format="knockout", format_options={"group_rounds": 2}, rounds=None
    )
    for match_id in ids:
        finish(world, match_id, FakeMatch([deal(EVER), deal(TURNED)]))
    world.close_rounds()
    made(world, tournament_id)
    rows = [row["interval"] for row in page(world, tournament_id)]
    assert {(row["first"], row["rank_low"]) for row in rows} == {(None, None)}
    assert all(row["low"] <= row["mean"] <= row["high"] for row in rows)


def test_a_spreadsheet_has_title_and_interval_too(world):
    tournament_id = one_table(world, *[EVER] * 6)
    made(world, tournament_id)
    head, first, *_ = world.see(standing_lines.table, ANONYMOUS, tournament_id)
    row = dict(zip(head, first, strict=True))
    assert (row["title"], row["adjusted"], row["rank_low"]) == ("amateur 3", None, 1)
    assert (row["mean"], row["low"]) == pytest.approx((4, 4))


def test_rows_have_titles_by_their_points(world):
    tournament_id = one_table(world, *[[60, 40, 0, -40, -60]] * 2)
    titles = [(row["points"], row["title"]["english"]) for row in page(world, tournament_id)]
    assert titles == [
        (120, "amateur 2"), (80, "amateur 3"), (0, "amateur 3"), (-80, "amateur 4"),
        (-120, "amateur 5"),
    ]  # fmt: skip


def test_standings_of_a_past_round_have_no_interval_that_knows_later_ones(world):
    """Two deals a round: after round 2 there are four."""
    tournament_id = one_table(world, EVER, TURNED)
    made(world, tournament_id)
    published = page(world, tournament_id, view="frozen")
    world.do(next_round.ask, "olga", tournament_id)
    (again,) = world.open_next(tournament_id)
    of_first = [{"as_of": 1, "deals": 2}] * 5

    def sure(**query):
        rows = [row["interval"] for row in page(world, tournament_id, **query)]
        return [row and {name: row[name] for name in ("as_of", "deals")} for row in rows]

    assert sure(as_of=1) == of_first, "while round 2 is played they are those of round 1"
    finish(world, again, FakeMatch([deal(EVER), deal(TURNED)]))
    world.close_rounds()
    assert sure(as_of=2) == sure() == of_first, "not made anew yet: older, which it says"
    made(world, tournament_id)
    assert sure(as_of=1) == [None] * 5
    assert sure(as_of=2) == sure() == [{"as_of": 2, "deals": 4}] * 5
    assert sure(view="frozen") == [None] * 5
    assert page(world, tournament_id, view="frozen", as_of=1) == published


def test_standings_of_a_round_that_was_not_drawn_are_refused_and_say_which_is_the_last(world):
    before, tournament_id = world.started(agents=5), one_table(world, EVER)
    for where, asked, said in (
        (tournament_id, {"as_of": 2}, "Round 2 has not been drawn. The last one is round 1."),
        (tournament_id, {"as_of": 9, "house": False}, "The last one is round 1."),
        (before, {"as_of": 1}, "Round 1 has not been drawn. None has been."),
    ):
        with pytest.raises(Invalid) as refused:
            page(world, where, **asked)
        ((pointer, code, detail),) = refused.value.errors
        assert (pointer, code) == ("?as_of", "not_drawn")
        assert said in detail


def test_what_was_published_stays_whatever_is_ruled_later(world):
    tournament_id = one_table(world, EVER)
    with pytest.raises(NotFound):
        page(world, world.started(agents=5), view="frozen")
    published = page(world, tournament_id, view="frozen")
    assert [row["points"] for row in published] == EVER
    last = published[-1]["entry_id"]
    rule(world, tournament_id, entry_id=last, round=1, points=50)
    assert page(world, tournament_id, view="frozen") == published
    assert page(world, tournament_id)[0]["entry_id"] == last
    assert page(world, tournament_id, as_of=1)[0]["entry_id"] == last
    assert page(world, tournament_id, as_of=1, view="frozen") == published
    with pytest.raises(NotFound):
        page(world, tournament_id, as_of=2, view="frozen")
    with pytest.raises(Invalid):
        page(world, tournament_id, house=False, view="frozen")
