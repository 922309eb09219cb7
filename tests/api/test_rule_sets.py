"""Rule sets over HTTP: presets for all, own ones for their makers (rules.md section 8)."""

from __future__ import annotations

import pytest

from .support import pointers, problem

PRESETS = ["baike", "biesan", "jingji", "lianzhong-classic", "lianzhong-simple", "wuren"]


def test_everybody_sees_the_presets_with_every_option_resolved(site):
    items = site.stranger().get("/rule-sets").get_json()["items"]
    assert [item["id"] for item in items] == PRESETS
    simple = items[4]
    assert simple["preset"] == "lianzhong-simple"
    assert simple["owner_id"] is None
    assert len(simple["options"]) == 26
    assert simple["options"]["guard"] == "marked"
    assert simple["options"]["callable"] is None
    assert simple["options"]["low_rank"] == 6


def test_one_preset_by_its_name(site):
    wuren = site.stranger().get("/rule-sets/wuren").get_json()
    assert wuren["options"]["aside"] is True
    assert wuren["options"]["end"] == "one_left"


def test_an_unknown_name_is_404(site):
    problem(site.stranger().get("/rule-sets/nope"), 404, "not_found")


def test_a_rule_set_of_ones_own(organizer):
    made = organizer.post(
        "/rule-sets",
        json={"name": "Roasting", "preset": "lianzhong-simple", "overrides": {"roast": True}},
    )
    body = made.get_json()
    assert made.status_code == 201
    assert body["owner_id"] == organizer.account_id
    assert body["overrides"] == {"roast": True}
    assert body["options"]["roast"] is True
    assert body["options"]["hold_back"] is False
    assert organizer.get(made.headers["Location"]).get_json() == body


def test_a_refused_pair_names_both_options(organizer, site):
    before = site.counts()
    response = organizer.post(
        "/rule-sets", json={"name": "x", "preset": "baike", "overrides": {"roast": True}}
    )
    body = problem(response, 422, "invalid")
    assert set(pointers(body)) == {"/overrides/roast", "/overrides/called_trump"}
    assert site.counts() == before


@pytest.mark.parametrize(
    ("overrides", "pointer"),
    [
        ({"roasted": True}, "/overrides/roasted"),
        ({"roast": 1}, "/overrides/roast"),
        ({"roast": "yes"}, "/overrides/roast"),
        ({"low_rank": 4}, "/overrides/low_rank"),
        ({"low_rank": True}, "/overrides/low_rank"),
        ({"low_rank": "6"}, "/overrides/low_rank"),
        ({"autoplay_limit": -1}, "/overrides/autoplay_limit"),
        ({"desertion_penalty": 10**9}, "/overrides/desertion_penalty"),
        ({"guard": "none"}, "/overrides/guard"),
        ({"roast": None}, "/overrides/roast"),
        ([], "/overrides"),
        ("roast", "/overrides"),
    ],
)
def test_wrong_options_are_named(organizer, overrides, pointer):
    response = organizer.post(
        "/rule-sets", json={"name": "x", "preset": "lianzhong-simple", "overrides": overrides}
    )
    assert pointer in pointers(problem(response, 422, "invalid"))


def test_an_unknown_preset_is_named(organizer):
    response = organizer.post("/rule-sets", json={"name": "x", "preset": "poker"})
    assert set(pointers(problem(response, 422, "invalid"))) == {"/preset"}


def test_own_rule_sets_come_after_the_presets_in_pages(organizer, site):
    mine = [
        organizer.post("/rule-sets", json={"name": f"r{n}", "preset": "baike"}).get_json()["id"]
        for n in range(4)
    ]
    for limit in (1, 2, 3, 5, 6, 7, 10, 100):
        seen, path = [], f"/rule-sets?limit={limit}"
        while path:
            response = organizer.get(path)
            items = response.get_json()["items"]
            assert len(items) <= limit
            seen += [item["id"] for item in items]
            link = response.headers.get("Link")
            path = link and link.removesuffix('>; rel="next"').removeprefix("<")
        assert seen == [*PRESETS, *mine], limit


def test_rule_sets_of_others_do_not_exist(organizer, site):
    location = organizer.post("/rule-sets", json={"name": "x", "preset": "baike"}).headers[
        "Location"
    ]
    other = site.caller("Olga", "organizer")
    problem(other.get(location), 404, "not_found")
    problem(other.delete(location, if_match='"1"'), 404, "not_found")
    assert [item["id"] for item in other.get("/rule-sets").get_json()["items"]] == PRESETS


def test_authors_make_none(author):
    problem(author.post("/rule-sets", json={}), 403, "insufficient_scope")


def test_a_name_is_used_once_an_owner(organizer):
    body = {"name": "x", "preset": "baike"}
    organizer.post("/rule-sets", json=body)
    assert pointers(problem(organizer.post("/rule-sets", json=body), 409, "taken")) == {
        "/name": "taken"
    }


def test_deleting_needs_the_present_version(organizer):
    made = organizer.post("/rule-sets", json={"name": "x", "preset": "baike"})
    location = made.headers["Location"]
    problem(organizer.delete(location), 428, "version_required")
    problem(organizer.delete(location, if_match='"2"'), 412, "version_mismatch")
    gone = organizer.delete(location, if_match=made.headers["ETag"])
    assert (gone.status_code, gone.get_data()) == (204, b"")
    problem(organizer.get(location), 404, "not_found")


def test_presets_are_not_deleted(organizer):
    problem(organizer.delete("/rule-sets/baike", if_match='"1"'), 404, "not_found")


def test_a_rule_set_tells_its_rules_in_words(organizer):
    made = organizer.post(
        "/rule-sets",
        json={"name": "Roasting", "preset": "lianzhong-simple", "overrides": {"roast": True}},
    ).get_json()
    assert "two big jokers" in made["text"]["en"]
    assert "烤牌" in made["text"]["zh"]
    described = {row["name"]: row for row in made["descriptions"]}
    assert list(described) == list(made["options"])
    assert described["callable"]["english"] == "Does not apply here."
    plain = organizer.get("/rule-sets/lianzhong-simple").get_json()
    assert "No roast." in plain["text"]["en"]
