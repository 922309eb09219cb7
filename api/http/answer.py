"""From what a view returns to an HTTP answer: schema, bytes, status, `ETag`, `Location`, pages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any

import orjson
from flask import Request, Response, request
from marshmallow import Schema
from werkzeug.datastructures import MIMEAccept

from ..services.paging import Page, TextPage
from . import cursor, etag
from .call import Call
from .dump import Convert, shower
from .paged import PART

JSON = "application/json"
ANYTHING = "*/*"


@dataclass(frozen=True, kw_only=True)
class Answering:
    """How an operation answers when all went well.

    `location` is a path with fields of the answer in braces, for 201. `stream` is the type of the
    answer's other form, for which the view itself returns a `Response`. `partial`: a list shows
    only the members that `fields` names, if it does.
    """

    status: int
    schema: Schema | None = None
    content_type: str = JSON
    location: str | None = None
    stream: str | None = None
    partial: bool = False

    def acceptable(self, request: Request) -> bool:
        """Whether the client takes this content type (without `Accept` it takes anything)."""
        types = self.types(request)
        if request.environ.get("HTTP_ACCEPT", ANYTHING) in (ANYTHING, *types):
            return True
        accepted: MIMEAccept = request.accept_mimetypes
        return not accepted or any(accepted[name] for name in types)

    def types(self, request: Request) -> tuple[str, ...]:
        """The content types of the answer to a request that is right."""
        if self.partial and "fields" in request.args:
            return (PART,)
        return (self.content_type,) if self.stream is None else (self.content_type, self.stream)

    def respond(self, call: Call, result: Any) -> Response:
        """The answer for what the view returned; a ready `Response` is left as it is."""
        if isinstance(result, Response):
            if request.method == "HEAD":
                result.close()  # nobody reads it to its end
            return result
        if self.schema is None:
            return _empty(self.status)
        if isinstance(result, Page | TextPage):
            return self._page(call, result)
        return self._finish(call, self.show(result), _version(result))

    @cached_property
    def show(self) -> Convert:
        """How one thing is shown."""
        assert self.schema is not None
        return shower(self.schema)

    @cached_property
    def shape(self) -> bytes:
        """What stands for the members that are shown: another release may show more."""
        names = sorted(self.schema.dump_fields) if self.schema is not None else ()
        return blake2b(",".join(names).encode(), digest_size=16).digest()

    def _page(self, call: Call, page: Page[Any] | TextPage) -> Response:
        following = None
        if page.after is not None:
            key = call.arena.vault.derive("cursor")
            following = cursor.encode(key, request, page.after)
        items = self._items(call, page)
        response = self._finish(call, {"items": items, "next": following}, None)
        if following is not None:
            response.headers["Link"] = f'<{cursor.next_url(request, following)}>; rel="next"'
        return response

    def _items(self, call: Call, page: Page[Any] | TextPage) -> Any:
        if isinstance(page, TextPage):
            if call.part is None:
                return orjson.Fragment(f"[{page.text}]")
            items = orjson.loads(f"[{page.text}]")
            return [{name: item[name] for name in item if name in call.part} for item in items]
        show = self.show
        if call.part is not None and self.schema is not None:
            show = _shower_of(type(self.schema), call.part)
        return [show(item) for item in page.items]

    def _finish(self, call: Call, shown: Any, version: int | None) -> Response:
        data = orjson.dumps(shown)
        tag = call.tag or etag.tag_of(data, version)
        if request.method in ("GET", "HEAD") and etag.matches(request, tag):
            raise etag.NotModified(tag)
        content_type = self.content_type if call.part is None else PART
        response = Response(data, self.status, mimetype=content_type)
        response.set_etag(tag)
        if self.status == 201:
            response.headers["Location"] = self._location(shown)
        return response

    def _location(self, shown: dict[str, Any]) -> str:
        if self.location is None:
            return f"{request.path}/{shown['id']}"
        return self.location.format_map(shown)


@lru_cache(maxsize=256)
def _shower_of(schema: type[Schema], part: frozenset[str]) -> Convert:
    """How some members of a thing are shown."""
    return shower(schema(only=part))


def _empty(status: int) -> Response:
    response = Response(status=status)
    del response.headers["Content-Type"]
    return response


def _version(result: Any) -> int | None:
    """The row version of a single thing; a mapping may carry one as well."""
    if isinstance(result, dict):
        return result.get("version")
    version: int | None = getattr(result, "version", None)
    return version
