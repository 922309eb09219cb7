"""The shapes of the bot protocol's requests, as far as a person is shown them (contract.md 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..authoring.shapes import Maybe, Row, Shape, fit

SEAT: Final = range(5)
PLACE: Final = range(6)  # 0: not yet out
POINTS: Final = Row(int, 5)
MS: Final = range(1_000_000_001)

_PUBLIC: Final[Shape] = {
    "emperor": Maybe(SEAT),
    "guard": Maybe(SEAT),
    "solo": Maybe(str),
    "called": Maybe(str),
    "factor": int,
    "rebels": Row(SEAT),
    "hand_sizes": POINTS,
    "places": Row(PLACE, 5),
    "scores": POINTS,
}
_TRICK: Final[Shape] = {"to_beat": Maybe(str), "by": Maybe(SEAT), "passed": Row(SEAT)}
_SHAPES: Final[Mapping[str, Shape]] = {
    "decide": {
        **dict.fromkeys(("request", "match", "phase", "hand", "fallback"), str),
        "clock": {"budget_ms": MS, "bank_ms": MS},
        "deal": int,
        "deals": int,
        "seat": SEAT,
        "role": Maybe(str),
        "public": _PUBLIC,
        "trick": Maybe(_TRICK),
        "history": Row(Row(object, 2)),
        "legal": Row(str),
    },
    "deal_end": {
        "deal": int,
        "seat": SEAT,
        "emperor": Maybe(SEAT),
        "guard": Maybe(SEAT),
        "result": str,
        "places": Maybe(Row(PLACE, 5)),
        "scores": POINTS,
        "totals": POINTS,
    },
    "match_end": {"seat": SEAT, "totals": POINTS, "penalties": POINTS},
}


def require_request(found: Any) -> None:
    """Raises `ValueError` for what is no request that can be shown; other kinds are passed over."""
    fit(found, {"kind": str})
    fit(found, _SHAPES.get(found["kind"], {}))
