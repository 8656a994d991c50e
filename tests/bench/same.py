"""Does new code write what old code wrote?  Runs of all commands, under two checkouts.

    python tests/bench/same.py OLD_CHECKOUT [NEW_CHECKOUT] [--only WORD]… [--data FOLDER]
        [--keep FOLDER] [--messages]

Compares standard output and written files byte for byte, and exit statuses.
Such differences are listed with their command lines, and the status is 1.
Where only sentences in a result differ (verdicts, notes, reasons), or messages on
standard error, help texts and lists of plug-ins, they are counted apart, and
listed with --messages: wording may change.

NEW_CHECKOUT is this one by default.  --only takes runs whose line has the
word; --data adds conversions, swaps, perturbations and scores of public data
sets, each in a folder of its name; --keep leaves inputs and outputs there, so
that a listed run can be repeated: cd FOLDER/new/NUMBER, and call its `line`.

same.runs has the runs, same_inputs.py makes what they read.  A command is called
in a fork of a process that has imported its checkout's code: some minutes for
all.  What a run with "> in/…" wrote under the old code, later runs read under
both, so that one difference is not told a hundred times.
"""

import argparse
import contextlib
import importlib
import json
import multiprocessing
import os
import pkgutil
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
LIBRARIES = "orjson", "regex", "rapidfuzz", "sacrebleu", "tqdm", "numpy", "jinja2"
# they change what a command does
FOREIGN = "DIALTOOLS_", "HF_", "PYTHON", "SLURM_", "TRANSFORMERS_"
STRING = rb'"(?:[^"\\]|\\.)*"'
SENTENCES = re.compile(  # of JSON and, where it is quoted again, of csv
    rb'"(?:verdict|reason|finding|note|example|message)":%b|"notes":\[(?:%b,?)*\]|""[^"]* [^"]*""'
    % (STRING, STRING)
)
SECONDS = 300  # after which a run is ended


class Side:
    """One checkout: a process that runs its commands, and the folder of their outputs."""

    def __init__(self, name: str, checkout: Path, place: Path) -> None:
        self.checkout, self.place = checkout.resolve(), place / name
        (place / name).mkdir()
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--worker"],
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(self.checkout, place),
        )

    def begin(self, number: str, line: str, libraries: tuple[str, ...]) -> None:
        """Start a run in a folder of its own, in which `in` is what all runs read."""
        folder = self.place / number
        folder.mkdir()
        (folder / "in").symlink_to(self.place.parent / "in")
        (folder / "line").write_text(line + "\n")
        print(json.dumps([str(folder), line, libraries]), file=self.process.stdin, flush=True)

    def end(self) -> float:
        """Wait until the run is over; return the CPU seconds of all so far."""
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"the process of {self.checkout} ended")
        return float(answer)

    def written(self, number: str) -> dict[str, bytes]:
        """Return what a run wrote, by file; messages do not tell the checkout."""
        folder = self.place / number
        files = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        files["stderr"] = files["stderr"].replace(str(self.checkout).encode(), b"CHECKOUT")
        return files


def environment(checkout: Path, home: Path) -> dict[str, str]:
    """Return the variables of a process that runs the commands of a checkout."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
    return kept | {
        "PYTHONPATH": str(checkout),
        "PATH": f"{checkout / 'bin'}:{os.path.dirname(sys.executable)}:{kept['PATH']}",
        "HOME": str(home),
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "COLUMNS": "80",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }


def main() -> None:
    """Run all under both checkouts, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path, nargs="?", default=ROOT)
    parser.add_argument(
        "--only", action="append", default=[], metavar="WORD", help="only runs whose line has it"
    )
    parser.add_argument("--data", type=Path, help="folder of public data sets")
    parser.add_argument("--keep", type=Path, help="where inputs and outputs are left")
    parser.add_argument(
        "--messages", action="store_true", help="list the runs whose messages differ, too"
    )
    given = parser.parse_args()
    with contextlib.ExitStack() as stack:
        place = given.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        for name in ("old", "new", "in"):
            shutil.rmtree(place / name, ignore_errors=True)
        sys.exit(compare(given, place.resolve()))


def compare(given: Any, place: Path) -> int:
    """Run each line on both sides; print the differences; return the exit status."""
    import same_inputs
    import same_runs

    (place / "in").mkdir(parents=True)
    same_inputs.write(place / "in")
    sides = Side("old", given.old, place), Side("new", given.new, place)
    found: dict[str, int] = {"output": 0, "sentences": 0, "messages": 0}
    seconds, count, start = [0.0, 0.0], 0, time.time()
    for line, libraries in same_runs.all_lines(given.old.resolve(), place / "in", given.data):
        if given.only and "> in/" not in line and not any(word in line for word in given.only):
            continue
        number, count = f"{count:04}", count + 1
        for side in sides:
            side.begin(number, line, libraries)
        seconds = [side.end() for side in sides]
        old, new = (side.written(number) for side in sides)
        if "> in/" in line:
            target = line.rpartition("> in/")[2]
            shutil.copyfile(place / "old" / number / "stdout", place / "in" / target)
        kind, told = difference(line, old, new)
        if kind:
            found[kind] += 1
        if kind == "output" or kind and given.messages:
            print(f"{number} {kind}: {line}", *told, sep="\n    ", flush=True)
    print(
        f"{count} runs: {found['output']} differ; {found['sentences']} in sentences of results, "
        f"{found['messages']} in messages alone"
    )
    print(f"{seconds[0]:.0f} and {seconds[1]:.0f} CPU seconds, {time.time() - start:.0f} s")
    return min(found["output"], 1)


