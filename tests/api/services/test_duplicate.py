"""Duplicate: a table plays its boards again, seats moved round; or all tables share them."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import select

from baohuang.api.db import Database
from baohuang.api.errors import Conflict, Invalid
from baohuang.api.models import Match, Result, RulingKind
from baohuang.api.services import (
    archive_check,
    archive_file,
    match_log,
    matches,
    own_seats,
    records,
    rounds,
    rulings,
    standings,
    tables,
)
from baohuang.api.services.principal import ANONYMOUS
from baohuang.api.services.ruling_case import Ask
from baohuang.api.vault import Vault
from baohuang.engine.draw import match_key
from baohuang.engine.tournament import duplicate

from .playing import FakeMatch, claim, claimed, deal, finish, play
from .test_archive import exported, imported

FIVE = {"format": "single_table", "format_options": {"boards": 5}, "deals": 2, "rounds": 1,
        "capacity": 9}  # fmt: skip
SCORES = [(6, 1, 0, -2, -5), (4, 4, -2, -3, -3)]


def boards_of(world, ids):
    """board -> its matches, by sitting."""
    found = defaultdict(dict)
    with world.database.read() as session:
        for match_id in ids:
            match = session.get_one(Match, match_id)
            found[match.board][match.sitting] = match.id
    return found


def entries_of(world, match_id):
    return world.see(match_log.sitting, match_id).entries


def rule(world, tournament_id, kind, **fields):
    with world.database.begin() as session:
        ask = Ask(RulingKind(kind), "a reason", **fields)
        return rulings.make(session, world.people["olga"], tournament_id, ask).replay_id


def test_a_table_plays_every_board_five_times_and_everybody_holds_every_hand(world):
    tournament_id, ids = world.playing(agents=5, **FIVE)
    found = boards_of(world, ids)
    assert found.keys() == {f"{tournament_id}/1/1/1", f"{tournament_id}/1/1/2"}
    for sittings in found.values():
        assert sorted(sittings) == [0, 1, 2, 3, 4]
        had = Counter((x, s) for m in sittings.values() for s, x in enumerate(entries_of(world, m)))
        assert set(had.values()) == {1}
        first, second = (entries_of(world, sittings[k]) for k in (0, 1))
        assert list(second) == [first[4], *first[:4]], "everybody moves one seat on"
    with world.database.read() as session:
        assert {session.get_one(Match, x).deals for x in ids} == {1}


def test_twenty_sittings_are_those_of_the_engine_and_an_owner_knows_his_seat(world):
    _, ids = world.playing(agents=5, **{**FIVE, "format_options": {"boards": 20}, "deals": 1})
    (sittings,) = boards_of(world, ids).values()
    drawn = entries_of(world, sittings[0])
    for k, (a, b) in enumerate(duplicate.maps(20)):
        five = list(entries_of(world, sittings[k]))
        assert five == list(duplicate.moved(drawn, a, b))
        anna = world.people["anna"]
        assert world.see(own_seats.own_seats, anna, sittings[k]) == {0, 1, 2, 3, 4}
        agent = world.see(own_seats.agent_at, sittings[k], 3)
        assert agent.id == world.entry(five[3]).agent_id


def test_the_order_of_matches_does_not_tell_which_of_them_share_cards(world):
    """Twenty matches of a table come in an order of their own, every time."""
    orders = set()
    for _ in range(3):
        _, ids = world.playing(agents=5, **{**FIVE, "deals": 4})
        with world.database.read() as session:
            boards = [session.get_one(Match, x).board.split("/", 1)[1] for x in sorted(ids)]
        orders.add(tuple(boards))
    assert len(orders) == 3
    assert all(list(order) != sorted(order) for order in orders)


def test_shared_boards_are_played_once_by_every_table(world):
    tournament_id, ids = world.playing(agents=10, format_options={"shared_boards": True})
    with world.database.read() as session:
        assert [session.get_one(Match, x).board for x in ids] == [f"{tournament_id}/1"] * 2


def test_replays_of_a_board_are_dealt_the_same_cards(world):
    tournament_id, ids = world.playing(agents=5, **{**FIVE, "deals": 1})
    hands = []
    for match_id in ids:
        play(world, match_id)
        with world.database.read() as session:
            hands.append(session.get_one(Match, match_id).record["deals"][0]["hands"])
    assert all(hands[0] == other for other in hands)
    world.close_rounds()
    assert world.tournament(tournament_id).status == "finished"
    (board,) = boards_of(world, ids)
    with world.database.read() as session:
        secret = world.vault.open(world.tournament(tournament_id).secret)
        record = session.get_one(Match, ids[0]).record
    assert record["draw"]["key"] == match_key(secret, board).hex()


def test_results_belong_to_who_sat_there(world):
    _, ids = world.playing(agents=5, **FIVE)
    for match_id in ids:
        finish(world, match_id, FakeMatch([deal(SCORES[0])]))
        with world.database.read() as session:
            query = select(Result).where(Result.match_id == match_id).order_by(Result.seat)
            rows = session.scalars(query).all()
            line_up = session.get_one(Match, match_id).lineup
        assert [row.points for row in rows] == list(SCORES[0])
        assert [row.entry_id for row in rows] == list(entries_of(world, match_id))
        agents = {e.id: e.agent_id for e in world.entries(rows[0].tournament_id)}
        assert [player["agent_id"] for player in line_up] == [agents[r.entry_id] for r in rows]


def test_a_round_closes_when_all_matches_of_all_tables_have_ended(world):
    tournament_id, ids = world.playing(
        agents=10, **{**FIVE, "format": "round_robin", "rounds": 2, "capacity": 10}
    )
    for match_id in ids[:-1]:
        finish(world, match_id)
    world.close_rounds()
    with world.database.read() as session:
        assert rounds.find(session, ANONYMOUS, tournament_id, 1).status == "running"
    finish(world, ids[-1])
    world.close_rounds()
    with world.database.read() as session:
        assert rounds.find(session, ANONYMOUS, tournament_id, 1).status == "finished"
    assert len(world.open_next(tournament_id)) == 20


def test_an_agent_plays_five_matches_of_its_table_at_once_and_no_more(world):
    _, ids = world.playing(agents=5, **FIVE)
    waiting = sorted(ids)
    assert [x for x, _ in world.see(matches.pending, 100)] == waiting[:5]
    assert all(claim(world, x) is None for x in waiting[5:])
    held = [claimed(world, x) for x in waiting[:5]]
    assert world.see(matches.pending, 100) == []
    with world.database.begin() as session:
        match = FakeMatch()
        assert matches.finish(session, waiting[2], held[2].epoch, match, match.log, [])
        assert matches.next_at_table(session, waiting[2]) == [(waiting[5], -1)]
    assert claim(world, waiting[5]) is not None


def test_luck_cancels_where_hands_are_worth_the_same_to_everybody(world):
    """Each hand makes its own score whoever holds it: all are level, and equal by the board."""
    tournament_id, ids = world.playing(agents=5, **FIVE)
    for match_id in ids:
        finish(world, match_id, FakeMatch([deal(SCORES[0])]))
    world.close_rounds()
    with world.database.read() as session:
        rows = standings.compute(session, session.merge(world.tournament(tournament_id)))
    assert {row.points for row in rows} == {0}
    assert {row.board_difference for row in rows} == {0}
    assert {row.adjusted for row in rows} == {None}


def test_points_above_the_boards_average_rank_first_where_that_is_wanted(world):
    """Two tables, shared cards. Seat 0 holds a hand of 6 at one table, of 4 at the other: +1, -1.
    Seat 1 makes 1 and 4: who made 1 has more points than most and is last by the board.
    """
    tournament_id, (first, second) = world.playing(
        agents=10, rounds=1, scoring="board_difference",
        format_options={"shared_boards": True, "effort": 1},
    )  # fmt: skip
    finish(world, first, FakeMatch([deal(SCORES[0])]))
    finish(world, second, FakeMatch([deal(SCORES[1])]))
    world.close_rounds()
    with world.database.read() as session:
        made = standings.rows(session, ANONYMOUS, tournament_id, None, 100).items
    by_entry = {row["entry_id"]: row for row in made}
    ahead = {
        match: [by_entry[x]["board_difference"] for x in entries_of(world, match)]
        for match in (first, second)
    }
    assert ahead[first] == ["1.0000", "-1.5000", "1.0000", "0.5000", "-1.0000"]
    assert ahead[second] == ["-1.0000", "1.5000", "-1.0000", "-0.5000", "1.0000"]
    order = [row["board_difference"] for row in made]
    assert order == sorted(order, key=float, reverse=True)
    assert by_entry[entries_of(world, first)[1]]["rank"] == 10


def test_boards_are_told_when_the_tournament_has_ended(world):
    tournament_id, ids = world.playing(agents=5, **FIVE)

    def seen():
        with world.database.read() as session:
            found = tables.search_matches(session, ANONYMOUS, tournament_id, None, 100).items
            return {(row.board, row.sitting) for row in found}

    for match_id in ids[:-1]:
        finish(world, match_id)
    assert seen() == {(None, None)}
    finish(world, ids[-1])
    world.close_rounds()
    assert len(seen()) == 10


def test_records_wait_until_no_match_of_the_board_is_to_be_played(world):
    _, ids = world.playing(agents=5, **{**FIVE, "deals": 1})
    *early, last = ids
    for match_id in early:
        finish(world, match_id)
    with pytest.raises(Conflict) as refused:
        world.see(records.of_match, ANONYMOUS, early[0])
    assert refused.value.problem_code == "board_in_play"
    finish(world, last)
    assert world.see(records.of_match, ANONYMOUS, early[0])["match"] == early[0]


def test_a_table_shows_all_its_matches(world):
    tournament_id, ids = world.playing(agents=5, **FIVE)

    def table():
        with world.database.read() as session:
            return tables.search_tables(session, ANONYMOUS, tournament_id, 1, None, 9).items[0]

    assert [match.id for match in table()["matches"]] == sorted(ids)
    assert table()["status"] == "queued"
    finish(world, ids[0])
    assert table()["status"] == "running"
    for match_id in ids[1:]:
        finish(world, match_id)
    assert table()["status"] == "finished"
    assert table()["match_id"] == min(ids)


def test_an_annulled_match_is_not_in_its_boards_average(world):
    tournament_id, ids = world.playing(agents=5, **{**FIVE, "deals": 1})
    (sittings,) = boards_of(world, ids).values()
    for k, match_id in sittings.items():
        finish(world, match_id, FakeMatch([deal(SCORES[1] if k == 4 else SCORES[0])]))
    rule(world, tournament_id, "annul", match_id=sittings[4])
    with world.database.read() as session:
        rows = standings.compute(session, session.merge(world.tournament(tournament_id)))
    assert {row.board_difference for row in rows} == {0}
    assert {row.deals for row in rows} == {4}


def test_a_replay_has_the_same_seats_and_new_cards(world):
    tournament_id, ids = world.playing(agents=5, **FIVE)
    old = boards_of(world, ids)[f"{tournament_id}/1/1/2"][3]
    again = rule(world, tournament_id, "replay", match_id=old)
    assert list(entries_of(world, again)) == list(entries_of(world, old))
    with world.database.read() as session:
        match = session.get_one(Match, again)
    assert (match.deals, match.sitting) == (1, 3)
    assert match.board == f"{tournament_id}/1/2/again"


def played_out(world, **settings):
    tournament_id, ids = world.playing(agents=8, **settings)
    while ids:
        if world.tournament(tournament_id).results_count == 0:
            rule(world, tournament_id, "annul", match_id=ids[3])
            rule(world, tournament_id, "replay", match_id=ids[0])
        with world.database.read() as session:
            waiting = session.scalars(select(Match.id).where(Match.status == "queued")).all()
        for match_id in waiting:
            play(world, match_id)
        world.close_rounds()
        if world.tournament(tournament_id).status != "running":
            return tournament_id
        ids = world.open_next(tournament_id)
    return tournament_id


DUPLICATE = {
    "format": "swiss", "rounds": 2, "deals": 1, "scoring": "board_difference",
    "format_options": {"boards": 5}, "tie_breaks": ["board_difference", "lot"],
}  # fmt: skip


def test_an_archive_is_checked_and_comes_back_the_same(world):
    tournament_id = played_out(world, **DUPLICATE)
    lines = exported(world, tournament_id)
    parsed = archive_file.parse(lines)
    assert [str(found) for found in archive_check.check(parsed)] == []
    tampered = [swapped(line) for line in lines]
    found = {d.what for d in archive_check.check(archive_file.parse(tampered), records=False)}
    assert "the seats are not those of its sitting" in found
    assert "its matches are not those of its boards" in found


def swapped(line):
    """Sittings 1 and 2 exchanged by name."""
    return (
        line.replace(b'"sitting":1', b'"sitting":x')
        .replace(b'"sitting":2', b'"sitting":1')
        .replace(b'"sitting":x', b'"sitting":3')
    )


def test_an_archive_imports_into_an_empty_server(sqlite_world, sqlite_template, tmp_path):
    tournament_id = played_out(sqlite_world, **DUPLICATE)
    lines = exported(sqlite_world, tournament_id)
    file = tmp_path / "target.sqlite3"
    file.write_bytes(sqlite_template.read_bytes())
    target, vault = Database(f"sqlite:///{file}"), Vault(Fernet.generate_key())
    imported(target, vault, lines)
    with target.snapshot() as session:
        assert list(archive_file.export(session, vault, ANONYMOUS, tournament_id)) == lines
        rows = standings.rows(session, ANONYMOUS, tournament_id, None, 100).items
    target.dispose()
    assert any(row["board_difference"] != "0.0000" for row in rows)


@pytest.mark.parametrize(
    ("settings", "pointer"),
    [
        ({"format_options": {"boards": 4}}, "/format_options/boards"),
        ({"format_options": {"boards": 20}, "deals": 51}, "/deals"),
        ({"scoring": "board_difference"}, "/scoring"),
    ],
)
def test_boards_that_make_no_sense_are_refused(world, settings, pointer):
    with pytest.raises(Invalid) as refused:
        world.draft(**settings)
    assert [error.pointer for error in refused.value.errors] == [pointer]
