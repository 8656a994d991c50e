"""Plain line files, read in parallel: predictions in the first, references in the others."""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice, zip_longest

from dialtools.records import jsonl as records
from dialtools.system.errors import OptionError, RecordError
from dialtools.system.files import STANDARD, called, open_input, without_bom

Row = tuple[int, tuple[str, ...], tuple[bytes, ...]]  # the line's number, the files, the lines


def rows(paths: tuple[str, ...], limit: int | None = None) -> Iterator[tuple[str, Row]]:
    """Yield ("FILE:LINE", row) for the first `limit` lines, empty ones too.

    Files of different lengths are a RecordError with all lengths: before the
    first row, if all are ordinary files, and else at the end of the shortest.
    """
    if len(paths) < 2 or paths.count(STANDARD) > 1:
        raise OptionError("--lines: one FILE of predictions, and one or several of references")
    if limit is None and all(map(os.path.isfile, paths)):
        _compare(paths, [_length(path) for path in paths])
    with ExitStack() as stack:
        files = [without_bom(stack.enter_context(open_input(path))) for path in paths]
        for number, lines in enumerate(islice(zip_longest(*files), limit), 1):
            if None in lines:
                numbers = [number - (line is None) for line in lines]
                _compare(
                    paths,
                    [
                        read + sum(1 for _ in file)
                        for read, file in zip(numbers, files, strict=True)
                    ],
                )
            yield f"{called(paths[0])}:{number}", (number, paths, lines)


def _length(path: str) -> int:
    with open_input(path) as file:
        return sum(1 for _ in file)


def _compare(paths: Iterable[str], lengths: list[int]) -> None:
    if len(set(lengths)) > 1:
        by_file = ", ".join(
            f"{called(path)} has {length:,} lines"
            for path, length in zip(paths, lengths, strict=True)
        )
        raise RecordError(f"line files do not fit: {by_file}")


def record(row: Row) -> dict:
    """Return the record of one line of each file; its id is the line's number."""
    number, paths, lines = row
    # The place of the record names the first file.
    places = (f"{called(path)}: " if path != paths[0] else "" for path in paths)
    prediction, *references = map(_text, lines, places)
    return {
        "id": str(number),
        "prediction": prediction,
        "reference": references[0] if len(references) == 1 else references,
    }


def _text(line: bytes, where: str) -> str:
    try:
        return line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise RecordError(f"{where}{records.not_utf8(error).reason}") from None


def or_json(line: bytes) -> dict:
    """Return the record of a line of JSON; the error for a line of text names --lines."""
    try:
        return records.loads(line)
    except RecordError as error:
        is_json = line.lstrip().startswith((b"{", b"["))
        hint = "" if is_json else "; plain line files are read with --lines"
        raise RecordError(error.reason + hint, place=error.place) from None
