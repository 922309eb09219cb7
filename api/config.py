"""Every setting of the program: name, type, default, meaning. Read from the environment once.

`SETTINGS` is the table that the documentation prints and the tests read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, NamedTuple


class ConfigError(ValueError):
    """A setting has a value that cannot be used; the message names the setting."""


class Setting(NamedTuple):
    """One row of the table."""

    name: str
    type: str
    default: object
    meaning: str


def _setting(
    name: str,
    default: Any,
    meaning: str,
    *,
    secret: bool = False,
    least: int = 0,
    most: int | None = None,
) -> Any:
    """least, most: the bounds of a number."""
    metadata = {"name": name, "meaning": meaning, "least": least, "most": most}
    return field(default=default, repr=not secret, metadata=metadata)


@dataclass(frozen=True)
class Config:
    """The settings. Secrets stay out of the repr."""

    database_url: str = _setting(
        "DATABASE_URL",
        "sqlite:///baohuang.db",
        "Where the data is: sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME",
        secret=True,
    )
    secret_key: str = _setting(
        "BAOHUANG_SECRET_KEY",
        "",
        "Fernet key that seals stored secrets; several, newest first, separated by commas, while "
        "changing it. With SQLite a key file beside the database is made when this is empty",
        secret=True,
    )
    host: str = _setting("BAOHUANG_HOST", "127.0.0.1", "Address that the API listens on")
    port: int = _setting(
        "BAOHUANG_PORT", 8000, "Port that the API listens on; 0 takes a free one", most=65_535
    )
    workers: int = _setting("BAOHUANG_WORKERS", 1, "Processes that answer HTTP", least=1)
    threads: int = _setting(
        "BAOHUANG_THREADS", 8, "Threads that answer HTTP in each process", least=1
    )
    streams: int = _setting(
        "BAOHUANG_STREAMS",
        1000,
        "Event streams and agents waiting for questions that each of these processes holds at "
        "once; a quarter is kept for agents in a match",
    )
    streams_each: int = _setting(
        "BAOHUANG_STREAMS_EACH",
        200,
        "Of these, how many one account has at most, or without a token one address; agents that "
        "wait for questions count too. 0: no limit",
    )
    body_s: int = _setting(
        "BAOHUANG_BODY_S", 10, "Seconds that a request's body may take to arrive; 0: no limit"
    )
    event_days: int = _setting(
        "BAOHUANG_EVENT_DAYS", 30, "Days for which events and webhook deliveries are kept"
    )
    pool_size: int = _setting(
        "BAOHUANG_POOL_SIZE",
        10,
        "PostgreSQL connections kept a process for reading, and as many for writing",
        least=1,
    )
    proxy_hops: int = _setting(
        "BAOHUANG_PROXY_HOPS", 0, "Trusted proxies in front, whose X-Forwarded-* headers count"
    )
    allow: tuple[str, ...] = _setting(
        "BAOHUANG_ALLOW",
        (),
        "Private addresses where bots may live all the same: CIDR or CIDR:PORT, comma separated",
    )
    own: tuple[str, ...] = _setting(
        "BAOHUANG_OWN",
        (),
        "Names or addresses under which clients reach this arena, comma separated; bots may not "
        "live there",
    )
    limit_token: int = _setting(
        "BAOHUANG_LIMIT_TOKEN", 3000, "Requests a minute with one token; 0: no limit"
    )
    limit_address: int = _setting(
        "BAOHUANG_LIMIT_ADDRESS",
        300,
        "Requests a minute without a token from one address; 0: no limit",
    )
    limit_logins: int = _setting(
        "BAOHUANG_LIMIT_LOGINS",
        10,
        "Wrong tokens with the same beginning in five minutes from one address; 0: no limit",
    )
    limit_verifications: int = _setting(
        "BAOHUANG_LIMIT_VERIFICATIONS",
        10,
        "Calls an hour that one account may have made to verify agents; 0: no limit",
    )
    limit_urls: int = _setting(
        "BAOHUANG_LIMIT_URLS",
        120,
        "URLs an hour that one account may give its agents and webhooks; 0: no limit",
    )
    control_url: str = _setting(
        "BAOHUANG_CONTROL_URL",
        "",
        "An agent of the operator's own, best on another network, that is called when others fail: "
        "if it fails too, that is nobody's fault. Empty: one on loopback",
    )
    match_workers: int = _setting(
        "BAOHUANG_MATCH_WORKERS", 1, "Processes that play matches, as `serve` starts them"
    )
    matches: int = _setting("BAOHUANG_MATCHES", 100, "Matches that a worker plays at once", least=1)
    lease_s: int = _setting(
        "BAOHUANG_LEASE_S",
        30,
        "Seconds after which the matches of a silent worker are free again",
        least=1,
    )
    log_level: str = _setting("BAOHUANG_LOG_LEVEL", "INFO", "DEBUG, INFO, WARNING or ERROR")

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Config:
        """The settings of this process; raises `ConfigError`."""
        given = os.environ if environ is None else environ
        values: dict[str, Any] = {
            item.name: _parse(item, given[item.metadata["name"]])
            for item in fields(cls)
            if given.get(item.metadata["name"])
        }
        return cls(**values)


SETTINGS = tuple(
    Setting(row.metadata["name"], type(row.default).__name__, row.default, row.metadata["meaning"])
    for row in fields(Config)
)


def _parse(item: Field[Any], text: str) -> Any:
    value = _PARSERS[type(item.default)](item.metadata["name"], text.strip())
    if isinstance(value, int):
        _require_within(item.metadata, value)
    return value


def _parse_int(name: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ConfigError(f"{name} must be a whole number, not {text!r}.") from None


def _require_within(bounds: Mapping[str, Any], value: int) -> None:
    if value < bounds["least"]:
        raise ConfigError(f"{bounds['name']} must be {bounds['least']} at least, not {value}.")
    if bounds["most"] is not None and value > bounds["most"]:
        raise ConfigError(f"{bounds['name']} must be {bounds['most']} at most, not {value}.")


_PARSERS: dict[type, Callable[[str, str], Any]] = {
    str: lambda _name, text: text,
    int: _parse_int,
    tuple: lambda _name, text: tuple(part.strip() for part in text.split(",") if part.strip()),
}
