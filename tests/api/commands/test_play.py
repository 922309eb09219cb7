"""`baohuang play`: matches without a server, between house bots and programs that answer HTTP."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from baohuang.api.cli import main
from baohuang.api.remote.signing import new_secret
from baohuang.engine.record import verify

from .test_check_bot import Bot, sample, serving

HOUSE = "greedy,tactician,random,autoplay,greedy"
KEY = "07" * 32


def play(*arguments: str, secret: str | None = None) -> Result:
    base = ["play", "--rules", "lianzhong-simple", "--deals", "1"]
    return CliRunner().invoke(main, [*base, *arguments], env={"AGENT_SECRET": secret})


def points(result: Result) -> list[int]:
    """What every seat won, as it was printed."""
    assert result.exit_code == 0, result.output
    lines = result.stderr.splitlines()[:5]
    assert [line.split()[:2] for line in lines] == [["seat", str(n)] for n in range(5)]
    return [int(line.split()[2]) for line in lines]


def test_the_same_seed_gives_the_same_matches_on_any_number_of_processes(tmp_path: Path) -> None:
    records = []
    for jobs in ("1", "2"):
        file = tmp_path / f"{jobs}.ndjson"
        options = ["--seed", "s", "--matches", "4", "--jobs", jobs, "--record", str(file)]
        result = play("--seats", HOUSE, *options)
        records.append(file.read_text().splitlines())
        totals = [json.loads(line)["totals"] for line in records[-1]]
        assert points(result) == [sum(column) for column in zip(*totals, strict=True)]
    assert records[0] == records[1]
    for line in records[0]:
        verify(json.loads(line))


def test_a_key_gives_its_deal_and_the_record_may_go_to_standard_output() -> None:
    result = play("--seats", HOUSE, "--key", KEY, "--record", "-")
    (line,) = result.stdout.splitlines()
    assert json.loads(line)["draw"]["key"] == KEY
    points(result)


def test_a_program_plays_its_seat_without_faults_and_is_called_signed(tmp_path: Path) -> None:
    secret, file = new_secret(), tmp_path / "record.ndjson"
    with sample("lowest", secret) as url:
        seats = f"{url},greedy,{url},greedy,random"
        result = play("--seats", seats, "--seed", "s", "--record", str(file), secret=secret)
    points(result)
    assert len(result.stderr.splitlines()) == 5
    record = json.loads(file.read_text())
    verify(record)
    assert record["seats"][0] == url
    assert secret not in result.output + file.read_text()


def test_other_cards_are_another_match_whose_questions_have_other_ids() -> None:
    asked: list[tuple[object, object]] = []

    class Noting(Bot):
        def reply(self, asking: dict[str, object]) -> dict[str, object]:
            asked.append((asking["match"], asking["request"]))
            return super().reply(asking)

    runs = []
    with serving(Noting) as url:
        for seed in "aab":
            asked.clear()
            points(play("--seats", f"{url},greedy,greedy,greedy,greedy", "--seed", seed))
            runs.append((len({match for match, _ in asked}), set(asked)))
    assert [matches for matches, _ in runs] == [1, 1, 1]
    first, again, other = (calls for _, calls in runs)
    assert first == again
    assert not {part for call in first for part in call} & {part for call in other for part in call}


def test_faults_are_counted_and_the_first_of_each_kind_is_told_in_words() -> None:
    class Illegal(Bot):
        def reply(self, asked: dict[str, object]) -> dict[str, object]:
            return super().reply(asked) | ({"answer": "XXXX"} if "legal" in asked else {})

    with serving(Illegal) as url, sample("lowest") as signing:
        result = play("--seats", f"{url},{signing},greedy,greedy,greedy", "--seed", "s")
    points(result)
    first, second, *_, illegal, status = result.stderr.splitlines()
    assert "faults: " in first
    assert first.endswith(" illegal")
    assert second.endswith(" status")
    assert illegal == "seat 0, illegal: 'XXXX' is not in legal"
    assert status == "seat 1, status: status 401 instead of 200"


@pytest.mark.parametrize(
    "wrong",
    [
        "--seats greedy,greedy",
        "--seats greedy,greedy,greedy,greedy,nobody",
        "--seats greedy,greedy,greedy,greedy,http://10.0.0.1/",
        f"--seats {HOUSE} --key 07",
        f"--seats {HOUSE} --key {KEY} --seed s",
        f"--seats {HOUSE} --key {KEY} --matches 2",
        f"--seats {HOUSE} --rules poker",
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(wrong: str) -> None:
    result = play(*wrong.split())
    assert result.exit_code in (1, 2)
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1].startswith("Error: ")
