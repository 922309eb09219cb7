"""From a draft to final standings with nothing but services and house bots."""

from __future__ import annotations

from baohuang.api.models import Match, TournamentStatus
from baohuang.api.services import entries, matches, records, rounds, standings
from baohuang.engine.bots import BOTS
from baohuang.engine.draw import Draw, commitment
from baohuang.engine.match import Match as Referee
from baohuang.engine.record import verify

from .conftest import World


def play(world: World, match_id: str, block: int = 25) -> None:
    """A worker in a few lines: claim, play with house bots, checkpoint, finish."""
    with world.database.begin() as session:
        claim = matches.claim(session, world.vault, match_id, "test", 30)
    assert claim is not None
    match = Referee.resume(claim.rules, claim.key, claim.deals, claim.log)
    written = len(match.log)
    while not match.over:
        bot = BOTS[claim.seats[match.seat].house_bot or "autoplay"]
        match.answer(bot.choose(match.look(), Draw(claim.key, f"bot/{match.turn}")))
        if len(match.log) - written >= block:
            with world.database.begin() as session:
                tail = match.log[written:]
                assert matches.checkpoint(session, match_id, claim.epoch, written, tail, [], 30)
            written = len(match.log)
    with world.database.begin() as session:
        tail = match.log[written:]
        assert matches.finish(session, match_id, claim.epoch, match, tail, [])


def test_a_tournament_of_house_bots_runs_to_its_end(world):
    olga = world.people["olga"]
    tournament_id = world.opened(rounds=2, deals=1)
    with world.database.begin() as session:
        for bot in ("random", "greedy", "greedy", "autoplay", "random", "greedy"):
            entries.enter_house_bot(session, olga, tournament_id, bot)
    world.act("start", tournament_id)
    for _ in range(2):
        opened = world.open_next(tournament_id)
        assert len(opened) == 2
        for match_id in opened:
            play(world, match_id)
        with world.database.begin() as session:
            assert rounds.close_finished(session) == [tournament_id]
    tournament = world.tournament(tournament_id)
    assert tournament.status == TournamentStatus.FINISHED
    assert tournament.results_count == tournament.standings_count == 4
    with world.database.read() as session:
        page = standings.rows(session, olga, tournament_id, None, 100)
        assert len(page.items) == 10
        assert sum(row["points"] for row in page.items) == 0
        assert [row["position"] for row in page.items] == list(range(1, 11))
        for record in records.of_tournament(session, olga, tournament_id, None, 10).items:
            verify(record)
        secret = world.vault.open(tournament.secret)
        assert commitment(secret) == tournament.commitment
        assert session.get_one(Match, opened[0]).record is not None
