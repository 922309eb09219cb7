"""docs/clients/typescript.md: its program, compiled strictly, plays a whole tournament on node."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from .conftest import Served, plays_a_whole_tournament
from .pages import ROOT, make_client, program

pytestmark = pytest.mark.foreign

TOOLS = ROOT / ".ci" / "clients"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of a client's author: the generated types and the page's program, compiled."""
    folder = tmp_path_factory.mktemp("typescript")
    made = make_client("typescript", folder)
    assert made.returncode == 0, made.stderr
    (folder / "node_modules").symlink_to(TOOLS / "node_modules")
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "tsconfig.json").write_text((TOOLS / "tsconfig.json").read_text("utf-8"))
    (folder / "program.ts").write_text(program("typescript.md", "ts"), "utf-8")
    compiled = compile_it(folder)
    assert compiled.returncode == 0, compiled.stdout
    return folder


def compile_it(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [str(TOOLS / "node_modules" / ".bin" / "tsc"), "--strict", "--project", str(folder)]
    command += options
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_the_program_of_the_page_runs_a_whole_tournament(project: Path, served: Served):
    plays_a_whole_tournament(["node", str(project / "program.js")], served)


@pytest.mark.parametrize(
    ("written", "wrong"),
    [
        ('rule_set: "lianzhong-simple"', 'rules: "lianzhong-simple"'),
        ('"tournaments:read"', '"tournaments:raed"'),
        ('"organizer", runs', '"organiser", runs'),
        ('status: "finished"', 'status: "over"'),
        ('"/api/v1/decisions/{request_id}"', '"/api/v1/decision/{request_id}"'),
    ],
)
def test_the_compiler_finds_what_the_arena_would_refuse(project: Path, written: str, wrong: str):
    file = project / "program.ts"
    text = file.read_text("utf-8")
    assert written in text
    try:
        file.write_text(text.replace(written, wrong), "utf-8")
        assert compile_it(project, "--noEmit").returncode != 0
    finally:
        file.write_text(text, "utf-8")
