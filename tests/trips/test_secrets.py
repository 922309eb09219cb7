"""A whole tournament, and everything it said to anybody: no key, and nobody else's cards.

Ten bots whose owner wants to know too much: they shout their hands wherever an answer has room. Two
tables share their cards, so that each card told of one is a card of the other. One of the bots
fetches its questions, one has a shadow, one is checked for a badge; their owner replays, appeals
and sits down herself (company.py). What bots were sent, what strangers and the owner could read
meanwhile, events, webhooks, logs and errors are all kept, and searched once the records say what
there was to hide.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from base64 import b64encode, urlsafe_b64encode
from collections import Counter
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web
from sqlalchemy import func, select, text

from baohuang.api.app import create_app
from baohuang.api.config import Config
from baohuang.api.models import (
    Agent,
    AgentVersion,
    Appeal,
    AuditRow,
    Event,
    Fault,
    Match,
    ShadowCall,
    Tournament,
)
from baohuang.api.pages import seat as seat_page
from baohuang.api.ports import free_port
from baohuang.api.services import webhooks
from baohuang.api.services.history import draw_key
from baohuang.engine.draw import match_key
from baohuang.engine.play import bots_key

from ..api.conftest import UNLIMITED, Caller, Site
from ..api.specification import operations
from ..scheduler.arena import Arena, until
from ..scheduler.bots import choose
from ..scheduler.receiver import receiving
from ..scheduler.test_pull import playing
from .company import REPLAYED, SHADOW, Owner, ShoutingStream

BOTS, ROUNDS = 10, 2
CARD = r"(?<![0-9A-Za-z])[3-9TJQKA2][CDHS](?![0-9A-Za-z])"
CARDS = re.compile(rf"{CARD}[\s,\"'\]\[]{{1,6}}{CARD}")
"""Two cards with their suits beside each other: a part of a hand, however it is written."""


class Shouters:
    """Bots that answer rightly, mostly, and put their hands into everything they say."""

    def __init__(self) -> None:
        self.port = 0
        self.heard: list[tuple[int, str, dict[str, str]]] = []

    def url(self, number: int) -> str:
        return f"http://127.0.0.1:{self.port}/{number}"

    async def answer(self, request: web.Request) -> web.Response:
        number, body = int(request.match_info["number"]), await request.text()
        try:
            question = json.loads(body)
            kind = question["kind"]
        except (ValueError, TypeError, KeyError):
            return web.Response(status=400, text=body)  # a check's: no question at all
        self.heard.append((number, body, dict(request.headers)))
        if kind == "hello":
            return web.json_response({name: question[name] for name in ("request", "challenge")})
        if kind != "decide":
            return web.Response(status=500, text=body)
        hand = question["hand"]
        answer = {"request": question["request"], "answer": choose(number, question)}
        headers = {"Server": hand, "Set-Cookie": f"hand={hand.replace(' ', '-')}"}
        match len(self.heard) % 23:
            case 0:
                return web.Response(status=500, text=hand, headers=headers)
            case 1:
                answer["answer"] = hand
            case 2:
                return web.Response(text=f"no JSON: {hand}", content_type="application/json")
        answer["note"] = hand[:250]
        return web.json_response(answer, headers=headers)

    async def serve(self, started: threading.Event, stop: asyncio.Event) -> None:
        app = web.Application()
        app.router.add_post("/{number}", self.answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.port = runner.addresses[0][1]
        started.set()
        await stop.wait()
        await runner.cleanup()


@contextmanager
def shouting():
    bots, loop, stop = Shouters(), asyncio.new_event_loop(), asyncio.Event()
    started = threading.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=[bots.serve(started, stop)])
    thread.start()
    try:
        assert started.wait(20)
        yield bots
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


@dataclass
class Reader:
    """Reads all that strangers may ask for, rightly and wrongly, and keeps what came."""

    site: Site
    arena: Arena
    callers: list[Caller] = field(default_factory=list)
    read: list[tuple[str, str]] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)

    def look(self) -> None:
        """Once through everything; kept is what was read while the tournament was going on."""
        read, fills = [], self._fills()
        for caller in self.callers:
            read += [answer for path in self._paths(fills) if (answer := self._get(caller, path))]
        if self.arena.status() != "finished":
            self.read += read

    def _get(self, caller: Caller, path: str) -> tuple[str, str]:
        headers = {"Authorization": f"Bearer {caller.token}"} if caller.token else {}
        answer = caller.client.get(path, headers=headers)
        self.statuses[answer.status_code] += 1
        return path, f"{dict(answer.headers)} {answer.get_data(as_text=True)}"

    def _fills(self) -> dict[str, list[str]]:
        matches = [row[0] for row in self.arena.rows(select(Match.id))]
        agents = [row[0] for row in self.arena.rows(select(Agent.id))]
        return {
            "tournament_id": [self.arena.tournament_id],
            "match_id": matches,
            "agent_id": agents[:2],
            "number": ["1", "2"],
            "seq": ["0", "3"],
        }

    def _paths(self, fills: dict[str, list[str]]) -> list[str]:
        paths = []
        for operation in operations():
            names = list(operation.parameters_in("path"))
            if operation.method != "GET" or "decisions" in operation.path:
                continue
            made = [operation.path]
            for name in names:
                values = fills.get(name, ["01ARZ3NDEKTSV4RRFFQ69G5FAV"])
                made = [path.replace(f"{{{name}}}", value) for path in made for value in values]
            paths += made
        here = self.arena.tournament_id
        pages = ["/", f"/tournaments/{here}", f"/tournaments/{here}/standings"]
        pages += [f"/tournaments/{here}/fairness", f"/tournaments/{here}/rulings"]
        pages += [f"/tournaments/{here}/rounds/1", *(f"/matches/{m}" for m in fills["match_id"])]
        return [*paths, *pages]


@dataclass
class Told:
    """All that was said, and what there was to hide."""

    bots: Shouters
    reader: Reader
    owner: Owner
    arena: Arena
    hooks: list[str]
    log: str
    always: dict[str, str]
    meanwhile: dict[str, str]
    records: dict[str, dict[str, Any]]

    def events(self) -> list[str]:
        rows = self.arena.rows(select(Event.seq, Event.kind, Event.payload))
        return [f"{kind} {json.dumps(payload)}" for _, kind, payload in rows]


def forms(name: str, secret: bytes) -> dict[str, str]:
    """How bytes may be written: in hexadecimal, base 64, and as Python shows them."""
    return {
        f"{name}, hex": secret.hex(),
        f"{name}, base64": b64encode(secret).decode().rstrip("="),
        f"{name}, base64url": urlsafe_b64encode(secret).decode().rstrip("="),
        f"{name}, repr": repr(secret)[2:-1],
    }


@pytest.fixture(scope="module")
def told(sqlite_template, tmp_path_factory):
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "arena.sqlite3").write_bytes(sqlite_template.read_bytes())
    arena = Arena(f"sqlite:///{folder}/arena.sqlite3")
    config = Config(
        database_url=arena.url,
        secret_key=arena.key,
        allow=("127.0.0.0/8",),
        port=free_port(),
        **UNLIMITED,
    )
    site = Site(create_app(config))
    with ExitStack() as stack:
        stack.callback(arena.close)
        stack.callback(site.arena.database.dispose)
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(seat_page, "WAIT_S", 2.0)
        bots, hook = stack.enter_context(shouting()), stack.enter_context(receiving())
        arena.prepare(
            [*(bots.url(number) for number in range(BOTS - 1)), None],
            rounds=ROUNDS,
            deals=2,
            capacity=BOTS,
            pseudonyms=True,
            format_options={"shared_boards": True},
            appeal_window_s=3600,
        )
        with arena.database.begin() as session:
            _, hook.secret = webhooks.create(
                session, arena.vault, arena.organizer, name="w", url=hook.url, kinds=(),
                tournament_id=None,
            )  # fmt: skip
        reader = Reader(site, arena, [site.stranger(), site.caller("Bert")])
        owner = Owner(site, arena, bots)
        owner.prepare()
        said = played(arena, config, reader, owner, hook, folder / "log")
        sent = [json.dumps(body) for _, body in hook.seen]
        always, meanwhile = secrets_of(arena, hook.secret, reader)
        always |= {"owner's token": owner.caller.token, "owner's cookie": owner.browser.cookie}
        yield Told(bots, reader, owner, arena, sent, said, always, meanwhile, records_of(arena))


def played(arena, config, reader, owner, hook, file):
    """The whole tournament, with everybody about it; the log of its processes."""
    base = f"http://127.0.0.1:{config.port}"
    stream = ShoutingStream(
        BOTS - 1, base, arena.author_token, owner.fetching, owner.bots.heard
    )  # fmt: skip
    door = {"BAOHUANG_PORT": str(config.port), "BAOHUANG_THREADS": "2", "BAOHUANG_LIMIT_TOKEN": "0"}
    checked = select(AgentVersion.id).where(AgentVersion.checked_at.is_not(None))

    def over():
        reader.look()
        owner.act()
        return arena.status() == "finished"

    with file.open("w+") as log:
        loud = {"stderr": log, "BAOHUANG_LOG_LEVEL": "DEBUG"}
        with (
            arena.process("api", **loud, **door),
            arena.process("worker", "--timers", **loud),
            playing([stream]),
        ):
            until(over, 180)
            until(lambda: any("tournament.finished" in str(body) for _, body in hook.seen))
            until(lambda: arena.one(checked))
        log.seek(0)
        return log.read()


def secrets_of(arena, hook_secret, reader):
    """Name -> what nobody may see at all, and what nobody may see before the end."""
    with arena.database.read() as session:
        tournament = session.get_one(Tournament, arena.tournament_id)
        secret = arena.vault.open(tournament.secret)
        seats = draw_key(arena.vault, tournament)
        boards = {match.board for match in session.scalars(select(Match))}
        signing = {
            f"signing secret of {version.id}": arena.vault.open(version.secret).decode()
            for version in session.scalars(select(AgentVersion))
        }
    meanwhile = forms("server secret", secret) | forms("seats' key", seats)
    always = {"vault": arena.key, "author's token": arena.author_token, "webhook": hook_secret}
    always |= {
        f"token {n}": caller.token for n, caller in enumerate(reader.callers) if caller.token
    }
    for name, value in signing.items():
        always |= {name: value.removeprefix("whsec_")}
    for board in boards:
        key = match_key(secret, board)
        meanwhile |= forms(f"key of {board}", key)
        always |= forms(f"house bots' key of {board}", bots_key(key))
    return always, meanwhile


def records_of(arena):
    return dict(tuple(row) for row in arena.rows(select(Match.id, Match.record)))


def search(texts, wanted):
    """Which of the wanted values is in which text; nothing, one hopes."""
    return [
        (name, said[max(0, at - 60) : at + 60])
        for said in texts
        for name, value in wanted.items()
        if (at := said.find(value)) >= 0
    ]


def cards_in(texts):
    """Hands, or parts of them, in texts that have no business with any."""
    return [
        said[max(0, found.start() - 80) : found.end() + 40]
        for said in texts
        if (found := CARDS.search(said)) is not None
    ]


def test_the_tournament_was_worth_searching(told):
    """Everything that is searched is there, in plenty."""
    kinds = Counter(json.loads(body)["kind"] for _, body, _ in told.bots.heard)
    assert kinds["decide"] > 500
    assert kinds["deal_end"] > 10
    assert kinds["match_end"] > 5
    assert len(told.records) == ROUNDS * BOTS // 5
    assert all(record is not None for record in told.records.values())
    assert len(told.reader.read) > 100
    for status in (200, 401, 403, 404, 409):
        assert told.reader.statuses[status] > 0, status
    assert len(told.hooks) > 10
    asked = Counter(number for number, *_ in told.bots.heard)
    assert asked[BOTS - 1] > 50  # fetched
    assert asked[SHADOW] > 50
    assert asked[REPLAYED] == 1
    assert told.owner.undone == []
    assert len(told.owner.read) > 20
    assert told.arena.one(select(func.count()).select_from(ShadowCall)) > 20
    assert told.arena.one(select(func.count()).select_from(Appeal)) == 1
    findings = told.arena.one(
        select(AgentVersion.findings).where(AgentVersion.checked_at.is_not(None))
    )
    assert len(findings) > 20
    assert "DEBUG" in told.log or "debug" in told.log
    (faults,) = told.arena.rows(text("SELECT count(*) FROM faults"))
    assert faults[0] > 20


def test_no_request_to_a_bot_has_a_key_or_a_secret(told):
    sent = [f"{body} {headers}" for _, body, headers in told.bots.heard]
    assert search(sent, told.always | told.meanwhile) == []


def test_no_request_has_cards_of_others(told):
    for number, body, headers in told.bots.heard:
        question = json.loads(body)
        hand = question.pop("hand", "")
        assert cards_in([json.dumps(question), str(headers)]) == []
        assert re.search(CARD, without_calls(question)) is None, question
        if question.get("match") not in told.records:
            continue  # a check's, of no match
        foreign = Counter(hand.split()) - dealt(told, question)
        assert foreign.total() <= handed_over(told, question), (number, foreign)


def handed_over(told, question):
    """How many cards may have come from others: the throne's card, and a gift for each yield."""
    deals = told.records[question["match"]]["deals"]
    here = [deal for deal in deals if deal["number"] == question.get("deal")]
    yields = sum(answer[1] == "yield" for deal in here for answer in deal["answers"])
    return 1 + yields if yields else 0


