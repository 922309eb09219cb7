"""The audit log: every change once, in its transaction, and nothing can be changed afterwards."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from sqlalchemy import delete, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from baohuang.api.db import Database
from baohuang.api.models import (
    Account,
    AuditHead,
    AuditRow,
    Match,
    Role,
    Tournament,
    new_id,
)
from baohuang.api.services import audit, tournaments
from baohuang.api.services.audit import Head
from baohuang.api.trail import GENESIS, Origin, acting, note, row_hash

from .conftest import World
from .playing import finish
from .watching import seen, watch


def rows(database: Database, **wanted: object) -> list[AuditRow]:
    with database.read() as session:
        return list(session.scalars(select(AuditRow).filter_by(**wanted).order_by(AuditRow.seq)))


def count(database: Database) -> int:
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(AuditRow)) or 0


def account(database: Database, name: str = "Ada") -> str:
    with database.begin() as session:
        made = Account(name=name, role=Role.AUTHOR)
        session.add(made)
        session.flush()
        return made.id


def test_a_row_is_hashed_with_the_hash_before_it():
    row = {"seq": 1, "at": datetime(2026, 1, 31, 12, tzinfo=UTC), "payload": {"b": 1, "a": "é"}}
    text_ = '{"at":"2026-01-31T12:00:00.000000Z","payload":{"a":"é","b":1},"seq":1}'
    expected = sha256(bytes(32) + text_.encode()).hexdigest()
    assert row_hash(GENESIS, {**row, "hash": "not part of it"}) == expected


def test_a_new_thing_and_its_change_are_two_rows(database):
    account_id = account(database)
    with database.begin() as session:
        session.get_one(Account, account_id).name = "Ada L."
    made, changed = rows(database, object_id=account_id)
    assert (made.action, made.kind, made.before, made.seq) == ("create", "account", None, 1)
    assert made.payload["name"] == "Ada"
    assert (changed.action, changed.before) == ("change", made.after)
    assert changed.payload == {"name": "Ada L."}
    assert changed.after != made.after


def test_bulk_statements_are_noticed_as_well(database):
    ids = [account(database, name) for name in ("Ada", "Bob", "Cyd")]
    with database.begin() as session:
        session.execute(update(Account).where(Account.name > "B").values(role="organizer"))
        new = {"id": new_id(), "name": "Dan", "role": "author"}
        session.execute(insert(Account), [new])
        session.execute(update(Account), [{"id": ids[0], "name": "Ann"}])
    with database.begin() as session:
        session.execute(delete(Account.__table__).where(Account.name == "Dan"))
    told = [(row.action, row.object_id) for row in rows(database)[3:]]
    ada, bob, cyd = ids
    assert sorted(told) == sorted(
        [("change", bob), ("change", cyd), ("create", new["id"]), ("change", ada),
         ("delete", new["id"])]
    )  # fmt: skip


def test_one_transaction_tells_of_a_thing_once_and_of_nothing_that_it_undid(database):
    account_id = account(database)
    with database.begin() as session:
        found = session.get_one(Account, account_id)
        for name in ("Bea", "Cleo", "Ada"):
            found.name = name
            session.flush()
        nested = session.begin_nested()
        session.add(Account(name="Nobody", role="author"))
        session.flush()
        nested.rollback()
    assert count(database) == 1
    with suppress(ZeroDivisionError), database.begin() as session:
        session.get_one(Account, account_id).name = "Bea"
        session.flush()
        raise ZeroDivisionError
    assert count(database) == 1


def test_rows_say_who_did_it_and_a_note_is_a_row(database):
    with acting(Origin("update_account", "A" * 26, "T" * 26, "r-1")), database.begin() as session:
        note(session, "exported", "tournament", "X" * 26, {"rounds": 3, "share": 0.5})
    (row,) = rows(database)
    assert (row.operation, row.account_id, row.token_id) == ("update_account", "A" * 26, "T" * 26)
    assert (row.request_id, row.action, row.tournament_id) == ("r-1", "exported", "X" * 26)
    assert row.payload == {"rounds": 3, "share": "0.5"}
    account(database)
    assert rows(database)[1].operation == "server"


def test_a_bulk_insert_that_names_no_id_is_refused_not_forgotten(database):
    with pytest.raises(RuntimeError, match="names every id"), database.begin() as session:
        session.execute(insert(Account).values(name="Ada", role="author"))
    assert count(database) == 0


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit SET operation = 'x'",
        "DELETE FROM audit WHERE seq = 1",
        "UPDATE audit SET seq = seq + 10",
    ],
)
def test_the_database_refuses_to_change_the_log(database, statement):
    account(database)
    with pytest.raises(DBAPIError, match="rows of the audit log"), database.begin() as session:
        session.execute(text(statement))
    assert count(database) == 1


def test_postgresql_refuses_to_truncate_and_sqlite_to_replace(database):
    account(database)
    postgres = database.engine.dialect.name == "postgresql"
    replace = "INSERT OR REPLACE INTO audit SELECT * FROM audit"
    with pytest.raises(DBAPIError, match="rows of the audit log"), database.begin() as session:
        session.execute(text("TRUNCATE audit" if postgres else replace))


@pytest.fixture
def long_log(database):
    for name in ("Ada", "Bob", "Cyd", "Dan"):
        account(database, name)
    return database


def tampered(database: Database, *statements: str) -> str | None:
    """Who owns the database can take the triggers away; what `verify` says then."""
    postgres = database.engine.dialect.name == "postgresql"
    off = ["SET LOCAL session_replication_role = replica"]
    if not postgres:
        off = [f"DROP TRIGGER audit_{name}" for name in ("never_changes", "never_shrinks")]
    with database.begin() as session:
        for statement in (*off, *statements):
            session.execute(text(statement))
    with database.read() as session:
        return audit.verify(session).wrong


def test_an_untouched_log_verifies(long_log):
    with long_log.read() as session:
        assert audit.verify(session) == audit.Verified(4)
        head = audit.head(session)
        assert head.seq == 4
        assert audit.verify(session, head).wrong is None
        assert audit.verify(session, Head(2, rows(long_log)[1].hash)).wrong is None


@pytest.mark.parametrize("column", ["operation", "object_id", "action", "after", "hash"])
def test_a_flipped_byte_is_found(long_log, column):
    flipped = f"substr({column}, 1, length({column}) - 1) || 'x'"
    flip = f"UPDATE audit SET {column} = {flipped} WHERE seq = 2"
    assert "row 2 is not as it was written" in (tampered(long_log, flip) or "")


def test_a_flipped_byte_of_the_payload_is_found(long_log):
    payload = json.dumps({**rows(long_log)[2].payload, "name": "Eve"})
    flip = f"UPDATE audit SET payload = '{payload}' WHERE seq = 3"
    assert "row 3 is not as it was written" in (tampered(long_log, flip.replace(":", "\\:")) or "")


def test_a_missing_row_is_found(long_log):
    assert "row 2 is missing" in (tampered(long_log, "DELETE FROM audit WHERE seq = 2") or "")


def test_a_missing_last_row_is_found_by_the_head(long_log):
    wrong = tampered(long_log, "DELETE FROM audit WHERE seq = 4")
    assert wrong == "the log ends with row 3, its head says row 4"


def test_reordered_rows_are_found(long_log):
    swap = [f"UPDATE audit SET seq = {new} WHERE seq = {old}" for old, new in
            ((2, 99), (3, 2), (99, 3))]  # fmt: skip
    assert "row 2 is not as it was written, or not in its place" in (
        tampered(long_log, *swap) or ""
    )


def test_a_log_that_was_cut_together_with_its_head_fails_against_a_kept_head(long_log):
    with long_log.read() as session:
        kept = audit.head(session)
    third = rows(long_log)[2].hash
    cut = ["DELETE FROM audit WHERE seq = 4", f"UPDATE audit_head SET seq = 3, hash = '{third}'"]
    assert tampered(long_log, *cut) is None
    with long_log.read() as session:
        assert "before row 4 of the head" in (audit.verify(session, kept).wrong or "")
        assert "not the one of the head" in (audit.verify(session, Head(3, "00" * 32)).wrong or "")


def test_over_a_whole_tournament_there_are_as_many_rows_as_changes(sqlite_world: World):
    """Counted by triggers of the database (SQLite), which know nothing of sessions."""
    world = sqlite_world
    before = count(world.database)
    watch(world.database)
    tournament_id = world.started(agents=7, rounds=2)
    for _ in range(2):
        for match_id in world.open_next(tournament_id):
            finish(world, match_id)
        world.close_rounds()
    with world.database.read() as session:
        assert session.get_one(Tournament, tournament_id).status == "finished"
        assert audit.verify(session).wrong is None
        kinds = set(session.scalars(select(AuditRow.kind)))
        matches = session.scalar(select(func.count()).select_from(Match)) or 0
        assert session.scalar(select(AuditHead.seq)) == count(world.database)
    assert count(world.database) - before == seen(world.database)
    assert {"tournament", "entry", "round", "match", "agent"} <= kinds
    assert len(rows(world.database, kind="match", action="create")) == matches


def test_secrets_are_in_no_payload(world: World):
    tournament_id = world.started(agents=1)
    with world.database.begin() as session:
        tournaments.pause(session, world.people["olga"], tournament_id)
        secret = session.get_one(Tournament, tournament_id).secret
    shown = " ".join(str(row.payload) for row in rows(world.database))
    assert "whsec_" not in shown
    assert "https://" not in shown
    assert secret.hex() not in shown
    assert secret.decode() not in shown
    assert "'status': 'paused'" in shown
