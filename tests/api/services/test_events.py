"""What is told, in which order and to whom."""

from __future__ import annotations

import json
import random
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from threading import Barrier, Event
from time import sleep

import pytest
from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from baohuang.api import models
from baohuang.api.errors import Conflict, Forbidden, NotFound
from baohuang.api.event_kinds import KINDS
from baohuang.api.models import EventView, Journal, Role, Tournament, utc_now
from baohuang.api.services import (
    attendance,
    deadlines,
    entries,
    event_feed,
    events,
    finishing,
    matches,
    tournaments,
)
from baohuang.api.services.event_feed import EVERYTHING, Topic, Wanted

from .listening import kinds, number, play_told, told
from .playing import claimed, finish

PUBLIC, AFTER, ARBITER = EventView.PUBLIC, EventView.AFTER, EventView.ARBITER
RUNNING = "deal.started"


def tell(world, tournament_id, kind="tournament.paused", **payload):
    with world.database.begin() as session:
        events.tell(session, tournament_id, kind, payload)


def numbers(found):
    return [event["seq"] for event in found]


def test_the_life_of_a_tournament_is_told_in_order(world):
    tournament_id = world.started(agents=1, rounds=1, deals=1)
    for match_id in world.open_next(tournament_id):
        play_told(world, match_id)
    world.close_rounds()
    seats = 1 + 4
    heard = told(world, tournament_id, PUBLIC)
    outline = [kind for kind in kinds(heard) if not kind.startswith("deal.")]
    assert outline == [
        "tournament.opened",
        "entry.entered",
        "entry.filled",
        "tournament.started",
        "round.opened",
        "match.seated",
        "match.started",
        "match.finished",
        "round.finished",
        "standings.updated",
        "tournament.finished",
    ]
    by_kind = {event["kind"]: event for event in heard}
    assert by_kind["tournament.started"]["payload"]["entries"] == seats
    assert len(by_kind["match.seated"]["payload"]["seats"]) == seats
    points = by_kind["match.finished"]["payload"]["points"]
    assert sum(points) == 0
    leaders = by_kind["standings.updated"]["payload"]["leaders"]
    assert [row["points"] for row in leaders] == sorted(points, reverse=True)


def come_and_go(world):
    """Entries wait, check in, are dropped, leave, come back and get a substitute."""
    tournament_id = world.opened(capacity=5, waiting_list=3, check_in_s=60)
    ids = [world.enter(tournament_id, world.agent("anna", f"of-eight-{k}")) for k in range(8)]
    world.do(entries.withdraw, "anna", ids[0], 1)  # the sixth gets its place
    for entry_id in ids[2:]:
        world.do(attendance.check_in, "anna", entry_id)
    world.act("start", tournament_id)  # the second is dropped, the seventh gets its place
    world.do(entries.withdraw, "anna", ids[2], world.entry(ids[2]).version)
    world.do(attendance.come_back, "anna", ids[2])
    world.do(attendance.substitute, "olga", ids[3], world.agent("bert", "substitute"))
    (match_id,) = world.open_next(tournament_id)
    world.do(entries.withdraw, "anna", ids[4], world.entry(ids[4]).version)
    claimed(world, match_id)
    with world.database.begin() as session:
        late = session.scalar(select(models.Match.round_id).where(models.Match.id == match_id))
        session.get_one(models.Round, late).deadline_at = utc_now()
        session.flush()
        deadlines.enforce(session, late)


