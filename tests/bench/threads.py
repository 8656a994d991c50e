"""Seconds by the clock of dt-generate on a CPU: its default threads, one thread, and spinning ones.

    python tests/bench/threads.py [--runs 3] [--busy] [--engine ctranslate2]

A model of the shape of BART-base with random weights writes 24 tokens for 8 records with 4 beams;
whole processes, in turns, the best of the runs.  --busy runs another process that takes a core all
the time.  Goal: the default is never slower than one thread.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import generating

WAYS: dict[str, tuple[list[str], dict[str, str]]] = {
    "default": ([], {}),
    "--threads 1": (["--threads", "1"], {}),
    "spinning": ([], {"OMP_WAIT_POLICY": "ACTIVE", "KMP_BLOCKTIME": "200"}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--busy", action="store_true", help="beside a process that takes a core")
    parser.add_argument("--engine", default="ctranslate2")
    given = parser.parse_args()
    other = subprocess.Popen([sys.executable, "-c", "while True: pass"]) if given.busy else None
    try:
        with tempfile.TemporaryDirectory() as folder:
            best = measure(Path(folder), given.engine, given.runs)
    finally:
        if other:
            other.kill()
    for way, seconds in best.items():
        print(
            f"{given.engine:12} {way:12} {seconds:6.1f} s  "
            f"{best['--threads 1'] / seconds:.2f} times one thread",
            flush=True,
        )


def measure(
    folder: Path, engine: str, runs: int, ways: dict[str, tuple] = WAYS
) -> dict[str, float]:
    """Return the least seconds by the clock of each way."""
    model, source = generating.saved(folder / "base", "base"), folder / "in.jsonl"
    source.write_text("".join(json.dumps(record) + "\n" for record in generating.texts(8)))
    line = [
        "dt-generate",
        "-g",
        f"seq2seq:engine={engine},stop_at_beams=yes,renormalize=yes,no_repeat_ngram_size=0,"
        "precision=float32",
        "--model",
        model,
        "--beams",
        "4",
        "--max-new-tokens",
        "24",
        "--offline",
        "-q",
        str(source),
        "-o",
        str(folder / "out.jsonl"),
    ]
    best: dict[str, float] = {}
    plain = {
        name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "KMP_"))
    } | {"XDG_CACHE_HOME": str(folder)}
    subprocess.run(line, check=True, env=plain)  # converted once
    for _ in range(runs):
        for way, (more, changed) in ways.items():
            start = time.perf_counter()
            subprocess.run([*line, *more], check=True, env=plain | changed)
            best[way] = min(best.get(way, float("inf")), time.perf_counter() - start)
    return best


if __name__ == "__main__":
    main()
