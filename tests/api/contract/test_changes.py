"""The gate against breaking changes, tried on mutants of the API's own document."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from baohuang.api.contract import changes

DOCUMENT = json.loads((Path(__file__).parents[3] / "openapi/openapi.json").read_text("utf-8"))

Mutate = Callable[[Any], None]


def mutant(mutate: Mutate) -> Any:
    changed = copy.deepcopy(DOCUMENT)
    mutate(changed)
    assert changed != DOCUMENT
    return changed


def schema(document: Any, name: str) -> Any:
    return document["components"]["schemas"][name]


def drop_path(document: Any) -> None:
    del document["paths"]["/api/v1/rule-sets"]


def drop_method(document: Any) -> None:
    del document["paths"]["/api/v1/rule-sets"]["post"]


def rename_operation(document: Any) -> None:
    document["paths"]["/api/v1/rule-sets"]["get"]["operationId"] = "rule_sets"


def drop_status(document: Any) -> None:
    responses = document["paths"]["/api/v1/rule-sets"]["post"]["responses"]
    responses["200"] = responses.pop("201")


def change_answer_type(document: Any) -> None:
    schema(document, "RuleSet")["properties"]["name"]["type"] = "integer"


def drop_answer_field(document: Any) -> None:
    del schema(document, "RuleSet")["properties"]["preset"]
    schema(document, "RuleSet")["required"].remove("preset")


def answer_field_may_be_missing(document: Any) -> None:
    schema(document, "RuleSet")["required"].remove("preset")


def answer_field_may_be_null(document: Any) -> None:
    schema(document, "RuleSet")["properties"]["preset"]["type"] = ["string", "null"]


def require_body_field(document: Any) -> None:
    body = schema(document, "RuleSetCreate")
    body["properties"]["reason"] = {"type": "string"}
    body["required"].append("reason")


def refuse_body_field(document: Any) -> None:
    del schema(document, "RuleSetCreate")["properties"]["overrides"]


def require_argument(document: Any) -> None:
    parameters = document["paths"]["/api/v1/rule-sets"]["get"]["parameters"]
    parameters.append(
        {"in": "query", "name": "kind", "required": True, "schema": {"type": "string"}}
    )


def refuse_argument(document: Any) -> None:
    operation = document["paths"]["/api/v1/rule-sets"]["get"]
    operation["parameters"] = [
        parameter for parameter in operation["parameters"] if parameter.get("name") != "limit"
    ]


def shorten_text(document: Any) -> None:
    schema(document, "RuleSetCreate")["properties"]["name"]["maxLength"] = 5


def narrow_choice(document: Any) -> None:
    schema(document, "WebhookEventKind")["enum"].remove("round.opened")


def widen_choice_in_answer(document: Any) -> None:
    schema(document, "RuleGuard")["enum"].append("drawn")


def ask_for_a_token(document: Any) -> None:
    document["paths"]["/api/v1/rule-sets"]["get"]["security"] = [{"token": ["rules:read"]}]


@pytest.mark.parametrize(
    ("mutate", "kind"),
    [
        (drop_path, "path_removed"),
        (drop_method, "method_removed"),
        (rename_operation, "operation_id"),
        (drop_status, "status_removed"),
        (change_answer_type, "type"),
        (drop_answer_field, "field_removed"),
        (answer_field_may_be_missing, "required"),
        (answer_field_may_be_null, "type"),
        (require_body_field, "required"),
        (refuse_body_field, "field_removed"),
        (require_argument, "required"),
        (refuse_argument, "parameter_removed"),
        (shorten_text, "bounds"),
        (narrow_choice, "enum"),
        (widen_choice_in_answer, "enum"),
        (ask_for_a_token, "security"),
    ],
)
def test_a_breaking_mutant_is_found(mutate: Mutate, kind: str) -> None:
    found = changes(DOCUMENT, mutant(mutate))
    assert {change.kind for change in found} == {kind}


def add_path(document: Any) -> None:
    document["paths"]["/api/v1/new"] = document["paths"]["/api/v1/rule-sets"]


def add_answer_field(document: Any) -> None:
    schema(document, "RuleSet")["properties"]["colour"] = {"type": "string"}


def add_optional_argument(document: Any) -> None:
    parameters = document["paths"]["/api/v1/rule-sets"]["get"]["parameters"]
    parameters.append({"in": "query", "name": "kind", "schema": {"type": "string"}})


def lengthen_text(document: Any) -> None:
    schema(document, "RuleSetCreate")["properties"]["name"]["maxLength"] = 500


def reword(document: Any) -> None:
    document["info"]["description"] = "New words."


def add_error(document: Any) -> None:
    responses = document["paths"]["/api/v1/rule-sets"]["get"]["responses"]
    responses["451"] = {"description": "Not here."}


@pytest.mark.parametrize(
    "mutate",
    [add_path, add_answer_field, add_optional_argument, lengthen_text, reword, add_error],
)
def test_a_harmless_mutant_passes(mutate: Mutate) -> None:
    assert changes(DOCUMENT, mutant(mutate)) == []


def test_the_document_does_not_break_itself() -> None:
    assert changes(DOCUMENT, DOCUMENT) == []


def test_a_schema_that_contains_itself_is_compared_once() -> None:
    def looped(kind: str) -> Any:
        node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}
        node["properties"]["name"] = {"type": kind}
        answer = {
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Node"}}}
        }
        operation = {"operationId": "get", "responses": {"200": answer}}
        return {"paths": {"/": {"get": operation}}, "components": {"schemas": {"Node": node}}}

    found = changes(looped("string"), looped("integer"))
    assert [(change.place, change.kind) for change in found] == [("GET / 200.name", "type")]
