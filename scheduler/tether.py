"""Child processes end with their parent, even with one that was killed without a word (Linux).

`prctl(PR_SET_PDEATHSIG)` lasts across `exec`, so this file is also a small program that calls it
and then becomes the command it was given: `python -IS tether.py PID COMMAND…`.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def tether(parent: int, number: int = signal.SIGTERM) -> None:
    """Have the kernel send `number` to this process when its parent ends.

    `parent` is the pid expected: one that ended before the call would never be noticed otherwise.
    """
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_PDEATHSIG) failed")
    if os.getppid() != parent:
        os.kill(os.getpid(), number)


def tethered(command: tuple[str, ...]) -> tuple[str, ...]:
    """The command line that runs `command` tied to this process."""
    return (sys.executable, "-IS", __file__, str(os.getpid()), *command)


if __name__ == "__main__":
    tether(int(sys.argv[1]))
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 - a shell is what must not come between
