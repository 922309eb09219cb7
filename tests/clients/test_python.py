"""docs/clients/python.md: its program plays a whole tournament with a client that is made anew."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import Served, plays_a_whole_tournament
from .pages import ROOT, make_client, program

DOCUMENT = ROOT / "openapi" / "openapi.json"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that holds the generated package."""
    folder = tmp_path_factory.mktemp("clients") / "python"
    made = make_client("python", folder)
    assert made.returncode == 0, made.stderr
    return folder


def test_the_program_of_the_page_runs_a_whole_tournament(package: Path, served: Served):
    command = [sys.executable, "-c", program("python.md", "python")]
    plays_a_whole_tournament(command, served, PYTHONPATH=str(package))


def test_every_operation_is_a_function(package: Path):
    paths = json.loads(DOCUMENT.read_text("utf-8"))["paths"]
    names = {
        f"{operation['tags'][0].replace('-', '_')}/{operation['operationId']}.py"
        for path in paths.values()
        for operation in path.values()
        if isinstance(operation, dict)
    }
    folder = package / "baohuang_client" / "api"
    assert {str(file.relative_to(folder)) for file in folder.glob("*/[a-z]*.py")} == names


def test_no_model_has_a_name_that_says_nothing(package: Path):
    """Types without a name of their own are called after where they stand, and numbered."""
    models = (package / "baohuang_client" / "models").glob("*.py")
    assert [model.stem for model in models if "type_" in model.stem] == []


def test_the_program_of_the_page_is_typed(package: Path, tmp_path: Path):
    """What the page shows is what an editor knows of the client."""
    file = tmp_path / "program.py"
    file.write_text(program("python.md", "python"), "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull]
    command += ["--follow-imports", "silent", "--cache-dir", str(tmp_path / "cache"), str(file)]
    environ = {**os.environ, "MYPYPATH": str(package)}
    ran = subprocess.run(command, env=environ, check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
