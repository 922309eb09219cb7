"""Requests of a real server that are never sent to their end."""

from __future__ import annotations

import select
import socket
from contextlib import ExitStack

import pytest

from baohuang.api import intake

from .test_streams import api

FORM = "application/x-www-form-urlencoded"
LENGTHS = {
    "Content-Length: 1000": b"form_key=a",
    "Transfer-Encoding: chunked": b"a\r\nform_key=a\r\n",
}


@pytest.fixture
def arena_url(sqlite_arena):
    return sqlite_arena


def half_sent(port, length, body):
    """A connection on which a form was announced and begun."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    head = ["POST /login HTTP/1.1", "Host: arena", f"Content-Type: {FORM}", length]
    connection.sendall("\r\n".join([*head, "", ""]).encode() + body)
    return connection


@pytest.mark.parametrize("length", LENGTHS)
def test_half_sent_forms_stop_nobody_and_end_in_time(arena, length):
    """One place for requests. All of them are answered."""
    settings = {"BAOHUANG_THREADS": "1", "BAOHUANG_BODY_S": "2"}
    with api(arena, **settings) as (_, call), ExitStack() as sockets:
        port = call("/healthz").connection.port
        slow = [
            sockets.enter_context(half_sent(port, length, LENGTHS[length]))
            for _ in range(intake.EACH)
        ]
        assert call("/healthz").status == 200
        for each in slow:
            assert each.recv(4096).startswith(b"HTTP/1.1 408 ")
            while each.recv(4096):
                pass  # and then the server ends the connection
        assert call("/healthz").status == 200
        with half_sent(port, "Content-Length: 10", b"form_key=a") as whole:
            assert whole.recv(4096).startswith(b"HTTP/1.1 403 ")


def test_one_address_has_few_bodies_on_their_way(arena):
    with api(arena, BAOHUANG_THREADS="1", BAOHUANG_BODY_S="600") as (_, call), ExitStack() as all_:
        port = call("/healthz").connection.port
        length, body = next(iter(LENGTHS.items()))

        def begin():
            return all_.enter_context(half_sent(port, length, body))

        many = [begin() for _ in range(intake.EACH + 1)]
        refused, _, _ = select.select(many, [], [], 60)
        assert refused[0].recv(4096).startswith(b"HTTP/1.1 429 ")
        assert call("/healthz").status == 200
