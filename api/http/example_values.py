"""What examples in the OpenAPI document say where a schema alone would say nothing.

`name` counts in every schema, `Schema.name` in one. A value that a schema would refuse is not used;
a field that may be null and is not here is null.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from baohuang.engine.rules import rule_set

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RULES = rule_set("lianzhong-simple")
BEGUN, SOON, LATER = (f"2026-01-31T{time}.000Z" for time in ("18:00:00", "18:00:02", "18:05:00"))
HASH = sha256(b"example").hexdigest()


def ulid(noun: str) -> str:
    """The id of the example of a noun: the same wherever it is meant."""
    number = int.from_bytes(sha256(noun.encode()).digest()[:13], "big")
    return "01KG9" + "".join(_ALPHABET[number >> shift & 31] for shift in range(100, -1, -5))


NOUNS: Final[Mapping[str, str]] = {
    "organizer_id": "account", "owner_id": "account", "author_id": "account",
    "decided_by_id": "account", "undone_by": "ruling", "undoes_id": "ruling",
    "remedy_id": "ruling", "replaced": "agent", "replay_id": "match", "request_id": "question",
    "byes": "entry", "out": "entry", "tables": "entry", "entry_ids": "entry",
    "forbidden_pairs": "agent",
}  # fmt: skip
"""What a field of ids has ids of, where its name does not say it."""

VALUES: Final[Mapping[str, Any]] = {
    "name": "Careful", "label": "v2", "points": 12, "scored": 12, "deals": 10, "deal": 3,
    "rounds": 6, "round": 2, "table": 4, "turn": 57, "number": 2, "seq": 17, "ms": 212,
    "charged_ms": 180, "rank": 1, "position": 1, "attempts": 0, "capacity": 100,
    "url": "https://bot.example/play", "house_bot": "greedy", "secret": "whsec_dGhpcyBpcyBhbiBl",
    "token": "arn_pat_" + 43 * "0" + "000000", "hint": "arn_pat_0000", "format": "round_robin",
    "scopes": ["agents:read", "entries:write"], "answer": "77", "phase": "play",
    "hand": "7C 7D 8S x", "legal": ["pass", "77", "88"], "fallback": "pass", "played": "77",
    "reason": "It answered for another seat.", "statement": "The clock ran while I was asked.",
    "cron": "0 18 * * fri", "time_zone": "Europe/Berlin", "started_at": BEGUN, "verified_at": BEGUN,
    "last_used_at": LATER, "next_round_at": LATER, "preset": "lianzhong-simple", "kind": "http",
    "options": dict(_RULES.options()), "overrides": {}, "places": [4, 2, 2, 1, 1], "sitting": 1,
    "commitment": HASH, "entrants_hash": HASH, "hash": HASH, "before": None, "after": HASH,
    "tie_breaks": ["firsts", "average_place", "lot"], "note": "Careful with twos.",
    "english": "Three twos do not win by themselves.", "chinese": "三个2不算赢。",
    "en": "# The rules …", "zh": "# 规则 …", "title": "Not found", "code": "not_found",
    "detail": "There is no such agent.", "pointer": "/name", "fault": "timeout",
    "charged_to": "bot", "operation": "update_agent", "action": "change",
    "owner": "Ada", "agreement": 0.9, "faults": {"timeout": 1},
    "Account.name": "Ada", "AccountCreate.name": "Ada", "WhoAmI.name": "Ada",
    "Token.name": "my bot", "TokenCreated.name": "my bot", "TokenCreate.name": "my bot",
    "Tournament.name": "Spring cup", "TournamentCreate.name": "Spring cup",
    "TournamentSummary.name": "Spring cup",
    "Series.name": "Friday cup", "SeriesCreate.name": "Friday cup",
    "RuleSet.name": "lianzhong-simple", "RuleSetDetail.name": "lianzhong-simple",
    "RuleSetCreate.name": "without kicks", "Webhook.name": "my desk",
    "WebhookCreate.name": "my desk", "WebhookCreated.name": "my desk", "Webhook.url": "https://desk.example/arena",
    "WebhookCreate.url": "https://desk.example/arena",
    "WebhookCreated.url": "https://desk.example/arena", "Webhook.kinds": ["round.opened"],
    "WebhookCreated.kinds": ["round.opened"], "RuleSet.id": "lianzhong-simple",
    "RuleSetDetail.id": "lianzhong-simple", "OptionDescription.name": "three_twos",
    "Tournament.status": "running", "TournamentSummary.status": "running",
    "Agent.status": "active", "Entry.status": "entered", "Standing.status": "entered",
    "Match.status": "running", "MatchDetail.status": "running", "Table.status": "running",
    "Event.kind": "round.opened", "Event.payload": {"round": 1, "tables": 5, "byes": [], "out": []},
    "Event.view": "public", "Fault.kind": "timeout", "AuditRow.kind": "agent",
    "AuditRow.payload": {"name": "Careful"}, "Standing.tie_breaks": {"firsts": "4", "lot": None},
    "RankedFacts.tie_breaks": {"firsts": "4"},
    "Standing.roles": {"emperor": {"deals": 2, "points": 8}},
    "Problem.status": 404, "ArchiveLine.type": "tournament", "Opponent.kind": "http",
    "CallDetail.request": {"kind": "decide"},
    "Difference.request": {"kind": "decide"}, "CheckFinding.verdict": "ok",
    "Ruling.details": {}, "Ruling.kind": "penalize",
    "Ruling.points": -10, "Appeal.status": "open",
    "MatchRecord.rules": {"preset": "lianzhong-simple", "options": dict(_RULES.options())},
    "MatchRecord.seats": ["Careful", "greedy", "greedy 2", "random", "autoplay"],
    "MatchRecord.totals": [-1, 2, -1, -1, 1], "MatchRecord.penalties": [0, 0, 0, 0, 0],
    "MatchRecord.deals": [], "Series.settings": {"rule_set": "wuren"},
}  # fmt: skip

BODIES: Final[Mapping[str, Mapping[str, Any]]] = {
    "AccountCreate": {"name": "Ada", "role": "author"},
    "AccountUpdate": {"role": "organizer"},
    "AgentCreate": {"name": "Careful", "url": "https://bot.example/play"},
    "AgentUpdate": {"name": "Careful 2"},
    "AnswerCreate": {"answer": "77", "note": "Keeps the jokers."},
    "AppealCreate": {
        "entry_id": ulid("entry"), "match_id": ulid("match"),
        "statement": "The clock ran while I was asked.",
    },
    "BulkEntries": {"entries": [{"agent_id": ulid("agent"), "seed": 1}, {"house_bot": "greedy"}]},
    "EntryCreate": {"agent_id": ulid("agent")},
    "EntryUpdate": {"seed": 1},
    "MatchCreate": {
        "rule_set": "lianzhong-simple",
        "deals": 5,
        "seats": [{"agent_id": ulid("agent")}, {"house_bot": "tactician"}],
    },
    "RoundRequest": {"at": LATER},
    "FinishRequest": {"rest": "autoplay"},
    "RuleSetCreate": {
        "name": "without kicks", "preset": "lianzhong-classic", "overrides": {"kick": False},
    },
    "RulingCreate": {
        "kind": "penalize", "entry_id": ulid("entry"), "round": 2, "points": -10,
        "reason": "It answered for another seat.",
    },
    "SeriesCreate": {
        "name": "Friday cup", "cron": "0 18 * * fri", "time_zone": "Europe/Berlin",
        "settings": {"rule_set": "lianzhong-simple", "rounds": 6},
    },
    "SeriesUpdate": {"status": "paused"},
    "TokenCreate": {"name": "my bot", "scopes": ["agents:play"], "days": 30},
    "TournamentCreate": {
        "name": "Spring cup", "rule_set": "lianzhong-simple", "rounds": 6, "deals": 10,
        "capacity": 100, "starts_at": LATER,
    },
    "TournamentUpdate": {"budget_ms": 5000},
    "WebhookCreate": {
        "name": "my desk", "url": "https://desk.example/arena", "kinds": ["round.opened"],
    },
    "WebhookUpdate": {"kinds": ["round.opened", "match.finished"]},
}  # fmt: skip
"""Bodies whose fields belong together; others have what is required and what VALUES names."""
