"""This process: how it ends from outside, and the cores and threads that it may use.

It ends by Ctrl-C, a signal, a closed terminal, or a reader who leaves.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SOON = 0.01  # seconds after which an end that was swallowed is tried again
_CGROUP = ("/sys/fs/cgroup/cpu.max",)
_CGROUP_1 = ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us")


@contextmanager
def ending_at_once() -> Iterator[None]:
    """Let Ctrl-C end the program in silence, with no exception.

    One among imports would show which module Python was at, or crash it.
    """
    end_at_once()
    try:
        yield
    finally:
        end_by_exception()


def end_at_once() -> None:
    """Let Ctrl-C end the program in silence, from now on."""
    # else it is ignored, as behind & in a script
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def end_by_exception() -> None:
    """Let Ctrl-C be a KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def ending_cleanly() -> None:
    """Let SIGTERM and SIGHUP end the program by an exception, so that no partial file is left."""
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) != signal.SIG_IGN:  # as nohup wants it
            signal.signal(ending, lambda number, frame: sys.exit(128 + number))
    sys.unraisablehook = _end_again


def _end_again(lost: Any) -> None:
    """Raise an exception that ends the program again, soon, if Python ignored it in a __del__."""
    ending = lost.exc_value
    if not isinstance(ending, (SystemExit, KeyboardInterrupt)):
        sys.__unraisablehook__(lost)
        return

    def end(number: int, frame: Any) -> None:
        raise ending

    signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, SOON)


def die_of_closed_pipe() -> None:
    """End as a Unix program does when nobody reads its output any more."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGPIPE)


def available_cores() -> int:
    """Return how many cores this process may use: those of its affinity, and of its cgroup."""
    has_affinity = hasattr(os, "sched_getaffinity")
    cores = (len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count()) or 1
    for paths in (_CGROUP, _CGROUP_1):
        try:
            words = []
            for path in paths:
                with open(path, encoding="ascii") as file:
                    words += file.read().split()
            quota, period = words
            if quota not in ("max", "-1"):
                return max(1, min(cores, -(-int(quota) // int(period))))  # rounded up
        except (OSError, ValueError, ZeroDivisionError):
            pass
    return cores


def share_cores(processes: int = 1) -> None:
    """Let libraries that are loaded from now on start as many threads as each process has cores.

    Their threads sleep while they wait: threads that spin hold a core that another process needs,
    which costs more time than waking them.  What the user has set stays.
    """
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, available_cores() // max(1, processes))))
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("KMP_BLOCKTIME", "0")  # Intel's OpenMP, which CTranslate2 brings
