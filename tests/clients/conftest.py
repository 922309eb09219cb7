"""What the programs of docs/clients have to do on a whole arena, and what of it is checked."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from baohuang.engine.record import verify

from ..serving import serving

BOT = "Ada's bot"
LIMIT_S = 120


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
    with serving(tmp_path) as (url, token):
        yield Served(url, token, tmp_path / "records.ndjson")


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
