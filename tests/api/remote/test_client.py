"""The caller: retries, connections, TLS, faults of the network and of this server, time."""

import asyncio
import contextlib
import errno
import os
import socket
import ssl
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from standardwebhooks import Webhook

from baohuang.api.bench.certificates import self_signed
from baohuang.api.bench.misdeeds import sleeps
from baohuang.api.remote.agent import HttpAgent
from baohuang.api.remote.client import Client, Limits, Reply
from baohuang.api.remote.connection import Connection
from baohuang.api.remote.faults import LAG_SECONDS, Fault
from baohuang.api.remote.guard import Guard
from baohuang.api.remote.resolver import DnsLimits, Resolver
from baohuang.api.remote.signing import new_secret

from ..support import refusing
from .support import (
    DIALLED,
    LOOPBACK,
    Names,
    client_of,
    read_request,
    response,
    run,
    serving,
)
from .test_hostile import GOOD, question


class Server:
    """Answers every request; counts connections and keeps what it was sent."""

    def __init__(self, *failures: bytes | None) -> None:
        self.connections = 0
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.failures = list(failures)  # what is written before closing, one a request, first

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        while True:
            self.requests.append(await read_request(reader))
            if self.failures:
                writer.write(self.failures.pop(0) or b"")
                return
            writer.write(response(GOOD))


UNHURRIED = 30.0  # seconds, for what is to be seen before any deadline


async def post(
    client: Client, url: str, agent: str = "a", seconds: float = UNHURRIED, exact: bool = True
) -> Reply | Fault:
    return await client.post(agent, url, b"{}", {}, seconds, exact)


def fault_of(outcome: Reply | Fault) -> tuple[str, str]:
    assert isinstance(outcome, Fault), outcome
    return outcome.kind, outcome.charged_to


# Retry


def test_one_retry_with_the_same_request_when_the_connection_closed_before_any_byte() -> None:
    server = Server(None)

    async def work() -> None:
        async with serving(server) as url, client_of(LOOPBACK) as client:
            decision = await HttpAgent(url, [new_secret()], client).decide(question())
            assert decision.answer == "pass"

    run(work())
    first, second = server.requests
    assert first == second  # body, id, timestamp and signature too
    assert server.connections == 2


