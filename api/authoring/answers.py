"""The shapes of the API's answers, as far as the commands of authors read them."""

from __future__ import annotations

from typing import Final

from .shapes import Maybe, Row, Shape

MADE: Final[Shape] = {"id": str}
STATE: Final[Shape] = {"name": str, "status": str}
ENTRY: Final[Shape] = {"id": str, "name": str}
AGENT_MADE: Final[Shape] = {"id": str, "secret": Maybe(str), "status": str}
VERSION_MADE: Final[Shape] = {"number": int, "secret": Maybe(str)}
ROTATED: Final[Shape] = {"id": str, "secret": str, "previous_secret_until": Maybe(str)}
AGENT: Final[Shape] = {
    "name": str,
    "kind": str,
    "url": Maybe(str),
    "status": str,
    "last_fault": Maybe(str),
    "match_fault": Maybe(
        {
            **dict.fromkeys(("match_id", "kind", "charged_to", "at"), str),
            "seq": int,
            "detail": Maybe(str),
        }
    ),
}
NOTICE: Final[Shape] = {"at": str, "kind": str, "detail": Maybe(str)}
VERSION: Final[Shape] = {"number": int, "status": str}
FINDING: Final[Shape] = {"name": str, "verdict": str, "detail": str}
CHECK: Final[Shape] = {
    "waiting": bool,
    "passed": Maybe(bool),
    "badge_until": Maybe(str),
    "findings": Row(FINDING),
}
QUANTILES: Final[Shape] = {"p50": int, "p90": int, "p99": int, "most": int}
DIFFERENCE: Final[Shape] = {
    "match_id": str,
    "phase": str,
    "played": Maybe(str),
    "answer": Maybe(str),
    "fault": Maybe(str),
    "detail": Maybe(str),
}
REPORT: Final[Shape] = {
    **dict.fromkeys(("asked", "skipped", "answered", "compared", "same"), int),
    "ms": Maybe(QUANTILES),
    "played_ms": Maybe(QUANTILES),
    "faults": dict,
    "differences": Row(DIFFERENCE),
}
MATCH: Final[Shape] = {"status": str, "error": Maybe(str)}
AGENT_MATCH: Final[Shape] = {
    "id": str,
    "status": str,
    **dict.fromkeys(("tournament_id", "tournament"), Maybe(str)),
    **dict.fromkeys(("round", "points", "penalty"), Maybe(int)),
}
RECORD: Final[Shape] = {"seats": Row(str, 5), "totals": Row(int, 5), "penalties": Row(int, 5)}
CALL: Final[Shape] = {
    **dict.fromkeys(("seq", "seat", "ms", "charged_ms"), int),
    "answer": str,
    "auto": bool,
    **dict.fromkeys(("fault", "charged_to", "detail", "note"), Maybe(str)),
}
PLAYED: Final[Shape] = {"answer": str}
REPLAY: Final[Shape] = {
    "answer": Maybe(str),
    "same": bool,
    "ms": int,
    "fault": Maybe(str),
    "detail": Maybe(str),
}
CHECK_IN: Final[Shape] = {
    "status": str,
    "check_in_s": Maybe(int),
    "check_in_opens_at": Maybe(str),
    "starts_at": Maybe(str),
}
TOURNAMENT: Final[Shape] = {"status": str, "status_reason": Maybe(str)}
STANDING: Final[Shape] = {"rank": int, "points": int, "name": str, "house": bool}
ROUND_MATCH: Final[Shape] = {"id": str, "round": Maybe(int)}
