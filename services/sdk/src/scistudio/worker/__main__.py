"""One request in a fresh interpreter: ``python -m scistudio.worker FD``, for blocks that cannot live in a forked process.

``FD`` is this end of a socket pair; the request is its first message.
"""

from __future__ import annotations

import os
import socket
import sys

from scistudio.worker import protocol
from scistudio.worker.child import run_child


def main(descriptor: str) -> int:
    """Serve the one request that comes."""
    with socket.socket(fileno=int(descriptor)) as sock:
        os.set_inheritable(sock.fileno(), False)
        request = protocol.receive(sock)
        return 2 if request is None else run_child(sock, request)


if __name__ == "__main__":
    # As a forked child ends: threads that a block left behind do not keep the process.
    os._exit(main(sys.argv[1]))
