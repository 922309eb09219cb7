"""Standings: what the engine makes of the results, kept, filtered and dated."""

from __future__ import annotations

from itertools import pairwise

import pytest
from sqlalchemy import func, select

from baohuang.api.errors import NotFound
from baohuang.api.models import Entry, Result, RulingKind, Standing
from baohuang.api.services import entries, lifecycle, rounds, rulings, standings
from baohuang.api.services.principal import ANONYMOUS
from baohuang.api.services.ruling_case import Ask

from .playing import FakeMatch, claimed, deal, finish


@pytest.fixture
def played(world):
    """Two rounds of two tables: seven agents, three house bots. Seat 0 always takes 4 from all."""
    tournament_id = world.started(agents=7, rounds=3)
    for _ in range(2):
        for match_id in world.open_next(tournament_id):
            finish(world, match_id, FakeMatch(deals_done=[deal([4, -1, -1, -1, -1])]))
        world.close_rounds()
    return tournament_id


def rows(world, tournament_id, **options):
    with world.database.read() as session:
        page = standings.rows(session, world.people["anna"], tournament_id, None, 100, **options)
    return list(page.items)


def results_by_hand(world, tournament_id):
    """entry id -> points, from the seats: 4 for seat 0, minus 1 for the others."""
    totals = {}
    with world.database.read() as session:
        for entry in session.scalars(select(Entry).where(Entry.tournament_id == tournament_id)):
            seats = entry_seats(session, entry.id)
            totals[entry.id] = sum(4 if seat == 0 else -1 for seat in seats)
    return totals


def entry_seats(session, entry_id):
    return session.scalars(select(Result.seat).where(Result.entry_id == entry_id)).all()


def test_points_are_those_of_the_matches_and_add_up_to_nothing(world, played):
    table = rows(world, played)
    assert {row["entry_id"]: row["points"] for row in table} == results_by_hand(world, played)
    assert sum(row["points"] for row in table) == 0
    assert all(row["points"] == row["scored"] + row["penalty"] for row in table)


def test_the_best_is_first_and_positions_have_no_gaps(world, played):
    table = rows(world, played)
    assert [row["position"] for row in table] == list(range(1, 11))
    points = [row["points"] for row in table]
    assert points == sorted(points, reverse=True)


def test_the_lot_decides_what_nothing_else_does(world, played):
    with world.database.read() as session:
        lots = dict(session.execute(select(Entry.id, Entry.lot)).all())
    table = rows(world, played)
    assert not any(row["shared"] for row in table)
    for better, worse in pairwise(table):
        same = ("points", "places")
        if [better[name] for name in same] == [worse[name] for name in same]:
            assert lots[better["entry_id"]] < lots[worse["entry_id"]]


def test_the_stored_rows_are_what_the_engine_makes_of_the_results(world, played):
    with world.database.read() as session:
        made = standings.compute(session, world.tournament(played))
    stored = rows(world, played)
    assert [row.to_json() for row in made] == [
        {name: row[name] for name in made[0].to_json()} for row in stored
    ]


def test_house_bots_are_marked_and_can_be_left_out(world, played):
    everybody = rows(world, played)
    assert [row["house"] for row in everybody].count(True) == 3
    assert {row["name"] for row in everybody if row["house"]} == {"greedy", "greedy 2", "greedy 3"}
    guests = rows(world, played, house=False)
    assert [row["rank"] for row in guests] == list(range(1, 8))
    assert [row["entry_id"] for row in guests] == [
        row["entry_id"] for row in everybody if not row["house"]
    ]


def test_standings_of_an_earlier_round_stay_what_they_were(world):
    tournament_id = world.started(agents=5, rounds=2)
    before = {}
    for number in (1, 2):
        (match_id,) = world.open_next(tournament_id)
        finish(world, match_id, FakeMatch(deals_done=[deal([8, -2, -2, -2, -2])]))
        world.close_rounds()
        before[number] = rows(world, tournament_id)
    assert rows(world, tournament_id, as_of=1) == before[1]
    assert rows(world, tournament_id, as_of=2) == before[2]
    assert before[1] != before[2]


