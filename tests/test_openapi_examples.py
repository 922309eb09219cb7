"""The examples of the specification: one for every body, and each as the code has it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

import pytest
from jsonschema import Draft202012Validator
from marshmallow import Schema
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from baohuang.api import schemas
from baohuang.api.http.example_values import BODIES, VALUES
from baohuang.api.models.base import ULID

from .api.specification import Json, Operation, operations, specification

OPERATIONS = list(operations())
WITH_BODY = [operation for operation in OPERATIONS if "requestBody" in operation.spec]
DOCUMENT = "urn:document"


def contents() -> Iterator[tuple[str, Json]]:
    """Everything that is sent or answered: where, and its schema and example."""
    for operation in OPERATIONS:
        bodies = operation.spec.get("requestBody", {}).get("content", {})
        for kind, content in bodies.items():
            yield f"{operation} sends {kind}", content
        for status, response in operation.responses.items():
            for kind, content in response.get("content", {}).items():
                yield f"{operation} answers {status} {kind}", content


CONTENTS = dict(contents())


def validator(schema: Json) -> Draft202012Validator:
    resource = Resource.from_contents(specification(), default_specification=DRAFT202012)
    registry = Registry().with_resource(DOCUMENT, resource)
    whole = {"$ref": schema["$ref"].replace("#", f"{DOCUMENT}#")} if "$ref" in schema else schema
    checker = Draft202012Validator.FORMAT_CHECKER
    return Draft202012Validator(whole, registry=registry, format_checker=checker)


@pytest.mark.parametrize("place", CONTENTS)
def test_every_body_has_an_example_that_its_schema_takes(place: str):
    content = CONTENTS[place]
    errors = [
        error.message for error in validator(content["schema"]).iter_errors(content["example"])
    ]
    assert errors == []


def reader(component: str) -> type[Schema]:
    """The schema of the code that reads a body."""
    for module in iter_modules(schemas.__path__):
        found = getattr(import_module(f"{schemas.__name__}.{module.name}"), component, None)
        if found is not None:
            made: type[Schema] = found
            return made
    raise LookupError(component)


@pytest.mark.parametrize("operation", WITH_BODY, ids=str)
def test_what_an_example_sends_is_read_and_says_something(operation: Operation):
    content = operation.spec["requestBody"]["content"]["application/json"]
    component = content["schema"]["$ref"].rpartition("/")[2]
    assert content["example"]
    reader(component)().load(content["example"])


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_the_example_of_an_error_is_that_error(operation: Operation):
    for status, response in operation.responses.items():
        for content in response.get("content", {}).values():
            if status >= 400:
                assert content["example"]["status"] == status
                assert ("errors" in content["example"]) == (status == 422)


def test_an_id_is_the_same_wherever_the_same_thing_is_meant():
    found: dict[str, set[str]] = {}
    for content in CONTENTS.values():
        for field, value in ids(content["example"]):
            found.setdefault(field, set()).add(value)
    assert [field for field, values in found.items() if len(values) > 1] == ["id"]
    assert found["tournament_id"] < found["id"]


def ids(value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for field, member in value.items():
            if isinstance(member, str) and re.fullmatch(ULID, member):
                yield field, member
            yield from ids(member)
    elif isinstance(value, list):
        for member in value:
            yield from ids(member)


def test_no_example_is_said_for_nothing():
    """Every value of the table is of a field that there is, every body of a schema."""
    components = specification()["components"]["schemas"]
    fields = {field for schema in components.values() for field in schema.get("properties", ())}
    for name in VALUES:
        owner, _, field = name.rpartition(".")
        assert field in (components[owner]["properties"] if owner else fields), name
    assert components.keys() >= BODIES.keys()


CREATIONS = [operation for operation in OPERATIONS if operation.success[0] == 201]
NO_ID = {"create_agent_version", "create_entries"}
"""What is made there has a number below something else, or is many things."""


@pytest.mark.parametrize("operation", CREATIONS, ids=str)
def test_what_was_made_leads_on_to_what_can_be_done_with_it(operation: Operation):
    by_name = {str(other): other for other in OPERATIONS}
    links = operation.success[1].get("links", {})
    for link in links.values():
        target = by_name[link["operationId"]]
        given = {name.removeprefix("header.") for name in link["parameters"]}
        assert given == {part["name"] for part in target.parameters if part.get("required")}
    assert (links == {}) == (str(operation) in NO_ID)
