"""What a request asks of the network: in nobody's place, and an account's errands are few."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from flask import request

from ..errands import Errands
from .call import Call
from .streaming import outside


@contextmanager
def errand(call: Call) -> Iterator[Errands]:
    """The way out, for as long as it lasts. No transaction may be open meanwhile.

    Raises `TooMany`, `Unavailable`.
    """
    with call.arena.errands.turn(call.actor.account_id), outside(request):
        yield call.arena.errands