def test_the_time_until_a_connection_broke_is_charged_with_that_of_the_retry() -> None:
    tries = 0

    async def thinks_first(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal tries
        tries += 1
        await read_request(reader)
        if tries == 1:
            await asyncio.sleep(0.3)  # then closes, and knows the answer
            return
        writer.write(response(GOOD))

    async def check() -> None:
        async with serving(thinks_first) as url, client_of(LOOPBACK) as client:
            reply = await post(client, url)
            assert isinstance(reply, Reply)
            assert reply.answer_ms >= 290

    run(check())


def test_no_second_retry() -> None:
    server = Server(None, None, None)

    async def work() -> None:
        async with serving(server) as url, client_of(LOOPBACK) as client:
            assert fault_of(await post(client, url)) == ("connect", "bot")

    run(work())
    assert len(server.requests) == 2


def test_no_retry_once_a_byte_came_back() -> None:
    server = Server(b"H")

    async def work() -> None:
        async with serving(server) as url, client_of(LOOPBACK) as client:
            assert fault_of(await post(client, url)) == ("malformed", "bot")

    run(work())
    assert len(server.requests) == 1


def test_a_kept_connection_that_was_closed_meanwhile_is_replaced() -> None:
    server = Server()

    async def work() -> None:
        async with serving(server) as url, client_of(LOOPBACK) as client:
            assert isinstance(await post(client, url), Reply)
            server.failures.append(None)  # the next request on it is read, and it closes
            assert isinstance(await post(client, url), Reply)

    run(work())
    assert server.connections == 2


def test_a_refused_connection_is_tried_twice_within_the_deadline() -> None:
    async def work() -> None:
        async with client_of(LOOPBACK) as client:
            with refusing() as port:
                outcome = await post(client, f"http://127.0.0.1:{port}/")
            assert fault_of(outcome) == ("connect", "bot")
            assert outcome.detail == "no connection: Connection refused"

    run(work())


def many(first: int, last: int) -> list[str]:
    return [f"127.0.0.{n}" for n in range(first, last + 1)]


@pytest.mark.parametrize(
    ("answers", "dialled", "fault"),
    [
        (many(2, 17), 16 + 2, ("connect", "bot")),
        (many(2, 18), 0, ("blocked", "bot")),
        (many(2, 2), 1 + 1, ("connect", "bot")),
    ],
)
def test_a_call_knocks_at_sixteen_doors_and_at_two_of_them_again(
    answers: list[str], dialled: int, fault: tuple[str, str]
) -> None:
    async def work() -> None:
        names = Names({"many.example.com": answers})
        async with client_of(LOOPBACK, names=names) as client:
            with refusing() as port, DIALLED.watched() as seen:
                outcome = await post(client, f"http://many.example.com:{port}/")
            assert fault_of(outcome) == fault
        assert len(seen) == dialled

    run(work())


def test_who_closes_each_connection_makes_a_call_dial_no_more_doors_either() -> None:
    server = Server(None, None)

    async def work() -> None:
        names = Names({"many.example.com": [*many(2, 16), "127.0.0.1"]})
        async with serving(server) as url, client_of(LOOPBACK, names=names) as client:
            port = url.rstrip("/").rpartition(":")[2]
            with DIALLED.watched() as seen:
                outcome = await post(client, f"http://many.example.com:{port}/")
            assert fault_of(outcome) == ("connect", "bot")
        assert len(seen) == 16 + 2
        assert len(server.requests) == 1

    run(work())


# Connections


def test_connections_are_kept_within_an_agent_and_never_shared_between_two() -> None:
    server = Server()

    async def work() -> None:
        async with serving(server) as url, client_of(LOOPBACK) as client:
            for agent in "aabbab":
                assert isinstance(await post(client, url, agent), Reply)

    run(work())
    assert server.connections == 2


def test_the_longest_idle_agents_connections_are_closed_when_too_many_are_kept() -> None:
    server = Server()

    async def work() -> None:
        limits = Limits(agents=2)
        async with serving(server) as url, client_of(LOOPBACK, limits=limits) as client:
            for agent in ("a", "b", "c", "b", "c", "a"):
                assert isinstance(await post(client, url, agent), Reply)

    run(work())
    assert server.connections == 4


def test_calls_beyond_an_agents_connections_wait_without_being_charged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun, gate = asyncio.Event(), asyncio.Event()
    server, passed = Server(), 0.0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + passed)
    monkeypatch.setattr("baohuang.api.remote.client.time", clock)

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        begun.set()
        await gate.wait()
        await server(reader, writer)

    async def work() -> None:
        nonlocal passed
        limits = Limits(per_agent=1)
        async with serving(script) as url, client_of(LOOPBACK, limits=limits) as client:
            first = asyncio.create_task(post(client, url))
            second = asyncio.create_task(post(client, url))
            await begun.wait()
            passed = 2 * UNHURRIED  # longer than the second's deadline
            gate.set()
            assert isinstance(await first, Reply)
            assert isinstance(await second, Reply)

    run(work())
    assert server.connections == 1


# What is sent


def test_the_request_is_signed_by_both_secrets_of_a_rotation_and_says_little_else() -> None:
    server, secrets = Server(), [new_secret(), new_secret()]

    async def work() -> None:
        async with serving(server) as url, client_of(LOOPBACK) as client:
            await HttpAgent(url + "bot?x=1", secrets, client).decide(question())

    run(work())
    headers, body = server.requests[0]
    for secret in secrets:
        sent = Webhook(secret).verify(body, headers)
    assert headers["webhook-id"] == sent["request"] == question().request
    assert headers[""] == "POST /bot?x=1 HTTP/1.1"
    assert set(headers) - {""} == {
        "host", "accept", "accept-encoding", "user-agent", "content-type", "content-length",
        "webhook-id", "webhook-timestamp", "webhook-signature",
    }  # fmt: skip
    assert headers["accept-encoding"] == "identity"


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1/")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1/")

    async def work() -> None:
        async with serving(Server()) as url, client_of(LOOPBACK) as client:
            assert isinstance(await post(client, url), Reply)

    run(work())


def test_neither_agent_nor_fault_shows_a_secret() -> None:
    secret = new_secret()

    async def work() -> str:
        async with serving(Server(None, None)) as url, client_of(LOOPBACK) as client:
            agent = HttpAgent(url, [secret], client)
            return repr(agent) + repr(vars(agent)["_client"]) + repr(await agent.decide(question()))

    assert secret[6:] not in run(work())


# Names, blocked targets, TLS, this server's own trouble


def test_a_blocked_url_that_stands_in_the_database_is_a_fault() -> None:
    async def work() -> None:
        async with client_of() as client:
            for url in ("http://127.0.0.1:8000/", "nonsense", "http://localhost/", "http://[::1]/"):
                assert fault_of(await post(client, url)) == ("blocked", "bot")

    run(work())


