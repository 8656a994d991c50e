"""A million dialogues through swap, perturb and score: is the memory constant, and the time linear?

    python tests/bench/soak.py [--dialogues 1000000] [--plot soak.svg]

Dialogues of three short turns with an output and a reference are made while they are read.  Each
hundredth of them a line: CPU seconds of the three commands, records that have come out, MB of each.
At the end: the memory in the second tenth and in the ninth, and the CPU seconds of the tenths.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).resolve().parent))

import synthetic
from startup import ROOT

PIPE = (
    ("dt-swap-names", "--variants", "1", "--seed", "1", "-q"),
    ("dt-perturb", "-k", "typo.keyboard", "-q"),
    ("dt-score", "-m", "rouge2", "-q"),
)
POINTS = 100


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dialogues", type=int, default=1_000_000, metavar="N")
    parser.add_argument("--plot", metavar="FILE", help="a picture, .svg or .png")
    given = parser.parse_args()
    print(f"{'CPU s':>7} {'records':>9}", *(f"{name:>13}" for name, *_ in PIPE), sep="  ")
    points = []
    for point in measured(given.dialogues):
        points.append(point)
        seconds, count, held = point
        print(f"{seconds:7.0f} {count:9}", *(f"{mb:13.0f}" for mb in held), sep="  ", flush=True)
    told(points)
    if given.plot:
        plot(points, given.plot)


def measured(dialogues: int) -> Iterator[tuple[float, int, list[float]]]:
    """Yield CPU seconds, records and MB of each command, each time a hundredth has come out."""
    running: list[subprocess.Popen] = []
    for name, *options in PIPE:
        source = running[-1].stdout if running else subprocess.PIPE
        running.append(
            subprocess.Popen(
                [sys.executable, ROOT / "bin" / name, *options],
                stdin=source,
                stdout=subprocess.PIPE,
            )
        )
        if len(running) > 1:
            source.close()
    threading.Thread(target=feed, args=(running[0].stdin, dialogues)).start()
    count, step = 0, max(1, dialogues // POINTS)
    for _ in running[-1].stdout:
        count += 1
        if count % step == 0:
            pids = [one.pid for one in running]
            yield sum(map(spent, pids)), count, list(map(resident, pids))
    if any(one.wait() for one in running) or count != dialogues:
        sys.exit(f"soak: {count} records of {dialogues} came out")


def feed(file: IO[bytes], dialogues: int) -> None:
    """Write so many short dialogues, which differ in their words, names and ids."""
    writer = synthetic.Writer(3)
    names = [(one, other) for one in ("Ann", "Bob", "Cleo", "Dan") for other in ("Eve", "Finn")]
    with file:
        for number in range(dialogues):
            one, other = names[number % len(names)]
            said = synthetic.sentence(writer.draw(12))
            turns = [
                {"speaker": one, "text": f"{other}, {said}"},
                {"speaker": other, "text": synthetic.sentence(writer.draw(8))},
                {"speaker": one, "text": f"Thanks, {other}."},
            ]
            record = {
                "id": number,
                "lang": "en",
                "dialogue": turns,
                "reference": said,
                "prediction": synthetic.sentence(writer.draw(10)),
            }
            file.write(json.dumps(record).encode() + b"\n")


def spent(pid: int) -> float:
    """Return the CPU seconds of a process that has not been waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """Return the MB of a process in memory; 0 once it has ended."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS")), 0.0)


def told(points: list[tuple[float, int, list[float]]]) -> None:
    """Print whether memory and time keep their promises."""
    tenth = max(1, len(points) // 10)
    for column, (name, *_) in enumerate(PIPE):
        early, late = (
            statistics.median(held[column] for *_, held in part if held[column])
            for part in (points[tenth : 2 * tenth], points[-2 * tenth : -tenth])
        )
        print(f"{name}: {early:.0f} MB in the second tenth, {late:.0f} in the ninth")
    ends = [0.0, *(points[at][0] for at in range(tenth - 1, len(points), tenth))]
    took = [later - earlier for earlier, later in zip(ends, ends[1:], strict=False)]
    print(
        f"a tenth: {statistics.median(took):.1f} s in the median, {max(took):.1f} at most, "
        f"{took[0]:.1f} the first, {took[-1]:.1f} the last"
    )


def plot(points: list[tuple[float, int, list[float]]], path: str) -> None:
    """Draw records and memory over time."""
    from matplotlib import pyplot

    figure, (above, below) = pyplot.subplots(2, sharex=True, layout="constrained")
    seconds = [point[0] for point in points]
    above.plot(seconds, [point[1] for point in points])
    above.set_ylabel("records")
    for column, (name, *_) in enumerate(PIPE):
        below.plot(seconds, [held[column] for *_, held in points], label=name)
    below.set(xlabel="CPU seconds", ylabel="MB", ylim=(0, None))
    below.legend()
    figure.savefig(path)


if __name__ == "__main__":
    main()
