"""Transactions are all or nothing, readers cannot write, UPDATEs check the version themselves."""

from __future__ import annotations

import time

import pytest
from sqlalchemy import bindparam, literal_column, select, table, text
from sqlalchemy.exc import DBAPIError, IntegrityError

from baohuang.api.db import Database, db_now
from baohuang.api.errors import Conflict, NotFound, PreconditionFailed
from baohuang.api.models import Account, Agent, CustomRuleSet
from baohuang.api.prepared import Prepared
from baohuang.api.services.paging import page_of
from baohuang.api.services.rows import get_row, lock_row, unique, update_versioned

from .support import race


@pytest.fixture
def account_id(database):
    with database.begin() as session:
        account = Account(name="Ada", role="author")
        session.add(account)
        session.flush()
        return account.id


def names(database):
    with database.read() as session:
        return list(session.scalars(select(Account.name).order_by(Account.name)))


def add(session, name="Ada"):
    session.add(Account(name=name, role="author"))
    session.flush()


def test_what_raises_leaves_nothing(database):
    def work():
        with database.begin() as session:
            add(session)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        work()
    assert names(database) == []


def test_a_reader_cannot_write(database):
    with pytest.raises(DBAPIError), database.read() as session:
        add(session)
    assert names(database) == []


def test_a_snapshot_sees_one_state_streams_and_cannot_write(database):
    with database.begin() as session:
        add(session)
    with database.snapshot() as session:
        streamed = select(Account.name).execution_options(yield_per=1)
        assert list(session.scalars(streamed)) == ["Ada"]
        with database.begin() as other:
            other.add(Account(name="Bob", role="author"))
        assert list(session.scalars(streamed)) == ["Ada"]
    assert names(database) == ["Ada", "Bob"]
    with pytest.raises(DBAPIError), database.snapshot() as session:
        add(session)


def test_a_peek_sees_what_is_committed_and_may_go_on_as_a_reader(database, account_id):
    name = Prepared(select(Account.name).where(Account.id == bindparam("id")))
    with database.peek() as session:
        assert name.first(session, id=account_id) == ("Ada",)
        with database.begin() as writing:
            writing.get_one(Account, account_id).name = "Bea"
        assert name.first(session, id=account_id) == ("Bea",)
        assert get_row(session, Account, account_id).name == "Bea"
        with pytest.raises(DBAPIError):
            add(session)
    assert names(database) == ["Bea"]


def test_what_the_driver_refuses_is_an_error_of_sqlalchemys(database):
    nothing = Prepared(select(literal_column("1 / x")).select_from(table("nowhere")))
    with pytest.raises(DBAPIError), database.peek() as session:
        nothing.rows(session)
    with pytest.raises(DBAPIError), database.read() as session:
        nothing.rows(session)


def test_after_a_reader_the_same_connection_can_write(database):
    for number in range(20):
        names(database)
        with database.begin() as session:
            session.add(Account(name=f"{number:02}", role="author"))
    assert len(names(database)) == 20


def test_a_row_is_usable_after_the_commit(database):
    with database.begin() as session:
        account = Account(name="Ada", role="author")
        session.add(account)
    assert account.name == "Ada"


def test_foreign_keys_are_enforced(database):
    with pytest.raises(IntegrityError), database.begin() as session:
        session.add(Agent(owner_id="0" * 26, name="a", url="u", secret=b""))


def test_the_error_of_a_statement_does_not_tell_its_values(database):
    with pytest.raises(IntegrityError) as refused, database.begin() as session:
        session.add(Agent(owner_id="0" * 26, name="secret-name", url="http://x/", secret=b"whsec"))
    assert "secret-name" not in str(refused.value)
    assert "whsec" not in str(refused.value)


def test_the_databases_clock_is_in_seconds_and_runs(database):
    with database.read() as session:
        first = db_now(session)
        assert abs(first - time.time()) < 5
        time.sleep(0.02)
        assert db_now(session) > first


def test_reading_first_and_writing_afterwards_never_fails_half_way(database, account_id):
    """F14 of the measurements: with a plain BEGIN most of these would say "database is locked"."""

    def count_up(_number):
        for _ in range(10):
            with database.begin() as session:
                account = lock_row(session, Account, account_id)
                account.version += 1

    race(count_up, 8)
    with database.read() as session:
        assert get_row(session, Account, account_id).version == 81


def test_json_columns_hold_what_was_put_in(database, account_id):
    value = {"text": "保皇 🂡", "list": [1, None, True, 1.5], "deep": {"a": {"b": []}}}
    with database.begin() as session:
        row = CustomRuleSet(owner_id=account_id, name="x", preset="p", overrides=value, options={})
        session.add(row)
    with database.read() as session:
        assert session.scalar(select(CustomRuleSet.overrides)) == value


def test_a_version_is_raised_by_every_change(database, account_id):
    with database.begin() as session:
        assert update_versioned(session, Account, account_id, 1, name="Bea").version == 2
        assert update_versioned(session, Account, account_id, 2, name="Cyd").name == "Cyd"


def test_a_stale_version_changes_nothing(database, account_id):
    with pytest.raises(PreconditionFailed), database.begin() as session:
        update_versioned(session, Account, account_id, 2, name="Bea")
    assert names(database) == ["Ada"]


def test_no_row_is_not_found(database):
    with database.begin() as session:
        for attempt in (
            lambda: get_row(session, Account, "x"),
            lambda: lock_row(session, Account, "x"),
            lambda: update_versioned(session, Account, "x", 1, name="Bea"),
        ):
            with pytest.raises(NotFound, match="account"):
                attempt()


def test_a_taken_name_is_a_conflict_at_its_place(database, account_id):
    with pytest.raises(Conflict) as error, database.begin() as session, unique("/name"):
        add(session)
    assert error.value.errors[0][:2] == ("/name", "taken")


def test_other_broken_constraints_are_not_called_taken(database, account_id):
    with pytest.raises(IntegrityError), database.begin() as session, unique("/name"):
        add(session, name=None)


def test_pages_by_several_keys(database):
    with database.begin() as session:
        for role, name in [("b", "1"), ("a", "2"), ("b", "3"), ("a", "4"), ("c", "5")]:
            session.add(Account(name=name, role=role))
    keys = [Account.role, Account.name]

    def walk(limit, **options):
        seen, after = [], None
        with database.read() as session:
            while True:
                page = page_of(session, select(Account), keys, after, limit, **options)
                seen += [row.name for row in page.items]
                after = page.after
                if after is None:
                    return seen

    for limit in (1, 2, 3, 5, 6):
        assert walk(limit) == ["2", "4", "1", "3", "5"]
        assert walk(limit, descending=True) == ["5", "3", "1", "4", "2"]


def test_postgresql_by_its_short_name(postgres_arena):
    short = postgres_arena.replace("postgresql+psycopg", "postgres")
    database = Database(short)
    with database.read() as session:
        assert session.execute(text("SELECT 1")).scalar() == 1
    database.dispose()


def test_sqlite_waits_for_nobody_when_it_reads(sqlite_arena):
    database = Database(sqlite_arena)
    with database.begin() as session:
        add(session)
        assert names(database) == []
    assert names(database) == ["Ada"]
    database.dispose()
