"""Questions to pull agents: offered by a worker, fetched and answered by an agent, or too late."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import orjson
import pytest
from sqlalchemy import select, update

from baohuang.api.db import db_now
from baohuang.api.errors import Conflict, Invalid, NotFound
from baohuang.api.models import Agent, AgentKind, Question
from baohuang.api.remote.agent import Question as Asked
from baohuang.api.remote.pull import Letter, PullAgent, Returned, _decision
from baohuang.api.remote.wire import Clock, MatchIds, decide_body
from baohuang.api.services import agents, decisions, questions

FIRST, SECOND = "01" + "A" * 24, "01" + "B" * 24
LEGAL = ["pass", "77", "88"]
EXAMPLE = Path(__file__).parents[3] / "openapi" / "examples" / "decide-follow.json"
VIEW = orjson.loads(EXAMPLE.read_bytes())


@pytest.fixture
def agent_id(world):
    with world.database.begin() as session:
        return agents.register(session, world.vault, world.people["anna"], "anna", "pull")[0].id


@pytest.fixture
def match_id(world):
    return world.playing(agents=5)[1][0]


@pytest.fixture
def put(world, agent_id, match_id):
    """Offer a question as a worker does."""

    def offer(request=FIRST, *, epoch=1, kind="decide", budget_ms=2000, limit_ms=5000):
        body = {"kind": kind, "request": request, "legal": LEGAL, "clock": {"budget_ms": budget_ms}}
        letter = Letter(
            request, agent_id, match_id, epoch, kind, orjson.dumps(body), budget_ms, limit_ms
        )
        with world.database.begin() as session:
            questions.offer(session, [letter])

    return offer


def fetch(world, agent_id, *known):
    with world.database.begin() as session:
        found = decisions.fetch(session, agent_id, known)
    return None if found is None else orjson.loads(found)


def answer(world, text="77", request=FIRST, who="anna", note=None):
    with world.database.begin() as session:
        return decisions.answer(session, world.people[who], request, text, note)


def look(world, *requests):
    with world.database.read() as session:
        return questions.look(session, requests)


def close(world, *requests):
    with world.database.begin() as session:
        return questions.close(session, requests)


def shift(world, request=FIRST, *, seconds):
    """Let time pass for one question."""
    moved = {
        name: getattr(Question, name) - seconds for name in ("asked_at", "fetched_at", "until")
    }
    with world.database.begin() as session:
        session.execute(update(Question).where(Question.request == request).values(moved))


def now(world):
    with world.database.read() as session:
        return db_now(session)


def test_a_pull_agent_is_active_at_once_and_has_no_url(world, agent_id):
    with world.database.read() as session:
        agent = session.get_one(Agent, agent_id)
        assert (agent.kind, agent.status, agent.url) == (AgentKind.PULL, "active", None)


def test_a_question_is_fetched_answered_and_found(world, agent_id, put):
    put(limit_ms=60_000)
    assert fetch(world, agent_id)["request"] == FIRST
    shift(world, seconds=1)
    taken = answer(world, note="hm")
    assert (taken.request, taken.answer) == (FIRST, "77")
    assert 1000 <= taken.ms < 60_000
    answered, overdue = look(world, FIRST, SECOND)
    assert overdue == []
    assert (answered[FIRST].answer, answered[FIRST].note, answered[FIRST].fetched) == (
        "77", "hm", True,
    )  # fmt: skip
    assert answered[FIRST].ms == taken.ms
    assert fetch(world, agent_id) is None


def test_the_clock_starts_with_the_first_fetching(world, agent_id, put):
    put(budget_ms=2000, limit_ms=60_000)
    shift(world, seconds=20)
    before = now(world)
    deadline = datetime.fromisoformat(fetch(world, agent_id)["clock"]["deadline"]).timestamp()
    assert before + 1.99 < deadline < now(world) + 2.01
    shift(world, seconds=20)
    again = datetime.fromisoformat(fetch(world, agent_id)["clock"]["deadline"]).timestamp()
    assert again == pytest.approx(deadline - 20, abs=0.002)
    assert answer(world).ms >= 20_000


class Mailbox:
    """What was put there long ago is fetched and answered, as soon as a worker has put it there."""

    def __init__(self, world, agent_id, lay_s):
        self.world, self.agent_id, self.lay_s = world, agent_id, lay_s
        self.given = b""

    async def ask(self, letter):
        with self.world.database.begin() as session:
            questions.offer(session, [letter])
        shift(self.world, letter.request, seconds=self.lay_s)
        with self.world.database.begin() as session:
            self.given = decisions.fetch(session, self.agent_id)
        answer(self.world, "pass", letter.request)
        return look(self.world, letter.request)[0][letter.request]


@pytest.mark.parametrize("lay_s", [0.0, 1.2345])
def test_the_request_of_the_log_is_the_one_that_was_fetched(world, agent_id, match_id, lay_s):
    """`asked_at` goes into a column of microseconds and comes back before the body is made anew."""
    ids, clock = MatchIds(match_id), Clock(2000, 30_000)
    mailbox = Mailbox(world, agent_id, lay_s)
    for number in range(20):
        asked = Asked(f"01{number:024}", ids, VIEW, clock, asked_at=1000.0)
        decision = asyncio.run(PullAgent(agent_id, match_id, 1, mailbox).decide(asked))
        kept = datetime.fromtimestamp(decision.asked_at, UTC).timestamp()
        assert decide_body(asked.request, ids, VIEW, clock, kept) == mailbox.given
        assert kept == pytest.approx(now(world), abs=5)


def test_what_nobody_fetched_was_asked_when_it_was_put_there(agent_id, match_id):
    class Nobody:
        async def ask(self, letter):
            return Returned(32_000, fetched=False, began=2000.0)

    asked = Asked(FIRST, MatchIds(match_id), VIEW, Clock(2000, 30_000), asked_at=1000.0)
    decision = asyncio.run(PullAgent(agent_id, match_id, 1, Nobody()).decide(asked))
    assert (decision.asked_at, decision.fault.kind) == (None, "connect")


def test_what_is_known_is_not_given_again(world, agent_id, put):
    put()
    assert fetch(world, agent_id)["request"] == FIRST
    assert fetch(world, agent_id, FIRST) is None
    assert fetch(world, agent_id)["request"] == FIRST


def test_a_late_answer_is_refused_and_the_worker_goes_on(world, agent_id, put):
    put()
    fetch(world, agent_id)
    shift(world, seconds=6)
    with pytest.raises(Conflict) as refused:
        answer(world)
    assert refused.value.problem_code == "late"
    assert look(world, FIRST) == ({}, [FIRST])
    returned = close(world, FIRST)[FIRST]
    assert (returned.answer, returned.fetched, returned.ms) == (None, True, 5000)
    assert fetch(world, agent_id) is None


def test_a_question_that_nobody_fetched_says_so(world, agent_id, put):
    put()
    assert close(world, FIRST) == {}
    shift(world, seconds=5.5)
    returned = close(world, FIRST)[FIRST]
    assert (returned.answer, returned.fetched, returned.ms) == (None, False, 5000)


def test_an_answer_that_came_before_the_close_counts(world, agent_id, put):
    put()
    fetch(world, agent_id)
    answer(world)
    shift(world, seconds=9)
    assert close(world, FIRST)[FIRST].answer == "77"


def test_an_answer_may_come_twice_but_not_change(world, agent_id, put):
    put()
    fetch(world, agent_id)
    first = answer(world)
    assert answer(world) == first
    with pytest.raises(Conflict) as refused:
        answer(world, "88")
    assert refused.value.problem_code == "already_answered"


def test_an_illegal_answer_leaves_the_question_open(world, agent_id, put):
    put()
    fetch(world, agent_id)
    with pytest.raises(Invalid) as refused:
        answer(world, "99")
    assert [(e.pointer, e.code) for e in refused.value.errors] == [("/answer", "illegal")]
    assert answer(world, "88").answer == "88"


def test_a_question_must_be_fetched_before_it_is_answered(world, put):
    put()
    for text in ("77", "not legal: nothing is said of that before"):
        with pytest.raises(Conflict) as refused:
            answer(world, text)
        assert refused.value.problem_code == "not_fetched"


@pytest.mark.parametrize(
    ("lay_s", "charged_ms"), [(0.5, 850), (2, 850), (4.5, 3350)], ids=["at once", "polled", "late"]
)
def test_what_lies_longer_than_a_poll_is_charged(world, agent_id, put, lay_s, charged_ms):
    """A second to think, less 150 ms of the network; and of 4.5 s unfetched 2.5 s too many.

    What all this takes comes on top at most.
    """
    began = now(world)
    put(limit_ms=60_000)
    shift(world, seconds=lay_s)
    fetch(world, agent_id)
    shift(world, seconds=1)
    answer(world)
    returned = look(world, FIRST)[0][FIRST]
    question = SimpleNamespace(view={"legal": ["77"]})
    took_ms = (now(world) - began) * 1000
    assert charged_ms - 1 <= _decision(returned, question).charged_ms <= charged_ms + took_ms + 1


def test_others_know_nothing_of_a_question(world, agent_id, put):
    put()
    for who in ("bert", "olga"):
        with pytest.raises(NotFound):
            answer(world, who=who)
        with world.database.read() as session, pytest.raises(NotFound):
            decisions.player(session, world.people[who], agent_id)
    with pytest.raises(NotFound):
        answer(world, request=SECOND)


def test_an_agent_with_a_url_fetches_nothing(world):
    called = world.agent("anna", "called")
    with world.database.read() as session, pytest.raises(Conflict) as refused:
        decisions.player(session, world.people["anna"], called)
    assert refused.value.problem_code == "agent_kind"


def test_a_resumed_match_offers_the_same_request_with_a_whole_clock(world, agent_id, put):
    put(epoch=1)
    fetch(world, agent_id)
    shift(world, seconds=60)
    close(world, FIRST)
    put(epoch=2)
    assert fetch(world, agent_id)["request"] == FIRST
    assert answer(world).ms < 5000


def test_who_has_fetched_a_question_answers_it_after_a_take_over_without_asking_again(
    world, agent_id, put
):
    put(epoch=1)
    fetch(world, agent_id)
    put(epoch=2)
    assert fetch(world, agent_id, FIRST) is None, "it is known"
    assert answer(world).answer == "77"


def test_an_answer_given_while_the_worker_was_dead_is_found_by_the_next(world, agent_id, put):
    put(epoch=1)
    fetch(world, agent_id)
    answer(world)
    put(epoch=2)
    assert look(world, FIRST)[0][FIRST].answer == "77"


def test_a_worker_that_was_taken_for_dead_changes_nothing(world, agent_id, put):
    put(SECOND, epoch=2)
    put(FIRST, epoch=1)  # an older question of the same seat, asked by the dead one
    assert look(world, SECOND) == ({}, [])
    assert {fetch(world, agent_id)["request"], fetch(world, agent_id, SECOND)["request"]} == {
        FIRST, SECOND,
    }  # fmt: skip


def test_a_new_question_drops_the_one_before_it(world, agent_id, put):
    put(FIRST)
    fetch(world, agent_id)
    answer(world)
    put(SECOND)
    with world.database.read() as session:
        assert list(session.scalars(select(Question.request))) == [SECOND]


def test_a_notice_is_given_once_and_before_what_came_later(world, agent_id, put):
    put(FIRST, kind="deal_end")
    put(SECOND)
    shift(world, FIRST, seconds=1)
    assert [fetch(world, agent_id)["request"] for _ in range(3)] == [FIRST, SECOND, SECOND]
    with pytest.raises(NotFound):
        answer(world, request=FIRST)


def test_an_hour_later_nothing_is_left(world, agent_id, put):
    put(FIRST)
    shift(world, seconds=3610)
    with world.database.begin() as session:
        questions.purge(session)
    with world.database.read() as session:
        assert session.scalar(select(Question.request)) is None


def test_open_for_tells_what_waits_for_whom(world, agent_id, put):
    put(FIRST)
    with world.database.read() as session:
        assert decisions.open_for(session, [agent_id, "nobody"]) == {agent_id: {FIRST}}
    fetch(world, agent_id)
    answer(world)
    with world.database.read() as session:
        assert decisions.open_for(session, [agent_id]) == {}


def test_questions_of_a_check_belong_to_no_match_and_wait_side_by_side(world, agent_id, put):
    put(FIRST)

    def ask(request):
        body = {"kind": "decide", "request": request, "legal": LEGAL, "clock": {"budget_ms": 9}}
        return Letter(request, agent_id, None, 1, "decide", orjson.dumps(body), 2000, 5000)

    checks = ["01" + letter * 24 for letter in "CDE"]
    with world.database.begin() as session:
        questions.offer(session, [ask(request) for request in checks])
    known = []
    for _ in range(4):
        known.append(fetch(world, agent_id, *known)["request"])
    assert set(known) == {FIRST, *checks}
    for request in checks:
        answer(world, request=request)
    found, overdue = look(world, *checks)
    assert {returned.answer for returned in found.values()} == {"77"}
    assert (len(found), overdue) == (3, [])
    put(SECOND)  # the match's own next question drops only the one before it
    assert set(look(world, *checks)[0]) == set(checks)
    with world.database.begin() as session:
        session.execute(update(Question).values(until=0.0))
        questions.purge(session)
        assert session.scalars(select(Question)).all() == []
