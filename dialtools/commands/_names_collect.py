"""List the speakers of dialogues as a pool of names, the most frequent first.

Each has a gender, if it is known, and the number of dialogues in which it speaks.
Roles, placeholders (#Person1#) and labels without letters are left out and counted.

Memory: the names.

Examples:

$ echo '{"id": 1, "lang": "en", "dialogue": "Ann: Hi Bob\\nBob: Hi Ann"}' | dt-names collect
Ann	f	1
Bob	m	1
"""

from collections.abc import Callable, Iterable, Iterator

from dialtools.commands import _name_rows
from dialtools.pipeline import cli

BY = "dt-names collect"


def names_collect(
    records: Iterable[dict], note: Callable[[str], None] = lambda what: None
) -> Iterator[dict]:
    """Yield the speakers of dialogues, the most frequent first: name, gender, number of dialogues.

    note: called for each speaker that is left out.
    """
    from dialtools.names import collecting
    from dialtools.records.validation import completed

    yield from collecting.speakers(completed(records, deep=True), note)


@cli.command(
    BY,
    _name_rows.FORMAT,
    *cli.reading("dialogue"),
)
def main(**options) -> int:
    return _name_rows.run(names_collect, BY, "dialogue", **options)
