"""What requests ask of the network: in nobody's place, few for an account, one resolver for all."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Event

import pytest
from werkzeug.test import Client

from baohuang.api.errands import EACH, Errands
from baohuang.api.errors import TooMany, Unavailable
from baohuang.api.remote.guard import Guard
from baohuang.api.remote.resolver import Resolver
from baohuang.scheduler.serve import Gate

from .support import problem
from .tournament_support import agent

LONG_S = 60.0
PUBLIC = "93.184.216.34"
CALLS = {
    "register": ("POST", "/agents", {"name": "x", "url": "https://slow.example.com/"}),
    "move": ("PATCH", "/agents/{id}", {"url": "https://slow.example.com/"}),
    "version": ("POST", "/agents/{id}/versions", {"url": "https://slow.example.com/"}),
    "webhook": ("POST", "/webhooks", {"name": "x", "url": "https://slow.example.com/"}),
    "verify": ("POST", "/agents/{id}/verify", None),
    "verify version": ("POST", "/agents/{id}/versions/1/verify", None),
}


class Held:
    """In place of the network: whoever asks says so, and waits until it is let go."""

    def __init__(self):
        self.asked, self.go = Event(), Event()

    async def wait(self, *_args):
        self.asked.set()
        await asyncio.to_thread(self.go.wait, LONG_S)

    async def lookup(self, host):
        await self.wait(host)
        return [PUBLIC]


@pytest.fixture
def held(site, monkeypatch):
    held = Held()
    monkeypatch.setattr(site.arena.errands.resolver, "_lookup", held.lookup)
    monkeypatch.setattr("baohuang.api.remote.agent.HttpAgent.hello", held.wait)
    yield held
    held.go.set()


@pytest.mark.parametrize("what", CALLS)
def test_while_somebody_elses_server_is_asked_others_are_answered(site, organizer, held, what):
    method, path, body = CALLS[what]
    agent_id = agent(site, organizer, "bot")
    assert (
        organizer.post(f"/agents/{agent_id}/rotate-secret", json={"grace_s": 0}).status_code == 200
    )
    path = path.format(id=agent_id)
    gate = Gate(site.app, 1)
    tag = organizer.get(f"/agents/{agent_id}").headers["ETag"]
    headers = {"Authorization": f"Bearer {organizer.token}", "If-Match": tag}
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(
            Client(gate).open, f"/api/v1{path}", method=method, json=body, headers=headers
        )
        assert held.asked.wait(LONG_S)
        assert Client(gate).get("/healthz").status_code == 200
        with site.arena.database.begin():
            pass  # and no transaction is open
        assert not slow.done()
        held.go.set()
        assert slow.result(LONG_S).status_code in (200, 201, 422)


def test_an_account_has_few_errands_at_once_and_others_theirs(site, author, held):
    other = site.caller("Bert")
    bot = {"name": "x", "url": "https://slow.example.com/"}
    with ThreadPoolExecutor(1) as threads, held_turns(site, author.account_id, EACH):
        problem(author.post("/agents", json=bot), 429, "too_many_calls")
        theirs = threads.submit(other.post, "/agents", json=bot)
        assert held.asked.wait(LONG_S)
        held.go.set()
        assert theirs.result(LONG_S).status_code == 201
    assert author.post("/agents", json=bot).status_code == 201


@contextmanager
def held_turns(site, account_id, number):
    """So many errands of an account on their way."""
    with ExitStack() as stack:
        for _ in range(number):
            stack.enter_context(site.arena.errands.turn(account_id))
        yield


def test_all_together_have_their_bound_too():
    errands = Errands(Guard(), each=2, total=3)
    with errands.turn("a"), errands.turn("a"), errands.turn("b"):
        with pytest.raises(TooMany), errands.turn("a"):
            pass
        with pytest.raises(Unavailable), errands.turn("c"):
            pass
    with errands.turn("c"):
        pass


def test_a_name_is_asked_once_for_all_of_a_process(site, author, monkeypatch):
    asked = []

    async def lookup(host):
        asked.append(host)
        return [PUBLIC]

    monkeypatch.setattr(site.arena.errands.resolver, "_lookup", lookup)
    for name in ("a", "b", "c"):
        bot = {"name": name, "url": f"https://bot.example.com/{name}"}
        assert author.post("/agents", json=bot).status_code == 201
    assert asked == ["bot.example.com"]


def test_a_call_closes_its_client_and_keeps_the_resolver():
    errands = Errands(Guard())

    async def resolver_of(client):
        return client.resolver

    found = {errands.call(resolver_of) for _ in range(2)}
    assert found == {errands.resolver}
    assert isinstance(errands.resolver, Resolver)
