"""A page of matches costs what a page costs, however many the tournament has."""

from __future__ import annotations

import pytest
from sqlalchemy import event

from baohuang.api.services import tables
from baohuang.api.services.principal import ANONYMOUS


@pytest.fixture
def plan(sqlite_world):
    """How SQLite finds a page of a tournament's matches."""
    seen = []

    def note(_connection, _cursor, statement, parameters, *_rest):
        seen.append((statement, parameters))

    def of(tournament_id, **wanted):
        with sqlite_world.database.read() as session:
            tables.search_matches(session, ANONYMOUS, tournament_id, ("0",), 50, **wanted)
            statement, parameters = seen[-1]
            connection = session.connection()
            found = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            return " / ".join(row[-1] for row in found)

    event.listen(sqlite_world.database.engine, "before_cursor_execute", note)
    yield of
    event.remove(sqlite_world.database.engine, "before_cursor_execute", note)


@pytest.mark.parametrize("wanted", [{}, {"status": "finished"}], ids=["all", "status"])
def test_they_are_read_in_their_order(sqlite_world, plan, wanted):
    steps = plan(sqlite_world.started(agents=5), **wanted)
    assert "ix_matches_tournament_id" in steps
    assert "TEMP B-TREE" not in steps


@pytest.mark.parametrize(
    ("wanted", "found_by"),
    [({"round": 2}, "(round_id=?)"), ({"entry_id": "x"}, "(table_id=?)")],
    ids=["round", "entry"],
)
def test_of_a_round_or_an_entry_only_these_are_read(sqlite_world, plan, wanted, found_by):
    first, *_ = plan(sqlite_world.started(agents=5), **wanted).split(" / ")
    assert first.startswith("SEARCH matches")
    assert found_by in first


def test_none_of_them_finds_another_tournaments(world):
    tournament_id, (match_id,) = world.playing(agents=5)
    other, _ = world.playing(agents=5)
    (entry, *_) = world.entries(tournament_id)
    for wanted in ({"entry_id": entry.id}, {"agent_id": entry.agent_id}, {"round": 1}):
        assert ids(world, tournament_id, **wanted) == [match_id]
        assert match_id not in ids(world, other, **wanted)


def ids(world, tournament_id, **wanted):
    page = world.see(tables.search_matches, ANONYMOUS, tournament_id, None, 50, **wanted)
    return [match.id for match in page.items]
