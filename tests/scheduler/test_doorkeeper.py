"""An API process notes that it answers, as long as requests come in and the database is there."""

import logging
from contextlib import contextmanager

import pytest
from sqlalchemy import select, update
from sqlalchemy.exc import OperationalError

from baohuang.api.models import Door
from baohuang.scheduler.doorkeeper import Doorkeeper
from baohuang.scheduler.serve import Gate


@pytest.fixture
def arena_url(sqlite_arena):
    return sqlite_arena


def rows(database):
    with database.read() as session:
        return [tuple(row) for row in session.execute(select(Door.id, Door.seen))]


def test_one_row_is_kept_up_and_a_new_one_begun_after_a_silence(database):
    keeper = Doorkeeper(database, Gate(None, 1).inside)
    keeper.note()
    ((first, began),) = rows(database)
    keeper.note()
    ((again, seen),) = rows(database)
    assert (again, seen >= began) == (first, True)
    with database.begin() as session:
        session.execute(update(Door).values(since=100.0, seen=200.0))
    keeper.note()
    (old,) = [row for row in rows(database) if row[0] == first]
    assert old[1] == 200.0
    assert len(rows(database)) == 2


def test_a_note_takes_a_requests_place_and_gives_it_back():
    gate, taken = Gate(None, 1), []

    class Away:
        @contextmanager
        def begin(self):
            taken.append(gate._places.empty())
            raise OperationalError("note", {}, Exception("away"))
            yield

    Doorkeeper(Away(), gate.inside).note()
    assert taken == [True]
    assert not gate._places.empty()


def test_a_database_that_is_away_is_told_once(caplog):
    class Away:
        def begin(self):
            raise OperationalError("note", {}, Exception("secret"))

    keeper = Doorkeeper(Away(), Gate(None, 1).inside)
    with caplog.at_level(logging.WARNING):
        keeper.note()
        keeper.note()
    (told,) = caplog.messages
    assert told == "the database does not take notes: OperationalError"
