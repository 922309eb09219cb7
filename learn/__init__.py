"""Views as arrays and answers as numbers, for bots that learn (extra `learn`).

Apart from the engine, which needs the standard library alone; it needs the engine and numpy. The
environment `baohuang.learn.baohuang_v1` needs PettingZoo besides, so it is imported by its name.

- `encode(rules, view)` -> int8 array of `shape(rules)`; `PLANES` says what is where.
- `answers(rules)` -> `Answers`: `id(answer)`, `text(id)`, `mask(legal)`, `len()`.
"""

from .answers import Answers, answers
from .planes import PLANES, Plane, encode, rows, shape

__all__ = ["PLANES", "Answers", "Plane", "answers", "encode", "rows", "shape"]
