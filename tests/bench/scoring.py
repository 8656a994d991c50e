"""dt-score beside what users run today, in CPU seconds of whole processes, one thread.

    python tests/bench/scoring.py [--runs 3] [--count 10000] [ROW …]

Both sides of a row read the same file (synthetic.py) and take turns, so that
a busy moment of the machine hits both; medians, and the median of the ratios.
The peers are the scripts of peers.py (pip install rouge-score sacrebleu).
Goals are at the right; nothing here fails, it only measures.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import synthetic
from startup import ROOT, cpu

SCORE = [sys.executable, str(ROOT / "bin" / "dt-score"), "-q"]
PEERS = [sys.executable, str(Path(__file__).with_name("peers.py"))]
ROUGE = ["-m", "rouge1", "-m", "rouge2", "-m", "rougeL"]
STEMMED = [f"{word}:stem=yes" if word.startswith("rouge") else word for word in ROUGE]
ROWS = {  # name: options of dt-score, peer, which data, goal
    "rouge": (ROUGE, "rouge", "pairs", 10),
    "rouge stemmed": (STEMMED, "rouge-stem", "pairs", 5),
    "rouge sensitivity": ([*ROUGE, "--sensitivity"], "rouge-variants", "sensitivity", 25),
    "bleu": (["-m", "bleu"], "bleu", "pairs", None),
    "bleu sensitivity": (["-m", "bleu", "--sensitivity"], "bleu-variants", "sensitivity", 8),
    "chrf": (["-m", "chrf"], "chrf", "pairs", 1.5),
    "chrf++": (["-m", "chrf:words=2"], "chrf++", "pairs", 1.5),
    "chrf sensitivity": (["-m", "chrf", "--sensitivity"], "chrf-variants", "sensitivity", 5),
    "ter": (["-m", "ter"], "ter", "few", 1),
    "meteor": (["-m", "meteor"], "meteor", "pairs", 1),
    "read, add, write": (["-m", "exact"], "orjson", "pairs", 100 / 120),
}


def main() -> None:
    """Print a table: CPU seconds of both, megabytes a second of ours, ratio, goal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--count", type=int, default=10_000, help="records (default 10000)")
    parser.add_argument("rows", nargs="*", choices=[[], *ROWS], metavar="ROW", help="only these")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = written(Path(folder), given.count)
        for name in given.rows or ROWS:
            row(name, files, Path(folder, "out"), given.runs)


def written(folder: Path, count: int) -> dict[str, Path]:
    """Write the data of all rows; return their files."""
    data = {
        "pairs": synthetic.pairs(count),
        "few": synthetic.pairs(count // 5),
        "sensitivity": synthetic.sensitivity(count // 5),
    }
    return {
        name: synthetic.write(folder / f"{name}.jsonl", records) for name, records in data.items()
    }


def commands(name: str, files: dict[str, Path], out: Path) -> tuple[list[str], list[str]]:
    """Return our command of a row and the peer's."""
    options, peer, data, _ = ROWS[name]
    return (
        [*SCORE, str(files[data]), "-o", str(out), *options],
        [*PEERS, peer, str(files[data]), str(out)],
    )


def row(name: str, files: dict[str, Path], out: Path, runs: int) -> None:
    _, peer, data, goal = ROWS[name]
    ours, theirs = commands(name, files, out)
    times = [(cpu(ours), cpu(theirs)) for _ in range(runs)]
    own, other = (statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(theirs / ours for ours, theirs in times)
    rate = files[data].stat().st_size / own / 1e6
    verdict = "" if goal is None else f"  goal {goal:.2g}  {'ok' if ratio >= goal else 'MISSED'}"
    print(
        f"{name:20} {own:7.3f} s {rate:6.1f} MB/s  {peer:15} {other:7.3f} s  ratio "
        f"{ratio:5.2f}{verdict}",
        flush=True,
    )


if __name__ == "__main__":
    main()
