"""The options of rules.md 8: which values each may have, and where one has no meaning."""

from collections.abc import Mapping

from .difference import Difference

YES_NO = (True, False)
VALUES: dict[str, tuple[object, ...]] = {
    "low_rank": ("3", "6"),
    "direction": ("clockwise", "anticlockwise"),
    "aside": YES_NO,
    "guard": ("called", "marked"),
    "callable": ("any", "no_twos", "jokers_too"),
    "called_trump": YES_NO,
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
    "grab": YES_NO,
    "open_solo": ("declare", "show_four", "none"),
    "open_guard": YES_NO,
    "rebellion": YES_NO,
    "kick": YES_NO,
    "roast": YES_NO,
    "three_twos": YES_NO,
    "hold_back": YES_NO,
    "pass_lock": YES_NO,
    "heir": ("next", "teammate"),
    "end": ("side_out", "one_left"),
    "scores": ("lianzhong", "wuren", "biesan", "jingji"),
    "tribute": YES_NO,
    "tribute_jokers": YES_NO,
    "autoplay_dissolves": YES_NO,
}
NUMBERS = ("autoplay_limit", "desertion_penalty")


def without_meaning(options: Mapping[str, object]) -> set[str]:
    """The options that are null in this rule set."""
    missing = {"callable", "called_trump"} if options.get("guard") == "marked" else set()
    return missing if options.get("tribute") else missing | {"tribute_jokers"}


def check_options(options: Mapping[str, object], path: str) -> None:
    """Raises Difference for an unknown, missing, impossible or contradictory option."""
    if set(options) != set(VALUES) | set(NUMBERS):
        odd = set(options) ^ (set(VALUES) | set(NUMBERS))
        raise Difference(path, f"not the options of a rule set: {sorted(odd)}")
    null = without_meaning(options)
    for name, value in options.items():
        if not allowed(name, value, null):
            raise Difference(f"{path}.{name}", f"{value!r} is no value of this option here")
    contradiction(options, path)


def allowed(name: str, value: object, null: set[str]) -> bool:
    if name in null:
        return value is None
    if name in NUMBERS:
        return type(value) is int and value >= 0
    if name == "low_rank":
        return str(value) in VALUES[name]
    if VALUES[name] is YES_NO:
        return type(value) is bool
    return value in VALUES[name]


def contradiction(options: Mapping[str, object], path: str) -> None:
    """The three that rules.md 8 names; there may be more."""
    if options["roast"] and options["called_trump"]:
        raise Difference(f"{path}.roast", "roast and called trump exclude each other")
    if options["kick"] and not options["rebellion"]:
        raise Difference(f"{path}.kick", "a kick needs a rebellion")
    if options["guard"] == "called" and options["refused_by_all"] == "abdicate":
        raise Difference(f"{path}.refused_by_all", "only marked cards can be abdicated")
