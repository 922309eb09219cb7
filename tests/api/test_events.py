"""Events over HTTP: the list, the stream, and how a reader goes on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from sqlalchemy import update

from baohuang.api.live import stream as streams
from baohuang.api.live.hub import Hub
from baohuang.api.live.stream import Stream
from baohuang.api.models import Event, EventView, Role, utc_now
from baohuang.api.services import events
from baohuang.api.services.event_feed import EVERYTHING, Topic, Wanted
from baohuang.api.shares import Shares

from .streams import Reader
from .support import pointers, problem
from .tournament_support import created, open_round, opened, play

SSE = {"Accept": "text/event-stream"}


def tell(site, tournament_id, kind="tournament.paused", **payload):
    with site.arena.database.begin() as session:
        events.tell(session, tournament_id, kind, payload)


def listed(caller, path, **query):
    answer = caller.get(path, query_string=query)
    assert answer.status_code == 200, answer.json
    return answer.json["items"]


@contextmanager
def followed(caller, path, **options: Any) -> Iterator[Reader]:
    headers = SSE | options.pop("headers", {})
    answer = caller.get(path, headers=headers, query_string=options)
    assert answer.status_code == 200, answer.json
    assert answer.mimetype == "text/event-stream"
    with closing(answer):
        yield Reader(answer.response)


@pytest.fixture
def tournament(organizer):
    """Its public events so far: it was opened."""
    return opened(organizer)


@pytest.fixture
def path(tournament):
    return f"/tournaments/{tournament}/events"


def test_the_list_has_events_by_number_and_goes_on_after_one(site, author, tournament, path):
    for count in range(3):
        tell(site, tournament, count=count)
    items = listed(author, path)
    assert [item["seq"] for item in items] == [1, 2, 3, 4]
    assert [item["kind"] for item in items] == ["tournament.opened"] + ["tournament.paused"] * 3
    assert items[1]["payload"] == {"count": 0}
    assert items[1].keys() == {
        "seq", "kind", "view", "at", "tournament_id", "match_id", "payload",
    }  # fmt: skip
    assert listed(author, path, after=2) == items[2:]
    assert listed(author, path, after=99) == []
    page = author.get(path, query_string={"limit": 3, "after": 1})
    assert page.json["items"] == items[1:]
    assert listed(author, path, kind="tournament.opened") == items[:1]
    assert listed(author, path, kind=["tournament.opened", "tournament.paused"]) == items


def test_pages_of_the_list_neither_skip_nor_repeat(site, author, tournament, path):
    for count in range(6):
        tell(site, tournament, count=count)
    seen, cursor = [], {}
    while cursor is not None:
        page = author.get(path, query_string={"limit": 3} | cursor).json
        seen += [item["seq"] for item in page["items"]]
        cursor = {"cursor": page["next"]} if page["next"] else None
    assert seen == [1, 2, 3, 4, 5, 6, 7]


def test_bad_arguments_are_refused(author, path):
    for query, where in [
        ({"after": -1}, "?after"),
        ({"after": "x"}, "?after"),
        ({"view": "all"}, "?view"),
        ({"start": "later"}, "?start"),
        ({"kind": "tea.ready"}, "?kind"),
    ]:
        body = problem(author.get(path, query_string=query), 422, "invalid")
        assert where in pointers(body)
    problem(author.get(path, headers={**SSE, "Last-Event-ID": "x"}), 400, "malformed")
    problem(author.get(path, headers={"Accept": "text/html"}), 406, "not_acceptable")


def test_views_are_for_whom_they_are_for(site, author, organizer, tournament, path):
    problem(author.get(path, query_string={"view": "arbiter"}), 403, "not_arbiter")
    problem(author.get(path, query_string={"view": "after"}), 409, "not_revealed")
    problem(author.get(path, headers=SSE, query_string={"view": "arbiter"}), 403, "not_arbiter")
    kinds = [item["kind"] for item in listed(organizer, path, view="arbiter")]
    assert kinds == ["tournament.created", "tournament.opened"]
    assert len(listed(site.caller("Axel", Role.ARBITER), path, view="arbiter")) == 2
    draft = f"/tournaments/{created(organizer, name='Draft')}/events"
    problem(author.get(draft), 404, "not_found")
    problem(author.get(draft, headers=SSE), 404, "not_found")
    with followed(organizer, draft, view="arbiter") as reader:
        (message,) = reader.take(1)
    assert message.json["kind"] == "tournament.created"


def test_a_stream_gives_what_was_and_what_comes(any_site):
    organizer, author = any_site.caller("Oleg", Role.ORGANIZER), any_site.caller("Ada")
    tournament = opened(organizer)
    with followed(author, f"/tournaments/{tournament}/events") as reader:
        (before,) = reader.take(1)
        tell(any_site, tournament, count=1)
        tell(any_site, tournament, count=2)
        coming = reader.take(2)
    assert [before.id, *(message.id for message in coming)] == ["1", "2", "3"]
    assert 1000 <= reader.retry_ms <= 4000
    shown = [message.json for message in (before, *coming)]
    assert shown == listed(author, f"/tournaments/{tournament}/events")


def test_a_stream_goes_on_after_the_last_event_id(site, author, tournament, path):
    for count in range(3):
        tell(site, tournament, count=count)
    with followed(author, path, headers={"Last-Event-ID": "2"}, after=0) as reader:
        assert [message.id for message in reader.take(2)] == ["3", "4"]
    with followed(author, path, after=3) as reader:
        assert [message.id for message in reader.take(1)] == ["4"]
    with followed(author, path, start="now") as reader:
        tell(site, tournament, count=3)
        assert [message.id for message in reader.take(1)] == ["5"]


def test_a_stream_hears_what_is_delayed_when_it_is_due(site, organizer, author):
    tournament = opened(organizer, spectator_delay_s=3600)
    path = f"/tournaments/{tournament}/events"
    assert listed(author, path) == []
    assert len(listed(organizer, path, view="arbiter")) == 2
    with followed(author, path) as reader:
        chunk = next(reader._chunks)
        with site.arena.database.begin() as session:
            session.execute(update(Event).values(at=utc_now() - timedelta(seconds=3601)))
        assert chunk.endswith(b"id: 0\n\n")
        assert reader.take(1)[0].json["kind"] == "tournament.opened"


def test_a_stream_of_a_match_has_the_match_alone(site, organizer, author):
    tournament = opened(organizer, rounds=1, deals=1, capacity=10)
    for _ in range(2):
        body = {"house_bot": "greedy"}
        assert organizer.post(f"/tournaments/{tournament}/entries", json=body).status_code == 201
    assert organizer.post(f"/tournaments/{tournament}/start").status_code == 200
    (match,) = open_round(site, tournament)
    with followed(author, f"/matches/{match}/events") as reader:
        assert reader.take(1)[0].json["kind"] == "match.seated"
        tell(site, tournament)
        play(site, match)
        kinds = [message.json["kind"] for message in reader.take(2)]
    assert kinds == ["match.started", "match.finished"]
    only = {"kind": "match.finished"}
    with followed(author, f"/tournaments/{tournament}/events", **only) as reader:
        assert reader.take(1)[0].json["match_id"] == match
    problem(author.get(f"/matches/{tournament}/events"), 404, "not_found")


def test_head_answers_without_a_stream(site, author, path):
    answer = author.call("HEAD", path, headers=SSE)
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream")
    assert site.arena.hub.open == 0


def test_streams_are_never_kept_and_end_with_their_reader(site, author, path):
    answer = author.get(path, headers=SSE)
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Accel-Buffering"] == "no"
    assert site.arena.hub.open == 1
    answer.close()
    assert site.arena.hub.open == 0


def test_who_finds_no_place_is_told_when_to_come_again(site, author, path, monkeypatch):
    monkeypatch.setattr(site.arena.hub, "_places", Shares(0, 1))
    monkeypatch.setattr(site.arena.hub, "_kept", 0)
    with followed(author, path):
        answer = author.get(path, headers=SSE)
        problem(answer, 503, "unavailable")
        assert int(answer.headers["Retry-After"]) > 0
        assert author.get(path).status_code == 200
    with followed(author, path) as reader:
        assert reader.take(1)


def test_an_account_has_no_more_streams_than_one_may_and_others_theirs(
    site, author, path, monkeypatch
):
    monkeypatch.setattr(site.arena.hub, "_places", Shares(2, 10))
    monkeypatch.setattr(site.arena.hub, "_kept", 2)
    other, stranger = site.caller("Bert"), site.stranger()
    with followed(author, path), followed(author, path) as last:
        refused = author.get(path, headers=SSE)
        problem(refused, 429, "too_many_streams")
        assert int(refused.headers["Retry-After"]) > 0
        with followed(other, path), followed(stranger, path), followed(stranger, path):
            problem(stranger.get(path, headers=SSE), 429, "too_many_streams")
        assert last.take(1)
    with followed(author, path):
        pass


def test_when_the_past_is_gone_the_stream_says_so_and_goes_on(site, author, tournament, path):
    for count in range(3):
        tell(site, tournament, count=count)
    with site.arena.database.begin() as session:
        old = utc_now() - timedelta(days=40)
        session.execute(update(Event).where(Event.public_seq <= 2).values(at=old))
        events.purge(session, tournament, utc_now() - timedelta(days=30))
    with followed(author, path, after=1) as reader:
        resync, third, _ = reader.take(3)
    assert (resync.name, resync.id) == ("resync", "2")
    assert resync.json == {"reason": "purged", "seq": 2}
    assert third.json["seq"] == 3
    assert [item["seq"] for item in listed(author, path)] == [3, 4]
    with followed(author, path, headers={"Last-Event-ID": "77"}) as reader:
        (resync,) = reader.take(1)
        tell(site, tournament)
        assert reader.take(1)[0].id == "5"
    assert resync.json == {"reason": "unknown", "seq": 4}


def stream(site, tournament, position=0, wanted=EVERYTHING, **options):
    topic = Topic(tournament, EventView.PUBLIC)
    return Stream(site.arena.hub, topic, wanted, position, "", **options)


def test_a_silent_stream_beats_and_says_how_far_it_is(site, tournament):
    other = Wanted("0" * 26)
    with closing(stream(site, tournament, wanted=other, heartbeat_s=0.01)) as parts:
        reader = Reader(parts)
        for part in parts:
            reader._dispatch(part.decode().strip())
            if reader.comments == 2:
                break
    assert reader.last_id == "1"


def test_a_stream_ends_after_its_life_or_with_the_process(site, tournament, monkeypatch):
    monkeypatch.setitem(streams.LIFE_S, EventView.PUBLIC, 0.0)
    assert [message.id for message in Reader(stream(site, tournament))] == ["1"]
    monkeypatch.undo()
    with closing(stream(site, tournament)) as parts:
        reader = Reader(parts)
        assert len(reader.take(1)) == 1
        site.arena.hub.close()
        assert list(reader) == []
    assert site.arena.hub.open == 0


def test_who_falls_behind_the_channel_reads_from_the_database_again(site, tournament, monkeypatch):
    monkeypatch.setattr("baohuang.api.live.channel.KEPT", 2)
    monkeypatch.setattr(site.arena.hub, "_poll_s", 0.01)
    with closing(stream(site, tournament)) as slow, closing(stream(site, tournament)) as quick:
        slow_reader, quick_reader = Reader(slow), Reader(quick)
        assert slow_reader.take(1) == quick_reader.take(1)
        for count in range(12):
            tell(site, tournament, count=count)
            assert quick_reader.take(1)[0].json["payload"] == {"count": count}
        assert [message.id for message in slow_reader.take(12)] == [str(n) for n in range(2, 14)]


WRITERS, EACH = 3, 15


def test_a_reader_who_reconnects_at_random_sees_each_event_once_in_order(any_site):
    """Several writers meanwhile, rare and running events; every stream ends at a random point."""
    organizer = any_site.caller("Oleg", Role.ORGANIZER)
    tournament = opened(organizer)
    hub = Hub(any_site.arena.database, 5, poll_s=0.01)
    topic, start = Topic(tournament, EventView.PUBLIC), Barrier(WRITERS + 1)

    def write(writer):
        lots = random.Random(writer)
        start.wait(30)
        for count in range(EACH):
            kind = "deal.started" if lots.random() < 0.5 else "tournament.paused"
            tell(any_site, tournament, kind, by=writer, count=count)
        tell(any_site, tournament, "tournament.resumed", by=writer, count=EACH)

    threads = [Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    start.wait(30)
    lots, seen, position = random.Random("reader"), [], 0
    while left := 1 + WRITERS * (EACH + 1) - len(seen):
        with closing(Stream(hub, topic, EVERYTHING, position, "", heartbeat_s=0.2)) as parts:
            reader = Reader(parts)
            seen += [message.json for message in reader.take(min(left, lots.randint(1, 8)))]
            position = int(reader.last_id)
    for thread in threads:
        thread.join(30)
    hub.close()
    assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))
    for writer in range(WRITERS):
        mine = [event["payload"]["count"] for event in seen if event["payload"].get("by") == writer]
        assert mine == list(range(EACH + 1))
