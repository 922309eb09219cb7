"""Which fault an aiohttp exception or an answer's head is, and to whom it is charged.

Charged to the network: what happened before the agent's machine took the connection, its refusing
(`connection refused`, no such name) excepted. To the server: what this machine lacked. Else to the
bot.
"""

from __future__ import annotations

import asyncio
import errno

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError, LineTooLong
from multidict import CIMultiDictProxy

from .calls import Call
from .faults import MAX_DETAIL, ChargedTo, Fault, Kind, excerpt
from .resolver import NoSuchName

LAG_SECONDS = 0.25  # an alarm that rings later than this was delayed by our own event loop
_OUR_OWN = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.EADDRNOTAVAIL}

EXPECTED = (
    aiohttp.ClientError,
    HttpProcessingError,
    asyncio.IncompleteReadError,
    OSError,
    ValueError,
    RuntimeError,
)


def fault(kind: Kind, charged_to: ChargedTo, detail: str) -> Fault:
    return Fault(kind, charged_to, detail[:MAX_DETAIL])


def from_exception(error: BaseException, call: Call) -> Fault:
    """The fault for one of EXPECTED. (Order matters: aiohttp's classes inherit from each other.)"""
    match error:
        case aiohttp.ClientConnectorDNSError():
            return _from_dns(error.os_error)
        case aiohttp.ClientSSLError() | aiohttp.ClientConnectorCertificateError():
            return fault("tls", "bot", f"TLS failed: {excerpt(str(error), 160)}")
        case aiohttp.ClientConnectorError():
            return _from_connect(error.os_error)
        case TimeoutError():
            return fault("connect", "network", "no connection in time")
        case aiohttp.ClientPayloadError():
            return _from_bad_http(error, "the answer breaks off or is not HTTP")
        case aiohttp.ClientResponseError() | HttpProcessingError():
            return _from_bad_http(error, "the answer is not HTTP/1.1")
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientOSError() | ConnectionError():
            return _from_broken(call)
        case _:
            return fault("server", "server", f"the call failed here: {type(error).__name__}")


def from_deadline(call: Call, seconds: float, elapsed: float) -> Fault:
    """The fault of a call that had no answer at its deadline. Times in seconds."""
    if elapsed - seconds > LAG_SECONDS:
        return fault("timeout", "server", "this server was too busy to keep the deadline")
    if call.stage == "dns":
        return fault("dns", "network", "the host's name was not resolved before the deadline")
    if call.stage == "connect":
        return fault("connect", "network", "no connection before the deadline")
    return fault("timeout", "bot", f"no whole answer within {round(seconds * 1000)} ms")


def from_head(status: int, headers: CIMultiDictProxy[str], exact: bool) -> Fault | None:
    """The fault in a status and headers, None if the body may be read.

    `exact` asks for status 200 and JSON, else any 2xx will do.
    """
    if 300 <= status < 400 and status != 304:
        return fault("redirect", "bot", f"status {status}: redirects are not followed")
    if status != 200 if exact else not 200 <= status < 300:
        return fault("status", "bot", f"status {status} instead of 200")
    if "Content-Encoding" in headers:
        return fault("content_type", "bot", "the answer has a Content-Encoding; send it plain")
    if exact and not _is_json(headers.getall("Content-Type", [])):
        return fault(
            "content_type", "bot", "the answer's Content-Type is not application/json (UTF-8)"
        )
    return None


def _from_dns(error: OSError) -> Fault:
    if error.errno == errno.EACCES:
        return _blocked(error)
    charged: ChargedTo = "bot" if isinstance(error, NoSuchName) else "network"
    return fault("dns", charged, str(error))


def _from_connect(error: OSError) -> Fault:
    if error.errno == errno.EACCES:
        return _blocked(error)
    if error.errno in _OUR_OWN:
        return fault("server", "server", f"this server cannot connect: {error.strerror}")
    if error.errno == errno.ECONNREFUSED:
        return fault("connect", "bot", "connection refused")
    return fault("connect", "network", f"no connection: {error.strerror or 'unreachable'}")


def _blocked(error: OSError) -> Fault:
    return fault("blocked", "bot", str(error.strerror))


def _from_broken(call: Call) -> Fault:
    if call.received:
        return fault("malformed", "bot", "the connection was closed in the middle of the answer")
    return fault("connect", "bot", "the connection was closed before the answer began")


def _from_bad_http(error: BaseException, detail: str) -> Fault:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, LineTooLong) or "Too many headers" in str(cause):
            return fault("too_large", "bot", "the answer's head has too many or too long lines")
        cause = cause.__cause__
    return fault("malformed", "bot", detail)


def _is_json(values: list[str]) -> bool:
    if len(values) != 1:
        return False
    kind, *parameters = (part.strip().lower() for part in values[0].split(";"))
    charsets = [part[8:].strip('"') for part in parameters if part.startswith("charset=")]
    return kind == "application/json" and all(each in ("utf-8", "utf8") for each in charsets)
