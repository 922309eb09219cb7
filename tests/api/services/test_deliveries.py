"""Webhooks from an event to the note of how its call went, without a network."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from cryptography.fernet import Fernet
from sqlalchemy import func, select, update

from baohuang.api.errors import Conflict, Invalid, NotFound, PreconditionFailed
from baohuang.api.models import Delivery, Event, Tournament, Webhook, WebhookPosition, utc_now
from baohuang.api.remote.faults import Fault
from baohuang.api.services import deliveries, delivery_log, events, webhooks
from baohuang.api.services.deliveries import FIRST_S, GIVE_UP, LONGEST_S, Outcome
from baohuang.api.services.parcels import BATCH
from baohuang.api.vault import Vault

from .listening import kinds, told
from .racing import race

REFUSED = Fault("status", "bot", "status 500 instead of 200", status=500)
GONE = Fault("status", "bot", "status 410 instead of 200", status=410)


def hook(world, who="olga", chosen=(), tournament_id=None):
    with world.database.begin() as session:
        made, _ = webhooks.create(
            session, world.vault, world.people[who], name="w", url="https://w.example/",
            kinds=chosen, tournament_id=tournament_id,
        )  # fmt: skip
        return made.id


def tell(world, tournament_id, kind="tournament.paused", **payload):
    with world.database.begin() as session:
        events.tell(session, tournament_id, kind, payload)


def claim(world, lease_s=60.0):
    with world.database.begin() as session:
        return deliveries.claim(session, world.vault, lease_s)


def note(world, batch, fault=None, ms=5):
    outcomes = [Outcome(parcel.delivery_id, fault, ms) for parcel in batch.parcels]
    with world.database.begin() as session:
        return deliveries.record(session, batch, outcomes)


def sent(world):
    """Everything that is due, delivered: the bodies."""
    bodies = []
    while (batch := claim(world)) is not None:
        bodies += [json.loads(parcel.body) for parcel in batch.parcels]
        note(world, batch)
    return bodies


def change(world, table, **values):
    with world.database.begin() as session:
        session.execute(update(table).values(**values))


def rows(world, table):
    with world.database.read() as session:
        return session.scalars(select(table).order_by(table.created_at, table.id)).all()


def is_due(world):
    with world.database.read() as session:
        return deliveries.is_due(session)


def test_what_happens_from_now_on_is_sent_in_order_and_once(world):
    tournament_id = world.opened()
    hook(world)
    assert claim(world) is None
    for count in range(BATCH + 3):
        tell(world, tournament_id, count=count)
    assert is_due(world)
    bodies = sent(world)
    assert [body["data"]["payload"]["count"] for body in bodies] == list(range(BATCH + 3))
    assert not is_due(world)
    first = bodies[0]
    assert first["type"] == first["data"]["kind"] == "tournament.paused"
    assert first["timestamp"] == first["data"]["at"]
    shown = told(world, tournament_id)[-(BATCH + 3)]
    assert {name: first["data"][name] for name in ("seq", "view", "tournament_id", "match_id")} == {
        name: shown[name] for name in ("seq", "view", "tournament_id", "match_id")
    }


def test_of_all_tournaments_of_the_owner_or_of_one_and_of_some_kinds(world):
    one, other = world.opened(), world.opened()
    everything, of_one = hook(world), hook(world, tournament_id=one)
    resumed = hook(world, chosen=["tournament.resumed"])
    hook(world, who="oskar")
    tell(world, one)
    tell(world, other, "tournament.resumed")
    later = world.draft()
    sent(world)
    heard = {
        hook_id: [(row.tournament_id, row.kind) for row in rows(world, Delivery)
                  if row.webhook_id == hook_id]
        for hook_id in (everything, of_one, resumed)
    }  # fmt: skip
    assert sorted(heard[everything]) == sorted([
        (one, "tournament.paused"), (other, "tournament.resumed"), (later, "tournament.created"),
    ])  # fmt: skip
    assert heard[of_one] == [(one, "tournament.paused")]
    assert heard[resumed] == [(other, "tournament.resumed")]
    assert len(rows(world, Delivery)) == 5


def test_the_play_of_the_cards_is_not_sent(world):
    tournament_id = world.opened()
    hook(world)
    tell(world, tournament_id, "deal.started", deal=1)
    tell(world, tournament_id)
    assert [body["type"] for body in sent(world)] == ["tournament.paused"]


def test_of_several_senders_one_serves_a_webhook(world):
    tournament_id = world.opened()
    for _ in range(2):
        hook(world)
    tell(world, tournament_id)
    got = [batch for batch in race(*[lambda: claim(world)] * 4) if batch is not None]
    got += [batch for batch in (claim(world), claim(world)) if batch is not None]
    assert len({batch.webhook_id for batch in got}) == len(got) == 2
    assert all(len(batch.parcels) == 1 for batch in got)


def test_a_sender_that_was_taken_for_dead_notes_nothing(world):
    tournament_id = world.opened()
    hook(world)
    tell(world, tournament_id)
    dead = claim(world, lease_s=-1)
    successor = claim(world)
    assert successor.epoch == dead.epoch + 1
    assert successor.parcels == dead.parcels  # at least once: it is sent again, with the same id
    assert not note(world, dead, REFUSED)
    assert note(world, successor)
    (delivery,) = rows(world, Delivery)
    assert (delivery.status, delivery.attempts, delivery.fault) == ("delivered", 1, None)


def test_a_failure_is_noted_and_tried_again_later_and_later(world):
    tournament_id = world.opened()
    hook(world)
    tell(world, tournament_id)
    note(world, claim(world), REFUSED, ms=321)
    (delivery,), (failing,) = rows(world, Delivery), rows(world, Webhook)
    assert (delivery.status, delivery.attempts, delivery.last_ms) == ("pending", 1, 321)
    assert (delivery.fault, delivery.detail) == ("status", REFUSED.detail)
    assert failing.failures == 1
    assert claim(world) is None  # it rests
    for attempt in range(1, 40):
        assert 0.5 * FIRST_S <= deliveries.pause_s(attempt) <= LONGEST_S
    assert deliveries.pause_s(1) <= FIRST_S < 0.5 * FIRST_S * 4 <= deliveries.pause_s(3)
    assert len({deliveries.pause_s(5) for _ in range(5)}) > 1


def test_while_a_receiver_fails_one_call_at_a_time_probes_it(world):
    tournament_id = world.opened()
    hook(world)
    for _ in range(4):
        tell(world, tournament_id)
    note(world, claim(world), REFUSED)
    change(world, Webhook, next_at=0)
    change(world, Delivery, next_at=0)
    probe = claim(world)
    assert len(probe.parcels) == 1
    note(world, probe)
    assert len(claim(world).parcels) == 3
    (recovered,) = rows(world, Webhook)
    assert (recovered.failures, recovered.failing_since) == (0, None)


def test_after_a_day_of_failures_a_delivery_is_given_up_and_the_webhook_pauses(world):
    tournament_id = world.opened()
    hook(world)
    tell(world, tournament_id)
    note(world, claim(world), REFUSED)
    long_ago = utc_now() - GIVE_UP
    change(world, Webhook, next_at=0, failing_since=long_ago)
    change(world, Delivery, next_at=0, since=long_ago)
    note(world, claim(world), REFUSED)
    (delivery,), (paused,) = rows(world, Delivery), rows(world, Webhook)
    assert delivery.status == "failed"
    assert paused.status == "paused"
    assert REFUSED.detail in paused.status_reason
    assert kinds(told(world, tournament_id))[-1] == "webhook.paused"
    tell(world, tournament_id)
    assert claim(world) is None


def test_410_pauses_at_once(world):
    tournament_id = world.opened()
    hook_id = hook(world)
    tell(world, tournament_id)
    note(world, claim(world), GONE)
    (paused,) = rows(world, Webhook)
    assert paused.status == "paused"
    event = told(world, tournament_id)[-1]
    assert event["payload"] == {"webhook_id": hook_id, "reason": paused.status_reason}
    assert event["view"] == "arbiter"


def test_a_resumed_webhook_gets_what_waited_and_what_comes_but_not_what_happened_between(world):
    tournament_id = world.opened()
    hook_id = hook(world)
    tell(world, tournament_id, count=1)
    note(world, claim(world), REFUSED)
    with world.database.begin() as session:
        webhooks.pause(session, world.people["olga"], hook_id)
    tell(world, tournament_id, count=2)
    change(world, Delivery, next_at=0)
    assert claim(world) is None
    with world.database.begin() as session:
        webhooks.resume(session, world.people["olga"], hook_id)
    tell(world, tournament_id, count=3)
    assert [body["data"]["payload"]["count"] for body in sent(world)] == [1, 3]


def test_sending_again_by_hand(world):
    tournament_id = world.opened()
    olga, hook_id = world.people["olga"], hook(world)
    tell(world, tournament_id)
    first = claim(world)
    note(world, first)
    (delivery,) = rows(world, Delivery)

    def again(who=olga, of=hook_id):
        with world.database.begin() as session:
            return delivery_log.send_again(session, who, of, delivery.id)

    with pytest.raises(NotFound):
        again(world.people["oskar"])
    with pytest.raises(NotFound):
        again(of=hook(world))
    assert again()["status"] == "pending"
    second = claim(world)
    assert second.parcels == first.parcels
    note(world, second, REFUSED)
    again()  # at once, although the receiver fails
    assert claim(world).parcels == first.parcels
    with world.database.begin() as session:
        webhooks.pause(session, olga, hook_id)
    with pytest.raises(Conflict, match="paused"):
        again()
    with world.database.begin() as session:
        webhooks.resume(session, olga, hook_id)
        session.execute(Event.__table__.delete())
    with pytest.raises(Conflict, match="no longer kept"):
        again()


def test_a_delivery_whose_event_is_gone_fails(world):
    tournament_id = world.opened()
    hook(world)
    tell(world, tournament_id)
    note(world, claim(world), REFUSED)
    change(world, Webhook, next_at=0)
    change(world, Delivery, next_at=0)
    with world.database.begin() as session:
        session.execute(Event.__table__.delete())
    assert claim(world).parcels == []
    assert rows(world, Delivery)[0].status == "failed"


def test_a_deleted_webhook_leaves_nothing_and_a_call_on_its_way_notes_nothing(world):
    tournament_id = world.opened()
    olga, hook_id = world.people["olga"], hook(world)
    tell(world, tournament_id)
    batch = claim(world)
    with pytest.raises(PreconditionFailed), world.database.begin() as session:
        webhooks.delete(session, olga, hook_id, 7)
    with world.database.begin() as session:
        webhooks.delete(session, olga, hook_id, 1)
    assert not note(world, batch)
    with world.database.read() as session:
        for table in (Webhook, Delivery, WebhookPosition):
            assert session.scalar(select(func.count()).select_from(table)) == 0


def test_only_of_ones_own_tournaments_and_not_too_many(world):
    tournament_id = world.opened()
    with pytest.raises(Invalid):
        hook(world, who="oskar", tournament_id=tournament_id)
    with pytest.raises(Invalid):
        hook(world, tournament_id="0" * 26)
    for _ in range(webhooks.MOST):
        hook(world)
    with pytest.raises(Conflict):
        hook(world)


def test_what_was_delivered_long_ago_is_forgotten(world):
    tournament_id = world.opened()
    hook(world)
    for _ in range(3):
        tell(world, tournament_id)
    note(world, claim(world))
    tell(world, tournament_id)
    note(world, claim(world), REFUSED)
    change(world, Delivery, since=utc_now() - timedelta(days=31))
    with world.database.begin() as session:
        assert deliveries.purge(session, utc_now() - timedelta(days=30)) == 3
    assert [row.status for row in rows(world, Delivery)] == ["pending"]


def test_an_event_is_not_delivered_before_it_has_a_number(world):
    """Running events wait for the timer; nothing that is told later overtakes them unseen."""
    tournament_id = world.opened()
    hook(world)
    tell(world, tournament_id, "match.started", table=1)
    assert not is_due(world)
    tell(world, tournament_id)
    assert [body["type"] for body in sent(world)] == ["match.started", "tournament.paused"]
    with world.database.read() as session:
        assert session.scalar(select(Tournament.id)) == tournament_id


def test_webhooks_are_served_in_turn_however_old_they_are(world):
    """The older one has something to be sent all the time."""
    busy, younger = hook(world), hook(world, "oskar")
    theirs, mine = world.opened(), world.draft()
    with world.database.begin() as session:
        session.get_one(Tournament, mine).organizer_id = world.people["oskar"].account_id
    tell(world, mine)
    served = []
    for _ in range(4):
        tell(world, theirs)
        batch = claim(world)
        served.append(batch.webhook_id)
        note(world, batch, ms=9900)
    assert served[:2] == [busy, younger]
    assert served[2:] == [busy, busy]


def test_only_the_named_ones_are_claimed_when_some_are_named(world):
    first, second = hook(world), hook(world)
    tell(world, world.opened())
    with world.database.begin() as session:
        assert not deliveries.is_due(session, [])
        assert deliveries.claim(session, world.vault, 60.0, []) is None
        assert deliveries.is_due(session, [second])
        assert deliveries.claim(session, world.vault, 60.0, [second]).webhook_id == second
    assert claim(world).webhook_id == first


def test_a_secret_that_cannot_be_opened_is_that_webhooks_fault_and_stops_no_other(world):
    broken, well = hook(world), hook(world)
    with world.database.begin() as session:
        session.get_one(Webhook, broken).secret = Vault(Fernet.generate_key()).seal(b"whsec_x")
    tell(world, world.opened())
    batches = [claim(world), claim(world)]
    assert [batch.webhook_id for batch in batches] == [broken, well]
    assert [bool(batch.parcels) for batch in batches] == [False, True]
    assert claim(world) is None  # it rests, like after any failure
    failed = [row for row in rows(world, Delivery) if row.webhook_id == broken]
    assert {row.status for row in failed} == {"pending"}
    assert {row.fault for row in failed} == {"server"}
    assert "secret" in failed[0].detail
    with world.database.begin() as session:
        webhooks.rotate_secret(session, world.vault, world.people["olga"], broken, 60, False)
    change(world, Webhook, next_at=0)
    change(world, Delivery, next_at=0)
    batch = claim(world)  # the old secret would still count, but nobody can read it
    assert (batch.webhook_id, len(batch.secrets), len(batch.parcels)) == (broken, 1, 1)
