"""Tournaments in JSON: what an organizer decides, and what everybody sees."""

from __future__ import annotations

from typing import Any

import marshmallow
from marshmallow import validate

from baohuang.engine.tournament.par import PAR_BOTS, PLAYOUTS

from ..models import Advance, Ending, NoShow, Overdue, Scoring, TournamentStatus
from . import fields
from .base import Schema
from .rule_sets import RuleOptions, RuleOverrides

NO_SHOWS = [policy.value for policy in NoShow]
ADVANCES = [policy.value for policy in Advance]
ENDINGS = [policy.value for policy in Ending]
RESTS = ["play", "autoplay", "cancel"]
OVERDUES = [policy.value for policy in Overdue]
STATUSES = [status.value for status in TournamentStatus]
SCORINGS = [scoring.value for scoring in Scoring]
TIE_BREAKS = ["firsts", "average_place", "lot"]

HOUR_MS = 3_600_000
MONTH_S = 30 * 24 * 3600
DAY_S = 24 * 3600


class Par(Schema):
    """How par is worked out: so many play-outs of each board by one house bot in all seats."""

    bot = fields.String(load_default="greedy", validate=validate.OneOf(PAR_BOTS))
    playouts = fields.Integer(load_default=20, minimum=PLAYOUTS[0], maximum=PLAYOUTS[-1])


def _settings(**defaults: Any) -> dict[str, marshmallow.fields.Field[Any]]:
    """The fields that an organizer sets; with `defaults` name and rule set must be given."""

    def said(name: str, description: str) -> dict[str, Any]:
        given = {"load_default": defaults[name]} if name in defaults else {}
        return {"metadata": {"description": description}, **given}

    required = bool(defaults)
    return {
        "name": fields.Name(
            maximum=120, required=required, metadata={"description": "As lists show it."}
        ),
        "rule_set": fields.String(
            required=required,
            validate=validate.Length(1, 60),
            metadata={
                "description": "A preset's name, or the id of a rule set of yours. Frozen when "
                "the tournament opens.",
                "examples": ["lianzhong-simple"],
            },
        ),
        "overrides": fields.Nested(
            RuleOverrides, **said("overrides", "Options that differ from the rule set's.")
        ),
        "format": fields.String(
            validate=validate.Length(1, 30), **said("format", "How tables are drawn.")
        ),
        "format_options": fields.Dict(
            keys=fields.String(validate=validate.Length(1, 40)),
            values=fields.OptionValue(),
            validate=validate.Length(max=20),
            **said("format_options", "What the format lets you choose, beside the rounds."),
        ),
        "rounds": fields.Integer(
            minimum=1,
            maximum=500,
            allow_none=True,
            **said("rounds", "How many rounds; null: as the format has it."),
        ),
        "deals": fields.Integer(
            minimum=1,
            maximum=1000,
            **said(
                "deals",
                "Deals of a match; multiples of 5 are fairest. With the format's option boards: "
                "boards of a table in a round, each played so often in matches of one deal.",
            ),
        ),
        "capacity": fields.Integer(
            minimum=5, maximum=10_000, **said("capacity", "How many may enter.")
        ),
        "min_entries": fields.Integer(
            minimum=1,
            maximum=10_000,
            **said(
                "min_entries",
                "How many must be there, and checked in, for it to start by itself. With fewer it "
                "stays open for its organizer to decide; one of a series is cancelled.",
            ),
        ),
        "waiting_list": fields.Integer(
            minimum=0, maximum=10_000, **said("waiting_list", "How many may wait for a place.")
        ),
        "entries_per_owner": fields.Integer(
            minimum=1,
            maximum=10_000,
            allow_none=True,
            **said("entries_per_owner", "How many entries an owner may have; null: any number."),
        ),
        "check_in_s": fields.Integer(
            minimum=60,
            maximum=MONTH_S,
            allow_none=True,
            **said(
                "check_in_s",
                "How long before the start entries must check in, or lose their place; null: "
                "nobody need. Without a time to start, as long as the entry is open.",
            ),
        ),
        "late_entry_round": fields.Integer(
            minimum=0,
            maximum=fields.MOST_ROUND,
            **said(
                "late_entry_round",
                "The last round in which somebody may begin late; 0: nobody may; 1000000: always.",
            ),
        ),
        "house_bot": fields.String(
            validate=validate.Length(1, 30),
            **said("house_bot", "The house bot that fills free seats."),
        ),
        "no_show": fields.String(
            validate=validate.OneOf(NO_SHOWS),
            **said("no_show", "Who plays for an entry that is not there; its points are nobody's."),
        ),
        "forbidden_pairs": fields.List(
            fields.List(fields.Id(), validate=validate.Length(equal=2)),
            validate=validate.Length(max=500),
            **said("forbidden_pairs", "Pairs of agents that must not meet."),
        ),
        "badge_required": fields.Boolean(
            **said(
                "badge_required",
                "Whether only agents may enter whose version was checked and has a badge.",
            ),
        ),
        "pseudonyms": fields.Boolean(
            **said(
                "pseudonyms",
                "Whether nobody but the judges sees who sits where while a round runs.",
            ),
        ),
        "budget_ms": fields.Integer(
            minimum=50, maximum=HOUR_MS, **said("budget_ms", "Thinking time for a decision.")
        ),
        "bank_ms": fields.Integer(
            minimum=0,
            maximum=HOUR_MS,
            **said("bank_ms", "Thinking time for a match, beyond the budgets."),
        ),
        "round_interval_s": fields.Integer(
            minimum=0,
            maximum=MONTH_S,
            **said("round_interval_s", "Pause between the end of a round and the next one."),
        ),
        "advance": fields.String(
            validate=validate.OneOf(ADVANCES),
            **said("advance", "automatic: rounds follow by themselves; manual: when asked for."),
        ),
        "round_limit_s": fields.Integer(
            minimum=10,
            maximum=MONTH_S,
            allow_none=True,
            **said("round_limit_s", "How long a round may take; null: as long as it does."),
        ),
        "overdue": fields.String(
            validate=validate.OneOf(OVERDUES),
            **said(
                "overdue",
                "What becomes of matches that take longer: autoplay ends them, they are cancelled "
                "and count for nobody, or the tournament needs attention.",
            ),
        ),
        "rated": fields.Boolean(
            **said("rated", "Whether its deals count for ratings, once it has finished.")
        ),
        "par": fields.Nested(
            Par,
            allow_none=True,
            **said(
                "par",
                "What every hand is worth, by play-outs of house bots, so that luck of the deal is "
                "told apart without playing boards again. Fixed when the tournament starts.",
            ),
        ),
        "scoring": fields.String(
            validate=validate.OneOf(SCORINGS),
            **said(
                "scoring",
                "What ranks first: points, or points above what all who held the same cards made "
                "on average (duplicate), or above par.",
            ),
        ),
        "tie_breaks": fields.List(
            fields.String(validate=validate.Length(1, 40)),
            validate=validate.Length(max=20),
            **said("tie_breaks", "What decides between equal points, in this order."),
        ),
        "spectator_delay_s": fields.Integer(
            minimum=0,
            maximum=DAY_S,
            **said("spectator_delay_s", "How late the public hears of events."),
        ),
        "starts_at": fields.Time(
            allow_none=True, **said("starts_at", "When it starts by itself; null: by hand.")
        ),
        "appeal_window_s": fields.Integer(
            minimum=0,
            maximum=MONTH_S,
            **said(
                "appeal_window_s",
                "How long after its end a match, or a ruling, may be appealed against; 0: never.",
            ),
        ),
        "ending": fields.String(
            validate=validate.OneOf(ENDINGS),
            **said(
                "ending",
                "When it finishes after its last round, and shows its cards: at_once; "
                "after_appeals: when the time for them has passed and none is open; or manual: "
                "when its organizer says. Until then a match can be replayed.",
            ),
        ),
    }


