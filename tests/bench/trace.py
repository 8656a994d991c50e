"""How far does one record travel?  The functions of dialtools that four ways call.

    python tests/bench/trace.py [swap-names|score|train|report]… [--checkout FOLDER] [--most N]

The ways: an English record of two turns through dt-swap-names --keep-original; dt-score -m rouge2 --sensitivity
of four records; dt-train generator, a tiny model, one step; dt-report of four records.  Each goes through
its script in bin/, in a process that has imported all modules, under sys.setprofile.

Printed are: different functions of dialtools that are called, their files and packages, all calls of them, and
those that come from a function of another package.  Bodies of modules, lambdas and comprehensions do not count;
a module at the root is a package.  --most lists the N functions that are called most often.
"""

import argparse
import importlib
import json
import os
import pkgutil
import runpy
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
DIALOGUE = "Ann: Hi Bob\nBob: Hi Ann, is Eve with you?"
# what makes scored.jsonl, untraced
BEFORE = "dt-score -m rouge2 -q four.jsonl -o scored.jsonl"
WAYS = {
    "swap-names": "dt-swap-names --keep-original one.jsonl",
    "score": "dt-score -m rouge2 --sensitivity four.jsonl",
    "train": "dt-train generator --model tiny:layers=1,hidden=32,heads=2,vocabulary=300 --train four.jsonl "
    "--dev dev.jsonl --epochs 1 --max-new-tokens 8 --output-dir model --allow-blind -q",
    "report": "dt-report scored.jsonl -o page.html",
}


def write_records() -> None:
    """Write a dialogue, and two variants of two others with outputs, into the current folder."""
    one = {"id": 0, "lang": "en", "dialogue": DIALOGUE}
    dev = one | {"dialogue": f"{DIALOGUE}\nAnn: No.", "reference": "Bob looks for Eve."}
    four = [
        {
            "id": number,
            "lang": "en",
            "variant": f"names:{variant}",
            "dialogue": DIALOGUE.replace("Eve", f"Eve {number}"),
            "reference": "Bob is looking for Eve.",
            "prediction": f"Bob {'looks' if variant == 1 else 'asks'} for Eve {number}.",
        }
        for number in (1, 2)
        for variant in (1, 2)
    ]
    for name, records in (("one", [one]), ("dev", [dev]), ("four", four)):
        Path(f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))


class Trace:
    """Counts of calls, filled by a profile function."""

    def __init__(self, checkout: Path) -> None:
        self.calls: Counter[CodeType] = Counter()
        self.changes: Counter[tuple[str, str]] = Counter()
        self.folder = f"{checkout}/dialtools/"

    def package(self, code: CodeType) -> str:
        """Return the package of dialtools that a function is of, "" for other code."""
        if not (code.co_filename.startswith(self.folder) and code.co_filename.endswith(".py")):
            return ""
        return code.co_filename.removeprefix(self.folder).split("/")[0].removesuffix(".py")

    def profile(self, frame: FrameType, event: str, argument: Any) -> None:
        """Count a call."""
        code = frame.f_code
        if event != "call" or code.co_name.startswith("<") or not (package := self.package(code)):
            return
        self.calls[code] += 1
        caller = self.package(frame.f_back.f_code) if frame.f_back else ""
        if caller not in ("", package):
            self.changes[caller, package] += 1


def trace(way: str, checkout: Path, most: int) -> None:
    """Run one way in this process, and print what it calls."""
    sys.path[0] = str(checkout)
    import dialtools

    for module in pkgutil.walk_packages(dialtools.__path__, "dialtools."):
        importlib.import_module(module.name)
    if way == "train":
        import torch

        torch.set_num_threads(1)
    counts = Trace(checkout)
    sys.argv = WAYS[way].split()
    output = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    threading.setprofile(counts.profile)  # a training is a thread
    sys.setprofile(counts.profile)
    try:
        runpy.run_path(str(checkout / "bin" / sys.argv[0]), run_name="__main__")
    except SystemExit as end:
        status = end.code
    finally:
        sys.setprofile(None)
        os.dup2(output, 1)
    if status:
        sys.exit(f"{WAYS[way]}: status {status}")
    files = {code.co_filename for code in counts.calls}
    packages = {counts.package(code) for code in counts.calls}
    row = (way, len(counts.calls), len(files), len(packages), counts.calls.total())
    print(
        "| {} | {} | {} | {} | {:,} |".format(*row), counts.changes.total(), "|", flush=True
    )
    for code, count in counts.calls.most_common(most):
        place = f"{code.co_filename.removeprefix(counts.folder)}:{code.co_firstlineno}"
        print(f"    {count:7,} {code.co_qualname} ({place})")
    for (caller, package), count in counts.changes.most_common(most):
        print(f"    {count:7,} {caller} → {package}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("way", nargs="*", help="some of the ways")
    parser.add_argument("--checkout", type=Path, default=ROOT, metavar="FOLDER", help="whose code")
    parser.add_argument("--most", type=int, default=0, metavar="N", help="functions to list")
    parser.add_argument("--within", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    checkout = options.checkout.resolve()
    if options.within:
        trace(options.way[0], checkout, options.most)
        return
    print("| way | functions | files | packages | calls | changes of package |")
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_records()
        program, *arguments = BEFORE.split()
        subprocess.run([sys.executable, checkout / "bin" / program, *arguments], check=True)
        for way in options.way or WAYS:
            command = [sys.executable, __file__, "--within", way, "--checkout", checkout]
            subprocess.run(
                [*command, "--most", str(options.most)],
                check=True,
                env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "COLUMNS": "80"},
                stderr=subprocess.DEVNULL,
            )


if __name__ == "__main__":
    main()
