"""A tournament over HTTP, and a worker that plays its matches at once."""

from __future__ import annotations

from typing import Any

from baohuang.api.models import Agent, AgentStatus
from baohuang.api.services import matches, rounds
from baohuang.engine.bots import BOTS
from baohuang.engine.draw import Draw
from baohuang.engine.match import Match as Referee

from .conftest import Caller, Site

MINIMAL = {"name": "Spring cup", "rule_set": "lianzhong-simple"}


def created(organizer: Caller, **settings: Any) -> str:
    """A new draft's id."""
    answer = organizer.post("/tournaments", json={**MINIMAL, **settings})
    assert answer.status_code == 201, answer.json
    made: str = answer.json["id"]
    return made


def opened(organizer: Caller, **settings: Any) -> str:
    tournament_id = created(organizer, **settings)
    assert organizer.post(f"/tournaments/{tournament_id}/open").status_code == 200
    return tournament_id


def agent(site: Site, owner: Caller, name: str, status: AgentStatus = AgentStatus.ACTIVE) -> str:
    with site.arena.database.begin() as session:
        row = Agent(
            owner_id=owner.account_id,
            name=name,
            url=f"https://{name}.example/",
            status=status,
            secret=site.arena.vault.seal(b"whsec_c2VjcmV0"),
        )
        session.add(row)
        session.flush()
        return row.id


def open_round(site: Site, tournament_id: str) -> list[str]:
    with site.arena.database.begin() as session:
        return rounds.open_next(session, site.arena.vault, tournament_id)


def close_rounds(site: Site) -> None:
    with site.arena.database.begin() as session:
        for tournament_id in rounds.played_out(session):
            rounds.close(session, tournament_id)


def play(site: Site, match_id: str) -> None:
    """Claim a match, play it with house bots in every seat, finish it."""
    with site.arena.database.begin() as session:
        claim = matches.claim(session, site.arena.vault, match_id, "test", 600)
    assert claim is not None
    match = Referee.resume(claim.rules, claim.key, claim.deals, claim.log)
    while not match.over:
        bot = BOTS[claim.seats[match.seat].house_bot or "greedy"]
        match.answer(bot.choose(match.look(), Draw(claim.key, f"bot/{match.turn}")))
    with site.arena.database.begin() as session:
        par = claim.par and claim.par.work_out(claim.rules, claim.key, claim.deals)
        assert matches.finish(session, match_id, claim.epoch, match, match.log, [], par=par)


def play_round(site: Site, tournament_id: str) -> list[str]:
    """Open the next round, play it, close it: what scheduler and worker do."""
    ids = open_round(site, tournament_id)
    for match_id in ids:
        play(site, match_id)
    close_rounds(site)
    return ids
