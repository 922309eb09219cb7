"""A small DNS server for tests: answers from a table, says nothing to names with `silent`.

Like a real one it says over UDP only that an answer is long, and gives that over TCP.
"""

import asyncio
import contextlib
import errno
import ipaddress
import struct
from collections.abc import Mapping

A, CNAME, AAAA = 1, 5, 28
UDP_BYTES = 512
TRIES = 20


class DnsServer(asyncio.DatagramProtocol):
    """`table`: name to addresses; a value that is a name is a CNAME. Others: NXDOMAIN."""

    def __init__(self, table: Mapping[str, list[str]]) -> None:
        self.table = table
        self.asked: set[str] = set()
        self.heard: asyncio.Queue[str] = asyncio.Queue()

    async def __aenter__(self) -> "DnsServer":
        for tried in range(1, TRIES + 1):
            try:
                await self.listen()
                break
            except OSError as error:  # TCP's port of that number is somebody's
                if error.errno != errno.EADDRINUSE or tried == TRIES:
                    raise
        return self

    async def listen(self) -> None:
        """Over UDP and TCP at one port; neither, if only UDP's is free."""
        loop = asyncio.get_running_loop()
        self.transport, _ = await loop.create_datagram_endpoint(
            lambda: self, local_addr=("127.0.0.1", 0)
        )
        port = self.transport.get_extra_info("sockname")[1]
        try:
            self.server = await asyncio.start_server(self.long, "127.0.0.1", port)
        except OSError:
            self.transport.close()
            raise
        self.place = f"127.0.0.1:{port}"

    async def __aexit__(self, *_: object) -> None:
        self.transport.close()
        self.server.close()

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        name, kind, end = question(data)
        self.asked.add(name)
        self.heard.put_nowait(name)
        if not name.startswith("silent"):
            reply = self.reply(data, name, kind, end)
            self.transport.sendto(reply if len(reply) <= UDP_BYTES else cut(reply, end), addr)

    async def long(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(asyncio.IncompleteReadError, OSError):
            while True:
                data = await reader.readexactly(*struct.unpack(">H", await reader.readexactly(2)))
                reply = self.reply(data, *question(data))
                writer.write(struct.pack(">H", len(reply)) + reply)

    def reply(self, data: bytes, name: str, kind: int, end: int) -> bytes:
        records = [r for value in self.table.get(name, []) for r in self.records(name, value, kind)]
        code = 0 if name in self.table else 3
        head = data[:2] + struct.pack(">HHHHH", 0x8180 | code, 1, len(records), 0, 0)
        return head + data[12:end] + b"".join(records)

    def records(self, name: str, value: str, kind: int) -> list[bytes]:
        if value[0].isalpha() and ":" not in value:
            chain = [record(name, CNAME, wire_name(value))]
            return chain + [r for v in self.table[value] for r in self.records(value, v, kind)]
        address = ipaddress.ip_address(value)
        wanted = A if address.version == 4 else AAAA
        return [record(name, kind, address.packed)] if kind == wanted else []


def question(data: bytes) -> tuple[str, int, int]:
    """Name, type, and where the question section ends."""
    labels, at = [], 12
    while data[at]:
        labels.append(data[at + 1 : at + 1 + data[at]].decode())
        at += 1 + data[at]
    return ".".join(labels).lower(), struct.unpack_from(">H", data, at + 1)[0], at + 5


def cut(reply: bytes, end: int) -> bytes:
    """No record, and the bit that says that there are more (TC)."""
    return reply[:2] + struct.pack(">HHHHH", 0x8380, 1, 0, 0, 0) + reply[12:end]


def wire_name(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def record(name: str, kind: int, data: bytes) -> bytes:
    return wire_name(name) + struct.pack(">HHIH", kind, 1, 0, len(data)) + data
