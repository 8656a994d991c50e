"""Does new code write what old code wrote?  Runs of all commands: recorded, and compared with the record.

    python tests/bench/same.py --record FOLDER [--only WORD]… [--data FOLDER]
    python tests/bench/same.py --against FOLDER [--quick] [--only WORD]… [--keep FOLDER] [--hide KIND]…
    python tests/bench/same.py --missing FOLDER

--record runs every line of same.runs with this checkout and stores what it wrote in FOLDER: standard output,
files, exit statuses and standard error, and what all of them read.  With --only, runs whose line has the word are
recorded anew (or added) and the others stay: so does a change that is wanted get into the record.
--data adds conversions, swaps, perturbations and scores of public data sets, each in a folder of its name.

--against runs the recorded lines, on the recorded inputs, and lists what differs, by kind: "output" (bytes, or exit
statuses), "digits" (numbers from the 7th digit on), "sentences" in results, such as verdicts, "messages" on standard
error and help texts.  Differences that show alike are listed once.  The status is 1 if there is any.
--hide leaves out a kind.  --quick takes few short runs that together have every command, option, plug-in and format
that any short run has, and every line of same.runs once.  --keep leaves what differs in a folder, whose sub-folders have
numbers: there `line` has the command line.

--missing lists commands, options, their values, plug-ins and functions that the manual pages have and no run.

--checkout takes another checkout's code.  What time, folder and machine do to outputs is masked; other versions of
libraries are told.
"""

import argparse
import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import same_coverage
import same_inputs
import same_runs
import same_server

ROOT = Path(__file__).resolve().parent.parent.parent
KINDS = "output", "digits", "sentences", "messages"
# of JSON and, where it is quoted again, of csv
STRING = rb'"(?:[^"\\]|\\.)*"'
SENTENCES = re.compile(
    rb'"(?:verdict|reason|finding|note|example|message)":%b|"notes":\[(?:%b,?)*\]|""[^"]* [^"]*""'
    % (STRING, STRING)
)
NUMBER = re.compile(rb"-?\b\d+\.\d+(?:e[+-]?\d+)?")
MASKS = [
    (re.compile(pattern), mask)
    for pattern, mask in (
        (rb'("(?:seconds|milliseconds|tokens_per_second)": ?)(?:[\d.e-]+|\[[^]]*\])', rb"\g<1>0"),
        (rb"[\d,]+ tokens a second", rb"N tokens a second"),
        (rb"\.\d+\.part\b", rb".PID.part"),
        (rb"(?m)(?:^.*\[\d\d:\d\d<?.*/s\].*\n?)+", b"PROGRESS\n"),
        (rb"(?m)(?:^  File .*\n(?:    .*\n)*)+", rb"  FRAMES\n"),
        (rb"(?m)^dialtools[\w.]*\.(\w+: )", rb"\1"),
        (rb"(?:127\.0\.0\.1|localhost):\d{5}", rb"SERVER"),
    )
]


