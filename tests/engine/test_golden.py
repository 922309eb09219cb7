"""Golden records: what this engine writes today, and what any older one wrote, verifies for ever.

`pytest tests/engine --update-golden` writes `records/*.json` anew. A file that changes goes on as
`records/old/<name>-<hash>.json`; those are never written again and must verify.
"""

import hashlib
import json
from pathlib import Path

import pytest

from baohuang.engine import Match, RuleSet, replay, verify

from .golden import MATCHES, play
from .test_4_scores import by_hand

FOLDER = Path(__file__).parent / "records"
FILES = sorted(FOLDER.rglob("*.json"))


def written(record):
    """One deal a line, so that a difference can be read."""
    deals = ",\n".join(json.dumps(deal) for deal in record["deals"])
    head = json.dumps(record | {"deals": ["@"]})
    return head.replace('["@"]', f"[\n{deals}\n]") + "\n"


@pytest.mark.parametrize("name", MATCHES)
def test_the_engine_writes_its_golden_records(name, update_golden):
    file, text = FOLDER / f"{name}.json", written(play(name))
    if update_golden and file.exists() and file.read_text("utf-8") != text:
        before = file.read_text("utf-8")
        (FOLDER / "old").mkdir(exist_ok=True)
        digest = hashlib.sha256(before.encode()).hexdigest()[:8]
        (FOLDER / "old" / f"{name}-{digest}.json").write_text(before, "utf-8")
    if update_golden:
        file.write_text(text, "utf-8")
    assert file.read_text("utf-8") == text
    assert json.loads(text) == play(name)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_record_of_any_older_version_verifies(file):
    record = json.loads(file.read_text("utf-8"))
    verify(record)
    verify(record | {"draw": record["draw"] | {"key": None}})


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_record_of_any_older_version_is_scored_by_the_hand_written_tables(file):
    record = json.loads(file.read_text("utf-8"))
    table = record["rules"]["options"]["scores"]
    for deal in record["deals"]:
        if deal["result"] == "scored":
            emperor, guard, solo = deal["emperor"], deal["guard"], deal["solo"]
            factor = 1 if solo == "open" else deal["factor"]
            expected = by_hand(table, emperor, guard, solo, deal["places"])
            assert deal["scores"] == [factor * score for score in expected]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_match_can_be_played_again_from_a_record_of_any_older_version(file):
    """The answers alone give the match; those of seats on autoplay come by themselves."""
    record = json.loads(file.read_text("utf-8"))
    if any(record["penalties"]):
        return  # the moment of leaving is not in a record
    rules = RuleSet.from_json(record["rules"])
    match = Match(rules, bytes.fromhex(record["draw"]["key"]), record["deals"][-1]["number"])
    for index, deal in enumerate(record["deals"]):
        for seat, answer, *auto in deal["answers"]:
            if len(match.deals_done) == index and match.seat == seat:
                match.answer(answer, bool(auto))
        assert json.loads(json.dumps(match.deals_done[index])) == replayed(rules, deal)
    assert match.totals == record["totals"]


def replayed(rules, deal):
    assert replay(rules, deal).result is not None
    return deal


def test_golden_records_show_every_kind_of_ending():
    deals = [
        deal | {"preset": record["rules"]["preset"]}
        for record in (json.loads(file.read_text("utf-8")) for file in FILES)
        for deal in record["deals"]
    ]
    assert {deal["result"] for deal in deals} == {"scored", "redeal", "uncounted", "abdicated"}
    assert {deal["solo"] for deal in deals} == {None, "hidden", "open"}
    assert {deal["factor"] for deal in deals} == {1, 2, 4}
    assert {deal["aside"] for deal in deals} == {None, "E"}
    assert any(deal["tribute"] for deal in deals)
    assert any(len(answer) == 3 for deal in deals for answer in deal["answers"])
    said = {answer[1].split(" ")[0] for deal in deals for answer in deal["answers"]}
    assert {
        *("accept", "yield", "grab", "silent", "call", "open", "hidden", "rebel", "kick", "pass")
    } <= said
    assert {deal["preset"] for deal in deals} == {
        *("lianzhong-classic", "lianzhong-simple", "wuren", "baike", "biesan", "jingji")
    }
