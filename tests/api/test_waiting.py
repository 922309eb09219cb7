"""The room where pull agents wait: rung when a question comes, and when the process ends."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from time import monotonic

import pytest

from baohuang.api.waiting import WaitingRoom


class Post:
    """What the room looks at; `looked` is set at each look."""

    def __init__(self):
        self.waiting = {}
        self.asked = []
        self.looked = Event()

    def __call__(self, agent_ids):
        self.asked.append(set(agent_ids))
        self.looked.set()
        return {agent: set(requests) for agent, requests in self.waiting.items()}


@dataclass
class Places:
    closed: bool = False

    def enter(self, holder, plays=None): ...

    def leave(self, holder): ...


@pytest.fixture
def post():
    return Post()


@pytest.fixture
def room(post):
    return WaitingRoom(post, Places())


def seconds_waited(room, agent, known=(), seconds=20.0):
    start = monotonic()
    rung = room.wait(agent, known, seconds)
    waited = monotonic() - start
    assert rung == (waited < seconds)
    return waited


def test_a_guest_is_called_when_a_question_comes(post, room):
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(seconds_waited, room, "a")
        assert post.looked.wait(10)
        assert not waiting.done()
        post.waiting["a"] = {"r1"}
        assert waiting.result() < 10
    assert {"a"} in post.asked


def test_a_guest_is_not_called_for_others_or_for_what_is_known(post, room):
    post.waiting = {"a": {"r1"}, "b": {"r2"}}
    assert seconds_waited(room, "a", known=["r1"], seconds=0.2) >= 0.2
    assert seconds_waited(room, "c", seconds=0.2) >= 0.2


def test_many_wait_for_the_price_of_one_look(post, room):
    with ThreadPoolExecutor(20) as threads:
        waiting = [threads.submit(seconds_waited, room, f"a{number}") for number in range(20)]
        while not any(len(agents) == 20 for agents in post.asked):
            assert post.looked.wait(10)
        post.waiting = {f"a{number}": {"r"} for number in range(20)}
        assert max(guest.result() for guest in waiting) < 10


def test_nobody_waiting_nobody_looks(post, room):
    room.wait("a", (), 0.05)
    room.wait("b", (), 0.05)
    for thread in threading.enumerate():
        if thread.name == "waiting room":  # it may have begun to look before they left
            thread.join(10)
    looks = len(post.asked)
    assert not Event().wait(0.2)
    assert len(post.asked) == looks


def test_the_end_of_the_process_sends_everybody_away(post, room):
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(seconds_waited, room, "a")
        assert post.looked.wait(10)
        room.places.closed = True
        assert waiting.result() < 10


def test_a_look_that_fails_sends_the_guests_to_look_themselves():
    def fails(_agent_ids):
        raise OSError("no database")

    assert seconds_waited(WaitingRoom(fails, Places()), "a") < 10
