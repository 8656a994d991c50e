"""The share of copied dialogues that --restore gives back exactly.

    python tests/bench/restoring.py [-v] FILE...

The files hold records with dialogues, as dt-convert writes them.  Each record
is renamed with every pool of its language; the system answers with the renamed
dialogue as it is, "Name: text" lines, and restored that must be the dialogue
before.  One line a file and pool: the share of exact ones, and with -v the
first difference of each that is not.
"""

import argparse
import itertools
import json

import dialtools
from dialtools import languages
from dialtools.records import dialogue
from dialtools.system.errors import RecordError


def text(record: dict) -> str:
    """Return the dialogue of a record as a text."""
    found = record["dialogue"]
    return found if isinstance(found, str) else dialogue.text(found)


def copied(record: dict, pool: str) -> tuple[str, str, str] | None:
    """Return a renamed dialogue, its restored copy and the original; None if the pool is small."""
    try:
        (swapped,) = dialtools.swap_names([record], pool=pool)
    except RecordError:
        return None
    answered = {**swapped, "prediction": text(swapped)}
    (restored,) = dialtools.swap_names([answered], restore=True)
    return answered["prediction"], restored["prediction"], text(record)


def difference(renamed: str, got: str, wanted: str) -> str:
    """Return the first line that is not as it must be, and what it was with the new names."""
    lines = itertools.zip_longest(
        renamed.split("\n"), got.split("\n"), wanted.split("\n"), fillvalue=""
    )
    return next(
        f"  {now!r}\n    restored {back!r}\n    wanted   {was!r}"
        for now, back, was in lines
        if back != was
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("-v", action="store_true", help="show differences")
    options = parser.parse_args()
    for path in options.files:
        with open(path, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        for pool in languages.get(records[0]["lang"]).tables("names"):
            found = [pair for record in records if (pair := copied(record, pool))]
            wrong = [pair for pair in found if pair[1] != pair[2]]
            print(f"{path} {pool}: {len(found) - len(wrong)} of {len(found)} exact", flush=True)
            for pair in wrong if options.v else ():
                print(difference(*pair))


if __name__ == "__main__":
    main()
