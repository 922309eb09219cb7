"""Who may play a match, and that a stale worker writes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import func, select

from baohuang.api.errors import Forbidden
from baohuang.api.models import (
    Agent,
    AgentVersion,
    Decision,
    Fault,
    Match,
    Result,
    Role,
    Tournament,
    utc_now,
)
from baohuang.api.remote.table import SeatClock
from baohuang.api.remote.wire import LastCall
from baohuang.api.services import calls, matches
from baohuang.api.vault import SealBroken, Vault
from baohuang.engine.draw import match_key

from .playing import LEASE_S, FakeMatch, Slip, claim, claimed, deal, finish
from .racing import race

LOG = [(0, "accept", False), (0, "777x", False), (1, "pass", True)]


@pytest.fixture
def match_id(world):
    """A queued match of five agents."""
    return world.playing(agents=5)[1][0]


def row(world, match_id):
    with world.database.read() as session:
        return session.get_one(Match, match_id)


def how_many(world, model):
    with world.database.read() as session:
        return session.scalar(select(func.count()).select_from(model))


def stored_log(world, match_id):
    with world.database.read() as session:
        rows = session.scalars(
            select(Decision).where(Decision.match_id == match_id).order_by(Decision.seq)
        )
        return [(d.seq, d.seat, d.answer, d.auto, d.epoch) for d in rows]


def checkpoint(world, held, start, block, faults=()):
    with world.database.begin() as session:
        return matches.checkpoint(session, held.match_id, held.epoch, start, block, faults, LEASE_S)


def fail(world, held, error="ValueError at match.py:7"):
    with world.database.begin() as session:
        matches.fail(session, held.match_id, held.epoch, error)


def end(world, held, match=None, tail=(), faults=()):
    with world.database.begin() as session:
        return matches.finish(
            session, held.match_id, held.epoch, match or FakeMatch(log=list(tail)), tail, faults
        )


# -- claims ---------------------------------------------------------------------------------------


def test_a_claim_holds_everything_that_a_worker_needs(world):
    tournament_id, (match_id,) = world.playing(agents=4, deals=3, budget_ms=700, bank_ms=9000)
    held = claimed(world, match_id)
    secret = world.vault.open(world.tournament(tournament_id).secret)
    assert (held.tournament_id, held.round, held.table) == (tournament_id, 1, 1)
    assert (held.epoch, held.deals, held.budget_ms, held.bank_ms) == (1, 3, 700, 9000)
    assert held.key == match_key(secret, f"{tournament_id}/1/1")
    assert held.rules.preset == "lianzhong-simple"
    assert held.log == ()
    assert sorted(plan.house_bot or "http" for plan in held.seats) == ["greedy", *["http"] * 4]
    for plan in held.seats:
        if plan.agent_id is not None:
            assert plan.url == f"https://{plan.name}.example/bot"
            assert plan.secrets == (f"whsec_{plan.name}",)


def test_no_key_and_no_secret_shows_in_a_claim(world, match_id):
    held = claimed(world, match_id)
    assert "whsec_" not in repr(held)
    assert repr(held.key) not in repr(held)
    assert held.key.hex() not in repr(held)


def test_of_two_claims_at_once_one_gets_the_match(world, match_id):
    got = race(*[lambda: claim(world, match_id)] * 3)
    assert [held is not None for held in got].count(True) == 1
    assert row(world, match_id).epoch == 1


def test_a_lease_ends_by_the_databases_clock_and_by_no_other(world, match_id, monkeypatch):
    held = claimed(world, match_id, lease_s=60)
    monkeypatch.setattr("time.time", lambda: 4_000_000_000.0)
    monkeypatch.setattr(matches, "utc_now", lambda: utc_now() + timedelta(days=9))
    assert claim(world, match_id) is None
    with world.database.begin() as session:
        assert matches.renew(session, match_id, held.epoch, -1)
    again = claim(world, match_id)
    assert again is not None
    assert again.epoch == held.epoch + 1


@pytest.mark.parametrize("status", ["paused", "needs_attention", "cancelled", "finished"])
def test_a_tournament_that_does_not_run_gives_no_match(world, match_id, status):
    with world.database.begin() as session:
        session.query(Tournament).one().status = status
    assert claim(world, match_id) is None
    with world.database.read() as session:
        assert matches.pending(session, 10) == []


def test_what_does_not_exist_cannot_be_claimed(world):
    assert claim(world, "01ARZ3NDEKTSV4RRFFQ69G5FAV") is None


def test_a_new_secret_is_used_beside_the_old_one_until_that_ends(world, match_id):
    with world.database.begin() as session:
        for agent in session.query(AgentVersion):
            agent.previous_secret = world.vault.seal(b"whsec_old")
            agent.previous_secret_until = utc_now() + timedelta(hours=1)
    first = claimed(world, match_id, lease_s=-1).seats[0]
    assert first.secrets == (f"whsec_{first.name}", "whsec_old")
    with world.database.begin() as session:
        for agent in session.query(AgentVersion):
            agent.previous_secret_until = utc_now() - timedelta(seconds=1)
    assert claimed(world, match_id).seats[0].secrets == (f"whsec_{first.name}",)


def test_a_match_is_claimed_whose_agents_secret_cannot_be_opened(world, match_id, caplog):
    """So that its failure can be noted, and shown in the end."""
    with world.database.begin() as session:
        broken = session.query(AgentVersion).first()
        broken.secret = Vault(Fernet.generate_key()).seal(b"whsec_lost")
    plans = {plan.agent_id: plan for plan in claimed(world, match_id).seats}
    assert (plans[broken.agent_id].url, plans[broken.agent_id].secrets) == (broken.url, ())
    assert all(plan.secrets for x, plan in plans.items() if x != broken.agent_id)
    assert [broken.agent_id in record.message for record in caplog.records] == [True]


@pytest.mark.parametrize("status", ["paused", "retired"])
def test_autoplay_goes_on_for_an_agent_that_is_not_active_any_more(world, match_id, status):
    claimed(world, match_id, lease_s=-1)
    with world.database.begin() as session:
        agent = session.query(Agent).first()
        agent.status = status
        name = agent.name
    seats = {plan.name: plan for plan in claimed(world, match_id).seats}
    assert (seats[name].house_bot, seats[name].secrets) == ("autoplay", ())


def test_what_waits_comes_table_by_table_across_tournaments(world):
    _, big = world.playing(agents=15)
    _, small = world.playing(agents=5)
    dead, alive = big[2], big[1]
    claimed(world, dead, lease_s=-1)
    claimed(world, alive, lease_s=60)
    with world.database.read() as session:
        waiting = matches.pending(session, 10)
        assert matches.pending(session, 1) == waiting[:1]
    assert set(waiting[:2]) == {(big[0], -1), (small[0], -1)}
    assert waiting[2:] == [(dead, -3)]


# -- checkpoints ----------------------------------------------------------------------------------


def test_a_new_worker_goes_on_from_the_log_of_the_old_one(world, match_id):
    first = claimed(world, match_id)
    assert checkpoint(world, first, 0, LOG[:2])
    assert checkpoint(world, first, 2, LOG[2:])
    assert checkpoint(world, first, 3, [])
    with world.database.begin() as session:
        matches.release(session, match_id, first.epoch)
    second = claimed(world, match_id)
    assert second.log == tuple(LOG)
    assert second.epoch == 2
    assert checkpoint(world, second, 3, [(2, "pass", False)])
    assert [entry[-1] for entry in stored_log(world, match_id)] == [1, 1, 1, 2]


def test_a_checkpoint_renews_the_lease(world, match_id):
    held = claimed(world, match_id, lease_s=-1)
    assert checkpoint(world, held, 0, LOG[:1])
    assert claim(world, match_id) is None


def test_faults_are_kept_under_the_entry_at_the_seat(world, match_id):
    held = claimed(world, match_id)
    long = Slip(2, 1, "illegal", detail="x" * 1000)
    assert checkpoint(world, held, 0, LOG, [Slip(0, 0), long])
    with world.database.read() as session:
        faults = session.scalars(select(Fault).order_by(Fault.seq)).all()
    assert [fault.entry_id for fault in faults] == [held.seats[0].entry_id, held.seats[1].entry_id]
    assert [(f.seq, f.kind, f.charged_to, f.ms) for f in faults] == [
        (0, "timeout", "bot", 1500),
        (2, "illegal", "bot", 1500),
    ]
    assert faults[1].detail == "x" * 300


def test_a_stale_epoch_writes_nothing(world, match_id):
    stale = claimed(world, match_id, lease_s=-1)
    fresh = claimed(world, match_id)
    before = row(world, match_id)
    assert not checkpoint(world, stale, 0, LOG, [Slip(0, 0)])
    assert not end(world, stale, tail=LOG, faults=[Slip(0, 0)])
    fail(world, stale)
    with world.database.begin() as session:
        assert not matches.renew(session, match_id, stale.epoch, LEASE_S)
        matches.release(session, match_id, stale.epoch)
    after = row(world, match_id)
    seen = ("status", "epoch", "attempts", "lease_until", "error", "record", "version")
    assert [getattr(after, name) for name in seen] == [getattr(before, name) for name in seen]
    assert [how_many(world, model) for model in (Decision, Fault, Result)] == [0, 0, 0]
    assert checkpoint(world, fresh, 0, LOG)


def test_a_pause_lets_the_block_in_and_the_match_go(world, match_id):
    held = claimed(world, match_id)
    world.act("pause", held.tournament_id)
    assert not checkpoint(world, held, 0, LOG)
    waiting = row(world, match_id)
    assert (waiting.status, waiting.lease_until, waiting.attempts) == ("queued", None, 0)
    assert not checkpoint(world, held, 3, [(2, "pass", False)])
    world.act("resume", held.tournament_id)
    assert claimed(world, match_id).log == tuple(LOG)


def test_a_match_that_ends_during_a_pause_counts(world, match_id):
    held = claimed(world, match_id)
    world.act("pause", held.tournament_id)
    assert end(world, held, tail=LOG)
    assert row(world, match_id).status == "finished"


def test_a_cancelled_match_cannot_be_finished(world, match_id):
    held = claimed(world, match_id)
    world.act("cancel", held.tournament_id)
    assert not checkpoint(world, held, 0, LOG)
    assert not end(world, held, tail=LOG)
    assert how_many(world, Result) == how_many(world, Decision) == 0


# -- the end --------------------------------------------------------------------------------------


def test_a_finish_stores_results_record_and_log_together(world, match_id):
    held = claimed(world, match_id)
    assert checkpoint(world, held, 0, LOG[:2])
    match = FakeMatch(
        deals_done=[
            deal([4, 2, -2, -2, -2], places=[1, 3, 2, 4, 5], emperor=0, guard=1),
            deal([0] * 5, places=None, emperor=None, guard=None, result="redeal"),
            deal([-2, 8, -2, -2, -2], places=[5, 1, 2, 3, 4], emperor=1, guard=None, solo="open"),
            deal([0] * 5, places=[1, 2, 3, 4, 5], emperor=2, guard=3, result="uncounted"),
            deal([4, 4, 4, -16, 4], places=None, emperor=3, guard=None, solo="hidden",
                 result="abdicated"),
        ],
        penalties=[0, 0, 0, 0, -40],
        log=LOG,
    )  # fmt: skip
    assert end(world, held, match, LOG[2:], [Slip(2, 1)])
    with world.database.read() as session:
        results = session.scalars(select(Result).order_by(Result.seat)).all()
        finished = session.get_one(Match, match_id)
    assert [r.points for r in results] == [6, 14, 0, -20, 0]
    assert [r.penalty for r in results] == [0, 0, 0, 0, -40]
    assert [r.deals for r in results] == [3] * 5
    assert [r.places for r in results] == [
        [1, 0, 0, 0, 1],
        [1, 0, 1, 0, 0],
        [0, 2, 0, 0, 0],
        [0, 0, 1, 1, 0],
        [0, 0, 0, 1, 1],
    ]
    assert results[0].roles == {"emperor": [1, 4], "rebel": [2, 2]}
    assert results[1].roles == {"guard": [1, 2], "solo": [1, 8], "rebel": [1, 4]}
    assert results[3].roles == {"rebel": [2, -4], "solo": [1, -16]}
    assert [r.entry_id for r in results] == [plan.entry_id for plan in held.seats]
    assert {r.round_number for r in results} == {1}
    assert [entry[0] for entry in stored_log(world, match_id)] == [0, 1, 2]
    assert how_many(world, Fault) == 1
    assert (finished.status, finished.lease_until) == ("finished", None)
    assert finished.record["seats"] == [plan.name for plan in held.seats]
    assert world.tournament(held.tournament_id).results_count == 1


def test_a_second_finish_changes_nothing(world, match_id):
    held = claimed(world, match_id)
    assert end(world, held, tail=LOG)
    before = row(world, match_id).version
    assert not end(world, held, FakeMatch(deals_done=[deal([8, -2, -2, -2, -2])], log=LOG), LOG)
    assert row(world, match_id).version == before
    assert how_many(world, Result) == 5
    assert world.tournament(held.tournament_id).results_count == 1
    assert claim(world, match_id) is None


def test_of_two_finishes_at_once_one_is_written(world, match_id):
    held = claimed(world, match_id)
    written = race(*[lambda: end(world, held, tail=LOG)] * 2)
    assert sorted(written) == [False, True]
    assert how_many(world, Result) == 5
    assert world.tournament(held.tournament_id).results_count == 1


def test_finishes_of_two_tables_at_once_are_both_counted(world):
    tournament_id, opened = world.playing(agents=10)
    held = [claimed(world, match_id) for match_id in opened]
    assert race(*[lambda c=one: end(world, c, tail=LOG) for one in held]) == [True, True]
    assert world.tournament(tournament_id).results_count == 2


def test_a_finish_and_a_cancellation_at_once_do_not_block_each_other(world, match_id):
    held = claimed(world, match_id)
    written, _ = race(
        lambda: end(world, held, tail=LOG), lambda: world.act("cancel", held.tournament_id)
    )
    assert row(world, match_id).status == ("finished" if written else "cancelled")
    assert how_many(world, Result) == (5 if written else 0)


# -- failures -------------------------------------------------------------------------------------


def test_four_failures_are_tried_again_and_the_fifth_is_shown(world, match_id):
    for attempt in range(1, 5):
        fail(world, claimed(world, match_id))
        tried = row(world, match_id)
        assert (tried.status, tried.attempts) == ("queued", attempt)
    held = claimed(world, match_id)
    fail(world, held)
    failed = row(world, match_id)
    assert (failed.status, failed.attempts) == ("failed", 5)
    assert failed.error == "ValueError at match.py:7"
    tournament = world.tournament(held.tournament_id)
    assert tournament.status == "needs_attention"
    assert tournament.status_reason == (
        "Round 1, table 1 cannot be played: ValueError at match.py:7"
    )
    assert claim(world, match_id) is None


def fail_claim(world, match_id, error="InvalidToken at fernet.py:134"):
    with world.database.begin() as session:
        matches.fail_claim(session, match_id, error)


def test_what_cannot_be_claimed_is_tried_again_four_times_and_shown_the_fifth(world, match_id):
    """It stays as it is until then: queued, and no claim has raised its epoch."""
    for attempt in range(1, 5):
        fail_claim(world, match_id)
        tried = row(world, match_id)
        assert (tried.status, tried.attempts, tried.epoch) == ("queued", attempt, 0)
    fail_claim(world, match_id)
    failed = row(world, match_id)
    assert (failed.status, failed.attempts, failed.epoch) == ("failed", 5, 0)
    assert failed.error == "InvalidToken at fernet.py:134"
    tournament = world.tournament(failed.tournament_id)
    assert tournament.status == "needs_attention"
    assert tournament.status_reason == (
        "Round 1, table 1 cannot be played: InvalidToken at fernet.py:134"
    )
    world.act("resume", failed.tournament_id)
    assert claimed(world, match_id).epoch == 1
    assert row(world, match_id).attempts == 0


def test_attempts_to_claim_and_to_play_are_counted_together(world, match_id):
    fail_claim(world, match_id)
    for _ in range(2):
        fail(world, claimed(world, match_id))
    dead = claimed(world, match_id, lease_s=-1)
    fail_claim(world, match_id)
    left = row(world, match_id)
    assert (left.status, left.attempts, left.epoch) == ("running", 4, 3), "its lease is over"
    fail_claim(world, match_id)
    assert (row(world, match_id).status, row(world, match_id).attempts) == ("failed", 5)
    assert not checkpoint(world, dead, 0, LOG)


def test_what_somebody_else_plays_or_nobody_may_is_no_failure(world, match_id):
    held = claimed(world, match_id)
    fail_claim(world, match_id)
    assert row(world, match_id).attempts == 0
    world.act("pause", held.tournament_id)
    assert not checkpoint(world, held, 0, LOG)
    fail_claim(world, match_id)
    assert (row(world, match_id).status, row(world, match_id).attempts) == ("queued", 0)
    world.act("resume", held.tournament_id)
    end(world, claimed(world, match_id), FakeMatch(log=LOG))
    fail_claim(world, match_id)
    assert (row(world, match_id).status, row(world, match_id).attempts) == ("finished", 0)


def test_a_claim_that_fails_half_way_leaves_the_match_as_it_was(world, match_id):
    other = Vault(Fernet.generate_key())
    with pytest.raises(SealBroken), world.database.begin() as session:
        matches.claim(session, other, match_id, "worker", LEASE_S)
    left = row(world, match_id)
    assert (left.status, left.epoch, left.owner, left.lineup) == ("queued", 0, None, None)


def test_after_attention_a_failed_match_is_tried_again_with_its_log(world, match_id):
    held = claimed(world, match_id)
    assert checkpoint(world, held, 0, LOG)
    fail(world, held)
    for _ in range(4):
        held = claimed(world, match_id)
        fail(world, held)
    world.act("resume", held.tournament_id)
    again = claimed(world, match_id)
    assert again.log == tuple(LOG)
    tried = row(world, match_id)
    assert (tried.attempts, tried.error) == (0, None)


def test_a_long_error_is_cut(world, match_id):
    for _ in range(5):
        held = claimed(world, match_id)
        fail(world, held, "x" * 5000)
    assert row(world, match_id).error == "x" * 400
    assert len(world.tournament(held.tournament_id).status_reason) <= 500


def test_the_rest_of_a_round_can_be_finished_while_attention_is_needed(world):
    tournament_id, (first, second) = world.playing(agents=10)
    other = claimed(world, second)
    for _ in range(5):
        fail(world, claimed(world, first))
    assert end(world, other, tail=LOG)
    assert world.tournament(tournament_id).results_count == 1


def test_finishing_by_the_helper_counts(world, match_id):
    finish(world, match_id)
    assert row(world, match_id).status == "finished"


@dataclass(frozen=True)
class Call:
    """How the call behind a decision went."""

    seq: int
    bank_ms: int
    ms: int
    charged_ms: int
    budget_ms: int = 1000
    asked_at: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    note: str | None = None


def test_notes_are_seen_by_the_agents_owner_and_by_who_judges(world, match_id):
    """contract.md 4; requests, which show hands, stay the owner's."""
    epoch = claimed(world, match_id).epoch
    called = [Call(seq, 10_000, 5, 5, note=f"note {seq}") for seq in range(len(LOG))]
    with world.database.begin() as session:
        assert matches.checkpoint(session, match_id, epoch, 0, LOG, [], LEASE_S, calls=called)
    world.person("iris", Role.ARBITER)
    for who in ("olga", "iris"):
        found = world.see(calls.search, world.people[who], match_id, None, 50)
        assert [row.note for row in found.items] == [f"note {seq}" for seq in range(len(LOG))]
    world.person("otto", Role.ORGANIZER)
    with pytest.raises(Forbidden):
        world.see(calls.search, world.people["otto"], match_id, None, 50)
    for who in ("olga", "iris"):
        with pytest.raises(Forbidden):
            world.see(calls.find, world.vault, world.people[who], match_id, 0)


def test_whoever_goes_on_has_the_clocks_and_the_charges_as_they_were_left(world, match_id):
    epoch = claimed(world, match_id, lease_s=-1).epoch
    calls = [Call(0, 10_000, 500, 400), Call(1, 10_000, 1700, 1600), Call(2, 9_000, 2500, 2500)]
    with world.database.begin() as session:
        assert matches.checkpoint(
            session, match_id, epoch, 0, LOG, [Slip(2, 1)], LEASE_S, calls=calls
        )
        session.get_one(Match, match_id).lease_until = 0.0
    again = claimed(world, match_id)
    assert again.clocks == {
        0: SeatClock(9_400, LastCall(1700, 1600, "ok")),  # 600 beyond the budget
        1: SeatClock(7_500, LastCall(2500, 2500, "timeout")),
    }
    assert again.charges == {2: "bot"}


def test_a_match_that_nobody_began_with_has_fresh_clocks(world, match_id):
    first = claimed(world, match_id)
    assert (first.clocks, first.charges) == ({}, {})
