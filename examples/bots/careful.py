"""Knows whose side it is on: never beats a partner, and takes the throne only when it is strong."""

from kit import Agent, Request, serve

SEATS = range(5)
STRONG = "2xXGE"


def strength(request: Request) -> int:
    return sum(card[0] in STRONG for card in request["hand"].split())


def partners(request: Request) -> set[int]:
    """The seats that are surely on our side. A guard knows his emperor, nobody knows the guard."""
    public, me = request["public"], request["seat"]
    emperor, guard = public["emperor"], public["guard"]
    if request["role"] == "emperor":
        return {guard} - {None}
    if request["role"] == "guard":
        return {emperor}
    known = guard is not None or public["solo"] is not None
    rebels = set(SEATS) - {emperor, guard} if known else set(public["rebels"])
    return rebels - {me}


class Careful(Agent):
    """Helps its partners, beats the others cheaply, and dearly only when they are nearly out."""

    def choose(self, request: Request) -> str:
        legal = request["legal"]
        if request["phase"] == "throne":
            wants = "accept" if strength(request) >= 9 else "yield"
            return wants if wants in legal else request["fallback"]
        if request["phase"] != "play":
            return request["fallback"]
        return self.lead(request) if "pass" not in legal else self.follow(request)

    def lead(self, request: Request) -> str:
        """The whole lowest rank: the longest plain set of the rank that stands first."""
        legal = request["legal"]
        lowest = [play for play in legal if set(play) == {legal[0][0]}]
        return max(lowest or legal[:1], key=len)

    def follow(self, request: Request) -> str:
        by, sizes = request["trick"]["by"], request["public"]["hand_sizes"]
        if by in partners(request):
            return "pass"
        plays = [play for play in request["legal"] if play != "pass"]
        plain = [play for play in plays if not set(play) & set("xX*2")]
        if plain:
            return plain[0]
        return plays[0] if sizes[by] <= 8 or sizes[request["seat"]] <= 10 else "pass"


if __name__ == "__main__":
    serve(Careful)
