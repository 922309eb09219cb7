"""Series of tournaments over HTTP."""

from __future__ import annotations

import pytest

SERIES = {
    "name": "Friday cup",
    "cron": "0 18 * * fri",
    "time_zone": "Europe/Berlin",
    "settings": {"rule_set": "lianzhong-simple", "rounds": 3, "check_in_s": 600},
}


def test_a_series_is_made_shown_changed_and_deleted(site, organizer):
    answer = organizer.post("/series", json=SERIES)
    assert answer.status_code == 201, answer.json
    made = answer.json
    assert answer.headers["Location"] == f"/api/v1/series/{made['id']}"
    assert (made["status"], made["lead_s"], made["until"]) == ("active", 86_400, None)
    assert made["settings"]["check_in_s"] == 600
    assert made["settings"]["format"] == "round_robin", "what is left out is there as chosen"
    assert (len(made["next_runs"]), made["open_tournaments"]) == (5, 0)
    for run in made["next_runs"]:
        assert run["at"].endswith("Z")
        assert run["local"][10:] in ("T18:00:00+01:00", "T18:00:00+02:00")
    path = f"/series/{made['id']}"
    shown = organizer.get(path)
    assert organizer.get("/series").json["items"] == [shown.json]
    changed = organizer.patch(path, json={"time_zone": "UTC"}, if_match=shown.headers["ETag"])
    assert changed.status_code == 200, changed.json
    assert {run["local"][10:] for run in changed.json["next_runs"]} == {"T18:00:00+00:00"}
    assert organizer.patch(path, json={"name": "x"}, if_match='"1"').status_code == 412
    assert organizer.delete(path, if_match=changed.headers["ETag"]).status_code == 204
    assert organizer.get(path).status_code == 404


@pytest.mark.parametrize(
    ("change", "pointer", "code"),
    [
        ({"cron": "every friday"}, "/cron", "cron"),
        ({"cron": "0 18 31 2 *"}, "/cron", "cron"),
        ({"time_zone": "Mars/Olympus"}, "/time_zone", "unknown"),
        ({"lead_s": 10}, "/lead_s", None),
        ({"settings": {"rule_set": "mahjong"}}, "/settings/rule_set", "unknown"),
        ({"settings": {}}, "/settings/rule_set", "required"),
        ({"settings": {**SERIES["settings"], "starts_at": None}}, "/settings/starts_at", "unknown"),
    ],
)
def test_a_wrong_series_is_refused_at_its_field(site, organizer, change, pointer, code):
    answer = organizer.post("/series", json={**SERIES, **change})
    assert answer.status_code == 422
    found = {error["pointer"]: error["code"] for error in answer.json["errors"]}
    assert pointer in found
    assert code in (None, found[pointer])
    assert organizer.get("/series").json["items"] == []
