"""Engines that run examples/cluster for real on this machine: Slurm of two nodes, Ray and Spark of two workers.

Each function runs the job on a file of dialogues and returns the file of results; `Missing` says what is not
installed. Slurm needs root and the packages slurm-wlm and munge of Debian, Spark a Java.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from conftest import ROOT, environment, until

FOLDER = ROOT / "examples" / "cluster"
PLAIN = (
    "dt-swap-names --variants 5 --seed 1 --keep-original -q {part} {source} | dt-generate -g longest -q | "
    "dt-swap-names --restore -q | dt-score --sensitivity {parts} -m rouge2 -q -o {out}"
)
PARTS = 8
SLURM = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
JobRequeue=1
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SchedulerParameters=requeue_delay=1,sched_interval=2
SlurmdTimeout=15
SlurmdParameters=config_overrides
MailProg=/bin/true
MpiDefault=none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmdPidFile={folder}/%n.pid
SlurmctldPidFile={folder}/ctld.pid
SlurmctldLogFile={folder}/ctld.log
SlurmdLogFile={folder}/%n.log
NodeName=n1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=2
NodeName=n2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=2
PartitionName=all Nodes=n1,n2 Default=YES State=UP MaxTime=INFINITE OverSubscribe=NO
"""


class Missing(Exception):
    """An engine that is not installed."""


def bash(line: str, folder: Path, **more: str) -> None:
    subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        cwd=folder,
        check=True,
        env=environment(folder, **more),
        stdout=subprocess.DEVNULL,
    )


def plain(source: Path, folder: Path) -> Path:
    bash(PLAIN.format(part="", source=source, parts="", out="results.jsonl"), folder)
    return folder / "results.jsonl"


def functions(source: Path, folder: Path) -> Path:
    """Run the job of Ray without Ray, in one process."""
    bash(
        f"{sys.executable} -c 'import sys; sys.path.insert(0, sys.argv[1]); import ray_job as job, dialtools\n"
        "outputs = job.Outputs()\n"
        'made = (job.score(outputs(job.vary({"text": [line]})))["text"][0] for line in open(sys.argv[2]))\n'
        "dialtools.write(dialtools.merge([(record for text in made for record in job.records(text))], summary=True))'"
        f" {FOLDER} {source} > results.jsonl",
        folder,
        PYTHONDONTWRITEBYTECODE="1",
    )
    return folder / "results.jsonl"


def parallel(source: Path, folder: Path) -> Path:
    if not shutil.which("parallel"):
        raise Missing("GNU parallel")
    part = PLAIN.format(
        part=f"--shard {{}}/{PARTS}", source=source, parts="--per-source", out="{}.sources"
    )
    bash(
        f"parallel --jobs 2 --retries 3 'set -o pipefail; {part}' ::: {{1..{PARTS}}} && "
        f"dt-merge --summary --order {source} *.sources -o results.jsonl",
        folder,
    )
    return folder / "results.jsonl"


def make(source: Path, folder: Path) -> Path:
    part = PLAIN.format(part=f"--shard $*/{PARTS}", source=source, parts="--per-source", out="$@")
    (folder / "Makefile").write_text(
        f"SHELL = bash\n.SHELLFLAGS = -o pipefail -c\n.DELETE_ON_ERROR:\n"
        f"results.jsonl: $(patsubst %,%.sources,$(shell seq {PARTS}))\n\tdt-merge --summary --order {source} $^ -o $@\n"
        f"%.sources: {source}\n\t{part}\n"
    )
    bash("make --silent --jobs 2", folder)
    return folder / "results.jsonl"


def slurm(source: Path, folder: Path, before: str = "") -> Path:
    """Submit the array and its merge to a Slurm of two nodes; before: a folder of programs that stand before ours."""
    with _slurm(folder) as more:
        path = f"{before}:{environment(folder)['PATH']}" if before else environment(folder)["PATH"]
        bash(f"{FOLDER}/submit.sh {source} {folder}/out {PARTS}", folder, PATH=path, **more)
        while _asked("squeue", folder, more):
            time.sleep(0.5)
    results = folder / "out" / "results.jsonl"
    if not results.exists():
        raise RuntimeError("\n".join(log.read_text() for log in (folder / "out").glob("*.log")))
    return results


