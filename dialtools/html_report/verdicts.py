"""What comes first on a page: verdicts in sentences, and what was counted."""

from collections.abc import Iterator, Mapping, Sequence

from dialtools.comparison.verdicts import is_significant, p_is
from dialtools.html_report import claims, recognition, variations
from dialtools.html_report.estimates import Estimate, Key
from dialtools.html_report.material import Material
from dialtools.html_report.parts import Cell, Line, Section, Table, Verdict, count, with_interval
from dialtools.records.wellformed import is_number
from dialtools.statistics.clustered import LEVEL

MOST = 12  # verdicts of one sort
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

Numbers = Mapping[Key, Estimate]


def section(
    held: Material,
    numbers: Numbers,
    tests: Sequence[dict],
    of_files: Mapping[str, str],
    remarks: Sequence[str],
    training: Sequence[Verdict],
    varied: str,
    varied_in_s: Sequence[str],
) -> Section | None:
    """Return the verdicts, the most important first.

    of_files: the only system of a file, by the file's name.
    varied: a sentence on what was varied.
    varied_in_s: the kinds of variants whose outputs S compares.
    """
    said = claims.told(sorted(tests, key=_weight), of_files)
    if len(said) > MOST:
        said[MOST:] = [Verdict(f"{len(said) - MOST:,} more tests are in the table below.")]
    said += claims.changes(numbers, MOST // 2, variations.named(varied_in_s))
    said += _of_kinds(numbers)
    gaps = held.results[recognition.GAP]
    said += [_gap(gap) for gap in gaps[: MOST // 3]]
    if len(gaps) > MOST // 3:
        said.append(Verdict(f"{len(gaps) - MOST // 3:,} more gaps are in the table below."))
    said += training
    if not said:
        said += _of_quality(numbers)
    said += [Verdict(remark) for remark in remarks]
    found = [one for one in dict.fromkeys(said) if one.claim.strip(".")]
    sentences = [varied] if varied else []
    return (
        Section("verdicts", "Verdicts", sentences, verdicts=found) if found or sentences else None
    )


def _weight(test: dict) -> tuple[bool, bool, bool]:
    """Return what tests are ordered by: those of S first, then those that could be made, certain
    ones before others.
    """
    return (
        "scores.S:" not in str(test.get("value")),
        test.get("p") is None,
        not is_significant(test),
    )


def _of_kinds(numbers: Numbers) -> Iterator[Verdict]:
    """Yield for each system the kind of perturbation that changes its outputs most."""
    best: dict[str, Key] = {}
    for key, estimate in numbers.items():
        if key.measure == "consistency" and key.kind and not key.kind.endswith(("*", "all")):
            held = best.get(key.system)
            if held is None or estimate.value > numbers[held].value:
                best[key.system] = key
    for system, key in list(best.items())[: MOST // 2]:
        estimate = numbers[key]
        if estimate.value <= 0:
            yield Verdict(
                f"{system or 'The system'} changes no output after any kind.", f"{key.metric}."
            )
            continue
        where = f" in {key.lang}" if len({own.lang for own in numbers}) > 1 else ""
        yield Verdict(
            f"{system or 'The system'} changes its outputs most after {key.kind}{where}: "
            f"by {with_interval(estimate.value, estimate.ci, estimate.unit)}.",
            f"{key.metric}, {estimate.n:,} sources.",
        )
    if len(best) > MOST // 2:
        yield Verdict(f"{len(best) - MOST // 2:,} more systems are in the table on robustness.")


def _gap(gap: dict) -> Verdict:
    """Return the gap between the highest and the lowest group."""
    where = ", ".join(str(gap[key]) for key in ("system", "lang", "kind") if gap.get(key))
    p = "" if gap.get("p") is None else f", {p_is(gap['p'])}"
    size = with_interval(gap["gap"], gap.get("ci"), str(gap.get("unit") or ""))
    claim = (
        f"no gap in {gap.get('of')} of {gap['metric']} between the groups"
        if not gap["gap"]
        else (
            f"{gap['highest']} has the highest {gap.get('of')} of "
            f"{gap['metric']} and {gap['lowest']} the lowest"
        )
    )
    numbers = f"Gap {size}{p}." if gap["gap"] else ""
    return Verdict(
        f"{where}: by {gap.get('by')}, {claim}.",
        numbers,
        gap["p"] < 1 - LEVEL if is_number(gap.get("p")) else None,
    )


def _of_quality(numbers: Numbers) -> Iterator[Verdict]:
    """Yield the highest mean of each metric, if there are several."""
    for metric in dict.fromkeys(key.metric for key in numbers if key.measure == "mean"):
        own = {
            key: numbers[key]
            for key in numbers
            if key.metric == metric and key.measure == "mean" and not key.kind
        }
        if len({key.system for key in own}) > 1:
            key, estimate = max(own.items(), key=lambda item: item[1].value)
            where = ", ".join(filter(None, (key.lang, key.group)))
            yield Verdict(
                f"{key.system} ({where}) has the highest mean {metric}, "
                f"{with_interval(estimate.value, estimate.ci, estimate.unit)}.",
                "Whether that is more than chance, dt-ttest tells.",
            )


def counted(held: Material) -> Section | None:
    """Return the counts of records, and what results count and note."""
    keys = list(held.counts)
    columns = dict.fromkeys(
        name for key in keys for name, number in held.counts[key].items() if number
    )
    tables = []
    if keys and columns:
        rows = [
            Line(
                [
                    Cell(system),
                    Cell(lang),
                    *(count(held.counts[system, lang][name]) for name in columns),
                ],
                system,
                lang,
            )
            for system, lang in keys
        ]
        tables.append(
            Table(
                "Counts of all records",
                ["system", "language", *(_CALLED.get(name, name) for name in columns)],
                rows,
            )
        )
    if own := _of_results(held):
        tables.append(own)
    notes = [
        str(note)
        for results in held.results.values()
        for result in results
        for note in _notes(result)
    ]
    said = [*_remarkable(held), *_differing(held), *dict.fromkeys(notes)]
    if len(said) > MOST_NOTES:
        said[MOST_NOTES:] = [f"{len(said) - MOST_NOTES:,} more notes are in the files."]
    return Section("counts", "What was counted", said, tables) if tables or said else None


def _remarkable(held: Material) -> Iterator[str]:
    for name, what in _REMARKABLE.items():
        number = sum(counts[name] for counts in held.counts.values())
        if number:
            yield f"{number:,} {what}."


def _differing(held: Material) -> Iterator[str]:
    """Yield that the records of results were made in different ways."""
    for file, number in {
        (result["file"], result["chain_differs"])
        for results in held.results.values()
        for result in results
        if is_number(result.get("chain_differs"))
    }:
        yield (
            f"{number:,} records behind results of {held.files[file].name} were made otherwise "
            "than most."
        )


def _of_results(held: Material) -> Table | None:
    """Return what summaries count."""
    results = [result for kind in recognition.SUMMARIES for result in held.results[kind]]
    names = [name for name in _COUNTS if any(_counts(result, name) for result in results)]
    if not names:
        return None
    rows = [
        Line(
            [
                Cell(str(result["metric"])),
                Cell(str(result.get("system") or "")),
                Cell(str(result.get("lang") or "")),
                Cell(str(result.get("kind") or result.get("group") or "")),
                count(int(result.get("n") or 0)),
                *(count(_counts(result, name)) for name in names),
            ],
            str(result.get("system") or ""),
            str(result.get("lang") or ""),
            str(result.get("kind") or ""),
        )
        for result in results
    ]
    return Table(
        "Counts of summaries",
        ["metric", "system", "language", "group", "n", *(name.replace("_", " ") for name in names)],
        rows,
    )


def _counts(result: dict, name: str) -> int:
    value = result.get(name, 0)
    return int(value) if is_number(value) else 0


def _notes(result: dict) -> list:
    notes = result.get("notes", result.get("note")) or []
    return notes if isinstance(notes, list) else [notes]
