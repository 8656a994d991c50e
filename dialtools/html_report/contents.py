"""The contents of a page: its files read, numbers estimated, systems tested, sections made."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from dialtools.html_report import (
    cases,
    claims,
    estimates,
    inputs,
    learned,
    pairwise,
    parts,
    perplexities,
    provenance,
    raters,
    systems,
    variations,
)
from dialtools.html_report.estimates import Estimate, Key, Names
from dialtools.html_report.material import CHANGE, Material, Row
from dialtools.html_report.page import Report
from dialtools.html_report.parts import Cell, Section, Table, Verdict
from dialtools.html_report.perplexities import Pairs
from dialtools.records.wellformed import is_number
from dialtools.system.errors import OptionError

_FINDINGS = ("level", "finding", "count", "place", "example")
_NOT_SHOWN = ("chain", "history", "file")
_CONFUSIONS = ("metric", "system", "true", "predicted", "n", "share")
MOST_LINES = 200  # of other results
MOST_NOTES = 30
_COUNTS = (
    "truncated",
    "failed",
    "skipped",
    "chain_differs",
    "empty",
    "unchanged",
    "left_out",
    "no_reference",
    "no_dialogue",
    "not_restored",
    "sets_of_one_variant",
    "sets_without_reference",
    "empty_reference",
)
_REMARKABLE = {
    "failed": "records failed",
    "failed sources": "sources failed",
    "empty outputs": "outputs have no letter or digit",
    "unchanged variants": "variants were left as they were",
    "truncated": "inputs were truncated",
    "not restored": "variants still have new names",
}
# of dt-swap-names, as its closing line calls them
_CALLED = {"mentions": "names replaced", "left": "names kept"}


@dataclass
class Facts:
    """What the sections tell of.

    names: what to call a system of a file.
    rows: those of the sample.
    given, tests: tests of the files, and those made for the page; remark: why some were not made.
    of_files: the only system of a file, by the file's name.
    paired: texts with perplexities.
    varied: the kinds of variants; varied_in_s: those whose outputs S compares.
    """

    held: Material
    names: Names
    numbers: Mapping[Key, Estimate]
    rows: Sequence[Row]
    given: Sequence[dict]
    tests: Sequence[dict]
    remark: str
    of_files: claims.Systems
    paired: Sequence[Pairs]
    varied: Sequence[str]
    varied_in_s: Sequence[str]


def report(sources: Sequence[inputs.Source], title: str, sample: int) -> Report:
    """Return the report of files; sample: how many sources the numbers are of at most."""
    with ExitStack() as held_open:
        held = Material(sample)
        held.read(inputs.opened(sources, held_open))
        if not any(file.lines for file in held.files):
            raise OptionError("there is nothing in the files to report")
        facts = _facts(held)
        choices, left_out = cases.chosen(held, facts.paired, facts.names)
        shown = cases.shown(choices, held, facts.names)
        return Report(title, _sections(facts), shown, provenance.making(held), left_out.strip())


def _facts(held: Material) -> Facts:
    names, rows = estimates.names_of(held), held.sample.rows()
    numbers = estimates.all_of(held, names)
    if any(key.measure in ("S", "consistency") and key.metric != CHANGE for key in numbers):
        numbers = {key: number for key, number in numbers.items() if key.metric != CHANGE}
    given = held.results[inputs.TEST]
    varied = variations.of_files(held)
    values = {str(test.get("value")) for test in given}
    tests, remark = pairwise.tested(rows, names, values, varied)
    of_files = estimates.systems_of_files(held.files, names)
    paired = perplexities.of_texts([*given, *tests], rows, held.files, of_files, names)
    kinds = list(dict.fromkeys(kind for in_file in varied.values() for kind in in_file))
    in_s = variations.of_sensitivity(held, varied)
    return Facts(held, names, numbers, rows, given, tests, remark, of_files, paired, kinds, in_s)


def _sections(facts: Facts) -> list[Section]:
    """Return the sections that there is something for, the most important first."""
    held, names, numbers, rows = facts.held, facts.names, facts.numbers, facts.rows
    epochs, others = held.results[inputs.EPOCH], held.results[inputs.OTHER]
    tests = [*facts.tests, *facts.given]
    summaries = [*held.results[inputs.SENSITIVITY], *held.results[inputs.QUALITY]]
    by = next((str(result["by"]) for result in summaries if result.get("by")), "pool")
    sections = [
        _verdicts(facts),
        systems.table(numbers, by),
        _counted(held),
        systems.sensitivity(numbers, rows, names),
        systems.groups(numbers, held.results[inputs.GAP], by),
        systems.trends(rows, names),
        systems.robustness(numbers),
        pairwise.section(tests, facts.of_files, len(facts.tests)),
        perplexities.section(tests, facts.paired, facts.of_files),
        raters.agreement(facts.given),
        raters.ratings(facts.given),
        learned.training(epochs, held.files),
        learned.clusters(held.cluster_sizes, held.clusters, others),
        _others(held),
        variations.terms(held, numbers, tests, facts.varied),
    ]
    return [section for section in sections if section]


def _verdicts(facts: Facts) -> Section | None:
    held = facts.held
    verdicts = claims.all_of(
        held,
        facts.numbers,
        [*facts.given, *facts.tests],
        facts.of_files,
        learned.best(held.results[inputs.EPOCH], held.files),
        facts.varied_in_s,
    )
    if held.sample.is_cut:
        verdicts.append(
            Verdict(
                f"The numbers of sources and records are those of {held.sample.most:,} of "
                f"{held.sample.number:,} ids, chosen by a hash of the id; counts and the worst "
                "cases are of all, and so are the summaries that were given."
            )
        )
    if facts.remark:
        verdicts.append(Verdict(facts.remark))
    shown = [verdict for verdict in dict.fromkeys(verdicts) if verdict.claim.strip(".")]
    varied = variations.sentence(facts.varied, held.pools())
    if not shown and not varied:
        return None
    return Section("verdicts", "Verdicts", [varied] if varied else [], verdicts=shown)


def _counted(held: Material) -> Section | None:
    """Return the counts of records, and what results count and note."""
    columns = dict.fromkeys(
        name for counts in held.counts.values() for name, number in counts.items() if number
    )
    tables = []
    if columns:
        rows = [
            parts.line([system, lang, *(counts[name] for name in columns)], system, lang)
            for (system, lang), counts in held.counts.items()
        ]
        heads = ["system", "language", *(_CALLED.get(name, name) for name in columns)]
        tables.append(Table("Counts of all records", heads, rows))
    if of_summaries := _counts_of_summaries(held):
        tables.append(of_summaries)
    notes = list(_notes(held))
    if len(notes) > MOST_NOTES:
        notes[MOST_NOTES:] = [f"{len(notes) - MOST_NOTES:,} more notes are in the files."]
    return Section("counts", "What was counted", notes, tables) if tables or notes else None


def _notes(held: Material) -> Iterator[str]:
    """Yield what is remarkable in counts, and the notes of results."""
    for name, what in _REMARKABLE.items():
        if number := sum(counts[name] for counts in held.counts.values()):
            yield f"{number:,} {what}."
    results = [result for of_kind in held.results.values() for result in of_kind]
    different = {
        (result["file"], result["chain_differs"])
        for result in results
        if is_number(result.get("chain_differs"))
    }
    for file, number in different:
        yield (
            f"{number:,} records behind results of {held.files[file].name} were made otherwise "
            "than most."
        )
    notes = dict[str, None]()
    for result in results:
        note = result.get("notes", result.get("note")) or []
        notes |= dict.fromkeys(map(str, note if isinstance(note, list) else [note]))
    yield from notes


def _counts_of_summaries(held: Material) -> Table | None:
    results = [result for kind in inputs.SUMMARIES for result in held.results[kind]]
    counts = [
        {name: int(result[name]) for name in _COUNTS if is_number(result.get(name))}
        for result in results
    ]
    names = [name for name in _COUNTS if any(count.get(name) for count in counts)]
    if not names:
        return None
    rows = []
    for result, count in zip(results, counts, strict=True):
        system, lang, kind = (str(result.get(key) or "") for key in ("system", "lang", "kind"))
        named = [str(result["metric"]), system, lang, kind or str(result.get("group") or "")]
        numbers = [int(result.get("n") or 0), *(count.get(name, 0) for name in names)]
        rows.append(parts.line([*named, *numbers], system, lang, kind))
    heads = ["metric", "system", "language", "group", "n"]
    return Table("Counts of summaries", [*heads, *(name.replace("_", " ") for name in names)], rows)


def _others(held: Material) -> Section | None:
    """Return results that have no section of their own."""
    tables = [
        _plain(held.results[kind], columns, caption)
        for kind, columns, caption in (
            (inputs.CONFUSION, _CONFUSIONS, "Confusions"),
            (inputs.FINDING, _FINDINGS, "What dt-check found"),
        )
        if held.results[kind]
    ]
    alike: dict[tuple[str, ...], list[dict]] = {}
    for result in held.results[inputs.OTHER]:
        alike.setdefault(tuple(key for key in result if key not in _NOT_SHOWN), []).append(result)
    tables += [
        _plain(results, columns, f"Results {number}")
        for number, (columns, results) in enumerate(alike.items(), 1)
    ]
    return Section("others", "Other results", [], tables) if tables else None


def _plain(results: Sequence[dict], columns: Sequence[str], caption: str) -> Table:
    if len(results) > MOST_LINES:
        caption += f" (the first {MOST_LINES} of {len(results):,})"
    rows = [
        parts.line([_value(result.get(name)) for name in columns], str(result.get("system") or ""))
        for result in results[:MOST_LINES]
    ]
    return Table(caption, columns, rows)


def _value(value: Any) -> Cell | int:
    """Return the cell of whatever a result has."""
    if isinstance(value, float):
        return Cell(f"{value:.4g}".replace("-", "−"), True)
    if type(value) is int:
        return value
    return Cell("–" if value is None else parts.cut(str(value), 300))
