"""What the sample agents share: HTTP, the signature, the envelope of bot protocol 1."""

import argparse
import base64
import contextlib
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]
TOLERANCE = 300  # seconds between the server's clock and ours
DECIDE = "request match deal turn seat clock phase hand role public trick legal fallback"
NEEDED = {"hello": {"request", "challenge"}, "decide": {*DECIDE.split()}}
NEEDED |= {"deal_end": set(), "match_end": set()}


class Agent(BaseHTTPRequestHandler):
    """One connection from the server. An agent overrides `choose` and remembers nothing."""

    protocol_version = "HTTP/1.1"  # connections are kept, which saves a handshake a decision
    disable_nagle_algorithm = True  # else every answer waits 40 ms for an acknowledgement
    secret = b""

    def choose(self, request: Request) -> str:
        """One of `request["legal"]`."""
        raise NotImplementedError

    def decide(self, request: Request) -> None:
        self.send({"request": request["request"], "answer": self.choose(request)})

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        short = length.isdecimal() and len(length) < 7  # less than a megabyte
        body = self.rfile.read(int(length)) if short else b""
        if self.secret and not is_signed(self.secret, self.headers, body):
            return self.send({"error": "signature"}, 401)
        request = parsed(body)
        if request is None:
            return self.send({"error": "not a request of bot protocol 1"}, 400)
        if request["kind"] == "hello":
            return self.send({"request": request["request"], "challenge": request["challenge"]})
        # To the notices deal_end and match_end nothing is expected.
        return self.decide(request) if request["kind"] == "decide" else self.send({})

    def send(self, answer: dict[str, Any], status: int = 200) -> None:
        self.send_body(json.dumps(answer).encode(), "application/json", status)

    def send_body(self, body: bytes, kind: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing: a match is some hundred calls."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def parsed(body: bytes) -> Request | None:
    """A request with everything that an agent reads; None for anything else."""
    try:
        request = json.loads(body)
        return request if NEEDED[request["kind"]] <= request.keys() else None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def is_signed(secret: bytes, headers: Any, body: bytes) -> bool:
    """Whether the call is ours and recent (Standard Webhooks, any one of several signatures)."""
    message, stamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not stamp.isdecimal() or len(stamp) > 12 or abs(time.time() - int(stamp)) > TOLERANCE:
        return False
    signed = f"{message}.{stamp}.".encode() + body
    right = "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(right.encode(), each.encode()) for each in given)


def signing_key(secret: str | None) -> bytes:
    """The key in a secret. None: nothing is checked. Raises ValueError for what is no secret."""
    if secret is None:
        print("no secret is given: this bot believes every caller.", file=sys.stderr)
        return b""
    key = base64.b64decode(secret[6:], validate=True)
    if secret[:6] != "whsec_" or not 24 <= len(key) <= 64:
        raise ValueError("not of the form whsec_…")
    return key


def serve(agent: type[Agent]) -> None:
    """Read the arguments, print the port, and answer until somebody stops the program."""
    parser = argparse.ArgumentParser(description=agent.__doc__)
    parser.add_argument("--port", type=int, default=9000, help="0 takes a free one")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--secret", default=os.environ.get("AGENT_SECRET"), help="whsec_…")
    given = parser.parse_args()
    try:
        agent.secret = signing_key(given.secret)
    except ValueError:
        parser.error("the secret (--secret, AGENT_SECRET) is not of the form whsec_…")
    with Server((given.host, given.port), agent) as server:
        print(server.server_address[1], flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
