"""Cores that a process may use, and the threads of libraries that share them."""

import os

import pytest

from dialtools.system import process


@pytest.mark.parametrize(
    "said, granted",
    [
        ("150000 100000", 2),
        ("max 100000", 64),
        ("50000 100000", 1),
        ("nothing", 64),
        ("0 0", 64),
        (None, 64),
    ],
)
def test_a_cgroup_limits_the_cores(monkeypatch, tmp_path, said: str | None, granted: int):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(64)), raising=False)
    monkeypatch.setattr(process, "_CGROUP", (str(tmp_path / "cpu.max"),))
    monkeypatch.setattr(process, "_CGROUP_1", (str(tmp_path / "quota"), str(tmp_path / "period")))
    if said is not None:
        (tmp_path / "cpu.max").write_text(said + "\n")
    assert process.available_cores() == granted


def test_the_older_cgroup_limits_them_too(monkeypatch, tmp_path):
    for name, said in (("quota", "400000"), ("period", "100000")):
        (tmp_path / name).write_text(said)
    monkeypatch.setattr(process, "_CGROUP", (str(tmp_path / "none"),))
    monkeypatch.setattr(process, "_CGROUP_1", (str(tmp_path / "quota"), str(tmp_path / "period")))
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(64)), raising=False)
    assert process.available_cores() == 4


@pytest.mark.parametrize("jobs, threads", [(1, "6"), (2, "3"), (99, "1")])
def test_processes_share_the_cores_and_their_threads_sleep(monkeypatch, jobs: int, threads: str):
    for name in ("OMP_NUM_THREADS", "OMP_WAIT_POLICY", "KMP_BLOCKTIME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(process, "available_cores", lambda: 6)
    process.share_cores(jobs)
    assert [
        os.environ[name] for name in ("OMP_NUM_THREADS", "OMP_WAIT_POLICY", "KMP_BLOCKTIME")
    ] == [threads, "PASSIVE", "0"]


def test_what_the_user_has_set_stays(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    monkeypatch.setenv("KMP_BLOCKTIME", "200")
    process.share_cores(2)
    assert (os.environ["OMP_NUM_THREADS"], os.environ["OMP_WAIT_POLICY"]) == ("5", "ACTIVE")
