"""What of a match is shown when: no key before the reveal, no cards that are still in play."""

from __future__ import annotations

import pytest

from baohuang.api.errors import Conflict, Forbidden
from baohuang.api.models import Match
from baohuang.api.services import matches, records, tables

from .playing import Slip, claimed, finish


def record_of(world, match_id, who="bert"):
    with world.database.read() as session:
        return records.of_match(session, world.people[who], match_id)


def test_there_is_no_record_before_the_end_not_even_for_the_organizer(world):
    _, (match_id,) = world.playing(agents=5)
    for code in ("match_queued", "match_running"):
        for who in ("bert", "olga", "ada"):
            with pytest.raises(Conflict) as refused:
                record_of(world, match_id, who)
            assert refused.value.problem_code == code
        if code == "match_queued":
            claimed(world, match_id, lease_s=-1)


def test_the_key_is_null_until_the_tournament_ends_and_there_then(world):
    tournament_id, (match_id,) = world.playing(agents=5, rounds=1)
    finish(world, match_id)
    for who in ("bert", "olga"):
        assert record_of(world, match_id, who)["draw"]["key"] is None
    world.close_rounds()
    assert world.tournament(tournament_id).status == "finished"
    assert record_of(world, match_id)["draw"]["key"] == "4b"


def test_cards_stay_hidden_while_another_table_has_yet_to_play_them(world):
    tournament_id, (first, second) = world.playing(agents=10)
    with world.database.begin() as session:
        session.get_one(Match, second).board = session.get_one(Match, first).board
    finish(world, first)
    with pytest.raises(Conflict) as refused:
        record_of(world, first)
    assert refused.value.problem_code == "board_in_play"
    bert = world.people["bert"]
    with world.database.read() as session:
        assert records.of_tournament(session, bert, tournament_id).items == []
    finish(world, second)
    assert record_of(world, first)["match"] == first


def test_a_tournaments_records_come_by_round_and_table(world):
    tournament_id = world.started(agents=10, rounds=2)
    order = []
    for _ in range(2):
        opened = world.open_next(tournament_id)
        order += opened
        for match_id in reversed(opened):
            finish(world, match_id)
        world.close_rounds()
    got, after = [], None
    while True:
        with world.database.read() as session:
            page = records.of_tournament(session, world.people["bert"], tournament_id, after, 3)
        got += [record["match"] for record in page.items]
        if page.after is None:
            break
        after = page.after
    assert got == order


def test_a_match_shows_its_points_once_it_has_finished(world):
    _, (match_id,) = world.playing(agents=5)

    def seats():
        with world.database.read() as session:
            return tables.find_match(session, world.people["bert"], match_id)["seats"]

    assert [(seat["points"], seat["player"]) for seat in seats()] == [(None, None)] * 5
    finish(world, match_id)
    assert all(seat["player"]["agent_id"] for seat in seats())
    assert [(seat["seat"], seat["points"], seat["penalty"]) for seat in seats()] == [
        (0, 2, 0), (1, 1, 0), (2, -1, 0), (3, -1, 0), (4, -1, 0),
    ]  # fmt: skip


def test_faults_are_for_the_organizer_and_the_agents_owner(world):
    tournament_id = world.opened()
    world.enter(tournament_id, world.agent("anna", "wolf"))
    world.enter(tournament_id, world.agent("bert", "fox"), "bert")
    world.act("start", tournament_id)
    (match_id,) = world.open_next(tournament_id)
    held = claimed(world, match_id)
    seat = {plan.name: number for number, plan in enumerate(held.seats)}

    with world.database.begin() as session:
        log = [(seat["wolf"], "pass", True), (seat["fox"], "pass", True)]
        faults = [Slip(0, seat["wolf"]), Slip(1, seat["fox"])]
        assert matches.checkpoint(session, match_id, held.epoch, 0, log, faults, 60)

    def seen(who):
        with world.database.read() as session:
            page = tables.search_faults(session, world.people[who], match_id, None, 10)
        return [fault.seq for fault in page.items]

    assert seen("olga") == [0, 1]
    assert seen("ada") == [0, 1]
    assert seen("anna") == [0]
    assert seen("bert") == [1]

    with pytest.raises(Forbidden):
        seen("oskar")


def test_tables_list_their_seats_in_playing_order(world):
    tournament_id, opened = world.playing(agents=10)
    with world.database.read() as session:
        page = tables.search_tables(session, world.people["bert"], tournament_id, 1, None, 10)
    assert [table["match_id"] for table in page.items] == opened
    assert [table["number"] for table in page.items] == [1, 2]
    for table in page.items:
        assert [seat["seat"] for seat in table["seats"]] == [0, 1, 2, 3, 4]


def test_matches_are_filtered_by_round_and_state(world):
    tournament_id, opened = world.playing(agents=10)
    finish(world, opened[0])

    def found(**filters):
        with world.database.read() as session:
            page = tables.search_matches(
                session, world.people["bert"], tournament_id, None, 10, **filters
            )
        return {row.id for row in page.items}

    assert found() == set(opened)
    assert found(status="finished") == {opened[0]}
    assert found(round=1) == set(opened)
    assert found(round=2) == set()
