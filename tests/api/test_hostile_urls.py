"""Every hostile URL at every door that takes one: refused by its rule, and nobody is dialled.

And called as if it stood in the database, as agents and as webhooks are.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from baohuang.api.errands import Errands
from baohuang.api.models import Role
from baohuang.api.remote.client import Client
from baohuang.api.remote.faults import Fault
from baohuang.api.remote.guard import Guard
from baohuang.api.services import agent_calls
from baohuang.api.services.agent_calls import Contact

from .remote.support import DIALLED, LOOPBACK
from .remote.test_guard import PUBLIC, REFUSED
from .support import pointers, problem, refusing

GOOD = f"https://{PUBLIC}/bot"
OF_THE_FIELD = {"+1", "81"}  # refused for their length before anybody reads them


def guard_of(*exceptions):
    """With real sockets."""
    return Guard(exceptions, own=["arena.example.org", f"{PUBLIC}:8080"])


@pytest.fixture
def guarded(site):
    """A site that excepts nobody."""
    guard = guard_of()
    site.app.extensions["baohuang"] = replace(site.arena, guard=guard, errands=Errands(guard))
    return site


@pytest.fixture
def doors(guarded):
    """By name, what sends a URL there."""
    author, organizer = guarded.caller("Ada"), guarded.caller("Oleg", Role.ORGANIZER)
    made = author.post("/agents", json={"name": "a", "url": GOOD})
    agent, tag = made.headers["Location"], made.headers["ETag"]
    hook = organizer.post("/webhooks", json={"name": "w", "url": GOOD})
    place, stamp = hook.headers["Location"], hook.headers["ETag"]
    return {
        "a new agent": lambda url: author.post("/agents", json={"name": "b", "url": url}),
        "an agent": lambda url: author.patch(agent, json={"url": url}, if_match=tag),
        "a version": lambda url: author.post(f"{agent}/versions", json={"url": url}),
        "a new webhook": lambda url: organizer.post("/webhooks", json={"name": "v", "url": url}),
        "a webhook": lambda url: organizer.patch(place, json={"url": url}, if_match=stamp),
    }


def test_no_door_takes_a_hostile_url(guarded, doors):
    before = guarded.counts()
    for name, door in doors.items():
        for number, url, rule in REFUSED:
            with DIALLED.watched() as dialled:
                code = pointers(problem(door(url), 422, "invalid"))["/url"]
            assert (name, number, dialled) == (name, number, [])
            due = "invalid" if number in OF_THE_FIELD else f"url_{rule}"
            assert (name, number, code) == (name, number, due)
    assert guarded.counts() == before


def test_none_is_called_that_stands_in_the_database():
    """As an agent at its verification, as one at a table, as a webhook."""
    guard = guard_of()
    errands = Errands(guard)

    async def called(url, exact):
        client = Client(guard)
        try:
            return await client.post("a", url, b"{}", {}, 1.0, exact)
        finally:
            await client.close()

    for number, url, _ in REFUSED:
        with DIALLED.watched() as dialled:
            found = [
                agent_calls.hello(errands, Contact("a", 1, url, ())),
                *(asyncio.run(called(url, exact)) for exact in (True, False)),
            ]
        assert (number, dialled) == (number, [])
        assert all(isinstance(each, Fault) for each in found)
        assert {(each.kind, each.charged_to) for each in found} == {("blocked", "bot")}


def test_a_call_that_is_made_is_seen_to_be_dialled():
    """So that the tests above would notice one."""
    errands = Errands(guard_of(LOOPBACK))
    with refusing() as port, DIALLED.watched() as dialled:
        agent_calls.hello(errands, Contact("a", 1, f"http://127.0.0.1:{port}/", ()))
    assert ("socket.connect", ("127.0.0.1", port)) in dialled
