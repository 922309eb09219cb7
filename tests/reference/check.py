"""Replays a `baohuang-record/1` answer by answer and compares (contract.md 2)."""

from typing import Any

from .cards import deck, in_order
from .difference import Difference
from .draw import commitment
from .match import Dealer, Dealing, Done, Replay, dealer
from .options import check_options
from .table import Question


def check(record: dict[str, Any]) -> None:
    """Raises Difference at the first thing that the rules say otherwise."""
    expect("record", type(record), dict)
    expect("format", get(record, "format"), "baohuang-record/1")
    get(record, "match")
    names = get(record, "seats")
    if not isinstance(names, list) or len(names) != 5 or not all(type(n) is str for n in names):
        raise Difference("seats", "five names are needed")
    get(record, "rules.preset", str)
    options = get(record, "rules.options", dict)
    check_options(options, "rules.options")
    key = check_draw(get(record, "draw", dict))
    deals = get(record, "deals", list)
    if not deals:
        raise Difference("deals", "no deal was played")
    deal_out = dealer(options, key) if key else hands_of(options, deals)
    fined = deserters(get(record, "penalties", list), options["desertion_penalty"])
    replay = RecordReplay(options, deal_out, deals, fined)
    for place, entry in enumerate(deals):
        replay_entry(replay, entry, place)
    if replay.question is not None or len(replay.done) > len(deals):
        raise Difference("deals", "the match is not over yet")
    expect("totals", get(record, "totals"), replay.totals)


class RecordReplay(Replay):
    """A record does not show when a seat deserted: in doubt its own word counts."""

    def __init__(
        self, options: dict[str, Any], deal_out: Dealer, deals: list[Any], fined: set[int]
    ) -> None:
        self.entries = deals
        self.fined = fined
        super().__init__(options, deal_out, get(deals[-1], "number", int, "deals[-1]"))

    def does_not_count(self) -> bool:
        place = len(self.done)
        entry = self.entries[place] if place < len(self.entries) else None
        claimed = isinstance(entry, dict) and entry.get("result") == "uncounted"
        return all(
            self.on_autoplay(seat) or (claimed and self.may_have_deserted(seat, place))
            for seat in range(5)
        )

    def may_have_deserted(self, seat: int, place: int) -> bool:
        """Fined (or leaving is free), and no answer of its own in a later deal."""
        later = [answer for entry in self.entries[place + 1 :] for answer in own(entry, seat)]
        left = seat in self.fined or not self.options["desertion_penalty"]
        return left and all(len(answer) == 3 for answer in later)


def own(entry: Any, seat: int) -> list[Any]:
    """What this seat answered in a deal that has not been checked yet."""
    answers = entry.get("answers") if isinstance(entry, dict) else None
    lists = [given for given in answers or [] if isinstance(given, list)]
    return [given for given in lists if given[:1] == [seat]]


def get(obj: Any, path: str, kind: type = object, where: str = "") -> Any:
    """The value at a dotted path, of this type."""
    for name in path.split("."):
        if not isinstance(obj, dict) or name not in obj:
            raise Difference(f"{where}.{path}".lstrip("."), "is missing")
        obj = obj[name]
    if not isinstance(obj, kind) or (kind is int and type(obj) is not int):
        raise Difference(f"{where}.{path}".lstrip("."), f"is no {kind.__name__}")
    return obj


def expect(path: str, found: Any, wanted: Any) -> None:
    """Equal in value and type: JSON's true is not 1."""
    if repr(found) != repr(wanted):
        raise Difference(path, f"the record says {found!r}, by the rules it is {wanted!r}")


def check_draw(draw: dict[str, Any]) -> bytes | None:
    """The key, or None before it is revealed."""
    expect("draw.scheme", get(draw, "scheme", where="draw"), "draw-v1")
    committed = hexadecimal(get(draw, "commitment", str, "draw"), "draw.commitment")
    if get(draw, "key", where="draw") is None:
        return None
    key = hexadecimal(get(draw, "key", str, "draw"), "draw.key")
    expect("draw.commitment", committed.hex(), commitment(key))
    return key


