"""Work that takes long is done rarely."""

from baohuang.scheduler import pace
from baohuang.scheduler.pace import Pace


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def work(a_pace, clock, subject, seconds):
    with a_pace.working(subject):
        clock.now += seconds


def test_a_subject_rests_in_proportion_to_its_work_and_others_do_not():
    clock = Clock()
    paced = Pace(0.05, clock)
    assert paced.ready("a")
    work(paced, clock, "a", 2)
    assert paced.ready("b")
    clock.now += 39.9
    assert not paced.ready("a")
    clock.now += 0.2
    assert paced.ready("a")


def test_whatever_the_work_costs_it_has_its_share_of_the_time_and_no_more():
    for seconds in (0.001, 1, 60):
        clock = Clock()
        paced, spent = Pace(0.05, clock), 0.0
        for _ in range(20_000):
            if paced.ready("a"):
                work(paced, clock, "a", seconds)
                spent += seconds
            clock.now += seconds / 10
        assert 0.04 < spent / (clock.now - 100) < 0.05


def test_it_does_not_remember_everybody(monkeypatch):
    monkeypatch.setattr(pace, "MANY", 3)
    clock = Clock()
    paced = Pace(0.5, clock)
    for subject in "abcdefgh":
        work(paced, clock, subject, 1)
        clock.now += 10
    assert len(paced._rest_until) <= 3
