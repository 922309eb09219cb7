"""Which of the server's own connections are ended: those of which it is sure, and no others."""

from __future__ import annotations

import socket
import sys
import time
from contextlib import ExitStack

import pytest

from baohuang.api import connections
from baohuang.api.connections import end_overdue
from baohuang.api.intake import Peer, Reading

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere none is ended")
HERE = "127.0.0.1"


@pytest.fixture
def accepted():
    """A way to make connections: the server's end of one whose client sent something."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server((HERE, 0)))

        def make(source=HERE):
            address = listener.getsockname()
            client = socket.create_connection(address, timeout=30, source_address=(source, 0))
            server, _ = listener.accept()
            stack.enter_context(client)
            stack.enter_context(server).settimeout(30)
            client.sendall(b"half")
            assert server.recv(100) == b"half"
            return server

        make.peer = Peer(HERE, listener.getsockname()[1])
        yield make


def is_ended(server):
    server.setblocking(False)
    try:
        return server.recv(100) == b""
    except BlockingIOError:
        return False


def reading(ago=0.0):
    now = time.monotonic()
    return Reading(Peer(HERE, 0), begun=now - 60, moved=now - ago)


def test_a_body_that_is_all_that_its_peer_has_under_way_is_ended(accepted):
    mine, others = accepted(), accepted("127.0.0.2")
    overdue = [reading(ago=50)]
    end_overdue(accepted.peer, overdue, overdue)
    assert is_ended(mine)
    assert not is_ended(others)
    mine.sendall(b"an answer still goes out")


def test_beside_another_request_of_its_peer_it_must_have_been_silent_as_long(accepted, monkeypatch):
    """A body whose last piece came just now, and a request that came 50 s before it."""
    monkeypatch.setattr(connections, "NEAR_S", 10.0)  # what is now on a busy machine
    server, other = accepted(), accepted()
    overdue = [reading(ago=50)]
    end_overdue(accepted.peer, overdue, overdue)
    assert not is_ended(server)
    assert not is_ended(other)
    end_overdue(accepted.peer, [reading()], [reading()])
    assert is_ended(server)


def test_beside_a_body_that_is_not_overdue_it_must_be_as_silent_too(accepted):
    server, overdue = accepted(), reading(ago=50)
    end_overdue(accepted.peer, [overdue], [overdue, reading()])
    assert not is_ended(server)


def test_a_mapped_address_is_the_same_peer(accepted):
    server, overdue = accepted(), [reading()]
    end_overdue(accepted.peer._replace(address=f"::ffff:{HERE}"), overdue, overdue)
    assert is_ended(server)
