"""A whole arena, as `baohuang serve` runs it, for clients that know nothing but its address."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.request import urlopen

import pytest

from baohuang.engine.record import verify

from ..scheduler.arena import until

BOT = "Ada's bot"
LIMIT_S = 120
COMMAND = [sys.executable, "-m", "baohuang.scheduler"]


@dataclass(frozen=True)
class Served:
    """Where an arena is, an admin's token, and a file for the records that a program keeps."""

    url: str
    token: str
    records: Path

    @property
    def environ(self) -> dict[str, str]:
        """What the programs of the pages read."""
        return {
            **os.environ,
            "ARENA_URL": self.url,
            "ARENA_TOKEN": self.token,
            "RECORDS": str(self.records),
        }


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """An arena with an empty database."""
    settings = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{tmp_path / 'arena.sqlite3'}",
        "BAOHUANG_PORT": "0",
        "BAOHUANG_LOG_LEVEL": "ERROR",
    }
    with _serving(settings) as url:
        create = [*COMMAND, "token", "create", "--account", "root", "--role", "admin"]
        made = subprocess.run(create, env=settings, check=True, capture_output=True, text=True)
        yield Served(url, made.stdout.strip(), tmp_path / "records.ndjson")


@contextmanager
def _serving(settings: dict[str, str]) -> Iterator[str]:
    process = subprocess.Popen([*COMMAND, "serve"], env=settings, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        first = process.stderr.readline()
        found = re.match(r"Serving (\S+)", first)
        assert found, first + process.stderr.read()
        passing = threading.Thread(target=_pass_on, args=[process.stderr], daemon=True)
        passing.start()
        until(lambda: _is_up(found[1]))
        yield found[1]
    finally:
        process.terminate()
        try:
            process.wait(20)
        finally:
            process.kill()
            process.wait()
            process.stderr.close()


def _is_up(url: str) -> bool:
    try:
        with urlopen(f"{url}/readyz") as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _pass_on(errors: IO[str]) -> None:
    """Keep reading, so that a server that has much to say does not stop."""
    for line in errors:
        sys.stderr.write(line)


def checked_records(file: Path) -> int:
    """Work every record of a file out anew; how many there were.

    In all of those in which the page's bot sits, some of what it answered has counted.
    """
    records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    for record in records:
        verify(record)
        if BOT in record["seats"]:
            seat = record["seats"].index(BOT)
            answers = [answer for deal in record["deals"] for answer in deal["answers"]]
            assert any(who == seat and not auto for who, _, *auto in answers)
    return len(records)


def plays_a_whole_tournament(command: list[str], served: Served, **environ: str) -> None:
    """The program of a page ends well and tells of both rounds, all matches and its bot."""
    ran = subprocess.run(
        command,
        env={**served.environ, **environ},
        timeout=LIMIT_S,
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert [line for line in lines if "round.opened" in line] == lines[:1] + lines[3:4]
    assert len([line for line in lines if "match.finished" in line]) == 4
    assert len([line for line in lines if line.endswith(" Ada's bot")]) == 1
    assert checked_records(served.records) == 4
