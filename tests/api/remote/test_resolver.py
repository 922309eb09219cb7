"""The real lookup (c-ares) against a DNS server of our own: what it asks, what silence does."""

import asyncio

import pytest

from baohuang.api.remote.guard import Guard
from baohuang.api.remote.resolver import CaresLookup, DnsLimits, NoSuchName, Resolver
from baohuang.api.remote.urls import Blocked

from .dns_server import DnsServer
from .support import run

PUBLIC, PUBLIC_V6 = "93.184.216.34", "2606:2800:220:1::1"
TABLE = {
    "both.example.com": [PUBLIC, PUBLIC_V6],
    "mixed.example.com": [PUBLIC, "::1"],
    "alias.example.com": ["inner.example.com"],
    "inner.example.com": ["127.0.0.1"],
    "bot": [PUBLIC],
    "found.inside.example": [PUBLIC],
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
