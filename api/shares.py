"""Places that many share: nobody has more than his own share, and together no more than all."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from threading import Lock

from .errors import TooMany, Unavailable


class Taken(Enum):
    """How it went when somebody wanted a place."""

    GIVEN = "given"
    OWN_FULL = "own_full"
    ALL_FULL = "all_full"


RETRY_AFTER_S = 5


def require(taken: Taken, *, code: str, own: str, all_: str) -> None:
    """Raises `TooMany` of that code (`own` says why), or `Unavailable` where all are taken."""
    if taken is Taken.OWN_FULL:
        raise TooMany(own, RETRY_AFTER_S, code=code)
    if taken is Taken.ALL_FULL:
        raise Unavailable(all_, RETRY_AFTER_S)


class Shares:
    """Counts the places that each holder has now. Any number of threads.

    each: of one holder at most; total: of all together. 0 means no limit for `each`.
    """

    def __init__(self, each: int, total: int) -> None:
        self._each = each
        self._total = total
        self._lock = Lock()
        self._held: Counter[str] = Counter()
        self._all = 0

    @property
    def taken(self) -> int:
        """All places that are taken now."""
        return self._all

    def take(self, holder: str, spare: int = 0) -> Taken:
        """A place for a holder, unless it would be one of the last `spare`."""
        with self._lock:
            if self._each and self._held[holder] >= self._each:
                return Taken.OWN_FULL
            if self._all >= self._total - spare:
                return Taken.ALL_FULL
            self._held[holder] += 1
            self._all += 1
            return Taken.GIVEN

    def give_back(self, holder: str) -> None:
        """One of the holder's places is free again."""
        with self._lock:
            self._all -= 1
            self._held[holder] -= 1
            if not self._held[holder]:
                del self._held[holder]
