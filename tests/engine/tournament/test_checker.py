"""Random tournaments keep every promise, and the checker sees what was changed afterwards."""

import json
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import count

import pytest

from baohuang.engine.draw import Draw
from baohuang.engine.tournament import archive
from baohuang.engine.tournament.archive import ArchiveError, Drawn, Entered, Played, Ranked, Ruled
from baohuang.engine.tournament.checker import Replay, check
from baohuang.engine.tournament.entrants import Entrant
from baohuang.engine.tournament.formats import FORMATS
from baohuang.engine.tournament.generator import random_tournament
from baohuang.engine.tournament.sheets import make_sheets


def tournament(seed, least=5, most=60, name=None):
    return random_tournament(Draw(seed.to_bytes(32, "big"), "tournament"), least, most, name)


@cache
def named(name):
    """A random tournament of a format with at least two rounds, the first one drawn by it."""
    least, most = (5, 9) if name == "single_table" else (11, 24)
    made = (tournament(seed, least, most, name) for seed in count(1000))
    return next(m for m in made if len(by_hand(m)) > 1 and not by_hand(m)[0])


def by_hand(made):
    """Of every round, whether it was seated by hand."""
    return [event.manual for event in made.events if isinstance(event, Drawn)]


def assert_keeps_promises(made):
    assert check(made) == []
    lines = list(made.lines())
    assert archive.read(lines) == made
    replay = Replay(made.settings)
    byes, frozen = Counter(), {}
    for event in made.events:
        list(replay.add(event))
        state = replay.state
        if isinstance(event, Drawn):
            assert_one_place_each(event.round, state)
            before = Counter(byes)
            byes.update(event.round.byes)
            if not event.manual:
                assert_byes_even(before, byes, state, made.settings)
            frozen[event.round.number] = event.round
        assert all(state.rounds[number - 1] == round_ for number, round_ in frozen.items())
        assert_points_add_up(replay)


def assert_one_place_each(round_, state):
    placed = [*(x for t in round_.tables for x in t), *round_.byes, *round_.out]
    active = {e.id for e in state.entrants if e.active(round_.number)}
    assert len(placed) == len(set(placed))
    assert active <= set(placed) <= active | set(state.house)


def assert_byes_even(before, byes, state, settings):
    """Of those who were there in every round. A knockout has no byes at all.

    Where byes by hand made a greater difference it grows no further. One entry more is allowed
    inside a design with an entry left out, where nothing better exists.
    """
    whole = [e.id for e in state.entrants if e.joined == 1 and e.left is None and not e.absent]
    if whole:
        design = state.course and "left out" in state.course.schedule.source
        assert apart(byes, whole) <= max(2 if design else 1, apart(before, whole))
    if settings.options.get("fill", "bye") == "house" or settings.format == "knockout":
        assert byes == before


def apart(byes, whole):
    return max(byes[x] for x in whole) - min(byes[x] for x in whole)


def assert_points_add_up(replay):
    state = replay.state
    sheets = make_sheets(
        state.entrants,
        state.rounds,
        state.results,
        house=state.house,
        adjustments=state.adjustments,
    )
    lines = [line for sheet in sheets.values() for line in sheet.lines]
    nobodys = sum(result.points for result in state.results if result.stand_in)
    assert sum(line.points for line in lines) + nobodys == 0
    assert sum(line.adjustment for line in lines) == sum(a.points for a in state.adjustments)
    kinds = {"played", "waiting", "bye", "out", "late", "absent"}
    assert {line.kind for line in lines} <= kinds


@pytest.mark.parametrize("seed", range(24))
def test_random_tournaments_keep_every_promise(seed):
    assert_keeps_promises(tournament(seed, most=60 if seed % 4 == 0 else 25))


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 600))
def test_many_random_tournaments_keep_every_promise(seed):
    assert_keeps_promises(tournament(seed))


@pytest.mark.parametrize("name", FORMATS)
class TestChangesAreFound:
    """An archive of every format with one thing changed."""

    def test_seats_exchanged(self, name):
        made = named(name)
        found = False
        for k, event in enumerate(made.events):
            if isinstance(event, Drawn) and not event.manual:
                first, *others = event.round.tables
                turned = replace(event.round, tables=((*first[1:], first[0]), *others))
                assert changed(made, k, replace(event, round=turned))
                found = True
                break
        assert found

    def test_a_point_moved(self, name):
        made = named(name)
        k, event = next((k, e) for k, e in enumerate(made.events) if isinstance(e, Played))
        first, *others = event.results
        more = replace(first, points=first.points + 1)
        assert "do not add up to 0" in changed(made, k, replace(event, results=(more, *others)))

    def test_a_rank_moved(self, name):
        made = named(name)
        k = max(k for k, e in enumerate(made.events) if isinstance(e, Ranked))
        event = made.events[k]
        first, *others = event.rows
        rows = ({**first, "rank": first["rank"] + 1}, *others)
        assert f"rank is {rows[0]['rank']}" in changed(made, k, replace(event, rows=rows))
        assert "rows and should have" in changed(made, k, replace(event, rows=tuple(others)))

    def test_another_key(self, name):
        made = named(name)
        other = replace(made, settings=replace(made.settings, key=bytes(32)))
        assert check(other)


