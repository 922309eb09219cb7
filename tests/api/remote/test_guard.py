"""The guard against 100 hostile URLs, names and addresses: the rule named, and no socket.

The other 18 of the numbered cases, hostile behaviour of servers, are in test_hostile.py.
"""

import asyncio
import contextlib
import time
from typing import Any

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from baohuang.api.remote.addresses import Address, parse_address
from baohuang.api.remote.connection import Bounds, Connection
from baohuang.api.remote.dial import Dialler
from baohuang.api.remote.faults import Fault
from baohuang.api.remote.guard import Exemption, Guard
from baohuang.api.remote.resolver import DnsLimits, Resolver
from baohuang.api.remote.urls import Blocked, Target, parse_url

from .support import Names, Sockets, run

PUBLIC = "93.184.216.34"
PUBLIC_V6 = "2606:2800:220:1::1"

# number, URL, rule
REFUSED: list[tuple[str, str, str]] = [
    # A: forms of a loopback or private address
    ("1", "http://127.0.0.1/", "address"),
    ("2", "http://127.1/", "host"),
    ("3", "http://127.0.1/", "host"),
    ("4", "http://2130706433/", "host"),
    ("5", "http://0x7f000001/", "host"),
    ("6", "http://0x7f.0.0.1/", "host"),
    ("7", "http://0x7f.1/", "host"),
    ("8", "http://0177.0.0.1/", "host"),
    ("9", "http://017700000001/", "host"),
    ("10", "http://00000000127.0.0.1/", "host"),
    ("11", "http://0/", "host"),
    ("12", "http://0.0.0.0/", "address"),
    ("13", "http://0300.0250.0.1/", "host"),
    ("14", "http://localhost/", "address"),
    ("15", "http://LOCALHOST/", "address"),
    ("16", "http://localhost./", "host"),
    ("17", "http://127.0.0.1./", "host"),
    ("18", "http://①②⑦.⓪.⓪.①/", "characters"),
    ("19", "http://127。0。0。1/", "characters"),
    ("20", "http://ⓛocalhost/", "characters"),
    ("21", "http://０x7f.1/", "characters"),  # noqa: RUF001 - fullwidth zero
    ("22", "http://[::1]/", "address"),
    ("23", "http://[0:0:0:0:0:0:0:1]/", "address"),
    ("24", "http://[::]/", "address"),
    ("25", "http://[::ffff:127.0.0.1]/", "address"),
    ("26", "http://[::ffff:7f00:1]/", "address"),
    ("27", "http://[::127.0.0.1]/", "address"),
    ("28", "http://[::ffff:0:127.0.0.1]/", "address"),
    ("29", "http://[64:ff9b::7f00:1]/", "address"),
    ("30", "http://[64:ff9b:1::7f00:1]/", "address"),
    ("31", "http://[2002:7f00:1::1]/", "address"),
    ("32", "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", "address"),
    ("33", "http://[fe80::1%25eth0]/", "host"),
    ("34", "http://[::1%25lo]/", "host"),
    ("35", "http://[fc00::1]/", "address"),
    ("36", "http://[fec0::1]/", "address"),
    ("37", "http://[ff02::1]/", "address"),
    ("38", "http://[5f00::1]/", "address"),
    ("39", "http://[3fff::1]/", "address"),
    ("40", "http://[100::1]/", "address"),
    # B: special targets
    ("41", "http://169.254.169.254/latest/meta-data/", "address"),
    ("42", "http://169.254.170.2/", "address"),
    ("43", "http://[fd00:ec2::254]/", "address"),
    ("44", "http://[fd20:ce::254]/", "address"),
    ("45", "http://metadata.google.internal/", "name"),
    ("46", "http://100.100.100.200/", "address"),
    ("47", "http://192.0.0.192/", "address"),
    ("48", "http://168.63.129.16/", "address"),
    ("49", "http://10.0.0.1/", "address"),
    ("50", "http://172.16.0.1/", "address"),
    ("51", "http://192.168.0.1/", "address"),
    ("52", "http://100.64.0.1/", "address"),
    ("53", "http://192.0.0.8/", "address"),
    ("54", "http://192.88.99.1/", "address"),
    ("55", "http://198.18.0.1/", "address"),
    ("56", "http://203.0.113.1/", "address"),
    ("57", "http://224.0.0.1/", "address"),
    ("58", "http://240.0.0.1/", "address"),
    ("59", "http://255.255.255.255/", "address"),
    ("60a", "https://arena.example.org/api", "own"),
    ("60b", f"http://{PUBLIC}:8080/", "own"),
    # C: where parsers differ
    ("61", "http://example.com@127.0.0.1/", "userinfo"),
    ("62", "http://127.0.0.1#@example.com/", "fragment"),
    ("63", "http://127.0.0.1\\@example.com/", "characters"),
    ("64", "http://example.com\\@127.0.0.1/", "characters"),
    ("65", "http://example.com:80@127.0.0.1:8080/", "userinfo"),
    ("66", "http://1.1.1.1 &@127.0.0.1# @3.3.3.3/", "characters"),
    ("67", "http://[127.0.0.1]/", "host"),
    ("68", "http://[example.com]/", "host"),
    ("69", "http://127.0.0.1%00.example.com/", "host"),
    ("70", "http://localhost%2eexample.com/", "host"),
    ("71a", " http://example.com/", "characters"),
    ("71b", "\thttp://example.com/", "characters"),
    ("72a", "http://exam\tple.com/", "characters"),
    ("72b", "http://127.0.0\n.1/", "characters"),
    ("73", "http://example.com/a\r\nHost: b", "characters"),
    ("74", "http:///127.0.0.1/", "host"),
    ("75", "http:127.0.0.1/", "host"),
    ("76", "//127.0.0.1/", "scheme"),
    ("77a", "http://example.com:0/", "port"),
    ("77b", "http://example.com:-1/", "host"),
    ("77c", "http://example.com:65536/", "port"),
    ("77d", "http://example.com:80:80/", "host"),
    ("78a", f"http://{PUBLIC}:22/", "port"),
    ("78b", f"http://{PUBLIC}:25/", "port"),
    ("78c", f"http://{PUBLIC}:6379/", "port"),
    ("78d", f"http://[{PUBLIC_V6}]:5432/", "port"),
    ("79", "http://user:password@example.com/", "userinfo"),
    ("80a", f"http://{'a' * 64}.com/", "host"),
    ("80b", f"http://{'a.' * 125}comm/", "host"),
    ("80c", "http://a..b/", "host"),
    ("80d", "http://xn--.com/", "host"),
    ("81", f"http://example.com/{'a' * 2030}", "length"),
    ("82", "http://example.com/#top", "fragment"),
    ("83", "http://exаmple.com/", "characters"),  # noqa: RUF001 - a Cyrillic letter
    # D, schemes
    ("84", "file:///etc/passwd", "scheme"),
    ("85", "gopher://127.0.0.1/_x", "scheme"),
    ("86", "ftp://127.0.0.1/", "scheme"),
    ("87a", "unix:/run/docker.sock", "scheme"),
    ("87b", "http+unix://%2Frun%2Fdocker.sock/", "scheme"),
    ("88", "data:text/html,x", "scheme"),
    ("89", "javascript:alert(1)", "scheme"),
    ("90a", "ws://127.0.0.1/", "scheme"),
    ("90b", "wss://127.0.0.1/", "scheme"),
    # beside the list
    ("+1", "", "scheme"),
    ("+2", "http://", "host"),
    ("+3", "http://intranet/", "name"),
    ("+4", "http://printer.local/", "name"),
    ("+5", "http://app.localhost/", "address"),
    ("+6", "http://example.com/%zz", "characters"),
    ("+7", "http://[::1/", "host"),
    ("+8", "http://example.com:/", "host"),
    ("+9", "http://-a.com/", "host"),
    ("+10", "http://1.2.3.4.5/", "host"),
    ("+11", "http://::1/", "host"),
    ("+12", "http://[2606:2800:220:1::1]:27017/", "port"),
    ("+13", "http://2852039166/", "host"),  # 169.254.169.254, six ways
    ("+14", "http://0xa9fea9fe/", "host"),
    ("+15", "http://0251.0376.0251.0376/", "host"),
    ("+16", "http://169.254.43518/", "host"),
    ("+17", "http://[::ffff:a9fe:a9fe]/", "address"),
    ("+18", "http://[2002:a9fe:a9fe::]/", "address"),
    ("+19", "http://[64:ff9b::a9fe:a9fe]/", "address"),
    ("+20", "http://[::7f00:1]/", "address"),
    ("+21", "http://[fe80::1%eth0]/", "characters"),
    ("+22", "http://[2606:2800:220:1::1%251]/", "host"),
    ("+23", "http://[v1.fe80::1]/", "host"),
    ("+24", "http://%31%32%37.0.0.1/", "host"),
    ("+25", "http://127.0.0.1:80;@example.com/", "userinfo"),
    ("+26", "http://@example.com/", "userinfo"),
    ("+27", "http://example.com./", "host"),
    ("+28", "http://example.com:８0/", "characters"),  # noqa: RUF001 - a fullwidth digit
    ("+29", "http://example.com:+80/", "host"),
    ("+30", "http://example.com:999999/", "host"),
    ("+31", "http://xn--a-ecp.ru/", "host"),
    ("+32", "http://1.2.3.0x4/", "host"),
    ("+33", "http://example.0x7f/", "host"),
    ("+34", "http:///", "host"),
    ("+35", "http://example.com\x7f.evil.com/", "characters"),
    ("+36", "http://EXAMPLE.LOCALHOST/", "address"),
]  # fmt: skip

