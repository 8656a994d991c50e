"""Records to learn from and to choose by: read whole, with the place of each, and checked."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from dialtools.records import jsonl, validation
from dialtools.system.errors import OptionError, RecordError, about, show
from dialtools.system.files import STANDARD

COMMON = 0.01  # share of the letters from which on a script is one of the data's
LOST = 0.5  # share of a script's letters that a vocabulary may lack


class Data(NamedTuple):
    """Records of files, and where each stands."""

    records: list[dict]
    places: dict[tuple, str]  # FILE:LINE by id and variant
    numbered: bool  # some record got its id by its number


def check_files(train: Sequence[str], dev: Sequence[str], processes: int = 1) -> None:
    """Raise OptionError for a file that is given twice, or that several processes cannot share."""
    for name, paths in (("train", train), ("dev", dev)):
        if len(set(paths)) < len(paths):
            raise OptionError(f"--{name}: a file is given twice")
        if STANDARD in paths and processes > 1:
            raise OptionError(f"--{name}: several processes cannot share standard input")


def read(
    paths: Iterable[str], keys: Iterable[str], lang: str | None, check: Callable[[dict], object]
) -> Data:
    """Return the records of files. Raise RecordError for one without the keys.

    lang: language of records without one.
    check: raises RecordError for a record that cannot be learned.
    """
    places: dict[tuple, str] = {}
    notes: list[str] = []
    records: list[dict] = []
    last: list[str] = []

    def remember(pair: tuple[tuple, str]) -> None:
        (_, id, variant), place = pair
        places[id, variant] = place
        last[:] = [place]

    for record in validation.validated(
        jsonl.lines(paths),
        make=jsonl.loads,
        keys=list(keys),
        lang=lang,
        remember=remember,
        note=notes.append,
        order=validation.AnyOrder(),
    ):
        with about(record, last[0]):
            check(record)
        records.append(record)
    return Data(records, places, "id" in notes)


@contextmanager
def located(data: Data) -> Iterator[None]:
    """Say in an error of a record where the record stands."""
    try:
        yield
    except RecordError as error:
        record = error.record or {}
        places = ((record.get("id"), variant) for variant in (record.get("variant"), None))
        place = error.place or next(filter(None, map(data.places.get, places)), None)
        raise RecordError(error.reason, error.record, place) from None


def check_new(dev: Iterable[Hashable], train: Iterable[Hashable]) -> None:
    """Raise OptionError if all that stands in --dev stands in --train."""
    if set(dev) <= set(train):
        raise OptionError(
            "--dev has only records of --train: the best epoch would be the one that "
            "knows them best by heart; split the data first"
        )


def check_apart(train: Data, dev: Data, read: Callable[[dict], Hashable]) -> list[str]:
    """Return a warning if some records to choose by have the texts of records to learn from.

    Raise OptionError if all have, or if they share ids; ids that are numbers of lines say nothing.

    read: record -> its texts and its target.
    """
    for name, data in (("train", train), ("dev", dev)):
        if not data.records:
            raise OptionError(f"--{name}: no records")
    texts = set(map(read, train.records))
    check_new(map(read, dev.records), texts)
    same = sum(read(record) in texts for record in dev.records)
    warnings = (
        [
            f"--dev: {same} of {len(dev.records)} records have the texts and the target of records "
            "of --train: they favour an epoch that knows these by heart"
        ]
        if same
        else []
    )
    if train.numbered or dev.numbered:
        return warnings
    ids = {(type(record["id"]), record["id"]) for record in train.records}
    shared = [record for record in dev.records if (type(record["id"]), record["id"]) in ids]
    if not shared:
        return warnings
    known = sum(read(record) in texts for record in shared)
    numbers = (
        f"--dev shares {len(shared)} ids with --train, such as {show(shared[0]['id'])} "
        f"({known} with the same texts): "
    )
    if known or any("variant" in record for record in (*shared, *train.records)):
        raise OptionError(numbers + "take these sources out of one of them")
    return [*warnings, numbers + "if these are the same sources, take them out of one of them"]


def check_script(tokenizer: Any, texts: Iterable[str], name: str) -> None:
    """Raise OptionError if the vocabulary lacks the letters of a script of the texts."""
    if tokenizer.unk_token_id is None:
        return
    letters = Counter(letter for text in texts for letter in text if letter.isalpha())
    scripts: dict[str, Counter] = {}
    for letter, number in letters.items():
        script = unicodedata.name(letter, "UNKNOWN").partition(" ")[0]
        scripts.setdefault(script, Counter())[letter] += number
    for script, counts in scripts.items():
        if counts.total() < COMMON * letters.total():
            continue
        lost = sum(
            number
            for letter, number in counts.items()
            if tokenizer.unk_token_id in tokenizer(letter)["input_ids"]
        )
        if lost > LOST * counts.total():
            example = ", ".join(letter for letter, _ in counts.most_common(3))
            raise OptionError(
                f"the vocabulary of {name} lacks the script of the data: "
                f"{lost / counts.total():.0%} of its {script} letters ({example} …) are unknown; "
                "take a model of the language"
            )
