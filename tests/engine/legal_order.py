"""The order of `legal` as contract.md 1 states it, written down once more for the tests."""

RANKS = "3456789TJQKA2"
SUITS = "CDHS"
WORDS = {
    "throne": [["accept", "yield"]],
    "grab": [["open", "silent"], ["grab", "silent"]],
    "declare": [["open", "silent"], ["rebel", "silent"]],
    "kick": [["kick", "silent"]],
}


def play_key(play: str) -> tuple[int, ...]:
    """`pass` first, then length, natural rank (jokers alone last), numbers of `x`, `X`, `*`."""
    if play == "pass":
        return (0,)
    rank = RANKS.index(play[0]) if play[0] in RANKS else len(RANKS)
    return (len(play), rank, play.count("x"), play.count("X"), play.count("*"))


def call_key(answer: str) -> tuple[int, ...]:
    """`call` low to high, then `open` of a card low to high, then `open` alone or `hidden`."""
    word, _, card = answer.partition(" ")
    if not card:
        return (2 if word == "open" else 0,)
    height = (
        RANKS.index(card[0]) * 4 + SUITS.index(card[1]) if len(card) == 2 else 99 + "xX".index(card)
    )
    return (0 if word == "call" else 1, height)


def is_sorted(phase: str, legal: list[str]) -> bool:
    """Whether a list of legal answers stands in its order, each answer once."""
    if len(set(legal)) != len(legal):
        return False
    if phase == "play":
        return legal == sorted(legal, key=play_key)
    if phase == "call":
        return legal == sorted(legal, key=call_key)
    return legal in WORDS[phase]
