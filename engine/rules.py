"""Rule sets as data: presets, options, and which options exclude each other (rules.md section 8).

A family of rules is a column of the table in section 8; the engine reads options and never asks
for a preset's name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final

from .shown import ROOM, shown

Value = bool | int | str | None


class RuleSetError(ValueError):
    """A rule set that is refused: `option` is to blame, `others` are what it contradicts."""

    def __init__(self, option: str, message: str, others: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.option = option
        self.others = others


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Every option of one rule set, resolved. `None` where an option does not apply."""

    preset: str
    low_rank: int
    direction: str
    aside: bool
    guard: str
    callable: str | None
    called_trump: bool | None
    yield_to: str
    gift: str
    refused_by_all: str
    grab: bool
    open_solo: str
    open_guard: bool
    rebellion: bool
    kick: bool
    roast: bool
    three_twos: bool
    hold_back: bool
    pass_lock: bool
    heir: str
    end: str
    scores: str
    tribute: bool
    tribute_jokers: bool | None
    autoplay_limit: int
    autoplay_dissolves: bool
    desertion_penalty: int

    def options(self) -> dict[str, Value]:
        """Every option of rules.md section 8 with its value."""
        values = asdict(self)
        del values["preset"]
        return values

    def to_json(self) -> dict[str, Any]:
        """`{"preset": …, "options": {every option, null where it does not apply}}`."""
        return {"preset": self.preset, "options": self.options()}

    @staticmethod
    def from_json(value: object) -> RuleSet:
        """Read what `to_json` writes; raises RuleSetError for anything else."""
        if not isinstance(value, Mapping):
            raise RuleSetError("rules", "rules must be an object with preset and options")
        for name in value:
            if name not in ("preset", "options"):
                raise RuleSetError("rules", f"rules has an unknown field {shown(name)}")
        given = value.get("options", {})
        if not isinstance(given, Mapping):
            raise RuleSetError("options", "options must be an object")
        return rule_set(_preset_name(value.get("preset")), given)


CHOICES: Final[dict[str, tuple[Value, ...]]] = {
    "low_rank": (3, 6),
    "direction": ("clockwise", "anticlockwise"),
    "guard": ("called", "marked"),
    "callable": ("any", "no_twos", "jokers_too"),
    "yield_to": ("previous", "after_next"),
    "gift": ("none", "two", "two_or_highest"),
    "refused_by_all": (
        "forced_second_round",
        "second_round",
        "ask_first_again",
        "force_exact_three",
        "redeal",
        "abdicate",
    ),
    "open_solo": ("declare", "show_four", "none"),
    "heir": ("next", "teammate"),
    "end": ("side_out", "one_left"),
    "scores": ("lianzhong", "wuren", "biesan", "jingji"),
}
"""Options that are one of a few words; the others are switches or numbers."""

NUMBERS: Final[dict[str, int]] = {"autoplay_limit": 1000, "desertion_penalty": 1_000_000}
"""Options that are whole numbers, from 0 to this."""

OPTIONS: Final[tuple[str, ...]] = tuple(f.name for f in fields(RuleSet) if f.name != "preset")
SWITCHES: Final[tuple[str, ...]] = tuple(
    name for name in OPTIONS if name not in CHOICES and name not in NUMBERS
)
DEPENDENT: Final[dict[str, tuple[str, Value, Value]]] = {
    "callable": ("guard", "called", "any"),
    "called_trump": ("guard", "called", False),
    "tribute_jokers": ("tribute", True, True),
}
"""Options that apply only while another has a value: name -> (other, its value, default then)."""

_LIANZHONG_CLASSIC = RuleSet(
    preset="lianzhong-classic",
    low_rank=6,
    direction="clockwise",
    aside=False,
    guard="called",
    callable="any",
    called_trump=False,
    yield_to="previous",
    gift="none",
    refused_by_all="forced_second_round",
    grab=True,
    open_solo="declare",
    open_guard=True,
    rebellion=False,
    kick=False,
    roast=False,
    three_twos=False,
    hold_back=False,
    pass_lock=False,
    heir="next",
    end="side_out",
    scores="lianzhong",
    tribute=False,
    tribute_jokers=None,
    autoplay_limit=3,
    autoplay_dissolves=False,
    desertion_penalty=40,
)

_ALL_PRESETS = (
    _LIANZHONG_CLASSIC,
    replace(
        _LIANZHONG_CLASSIC,
        preset="lianzhong-simple",
        guard="marked",
        callable=None,
        called_trump=None,
        gift="two_or_highest",
        refused_by_all="second_round",
        grab=False,
        rebellion=True,
    ),
    replace(
        _LIANZHONG_CLASSIC,
        preset="wuren",
        low_rank=3,
        direction="anticlockwise",
        aside=True,
        callable="no_twos",
        gift="two",
        refused_by_all="ask_first_again",
        grab=False,
        open_solo="show_four",
        open_guard=False,
        end="one_left",
        scores="wuren",
        tribute=True,
        tribute_jokers=True,
    ),
    replace(
        _LIANZHONG_CLASSIC,
        preset="baike",
        low_rank=3,
        direction="anticlockwise",
        callable="jokers_too",
        called_trump=True,
        refused_by_all="force_exact_three",
        grab=False,
        open_solo="none",
        open_guard=False,
    ),
    replace(
        _LIANZHONG_CLASSIC,
        preset="biesan",
        low_rank=3,
        direction="anticlockwise",
        called_trump=True,
        gift="two",
        refused_by_all="redeal",
        grab=False,
        open_solo="none",
        rebellion=True,
        kick=True,
        hold_back=True,
        scores="biesan",
    ),
    replace(
        _LIANZHONG_CLASSIC,
        preset="jingji",
        direction="anticlockwise",
        guard="marked",
        callable=None,
        called_trump=None,
        yield_to="after_next",
        refused_by_all="abdicate",
        grab=False,
        rebellion=True,
        hold_back=True,
        pass_lock=True,
        scores="jingji",
    ),
)