def hexadecimal(text: str, path: str) -> bytes:
    """32 bytes."""
    if len(text) != 64 or set(text) - set("0123456789abcdef"):
        raise Difference(path, "is no hexadecimal number of 64 digits")
    return bytes.fromhex(text)


def deserters(penalties: list[Any], cost: int) -> set[int]:
    if len(penalties) != 5 or any(type(p) is not int or p not in (0, -cost) for p in penalties):
        raise Difference("penalties", f"five numbers are needed, each 0 or {-cost}")
    return {seat for seat in range(5) if penalties[seat]}


def hands_of(options: dict[str, Any], deals: list[Any]) -> Dealer:
    """Before the key is revealed the record's own hands are taken, if they are a whole deck."""

    def deal_out(number: int, attempt: int, first: int) -> Dealing:
        for place, entry in enumerate(deals):
            path = f"deals[{place}]"
            if (get(entry, "number"), get(entry, "attempt")) == (number, attempt):
                hands = [str(hand).split(" ") for hand in get(entry, "hands", list, path)]
                whole = [card for hand in hands for card in hand]
                if len(hands) != 5 or sorted(whole) != sorted(deck(options)):
                    raise Difference(f"{path}.hands", "is not the deck")
                drawn = get(entry, "offered", int, path) if options["aside"] else None
                if drawn not in (None, 0, 1, 2, 3, 4):
                    raise Difference(f"{path}.offered", "is no seat")
                return hands, drawn
        raise Difference("deals", f"deal {number}, attempt {attempt} is missing")

    return deal_out


def replay_entry(replay: Replay, entry: Any, place: int) -> None:
    path = f"deals[{place}]"
    for i, given in enumerate(get(entry, "answers", list, path)):
        if replay.question is None or len(replay.done) > place:
            raise Difference(f"{path}.answers[{i}]", "the deal is over already")
        give(replay, replay.question, given, f"{path}.answers[{i}]")
    if len(replay.done) <= place:
        raise Difference(f"{path}.answers", "the deal is not over yet")
    compare(replay, replay.done[place], entry, path)


def give(replay: Replay, question: Question, given: Any, path: str) -> None:
    if not isinstance(given, list) or len(given) not in (2, 3):
        raise Difference(path, "is no answer")
    expect(path + "[0]", given[0], question.seat)
    if given[1] not in question.legal:
        raise Difference(path + "[1]", f"{given[1]!r} is not among {question.legal}")
    auto = len(given) == 3
    if auto:
        expect(path + "[2]", given[2], "auto")
        expect(path + "[1]", given[1], question.fallback)
    elif replay.autos[question.seat] > replay.options["autoplay_limit"]:
        raise Difference(path, "a seat that stays on autoplay answered for itself")
    replay.answer(given[1], auto)


def compare(replay: Replay, done: Done, entry: Any, path: str) -> None:
    aside = replay.options["aside"]
    outcome = done.outcome
    wanted = {
        "number": done.number,
        "attempt": done.attempt,
        "first": done.first,
        "hands": [" ".join(in_order(hand)) for hand in done.hands],
        "aside": "E" if aside else None,
        "emperor": outcome.emperor,
        "guard": outcome.guard,
        "solo": outcome.solo,
        "called": outcome.called,
        "factor": outcome.factor,
        "scores": outcome.scores,
        "result": outcome.result,
    }
    for name, value in wanted.items():
        expect(f"{path}.{name}", get(entry, name, where=path), value)
    places = get(entry, "places", where=path)
    if outcome.places or places not in (None, [0] * 5):  # how "no places" looks is open
        expect(f"{path}.places", places, outcome.places)
    if "offered" in entry:  # it follows from the draw
        expect(f"{path}.offered", entry["offered"], done.offered)
    paid = get(entry, "tribute", list, path)
    gifts = sorted(list(gift) for gift in done.tribute)
    expect(f"{path}.tribute", sorted(paid, key=repr) if paid else [], sorted(gifts, key=repr))
