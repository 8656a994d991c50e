"""What a filter costs beside orjson alone, and what memory a million records take.

    python tests/bench/reading.py [--runs 3] [--count 100000] [--million]

The filter adds a key to each record and nothing else; with it come the ids
that are checked, exact integers, places for messages, history, the closing
line.  The peer reads with orjson, adds the key and writes (peers.py).  CPU
seconds and peak memory of whole processes, in turn; medians.  Goal: 5/6 of
the peer's rate.  --million: dt-score over a million records, under 200 MB.
"""

import argparse
import os
import statistics
import sys
import tempfile
from pathlib import Path

import synthetic
from startup import ROOT, cpu

FILTER = [sys.executable, str(Path(__file__).with_name("adding.py"))]
PEER = [sys.executable, str(Path(__file__).with_name("peers.py")), "orjson"]
SCORE = [
    sys.executable,
    str(ROOT / "bin" / "dt-score"),
    "-q",
    "-m",
    "rouge1",
    "-m",
    "rouge2",
    "-m",
    "rougeL",
]


def main() -> None:
    """Print a line for each measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--count", type=int, default=100_000, help="records (default 100000)")
    parser.add_argument(
        "--million", action="store_true", help="score a million records too (minutes)"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = synthetic.write(Path(folder, "in.jsonl"), synthetic.pairs(given.count))
        compare(file, Path(folder, "out"), given.runs)
        for jobs in "1", "2":
            report(
                f"ROUGE, --jobs {jobs}", [*SCORE, "--jobs", jobs, str(file), "-o", os.devnull], file
            )
        if given.million:
            file = synthetic.write(Path(folder, "in.jsonl"), synthetic.pairs(1_000_000))
            report("ROUGE, a million records", [*SCORE, str(file), "-o", os.devnull], file)


def compare(file: Path, out: Path, runs: int) -> None:
    times = [
        (cpu([*FILTER, str(file), str(out)]), cpu([*PEER, str(file), str(out)]))
        for _ in range(runs)
    ]
    own, peer = (statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(theirs / ours for ours, theirs in times)
    size = file.stat().st_size / 1e6
    print(
        f"read, add, write: {size / own:.0f} MB/s, orjson alone {size / peer:.0f} MB/s, ratio "
        f"{ratio:.2f}",
        flush=True,
    )


def report(name: str, arguments: list[str], file: Path) -> None:
    """Print the wall and CPU seconds and the peak memory of a process and its workers."""
    from resource import RUSAGE_CHILDREN, getrusage
    from time import monotonic

    start = monotonic()
    used = cpu(arguments)
    wall, peak = monotonic() - start, getrusage(RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"{name}: {wall:.1f} s by the clock, {used:.1f} s CPU, "
        f"{file.stat().st_size / wall / 1e6:.1f} MB/s, largest process so far {peak:.0f} MiB",
        flush=True,
    )


if __name__ == "__main__":
    main()
