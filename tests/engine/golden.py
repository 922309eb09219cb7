"""The matches behind the golden records: random answers, absences, departures, from fixed keys.

They use no house bot, so that a better bot changes no record.
"""

import json
from typing import Any

from baohuang.engine import Draw, Match, rule_set

from .walk import key_of

SEATS = ["north", "east", "south", "west", "middle"]

MATCHES: dict[str, tuple[str, dict[str, object], int, int]] = {
    # file: (preset, overrides, deals, how rarely somebody is absent; 0 is never)
    "lianzhong-classic": ("lianzhong-classic", {}, 6, 0),
    "lianzhong-simple": ("lianzhong-simple", {}, 6, 0),
    "wuren": ("wuren", {}, 6, 0),
    "baike": ("baike", {}, 6, 0),
    "biesan": ("biesan", {}, 6, 0),
    "jingji": ("jingji", {}, 6, 0),
    "roast": ("lianzhong-simple", {"roast": True, "hold_back": True, "grab": True}, 4, 30),
    "three-twos": ("baike", {"three_twos": True, "open_guard": True, "heir": "teammate"}, 4, 30),
    "absent": ("jingji", {"autoplay_limit": 3, "heir": "teammate"}, 4, 14),
    "nobody": ("lianzhong-simple", {"tribute": True}, 3, 1),
    "dissolved": ("biesan", {"autoplay_dissolves": True, "autoplay_limit": 0}, 4, 150),
    "abdicated": ("jingji", {}, 8, 0),
    "deserted": ("wuren", {"tribute_jokers": False, "desertion_penalty": 25}, 4, 0),
}


LOUD = ("yield", "grab", "open", "rebel", "kick")


def _mostly_quiet(match: Match, lots: Draw) -> tuple[str, ...]:
    """Two times in three nothing loud is said, or every deal would be an open solo."""
    quiet = tuple(answer for answer in match.legal if answer not in LOUD)
    return quiet if quiet and lots.below(3) else match.legal


def play(name: str) -> dict[str, Any]:
    """The record of one of these matches, as this version of the engine writes it."""
    preset, overrides, deals, absent = MATCHES[name]
    key = key_of("golden", name, 2)
    match, lots = Match(rule_set(preset, overrides), key, deals), Draw(key, "walk")
    while not match.over:
        if name == "deserted" and len(match.log) in (60, 300):
            match.desert(lots.below(5))
        if match.over:
            break
        if name == "abdicated" and "yield" in match.legal:
            match.answer("yield")
        elif absent and lots.below(absent) == 0:
            match.autoplay()
        else:
            match.answer(lots.choice(_mostly_quiet(match, lots)))
    record: dict[str, Any] = json.loads(json.dumps(match.record(SEATS, match=f"golden-{name}")))
    return record
