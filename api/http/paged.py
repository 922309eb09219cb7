"""The arguments and the shape of lists in pages."""

from __future__ import annotations

from functools import cache
from typing import Any

from marshmallow import Schema, fields, validate

DEFAULT_LIMIT = 50
MAX_LIMIT = 100


class PageQuery(Schema):
    """Arguments that every list takes."""

    limit = fields.Integer(
        strict=True,
        load_default=DEFAULT_LIMIT,
        validate=validate.Range(1, MAX_LIMIT),
        metadata={"description": "How many items a page holds at most."},
    )
    cursor = fields.String(
        validate=[validate.Length(1, 1000), validate.Regexp("^[A-Za-z0-9_-]+$")],
        metadata={"description": "Where to go on: `next` of the page before."},
    )


def paged_query(filters: type[Schema] | None) -> PageQuery:
    """The arguments of a list that has filters as well."""
    if filters is None:
        return PageQuery()
    kind = type(f"{filters.__name__}Page", (filters, PageQuery), {})
    made: PageQuery = kind()
    return made


def paged_schema(item: Schema) -> Schema:
    """The documented shape of a page of `item`s."""
    return _page_of(type(item))()


@cache
def _page_of(item: type[Schema]) -> type[Schema]:
    """One shape for all lists of these items."""
    members: dict[str, fields.Field[Any]] = {
        "items": fields.List(
            fields.Nested(item), required=True, metadata={"description": "The rows, in order."}
        ),
        "next": fields.String(
            required=True,
            allow_none=True,
            metadata={"description": "The cursor of the next page; null at the end."},
        ),
    }
    return Schema.from_dict(members, name=f"{item.__name__.removesuffix('Schema')}Page")
