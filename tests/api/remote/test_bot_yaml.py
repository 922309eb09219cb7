"""openapi/bot.yaml against its own examples and against what is really sent, in every rule set."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from openapi_spec_validator import OpenAPIV31SpecValidator

from baohuang.api.remote.faults import KINDS
from baohuang.api.remote.wire import (
    BadAnswer,
    MatchIds,
    check_hello,
    parse_answer,
    question_id,
)

from .test_wire import PRESETS, sent_in

FOLDER = Path(__file__).parents[3] / "openapi"
DOCUMENT: dict[str, Any] = yaml.safe_load((FOLDER / "bot.yaml").read_text())
CALL = DOCUMENT["paths"]["/"]["post"]
REQUESTS = CALL["requestBody"]["content"]["application/json"]
ANSWERS = CALL["responses"]["200"]["content"]["application/json"]


def schema(name: str) -> jsonschema_rs.Draft202012Validator:
    reference = {"$ref": f"#/components/schemas/{name}"}
    components = {"components": DOCUMENT["components"]}
    return jsonschema_rs.Draft202012Validator(components | reference, validate_formats=True)


KIND_SCHEMAS = {
    "hello": schema("Hello"),
    "decide": schema("Decide"),
    "deal_end": schema("DealEnd"),
    "match_end": schema("MatchEnd"),
}


def example(entry: dict[str, str]) -> Any:
    return json.loads((FOLDER / entry["externalValue"]).read_text())


def test_it_is_a_valid_openapi_document() -> None:
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_every_example_is_named_and_every_file_is_used() -> None:
    named = {e["externalValue"] for part in (REQUESTS, ANSWERS) for e in part["examples"].values()}
    assert named == {f"examples/{path.name}" for path in (FOLDER / "examples").iterdir()}


@pytest.mark.parametrize("name", REQUESTS["examples"])
def test_an_example_of_a_request_fits_its_schema(name: str) -> None:
    data = example(REQUESTS["examples"][name])
    KIND_SCHEMAS[data["kind"]].validate(data)


def test_there_is_an_example_of_every_phase_with_something_to_choose() -> None:
    examples = [example(entry) for entry in REQUESTS["examples"].values()]
    decisions = [data for data in examples if data["kind"] == "decide"]
    phases = DOCUMENT["components"]["schemas"]["Decide"]["allOf"][1]["properties"]["phase"]["enum"]
    assert {data["phase"] for data in decisions} == set(phases)
    for data in decisions:
        assert len(data["legal"]) > 1
        assert data["fallback"] in data["legal"]
        assert data["request"] == question_id(MatchIds(data["match"]), data)


@pytest.mark.parametrize("preset", PRESETS)
def test_what_is_really_sent_fits_and_has_the_fields_of_the_examples_in_order(preset: str) -> None:
    _, sent = sent_in(preset, bytes(range(1, 33)))
    orders = {
        data["kind"]: (list(data), list(data.get("public", ())), list(data.get("clock", ())))
        for data in (example(entry) for entry in REQUESTS["examples"].values())
    }
    for _, body in sent:
        data = json.loads(body)
        KIND_SCHEMAS[data["kind"]].validate(data)
        shape = (list(data), list(data.get("public", ())), list(data.get("clock", ())))
        assert shape == orders[data["kind"]]


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("follow", {"hands": []}),
        ("follow", {"seat": 5}),
        ("follow", {"phase": "bid"}),
        ("follow", {"legal": ["pass"]}),
        ("deal_end", {"hands": []}),
        ("hello", {"challenge": ""}),
    ],
)
def test_the_schemas_refuse_what_is_wrong(name: str, change: dict[str, Any]) -> None:
    data = example(REQUESTS["examples"][name])
    assert not KIND_SCHEMAS[data["kind"]].is_valid(data | change)


def test_the_examples_of_answers_are_accepted() -> None:
    answer, greeting = (example(ANSWERS["examples"][name]) for name in ("answer", "hello"))
    asked, hello = (example(REQUESTS["examples"][name]) for name in ("follow", "hello"))
    schema("Answer").validate(answer)
    schema("HelloAnswer").validate(greeting)
    parse_answer(json.dumps(answer).encode(), asked["request"], asked["legal"])
    check_hello(json.dumps(greeting).encode(), hello["request"], hello["challenge"])
    with pytest.raises(BadAnswer):
        check_hello(json.dumps(greeting).encode(), hello["request"], "another")


def test_the_description_names_every_kind_of_fault() -> None:
    assert all(f"`{kind}`" in DOCUMENT["info"]["description"] for kind in KINDS)
