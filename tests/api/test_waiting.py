"""The room where pull agents wait: rung when a question comes, full when it is full."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import monotonic

import pytest

from baohuang.api.waiting import Full, WaitingRoom


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


@pytest.fixture
def post():
    return Post()


def seconds_waited(room, agent, known=(), seconds=20.0):
    start = monotonic()
    room.wait(agent, known, seconds)
    return monotonic() - start


def test_a_guest_is_called_when_a_question_comes(post):
    room = WaitingRoom(post, 2)
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(seconds_waited, room, "a")
        assert post.looked.wait(10)
        assert not waiting.done()
        post.waiting["a"] = {"r1"}
        assert waiting.result() < 10
    assert {"a"} in post.asked


def test_a_guest_is_not_called_for_others_or_for_what_is_known(post):
    room = WaitingRoom(post, 2)
    post.waiting = {"a": {"r1"}, "b": {"r2"}}
    assert seconds_waited(room, "a", known=["r1"], seconds=0.2) >= 0.2
    assert seconds_waited(room, "c", seconds=0.2) >= 0.2


def test_no_more_than_there_is_room_for_may_wait_and_places_come_free(post):
    room = WaitingRoom(post, 1)
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(seconds_waited, room, "a")
        assert post.looked.wait(10)
        with pytest.raises(Full):
            room.wait("b", (), 5)
        post.waiting["a"] = {"r1"}
        waiting.result()
    post.waiting["b"] = {"r2"}
    assert seconds_waited(room, "b") < 10


def test_nobody_waiting_nobody_looks(post):
    room = WaitingRoom(post, 1)
    room.wait("a", (), 0.05)
    room.wait("b", (), 0.05)
    looks = len(post.asked)
    assert not Event().wait(0.2)
    assert len(post.asked) == looks


def test_a_look_that_fails_sends_the_guests_to_look_themselves():
    def fails(_agent_ids):
        raise OSError("no database")

    assert seconds_waited(WaitingRoom(fails, 1), "a") < 10