def test_a_desertion_costs_the_deserter_alone(world):
    tournament_id, (match_id,) = world.playing(agents=5)
    seats = [plan.entry_id for plan in claimed(world, match_id, lease_s=-1).seats]
    finish(world, match_id, FakeMatch(penalties=[0, 0, -40, 0, 0]))
    with world.database.begin() as session:
        standings.refresh(session, tournament_id)
    table = {row["entry_id"]: row for row in rows(world, tournament_id)}
    deserter = table[seats[2]]
    assert (deserter["scored"], deserter["penalty"], deserter["points"]) == (-1, -40, -41)
    assert sum(row["points"] for row in table.values()) == -40
    assert sum(row["scored"] for row in table.values()) == 0


def test_deals_that_do_not_count_leave_no_trace(world):
    tournament_id, (match_id,) = world.playing(agents=5)
    uncounted = deal([9, 9, 9, 9, -36], result="uncounted")
    finish(world, match_id, FakeMatch(deals_done=[uncounted]))
    with world.database.begin() as session:
        standings.refresh(session, tournament_id)
    assert {(row["points"], row["deals"]) for row in rows(world, tournament_id)} == {(0, 0)}


def test_old_standings_are_known_to_be_old(world):
    tournament_id, (match_id,) = world.playing(agents=5)

    def dirty():
        with world.database.read() as session:
            return standings.dirty(session)

    assert dirty() == []
    finish(world, match_id)
    assert dirty() == [tournament_id]
    with world.database.begin() as session:
        standings.refresh(session, tournament_id)
    assert dirty() == []


def test_the_tag_changes_with_every_result_refresh_and_withdrawal(world):
    tournament_id, (match_id,) = world.playing(agents=5)
    anna = world.people["anna"]
    tags = []

    def note():
        with world.database.read() as session:
            tags.append(lifecycle.glance(session, anna, tournament_id).tag)

    note()
    finish(world, match_id)
    note()
    with world.database.begin() as session:
        standings.refresh(session, tournament_id)
    note()
    with world.database.begin() as session:
        first = entries.search(session, anna, tournament_id, None, 1).items[0]
        entries.withdraw(session, anna, first.id, first.version)
    note()
    assert len(set(tags)) == 4
    assert [row["status"] for row in rows(world, tournament_id)].count("withdrawn") == 1


def test_refreshing_twice_keeps_one_set_of_rows(world, played):
    for _ in range(2):
        with world.database.begin() as session:
            standings.refresh(session, played)
    with world.database.read() as session:
        assert session.scalar(select(func.count()).select_from(Standing)) == 10


def test_pages_join_without_gaps(world, played):
    anna, got, after = world.people["anna"], [], None
    for options in ({}, {"house": False}):
        got, after = [], None
        while True:
            with world.database.read() as session:
                page = standings.rows(session, anna, played, after, 3, **options)
            got += page.items
            after = page.after
            if after is None:
                break
        assert got == rows(world, played, **options)


def test_a_drafts_standings_are_as_hidden_as_the_draft(world):
    tournament_id = world.draft()
    with pytest.raises(NotFound):
        rows(world, tournament_id)


def test_before_the_first_round_there_are_none(world):
    assert rows(world, world.started()) == []


def stored(world, tournament_id):
    page = world.see(standings.rows, ANONYMOUS, tournament_id, None, 100)
    return {row["entry_id"]: row["points"] for row in page.items}


def test_standings_worked_out_beforehand_are_stored_though_more_has_finished_since(world):
    tournament_id, (first, second) = world.playing(agents=10)
    finish(world, first, FakeMatch(deals_done=[deal([4, -1, -1, -1, -1])]))
    made = world.see(standings.make, tournament_id)
    finish(world, second, FakeMatch(deals_done=[deal([4, -1, -1, -1, -1])]))
    with world.database.begin() as session:
        standings.catch_up(session, made)
    assert sorted(stored(world, tournament_id).values()) == [-1] * 4 + [0] * 5 + [4]
    assert world.see(standings.dirty) == [tournament_id], "the second match is still to come"
    with world.database.begin() as session:
        standings.catch_up(session, made)  # again, and too late: nothing is taken back
        standings.refresh(session, tournament_id, made)
        standings.catch_up(session, made)
    assert sorted(stored(world, tournament_id).values()) == [-1] * 8 + [4] * 2
    assert world.see(standings.dirty) == []


def test_standings_from_before_a_ruling_are_not_stored(world):
    tournament_id, (first, _) = world.playing(agents=10)
    finish(world, first, FakeMatch(deals_done=[deal([4, -1, -1, -1, -1])]))
    made = world.see(standings.make, tournament_id)
    with world.database.begin() as session:
        ask = Ask(RulingKind.ANNUL, "not so", match_id=first)
        rulings.make(session, world.people["olga"], tournament_id, ask)
    with world.database.begin() as session:
        standings.catch_up(session, made)
        standings.refresh(session, tournament_id, made)
    assert set(stored(world, tournament_id).values()) == {0}


