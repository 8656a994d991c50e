"""The files of a report: read line by line, each line recognised and checked; read again for cases.

Anybody may have written a result, and a page that left a number out would not say so: a value that
a page shows is of its type, or an error.  Null is no value.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import isfinite

from dialtools.records import history, jsonl, wellformed
from dialtools.records.wellformed import is_number
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
_OF_RECORDS = {"dialogue", "text", "prediction", "reference", "context", "scores", "history"}
# what a training says first: the sizes of its data, the recipe
_OF_TRAINING = {"recipe", "weights", "train", "parameters"}
_TABLE = "; dt-report reads JSON Lines: without --format, commands write them into files and pipes"
LARGEST = 10**15  # of counts: floats and pictures tell larger ones not apart

Source = str | os.PathLike[str] | Iterable[dict]


@dataclass
class InputFile:
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


def opened(sources: Iterable[Source], copies: ExitStack) -> list[InputFile]:
    """Return the files of a report; what cannot be read twice is copied, as long as `copies` is."""
    from tempfile import NamedTemporaryFile

    files = []
    for number, source in enumerate(sources, 1):
        path = source if isinstance(source, (str, os.PathLike)) else None
        if path is not None and os.path.isfile(path):
            files.append(InputFile(called(path), os.fspath(path)))
            continue
        copy = copies.enter_context(NamedTemporaryFile(prefix="dt-report-", suffix=".jsonl"))
        if isinstance(source, (str, os.PathLike)):
            with open_input(source) as file:
                copy.writelines(file)
        else:
            copy.writelines(map(jsonl.dumps, source))
        copy.flush()
        files.append(InputFile(f"records {number}" if path is None else called(path), copy.name))
    return files


def lines(file: InputFile, holding: Sequence[bytes] = ()) -> Iterator[tuple[str, dict]]:
    """Yield the place and the value of each line of a file that is not blank.

    holding: a line that has none of these is left out without a look at what it is.
    """
    with open_input(file.path) as data:
        for number, line in enumerate(without_bom(data), 1):
            if holding and not any(wanted in line for wanted in holding) or not line.strip():
                continue
            place = f"{file.name}:{number}"
            try:
                value = jsonl.parse(line)
            except RecordError as error:
                is_table = line.lstrip()[:1] not in (b"{", b"[", b'"')
                raise RecordError(
                    error.reason + (_TABLE if is_table else ""), place=place
                ) from None
            if type(value) is not dict:
                raise RecordError(
                    f"a line is a JSON object, here is {show(value, 40)}", place=place
                )
            yield place, value


def kind(line: dict, place: str | None = None) -> str:
    """Return what a line is.  Raise RecordError for what no command of dialtools writes.

    >>> kind({"metric": "rouge2", "S": 3.2}), kind({"id": 1, "scores": {"S:rouge2": 3.2}})
    ('sensitivity results', 'per-source records')
    """
    scores = line.get("scores")
    if isinstance(scores, dict) and any(label.startswith(LABELS_OF_SOURCES) for label in scores):
        return SOURCE
    if not _OF_RECORDS & line.keys():
        for name, keys in _RESULTS:
            if all(key in line for key in keys):
                return name
        if "id" not in line and _OF_TRAINING & line.keys():
            return EPOCH
    if "id" in line or _OF_RECORDS & line.keys():
        return RECORD
    raise RecordError(
        f"this is nothing that dialtools writes as JSON Lines; it has {show_names(line)}",
        place=place,
    )


def check_record(record: dict, place: str, deep: bool = False) -> None:
    """Raise RecordError for a malformed value of a key of records that we know."""
    with about(place=place):
        if not wellformed.is_plain(record, deep):
            wellformed.refuse(record, deep)
        history.check(record)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= LARGEST


def _is_list(value: object, fits: Callable[[object], bool]) -> bool:
    return isinstance(value, list) and all(map(fits, value))


def _is_object(value: object, fits: Callable[[object], bool]) -> bool:
    return isinstance(value, dict) and all(map(fits, value.values()))


def _are_ratings(value: object) -> bool:
    try:
        return _is_object(value, _is_count) and all(isfinite(float(key)) for key in value)  # type: ignore[attr-defined]
    except ValueError:
        return False


# what a value is, for messages, and whether one is that
_TYPES: dict[str, tuple[str, Callable[[object], bool]]] = {
    "text": ("a string", _is_text),
    "texts": ("a list of strings", lambda value: _is_list(value, _is_text)),
    "number": ("a number", is_number),
    "count": (f"a whole number from 0 to {LARGEST:,}", _is_count),
    "interval": (
        "a list of two numbers",
        lambda value: _is_list(value, is_number) and len(value) == 2,  # type: ignore[arg-type]
    ),
    "label": ("a string or a number", lambda value: _is_text(value) or is_number(value)),
    "scores": (
        "an object of numbers",
        lambda value: _is_object(value, lambda score: score is None or is_number(score)),
    ),
    "counts": ("an object of whole numbers", lambda value: _is_object(value, _is_count)),
    "ratings": ("an object of numbers of ratings", _are_ratings),
    "objects": (
        "a list of objects",
        lambda value: _is_list(value, lambda item: type(item) is dict),
    ),
}


def _keys(**types: str) -> dict[str, str]:
    """Return {key: its type} of the keys of each type."""
    return {key: name for name, keys in types.items() for key in keys.split()}


# What dt-score and dt-ttest write: tests, summaries, gaps, confusions.
_OF_RESULTS = _keys(
    text="metric value test unit better verdict reason signature note system lang by kind pool "
    "statistic_name effect_name correction of highest lowest command",
    label="a b group true predicted",
    number="mean sentence_mean S R D gap corpus consistency saliency faithfulness worst affected "
    "control of_control distinct margin share median p p_adjusted p_best p_difference "
    "p_difference_adjusted difference mean_a mean_b statistic effect level ci_level power df d top",
    count="n n_a n_b n_needed dialogues variants sets empty unchanged left_out family "
    "no_reference no_dialogue empty_reference pairs raters averaged",
    counts="zero_denominator dropped",
    ratings="counts",
    objects="chain",
    texts="notes groups",
)
_OF_OTHERS = _keys(
    text="level finding term signature",
    label="cluster_label nearest joins",
    number="distance height weight share",
    count="n count elsewhere",
)
_KEYS = {
    RECORD: _keys(scores="scores", label="cluster_label"),
    SOURCE: _keys(
        text="unit pool speaker",
        number="position turns",
        scores="scores",
        texts="outputs",
        objects="chain",
    ),
    EPOCH: _keys(
        number="epoch best loss dev_loss gap",
        count="fold repeat train dev weights parameters",
        texts="warnings",
        scores="objectives",
    ),
    FINDING: _OF_OTHERS,
    OTHER: _OF_OTHERS,
}
# Keys that such a line has in any case, and that are not null.
_WANTED: dict[str, tuple[str, ...]] = {
    TEST: ("test", "value", "verdict", "n"),
    **dict.fromkeys((CONFUSION, GAP, *SUMMARIES), ("metric",)),
}
# Keys that are not without others.
_TOGETHER: dict[str, dict[str, tuple[str, ...]]] = {
    TEST: {
        "a": ("b",),
        "b": ("a",),
        "p": ("level",),
        "ci": ("level",),
        "effect": ("effect_name",),
        "raters": ("group",),
        "share": ("group", "top"),
    },
    OTHER: {"joins": ("height",)},
}


def check(line: dict, kind: str, place: str) -> None:
    """Raise RecordError for a value that a line of a kind cannot have."""
    types = _KEYS.get(kind, _OF_RESULTS)
    for key, value in line.items():
        type = types.get(key) or ("interval" if key.endswith("ci") else "")
        if type and value is not None and not _TYPES[type][1](value):
            name = _TYPES[type][0]
            raise RecordError(f'"{key}" is {name}, here is {show(value)}', place=place)
    wanted = list(_WANTED.get(kind, ()))
    for key, others in _TOGETHER.get(kind, {}).items():
        wanted += others if line.get(key) is not None else ()
    for key in wanted:
        if line.get(key) is None:
            raise RecordError(f'no "{key}", which is {_TYPES[types[key]][0]}', place=place)


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