ACCEPTED = {
    "91": ("HTTP://Example.COM/Bot?x=1", "http://example.com/Bot?x=1"),
    "default port": ("https://example.com:443", "https://example.com/"),
    "port": ("http://example.com:8000/a/b", "http://example.com:8000/a/b"),
    "literal": (f"http://{PUBLIC}", f"http://{PUBLIC}/"),
    "literal 6": ("http://[2606:2800:220:1:0:0:0:1]:8080/", f"http://[{PUBLIC_V6}]:8080/"),
    "mapped": (f"http://[::ffff:{PUBLIC}]:8081/", f"http://{PUBLIC}:8081/"),
    "zeros before a port": ("http://example.com:00443/", "http://example.com:443/"),
    "escapes": ("http://example.com/%2e%2E/a%20b?q=%00", "http://example.com/%2e%2E/a%20b?q=%00"),
    "punycode": ("http://xn--exmple-4nf.com/", "http://xn--exmple-4nf.com/"),
    "underscore": ("http://my_bot.example.com/", "http://my_bot.example.com/"),
}


def guard_of(*exceptions: str, sockets: Sockets | None = None) -> Guard:
    own = ["arena.example.org", f"{PUBLIC}:8080"]
    return Guard(exceptions, own, make_socket=sockets or Sockets())


