"""The guard of every outgoing call: which URLs are accepted, which addresses a socket may reach.

Two checks. At registration `check_url` and `admit` refuse with the rule named, so that an owner can
mend it. At every connect `socket_factory` sees the exact address, whatever name, literal, redirect
or changed DNS answer led there: no socket is made for a refused one. That second check is the
authority. Rules: length characters fragment scheme userinfo host port name own address dns.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv6Network, ip_network

from aiohappyeyeballs import AddrInfoType

from .addresses import Address, Network, parse_address, why_not_public
from .own import LOOPBACK, own_places
from .urls import Blocked, Target, parse_url

# Services that speak on a port of their own and are never a bot; all below the ephemeral ports.
SERVICE_PORTS = frozenset(
    {1080, 1099, 1433, 1521, 1723, 1883, 2049, 2181, 2375, 2376, 2379, 2380, 3128, 3260, 3306}
    | {3389, 4369, 5060, 5061, 5432, 5433, 5672, 5900, 5984, 5985, 5986, 6379, 6380, 6443, 6660}
    | {6666, 6667, 6668, 6669, 6697, 7199, 7474, 7687, 8086, 8200, 8300, 8500, 8600, 9042, 9092}
    | {9100, 9160, 9200, 9300, 9418, 10250, 10255, 11211, 15672, 16379, 25672, 26379}
    | {27017, 27018, 27019, 28017}
)
_INSIDE = ("local", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa", "onion")
_LOOPBACK = tuple(map(parse_address, LOOPBACK))


@dataclass(frozen=True, slots=True)
class Exemption:
    """What an operator allows beside the public internet: a network, on one or any usual port."""

    network: Network
    port: int | None

    @classmethod
    def parse(cls, text: str) -> Exemption:
        """From `CIDR[:port]`, IPv6 with a port as `[fd00::/8]:8080`. Raises ValueError."""
        plain = text.strip()
        v6_port = plain.startswith("[")
        cidr, colon, port = plain.rpartition(":") if v6_port or "." in plain else (plain, "", "")
        if not colon:
            cidr = plain
        try:
            network = ip_network(cidr.strip("[]") if v6_port else cidr)
            number = int(port) if colon else None
        except ValueError:
            raise ValueError(
                f"not a network with an optional port (CIDR[:port]): {text!r}"
            ) from None
        if number is not None and not 0 < number < 65536:
            raise ValueError(f"no such port: {text!r}")
        return cls(network, number)

    def covers(self, address: Address, port: int) -> bool:
        return address in self.network and self.port in (None, port)

    def __str__(self) -> str:
        if self.port is None:
            return str(self.network)
        v6 = isinstance(self.network, IPv6Network)
        return f"[{self.network}]:{self.port}" if v6 else f"{self.network}:{self.port}"


class Guard:
    """Decides about URLs and addresses; knows nothing of HTTP.

    `exceptions`: `CIDR[:port]` strings of the operator, each widening only itself. `own`: names or
    addresses, with or without `:port`, under which this server is reached (own.py); never called.
    `0.0.0.0:port` and `[::]:port` stand for every address of this machine. Raises ValueError for
    either that cannot be read.
    """

    def __init__(
        self,
        exceptions: Iterable[str] = (),
        own: Iterable[str] = (),
        make_socket: Callable[..., socket.socket] = socket.socket,
    ) -> None:
        self.exemptions = tuple(Exemption.parse(text) for text in exceptions)
        self._own = frozenset(place for text in own for place in own_places(text))
        self._own_ports = frozenset(map(_wildcard_port, self._own)) - {None}
        self._make_socket = make_socket

    def check_url(self, text: str) -> Target:
        """The target of a URL that may be registered; Blocked names the rule it breaks. No DNS."""
        target = parse_url(text)
        if target.address is not None:
            self.check_address(target.address, target.port)
        elif is_localhost(target.host):
            self._check_localhost(target.port)
        else:
            self._check_name(target.host, target.port)
        return target

    def check_address(self, address: Address, port: int) -> None:
        """Blocked unless a socket may be opened to this address and port."""
        self._check_own(str(address), port)
        if port in self._own_ports and _is_of_this_machine(address):
            raise _own()
        exempt = [each for each in self.exemptions if each.covers(address, port)]
        if any(each.port == port for each in exempt):
            return
        _check_port(port)
        why = None if exempt else why_not_public(address)
        if why is not None:
            raise Blocked("address", f"{address} is not on the public internet ({why})")

    def check_answers(self, host: str, port: int, answers: Iterable[str]) -> list[Address]:
        """The addresses of a name, all of them fit to be called; one bad one refuses the name.

        A loopback name stands for those loopback addresses that the operator allows.
        """
        if is_localhost(host):
            return self._check_localhost(port)
        addresses = [_parsed(text) for text in answers]
        for address in addresses:
            self.check_address(address, port)
        return addresses

    def socket_factory(self, info: AddrInfoType) -> socket.socket:
        """A socket for this address, or OSError(EACCES). Asked before every connect."""
        family, kind, protocol, _, place = info
        try:
            if len(place) > 3 and place[3]:
                raise Blocked("address", "an address with a scope id belongs to a local link")
            self.check_address(_parsed(str(place[0])), int(place[1]))
        except Blocked as blocked:
            raise OSError(errno.EACCES, f"blocked: {blocked.detail}") from None
        return self._make_socket(family, kind, protocol)

    def _check_localhost(self, port: int) -> list[Address]:
        allowed = [a for a in _LOOPBACK if any(e.covers(a, port) for e in self.exemptions)]
        for address in allowed or _LOOPBACK:
            self.check_address(address, port)
        return allowed

    def _check_name(self, name: str, port: int) -> None:
        self._check_own(name, port)
        _check_port(port)
        if "." not in name:
            raise Blocked("name", "the host is a full domain name, with a dot")
        if any(name.endswith(f".{suffix}") for suffix in _INSIDE):
            raise Blocked("name", f"names such as {name} exist only inside a network")

    def _check_own(self, host: str, port: int) -> None:
        if {host, f"{host}:{port}", f"[{host}]:{port}"} & self._own:
            raise _own()


def _own() -> Blocked:
    return Blocked("own", "this is the address of this server itself")


def _wildcard_port(own: str) -> int | None:
    host, _, port = own.rpartition(":")
    return int(port) if host in ("0.0.0.0", "[::]") and port.isdigit() else None  # noqa: S104


def _is_of_this_machine(address: Address) -> bool:
    """Only an address of this machine can be bound."""
    family = socket.AF_INET6 if address.version == 6 else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind((str(address), 0))
        except OSError:
            return False
    return True


def is_localhost(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


def _check_port(port: int) -> None:
    if port < 1024 and port not in (80, 443):
        raise Blocked("port", f"port {port} is below 1024; use 80, 443 or one from 1024 up")
    if port in SERVICE_PORTS:
        raise Blocked("port", f"port {port} is where another kind of service listens; try 8080")


def _parsed(text: str) -> Address:
    try:
        return parse_address(text)
    except ValueError:
        raise Blocked("address", "an address in no usual form") from None