class Worker:
    """A process that runs lines with the code of a checkout; its inputs and outputs lie in a folder."""

    def __init__(self, checkout: Path, place: Path, inputs: Path, server: str, name: str) -> None:
        self.checkout, self.place, self.inputs, self.server = checkout, place, inputs, server
        programs, address = place / f"programs{name}", str(place / f"socket{name}")
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("same_worker.py")), checkout, address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=variables(checkout, place, programs, address),
        )
        write_programs(programs, checkout)

    def run(self, run: dict) -> tuple[float, dict[str, bytes], list[list[str]]]:
        """Run a line in a folder of its own; return its seconds, what it wrote, by file, and its calls."""
        folder = self.place / run["number"]
        folder.mkdir()
        (folder / "in").symlink_to(self.inputs)
        (folder / "line").write_text(run["line"] + "\n")
        (folder / "calls").touch()
        line = run["line"].replace("{SERVER}", self.server).replace("{HERE}", str(folder))
        line = line.replace("{ROOT}", str(self.checkout))
        self.process.stdin.write(json.dumps([str(folder), line, run["libraries"]]).encode() + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer or float(answer) < 0:
            raise RuntimeError(f"the process of {self.checkout} failed at: {run['line']}")
        calls = [json.loads(call) for call in (folder / "calls").read_text().splitlines()]
        return float(answer), dict(self.written(folder)), calls

    def written(self, folder: Path) -> Iterator[tuple[str, bytes]]:
        """Yield the files that a run wrote, each with its masked bytes, or the digest of what is no text."""
        line = (folder / "line").read_text()
        is_of_several_at_once = re.search(r"\b(make|bash)\b", line)
        paths = [
            (str(self.inputs), "HERE/in"),
            (str(folder), "HERE"),
            (str(self.place), "PLACE"),
            (str(self.checkout), "CHECKOUT"),
        ]
        for path in files_of(folder):
            name = str(path.relative_to(folder))
            if name in ("line", "calls", "cpu"):
                continue
            data = path.read_bytes()
            try:
                data.decode()
                is_text = b"\0" not in data
            except UnicodeDecodeError:
                is_text = False
            if not is_text:
                yield name, f"{len(data)} bytes, {hashlib.sha256(data).hexdigest()}\n".encode()
                continue
            for place, mask in paths:
                data = data.replace(place.encode(), mask.encode())
            for pattern, mask in MASKS:
                data = pattern.sub(mask, data)
            if name == "stderr" and is_of_several_at_once:
                data = b"".join(sorted(data.splitlines(keepends=True)))
            yield name, data


def files_of(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and its sub-folders, without what links lead to."""
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            if path.is_file() and not path.is_symlink():
                yield path


def variables(
    checkout: Path, place: Path, programs: Path | None = None, address: str = ""
) -> dict[str, str]:
    """Return all environment variables of runs; programs: a folder of stand-ins for those of bin/."""
    for name in ("home", "tmp"):
        (place / name).mkdir(exist_ok=True)
    return {
        "PATH": f"{programs or checkout / 'bin'}:{os.path.dirname(sys.executable)}:{os.environ['PATH']}",
        "CHECKOUT_BIN": str(checkout / "bin"),
        "WORKER": address,
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "tmp"),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "COLUMNS": "80",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_OFFLINE": "1",
        "MPLBACKEND": "agg",
    }


def write_programs(folder: Path, checkout: Path) -> None:
    """Write stand-ins for our commands and for python3, which let the worker run what they are called with."""
    folder.mkdir()
    stand_in = f"""#!{sys.executable} -IS
import json, os, socket, sys
name = os.path.basename(sys.argv[0])
if name == "python3" and not (sys.argv[1:2] == ["-m"] or "".join(sys.argv[1:2]).endswith(".py")):
    os.execv({sys.executable!r}, [{sys.executable!r}, *sys.argv[1:]])
connection = socket.socket(socket.AF_UNIX)
connection.connect(os.environ["WORKER"])
socket.send_fds(connection, [b" "], [0, 1, 2])
connection.sendall(json.dumps([[name, *sys.argv[1:]], os.getcwd(), dict(os.environ)]).encode() + b"\\n")
sys.exit(int(connection.recv(16) or 141))
"""
    names = [path.name for path in (checkout / "bin").iterdir()]
    for name in [*names, "python3"]:
        (folder / name).write_text(stand_in)
        (folder / name).chmod(0o755)


def main() -> None:
    """Record, compare, or tell what is missing."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--record", type=Path, metavar="FOLDER", help="store what the runs write")
    task.add_argument("--against", type=Path, metavar="FOLDER", help="compare with what is stored")
    task.add_argument("--missing", type=Path, metavar="FOLDER", help="list what no run has")
    parser.add_argument(
        "--only", action="append", default=[], metavar="WORD", help="lines with it; [SECTION]"
    )
    parser.add_argument("--quick", action="store_true", help="few runs that have all there is")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where to leave what differs")
    parser.add_argument("--hide", action="append", default=[], choices=KINDS, help="of differences")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="public data sets to add")
    parser.add_argument("--checkout", type=Path, default=ROOT, metavar="FOLDER", help="whose code")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="processes")
    options = parser.parse_args()
    options.checkout = options.checkout.resolve()
    if options.missing:
        sys.exit(same_coverage.tell_missing(stored_runs(options.missing), options.checkout))
    sys.exit(record(options) if options.record else compare(options))


def stored_runs(folder: Path) -> list[dict]:
    """Return the runs of a record."""
    file = folder / "runs.jsonl"
    return same_inputs.read(file) if file.exists() else []


def is_asked_for(line: str, section: str, options: Any) -> bool:
    """Return whether a line has a word of --only, or is of such a section."""
    return not options.only or any(word in line or word == f"[{section}]" for word in options.only)


