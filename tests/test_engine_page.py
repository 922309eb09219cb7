"""docs/engine.md: its code runs from top to bottom, and its bots answer what is legal."""

import re
from pathlib import Path

import pytest

from baohuang.engine import PRESETS, Draw, View, new_deal

from .engine.walk import key_of

PAGE = Path(__file__).parent.parent / "docs" / "engine.md"


@pytest.fixture(scope="module")
def names():
    """What the page's code has defined at its end; the names of one block are there in the next."""
    blocks = re.findall(
        r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert len(blocks) == 4
    found = {}
    for number, block in enumerate(blocks, 1):
        exec(compile(block, f"docs/engine.md, block {number}", "exec"), found)  # the page itself
    return found


def test_the_code_runs(names):
    assert names["last"].result is not None
    assert not names["env"].agents  # played to its end


@pytest.mark.parametrize("preset", PRESETS)
def test_the_searching_bot_answers_legally_in_every_phase(names, preset):
    rules, lots = PRESETS[preset], Draw(key_of("page", preset), "page")
    bot = names["Search"](rules, deals=1, answers=3)
    state = new_deal(rules, key_of(preset))
    while state.legal:
        view = View(state, state.seat)
        answer = bot.choose(view, lots)
        assert answer in view["legal"]
        state.apply(answer)