@pytest.mark.parametrize(("number", "url", "rule"), REFUSED, ids=[case[0] for case in REFUSED])
def test_a_hostile_url_is_refused_at_registration_with_its_rule(
    number: str, url: str, rule: str
) -> None:
    with pytest.raises(Blocked) as caught:
        guard_of().check_url(url)
    assert caught.value.rule == rule
    assert caught.value.detail


def test_no_socket_is_made_for_any_of_them_even_without_the_check_at_registration() -> None:
    """Dialled as if they stood in the database, and given to another client's parser too."""
    sockets = Sockets()
    guard = guard_of(sockets=sockets)
    reached = []

    async def work() -> None:
        connector = aiohttp.TCPConnector(resolver=Nowhere(), socket_factory=guard.socket_factory)
        async with aiohttp.ClientSession(connector=connector) as session:
            for number, url, _ in REFUSED:
                with contextlib.suppress(Blocked):
                    assert fault_of(await dialled(guard, parse_url(url))).kind in ("blocked", "dns")
                with pytest.raises((aiohttp.ClientError, ValueError, OSError, AssertionError)):
                    await session.post(url, allow_redirects=False)
                if sockets.made:
                    reached.append((number, url))
                    sockets.made = 0

    run(work())
    assert reached == []


class Nowhere(AbstractResolver):
    """Finds no name at all."""

    async def resolve(self, host: str, port: int = 0, family: Any = 0) -> list[ResolveResult]:
        raise OSError(None, "no such name")

    async def close(self) -> None: ...


async def dialled(
    guard: Guard, target: Target, names: Names | None = None, resolver: Resolver | None = None
) -> Connection | Fault:
    dialler = Dialler(guard, resolver or Resolver(guard, names or Names()), Bounds(), 2.0)
    return await dialler.dial(target, time.monotonic() + 5, lambda _: None)


