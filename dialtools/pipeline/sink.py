"""Where what a command writes goes: standard output, a file that appears when complete, a pager."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain

from dialtools.system import process
from dialtools.system.files import STANDARD, ReaderGone, open_output
from dialtools.system.process import ending_at_once, ending_cleanly
from dialtools.system.terminal import is_terminal, is_watched, paging


def write(lines: Iterable[bytes], output: str = STANDARD) -> None:
    """Write lines to standard output, or to a file that appears when it is complete."""
    prepare_to_write()
    with open_output(output) as file:
        file.writelines(lines)
        file.flush()


def prepare_to_write() -> None:
    """Let a signal end the program cleanly from now on."""
    # an exception out of a signal in the middle of its first import would crash Python
    with ending_at_once():
        import orjson  # noqa: F401

    ending_cleanly()


def write_log(
    records: Iterator[dict], by: str, epochs: int, output: str, progress: bool, quiet: bool
) -> None:
    """Write the log of a training, with a bar of its epochs from its first record on."""
    from dialtools.records import jsonl

    process.share_cores()
    if progress or (not quiet and is_watched(output != STANDARD, results=False)):
        from tqdm import tqdm

        first = next(records)
        records = chain([first], tqdm(records, desc=by, unit=" epochs", leave=False, total=epochs))
    write(map(jsonl.dumps, records), output)


def paged(run: Callable[[], int], output: str) -> int:
    """Run a command that writes text for people, on a terminal through a pager; return its status."""
    if output != STANDARD or not is_terminal(sys.stdout):
        return run()
    with suppress(ReaderGone), paging():
        return run()
    return 0  # the reader had seen enough
