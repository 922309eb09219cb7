"""A bot for Baohuang Arena in one file, with the standard library alone: plays its lowest card.

AGENT_SECRET=whsec_… python agent.py 9000        # port 0 takes a free one and prints it
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

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


def choose(request):
    """Your bot: any one of request["legal"], which is sorted, the lowest cards first."""
    if "accept" in request["legal"]:
        return "accept"  # the throne: where nobody takes it, no deal is ever played
    if request["phase"] != "play":
        return request["fallback"]
    return next(play for play in request["legal"] if play != "pass")


def respond(headers, body):
    """Status and answer. To the notices deal_end and match_end nothing is expected."""
    if KEY and not signed(headers, body):
        return 401, {"error": "the signature does not fit"}
    asked = parsed(body)
    kind, name = asked.get("kind"), asked.get("request")
    if kind == "hello" and "challenge" in asked:
        return 200, {"request": name, "challenge": asked["challenge"]}
    if kind == "decide" and asked.keys() >= NEEDED:
        return 200, {"request": name, "answer": choose(asked)}
    if kind in ("deal_end", "match_end"):
        return 200, {}
    return 400, {"error": "not a request of bot protocol 1"}


def parsed(body):
    """The object in the body; an empty one if there is none."""
    try:
        asked = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return asked if isinstance(asked, dict) else {}


def signed(headers, body):
    """Standard Webhooks: ours and recent; one fitting signature of several is enough."""
    stamp = headers.get("webhook-timestamp", "")
    if not stamp.isdecimal() or len(stamp) > 12 or abs(time.time() - int(stamp)) > 300:
        return False
    text = f"{headers.get('webhook-id')}.{stamp}.".encode() + body
    right = b"v1," + base64.b64encode(hmac.digest(KEY, text, hashlib.sha256))
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(right, each) for each in given)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections are kept, which saves a handshake a decision
    disable_nagle_algorithm = True  # else every answer waits 40 ms for an acknowledgement
    timeout = 600  # seconds after which a silent connection is closed

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or len(length) > 6:  # a request has some thousand bytes
            self.close_connection = True
            return self.send(400, {"error": "a Content-Length below a million is needed"})
        body = self.rfile.read(int(length))
        try:
            return self.send(*respond(self.headers, body))
        except Exception:  # a mistake in choose is answered too
            self.send(500, {"error": "internal"})
            raise

    def send(self, status, answer):
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Say nothing: a match is some hundred calls."""


if __name__ == "__main__":
    host, port = os.environ.get("HOST", "127.0.0.1"), int((sys.argv[1:] or [9000])[0])
    ThreadingHTTPServer.request_queue_size = 256
    server = ThreadingHTTPServer((host, port), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