def test_every_kind_of_the_table_is_told_by_somebody(world):
    """All but those that are told where webhooks, versions, rulings, appeals, timers are tested."""
    olga, anna = world.people["olga"], world.people["anna"]
    tournament_id = world.draft(rounds=2, deals=1)
    with world.database.begin() as session:
        settings = {"deals": 2}
        version = session.get_one(Tournament, tournament_id).version
        tournaments.update_settings(session, olga, tournament_id, version, settings)
    world.act("open_entry", tournament_id)
    going, staying = (
        world.enter(tournament_id, world.agent("anna", name)) for name in ("going", "staying")
    )
    with world.database.begin() as session:
        entries.withdraw(session, anna, going, 1)
    world.act("start", tournament_id)
    (match_id,) = world.open_next(tournament_id)
    held = claimed(world, match_id)
    with world.database.begin() as session:
        matches.release(session, match_id, held.epoch)
    for attempt in range(matches.MAX_ATTEMPTS):
        held = claimed(world, match_id)
        with world.database.begin() as session:
            matches.fail(session, match_id, held.epoch, f"attempt {attempt}")
    for action in ("resume", "pause", "resume"):
        world.act(action, tournament_id)
    play_told(world, match_id)
    world.close_rounds()
    with world.database.begin() as session:
        entries.withdraw(session, anna, staying, 1)
        session.execute(update(Tournament).values(next_round_at=utc_now(), version=99))
    other = world.started(agents=1, rounds=1, deals=1)
    world.open_next(other)
    world.act("cancel", other)
    shortened = world.started(agents=1, rounds=2, deals=1)
    for match_id in world.open_next(shortened):
        world.do(finishing.ask, "olga", shortened)
        finish(world, match_id)
    world.close_rounds()
    come_and_go(world)
    number(world)
    with world.database.read() as session:
        assert set(session.scalars(select(models.Event.kind))) == set(KINDS) - {
            "webhook.paused",
            "entry.version",
            "ruling.made",
            "appeal.made",
            "appeal.decided",
            "appeal.withdrawn",
            "tournament.not_started",
        }
        for kind, view in session.execute(select(models.Event.kind, models.Event.view)):
            assert view == KINDS[kind].view or (kind, view) == ("tournament.changed", "arbiter")


def test_numbers_have_no_gaps_in_the_view_of_all_nor_in_that_of_the_arbiter(world):
    tournament_id = world.started(agents=1, rounds=1, deals=1)
    for match_id in world.open_next(tournament_id):
        play_told(world, match_id)
    number(world)
    for view in (PUBLIC, ARBITER):
        found = told(world, tournament_id, view)
        assert numbers(found) == list(range(1, len(found) + 1))
    hidden = {event["kind"] for event in told(world, tournament_id) if event["view"] != PUBLIC}
    assert hidden == {"tournament.created", "match.faults"}


def test_a_transaction_that_fails_leaves_neither_event_nor_gap(world):
    tournament_id = world.opened()
    before = told(world, tournament_id)
    with suppress(IntegrityError), world.database.begin() as session:
        events.tell(session, tournament_id, "tournament.paused")
        session.execute(insert(Journal).values(tournament_id=tournament_id))
    tell(world, tournament_id)
    assert numbers(told(world, tournament_id)) == [*numbers(before), len(before) + 1]


def test_events_of_running_matches_are_numbered_by_the_timer_or_by_the_next_rare_one(world):
    tournament_id = world.opened()
    start = len(told(world, tournament_id))
    tell(world, tournament_id, RUNNING, deal=1)
    tell(world, tournament_id, RUNNING, deal=2)
    assert len(told(world, tournament_id)) == start
    tell(world, tournament_id)
    tell(world, tournament_id, RUNNING, deal=3)
    number(world)
    fresh = told(world, tournament_id, after=start)
    assert numbers(fresh) == list(range(start + 1, start + 5))
    assert [event["payload"].get("deal") for event in fresh] == [1, 2, None, 3]
    times = [event["at"] for event in fresh]
    assert times == sorted(times)


def test_a_checkpoint_does_not_wait_for_whoever_numbers(world):
    """The journal is locked here all the while; on SQLite there is one writer anyway."""
    if world.database.engine.dialect.name == "sqlite":
        pytest.skip("SQLite has one writer at a time")
    tournament_id = world.opened()
    with world.database.begin() as session:
        events.number_waiting(session, tournament_id)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(tell, world, tournament_id, RUNNING, deal=1).result(timeout=20)


WRITERS, EACH = 4, 25


