"""The rules a second time, slow and plain, so that the engine is never its own judge.

Written from rules.md and contract.md alone, without sight of the engine; standard library only.
A deal is told as a story (a generator that asks questions), cards are strings in lists, and
whether a play beats another is found by trying the pairings.

`check(record)` replays a `baohuang-record/1` and raises `Difference` at the first thing that
the rules say otherwise. `Replay` is the same machine for driving it question by question.
"""

from .check import check
from .difference import Difference
from .match import Replay

__all__ = ["Difference", "Replay", "check"]
