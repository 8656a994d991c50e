"""The contents of a page: its files read, numbers estimated, systems tested, sections made."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from dialtools.comparison.verdicts import spec
from dialtools.html_report import (
    cases,
    choices,
    claims,
    estimates,
    input_lines,
    learned,
    overview,
    pairwise,
    provenance,
    testing,
)
from dialtools.html_report.answers import Verdict
from dialtools.html_report.estimates import Numbers
from dialtools.html_report.material import Material, Observation
from dialtools.html_report.page import Report
from dialtools.html_report.pairwise import TextPairs
from dialtools.html_report.sections import Section, Table, TableCell, cut, line
from dialtools.records.wellformed import is_number
from dialtools.system.errors import OptionError

MOST_LINES = 200  # of other results
MOST_NOTES = 30
_CONFUSIONS = ("metric", "system", "true", "predicted", "n", "share")
_FINDINGS = ("level", "finding", "count", "place", "example")
_NOT_SHOWN = ("chain", "history", "file")
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
    "meaning_changed",
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

    rows: those of the sample.
    given, made: tests of the files, and those made for the page; remark: why some were not made.
    paired: texts with perplexities.
    varied: the kinds of variants; varied_in_s: those whose outputs S compares.
    """

    held: Material
    numbers: Numbers
    rows: Sequence[Observation]
    given: Sequence[dict]
    made: Sequence[dict]
    remark: str
    paired: Sequence[TextPairs]
    varied: Sequence[str]
    varied_in_s: Sequence[str]


def report(sources: Sequence[input_lines.Source], title: str, sample: int) -> Report:
    """Return the report of files; sample: how many sources the numbers are of at most."""
    with ExitStack() as copies:
        held = Material(sample)
        held.read(input_lines.opened(sources, copies))
        if not any(file.lines for file in held.files):
            raise OptionError("there is nothing in the files to report")
        _require_scores(held)
        facts = _facts(held)
        chosen, left_out = choices.chosen(held, facts.paired)
        shown = cases.shown(chosen, held)
        return Report(title, _sections(facts), shown, provenance.making(held), left_out.strip())


def _require_scores(held: Material) -> None:
    """Raise OptionError for outputs that nobody measured."""
    if held.is_scored or held.sample.held or held.cluster_sizes or any(held.results.values()):
        return
    if not any(counts["outputs"] for counts in held.counts.values()):
        return
    has_variants = any(counts["variants"] for counts in held.counts.values())
    how = "--sensitivity --per-source -m rougeL" if has_variants else "-m rougeL"
    raise OptionError(f"there are outputs, but no scores of them; score first: dt-score {how}")


def _facts(held: Material) -> Facts:
    names = estimates.names_of(held)
    held.name_systems(names)
    rows, numbers = held.sample.rows(), estimates.all_of(held, names)
    given = held.results[input_lines.TEST]
    varied = provenance.of_files(held)
    values = {str(test.get("value")) for test in given}
    made, remark = pairwise.tested(rows, values, varied)
    of_files = estimates.systems_of_files(held.files, names)
    paired = pairwise.of_texts([*given, *made], rows, held.files, of_files)
    given = [estimates.difference_within(_with_systems(test, of_files)) for test in given]
    made = list(map(estimates.difference_within, made))
    kinds = list(dict.fromkeys(kind for in_file in varied.values() for kind in in_file))
    in_s = provenance.of_sensitivity(held, varied)
    return Facts(held, numbers, rows, given, made, remark, paired, kinds, in_s)


def _with_systems(test: dict, of_files: Mapping[str, str]) -> dict:
    """Return a test, and its verdict, with the names of systems for those of their files."""
    names = {key: os.path.basename(str(test.get(key))) for key in "ab"}
    systems = {key: of_files[name] for key, name in names.items() if name in of_files}
    verdict = str(test.get("verdict") or "")
    for key, system in systems.items():
        verdict = verdict.replace(str(test[key]), system)
    return test | systems | {"verdict": verdict}