def fault_of(outcome: Connection | Fault) -> Fault:
    assert isinstance(outcome, Fault)
    return outcome


@pytest.mark.parametrize("case", ACCEPTED)
def test_a_good_url_is_accepted_and_written_canonically(case: str) -> None:
    given, canonical = ACCEPTED[case]
    assert guard_of().check_url(given).url == canonical


@pytest.mark.parametrize("address", [PUBLIC, "1.1.1.1", "8.8.8.8", PUBLIC_V6, "2a00:1450:4001::1"])
def test_public_addresses_get_a_socket(address: str) -> None:
    sockets = Sockets()
    guard = guard_of(sockets=sockets)
    host = f"[{address}]" if ":" in address else address
    fault = fault_of(run(dialled(guard, guard.check_url(f"http://{host}/"))))
    assert fault.detail == "no connection: Network is unreachable"
    assert sockets.made == 1


def test_a_scope_id_in_the_socket_address_is_refused() -> None:
    sockets = Sockets()
    with pytest.raises(PermissionError, match="scope id"):
        guard_of("2000::/3", sockets=sockets).socket_factory(
            (10, 1, 6, "", ("2606:2800:220:1::1", 80, 0, 3))
        )
    assert sockets.made == 0


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "::1", "::ffff:127.0.0.1", "::ffff:a00:1", "64:ff9b::7f00:1", "2002:7f00:1::",
        "fe80::1%eth0", "0.0.0.0", "127.1", "0177.0.0.1", "2130706433", "localhost", "", "/run/x",
    ],
)  # fmt: skip
def test_no_spelling_of_a_bad_socket_address_gets_a_socket(address: str) -> None:
    sockets = Sockets()
    guard = guard_of(sockets=sockets)
    for family, place in ((2, (address, 8000)), (10, (address, 8000, 0, 0))):
        with pytest.raises(PermissionError):
            guard.socket_factory((family, 1, 6, "", place))
    assert sockets.made == 0


@pytest.mark.parametrize(("port", "why"), [(22, "below 1024"), (9100, "another kind of service")])
def test_a_port_is_refused_for_the_reason_that_holds(port: int, why: str) -> None:
    with pytest.raises(Blocked, match=f"port {port} .*{why}"):
        guard_of().check_url(f"http://{PUBLIC}:{port}/")


# Operator exceptions


def test_an_exception_widens_only_itself() -> None:
    guard = guard_of("10.1.0.0/16", "[fd00:1::/32]:8443", "127.0.0.1:5432")
    for url in ("http://10.1.2.3/", "http://10.1.2.3:8000/", "https://[fd00:1::7]:8443/"):
        guard.check_url(url)
    guard.check_url("http://127.0.0.1:5432/")  # named with its port: even a service's
    for url, rule in {
        "http://10.2.0.1/": "address",
        "http://10.1.2.3:22/": "port",
        "https://[fd00:1::7]/": "address",
        "http://127.0.0.1:8000/": "address",
        "http://169.254.169.254/": "address",
        "http://127.1:5432/": "host",
    }.items():
        with pytest.raises(Blocked) as caught:
            guard.check_url(url)
        assert (url, caught.value.rule) == (url, rule)


def test_our_own_address_is_refused_in_spite_of_an_exception() -> None:
    guard = Guard(["127.0.0.0/8"], own=["127.0.0.1:8000"])
    guard.check_url("http://127.0.0.1:8001/")
    for url in ("http://127.0.0.1:8000/", "http://[::ffff:127.0.0.1]:8000/"):
        with pytest.raises(Blocked, match="own"):
            guard.check_url(url)


def test_localhost_is_the_loopback_address_that_an_exception_allows() -> None:
    guard = guard_of("127.0.0.0/8")
    guard.check_url("http://localhost:8000/")
    assert [str(a) for a in guard.check_answers("localhost", 8000, ["10.0.0.1"])] == ["127.0.0.1"]


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]"])
def test_a_server_on_all_addresses_is_not_called_at_any_of_this_machine(host: str) -> None:
    guard = Guard(["127.0.0.0/8", "192.0.2.0/24"], own=[f"{host}:8000"])
    for address in ("127.0.0.1", "127.0.0.2"):
        with pytest.raises(Blocked, match="own"):
            guard.check_address(parse_address(address), 8000)
        guard.check_address(parse_address(address), 8001)
    guard.check_address(parse_address("192.0.2.1"), 8000)


