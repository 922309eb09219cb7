"""A view as an array: small whole numbers in rows, the same shape at every question.

Columns are cards in play, low to high: the natural ranks, `x`, `X`, `*`; 16 of them with threes in
the deck, 13 without. Seats count from the seat that looks: 0 itself, 1 the next one, and so on, so
that what is learned in one seat holds in all. A row about seats uses its first five columns.

Left out: the order of what was said and laid, beyond the last play of each seat; the scores of the
match, which tell nothing of the deal; the legal answers, which are a mask of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baohuang.engine import RuleSet
from baohuang.engine.cards import MARKED, PACKS, RANKS, SEATS, SUITS, kind_of
from baohuang.engine.combinations import PASS, TRUMP, Combinations
from baohuang.engine.state import tables_of


@dataclass(frozen=True, slots=True)
class Plane:
    """Some rows of the array: `name`, how many, and what their numbers mean."""

    name: str
    rows: int
    meaning: str


PLANES = (
    Plane("hand", 1, "own cards"),
    Plane("suits", 4, "own cards by suit C D H S; jokers: plain in row 0, marked in row 1"),
    Plane("unseen", 1, "cards neither held nor laid, a called trump as its natural rank"),
    Plane("called", 4, "1 at the called card, by suit; a joker in row 0"),
    Plane("laid", 5, "cards laid in this deal, by seat"),
    Plane("last", 5, "the last play of each seat, by seat; nothing after a pass"),
    Plane("to_beat", 1, "the play to beat"),
    Plane("sizes", 1, "cards held, by seat"),
    Plane("places", 1, "place of a seat that is out, by seat"),
    Plane("emperor", 1, "1 at the emperor"),
    Plane("guard", 1, "1 at a guard whom everybody knows"),
    Plane("rebels", 1, "1 at seats that rebelled"),
    Plane("throne", 1, "1 at the seat that took the throne"),
    Plane("refused", 1, "how often a seat refused the throne"),
    Plane("silent", 1, "how often a seat kept silent"),
    Plane("kicked", 1, "1 at seats that kicked"),
    Plane("leader", 1, "1 at the leader of the trick"),
    Plane("by", 1, "1 at the seat whose play is to beat"),
    Plane("passed", 1, "1 at seats that passed since"),
    Plane("flags", 1, "in twelve columns: phase throne grab call declare kick play, own role "
          "emperor guard rebel, solo hidden open as everybody knows, factor"),
)  # fmt: skip

FLAGS = (
    *("throne", "grab", "call", "declare", "kick", "play"),
    *("emperor", "guard", "rebel", "hidden", "open"),
)
FACTOR = len(FLAGS)
WORDS = {"accept": "throne", "yield": "refused", "silent": "silent", "kick": "kicked"}


def _first_rows() -> dict[str, int]:
    ends = np.cumsum([plane.rows for plane in PLANES])
    return {plane.name: int(end) - plane.rows for plane, end in zip(PLANES, ends, strict=True)}


_ROW = _first_rows()
ROWS = sum(plane.rows for plane in PLANES)


def rows(name: str) -> slice:
    """The rows of a plane: `encode(rules, view)[rows("laid")]` has shape (5, columns)."""
    plane = next(plane for plane in PLANES if plane.name == name)
    return slice(_ROW[name], _ROW[name] + plane.rows)


def shape(rules: RuleSet) -> tuple[int, int]:
    """(rows, columns) of every array of a rule set: 34 by 16, or by 13 without threes to fives."""
    return ROWS, len(tables_of(rules).lane)


def encode(rules: RuleSet, view: Mapping[str, Any]) -> NDArray[np.int8]:
    """What one seat sees, as an int8 array of `shape(rules)`; no number is below 0.

    `view` is a `View` or a `decide` request (contract.md 4), of any seat, at any time of a deal.
    """
    tables = tables_of(rules)
    sheet = _Sheet(tables, view["seat"])
    public = view["public"]
    laid = _history(sheet, view["history"])
    _cards(sheet, view["hand"].split(), public["called"], laid)
    _seats(sheet, public, view["trick"] or {})
    _flags(sheet, view["phase"], view["role"], public)
    return sheet.array()


class _Sheet:
    """The array while it is written."""

    __slots__ = ("cells", "seat", "tables", "width")

    def __init__(self, tables: Combinations, seat: int) -> None:
        self.tables = tables
        self.seat = seat
        self.width = len(tables.lane)
        self.cells = bytearray(ROWS * self.width)

    def array(self) -> NDArray[np.int8]:
        return np.frombuffer(self.cells, np.int8).reshape(ROWS, self.width)

    def pack(self, name: str, hand: int, row: int = 0) -> None:
        """Write a packed hand; its lanes are the columns."""
        start = (_ROW[name] + row) * self.width
        self.cells[start : start + self.width] = hand.to_bytes(self.width, "little")

    def add(self, name: str, column: int, row: int = 0) -> None:
        self.cells[(_ROW[name] + row) * self.width + column] += 1

    def by_seat(self, name: str, values: list[int]) -> None:
        start = _ROW[name] * self.width
        self.cells[start : start + SEATS] = bytes(values[self.seat :] + values[: self.seat])

    def at(self, name: str, seats: list[int | None]) -> None:
        for seat in seats:
            if seat is not None:
                self.add(name, (seat - self.seat) % SEATS)


def _history(sheet: _Sheet, history: list[tuple[int, str]]) -> int:
    """Writes what was said and laid; all that was laid, packed."""
    plays, laid, last = sheet.tables.plays, [0] * SEATS, [0] * SEATS
    for seat, answer in history:
        if answer == PASS:
            last[seat] = 0
        elif answer in plays:
            last[seat] = pack = plays[answer].pack
            laid[seat] += pack
        elif answer in WORDS:
            sheet.at(WORDS[answer], [seat])
    for seat in range(SEATS):
        away = (seat - sheet.seat) % SEATS
        sheet.pack("laid", laid[seat], away)
        sheet.pack("last", last[seat], away)
    return sum(laid)


def _cards(sheet: _Sheet, hand: list[str], called: str | None, laid: int) -> None:
    tables, lane = sheet.tables, sheet.tables.lane
    held = tables.pack_cards(hand)
    sheet.pack("hand", held)
    for card in hand:
        sheet.add("suits", *_suited(tables, card))
    gone = held + laid
    if called:
        sheet.add("called", *_suited(tables, kind_of(called)))
        gone += tables.count(laid, TRUMP) * ((1 << lane[called[0]]) - (1 << lane[TRUMP]))
    sheet.pack("unseen", _deck(tables) - gone)


def _suited(tables: Combinations, card: str) -> tuple[int, int]:
    """Column and row of a card in a plane of four suits."""
    if card in MARKED:
        return tables.lane[MARKED[card]] >> 3, 1
    suit = SUITS.index(card[1]) if card[0] in RANKS else 0
    return tables.lane[card[0]] >> 3, suit


def _deck(tables: Combinations) -> int:
    return tables.ones * PACKS * len(SUITS) + tables.joker_base * (PACKS | PACKS << 8)


def _seats(sheet: _Sheet, public: Mapping[str, Any], trick: Mapping[str, Any]) -> None:
    sheet.by_seat("sizes", public["hand_sizes"])
    sheet.by_seat("places", public["places"])
    sheet.at("emperor", [public["emperor"]])
    sheet.at("guard", [public["guard"]])
    sheet.at("rebels", public["rebels"])
    sheet.at("leader", [trick.get("leader")])
    sheet.at("by", [trick.get("by")])
    sheet.at("passed", trick.get("passed", []))
    if trick.get("to_beat"):
        sheet.pack("to_beat", sheet.tables.plays[trick["to_beat"]].pack)


def _flags(sheet: _Sheet, phase: str, role: str | None, public: Mapping[str, Any]) -> None:
    for word in (phase, role, public["solo"]):
        if word in FLAGS:
            sheet.add("flags", FLAGS.index(word))
    for _ in range(public["factor"]):
        sheet.add("flags", FACTOR)
