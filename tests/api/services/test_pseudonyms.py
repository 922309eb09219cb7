"""Pseudonyms: who sits where is the judges' alone until a round has ended."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import select

from baohuang.api.models import Event, Match, Round, RulingKind, Seat, Table
from baohuang.api.services import (
    entries,
    fairness,
    pseudonyms,
    records,
    round_results,
    rulings,
    standings,
    tables,
)
from baohuang.api.services.principal import ANONYMOUS
from baohuang.api.services.ruling_case import Ask

from .playing import claimed, play

PLAYERS = [f"player {n}" for n in range(1, 6)]


@pytest.fixture
def tournament_id(world):
    """Ten agents of anna's, two rounds of two tables, the first one open."""
    made = world.started(10, capacity=10, rounds=2, deals=1, pseudonyms=True)
    world.open_next(made)
    return made


def ids(world, number=1):
    with world.database.read() as session:
        query = (
            select(Match.id)
            .join(Round, Round.id == Match.round_id)
            .join(Table, Table.id == Match.table_id)
            .where(Round.number == number)
            .order_by(Table.number)
        )
        return list(session.scalars(query))


def who(world, name):
    return ANONYMOUS if name is None else world.people[name]


def seats(world, match_id, name=None):
    found = world.see(tables.find_match, who(world, name), match_id)["seats"]
    return [(seat["entry_id"], seat["name"], seat["player"]) for seat in found]


def at_tables(world, tournament_id, name=None):
    page = world.see(tables.search_tables, who(world, name), tournament_id, 1, None, 100)
    return [(seat["entry_id"], seat["name"]) for table in page.items for seat in table["seats"]]


def names(world, tournament_id):
    return {entry.name for entry in world.entries(tournament_id)}


@pytest.mark.parametrize("name", [None, "anna", "bert", "oskar"])
def test_nobody_sees_who_sits_where_while_a_round_runs(world, tournament_id, name):
    first, second = ids(world)
    claimed(world, first)
    for match_id in (first, second):
        assert seats(world, match_id, name) == [(None, player, None) for player in PLAYERS]
    assert at_tables(world, tournament_id, name) == []


@pytest.mark.parametrize("name", ["olga", "ada", "arne"])
def test_the_judges_do(world, tournament_id, name):
    world.person("arne", "arbiter")
    found = {name for _, name in at_tables(world, tournament_id, name)}
    assert found == names(world, tournament_id)
    first = ids(world)[0]
    claimed(world, first)
    shown = seats(world, first, name)
    assert {name for _, name, _ in shown} < names(world, tournament_id)
    assert all(player["agent_id"] for _, _, player in shown)


@pytest.mark.parametrize("name", ["olga", "arne"])
def test_the_bots_of_judges_see_no_more_than_others(world, tournament_id, name):
    """A token to play with says nothing of the tables, whoever's it is."""
    world.person("arne", "arbiter")
    judge = world.people[name]
    world.people["bot"] = replace(judge, scopes=frozenset({"agents:play", "entries:write"}))
    assert at_tables(world, tournament_id, "bot") == []
    assert len(at_tables(world, tournament_id, name)) == 10


def test_names_are_shown_when_the_round_has_ended(world, tournament_id):
    first, second = ids(world)
    play(world, first)
    assert seats(world, first)[0][:2] == (None, "player 1")  # the other table still plays
    play(world, second)
    world.close_rounds()
    assert {name for _, name, _ in seats(world, first)} < names(world, tournament_id)
    assert {name for _, name in at_tables(world, tournament_id)} == names(world, tournament_id)


def test_records_have_no_names_until_then(world, tournament_id):
    first, second = ids(world)
    play(world, first)
    assert world.see(records.of_match, ANONYMOUS, first)["seats"] == PLAYERS
    (listed,) = world.see(records.of_tournament, ANONYMOUS, tournament_id).items
    assert listed["seats"] == PLAYERS
    known = world.see(records.of_match, who(world, "olga"), first)["seats"]
    assert set(known) < names(world, tournament_id)
    play(world, second)
    world.close_rounds()
    assert world.see(records.of_match, ANONYMOUS, first)["seats"] == known
    pages = world.see(records.of_tournament, ANONYMOUS, tournament_id)
    assert pages.items[0]["seats"] == known


