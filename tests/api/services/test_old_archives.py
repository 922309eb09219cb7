"""Archives of rounds that an older version of the drawing drew: checked but for the draw.

`archives/drawing_1.ndjson.gz` was exported by the code of before versions of the drawing were told:
ten agents, a penalty, one who left, groups of one round and a final of two.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.fernet import Fernet
from sqlalchemy import update

from baohuang.api.cli import main
from baohuang.api.db import Database
from baohuang.api.models import Round
from baohuang.api.services import archive_check, archive_file, rounds
from baohuang.api.services.principal import ANONYMOUS
from baohuang.api.services.undrawn import Drawn
from baohuang.api.vault import Vault
from baohuang.engine.tournament.drawing import DRAWING
from baohuang.engine.tournament.parsing import ArchiveError
from baohuang.engine.tournament.plan import Round as Plan
from baohuang.engine.tournament.scheme import Seated

from .playing import FakeMatch, deal, finish
from .test_archive import changed, exported, imported

FILE = Path(__file__).parent / "archives" / "drawing_1.ndjson.gz"
NOT_AGAIN = "seats were drawn by version 1 of the drawing, not drawn again here"


@pytest.fixture(scope="module")
def lines():
    return gzip.decompress(FILE.read_bytes()).splitlines(keepends=True)


@pytest.fixture
def target(arena_url):
    database = Database(arena_url)
    yield database, Vault(Fernet.generate_key())
    database.dispose()


def differences(lines, **how):
    return [found.what for found in archive_check.check(archive_file.parse(lines), **how)]


def said_to_be_drawn_by(lines, version):
    """All rounds, in rows and events."""
    found = []
    for line in lines:
        data = json.loads(line)
        if data.get("table") == "rounds":
            data["row"]["drawing"] = version
        if data["type"] == "round":
            data["drawing"] = version
        found.append(json.dumps(data).encode() + b"\n")
    return found


def test_an_archive_of_an_older_drawing_has_no_difference_and_that_is_said(lines):
    assert differences(lines) == []
    assert archive_check.left_out(archive_file.parse(lines)) == NOT_AGAIN


def test_it_would_have_some_if_it_said_that_it_was_drawn_by_todays(lines):
    found = differences(said_to_be_drawn_by(lines, DRAWING), records=False)
    assert "round 2 should be" in found[0]


def test_it_imports_with_the_standings_that_the_older_version_published(lines, target):
    database, vault = target
    imported(database, vault, lines)
    with database.snapshot() as session:
        again = list(archive_file.export(session, vault, ANONYMOUS, _id(lines)))
    assert json.loads(again[-2])["type"] == "standings"
    assert again[-2] == lines[-1]
    assert differences(again) == []
    assert archive_check.left_out(archive_file.parse(again)) == NOT_AGAIN


def _id(lines):
    rows = (json.loads(line) for line in lines)
    return next(data["row"]["id"] for data in rows if data.get("table") == "tournaments")


def more_points(data):
    data["results"][0]["points"] += 1
    data["results"][1]["points"] -= 1


def stranger(data):
    data["tables"][0][0], data["tables"][1][0] = data["tables"][1][0], data["tables"][0][0]


@pytest.mark.parametrize(
    ("kind", "change", "what"),
    [
        ("match", more_points, "the result is not that"),
        ("round", stranger, "was not played by the five of its table"),
        ("round", lambda data: data["tables"][0].__setitem__(0, data["tables"][1][0]),
         "in two places"),
        ("round", lambda data: data["tables"].pop(), "forgets"),
        ("standings", lambda data: data["rows"][0].update(points=99), "points is 99"),
        ("adjustment", lambda data: data.update(points=-2), "row"),
        ("round", lambda data: data.update(drawing=2), "the drawing is not that"),
    ],
)  # fmt: skip
def test_what_was_tampered_with_is_still_refused(lines, target, kind, change, what):
    spoilt = changed(lines, kind, change)
    assert any(what in found for found in differences(spoilt, records=False))
    with pytest.raises(ArchiveError):
        imported(*target, spoilt)


def test_a_forbidden_pair_at_one_table_is_found_though_nothing_is_drawn_again(lines):
    first = next(d for d in map(json.loads, lines) if d["type"] == "round")
    one, other = first["tables"][0][:2]
    spoilt = changed(lines, "tournament", lambda data: data.update(forbidden=[[one, other]]))
    assert f"round 1 seats {one} with {other}, who must not meet" in differences(
        spoilt, records=False
    )


def test_a_round_by_an_older_drawing_after_one_of_todays_is_found(lines):
    spoilt = changed(lines, "round", lambda data: data.update(drawing=2))
    assert "round 2 has version 1 after version 2" in differences(spoilt, records=False)


@pytest.mark.parametrize(
    ("version", "what"),
    [(DRAWING + 1, f"by version {DRAWING + 1} of the drawing.*a newer server"), (0, "version 0")],
)
def test_a_drawing_that_is_not_known_is_refused_in_plain_words(lines, version, what):
    with pytest.raises(ArchiveError, match=what):
        archive_file.parse(said_to_be_drawn_by(lines, version))


def test_a_tournament_that_was_going_on_at_the_upgrade_exports_what_checks(world):
    """Round 1 is seated in another way than today's, and its row is of before the upgrade."""
    tournament_id = world.started(agents=5, rounds=2, deals=1, capacity=5)
    with world.database.read() as session:
        ours = rounds.draw_next(session, world.vault, tournament_id)
    (table,) = ours.decision.round.tables
    theirs = Plan(1, ((*table[1:], table[0]),))
    drawn = Drawn(1, ours.version, Seated(theirs))
    with world.database.begin() as session:
        (match_id,) = rounds.open_next(session, world.vault, tournament_id, drawn)
        session.execute(update(Round).values(drawing=1))
    finish(world, match_id, FakeMatch([deal([5, 4, -2, -3, -4])]))
    world.close_rounds()
    (match_id,) = world.open_next(tournament_id)
    finish(world, match_id, FakeMatch([deal([5, 4, -2, -3, -4])]))
    world.close_rounds()
    lines = exported(world, tournament_id)
    drawings = [d.get("drawing") for d in map(json.loads, lines) if d["type"] == "round"]
    assert drawings == [None, DRAWING]
    assert differences(lines, records=False) == []


def test_the_commands_say_what_was_not_checked(lines, tmp_path, monkeypatch, sqlite_arena):
    file = tmp_path / "old.ndjson"
    file.write_bytes(b"".join(lines))
    monkeypatch.setenv("DATABASE_URL", sqlite_arena)
    checked = CliRunner().invoke(main, ["check-tournament", str(file)])
    assert checked.exit_code == 0
    assert "no difference" in checked.stdout
    assert NOT_AGAIN in checked.stderr.splitlines()
    took = CliRunner().invoke(main, ["import", str(file)])
    assert (took.exit_code, took.stdout) == (0, f"{_id(lines)}\n")
    assert NOT_AGAIN in took.stderr.splitlines()
