"""The report on one-sided help, from the stored hands of a tournament."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from baohuang.api.errors import Forbidden, NotFound
from baohuang.api.models import Entry, Result
from baohuang.api.services import collusion
from baohuang.engine.tournament.collusion import LEAST

from .playing import play


def report(world, tournament_id, who="olga"):
    return world.see(collusion.report, world.people[who], tournament_id)


@pytest.fixture
def tournament_id(sqlite_world):
    """Ten entries, two rounds of two tables that share two boards, each replayed five times."""
    world = sqlite_world
    made = world.started(
        10, capacity=10, rounds=2, deals=2, format_options={"boards": 5, "shared_boards": True}
    )
    for _ in range(2):
        for match_id in world.open_next(made):
            play(world, match_id, agents="greedy")
        world.close_rounds()
    return made


def gifts(world, tournament_id, helper, helped, points):
    """As if the one had passed so many points to the other in every deal that both were in."""
    with world.database.begin() as session:
        rows = session.scalars(select(Result).where(Result.tournament_id == tournament_id)).all()
        tables = {}
        for row in rows:
            tables.setdefault(row.match_id, {})[row.entry_id] = row
        for at in tables.values():
            if helper in at and helped in at:
                for entry, sign in ((helper, -1), (helped, 1)):
                    hands = [[*h[:3], h[3] + sign * points, *h[4:]] for h in at[entry].hands]
                    session.execute(
                        update(Result)
                        .where(Result.match_id == at[entry].match_id)
                        .where(Result.seat == at[entry].seat)
                        .values(hands=hands)
                    )


def test_boards_and_hands_are_counted_and_few_meetings_are_not_tested(sqlite_world, tournament_id):
    found = report(sqlite_world, tournament_id)
    assert found["boards"] == 2 * 2 * 2  # rounds, tables, deals; five replays count once
    assert found["hands"] == 2 * 2 * 2 * 5 * 5
    assert found["compared_hands"] == found["hands"]
    assert (found["tested"], found["pairs"], found["suspicious"]) == (0, [], 0)
    assert found["untested"] > 0
    assert found["least_boards"] == LEAST


def test_help_is_reported_with_names_and_owners(sqlite_world, tournament_id, monkeypatch):
    monkeypatch.setattr("baohuang.engine.tournament.collusion.LEAST", 2)
    world = sqlite_world
    helper = world.entries(tournament_id)[3]
    helped = partner(world, tournament_id, helper.id)
    gifts(world, tournament_id, helper.id, helped.id, 500)
    pairs = report(world, tournament_id)["pairs"]
    sides = [(pair["helper"]["entry_id"], pair["helped"]["entry_id"]) for pair in pairs]
    pair = pairs[sides.index((helper.id, helped.id))]
    assert (pair["helper"]["name"], pair["helped"]["name"]) == (helper.name, helped.name)
    assert pair["same_owner"]  # all are anna's
    assert pair["gain"] > 100
    assert pair["cost"] > 100
    assert pair["chance"] <= pair["adjusted_chance"] <= 1


def met_and_parted(world, tournament_id, one, other):
    with world.database.read() as session:
        rows = session.execute(
            select(Result.match_id, Result.entry_id).where(Result.tournament_id == tournament_id)
        ).all()
    matches = {}
    for match_id, entry in rows:
        matches.setdefault(match_id, set()).add(entry)
    both = [at for at in matches.values() if {one, other} <= at]
    alone = [at for at in matches.values() if len({one, other} & at) == 1]
    return bool(both) and bool(alone)


def partner(world, tournament_id, one):
    """An entry that sat with it in one round and not in the other."""
    others = [entry for entry in world.entries(tournament_id) if entry.id != one]
    return next(e for e in others if met_and_parted(world, tournament_id, one, e.id))


def test_organizer_arbiters_and_admins_may_see_it_and_nobody_else(sqlite_world, tournament_id):
    world = sqlite_world
    world.person("arne", "arbiter")
    for who in ("olga", "arne", "ada"):
        assert report(world, tournament_id, who)["boards"] == 8
    for who in ("anna", "oskar"):
        with pytest.raises(Forbidden):
            report(world, tournament_id, who)
    with pytest.raises(NotFound):
        report(world, "01ARZ3NDEKTSV4RRFFQ69G5FAV")


def test_who_was_replaced_by_a_stand_in_is_not_judged_by_it(sqlite_world, tournament_id):
    world = sqlite_world
    with world.database.begin() as session:
        entry = session.scalars(select(Entry.id).where(Entry.agent_id.is_not(None))).first()
        session.execute(update(Result).where(Result.entry_id == entry).values(stand_in=True))
    assert report(world, tournament_id)["boards"] == 4  # its table of each round is left out
