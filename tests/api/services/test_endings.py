"""How a tournament ends: at once, held for appeals, by its organizer's word; also a ladder's."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import select

from baohuang.api.errors import Conflict, Forbidden
from baohuang.api.models import (
    Event,
    Match,
    RatedTournament,
    Round,
    Ruling,
    RulingKind,
    Tournament,
    TournamentStatus,
    utc_now,
)
from baohuang.api.services import (
    appeals,
    archive_check,
    archive_file,
    attendance,
    endings,
    entries,
    finishing,
    matches,
    next_round,
    ratings,
    rulings,
    tournaments,
)
from baohuang.api.services.ruling_case import Ask

from .conftest import _world
from .passing import clock_of
from .playing import FakeMatch, claimed, deal, finish

WINDOW = 600


@pytest.fixture
def world(sqlite_world):
    """On one engine; what asks the database more is tested with `both`."""
    return sqlite_world


@pytest.fixture
def both(arena_url):
    yield from _world(arena_url)


@pytest.fixture
def clock(monkeypatch):
    return clock_of(monkeypatch, endings, appeals)


def settle(world) -> list[str]:
    """As the timer does."""
    due = world.see(endings.due)
    for tournament_id in due:
        with world.database.begin() as session:
            endings.settle(session, tournament_id)
    return due


def end(world, tournament_id, rest="play", who="olga"):
    return world.do(finishing.ask, who, tournament_id, rest)


def rule(world, tournament_id, kind, **fields):
    with world.database.begin() as session:
        ask = Ask(RulingKind(kind), "seen by three", **fields)
        return rulings.make(session, world.people["olga"], tournament_id, ask)


def played_out(world, rounds=1, **settings):
    """All rounds are played: the tournament, and the match of the last one."""
    tournament_id = world.started(agents=5, rounds=rounds, **settings)
    for _ in range(rounds):
        (match_id,) = world.open_next(tournament_id)
        finish(world, match_id, FakeMatch([deal([5, 4, -2, -3, -4])]))
        world.close_rounds()
    return tournament_id, match_id


def appealed(world, tournament_id, match_id):
    entry_id = world.entries(tournament_id)[0].id
    fields = {"entry_id": entry_id, "match_id": match_id, "statement": "The last trick was mine."}
    return world.do(appeals.make, "anna", tournament_id, **fields).id


def told(world, tournament_id) -> list[str]:
    with world.database.read() as session:
        query = select(Event.kind).where(Event.tournament_id == tournament_id).order_by(Event.id)
        return [kind for kind in session.scalars(query) if kind.startswith("tournament.")]


def status(world, tournament_id) -> str:
    return world.tournament(tournament_id).status


# The end is held


def test_without_a_word_it_ends_with_its_last_round(world):
    tournament_id, _ = played_out(world, appeal_window_s=WINDOW)
    assert status(world, tournament_id) == "finished"


def test_it_waits_until_all_can_have_been_appealed_against(both, clock):
    tournament_id, _ = played_out(both, ending="after_appeals", appeal_window_s=WINDOW)
    held = both.tournament(tournament_id)
    assert (held.status, held.last_round, held.next_round_at) == ("running", 1, None)
    left = (held.finishes_at - utc_now()).total_seconds()
    assert WINDOW - 60 < left <= WINDOW
    assert settle(both) == [] == both.open_next(tournament_id)
    clock(WINDOW + 1)
    assert settle(both) == [tournament_id]
    ended = both.tournament(tournament_id)
    assert (ended.status, ended.finishes_at) == ("finished", None)
    assert told(both, tournament_id)[-2:] == ["tournament.ending", "tournament.finished"]
    assert settle(both) == []


def test_its_cards_stay_secret_while_it_is_held(world, clock):
    tournament_id, _ = played_out(world, ending="after_appeals", appeal_window_s=WINDOW)
    assert tournaments.revealed_secret(world.vault, world.tournament(tournament_id)) is None
    clock(WINDOW + 1)
    settle(world)
    assert tournaments.revealed_secret(world.vault, world.tournament(tournament_id)) is not None


def test_an_open_appeal_holds_the_end(world, clock):
    tournament_id, match_id = played_out(world, ending="after_appeals", appeal_window_s=WINDOW)
    appeal_id = appealed(world, tournament_id, match_id)
    clock(WINDOW + 1)
    assert settle(world) == []
    fields = {"outcome": "rejected", "reason": "So it was."}
    world.do(appeals.decide, "olga", appeal_id, **fields)
    assert settle(world) == [tournament_id]
    assert status(world, tournament_id) == "finished"


def test_the_last_round_can_be_replayed_and_the_replay_appealed_against(both, clock):
    tournament_id, match_id = played_out(both, ending="after_appeals", appeal_window_s=WINDOW)
    replay = rule(both, tournament_id, "replay", match_id=match_id).replay_id
    clock(WINDOW + 1)
    assert settle(both) == []  # it is being played
    finish(both, replay, FakeMatch([deal([-4, -3, -2, 4, 5])]))
    with both.database.begin() as session:
        session.get_one(Match, replay).finished_at = utc_now() + timedelta(seconds=WINDOW)
    assert settle(both) == [tournament_id]
    assert status(both, tournament_id) == "running"
    assert settle(both) == []
    clock(WINDOW)
    settle(both)
    assert status(both, tournament_id) == "finished"


def test_a_ruling_gives_time_to_appeal_against_it(world, clock):
    tournament_id, match_id = played_out(world, ending="after_appeals", appeal_window_s=WINDOW)
    made = rule(world, tournament_id, "annul", match_id=match_id)
    with world.database.begin() as session:
        late = utc_now() + timedelta(seconds=WINDOW - 10)
        session.get_one(Ruling, made.id).created_at = late
    clock(WINDOW + 1)
    settle(world)
    assert status(world, tournament_id) == "running"
    clock(WINDOW)
    settle(world)
    assert status(world, tournament_id) == "finished"


def ends_told(world, tournament_id):
    """When the end comes, as every telling of it had it."""
    with world.database.read() as session:
        told_at = select(Event.payload).where(
            Event.tournament_id == tournament_id, Event.kind == "tournament.ending"
        )
        return [at["at"] and datetime.fromisoformat(at["at"])
                for at in session.scalars(told_at.order_by(Event.id))]  # fmt: skip


def set_back(world, tournament_id, seconds):
    """As if its last round had closed so much earlier; returns when the end is planned then."""
    with world.database.begin() as session:
        tournament = session.get_one(Tournament, tournament_id)
        tournament.finishes_at -= timedelta(seconds=seconds)
        for played in session.scalars(select(Round).where(Round.tournament_id == tournament_id)):
            played.closed_at -= timedelta(seconds=seconds)
        return tournament.finishes_at


def test_the_time_of_the_end_moves_with_every_ruling_and_its_undoing(both):
    tournament_id, match_id = played_out(both, ending="after_appeals", appeal_window_s=WINDOW)
    before = set_back(both, tournament_id, 100)
    window = timedelta(seconds=WINDOW)
    annulled = rule(both, tournament_id, "annul", match_id=match_id)
    first = both.tournament(tournament_id).finishes_at
    assert first == annulled.created_at + window
    assert (first - before).total_seconds() >= 100
    undone = rule(both, tournament_id, "undo", ruling_id=annulled.id)
    second = both.tournament(tournament_id).finishes_at
    assert second == undone.created_at + window > first
    told_at = ends_told(both, tournament_id)[-2:]
    assert [abs(at - end) < timedelta(milliseconds=1)
            for at, end in zip(told_at, (first, second), strict=True)] == [True] * 2  # fmt: skip
    both.act("pause", tournament_id)
    warned = rule(both, tournament_id, "warn", entry_id=both.entries(tournament_id)[0].id)
    assert both.tournament(tournament_id).finishes_at == warned.created_at + window


def test_the_time_of_the_end_moves_with_a_replay_that_is_over(both):
    tournament_id, match_id = played_out(both, ending="after_appeals", appeal_window_s=WINDOW)
    ordered = rule(both, tournament_id, "replay", match_id=match_id)
    with both.database.begin() as session:
        early = ordered.created_at - timedelta(seconds=50)
        session.get_one(Ruling, ordered.id).created_at = early
    finish(both, ordered.replay_id)
    with both.database.read() as session:
        over = session.get_one(Match, ordered.replay_id).finished_at
    assert over > ordered.created_at
    assert both.tournament(tournament_id).finishes_at == over + timedelta(seconds=WINDOW)


def test_no_time_is_planned_where_the_end_is_not_held_for_appeals(world):
    by_hand, match_id = played_out(world, ending="manual", appeal_window_s=WINDOW)
    ended, its_match = played_out(world, appeal_window_s=WINDOW)
    running, (runs,) = world.playing(agents=5, ending="after_appeals", appeal_window_s=WINDOW)
    end(world, running)
    for tournament_id, of in ((by_hand, match_id), (ended, its_match), (running, runs)):
        before = ends_told(world, tournament_id)
        rule(world, tournament_id, "annul", match_id=of)
        assert ends_told(world, tournament_id) == before
        assert world.tournament(tournament_id).finishes_at is None


def test_an_end_by_its_organizers_word_has_no_time(world):
    tournament_id, match_id = played_out(world, ending="after_appeals", appeal_window_s=WINDOW)
    rule(world, tournament_id, "replay", match_id=match_id)
    asked = end(world, tournament_id)
    assert (asked.status, asked.finishes_at) == ("running", None)
    assert ends_told(world, tournament_id)[-1] is None


def test_by_hand_it_waits_for_its_organizer(world, clock):
    tournament_id, _ = played_out(world, ending="manual")
    clock(10**6)
    assert settle(world) == []
    assert world.tournament(tournament_id).finishes_at is None
    with pytest.raises(Conflict) as refused:
        world.do(next_round.ask, "olga", tournament_id)
    assert refused.value.problem_code == "no_round"
    assert end(world, tournament_id).status == "finished"


def test_who_withdraws_last_does_not_end_what_is_held(world):
    tournament_id, opened = world.playing(agents=2, rounds=4, ending="manual")
    for match_id in opened:
        finish(world, match_id)
    world.close_rounds()
    for entry in world.entries(tournament_id, house_bot=None):
        world.do(entries.withdraw, "olga", entry.id, world.entry(entry.id).version)
    assert world.open_next(tournament_id) == []
    held = world.tournament(tournament_id)
    assert (held.status, held.last_round) == ("running", 1)
    assert held.status_reason == "Every agent has withdrawn."
    world.do(finishing.ask, "olga", tournament_id)
    assert world.tournament(tournament_id).status == "finished"


def test_who_goes_on_after_all_leaves_the_reason_of_the_end_behind(world):
    """All withdraw after round 1 of 4, come back, and round 2 is asked for."""
    tournament_id, (match_id,) = world.playing(agents=5, rounds=4, ending="manual")
    finish(world, match_id)
    world.close_rounds()
    agents = [entry.id for entry in world.entries(tournament_id, house_bot=None)]
    for entry_id in agents:
        world.do(entries.withdraw, "olga", entry_id, world.entry(entry_id).version)
    assert world.open_next(tournament_id) == []
    for entry_id in agents:
        world.do(attendance.come_back, "olga", entry_id)
    asked = world.do(next_round.ask, "olga", tournament_id)
    assert (asked.last_round, asked.finishes_at, asked.status_reason) == (None, None, None)
    assert len(world.open_next(tournament_id)) == 1
    assert world.tournament(tournament_id).status_reason is None


def test_held_it_can_be_paused_and_ends_when_it_goes_on(world, clock):
    tournament_id, _ = played_out(world, ending="after_appeals", appeal_window_s=WINDOW)
    world.act("pause", tournament_id)
    clock(WINDOW + 1)
    assert settle(world) == []
    world.act("resume", tournament_id)
    assert settle(world) == [tournament_id]


def test_held_it_takes_no_late_entries_and_no_seating(world):
    tournament_id = world.started(
        agents=5, rounds=1, ending="manual", late_entry_round=1_000_000, waiting_list=3
    )
    (match_id,) = world.open_next(tournament_id)
    finish(world, match_id)
    world.close_rounds()
    with pytest.raises(Conflict):
        world.do(entries.enter_agent, "bert", tournament_id, world.agent("bert", "late"))
    table = [entry.id for entry in world.entries(tournament_id, status="entered")]
    with pytest.raises(Conflict, match="no further round"):
        rule(world, tournament_id, "seat", tables=[table])


def test_the_organizer_need_not_wait_for_appeals(world):
    tournament_id, match_id = played_out(world, ending="after_appeals", appeal_window_s=WINDOW)
    appealed(world, tournament_id, match_id)
    assert end(world, tournament_id).status == "finished"


# By the organizer's word


LADDER = {"format": "ladder", "rounds": None}


def test_a_ladder_between_rounds_finishes_at_once_and_counts(world):
    tournament_id = world.started(agents=5, **LADDER)
    for _ in range(2):
        (match_id,) = world.open_next(tournament_id)
        finish(world, match_id, FakeMatch([deal([5, 4, -2, -3, -4])]))
        world.close_rounds()
    ended = end(world, tournament_id)
    assert (ended.status, ended.last_round, ended.next_round_at) == ("finished", 2, None)
    with world.database.begin() as session:
        ratings.enrol(session)
        assert session.scalars(select(RatedTournament.tournament_id)).all() == [tournament_id]
    rule(world, tournament_id, "annul", match_id=match_id)


def test_a_round_that_runs_becomes_the_last_one(world):
    tournament_id, (match_id,) = world.playing(agents=5, **LADDER)
    asked = end(world, tournament_id)
    assert (asked.status, asked.last_round) == ("running", 1)
    assert told(world, tournament_id)[-1] == "tournament.ending"
    finish(world, match_id)
    world.close_rounds()
    assert status(world, tournament_id) == "finished"


def test_what_was_asked_for_amid_a_round_is_held_as_any_end(world):
    tournament_id, (match_id,) = world.playing(agents=5, **LADDER, ending="manual")
    end(world, tournament_id)
    finish(world, match_id)
    world.close_rounds()
    assert status(world, tournament_id) == "running"
    assert world.open_next(tournament_id) == []
    end(world, tournament_id)
    assert status(world, tournament_id) == "finished"


def test_a_ladder_that_is_held_goes_on_when_its_organizer_wants_a_round(world):
    tournament_id, (match_id,) = world.playing(agents=5, **LADDER, ending="manual")
    end(world, tournament_id)
    finish(world, match_id)
    world.close_rounds()
    world.do(next_round.ask, "olga", tournament_id)
    assert len(world.open_next(tournament_id)) == 1
    assert world.tournament(tournament_id).last_round is None


def test_where_only_the_draw_knows_whether_a_round_is_left_it_can_be_asked_for(world):
    tournament_id = world.started(agents=5, rounds=2, advance="manual")
    (match_id,) = world.open_next(tournament_id)
    finish(world, match_id)
    world.close_rounds()
    with world.database.begin() as session:  # as in a knockout that was seated by hand
        session.get_one(Tournament, tournament_id).rounds = 1
    world.do(next_round.ask, "olga", tournament_id)
    assert world.open_next(tournament_id) == []
    assert status(world, tournament_id) == "finished"


def test_the_rest_can_be_cancelled(both):
    tournament_id, (first, second) = both.playing(agents=10, rounds=3)
    finish(both, first)
    running = claimed(both, second)
    end(both, tournament_id, "cancel")
    with both.database.begin() as session:
        assert not matches.renew(session, second, running.epoch, 60)  # fenced off
    both.close_rounds()
    assert status(both, tournament_id) == "finished"
    with both.database.read() as session:
        ends = {x: session.get_one(Match, x).status for x in (first, second)}
    assert ends == {first: "finished", second: "cancelled"}


def test_the_rest_can_be_ended_by_autoplay(world):
    tournament_id, (first, second) = world.playing(agents=10, rounds=3)
    finish(world, first)
    end(world, tournament_id, "autoplay")
    with world.database.read() as session:
        assert session.get_one(Match, second).hurried
    finish(world, second)
    world.close_rounds()
    assert status(world, tournament_id) == "finished"


def test_one_that_stands_goes_on_to_its_end(world):
    for stopped in ("paused", "needs_attention"):
        tournament_id, (match_id,) = world.playing(agents=5, rounds=3)
        with world.database.begin() as session:
            tournament = session.get_one(Tournament, tournament_id)
            tournament.status, tournament.stopped_at = stopped, utc_now()
            session.get_one(Match, match_id).status = "failed"
        asked = end(world, tournament_id)
        assert (asked.status, asked.stopped_at) == ("running", None)
        finish(world, match_id)
        world.close_rounds()
        assert status(world, tournament_id) == "finished"


def test_one_whose_next_round_cannot_be_seated_finishes_at_once(world):
    tournament_id = world.started(agents=5, rounds=3)
    (match_id,) = world.open_next(tournament_id)
    finish(world, match_id)
    world.close_rounds()
    with world.database.begin() as session:
        session.get_one(Tournament, tournament_id).status = "needs_attention"
    assert end(world, tournament_id).status == "finished"


def test_a_replay_is_played_before_it_finishes(world):
    tournament_id = world.started(agents=5, **LADDER)
    (match_id,) = world.open_next(tournament_id)
    finish(world, match_id)
    world.close_rounds()
    replay = rule(world, tournament_id, "replay", match_id=match_id).replay_id
    assert end(world, tournament_id).status == "running"
    assert settle(world) == []
    finish(world, replay)
    assert settle(world) == [tournament_id]
    assert status(world, tournament_id) == "finished"


def test_before_anything_was_played_there_is_nothing_to_finish(world):
    tournament_id = world.started(agents=5)
    with pytest.raises(Conflict) as refused:
        end(world, tournament_id)
    assert refused.value.problem_code == "nothing_played"


@pytest.mark.parametrize("state", list(TournamentStatus))
def test_only_what_is_under_way_is_finished_and_only_by_its_organizer(world, state):
    tournament_id, _ = world.playing(agents=5)
    with world.database.begin() as session:
        session.get_one(Tournament, tournament_id).status = state
    under_way = state in ("running", "paused", "needs_attention")
    with pytest.raises(Forbidden if under_way else Exception):
        end(world, tournament_id, who="oskar")
    if under_way:
        assert end(world, tournament_id, who="ada").last_round == 1
    else:
        with pytest.raises(Conflict) as refused:
            end(world, tournament_id)
        assert refused.value.problem_code == f"tournament_{state}"


def test_the_archive_of_what_ended_early_has_no_difference(world):
    tournament_id = world.started(agents=6, format="swiss", rounds=5)
    for _ in range(2):
        for match_id in world.open_next(tournament_id):
            finish(world, match_id)
        world.close_rounds()
    end(world, tournament_id)
    with world.database.read() as session:
        export = archive_file.export(session, world.vault, world.people["olga"], tournament_id)
        lines = b"".join(export).splitlines(keepends=True)
    assert not list(archive_check.check(archive_file.parse(lines), records=False))
