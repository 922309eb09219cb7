"""Answers at random, and yet the same to the same request: its seed is what the request says."""

import random

from kit import Agent, Request, serve


class RandomBot(Agent):
    """Any legal answer. The clock is left out of the seed: it differs when a call is repeated."""

    def choose(self, request: Request) -> str:
        seed = "/".join(str(request[name]) for name in ("match", "deal", "turn", "seat"))
        return random.Random(seed).choice(request["legal"])


if __name__ == "__main__":
    serve(RandomBot)
