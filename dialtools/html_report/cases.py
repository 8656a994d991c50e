"""The cases of a page: sources that were chosen, read again from the files."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os.path import commonprefix
from typing import NamedTuple

from dialtools.comparison.verdicts import listed, spec
from dialtools.html_report import estimates, input_lines, material, provenance
from dialtools.html_report.choices import GAP, ChosenSource
from dialtools.html_report.input_lines import InputFile
from dialtools.html_report.material import Material, Series
from dialtools.html_report.sections import cut
from dialtools.records import dialogue, history
from dialtools.system.errors import DialtoolsError
from dialtools.tables import differences, grids, shades, sources
from dialtools.tables.differences import ADDED, REMOVED, SAME, Piece
from dialtools.tables.shades import Attribution

_TEXT = "text"
_OUTPUT = "output"  # of a variant that nobody named
_APART = ("prediction", "reference")  # rows that are not input
MOST_RECORDS = 60  # of one source
MOST_READ = 1_000  # of one source, with all their texts
MOST_TURNS = 80
MOST_BESIDE = 4  # systems whose outputs stand beside each other
LEAST_SHARED = 0.4  # of the characters of two outputs; of less, words that agree do so by chance

Lines = Mapping[tuple, list[dict]]  # {(kind, file, system, id): lines of a source}


class ShownOutput(NamedTuple):
    """An output of a system, as it differs from its first; the scores of its record."""

    pieces: Sequence[Piece]
    scores: str = ""


class OutputRow(NamedTuple):
    """What each system says to some variants; None of one that has no record of them.

    whose: the variants, or a system.
    """

    whose: str
    outputs: Sequence[ShownOutput | None]


class Turn(NamedTuple):
    """A text of the original, and that of a variant, as they differ; label: its number, or key."""

    label: str
    before: Sequence[Piece] | None
    after: Sequence[Piece] | None
    is_same: bool


class Case(NamedTuple):
    """A source of a system, with what makes it remarkable.

    measure: what its value is of; value: of each system that stands beside.
    varied: the kinds of its variants, in words.
    whose: the system, or several whose worst case it is, or the two groups of a pair.
    systems: whose outputs stand beside each other.
    system, lang, kind: what readers choose cases by; a line for each system, none for a pair.
    attributions: of what the variant's output hangs on.
    left_turns: how many turns, more: how many records of the source are not shown.
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
    systems: Sequence[str]
    outputs: Sequence[OutputRow]
    before: str
    after: str
    turns: Sequence[Turn]
    left_turns: int
    attributions: Sequence[Attribution]
    more: int = 0
    ties: int = 1


def _valued(choice: ChosenSource, beside: Mapping[str, float]) -> str:
    """Return the number that a source was chosen for, as people read it, and those of systems
    beside.
    """
    label = choice.series.measure
    if choice.second:
        metric = spec(label.removeprefix(GAP)).partition(":")[0]
        return f"{metric} differs by {grids.rounded(choice.value, 2)}"
    if label[0] == "-":
        what = spec(label[1:])
    else:
        measure, metric = estimates.measured(label)
        what = f"{measure} by {spec(metric)}"
    values = {choice.series.system: choice.value, **beside}
    shown = {system: _score(label.removeprefix("-"), value) for system, value in values.items()}
    if len(shown) == 1:
        return f"{what} {shown[choice.series.system]}"
    # isolated, so that a name written from right to left leaves its number where it is
    numbers = (f"\u2068{system}\u2069 {number}" for system, number in shown.items())
    return f"{what}: {', '.join(numbers)}"


def _score(label: str, value: float) -> str:
    unit, factor = estimates.unit(label)
    if estimates.measured(label)[0] != "mean":  # of sources
        unit, factor = "percent", 1.0
    return f"{grids.rounded(factor * value, 2)}{' %' if unit == 'percent' else ''}"


