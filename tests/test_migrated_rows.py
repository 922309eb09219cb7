"""Rows that are there when a revision comes: each step with a filled database of its time."""

from __future__ import annotations

import pytest
from sqlalchemy import MetaData, select

from baohuang.api import migrate
from baohuang.api.db import Database
from baohuang.api.models import utc_now


@pytest.fixture
def database(database_url):
    database = Database(database_url)
    yield database
    database.dispose()


def tables_of(database):
    """The tables as they are at the moment: today's models know more columns."""
    found = MetaData()
    with database.engine.connect() as connection:
        found.reflect(connection)
    return found.tables


def insert(database, table, **values):
    """Add a row; columns that are not named and must have a value get one of their type."""
    found = tables_of(database)[table]
    needed = (c for c in found.columns if not c.nullable and c.server_default is None)
    given = {c.name: something(c) for c in needed} | values
    with database.engine.begin() as connection:
        connection.execute(found.insert(), given)


def something(column):
    kind = type(column.type).__name__
    if kind in ("DATETIME", "TIMESTAMP"):
        return utc_now()
    values = {"VARCHAR": "x", "BYTEA": b"x", "BLOB": b"x", "JSON": [], "JSONB": []}
    return values.get(kind, 1)


def rows(database, table, key, *columns):
    """key -> the other columns, of all rows."""
    found = tables_of(database)[table].columns
    with database.engine.connect() as connection:
        made = connection.execute(select(found[key], *(found[name] for name in columns)))
        return {row[0]: tuple(row[1:]) for row in made}


def test_0012_entries_of_started_tournaments_took_part_from_the_first_round_on(database):
    migrate.upgrade(database, "0011")
    insert(database, "accounts", id="o", name="Olga")
    insert(database, "agents", id="g", owner_id="o", url="https://b.example/")
    for tournament, entrants_hash in (("open", None), ("going", "00")):
        insert(
            database, "tournaments", id=tournament, organizer_id="o", entrants_hash=entrants_hash
        )
    insert(database, "entries", id="a", tournament_id="open", name="a", status="entered")
    going = {"tournament_id": "going", "status": "entered"}
    insert(database, "entries", **going, id="b", name="b", agent_id="g")
    insert(database, "entries", **going | {"status": "withdrawn"}, id="c", name="c")
    insert(database, "entries", **going, id="d", name="d", house_bot="greedy")
    for number in (1, 2):
        insert(database, "rounds", id=f"r{number}", tournament_id="going", number=number)
    insert(database, "tables", id="t", round_id="r1", number=1)
    insert(database, "matches", id="m", tournament_id="going", round_id="r1", table_id="t")
    for seat, entry in enumerate("bd"):
        played = {"match_id": "m", "seat": seat, "entry_id": entry}
        insert(database, "results", **played, tournament_id="going")
    migrate.upgrade(database, "0012")
    assert rows(database, "entries", "id", "joined", "left", "absent") == {
        "a": (None, None, []),
        "b": (1, None, []),
        "c": (1, 3, []),
        "d": (1, None, []),
    }
    assert rows(database, "results", "entry_id", "agent_id", "house_bot", "stand_in") == {
        "b": ("g", None, False),
        "d": (None, "greedy", False),
    }
    assert rows(database, "tournaments", "id", "no_show")["going"] == ("house_bot",)
    migrate.downgrade(database, "0011")
    states = rows(database, "entries", "id", "status")
    assert states == {"a": ("entered",), "b": ("entered",), "c": ("withdrawn",), "d": ("entered",)}