def _sections(facts: Facts) -> list[Section]:
    """Return the sections that there is something for, the most important first."""
    held, numbers, rows = facts.held, facts.numbers, facts.rows
    others, gaps = held.results[input_lines.OTHER], held.results[input_lines.GAP]
    logs = learned.logs(held.results[input_lines.EPOCH], held.files)
    tests = [*facts.made, *facts.given]
    summaries = [*held.results[input_lines.SENSITIVITY], *held.results[input_lines.QUALITY]]
    by = next((str(result["by"]) for result in summaries if result.get("by")), "pool")
    sections = [
        _verdicts(facts, gaps, learned.best(logs)),
        overview.results(numbers, rows, by),
        overview.groups(numbers, gaps, by),
        overview.trends(rows),
        overview.robustness(numbers),
        _counts(held),
        testing.tests(tests, len(facts.made)),
        testing.perplexity(tests, facts.paired),
        testing.agreement(facts.given),
        testing.ratings(facts.given),
        learned.training(logs),
        learned.clusters(held.cluster_sizes, held.clusters, others),
        _others(held),
        _terms(facts, tests),
    ]
    return _with_pictures_first([section for section in sections if section])


def _with_pictures_first(sections: list[Section]) -> list[Section]:
    """Return sections whose main pictures, of pairs of perplexities, or of S and consistency, or
    else the first one, stand beside the verdicts, if there are any.
    """
    if sections[0].name != "verdicts":
        return sections
    drawn = [section for section in sections if section.pictures]
    of_pairs = [section for section in drawn if section.name == "perplexity"]
    of_change = [section for section in drawn if section.name in ("results", "robustness")]
    main = of_pairs or of_change or drawn[:1]
    first = sections[0]._replace(pictures=[section.pictures[0] for section in main])
    rest = [
        section._replace(pictures=section.pictures[1:]) if section in main else section
        for section in sections[1:]
    ]
    return [first, *(section for section in rest if any(section[2:]))]


def _verdicts(facts: Facts, gaps: Sequence[dict], training: Sequence[Verdict]) -> Section | None:
    tests, sample = [*facts.given, *facts.made], facts.held.sample
    verdicts = claims.all_of(facts.numbers, tests, gaps, training, facts.varied_in_s)
    if sample.is_cut:
        verdicts.append(
            Verdict(
                f"The numbers of sources and records are those of {sample.most:,} of "
                f"{sample.number:,} ids, chosen by a hash of the id; counts and the worst "
                "cases are of all, and so are the summaries that were given."
            )
        )
    if facts.remark:
        verdicts.append(Verdict(facts.remark))
    shown = [verdict for verdict in dict.fromkeys(verdicts) if verdict.claim.strip(".")]
    varied = provenance.sentence(facts.varied, facts.held.pools())
    if not shown and not varied:
        return None
    return Section("verdicts", "Verdicts", [varied] if varied else [], verdicts=shown)


def _counts(held: Material) -> Section | None:
    """Return the counts of records, and what results count and note."""
    tables = []
    columns = dict.fromkeys(
        name for counts in held.counts.values() for name, number in counts.items() if number
    )
    if columns:
        rows = [
            line([system, lang, *(counts[name] for name in columns)], system, lang)
            for (system, lang), counts in held.counts.items()
        ]
        heads = ["system", "language", *(_CALLED.get(name, name) for name in columns)]
        tables.append(Table("Counts of all records", heads, rows))

    results = [result for kind in input_lines.SUMMARIES for result in held.results[kind]]
    names = [
        name
        for name in _COUNTS
        if any(is_number(result.get(name)) and int(result[name]) for result in results)
    ]
    if names:
        metrics: dict[tuple, list[str]] = {}  # {what is counted alike: of which}
        for result in results:
            numbers = [int(result[name]) if is_number(result.get(name)) else 0 for name in names]
            if any(numbers):
                of = (str(result.get(key) or "") for key in ("system", "lang", "kind", "group"))
                counted = *of, int(result.get("n") or 0), *numbers
                metrics.setdefault(counted, []).append(spec(str(result["metric"])))
        rows = []
        for (system, lang, kind, group, *numbers), alike in metrics.items():
            cells = [system, lang, kind or group, ", ".join(dict.fromkeys(alike)), *numbers]
            rows.append(line(cells, system, lang, kind))
        heads = ["system", "language", "group", "metric", "n"]
        heads += [name.replace("_", " ") for name in names]
        tables.append(Table("Counts of summaries", heads, rows))
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
        told = result.get("notes") or str(result.get("note") or "").split("; ")
        notes |= dict.fromkeys(map(str, told if isinstance(told, list) else [told]))
    systems = tuple(system for system, _ in held.counts)
    for note in filter(None, notes):
        is_name = note.startswith(systems)
        yield f"{note if is_name else note[0].upper() + note[1:]}{'' if note.endswith('.') else '.'}"