def shown(choices: Sequence[ChosenSource], held: Material) -> list[Case]:
    """Return the cases of choices, with the records that the files have of them; a source whose
    outputs of several systems are remarkable is one case.
    """
    read = _read({choice.id for choice in choices}, held.files)
    values = {  # {what a number is of: it}
        (*row[2:6], row.id, label): value
        for row in held.sample.rows()
        for label, value in row.measured.items()
    }
    cases: dict[tuple, Case] = {}
    for choice in choices:
        series = choice.series
        place = choice.id, *series[2:], choice.second and choice.second.system
        earlier = cases.get(place)
        if earlier and series.system in earlier.systems:
            if choice.rank == earlier.rank:
                systems = [*earlier.system.split("\n"), series.system]
                cases[place] = earlier._replace(whose=listed(systems), system="\n".join(systems))
            continue
        records = _records(series, choice.id, read, held)
        beside = {} if choice.second else _beside(series, choice.id, read, held)
        if choice.second:  # of a pair two records, the second as a variant of the first
            seconds = _records(choice.second, choice.id, read, held)
            pair = [
                next((line for line in lines if bool(line.get("variant")) == is_variant), None)
                for lines, is_variant in (
                    (records, bool(choice.series.kind)),
                    (seconds, bool(choice.second.kind)),
                )
            ]
            records = list(filter(None, pair))
            if len(records) == 2:
                name = records[1].get("variant") or choice.second.system
                records[1] = records[1] | {"variant": name}
            else:
                records = []
        if not records:
            continue
        try:
            source = sources.source(records[:MOST_RECORDS])
        except (DialtoolsError, LookupError, TypeError):  # anybody may have written the history
            continue
        label = series.measure.removeprefix("-")
        of_beside = {
            system: values[key]
            for system in beside
            if (key := (system, *series[2:5], choice.id, label)) in values
        }
        more = max(len(records) - MOST_RECORDS, 0)
        case = _case(choice, source, beside, _valued(choice, of_beside))
        cases[(series.system, *place) if earlier else place] = case._replace(
            more=more, ties=choice.ties
        )
    return list(cases.values())


def _beside(series: Series, id: str | int, read: Lines, held: Material) -> dict[str, list[dict]]:
    """Return the records that other systems have of a source."""
    alike: dict[str, Series] = {}
    for candidate in held.worst:
        if candidate[2:] == series[2:] and candidate.system != series.system:
            alike.setdefault(candidate.system, candidate)
    records = {system: _records(of_system, id, read, held) for system, of_system in alike.items()}
    with_records = [(system, of_system) for system, of_system in records.items() if of_system]
    return dict(with_records[: MOST_BESIDE - 1])


def _read(ids: set[str | int], files: Sequence[InputFile]) -> Lines:
    """Return the lines of sources."""
    lines_of: dict[tuple, list[dict]] = {}
    is_plain = all(re.fullmatch(r"[\w .:#-]+", str(id), re.ASCII) for id in ids)
    for number, file in enumerate(files):
        numbers = {input_lines.RECORD: 0, input_lines.SOURCE: 0}
        if not ids or not any(kind in file.lines for kind in numbers):
            continue
        # what a line must have that has one of the ids; nothing if it may be written otherwise
        marks = [str(id).encode() for id in ids] if is_plain and not file.is_numbered else []
        for place, line in input_lines.lines(file, marks):
            kind = input_lines.kind(line, place)
            if kind not in numbers:
                continue
            numbers[kind] += 1
            if line.get("id") is None:
                line["id"] = str(numbers[kind])
            if line["id"] in ids:
                input_lines.check_record(line, place, deep="dialogue" in line)
                key = kind, number, str(line.get("system") or file.stem), line["id"]
                lines = lines_of.setdefault(key, [])
                if len(lines) >= MOST_READ:  # as much as tells what it is of
                    line = {key: line[key] for key in ("id", "lang", "variant") if key in line}
                lines.append(line)
    return lines_of


