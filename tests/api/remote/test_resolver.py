"""The real lookup (c-ares) against a DNS server of our own: what it asks, what silence does."""

import asyncio

import pytest

from baohuang.api.remote.addresses import Address
from baohuang.api.remote.guard import Guard
from baohuang.api.remote.resolver import (
    CaresLookup,
    DnsLimits,
    NoSuchName,
    Resolver,
    registrable,
)
from baohuang.api.remote.urls import Blocked

from .dns_server import DnsServer
from .support import Names, run

PUBLIC, PUBLIC_V6 = "93.184.216.34", "2606:2800:220:1::1"
TABLE = {
    "both.example.com": [PUBLIC, PUBLIC_V6],
    "mixed.example.com": [PUBLIC, "::1"],
    "alias.example.com": ["inner.example.com"],
    "inner.example.com": ["127.0.0.1"],
    "bot": [PUBLIC],
    "found.inside.example": [PUBLIC],
    "wide.example.com": [f"93.184.216.{n}" for n in range(16)],
    "wider.example.com": [f"93.184.{216 + n // 256}.{n % 256}" for n in range(1200)],
}


def test_a_name_gives_its_ipv4_and_ipv6_addresses() -> None:
    async def work() -> list[str]:
        async with DnsServer(TABLE) as server:
            resolver = Resolver(Guard(), CaresLookup([server.place]))
            found = await resolver.addresses("both.example.com", 8000)
            await resolver.close()
            return [str(address) for address in found]

    assert sorted(run(work())) == [PUBLIC_V6, PUBLIC]


@pytest.mark.parametrize("host", ["mixed.example.com", "alias.example.com"])
def test_93_97_a_bad_address_among_the_answers_or_behind_an_alias_refuses_the_name(
    host: str,
) -> None:
    async def work() -> None:
        async with DnsServer(TABLE) as server:
            resolver = Resolver(Guard(), CaresLookup([server.place]))
            with pytest.raises(Blocked):
                await resolver.addresses(host, 80)
            await resolver.close()

    run(work())


def seventeen_of_both_families() -> list[str]:
    return [f"93.184.216.{n}" for n in range(9)] + [f"2606:2800:220:1::{n}" for n in range(1, 9)]


def test_a_name_may_have_sixteen_addresses_and_each_may_be_named_twice() -> None:
    names = Names({"a.example.com": TABLE["wide.example.com"] * 2})

    async def work() -> None:
        async with DnsServer(TABLE) as server:
            resolver = Resolver(Guard(), CaresLookup([server.place]))
            found = await resolver.addresses("wide.example.com", 443)
            assert sorted(map(str, found)) == sorted(TABLE["wide.example.com"])
            await resolver.admit("https://wide.example.com/")
            await resolver.close()
        assert len(await Resolver(Guard(), names).addresses("a.example.com", 443)) == 16

    run(work())


def test_a_name_with_more_addresses_is_refused_before_the_guard_looks_at_one() -> None:
    looked: list[object] = []

    class Counting(Guard):
        def check_address(self, address: Address, port: int) -> None:
            looked.append(address)

    async def work() -> None:
        async with DnsServer(TABLE) as server:
            resolver = Resolver(Counting(), CaresLookup([server.place]))
            for _ in range(2):  # of the second one nobody is asked
                with pytest.raises(Blocked) as refused:
                    await resolver.addresses("wider.example.com", 443)
                assert refused.value.rule == "dns"
            with pytest.raises(Blocked, match="dns: the host has more than 16 addresses"):
                await resolver.admit("https://wider.example.com/")
            await resolver.close()
        resolver = Resolver(Counting(), Names({"b.example.com": seventeen_of_both_families()}))
        with pytest.raises(Blocked, match="more than 16"):
            await resolver.addresses("b.example.com", 443)

    run(work())
    assert looked == []


def test_98_no_search_domain_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCALDOMAIN", "inside.example")

    async def work() -> set[str]:
        async with DnsServer(TABLE) as server:
            resolver = Resolver(Guard(), CaresLookup([server.place]))
            for host in ("found", "missing.example.com"):
                with pytest.raises(NoSuchName):
                    await resolver.addresses(host, 80)
            await resolver.close()
            return server.asked

    assert run(work()) == {"found", "missing.example.com"}


