"""An agent's matches: which, in what order, and no sooner than the tournaments' own lists tell."""

from __future__ import annotations

import pytest
from sqlalchemy import event

from baohuang.api.errors import NotFound
from baohuang.api.services import agent_matches, entries, practices, tables
from baohuang.api.services.principal import ANONYMOUS

from .playing import FakeMatch, deal, finish, play

SCORES = (6, 1, 0, -2, -5)


def listed(world, agent_id, name="anna", after=None, limit=100):
    return world.see(agent_matches.search, world.people[name], agent_id, after, limit)


def rows(world, agent_id, name="anna"):
    return {row["id"]: row for row in listed(world, agent_id, name).items}


def took(world, agent_id, match_id, name="anna"):
    row = rows(world, agent_id, name)[match_id]
    return row["points"], row["penalty"]


def practised(world, owner, *seats):
    chosen = [{"agent_id": seat} for seat in seats]
    wish = practices.Wish("lianzhong-simple", deals=1, seats=chosen)
    with world.database.begin() as session:
        return practices.create(session, world.vault, world.people[owner], wish)


def seat_of(world, match_id, entry_id):
    seats = world.see(tables.find_match, world.people["olga"], match_id)["seats"]
    (seat,) = [seat["seat"] for seat in seats if seat["entry_id"] == entry_id]
    return seat


def test_matches_of_tournaments_and_practice_come_the_newest_first(world):
    tournament_id, (first,) = world.playing(agents=5, rounds=2, deals=1)
    hers = world.entries(tournament_id)[0].agent_id
    second = practised(world, "anna", hers)
    finish(world, first)
    world.close_rounds()
    (third,) = world.open_next(tournament_id)
    page = listed(world, hers)
    assert [row["id"] for row in page.items] == [third, second, first]
    assert [(row["tournament"], row["round"]) for row in page.items] == [
        ("Spring cup", 2), (None, None), ("Spring cup", 1)
    ]  # fmt: skip
    begin = listed(world, hers, limit=2)
    rest = listed(world, hers, after=begin.after, limit=2)
    assert [row["id"] for row in (*begin.items, *rest.items)] == [third, second, first]
    assert rest.after is None


def test_points_are_those_of_the_agents_own_seat(world):
    tournament_id, (match_id,) = world.playing(agents=5, deals=1)
    hers = world.entries(tournament_id)[2]
    assert took(world, hers.agent_id, match_id) == (None, None)
    seat = seat_of(world, match_id, hers.id)
    penalties = [-40 if each == seat else 0 for each in range(5)]
    finish(world, match_id, FakeMatch([deal(SCORES)], penalties))
    assert took(world, hers.agent_id, match_id) == (SCORES[seat], -40)


def test_who_had_a_stand_in_took_nothing(world):
    tournament_id, (match_id,) = world.playing(agents=5, deals=1)
    gone = world.entries(tournament_id)[0]
    world.do(entries.withdraw, "anna", gone.id, gone.version)
    finish(world, match_id, FakeMatch([deal(SCORES)]))
    assert took(world, gone.agent_id, match_id) == (None, None)


def test_a_practice_match_counts_all_the_seats_of_the_agent(world):
    hers = world.agent("anna", "mover")
    match_id = practised(world, "anna", hers, hers)
    assert took(world, hers, match_id) == (None, None)
    play(world, match_id)
    seats = world.see(tables.find_match, world.people["anna"], match_id)["seats"][:2]
    expected = tuple(sum(seat[name] for seat in seats) for name in ("points", "penalty"))
    assert took(world, hers, match_id) == expected


def test_of_practice_only_what_the_agent_plays_is_there(world):
    hers, other = world.agent("anna", "mover"), world.agent("anna", "other")
    match_id = practised(world, "anna", other)
    assert rows(world, hers) == {}
    assert set(rows(world, other)) == {match_id}


@pytest.mark.parametrize("name", ["bert", "olga", "oskar"])
def test_nobody_else_has_the_list(world, name):
    tournament_id, _ = world.playing(agents=5)
    with pytest.raises(NotFound):
        listed(world, world.entries(tournament_id)[0].agent_id, name)
    with pytest.raises(NotFound):
        world.see(
            agent_matches.search, ANONYMOUS, world.entries(tournament_id)[0].agent_id, None, 9
        )


@pytest.mark.parametrize("name", ["anna", "ada"])
def test_under_pseudonyms_a_round_is_told_when_it_has_ended(world, name):
    """As the filter of the tournament's own list has it, which anybody may read."""
    tournament_id, ids = world.playing(10, capacity=10, rounds=2, deals=1, pseudonyms=True)
    hers = [entry.agent_id for entry in world.entries(tournament_id)]

    def told():
        return {match for agent_id in hers for match in rows(world, agent_id, name)}

    def public():
        found = [
            world.see(tables.search_matches, ANONYMOUS, tournament_id, None, 9, agent_id=agent_id)
            for agent_id in hers
        ]
        return {match.id for page in found for match in page.items}

    practice = practised(world, "anna", hers[0])
    finish(world, ids[0])
    assert told() - {practice} == public() == set()
    finish(world, ids[1])
    world.close_rounds()
    assert told() - {practice} == public() == set(ids)
    world.open_next(tournament_id)
    assert told() - {practice} == public() == set(ids)
    world.act("cancel", tournament_id)
    assert told() - {practice} == public() > set(ids)


@pytest.mark.parametrize("shared", [True, False], ids=["shared", "apart"])
def test_points_wait_for_the_last_table_with_these_cards(world, shared):
    tournament_id, (first, second) = world.playing(
        agents=10, capacity=10, rounds=2, deals=1,
        format_options={"shared_boards": shared, "effort": 1},
    )  # fmt: skip
    finish(world, first, FakeMatch([deal(SCORES)]))
    at_table = {
        entry.agent_id: seat
        for entry in world.entries(tournament_id)
        for seat in world.see(tables.find_match, ANONYMOUS, first)["seats"]
        if seat["entry_id"] == entry.id
    }
    assert len(at_table) == 5
    for agent_id, seat in at_table.items():
        assert took(world, agent_id, first) == (seat["points"], seat["penalty"])
        assert (seat["points"] is None) is shared
        assert took(world, agent_id, first, "ada")[0] == SCORES[seat["seat"]]
        assert rows(world, agent_id)[first]["board"] is None
    finish(world, second)
    for agent_id, seat in at_table.items():
        assert took(world, agent_id, first) == (SCORES[seat["seat"]], 0)


def test_only_the_agents_own_are_read(sqlite_world):
    """Of a thousand matches of others SQLite looks at none."""
    hers = sqlite_world.agent("anna", "mover")
    seen = []

    def note(_connection, _cursor, statement, parameters, *_rest):
        seen.append((statement, parameters))

    event.listen(sqlite_world.database.engine, "before_cursor_execute", note)
    with sqlite_world.database.read() as session:
        agent_matches.search(session, sqlite_world.people["anna"], hers, ("7",), 50)
        (listing,) = [each for each in seen if "UNION ALL" in each[0]]
        connection = session.connection()
        found = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {listing[0]}", listing[1])
        steps = [row[-1] for row in found]
    event.remove(sqlite_world.database.engine, "before_cursor_execute", note)
    assert any("ix_entries_agent_id" in step for step in steps), steps
    assert any("ix_practice_seats_agent_id" in step for step in steps), steps
    assert any("ix_seats_entry_id" in step for step in steps), steps
    assert not any(step.startswith("SCAN") for step in steps), steps
