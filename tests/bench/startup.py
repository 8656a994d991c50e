"""What it costs to start each command, in CPU time, against `python -c "import click"`.

    python tests/bench/startup.py [--runs N]

Goals: --help at most twice, scoring ten records with ROUGE at most 3
times.  The CPU time of whole processes, user and system, from wait4; the
commands take turns, so that a busy moment of the machine hits all of them;
medians.  Run it on an idle machine: nothing here fails, it only measures.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BASE = 'python -c "import click"'
RECORD = {
    "lang": "en",
    "prediction": "Ann asks Bob to buy bread and milk.",
    "reference": "Bob will buy bread for Ann on his way home.",
}


def main() -> None:
    """Print a table: median CPU milliseconds, ratio to importing click, goal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15, help="runs of each (default 15)")
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        programs = dict(all_programs(Path(folder)))
        times: dict[str, list[float]] = {name: [] for name in programs}
        for _ in range(runs + 1):
            for name, (arguments, _) in programs.items():
                times[name].append(cpu(arguments))
    # the first run warms the cache
    medians = {name: statistics.median(values[1:]) for name, values in times.items()}
    for name, (_, goal) in programs.items():
        ratio = medians[name] / medians[BASE]
        verdict = "" if goal is None else f"goal {goal:.1f}  {'ok' if ratio <= goal else 'MISSED'}"
        print(f"{name:40} {1000 * medians[name]:6.1f} ms {ratio:6.2f}  {verdict}".rstrip())


def all_programs(folder: Path):
    """Yield (name, (arguments, goal)) of all that is measured."""
    ten = folder / "ten.jsonl"
    ten.write_text("".join(json.dumps({"id": str(i), **RECORD}) + "\n" for i in range(10)))
    yield "python -c pass", ([sys.executable, "-c", "pass"], None)
    yield BASE, ([sys.executable, "-c", "import click"], None)
    for command in sorted((ROOT / "bin").iterdir()):
        program = [sys.executable, str(command)]
        yield f"{command.name} --help", ([*program, "--help"], 2.0)
    score = [sys.executable, str(ROOT / "bin" / "dt-score"), str(ten), "-m"]
    for metric in ("rouge1", "rouge2", "rougeL"):
        yield f"dt-score -m {metric} (ten records)", ([*score, metric], 3.0)


def cpu(arguments: list[str]) -> float:
    """Return the CPU seconds of a process and those that it started; leave where it fails."""
    # PYTHONDONTWRITEBYTECODE and the like would make each start compile all sources.
    settings = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    process = os.posix_spawn(
        arguments[0],
        arguments,
        settings,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)
        ],
    )
    _, status, usage = os.wait4(process, 0)
    if status:
        sys.exit(f"failed: {' '.join(arguments)}")
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