def difference(line: str, old: dict[str, bytes], new: dict[str, bytes]) -> tuple[str, list[str]]:
    """Return how two runs differ ("output", "sentences", "messages", or "") and what shows it."""
    if old == new:
        return "", []
    names = [name for name in sorted(old.keys() | new.keys()) if old.get(name) != new.get(name)]
    name = min(names, key=lambda name: (name == "stderr", name))
    told = [f"{name}:", *excerpt(old.get(name), new.get(name))]
    if names == ["stderr"] or re.search(r" --(help|list)\b", line):
        return "messages", told
    bare = [
        {
            name: without_sentences(side[name], "--format" in line)
            for name in side
            if name != "stderr"
        }
        for side in (old, new)
    ]
    return ("sentences" if bare[0] == bare[1] else "output"), told


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
        yield "only old" if new is None else "only new"
        return
    lines = [side.decode(errors="backslashreplace").split("\n") for side in (old, new)]
    size = max(map(len, lines))
    pairs = zip(*(side + ["(no line)"] * (size - len(side)) for side in lines), strict=True)
    one, other = next(pair for pair in pairs if pair[0] != pair[1])
    begin = max(len(os.path.commonprefix([one, other])) - 40, 0)
    yield "- " + one[begin : begin + width]
    yield "+ " + other[begin : begin + width]


def work() -> None:
    """Serve one checkout: read [folder, line, libraries], run the line, answer with CPU seconds."""
    asked, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    load()
    for message in iter(asked.readline, ""):
        folder, line, libraries = json.loads(message)
        for library in [*LIBRARIES, *libraries]:
            with contextlib.suppress(ImportError):
                importlib.import_module(library)
        run(folder, line)
        print(sum(os.times()[:4]), file=answers, flush=True)


def load() -> None:
    """Import all code of the checkout that PYTHONPATH names."""
    from same_inputs import DATA, read

    sys.path.remove(str(Path(__file__).resolve().parent))
    import dialtools

    for module in pkgutil.walk_packages(dialtools.__path__, "dialtools."):
        importlib.import_module(module.name)
    warm(dialtools, read(DATA / "roles.jsonl"))


def warm(dialtools: Any, dialogues: list[dict]) -> None:
    """Read the data of languages, which every run would read anew."""
    for dialogue in dialogues:
        record = {**dialogue, "prediction": dialogue["dialogue"]}
        for command, options in (
            ("swap_names", {}),
            ("score", {"metric": ["rouge2", "bleu", "chrf"]}),
            ("perturb", {"kind": ["typo", "dialogue"]}),
            ("perturb", {"kind": ["asr"]}),
        ):
            with contextlib.suppress(Exception):
                list(getattr(dialtools, command)([record], **options))


def run(folder: str, line: str) -> None:
    """Run the commands of a line in turn; write stdout, stderr and statuses into the folder."""
    os.chdir(folder)
    statuses, before, words = [], "in/nothing", shlex.split(line)
    while words:
        size = next((i for i, word in enumerate(words) if word in ("|", "&&", ";")), len(words))
        command, operator, words = words[:size], "".join(words[size : size + 1]), words[size + 1 :]
        goes = "piped" if operator == "|" else "stdout"
        if len(command) > 2 and command[-2] == ">":
            goes = "stdout" if command[-1].startswith("in/") else command[-1]
            command = command[:-2]
        if len(command) > 2 and command[-2] == "<":
            command, before = command[:-2], command[-1]
        if goes == "piped":
            goes += str(len(statuses))
        statuses.append(call(command, before, goes))
        before = goes if operator == "|" else "in/nothing"
        if operator == "&&" and statuses[-1]:
            break
    Path("statuses").write_text(f"{statuses}\n")


def call(command: list[str], source: str, target: str) -> int:
    """Call one command, ours in a fork of this process; return its exit status."""
    child = os.fork()
    if child:
        status = os.waitpid(child, 0)[1]
        return os.waitstatus_to_exitcode(status)
    signal.alarm(SECONDS)
    os._exit(become(command, source, target))


def become(command: list[str], source: str, target: str) -> int:
    """Run a command in this process; return the exit status that Python would end with."""
    append = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    for number, name, flags in (
        (0, source, os.O_RDONLY),
        (1, target, append),
        (2, "stderr", append),
    ):
        os.dup2(os.open(name, flags, 0o644), number)
    if not command[0].startswith("dt"):
        os.execvp(command[0], command)
    sys.argv = command
    program = Path(shutil.which(command[0]) or "").read_text()
    module, name = re.findall(r"^from (dialtools\S*) import (\w+)", program, re.MULTILINE)[0]
    status = 0
    try:
        arguments = () if name == "main" else (command[1:],)  # else a command of older code
        getattr(importlib.import_module(module), name)(*arguments)
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    for process in multiprocessing.active_children():
        process.join()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return 120
    return status


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--worker"] else main()
