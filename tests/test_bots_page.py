"""The page for bot authors: its commands are run, one after the other, as its reader would."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from baohuang.api.ports import free_port
from baohuang.api.remote.faults import KINDS
from baohuang.engine.record import verify

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "bots.md").read_text("utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
FIRST = BLOCKS[0].splitlines()
SECONDS = 240


def session(folder: Path, commands: str) -> tuple[int, str]:
    """What a shell in `folder` said, and its status; all that it started is ended with it."""
    program = folder / "bin"
    program.mkdir()
    for name, start in {"baohuang": "-m baohuang.scheduler", "python": ""}.items():
        (program / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {start} "$@"\n')
        (program / name).chmod(0o755)
    port = free_port()
    environment = {
        **os.environ,
        "PATH": f"{program}:/usr/bin:/bin",
        "BAOHUANG_PORT": str(port),
        "ARENA": f"http://127.0.0.1:{port}",
    }
    for name in ("ARENA_TOKEN", "AGENT_ID", "AGENT_SECRET", "DATABASE_URL", "BAOHUANG_SECRET_KEY"):
        environment.pop(name, None)
    with (folder / "said").open("w+") as said:
        shell = subprocess.Popen(
            ["/bin/bash", "-euc", commands],
            cwd=folder,
            env=environment,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = shell.wait(SECONDS)
        finally:
            os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()
        said.seek(0)
        return status, said.read()


def test_the_page_s_commands_lead_from_nothing_to_a_first_match_and_on(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    setup, *rest = "".join(BLOCKS).splitlines(keepends=True)
    assert setup.startswith("make setup && "), "this is what .ci/run does before it tests"
    ports = {port: str(free_port()) for port in ("9000", "9001")}
    commands = re.sub("|".join(ports), lambda found: ports[found[0]], "".join(rest))
    status, said = session(tmp_path, commands)
    assert status == 0, said
    assert "First is verified and active." in said
    assert re.search(r"^ +[+-]\d+  First +\d+ calls, .*no faults$", said, re.MULTILINE), said
    assert re.search(r"^ +\d  +[+-]\d+  First$", said, re.MULTILINE), said
    assert re.search(r"^\d+ ok, \d+ warning, 0 failed$", said, re.MULTILINE), said
    assert re.search(r"^ +[+-]\d+  Hidden +\d+ calls, .*no faults$", said, re.MULTILINE), said
    assert re.search(r"^\w{26}  finished +[+-]\d+ +-  practice$", said, re.MULTILINE), said
    assert re.search(r"^\w{26}  finished +[+-]\d+ +1  \w{26}  ", said, re.MULTILINE), said
    assert "(the same; " in said
    assert "The old secret signs too until" in said
    assert "Version 1 has a badge until" in said
    assert "Version 2 is verified." in said
    assert re.search(r"^\d+ questions, \d+ spared, \d+ answered", said, re.MULTILINE), said
    assert json.loads((tmp_path / "report.json").read_text())["passed"] is True
    assert "<svg" in (tmp_path / "badge.svg").read_text()
    for line in (tmp_path / "games.ndjson").read_text().splitlines():
        verify(json.loads(line))


def test_the_first_match_takes_fewer_than_ten_commands_of_a_line_each() -> None:
    assert len(FIRST) < 10
    assert not any(line.endswith("\\") for line in FIRST)
    assert FIRST[-1] == "baohuang cup"


def test_the_readme_has_the_same_commands_and_names_the_page() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert "(docs/bots.md)" in readme
    for command in FIRST:
        assert command in readme


def test_its_table_of_faults_is_the_protocol_s() -> None:
    table = PAGE.partition("## Faults")[2].partition("\n- ")[0]
    named = [
        name
        for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    ]
    assert sorted(named) == sorted(KINDS)


def test_its_question_and_answer_are_the_examples_of_the_protocol() -> None:
    shown, answer = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    examples = ROOT / "openapi" / "examples"
    asked = json.loads((examples / "decide-follow.json").read_text())
    question = json.loads(shown.replace('"options": …', '"options": null'))
    assert question == asked | {"rules": asked["rules"] | {"options": None}}
    assert json.loads(answer) == json.loads((examples / "answer.json").read_text())