def without_calls(question):
    """A request without the one card that everybody may know: what the emperor called."""
    shown = json.dumps(question)
    return re.sub(r'("called": "|call |open )[3-9TJQKA2][CDHS]"', "", shown)


def dealt(told, question):
    """The cards that a seat was dealt, and those it was given in tribute."""
    record, seat = told.records[question["match"]], question["seat"]
    found = Counter[str]()
    for deal in record["deals"]:
        if deal["number"] == question.get("deal"):
            found |= Counter(deal["hands"][seat].split())
            found += Counter(card for giver, taker, card in deal["tribute"] if taker == seat)
    return found


def test_nothing_that_strangers_could_read_meanwhile_has_a_key_or_a_secret(told):
    read = [f"{path} {said}" for path, said in told.reader.read]
    assert search(read, told.always | told.meanwhile) == []


def test_nothing_that_strangers_could_read_has_cards_of_a_match_that_is_played(told):
    """Records of matches whose cards nobody holds any more are there to be read."""
    read = [said for path, said in told.reader.read if "/record" not in path]
    assert cards_in(read) == []


def test_records_that_could_be_read_meanwhile_are_of_boards_that_nobody_plays(told):
    for path, said in told.reader.read:
        if "/record" in path and '"hands"' in said:
            assert '"key":null' in said.replace(" ", "")


