"""Plays its lowest card, always: the shortest agent that follows the rules."""

from kit import Agent, Request, serve


class Lowest(Agent):
    """Leads the lowest single card and beats a play with the least that beats it."""

    def choose(self, request: Request) -> str:
        if "accept" in request["legal"]:
            return "accept"  # the throne: where nobody takes it, no deal is ever played
        if request["phase"] != "play":
            return request["fallback"]
        return next(play for play in request["legal"] if play != "pass")  # legal is sorted


if __name__ == "__main__":
    serve(Lowest)
