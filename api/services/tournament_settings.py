"""Whether an organizer's settings make sense; shapes and ranges are the schema's business."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from sqlalchemy import select
from sqlalchemy.orm import Session

from baohuang.engine.bots import BOTS
from baohuang.engine.rules import PRESETS, RuleSet
from baohuang.engine.tournament import luck
from baohuang.engine.tournament.filling import MOST_ROUNDS
from baohuang.engine.tournament.formats import FORMATS
from baohuang.engine.tournament.scheme import OptionError
from baohuang.engine.tournament.standings import TieBreakError, check_tie_breaks

from ..errors import Conflict, Invalid, NotFound
from ..models import Agent, Scoring, Tournament, TournamentStatus, utc_now
from . import formats, places, rule_sets
from .principal import Principal

UNSAID: Mapping[str, Any] = {
    "format_options": {},
    "rounds": None,
    "scoring": Scoring.POINTS,
    "par": None,
    "min_entries": 1,
}
MOST_DEALS = 1000  # of a table in a round
MOST_PLAYOUTS = 10_000  # of a match's deals; a minute or two for a worker and for who checks it

Problem = tuple[str, str, str]
"""(pointer, code, detail)."""


class Settings(TypedDict, total=False):
    """What an organizer decides.

    `rule_set`: a preset's name, or the id of a rule set of one's own. `rounds`: None leaves it to
    the format.
    """

    name: str
    rule_set: str
    overrides: Mapping[str, object]
    format: str
    format_options: Mapping[str, object]
    rounds: int | None
    deals: int
    capacity: int
    min_entries: int
    waiting_list: int
    entries_per_owner: int | None
    check_in_s: int | None
    late_entry_round: int
    house_bot: str
    no_show: str
    forbidden_pairs: Sequence[Sequence[str]]
    badge_required: bool
    pseudonyms: bool
    budget_ms: int
    bank_ms: int
    advance: str
    round_interval_s: int
    round_limit_s: int | None
    overdue: str
    rated: bool
    scoring: str
    par: Mapping[str, Any] | None
    tie_breaks: Sequence[str]
    spectator_delay_s: int
    starts_at: datetime | None
    appeal_window_s: int
    ending: str


def columns(
    session: Session, actor: Principal, given: Settings, current: Tournament | None = None
) -> dict[str, Any]:
    """The columns to write. `given` may be a part of the settings when there is a `current`.

    Raises `Invalid` with every place that is wrong, `Conflict` for rules that are frozen.
    """
    values: dict[str, Any] = {
        name: value for name, value in given.items() if name not in ("rule_set", "overrides")
    }
    if current is None:
        values = {**UNSAID, **values}
    if "rounds" in values:
        values["rounds"] = values["rounds"] or 0
    problems = [
        *_unknown_names(given),
        *_start(given),
        *_capacity(session, given, current),
        *_forbidden(session, given),
    ]
    if given.keys() & {"rule_set", "overrides"}:
        _refuse_frozen(current)
        rules = _rules(session, actor, given, current)
        problems += rules if isinstance(rules, list) else []
        values["rules"] = rules.to_json() if isinstance(rules, RuleSet) else None
    if current is not None and current.started_at is not None:
        problems += _room(values, current)
    elif not problems:
        problems += _format(values, current)
    if problems:
        raise Invalid(problems)
    return values


def _unknown_names(given: Settings) -> list[Problem]:
    problems = []
    if "format" in given and given["format"] not in FORMATS:
        problems.append(("/format", "unknown", f"There are {', '.join(FORMATS)}."))
    if "house_bot" in given and given["house_bot"] not in BOTS:
        problems.append(("/house_bot", "unknown", f"There are {', '.join(BOTS)}."))
    try:
        check_tie_breaks(given.get("tie_breaks", ()))
    except TieBreakError as error:
        problems.append(("/tie_breaks", "unknown", f"{error}."))
    return problems


def _start(given: Settings) -> list[Problem]:
    starts_at = given.get("starts_at")
    if starts_at is not None and starts_at <= utc_now():
        return [("/starts_at", "past", "The time has passed; leave it out and start by hand.")]
    return []


def _capacity(session: Session, given: Settings, current: Tournament | None) -> list[Problem]:
    """Room may shrink, but not below who is in already."""
    if current is None or "capacity" not in given:
        return []
    entered = places.count(session, current.id, fills=False)
    if given["capacity"] < entered:
        return [("/capacity", "too_small", f"{entered} have entered already.")]
    return []


def _forbidden(session: Session, given: Settings) -> list[Problem]:
    """Pairs are of two agents each, which there are."""
    pairs = given.get("forbidden_pairs", ())
    wanted = {agent_id for pair in pairs for agent_id in pair}
    known = set(session.scalars(select(Agent.id).where(Agent.id.in_(wanted)))) if wanted else set()
    problems = []
    for k, pair in enumerate(pairs):
        if len(set(pair)) < len(pair):
            problems.append((f"/forbidden_pairs/{k}", "pair", "An agent always meets itself."))
        problems += [
            (f"/forbidden_pairs/{k}/{place}", "unknown", "There is no such agent.")
            for place, agent_id in enumerate(pair)
            if agent_id not in known
        ]
    return problems


def _refuse_frozen(current: Tournament | None) -> None:
    if current is not None and current.status != TournamentStatus.DRAFT:
        raise Conflict(
            "The rules are frozen since the tournament opened.",
            code="rules_frozen",
            errors=[("/rule_set", "frozen", "Rules change in a draft only.")],
        )


def _rules(
    session: Session, actor: Principal, given: Settings, current: Tournament | None
) -> RuleSet | list[Problem]:
    """The resolved rule set, or what is wrong with it."""
    try:
        preset, chosen = _base(session, actor, given, current)
        return rule_sets.resolved(preset, {**chosen, **given.get("overrides", {})})
    except NotFound:
        detail = f"Neither a rule set of yours nor one of {', '.join(PRESETS)}."
        return [("/rule_set", "unknown", detail)]
    except Invalid as refused:
        return list(refused.errors)


def _base(
    session: Session, actor: Principal, given: Settings, current: Tournament | None
) -> tuple[str, Mapping[str, object]]:
    """The preset and the options that `overrides` are laid over. Raises `NotFound`."""
    if "rule_set" not in given and current is not None:
        return current.rules["preset"], current.rules["options"]
    base = rule_sets.find(session, actor, given.get("rule_set", ""))
    return base.preset, base.overrides


def _setting(values: Mapping[str, Any], current: Tournament | None) -> Callable[[str], Any]:
    return lambda name: values[name] if name in values else getattr(current, name)


def _room(values: Mapping[str, Any], current: Tournament | None) -> list[Problem]:
    """Whether the format takes so many entries, and they are enough."""
    setting, problems = _setting(values, current), []
    to_start = current is None or current.started_at is None
    if to_start and setting("min_entries") > setting("capacity"):
        problems.append(("/min_entries", "too_large", "It is more than there is room for."))
    most = FORMATS[setting("format")].most_entries
    if most is not None and setting("capacity") > most:
        problems.append(("/capacity", "too_large", f"The format takes {most} at most."))
    return problems


def _format(values: Mapping[str, Any], current: Tournament | None) -> list[Problem]:
    """Whether the format takes these rounds, options and so many entries."""
    setting, problems = _setting(values, current), _room(values, current)
    try:
        formats.check(setting("format"), setting("format_options"), setting("rounds"))
    except OptionError as error:
        apart = error.option == "rounds" and "rounds" not in setting("format_options")
        pointer = "/rounds" if apart else f"/format_options/{error.option}"
        return [*problems, (pointer, "format", f"{error}.")]
    names = ("format_options", "deals", "scoring", "par")
    length = _length(
        *(setting(name) for name in ("format", "format_options", "rounds", "capacity"))
    )
    return [*problems, *length, *_luck(*(setting(name) for name in names))]


def _length(name: str, options: Mapping[str, Any], rounds: int, capacity: int) -> list[Problem]:
    """Whether the rounds that come out for a full field can be played at all."""
    most = None if rounds else formats.most_rounds(name, options, capacity)
    if most is None or most <= MOST_ROUNDS:
        return []
    detail = (
        f"With {capacity} entries it can be {most} rounds; say how many, {MOST_ROUNDS} at most."
    )
    return [("/rounds", "too_many", detail)]


def _luck(
    options: Mapping[str, Any], deals: int, scoring: str, par: Mapping[str, Any] | None
) -> list[Problem]:
    """Whether so many boards can be played so often, and there is what `scoring` measures by."""
    replays, problems = luck.replays(options), []
    if par is not None and replays > 1:
        detail = "Boards that are played again need none: everybody holds every hand."
        problems.append(("/par", "boards", detail))
    if par is not None and par["playouts"] * deals > MOST_PLAYOUTS:
        detail = f"{deals} deals, each played out {par['playouts']} times, are too many."
        problems.append(("/par/playouts", "too_many", detail))
    if replays * deals > MOST_DEALS:
        detail = f"{deals} boards, each {replays} times, are more than {MOST_DEALS} deals."
        problems.append(("/deals", "too_many", detail))
    if scoring == Scoring.ADJUSTED and par is None:
        problems.append(("/scoring", "no_par", "There is no par to measure by."))
    if scoring == Scoring.BOARD_DIFFERENCE and not luck.compares(options):
        detail = "Cards are played once only; give the format boards or shared_boards."
        problems.append(("/scoring", "no_boards", detail))
    return problems
