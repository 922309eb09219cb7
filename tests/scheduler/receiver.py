"""A webhook receiver on loopback that verifies, remembers, and fails when it is told to."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from standardwebhooks.webhooks import Webhook, WebhookVerificationError


class Receiver:
    """`status` is what it answers; `seen` are (webhook-id, body) of calls, `forged` counts others.

    `before` is called with each body before it is answered.
    """

    def __init__(self):
        self.status = 200
        self.secret = None
        self.seen = []
        self.forged = 0
        self.before = lambda body: None
        self.url = ""

    def take(self, headers, body):
        try:
            Webhook(self.secret).verify(body.decode(), headers)
        except WebhookVerificationError:
            self.forged += 1
        parsed = json.loads(body)
        self.seen.append((headers["webhook-id"], parsed))
        self.before(parsed)
        return self.status


@contextmanager
def receiving():
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.send_response(receiver.take(headers, body))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        receiver.url = f"http://127.0.0.1:{server.server_port}/hook"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()
