"""Every operation of the specification by nine principals, against the table authorization.toml.

Requests are right in everything else, so that nothing but the right to make them decides; what
they change is undone.
"""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy.orm import Session

from baohuang.api.access import SCOPES
from baohuang.api.models import Account, AgentStatus, AgentVersion, RatingPool, Role, Token, utc_now
from baohuang.api.remote.pull import Letter
from baohuang.api.services import (
    agent_calls,
    deliveries,
    questions,
    tokens,
    versions,
    webhooks,
)
from baohuang.api.services.principal import Principal

from .conftest import Caller, Site, build
from .specification import Operation, operations
from .tournament_support import agent, created, open_round, opened, play

TABLE = tomllib.loads((Path(__file__).parent / "authorization.toml").read_text("utf-8"))
PRINCIPALS = TABLE.pop("principals").split()
ROWS: dict[str, dict[str, Any]] = {
    name: row for part in TABLE.values() for name, row in part.items()
}
OPERATIONS = {str(operation): operation for operation in operations()}
OF_A_TOURNAMENT = [
    name for name, operation in OPERATIONS.items() if "{tournament_id}" in operation.path
]
KNOWN_ROWS = [name for name in ROWS if name.split("/")[0] in OPERATIONS]


@dataclass
class Cast:
    """The site, who calls, and the ids that paths and bodies speak of."""

    site: Site
    callers: dict[str, Caller]
    things: dict[str, str]
    unscoped: dict[str | None, Caller]

    def ask(self, principal: str, name: str, fill: dict[str, str] | None = None) -> Any:
        """The answer to the request of one cell."""
        row, operation = ROWS[name], OPERATIONS[name.split("/")[0]]
        caller = self.callers.get(principal) or self.unscoped[scope_of(operation)]
        path = self.path(operation, row.get("fill", {}) | (fill or {}))
        path += row.get("query", "")
        options: dict[str, Any] = {"json": self.body(row["body"])} if "body" in row else {}
        if "If-Match" in operation.parameters_in("header"):
            options["if_match"] = self.callers["admin"].get(path).headers.get("ETag", '"1"')
        return caller.call(operation.method, path, **options)

    def path(self, operation: Operation, fill: dict[str, str]) -> str:
        usual = {name: name.removesuffix("_id") for name in operation.parameters_in("path")}
        wanted = {name: self.things[thing] for name, thing in (usual | fill).items()}
        return operation.filled(wanted)

    def body(self, value: Any) -> Any:
        """`{agent}` stands for a thing's id."""
        if isinstance(value, dict):
            return {name: self.body(part) for name, part in value.items()}
        if isinstance(value, list):
            return [self.body(part) for part in value]
        return value.format(**self.things) if isinstance(value, str) else value


def scope_of(operation: Operation) -> str | None:
    found = [scope for each in operation.spec["security"] for scope in each.get("token", [])]
    return found[0] if found else None


@pytest.fixture(scope="module")
def cast(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cast]:
    file = tmp_path_factory.mktemp("authorization") / "arena.sqlite3"
    shutil.copyfile(sqlite_template, file)
    site = build(f"sqlite:///{file}")
    callers = people(site)
    scopes = {scope_of(operation) for operation in OPERATIONS.values()}
    without = {scope: unscoped(site, scope) for scope in scopes}
    made = Cast(site, callers, things(site, callers), without)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agent_calls, "admit", lambda _guard, _url: None)
        patch.setattr(agent_calls, "hello", lambda _guard, _contact: None)
        patch.setattr(site.arena.database, "begin", undone(site.arena.database.begin))
        yield made
    site.arena.database.dispose()


class Undone(Exception):
    """Ends a transaction without its changes."""


def undone(
    begin: Callable[[], AbstractContextManager[Session]],
) -> Callable[[], AbstractContextManager[Session]]:
    """Transactions as ever, except that they are rolled back where they would be committed."""

    @contextmanager
    def changed() -> Iterator[Session]:
        try:
            with begin() as session:
                yield session
                session.flush()
                session.expunge_all()  # what was made stays readable, as after a commit
                raise Undone
        except Undone:
            pass

    return changed


