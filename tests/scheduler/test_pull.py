"""Agents that fetch their questions, beside agents that are called: real API, worker, database."""

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from sqlalchemy import func, select, update

from baohuang.api.models import (
    Account,
    Agent,
    AgentKind,
    AgentVersion,
    Door,
    Fault,
    FurtherCall,
    Match,
)
from baohuang.api.ports import free_port
from baohuang.api.services import tokens
from baohuang.engine.record import verify

from .arena import Arena, until
from .bots import choose, running_bots

EXAMPLES = Path(__file__).parents[2] / "examples"


class PullBot:
    """Fetches and answers on a thread; plays as `bots.choose` does."""

    def __init__(self, number, base, token, agent_id):
        self.number = number
        self.base = f"{base}/api/v1"
        self.token = token
        self.agent_id = agent_id
        self.seen = []
        self.kinds = set()
        self.stop = threading.Event()

    def play(self):
        while not self.stop.is_set():
            question = self.call("GET", f"/agents/{self.agent_id}/decisions?wait=2")
            if question is not None:
                self.take(question)

    def take(self, question):
        self.kinds.add(question["kind"])
        if question["kind"] == "decide":
            self.seen.append(question["request"])
            answer = {"request": question["request"], "answer": choose(self.number, question)}
            self.call("POST", f"/decisions/{question['request']}", answer)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        try:
            with urlopen(Request(self.base + path, data, headers, method=method)) as response:
                return json.loads(response.read() or "null")
        except HTTPError as error:
            with error:
                if error.code not in (404, 409, 503):
                    raise
        except (OSError, HTTPException):
            self.stop.wait(0.1)
        return None


class StreamBot(PullBot):
    """Reads its questions from a stream of lines."""

    def play(self):
        path = f"{self.base}/agents/{self.agent_id}/decisions"
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/x-ndjson"}
        while not self.stop.is_set():
            try:
                with urlopen(Request(path, headers=headers), timeout=30) as lines:
                    for line in lines:
                        if line.strip():
                            self.take(json.loads(line))
                        if self.stop.is_set():
                            return
            except OSError:
                self.stop.wait(0.1)


KINDS = (PullBot, StreamBot, PullBot, PullBot, PullBot)


@contextmanager
def playing(bots):
    threads = [threading.Thread(target=bot.play) for bot in bots]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for bot in bots:
            bot.stop.set()
        for thread in threads:
            thread.join()


@contextmanager
def running_sample(bot):
    """The sample agent `examples/python/pull.py` in a bot's place; what it prints."""
    command = [
        sys.executable,
        str(EXAMPLES / "python" / "pull.py"),
        "--arena",
        bot.base.split("/api")[0],
    ]
    command += ["--agent", bot.agent_id, "--token", bot.token]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout
        finally:
            process.kill()


def pull_bots(arena, base):
    """One for each agent without a URL; each plays by its number."""
    query = select(Agent.id, Agent.name).where(Agent.kind == AgentKind.PULL).order_by(Agent.name)
    return [
        kind(int(name.split()[1]), base, arena.author_token, agent_id)
        for kind, (agent_id, name) in zip(KINDS, arena.rows(query), strict=False)
    ]


@pytest.fixture
def arena(arena_url):
    """One match of one deal: agents 0 to 2 fetch, 3 and 4 are called."""
    with running_bots() as bots:
        arena = Arena(arena_url)
        urls = [None, None, None, bots.url(3), bots.url(4)]
        arena.prepare(urls, deals=1, budget_ms=20_000)
        yield arena
        arena.close()


def test_a_match_is_played_over_both_transports_and_survives_its_worker(arena):
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    *bots, sample = pull_bots(arena, base)
    with ExitStack() as stack:
        stack.enter_context(arena.process("api", BAOHUANG_PORT=str(port), BAOHUANG_THREADS="1"))
        stack.enter_context(playing(bots))
        said = stack.enter_context(running_sample(sample))
        with arena.process("worker", "--timers") as worker:
            until(lambda: arena.decisions() >= 30)
            worker.send_signal(signal.SIGKILL)
        stack.enter_context(arena.process("worker", "--timers"))
        until(lambda: arena.status() == "finished")
        until(lambda: all("match_end" in bot.kinds for bot in bots))
        assert said.readline().split()[0] == arena.one(select(Match.id))
    (record,) = arena.records()
    verify(record)
    assert arena.one(select(Match.epoch)) == 2
    assert arena.one(select(func.count()).select_from(Fault)) == 0
    for bot in bots:
        assert bot.kinds == {"decide", "deal_end", "match_end"}
        repeated = len(bot.seen) - len(set(bot.seen))
        assert repeated <= 20, "what was written is not asked again"


