"""Archives, standings as CSV and rulings over HTTP; the commands that read and write archives."""

from __future__ import annotations

import csv
import io

import pytest
from click.testing import CliRunner
from cryptography.fernet import Fernet

from baohuang.api.commands.archive import check_tournament, export, import_
from baohuang.api.commands.audit import audit
from baohuang.api.commands.token import token
from baohuang.api.models import Role
from baohuang.api.services.ruling_trial import Course

from .conftest import Site
from .support import problem
from .tournament_support import close_rounds, open_round, opened, play


@pytest.fixture
def played(any_site: Site) -> tuple[Site, str, str]:
    """A finished tournament of house bots and its only match."""
    organizer = any_site.caller("Oleg", Role.ORGANIZER)
    tournament_id = opened(organizer, rounds=1, deals=1)
    for _ in range(5):
        organizer.post(f"/tournaments/{tournament_id}/entries", json={"house_bot": "greedy"})
    organizer.post(f"/tournaments/{tournament_id}/start")
    (match_id,) = open_round(any_site, tournament_id)
    problem(any_site.stranger().get(f"/tournaments/{tournament_id}/archive"), 409,
            "tournament_running")  # fmt: skip
    play(any_site, match_id)
    close_rounds(any_site)
    return any_site, tournament_id, match_id


def test_the_archive_of_a_played_tournament_checks_and_imports(played, tmp_path, monkeypatch):
    site, tournament_id, _ = played
    answer = site.stranger().get(f"/tournaments/{tournament_id}/archive")
    assert (answer.status_code, answer.mimetype) == (200, "application/x-ndjson")
    file = tmp_path / "cup.ndjson"
    file.write_bytes(answer.data)
    run = CliRunner()
    checked = run.invoke(check_tournament, [str(file)])
    assert checked.exit_code == 0, checked.output
    assert "no difference" in checked.output

    monkeypatch.setenv("DATABASE_URL", site.arena.config.database_url)
    monkeypatch.setenv("BAOHUANG_SECRET_KEY", site.arena.config.secret_key or "")
    exported = run.invoke(export, [tournament_id])
    assert exported.stdout_bytes == answer.data
    again = run.invoke(import_, [str(file)])
    assert (again.exit_code, "here already" in again.output) == (1, True)

    file.write_bytes(answer.data.replace(b'"penalty":0', b'"penalty":-1', 1))
    spoilt = run.invoke(check_tournament, [str(file)])
    assert spoilt.exit_code == 1
    assert "the result is not that of the match's event" in spoilt.output
    verified = run.invoke(audit, ["verify"])
    assert verified.exit_code == 0, verified.output
    head = run.invoke(audit, ["head"]).output.strip()
    assert run.invoke(audit, ["verify", "--head", head]).exit_code == 0
    assert run.invoke(audit, ["verify", "--head", f"1:{'0' * 64}"]).exit_code == 1


def test_import_into_an_empty_server_shows_the_same_standings(
    played, tmp_path, monkeypatch, sqlite_template, building
):
    site, tournament_id, _ = played
    path = f"/tournaments/{tournament_id}"
    file, empty = tmp_path / "cup.ndjson", tmp_path / "empty.sqlite3"
    file.write_bytes(site.stranger().get(f"{path}/archive").data)
    empty.write_bytes(sqlite_template.read_bytes())
    key = Fernet.generate_key().decode()
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{empty}")
    monkeypatch.setenv("BAOHUANG_SECRET_KEY", key)
    result = CliRunner().invoke(import_, [str(file), "--organizer", "Olga"])
    assert result.stdout.strip() == tournament_id
    assert result.stderr == "There was no account Olga: it is made, as an organizer.\n"
    other = building(f"sqlite:///{empty}")
    for what in ("standings", "standings/csv", "rounds", "rulings"):
        ours, theirs = (each.stranger().get(f"{path}/{what}") for each in (site, other))
        assert theirs.status_code == 200
        assert theirs.data == ours.data, what


def test_import_makes_the_database_if_there_is_none_and_says_only_what_it_made(
    played, tmp_path, monkeypatch
):
    site, tournament_id, _ = played
    file = tmp_path / "cup.ndjson"
    file.write_bytes(site.stranger().get(f"/tournaments/{tournament_id}/archive").data)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path / 'none_yet.sqlite3'}")
    monkeypatch.setenv("BAOHUANG_SECRET_KEY", Fernet.generate_key().decode())
    named = ("--account", "Olga", "--role", "organizer")
    spoilt = tmp_path / "spoilt.ndjson"
    spoilt.write_bytes(file.read_bytes()[:-20])
    refused = CliRunner().invoke(import_, [str(spoilt), "--organizer", "Olga"])
    assert (refused.exit_code, (tmp_path / "none_yet.sqlite3").exists()) == (1, False)
    made = CliRunner().invoke(import_, [str(file), "--organizer", "Olga"])
    assert made.exit_code == 0, made.output
    assert made.stderr == "There was no account Olga: it is made, as an organizer.\n"
    assert CliRunner().invoke(token, ["create", *named]).exit_code == 0
    there = CliRunner().invoke(import_, [str(file), "--organizer", "Olga"])
    assert there.exit_code == 1
    assert "here already" in there.stderr
    assert "account" not in there.stderr


