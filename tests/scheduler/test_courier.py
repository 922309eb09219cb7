"""Webhooks over HTTP: signed, tried again, guarded, with no transaction open meanwhile."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, update

from baohuang.api.models import Delivery, Tournament, Webhook
from baohuang.api.remote.client import Client
from baohuang.api.remote.guard import Guard
from baohuang.api.services import delivery_log, events, webhooks
from baohuang.scheduler import courier
from baohuang.scheduler.courier import Courier
from baohuang.scheduler.parts import Parts

from .arena import until
from .receiver import receiving

LOOPBACK = "127.0.0.0/8"


@pytest.fixture
def arena(arena):
    arena.prepare([f"https://bot{number}.example/" for number in range(5)])
    return arena


@pytest.fixture
def receiver():
    with receiving() as receiver:
        yield receiver


def hook(arena, url):
    with arena.database.begin() as session:
        made, secret = webhooks.create(
            session, arena.vault, arena.organizer, name="w", url=url, kinds=(), tournament_id=None
        )
        return made.id, secret


def tell(arena, **payload):
    with arena.database.begin() as session:
        events.tell(session, arena.tournament_id, "tournament.paused", payload)


def parts_of(arena):
    return Parts(None, arena.database, arena.vault, None, None)


def serve(arena, *exceptions):
    """Serve what is due, once; how many webhooks that was."""

    async def serving():
        client = Client(Guard(exceptions))
        with ThreadPoolExecutor(1) as threads:
            try:
                return await Courier(parts_of(arena), client, threads).round()
            finally:
                await client.close()

    return asyncio.run(serving())


def wake(arena):
    """Let the time to the next attempt pass."""
    with arena.database.begin() as session:
        session.execute(update(Webhook).values(next_at=0))
        session.execute(update(Delivery).values(next_at=0))


def deliveries(arena):
    return [row for (row,) in arena.rows(select(Delivery).order_by(Delivery.id))]


def test_events_arrive_signed_in_order_with_their_own_ids(arena, receiver):
    hook_id, receiver.secret = hook(arena, receiver.url)
    for count in range(3):
        tell(arena, count=count)
    assert serve(arena, LOOPBACK) == 1
    assert receiver.forged == 0
    received = sorted(receiver.seen, key=lambda call: call[1]["data"]["seq"])
    assert [body["data"]["payload"]["count"] for _, body in received] == [0, 1, 2]
    for message, body in received:
        assert message == f"{arena.tournament_id}-{body['data']['seq']}"
        assert body["type"] == "tournament.paused"
    assert [row.status for row in deliveries(arena)] == ["delivered"] * 3
    assert serve(arena, LOOPBACK) == 0
    with arena.database.begin() as session:
        _, new = webhooks.rotate_secret(
            session, arena.vault, arena.organizer, hook_id, grace_s=60, force=False
        )
    tell(arena)
    serve(arena, LOOPBACK)  # the old secret still verifies …
    receiver.secret = new
    tell(arena)
    serve(arena, LOOPBACK)  # … and so does the new one
    assert receiver.forged == 0


def test_a_receiver_that_fails_and_then_works_gets_everything(arena, receiver):
    _, receiver.secret = hook(arena, receiver.url)
    receiver.status = 500
    for count in range(2):
        tell(arena, count=count)
    serve(arena, LOOPBACK)
    assert [row.detail for row in deliveries(arena)] == ["status 500 instead of 200"] * 2
    assert serve(arena, LOOPBACK) == 0  # not before its time
    receiver.status = 204
    while any(row.status == "pending" for row in deliveries(arena)):
        wake(arena)
        serve(arena, LOOPBACK)
    assert [(row.status, row.attempts) for row in deliveries(arena)] == [("delivered", 2)] * 2
    messages = [message for message, _ in receiver.seen]
    assert sorted(messages[:2]) == sorted(messages[2:])  # the same ids at each attempt
    assert receiver.forged == 0


def test_it_is_sent_again_by_hand(arena, receiver):
    hook_id, receiver.secret = hook(arena, receiver.url)
    tell(arena)
    serve(arena, LOOPBACK)
    with arena.database.begin() as session:
        (delivery,) = session.scalars(select(Delivery))
        delivery_log.send_again(session, arena.organizer, hook_id, delivery.id)
    serve(arena, LOOPBACK)
    first, second = receiver.seen
    assert first == second


def test_410_pauses_and_redirects_are_not_followed(arena, receiver):
    hook(arena, receiver.url)
    receiver.secret = "whsec_" + "A" * 32
    receiver.status = 307
    tell(arena)
    serve(arena, LOOPBACK)
    assert [row.fault for row in deliveries(arena)] == ["redirect"]
    receiver.status = 410
    wake(arena)
    serve(arena, LOOPBACK)
    assert arena.one(select(Webhook.status)) == "paused"
    assert receiver.forged == 2  # it has another secret, and notices


def test_without_an_exception_loopback_is_never_called(arena, receiver):
    """Whatever got into the row: the guard sees the address of the connect itself."""
    hook(arena, receiver.url)
    tell(arena)
    serve(arena)
    (delivery,) = deliveries(arena)
    assert (delivery.status, delivery.fault) == ("pending", "blocked")
    assert receiver.seen == []


def test_no_transaction_is_open_while_a_receiver_is_called(arena, receiver):
    """A writer of our own would wait for it: on SQLite for any, on PostgreSQL for that row's."""
    _, receiver.secret = hook(arena, receiver.url)

    def change(_body):
        with arena.database.begin() as session:
            session.execute(update(Tournament).values(status_reason="while it was called"))
            session.execute(update(Webhook).values(name="while it was called"))

    receiver.before = change
    tell(arena)
    serve(arena, LOOPBACK)
    assert len(receiver.seen) == 1
    assert [row.status for row in deliveries(arena)] == ["delivered"]
    assert arena.one(select(Webhook.name)) == "while it was called"


