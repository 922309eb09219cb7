"""Names to addresses, bounded so that slow names stall nobody else.

No threads: c-ares asks the name servers itself, so a silent one holds a small object for two
seconds instead of a thread for thirty. Questions for one name are shared, no search domain is
tried. Questions for one domain are few at a time, and a domain is what somebody can register: names
under `co.uk` wait for nobody else's. The time that a question waits for its turn is not counted,
and nothing is noted of a name that was not asked. Every answer goes past the guard, and one bad
address refuses the name. So do too many: each could be dialled, at somebody's who is no bot.
"""

from __future__ import annotations

import asyncio
import math
import socket
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol

import aiodns
import pycares
from publicsuffixlist import PublicSuffixList

from .addresses import Address
from .guard import Guard, is_localhost
from .urls import Blocked, Target

MOST_ADDRESSES = 16
"""Of a name that is called. An answer over TCP has room for 4,000, each a stranger to knock at."""

_GONE = {aiodns.error.ARES_ENODATA, aiodns.error.ARES_ENOTFOUND, aiodns.error.ARES_EBADNAME}


class NoSuchName(OSError):
    """The name servers answered: this name has no address. (Any other OSError: no answer.)"""


class Lookup(Protocol):
    async def __call__(self, host: str) -> list[str]:
        """All addresses of a name, IPv4 and IPv6; NoSuchName, or OSError if nobody answers."""


class CaresLookup:
    """The real lookup. `nameservers`: `address[:port]`; default are those of the machine."""

    def __init__(self, nameservers: Sequence[str] | None = None) -> None:
        self._nameservers = nameservers
        self._resolver: aiodns.DNSResolver | None = None

    async def __call__(self, host: str) -> list[str]:
        if self._resolver is None:
            self._resolver = aiodns.DNSResolver(
                self._nameservers, flags=pycares.ARES_FLAG_NOSEARCH, timeout=0.5, tries=2
            )
        try:
            found = await self._resolver.getaddrinfo(
                host, socket.AF_UNSPEC, type=socket.SOCK_STREAM
            )
        except aiodns.error.DNSError as error:
            if error.args and error.args[0] in _GONE:
                raise NoSuchName("this name has no address") from None
            raise OSError("the name servers gave no answer") from None
        return [node.addr[0].decode("ascii") for node in found.nodes]

    async def close(self) -> None:
        if self._resolver is not None:
            await self._resolver.close()


@dataclass(frozen=True, slots=True)
class _Answer:
    until: float
    addresses: tuple[str, ...]
    error: OSError | None


@dataclass(frozen=True, slots=True)
class DnsLimits:
    """`seconds` bounds a lookup once it is asked, `admission` one at registration with its waiting;
    kept answers live `fresh`, failures `failed`.
    """

    seconds: float = 2.0
    admission: float = 5.0
    total: int = 1024
    per_domain: int = 4
    fresh: float = 30.0
    failed: float = 5.0
    kept: int = 4096


@dataclass(slots=True)
class _Domain:
    """Who asks about a domain's names now, or waits for that."""

    turns: asyncio.Semaphore
    names: int = field(default=0)


class Resolver:
    """Looks names up for all agents of one event loop."""

    def __init__(
        self,
        guard: Guard,
        lookup: Lookup | None = None,
        limits: DnsLimits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._guard = guard
        self._lookup = lookup or CaresLookup()
        self._limits = limits or DnsLimits()
        self._clock = clock
        self._all = asyncio.Semaphore(self._limits.total)
        self._domains: dict[str, _Domain] = {}
        self._kept: OrderedDict[str, _Answer] = OrderedDict()
        self._running: dict[str, asyncio.Task[_Answer]] = {}
        self.found_at = -math.inf  # by the clock: when a name server last knew a name
        _suffixes()  # it takes a while to read, so not in the midst of calls

    async def addresses(self, host: str, port: int) -> list[Address]:
        """The addresses of a name, fit to be called on this port.

        Raises Blocked if one of them is not or they are too many, NoSuchName, or OSError if nobody
        answered.
        """
        if is_localhost(host):
            return self._guard.check_answers(host, port, ())
        answer = self._kept.get(host)
        if answer is None or answer.until <= self._clock():
            answer = await asyncio.shield(self._ask(host))
        if answer.error is not None:
            raise type(answer.error)(*answer.error.args)
        if len(answer.addresses) > MOST_ADDRESSES:
            raise Blocked("dns", f"the host has more than {MOST_ADDRESSES} addresses")
        return self._guard.check_answers(host, port, answer.addresses)

    async def admit(self, url: str) -> Target:
        """The full check at registration: the URL, and every address that its name has now."""
        target = self._guard.check_url(url)
        if target.address is None:
            try:
                async with asyncio.timeout(self._limits.admission):
                    await self.addresses(target.host, target.port)
            except TimeoutError:
                raise Blocked("dns", "the host cannot be found: no answer in time") from None
            except OSError as error:
                raise Blocked("dns", f"the host cannot be found: {error}") from None
        return target

    def forget(self, host: str) -> None:
        """Ask anew next time: nobody could be reached at the kept addresses."""
        self._kept.pop(host, None)

    async def close(self) -> None:
        """End what is running."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        if isinstance(self._lookup, CaresLookup):
            await self._lookup.close()

    def _ask(self, host: str) -> asyncio.Task[_Answer]:
        task = self._running.get(host)
        if task is None:
            task = self._running[host] = asyncio.create_task(self._bounded(host))
            task.add_done_callback(lambda _: self._running.pop(host, None))
        return task

    async def _bounded(self, host: str) -> _Answer:
        try:
            async with self._turn(host), asyncio.timeout(self._limits.seconds):
                found = tuple(dict.fromkeys(await self._lookup(host)))
        except TimeoutError:
            return self._keep(host, (), OSError("the name servers gave no answer in time"))
        except OSError as error:
            return self._keep(host, (), error)
        self.found_at = self._clock()
        return self._keep(host, found[: MOST_ADDRESSES + 1], None)  # that there are more is enough

    @asynccontextmanager
    async def _turn(self, host: str) -> AsyncIterator[None]:
        """One of the few places of its domain, then one of all."""
        name = registrable(host)
        domain = self._domains.get(name)
        if domain is None:
            domain = _Domain(asyncio.Semaphore(self._limits.per_domain))
            self._domains[name] = domain
        domain.names += 1
        try:
            async with domain.turns, self._all:
                yield
        finally:
            domain.names -= 1
            if not domain.names:
                del self._domains[name]

    def _keep(self, host: str, addresses: tuple[str, ...], error: OSError | None) -> _Answer:
        if error is None and not addresses:
            error = NoSuchName("this name has no address")
        lives = self._limits.fresh if error is None else self._limits.failed
        answer = self._kept[host] = _Answer(self._clock() + lives, addresses, error)
        self._kept.move_to_end(host)
        while len(self._kept) > self._limits.kept:
            self._kept.popitem(last=False)
        return answer


def registrable(host: str) -> str:
    """The domain of a name that one owner registered, by the public suffix list.

    It includes the suffixes of those who give names away (`github.io`, say). A name without such a
    domain stands for itself.
    """
    return _suffixes().privatesuffix(host) or host


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()
