"""Servers that agree on TLS 1.3 as they should and then send records that no library would.

OpenSSL's key log tells the server's traffic secret; with it records are sealed by hand (RFC 8446,
5.2 and 7). `trusted` makes the certificate good, or nobody would listen to them.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA384
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

from ..remote.dial import tls_context
from .certificates import self_signed
from .scripted import Script, read_request

ALERT, HANDSHAKE, DATA = 21, 22, 23  # what a record holds
GOODBYE = b"\1\0"  # the alert close_notify
TICKET = b"\4\0\0\x0e" + bytes(9) + b"\0\1t\0\0"  # NewSessionTicket, as short as can be
_KEY_UPDATE = b"\x18\0\0\1\0"
_TRUST = "SSL_CERT_FILE"


@contextlib.contextmanager
def trusted() -> Iterator[None]:
    """A certificate for 127.0.0.1 that this process trusts, and those that it starts meanwhile."""
    before = os.environ.get(_TRUST)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[_TRUST] = str(self_signed(Path(folder), "127.0.0.1")[1])
        tls_context.cache_clear()
        try:
            yield
        finally:
            del os.environ[_TRUST]
            if before is not None:
                os.environ[_TRUST] = before
            tls_context.cache_clear()


class Records:
    """Seals what a server sends, for TLS_AES_256_GCM_SHA384, from its first traffic secret on."""

    def __init__(self, secret: bytes) -> None:
        self._use(secret)

    def seal(self, kind: int, content: bytes) -> bytes:
        """A record that holds `content` of that kind."""
        header = b"\x17\3\3" + (len(content) + 17).to_bytes(2)
        nonce = (self._iv ^ self._number).to_bytes(12)
        self._number += 1
        return header + self._key.encrypt(nonce, content + bytes([kind]), header)

    def key_update(self) -> bytes:
        """A record that says that the next has another key."""
        record = self.seal(HANDSHAKE, _KEY_UPDATE)
        self._use(_expand(self._secret, b"traffic upd", 48))
        return record

    def key_updates(self, count: int) -> bytes:
        return b"".join(self.key_update() for _ in range(count))

    def _use(self, secret: bytes) -> None:
        self._secret = secret
        self._key = AESGCM(_expand(secret, b"key", 32))
        self._iv = int.from_bytes(_expand(secret, b"iv", 12))
        self._number = 0


def _expand(secret: bytes, label: bytes, length: int) -> bytes:
    """HKDF-Expand-Label (RFC 8446, 7.1) without a context."""
    label = b"tls13 " + label
    info = length.to_bytes(2) + bytes([len(label)]) + label + b"\0"
    return HKDFExpand(SHA384(), length, info).derive(secret)


def seals(pieces: Callable[[Records, bytes], Iterator[bytes]]) -> Script:
    """Reads a request over TLS and writes the pieces that are made for its body, then closes.

    The certificate is that of `trusted`.
    """
    file = os.environ.get(_TRUST, "")

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = _Line(reader, writer)
        records = await line.agree(file)
        for piece in pieces(records, await line.request()):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)

    return script


class _Line:
    """The server's end of a connection, until the request has been read."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()

    async def agree(self, file: str) -> Records:
        with tempfile.NamedTemporaryFile("r") as log:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(file)
            context.minimum_version = ssl.TLSVersion.TLSv1_3
            context.num_tickets = 0  # nothing is sealed but what we seal
            context.keylog_filename = log.name
            self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
            await self._shake_hands()
            (secret,) = (line.split()[2] for line in log if line.startswith("SERVER_TRAFFIC_"))
        return Records(bytes.fromhex(secret))

    async def request(self) -> bytes:
        """The body of the request."""
        got = b""
        while True:
            got += self._decrypted()  # some may have come with the end of the handshake
            plain = asyncio.StreamReader()
            plain.feed_data(got)
            plain.feed_eof()
            try:
                return (await read_request(plain))[1]
            except asyncio.IncompleteReadError:
                await self._receive()

    async def _shake_hands(self) -> None:
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self._writer.write(self._outgoing.read())
                await self._receive()
            else:
                return

    async def _receive(self) -> None:
        data = await self._reader.read(65536)
        if not data:
            raise ConnectionResetError
        self._incoming.write(data)

    def _decrypted(self) -> bytes:
        got = b""
        with contextlib.suppress(ssl.SSLWantReadError):
            while data := self._tls.read(65536):
                got += data
        return got