def record(options: Any) -> int:
    """Run the lines of same.runs and store what they write."""
    folder = options.record.resolve()
    runs = {run["line"]: run for run in stored_runs(folder)}
    if not options.only or not runs:
        for name in ("in", "outputs"):
            shutil.rmtree(folder / name, ignore_errors=True)
        runs = {}
    (folder / "outputs").mkdir(parents=True, exist_ok=True)
    if not runs:
        same_inputs.write(folder / "in", options.checkout)
    (folder / "environment.json").write_text(json.dumps(environment(), indent=1) + "\n")
    asked: dict[str, dict] = {}
    for line, section, libraries, template in same_runs.all_lines(
        options.checkout, folder / "in", options.data
    ):
        if not is_asked_for(line, section, options):
            continue
        if line not in runs:
            number = f"{1 + max((int(run['number']) for run in runs.values()), default=-1):04}"
            runs[line] = {"number": number, "line": line}
        runs[line] |= {"section": section, "libraries": libraries, "template": template}
        asked[line] = runs[line]

    def store(run: dict, seconds: float, files: dict[str, bytes], calls: list, place: Path) -> None:
        run |= {"seconds": round(seconds, 2), "calls": calls}
        output = folder / "outputs" / run["number"]
        shutil.rmtree(output, ignore_errors=True)
        for name, data in files.items():
            (output / name).parent.mkdir(parents=True, exist_ok=True)
            (output / name).write_bytes(data)
        if makes_input(run):
            target = folder / "in" / run["line"].rpartition("> in/")[2]
            if run["line"].endswith("/"):
                shutil.copytree(place / "model", target, dirs_exist_ok=True)
            else:
                shutil.copyfile(place / "stdout", target)

    start = time.monotonic()
    try:
        run_all(list(asked.values()), options, folder / "in", store)
    finally:
        done = [run for run in runs.values() if "calls" in run]
        same_coverage.choose_quick(done, options.checkout)
        same_inputs.put(folder / "runs.jsonl", done)
    print(
        f"{len(asked)} runs in {time.monotonic() - start:.0f} s; "
        f"{sum(run['seconds'] for run in done):.0f} CPU seconds for {len(done)} runs, "
        f"{sum(run['seconds'] for run in done if run['quick']):.0f} for the "
        f"{sum(run['quick'] for run in done)} that are quick"
    )
    return 0


def makes_input(run: dict) -> bool:
    """Return whether later runs read what a run writes."""
    return "> in/" in run["line"]


def compare(options: Any) -> int:
    """Run recorded lines; print the differences; return the exit status."""
    folder = options.against.resolve()
    runs = [
        run
        for run in stored_runs(folder)
        if is_asked_for(run["line"], run["section"], options)
        and (run["quick"] or not options.quick)
    ]
    tell_other_versions(json.loads((folder / "environment.json").read_text()))
    counts: Counter[str] = Counter()
    alike: Counter[tuple[str, ...]] = Counter()

    def judge(run: dict, seconds: float, files: dict[str, bytes], calls: list, place: Path) -> None:
        output = folder / "outputs" / run["number"]
        stored = {str(path.relative_to(output)): path.read_bytes() for path in files_of(output)}
        kind, shown = difference(run["line"], stored, files)
        counts[kind] += 1
        if not kind or kind in options.hide:
            return
        key = (kind, *(re.sub(r"\d+", "0", line) for line in shown))
        alike[key] += 1
        if alike[key] == 1:
            print(f"{run['number']} {kind}: {run['line']}", *shown, sep="\n    ", flush=True)
        if options.keep:
            target = options.keep / run["number"]
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(place, target, symlinks=True)

    start = time.monotonic()
    run_all(runs, options, folder / "in", judge)
    repeated = sum(count - 1 for count in alike.values())
    print(
        f"{len(runs)} runs in {time.monotonic() - start:.0f} s; different: "
        + ", ".join(f"{counts[kind]} in {kind}" for kind in KINDS)
        + (f" ({repeated} are like one above)" if repeated else "")
    )
    return int(any(counts[kind] for kind in KINDS if kind not in options.hide))