@pytest.mark.parametrize(
    "text", ["", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/8:", "10.0.0.0/8:0", "example.com", "[::1"]
)
def test_a_bad_exception_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"CIDR\[:port\]|no such port"):
        Exemption.parse(text)


# E, names


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_92_93_97_100_a_name_with_any_bad_address_is_refused() -> None:
    bad = {
        "loopback.example.com": ["127.0.0.1"],
        "mixed.example.com": [PUBLIC, "10.0.0.1"],
        "mixed6.example.com": [PUBLIC, "::1"],
        "cname-to-localhost.example.com": ["127.0.0.1", "::1"],
        "nat64.example.com": ["64:ff9b::7f00:1"],
        "scoped.example.com": ["fe80::1%eth0"],
    }
    sockets = Sockets()
    guard = guard_of(sockets=sockets)

    async def work() -> None:
        resolver = Resolver(guard, Names(bad))
        for host in bad:
            with pytest.raises(Blocked) as caught:
                await resolver.admit(f"http://{host}/")
            assert caught.value.rule == "address"
            target = guard.check_url(f"http://{host}/")
            assert fault_of(await dialled(guard, target, resolver=resolver)).kind == "blocked"

    run(work())
    assert sockets.made == 0


def test_94_95_96_an_answer_that_changes_after_registration_is_refused_at_the_call() -> None:
    sockets, clock = Sockets(), Clock()
    names = Names({"bot.example.com": [PUBLIC]})
    guard = guard_of(sockets=sockets)

    async def work() -> None:
        resolver = Resolver(guard, names, clock=clock)
        target = await resolver.admit("http://bot.example.com/")
        clock.now += 31  # kept answers are asked for anew, whatever their TTL was
        del names.table["bot.example.com"]
        assert fault_of(await dialled(guard, target, resolver=resolver)).kind == "dns"
        clock.now += 6
        names.table["bot.example.com"] = ["192.168.1.1"]
        assert fault_of(await dialled(guard, target, resolver=resolver)).kind == "blocked"

    run(work())
    assert sockets.made == 0
    assert len(names.asked) == 3


def test_94_an_address_that_slips_past_the_resolver_is_refused_by_the_socket_factory() -> None:
    class Careless(Resolver):
        async def addresses(self, host: str, port: int) -> list[Address]:
            return [parse_address("127.0.0.1"), parse_address("::1")]

    sockets = Sockets()
    guard = guard_of(sockets=sockets)

    async def work() -> Fault:
        target = guard.check_url("http://bot.example.com/")
        return fault_of(await dialled(guard, target, resolver=Careless(guard, Names())))

    assert run(work()).kind == "blocked"
    assert sockets.made == 0


def test_99_twenty_silent_names_stall_no_other() -> None:
    silent = asyncio.Event()

    class Silent(Names):
        async def __call__(self, host: str) -> list[str]:
            if host.startswith("silent"):
                await silent.wait()
            return await super().__call__(host)

    async def work() -> None:
        names = Silent({"bot.example.com": [PUBLIC], "bot.evil.com": [PUBLIC]})
        resolver = Resolver(guard_of(), names, DnsLimits(seconds=1))
        waiting = [
            asyncio.create_task(resolver.addresses(f"silent{n}.evil{n % 10}.com", 80))
            for n in range(20)
        ]
        await asyncio.sleep(0)
        await resolver.addresses("bot.example.com", 80)
        assert not any(task.done() for task in waiting)
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        assert {str(end) for end in ends} == {"the name servers gave no answer in time"}
        await resolver.close()

    run(work())


def test_one_domain_has_few_questions_at_a_time_and_one_name_only_one() -> None:
    running, most = 0, 0

    class Counting(Names):
        async def __call__(self, host: str) -> list[str]:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1
            return await super().__call__(host)

    async def work() -> Counting:
        names = Counting({f"b{n}.evil.com": [PUBLIC] for n in range(20)})
        resolver = Resolver(guard_of(), names, DnsLimits(per_domain=3))
        await asyncio.gather(*(resolver.addresses(f"b{n % 20}.evil.com", 80) for n in range(60)))
        await resolver.close()
        return names

    names = run(work())
    assert most == 3
    assert len(names.asked) == 20