@contextmanager
def _slurm(folder: Path) -> Iterator[dict[str, str]]:
    """Start munge, a controller and two nodes; yield what submitting programs need in their environment."""
    programs = {
        name: shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
        for name in ("munged", "slurmctld", "slurmd")
    }
    if not all(programs.values()) or os.geteuid():
        raise Missing("slurm-wlm and munge, and root")
    with _ports(3) as ports:
        (folder / "slurm.conf").write_text(
            SLURM.format(folder=folder, ports=ports, host=socket.gethostname().split(".")[0])
        )
    for name in ("state", "n1", "n2"):
        (folder / name).mkdir()
    (folder / "key").write_bytes(os.urandom(128))
    (folder / "key").chmod(0o600)
    more = {"SLURM_CONF": str(folder / "slurm.conf")}
    running = [
        subprocess.Popen(
            [
                programs["munged"],
                "--foreground",
                "--force",
                f"--key-file={folder}/key",
                f"--socket={folder}/munge",
                f"--pid-file={folder}/munge.pid",
                f"--log-file={folder}/munge.log",
                f"--seed-file={folder}/seed",
            ],
            stderr=subprocess.DEVNULL,
        )
    ]
    try:
        until(lambda: (folder / "munge").exists())
        for name, *given in (("slurmctld",), ("slurmd", "-N", "n1"), ("slurmd", "-N", "n2")):
            running.append(
                subprocess.Popen(
                    [programs[name], "-D", *given],
                    env=environment(folder, **more),
                    stderr=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                )
            )
        until(lambda: _asked("sinfo", folder, more) == ["idle"])
        yield more
    finally:
        for process in reversed(running):
            process.terminate()
            process.wait()


def _asked(program: str, folder: Path, more: dict[str, str]) -> list[str]:
    """Return the states of nodes (sinfo) or jobs (squeue)."""
    return subprocess.run(
        [program, "--noheader", "--format=%T"],
        env=environment(folder, **more),
        capture_output=True,
        text=True,
    ).stdout.split()


@contextmanager
def _ports(count: int) -> Iterator[list[int]]:
    """Yield numbers of ports that nobody uses."""
    bound = [socket.socket() for _ in range(count)]
    for one in bound:
        one.bind(("127.0.0.1", 0))
    yield [one.getsockname()[1] for one in bound]
    for one in bound:
        one.close()


def ray(source: Path, folder: Path, kill: bool = False) -> Path:
    """Run the job on two workers; kill: end one with SIGKILL in the midst of its work."""
    if not find_spec("ray"):
        raise Missing("ray")
    command = [sys.executable, FOLDER / "ray_job.py", source, "results.jsonl"]
    for _ in range(
        3
    ):  # Ray gives its node half a minute to start, which a busy machine may not have
        try:
            return _job(
                command,
                folder,
                "ray::MapBatches" if kill else "",
                RAY_DATA_DISABLE_PROGRESS_BARS="1",
            )
        except RuntimeError as error:
            if "timed out during startup" not in str(error):
                raise
            late = error
    raise late


def spark(source: Path, folder: Path, kill: bool = False) -> Path:
    """Run the job on two executors of their own processes; kill: end one in the midst of its work."""
    if not find_spec("pyspark") or not shutil.which("java"):
        raise Missing("pyspark and Java")
    submit = [
        Path(sys.executable).parent / "spark-submit",
        "--master",
        "local-cluster[2,1,1024]",
        FOLDER / "spark_job.py",
    ]
    _job(
        [*submit, source, folder / "out"],
        folder,
        "CoarseGrainedExecutorBackend" if kill else "",
        PYSPARK_PYTHON=sys.executable,
    )
    bash("dt-merge --summary out/part-* -o results.jsonl", folder)
    return folder / "results.jsonl"


def _job(command: list, folder: Path, killed: str, **more: str) -> Path:
    """Run a job; end the first of its processes whose command line holds `killed`."""
    results = folder / "results.jsonl"
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(
            list(map(str, command)),
            cwd=folder,
            stdout=log,
            stderr=log,
            env=environment(folder, PYTHONDONTWRITEBYTECODE="1", **more),
        )
        while killed and process.poll() is None:
            for pid in descendants(process.pid):
                if killed in _command_line(pid):
                    os.kill(pid, 9)
                    killed = ""
                    break
            time.sleep(0.02)
    if process.wait():
        raise RuntimeError((folder / "log").read_text()[-3000:])
    if killed:
        raise RuntimeError(f"no process of the job was a {killed}")
    return results


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has begun, and those that they have."""
    parents: dict[int, list[int]] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents.setdefault(int(status.read_text().rpartition(")")[2].split()[1]), []).append(
                int(status.parent.name)
            )
        except OSError:  # it has ended
            continue
    found = list(parents.get(pid, []))
    for child in found:
        found += parents.get(child, [])
    return found


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""