def changed(made, k, event):
    """What the checker says of an archive with event k replaced."""
    events = (*made.events[:k], event, *made.events[k + 1 :])
    differences = check(replace(made, events=events))
    return "; ".join(d.what for d in differences if d.event == k)


def test_nonsense_rounds_are_named():
    made = named("swiss")
    k, event = next((k, e) for k, e in enumerate(made.events) if isinstance(e, Drawn))
    (first, *others), number = event.round.tables, event.round.number
    doubled = replace(event.round, tables=((others[0][0], *first[1:]), *others))
    text = changed(made, k, Drawn(doubled, manual=True))
    assert f"has {others[0][0]} in two places" in text
    assert f"forgets {first[0]}" in text
    stranger = replace(event.round, tables=(("nobody", *first[1:]), *others))
    assert "seats nobody, who do not take part" in changed(made, k, Drawn(stranger, manual=True))
    late = replace(event.round, number=number + 4)
    assert f"round {number + 4} follows round {number - 1}" in changed(
        made, k, Drawn(late, manual=True)
    )


def test_later_corrections_change_no_earlier_round():
    made = named("swiss")
    first = next(e for e in made.events if isinstance(e, Played))
    points = [r.points for r in first.results]
    turned = tuple(
        replace(r, points=p, hands=())
        for r, p in zip(first.results, points[1:] + points[:1], strict=True)
    )
    more = (Played(first.match, turned), Ruled(replace_adjustment(first.results[0].entry)))
    assert check(replace(made, events=(*made.events, *more))) == []


def replace_adjustment(entry):
    return archive.Adjustment(entry, 1, -5)


def test_unknown_formats_and_tie_breaks_are_named():
    made = named("ladder")
    (wrong,) = check(replace(made, settings=replace(made.settings, format="chess")))
    assert wrong.event == -1
    assert "format: unknown" in wrong.what
    (wrong,) = check(replace(made, settings=replace(made.settings, tie_breaks=("beauty",))))
    assert "no tie-break beauty" in wrong.what


SETTINGS = (
    '{"type":"tournament","format":"swiss","options":{},"key":"' + "00" * 32 + '",'
    '"tie_breaks":[],"house":[],"forbidden":[]}'
)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: not JSON"),
        ("[" * 100_000, "line 2: not JSON"),
        ("[]", "line 2: not an object"),
        ('{"type":"comet"}', "line 2: unknown type comet"),
        ('{"type":"annulled"}', "line 2: match is missing"),
        ('{"type":"annulled","match":7}', "line 2: match is not a text"),
        ('{"type":"annulled","match":"m","more":1}', "line 2: unknown field more"),
        ('{"type":"adjustment","entry":"a","round":true,"points":1}', "round is not a whole"),
        ('{"type":"adjustment","entry":"a","round":1,"points":1e400}', "points is not a whole"),
        ('{"type":"adjustment","entry":"a","round":1,"points":' + "9" * 30 + "}", "in range"),
        ('{"type":"round","number":1,"tables":[["a"]]}', "list of 5"),
        ('{"type":"standings","as_of":1,"house":1,"rows":[]}', "house is not true or false"),
    ],
)  # fmt: skip
def test_hostile_lines_are_refused_by_number(line, message):
    with pytest.raises(ArchiveError, match=message):
        archive.read([SETTINGS, line])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "line 1: not JSON"),
        ('{"type":"round"}', "tournament is to come before one of the type round"),
        (SETTINGS.replace("00" * 32, "xy"), "key is not hexadecimal"),
        (SETTINGS.replace("00" * 32, "00"), "key has not 32 bytes"),
    ],
)
def test_hostile_first_lines_are_refused(line, message):
    with pytest.raises(ArchiveError, match=message):
        archive.read([line])


def test_an_empty_archive_is_refused():
    with pytest.raises(ArchiveError, match="no line of the type tournament"):
        archive.read([])


def test_an_entrant_is_entered_again_to_leave_and_come_back():
    replay = Replay(archive.Settings("swiss", {}, bytes(32)))
    for e in (
        Entrant("a"),
        Entrant("b"),
        Entrant("a", left=2),
        Entrant("a", absent=frozenset({2})),
    ):
        list(replay.add(Entered(e)))
    there = [[e.id for e in replay.state.active(n)] for n in (1, 2, 3)]
    assert there == [["a", "b"], ["b"], ["a", "b"]]


def test_the_same_tournament_has_the_same_bytes():
    made = tournament(3)
    assert list(made.lines()) == list(archive.read(made.lines()).lines())
    assert all(json.loads(line) for line in made.lines())
