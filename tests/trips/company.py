"""Who else is there while a tournament is searched for secrets: an owner who does all that owners
may, a bot that fetches its questions, a person who takes its seat.
"""

from __future__ import annotations

import json
from urllib.error import HTTPError

from sqlalchemy import select, update

from baohuang.api.access import ROLE_SCOPES
from baohuang.api.models import (
    Account,
    Agent,
    AgentKind,
    AgentVersion,
    Appeal,
    Decision,
    Entry,
    FurtherCall,
    Match,
    Role,
    Seat,
)
from baohuang.api.services import tokens, versions

from ..api.conftest import Caller
from ..api.pages.browser import logged_in
from ..scheduler.bots import choose
from ..scheduler.test_pull import StreamBot

SHADOW, REPLAYED = 100, 200  # numbers of the URLs that stand for them


class ShoutingStream(StreamBot):
    """A bot behind a stream of lines that puts its hand wherever an answer has room."""

    def __init__(self, number, base, token, agent_id, heard):
        super().__init__(number, base, token, agent_id)
        self.heard = heard

    def take(self, question):
        self.kinds.add(question["kind"])
        self.heard.append((self.number, json.dumps(question), {}))
        if question["kind"] != "decide":
            return
        self.seen.append(question["request"])
        hand, answer = question["hand"], choose(self.number, question)
        if len(self.seen) % 23 == 0:
            self.say(question, {"answer": hand[:40]})
        self.say(question, {"answer": answer, "note": hand[:250]})

    def say(self, question, answer):
        try:
            self.call("POST", f"/decisions/{question['request']}", answer)
        except HTTPError as error:
            if error.code != 422:  # a hand is no answer
                raise


class Owner:
    """Does everything once, as soon as it is possible. `undone` is what has not been yet.

    `read`: path and text of all that she was told; requests of the bot protocol go to what bots
    `heard`, to be searched as theirs are.
    """

    def __init__(self, site, arena, bots):
        self.site, self.arena, self.bots = site, arena, bots
        self.principal, _ = arena.author([])
        with arena.database.begin() as session:
            account = session.get_one(Account, self.principal.account_id)
            scopes = ROLE_SCOPES[Role.AUTHOR]
            _, token = tokens.create(session, account, "all", scopes)
        self.caller = Caller(site.app.test_client(), account.id, token)
        self.browser = logged_in(site, self.caller)
        query = select(Agent.id, Agent.kind).order_by(Agent.name)
        kinds = [tuple(row) for row in arena.rows(query)]
        (self.fetching,) = [agent for agent, kind in kinds if kind == AgentKind.PULL]
        self.called = [agent for agent, kind in kinds if kind != AgentKind.PULL]
        self.read = []
        self.undone = [self.appeal, self.replay, self.sit, self.look_back, self.notices]

    def prepare(self):
        """Before the first question: a shadow, and a badge that is asked for."""
        shadowed, checked, *_ = self.called
        with self.arena.database.begin() as session:
            url = self.bots.url(SHADOW)
            versions.create(
                session, self.arena.vault, self.principal, shadowed, url, shadow=True
            )  # fmt: skip
            versions.record_hello(session, self.principal, shadowed, 2)
            session.execute(
                update(AgentVersion).where(AgentVersion.agent_id == checked).values(check_at=0.0)
            )

    def act(self):
        self.undone = [deed for deed in self.undone if not deed()]

    def appeal(self):
        """About the first match of her first bot."""
        seat = (
            select(Match.id, Entry.id)
            .join(Seat, Seat.table_id == Match.table_id)
            .join(Entry, Entry.id == Seat.entry_id)
            .where(Entry.agent_id == self.called[0])
        )
        for match_id, entry_id in self.arena.rows(seat)[:1]:
            body = {"match_id": match_id, "entry_id": entry_id, "statement": "They knew my cards."}
            self._keep(
                self.caller.post(f"/tournaments/{self.arena.tournament_id}/appeals", json=body), 201
            )
        return bool(self.arena.one(select(Appeal.id)))

    def replay(self):
        """Send a turn of a match again, to another URL."""
        for match_id, seq in self._calls(1):
            path = f"/matches/{match_id}/calls/{seq}/replay"
            answer = self.caller.post(path, json={"url": self.bots.url(REPLAYED)})
            self._keep(answer, 200)
        return any(number == REPLAYED for number, *_ in self.bots.heard)

    def sit(self):
        """Take the seat of the bot that fetches, for one question."""
        page = f"/agents/{self.fetching}/seat"
        self._keep(self.browser.get(page), 200)
        (room,) = [one for one in self.browser.document(page).all("div") if "data-sit" in one]
        headers = {"X-Form-Key": room["data-key"], "Sec-Fetch-Site": "same-origin"}
        fetched = self.browser.post(f"{page}/next", {}, headers=headers)
        if fetched.status_code != 200:
            return False
        self.bots.heard.append((9, fetched.text, dict(fetched.headers)))
        question = fetched.json
        if question["kind"] != "decide":
            return False
        answer = {"request": question["request"], "answer": choose(9, question)}
        sent = self.browser.post(f"{page}/answers", answer, headers=headers)
        self._keep(sent, 200, 404, 409)  # the bot may have been faster, and the question be gone
        return True

    def look_back(self):
        """The log of calls, and what her agents' pages tell, when one match has gone far enough."""
        asked = self._calls(12)
        if len(asked) < 12:
            return False
        for match_id, seq in asked:
            call = self._keep(self.caller.get(f"/matches/{match_id}/calls/{seq}"), 200)
            self.bots.heard.append((-1, json.dumps(call.json["request"]), dict(call.headers)))
        for agent in (*self.called[:2], self.fetching):
            self._keep(self.caller.get(f"/agents/{agent}"), 200)
            self._keep(self.caller.get(f"/agents/{agent}/notices"), 200)
            self._keep(self.caller.get(f"/agents/{agent}/versions/1/check"), 200)
            self._keep(self.browser.get(f"/agents/{agent}"), 200)
        self._keep(self.caller.get(f"/agents/{self.called[0]}/versions/2/report"), 200)
        self._keep(self.caller.get(f"/matches/{asked[0][0]}/calls"), 200)
        return True

    def notices(self):
        """What else was sent, when the first deal has ended."""
        sent = select(FurtherCall.match_id, FurtherCall.id).limit(10)
        for match_id, call_id in self.arena.rows(sent):
            path = f"/matches/{match_id}/further-calls"
            self._keep(self.caller.get(path), 200)
            call = self._keep(self.caller.get(f"{path}/{call_id}"), 200)
            self.bots.heard.append((-1, json.dumps(call.json["request"]), dict(call.headers)))
        return bool(self.arena.rows(sent))

    def _calls(self, most):
        query = select(Decision.match_id, Decision.seq).where(Decision.asked_at.is_not(None))
        return [tuple(row) for row in self.arena.rows(query.limit(most))]

    def _keep(self, answer, *statuses):
        assert answer.status_code in statuses, answer.text
        self.read.append((answer.request.path, f"{dict(answer.headers)} {answer.text}"))
        return answer
