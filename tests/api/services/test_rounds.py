"""Rounds open once, at their time, as anybody can draw them again; and they close."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import combinations

import pytest
from sqlalchemy import event, func, select, update

from baohuang.api.errors import NotFound
from baohuang.api.models import Agent, Entry, Match, Round, Seat, Table, Tournament, utc_now
from baohuang.api.services import entries, history, rounds, standings
from baohuang.engine.draw import Draw, seats_key
from baohuang.engine.tournament.formats import FORMATS
from baohuang.engine.tournament.scheme import NeedsAttention
from baohuang.engine.tournament.seating import schedule

from .playing import finish
from .racing import race


def due(world):
    with world.database.read() as session:
        return rounds.due(session)


def close(world):
    return world.close_rounds()


def finish_all(world, opened):
    for match_id in opened:
        finish(world, match_id)


def seating(world, tournament_id, number):
    """[table][seat] -> entry id."""
    with world.database.read() as session:
        rows = session.execute(
            select(Table.number, Seat.entry_id)
            .join(Seat, Seat.table_id == Table.id)
            .join(Round, Round.id == Table.round_id)
            .where(Round.tournament_id == tournament_id, Round.number == number)
            .order_by(Table.number, Seat.seat)
        ).all()
    return [[entry for _, entry in rows[i : i + 5]] for i in range(0, len(rows), 5)]


def test_a_started_tournament_is_due_and_an_opened_round_is_not_due_again(world):
    tournament_id = world.started()
    assert due(world) == [tournament_id]
    assert len(world.open_next(tournament_id)) == 1
    assert due(world) == []
    assert world.open_next(tournament_id) == []


def test_of_two_openers_at_once_one_opens_the_round(world):
    tournament_id = world.started(agents=8)
    first, second = race(*[lambda: world.open_next(tournament_id)] * 2)
    assert sorted([len(first), len(second)]) == [0, 2]
    with world.database.read() as session:
        assert session.scalar(select(func.count()).select_from(Round)) == 1
        assert session.scalar(select(func.count()).select_from(Match)) == 2
        assert session.scalar(select(func.count()).select_from(Seat)) == 10


def test_everybody_sits_once_a_round_and_meets_as_drawn(world):
    tournament_id = world.started(agents=25, rounds=6, capacity=25)
    met = Counter()
    for number in range(1, 7):
        finish_all(world, world.open_next(tournament_id))
        close(world)
        tables = seating(world, tournament_id, number)
        assert len({entry for table in tables for entry in table}) == 25
        met.update(frozenset(pair) for table in tables for pair in combinations(table, 2))
    assert set(met.values()) == {1}, "25 entries meet exactly once in 6 rounds"
    assert len(met) == 300


def test_the_seats_follow_from_the_secret_and_the_entrants_alone(world):
    tournament_id, _ = world.playing(agents=25, rounds=6, capacity=25)
    tournament = world.tournament(tournament_id)
    with world.database.read() as session:
        ids = sorted(session.scalars(select(Entry.id)))
    key = seats_key(world.vault.open(tournament.secret), bytes.fromhex(tournament.entrants_hash))
    expected = schedule(ids, 6, Draw(key, "round/1/seats"), keep_apart=[ids]).rounds
    assert seating(world, tournament_id, 1) == [list(table) for table in expected[0]]


def test_boards_are_named_after_tournament_round_and_table(world):
    tournament_id, opened = world.playing(agents=10)
    with world.database.read() as session:
        boards = [session.get_one(Match, match_id).board for match_id in opened]
    assert boards == [f"{tournament_id}/1/1", f"{tournament_id}/1/2"]


def test_lots_are_drawn_with_the_first_round_and_stay(world):
    tournament_id, opened = world.playing(agents=9)
    tournament = world.tournament(tournament_id)

    def lots():
        with world.database.read() as session:
            return dict(session.execute(select(Entry.id, Entry.lot)).all())

    first = lots()
    key = seats_key(world.vault.open(tournament.secret), bytes.fromhex(tournament.entrants_hash))
    assert first == {x: Draw(key, f"standings/lot/{x}").below(2**31) for x in first}
    finish_all(world, opened)
    close(world)
    world.open_next(tournament_id)
    assert lots() == first


def test_a_round_closes_with_its_last_match(world):
    tournament_id, (first, second) = world.playing(agents=10)
    finish(world, first)
    assert close(world) == []
    finish(world, second)
    assert close(world) == [tournament_id]
    assert close(world) == []
    assert due(world) == [tournament_id]


def test_two_closers_at_once_close_once(world):
    tournament_id, opened = world.playing(agents=5)
    finish_all(world, opened)
    closed = race(*[lambda: close(world)] * 2)
    assert sorted(closed) == [[], [tournament_id]]


def test_the_next_round_waits_for_the_interval(world, monkeypatch):
    tournament_id, opened = world.playing(round_interval_s=3600)
    finish_all(world, opened)
    close(world)
    assert due(world) == []
    assert world.open_next(tournament_id) == []
    later = utc_now() + timedelta(seconds=3601)
    monkeypatch.setattr(rounds, "utc_now", lambda: later)
    assert due(world) == [tournament_id]
    assert len(world.open_next(tournament_id)) == 1


def test_the_last_round_finishes_the_tournament(world):
    tournament_id = world.started(rounds=2)
    for _ in range(2):
        finish_all(world, world.open_next(tournament_id))
        close(world)
    ended = world.tournament(tournament_id)
    assert ended.status == "finished"
    assert ended.finished_at is not None
    assert ended.next_round_at is None
    assert due(world) == []


@pytest.mark.parametrize("action", ["pause", "cancel"])
def test_no_round_opens_or_closes_while_a_tournament_does_not_run(world, action):
    tournament_id, opened = world.playing(agents=5)
    finish_all(world, opened)
    world.act(action, tournament_id)
    assert close(world) == []
    assert due(world) == []
    assert world.open_next(tournament_id) == []


def test_a_paused_tournament_goes_on_where_it_was(world):
    tournament_id, opened = world.playing(agents=5)
    world.act("pause", tournament_id)
    world.act("resume", tournament_id)
    finish_all(world, opened)
    assert close(world) == [tournament_id]


def test_a_round_that_cannot_be_seated_needs_attention_and_is_tried_after_it(world, monkeypatch):
    tournament_id = world.started()

    class Stuck:
        name, known, most_entries = "stuck", (), None

        def options(self, raw):
            return dict(raw)

        def rounds_total(self, options, entries):
            return 2

        def next_round(self, state):
            return NeedsAttention("nobody may meet anybody")

    with monkeypatch.context() as patch:
        patch.setitem(FORMATS, "round_robin", Stuck())
        assert world.open_next(tournament_id) == []
    stuck = world.tournament(tournament_id)
    assert stuck.status == "needs_attention"
    assert stuck.status_reason == "Round 1 cannot be seated: nobody may meet anybody"
    world.act("resume", tournament_id)
    assert due(world) == [tournament_id]
    assert len(world.open_next(tournament_id)) == 1


def test_a_round_may_be_drawn_in_advance(world):
    tournament_id = world.started(agents=8)
    with world.database.read() as session:
        drawn = rounds.draw_next(session, world.vault, tournament_id)
    with world.database.begin() as session:
        assert len(rounds.open_next(session, world.vault, tournament_id, drawn)) == 2
    assert seating(world, tournament_id, 1) == [list(t) for t in drawn.decision.round.tables]


def test_a_draw_that_is_out_of_date_is_made_again(world):
    tournament_id = world.started(agents=8, rounds=3)
    with world.database.read() as session:
        old = rounds.draw_next(session, world.vault, tournament_id)
    finish_all(world, world.open_next(tournament_id))
    close(world)
    with world.database.begin() as session:
        assert len(rounds.open_next(session, world.vault, tournament_id, old)) == 2
    with world.database.read() as session:
        assert session.scalars(select(Round.number).order_by(Round.number)).all() == [1, 2]


def test_a_tournament_that_every_agent_has_left_ends_and_says_so(world):
    tournament_id, opened = world.playing(agents=2, rounds=5)
    with world.database.begin() as session:
        left = session.scalars(select(Entry).where(Entry.agent_id.is_not(None))).all()
        for entry in left:
            entries.withdraw(session, world.people["anna"], entry.id, entry.version)
    finish_all(world, opened)
    close(world)
    assert world.open_next(tournament_id) == []
    ended = world.tournament(tournament_id)
    assert (ended.status, ended.status_reason) == ("finished", "Every agent has withdrawn.")


FORMAT_SETTINGS = {
    "single_table": {"rounds": 3, "capacity": 9},
    "round_robin": {"rounds": 3},
    "swiss": {"rounds": 3, "format_options": {"first_round": "pots"}},
    "knockout": {"rounds": None, "format_options": {
        "group_rounds": 1, "stage_rounds": 1, "final_rounds": 1}},
    "ladder": {"rounds": 3},
}  # fmt: skip


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format_can_be_played_to_its_end(world, name):
    agents = 5 if name == "single_table" else 12
    tournament_id = world.started(agents, format=name, **FORMAT_SETTINGS[name])
    sizes = []
    while world.tournament(tournament_id).status == "running":
        opened = world.open_next(tournament_id)
        sizes.append(len(opened))
        finish_all(world, opened)
        close(world)
    assert world.tournament(tournament_id).status == "finished"
    assert world.tournament(tournament_id).rounds == len(sizes)
    assert sizes == {"single_table": [1, 1, 1], "knockout": [3, 2, 1]}.get(name, [3, 3, 3])


def test_a_knockout_ranks_who_came_farther_before_who_has_more_points(world):
    tournament_id = world.started(12, format="knockout", **FORMAT_SETTINGS["knockout"])
    for _ in range(3):
        finish_all(world, world.open_next(tournament_id))
        close(world)
    with world.database.read() as session:
        table = standings.rows(session, world.people["anna"], tournament_id, None, 100).items
        outs = session.scalars(select(Round.out).order_by(Round.number)).all()
    assert [len(out) for out in outs] == [0, 12 - 10, 12 - 5]
    final = {entry for sitting in seating(world, tournament_id, 3) for entry in sitting}
    assert {row["entry_id"] for row in table[:5]} == final


def test_a_format_knows_what_decides_in_the_standings(world):
    """Whoever goes on in a knockout goes on by them."""
    tournament_id, _ = world.playing(agents=5)
    with world.database.read() as session:
        tournament = session.get(Tournament, tournament_id)
        state = history.state(session, tournament)
        lots = dict(session.execute(select(Entry.id, Entry.lot)).all())
        assert list(state.tie_breaks) == tournament.tie_breaks == ["firsts", "average_place", "lot"]
        assert state.scoring == tournament.scoring == "points"
    assert {entry: state.lot(entry) for entry in lots} == lots
    assert len(set(lots.values())) == 5


def test_a_single_table_of_seven_has_byes_and_no_house_bots(world):
    tournament_id = world.started(agents=7, format="single_table", rounds=7, capacity=9)
    byes = Counter()
    with world.database.read() as session:
        everybody = set(session.scalars(select(Entry.id)))
    assert len(everybody) == 7
    for number in range(1, 8):
        finish_all(world, world.open_next(tournament_id))
        close(world)
        (table,) = seating(world, tournament_id, number)
        byes.update(everybody - set(table))
    assert set(byes.values()) == {2}, "seven rounds, two byes each"
    assert world.tournament(tournament_id).status == "finished"


def test_rounds_are_listed_and_found_by_number(world):
    tournament_id, opened = world.playing(agents=5)
    finish_all(world, opened)
    close(world)
    world.open_next(tournament_id)
    anna = world.people["anna"]
    with world.database.read() as session:
        page = rounds.search(session, anna, tournament_id, None, 10)
        assert [(row.number, row.status) for row in page.items] == [
            (1, "finished"),
            (2, "running"),
        ]
        assert rounds.find(session, anna, tournament_id, 2).status == "running"
        with pytest.raises(NotFound):
            rounds.find(session, anna, tournament_id, 3)


def test_the_version_rises_with_each_round_so_that_readers_notice(world):
    tournament_id = world.started()
    versions = [world.tournament(tournament_id).version]
    finish_all(world, world.open_next(tournament_id))
    versions.append(world.tournament(tournament_id).version)
    close(world)
    versions.append(world.tournament(tournament_id).version)
    assert versions == sorted(set(versions))
    with world.database.read() as session:
        assert session.get_one(Tournament, tournament_id).next_round_at is not None


def test_a_match_is_claimed_and_finished_without_the_schedule_which_is_big_in_a_big_field(world):
    _, (match_id,) = world.playing(agents=5, format="round_robin", rounds=2)
    asked = []
    event.listen(world.database.engine, "before_cursor_execute", lambda *a: asked.append(a[2]))
    finish(world, match_id)
    assert asked
    assert [statement for statement in asked if "tournaments.course" in statement] == []


LADDER = {"format": "ladder", "rounds": None}


def set_agents(world, status):
    with world.database.begin() as session:
        session.execute(update(Agent).values(status=status))


def ladder_after_round_1(world):
    tournament_id, (match_id,) = world.playing(agents=3, **LADDER)
    finish(world, match_id)
    world.close_rounds()
    return tournament_id


def test_a_ladder_whose_agents_are_all_retired_finishes(world):
    tournament_id = ladder_after_round_1(world)
    set_agents(world, "retired")
    assert world.see(rounds.due) == [tournament_id]
    assert world.open_next(tournament_id) == []
    ended = world.tournament(tournament_id)
    assert (ended.status, ended.status_reason) == (
        "finished", "Every agent has withdrawn or is retired.",
    )  # fmt: skip


@pytest.mark.parametrize("status", ["paused", "unverified"])
def test_a_ladder_whose_agents_all_pause_waits_for_one_of_them(world, status):
    tournament_id = ladder_after_round_1(world)
    set_agents(world, status)
    assert world.open_next(tournament_id) == []
    stopped = world.tournament(tournament_id)
    assert stopped.status == "needs_attention"
    assert "no agent is active" in stopped.status_reason
    set_agents(world, "active")
    world.act("resume", tournament_id)
    assert len(world.open_next(tournament_id)) == 1


def test_a_ladder_goes_on_while_one_of_its_agents_plays(world):
    tournament_id = ladder_after_round_1(world)
    with world.database.begin() as session:
        still = session.scalars(select(Agent.id).limit(1)).one()
        session.execute(update(Agent).where(Agent.id != still).values(status="retired"))
    assert len(world.open_next(tournament_id)) == 1


def test_rounds_that_are_counted_are_played_by_stand_ins_while_agents_pause(world):
    tournament_id, (match_id,) = world.playing(agents=3, rounds=2)
    finish(world, match_id)
    world.close_rounds()
    set_agents(world, "paused")
    assert len(world.open_next(tournament_id)) == 1
