"""A bot for Baohuang Arena with Flask: plays its lowest card.

AGENT_SECRET=whsec_… python agent.py 9000        # port 0 takes a free one and prints it
"""

import base64
import hashlib
import hmac
import os
import sys
import time

from flask import Flask, request
from werkzeug.serving import WSGIRequestHandler, make_server

NEEDED = {"phase", "hand", "public", "trick", "history", "legal", "fallback"}


def signing_key():
    """The key in AGENT_SECRET. Unset: nothing is checked. What is no secret ends the program."""
    secret = os.environ.get("AGENT_SECRET")
    if secret is None:
        print("AGENT_SECRET is not set: this bot believes every caller.", file=sys.stderr)
        return b""
    try:
        key = base64.b64decode(secret[6:], validate=True)
    except ValueError:
        key = b""
    if secret[:6] != "whsec_" or not 24 <= len(key) <= 64:
        sys.exit("AGENT_SECRET is set, but is no secret of the form whsec_…; nothing is started.")
    return key


KEY = signing_key()
app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 1_000_000  # bytes; a request has a few thousand


def choose(question):
    """Your bot: any one of question["legal"], which is sorted, the lowest cards first."""
    if "accept" in question["legal"]:
        return "accept"  # the throne: where nobody takes it, no deal is ever played
    if question["phase"] != "play":
        return question["fallback"]
    return next(play for play in question["legal"] if play != "pass")


@app.post("/")
def call():
    if KEY and not signed(request.headers, request.get_data()):
        return {"error": "the signature does not fit"}, 401
    match asked := parsed():
        case {"kind": "hello", "request": name, "challenge": challenge}:
            return {"request": name, "challenge": challenge}
        case {"kind": "decide", "request": name} if asked.keys() >= NEEDED:
            return {"request": name, "answer": choose(asked)}
        case {"kind": "deal_end" | "match_end"}:
            return {}  # notices: nothing is expected
    return {"error": "not a request of bot protocol 1"}, 400


def parsed():
    """The request's JSON; None if it is not one, or nested thousands deep."""
    try:
        return request.get_json(silent=True)
    except RecursionError:
        return None


def signed(headers, body):
    """Standard Webhooks: ours and recent; one fitting signature of several is enough."""
    stamp = headers.get("webhook-timestamp", "")
    if not stamp.isdecimal() or len(stamp) > 12 or abs(time.time() - int(stamp)) > 300:
        return False
    text = f"{headers.get('webhook-id')}.{stamp}.".encode() + body
    right = b"v1," + base64.b64encode(hmac.digest(KEY, text, hashlib.sha256))
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(right, each) for each in given)


class Quiet(WSGIRequestHandler):
    """A match is some hundred calls: they are not listed."""

    disable_nagle_algorithm = True  # else every answer waits 40 ms for an acknowledgement

    def log_request(self, *_):
        pass


if __name__ == "__main__":
    host, port = os.environ.get("HOST", "127.0.0.1"), int((sys.argv[1:] or [9000])[0])
    server = make_server(host, port, app, threaded=True, request_handler=Quiet)
    print(server.port, flush=True)
    server.serve_forever()
