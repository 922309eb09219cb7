"""Goes wrong now and then on purpose: too slow, illegal, a web page, no answer at all.

Which answer goes wrong, and how, follows from the request: two runs of a match go wrong alike.
"""

import hashlib
import time

from kit import Agent, Request, serve

WAYS = {"slow": 3, "illegal": 16, "page": 16, "dies": 16}  # how many of 256 answers


def way(request: Request) -> str:
    """`slow`, `illegal`, `page`, `dies`, or `` for a proper answer."""
    place = "/".join(str(request[name]) for name in ("match", "deal", "turn", "seat"))
    lot = hashlib.sha256(place.encode()).digest()[0]
    for name, share in WAYS.items():
        if lot < share:
            return name
        lot -= share
    return ""


class Misbehaving(Agent):
    """Takes the throne, else plays the fallback, when it answers properly."""

    def choose(self, request: Request) -> str:
        return "accept" if "accept" in request["legal"] else request["fallback"]

    def decide(self, request: Request) -> None:
        match way(request):
            case "slow":
                clock = request["clock"]
                time.sleep((clock["budget_ms"] + clock["bank_ms"]) / 1000 + 0.5)
                self.close_connection = True  # by now nobody listens
            case "illegal":
                self.send({"request": request["request"], "answer": "XXXXX"})
            case "page":
                self.send_body(b"<!doctype html><title>Busy</title>", "text/html")
            case "dies":
                self.close_connection = True
            case _:
                super().decide(request)


if __name__ == "__main__":
    serve(Misbehaving)
