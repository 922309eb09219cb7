"""What may happen to a tournament when, and who may do it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from baohuang.api.errors import Conflict, Forbidden, Invalid, NotFound, PreconditionFailed
from baohuang.api.models import Match, MatchStatus, Round, Tournament, TournamentStatus, utc_now
from baohuang.api.services import attendance, entries, places, series, tournaments

from .conftest import SETTINGS
from .playing import claimed, finish
from .racing import losers, race

ALLOWED = {
    "edit": {"draft", "open"},
    "open": {"draft"},
    "enter": {"open"},
    "withdraw": {"open", "running", "paused", "needs_attention"},
    "start": {"open"},
    "pause": {"running"},
    "resume": {"paused", "needs_attention"},
    "cancel": {"draft", "open", "running", "paused", "needs_attention"},
}
AFTER = {"open": "open", "start": "running", "pause": "paused", "resume": "running",
         "cancel": "cancelled"}  # fmt: skip


class Undo(Exception):
    """Ends a transaction without leaving anything behind."""


def act(session, world, action, tournament_id, entry_id, agent_id):
    olga = world.people["olga"]
    match action:
        case "edit":
            version = session.get_one(Tournament, tournament_id).version
            tournaments.update_settings(session, olga, tournament_id, version, {"rounds": 3})
        case "enter":
            entries.enter(session, olga, tournament_id, agent_id=agent_id)
        case "withdraw":
            entries.withdraw(session, olga, entry_id, 1)
        case "open":
            tournaments.open_entry(session, olga, tournament_id)
        case _:
            getattr(tournaments, action)(session, olga, tournament_id)


def outcome(world, status, *action):
    """The state after an action in a state, or the code of its refusal; then all is undone."""
    after = ""
    try:
        with world.database.begin() as session:
            tournament = session.get_one(Tournament, action[1])
            tournament.status = status
            session.flush()
            act(session, world, *action)
            session.flush()
            after = tournament.status
            raise Undo
    except Undo:
        return after
    except Conflict as refused:
        return refused.problem_code


@pytest.mark.parametrize("action", list(ALLOWED))
def test_an_action_is_possible_in_its_states_and_refused_in_all_others(world, action):
    tournament_id = world.opened()
    entry_id = world.enter(tournament_id, world.agent("anna", "here"))
    agent_id = world.agent("anna", "new")
    for status in TournamentStatus:
        came = outcome(world, status, action, tournament_id, entry_id, agent_id)
        if status in ALLOWED[action]:
            assert came == AFTER.get(action, status), status
        else:
            assert came == f"tournament_{status}"


def test_a_refused_move_changes_nothing(world):
    tournament_id = world.opened()
    before = world.tournament(tournament_id).version
    with pytest.raises(Conflict):
        world.act("pause", tournament_id)
    after = world.tournament(tournament_id)
    assert (after.status, after.version) == ("open", before)


@pytest.mark.parametrize("action", ["open_entry", "start", "pause", "resume", "cancel"])
def test_only_the_organizer_and_the_admin_move_a_tournament(world, action):
    tournament_id = world.opened()
    for who in ("oskar", "anna"):
        with pytest.raises(Forbidden) as refused:
            world.act(action, tournament_id, who)
        assert refused.value.problem_code == "not_organizer"
    assert world.tournament(tournament_id).status == "open"
    world.act("cancel", tournament_id, "ada")
    assert world.tournament(tournament_id).status == "cancelled"


def test_a_draft_is_nobody_elses_business(world):
    tournament_id = world.draft()
    for who in ("oskar", "anna"):
        with pytest.raises(NotFound):
            world.act("open_entry", tournament_id, who)
        with world.database.read() as session:
            person = world.people[who]
            with pytest.raises(NotFound):
                tournaments.find(session, person, tournament_id)
            assert not tournaments.search(session, person, None, 10, status="draft").items
    with world.database.read() as session:
        mine = tournaments.search(session, world.people["olga"], None, 10, status="draft").items
        assert [row.id for row in mine] == [tournament_id]


def test_a_draft_that_is_cancelled_stays_as_private_as_it_was(world):
    never, opened = world.draft(), world.opened()
    world.enter(opened, world.agent("anna", "wolf"))
    for tournament_id in (never, opened):
        world.act("cancel", tournament_id)
    with world.database.read() as session:
        seen = tournaments.search(session, world.people["anna"], None, 10).items
        assert [row.id for row in seen] == [opened]
        with pytest.raises(NotFound):
            tournaments.find(session, world.people["anna"], never)
        assert tournaments.find(session, world.people["anna"], opened).status == "cancelled"
        assert tournaments.find(session, world.people["olga"], never).status == "cancelled"


def test_a_commitment_is_public_from_the_creation_on_and_the_secret_sealed(world):
    tournament_id = world.draft()
    made = world.tournament(tournament_id)
    assert len(bytes.fromhex(made.commitment)) == 32
    assert len(world.vault.open(made.secret)) == 32
    assert world.vault.open(made.secret) not in made.secret
    assert tournaments.revealed_secret(world.vault, made) is None


def test_an_edit_needs_the_current_version(world):
    tournament_id = world.draft()
    with world.database.begin() as session:
        changed = tournaments.update_settings(
            session, world.people["olga"], tournament_id, 1, {"name": "Autumn cup"}
        )
        assert (changed.name, changed.version) == ("Autumn cup", 2)
    with pytest.raises(PreconditionFailed), world.database.begin() as session:
        tournaments.update_settings(
            session, world.people["olga"], tournament_id, 1, {"name": "Winter cup"}
        )
    assert world.tournament(tournament_id).name == "Autumn cup"


def test_opening_freezes_the_rules_and_nothing_else(world):
    olga, tournament_id = world.people["olga"], world.opened()
    version = world.tournament(tournament_id).version
    with pytest.raises(Conflict) as refused, world.database.begin() as session:
        tournaments.update_settings(
            session, olga, tournament_id, version, {"overrides": {"grab": True}}
        )
    assert refused.value.problem_code == "rules_frozen"
    with world.database.begin() as session:
        tournaments.update_settings(session, olga, tournament_id, version, {"rounds": 7})
    assert world.tournament(tournament_id).rounds == 7


def test_overrides_are_laid_over_the_rules_of_a_draft(world):
    olga, tournament_id = world.people["olga"], world.draft()
    for overrides in ({"roast": True}, {"hold_back": True}):
        with world.database.begin() as session:
            version = session.get_one(Tournament, tournament_id).version
            settings = {"overrides": overrides}
            tournaments.update_settings(session, olga, tournament_id, version, settings)
    options = world.tournament(tournament_id).rules["options"]
    assert (options["roast"], options["hold_back"], options["grab"]) == (True, True, False)


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"rule_set": "mahjong"}, "/rule_set"),
        ({"rule_set": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, "/rule_set"),
        ({"overrides": {"colour": "red"}}, "/overrides/colour"),
        ({"overrides": {"kick": True, "rebellion": False}}, "/overrides/kick"),
        ({"format": "knockout of nobody"}, "/format"),
        ({"house_bot": "grandmaster"}, "/house_bot"),
        ({"tie_breaks": ["beauty"]}, "/tie_breaks"),
        ({"tie_breaks": ["lot", "lot"]}, "/tie_breaks"),
        ({"format": "single_table", "capacity": 10}, "/capacity"),
        ({"format": "knockout", "rounds": 3}, "/rounds"),
        ({"format": "round_robin", "rounds": None, "capacity": 502}, "/rounds"),
        ({"min_entries": 21}, "/min_entries"),
        ({"format_options": {"rounds": 3}}, "/format_options/rounds"),
        ({"format_options": {"fill": "sand"}}, "/format_options/fill"),
        ({"format_options": {"colour": "red"}}, "/format_options/colour"),
        ({"starts_at": utc_now() - timedelta(seconds=1)}, "/starts_at"),
    ],
)
def test_settings_without_sense_are_refused_with_their_place(world, change, pointer):
    with pytest.raises(Invalid) as refused:
        world.draft(**change)
    assert refused.value.errors[0].pointer == pointer
    with world.database.read() as session:
        assert not tournaments.search(session, world.people["olga"], None, 10).items


@pytest.mark.parametrize(
    "size",
    [
        {"rounds": None, "capacity": 500},  # 499 rounds, 499 entries with a bye each 499
        {"rounds": 20, "capacity": 10_000},
        {"format": "swiss", "rounds": None, "capacity": 10_000},
        {"format": "ladder", "rounds": None, "capacity": 10_000},
        {"format": "knockout", "rounds": None, "capacity": 10_000},
    ],
)
def test_big_fields_play_where_the_rounds_stay_few_or_are_said(world, size):
    assert world.tournament(world.draft(**size)).capacity == size["capacity"]


def test_a_contradiction_names_both_options(world):
    with pytest.raises(Invalid) as refused:
        world.draft(overrides={"kick": True, "rebellion": False})
    assert {e.pointer for e in refused.value.errors} == {"/overrides/kick", "/overrides/rebellion"}


def test_all_wrong_settings_are_named_at_once(world):
    with pytest.raises(Invalid) as refused:
        world.draft(format="?", house_bot="?", rule_set="?")
    assert {e.pointer for e in refused.value.errors} == {"/format", "/house_bot", "/rule_set"}


def test_room_may_not_shrink_below_who_is_in(world):
    tournament_id = world.opened(capacity=10)
    for number in range(6):
        world.enter(tournament_id, world.agent("anna", f"bot-{number}"))
    version = world.tournament(tournament_id).version
    with pytest.raises(Invalid) as refused, world.database.begin() as session:
        tournaments.update_settings(
            session, world.people["olga"], tournament_id, version, {"capacity": 5}
        )
    assert refused.value.errors[0].pointer == "/capacity"


def test_a_start_needs_an_entry(world):
    tournament_id = world.opened()
    with pytest.raises(Conflict) as refused:
        world.act("start", tournament_id)
    assert refused.value.problem_code == "no_entries"
    assert world.tournament(tournament_id).status == "open"


@pytest.mark.parametrize(("agents", "house"), [(1, 4), (4, 1), (5, 0), (6, 4)])
def test_house_bots_fill_up_to_whole_tables(world, agents, house):
    tournament_id = world.started(agents)
    with world.database.read() as session:
        page = entries.search(session, world.people["anna"], tournament_id, None, 100)
    assert len(page.items) == agents + house
    filled = [row for row in page.items if row.house_bot is not None]
    assert [row.house_bot for row in filled] == [SETTINGS["house_bot"]] * house
    assert len({row.name for row in page.items}) == agents + house


def test_of_two_starts_one_counts(world):
    tournament_id = world.opened()
    world.enter(tournament_id, world.agent("anna", "bot"))
    outcomes = race(*[lambda: world.act("start", tournament_id)] * 2)
    assert losers(outcomes) == ["tournament_running"]
    with world.database.read() as session:
        assert places.count(session, tournament_id) == 5


def test_a_time_starts_a_tournament_once_it_has_come(world, monkeypatch):
    at = utc_now() + timedelta(hours=1)
    ready = world.opened(name="ready", starts_at=at)
    empty = world.opened(name="empty", starts_at=at)
    by_hand = world.opened(name="by hand")
    for tournament_id in (ready, by_hand):
        world.enter(tournament_id, world.agent("anna", f"bot-{tournament_id}"))
    assert world.see(tournaments.due) == []
    monkeypatch.setattr(tournaments, "utc_now", lambda: at)
    assert world.see(tournaments.due) == [ready, empty]
    with world.database.begin() as session:
        assert tournaments.start_due(session, ready)
        assert not tournaments.start_due(session, empty)
        assert not tournaments.start_due(session, by_hand)
    assert world.tournament(ready).status == "running"
    assert world.tournament(by_hand).status == "open"
    stays = world.tournament(empty)
    assert (stays.status, stays.starts_at) == ("open", None)
    assert stays.status_reason == "Nobody had entered when it was to start."
    assert world.see(tournaments.due) == []


def test_one_of_a_series_that_nobody_entered_is_cancelled(world, monkeypatch):
    at = utc_now() + timedelta(hours=1)
    empty = world.opened(starts_at=at)
    values = {name: SETTINGS[name] for name in SETTINGS.keys() - {"name", "starts_at"}}
    weekly = {
        "name": "Weekly", "cron": "0 18 * * fri", "time_zone": "UTC", "lead_s": 60, "until": None,
        "settings": values,
    }  # fmt: skip
    series_id = world.do(series.create, "olga", weekly).id
    with world.database.begin() as session:
        session.get_one(Tournament, empty).series_id = series_id
    monkeypatch.setattr(tournaments, "utc_now", lambda: at)
    with world.database.begin() as session:
        assert not tournaments.start_due(session, empty)
    ended = world.tournament(empty)
    assert ended.status == "cancelled"
    assert ended.status_reason == "Nobody had entered when it was to start."


def test_it_does_not_start_by_itself_below_its_least_number_of_entries(world, monkeypatch):
    at = utc_now() + timedelta(hours=1)
    tournament_id = world.opened(starts_at=at, min_entries=3)
    for number in range(2):
        world.enter(tournament_id, world.agent("anna", f"bot-{number}"))
    monkeypatch.setattr(tournaments, "utc_now", lambda: at)

    def due() -> bool:
        with world.database.begin() as session:
            return tournaments.start_due(session, tournament_id)

    assert not due()
    stays = world.tournament(tournament_id)
    assert (stays.status, stays.starts_at) == ("open", None)
    assert stays.status_reason == "2 of 3 entries were there when it was to start."
    world.enter(tournament_id, world.agent("anna", "bot-2"))
    later = {"starts_at": at + timedelta(hours=1)}
    world.do(tournaments.update_settings, "olga", tournament_id, stays.version, later)
    assert world.tournament(tournament_id).status_reason is None
    monkeypatch.setattr(tournaments, "utc_now", lambda: at + timedelta(hours=1))
    assert due()
    assert world.tournament(tournament_id).status == "running"


def test_by_hand_it_starts_with_fewer(world):
    tournament_id = world.opened(min_entries=20)
    world.enter(tournament_id, world.agent("anna", "bot"))
    world.act("start", tournament_id)
    assert world.tournament(tournament_id).status == "running"


def test_who_has_not_checked_in_keeps_the_place_when_it_does_not_start(world, monkeypatch):
    at = utc_now() + timedelta(minutes=5)
    tournament_id = world.opened(starts_at=at, min_entries=2, check_in_s=600)
    here, absent = (world.enter(tournament_id, world.agent("anna", x)) for x in ("aa", "bb"))
    world.do(attendance.check_in, "anna", here)
    monkeypatch.setattr(tournaments, "utc_now", lambda: at)
    with world.database.begin() as session:
        assert not tournaments.start_due(session, tournament_id)
    assert {world.entry(x).status for x in (here, absent)} == {"entered"}
    world.do(attendance.check_in, "anna", absent)
    world.act("start", tournament_id)
    assert world.tournament(tournament_id).status == "running"


def test_a_draft_whose_time_has_passed_does_not_open(world, monkeypatch):
    at = utc_now() + timedelta(hours=1)
    tournament_id = world.draft(starts_at=at)
    monkeypatch.setattr(tournaments, "utc_now", lambda: at)
    with pytest.raises(Conflict) as refused:
        world.act("open_entry", tournament_id)
    assert refused.value.problem_code == "start_passed"
    assert refused.value.errors[0].pointer == "/starts_at"
    version = world.tournament(tournament_id).version
    world.do(tournaments.update_settings, "olga", tournament_id, version, {"starts_at": None})
    world.act("open_entry", tournament_id)
    assert world.tournament(tournament_id).status == "open"


def test_a_cancelled_tournament_fences_its_matches_off_and_shows_its_secret(world):
    tournament_id, opened = world.playing(agents=6)
    held = claimed(world, opened[0])
    world.act("cancel", tournament_id)
    ended = world.tournament(tournament_id)
    assert tournaments.revealed_secret(world.vault, ended) == world.vault.open(ended.secret).hex()
    with world.database.read() as session:
        for match_id in opened:
            assert session.get_one(Match, match_id).status == MatchStatus.CANCELLED
        assert session.get_one(Match, opened[0]).epoch == held.epoch + 1
        assert session.query(Round).one().status == "cancelled"


def test_what_has_finished_stays_finished_when_a_tournament_is_cancelled(world):
    tournament_id, opened = world.playing(agents=6)
    finish(world, opened[0])
    world.act("cancel", tournament_id)
    with world.database.read() as session:
        kept, lost = (session.get_one(Match, match_id) for match_id in opened)
        assert (kept.status, lost.status) == (MatchStatus.FINISHED, MatchStatus.CANCELLED)
        assert kept.record is not None
