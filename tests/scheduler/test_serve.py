"""`baohuang serve`: API, timers and worker in one go, each of them replaceable."""

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from sqlalchemy import select

from baohuang.api.models import Match

from .arena import Arena, until
from .bots import running_bots
from .test_supervisor import lives


@contextmanager
def serving(arena):
    """`baohuang serve` on a free port; its process and its address."""
    command = [sys.executable, "-m", "baohuang.scheduler", "serve"]
    env = {**os.environ, **arena.environ(), "BAOHUANG_PORT": "0"}
    process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
    try:
        address = re.match(r"Serving (\S+)", process.stderr.readline())[1]
        yield process, address
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def is_up(address):
    try:
        with urlopen(f"{address}/readyz") as answer:
            return answer.status == 200
    except OSError:
        return False


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_it_answers_plays_survives_a_killed_worker_and_ends_by_ctrl_c(sqlite_arena):
    with running_bots(think_s=0.01) as bots:
        arena = Arena(sqlite_arena)
        arena.prepare([bots.url(number) for number in range(5)])
        with serving(arena) as (process, address):
            until(lambda: is_up(address))
            until(lambda: arena.decisions() >= 20)
            (owner,) = arena.rows(select(Match.owner))[0]
            os.kill(int(owner.split(":")[1]), signal.SIGKILL)
            until(lambda: arena.status() == "finished")
            assert arena.played()[0][1:] == ("finished", 2)
            everybody = children_of(process.pid)
            assert len(everybody) == 2
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 0
            assert not any(map(lives, everybody))
        arena.close()


def test_nothing_survives_a_kill_of_the_whole(sqlite_arena):
    arena = Arena(sqlite_arena)
    with serving(arena) as (process, address):
        until(lambda: is_up(address))
        everybody = [
            pid for child in children_of(process.pid) for pid in (child, *children_of(child))
        ]
        assert len(everybody) == 3  # the API's main process, its server process, the worker
        process.kill()
        until(lambda: not any(map(lives, everybody)))
    arena.close()
