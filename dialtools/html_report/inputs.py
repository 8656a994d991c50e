"""The files of a report: read line by line, each line recognised; read again for chosen cases."""

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from dialtools.records import history, jsonl, wellformed
from dialtools.system.errors import RecordError, about, show, show_names
from dialtools.system.files import called, open_input, without_bom

RECORD, SOURCE, EPOCH = "records", "per-source records", "training log lines"
SENSITIVITY, ROBUSTNESS, QUALITY = "sensitivity results", "robustness results", "means"
SUMMARIES = (QUALITY, SENSITIVITY, ROBUSTNESS)
GAP, TEST, CONFUSION, FINDING = "gaps", "tests", "confusions", "findings"
OTHER = "other results"
# Keys that a line of each kind has; the first kind that fits counts.
_RESULTS = (
    (TEST, ("test", "value", "verdict")),
    (CONFUSION, ("metric", "true", "predicted")),
    (GAP, ("metric", "gap", "highest")),
    (ROBUSTNESS, ("metric", "consistency")),
    (SENSITIVITY, ("metric", "S")),
    (QUALITY, ("metric", "mean")),
    (QUALITY, ("metric", "sentence_mean")),
    (FINDING, ("level", "finding")),
    (EPOCH, ("epoch",)),
    (EPOCH, ("best",)),
    (OTHER, ("cluster_label", "n")),
    (OTHER, ("term", "weight")),
    (OTHER, ("signature",)),
)
LABELS_OF_SOURCES = ("S:", "consistency:")  # how labels of scores of a source begin
_OF_RECORDS = ("dialogue", "text", "prediction", "reference", "context", "scores", "history")
# what a training says first: the sizes of its data, the recipe
_OF_TRAINING = ("recipe", "weights", "train", "parameters")
_TABLE = "; dt-report reads JSON Lines: without --format, commands write them into files and pipes"

Source = str | os.PathLike[str] | Iterable[dict]


@dataclass
class File:
    """A file, or what came through a pipe or from Python and is kept in a temporary file.

    lines: how many lines of each kind it has.
    is_numbered: did lines without an id get their number for one?
    """

    name: str
    path: str
    lines: Counter = field(default_factory=Counter)
    is_numbered: bool = False

    @property
    def stem(self) -> str:
        """Its name without folders and endings."""
        name = os.path.basename(self.name)
        for ending in (".gz", ".zst", ".jsonl", ".json", ".sources", ".scored"):
            name = name.removesuffix(ending)
        return name or self.name


def opened(sources: Iterable[Source], held: ExitStack) -> list[File]:
    """Return the files of a report; what cannot be read twice is copied, as long as `held` is."""
    from tempfile import NamedTemporaryFile

    files = []
    for number, source in enumerate(sources, 1):
        path = source if isinstance(source, (str, os.PathLike)) else None
        if path is not None and os.path.isfile(path):
            files.append(File(called(path), os.fspath(path)))
            continue
        copy = held.enter_context(NamedTemporaryFile(prefix="dt-report-", suffix=".jsonl"))
        if isinstance(source, (str, os.PathLike)):
            with open_input(source) as file:
                copy.writelines(file)
        else:
            copy.writelines(map(jsonl.dumps, source))
        copy.flush()
        files.append(File(f"records {number}" if path is None else called(path), copy.name))
    return files


def lines(file: File, holding: Sequence[bytes] = ()) -> Iterator[tuple[str, dict]]:
    """Yield the place and the value of each line of a file that is not blank.

    holding: a line that has none of these is left out without a look at what it is.
    """
    with open_input(file.path) as data:
        for number, line in enumerate(without_bom(data), 1):
            if holding and not any(wanted in line for wanted in holding):
                continue
            if line.strip():
                place = f"{file.name}:{number}"
                yield place, _object(line, place)


def _object(line: bytes, place: str) -> dict:
    try:
        value = jsonl.parse(line)
    except RecordError as error:
        is_table = line.lstrip()[:1] not in (b"{", b"[", b'"')
        raise RecordError(error.reason + (_TABLE if is_table else ""), place=place) from None
    if type(value) is not dict:
        raise RecordError(f"a line is a JSON object, here is {show(value, 40)}", place=place)
    return value


def kind(line: dict, place: str | None = None) -> str:
    """Return what a line is.  Raise RecordError for what no command of dialtools writes.

    >>> kind({"metric": "rouge2", "S": 3.2}), kind({"id": 1, "scores": {"S:rouge2": 3.2}})
    ('sensitivity results', 'per-source records')
    """
    scores = line.get("scores")
    if isinstance(scores, dict) and any(label.startswith(LABELS_OF_SOURCES) for label in scores):
        return SOURCE
    if not any(key in line for key in _OF_RECORDS):
        for name, keys in _RESULTS:
            if all(key in line for key in keys):
                return name
        if "id" not in line and any(key in line for key in _OF_TRAINING):
            return EPOCH
    if "id" in line or any(key in line for key in _OF_RECORDS):
        return RECORD
    raise RecordError(
        f"this is nothing that dialtools writes as JSON Lines; it has {show_names(line)}",
        place=place,
    )


def check(record: dict, place: str, deep: bool = False) -> None:
    """Raise RecordError for a malformed value of a key that we know."""
    with about(place=place):
        if not wellformed.is_plain(record, deep):
            wellformed.refuse(record, deep)
        history.check(record)


def counted(lines: Counter) -> str:
    """Return how many lines there are of each kind.

    >>> counted(Counter({"records": 1200, "tests": 1}))
    '1,200 records, 1 test'
    """
    counts = [
        f"{number:,} {name.removesuffix('s') if number == 1 else name}"
        for name, number in lines.items()
    ]
    return ", ".join(counts) or "no lines"


def hashed(file: File) -> str:
    """Return the SHA-256 of a file as it lies on the disk."""
    digest = hashlib.sha256()
    with open(file.path, "rb") as data:
        while block := data.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
