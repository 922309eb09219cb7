"""Entity tags: `"<version>-<digest>"` for a row, `"<digest>"` for everything else.

The digest makes the tag strong (other bytes, other tag). A change is compared by the version alone,
since that is what the UPDATE checks.
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Protocol

from flask import Request

from ..errors import Malformed, PreconditionFailed, PreconditionRequired

_TAG = re.compile(r'(?:W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
MAX_TAG = 100

_VERSION = re.compile(r"(0|[1-9][0-9]{0,8})(?:-[0-9a-f]+)?")


class Seen(Protocol):
    """What a glance gives."""

    @property
    def tag(self) -> str:
        """Another one whenever the answer is another."""


class NotModified(Exception):
    """The client's copy is the current one; `tag` goes into the 304."""

    def __init__(self, tag: str) -> None:
        super().__init__(tag)
        self.tag = tag


def tag_of(body: bytes, version: int | None) -> str:
    """The tag (without quotes) of an answer's bytes and of the row that they show."""
    digest = blake2b(body, digest_size=6).hexdigest()
    return digest if version is None else f"{version}-{digest}"


def of_glance(tag: str, query: bytes, shape: bytes) -> str:
    """The tag of what a glance saw. Other arguments, or members, are another representation."""
    return f"{tag}-{blake2b(query, digest_size=6, key=shape).hexdigest()}"


def matches(request: Request, tag: str) -> bool:
    """Whether `If-None-Match` names the tag: compared weakly, as RFC 9110 says."""
    return named(request.headers.get("If-None-Match", ""), tag)


def named(header: str, tag: str) -> bool:
    """Whether the text of an `If-None-Match` names the tag."""
    header = header.strip()
    return header == "*" or tag in _TAG.findall(header)


def wanted_version(request: Request) -> int | None:
    """The row version that `If-Match` names, None without the header.

    `*` names no version, and a weak tag never matches.
    """
    header = request.headers.get("If-Match")
    if header is None:
        return None
    tag = header.strip()
    if tag == "*":
        raise PreconditionRequired("If-Match must name the version that you read, not `*`.")
    if not _TAG.fullmatch(tag) or len(tag) > MAX_TAG:
        raise Malformed("If-Match must be one entity tag in quotes, as ETag gave it.")
    version = _VERSION.fullmatch(tag.strip('"'))
    if version is None:
        raise PreconditionFailed("If-Match does not name a current version; read the thing again.")
    return int(version[1])


def required_version(request: Request) -> int:
    """As `wanted_version`, for operations that need it; raises `PreconditionRequired`."""
    version = wanted_version(request)
    if version is None:
        raise PreconditionRequired("Send If-Match with the ETag that you read.")
    return version
