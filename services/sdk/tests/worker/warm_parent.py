"""A process that has everything imported and forks a child for each request: what the worker host starts, made small.

Usage: ``python warm_parent.py FD``. Each request comes with the descriptors of the child's socket and its output.
"""

from __future__ import annotations

import array
import os
import socket
import sys
from pathlib import Path

from scistudio.worker import preload, protocol
from scistudio.worker.child import run_child

N_DESCRIPTORS = 2


def serve(control: socket.socket) -> None:
    """Fork a child per request and answer its exit status, until the other side closes."""
    preload()
    protocol.send(control, {"n_tasks": len(list(Path("/proc/self/task").iterdir())), "modules": sorted(sys.modules)})
    while True:
        descriptors = array.array("i")
        data, ancillary, _, _ = control.recvmsg(1, socket.CMSG_LEN(N_DESCRIPTORS * descriptors.itemsize))
        if not data:
            return
        for _, _, payload in ancillary:
            descriptors.frombytes(payload)
        pid = os.fork()
        if pid == 0:
            code = 70
            try:
                code = child(*descriptors)
            finally:
                os._exit(code)
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(pid, 0)
        control.send(str(os.waitstatus_to_exitcode(status)).encode())


def child(sock_fd: int, output_fd: int) -> int:
    """Serve one request with its output going where the test wants it."""
    os.dup2(output_fd, 1)
    os.dup2(output_fd, 2)
    sock = socket.socket(fileno=sock_fd)
    request = protocol.receive(sock)
    return run_child(sock, request or {})


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
