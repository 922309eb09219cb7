"""Ways to play a match from one end to the other: quiet, loud, big plays, passes, house bots."""

from collections.abc import Callable, Sequence
from random import Random

from baohuang.engine import BOTS, DealState, Draw, Match, View

Policy = Callable[[Match | DealState], str]
LOUD = ("accept", "open", "rebel", "kick", "grab")
QUIET = ("yield", "silent", "hidden")
CALM = ("accept", "silent", "hidden", "call")


def talk(random: Random, words: Sequence[str]) -> Callable[[Sequence[str]], str]:
    """Before play: one of these words where it is offered, now and then anything."""

    def choose(legal: Sequence[str]) -> str:
        liked = [answer for answer in legal if answer.split()[0] in words]
        return random.choice(liked if liked and random.random() < 0.9 else legal)

    return choose


def first_yields(random: Random) -> Callable[[Sequence[str]], str]:
    """Refuses the throne mostly, then is loud: the last question and open declarations."""

    def choose(legal: Sequence[str]) -> str:
        if "yield" in legal and random.random() < 0.85:
            return "yield"
        return talk(random, LOUD)(legal)

    return choose


def lay(random: Random, rank: Callable[[str], int]) -> Callable[[Sequence[str]], str]:
    """In play: the highest by `rank` four times out of five, else anything."""

    def choose(legal: Sequence[str]) -> str:
        return max(legal, key=rank) if random.random() < 0.8 else random.choice(legal)

    return choose


def policy(random: Random) -> Policy:
    """One of many ways to play a match, the same for all five seats."""
    if random.random() < 0.1:
        return house_bot(random)
    before = random.choice(
        [
            random.choice,
            talk(random, LOUD),
            talk(random, QUIET),
            talk(random, CALM),
            first_yields(random),
        ]
    )
    during = random.choice(
        [
            random.choice,
            lay(random, lambda play: 0 if play == "pass" else len(play)),
            lay(random, lambda play: 9 if play == "pass" else len(play)),
            lay(random, lambda play: 0 if play == "pass" else -len(play)),
            lay(random, lambda play: sum(play.count(joker) for joker in "xX*")),
        ]
    )
    return lambda game: (during if game.phase == "play" else before)(game.legal)


def house_bot(random: Random) -> Policy:
    bot = BOTS[random.choice(sorted(BOTS))]
    lots = Draw(random.randbytes(32), "bot")
    return lambda game: bot.choose(
        game.view() if isinstance(game, Match) else View(game, game.seat), lots
    )