def people(site: Site) -> dict[str, Caller]:
    callers = {
        "anonymous": site.stranger(),
        "owner": site.caller("owner"),
        "author": site.caller("author"),
        "organizer": site.caller("organizer", Role.ORGANIZER),
        "stranger": site.caller("stranger", Role.ORGANIZER),
        "arbiter": site.caller("arbiter", Role.ARBITER),
        "admin": site.caller("admin", Role.ADMIN),
        "expired": site.caller("expired", Role.ADMIN),
    }
    with site.arena.database.begin() as session:
        expired = session.query(Token).filter_by(account_id=callers["expired"].account_id).one()
        expired.expires_at = utc_now() - timedelta(seconds=1)
    return callers


def unscoped(site: Site, scope: str | None) -> Caller:
    """An admin's token without a scope."""
    return site.caller(
        f"without {scope}", Role.ADMIN, set(SCOPES) - {scope} if scope else {"audit:read"}
    )


def things(site: Site, callers: dict[str, Caller]) -> dict[str, str]:
    """What the paths speak of, by name: `{agent_id}` is `agent` unless a row says otherwise."""
    owner, organizer = callers["owner"], callers["organizer"]
    found = {
        "account": owner.account_id,
        "token": token_of(site, owner),
        "agent": agent(site, owner, "played"),
        "paused_agent": agent(site, owner, "paused", AgentStatus.PAUSED),
        "preset": "lianzhong-simple",
        "draft": created(organizer),
        "open": opened(organizer),
        "empty": opened(organizer),
        "paused": opened(organizer, deals=1),
        "tournament": opened(organizer, rounds=2, deals=1),
        "number": "1",
        "second": "2",
        "nothing": "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    }
    second_version(site, owner, found["agent"])
    asking = owner.post("/agents", json={"name": "asking", "kind": "pull"})
    found["pull_agent"] = asking.json["id"]
    rules = organizer.post("/rule-sets", json={"name": "own", "preset": "lianzhong-simple"})
    found["rule_set"] = rules.json["id"]
    found["series"] = organizer.post("/series", json=ROWS["create_series"]["body"]).json["id"]
    found["webhook"], found["delivery"] = hooked(site, organizer)
    found["entry"] = entered(owner, found["open"], found["agent"])
    for name in ("paused", "tournament"):
        found["playing_entry"] = entered(owner, found[name], found["agent"])
        assert organizer.post(f"/tournaments/{found[name]}/start").status_code == 200
    assert organizer.post(f"/tournaments/{found['paused']}/pause").status_code == 200
    found |= comings_and_goings(owner, organizer, found["agent"])
    found["fresh_agent"] = agent(site, owner, "fresh")
    found["match"] = open_round(site, found["tournament"])[0]
    play(site, found["match"])
    found["ruling"], found["appeal"] = appealed(owner, organizer, found)
    practice = {"rule_set": "lianzhong-simple", "seats": [{"agent_id": found["agent"]}]}
    found["practice"] = owner.post("/matches", json=practice).json["id"]
    found["pool"] = rated(site)
    found["request"] = asked(site, owner, found["pull_agent"], found["match"])
    return found


def rated(site: Site) -> str:
    """A pool of ratings, still without any."""
    with site.arena.database.begin() as session:
        pool = RatingPool(rules_hash="0" * 64, preset="wuren", rules={}, measure="place")
        session.add(pool)
        session.flush()
        return pool.id


def second_version(site: Site, owner: Caller, agent_id: str) -> None:
    """A verified one, which plays from now on."""
    actor = Principal(owner.account_id, Role.AUTHOR, frozenset(), "owner")
    with site.arena.database.begin() as session:
        made, _ = versions.create(
            session, site.arena.vault, actor, agent_id, "https://second.example/"
        )
        versions.verified(session.get_one(AgentVersion, made.id))


def appealed(owner: Caller, organizer: Caller, found: dict[str, str]) -> tuple[str, str]:
    """A ruling, and an appeal against it that is open."""
    path, entry_id = f"/tournaments/{found['tournament']}", found["playing_entry"]
    ask = {"kind": "warn", "reason": "r", "entry_id": entry_id}
    ruling = organizer.post(f"{path}/rulings", json=ask).json["id"]
    about = {"entry_id": entry_id, "ruling_id": ruling, "statement": "s"}
    made = owner.post(f"{path}/appeals", json=about)
    assert made.status_code == 201, made.json
    return ruling, made.json["id"]


def asked(site: Site, owner: Caller, agent_id: str, match_id: str) -> str:
    """A question to a pull agent that it has fetched."""
    request = "01" + "A" * 24
    body = orjson.dumps({"legal": ["pass", "77"], "clock": {"budget_ms": 1}})
    letter = Letter(request, agent_id, match_id, 1, "decide", body, 1, 3_600_000)
    with site.arena.database.begin() as session:
        questions.offer(session, [letter])
    assert owner.get(f"/agents/{agent_id}/decisions").status_code == 200
    return request


def hooked(site: Site, organizer: Caller) -> tuple[str, str]:
    """A webhook, and a delivery that waits."""
    vault, database = site.arena.vault, site.arena.database
    with database.begin() as session:
        actor = Principal(organizer.account_id, Role.ORGANIZER, frozenset(), "organizer")
        url = "https://hook.example/"
        hook, _ = webhooks.create(
            session, vault, actor, name="w", url=url, kinds=(), tournament_id=None
        )
    created(organizer)
    with database.begin() as session:
        batch = deliveries.claim(session, vault, 60)
    assert batch is not None
    return hook.id, batch.parcels[0].delivery_id


def comings_and_goings(owner: Caller, organizer: Caller, agent_id: str) -> dict[str, str]:
    """A tournament between two rounds, an entry that left it, and one that has to check in."""
    checking, between = opened(organizer, check_in_s=600), opened(organizer)
    entry_id = entered(owner, between, agent_id)
    assert organizer.post(f"/tournaments/{between}/start").status_code == 200
    left = owner.delete(
        f"/entries/{entry_id}", if_match=owner.get(f"/entries/{entry_id}").headers["ETag"]
    )
    assert left.status_code == 204, left.json
    return {
        "between_rounds": between,
        "withdrawn_entry": entry_id,
        "entry_to_check_in": entered(owner, checking, agent_id),
    }


def token_of(site: Site, caller: Caller) -> str:
    with site.arena.database.begin() as session:
        account = session.get_one(Account, caller.account_id)
        return tokens.create(session, account, "a further one")[0].id


def entered(owner: Caller, tournament_id: str, agent_id: str) -> str:
    answer = owner.post(f"/tournaments/{tournament_id}/entries", json={"agent_id": agent_id})
    assert answer.status_code == 201, answer.json
    made: str = answer.json["id"]
    return made


def test_every_operation_has_a_row():
    rows = {name.split("/")[0] for name in ROWS}
    missing, gone = OPERATIONS.keys() - rows, rows - OPERATIONS.keys()
    assert (missing, gone) == (set(), set()), "say in authorization.toml who may do what"


def test_rows_have_a_status_for_each_principal():
    for name, row in ROWS.items():
        assert set(row) <= {"may", "body", "fill", "query"}, name
        assert re.fullmatch(r"[0-9]{3}( [0-9]{3}){8}", row["may"]), name
        assert len(row["may"].split()) == len(PRINCIPALS)


@pytest.mark.parametrize("name", KNOWN_ROWS)
def test_the_answers_are_those_of_the_table(cast: Cast, name: str):
    before = cast.site.counts()
    answers = {principal: cast.ask(principal, name) for principal in PRINCIPALS}
    statuses = " ".join(str(answer.status_code) for answer in answers.values())
    assert statuses == ROWS[name]["may"], {who: said.get_data() for who, said in answers.items()}
    for answer in answers.values():
        if answer.status_code >= 400:
            assert answer.mimetype == "application/problem+json"
            assert answer.status_code in OPERATIONS[name.split("/")[0]].responses
    assert cast.site.counts() == before


@pytest.mark.parametrize("name", OF_A_TOURNAMENT)
def test_drafts_and_ids_of_nothing_are_the_same_to_others(cast: Cast, name: str):
    """Nobody learns from an answer whether a draft is there."""
    for principal in PRINCIPALS:
        if principal in ("organizer", "admin"):
            continue
        draft = cast.ask(principal, name, {"tournament_id": "draft"})
        nothing = cast.ask(principal, name, {"tournament_id": "nothing"})
        assert draft.status_code == nothing.status_code, (principal, draft.get_data())
        assert draft.status_code in (401, 403, 404)
        assert _without_id(draft) == _without_id(nothing)


def _without_id(answer: Any) -> dict[str, Any]:
    return {name: value for name, value in answer.json.items() if name != "instance"}
