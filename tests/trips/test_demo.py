"""`baohuang demo`: the whole trip on real parts, as a person sees it."""

import re
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from ..scheduler.arena import until


@pytest.fixture
def folder():
    """For temporary files, open to the user that PostgreSQL runs as; empty afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="baohuang-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def demo(folder, *flags):
    """Its process, killed at the end if it still runs."""
    command = [sys.executable, "-m", "baohuang.scheduler", "demo", *flags]
    env = {
        "PATH": "/usr/bin:/bin",
        "TMPDIR": str(folder),
        "DATABASE_URL": "sqlite:///not/to/be/used",
    }
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=env, text=True, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def living_on(folder):
    """Processes that were given the folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (process / "environ").read_bytes():
                found.append(process.name)
        except OSError:
            continue  # it ended, or is not ours
    return found


def check(said):
    """The whole trip happened, and its standings add up."""
    for agent in ("Careful", "Greedy", "Lowest", "Misbehaving", "Random"):
        assert f"Verified agent {agent}" in said
    rows = re.findall(r"^ *\d+=? +(.+?)  +(house)? +(-?\d+) +8 ", said, re.MULTILINE)
    assert len(rows) == 10
    assert sum(house == "house" for _, house, _ in rows) == 5
    assert sum(int(points) for *_, points in rows) == 0
    assert re.search(r"^ +sum +0$", said, re.MULTILINE)
    assert "Re-checked 8 records" in said
    assert "\x1b" not in said  # plain lines where there is no terminal


def check_nothing_left(folder):
    until(lambda: not living_on(folder), 20)  # who is killed ends in the system's own time
    assert not list(folder.glob("baohuang-demo-*"))


def until_said(process, start):
    """What it says up to the line that starts so."""
    said = ""
    for line in process.stdout:
        said += line
        if line.startswith(start):
            return said
    raise AssertionError(said + process.stderr.read())


def test_it_keeps_serving_after_the_tournament_until_ctrl_c(folder):
    with demo(folder) as process:
        check(until_said(process, "Look around"))
        assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 0
    check_nothing_left(folder)


def test_once_on_postgresql_it_ends_by_itself(folder):
    with demo(folder, "--once", "--postgres") as process:
        said, errors = process.communicate(timeout=170)
    assert process.returncode == 0, errors
    check(said)
    check_nothing_left(folder)


def test_ctrl_c_ends_it_cleanly_in_the_middle(folder):
    with demo(folder, "--once") as process:
        until_said(process, "Round 1")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 0
    check_nothing_left(folder)
