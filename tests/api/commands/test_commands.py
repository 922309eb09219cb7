"""`baohuang db`, `token`, `openapi`: what they print, and how they fail."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from baohuang.api.access import ROLE_SCOPES
from baohuang.api.cli import main
from baohuang.api.db import Database
from baohuang.api.models import Account, Role, Token
from baohuang.api.openapi import document
from baohuang.api.services import tokens


@pytest.fixture
def run(sqlite_url, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", sqlite_url)
    runner = CliRunner()
    return lambda *arguments: runner.invoke(main, arguments)


def failed(result, status=1):
    """The one sentence of a failure."""
    assert result.exit_code == status
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    return line


def test_help_lists_the_commands(run):
    result = run("--help")
    assert result.exit_code == 0
    for name in ("db", "token", "openapi"):
        assert re.search(rf"^  {name} ", result.output, re.MULTILINE)


def test_an_unknown_command_is_wrong_usage(run):
    assert "nonsense" in failed(run("nonsense"), status=2)


def test_db_upgrade_makes_the_tables_and_may_be_repeated(run, sqlite_url):
    for _ in range(2):
        result = run("db", "upgrade")
        assert result.exit_code == 0
        assert re.fullmatch(r"The database is at revision \d+\.\n", result.stdout)
    database = Database(sqlite_url)
    with database.read() as session:
        assert session.scalars(select(Account)).all() == []
    database.dispose()


def test_db_upgrade_of_an_unreachable_database_says_so(run, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody:hunter2@127.0.0.1:1/none")
    sentence = failed(run("db", "upgrade"))
    assert "cannot be used" in sentence
    assert "hunter2" not in sentence


@pytest.mark.parametrize("url", ["nonsense", "mysql://h/d"])
def test_an_unusable_url_is_said_in_one_sentence(run, monkeypatch, url):
    monkeypatch.setenv("DATABASE_URL", url)
    assert "DATABASE_URL" in failed(run("db", "upgrade"))


def test_token_create_prints_the_token_and_nothing_else(run, sqlite_url):
    run("db", "upgrade")
    result = run("token", "create", "--account", "Ada", "--role", "organizer")
    assert re.fullmatch(r"arn_pat_[0-9A-Za-z]{49}\n", result.stdout)
    assert result.stderr == ""
    database = Database(sqlite_url)
    with database.read() as session:
        principal = tokens.identify(session, result.stdout.strip()).principal
        assert (principal.name, principal.role) == ("Ada", Role.ORGANIZER)
        assert principal.scopes == ROLE_SCOPES[Role.ORGANIZER]
        token = session.scalars(select(Token)).one()
        assert 89 <= (token.expires_at - token.created_at).days <= 90
    database.dispose()


def test_token_create_takes_scopes_and_days(run, sqlite_url):
    run("db", "upgrade")
    run("token", "create", "--account", "Ada", "--role", "author",
        "--scope", "agents:read", "--scope", "agents:write", "--days", "7")  # fmt: skip
    database = Database(sqlite_url)
    with database.read() as session:
        token = session.scalars(select(Token)).one()
        assert token.scopes == ["agents:read", "agents:write"]
        assert 6 <= (token.expires_at - token.created_at).days <= 7
    database.dispose()


def test_a_second_token_needs_no_role_but_may_not_contradict_it(run):
    run("db", "upgrade")
    run("token", "create", "--account", "Ada", "--role", "author")
    assert run("token", "create", "--account", "Ada").exit_code == 0
    assert run("token", "create", "--account", "Ada", "--role", "author").exit_code == 0
    assert "author" in failed(run("token", "create", "--account", "Ada", "--role", "admin"))


def test_a_new_account_needs_a_role(run):
    run("db", "upgrade")
    assert "--role" in failed(run("token", "create", "--account", "Ada"))


def test_scopes_beyond_the_role_are_refused(run, sqlite_url):
    run("db", "upgrade")
    result = run("token", "create", "--account", "Ada", "--role", "author", "--scope", "admin")
    assert "admin" in failed(result)
    database = Database(sqlite_url)
    with database.read() as session:
        assert session.scalars(select(Account)).all() == []
    database.dispose()


@pytest.mark.parametrize("wrong", ["--days 0", "--days 367", "--scope x", "--role king"])
def test_wrong_options_are_wrong_usage(run, wrong):
    failed(run("token", "create", "--account", "Ada", *wrong.split()), status=2)


def test_the_first_token_makes_the_tables_of_a_new_file(run):
    result = run("token", "create", "--account", "Ada", "--role", "author")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("arn_pat_")


def test_tables_of_an_older_revision_are_not_changed_by_a_token(run):
    run("db", "upgrade", "0001")
    run("token", "create", "--account", "Ada", "--role", "author")
    assert run("db", "upgrade", "0001").stdout == "The database is at revision 0001.\n"


def test_before_the_upgrade_the_sentence_says_what_to_do(run):
    assert "baohuang db upgrade" in failed(run("audit", "verify"))


def test_openapi_writes_checks_and_finds_what_is_out_of_date(run, tmp_path):
    file = tmp_path / "openapi.json"
    assert "make openapi" in failed(run("openapi", "--check", "--output", str(file)))
    assert run("openapi", "--output", str(file)).exit_code == 0
    assert file.read_bytes() == document()
    assert run("openapi", "--check", "--output", str(file)).exit_code == 0
    file.write_bytes(document() + b"\n")
    assert "make openapi" in failed(run("openapi", "--check", "--output", str(file)))


def test_openapi_needs_no_database(run, tmp_path, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    result = run("openapi", "--output", "-")
    assert result.exit_code == 0
    assert result.stdout_bytes == document()


@pytest.mark.parametrize(
    "command",
    [
        ("play", "--rules", "wuren", "--seats", "http://127.0.0.1:9/" + ",greedy" * 4),
        ("check-bot", "http://127.0.0.1:9/"),
    ],
)
def test_a_wrong_exception_is_one_sentence_wherever_it_is_read(run, monkeypatch, command):
    monkeypatch.setenv("BAOHUANG_ALLOW", "localhost")
    assert failed(run(*command)).startswith("Error: BAOHUANG_ALLOW: not a network")
