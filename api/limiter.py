"""A process's share of the limits: what the database granted, handed out from memory.

Quotas of hundreds are fetched in blocks, so that most requests cost no statement; small ones are
fetched one by one. What a process fetched and does not use is lost to the others until the window
ends, so never more than the quota pass, and a block a process less at worst. A refusal is kept
until the window ends: whoever is over a limit costs the database nothing.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from .db import Database
from .services import limits
from .services.limits import Grant, Policy

BLOCKS = 50  # a window's quota is fetched in so many parts
KEPT = 10_000  # subjects that a process remembers


@dataclass
class Share:
    """What is left of one window in this process; `until` is by this process's clock."""

    ends: float
    until: float
    own: int
    left: int


@dataclass(frozen=True)
class State:
    """How a request fared: `left` requests remain (about), for `reset_s` seconds."""

    policy: Policy
    allowed: bool
    left: int
    reset_s: float


class Limiter:
    """One for an application; any number of threads."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.monotonic) -> None:
        self._database = database
        self._clock = clock
        self._shares: OrderedDict[tuple[str, str], Share] = OrderedDict()
        self._lock = Lock()

    def take(self, policy: Policy, subject: str) -> State:
        """Count one request of a subject."""
        key = (policy.name, subject)
        with self._lock:
            share = self._present(key)
            if share is not None and (share.own or not share.left):
                return self._spend(policy, share)
        with self._database.begin() as session:
            grant = limits.take(session, policy, subject, max(1, policy.quota // BLOCKS))
        with self._lock:
            share = self._merge(key, grant)
            if share.ends > grant.ends:  # a new window began while this one was asked
                return State(policy, bool(grant.granted), grant.left, max(0.0, grant.left_s))
            return self._spend(policy, share)

    def give_back(self, policy: Policy, subject: str) -> None:
        """The request last counted was answered from the client's own copy: it costs nothing."""
        with self._lock:
            share = self._present((policy.name, subject))
            if share is not None:
                share.own += 1

    def _present(self, key: tuple[str, str]) -> Share | None:
        share = self._shares.get(key)
        if share is None or share.until <= self._clock():
            return None
        self._shares.move_to_end(key)
        return share

    def _merge(self, key: tuple[str, str], grant: Grant) -> Share:
        """Add a grant to what is there of the same window; one of an older window is left out."""
        share = self._present(key)
        if share is None or share.ends < grant.ends:
            share = Share(grant.ends, self._clock() + grant.left_s, 0, grant.left)
            self._shares[key] = share
            if len(self._shares) > KEPT:
                self._shares.popitem(last=False)
        if share.ends == grant.ends:
            share.own += grant.granted
            share.left = min(share.left, grant.left)
        return share

    def _spend(self, policy: Policy, share: Share) -> State:
        reset_s = max(0.0, share.until - self._clock())
        if not share.own:
            return State(policy, False, 0, reset_s)
        share.own -= 1
        return State(policy, True, share.own + share.left, reset_s)