def test_the_standings_as_csv(played):
    site, tournament_id, _ = played
    answer = site.stranger().get(f"/tournaments/{tournament_id}/standings/csv")
    assert answer.mimetype == "text/csv"
    head, *rows = csv.reader(io.StringIO(answer.text))
    assert head[:4] == ["position", "rank", "entry_id", "name"]
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5"]
    assert sum(int(row[head.index("scored")]) for row in rows) == 0


def test_the_results_as_csv(played):
    site, tournament_id, match_id = played
    answer = site.stranger().get(f"/tournaments/{tournament_id}/results/csv")
    assert answer.mimetype == "text/csv"
    head, *rows = csv.reader(io.StringIO(answer.text))
    of_match = [dict(zip(head, row, strict=True)) for row in rows if match_id in row]
    shown = site.stranger().get(f"/matches/{match_id}").json
    assert [(row["entry_id"], row["name"]) for row in of_match] == [
        (seat["entry_id"], seat["name"]) for seat in shown["seats"]
    ]
    assert [(int(row["points"]), int(row["penalty"])) for row in of_match] == [
        (seat["points"], seat["penalty"]) for seat in shown["seats"]
    ]
    for row in of_match:
        roles = ("emperor", "guard", "rebel", "solo")
        assert sum(int(row[f"{role}_points"]) for role in roles) == int(row["points"])
        assert sum(int(row[f"place_{k}"]) for k in range(1, 6)) == int(row["deals"])
    assert {row["counts"] for row in of_match} == {"yes"}
    assert len(rows) % 5 == 0


def test_a_match_that_was_set_aside_does_not_count_in_the_csv(played):
    site, tournament_id, match_id = played
    arbiter = site.caller("Arno", Role.ARBITER)
    ask = {"kind": "annul", "match_id": match_id, "reason": "A cable was out."}
    assert arbiter.post(f"/tournaments/{tournament_id}/rulings", json=ask).status_code == 201
    answer = site.stranger().get(f"/tournaments/{tournament_id}/results/csv")
    head, *rows = csv.reader(io.StringIO(answer.text))
    assert {row[head.index("counts")] for row in rows if match_id in row} == {"no"}


def test_while_a_dry_run_is_worked_out_others_may_write(played, monkeypatch):
    site, tournament_id, match_id = played
    arbiter = site.caller("Arno", Role.ARBITER)
    ask = {"kind": "annul", "reason": "The cards were seen.", "match_id": match_id}
    path, ranked = f"/tournaments/{tournament_id}/rulings/dry-run", Course.ranked

    def writing(course):
        site.caller(f"somebody {len(written)}")
        written.append(True)
        return ranked(course)

    written = []
    monkeypatch.setattr(Course, "ranked", writing)
    tried = arbiter.post(path, json=ask)
    assert (tried.status_code, len(written)) == (200, 2), "before and after"
    answer = arbiter.post(path, json=ask, key="one")
    assert (answer.json, len(written)) == (tried.json, 4), "a key holds no lock either"
    problem(arbiter.post(path, json={**ask, "match_id": tournament_id}), 422, "invalid")


def test_a_ruling_over_http_changes_the_standings_and_a_dry_run_does_not(played):
    site, tournament_id, match_id = played
    arbiter = site.caller("Arno", Role.ARBITER)
    path = f"/tournaments/{tournament_id}"
    ask = {"kind": "annul", "reason": "The cards were seen.", "match_id": match_id}
    before = arbiter.get(f"{path}/standings").json
    tried = arbiter.post(f"{path}/rulings/dry-run", json=ask)
    assert tried.status_code == 200
    assert arbiter.get(f"{path}/standings").json == before
    made = arbiter.post(f"{path}/rulings", json=ask)
    assert made.status_code == 201
    assert arbiter.get(made.headers["Location"]).json == made.json
    after = arbiter.get(f"{path}/standings").json["items"]
    assert {row["points"] for row in after} == {0}
    told = {row["entry_id"]: row["after"]["points"] for row in tried.json["standings"]}
    assert set(told.values()) <= {0}
    undone = {"kind": "undo", "reason": "They were not.", "ruling_id": made.json["id"]}
    assert arbiter.post(f"{path}/rulings", json=undone).status_code == 201
    assert arbiter.get(f"{path}/standings").json["items"] == before["items"]
    first, second = arbiter.get(f"{path}/rulings").json["items"]
    assert first["undone_by"] == second["id"]
    problem(arbiter.post(f"{path}/rulings", json={**ask, "points": 3}), 422, "invalid")