HIDDEN = [{}, {"pseudonyms": True}, {"format_options": {"shared_boards": True, "effort": 1}}]


@pytest.mark.parametrize("settings", HIDDEN, ids=["told", "pseudonyms", "shared"])
def test_standings_worked_out_before_a_round_closes_spare_the_work_under_the_lock(
    sqlite_world, monkeypatch, settings
):
    """Also where nothing is told of a round before: they are made as they will be then."""
    world = sqlite_world
    tournament_id, (first, second) = world.playing(agents=10, deals=1, **settings)
    for match_id in (first, second):
        finish(world, match_id, FakeMatch(deals_done=[deal([4, -1, -1, -1, -1])]))
    made = world.see(standings.make, tournament_id, closing=True)
    worked_out = []

    def counting(*args, **more):
        worked_out.append(args)
        return standing(*args, **more)

    standing = standings.ranking.standings
    monkeypatch.setattr(standings.ranking, "standings", counting)
    with world.database.begin() as session:
        assert rounds.close(session, tournament_id, made)
    assert worked_out == []
    for how in ({}, {"view": "frozen"}):
        points = [row["points"] for row in rows(world, tournament_id, **how)]
        assert points == [4] * 2 + [-1] * 8
    with world.database.read() as session:
        again = standings.compute(session, world.tournament(tournament_id))
    assert again == made.rows


def test_what_is_made_for_a_closing_is_not_stored_before(sqlite_world):
    """While a round hides its names, standings are those before it."""
    world = sqlite_world
    tournament_id, (first, _) = world.playing(agents=10, deals=1, pseudonyms=True)
    finish(world, first, FakeMatch(deals_done=[deal([4, -1, -1, -1, -1])]))
    made = world.see(standings.make, tournament_id, closing=True)
    with world.database.begin() as session:
        standings.refresh(session, tournament_id, made)
    assert set(stored(world, tournament_id).values()) == {0}


def rule_out(world, tournament_id, match_id):
    ask = Ask(RulingKind.ANNUL, "not so", match_id=match_id)
    return world.do(rulings.make, "olga", tournament_id, ask)


def test_a_ruling_on_few_matches_is_in_the_standings_at_once(world):
    tournament_id, (first, _) = world.playing(agents=10)
    finish(world, first, FakeMatch(deals_done=[deal([4, -1, -1, -1, -1])]))
    rule_out(world, tournament_id, first)
    assert set(stored(world, tournament_id).values()) == {0}
    assert (world.see(standings.dirty), world.see(standings.wrong)) == ([], set())


def test_big_standings_follow_a_ruling_when_a_timer_has_made_them_outside_of_the_lock(
    world, monkeypatch
):
    monkeypatch.setattr(standings, "FEW", 0)
    tournament_id, (first, _) = world.playing(agents=10)
    finish(world, first, FakeMatch(deals_done=[deal([4, -1, -1, -1, -1])]))
    with world.database.begin() as session:
        standings.refresh(session, tournament_id)
    anna = world.people["anna"]
    before = world.see(lifecycle.glance, anna, tournament_id).tag
    with monkeypatch.context() as patched:
        patched.setattr(standings, "make_sheets", None)  # nothing is worked out in it
        undone = rule_out(world, tournament_id, first)
    assert max(stored(world, tournament_id).values()) == 4
    assert (world.see(standings.dirty), world.see(standings.wrong)) == (
        [tournament_id],
        {tournament_id},
    )
    made = world.see(standings.make, tournament_id)
    world.do(rulings.make, "olga", tournament_id, Ask(RulingKind.UNDO, "so", ruling_id=undone.id))
    with world.database.begin() as session:
        standings.catch_up(session, made)  # of before the second ruling
    assert world.see(standings.wrong) == {tournament_id}
    made = world.see(standings.make, tournament_id)
    with world.database.begin() as session:
        standings.catch_up(session, made)
    assert sorted(stored(world, tournament_id).values()) == [-1] * 4 + [0] * 5 + [4]
    assert (world.see(standings.dirty), world.see(standings.wrong)) == ([], set())
    assert world.see(lifecycle.glance, anna, tournament_id).tag != before
