"""The contents of a page: its files read, numbers estimated, systems tested, sections made."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

from dialtools.html_report import (
    cases,
    choices,
    compared,
    differences,
    estimates,
    glossary,
    inputs,
    learned,
    naming,
    perplexities,
    provenance,
    raters,
    recognition,
    systems,
    texts,
    variations,
    verdicts,
)
from dialtools.html_report.estimates import Estimate, Key
from dialtools.html_report.material import CHANGE, Material, Row
from dialtools.html_report.page import Report
from dialtools.html_report.parts import Cell, Line, Section, Table, count
from dialtools.html_report.perplexities import Pairs
from dialtools.system.errors import OptionError

_FINDINGS = ("level", "finding", "count", "place", "example")
_NOT_SHOWN = ("chain", "history", "file")
_CONFUSIONS = ("metric", "system", "true", "predicted", "n", "share")
MOST_LINES = 200  # of other results


class Facts(NamedTuple):
    """What the sections tell of.

    names: what to call a system of a file.
    rows: those of the sample.
    given, own: tests of the files, and those made for the page; remark: why some were not made.
    of_files: the only system of a file, by the file's name.
    paired: texts with perplexities.
    varied: the kinds of variants; varied_in_s: those whose outputs S compares.
    """

    held: Material
    names: Mapping[tuple[int, str], str]
    numbers: Mapping[Key, Estimate]
    rows: Sequence[Row]
    given: Sequence[dict]
    own: Sequence[dict]
    remark: str
    of_files: Mapping[str, str]
    paired: Sequence[Pairs]
    varied: Sequence[str]
    varied_in_s: Sequence[str]


def made(given: Sequence[inputs.Source], title: str, sample: int) -> Report:
    """Return the report of files; sample: how many sources the numbers are of at most."""
    with ExitStack() as held_open:
        held = Material(sample)
        held.read(inputs.opened(given, held_open))
        if not any(file.lines for file in held.files):
            raise OptionError("there is nothing in the files to report")
        facts = _facts(held)
        chosen, left = choices.chosen(held, facts.paired, facts.names)
        shown = cases.shown(chosen, held, facts.names)
        return Report(title, _sections(facts), shown, provenance.making(held), left.strip())


def _facts(held: Material) -> Facts:
    names, rows = naming.names(held), held.sample.rows()
    numbers = estimates.all_of(held, names)
    if any(key.measure in ("S", "consistency") and key.metric != CHANGE for key in numbers):
        numbers = {key: own for key, own in numbers.items() if key.metric != CHANGE}
    given = held.results[recognition.TEST]
    varied = variations.of_files(held)
    own, remark = compared.tested(rows, names, {str(test.get("value")) for test in given}, varied)
    of_files = compared.systems_of_files(held.files, names)
    paired = perplexities.of_texts([*given, *own], rows, held.files, of_files, names)
    kinds = list(dict.fromkeys(kind for own in varied.values() for kind in own))
    return Facts(
        held,
        names,
        numbers,
        rows,
        given,
        own,
        remark,
        of_files,
        paired,
        kinds,
        variations.of_sensitivity(held, varied),
    )


def _sections(facts: Facts) -> list[Section]:
    """Return the sections that there is something for, the most important first."""
    held, names, numbers, rows = facts[:4]
    epochs, others = held.results[recognition.EPOCH], held.results[recognition.OTHER]
    tests, by = [*facts.own, *facts.given], _grouped_by(held)
    found = [
        _verdicts(facts),
        systems.table(numbers, by),
        verdicts.counted(held),
        systems.sensitivity(numbers, rows, names),
        systems.groups(numbers, held.results[recognition.GAP], by),
        systems.trends(rows, names),
        systems.robustness(numbers),
        differences.section(tests, facts.of_files, len(facts.own)),
        perplexities.section(tests, facts.paired, facts.of_files),
        raters.agreement(facts.given),
        raters.ratings(facts.given),
        learned.training(epochs, held.files),
        learned.clusters(held.cluster_sizes, held.clusters, others),
        _others(held),
        glossary.section(held, numbers, tests, facts.varied),
    ]
    return [section for section in found if section]


def _verdicts(facts: Facts) -> Section | None:
    held = facts.held
    remarks = [*_sampled(held), *filter(None, [facts.remark])]
    best = learned.best(held.results[recognition.EPOCH], held.files)
    varied = variations.sentence(facts.varied, held.pools())
    return verdicts.section(
        held,
        facts.numbers,
        [*facts.given, *facts.own],
        facts.of_files,
        remarks,
        best,
        varied,
        facts.varied_in_s,
    )


def _grouped_by(held: Material) -> str:
    """Return what the groups of results are by."""
    return next(
        (
            str(result["by"])
            for kind in (recognition.SENSITIVITY, recognition.QUALITY)
            for result in held.results[kind]
            if result.get("by")
        ),
        "pool",
    )


def _sampled(held: Material) -> Iterator[str]:
    """Yield that the numbers are those of a sample, if they are."""
    if held.sample.is_cut:
        yield (
            f"The numbers of sources and records are those of {held.sample.most:,} of "
            f"{held.sample.number:,} ids, chosen by a hash of the id; counts and the worst "
            "cases are of all, and so are the summaries that were given."
        )


def _others(held: Material) -> Section | None:
    """Return results that have no section of their own."""
    found = [
        _plain(held.results[kind], columns, caption)
        for kind, columns, caption in (
            (recognition.CONFUSION, _CONFUSIONS, "Confusions"),
            (recognition.FINDING, _FINDINGS, "What dt-check found"),
        )
        if held.results[kind]
    ]
    alike: dict[tuple[str, ...], list[dict]] = {}
    for result in held.results[recognition.OTHER]:
        alike.setdefault(tuple(key for key in result if key not in _NOT_SHOWN), []).append(result)
    found += [
        _plain(own, columns, f"Results {number}")
        for number, (columns, own) in enumerate(alike.items(), 1)
    ]
    return Section("others", "Other results", [], found) if found else None


def _plain(results: Sequence[dict], columns: Sequence[str], caption: str) -> Table:
    shown = results[:MOST_LINES]
    left = f" (the first {MOST_LINES} of {len(results):,})" if len(results) > MOST_LINES else ""
    rows = [
        Line([_value(result.get(name)) for name in columns], str(result.get("system") or ""))
        for result in shown
    ]
    return Table(caption + left, columns, rows)


def _value(value: Any) -> Cell:
    """Return the cell of whatever a result has."""
    if isinstance(value, float):
        return Cell(f"{value:.4g}".replace("-", "−"), True)
    if type(value) is int:
        return count(value)
    return Cell("–" if value is None else texts.cut(str(value), 300))
