"""Archives: out of one server, into another, the same standings; hostile ones leave nothing."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import func, select

from baohuang.api.db import Database
from baohuang.api.errors import Conflict
from baohuang.api.models import Account, Base, Match, Role, RulingKind, Seat, Tournament
from baohuang.api.services import (
    appeals,
    archive_check,
    archive_file,
    archive_import,
    attendance,
    entries,
    rulings,
)
from baohuang.api.services.principal import ANONYMOUS
from baohuang.api.services.ruling_case import Ask
from baohuang.api.vault import Vault
from baohuang.engine.tournament.parsing import ArchiveError

from .conftest import World
from .playing import play

Line = dict[str, Any]


def exported(world: World, tournament_id: str) -> list[bytes]:
    with world.database.snapshot() as session:
        return list(archive_file.export(session, world.vault, ANONYMOUS, tournament_id))


def imported(database: Database, vault: Vault, lines: list[bytes]) -> None:
    parsed = archive_file.parse(lines)
    with database.begin() as session:
        owner = Account(name="importer", role=Role.ORGANIZER)
        session.add(owner)
        session.flush()
        archive_import.load(session, vault, parsed, owner)


def rule(world: World, tournament_id: str, kind: str, **fields: Any) -> str:
    with world.database.begin() as session:
        ask = Ask(RulingKind(kind), "as seen", **fields)
        return rulings.make(session, world.people["olga"], tournament_id, ask).id


def finished(world: World) -> str:
    """Ten entries, two rounds, played by bots; a replay, a penalty, an undone annulment."""
    tournament_id = world.started(agents=7, rounds=2, deals=1, appeal_window_s=3600)
    first, second = world.open_next(tournament_id)
    play(world, first)
    play(world, second)
    rule(
        world, tournament_id, "undo", ruling_id=rule(world, tournament_id, "annul", match_id=first)
    )
    rule(world, tournament_id, "replay", match_id=second)
    with world.database.read() as session:
        (again,) = session.scalars(select(Base.metadata.tables["rulings"].c.replay_id).where(
            Base.metadata.tables["rulings"].c.replay_id.is_not(None)))  # fmt: skip
    play(world, again)
    world.close_rounds()
    for match_id in world.open_next(tournament_id):
        play(world, match_id)
    with world.database.read() as session:
        entry = session.scalars(select(Base.metadata.tables["entries"].c.id)).first()
    ruling_id = rule(world, tournament_id, "penalize", entry_id=entry, round=1, points=-9)
    appealed(world, tournament_id, entry, ruling_id)
    world.close_rounds()
    return tournament_id


def appealed(world: World, tournament_id: str, entry_id: str, ruling_id: str) -> None:
    """One appeal that was rejected, one that stays open."""
    about = {"entry_id": entry_id, "statement": "It was not so."}
    made = world.do(appeals.make, "anna", tournament_id, ruling_id=ruling_id, **about)
    world.do(appeals.decide, "olga", made.id, outcome="rejected", reason="It was.")
    with world.database.read() as session:
        at_table = select(Match.id).join(Seat, Seat.table_id == Match.table_id)
        match_id = session.scalars(at_table.where(Seat.entry_id == entry_id)).first()
    world.do(appeals.make, "anna", tournament_id, match_id=match_id, **about)


@pytest.fixture
def source(sqlite_world: World) -> tuple[World, str, list[bytes]]:
    tournament_id = finished(sqlite_world)
    return sqlite_world, tournament_id, exported(sqlite_world, tournament_id)


@pytest.fixture
def sqlite_target(source, tmp_path_factory, sqlite_template):
    file = tmp_path_factory.mktemp("target") / "arena.sqlite3"
    file.write_bytes(sqlite_template.read_bytes())
    database = Database(f"sqlite:///{file}")
    yield database, Vault(Fernet.generate_key())
    database.dispose()


@pytest.fixture(params=["sqlite", "postgresql"])
def any_target(request: pytest.FixtureRequest):
    if request.param == "sqlite":
        yield request.getfixturevalue("sqlite_target")
        return
    database = Database(request.getfixturevalue("postgres_arena"))
    yield database, Vault(Fernet.generate_key())
    database.dispose()


def test_a_substitute_of_another_owner_changes_nothing_that_was_drawn(sqlite_world, sqlite_target):
    """Owners' agents are kept apart, so who draws round 1 again must know whose they were then."""
    world = sqlite_world
    tournament_id = world.opened(rounds=3, capacity=10)
    entered = [
        world.enter(tournament_id, world.agent(who, f"{who}-{k}"), who)
        for who in ("anna", "bert")
        for k in range(5)
    ]
    world.act("start", tournament_id)
    for number in range(3):
        for match_id in world.open_next(tournament_id):
            if number == 1:  # the second round is drawn already, the third one is not
                fresh = world.agent("ada", f"fresh-{match_id}")
                world.do(attendance.substitute, "olga", entered[number], fresh)
                world.do(attendance.substitute, "olga", entered[8], world.agent("anna", fresh))
            play(world, match_id)
        world.close_rounds()
    lines = exported(world, tournament_id)
    assert list(archive_check.check(archive_file.parse(lines))) == []
    database, vault = sqlite_target
    imported(database, vault, lines)
    with database.snapshot() as session:
        assert list(archive_file.export(session, vault, ANONYMOUS, tournament_id)) == lines


