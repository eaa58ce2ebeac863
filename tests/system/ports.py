# SPDX-License-Identifier: MIT
"""Ports of the loopback for what a test starts."""
import collections
import socket

_held = collections.deque(maxlen=256)


def free_port():
    """A port that nobody else gets: it stays bound here, without listening, and both sides say SO_REUSEADDR.

    Until a program listens on it, whoever connects is refused.
    """
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(("127.0.0.1", 0))
    _held.append(s)
    return s.getsockname()[1]
