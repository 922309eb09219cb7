"""What hypothesis draws: valid rule sets of every kind, keys, and matches with absent players."""

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from baohuang.engine import PRESETS, RuleSet, rule_set


def law(examples: int = 80) -> settings:
    """The same examples every time, so that a red run stays red; the soak draws new ones."""
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow],
    )


FREE: dict[str, list[Any]] = {
    "low_rank": [3, 6],
    "direction": ["clockwise", "anticlockwise"],
    "aside": [False, True],
    "yield_to": ["previous", "after_next"],
    "gift": ["none", "two", "two_or_highest"],
    "open_guard": [False, True],
    "rebellion": [False, True],
    "three_twos": [False, True],
    "hold_back": [False, True],
    "pass_lock": [False, True],
    "heir": ["next", "teammate"],
    "end": ["side_out", "one_left"],
    "tribute": [False, True],
    "autoplay_limit": [0, 1, 3],
    "autoplay_dissolves": [False, True],
    "desertion_penalty": [0, 40],
}
"""Options that go with everything."""


@st.composite
def rule_sets(draw: st.DrawFn) -> RuleSet:
    """A preset as it stands, or any options that rules.md section 8 allows together."""
    preset = draw(st.sampled_from(list(PRESETS)))
    if draw(st.integers(0, 3)) == 0:
        return PRESETS[preset]
    options = {name: draw(st.sampled_from(values)) for name, values in FREE.items()}
    options |= draw(_guard())
    options["kick"] = options["rebellion"] and draw(st.booleans())
    options["roast"] = not options.get("called_trump") and draw(st.booleans())
    options["grab"] = options["open_solo"] == "declare" and draw(st.booleans())
    scores = ["lianzhong", "wuren", "jingji"]
    if options["open_solo"] == "none":
        scores.append("biesan")
    options["scores"] = draw(st.sampled_from(scores))
    if options["tribute"]:
        options["tribute_jokers"] = draw(st.booleans())
    return rule_set(preset, options)


@st.composite
def _guard(draw: st.DrawFn) -> dict[str, Any]:
    """Options that hang on how the guard is found."""
    if draw(st.booleans()):
        return {
            "guard": "called",
            "callable": draw(st.sampled_from(["any", "no_twos", "jokers_too"])),
            "called_trump": draw(st.booleans()),
            "open_solo": draw(st.sampled_from(["declare", "show_four", "none"])),
            "refused_by_all": draw(
                st.sampled_from(
                    [
                        "forced_second_round",
                        "second_round",
                        "ask_first_again",
                        "force_exact_three",
                        "redeal",
                    ]
                )
            ),
        }
    return {
        "guard": "marked",
        "open_solo": draw(st.sampled_from(["declare", "none"])),
        "refused_by_all": draw(
            st.sampled_from(["second_round", "ask_first_again", "redeal", "abdicate"])
        ),
    }


keys = st.binary(min_size=32, max_size=32)
seeds = st.integers(0, 2**32)