def test_a_reader_who_comes_and_goes_sees_every_number_once_and_in_order(world):
    """While several write at once, rare and running events, some of which are rolled back."""
    tournament_id = world.opened()
    topic = Topic(tournament_id, PUBLIC)
    start, finished = Barrier(WRITERS + 1), Event()
    told_by: dict[int, list[int]] = {writer: [] for writer in range(WRITERS)}

    def write(writer):
        lots = random.Random(writer)
        start.wait(30)
        for count in range(EACH):
            kind = RUNNING if lots.random() < 0.6 else "tournament.paused"
            try:
                with world.database.begin() as session:
                    events.tell(session, tournament_id, kind, {"by": writer, "count": count})
                    sleep(lots.random() * 0.003)
                    if lots.random() < 0.1:
                        raise ZeroDivisionError
            except ZeroDivisionError:
                continue
            told_by[writer].append(count)

    def follow():
        lots, position, seen = random.Random("reader"), 0, []
        start.wait(30)
        while True:
            last = finished.is_set()  # before reading: what is written by now is read below
            number(world)
            with world.database.read() as session:  # a new connection each time
                found = event_feed.read(session, topic, EVERYTHING, position, lots.randint(1, 9))
            seen += found.events
            position = found.end
            if last and not found.more:
                return seen

    with ThreadPoolExecutor(WRITERS + 1) as pool:
        reading = pool.submit(follow)
        try:
            for writing in [pool.submit(write, writer) for writer in range(WRITERS)]:
                writing.result(60)
        finally:
            finished.set()
        seen = reading.result(60)
    assert numbers(seen) == list(range(1, len(seen) + 1))
    written = [event["payload"] for event in seen if "by" in event["payload"]]
    for writer, counts in told_by.items():
        assert [payload["count"] for payload in written if payload["by"] == writer] == counts


def test_the_public_hears_later_by_the_organizers_delay(world):
    tournament_id = world.opened(spectator_delay_s=600)
    tell(world, tournament_id)
    assert kinds(told(world, tournament_id)) == [
        "tournament.created", "tournament.opened", "tournament.paused",
    ]  # fmt: skip
    assert told(world, tournament_id, PUBLIC) == []
    with world.database.begin() as session:
        opened = models.Event.kind == "tournament.opened"
        long_ago = utc_now() - timedelta(seconds=601)
        session.execute(update(models.Event).where(opened).values(at=long_ago))
    assert kinds(told(world, tournament_id, PUBLIC)) == ["tournament.opened"]
    with world.database.read() as session:
        topic = Topic(tournament_id, PUBLIC)
        assert event_feed.newest(session, topic) == 1
        assert event_feed.read(session, topic, EVERYTHING, 0, 50).end == 1
        assert event_feed.read(session, topic, EVERYTHING, 1, 50).end == 1
    with world.database.begin() as session:
        session.execute(update(Tournament).values(spectator_delay_s=0))
    assert numbers(told(world, tournament_id, PUBLIC)) == [1, 2]


def test_who_may_read_which_view(world):
    world.person("axel", Role.ARBITER)
    draft, tournament_id = world.draft(), world.started(agents=1)

    def topic(who, view, of=tournament_id):
        with world.database.read() as session:
            return event_feed.of_tournament(session, world.people[who], of, view)

    for who in ("olga", "ada", "axel"):
        assert topic(who, ARBITER)[0] == Topic(tournament_id, ARBITER)
    for who in ("oskar", "anna"):
        with pytest.raises(Forbidden):
            topic(who, ARBITER)
        assert topic(who, PUBLIC)[0] == Topic(tournament_id, PUBLIC)
    topic("olga", ARBITER, draft)
    for who in ("oskar", "axel"):
        with pytest.raises(NotFound):
            topic(who, PUBLIC, draft)
    with pytest.raises(Conflict):
        topic("olga", AFTER)
    world.act("cancel", tournament_id)
    topic("anna", AFTER)


def test_what_was_hidden_is_shown_after_the_reveal_but_for_what_is_the_arbiters(world):
    tournament_id = world.started(agents=1, rounds=1, deals=1)
    (match_id,) = world.open_next(tournament_id)
    with world.database.begin() as session:
        matches.release(session, match_id, claimed(world, match_id).epoch)
    play_told(world, match_id)
    number(world)
    hidden = {
        view: {event["kind"] for event in told(world, tournament_id, view)} for view in EventView
    }
    assert hidden[AFTER] - hidden[PUBLIC] == {"match.faults"}
    assert hidden[ARBITER] - hidden[AFTER] == {
        "tournament.created", "match.taken_over", "match.interrupted",
    }  # fmt: skip


def test_a_match_has_its_own_events_alone_with_every_public_answer(world):
    tournament_id = world.started(agents=6, rounds=1, deals=2)
    first, second = world.open_next(tournament_id)
    match = play_told(world, first, block=7)
    play_told(world, second, block=7)
    number(world)
    heard = told(world, tournament_id, PUBLIC, match_id=first)
    assert {event["match_id"] for event in heard} == {first}
    turns = [turn for event in heard if event["kind"] == "deal.answers" for turn in _turns(event)]
    assert turns == list(range(1, len(turns) + 1))
    assert len(turns) > len(match.log)  # forced ones are heard too
    deals = [event["payload"] for event in heard if event["kind"] == "deal.finished"]
    assert [deal["scores"] for deal in deals] == [list(deal["scores"]) for deal in match.deals_done]
    with world.database.read() as session:
        topic, wanted = event_feed.of_match(session, world.people["anna"], first, PUBLIC)
    assert (topic, wanted) == (Topic(tournament_id, PUBLIC), Wanted(first))