def test_what_ended_before_its_first_round_checks_too_without_any_lot(sqlite_world):
    world = sqlite_world
    tournament_id = world.started(agents=5, tie_breaks=["lot"])
    for entry in world.entries(tournament_id):
        world.do(entries.withdraw, "anna", entry.id, entry.version)
    assert world.open_next(tournament_id) == []
    lines = exported(world, tournament_id)
    assert list(archive_check.check(archive_file.parse(lines))) == []


def test_rulings_upon_one_match_that_are_undone_out_of_order_check(sqlite_world):
    """Annulled and replayed, then the annulment is undone: the replay alone counts."""
    world = sqlite_world
    tournament_id = world.started(agents=5, rounds=1, deals=1)
    (first,) = world.open_next(tournament_id)
    play(world, first)
    annulled = rule(world, tournament_id, "annul", match_id=first)
    replayed = rule(world, tournament_id, "replay", match_id=first)
    rule(world, tournament_id, "undo", ruling_id=annulled)
    with world.database.read() as session:
        rulings_ = Base.metadata.tables["rulings"].c
        again = session.scalar(select(rulings_.replay_id).where(rulings_.id == replayed))
    play(world, again)
    world.close_rounds()
    parsed = archive_file.parse(exported(world, tournament_id))
    assert list(archive_check.check(parsed)) == []


def test_an_archive_of_an_arena_has_no_difference(source):
    parsed = archive_file.parse(source[2])
    assert list(archive_check.check(parsed)) == []
    assert {row.model.__tablename__ for row in parsed.rows} == {
        "tournaments", "entries", "rounds", "tables", "seats", "matches", "results", "rulings",
        "appeals",
    }  # fmt: skip


def test_importing_and_exporting_again_gives_the_same_bytes(source, any_target):
    _, tournament_id, lines = source
    database, vault = any_target
    imported(database, vault, lines)
    with database.snapshot() as session:
        assert list(archive_file.export(session, vault, ANONYMOUS, tournament_id)) == lines
    with pytest.raises(Conflict, match="here already"):
        imported_again(database, vault, lines)


def imported_again(database: Database, vault: Vault, lines: list[bytes]) -> None:
    with database.begin() as session:
        owner = session.scalars(select(Account).where(Account.name == "importer")).one()
        archive_import.load(session, vault, archive_file.parse(lines), owner)


def test_a_tournament_that_is_not_over_has_no_archive(sqlite_world):
    tournament_id = sqlite_world.started()
    with pytest.raises(Conflict, match="is running"):
        exported(sqlite_world, tournament_id)


def changed(lines: list[bytes], kind: str, change: Any, table: str | None = None) -> list[bytes]:
    """With the first line of a type (and table) changed."""
    found = list(lines)
    for place, line in enumerate(lines):
        data = json.loads(line)
        if data["type"] == kind and data.get("table") == table:
            change(data)
            found[place] = json.dumps(data).encode() + b"\n"
            return found
    raise AssertionError(kind)


def without(lines: list[bytes], kind: str, table: str | None = None) -> list[bytes]:
    """Without the first line of a type (and table)."""
    told = [json.loads(line) for line in lines]
    gone = next(k for k, d in enumerate(told) if d["type"] == kind and d.get("table") == table)
    return [*lines[:gone], *lines[gone + 1 :]]