def test_who_does_not_fetch_loses_the_decision_and_the_match_goes_on(arena_url):
    arena = Arena(arena_url)
    arena.prepare([None] * 5, deals=1, budget_ms=50, bank_ms=100)
    try:
        with arena.process("worker", "--timers"):
            until(lambda: arena.status() == "finished")
        kinds = {kind for (kind,) in arena.rows(select(Fault.kind))}
        assert kinds == {"connect"}
        (record,) = arena.records()
        verify(record)
        assert record["deals"][-1]["result"] == "uncounted"
    finally:
        arena.close()


def test_what_is_missed_while_the_api_is_down_is_asked_again_and_costs_nothing(sqlite_arena):
    """Killed in the middle of the match and started again after more than a budget.

    Which is long, so that nobody misses a question else while a busy machine starts the API.
    """
    asked_again = select(FurtherCall.fault).where(FurtherCall.kind == "decide")
    port = free_port()
    door = {"BAOHUANG_PORT": str(port), "BAOHUANG_THREADS": "1", "BAOHUANG_LIMIT_TOKEN": "0"}
    with running_bots() as bots, closing(Arena(sqlite_arena)) as arena:
        arena.prepare([None, *map(bots.url, range(1, 5))], deals=30, budget_ms=6000, bank_ms=0)
        (bot,) = pull_bots(arena, f"http://127.0.0.1:{port}")
        with ExitStack() as stack:
            stack.enter_context(playing([bot]))
            with arena.process("api", **door):
                until(lambda: arena.one(select(Door.id)))
                stack.enter_context(arena.process("worker", "--timers"))
                until(lambda: len(bot.seen) >= 5)
            down = arena.one(select(func.max(Door.seen)))
            until(lambda: time.time() > down + 8)
            stack.enter_context(arena.process("api", **door))
            until(lambda: arena.rows(asked_again))
        charged = {to for (to,) in arena.rows(select(Fault.charged_to))}
        tries = arena.rows(asked_again)
    assert "bot" not in charged
    assert 1 <= len(tries) <= 2


def test_a_check_goes_through_the_same_door_and_gives_a_badge(sqlite_arena):
    """By long poll, as the sample agent has it, and by a stream."""
    arena = Arena(sqlite_arena)
    author, _ = arena.author([None] * 2)
    with arena.database.begin() as session:
        account = session.get_one(Account, author.account_id)
        _, arena.author_token = tokens.create(session, account, "bots", ["agents:play"])
        session.execute(update(AgentVersion).values(check_at=0.0))
    port = free_port()
    polls, streams = pull_bots(arena, f"http://127.0.0.1:{port}")
    try:
        with ExitStack() as stack:
            api = arena.process("api", BAOHUANG_PORT=str(port), BAOHUANG_THREADS="1")
            stack.enter_context(api)
            stack.enter_context(playing([streams]))
            stack.enter_context(running_sample(polls))
            until(lambda: reachable(port))
            stack.enter_context(arena.process("worker", "--timers"))
            waiting = select(func.count()).where(AgentVersion.checked_at.is_(None))
            until(lambda: arena.one(waiting) == 0)
        found = arena.rows(select(AgentVersion.findings, AgentVersion.badge_until))
        assert len(found) == 2
        for findings, badge_until in found:
            assert [line for line in findings if line[1] == "failed"] == []
            assert badge_until is not None
        assert streams.kinds == {"decide", "deal_end", "match_end"}
    finally:
        arena.close()


def reachable(port):
    """Whether the API listens."""
    with socket.socket() as place:
        return place.connect_ex(("127.0.0.1", port)) == 0
