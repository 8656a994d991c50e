"""The processor cores that this process may use, and threads of libraries that share them."""

import os
from math import ceil

_CGROUP = ("/sys/fs/cgroup/cpu.max",)
_CGROUP_1 = ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us")


def available() -> int:
    """Return how many cores this process may use: those of its affinity, and of its cgroup."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(there or 1, _quota() or there or 1))


def _quota() -> int | None:
    """Return the cores that a cgroup grants, rounded up; None if it sets no limit."""
    for paths in (_CGROUP, _CGROUP_1):
        try:
            said = " ".join(map(_text, paths)).split()
            if len(said) == 2 and said[0] not in ("max", "-1"):
                return ceil(int(said[0]) / int(said[1]))
        except (OSError, ValueError, ZeroDivisionError):
            pass
    return None


def _text(path: str) -> str:
    with open(path, encoding="ascii") as file:
        return file.read()


def share(processes: int = 1) -> None:
    """Let libraries that are loaded from now on start as many threads as each process has cores.

    Their threads sleep while they wait: threads that spin hold a core that another process needs,
    which costs more time than waking them.  What the user has set stays.
    """
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, available() // max(1, processes))))
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.environ.setdefault("KMP_BLOCKTIME", "0")  # Intel's OpenMP, which CTranslate2 brings