def test_a_name_that_leads_inside_is_blocked_and_one_that_leads_nowhere_is_dns() -> None:
    names = Names({"inside.example.com": ["10.0.0.1"]})

    async def work() -> None:
        async with client_of(names=names) as client:
            outcome = await post(client, "http://inside.example.com/")
            assert fault_of(outcome) == ("blocked", "bot")
            assert fault_of(await post(client, "http://gone.example.com/")) == ("dns", "bot")

    run(work())


def test_name_servers_that_do_not_answer_are_the_networks_fault() -> None:
    class Silent(Names):
        async def __call__(self, host: str) -> list[str]:
            await asyncio.sleep(60)
            return []

    async def work() -> None:
        guard = Guard()
        for seconds, deadline in ((0.05, 1.0), (1.0, 0.05)):
            resolver = Resolver(guard, Silent(), DnsLimits(seconds=seconds))
            client = Client(guard, resolver)
            outcome = await post(client, "http://slow.example.com/", seconds=deadline)
            assert fault_of(outcome) == ("dns", "network")
            await client.close()

    run(work())


def test_a_name_is_called_at_its_address_with_its_own_host_header() -> None:
    server = Server()
    names = Names({"bot.example.com": ["127.0.0.1"]})

    async def work() -> str:
        async with serving(server) as url, client_of(LOOPBACK, names=names) as client:
            port = url.rstrip("/").rpartition(":")[2]
            await post(client, f"http://bot.example.com:{port}/")
            return port

    port = run(work())
    assert server.requests[0][0]["host"] == f"bot.example.com:{port}"


def test_the_second_address_of_a_name_is_tried_when_the_first_refuses() -> None:
    names = Names({"bot.example.com": ["127.0.0.2", "127.0.0.1"]})

    async def work() -> None:
        async with serving(Server()) as url, client_of(LOOPBACK, names=names) as client:
            port = url.rstrip("/").rpartition(":")[2]
            outcome = await post(client, f"http://bot.example.com:{port}/")
            assert isinstance(outcome, Reply)

    run(work())


def test_an_agent_at_an_ipv6_address_is_called() -> None:
    server = Server()

    async def work() -> str:
        async with serving(server, "::1") as url, client_of("::1/128") as client:
            assert isinstance(await post(client, url), Reply)
            return url

    try:
        url = run(work())
    except OSError as error:
        pytest.skip(f"no IPv6 here: {error}")
    assert server.requests[0][0]["host"] == url.removeprefix("http://").rstrip("/")


@pytest.mark.parametrize(
    ("name", "days", "trusted", "kind"),
    [
        ("bot.example.com", 1, True, None),
        ("bot.example.com", 1, False, "tls"),  # self-signed
        ("bot.example.com", -1, True, "tls"),  # expired
        ("other.example.com", 1, True, "tls"),  # another name
    ],
)
def test_115_certificates_are_verified(
    name: str,
    days: int,
    trusted: bool,
    kind: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    context, file = self_signed(tmp_path, name, days)
    trust = ssl.create_default_context(cafile=str(file) if trusted else None)
    monkeypatch.setattr("baohuang.api.remote.dial.tls_context", lambda: trust)
    names = Names({"bot.example.com": ["127.0.0.1"]})

    async def work() -> Reply | Fault:
        serves = serving(Server(), ssl=context)
        async with serves as url, client_of(LOOPBACK, names=names) as client:
            return await post(client, url.replace("127.0.0.1", "bot.example.com"))

    outcome = run(work())
    assert isinstance(outcome, Reply) if kind is None else fault_of(outcome) == (kind, "bot")


@pytest.mark.usefixtures("late_alarms")
def test_115_a_server_that_never_completes_tls_is_given_up_at_the_deadline() -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    async def work() -> None:
        async with serving(script) as url, client_of(LOOPBACK) as client:
            outcome = await post(client, url.replace("http:", "https:"), seconds=0.2)
            assert fault_of(outcome) == ("tls", "bot")

    run(work())


def test_tls_that_our_own_event_loop_held_up_is_this_servers_fault() -> None:
    async def holds_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)  # of the handshake
        time.sleep(0.5 + 2 * LAG_SECONDS)  # noqa: ASYNC251 - what is tested
        await sleeps(reader, writer)

    async def work() -> None:
        async with serving(holds_up) as url, client_of(LOOPBACK) as client:
            outcome = await post(client, url.replace("http:", "https:"), seconds=0.5)
            assert fault_of(outcome) == ("server", "server")

    run(work())


