"""`baohuang serve`: API, timers and worker in one go, each of them replaceable."""

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from sqlalchemy import select

from baohuang.api.config import Config, ConfigError
from baohuang.api.models import Match
from baohuang.scheduler.port import kept, tried

from .arena import until
from .bots import running_bots
from .test_supervisor import lives

COMMAND = [sys.executable, "-m", "baohuang.scheduler"]


@pytest.fixture
def arena_url(sqlite_arena):
    return sqlite_arena


@contextmanager
def serving(arena):
    """`baohuang serve` on a free port; its process and its address."""
    command = [*COMMAND, "serve"]
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


def test_it_answers_plays_survives_a_killed_worker_and_ends_by_ctrl_c(arena):
    with running_bots(think_s=0.01) as bots:
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


def test_nothing_survives_a_kill_of_the_whole(arena):
    with serving(arena) as (process, address):
        until(lambda: is_up(address))
        everybody = [
            pid for child in children_of(process.pid) for pid in (child, *children_of(child))
        ]
        assert len(everybody) == 3  # the API's main process, its server process, the worker
        process.kill()
        until(lambda: not any(map(lives, everybody)))


def refused(tmp_path, command="serve", **settings):
    """The one sentence of a command that must not start anything, nor make a file."""
    folder = tmp_path / "new"
    folder.mkdir(exist_ok=True)
    env = {**os.environ, "DATABASE_URL": f"sqlite:///{folder / 'new.db'}", **settings}
    ended = subprocess.run(
        [*COMMAND, command], check=False, env=env, capture_output=True, text=True, timeout=60
    )
    assert ended.returncode == 1
    assert ended.stdout == ""
    assert list(folder.iterdir()) == []
    (line,) = ended.stderr.splitlines()
    return line


def test_a_second_arena_on_the_port_is_refused_and_the_first_goes_on(arena, tmp_path):
    with serving(arena) as (process, address):
        place = address.removeprefix("http://")
        assert refused(tmp_path, BAOHUANG_PORT=place.split(":")[1]) == (
            f"Error: {place} is taken by another program, perhaps another arena: end that, or set "
            "BAOHUANG_PORT to another port."
        )
        until(lambda: is_up(address))
        api, _ = sorted(children_of(process.pid))
        os.kill(api, signal.SIGKILL)
        until(lambda: api not in children_of(process.pid))
        until(lambda: is_up(address))


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_port_that_a_server_would_share_is_taken(host):
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ConfigError, match=f"^{host}:{port} is taken .* BAOHUANG_PORT"):
            tried(Config(host=host, port=port))


def test_a_port_whose_last_connections_are_not_forgotten_is_free():
    """The side that closes first keeps the connection for a minute (TIME_WAIT)."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            accepted, _ = server.accept()
            accepted.close()
            assert client.recv(1) == b""
    with kept(Config(port=port)) as config:
        assert config.port == port


def test_what_keeps_a_port_lets_in_those_who_share_and_nobody_else():
    with kept(Config(port=0)) as config, socket.socket() as ours:
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        ours.bind(("127.0.0.1", config.port))
        ours.listen()
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with pytest.raises(OSError, match="in use"):
                other.bind(("127.0.0.1", config.port))
    assert tried(config) == config


@pytest.mark.parametrize(
    ("name", "value"), [("BAOHUANG_ALLOW", "localhost"), ("BAOHUANG_HOST", "192.0.2.1")]
)
def test_a_wrong_setting_is_one_sentence_before_anything_starts(tmp_path, name, value):
    assert name in refused(tmp_path, **{"BAOHUANG_PORT": "0", name: value})