def test_nothing_that_the_owner_read_has_a_key_or_a_secret(told):
    """Her own cookie and token are in no page either; the cards of her seats are hers."""
    read = [f"{path} {said}" for path, said in told.owner.read]
    assert search(read, told.always | told.meanwhile) == []


def test_the_page_of_a_seat_has_no_cards(told):
    """They come with the question, through the door that its script uses."""
    pages = [said for path, said in told.owner.read if path.endswith("/seat")]
    assert pages
    assert cards_in(pages) == []


def test_no_event_and_no_webhook_has_a_key_a_secret_or_cards(told):
    texts = [*told.events(), *told.hooks]
    assert search(texts, told.always) == []
    assert search(texts, told.meanwhile) == []
    assert cards_in(texts) == []


def test_no_line_of_the_log_has_a_key_a_secret_or_cards(told):
    assert search([told.log], told.always | told.meanwhile) == []
    assert cards_in([told.log]) == []


def test_what_bots_shouted_is_kept_for_their_owner_and_the_judges_alone(told):
    """The details of faults quote it; so they are in no event, no match and no audit row."""
    details = [detail for (detail,) in told.arena.rows(select(Fault.detail))]
    assert cards_in([detail for detail in details if detail])
    audit = [json.dumps(payload) for (payload,) in told.arena.rows(select(AuditRow.payload))]
    errors = [error for (error,) in told.arena.rows(select(Match.error)) if error]
    assert cards_in([*audit, *errors]) == []
    assert search([*audit, *errors], told.always | told.meanwhile) == []


def test_names_were_not_to_be_read_beside_a_table_that_played(told):
    """With pseudonyms: no page about a match and no event names a bot while its round runs."""
    seated = [event for event in told.events() if event.startswith("match.seated")]
    assert seated
    assert not any("bot 0" in event for event in seated)
