"""What takes seconds to work out: once for all who ask, one at a time, and few wait for it."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest

from baohuang.api import figures as module
from baohuang.api.errors import Unavailable
from baohuang.api.figures import Figures, Turns
from baohuang.api.models import Role
from baohuang.api.services import fairness, standings

from .support import problem
from .tournament_support import agent, opened, play_round

PATIENCE_S = 30


class Work:
    """Answers when it is let; `begun` is set when somebody works on it."""

    def __init__(self, answer="done", error=None):
        self.begun, self.go, self.times = Event(), Event(), 0
        self._answer, self._error = answer, error

    def __call__(self):
        self.times += 1
        self.begun.set()
        assert self.go.wait(PATIENCE_S)
        if self._error is not None:
            raise self._error
        return self._answer


@pytest.fixture
def threads():
    with ThreadPoolExecutor(8) as pool:
        yield pool


def one(_):
    return 1


def inside(turns, number):
    """Wait until so many have a place."""
    deadline = Event()
    for _ in range(3000):
        if turns._inside == number:
            return
        deadline.wait(0.01)
    raise AssertionError(f"{turns._inside} are inside, not {number}")


def test_equal_requests_wait_for_one_work(threads):
    turns, work = Turns(4), Work()
    figures = Figures(turns)
    asked = [threads.submit(figures.of, "key", work, one) for _ in range(4)]
    inside(turns, 4)
    work.go.set()
    assert [each.result(PATIENCE_S) for each in asked] == ["done"] * 4
    assert work.times == 1
    assert figures.of("key", work, one) == "done", "and later it is there"
    assert work.times == 1


def test_one_is_worked_on_at_a_time(threads):
    turns, first, second = Turns(2), Work("first"), Work("second")
    figures = Figures(turns)
    asked = [threads.submit(figures.of, "a", first, one)]
    assert first.begun.wait(PATIENCE_S)
    asked.append(threads.submit(figures.of, "b", second, one))
    inside(turns, 2)
    assert not second.begun.is_set()
    second.go.set()
    assert not second.begun.wait(0.05)
    first.go.set()
    assert [each.result(PATIENCE_S) for each in asked] == ["first", "second"]


def test_who_finds_all_places_taken_is_told_to_come_again(threads):
    turns, work = Turns(2), Work()
    figures = Figures(turns)
    figures.of("known", lambda: "kept", one)
    asked = [threads.submit(figures.of, key, work, one) for key in "ab"]
    inside(turns, 2)
    for key in ("a", "c"):
        with pytest.raises(Unavailable) as refused:
            figures.of(key, work, one)
        assert refused.value.problem_code == "working"
        assert int(refused.value.headers["Retry-After"]) > 0
    assert figures.of("known", work, one) == "kept", "what is there is given even then"
    work.go.set()
    assert [each.result(PATIENCE_S) for each in asked] == ["done"] * 2


def test_nobody_waits_for_ever(threads):
    work = Work()
    figures = Figures(Turns(3, wait_s=0.05))
    asked = threads.submit(figures.of, "a", work, one)
    assert work.begun.wait(PATIENCE_S)
    for key in ("a", "b"):  # for the same work, and for a turn
        with pytest.raises(Unavailable):
            figures.of(key, work, one)
    work.go.set()
    assert asked.result(PATIENCE_S) == "done"
    assert figures.of("b", lambda: "free again", one) == "free again"


def test_a_failure_is_told_to_who_worked_and_the_next_tries_again(threads):
    turns, work = Turns(2), Work(error=KeyError("it"))
    figures = Figures(turns)
    first: Future[str] = threads.submit(figures.of, "a", work, one)
    assert work.begun.wait(PATIENCE_S)
    second = threads.submit(figures.of, "a", work, one)
    inside(turns, 2)
    work.go.set()
    with pytest.raises(KeyError):
        first.result(PATIENCE_S)
    with pytest.raises(Unavailable):
        second.result(PATIENCE_S)
    assert figures.of("a", lambda: "well", one) == "well"


def test_what_is_kept_is_bounded_in_rows_and_the_last_used_stay():
    made = []

    def of(figures, key, rows):
        return figures.of(key, lambda: made.append(key), lambda _: rows)

    figures = Figures(Turns(1), rows=10)
    of(figures, "a", 4)
    of(figures, "b", 4)
    of(figures, "a", 4)  # used again
    of(figures, "c", 4)  # 12: b goes
    of(figures, "a", 4)
    of(figures, "c", 4)
    assert made == ["a", "b", "c"]
    of(figures, "b", 4)  # a goes
    of(figures, "big", 11)  # never kept, and nothing goes for it
    of(figures, "big", 11)
    of(figures, "b", 4)
    of(figures, "c", 4)
    assert made == ["a", "b", "c", "b", "big", "big"]


def test_files_are_written_one_at_a_time(threads):
    turns, work = Turns(1), Work()

    def write():
        with turns.alone():
            return work()

    writing = threads.submit(write)
    assert work.begun.wait(PATIENCE_S)
    with pytest.raises(Unavailable):
        write()
    work.go.set()
    assert writing.result(PATIENCE_S) == "done"
    assert write() == "done"


@pytest.fixture
def played(site, monkeypatch):
    """Two rounds of a field of five agents and five house bots; all of it counts as much."""
    monkeypatch.setattr(module, "SMALL", 0)
    organizer = site.caller("olga", Role.ORGANIZER)
    tournament_id = opened(organizer, rounds=3, deals=1)
    for k in range(6):
        owner = site.caller(f"owner-{k}", Role.AUTHOR)
        entry = {"agent_id": agent(site, owner, f"bot-{k}")}
        assert owner.post(f"/tournaments/{tournament_id}/entries", json=entry).status_code == 201
    assert organizer.post(f"/tournaments/{tournament_id}/start").status_code == 200
    for _ in range(2):
        play_round(site, tournament_id)
    return organizer, tournament_id


@pytest.fixture
def counted(monkeypatch):
    """How often each of the two was worked out."""
    times = {"standings": 0, "fairness": 0}

    def counting(name, work):
        def counts(*args, **more):
            times[name] += 1
            return work(*args, **more)

        return counts

    monkeypatch.setattr(standings, "compute", counting("standings", standings.compute))
    certify = fairness._certificate
    monkeypatch.setattr(fairness, "_certificate", counting("fairness", certify))
    return times


def get(site, tournament_id, path):
    answer = site.stranger().get(f"/tournaments/{tournament_id}/{path}")
    assert answer.status_code == 200, answer.json
    return answer.json or answer.get_data()


def test_standings_of_now_are_never_worked_out_for_a_reader(site, played, counted):
    _, tournament_id = played
    now = get(site, tournament_id, "standings")
    for path in ("standings?as_of=2", "standings/csv"):
        assert get(site, tournament_id, path)
    assert get(site, tournament_id, "standings?as_of=2")["items"] == now["items"]
    assert counted["standings"] == 0


def test_others_are_worked_out_once_for_all_pages_and_readers(site, played, counted):
    organizer, tournament_id = played
    first = get(site, tournament_id, "standings?as_of=1&limit=3")
    again = get(site, tournament_id, "standings?as_of=1&limit=3")
    assert first == again
    assert get(site, tournament_id, f"standings?as_of=1&limit=3&cursor={first['next']}")["items"]
    assert counted["standings"] == 1
    for as_of in ("", "&as_of=2"):
        get(site, tournament_id, f"standings?house=false{as_of}")
    assert counted["standings"] == 2
    entry = first["items"][-1]["entry_id"]
    body = {"kind": "adjust", "entry_id": entry, "round": 1, "points": 99, "reason": "so"}
    path = f"/tournaments/{tournament_id}/rulings"
    assert organizer.post(path, json=body).status_code == 201
    counted["standings"] = 0
    assert get(site, tournament_id, "standings?as_of=1")["items"][0]["entry_id"] == entry
    assert counted["standings"] == 1, "a ruling makes them others"


def test_a_certificate_is_worked_out_once(site, played, counted):
    _, tournament_id = played
    first = get(site, tournament_id, "fairness")
    assert get(site, tournament_id, "fairness") == first
    assert (counted["fairness"], first["rounds"]) == (1, 2)
    play_round(site, tournament_id)
    assert get(site, tournament_id, "fairness")["rounds"] == 3
    assert counted["fairness"] == 2


@pytest.mark.parametrize(
    "path", ["standings?as_of=1", "standings?house=false", "fairness", "results/csv", "archive"]
)
def test_the_answer_is_503_while_others_wait(site, played, monkeypatch, path):
    _, tournament_id = played
    monkeypatch.setattr("baohuang.api.resources.archives.SMALL", 0)
    monkeypatch.setattr(site.arena.figures._turns, "_places", 0)
    monkeypatch.setattr(site.arena.files, "_places", 0)
    answer = site.stranger().get(f"/tournaments/{tournament_id}/{path}")
    problem(answer, 503, "working")
    assert int(answer.headers["Retry-After"]) > 0
    assert get(site, tournament_id, "standings"), "what is stored is there all the same"


@pytest.mark.parametrize("big", ["SMALL", "SMALL_FIELD"])
@pytest.mark.parametrize("key", [None, "one"])
def test_a_big_dry_run_is_503_while_others_wait_and_makes_nobody_else_wait(
    site, played, monkeypatch, big, key
):
    organizer, tournament_id = played
    path = f"/tournaments/{tournament_id}/rulings/dry-run"
    entry = get(site, tournament_id, "standings")["items"][0]["entry_id"]
    ask = {"kind": "warn", "reason": "Slow.", "entry_id": entry}
    turns = site.arena.figures._turns
    monkeypatch.setattr(turns, "_wait_s", 0)
    with turns.alone():
        assert organizer.post(path, json=ask, key=key).status_code == 200, "small ones ask nobody"
        monkeypatch.setattr(f"baohuang.api.services.ruling_trial.{big}", 0)
        answer = organizer.post(path, json=ask, key=key)
        problem(answer, 503, "working")
        assert int(answer.headers["Retry-After"]) > 0
    assert organizer.post(path, json=ask, key=key).status_code == 200