def sealed(lines: list[bytes]) -> list[bytes]:
    """With an end line that fits, whatever was done to the lines before it."""
    before = lines[:-1]
    digest = hashlib.sha256(b"".join(before)).hexdigest()
    end = {"lines": len(before), "sha256": digest, "type": "end"}
    return [*before, json.dumps(end, separators=(",", ":")).encode() + b"\n"]


def of_row(**values: Any):
    return lambda data: data["row"].update(values)


def more_points(data: Line) -> None:
    """In a hand, which no event tells of."""
    data["row"]["hands"][0][3] += 1


SPOILT = {
    "no JSON": (lambda lines: [*lines[:3], b"{\n", *lines[3:]], "line 4"),
    "a name twice": (lambda lines: [b'{"type":"archive","type":"archive"}\n'], "line 1"),
    "empty": (lambda lines: [], "line 1"),
    "newer": (lambda lines: changed(lines, "archive", lambda d: d.update(version=3)), "version 3"),
    "secret": (lambda lines: changed(lines, "archive", lambda d: d.update(secret="00" * 32)),
               "commitment"),
    "unknown field": (lambda lines: changed(lines, "row", of_row(evil=1), "entries"), "evil"),
    "running": (lambda lines: changed(lines, "row", of_row(status="running"), "tournaments"),
                "status"),
    "long": (lambda lines: changed(lines, "row", of_row(name="x" * 500), "tournaments"), "name"),
    "type": (lambda lines: changed(lines, "row", of_row(points="7"), "results"), "points"),
    "huge": (lambda lines: changed(lines, "row", of_row(points=2**40), "results"), "points"),
    "time": (lambda lines: changed(lines, "row", of_row(started_at="now"), "tournaments"),
             "started_at"),
    "stranger": (lambda lines: changed(lines, "row", of_row(entry_id="0" * 26), "seats"),
                 "entry_id is not"),
    "points": (lambda lines: changed(lines, "row", of_row(points=77), "results"), "the result is"),
    "rules": (lambda lines: sealed(changed(lines, "row", of_row(rules={}), "tournaments")),
              "rules"),
    "format": (lambda lines: sealed(changed(lines, "row", of_row(format="none"), "tournaments")),
               "format"),
    "record": (lambda lines: changed(lines, "row", of_row(record={"a": 1}), "matches"), "record"),
    "hands": (lambda lines: changed(lines, "row", more_points, "results"), "hands are not"),
    "lineup": (lambda lines: changed(lines, "row", of_row(lineup=[{}] * 5), "matches"), "lineup"),
    "nobody": (lambda lines: changed(lines, "row", of_row(lineup=[]), "matches"), "lineup"),
    "substitutes": (lambda lines: changed(lines, "row", of_row(substitutions=[{}]), "entries"),
                    "substitutions"),
    "table": (lambda lines: changed(lines, "row", lambda d: d.update(table="accounts"), "seats"),
              "table"),
    "seating": (lambda lines: changed(lines, "round", lambda d: d["tables"][0].reverse()),
                "round 1"),
    "missing": (lambda lines: changed(lines, "row", lambda d: d["row"].pop("rules"),
                                      "tournaments"), "rules is missing"),
    "cut": (lambda lines: lines[:-1], "the file is cut off after this line"),
    "cut in a line": (lambda lines: [*lines[:9], lines[9][:50]], "line 10: .*is cut off in this"),
    "cut at once": (lambda lines: lines[:1], "line 1: the file is cut off after this line"),
    "a row gone": (lambda lines: without(lines, "row", "entries"), "some are missing"),
    "an appeal gone": (lambda lines: without(lines, "row", "appeals"), "some are missing"),
    "added": (lambda lines: [*lines[:2], *lines[1:]], "some were added"),
    "after its end": (lambda lines: [*lines, lines[1]], "after the end line"),
    "a blank": (lambda lines: [lines[0].replace(b":", b": ", 1), *lines[1:]], "sha256 is not"),
    "no tournament": (lambda lines: without(lines, "tournament"), "some are missing"),
    "digest": (lambda lines: changed(lines, "end", lambda d: d.update(sha256="0" * 64)), "sha256"),
}  # fmt: skip


