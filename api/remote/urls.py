"""The one reading of an agent's URL: strict, so that no second parser can read it differently.

What parsers disagree about (backslashes, blanks, user names, numeric hosts, Unicode digits, dots at
the end) is refused here, with the rule named, instead of being normalised.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

import idna

from .addresses import Address, parse_address

MAX_URL = 2048
_DEFAULT_PORTS = {"http": 80, "https": 443}
_SHAPE = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?P<rest>.*)", re.ASCII | re.DOTALL)
_PLACE = re.compile(r"//(?P<authority>[^/?]*)(?P<path>[^?]*)(?P<query>\?.*)?")
_AUTHORITY = re.compile(r"(?P<host>\[[^\]]*\]|[^:\[\]]+)(?::(?P<port>[0-9]{1,5}))?")
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")


class Blocked(Exception):
    """A URL or address that is not called. `rule` is one word, `detail` is for its owner."""

    def __init__(self, rule: str, detail: str) -> None:
        super().__init__(f"{rule}: {detail}")
        self.rule = rule
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Target:
    """A URL taken apart. `address` is set if the host is a literal; `path` includes the query."""

    scheme: str
    host: str
    port: int
    address: Address | None
    path: str

    @property
    def authority(self) -> str:
        """Host and port as in a Host header: the port only where it is not the usual one."""
        shown = f"[{self.host}]" if isinstance(self.address, IPv6Address) else self.host
        return shown if self.port == _DEFAULT_PORTS[self.scheme] else f"{shown}:{self.port}"

    @property
    def url(self) -> str:
        """The URL written canonically."""
        return f"{self.scheme}://{self.authority}{self.path}"


def parse_url(text: str) -> Target:
    """The parts of an http or https URL; Blocked with its rule for anything doubtful."""
    _check_characters(text)
    shape = _SHAPE.fullmatch(text)
    scheme = shape["scheme"].lower() if shape else ""
    if shape is None or scheme not in _DEFAULT_PORTS:
        raise Blocked("scheme", "the URL begins with http:// or https://")
    place = _PLACE.fullmatch(shape["rest"])
    if place is None:
        raise Blocked("host", "the scheme is followed by // and a host")
    host, port, address = _authority(place["authority"], _DEFAULT_PORTS[scheme])
    path = (place["path"] or "/") + (place["query"] or "")
    return Target(scheme, host, port, address, path)


def _check_characters(text: str) -> None:
    if len(text) > MAX_URL:
        raise Blocked("length", f"a URL has at most {MAX_URL} characters")
    if not text.isascii():
        raise Blocked("characters", "a URL is ASCII; write other letters of a name as xn--…")
    if any(not "!" <= letter <= "~" for letter in text) or "\\" in text:
        raise Blocked("characters", "a URL has no blanks, control characters or backslashes")
    if "#" in text:
        raise Blocked("fragment", "a fragment (#…) is never sent; leave it out")
    if _BAD_ESCAPE.search(text):
        raise Blocked("characters", "a % is followed by two hexadecimal digits")


def _authority(text: str, default_port: int) -> tuple[str, int, Address | None]:
    if "@" in text:
        raise Blocked("userinfo", "no user name or password in a URL")
    match = _AUTHORITY.fullmatch(text)
    if match is None:
        raise Blocked("host", "the host is a name, an IPv4 address or an IPv6 address in brackets")
    port = int(match["port"]) if match["port"] else default_port
    if not 0 < port < 65536:
        raise Blocked("port", "a port is between 1 and 65535")
    host = match["host"].lower()
    address = _literal(host)
    return (str(address) if address else _checked_name(host)), port, address


def _literal(host: str) -> Address | None:
    """The address of a literal host, None for a name. A numeric last label makes it a literal."""
    bracketed = host.startswith("[")
    if not bracketed and not _NUMERIC.fullmatch(host.rstrip(".").rpartition(".")[2]):
        return None
    try:
        address = parse_address(host[1:-1] if bracketed else host)
    except ValueError:
        raise Blocked(
            "host", "an address is written in its usual form, such as 192.0.2.1"
        ) from None
    if not bracketed and not isinstance(address, IPv4Address):
        raise Blocked("host", "an IPv6 address stands in brackets")
    if bracketed and ":" not in host:
        raise Blocked("host", "only an IPv6 address stands in brackets")
    return address


def _checked_name(name: str) -> str:
    if len(name) > 253 or not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise Blocked(
            "host", "a host name is made of labels of 1 to 63 letters, digits and hyphens"
        )
    for label in name.split("."):
        _check_punycode(label)
    return name


def _check_punycode(label: str) -> None:
    if label.startswith("xn--"):
        try:
            idna.decode(label)
        except (idna.IDNAError, UnicodeError):
            raise Blocked("host", "a label beginning with xn-- is not valid punycode") from None