def test_115_a_server_whose_queue_is_full_is_given_up_at_the_deadline() -> None:
    async def work() -> None:
        with contextlib.ExitStack() as stack:
            place = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
            waiting = stack.enter_context(socket.create_connection(place.getsockname()))
            waiting.setblocking(False)
            async with client_of(LOOPBACK) as client:
                outcome = await post(
                    client, f"http://127.0.0.1:{place.getsockname()[1]}/", seconds=0.2
                )
            assert fault_of(outcome) == ("connect", "network")

    run(work())


def test_what_is_said_before_the_request_is_no_answer_to_it() -> None:
    """Over TLS it comes with the end of the handshake, before anything can be asked."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(response(GOOD.replace(b"01TEST", b"01PAST")))
        await reader.read()

    async def work() -> None:
        async with serving(script) as url, client_of(LOOPBACK) as client:
            decision = await HttpAgent(url, [], client).decide(question(5000))
            assert decision.status in ("stale", "connect")

    run(work())


def test_plain_http_where_tls_is_expected_is_a_tls_fault() -> None:
    async def work() -> None:
        async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            await reader.read(1)

        async with serving(script) as url, client_of(LOOPBACK) as client:
            outcome = await post(client, url.replace("http:", "https:"))
            assert fault_of(outcome) == ("tls", "bot")

    run(work())


def test_no_file_descriptors_left_is_this_servers_fault() -> None:
    def exhausted(*_: object) -> socket.socket:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    async def work() -> None:
        guard = Guard([LOOPBACK], make_socket=exhausted)
        client = Client(guard, Resolver(guard, Names()))
        assert fault_of(await post(client, "http://127.0.0.1:8000/")) == ("server", "server")
        await client.close()

    run(work())


# Notices and hello


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (b"HTTP/1.1 204 No Content\r\n\r\n", None),
        (response(b"thanks", "202 Accepted", kind="text/plain"), None),
        (response(b"<html>", "500 X"), "status"),
    ],
)
def test_any_2xx_will_do_for_a_notice(answer: bytes, kind: str | None) -> None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(answer)

    async def work() -> Reply | Fault:
        async with serving(script) as url, client_of(LOOPBACK) as client:
            return await post(client, url, exact=False)

    outcome = run(work())
    assert (outcome.kind if isinstance(outcome, Fault) else None) == kind


def hello(answer: bytes) -> Fault | None:
    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        writer.write(response(answer))

    async def work() -> Fault | None:
        async with serving(script) as url, client_of(LOOPBACK) as client:
            return await HttpAgent(url, [], client).hello("c0ffee")

    return run(work())


def test_an_agent_is_verified_by_the_challenge_it_echoes() -> None:
    assert hello(b'{"challenge":"c0ffee"}') is None
    for answer, kind in {
        b'{"challenge":"cafe"}': "schema",
        b"{}": "schema",
        b'{"request":"01X","challenge":"c0ffee"}': "stale",
        b"c0ffee": "malformed",
    }.items():
        fault = hello(answer)
        assert fault is not None
        assert (answer, fault.kind) == (answer, kind)


# Time


def test_the_time_charged_is_from_the_sending_on_less_the_measured_round_trip() -> None:
    async def work() -> None:
        async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while True:
                await read_request(reader)
                await asyncio.sleep(0.4)
                writer.write(response(GOOD))

        async with serving(script) as url, client_of(LOOPBACK) as client:
            reply = await post(client, url)
            assert isinstance(reply, Reply)
            assert 400 <= reply.answer_ms <= reply.ms
            assert 0 <= reply.allowance_ms < 400
            decision = await HttpAgent(url, [], client).decide(question())
            assert 249 <= decision.charged_ms <= decision.ms  # the allowance is 150 at most

    run(work())


class SlowNames(Names):
    """A name server that takes its time: `took_ms` in all."""

    took_ms = 0.0

    async def __call__(self, host: str) -> list[str]:
        began = time.monotonic()
        await asyncio.sleep(LOOKUP_MS / 1000)
        self.took_ms += (time.monotonic() - began) * 1000
        return await super().__call__(host)


LOOKUP_MS, THINKS_MS, LIMIT_MS = 400, 300, 1300
ALLOWANCE_MS = 150  # is the network's share at most; less than a lookup, so that one more is seen


class Thinker:
    """A connection for each answer: reads, thinks, writes, closes; afterwards says nothing.

    `thought_ms`: before its answers. `silent_at`: since when it has a request that it does not
    answer.
    """

    def __init__(self, *answers: bytes) -> None:
        self._left = list(answers)
        self.thought_ms = 0.0
        self.silent_at: float | None = None

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        began = time.monotonic()
        if not self._left:
            self.silent_at = began
            await asyncio.sleep(60)
        await asyncio.sleep(THINKS_MS / 1000)
        self.thought_ms += (time.monotonic() - began) * 1000
        writer.write(self._left.pop(0))


@pytest.mark.usefixtures("late_alarms")
@pytest.mark.parametrize(
    ("answers", "status"),
    [
        ([response(GOOD)], "ok"),
        ([response(b"no", "500 X")], "status"),
        ([response(b"{")], "malformed"),
        ([b"", b""], "connect"),
        ([], "timeout"),
        ([b""], "timeout"),
    ],
    ids=["answer", "status", "malformed", "closes twice", "says nothing", "closes, then nothing"],
)
def test_a_fault_costs_what_an_answer_would_and_never_the_looking_up(
    answers: list[bytes], status: str
) -> None:
    server = Thinker(*answers)

    async def work() -> None:
        names = SlowNames({"bot.example.com": ["127.0.0.1"]})
        asked = question(LIMIT_MS) if status == "timeout" else question()
        async with serving(server) as url, client_of(LOOPBACK, names=names) as client:
            named = url.replace("127.0.0.1", "bot.example.com")
            began = time.monotonic()
            decision = await HttpAgent(named, [], client).decide(asked)
        assert decision.status == status
        had_ms = server.thought_ms
        if server.silent_at is not None:
            had_ms += LIMIT_MS - (server.silent_at - began) * 1000
        assert had_ms - ALLOWANCE_MS - 1 <= decision.charged_ms
        assert decision.charged_ms <= decision.ms - names.took_ms + 2
        if decision.fault is not None:
            assert decision.fault.ms == decision.ms  # what is logged is the whole call

    run(work())


@pytest.mark.usefixtures("late_alarms")
def test_who_was_never_sent_a_request_is_charged_nothing() -> None:
    """His clock stays as it was, though the fault is his: the fallback is what he loses."""

    async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async def work() -> None:
        names = SlowNames({"bot.example.com": ["127.0.0.1"]})
        with refusing() as nobody:
            async with serving(silent) as url, client_of(LOOPBACK, names=names) as client:
                secure = url.replace("http://127.0.0.1", "https://bot.example.com")
                for called, kind, asked in (
                    ("http://no.example.com/", "dns", question()),
                    (f"http://bot.example.com:{nobody}/", "connect", question()),
                    (secure, "tls", question(LIMIT_MS)),
                ):
                    decision = await HttpAgent(called, [], client).decide(asked)
                    assert decision.fault is not None
                    assert (decision.fault.kind, decision.fault.charged_to) == (kind, "bot")
                    assert decision.charged_ms == 0
                    assert decision.ms >= (LIMIT_MS - 1 if kind == "tls" else LOOKUP_MS)

    run(work())


def test_who_thinks_and_then_lets_nobody_in_any_more_is_charged_for_the_thinking() -> None:
    async def work() -> None:
        closed, thought_ms = asyncio.Event(), 0.0

        async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal thought_ms
            await read_request(reader)
            began = time.monotonic()
            await asyncio.sleep(THINKS_MS / 1000)
            thought_ms = (time.monotonic() - began) * 1000
            server.close()
            closed.set()
            writer.close()

        server = await asyncio.start_server(once, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        async with client_of(LOOPBACK) as client:
            decision = await HttpAgent(url, [], client).decide(question())
        assert closed.is_set()
        assert decision.fault is not None
        assert decision.fault.detail == "no connection: Connection refused"
        assert thought_ms - ALLOWANCE_MS - 1 <= decision.charged_ms <= decision.ms

    run(work())


def test_the_networks_share_is_no_more_charged_for_a_fault_than_for_an_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kernel says 100 ms of round trip; of 300 ms that the agent had, 200 are its own."""
    monkeypatch.setattr(Connection, "round_trip_ms", lambda _: 100.0)

    async def work() -> None:
        for answer in (response(GOOD), response(b"no", "500 X")):
            async with serving(Thinker(answer)) as url, client_of(LOOPBACK) as client:
                decision = await HttpAgent(url, [], client).decide(question())
            assert 200 - 1 <= decision.charged_ms <= decision.ms - 100 + 1

    run(work())
