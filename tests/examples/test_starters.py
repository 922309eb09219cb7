"""Every starter agent keeps the protocol as `check-bot` sees it, and lives through odd callers."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from baohuang.api.cli import main
from baohuang.api.ports import free_port
from baohuang.api.remote.agent import HttpAgent
from baohuang.api.remote.client import Client
from baohuang.api.remote.faults import Fault
from baohuang.api.remote.guard import Guard
from baohuang.api.remote.signing import decode_secret, new_secret, signed_headers
from baohuang.engine.record import verify

from ..scheduler.arena import until
from .starters import (
    COMMANDS,
    EXAMPLES,
    LANGUAGES,
    command_of,
    environment_of,
    running,
)

each_language = pytest.mark.parametrize("language", LANGUAGES)
DECIDE = (EXAMPLES.parent / "openapi" / "examples" / "decide-follow.json").read_bytes()
LOOPBACK = "127.0.0.0/8"


def check(url: str, secret: str) -> Result:
    """With a budget that a busy machine keeps: slowness is not what is tested here."""
    options = ["--secret", secret, "--each", "1", "--budget-ms", "10000"]
    return CliRunner().invoke(main, ["check-bot", url, *options])


async def _hello(url: str, keys: tuple[str, ...]) -> Fault | None:
    client = Client(Guard([LOOPBACK]))
    try:
        return await HttpAgent(url, keys, client, "starter").hello(secrets.token_hex(8))
    finally:
        await client.close()


def hello(url: str, *keys: str) -> Fault | None:
    return asyncio.run(_hello(url, keys))


def signed(body: bytes, secret: str, **changed: str) -> bytes:
    """A whole request; `changed` replaces headers by names with `_` for `-`."""
    headers = signed_headers([decode_secret(secret)], "01STARTER", int(time.time()), body)
    headers |= {"host": "bot", "content-length": str(len(body)), "connection": "close"}
    headers["content-type"] = "application/json"
    headers |= {name.replace("_", "-"): value for name, value in changed.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items() if value)
    return b"POST / HTTP/1.1\r\n" + lines.encode("latin-1") + b"\r\n" + body


def status_of(url: str, sent: bytes) -> int | None:
    """What a raw request is answered with; None if the connection ends without an answer."""
    host, port = url.removeprefix("http://").rstrip("/").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as place:
        try:
            place.sendall(sent)
            place.shutdown(socket.SHUT_WR)
            answer = place.makefile("rb").readline()
        except TimeoutError:
            raise
        except OSError:  # reset, or gone already
            return None
    return int(answer.split()[1]) if answer.startswith(b"HTTP/") else None


ODD = {
    "no JSON": b"{not json",
    "nothing": b"",
    "null": b"null",
    "a number": b"7",
    "a text": b'"decide"',
    "a list": b'["kind", "decide"]',
    "not UTF-8": b'{"kind": "\xff"}',
    "nested 100,000 deep": b"[" * 100_000,
    "a number of 5,000 digits": b'{"kind": ' + b"9" * 5000 + b"}",
    "no kind": b"{}",
    "an unknown kind": b'{"kind": "dance", "request": "x"}',
    "a kind that is an object": b'{"kind": {"kind": "decide"}, "request": "x"}',
    "decide with nothing else": b'{"kind": "decide", "request": "x"}',
    "hello without a challenge": b'{"kind": "hello", "request": "x"}',
}
FORGED = {
    "no headers": {"webhook_id": "", "webhook_timestamp": "", "webhook_signature": ""},
    "another id": {"webhook_id": "01OTHER"},
    "an hour ago": {"webhook_timestamp": str(int(time.time()) - 3600)},
    "no number": {"webhook_timestamp": "soon"},
    "a number of 5,000 digits": {"webhook_timestamp": "9" * 5000},
    "a negative time": {"webhook_timestamp": "-1"},
    "superscript digits": {"webhook_timestamp": "\xb2\xb3"},
    "an empty signature": {"webhook_signature": ""},
    "only a version": {"webhook_signature": "v1,"},
    "not ASCII": {"webhook_signature": "v1,\xe9"},
    "1,000 signatures": {"webhook_signature": "v1,AAAA " * 1000},
}
BROKEN = {
    "no length": b"POST / HTTP/1.1\r\nHost: bot\r\n\r\n{}",
    "a negative length": b"POST / HTTP/1.1\r\nHost: bot\r\nContent-Length: -5\r\n\r\n{}",
    "a length of a gigabyte": b"POST / HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n{}",
    "a length of 5,000 digits": b"POST / HTTP/1.1\r\nContent-Length: "
    + b"9" * 5000
    + b"\r\n\r\n{}",
    "half a body": b"POST / HTTP/1.1\r\nHost: bot\r\nContent-Length: 100\r\n\r\n{",
    "half a head": b"POST / HTTP/1.1\r\nHost: b",
    "a line without a colon": b"POST / HTTP/1.1\r\nHost\r\n\r\n",
    "another method": b"GET / HTTP/1.1\r\nHost: bot\r\nConnection: close\r\n\r\n",
    "a TLS greeting": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(100),
    "no HTTP": b"hello there\r\n\r\n",
    "endless header": b"POST / HTTP/1.1\r\nX: " + b"x" * 200_000,
}


@each_language
def test_it_passes_check_bot_without_a_warning(language: str) -> None:
    secret = new_secret()
    with running(language, secret) as url:
        result = check(url, secret)
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1].endswith("ok, 0 warning, 0 failed"), result.output


@each_language
def test_it_answers_4xx_to_what_it_cannot_read_and_lives_on(language: str) -> None:
    secret = new_secret()
    with running(language, secret) as url:
        for name, body in ODD.items():
            status = status_of(url, signed(body, secret))
            assert status is not None, name
            assert 400 <= status < 500, (name, status)
        assert hello(url, secret) is None


@each_language
def test_it_believes_no_forged_call(language: str) -> None:
    secret = new_secret()
    with running(language, secret) as url:
        assert status_of(url, signed(DECIDE, secret)) == 200
        for name, changed in FORGED.items():
            status = status_of(url, signed(DECIDE, secret, **changed))
            assert status is not None, name
            assert 400 <= status < 500, (name, status)
        assert status_of(url, signed(DECIDE, new_secret())) == 401


KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="  # 32 bytes
NO_SECRETS = {
    "empty": "",
    "a bare prefix": "whsec_",
    "blanks": "   ",
    "no prefix": KEY,
    "another prefix": f"Whsec_{KEY}",
    "a prefix and a half": f"whsec_whsec_{KEY}",
    "too short": "whsec_c2VjcmV0",
    "23 bytes": "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=",
    "66 bytes": "whsec_" + "AAAA" * 22,
    "no padding": f"whsec_{KEY.rstrip('=')}",
    "cut off": f"whsec_{KEY[:33]}",
    "a blank in it": f"whsec_{KEY[:8]} {KEY[8:]}",
    "a line break at its end": f"whsec_{KEY}\n",
    "quotes around it": f"'whsec_{KEY}'",
    "the alphabet of URLs": "whsec_" + "-_" * 22,
    "what the documentation has": "whsec_…",
}


def refused(command: list[str | Path], secret: str) -> str:
    """What a program says that does not start with a secret."""
    begun = subprocess.run(  # it ends by itself
        command,
        capture_output=True,
        text=True,
        timeout=30,
        env=environment_of(secret),
        check=False,
    )
    assert begun.returncode != 0, "it started"
    assert begun.stdout == ""
    return begun.stderr


@each_language
def test_it_does_not_start_with_what_is_no_secret(language: str) -> None:
    """Or it would believe every caller, and nobody would know."""
    for name, secret in NO_SECRETS.items():
        said = refused(command_of(language), secret)
        assert said.count("\n") == 1, (name, said)
        assert "AGENT_SECRET" in said, (name, said)
        assert "whsec_" in said
        assert KEY[:12] not in said


@each_language
@pytest.mark.parametrize("size", [24, 32, 64])
def test_it_starts_with_every_secret_that_there_may_be(language: str, size: int) -> None:
    secret = "whsec_" + base64.b64encode(bytes(range(size))).decode()
    with running(language, secret) as url:
        assert hello(url, secret) is None
        assert hello(url) is not None


@each_language
def test_without_a_secret_it_says_that_it_believes_everybody(language: str) -> None:
    environment = environment_of(None)
    with subprocess.Popen(
        command_of(language),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    ) as agent:
        assert agent.stdout is not None
        assert agent.stderr is not None
        try:
            url = f"http://127.0.0.1:{int(agent.stdout.readline())}/"
            assert hello(url) is None
        finally:
            agent.kill()
        assert "AGENT_SECRET is not set" in agent.stderr.readline()


def test_the_sample_bots_do_not_start_with_what_is_no_secret_either() -> None:
    greedy: list[str | Path] = [sys.executable, EXAMPLES / "bots" / "greedy.py", "--port", "0"]
    for secret in ("", "whsec_", "whsec_…", KEY, f"whsec_{KEY[:33]}"):
        assert "is not of the form whsec_" in refused(greedy, secret)
        assert "is not of the form" in refused([*greedy, "--secret", secret], f"whsec_{KEY}")


def test_nor_does_the_flask_one_under_another_server() -> None:
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--port", str(free_port())]
    begun = subprocess.run(
        [*command, "agent:app"],
        cwd=EXAMPLES / "python-flask",
        env=environment_of("whsec_"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "AGENT_SECRET is set, but is no secret" in begun.stderr


@each_language
def test_during_a_rotation_one_fitting_signature_is_enough(language: str) -> None:
    old, new = new_secret(), new_secret()
    for known in (old, new):
        with running(language, known) as url:
            assert hello(url, new, old) is None


@each_language
def test_broken_http_ends_a_connection_and_not_the_agent(language: str) -> None:
    with running(language) as url:
        for name, sent in BROKEN.items():
            assert status_of(url, sent) != 200, name
            assert hello(url) is None, name


@each_language
def test_a_mistake_in_choose_is_no_answer_and_not_the_end(language: str) -> None:
    """`legal` is a number here, which no `choose` can work with."""
    asked = {**json.loads(DECIDE), "legal": 7}
    with running(language) as url:
        assert status_of(url, signed(json.dumps(asked).encode(), new_secret())) == 500
        assert hello(url) is None


@each_language
def test_a_caller_who_stays_silent_keeps_nobody_waiting(language: str) -> None:
    with running(language) as url:
        place = url.removeprefix("http://").rstrip("/").split(":")
        silent = [socket.create_connection((place[0], int(place[1]))) for _ in range(20)]
        try:
            assert hello(url) is None
        finally:
            for each in silent:
                each.close()


@each_language
def test_it_plays_a_match_without_a_fault(language: str, tmp_path: Path) -> None:
    record = tmp_path / "record.ndjson"
    with running(language) as url:
        seats = ",".join([url, "greedy", url, "random", url])
        arguments = ["--rules", "wuren", "--deals", "1", "--seed", "s", "--seats", seats]
        result = CliRunner().invoke(main, ["play", *arguments, "--record", str(record)])
    assert result.exit_code == 0, result.output
    assert "faults" not in result.stderr
    verify(json.loads(record.read_text()))


@each_language
def test_five_at_one_table_play_every_deal_at_once(language: str, tmp_path: Path) -> None:
    """The fallback refuses the throne: five who give it are dealt cards that nobody plays."""
    record = tmp_path / "record.ndjson"
    with running(language) as url:
        seats = ",".join([url] * 5)
        arguments = ["--rules", "lianzhong-simple", "--deals", "2", "--seed", "s", "--seats", seats]
        result = CliRunner().invoke(main, ["play", *arguments, "--record", str(record)])
    assert result.exit_code == 0, result.output
    deals = json.loads(record.read_text())["deals"]
    assert [(deal["attempt"], deal["result"]) for deal in deals] == [(1, "scored")] * 2


def test_the_flask_one_passes_under_the_server_that_its_readme_names() -> None:
    secret, port = new_secret(), free_port()
    command = [sys.executable, "-m", "granian", "--interface", "wsgi", "--port", str(port)]
    command += ["--blocking-threads", "4", "agent:app"]
    readme = (EXAMPLES / "python-flask" / "README.md").read_text()
    assert " ".join(["granian", *command[3:5], "--port 9000", *command[-3:]]) in readme
    folder = EXAMPLES / "python-flask"
    environment = {**os.environ, "AGENT_SECRET": secret}
    with subprocess.Popen(command, cwd=folder, env=environment) as server:
        try:
            until(lambda: hello(f"http://127.0.0.1:{port}/", secret) is None)
            result = check(f"http://127.0.0.1:{port}/", secret)
        finally:
            server.terminate()
    assert result.stdout.splitlines()[-1].endswith("ok, 0 warning, 0 failed"), result.output


def test_each_is_about_a_page_and_has_a_readme_with_its_command() -> None:
    for language, (_, file) in COMMANDS.items():
        assert len((EXAMPLES / file).read_text().splitlines()) <= 115, file
        readme = (EXAMPLES / language / "README.md").read_text()
        assert f"{Path(file).name} 9000" in readme
        assert f"[`{language}/`]({language}/)" in (EXAMPLES / "README.md").read_text()
