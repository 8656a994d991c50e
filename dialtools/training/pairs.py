"""Examples of an encoder: pairs of texts, texts in groups, or texts with a given vector."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from dialtools.records import jsonl, validation, values
from dialtools.system.errors import OptionError, RecordError, about

Kind = Literal["graded", "binary", "positive", "groups", "vectors"]


class Source(NamedTuple):
    """Where in a record the parts of an example are."""

    pair: tuple[str, ...]  # paths of one text or two; of a third that is unlike the first
    target: str | None = None
    group: str | None = None
    vectors: str | None = None
    lang: str | None = None


class Examples(NamedTuple):
    """Examples in columns; those that a kind does not have are empty."""

    kind: Kind
    texts: list[str]
    others: list[str]
    targets: list[float]
    groups: list[int]  # equal numbers for one group
    vectors: list[list[float]]
    unlike: list[str]  # texts that are unlike the first of their pair
    places: list[tuple[dict, str]]  # the id of each record, and where it stands

    @property
    def size(self) -> int:
        """Return the number of examples."""
        return len(self.texts)


def read(files: Iterable[str], source: Source, part: str) -> Examples:
    """Return the examples of files. Raise RecordError for one that lacks what it needs."""
    found = Examples("positive", [], [], [], [], [], [], [])
    names: dict[object, int] = {}
    place = ""

    def remember(pair: tuple[tuple, str]) -> None:
        nonlocal place
        place = pair[1]

    for record in validation.validated(
        jsonl.lines(files),
        make=jsonl.loads,
        lang=source.lang,
        remember=remember,
        order=validation.AnyOrder(),
    ):
        with about(record, place):
            _add(found, record, source, names)
        found.places.append(({"id": record["id"]}, place))
    if not found.texts:
        raise OptionError(f"--{part}: no records")
    return found._replace(kind=_kind(found, source, part))


def _add(found: Examples, record: dict, source: Source, names: dict[object, int]) -> None:
    found.texts.append(values.text(record, source.pair[0]))
    if source.vectors:
        found.vectors.append(values.vector(record, source.vectors, found.vectors))
    elif source.group:
        name, lacking = values.at(record, source.group)
        if lacking is not None or not isinstance(name, (str, int)):
            raise RecordError(f'no group under "{source.group}"')
        found.groups.append(names.setdefault(name, len(names)))
    else:
        found.others.append(values.text(record, source.pair[1]))
        if len(source.pair) > 2:
            found.unlike.append(values.text(record, source.pair[2]))
        if source.target:
            found.targets.append(values.number(record, source.target))


def _kind(found: Examples, source: Source, part: str) -> Kind:
    if source.vectors:
        return "vectors"
    if source.group:
        number = len(set(found.groups))
        if number in (1, found.size):
            said = "all have the same" if number == 1 else "no two have the same"
            raise OptionError(
                f'--{part}: {said} "{source.group}": there are no alike and unlike texts to compare'
            )
        return "groups"
    if not source.target:
        return "positive"
    if len(set(found.targets)) == 1:
        raise OptionError(
            f'--{part}: all "{source.target}" are {found.targets[0]:g}: there is '
            "nothing to learn from them, or to measure by them"
        )
    return "binary" if set(found.targets) <= {0.0, 1.0} else "graded"


def scaled(targets: Sequence[float], low: float, high: float) -> list[float]:
    """Return graded targets from 0 to 1; those beyond the bounds are 0 or 1."""
    return [min(1.0, max(0.0, (value - low) / (high - low))) for value in targets]


def columns(found: Examples, low: float = 0.0, high: float = 1.0) -> dict[str, list[Any]]:
    """Return the columns of a data set, as the losses of sentence-transformers read them.

    low, high: the targets that stand for 0 and 1, of graded ones.
    """
    if found.kind in ("vectors", "groups"):
        return {
            "text": found.texts,
            "label": found.vectors if found.kind == "vectors" else found.groups,
        }
    pair = {"text": found.texts, "other": found.others}
    if found.kind == "positive":
        return pair | ({"unlike": found.unlike} if found.unlike else {})
    return pair | {
        "label": scaled(found.targets, low, high) if found.kind == "graded" else found.targets
    }
