"""Showing by what is known beforehand gives exactly what marshmallow gives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import pytest
from marshmallow import Schema, post_dump
from marshmallow import fields as ma

from baohuang.api.http.dump import shower
from baohuang.api.resources import BLUEPRINTS
from baohuang.api.schemas import fields

MOMENTS = [
    datetime(2026, 1, 31, 18, 0, 0, 999_999, tzinfo=UTC),
    datetime(1999, 12, 31, 23, 59, 59, tzinfo=timezone(timedelta(hours=-5))),
]


def schemas() -> dict[str, Schema]:
    """Every schema that an operation answers with."""
    found = {}
    for blueprint in BLUEPRINTS:
        for methods in blueprint._docs.values():
            for responses in _responses(methods):
                schema = responses.get("schema")
                if isinstance(schema, Schema):
                    found[type(schema).__name__] = schema
    return found


def _responses(methods: dict[str, Any]):
    for name, operation in methods.items():
        if name != "parameters":
            for alternatives in operation["response"]["responses"].values():
                yield from alternatives


def value_of(field: Any, number: int) -> Any:
    """A plausible value of a field; None now and then."""
    if field.allow_none and number % 3 == 0:
        return None
    if isinstance(field, ma.Nested):
        make = thing_of(field.schema, number + 1)
        return [make, make] if field.many or field.schema.many else make
    if isinstance(field, ma.List):
        return [value_of(field.inner, number + step) for step in (1, 2)]
    if isinstance(field, fields.Time):
        return MOMENTS[number % 2]
    if isinstance(field, ma.Integer):
        return number
    if isinstance(field, ma.Float):
        return number / 8
    if isinstance(field, ma.Boolean):
        return number % 2 == 0
    if isinstance(field, ma.Dict):
        return {"a": number}
    return f"保皇 {number}"


def thing_of(schema: Schema, number: int) -> dict[str, Any]:
    return {
        field.attribute or name: value_of(field, number + index)
        for index, (name, field) in enumerate(schema.dump_fields.items())
    }


def as_object(value: Any) -> Any:
    if isinstance(value, dict):
        return SimpleNamespace(**{name: as_object(member) for name, member in value.items()})
    return [as_object(member) for member in value] if isinstance(value, list) else value


@pytest.mark.parametrize("schema", schemas().values(), ids=lambda schema: type(schema).__name__)
def test_every_schema_of_the_specification_is_shown_alike(schema):
    show = shower(schema)
    for number in range(6):
        thing = thing_of(schema, number)
        assert show(thing) == schema.dump(thing)
        incomplete = dict(list(thing.items())[::2])
        assert show(incomplete) == schema.dump(incomplete)


class Inner(Schema):
    when = fields.Time(allow_none=True)


class Plain(Schema):
    name = ma.String(data_key="Name")
    count = ma.Integer(attribute="number")
    flag = ma.Boolean()
    inner = ma.Nested(Inner, allow_none=True)
    many = ma.Nested(Inner, many=True)
    listed = ma.List(ma.String(allow_none=True))


PLAIN = {
    "name": "x",
    "number": 3,
    "flag": True,
    "inner": {"when": MOMENTS[0]},
    "many": [{"when": None}, {}],
    "listed": ["a", None],
}


@pytest.mark.parametrize("thing", [PLAIN, {}, {"inner": None}, {"name": None, "many": []}])
def test_mappings_and_objects_alike(thing):
    schema, show = Plain(), shower(Plain())
    assert show(thing) == schema.dump(thing)
    assert show(as_object(thing)) == schema.dump(as_object(thing))


def test_names_and_attributes_may_differ():
    assert shower(Plain())(PLAIN)["Name"] == "x"
    assert shower(Plain())(PLAIN)["count"] == 3


class Hooked(Schema):
    name = ma.String()

    @post_dump
    def shout(self, data, **_options):
        return {"name": data["name"].upper()}


class Odd(Schema):
    always = ma.Constant(5)
    deep = ma.String(attribute="a.b")
    late = ma.String(dump_default="later")


def test_hooks_and_odd_fields_are_left_to_marshmallow():
    assert shower(Hooked())({"name": "a"}) == {"name": "A"}
    assert shower(Odd())({"a": {"b": "c"}}) == {"always": 5, "deep": "c", "late": "later"}
