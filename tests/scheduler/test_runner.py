"""One match in a worker: what is written when, and what every kind of end leaves behind."""

import asyncio
import threading

import pytest
from sqlalchemy.exc import OperationalError

from baohuang.scheduler.runner import Busy, Outcome, Runner
from baohuang.scheduler.scribe import Pace

from .fakes import FakeLedger, FakeTables

LONG = Pace(block=10, block_s=60, lease_s=180)


async def play(ledger, tables, pace=LONG, draining=None):
    async with asyncio.timeout(20):
        runner = Runner(ledger, tables, pace, draining or asyncio.Event())
        return await runner.run("m")


def test_every_decision_is_written_once_in_whole_blocks():
    ledger = FakeLedger()
    assert asyncio.run(play(ledger, FakeTables(25))) is Outcome.FINISHED
    assert ledger.blocks == [10, 10]
    assert [answer for _, answer, _ in ledger.log] == [f"answer {turn}" for turn in range(25)]


def test_play_waits_while_a_full_block_is_written():
    """So that a kill in the middle costs a block and not whatever the bots answered meanwhile."""
    ledger, tables = FakeLedger(), FakeTables(25)

    async def slow_save(*args):
        asked = len(tables.asked)
        for _ in range(50):
            await asyncio.sleep(0)
        assert len(tables.asked) == asked
        return await FakeLedger.save(ledger, *args)

    ledger.save = slow_save
    assert asyncio.run(play(ledger, tables)) is Outcome.FINISHED


def test_a_decision_is_written_in_time_even_if_the_next_one_takes_long():
    ledger = FakeLedger()
    tables = FakeTables(3, at={2: ledger.written.wait})
    outcome = asyncio.run(play(ledger, tables, Pace(block=10, block_s=0.01, lease_s=180)))
    assert outcome is Outcome.FINISHED
    assert ledger.blocks == [2]


def test_the_lease_is_renewed_while_a_bot_thinks():
    ledger = FakeLedger()

    async def think():
        for _ in range(3):
            ledger.renewed.clear()
            await ledger.renewed.wait()

    pace = Pace(block=10, block_s=60, lease_s=0.03)
    assert asyncio.run(play(ledger, FakeTables(5, at={2: think}), pace)) is Outcome.FINISHED


def test_fenced_off_it_stops_and_writes_nothing():
    ledger = FakeLedger()

    async def taken_over():
        ledger.holder += 1

    tables = FakeTables(40, at={15: taken_over})
    assert asyncio.run(play(ledger, tables)) is Outcome.FENCED
    assert ledger.blocks == [10]
    assert len(tables.asked) == 20  # noticed with the next block
    assert ledger.status == "running"


def test_fenced_off_at_the_very_end_it_writes_no_result():
    ledger = FakeLedger()

    async def taken_over():
        ledger.holder += 1

    assert asyncio.run(play(ledger, FakeTables(15, at={14: taken_over}))) is Outcome.FENCED
    assert len(ledger.log) == 10
    assert ledger.status == "running"


def test_a_bot_that_thinks_does_not_hide_the_fence():
    ledger = FakeLedger()

    async def taken_over_while_thinking():
        ledger.holder += 1
        await asyncio.Event().wait()

    tables = FakeTables(15, at={3: taken_over_while_thinking})
    assert asyncio.run(play(ledger, tables, Pace(10, 60, 0.03))) is Outcome.FENCED


def test_a_recalled_match_is_given_back_when_the_question_that_is_open_has_ended():
    """Whoever had it taken back and put again would have his thinking so far for nothing."""
    ledger = FakeLedger()

    async def recalled_while_thinking():
        ledger.recalled = True
        for _ in range(3):
            ledger.renewed.clear()
            await ledger.renewed.wait()

    tables, pace = FakeTables(25, at={13: recalled_while_thinking}), Pace(10, 60, 0.03)
    assert asyncio.run(play(ledger, tables, pace)) is Outcome.RECALLED
    assert ledger.status == "queued"
    assert len(ledger.log) == 14
    again = FakeTables(25)
    assert asyncio.run(play(ledger, again)) is Outcome.FINISHED
    assert tables.asked + again.asked == list(range(25)), "nobody is asked twice"


def test_a_recall_that_is_heard_of_between_two_questions_ends_play_there():
    ledger = FakeLedger()

    async def recalled():
        ledger.recalled = True

    tables = FakeTables(25, at={9: recalled}, faulty={9})
    assert asyncio.run(play(ledger, tables)) is Outcome.RECALLED
    assert (len(tables.asked), len(ledger.log), len(ledger.faults)) == (10, 10, 1)


def test_a_match_that_ends_with_the_question_that_was_open_is_finished_all_the_same():
    ledger = FakeLedger()

    async def recalled_while_thinking():
        ledger.recalled = True
        ledger.renewed.clear()
        await ledger.renewed.wait()

    tables = FakeTables(14, at={13: recalled_while_thinking})
    assert asyncio.run(play(ledger, tables, Pace(10, 60, 0.03))) is Outcome.FINISHED


def test_nobody_waits_for_an_agent_that_was_retired():
    """It is at seat 3 that turn 13 is asked; whoever sits elsewhere has his time."""
    ledger = FakeLedger(gone=frozenset({3}))

    async def recalled_while_thinking():
        ledger.recalled = True
        await asyncio.Event().wait()

    tables, pace = FakeTables(25, at={13: recalled_while_thinking}), Pace(10, 60, 0.03)
    assert asyncio.run(play(ledger, tables, pace)) is Outcome.RECALLED
    assert (ledger.status, len(ledger.log)) == ("queued", 13)


