"""What a person is shown of a request of the bot protocol: plain text, a few lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

Request = Mapping[str, Any]

SHOWN = 30  # legal answers that are listed without being asked for

_ASKS = {
    "throne": "The throne is offered to you",
    "grab": "You may grab the throne for an open solo",
    "call": "You are the emperor: name your guard's card, or play alone",
    "declare": "You may declare yourself",
    "kick": "You may double once more",
}


def question(request: Request, heard: int = 0) -> str:
    """The table, the hand and the answers. `heard`: entries of the history that were shown."""
    return "\n".join(_question(request, heard))


def _question(request: Request, heard: int) -> Iterator[str]:
    public = request["public"]
    yield ""
    yield f"Deal {request['deal']} of {request['deals']}: {_deal(public)}"
    for seat in range(5):
        yield _seat(request, seat)
    news = request["history"][heard:]
    if news:
        yield "  since then: " + ", ".join(f"{seat} {answer}" for seat, answer in news)
    yield _asked(request)
    yield f"Hand: {hand(request['hand'])}"
    yield answers(request["legal"])


def _deal(public: Mapping[str, Any]) -> str:
    facts = [f"called {public['called']}"] if public["called"] else []
    facts += [f"{public['solo']} solo"] if public["solo"] else []
    facts += [f"scores count {public['factor']} times"] if public["factor"] > 1 else []
    return ", ".join(facts) or "nothing special"


def _seat(request: Request, seat: int) -> str:
    public, trick = request["public"], request["trick"] or {}
    you = " (you)" if seat == request["seat"] else ""
    place = public["places"][seat]
    cards = f"{_ordinal(place)} out" if place else f"{public['hand_sizes'][seat]} cards"
    acts = "passed" if seat in trick.get("passed", ()) else ""
    if trick.get("by") == seat and trick.get("to_beat"):
        acts = f"played {trick['to_beat']}"
    known = _role(request, seat)
    line = f"  seat {seat}{you:6}  {cards:9} {public['scores'][seat]:+5d}  {known:8} {acts}"
    return line.rstrip()


def _role(request: Request, seat: int) -> str:
    public = request["public"]
    if seat == request["seat"]:
        return request["role"] or ""
    if seat == public["emperor"]:
        return "emperor"
    if seat == public["guard"]:
        return "guard"
    return "rebel" if seat in public["rebels"] else ""


def _asked(request: Request) -> str:
    trick = request["trick"]
    if trick is None:
        phase: str = request["phase"]
        return _ASKS.get(phase, phase)
    return f"To beat: {trick['to_beat']}" if trick["to_beat"] else "You lead"


def hand(cards: str) -> str:
    """Cards by rank: `3CD 4H 7CCDS xx X E` (the rank once, then suits)."""
    return " ".join(
        _rank(rank, list(same)) for rank, same in groupby(cards.split(), lambda card: card[0])
    )


def _rank(rank: str, cards: Sequence[str]) -> str:
    if len(cards[0]) == 1:
        return rank * len(cards)
    return rank + "".join(card[1:] for card in cards)


def answers(legal: Sequence[str], most: int = SHOWN) -> str:
    """The answers with their numbers; of a long list the first."""
    listed = "  ".join(f"{number}:{answer}" for number, answer in enumerate(legal[:most], 1))
    more = len(legal) - most
    return listed if more <= 0 else f"{listed}\n… and {more} more: type a play, or ? for all"


def deal_end(notice: Request) -> str:
    """The outcome of a deal, as its notice tells it."""
    roles = {notice["emperor"]: "emperor", notice["guard"]: "guard"}
    places = notice["places"] or [0] * 5
    lines = [f"\nDeal {notice['deal']} is over ({notice['result']})."]
    for seat in range(5):
        you = " (you)" if seat == notice["seat"] else ""
        place = _ordinal(places[seat]) if places[seat] else ""
        lines.append(
            f"  seat {seat}{you:6}  {roles.get(seat, 'rebel'):8} {place:4}"
            f" {notice['scores'][seat]:+5d}  in all {notice['totals'][seat]:+5d}"
        )
    return "\n".join(lines)


def match_end(notice: Request) -> str:
    """The outcome of a match, as its notice tells it."""
    totals = [p + q for p, q in zip(notice["totals"], notice["penalties"], strict=True)]
    mine = totals[notice["seat"]]
    ahead = sum(points > mine for points in totals)
    return f"\nThe match is over: {mine:+d} points, {_ordinal(ahead + 1)} of five."


def _ordinal(number: int) -> str:
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def understood(text: str, request: Request) -> str | None:
    """The answer that a person typed: its number, itself, nothing for the fallback; else None."""
    legal: Sequence[str] = request["legal"]
    wanted = text.strip()
    if not wanted:
        fallback: str = request["fallback"]
        return fallback
    if wanted in legal:
        return wanted
    if wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= len(legal):
        return legal[int(wanted) - 1]
    return None
