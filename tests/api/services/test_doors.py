"""When anybody could have fetched a question, and what is made of it when nobody could."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from sqlalchemy import select, update

from baohuang.api.db import db_now
from baohuang.api.models import Agent, Door, Question
from baohuang.api.remote.agent import Question as Asked
from baohuang.api.remote.pull import Letter, PullAgent, Returned
from baohuang.api.remote.wire import Clock, MatchIds
from baohuang.api.services import doors, questions

REQUEST = "01" + "A" * 24
VIEW = Path(__file__).parents[3] / "openapi" / "examples" / "decide-follow.json"


@pytest.mark.parametrize(
    ("opened", "closed"),
    [
        ([], 10.0),
        ([(0.0, 100.0)], 0.0),
        ([(0.0, 13.0)], 7.0),
        ([(17.0, 99.0)], 7.0),
        ([(0.0, 12.0), (15.0, 99.0)], 3.0),
        ([(15.0, 99.0), (0.0, 12.0), (11.0, 13.0)], 2.0),
        ([(0.0, 5.0), (30.0, 40.0)], 10.0),
        ([(12.0, 13.0), (14.0, 15.0)], 8.0),
    ],
)
def test_closed_is_what_no_process_covers(opened, closed):
    assert doors.closed_s(opened, 10.0, 20.0) == closed


def test_a_process_has_one_row_until_it_was_silent_too_long(world):
    with world.database.begin() as session:
        assert doors.is_open(session)  # nothing is known
        assert doors.spans(session, 0.0) is None
        first = doors.open_new(session)
        assert doors.keep_open(session, first)
        assert doors.is_open(session)
        session.execute(update(Door).values(since=100.0, seen=200.0))
        assert not doors.is_open(session)
        assert not doors.keep_open(session, first)
        second = doors.open_new(session)
        assert doors.is_open(session)
        assert second != first
        assert len(doors.spans(session, 150.0)) == 2
        assert len(doors.spans(session, 300.0)) == 1


def test_the_newest_note_is_never_forgotten(world):
    with world.database.begin() as session:
        for seen in (100.0, 200.0):
            session.add(Door(id=f"{seen:026.0f}", since=seen, seen=seen))
        session.flush()
        doors.purge(session)
        assert session.scalars(select(Door.seen)).all() == [200.0]
        assert doors.spans(session, 1000.0) == []


@pytest.mark.parametrize(
    ("spans", "closed_ms"),
    [
        ((), 0),  # nothing is known
        (((-99, 0),), 0),
        (((-99, -8), (-3, 0)), 4000),  # a note holds for a second
        (((-99, -50),), 8000),
    ],
)
def test_of_eight_seconds_so_many_were_closed(world, spans, closed_ms):
    with world.database.begin() as session:
        for number, (since, seen) in enumerate(spans):
            session.add(Door(id=f"{number:026}", since=1000.0 + since, seen=1000.0 + seen))
        session.flush()
        assert doors.closed_ms(session, 990.0, 998.0) == closed_ms


def test_what_came_back_unanswered_can_be_asked_again_with_a_whole_clock(world):
    match_id = world.playing(agents=5)[1][0]
    with world.database.begin() as session:
        agent_id = session.scalar(select(Agent.id).limit(1))
        letter = Letter(REQUEST, agent_id, match_id, 1, "decide", b"{}", 8000, 8000)
        questions.offer(session, [letter])
        began = db_now(session) - 10
        session.execute(update(Question).values(asked_at=began, until=began + 8))
        found = questions.close(session, [REQUEST])[REQUEST]
        assert (found.ms, found.fetched, found.answer) == (8000, False, None)
        assert found.began == pytest.approx(began, abs=0.001)
        questions.offer(session, [letter])
        row = session.get_one(Question, REQUEST, populate_existing=True)
        assert (row.status, row.fetched_at) == ("open", None)
        assert row.until == pytest.approx(db_now(session) + 8, abs=1)


class Missed:
    """A mailbox from which nothing comes, and a door that was closed so long."""

    def __init__(self, closed_ms):
        self.closed = closed_ms

    async def ask(self, letter):
        return Returned(8000, fetched=False, began=990.0)

    async def closed_ms(self, began, ms):
        assert (began, ms) == (990.0, 8000)
        return self.closed


@pytest.mark.parametrize(
    ("closed_ms", "kind", "charged_to", "charged"),
    [(0, "connect", "bot", 8000), (2000, "connect", "bot", 8000), (2001, "server", "server", 0)],
)
def test_a_quarter_of_the_time_is_a_good_part(closed_ms, kind, charged_to, charged):
    missed = Missed(closed_ms)
    question = Asked("01", MatchIds("m"), json.loads(VIEW.read_text()), Clock(8000, 0))
    decision = asyncio.run(PullAgent("a", "m", 1, missed, missed).decide(question))
    assert (decision.fault.kind, decision.fault.charged_to) == (kind, charged_to)
    assert decision.charged_ms == charged