def test_99_a_name_is_found_while_thirty_others_get_no_answer() -> None:
    async def work() -> None:
        async with DnsServer(TABLE) as server:
            limits = DnsLimits(seconds=2)
            resolver = Resolver(Guard(), CaresLookup([server.place]), limits)
            silent = [
                asyncio.create_task(resolver.addresses(f"silent{n}.evil{n}.com", 80))
                for n in range(30)
            ]
            while len(server.asked) < 30:
                await server.heard.get()
            await resolver.addresses("both.example.com", 80)
            assert not any(task.done() for task in silent)
            ends = await asyncio.gather(*silent, return_exceptions=True)
            assert {type(end) for end in ends} == {OSError}
            await resolver.close()

    run(work())


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("a.b.evil.com.cn", "evil.com.cn"),
        ("bot.honest.co.uk", "honest.co.uk"),
        ("bot.example.com", "example.com"),
        ("a.somebody.github.io", "somebody.github.io"),
        ("com.cn", "com.cn"),
        ("bot.example.nosuchsuffix", "example.nosuchsuffix"),
    ],
)
def test_a_domain_is_what_one_owner_registers(host: str, domain: str) -> None:
    assert registrable(host) == domain


class Held:
    """Answers about `evil` names only once it is let go; the names, as they are asked."""

    def __init__(self) -> None:
        self.asked: asyncio.Queue[str] = asyncio.Queue()
        self.let_go = asyncio.Event()

    async def __call__(self, host: str) -> list[str]:
        self.asked.put_nowait(host)
        if "evil" in host:
            await self.let_go.wait()
        return [PUBLIC]


def asking(resolver: Resolver, domain: str, names: int) -> list[asyncio.Task[object]]:
    hosts = [f"n{n}.{domain}" for n in range(names)]
    return [asyncio.create_task(resolver.addresses(host, 443)) for host in hosts]


@pytest.mark.parametrize("suffix", ["com.cn", "co.uk", "github.io", "com"])
def test_a_strangers_silent_names_hold_up_nobody_under_the_same_suffix(suffix: str) -> None:
    async def work() -> None:
        lookup = Held()
        resolver = Resolver(Guard(), lookup, DnsLimits(seconds=50))
        silent = asking(resolver, f"evil.{suffix}", 20)
        for _ in range(4):
            await lookup.asked.get()
        await asyncio.gather(*asking(resolver, f"honest.{suffix}", 5))
        assert lookup.asked.qsize() == 5  # of the others no more than four were asked at once
        lookup.let_go.set()
        await asyncio.gather(*silent)
        await resolver.close()

    run(work())


def test_to_wait_for_a_turn_is_no_failure_of_the_name() -> None:
    """The first four of a domain are never answered; the fifth's time begins with its turn."""

    async def work() -> None:
        lookup = Held()
        resolver = Resolver(Guard(), lookup, DnsLimits(seconds=0.2))
        silent = asking(resolver, "evil.shared.com", 8)
        found = asyncio.create_task(resolver.addresses("honest.shared.com", 443))
        ends = await asyncio.gather(*silent, return_exceptions=True)
        assert {type(end) for end in ends} == {OSError}
        assert [str(address) for address in await found] == [PUBLIC]
        await resolver.close()

    run(work())


def test_nothing_is_kept_of_a_name_that_nobody_was_asked_about() -> None:
    async def work() -> None:
        lookup = Held()
        limits = DnsLimits(seconds=50, admission=0.5)
        resolver = Resolver(Guard(), lookup, limits)
        silent = asking(resolver, "evil.shared.com", 4)
        for _ in range(4):
            await lookup.asked.get()
        with pytest.raises(Blocked, match="in time"):
            await resolver.admit("https://honest.shared.com/")
        lookup.let_go.set()
        await asyncio.gather(*silent)
        await resolver.admit("https://honest.shared.com/")
        await resolver.close()

    run(work())
