"""Do hostile records, options and foreign files end as errors do, or as faults?

    python tests/fuzz/fuzz.py [--runs 1000] [--seed 1] [--only WORD]… [--models] [--jobs 2]
        [--case NUMBER] [--keep FOLDER] [--seconds 30]

A run is a command line of ../bench/same.runs or of fuzz.runs, with a hostile change: a record, a
foreign file, or the value of an option.  Run N is the same each time for one seed.  A fault is an
exit status that the README does not list, 70 among them; a traceback; a signal; more than 1.5 GB of
memory; a process that is left; more than --seconds of the processor, or by the clock where nothing
else runs; and an exception of our own code that is told as the damage of a file.  Each is listed
once, with its place in our code, how often it came, and the number and the line of one run; the
status is 1 if there are any.

--only takes commands whose lines have the word; --models also lines that load models, tiny ones,
and a server that answers with nonsense; --case repeats one run and shows what it wrote; --keep
leaves the files there.
"""

import argparse
import contextlib
import multiprocessing
import os
import re
import resource
import shlex
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

HOME = Path(__file__).resolve().parent
ROOT = HOME.parent.parent
sys.path[:0] = [str(HOME), str(HOME.parent / "bench"), str(HOME.parent)]

import hostile  # noqa: E402
import misbehaving_server  # noqa: E402
import same  # noqa: E402
import same_worker  # noqa: E402

STATUSES = {0, 1, 2, 3, 4, 5}
INTERNAL, MEMORY = 70, 1.5e9
# what becomes of any exception while a foreign file is read: an error of ours must not hide there
HIDDEN = re.compile("it cannot be read: |nothing can be read after it: ")
CAUSE = "The above exception was the direct cause"
MOST_MEMORY, MOST_DISK = 6 << 30, 1 << 30


class Outcome(NamedTuple):
    """How a run ended: its exit status, or minus its signal; bytes of memory; what stderr has."""

    status: int
    seconds: float
    memory: float
    leaves_processes: bool
    message: str


def fault(outcome: Outcome, seconds: float) -> str:
    """Return what is wrong with how a run ended, "" for nothing.

    >>> fault(Outcome(3, 0.1, 1e8, False, "dt-check: in.jsonl:1: not JSON"), 30)
    ''
    >>> fault(Outcome(-11, 0.1, 1e8, False, ""), 30), fault(Outcome(-24, 30, 1e8, False, ""), 30)
    ('signal 11', 'more than 30 seconds')
    """
    if outcome.status in (-signal.SIGXCPU, -signal.SIGALRM):
        return f"more than {seconds:g} seconds"
    if outcome.status < 0:
        return f"signal {-outcome.status}"
    if outcome.status not in STATUSES:
        return f"status {outcome.status}"
    if "Traceback (most" in outcome.message:
        return "a traceback"
    if outcome.memory > MEMORY:
        return f"{outcome.memory / 1e9:.1f} GB of memory"
    return "a process that is left" if outcome.leaves_processes else ""


