"""The filter that reading.py measures: it adds a key to each record and does nothing else.

python tests/bench/adding.py in.jsonl out.jsonl
"""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from dialtools.pipeline import cli
from dialtools.pipeline.work import Work
from dialtools.system.files import buffered


def added(records: Iterable[dict]) -> Iterator[dict]:
    for record in records:
        yield {**record, "scores": {"exact": 0.0}}


def main() -> int:
    source, target = sys.argv[1:]
    # as every command does
    sys.stdin, sys.stdout = buffered(sys.stdin, "r"), buffered(sys.stdout, "w")
    return cli.run(
        Work(added, by="bench"),
        files=(source,),
        output=target,
        quiet=True,
        limit=None,
        lang="en",
        on_error="stop",
        jobs=1,
        shard=None,
        progress=False,
    )


if __name__ == "__main__":
    sys.exit(main())
