"""Which addresses a stranger's URL may lead to: the public internet, as an allow-list with holes.

`ipaddress.is_global` is not asked: what it calls public changes with the Python version and
includes translation prefixes (NAT64, 6to4) and cloud metadata services that lead back inside.
Holes: IANA special-purpose registries, plus what the clouds put on public numbers.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

FIRST_V4, LAST_V4 = IPv4Address("1.0.0.0"), IPv4Address("223.255.255.255")
UNICAST_V6 = IPv6Network("2000::/3")

_HOLES_V4 = {
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "carrier-grade NAT",
    "127.0.0.0/8": "loopback",
    "168.63.129.16/32": "cloud metadata",
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "protocol assignments",
    "192.0.2.0/24": "documentation",
    "192.31.196.0/24": "AS112 sink",
    "192.52.193.0/24": "multicast tunnels",
    "192.88.99.0/24": "6to4 relay",
    "192.168.0.0/16": "private",
    "192.175.48.0/24": "AS112 sink",
    "198.18.0.0/15": "benchmarking",
    "198.51.100.0/24": "documentation",
    "203.0.113.0/24": "documentation",
}
_HOLES_V6 = {
    "2001::/23": "protocol assignments, Teredo",
    "2001:db8::/32": "documentation",
    "2002::/16": "6to4",
    "2620:4f:8000::/48": "AS112 sink",
    "3fff::/20": "documentation",
}
HOLES: tuple[tuple[Network, str], ...] = tuple(
    (ip_network(text), why) for text, why in (_HOLES_V4 | _HOLES_V6).items()
)


def parse_address(text: str) -> Address:
    """The address in canonical spelling, a mapped IPv4 (`::ffff:…`) folded to itself.

    ValueError for anything else: scope ids, leading zeros, short or numeric forms.
    """
    if "%" in text:
        raise ValueError("an address with a scope id belongs to a local link")
    address = ip_address(text)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def why_not_public(address: Address) -> str | None:
    """None for an address of the public internet, else the few words that say what it is."""
    for network, why in HOLES:
        if address in network:
            return why
    if isinstance(address, IPv4Address):
        return None if FIRST_V4 <= address <= LAST_V4 else "not unicast"
    return None if address in UNICAST_V6 else "not global unicast"
