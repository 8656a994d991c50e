"""The verdicts of a page: what tests and numbers say of the systems, the most important first."""

from collections.abc import Iterable, Iterator, Sequence

from dialtools.comparison import verdicts
from dialtools.comparison.verdicts import listed, with_interval
from dialtools.html_report import estimates, material, provenance
from dialtools.html_report.answers import Verdict, answers
from dialtools.html_report.estimates import OF_QUALITY, Key, Numbers, varied
from dialtools.records import history
from dialtools.records.wellformed import is_number
from dialtools.statistics.clustered import LEVEL

MOST = 12  # verdicts of one sort


def all_of(
    numbers: Numbers,
    tests: Sequence[dict],
    gaps: Sequence[dict],
    training: Sequence[Verdict],
    varied_in_s: Iterable[str],
) -> list[Verdict]:
    """Return the verdicts, the most important first: tests of S, then those that could be made,
    certain ones before others.

    varied_in_s: the kinds of variants whose outputs S compares.
    """
    claims = []
    for is_of_s in (True, False):
        alike = [
            test | {"varied": provenance.named(provenance.of_result(test))}
            for test in sorted(tests, key=lambda test: test.get("p") is None)
            if ("scores.S:" in str(test.get("value"))) is is_of_s
        ]
        claims += sorted(answers(alike), key=lambda verdict: not verdict.is_certain)
    if len(claims) > MOST:
        claims[MOST:] = [
            Verdict(f"{len(claims) - MOST:,} more answers of tests are in the table below.")
        ]
    tested = {
        (estimates.measured(str(test.get("value")).removeprefix("scores."))[0], str(test.get(key)))
        for test in tests
        for key in "ab"
    }
    untested = {
        key: number for key, number in numbers.items() if (key.measure, key.system) not in tested
    }
    claims += _changes(untested, provenance.named(varied_in_s))
    claims += _of_kinds(untested, MOST // 2)
    claims += map(_gap, gaps[: MOST // 3])
    if len(gaps) > MOST // 3:
        claims.append(Verdict(f"{len(gaps) - MOST // 3:,} more gaps are in the table below."))
    claims += training
    return claims or list(_of_quality(numbers))


def _changes(numbers: Numbers, after: str) -> Iterator[Verdict]:
    """Yield how much the outputs of systems change, by the first metric with an S; of many systems,
    languages and groups the ends.

    after: what was varied.
    """
    metric = next((key.metric for key in numbers if key.measure == "S"), "")
    keys = [key for key in numbers if (key.measure, key.metric) == ("S", metric)]
    if not keys:
        return
    grouped = {key.lang for key in keys if key.group}
    keys = [key for key in keys if key.group or key.lang not in grouped]  # no sums beside parts
    ordered = sorted(keys, key=lambda key: -numbers[key].value)
    names = varied(keys, "system", "lang", "group", "kind")
    ends = [
        ", ".join(filter(None, (*(getattr(key, name) for name in names), _size(numbers, key))))
        for key in (ordered[0], ordered[-1])
    ]
    if not numbers[ordered[0]].value:
        differ = "never differ"
    elif len(ordered) == 1:
        differ = f"differ by {ends[0]} in the mean"
    else:
        differ = f"differ most for {ends[0]}, and least for {ends[1]}"
    of_langs: dict[str, int] = {}  # those of several systems and pools are the same
    for key in keys:
        of_langs[key.lang] = max(numbers[key].n, of_langs.get(key.lang, 0))
    when = f"after changes of {after}, " if after else ""
    systems = list(dict.fromkeys(key.system for key in keys))
    if len(systems) == 1:
        claim = f"{systems[0] or 'The system'}: {when}the outputs for one source {differ}."
    else:
        claim = f"{when}the outputs for one source {differ}."
        claim = f"{claim[0].upper()}{claim[1:]}"
    yield Verdict(claim, f"{metric}, {_sources(sum(of_langs.values()))}.")


def _sources(number: int) -> str:
    return "1 source" if number == 1 else f"{number:,} sources"


def _size(numbers: Numbers, key: Key) -> str:
    return with_interval(numbers[key].value, numbers[key].ci, numbers[key].unit)


def _of_kinds(numbers: Numbers, most: int) -> Iterator[Verdict]:
    """Yield for each system the kind of perturbation that changes its outputs most."""
    highest: dict[str, Key] = {}
    for key, estimate in numbers.items():
        if key.measure == "consistency" and key.kind and not key.kind.endswith(("*", "all")):
            before = highest.get(key.system)
            if before is None or estimate.value > numbers[before].value:
                highest[key.system] = key
    has_langs = len({key.lang for key in numbers}) > 1
    for system, key in list(highest.items())[:most]:
        name = system or "The system"
        if numbers[key].value <= 0:
            yield Verdict(f"{name} changes no output after any kind.", f"{key.metric}.")
            continue
        where = f" in {key.lang}" if has_langs else ""
        yield Verdict(
            f"{name} changes its outputs most after {history.typed(key.kind)}{where}: by {_size(numbers, key)}.",
            f"{key.metric}, {_sources(numbers[key].n)}.",
        )
    if len(highest) > most:
        yield Verdict(f"{len(highest) - most:,} more systems are in the table on robustness.")


def _gap(gap: dict) -> Verdict:
    """Return the gap between the highest and the lowest group."""
    where = ", ".join(str(gap[key]) for key in ("system", "lang", "kind") if gap.get(key))
    value = f"{gap.get('of')} of {gap['metric']}"
    evidence, claim = "", f"no gap in {value} between the groups"
    if gap["gap"]:
        p = "" if gap.get("p") is None else f", {verdicts.p_is(gap['p'])}"
        size = with_interval(gap["gap"], gap.get("ci"), str(gap.get("unit") or ""))
        evidence = f"Gap {size}{p}."
        claim = f"{gap['highest']} has the highest {value} and {gap['lowest']} the lowest"
    is_certain = gap["p"] < 1 - LEVEL if is_number(gap.get("p")) else None
    return Verdict(f"{where}: by {gap.get('by')}, {claim}.", evidence, is_certain)


def _of_quality(numbers: Numbers) -> Iterator[Verdict]:
    """Yield which system has the best, or the highest, quality by the first metric, in each
    language, if there are several systems.
    """
    for metric in dict.fromkeys(key.metric for key in numbers if key.measure in OF_QUALITY):
        of_metric = [key for key in numbers if key.metric == metric and not key.kind]
        measures = {key.measure for key in of_metric}
        measure = next(name for name in OF_QUALITY if name in measures)
        keys = [key for key in of_metric if key.measure == measure]
        if len({key.system for key in keys}) < 2:
            continue
        parts: dict[str, list[str]] = {}  # {system: where it has the highest number}
        sizes = []
        for part in dict.fromkeys((key.lang, key.group) for key in keys):
            alike = [key for key in keys if (key.lang, key.group) == part]
            highest = max(alike, key=lambda key: numbers[key].value)
            where = " ".join(filter(None, part))
            parts.setdefault(highest.system, []).append(where)
            sizes.append(f"{where} {_size(numbers, highest)}".strip())
        best = "best" if material.is_better_higher(metric) else "highest"
        systems = [
            f"{system} ({', '.join(where)})" if len(sizes) > 1 else system
            for system, where in parts.items()
        ]
        have = "has" if len(systems) == 1 else "have"
        yield Verdict(
            f"{listed(systems)} {have} the {best} {measure.replace('_', ' ')} {metric}.",
            f"{', '.join(sizes)}. Whether that is more than chance, dt-ttest tells.",
        )
        return
