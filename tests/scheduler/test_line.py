"""A child's line: time runs for the first one in it, and only what hangs is given up."""

from __future__ import annotations

import pytest

from baohuang.scheduler.line import GIVE_UP_S, GaveUp, Line


class Result:
    """Ready when the test says so."""

    def __init__(self):
        self.made = []

    def ready(self):
        return bool(self.made)

    def get(self):
        (made,) = self.made
        if isinstance(made, Exception):
            raise made
        return made


class Child:
    def __init__(self):
        self.jobs, self.stopped = {}, False

    def apply_async(self, _work, args):
        (subject,) = args
        self.jobs[subject] = Result()
        return self.jobs[subject]

    def terminate(self):
        self.stopped = True


class Scene:
    """A line, its children so far, and a clock that stands still but for `wait`."""

    def __init__(self):
        self.now, self.children = 0.0, []
        self.line = Line(self.start, clock=lambda: self.now)

    def start(self):
        self.children.append(Child())
        return self.children[-1]

    def wait(self, seconds):
        self.now += seconds

    def ask(self, subject):
        return self.line.ask(len, subject)

    def done(self, subject, made="made"):
        self.children[-1].jobs[subject].made.append(made)


@pytest.fixture
def scene():
    return Scene()


def test_waiting_behind_others_is_not_counted(scene):
    """Five jobs of 400 s each: the last one is ready after 2,000 s, and nobody gave up."""
    assert GIVE_UP_S < 5 * 400
    for subject in "abcde":
        assert scene.ask(subject) is None
    for k, subject in enumerate("abcde"):
        scene.wait(400)
        scene.done(subject)
        assert [scene.ask(x) for x in "abcde"[k:]] == ["made", *[None] * (4 - k)]
    assert [child.stopped for child in scene.children] == [False]


def test_the_first_one_is_given_up_after_its_time_and_the_others_begin_again(scene):
    assert (scene.ask("hangs"), scene.ask("waits")) == (None, None)
    scene.wait(GIVE_UP_S)
    assert (scene.ask("hangs"), scene.ask("waits")) == (None, None)
    scene.wait(1)
    with pytest.raises(GaveUp, match="after 900 s"):
        scene.ask("hangs")
    assert scene.children[0].stopped
    assert scene.ask("waits") is None
    (_, second) = scene.children
    assert list(second.jobs) == ["waits"]
    scene.wait(GIVE_UP_S)
    scene.done("waits")
    assert scene.ask("waits") == "made"
    assert not second.stopped


def test_the_time_of_the_next_one_begins_when_the_one_before_is_over(scene):
    assert (scene.ask("long"), scene.ask("hangs")) == (None, None)
    scene.wait(GIVE_UP_S)
    scene.done("long")
    assert (scene.ask("hangs"), scene.ask("long")) == (None, "made")
    scene.wait(GIVE_UP_S)
    assert scene.ask("hangs") is None
    scene.wait(1)
    with pytest.raises(GaveUp):
        scene.ask("hangs")


def test_what_hangs_holds_nobody_up_though_nobody_asks_for_it_any_more(scene):
    assert (scene.ask("forgotten"), scene.ask("waits")) == (None, None)
    scene.wait(GIVE_UP_S + 1)
    assert scene.ask("waits") is None
    assert scene.children[0].stopped
    assert scene.ask("waits") is None
    scene.done("waits")
    assert scene.ask("waits") == "made"
    with pytest.raises(GaveUp):
        scene.ask("forgotten")
    assert scene.ask("forgotten") is None, "and then it may try again"


def test_what_was_ready_when_the_child_was_stopped_is_not_lost(scene):
    for subject in ("ready", "hangs", "waits"):
        assert scene.ask(subject) is None
    scene.done("ready")
    assert scene.ask("hangs") is None
    scene.wait(GIVE_UP_S + 1)
    with pytest.raises(GaveUp):
        scene.ask("hangs")
    assert scene.ask("ready") == "made"
    assert list(scene.children[0].jobs) == ["ready", "hangs", "waits"]


def test_an_error_of_the_work_is_raised_once(scene):
    assert scene.ask("wrong") is None
    scene.done("wrong", ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        scene.ask("wrong")
    assert scene.ask("wrong") is None, "it begins again"


def test_closing_stops_the_child(scene):
    assert scene.ask("a") is None
    scene.line.close()
    assert scene.children[0].stopped
