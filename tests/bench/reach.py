"""Which kinds of perturbation change how many dialogues, in which data?

    python tests/bench/reach.py [-n RECORDS] [-k KIND]... FILE...

FILEs hold records, such as `dt-convert --from kdconv` makes, with tokens by
dt-parse for the kinds that need them.  A cell is the share of the records in
which something changed, and the mean rate of those: edits for each word, or for
each character where no spaces part words.  "-": not defined for the language;
"tokens": not with the tokens that there are; "key": a key is missing.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import dialtools
from dialtools.plugins import registry
from dialtools.records import jsonl as records
from dialtools.system.errors import RecordError


def cell(found: list[dict], kind: str) -> str:
    """Return what a kind does to some records."""
    try:
        entries = [made["history"][-1] for made in dialtools.perturb(found, kind=[kind], seed=1)]
    except RecordError as error:
        if "is not defined" in error.reason:
            return "-"
        return "tokens" if "needs tokens" in error.reason else "key"
    rates = [entry["rate"] for entry in entries if entry["changed"]]
    share = f"{100 * len(rates) / len(entries):.0f} %"
    return f"{share}, {mean(rates):.3f}" if rates else share


def table(files: dict[str, list[dict]], kinds: list[str]) -> Iterator[str]:
    """Yield the lines of a table in markdown, a row for each kind and a column for each file."""
    yield f"| kind | {' | '.join(files)} |"
    yield f"| --- |{' --- |' * len(files)}"
    for kind in kinds:
        yield f"| {kind} | {' | '.join(cell(found, kind) for found in files.values())} |"


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("-n", type=int, default=200, help="records of each file at most (200)")
    options.add_argument("-k", action="append", help="kind, instead of all")
    options.add_argument("file", nargs="+")
    given = options.parse_args()
    kinds = given.k or [name for name in registry.names("perturbations") if name != "exec"]
    files = {
        Path(file).name.partition(".")[0]: list(records.read(file, limit=given.n))
        for file in given.file
    }
    for line in table(files, kinds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