def test_a_slow_receiver_does_not_hold_up_another(arena, receiver):
    with receiving() as slow:
        _, slow.secret = hook(arena, slow.url)
        _, receiver.secret = hook(arena, receiver.url)
        slow.before = lambda _body: until(lambda: receiver.seen)
        tell(arena)
        serve(arena, LOOPBACK)
        assert len(slow.seen) == len(receiver.seen) == 1
    assert [row.status for row in deliveries(arena)] == ["delivered"] * 2


def test_slow_receivers_leave_places_to_those_who_were_quick(arena, receiver, monkeypatch):
    """Two places. Both slow ones are due before the quick one, and end once that was served."""
    monkeypatch.setattr(courier, "AT_ONCE", 2)
    monkeypatch.setattr(courier, "UNPROVED", 1)
    monkeypatch.setattr(courier, "LOOK_S", 0.01)
    quick, receiver.secret = hook(arena, receiver.url)

    async def working(slow):
        stop, client = asyncio.Event(), Client(Guard([LOOPBACK]))
        with ThreadPoolExecutor(1) as threads:
            serving = Courier(parts_of(arena), client, threads)
            await asyncio.to_thread(tell, arena)
            await serving.round()
            await asyncio.to_thread(two_that_are_slow, slow)
            task = asyncio.create_task(serving.run(stop))
            await asyncio.to_thread(until, lambda: len(slow.seen) == 2)
            stop.set()
            await task
        await client.close()

    def two_that_are_slow(slow):
        for _ in range(2):
            hook(arena, slow.url)
        with arena.database.begin() as session:
            session.execute(update(Webhook).where(Webhook.id != quick).values(next_at=0))
        tell(arena)

    with receiving() as slow:
        slow.secret = "whsec_" + "A" * 32
        slow.before = lambda _body: until(lambda: len(receiver.seen) == 2)
        asyncio.run(working(slow))
    assert len(receiver.seen) == 2


def test_a_courier_works_until_it_is_told_to_stop_and_ends_what_it_began(
    arena, receiver, monkeypatch
):
    monkeypatch.setattr(courier, "LOOK_S", 0.01)
    _, receiver.secret = hook(arena, receiver.url)

    async def working():
        stop, client = asyncio.Event(), Client(Guard([LOOPBACK]))
        loop = asyncio.get_running_loop()
        receiver.before = lambda _body: loop.call_soon_threadsafe(stop.set)
        with ThreadPoolExecutor(1) as threads:
            task = asyncio.create_task(Courier(parts_of(arena), client, threads).run(stop))
            await asyncio.to_thread(tell, arena)
            async with asyncio.timeout(30):
                await task
        await client.close()

    asyncio.run(working())
    assert [row.status for row in deliveries(arena)] == ["delivered"]


@pytest.mark.parametrize("arena_url", ["sqlite"], indirect=True)
def test_workers_have_a_courier(arena, receiver):
    _, receiver.secret = hook(arena, receiver.url)
    with arena.process("worker", "--timers"):
        tell(arena)
        until(lambda: any(body["type"] == "tournament.paused" for _, body in receiver.seen))
        until(lambda: any(body["type"] == "round.opened" for _, body in receiver.seen))
    assert receiver.forged == 0
