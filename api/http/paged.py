"""The arguments and the shape of lists in pages."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Any

from marshmallow import Schema, fields, validate

from .enumerations import NAME

PART = "application/vnd.baohuang.part+json"
"""The type of pages whose items have only the members that were asked for."""

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


class Names(fields.List[str]):
    """Names of members: separated by commas, or the argument again for each."""

    def __init__(self, item: Schema) -> None:
        name = f"{_noun(item)}Member"
        known = validate.OneOf(sorted(item.dump_fields))
        super().__init__(
            fields.String(validate=known, metadata={NAME: name}),
            validate=validate.Length(1, MAX_LIMIT),
            metadata={
                "description": "Only these members of each item; the answer is "
                f"`{PART}` then. Without it, all of them."
            },
        )


def paged_query(filters: type[Schema] | None, item: Schema | None = None) -> PageQuery:
    """The arguments of a list that has filters as well; with `item`, `fields` may choose of it."""
    members = {} if item is None else {"fields": Names(item)}
    bases = (PageQuery,) if filters is None else (filters, PageQuery)
    name = "PageQuery" if filters is None else f"{filters.__name__}Page"
    made: PageQuery = type(name, bases, members)() if members or filters else PageQuery()
    return made


def part_schema(item: Schema) -> Schema:
    """The documented shape of a page of parts of `item`s: any member may be missing."""
    return paged_schema(_part_of(type(item))())


def _noun(item: Schema) -> str:
    return type(item).__name__.removesuffix("Schema")


@cache
def _part_of(item: type[Schema]) -> type[Schema]:
    members = {name: copy(field) for name, field in item().dump_fields.items()}
    for field in members.values():
        field.required = False
    return Schema.from_dict(members, name=f"{_noun(item())}Part")


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
