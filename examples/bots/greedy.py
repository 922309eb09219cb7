"""Gets rid of many cards at a time, and keeps its jokers for later."""

from kit import Agent, Request, serve

JOKERS = "xX*"


def jokers(play: str) -> int:
    return sum(play.count(joker) for joker in JOKERS)


class Greedy(Agent):
    """Takes the throne, leads its biggest set, answers with the lowest play that costs no joker."""

    def choose(self, request: Request) -> str:
        legal = request["legal"]
        if request["phase"] == "throne" and "accept" in legal:
            return "accept"
        if request["phase"] != "play":
            return request["fallback"]
        plays = [play for play in legal if play != "pass"]
        plain = [play for play in plays if not jokers(play)]
        if "pass" not in legal:
            return max(plain or plays, key=len)
        if plain:
            return plain[0]
        hurry = min(size for size in request["public"]["hand_sizes"] if size) <= 5
        return min(plays, key=jokers) if hurry else "pass"


if __name__ == "__main__":
    serve(Greedy)