TournamentCreate = Schema.from_dict(
    _settings(
        overrides=dict,
        format="round_robin",
        format_options=dict,
        rounds=None,
        deals=10,
        capacity=100,
        min_entries=1,
        waiting_list=0,
        entries_per_owner=None,
        check_in_s=None,
        late_entry_round=0,
        house_bot="greedy",
        no_show=NoShow.HOUSE_BOT,
        forbidden_pairs=list,
        badge_required=False,
        pseudonyms=False,
        budget_ms=2000,
        bank_ms=30_000,
        advance=Advance.AUTOMATIC,
        round_interval_s=0,
        round_limit_s=None,
        overdue=Overdue.AUTOPLAY,
        rated=True,
        par=None,
        scoring=Scoring.POINTS,
        tie_breaks=TIE_BREAKS,
        spectator_delay_s=0,
        starts_at=None,
        appeal_window_s=1800,
        ending=Ending.AT_ONCE,
    ),
    name="TournamentCreate",
)

TournamentUpdate = Schema.from_dict(_settings(), name="TournamentUpdate")


class FinishRequest(Schema):
    """How a tournament is to end."""

    rest = fields.String(
        load_default="play",
        validate=validate.OneOf(RESTS),
        metadata={
            "description": "What becomes of matches that are not over: they are played, ended by "
            "autoplay, or cancelled and count for nobody."
        },
    )


def _moment(description: str) -> fields.Time:
    return fields.Time(load_default=None, metadata={"description": description})


