"""Counts of answer sequences to a depth, for fixed keys: any change of legality shows in a number.

`perft.txt` holds `preset from key depth count`; `pytest tests/engine --update-golden` writes it
anew, and the difference is to be read. The counts of plays are checked by a slow walker too.
"""

from pathlib import Path

import pytest

from baohuang.engine import PRESETS, DealState, Draw, new_deal

from .board import plain
from .naive_play import at_lead
from .naive_play import count as naive_count
from .walk import key_of

FILE = Path(__file__).parent / "perft.txt"
DEPTHS = {"deal": (1, 2, 3, 4, 5, 6), "lead": (1, 2, 3), "end": (1, 2, 3, 4, 5)}
KEYS = (1, 2, 3)
LIMIT = 40_000  # sequences; deeper lines are left out of the file

TABLE_OF_CASES = [(preset, start, key) for preset in PRESETS for start in DEPTHS for key in KEYS]


def perft(state: DealState, depth: int) -> int:
    """Sequences of exactly `depth` answers; deals that end earlier do not count."""
    if depth == 0:
        return 1
    if depth == 1:
        return len(state.legal)
    total = 0
    for answer in state.legal:
        twin = state.copy()
        twin.apply(answer)
        total += perft(twin, depth - 1)
    return total


def start_of(preset: str, start: str, key: int) -> DealState:
    """The deal as dealt; at its first lead; or at a lead when somebody has six cards or fewer."""
    state = new_deal(PRESETS[preset], key_of("perft", key))
    lots = Draw(key_of("perft", preset, key), "walk")
    while start != "deal" and (state.result or state.phase != "play"):
        if state.result:  # a redeal: shuffle again
            state = new_deal(PRESETS[preset], key_of("perft", key), attempt=2 + lots.below(1000))
        else:
            quiet = [answer for answer in state.legal if answer not in ("yield", "open", "grab")]
            state.apply(lots.choice(tuple(quiet)))
    while start == "end" and not (
        state.prev is None and min(size for size in state.hand_sizes() if size) <= 6
    ):
        before = state.copy()
        state.apply(lots.choice(state.legal))
        if state.result:
            state = before
    return state


def counts() -> list[str]:
    lines = []
    for preset, start, key in TABLE_OF_CASES:
        state = start_of(preset, start, key)
        for depth in DEPTHS[start]:
            found = perft(state, depth)
            if found > LIMIT:
                break
            lines.append(f"{preset} {start} {key} {depth} {found}")
    return lines


def test_perft(update_golden):
    lines = counts()
    if update_golden:
        FILE.write_text("\n".join(lines) + "\n", "utf-8")
    assert lines == FILE.read_text("utf-8").splitlines()


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("start", ["lead", "end"])
def test_perft_of_plays_equals_a_naive_walk(preset, start):
    """From the file, not from the engine: the walker vouches for the numbers themselves."""
    known = {
        (key, depth): found
        for name, begin, key, depth, found in (
            line.split() for line in FILE.read_text("utf-8").splitlines()
        )
        if (name, begin) == (preset, start)
    }
    checked = 0
    for key in KEYS:
        at = at_lead(start_of(preset, start, key))
        for depth in DEPTHS[start]:
            found = known.get((str(key), str(depth)))
            if found is not None and int(found) <= 1500:
                assert naive_count(at, depth) == int(found), (key, depth)
                checked += 1
    assert checked >= 3


def test_perft_counts_by_hand():
    """Emperor 0 holds 7, 9 and a big joker, 1 an eight and a small joker, the others sixes."""
    state = plain("7C 9C E", "8C G", "6C 6D", "6C 6D", "6C 6D")
    assert list(state.legal) == ["7", "9", "X", "7X", "9X"]
    # On 7: pass, 8, x. On 9: pass, x. After X he leads 7 or 9. After 7X or 9X one card is left,
    # which he leads unasked and is out, first; then 1 answers it: 9 by x, 7 by 8 or x.
    assert perft(state, 1) == 5
    assert perft(state, 2) == 3 + 2 + 2 + 2 + 3
    assert naive_count(at_lead(state), 2) == 12