def _records(series: Series, id: str | int, read: Lines, held: Material) -> list[dict]:
    """Return the records of a source, from the file whose name is most like that of the series."""
    system_in_file, fitting = held.systems.get((series.file, series.system), series.system), []
    for (kind, file, system, of_id), lines in read.items():
        if kind != input_lines.RECORD or (system, of_id) != (system_in_file, id):
            continue
        records = [
            line
            for line in lines
            if dialogue.lang(line) == series.lang
            and (
                not line.get("variant")
                or series.kind in ("", material.kind_of(line["variant"]))
                and series.group in ("", material.group_of(line))
            )
        ]
        if records:
            has_variants = any(line.get("variant") for line in records)
            shared = len(commonprefix([held.files[file].path, held.files[series.file].path]))
            fitting.append((file == series.file, has_variants, shared, -file, records))
    if fitting:
        return max(fitting, key=lambda candidate: candidate[:4])[4]

    # the records themselves are not there: one is made of each output
    records = []
    for line in read.get((input_lines.SOURCE, series.file, system_in_file, id), ())[:1]:
        kind = line.get("variant") or _OUTPUT
        lang = {"lang": line["lang"]} if "lang" in line else {}
        for number, output in enumerate(line.get("outputs") or (), 1):
            records.append({"id": id, "variant": f"{kind}:{number}", "prediction": output} | lang)
    return records


def _case(
    choice: ChosenSource,
    source: sources.SourceView,
    beside: Mapping[str, Sequence[dict]],
    value: str,
) -> Case:
    """Return a case; beside: the records that other systems have of the source."""
    series, second, variants = choice.series, choice.second, source.variants
    system, second_system = series.system, (second or series).system
    titles = (system, second_system) if second_system != system else ()
    kind = (second or series).kind
    kinds = [kind] if kind else [material.kind_of(str(v.get("variant") or "")) for v in variants]
    if titles and not kind:
        kinds = []  # a system's name stands for a variant's
    varied = dict.fromkeys(name for kind in kinds for name in provenance.kinds_of(kind))
    varied.pop(_OUTPUT, None)
    kind = kind or (next(iter(varied)) if len(varied) == 1 else "")

    # the variant whose output differs most from the first output
    from rapidfuzz.distance import Indel

    first, *rest = [_output(source.original), *map(_output, variants)]
    spoken = [text for text in (first, *rest) if text is not None]
    gaps = [-1.0 if text is None else Indel.normalized_distance(spoken[0], text) for text in rest]
    number = gaps.index(max(gaps)) if gaps else 0
    variant = variants[number] if variants else {}
    turns = []
    for row in source.rows:
        if row.label.startswith(_APART) or (row.label == _TEXT and not spoken):
            continue  # it stands among the outputs
        if not row.variants:
            turns.append(Turn(row.label, [Piece(SAME, cut(row.original or ""))], None, True))
            continue
        pieces = _cut(row.cell(number))
        before = [piece for piece in pieces if piece.sign != ADDED]
        after = [piece for piece in pieces if piece.sign != REMOVED]
        turns.append(Turn(row.label, before, after, not row.differs(number)))
    return Case(
        choice.rank,
        series.measure,
        value,
        provenance.named(varied),
        " beside ".join(titles) or system,
        "" if second else system,
        series.lang,
        kind,
        series.group,
        str(choice.id),
        list(sources.names(variant).items()),
        [cut(text) for text in dialogue.references(source.original)],
        [] if titles else [system, *beside],
        _outputs([source.original, *variants], list(beside.values()), titles),
        _called(source.original),
        _called(variant) if variants else "",
        turns[:MOST_TURNS],
        max(len(turns) - MOST_TURNS, 0),
        [
            one._replace(texts=one.texts[:MOST_TURNS])
            for one in shades.of(variant or source.original)
        ],
    )


