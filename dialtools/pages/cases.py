"""The worst and the median sources of each system, read again from the files, for the eye."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from os.path import commonprefix
from typing import NamedTuple

from dialtools.errors import DialtoolsError
from dialtools.pages import estimates, inputs, material, parts, recognition
from dialtools.pages.inputs import File
from dialtools.pages.material import CHANGE, Material, Series
from dialtools.pages.texts import cut
from dialtools.records import dialogue
from dialtools.reports import differences, sources, tables
from dialtools.reports.differences import ADDED, REMOVED, SAME, Piece

_REFERENCE = "reference"
MOST = 36  # cases of a page
MOST_SERIES = 18
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
    """A source of a system, with what makes it remarkable."""

    rank: str
    value: str
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
    more: int = 0  # records of the source that are not shown


class Choice(NamedTuple):
    """A source that was chosen."""

    rank: str
    series: Series
    value: float
    id: str | int


def chosen(held: Material, names: Names) -> tuple[list[Choice], str]:
    """Return the worst sources and the median one of each series, first those with the largest S,
    and a sentence on what is left out."""
    told = _told(held.extremes, names)
    told = sorted(told, key=lambda series: (not series.measure.startswith("S:"),
                                            -max(held.extremes[series])[0]))
    told, left = parts.first(told, MOST_SERIES, "systems, languages and groups, those with the "
                             "worst cases", "dt-show --worst shows others")
    each = max(1, min(material.WORST, MOST // max(len(told), 1) - 1))
    rows = held.sample.rows()
    found: list[Choice] = []
    for series in told:
        worst = sorted(held.extremes[series], reverse=True)
        kept = [item for item in worst if item[0] > 0 or series.measure[0] == "-"][:each]
        whose = names[series.file, series.system]
        if not kept and any(names[one.series.file, one.series.system] == whose for one in found):
            continue  # one case in which nothing changes is enough
        found += [Choice("worst", series, abs(value), id) for value, _, id in kept]
        label = series.measure.removeprefix("-")
        middle = material.middle((row for row in rows if row[1:6] == series[:5]), label)
        if middle and middle.id not in {choice.id for choice in found if choice.series == series}:
            found.append(Choice("median", series, middle.measured[label], middle.id))
    return found, left


def _told(extremes: Iterable[Series], names: Names) -> list[Series]:
    """Return the series to show: of measured changes where there are, else of our own, else of
    low scores."""
    ranks: defaultdict[str, dict[int, list[Series]]] = defaultdict(dict)
    for series in extremes:
        rank = 1 if series.measure == CHANGE else 2 if series.measure[0] == "-" else 0
        if rank < 2 or estimates.is_better_higher(series.measure[1:]):
            whose = names[series.file, series.system]
            ranks[whose].setdefault(rank, []).append(series)
    return [series for own in ranks.values() for series in own[min(own)]]


def shown(choices: Sequence[Choice], held: Material, names: Names) -> list[Case]:
    """Return the cases of choices, with the records that the files have of them."""
    read = _read({choice.id for choice in choices}, held.files)
    made = []
    for choice in choices:
        records = _records(choice, read, held.files)
        if case := _case(choice, records[:MOST_RECORDS], names):
            made.append(case._replace(more=max(len(records) - MOST_RECORDS, 0)))
    return made


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
                    own.append(line if len(own) < MOST_READ else
                               {name: line[name] for name in ("id", "lang", "variant")
                                if name in line})
    return found


def _marks(ids: set[str | int], file: File) -> list[bytes]:
    """Return what a line must have that has one of the ids; nothing if it may be written otherwise.
    """
    plain = all(re.fullmatch(r"[\w .:#-]+", str(id), re.ASCII) for id in ids)
    return [] if "numbered" in file.facts or not plain else [str(id).encode() for id in ids]


def _records(choice: Choice, read: Mapping[tuple, list[dict]],
             files: Sequence[File]) -> list[dict]:
    """Return the records of a choice, from the file whose name is most like that of the choice."""
    series = choice.series
    fitting = []
    for (kind, file, system, id), lines in read.items():
        if (system, id) != (series.system, choice.id):
            continue
        own = [line for line in lines if _fits(line, series)]
        if own and kind == recognition.RECORD:
            name, other = files[file].path, files[series.file].path
            fitting.append((file == series.file, any(line.get("variant") for line in own),
                            len(commonprefix([name, other])), -file, own))
    if fitting:
        return max(fitting, key=lambda item: item[:4])[4]
    key = recognition.SOURCE, series.file, series.system, choice.id
    return [_spoken(line, number, output) for line in read.get(key, ())[:1]
            for number, output in enumerate(line.get("outputs") or (), 1)]


def _spoken(line: dict, number: int, output: str) -> dict:
    """Return a record of an output, where the records themselves are not there."""
    return {"id": line["id"], "variant": f"output:{number}", "prediction": output,
            **({"lang": line["lang"]} if "lang" in line else {})}


def _fits(line: dict, series: Series) -> bool:
    variant = line.get("variant")
    if dialogue.lang(line) != series.lang:
        return False
    if not variant or not (series.kind or series.group):
        return True
    return (not series.kind or material.kind_of(variant) == series.kind) and \
        (not series.group or material.group_of(line) == series.group)


def _case(choice: Choice, records: list[dict], names: Names) -> Case | None:
    if not records:
        return None
    try:
        source = sources.source(records)
    except (DialtoolsError, LookupError, TypeError):  # anybody may have written the history
        return None
    series = choice.series
    label = series.measure.removeprefix("-")
    everyone = [record for record in (source.original, *source.variants) if record]
    at = _most_changed(source)
    turns = [_turn(row, at) for row in source.rows
             if not (row.is_output or row.label.startswith(_REFERENCE))]
    beside = source.variants[1:] if source.original is None else source.variants
    named = source.variants[0] if source.original is None and source.variants else None
    before = _called(source.original or named or {})
    return Case(choice.rank, f"{label} {tables.rounded(choice.value, 2)}",
                names[series.file, series.system], series.lang, series.kind, series.group,
                str(choice.id), list(sources.names(beside[at]).items()) if beside else [],
                [cut(text) for text in dialogue.references(everyone[0])], _outputs(everyone),
                before, _called(beside[at]) if beside else "", turns[:MOST_TURNS],
                max(len(turns) - MOST_TURNS, 0))


def _called(record: dict) -> str:
    return str(record.get("variant") or "original")


def _most_changed(source: sources.Source) -> int:
    """Return the place of the variant whose output differs most from the first output."""
    from rapidfuzz.distance import Indel

    everyone = [record for record in (source.original, *source.variants) if record]
    first = next((record for record in everyone if record.get("prediction")), None)
    beside = source.variants[1:] if source.original is None else source.variants
    if first is None or not beside:
        return 0
    gaps = [Indel.normalized_distance(dialogue.best(first), dialogue.best(record))
            if record.get("prediction") else -1.0 for record in beside]
    return gaps.index(max(gaps))


def _turn(row: sources.Row, at: int) -> Turn:
    """Return a text of the original beside that of a variant, if there are any."""
    if not row.variants:
        return Turn(row.label, [Piece(SAME, cut(row.original or ""))], None, True)
    pieces = [piece._replace(text=cut(piece.text)) for piece in row.cell(at)]
    before = [piece for piece in pieces if piece.sign != ADDED]
    after = [piece for piece in pieces if piece.sign != REMOVED]
    return Turn(row.label, before, after, not row.differs(at))


def _outputs(records: Sequence[dict]) -> list[Output]:
    """Return each different output, as it differs from the first one."""
    whose: dict[str, list[dict]] = {}
    for record in records:
        if record.get("prediction"):
            whose.setdefault(dialogue.best(record), []).append(record)
    first = next(iter(whose), "")
    made = []
    for output, own in whose.items():
        pieces = [piece._replace(text=cut(piece.text))
                  for piece in differences.pieces(first, output)]
        if _shared(pieces) < LEAST_SHARED:
            pieces = [Piece(ADDED, cut(output))]
        made.append(Output(called([_called(record) for record in own]),
                           pieces or [Piece(SAME, "(empty)")], _scores(own[0])))
    return made


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
    return ", ".join(f"{kind}:{_ranges(numbers)}" if numbers else kind
                     for kind, numbers in kinds.items())


def _ranges(numbers: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs)


def _scores(record: dict) -> str:
    numbers = [(name, value) for name, value in (record.get("scores") or {}).items()
               if isinstance(value, (int, float))]
    shown = []
    for name, value in numbers[:4]:
        unit, factor = estimates.unit(name)
        percent = " %" if unit == "percent" else ""
        shown.append(f"{name} {tables.rounded(factor * value, 2)}{percent}")
    more = [f"{len(numbers) - 4} more"] if len(numbers) > 4 else []
    return ", ".join(shown + more)
