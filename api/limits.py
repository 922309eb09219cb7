"""Limits on the present request: which there are, whom they count, and what the answer says.

The headers are those of draft-ietf-httpapi-ratelimit-headers: `RateLimit-Policy` and `RateLimit`.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv6Address, ip_address
from math import ceil

from flask import Flask, Response, g, request

from .arena import arena
from .config import Config
from .errors import TooMany
from .limiter import State
from .services.limits import Policy

MINUTE_S = 60
LOGIN_S = 300
HOUR_S = 3600
HINT = 12  # characters of a token that tell one from the other, and give nothing away


def of_tokens(config: Config) -> Policy:
    """The limit on requests with a token."""
    return Policy("token", config.limit_token, MINUTE_S)


def of_addresses(config: Config) -> Policy:
    """The limit on requests without one."""
    return Policy("address", config.limit_address, MINUTE_S)


def by_token(token_id: str) -> None:
    """Count a request with a token."""
    _count(of_tokens(_settings()), token_id)


def by_address() -> None:
    """Count a request without a token."""
    _count(of_addresses(_settings()), address())


def failed_login(text: str) -> None:
    """Count a token that is none: for the address, and more strictly for the two together."""
    by_address()
    hint = text[:HINT]
    _count(Policy("login", _settings().limit_logins, LOGIN_S), f"{address()} {hint}")


def verification(account_id: str) -> None:
    """Count a call to an agent that its owner asks for."""
    _count(Policy("verification", _settings().limit_verifications, HOUR_S), account_id)


def url(account_id: str) -> None:
    """Count a URL of an agent or a webhook, whose name is looked up."""
    _count(Policy("url", _settings().limit_urls, HOUR_S), account_id)


def address() -> str:
    """Where the request comes from. Behind trusted proxies (`BAOHUANG_PROXY_HOPS`) it is what they
    say.
    """
    return network(request.remote_addr or "")


def network(remote: str) -> str:
    """An address; of an IPv6 address the network, which is one customer's."""
    try:
        found = ip_address(remote.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or IPv6Address(int(found) >> 64 << 64))
    return str(found)


def register(app: Flask) -> None:
    """Say in every answer how much of the limit is left."""
    app.after_request(_tell)


def _settings() -> Config:
    return arena().config


def _count(policy: Policy, subject: str) -> None:
    if not policy.quota:
        return
    state = g.rate = arena().limiter.take(policy, subject)
    g.rate_subject = subject
    if not state.allowed:
        raise TooMany(
            f"No more than {policy.quota} requests in {policy.window_s} seconds "
            f"(limit `{policy.name}`).",
            max(1, ceil(state.reset_s)),
        )


def _tell(response: Response) -> Response:
    state = g.get("rate")
    if state is None:
        return response
    if response.status_code == 304:
        arena().limiter.give_back(state.policy, g.rate_subject)
    for name, value in headers(state):
        response.headers[name] = value
    return response


def headers(state: State) -> Iterator[tuple[str, str]]:
    """What an answer says of a limit."""
    policy = state.policy
    yield "RateLimit-Policy", f'"{policy.name}";q={policy.quota};w={policy.window_s}'
    yield "RateLimit", f'"{policy.name}";r={state.left};t={ceil(state.reset_s)}'
