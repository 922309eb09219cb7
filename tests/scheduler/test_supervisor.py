"""Child processes: restarted when they die, ended with their parent, nothing left behind."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from baohuang.scheduler.supervisor import FIRST_DELAY_S, Backoff, Child, Supervisor
from baohuang.scheduler.tether import tethered

from .arena import until

# Says its pid and the time, and waits; with `deaf` it does not listen to SIGTERM, with a child it
# has one.
PROGRAM = """
import os, signal, subprocess, sys, time
if "deaf" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "parent" in sys.argv:
    says = "import os, time; print(os.getpid(), time.monotonic(), flush=True); time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", says])
print(os.getpid(), time.monotonic(), flush=True)
time.sleep(0 if "short" in sys.argv else 600)
"""


def child(output, *flags):
    return Child("it", (sys.executable, "-c", PROGRAM, *flags), output=output)


def said(output):
    """What processes have said so far: their pids, and when."""
    lines = output.read_text().splitlines() if output.exists() else []
    return [(int(pid), float(time)) for pid, time in map(str.split, lines)]


def pids(output):
    return [pid for pid, _ in said(output)]


def lives(pid):
    """Whether a process runs; a zombie that nobody waits for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


async def supervised(children, act, grace_s=10.0):
    """Run children while `act` happens in a thread."""
    stop = asyncio.Event()
    running = asyncio.ensure_future(Supervisor(children, grace_s).run(stop))
    try:
        await asyncio.to_thread(act)
    finally:
        stop.set()
        await running


@pytest.fixture
def output(tmp_path):
    return tmp_path / "said"


def test_a_killed_child_is_started_again(output):
    def act():
        first = until(lambda: pids(output))[0]
        os.kill(first, signal.SIGKILL)
        until(lambda: len(pids(output)) == 2)

    asyncio.run(supervised([child(output)], act))
    assert not any(map(lives, pids(output)))


def test_a_child_that_ends_by_itself_is_started_again_and_again_but_not_at_once(output):
    asyncio.run(supervised([child(output, "short")], lambda: until(lambda: len(pids(output)) > 1)))
    (_, first), (_, second), *_ = said(output)
    assert second - first >= FIRST_DELAY_S


def test_one_that_does_not_listen_is_made_to_end(output):
    act = lambda: until(lambda: pids(output))  # noqa: E731
    asyncio.run(supervised([child(output, "deaf")], act, grace_s=0.2))
    assert not any(map(lives, pids(output)))


def test_what_a_killed_child_leaves_behind_is_ended_too(output):
    def act():
        until(lambda: len(pids(output)) == 2)
        first = set(pids(output))
        for pid in first:
            if os.getpgid(pid) == pid:
                os.kill(pid, signal.SIGKILL)
        until(lambda: not any(map(lives, first)))

    asyncio.run(supervised([child(output, "parent")], act))


def test_waiting_doubles_and_is_forgotten_after_a_healthy_life():
    backoff = Backoff()
    assert [backoff.after(0.1) for _ in range(8)] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert backoff.after(60) == 0
    assert backoff.after(0.1) == 0.5


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's help is Linux's")
def test_no_child_survives_a_killed_parent(output):
    """The parent has no chance to say anything."""
    command = (
        "import subprocess, sys; from baohuang.scheduler.tether import tethered; "
        f"subprocess.run(tethered((sys.executable, '-c', {PROGRAM!r})))"
    )
    with output.open("w") as file:
        parent = subprocess.Popen([sys.executable, "-c", command], stdout=file)
        (pid,) = until(lambda: pids(output))
        parent.kill()
        parent.wait()
    until(lambda: not lives(pid))


def test_a_command_runs_as_itself():
    done = subprocess.run(
        tethered((sys.executable, "-c", "import sys; print(sys.argv[1:])", "a b", "c")),
        capture_output=True,
        check=True,
    )
    assert done.stdout == b"['a b', 'c']\n"