@pytest.mark.parametrize("name", list(SPOILT))
def test_a_hostile_archive_is_refused_by_line_and_field_and_leaves_nothing(source_once, name):
    lines, database, vault = source_once
    spoil, words = SPOILT[name]
    with pytest.raises(ArchiveError, match=words) as refused:
        imported(database, vault, spoil(lines))
    assert refused.value.line >= 1
    with database.read() as session:
        for table in Base.metadata.sorted_tables:
            assert session.scalar(select(func.count()).select_from(table)) == 0, table.name


def test_the_last_line_counts_the_others_and_has_the_digest_of_their_bytes(source_once):
    lines, _, _ = source_once
    assert sealed(lines) == lines
    assert archive_check.no_end(archive_file.parse(lines)) is None


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        ("standings", lambda d: d["rows"][2].update(title="x"),
         r"standings 2: rows\[2\].title is not what the rows"),
        ("round", lambda d: d.update(number=7), "the round 1 here, not the round 7"),
    ],
)  # fmt: skip
def test_where_rows_and_events_differ_the_line_and_field_are_named(
    source_once, monkeypatch, kind, change, words
):
    lines, database, vault = source_once
    monkeypatch.setattr(archive_check, "check", lambda *_, **__: ())  # the comparison is the last
    with pytest.raises(ArchiveError, match=words):
        imported(database, vault, sealed(changed(lines, kind, change)))


def test_without_the_last_standings_they_are_said_to_be_missing(source_once, monkeypatch):
    lines, database, vault = source_once
    monkeypatch.setattr(archive_check, "check", lambda *_, **__: ())
    with pytest.raises(ArchiveError, match="after it the standings 2 is missing"):
        imported(database, vault, sealed([*lines[:-2], lines[-1]]))


def test_an_archive_of_before_there_was_an_end_line_is_taken_and_that_is_said(
    source_once, sqlite_target_once
):
    lines, _, _ = source_once
    database, vault = sqlite_target_once
    old = changed(lines[:-1], "archive", lambda d: d.update(version=1))
    parsed = archive_file.parse(old)
    assert list(archive_check.check(parsed)) == []
    said = "the archive has no end line; whether it is whole is not known"
    assert archive_check.no_end(parsed) == said
    imported(database, vault, old)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda lines: lines[:4], "line 4: the file is cut off: there is no line of the type"),
        (lambda lines: without(lines, "tournament"), "tournament is to come before one of the typ"),
    ],
)
def test_an_old_one_without_its_tournament_line_says_so(source_once, spoil, words):
    old = changed(source_once[0][:-1], "archive", lambda d: d.update(version=1))
    with pytest.raises(ArchiveError, match=words):
        archive_file.parse(spoil(old))


def test_without_a_row_of_the_tournament_there_is_a_difference_and_no_more(source_once):
    found = archive_check.check(
        archive_file.parse(sealed(without(source_once[0], "row", "tournaments")))
    )
    assert [each.what for each in found] == ["the archive has 0 rows of tournaments, not one"]


@pytest.fixture
def sqlite_target_once(tmp_path, sqlite_template):
    (tmp_path / "arena").write_bytes(sqlite_template.read_bytes())
    database = Database(f"sqlite:///{tmp_path / 'arena'}")
    yield database, Vault(Fernet.generate_key())
    database.dispose()


@pytest.fixture(scope="module")
def source_once(sqlite_template, tmp_path_factory):
    """The archive once for all, and an empty database that must stay empty."""
    from .conftest import World as Made

    folder = tmp_path_factory.mktemp("archives")
    for name in ("source", "target"):
        (folder / name).write_bytes(sqlite_template.read_bytes())
    source = Made(Database(f"sqlite:///{folder / 'source'}"), Vault(Fernet.generate_key()))
    for name, role in (("olga", Role.ORGANIZER), ("anna", Role.AUTHOR)):
        source.person(name, role)
    lines = exported(source, finished(source))
    source.database.dispose()
    database = Database(f"sqlite:///{folder / 'target'}")
    yield lines, database, Vault(Fernet.generate_key())
    database.dispose()


def test_the_standings_of_the_import_are_those_of_the_source(source, sqlite_target):
    world, tournament_id, lines = source
    database, vault = sqlite_target
    imported(database, vault, lines)
    stored = select(Base.metadata.tables["standings"]).order_by("position")
    with world.database.read() as ours, database.read() as theirs:
        assert ours.execute(stored).all() == theirs.execute(stored).all()
        assert theirs.get_one(Tournament, tournament_id).status == "finished"
