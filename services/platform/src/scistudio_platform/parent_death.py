"""Become another program that ends when its parent does: ``python parent_death.py PARENT_PID PROGRAM ARGUMENT…``.

The signal is asked for between fork and exec, in a program of its own: ``preexec_fn`` would run Python in a fork of a process that may
have threads. It is bound to the *thread* that started us. Linux only; elsewhere the program merely starts.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != int(sys.argv[1]):  # it died before we asked
            raise SystemExit(1)
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606  # an argument list from our own code
