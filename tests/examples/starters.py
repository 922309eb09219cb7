"""The starter agents as programs of their own; those in other languages run by `make foreign`."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
PACKAGES = {"node": "nodejs", "npm": "npm", "perl": "perl"}  # Debian's names

COMMANDS = {
    "python": (sys.executable, "python/agent.py"),
    "python-flask": (sys.executable, "python-flask/agent.py"),
    "javascript": ("node", "javascript/agent.mjs"),
    "perl": ("perl", "perl/agent.pl"),
}
LANGUAGES = [
    "python",
    "python-flask",
    pytest.param("javascript", marks=pytest.mark.foreign),
    pytest.param("perl", marks=pytest.mark.foreign),
]


def tool(name: str) -> str:
    """Where a program is. A missing one is a failure: what was not run is not known to work."""
    path = shutil.which(name)
    if path is None:
        pytest.fail(f"{name} is missing: install it (Debian: {PACKAGES[name]}); .ci/run does")
    return path


@contextlib.contextmanager
def running(language: str, secret: str | None = None) -> Iterator[str]:
    """A starter on a free port; its URL."""
    with listening(command_of(language), secret) as url:
        yield url


def command_of(language: str) -> list[str | Path]:
    """How a starter is begun, on a free port."""
    program, file = COMMANDS[language]
    return [tool(program) if program in PACKAGES else program, EXAMPLES / file, "0"]


def environment_of(secret: str | None) -> dict[str, str]:
    """With a secret, or without the variable."""
    others = {name: value for name, value in os.environ.items() if name != "AGENT_SECRET"}
    return others if secret is None else {**others, "AGENT_SECRET": secret}


@contextlib.contextmanager
def listening(command: list[str | Path], secret: str | None) -> Iterator[str]:
    """A program that prints its port, and must still run at the end; its URL."""
    environment = environment_of(secret)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as agent:
        assert agent.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(agent.stdout.readline())}/"
            assert agent.poll() is None, "the agent ended by itself"
        finally:
            agent.kill()
