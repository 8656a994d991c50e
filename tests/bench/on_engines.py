"""One pipe on every engine: lines of glue, CPU seconds, memory, and whether the results are the same bytes.

    python tests/bench/on_engines.py [--dialogues 20000] [--only slurm]... [--markdown]

Rename with five variants, longest turn, restore, sensitivity of ROUGE-2: the job of
examples/cluster, on two workers of this machine; Slurm wants root.  CPU seconds are those of
the job and of all processes of its engine from their start to their end, divided by those of
the plain pipe, which runs first; memory is the most that all of them held at once.  An engine
that is not installed is left out with a word.
"""

import argparse
import ctypes
import os
import resource
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import engines
import synthetic

CLUSTER = engines.FOLDER
PIPE = 1  # line of shell
ENGINES: dict[str, tuple[Callable[[Path, Path], Path], int | tuple[str, ...]]] = {
    "plain pipe": (engines.plain, PIPE),
    "Python functions": (engines.functions, 6),
    "GNU parallel": (engines.parallel, 2),
    "make -j2": (engines.make, 3),
    "Slurm": (engines.slurm, ("part.sbatch", "merge.sbatch", "submit.sh")),
    "Ray Data": (engines.ray, ("ray_job.py",)),
    "Spark": (engines.spark, ("spark_job.py",)),
}
ADOPT = 36  # PR_SET_CHILD_SUBREAPER: processes whose parent has ended become ours, to be counted


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dialogues", type=int, default=20_000, metavar="N")
    parser.add_argument(
        "--only", action="append", default=[], metavar="ENGINE", help="repeat for several"
    )
    parser.add_argument("--markdown", action="store_true", help="write the table for a README")
    given = parser.parse_args()
    ctypes.CDLL(None).prctl(ADOPT, 1)
    line = (
        "| {:16} | {:>5} | {:>7} | {:>6} | {:>7} | {} |"
        if given.markdown
        else "{:16} {:>5} {:>7} {:>6} {:>7}  {}"
    )
    print(line.format("engine", "lines", "CPU s", "ratio", "peak MB", "results"))
    if given.markdown:
        print("| --- | --- | --- | --- | --- | --- |")
    first: tuple[float, bytes] | None = None
    with tempfile.TemporaryDirectory() as folder:
        source = synthetic.write(Path(folder, "in.jsonl"), dialogues(given.dialogues))
        for name, (run, glue) in ENGINES.items():
            if (
                first
                and given.only
                and not name.lower().startswith(tuple(map(str.lower, given.only)))
            ):
                continue
            place = Path(folder, name.replace(" ", "-"))
            place.mkdir()
            try:
                results, seconds, peak = measured(run, source, place)
            except engines.Missing as missing:
                print(line.format(name, lines(glue), "", "", "", f"not run: needs {missing}"))
                continue
            first = first or (seconds, results)
            same = "identical" if results == first[1] else "DIFFERENT"
            print(
                line.format(
                    name,
                    lines(glue),
                    f"{seconds:.1f}",
                    f"{seconds / first[0]:.2f}",
                    f"{peak:.0f}",
                    same,
                ),
                flush=True,
            )


def dialogues(count: int) -> Iterator[dict]:
    """Yield dialogues with references; the job makes the outputs."""
    for record in synthetic.pairs(count):
        yield {key: value for key, value in record.items() if key != "prediction"}


def measured(
    run: Callable[[Path, Path], Path], source: Path, folder: Path
) -> tuple[bytes, float, float]:
    """Return the results of a run, its CPU seconds and the most MB that its processes held at once."""
    before, seen, ended = spent(), Seen(), threading.Event()
    watch = threading.Thread(target=seen.watch, args=(ended,))
    watch.start()
    try:
        results = run(source, folder).read_bytes()
    finally:
        ended.set()
        watch.join()
        reap()
    # a parent that ignores the end of its children, as Ray's, does not hand on what they spent
    return results, max(spent() - before, sum(seen.seconds.values())), seen.peak


def spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Seen:
    """What processes below this one hold and have spent, looked at once a second."""

    def __init__(self) -> None:
        self.peak = 0.0  # MB
        self.seconds: dict[int, float] = {}  # of each process, without its children

    def watch(self, ended: threading.Event) -> None:
        page, tick = os.sysconf("SC_PAGE_SIZE") / 1e6, os.sysconf("SC_CLK_TCK")
        while not ended.wait(1):
            held = 0.0
            for pid in engines.descendants(os.getpid()):
                try:
                    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                    resident, shared = map(int, Path(f"/proc/{pid}/statm").read_text().split()[1:3])
                except OSError:  # it has ended
                    continue
                held += page * (resident - shared)
                self.seconds[pid] = (int(fields[11]) + int(fields[12])) / tick
            self.peak = max(self.peak, held)


def reap() -> None:
    """Wait for all that an engine left behind."""
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def lines(glue: int | tuple[str, ...]) -> int:
    """Return how many lines of code the files of an engine have, or the number that is given."""
    if isinstance(glue, int):
        return glue
    return sum(
        bool(line.strip()) and not line.lstrip().startswith(("#", '"""'))
        for name in glue
        for line in CLUSTER.joinpath(name).read_text().splitlines()
    )


if __name__ == "__main__":
    main()