def test_no_event_says_it(world, tournament_id):
    entry = world.entries(tournament_id)[0]
    world.do(entries.withdraw, "anna", entry.id, entry.version)
    for match_id in ids(world):
        claimed(world, match_id)
    with world.database.read() as session:
        told = list(session.scalars(select(Event).where(Event.match_id.is_not(None))))
        seated_at = session.scalar(select(Seat.seat).where(Seat.entry_id == entry.id))
    seated = [event.payload["seats"] for event in told if event.kind == "match.seated"]
    assert seated == [[{"entry_id": None, "name": name} for name in PLAYERS]] * 2
    (stand_ins,) = [event.payload["seats"] for event in told if event.kind == "match.stand_ins"]
    assert stand_ins == [{"seat": seated_at, "entry_id": None, "house_bot": "greedy"}]


def test_standings_and_certificate_wait_for_the_end_of_the_round(world, tournament_id):
    first, second = ids(world)
    play(world, first)
    with world.database.begin() as session:
        standings.refresh(session, tournament_id)
    for options in ({}, {"as_of": 1}, {"house": False}):
        page = world.see(standings.rows, ANONYMOUS, tournament_id, None, 100, **options)
        assert {row["deals"] for row in page.items} == {0}
    assert world.see(fairness.certificate, ANONYMOUS, tournament_id)["rounds"] == 0
    before = world.see(fairness.tag, ANONYMOUS, tournament_id)
    play(world, second)
    world.close_rounds()
    assert world.see(fairness.certificate, ANONYMOUS, tournament_id)["rounds"] == 1
    assert world.see(fairness.tag, ANONYMOUS, tournament_id) != before


def test_a_cancelled_tournament_hides_nothing(world, tournament_id):
    world.act("cancel", tournament_id)
    assert {name for _, name in at_tables(world, tournament_id)} == names(world, tournament_id)


def test_names_are_shown_where_the_organizer_wants_nothing_else(world):
    made = world.started(5, capacity=5, rounds=1)
    world.open_next(made)
    assert {name for _, name in at_tables(world, made)} == names(world, made)


def test_a_name_tells_the_seat_and_nothing_else():
    rows = [{"seat": n, "entry_id": f"e{n}", "name": "x", "points": n} for n in range(5)]
    shown = pseudonyms.masked(rows)
    assert [row["name"] for row in shown] == PLAYERS
    assert [row["points"] for row in shown] == [0, 1, 2, 3, 4]


def test_neither_results_nor_filters_tell_who_sits_where(world, tournament_id):
    first, second = ids(world)
    play(world, first)
    hers = world.entries(tournament_id)[0].id

    def of(name=None):
        found = world.see(round_results.of_round, who(world, name), tournament_id, 1)["matches"]
        (played,) = [match["results"] for match in found if match["results"]]
        return played

    def filtered(name=None, **wanted):
        page = world.see(
            tables.search_matches, who(world, name), tournament_id, None, 100, **wanted
        )
        return {match.id for match in page.items}

    for result, judged in zip(of(), of("olga"), strict=True):
        assert (result["entry_id"], result["agent_id"], result["house_bot"]) == (None, None, None)
        assert result["name"] in PLAYERS
        assert result["points"] == judged.points
        assert judged.name in names(world, tournament_id)
    assert filtered(entry_id=hers) == set()
    assert len(filtered("olga", entry_id=hers)) == 1
    assert filtered(status="queued") == {second}


def test_a_seating_by_hand_says_it_when_its_round_has_ended(world, tournament_id):
    for match_id in ids(world):
        play(world, match_id)
    world.close_rounds()
    entrants = [entry.id for entry in world.entries(tournament_id)]
    by_hand = [entrants[:5], entrants[5:]]
    ask = Ask(RulingKind.SEAT, "the hall is small", tables=by_hand)
    made = world.do(rulings.make, "olga", tournament_id, ask)

    def told(name=None):
        (listed,) = world.see(rulings.search, who(world, name), tournament_id, None, 9).items
        found = world.see(rulings.find, who(world, name), made.id)
        shown = [row if isinstance(row, dict) else row._mapping for row in (listed, found)]
        assert shown[0] == shown[1]
        return shown[0]["details"]

    for opens in (lambda: None, lambda: world.open_next(tournament_id)):
        opens()
        assert told() == told("anna") == {"byes": [], "out": [], "others": "bye"}
        assert told("olga")["tables"] == by_hand
    for match_id in ids(world, 2):
        play(world, match_id)
    world.close_rounds()
    assert told()["tables"] == by_hand