PRESETS: Final[Mapping[str, RuleSet]] = {rules.preset: rules for rules in _ALL_PRESETS}


def rule_set(preset: str, overrides: Mapping[str, object] | None = None) -> RuleSet:
    """The rule set of `preset` with `overrides` (option -> value). Raises RuleSetError.

    An override of `None` is accepted only where the option does not apply, so that a resolved rule
    set can be read back whole.
    """
    base = PRESETS.get(_preset_name(preset))
    if base is None:
        known = ", ".join(PRESETS)
        raise RuleSetError("preset", f"preset {shown(preset)} is unknown; known: {known}")
    given = {_option_name(name): value for name, value in (overrides or {}).items()}
    values: dict[str, Any] = base.options() | {
        name: _checked(name, value) for name, value in given.items() if value is not None
    }
    for name in DEPENDENT:
        values[name] = _dependent(name, values, given)
    _refuse_missing(values, given)
    rules = RuleSet(preset=base.preset, **values)
    _refuse_contradictions(rules)
    return rules


def _preset_name(value: object) -> str:
    if not isinstance(value, str):
        raise RuleSetError("preset", f"preset must be a string: one of {', '.join(PRESETS)}")
    return value


def _option_name(name: object) -> str:
    if isinstance(name, str) and name in OPTIONS:
        return name
    option = name[:ROOM] if isinstance(name, str) else shown(name)
    raise RuleSetError(option, f"option {shown(name)} is unknown; known: {', '.join(OPTIONS)}")


def _checked(name: str, value: object) -> Value:
    """`value` if it has the option's type and range, else RuleSetError."""
    if name in CHOICES:
        return _choice(name, value)
    if name in NUMBERS:
        return _number(name, value)
    if not isinstance(value, bool):
        raise RuleSetError(name, f"option {name!r} must be true or false, not {shown(value)}")
    return value


def _choice(name: str, value: object) -> Value:
    for allowed in CHOICES[name]:
        # type() too: True == 1 and 6.0 == 6, and neither is what was meant.
        if type(value) is type(allowed) and value == allowed:
            return allowed
    listed = ", ".join(str(allowed) for allowed in CHOICES[name])
    raise RuleSetError(name, f"option {name!r} must be one of {listed}, not {shown(value)}")


def _number(name: str, value: object) -> int:
    if type(value) is int and 0 <= value <= NUMBERS[name]:
        return value
    top = NUMBERS[name]
    raise RuleSetError(
        name, f"option {name!r} must be a whole number from 0 to {top}, not {shown(value)}"
    )


def _dependent(name: str, values: Mapping[str, Any], given: Mapping[str, object]) -> Value:
    other, needed, default = DEPENDENT[name]
    if values[other] == needed:
        value: Value = values[name]
        return default if value is None else value
    if given.get(name) is not None:
        raise RuleSetError(
            name, f"option {name!r} does not apply with {other!r} = {values[other]!r}", (other,)
        )
    return None


def _refuse_missing(values: Mapping[str, Any], given: Mapping[str, object]) -> None:
    for name, value in given.items():
        if value is None and values[name] is not None:
            raise RuleSetError(name, f"option {name!r} applies here and may not be null")


Rule = tuple[str, str, Callable[[RuleSet], bool], str]

# (option to blame, the other option, holds when refused, why)
_CONTRADICTIONS: tuple[Rule, ...] = (
    (
        "roast",
        "called_trump",
        lambda r: r.roast and bool(r.called_trump),
        "bundles of jokers and a called trump are never played together",
    ),
    (
        "kick",
        "rebellion",
        lambda r: r.kick and not r.rebellion,
        "a kick answers a rebellion",
    ),
    (
        "refused_by_all",
        "guard",
        lambda r: r.refused_by_all == "abdicate" and r.guard == "called",
        "only the holder of both marked cards may abdicate",
    ),
    (
        "refused_by_all",
        "guard",
        lambda r: (
            r.refused_by_all in ("forced_second_round", "force_exact_three") and r.guard == "marked"
        ),
        "who is forced depends on three alike that he can call",
    ),
    (
        "open_solo",
        "guard",
        lambda r: r.open_solo == "show_four" and r.guard == "marked",
        "only a called card can be shown four times",
    ),
    (
        "grab",
        "open_solo",
        lambda r: r.grab and r.open_solo != "declare",
        "a grab is an open solo that is declared",
    ),
    (
        "scores",
        "open_solo",
        lambda r: r.scores == "biesan" and r.open_solo != "none",
        "these scores have no figure for an open solo",
    ),
)


def _refuse_contradictions(rules: RuleSet) -> None:
    for option, other, refused, why in _CONTRADICTIONS:
        if refused(rules):
            left, right = getattr(rules, option), getattr(rules, other)
            raise RuleSetError(
                option,
                f"option {option!r} = {left!r} contradicts {other!r} = {right!r}: {why}",
                (other,),
            )