def main() -> int:
    """Run the cases; print the faults; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--only", action="append", default=[], metavar="WORD")
    parser.add_argument("--models", action="store_true")
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--case", type=int)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--seconds", type=float, default=30)
    asked = parser.parse_args()
    with contextlib.ExitStack() as stack:
        # no TemporaryDirectory: a fork that ends as Python does would remove it
        place = asked.keep or Path(tempfile.mkdtemp())
        if not asked.keep:
            stack.callback(shutil.rmtree, place, ignore_errors=True)
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        place = place.resolve()
        if "FUZZING" not in os.environ:  # Python reads some variables only when it starts
            environment = same.variables(ROOT, place) | {"FUZZING": "1"}
            os.execve(sys.executable, [sys.executable, *sys.argv], environment)
        return fuzz(asked, place, stack)


def fuzz(asked: Any, place: Path, stack: contextlib.ExitStack) -> int:
    """Run the cases in as many processes as are asked for; print the faults."""
    import corpus
    import draws

    start = time.time()
    same_worker.import_all(ROOT)
    corpus.write(place, asked.models)
    print(f"prepared in {time.time() - start:.0f} s", file=sys.stderr)
    known = {
        name: [line for line in lines if all(word in " ".join(line.words) for word in asked.only)]
        for name, lines in draws.lines(ROOT, place, asked.models).items()
    }
    known = {name: lines for name, lines in known.items() if lines}
    run = partial(_run, asked, place, known)
    server = stack.enter_context(misbehaving_server.serving(nonsense))
    asked.server = server.url.removesuffix("/v1")
    if asked.case is not None:
        print(*run(asked.case), sep="\n")
        return 0
    faults: dict[tuple, list[tuple[int, str]]] = {}
    statuses = Counter[int]()
    forking = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(asked.jobs, forking) as pool:
        for number, status, line, found in pool.map(run, range(asked.runs), chunksize=10):
            statuses[status] += 1
            if found:
                if found not in faults:  # at once: who is tired of waiting knows something
                    print(f"run {number}: {': '.join(found)}", file=sys.stderr)
                faults.setdefault(found, []).append((number, line))
    for found, runs in sorted(faults.items(), key=lambda pair: -len(pair[1])):
        number, line = min(runs)
        print(f"{len(runs):5} × {': '.join(found)}\n        run {number}: {line[:300]}")
    ended = ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items()))
    print(
        f"{asked.runs} runs in {time.time() - start:.0f} s; statuses {ended}; "
        f"{sum(map(len, faults.values()))} faults of {len(faults)} kinds"
    )
    return int(bool(faults))


def _run(
    asked: Any, place: Path, known: dict, number: int
) -> tuple[int, int, str, tuple[str, ...]]:
    """Run a case; return its number, its status, its line, and its fault with where it came from."""
    import draws

    case = draws.draw(f"{asked.seed}/{number}", known, place)
    folder = place / f"run{number}"
    folder.mkdir()
    (folder / "in").symlink_to(place / "in")
    draws.make(case, folder, place / "in")
    address = f"{asked.server}/{number}/v1"
    words = [
        address if word == "SERVER" else word.replace("{SERVER}", address) for word in case.words
    ]
    outcome = end(words, folder, asked.seconds)
    wrong, where = fault(outcome, asked.seconds), ""
    if outcome.status == INTERNAL or HIDDEN.search(outcome.message):
        shown = end([*words, "--debug"], folder, asked.seconds).message
        if outcome.status == INTERNAL:
            wrong = re.sub(r".*please report it: |\(--debug shows where\)", "", outcome.message)
            where = place_of(shown)
        elif is_ours(shown):
            wrong, where = f"hidden: {outcome.message}", place_of(shown.partition(CAUSE)[0])
    found = (where or words[0], " ".join(wrong.split())[:90]) if wrong else ()
    if asked.case is not None:
        print((folder / "stdout").read_text(errors="replace")[:3000], outcome.message, outcome)
    if not asked.keep or not wrong and asked.case is None:
        shutil.rmtree(folder)
    return number, outcome.status, shlex.join(words), found


def nonsense(handler: Any, body: dict, before: int) -> None:
    """Answer as a server of models would, with a hostile change; the same for one run."""
    random = Random(handler.path)
    answer = misbehaving_server.completion(body, *["A greeting."] * body.get("n", 1))
    data = hostile.encoded(hostile.dumps(hostile.changed(random, answer)))
    handler.give(data, random.choice([200] * 9 + [404, 500]))


def place_of(shown: str) -> str:
    """Return the innermost place in our code of a traceback as it is shown, "" without any."""
    found = re.findall(r'File "[^"]*/dialtools/([^"]*)", line (\d+), in (\S+)', shown)
    return " ".join(found[-1][::2]) + f" ({found[-1][1]})" if found else ""


def is_ours(shown: str) -> bool:
    """Return whether the first traceback of what is shown ends in our code, not in a library."""
    lines = re.findall(r'File "([^"]*)", line', shown.partition(CAUSE)[0])
    return bool(lines) and lines[-1].startswith(str(ROOT / "dialtools"))


def end(words: list[str], folder: Path, seconds: float) -> Outcome:
    """Run a command in a fork of this process until it ends; end what it leaves."""
    (folder / "stderr").unlink(missing_ok=True)
    start = time.monotonic()
    child = os.fork()
    if not child:
        _become(words, folder, seconds)
    _, status, usage = os.wait4(child, 0)
    try:
        os.killpg(child, signal.SIGKILL)
        left = True
    except ProcessLookupError:
        left = False
    with open(folder / "stderr", "rb") as file:
        message = file.read(200_000).decode(errors="replace")
    took = time.monotonic() - start
    return Outcome(os.waitstatus_to_exitcode(status), took, usage.ru_maxrss * 1024, left, message)


def _become(words: list[str], folder: Path, seconds: float) -> None:
    """Run a command in this process, and end it as Python would."""
    os.setpgid(0, 0)
    os.chdir(folder)
    busy = max(1.0, 2 * os.getloadavg()[0] / len(os.sched_getaffinity(0)))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds * busy)  # for what waits; others use up:
    resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_DISK, MOST_DISK))
    same_worker.redirect("/dev/null", "stdout")
    same_worker.end_after(lambda: same_worker.execute(words))


if __name__ == "__main__":
    sys.exit(main())
