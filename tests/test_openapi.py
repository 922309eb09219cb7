"""The API's description as a product: committed, valid, and complete on every operation."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from openapi_spec_validator import OpenAPIV31SpecValidator

from baohuang.api.access import SCOPES
from baohuang.api.app import create_app
from baohuang.api.config import Config
from baohuang.api.openapi import document

from .api.specification import Json, Operation, operations, resolved, specification, types

COMMITTED = Path(__file__).parent.parent / "openapi" / "openapi.json"
OPERATIONS = list(operations())
FOR_PEOPLE = {"pages", "health", "static"}  # blueprints that are not of the API
NOT_IDEMPOTENT = {
    "verify_agent", "verify_agent_version", "check_agent_version", "replay_call", "try_ruling",
}  # fmt: skip
"""POSTs without a key: doing them again is what they are for, or they change nothing."""

every_operation = pytest.mark.parametrize("operation", OPERATIONS, ids=str)


def test_the_committed_file_is_what_the_code_says():
    assert COMMITTED.read_bytes() == document(), "run `make openapi` and commit the file"


def test_it_is_valid_openapi():
    errors = [error.message for error in OpenAPIV31SpecValidator(specification()).iter_errors()]
    assert errors == []


def test_it_is_the_same_each_time():
    assert document() == document()


def test_its_front_page_says_how_to_begin():
    info = specification()["info"]
    assert {"title", "version", "description", "license"} <= set(info)
    for word in ("Authorization: Bearer", "problem+json", "If-Match", "Idempotency-Key", "cursor"):
        assert word in info["description"]


def test_every_tag_is_explained():
    tags = {tag["name"]: tag["description"] for tag in specification()["tags"]}
    assert {tag for operation in OPERATIONS for tag in operation.spec["tags"]} == set(tags)
    assert all(tags.values())


def test_operation_ids_are_good_names_for_functions_and_unique():
    names = Counter(str(operation) for operation in OPERATIONS)
    assert [name for name, count in names.items() if count > 1] == []
    assert [name for name in names if not re.fullmatch(r"[a-z]+(_[a-z]+)+", name)] == []


def test_routes_and_operations_are_the_same():
    config = Config(database_url="sqlite://", secret_key=Fernet.generate_key().decode())
    rules = create_app(config).url_map.iter_rules()
    routed = {
        (method, re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", r"{\1}", rule.rule))
        for rule in rules
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.endpoint.partition(".")[0] not in FOR_PEOPLE
    }
    assert routed == {(operation.method, operation.path) for operation in OPERATIONS}


def test_paths_are_kebab_case_without_a_slash_at_the_end():
    for path in specification()["paths"]:
        assert re.fullmatch(r"/api/v1(/([a-z]+(-[a-z]+)*|\{[a-z_]+\}))+", path), path


@every_operation
def test_it_has_a_summary_and_a_description(operation: Operation):
    summary = operation.spec["summary"]
    assert re.fullmatch(r"[A-Z][^\n]{3,58}[^.\n]", summary), summary
    assert operation.spec["description"].rstrip().endswith((".", ")"))


@every_operation
def test_it_says_who_may(operation: Operation):
    scopes = [scope for each in operation.spec["security"] for scope in each.get("token", [])]
    assert len(scopes) <= 1
    assert set(scopes) <= set(SCOPES)
    assert operation.public or operation.spec["security"][0].keys() == {"token"}


@every_operation
def test_every_error_is_there_and_is_a_problem(operation: Operation):
    expected = {401, 406, 422, 500, 503}
    expected |= {404} if "{" in operation.path else set()
    expected |= {403} if operation.spec["security"][0].get("token") else set()
    expected |= {304} if operation.method == "GET" else {400, 413, 415}
    expected |= {412, 428} if operation.method in ("PUT", "PATCH", "DELETE") else set()
    expected |= {409} if operation.method == "POST" else set()
    assert expected <= set(operation.responses)
    for status, response in operation.responses.items():
        assert "X-Request-Id" in response["headers"]
        if status >= 400:
            assert response["content"].keys() == {"application/problem+json"}
            schema = response["content"]["application/problem+json"]["schema"]
            assert schema == {"$ref": "#/components/schemas/Problem"}


@every_operation
def test_its_success_is_described(operation: Operation):
    status, response = operation.success
    if status == 204:
        assert "content" not in response
        return
    assert all("schema" in content for content in response["content"].values())
    assert "application/json" not in response["content"] or "ETag" in response["headers"]
    assert (status == 201) == ("Location" in response["headers"])


@every_operation
def test_changes_are_safe_to_repeat_or_conditional(operation: Operation):
    headers = operation.parameters_in("header")
    assert ("If-Match" in headers) == (operation.method in ("PUT", "PATCH", "DELETE"))
    if operation.method == "POST":
        assert ("Idempotency-Key" in headers) == (str(operation) not in NOT_IDEMPOTENT)


@every_operation
def test_lists_have_pages(operation: Operation):
    query = operation.parameters_in("query")
    _, response = operation.success
    if "cursor" not in query:
        streams = "application/json" not in response["content"] if "content" in response else True
        assert streams or not str(operation).startswith("list_")
        return
    assert query["limit"]["schema"]["maximum"] == 100
    assert "Link" in response["headers"]
    schema = resolved(response["content"]["application/json"]["schema"])
    assert schema["properties"].keys() == {"items", "next"}


@every_operation
def test_every_parameter_is_described(operation: Operation):
    for parameter in operation.parameters:
        assert parameter["description"], parameter


def test_every_enumeration_has_a_name():
    components = specification()["components"]["schemas"]
    whole = json.dumps(specification())
    named = [schema for schema in components.values() if "enum" in schema]
    assert whole.count('"enum": [') == len(named), "api/http/enumerations.py names them"
    assert all(f"#/components/schemas/{name}" in whole for name in components)


def test_every_type_says_what_it_is():
    components = specification()["components"]["schemas"]
    types = {name: schema for name, schema in components.items() if "enum" not in schema}
    silent = [name for name, schema in types.items() if not schema.get("description")]
    assert silent == [], "its schema has no docstring, api/http/described.py no sentence"


def test_no_type_is_called_like_one_that_languages_have():
    built_in = "Any Array Boolean Date Dict Error List Map Number Object Promise Record Set String"
    assert specification()["components"]["schemas"].keys().isdisjoint(built_in.split())


@every_operation
def test_what_clients_send_is_bounded_and_closed(operation: Operation):
    if "requestBody" in operation.spec:
        unbounded = list(loose_ends(operation.body, str(operation)))
        assert unbounded == []


def loose_ends(schema: Json, place: str) -> Iterator[str]:
    """Texts without a length, numbers without bounds, lists and objects without an end."""
    schema = resolved(schema)
    kinds = types(schema)
    ends = {
        "string": ("maxLength", "enum", "pattern", "format"),
        "integer": ("maximum", "enum"),
        "array": ("maxItems",),
        "object": ("additionalProperties", "maxProperties"),
    }
    for kind in kinds & ends.keys():
        if not any(name in schema for name in ends[kind]) and "anyOf" not in schema:
            yield f"{place} ({kind})"
    for name, inner in schema.get("properties", {}).items():
        yield from loose_ends(inner, f"{place}/{name}")
    for inner in [*schema.get("anyOf", []), *([schema["items"]] if "items" in schema else [])]:
        yield from loose_ends(inner, f"{place}/*")
