"""The database's history: from nothing to the models and back, on both engines."""

from __future__ import annotations

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from baohuang.api import migrate
from baohuang.api.db import Database
from baohuang.api.models import Agent, Base, Event, Tournament, utc_now
from baohuang.api.services.events import tell

FILLED = (
    "INSERT INTO accounts (id, created_at, version, name, role) VALUES ('a', :now, 1, 'Ada', 'x')",
    """INSERT INTO tokens
    (id, created_at, version, account_id, name, hint, digest, scopes, expires_at)
    VALUES ('t', :now, 1, 'a', 't', 'arn', '00', :scopes, :now)""",
    """INSERT INTO agents (id, created_at, version, owner_id, name, url, status, secret)
    VALUES ('b', :now, 1, 'a', 'b', 'https://b.example/', 'active', '')""",
)


@pytest.fixture
def database(database_url):
    database = Database(database_url)
    yield database
    database.dispose()


def tables(database):
    return set(inspect(database.engine).get_table_names())


def differences(database):
    with database.engine.connect() as connection:
        options = {"compare_type": True, "compare_server_default": True}
        return compare_metadata(MigrationContext.configure(connection, opts=options), Base.metadata)


def test_upgrading_from_nothing_gives_the_models(database):
    migrate.upgrade(database)
    assert differences(database) == []
    assert tables(database) == {"alembic_version", *Base.metadata.tables}


def test_constraints_have_the_names_that_the_models_give_them(database):
    migrate.upgrade(database)
    inspector = inspect(database.engine)
    for table in Base.metadata.sorted_tables:
        named = {constraint.name for constraint in table.constraints}
        found = {inspector.get_pk_constraint(table.name)["name"]}
        for kind in ("get_foreign_keys", "get_unique_constraints", "get_check_constraints"):
            found |= {constraint["name"] for constraint in getattr(inspector, kind)(table.name)}
        assert found == named, table.name


def test_upgrading_again_changes_nothing(database):
    migrate.upgrade(database)
    migrate.upgrade(database)
    with database.engine.connect() as connection:
        assert migrate.current(connection) == migrate.head()


def test_downgrading_leaves_nothing_but_the_bookkeeping(database):
    migrate.upgrade(database)
    migrate.downgrade(database, "base")
    assert tables(database) == {"alembic_version"}
    with database.engine.connect() as connection:
        assert migrate.current(connection) is None


def test_a_filled_database_keeps_its_rows_through_every_step(database):
    migrate.upgrade(database, "0001")
    with Session(database.engine) as session, session.begin():  # there is no audit log yet
        for statement in FILLED:
            session.execute(text(statement), {"now": utc_now(), "scopes": '["agents:read"]'})
    migrate.upgrade(database)
    with database.read() as session:
        counts = [
            session.execute(text(f"SELECT count(*) FROM {name}")).scalar_one()
            for name in ("accounts", "tokens", "agents")
        ]
    assert counts == [1, 1, 1]


TOURNAMENT = """INSERT INTO tournaments
    (id, created_at, version, organizer_id, name, status, rules, format, rounds, deals, capacity,
     house_bot, budget_ms, bank_ms, round_interval_s, tie_breaks, secret, commitment,
     results_count, standings_count)
    VALUES ('c', :now, 1, 'a', 'Cup', 'open', '{}', 'round_robin', 1, 1, 5, 'greedy', 1, 1, 0,
     '[]', '', '', 0, 0)"""


def test_tournaments_from_before_there_were_events_have_no_delay_and_begin_with_event_1(database):
    migrate.upgrade(database, "0003")
    with Session(database.engine) as session, session.begin():
        session.execute(text(FILLED[0]), {"now": utc_now()})
        session.execute(text(TOURNAMENT), {"now": utc_now()})
    migrate.upgrade(database)
    with database.begin() as session:
        assert session.get_one(Tournament, "c").spectator_delay_s == 0
        tell(session, "c", "tournament.paused")
    with database.read() as session:
        (event,) = session.scalars(select(Event))
        assert (event.seq, event.public_seq) == (1, 1)


def test_foreign_keys_hold_after_migrating(database):
    migrate.upgrade(database)
    with pytest.raises(IntegrityError), database.begin() as session:
        session.add(Agent(owner_id="0" * 26, name="b", url="https://b.example/", secret=b"s"))


def test_an_empty_database_has_no_revision(database):
    with database.engine.connect() as connection:
        assert migrate.current(connection) is None


def test_history_is_one_line():
    script = ScriptDirectory.from_config(migrate.alembic_config())
    assert len(script.get_heads()) == 1
    assert all(len(revision.nextrev) <= 1 for revision in script.walk_revisions())
