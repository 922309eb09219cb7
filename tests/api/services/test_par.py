"""Par: luck told apart by play-outs of house bots, by a model that is fixed before the event."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from sqlalchemy import select

from baohuang.api.errors import Conflict, Invalid
from baohuang.api.models import Match, Result
from baohuang.api.services import archive_check, archive_file, standings, tournaments
from baohuang.api.services.principal import ANONYMOUS
from baohuang.engine.draw import match_key
from baohuang.engine.rules import RuleSet
from baohuang.engine.tournament.duplicate import centred
from baohuang.engine.tournament.par import par

from .playing import play
from .test_archive import exported

PAR = {"par": {"bot": "greedy", "playouts": 3}, "scoring": "adjusted", "rounds": 1, "deals": 2}


def played(world, **changes):
    tournament_id, ids = world.playing(agents=1, **{**PAR, **changes})
    for match_id in ids:
        play(world, match_id)
    world.close_rounds()
    assert world.tournament(tournament_id).status == "finished"
    return tournament_id, ids


def results(world, match_id):
    with world.database.read() as session:
        query = select(Result).where(Result.match_id == match_id).order_by(Result.seat)
        return session.scalars(query).all()


def test_every_hand_has_its_par_and_the_five_of_a_deal_add_up_to_nothing(world):
    tournament_id, (match_id,) = played(world)
    tournament = world.tournament(tournament_id)
    key = match_key(world.vault.open(tournament.secret), f"{tournament_id}/1/1")
    rules = RuleSet.from_json(tournament.rules)
    expected = centred(par(rules, key, 2, board="x", bot="greedy", playouts=3))
    for row in results(world, match_id):
        assert len(row.hands) == 2
        for deal, attempt, packet, *_, worth in row.hands:
            assert Fraction(worth) == expected.get(("x", deal, attempt, packet), 0)
    assert any(expected.values())
    assert sum(Fraction(row.hands[0][-1]) for row in results(world, match_id)) == 0


def test_standings_rank_by_points_above_par(world):
    tournament_id, (match_id,) = played(world)
    above = {
        row.entry_id: sum((hand[3] - Fraction(hand[-1]) for hand in row.hands), Fraction(0))
        for row in results(world, match_id)
    }
    with world.database.read() as session:
        rows = standings.rows(session, ANONYMOUS, tournament_id, None, 100).items
    assert [above[row["entry_id"]] for row in rows] == sorted(above.values(), reverse=True)
    for row in rows:
        assert float(row["adjusted"]) == pytest.approx(float(above[row["entry_id"]]), abs=1e-4)
    assert sum(above.values()) == 0


def test_par_as_a_tie_break_needs_no_other_scoring(world):
    tournament_id, _ = played(world, scoring="points", tie_breaks=["adjusted"])
    with world.database.read() as session:
        rows = standings.rows(session, ANONYMOUS, tournament_id, None, 100).items
    assert [row["points"] for row in rows] == sorted((r["points"] for r in rows), reverse=True)
    assert all(row["adjusted"] is not None for row in rows)


def test_the_checker_works_par_out_anew(world):
    tournament_id, _ = played(world)
    lines = exported(world, tournament_id)
    assert list(archive_check.check(archive_file.parse(lines))) == []
    flattered = [one_up(line) for line in lines]
    parsed = archive_file.parse(flattered)
    assert "par of its hands is not as worked out anew" in " ".join(
        found.what for found in archive_check.check(parsed)
    )


def one_up(line):
    """The first result's first hand is worth one less, in its row and in its event."""
    data = json.loads(line)
    if data["type"] == "match":
        hand = data["results"][0]["hands"][0]
    elif data["type"] == "row" and data["table"] == "results" and data["row"]["seat"] == 0:
        hand = data["row"]["hands"][0]
    else:
        return line
    hand[-1] = str(Fraction(hand[-1]) - 1)
    return json.dumps(data).encode() + b"\n"


def test_the_model_is_fixed_when_the_tournament_starts(world):
    tournament_id = world.opened(**PAR)
    other = {"par": {"bot": "random", "playouts": 5}}
    version = world.tournament(tournament_id).version
    world.do(tournaments.update_settings, "olga", tournament_id, version, other)
    world.enter(tournament_id, world.agent("anna", "only"))
    world.act("start", tournament_id)
    version = world.tournament(tournament_id).version
    with pytest.raises(Conflict):
        world.do(tournaments.update_settings, "olga", tournament_id, version, other)
    assert world.tournament(tournament_id).par == other["par"]


@pytest.mark.parametrize(
    ("settings", "pointer"),
    [
        ({"scoring": "adjusted"}, "/scoring"),
        ({"par": PAR["par"], "format_options": {"boards": 5}}, "/par"),
        ({"par": {"bot": "greedy", "playouts": 100}, "deals": 101}, "/par/playouts"),
    ],
)
def test_par_where_it_makes_no_sense_is_refused(world, settings, pointer):
    with pytest.raises(Invalid) as refused:
        world.draft(**settings)
    assert [error.pointer for error in refused.value.errors] == [pointer]


def test_a_match_without_par_has_none(world):
    _, (match_id,) = played(world, par=None, scoring="points")
    assert {hand[-1] for row in results(world, match_id) for hand in row.hands} == {None}
    with world.database.read() as session:
        assert session.get_one(Match, match_id).status == "finished"