def _cut(pieces: Iterable[Piece]) -> list[Piece]:
    return [piece._replace(text=cut(piece.text)) for piece in pieces]


def _called(record: dict) -> str:
    return history.typed(str(record.get("variant") or "original"))


def _output(record: dict) -> str | None:
    """Return the first output of a record; None of one without."""
    if "prediction" not in record:
        return None
    return dialogue.best(record) if record["prediction"] else ""


def _outputs(
    records: Sequence[dict], beside: Sequence[Sequence[dict]], titles: Sequence[str]
) -> list[OutputRow]:
    """Return each different output, or text where there are none, as it differs from the system's
    first one, with what other systems say to the same variants.

    titles: what two of them are called, instead of after their variants.
    """
    is_spoken = any("prediction" in record for record in records)
    columns: list[Mapping[str, dict]] = [
        {str(record.get("variant") or ""): record for record in of_system}
        for of_system in (records, *beside)
    ]
    alike: dict[tuple[str | None, ...], list[str]] = {}  # {the outputs of all: variants}
    for variant in columns[0]:
        of_variant = [column.get(variant, {}) for column in columns]
        texts = tuple(_output(one) if is_spoken else one.get(_TEXT) for one in of_variant)
        if texts[0] is not None:
            alike.setdefault(texts, []).append(variant)
    firsts = [
        next((text for text in of_system if text is not None), "")
        for of_system in zip(*alike, strict=True)
    ]

    rows = []
    for texts, variants in alike.items():
        outputs = [
            None
            if text is None
            else ShownOutput(_marked(first, text), _scores(column[variants[0]]))
            for first, text, column in zip(firsts, texts, columns, strict=True)
        ]
        names = called([history.typed(variant or "original") for variant in variants])
        rows.append(OutputRow(names, outputs))
    if len(rows) != len(titles):
        return rows
    return [row._replace(whose=name) for row, name in zip(rows, titles, strict=True)]


def _marked(first: str, output: str) -> list[Piece]:
    """Return an output as it differs from the first one; [] of an empty one."""
    if not output:
        return []
    pieces = _cut(differences.pieces(first, output))
    total = sum(len(piece.text) * (2 if piece.sign == SAME else 1) for piece in pieces)
    shared = sum(2 * len(piece.text) for piece in pieces if piece.sign == SAME)
    return [Piece(ADDED, cut(output))] if shared / total < LEAST_SHARED else pieces


def called(variants: Sequence[str]) -> str:
    """Return the names of variants, those of one kind together.

    >>> called(["original", "names:1", "names:2", "names:3", "names:5"])
    'original, names:1–3, 5'
    """
    kinds: dict[str, list[int]] = {}
    for variant in variants:
        kind, _, number = variant.rpartition(":")
        is_numbered = kind and number.isdecimal()
        kinds.setdefault(kind if is_numbered else variant, [])
        if is_numbered:
            kinds[kind].append(int(number))
    names = []
    for kind, numbers in kinds.items():
        runs: list[list[int]] = []
        for place in sorted(numbers):
            if runs and place == runs[-1][-1] + 1:
                runs[-1].append(place)
            else:
                runs.append([place])
        ranges = [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]
        names.append(f"{kind}:{', '.join(ranges)}" if ranges else kind)
    return ", ".join(names)


def _scores(record: dict) -> str:
    """Return the scores of a record; of a metric that is there once, its name without options."""
    scores = [
        (label, value)
        for label, value in (record.get("scores") or {}).items()
        if isinstance(value, (int, float))
    ]
    times = Counter(label.partition(":")[0] for label, _ in scores)
    shown = []
    for label, value in scores[:4]:
        metric = label.partition(":")[0]
        name = spec(label) if times[metric] > 1 else metric
        shown.append(f"{name} {_score(label, value)}")
    return ", ".join(shown + ([f"{len(scores) - 4} more"] if len(scores) > 4 else []))