class TournamentFilters(Schema):
    """Which tournaments a list holds."""

    status = fields.String(
        load_default=None,
        validate=validate.OneOf(STATUSES),
        metadata={"description": "Only those in this state."},
    )
    organizer_id = fields.Id(
        load_default=None, metadata={"description": "Only those of this account."}
    )
    series_id = fields.Id(load_default=None, metadata={"description": "Only those of this series."})
    name = fields.Search(load_default=None)
    rule_set = fields.String(
        load_default=None,
        validate=validate.Length(1, 60),
        metadata={"description": "Only those played by this preset, or by a change of it."},
    )
    format = fields.String(
        load_default=None,
        validate=validate.Length(1, 30),
        metadata={"description": "Only those of this format."},
    )
    starts_after = _moment("Only those that start, or started, at this moment or later.")
    starts_before = _moment("Only those that start, or started, before this moment.")
    created_after = _moment("Only those made at this moment or later.")
    created_before = _moment("Only those made before this moment.")


class Rules(Schema):
    """A rule set, every option of it."""

    preset = fields.String(required=True)
    options = fields.Nested(RuleOptions, required=True)


class TournamentDraw(Schema):
    """What makes the deals and the seats provable."""

    scheme = fields.Constant("draw-v1", required=True)
    commitment = fields.String(
        required=True, metadata={"description": "SHA-256 that fixes the server secret, in hex."}
    )
    entrants_hash = fields.String(
        required=True,
        allow_none=True,
        metadata={
            "description": "SHA-256 of `entrants-v1`, a zero byte and the sorted entry ids, one a "
            "line; set at the start."
        },
    )
    secret = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "The server secret in hex, once the last match has ended."},
    )


class Rounds(fields.Integer):
    """A number of rounds; 0 in the database is null here."""

    def show(self, value: int) -> int | None:
        """What http/dump.py asks."""
        return value or None

    def _serialize(self, value: Any, attr: Any, obj: Any, **options: Any) -> Any:
        return super()._serialize(value or None, attr, obj, **options)


class TournamentSummary(Schema):
    """A tournament as lists show it."""

    id = fields.Id(required=True)
    created_at = fields.Time(required=True)
    organizer_id = fields.Id(required=True)
    name = fields.String(required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    status_reason = fields.String(
        required=True, allow_none=True, metadata={"description": "Why it needs attention or ended."}
    )
    format = fields.String(required=True)
    rounds = Rounds(
        required=True,
        allow_none=True,
        metadata={"description": "null: no end, or not known before the start."},
    )
    deals = fields.Integer(required=True)
    capacity = fields.Integer(required=True)
    starts_at = fields.Time(required=True, allow_none=True)
    started_at = fields.Time(required=True, allow_none=True)
    finished_at = fields.Time(required=True, allow_none=True)
    next_round_at = fields.Time(required=True, allow_none=True)


class TournamentSchema(TournamentSummary):
    """A tournament."""

    rules = fields.Nested(Rules, required=True)
    format_options = fields.Dict(keys=fields.String(), values=fields.OptionValue(), required=True)
    min_entries = fields.Integer(required=True, minimum=1)
    waiting_list = fields.Integer(required=True)
    entries_per_owner = fields.Integer(required=True, allow_none=True)
    check_in_s = fields.Integer(required=True, allow_none=True)
    check_in_opens_at = fields.Time(
        required=True,
        allow_none=True,
        metadata={"description": "null without check-in, and without a time to start."},
    )
    late_entry_round = fields.Integer(required=True)
    house_bot = fields.String(required=True)
    no_show = fields.String(required=True, validate=validate.OneOf(NO_SHOWS))
    forbidden_pairs = fields.List(fields.List(fields.Id()), required=True)
    badge_required = fields.Boolean(required=True)
    pseudonyms = fields.Boolean(required=True)
    budget_ms = fields.Integer(required=True)
    bank_ms = fields.Integer(required=True)
    advance = fields.String(required=True, validate=validate.OneOf(ADVANCES))
    round_interval_s = fields.Integer(required=True)
    round_limit_s = fields.Integer(required=True, allow_none=True)
    overdue = fields.String(required=True, validate=validate.OneOf(OVERDUES))
    series_id = fields.Id(
        required=True, allow_none=True, metadata={"description": "The series that it came from."}
    )
    rated = fields.Boolean(required=True)
    par = fields.Nested(Par, required=True, allow_none=True)
    scoring = fields.String(required=True, validate=validate.OneOf(SCORINGS))
    tie_breaks = fields.List(fields.String(), required=True)
    spectator_delay_s = fields.Integer(
        required=True, metadata={"description": "Seconds; see the events."}
    )
    appeal_window_s = fields.Integer(required=True)
    ending = fields.String(required=True, validate=validate.OneOf(ENDINGS))
    last_round = fields.Integer(
        required=True,
        allow_none=True,
        metadata={"description": "No round is drawn after this one; null while one may come."},
    )
    finishes_at = fields.Time(
        required=True,
        allow_none=True,
        metadata={
            "description": "When the end that is held comes, unless an appeal is open or a match "
            "is replayed; null where nothing is held, or it waits for the organizer."
        },
    )
    draw = fields.Nested(TournamentDraw, required=True)
