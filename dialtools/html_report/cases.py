"""The sources that were chosen, read again from the files, for the eye."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from os.path import commonprefix
from typing import NamedTuple

from dialtools.html_report import (
    choices,
    estimates,
    inputs,
    material,
    parts,
    recognition,
    variations,
)
from dialtools.html_report.choices import Choice
from dialtools.html_report.inputs import File
from dialtools.html_report.material import Material, Series
from dialtools.html_report.texts import cut
from dialtools.records import dialogue, history
from dialtools.system.errors import DialtoolsError
from dialtools.tables import differences, sources, tables
from dialtools.tables.differences import ADDED, REMOVED, SAME, Piece

_TEXT = "text"
_OUTPUT = "output"  # of a variant that nobody named
_APART = ("prediction", "reference")  # rows that are not input
MOST_RECORDS = 60  # of one source
MOST_READ = 1_000  # of one source, with all their texts
MOST_TURNS = 80
LEAST_SHARED = 0.4  # of the characters of two outputs; of less, words that agree do so by chance
Names = Mapping[tuple[int, str], str]


class Output(NamedTuple):
    """An output that one record or several have; their scores."""

    whose: str
    pieces: Sequence[Piece]
    scores: str = ""


class Turn(NamedTuple):
    """A text of the original, and that of a variant, as they differ; label: its number, or key."""

    label: str
    before: Sequence[Piece] | None
    after: Sequence[Piece] | None
    is_same: bool


class Case(NamedTuple):
    """A source of a system, with what makes it remarkable.

    measure: what its value is of.
    varied: the kinds of its variants, in words.
    whose: the system, or the two groups of a pair.
    system, lang, kind: what readers choose cases by; a pair belongs to no system.
    more: how many records of the source are not shown.
    ties: how many sources are as bad.
    """

    rank: str
    measure: str
    value: str
    varied: str
    whose: str
    system: str
    lang: str
    kind: str
    group: str
    id: str
    names: Sequence[tuple[str, str]]
    references: Sequence[str]
    outputs: Sequence[Output]
    before: str
    after: str
    turns: Sequence[Turn]
    left: int
    more: int = 0
    ties: int = 1


def shown(chosen: Sequence[Choice], held: Material, names: Names) -> list[Case]:
    """Return the cases of choices, with the records that the files have of them."""
    read = _read({choice.id for choice in chosen}, held.files)
    made = []
    for choice in chosen:
        records = (
            _pair(choice, read, held.files, names)
            if choice.other
            else _records(choice.series, choice.id, read, held.files)
        )
        if case := _case(choice, records[:MOST_RECORDS], names):
            made.append(case._replace(more=max(len(records) - MOST_RECORDS, 0), ties=choice.ties))
    return made


def _pair(
    choice: Choice, read: Mapping[tuple, list[dict]], files: Sequence[File], names: Names
) -> list[dict]:
    """Return the two records of a pair, the second as a variant of the first."""
    found = []
    for series in filter(None, (choice.series, choice.other)):
        own = _records(series, choice.id, read, files)
        found += [line for line in own if bool(line.get("variant")) == bool(series.kind)][:1]
    if len(found) == 2 and choice.other:
        name = names[choice.other.file, choice.other.system]
        found[1] = found[1] | {"variant": found[1].get("variant") or name}
    return found if len(found) == 2 else []


def _read(ids: set[str | int], files: Sequence[File]) -> dict[tuple, list[dict]]:
    """Return the lines of sources by (kind, file, system, id)."""
    found: dict[tuple, list[dict]] = {}
    for number, file in enumerate(files):
        numbers = {recognition.RECORD: 0, recognition.SOURCE: 0}
        if not ids or not any(kind in file.lines for kind in numbers):
            continue
        for place, line in inputs.lines(file, _marks(ids, file)):
            kind = recognition.kind(line, place)
            if kind in numbers:
                numbers[kind] += 1
                if line.get("id") is None:
                    line["id"] = str(numbers[kind])
                if line["id"] in ids:
                    inputs.checked(line, place, deep="dialogue" in line)
                    key = kind, number, str(line.get("system") or file.stem), line["id"]
                    own = found.setdefault(key, [])
                    # of what is not shown, as much as tells what it is of
                    own.append(
                        line
                        if len(own) < MOST_READ
                        else {
                            name: line[name] for name in ("id", "lang", "variant") if name in line
                        }
                    )
    return found


def _marks(ids: set[str | int], file: File) -> list[bytes]:
    """Return what a line must have that has one of the ids; nothing if it may be written otherwise."""
    plain = all(re.fullmatch(r"[\w .:#-]+", str(id), re.ASCII) for id in ids)
    return [] if "numbered" in file.facts or not plain else [str(id).encode() for id in ids]


def _records(
    series: Series, id: str | int, read: Mapping[tuple, list[dict]], files: Sequence[File]
) -> list[dict]:
    """Return the records of a source, from the file whose name is most like that of the series."""
    fitting = []
    for (kind, file, system, own_id), lines in read.items():
        if (system, own_id) != (series.system, id):
            continue
        own = [line for line in lines if _fits(line, series)]
        if own and kind == recognition.RECORD:
            name, other = files[file].path, files[series.file].path
            fitting.append(
                (
                    file == series.file,
                    any(line.get("variant") for line in own),
                    len(commonprefix([name, other])),
                    -file,
                    own,
                )
            )
    if fitting:
        return max(fitting, key=lambda item: item[:4])[4]
    key = recognition.SOURCE, series.file, series.system, id
    return [
        _spoken(line, number, output)
        for line in read.get(key, ())[:1]
        for number, output in enumerate(line.get("outputs") or (), 1)
    ]


def _spoken(line: dict, number: int, output: str) -> dict:
    """Return a record of an output, where the records themselves are not there."""
    kind = line.get("variant") or _OUTPUT
    return {
        "id": line["id"],
        "variant": f"{kind}:{number}",
        "prediction": output,
        **({"lang": line["lang"]} if "lang" in line else {}),
    }


def _fits(line: dict, series: Series) -> bool:
    variant = line.get("variant")
    if dialogue.lang(line) != series.lang:
        return False
    if not variant or not (series.kind or series.group):
        return True
    return (not series.kind or material.kind_of(variant) == series.kind) and (
        not series.group or material.group_of(line) == series.group
    )


def _case(choice: Choice, records: list[dict], names: Names) -> Case | None:
    if not records:
        return None
    try:
        source = sources.source(records)
    except (DialtoolsError, LookupError, TypeError):  # anybody may have written the history
        return None
    series, beside = choice.series, source.variants
    system, other = (names[one.file, one.system] if one else "" for one in (series, choice.other))
    varied = _varied(choice.other.kind if choice.other else series.kind, beside)
    kind = (choice.other or series).kind or (varied[0] if len(varied) == 1 else "")
    is_of_two = bool(other) and other != system
    at = _most_changed(source)
    turns = _turns(source, at)
    return Case(
        choice.rank,
        series.measure,
        choices.valued(choice),
        variations.named(varied),
        f"{system} beside {other}" if is_of_two else system,
        "" if other else system,
        series.lang,
        kind,
        series.group,
        str(choice.id),
        list(sources.names(beside[at]).items()) if beside else [],
        [cut(text) for text in dialogue.references(source.original)],
        _outputs([source.original, *beside], (system, other) if is_of_two else ()),
        _called(source.original),
        _called(beside[at]) if beside else "",
        turns[:MOST_TURNS],
        max(len(turns) - MOST_TURNS, 0),
    )


def _turns(source: sources.Source, at: int) -> list[Turn]:
    """Return the input of a source beside that of a variant, but what stands among the outputs."""
    is_input = any(one.get("prediction") for one in (source.original, *source.variants))
    return [
        _turn(row, at)
        for row in source.rows
        if not row.label.startswith(_APART) and (row.label != _TEXT or is_input)
    ]


def _varied(kind: str, variants: Sequence[dict]) -> list[str]:
    """Return the kinds of variants, those of the series if it has one."""
    kinds = (
        [kind] if kind else [material.kind_of(str(one.get("variant") or "")) for one in variants]
    )
    return list(
        dict.fromkeys(part for one in kinds for part in variations.parts(one) if part != _OUTPUT)
    )


def _called(record: dict) -> str:
    return history.typed(str(record.get("variant") or "original"))


def _most_changed(source: sources.Source) -> int:
    """Return the place of the variant whose output differs most from the first output."""
    from rapidfuzz.distance import Indel

    everyone = [source.original, *source.variants]
    first = next((record for record in everyone if record.get("prediction")), None)
    if first is None or not source.variants:
        return 0
    gaps = [
        Indel.normalized_distance(dialogue.best(first), dialogue.best(record))
        if record.get("prediction")
        else -1.0
        for record in source.variants
    ]
    return gaps.index(max(gaps))


def _turn(row: sources.Row, at: int) -> Turn:
    """Return a text of the original beside that of a variant, if there are any."""
    if not row.variants:
        return Turn(row.label, [Piece(SAME, cut(row.original or ""))], None, True)
    pieces = [piece._replace(text=cut(piece.text)) for piece in row.cell(at)]
    before = [piece for piece in pieces if piece.sign != ADDED]
    after = [piece for piece in pieces if piece.sign != REMOVED]
    return Turn(row.label, before, after, not row.differs(at))


def _outputs(records: Sequence[dict], names: Sequence[str]) -> list[Output]:
    """Return each different output, or text where there are none, as it differs from the first.

    names: what two of them are called, instead of after their variants.
    """
    whose: dict[str, list[dict]] = {}
    for record in records:
        if (said := _said(record, records)) is not None:
            whose.setdefault(said, []).append(record)
    first, made = next(iter(whose), ""), []
    for output, own in whose.items():
        pieces = [
            piece._replace(text=cut(piece.text)) for piece in differences.pieces(first, output)
        ]
        if _shared(pieces) < LEAST_SHARED:
            pieces = [Piece(ADDED, cut(output))]
        made.append(
            Output(
                called([_called(record) for record in own]),
                pieces or [Piece(SAME, "(empty)")],
                _scores(own[0]),
            )
        )
    return (
        [output._replace(whose=name) for output, name in zip(made, names, strict=True)]
        if len(made) == len(names)
        else made
    )


def _said(record: dict, records: Sequence[dict]) -> str | None:
    """Return the output of a record, or its text where no record has an output."""
    if any(one.get("prediction") for one in records):
        return dialogue.best(record) if record.get("prediction") else None
    return record.get(_TEXT)


def _shared(pieces: Sequence[Piece]) -> float:
    """Return the share of characters that two texts have in common."""
    total = sum(len(piece.text) * (2 if piece.sign == SAME else 1) for piece in pieces)
    same = sum(2 * len(piece.text) for piece in pieces if piece.sign == SAME)
    return same / total if total else 1.0


def called(variants: Sequence[str]) -> str:
    """Return the names of variants, those of one kind together.

    >>> called(["original", "names:1", "names:2", "names:3", "names:5"])
    'original, names:1–3, 5'
    """
    kinds: dict[str, list[int]] = {}
    for variant in variants:
        head, _, number = variant.rpartition(":")
        kinds.setdefault(head if number.isdecimal() and head else variant, [])
        if head and number.isdecimal():
            kinds[head].append(int(number))
    return ", ".join(
        f"{kind}:{_ranges(numbers)}" if numbers else kind for kind, numbers in kinds.items()
    )


def _ranges(numbers: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def _scores(record: dict) -> str:
    """Return the scores of a record; of a metric that is there once, its name without options."""
    numbers = [
        (name, value)
        for name, value in (record.get("scores") or {}).items()
        if isinstance(value, (int, float))
    ]
    times = Counter(name.partition(":")[0] for name, _ in numbers)
    shown = []
    for name, value in numbers[:4]:
        unit, factor = estimates.unit(name)
        percent = " %" if unit == "percent" else ""
        metric = name.partition(":")[0]
        called = parts.spec(name) if times[metric] > 1 else metric
        shown.append(f"{called} {tables.rounded(factor * value, 2)}{percent}")
    more = [f"{len(numbers) - 4} more"] if len(numbers) > 4 else []
    return ", ".join(shown + more)
