"""A big tournament on PostgreSQL while one of its two workers is killed again and again.

Twenty-five HTTP agents, six rounds; scheduler and workers are real processes. A copy of
the same database, played in peace, has the same draw and so must have the same standings.
"""

import signal
from contextlib import ExitStack
from itertools import pairwise

import pytest
from sqlalchemy import func, select

from baohuang.api.models import Decision, Event, Match, Result
from baohuang.engine.record import replay, verify
from baohuang.engine.rules import RuleSet

from ..scheduler.arena import Arena, until
from ..scheduler.bots import running_bots

AGENTS, ROUNDS, TABLES = 25, 6, 5
AT_ONCE = {"BAOHUANG_MATCHES": "3"}  # so that each worker has some of a round's five


@pytest.fixture
def twins(postgres):
    """Two arenas with the same started tournament, and its bots."""
    with ExitStack() as stack:
        bots = stack.enter_context(running_bots(think_s=0.001))
        url = stack.enter_context(postgres.arena())
        arena = Arena(url)
        urls = [bots.url(number) for number in range(AGENTS)]
        arena.prepare(urls, rounds=ROUNDS, deals=1)
        name = arena.database.engine.url.database
        arena.close()
        copy = stack.enter_context(postgres.twin(name))
        twin = Arena(url.replace(name, copy), arena.key)
        stack.callback(twin.close)
        stack.callback(arena.close)
        yield arena, twin, bots


def play(arena, kills=0):
    """To the end; meanwhile one of the workers is killed so many times, each time while playing."""
    with arena.process("scheduler"), arena.process("worker", **AT_ONCE):
        for _ in range(kills):
            with arena.process("worker", **AT_ONCE) as victim:
                until(lambda pid=victim.pid: plays(arena, pid))
                victim.send_signal(signal.SIGKILL)
                victim.wait()
        with arena.process("worker", **AT_ONCE):
            until(lambda: arena.status() == "finished", 180)


def plays(arena, pid):
    """Whether a process has written decisions of a match that it still plays."""
    written = (
        select(func.count())
        .select_from(Match)
        .join(Decision, (Decision.match_id == Match.id) & (Decision.epoch == Match.epoch))
        .where(Match.status == "running", Match.owner.contains(f":{pid}:"))
    )
    return arena.one(written) > 0


def test_three_kills_change_nothing(twins):
    disturbed, peaceful, bots = twins
    play(disturbed, kills=3)
    asked = bots.asked.copy()
    play(peaceful)

    assert {status for _, status, _ in disturbed.played()} == {"finished"}
    assert len(disturbed.played()) == ROUNDS * TABLES
    assert disturbed.one(select(func.count()).select_from(Result)) == ROUNDS * AGENTS
    taken_over = disturbed.one(select(func.sum(Match.epoch - 1)))
    assert taken_over >= 3
    assert disturbed.results() == peaceful.results()
    assert disturbed.standings() == peaceful.standings()
    assert sum(row["points"] for *_, row in disturbed.standings()) == 0
    for record in disturbed.records():
        verify(record)
    # Answers that were written are not asked again: repeated are at most a block a kill and match.
    repeated = sum(count - 1 for count in asked.values())
    assert repeated <= 20 * taken_over
    check_that_nobody_wrote_after_being_followed(disturbed)
    check_that_spectators_heard_each_answer_once(disturbed)


def check_that_nobody_wrote_after_being_followed(arena):
    """Logs have no gaps, and epochs never fall along one."""
    columns = (Decision.match_id, Decision.seq, Decision.epoch)
    rows = arena.rows(select(*columns).order_by(*columns[:2]))
    for (match, seq, epoch), (next_match, next_seq, next_epoch) in pairwise(rows):
        if match == next_match:
            assert next_seq == seq + 1
            assert next_epoch >= epoch


def check_that_spectators_heard_each_answer_once(arena):
    """Whoever was killed when: the answers of a match are in its events, in order."""
    heard = {match: [] for (match,) in arena.rows(select(Match.id))}
    answers = select(Event.match_id, Event.payload).where(Event.kind == "deal.answers")
    for match, payload in arena.rows(answers.order_by(Event.id)):
        heard[match] += payload["answers"]
    for record in arena.records():
        rules = RuleSet.from_json(record["rules"])
        public = [replay(rules, deal).history for deal in record["deals"]]
        assert heard[record["match"]] == [list(answer) for deal in public for answer in deal]