def _others(held: Material) -> Section | None:
    """Return results that have no section of their own."""
    kinds: dict[str, tuple[Sequence[str], list[dict]]] = {
        "Confusions": (_CONFUSIONS, held.results[input_lines.CONFUSION]),
        "What dt-check found": (_FINDINGS, held.results[input_lines.FINDING]),
    }
    alike: dict[tuple[str, ...], list[dict]] = {}
    for result in held.results[input_lines.OTHER]:
        alike.setdefault(tuple(key for key in result if key not in _NOT_SHOWN), []).append(result)
    kinds |= {f"Results {number}": entry for number, entry in enumerate(alike.items(), 1)}
    tables = []
    for caption, (columns, results) in kinds.items():
        if not results:
            continue
        if len(results) > MOST_LINES:
            caption += f" (the first {MOST_LINES} of {len(results):,})"
        rows = [
            line([_cell(result.get(name)) for name in columns], str(result.get("system") or ""))
            for result in results[:MOST_LINES]
        ]
        tables.append(Table(caption, columns, rows))
    return Section("others", "Other results", [], tables) if tables else None


def _cell(value: Any) -> TableCell | int:
    """Return the cell of whatever a result has."""
    if isinstance(value, float):
        return TableCell(f"{value:.4g}".replace("-", "−"), True)
    if type(value) is int:
        return value
    return TableCell("–" if value is None else cut(str(value), 300))


def _terms(facts: Facts, tests: Sequence[dict]) -> Section | None:
    """Return the words of a page with what they mean."""
    with open(os.path.join(os.path.dirname(__file__), "templates", "terms.json"), "rb") as file:
        words: Mapping[str, dict[str, str]] = json.load(file)
    measures = {key.measure for key in facts.numbers}
    metrics = [key.metric for key in facts.numbers]
    for test in tests:
        metrics.append(spec(str(test["value"])).removeprefix("S:").removeprefix("consistency:"))
    generators = [
        signature.partition("|")[0]
        for chain in facts.held.chains
        for by, signature in chain
        if by == "dt-generate"
    ]
    epochs = facts.held.results[input_lines.EPOCH]
    curves = {key.replace("_", " ") for line in epochs for key in line}

    meanings = dict(words["source"]) if facts.varied else {}
    meanings |= {
        name.replace("_", " "): about
        for name, about in words["measures"].items()
        if name in measures
    }
    meanings |= provenance.plugins_explained("metrics", metrics)
    meanings |= {kind: about for kind in facts.varied if (about := provenance.explained(kind))}
    meanings |= provenance.plugins_explained("generators", generators)
    names = [str(test.get("test")) for test in tests]
    meanings |= provenance.plugins_explained("hypothesis_tests", names)
    meanings |= {name: about for name, about in words["trainings"].items() if name in curves}
    if any(test.get("p") is not None for test in tests):
        meanings |= words["tests"]
    if not meanings:
        return None
    rows = [line(term) for term in meanings.items()]
    return Section("terms", "Terms", [], [Table("Words on this page", ["term", "meaning"], rows)])
