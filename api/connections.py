"""The server's own connections, found among the process's files, to end those that are overdue.

The server is in Rust and keeps them to itself. The system knows of each who is at its other end,
and when bytes came and went last; which one carries which request nobody says. So a connection is
ended only where there is no doubt: it was silent since a body's last piece came, or all that its
peer has under way are bodies that are overdue. (Linux; elsewhere none is ended.)
"""

from __future__ import annotations

import os
import socket
import stat
import struct
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import NamedTuple

from .intake import Peer, Reading

FILES = Path("/proc/self/fd")
NEAR_S = 0.1
_ESTABLISHED = 1
_TIMES = struct.Struct("=B43xI4xI")  # of tcp_info: state, last_data_sent, last_data_recv


class Connection(NamedTuple):
    """One that waits for an answer: `heard` is when its last bytes came, by the monotonic clock."""

    socket: socket.socket
    heard: float


def end_overdue(peer: Peer, overdue: Sequence[Reading], readings: Sequence[Reading]) -> None:
    """Read no more from connections of `peer` that carry overdue bodies; answers still go out."""
    if sys.platform != "linux":
        return
    waiting = list(_waiting(peer))
    try:
        certain = len(overdue) == len(readings) and len(waiting) <= len(readings)
        for connection in waiting:
            if certain or any(abs(each.moved - connection.heard) < NEAR_S for each in overdue):
                with suppress(OSError):
                    connection.socket.shutdown(socket.SHUT_RD)
    finally:
        for connection in waiting:
            connection.socket.close()


def _waiting(peer: Peer) -> Iterator[Connection]:
    """Connections of a peer on which something came since anything went."""
    now, wanted = time.monotonic(), Peer(_plain(peer.address), peer.port)
    for held in _sockets():
        state, sent_ms, heard_ms = _times(held)
        if state == _ESTABLISHED and heard_ms <= sent_ms and _peer(held) == wanted:
            yield Connection(held, now - heard_ms / 1000)
        else:
            held.close()


def _sockets() -> Iterator[socket.socket]:
    """A second handle on every stream of the process that goes over IP."""
    seen: set[int] = set()  # our own second handles take numbers of the list, too
    for file in list(FILES.iterdir()):
        try:
            found = os.fstat(int(file.name))
            if not stat.S_ISSOCK(found.st_mode) or found.st_ino in seen:
                continue
            seen.add(found.st_ino)
            held = socket.socket(fileno=os.dup(int(file.name)))
        except OSError:  # closed meanwhile
            continue
        if held.family in (socket.AF_INET, socket.AF_INET6) and held.type == socket.SOCK_STREAM:
            yield held
        else:
            held.close()


def _times(held: socket.socket) -> tuple[int, int, int]:
    """State, and the milliseconds since bytes were sent and received."""
    try:
        info = held.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TIMES.size)
        state, sent_ms, heard_ms = _TIMES.unpack(info)
    except (OSError, struct.error):
        return 0, 0, 0
    return state, sent_ms, heard_ms


def _peer(held: socket.socket) -> Peer | None:
    try:
        return Peer(_plain(held.getpeername()[0]), held.getsockname()[1])
    except OSError:
        return None


def _plain(address: str) -> str:
    """An address in one spelling."""
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return str(mapped or found)
