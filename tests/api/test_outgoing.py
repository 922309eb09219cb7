"""The guard that an arena's settings make."""

from __future__ import annotations

import logging

import pytest

from baohuang.api.config import Config, ConfigError
from baohuang.api.outgoing import guard_of
from baohuang.api.remote.urls import Blocked


def test_every_exception_is_logged_at_start(caplog, monkeypatch):
    # import-linter, when a test runs it in this process, switches all loggers off.
    monkeypatch.setattr(logging.getLogger("baohuang.api.outgoing"), "disabled", False)
    with caplog.at_level(logging.WARNING):
        guard_of(Config(allow=("10.0.0.0/8:8000", "[fd00::/8]:9000")))
    assert [record.getMessage() for record in caplog.records] == [
        "calls to 10.0.0.0/8:8000 are allowed by the operator",
        "calls to [fd00::/8]:9000 are allowed by the operator",
    ]


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:8000/", "http://localhost:8000/bot", "https://arena.example.org/"],
)
def test_nobody_may_be_called_at_the_arena_itself(url):
    guard = guard_of(Config(allow=("127.0.0.0/8",), own=("arena.example.org",)))
    with pytest.raises(Blocked, match="own"):
        guard.check_url(url)


@pytest.mark.parametrize(
    "own",
    [
        "Arena.Example.ORG",
        "arena.example.org.",
        "https://arena.example.org",
        "HTTPS://Arena.example.org./api/v1?x#y",
        " arena.example.org ",
        "arena.example.org:443",
        "https://arena.example.org:0443/",
    ],
)
def test_a_name_of_our_own_counts_however_it_is_written(own):
    with pytest.raises(Blocked, match="own"):
        guard_of(Config(own=(own,))).check_url("https://arena.example.org/")


@pytest.mark.parametrize(
    ("own", "url"),
    [
        ("Bücher.example", "http://xn--bcher-kva.example/"),
        ("[2606:2800:220:1:0:0:0:1]", "http://[2606:2800:220:1::1]:8080/"),
        ("2606:2800:220:1:0:0:0:1", "http://[2606:2800:220:1::1]:8080/"),
        ("[2606:2800:220:1:0:0:0:1]:8080", "http://[2606:2800:220:1::1]:8080/"),
        ("LOCALHOST:9000", "http://127.0.0.1:9000/"),
    ],
)
def test_an_address_of_our_own_counts_however_it_is_written(own, url):
    with pytest.raises(Blocked, match="own"):
        guard_of(Config(own=(own,), allow=("127.0.0.0/8",))).check_url(url)


def test_a_port_of_our_own_leaves_the_others_free():
    guard_of(Config(own=("https://arena.example.org:8443/",))).check_url(
        "https://arena.example.org/"
    )


def test_the_address_that_the_api_listens_on_may_be_ipv6():
    guard = guard_of(Config(host="::1", allow=("::1/128",)))
    guard.check_url("http://[::1]:8001/")
    with pytest.raises(Blocked, match="own"):
        guard.check_url("http://[::1]:8000/")


@pytest.mark.parametrize(
    "own", ["ftp://arena.example.org", "a b", "arena..org", "https://", "x@y.org", "a.org:70000"]
)
def test_a_name_that_could_never_match_is_an_error_of_the_setting(own):
    with pytest.raises(ConfigError, match="BAOHUANG_OWN"):
        guard_of(Config(own=(own,)))