def run_all(runs: list[dict], options: Any, inputs: Path, handle: Any) -> None:
    """Run lines on several processes, and let each result be handled, one at a time.

    Those that write what others read come first; of the others the longest.
    """
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory())).resolve()
        server = stack.enter_context(same_server.serving())
        workers = [
            Worker(options.checkout, place, inputs, server, str(n)) for n in range(options.jobs)
        ]
        handling, failures = threading.Lock(), []

        def work(worker: Worker, queue: Iterator[dict]) -> None:
            try:
                while run := next_of(queue):
                    result = worker.run(run)
                    with handling:
                        handle(run, *result, place / run["number"])
                    shutil.rmtree(place / run["number"])
            except Exception as error:
                failures.append(error)

        def next_of(queue: Iterator[dict]) -> dict | None:
            with handling:
                return None if failures else next(queue, None)

        for some_workers, queue in queues(runs, bool(options.record)):
            threads = [
                threading.Thread(target=work, args=(worker, queue))
                for worker in (workers[:1] if some_workers else workers)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        for worker in workers:
            worker.process.stdin.close()
            worker.process.wait()
        if failures:
            raise failures[0]


def queues(runs: list[dict], is_record: bool) -> Iterator[tuple[bool, Iterator[dict]]]:
    """Yield runs that may go on at the same time, and whether they must come one after the other instead."""
    for libraries in dict.fromkeys(tuple(run["libraries"]) for run in runs):
        group = [run for run in runs if tuple(run["libraries"]) == libraries]
        if is_record:
            yield True, iter([run for run in group if makes_input(run)])
            group = [run for run in group if not makes_input(run)]
        yield False, iter(sorted(group, key=lambda run: -run.get("seconds", 0)))


def environment() -> dict[str, str]:
    """Return the versions of Python and of installed libraries."""
    libraries = {item.metadata["Name"]: item.version for item in metadata.distributions()}
    return {"Python": sys.version.split()[0], **dict(sorted(libraries.items()))}


def tell_other_versions(stored: dict[str, str]) -> None:
    """Print which libraries have other versions than when the record was made."""
    now = environment()
    for name in sorted(stored.keys() | now.keys()):
        if stored.get(name) != now.get(name):
            print(f"{name} was {stored.get(name)}, is {now.get(name)}", file=sys.stderr)


def difference(line: str, old: dict[str, bytes], new: dict[str, bytes]) -> tuple[str, list[str]]:
    """Return how two runs differ (one of KINDS, or "") and what shows it."""
    names = [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    if not names:
        return "", []
    name = min(names, key=lambda name: (name == "stderr", name == "statuses", name))
    shown = [f"{name}:", *excerpt(old.get(name), new.get(name))]
    if names == ["stderr"] or "statuses" not in names and re.search(r" --(help|list)\b", line):
        return "messages", shown
    if old.keys() == new.keys():
        if all(are_near(old[name], new[name]) for name in names):
            return "digits", shown
        is_table = "--format" in line
        if all(
            without_sentences(old[name], is_table) == without_sentences(new[name], is_table)
            for name in names
            if name != "stderr"
        ):
            return "sentences", shown
    return "output", shown


def are_near(old: bytes, new: bytes) -> bool:
    """Return whether nothing but numbers differs, from their 7th digit on."""
    if NUMBER.sub(b"0", old) != NUMBER.sub(b"0", new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return all(abs(float(a) - float(b)) <= 1e-6 * max(abs(float(a)), 1e-6) for a, b in pairs)


def without_sentences(data: bytes, is_table: bool) -> bytes:
    """Return what a run wrote without the sentences in it; below tables they are lines of words."""
    data = SENTENCES.sub(b"", data)
    if not is_table:
        return data
    return b"\n".join(
        line
        for line in data.split(b"\n")
        if line.startswith(b"{") or len(re.findall(rb"\b[a-z]{2,}\b", line)) < 5
    )


def excerpt(old: bytes | None, new: bytes | None, width: int = 150) -> Iterator[str]:
    """Yield the first line that differs, of both sides, from shortly before the difference."""
    if old is None or new is None:
        yield "is new" if old is None else "is missing"
        return
    lines = [side.decode(errors="backslashreplace").split("\n") for side in (old, new)]
    size = max(map(len, lines))
    pairs = zip(*(side + ["(no line)"] * (size - len(side)) for side in lines), strict=True)
    old_line, new_line = next(pair for pair in pairs if pair[0] != pair[1])
    begin = max(len(os.path.commonprefix([old_line, new_line])) - 40, 0)
    yield "- " + old_line[begin : begin + width]
    yield "+ " + new_line[begin : begin + width]


if __name__ == "__main__":
    main()
