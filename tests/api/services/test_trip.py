"""From a draft to final standings with nothing but services and house bots."""

from __future__ import annotations

from hashlib import sha256

from baohuang.api.models import TournamentStatus
from baohuang.api.services import entries, records, standings
from baohuang.engine.draw import commitment, match_key
from baohuang.engine.record import verify

from .playing import play

BOTS = ("random", "greedy", "greedy", "autoplay", "random", "greedy")


def run(world, tournament_id: str, number_of_rounds: int) -> None:
    for _ in range(number_of_rounds):
        for match_id in world.open_next(tournament_id):
            play(world, match_id)
        assert world.close_rounds() == [tournament_id]


def test_house_bots_play_a_tournament_to_its_standings(world):
    olga = world.people["olga"]
    tournament_id = world.opened(rounds=2, deals=1)
    with world.database.begin() as session:
        for bot in BOTS:
            entries.enter_house_bot(session, olga, tournament_id, bot)
    world.act("start", tournament_id)
    run(world, tournament_id, 2)

    ended = world.tournament(tournament_id)
    assert ended.status == TournamentStatus.FINISHED
    assert ended.results_count == ended.standings_count == 4
    with world.database.read() as session:
        table = standings.rows(session, olga, tournament_id, None, 100).items
        found = records.of_tournament(session, olga, tournament_id).items
    assert len(table) == 10
    assert [row["position"] for row in table] == list(range(1, 11))
    assert sum(row["points"] for row in table) == 0
    assert [row["rounds"] for row in table] == [2] * 10
    points = {row["name"]: row["points"] for row in table}
    totals = dict.fromkeys(points, 0)
    for record in found:
        verify(record)
        for name, total in zip(record["seats"], record["totals"], strict=True):
            totals[name] += total
    assert points == totals


def test_the_revealed_secret_proves_every_key(world):
    tournament_id = world.started(agents=1, rounds=1, deals=1)
    run(world, tournament_id, 1)
    ended = world.tournament(tournament_id)
    secret = world.vault.open(ended.secret)
    assert commitment(secret) == ended.commitment
    with world.database.read() as session:
        (record,) = records.of_tournament(session, world.people["bert"], tournament_id).items
        page = entries.search(session, world.people["bert"], tournament_id, None, 100)
    assert record["draw"]["key"] == match_key(secret, f"{tournament_id}/1/1").hex()
    ids = sorted(row.id for row in page.items)
    assert ended.entrants_hash == sha256(b"entrants-v1\0" + "\n".join(ids).encode()).hexdigest()