def test_0019_hands_come_from_records_and_a_table_of_several_matches_becomes_several(
    database,
):
    migrate.upgrade(database, "0018")
    insert(database, "accounts", id="o", name="Olga")
    insert(database, "tournaments", id="cup", organizer_id="o")
    insert(database, "rounds", id="r", tournament_id="cup", number=1)
    insert(database, "tables", id="t", round_id="r", number=1)
    entries = list("abcde")
    for seat, entry in enumerate(entries):
        insert(database, "entries", id=entry, tournament_id="cup", name=entry)
        insert(database, "seats", table_id="t", seat=seat, entry_id=entry)
    deal = {"number": 2, "attempt": 1, "first": 3, "result": "scored", "emperor": 3, "guard": 0,
            "solo": None, "scores": [1, -1, -1, 2, -1], "places": [1, 3, 4, 2, 5]}  # fmt: skip
    record = {"deals": [{**deal, "result": "redeal"}, deal]}
    place = {"tournament_id": "cup", "round_id": "r", "table_id": "t"}
    insert(database, "matches", id="m", **place, board="cup/1/1", record=record)
    for seat, entry in enumerate(entries):
        played = {"match_id": "m", "seat": seat, "entry_id": entry}
        insert(database, "results", **played, tournament_id="cup")
    migrate.upgrade(database, "0019")
    assert rows(database, "results", "seat", "hands") == {
        0: ([[2, 1, 2, 1, 1, "guard", None]],),
        1: ([[2, 1, 3, -1, 3, "rebel", None]],),
        2: ([[2, 1, 4, -1, 4, "rebel", None]],),
        3: ([[2, 1, 0, 2, 2, "emperor", None]],),
        4: ([[2, 1, 1, -1, 5, "rebel", None]],),
    }
    assert rows(database, "matches", "id", "sitting") == {"m": (0,)}
    insert(database, "matches", id="n", **place, board="cup/1/1", sitting=1)
    migrate.downgrade(database, "0018")
    (own,) = rows(database, "tables", "id").keys() - {"t"}
    assert rows(database, "matches", "id", "table_id") == {"m": ("t",), "n": (own,)}
    assert rows(database, "tables", "id", "round_id", "number", "replays")[own] == ("r", 2, 1)
    seats = tables_of(database)["seats"]
    with database.engine.connect() as connection:
        moved = select(seats.c.entry_id).where(seats.c.table_id == own).order_by(seats.c.seat)
        assert connection.execute(moved).scalars().all() == list("eabcd")


def test_0017_what_an_agent_is_called_by_is_its_first_version_and_goes_back(database):
    migrate.upgrade(database, "0016")
    insert(database, "accounts", id="o", name="Olga")
    insert(
        database, "agents", id="a", owner_id="o", name="a", url="https://a.example/",
        status="active", secret=b"new", previous_secret=b"old", previous_secret_until=utc_now(),
    )  # fmt: skip
    insert(database, "agents", id="b", owner_id="o", name="b", status="unverified", secret=b"s")
    migrate.upgrade(database, "0017")
    kept = ("number", "url", "status", "secret", "previous_secret", "shadow")
    found = rows(database, "agent_versions", "agent_id", *kept)
    assert found == {
        "a": (1, "https://a.example/", "verified", b"new", b"old", False),
        "b": (1, None, "unverified", b"s", None, False),
    }
    assert rows(database, "agents", "id", "current") == {"a": (1,), "b": (1,)}
    insert(
        database, "agent_versions", id="v", agent_id="a", number=2, url="https://two.example/",
        status="verified", secret=b"two",
    )  # fmt: skip
    with database.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE agents SET current = 2 WHERE id = 'a'")
    migrate.downgrade(database, "0016")
    assert rows(database, "agents", "id", "url", "secret", "previous_secret") == {
        "a": ("https://two.example/", b"two", None),
        "b": (None, b"s", None),
    }


def test_0035_rounds_that_are_there_were_drawn_by_the_first_version_of_the_drawing(database):
    migrate.upgrade(database, "0034")
    insert(database, "accounts", id="o", name="Olga")
    insert(database, "tournaments", id="cup", organizer_id="o")
    insert(database, "rounds", id="r", tournament_id="cup", number=1)
    migrate.upgrade(database, "0035")
    assert rows(database, "rounds", "id", "drawing") == {"r": (1,)}
    insert(database, "rounds", id="s", tournament_id="cup", number=2, drawing=2)
    migrate.downgrade(database, "0034")
    assert rows(database, "rounds", "id", "number") == {"r": (1,), "s": (2,)}