def _turns(event):
    start = event["payload"]["turn"]
    return range(start, start + len(event["payload"]["answers"]))


CARD = re.compile(r"\b[3-9TJQKA2][CDHS]\b|\b[GE]\b")


@pytest.mark.parametrize("rule_set", ["lianzhong-simple", "wuren"])
def test_nothing_hidden_is_in_any_event_of_a_running_match_in_any_view(world, rule_set):
    """Read after each checkpoint: cards but those that were called, hands, keys, the secret."""
    tournament_id = world.started(agents=1, rounds=1, deals=3, rule_set=rule_set)
    (match_id,) = world.open_next(tournament_id)
    row = world.tournament(tournament_id)
    secret, looked = world.vault.open(row.secret), []

    def look(match):
        number(world)
        found = told(world, tournament_id, ARBITER, match_id=match_id)
        for event in found:
            text = json.dumps(event["payload"])
            assert secret.hex() not in text
            assert match.record([""] * 5)["draw"]["key"] not in text
            said = [answer for _, answer in event["payload"].get("answers", [])]
            called = {answer.split()[1] for answer in said if " " in answer}
            called |= {event["payload"].get("called")} - {None}
            assert set(CARD.findall(text)) <= called, text
            assert not {"hands", "aside", "tribute", "auto", "key"} & event["payload"].keys()
            assert '"auto"' not in text
        looked.append(len(found))

    play_told(world, match_id, block=5, meanwhile=look)
    assert looked == sorted(looked)
    assert len(set(looked)) > 10


def test_the_play_of_cards_that_another_table_has_yet_to_play_waits_for_the_reveal(world):
    tournament_id = world.started(agents=6, rounds=1, deals=1)
    first, second = world.open_next(tournament_id)
    with world.database.begin() as session:
        session.execute(update(models.Match).values(board="shared"))
    play_told(world, first)
    play_told(world, second)
    number(world)
    for match_id, play in ((first, set()), (second, {"started", "answers", "finished"})):
        heard = told(world, tournament_id, PUBLIC, match_id=match_id)
        assert {kind for kind in kinds(heard) if kind.startswith("deal.")} == {
            f"deal.{word}" for word in play
        }
        assert "match.finished" in kinds(heard)
    after = told(world, tournament_id, AFTER, match_id=first)
    assert "deal.answers" in kinds(after)


def test_old_events_are_forgotten_and_who_wanted_them_is_told(world):
    tournament_id = world.opened()
    for _ in range(4):
        tell(world, tournament_id)
    long_ago = utc_now() - timedelta(days=31)
    with world.database.begin() as session:
        old = models.Event.seq <= 4
        session.execute(update(models.Event).where(old).values(at=long_ago))
        before = utc_now() - timedelta(days=30)
        assert events.outdated(session, before) == [tournament_id]
        assert events.purge(session, tournament_id, before) == 4
    for view, purged in ((ARBITER, 4), (PUBLIC, 3)):
        topic = Topic(tournament_id, view)
        with world.database.read() as session:
            late = event_feed.read(session, topic, EVERYTHING, purged - 1, 50)
            in_time = event_feed.read(session, topic, EVERYTHING, purged, 50)
            ahead = event_feed.read(session, topic, EVERYTHING, 1000, 50)
        assert (late.lost, in_time.lost) == (purged, None)
        assert numbers(late.events) == numbers(in_time.events) == [purged + 1, purged + 2]
        assert (ahead.unknown, ahead.end, list(ahead.events)) == (True, purged + 2, [])


def test_a_tournament_from_before_there_were_events_begins_at_1(world):
    tournament_id = world.opened()
    with world.database.begin() as session:
        session.execute(models.Event.__table__.delete())
        session.execute(Journal.__table__.delete())
    assert told(world, tournament_id) == []
    tell(world, tournament_id)
    assert numbers(told(world, tournament_id)) == [1]