def test_par_is_left_to_whoever_goes_on_with_a_recalled_match():
    ledger = FakeLedger(model="a model")

    async def recalled():
        ledger.recalled = True

    async def given_back():
        never = asyncio.get_running_loop().create_future()
        return await play(ledger, FakeTables(15, at={9: recalled}, worth=never))

    assert asyncio.run(given_back()) is Outcome.RECALLED


def test_draining_writes_the_rest_and_gives_the_match_back():
    ledger, draining = FakeLedger(), asyncio.Event()

    async def drain_while_thinking():
        draining.set()
        await asyncio.Event().wait()

    tables = FakeTables(25, at={13: drain_while_thinking})
    assert asyncio.run(play(ledger, tables, draining=draining)) is Outcome.DRAINED
    assert ledger.status == "queued"
    assert len(ledger.log) == 13


def test_the_next_worker_asks_nothing_that_is_written():
    ledger, draining = FakeLedger(), asyncio.Event()

    async def drain():
        draining.set()
        await asyncio.Event().wait()

    first, second = FakeTables(25, at={13: drain}), FakeTables(25)
    asyncio.run(play(ledger, first, draining=draining))
    assert asyncio.run(play(ledger, second)) is Outcome.FINISHED
    assert first.asked + second.asked == [*range(14), *range(13, 25)]


def test_a_log_is_replayed_beside_the_event_loop():
    """A long one would hold up the answers of all other tables, at their agents' cost."""
    tables = FakeTables(5)
    asyncio.run(play(FakeLedger(), tables))
    assert tables.resumed_on not in (None, threading.get_ident())


def test_a_draining_worker_claims_nothing():
    ledger = FakeLedger()

    async def drained():
        draining = asyncio.Event()
        draining.set()
        return await play(ledger, FakeTables(), draining=draining)

    assert asyncio.run(drained()) is Outcome.DRAINED
    assert ledger.holder == 0


def test_a_match_that_is_not_to_be_had_is_left_alone():
    ledger = FakeLedger(status="finished")
    assert asyncio.run(play(ledger, FakeTables())) is Outcome.REFUSED


def test_a_match_that_another_holds_is_to_be_tried_later():
    """Else nobody would look again if that one is dead and the sweep does not run."""
    ledger = FakeLedger(status="running")
    with pytest.raises(Busy) as busy:
        asyncio.run(play(ledger, FakeTables()))
    assert busy.value.seconds == 7.0


def test_a_fault_is_stored_with_the_place_of_its_decision():
    ledger = FakeLedger()
    asyncio.run(play(ledger, FakeTables(25, faulty={0, 12, 24})))
    assert [(fault.seq, fault.seat, fault.kind) for fault in ledger.faults] == [
        (0, 0, "timeout"),
        (12, 2, "timeout"),
        (24, 4, "timeout"),
    ]


def test_an_error_is_noted_by_kind_and_place_and_never_by_its_text(caplog):
    ledger = FakeLedger()

    async def fail():
        raise KeyError("secret card")

    assert asyncio.run(play(ledger, FakeTables(25, at={12: fail}))) is Outcome.FAILED
    assert ledger.status == "queued"
    assert ledger.error.startswith("KeyError at test_runner.py:")
    assert "secret" not in ledger.error
    assert "failed" in caplog.text
    assert "KeyError, from" in caplog.text
    assert "secret card" not in caplog.text


def test_a_database_that_went_away_is_not_the_matchs_fault():
    ledger = FakeLedger()

    async def gone(*_):
        raise OperationalError("UPDATE", {}, ConnectionError("gone"))

    ledger.save = gone
    with pytest.raises(OperationalError):
        asyncio.run(play(ledger, FakeTables(25)))
    assert ledger.error is None


def test_a_match_that_cannot_be_claimed_has_an_attempt_less_and_its_error_is_noted(caplog):
    ledger = FakeLedger()

    async def broken(match_id):
        raise ValueError("whsec_secret")

    ledger.claim = broken
    assert asyncio.run(play(ledger, FakeTables())) is Outcome.FAILED
    assert ledger.error.startswith("ValueError at test_runner.py:")
    assert "cannot be claimed" in caplog.text
    assert "whsec" not in ledger.error + caplog.text


def test_a_claim_that_the_database_did_not_answer_counts_for_nothing():
    ledger = FakeLedger()

    async def gone(match_id):
        raise OperationalError("UPDATE", {}, ConnectionError("gone"))

    ledger.claim = gone
    with pytest.raises(OperationalError):
        asyncio.run(play(ledger, FakeTables()))
    assert ledger.error is None


def test_a_match_that_is_over_waits_for_its_par():
    """Play goes on meanwhile; a worker that drains before it has par leaves the end to another."""
    draining, ledger = asyncio.Event(), FakeLedger(model="a model")

    async def drained():
        async def drain_soon():
            asyncio.get_running_loop().call_soon(draining.set)

        never = asyncio.get_running_loop().create_future()
        return await play(ledger, FakeTables(15, at={14: drain_soon}, worth=never), LONG, draining)

    assert asyncio.run(drained()) is Outcome.DRAINED
    assert ledger.status == "queued"

    async def finished():
        worth = asyncio.get_running_loop().create_future()
        worth.set_result({(1, 1, 0): 2})
        return await play(ledger, FakeTables(15, worth=worth))

    assert asyncio.run(finished()) is Outcome.FINISHED
    assert ledger.par == {(1, 1, 0): 2}
    assert len(ledger.log) == 15
