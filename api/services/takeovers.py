"""After which calls the arena played a seat itself: why an agent's calls have a gap, or an end.

Nothing is stored for it: the log of a match says how often a seat's answer was not its own, and
rules.md 6 says when that is too often. Where none was, the match need not be played again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from baohuang.engine.match import DESERT, LogEntry
from baohuang.engine.match import Match as Referee

from ..models import Decision, Match
from ..vault import Vault
from . import match_log
from .match_terms import terms

DEAL: Final = "deal"  # to its end: one fault more than `autoplay_limit` allows
MATCH: Final = "match"  # to its end: the seat deserted


def of_match(session: Session, vault: Vault, match_id: str) -> dict[int, str]:
    """seq of a decision -> how long the arena played its seat from then on."""
    some = select(Decision.seq).where(Decision.match_id == match_id, Decision.auto).limit(1)
    if session.scalar(some) is None:
        return {}
    on, match = terms(session, vault, match_id), session.get_one(Match, match_id)
    return in_log(Referee(on.rules, on.key, match.deals), match_log.load(session, match_id))


def in_log(match: Referee, log: Sequence[LogEntry]) -> dict[int, str]:
    """The same of a match that is played to the end of its log; `match` is at its beginning."""
    autos: Counter[tuple[int, int]] = Counter()  # by deal and seat
    found: dict[int, str] = {}
    last: dict[int, int] = {}
    for seq, (seat, answer, auto) in enumerate(log):
        if answer == DESERT:
            match.desert(seat)
            if seat in last:
                found[last[seat]] = MATCH
            continue
        deal, last[seat] = match.deal, seq
        match.answer(answer, auto)
        autos[deal, seat] += auto
        if auto and autos[deal, seat] == match.rules.autoplay_limit + 1:
            found[seq] = DEAL
    return found
