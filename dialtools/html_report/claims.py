"""The verdicts of a page: what tests and numbers say of the systems, the most important first."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dialtools.comparison import verdicts
from dialtools.html_report import page, provenance
from dialtools.html_report.estimates import OF_QUALITY, Key, Numbers, varied
from dialtools.html_report.material import CHANGE
from dialtools.html_report.page import Verdict, shown, with_interval
from dialtools.records.wellformed import is_number
from dialtools.statistics.clustered import LEVEL

MOST = 12  # verdicts of one sort
# what a test says of the system with the higher numbers, and what without a certain difference
_CLAIMS = {
    "S": (
        "{a} is more sensitive{to} than {b}, by {metric}",
        "it is not certain which of {a} and {b} is more sensitive{to}, by {metric}",
    ),
    "consistency": (
        "{a} changes its outputs more than {b}, by {metric}",
        "it is not certain which of {a} and {b} changes its outputs more, by {metric}",
    ),
    **{
        measure: (
            f"the score of {{a}} against the {other} changes more than that of {{b}}, by {{metric}}",
            f"it is not certain whose score against the {other} changes more, that of {{a}} or "
            "of {b}, by {metric}",
        )
        for measure, other in (("saliency", "reference"), ("faithfulness", "input"))
    },
    "perplexity": (
        "the texts of {a} surprise the model more than those of {b}",
        "it is not certain which texts surprise the model more, those of {a} or of {b}",
    ),
}
_CLAIMS[CHANGE] = _CLAIMS["S"]

Systems = Mapping[str, str]  # {name of a file: the system in it}


def of_systems(test: dict, of_files: Systems) -> dict:
    """Return a test, and its verdict, with the names of systems for those of their files."""
    systems = {key: of_files[str(test[key])] for key in "ab" if str(test.get(key)) in of_files}
    verdict = str(test.get("verdict") or "")
    for key, system in systems.items():
        verdict = verdict.replace(str(test[key]), system)
    return test | systems | {"verdict": verdict}


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
    tests = sorted(
        tests,
        key=lambda test: (
            "scores.S:" not in str(test.get("value")),
            test.get("p") is None,
            not verdicts.is_significant(test),
        ),
    )
    claims = of_tests(tests)
    if len(claims) > MOST:
        claims[MOST:] = [Verdict(f"{len(claims) - MOST:,} more tests are in the table below.")]
    claims += _changes(numbers, MOST // 2, provenance.named(varied_in_s))
    claims += _of_kinds(numbers, MOST // 2)
    claims += map(_gap, gaps[: MOST // 3])
    if len(gaps) > MOST // 3:
        claims.append(Verdict(f"{len(gaps) - MOST // 3:,} more gaps are in the table below."))
    claims += training
    return claims or list(_of_quality(numbers))


def of_tests(results: Sequence[dict]) -> list[Verdict]:
    """Return what comparisons say; those of several pools are one verdict for two systems."""

    def comparison(result: dict) -> tuple:
        """Return what a test is of, but the pool; the systems in their order."""
        pair = sorted((str(result.get("a")), str(result.get("b"))))
        return (*pair, result.get("value"), result.get("kind"))

    results = list(map(_oriented, results))
    of_all_pools = {comparison(result) for result in results if result.get("pool") == ""}
    of_pools: dict[tuple, list[dict]] = {}
    for result in results:
        if result.get("pool") and comparison(result) in of_all_pools and _is_of_change(result):
            of_pools.setdefault(comparison(result), []).append(result)

    claims: list[Verdict] = []
    for result in results:
        single = of_pools.get(comparison(result), [])
        if result not in single:
            claims.append(_of_test(result))
            if single and result.get("pool") == "":
                claims.append(_of_pools(single))
    return claims


def _oriented(result: dict) -> dict:
    """Return a test with the system that has the higher number first."""
    if (result.get("difference") or 0) >= 0:
        return result
    ci = [-end for end in reversed(result.get("ci") or ())]
    turned = {"a": result.get("b"), "b": result.get("a"), "difference": -result["difference"]}
    return result | turned | {"ci": ci or None}


def _is_of_change(result: dict) -> bool:
    """Is a result a test of how much systems change?"""
    return (
        _measure(result)[0] in _CLAIMS
        and "margin" not in result
        and all(is_number(result.get(key)) for key in ("p", "difference", "mean_a", "mean_b"))
        and not verdicts.disagrees(result, bool(verdicts.is_significant(result)))
    )


def _measure(result: dict) -> tuple[str, str]:
    """Return the measure of a test, and the metric."""
    measure, _, metric = page.value_of(result).partition(":")
    return measure, metric or "characters"


def _of_pools(results: Sequence[dict]) -> Verdict:
    """Return in which pools two systems differ, with the test of each."""
    pools: dict[str, list[str]] = {}
    for result in results:
        is_certain = verdicts.is_significant(result)
        claim = _claim(result) if is_certain else "it is not certain which"
        pools.setdefault(claim, []).append(str(result["pool"]))
    if len(pools) == 1:
        claim = f"With {'either pool' if len(results) == 2 else 'each pool'} alone, {[*pools][0]}"
    else:
        claim = "; ".join(
            f"with names of {page.listed(alike)} alone, {claim}" for claim, alike in pools.items()
        )
    sizes = ", ".join(
        f"{result['pool']} {shown(result['difference'])} ({verdicts.corrected_p(result)})"
        for result in results
    )
    correction = verdicts.correction(results[0])
    after = f"; p after {correction}" if correction else ""
    return Verdict(
        f"{claim[0].upper()}{claim[1:]}.",
        f"Differences in {_measure(results[0])[0]}: {sizes}{after}.",
    )


def _of_test(result: dict) -> Verdict:
    """Return what a comparison says; of two sensitivities, which system is more sensitive."""
    measure, metric = _measure(result)
    kind = "" if measure in ("S", CHANGE) else result.get("kind")
    pool = f"with names of {result['pool']}" if result.get("pool") else ""
    where = " ".join(filter(None, (pool, f"after {kind}" if kind else "")))
    is_certain = verdicts.is_significant(result)
    has_equal_means = result.get("mean_a") is not None and result["mean_a"] == result.get("mean_b")
    is_constant = "no variance" in str(result.get("reason"))
    if measure in _CLAIMS and result.get("p") is None and has_equal_means and is_constant:
        claim = f"{result['a']} and {result['b']} do not differ in any source, by {metric}"
        return Verdict(_sentence(where, claim), f"{_means(result)}.")
    if _is_of_change(result):
        equal = "" if is_certain else " This does not show that they are equal."
        return Verdict(_sentence(where, _claim(result)), f"{_evidence(result)}{equal}", is_certain)

    # the verdict that it has, without the folders of models, with true minuses
    value, short = str(result.get("value") or ""), page.spec(page.value_of(result))
    text = str(result.get("verdict") or "").replace(value, short)
    text = re.sub(r"(?<![\w-])-(?=\d)", "\u2212", text)
    claim, _, numbers = text.rpartition(": ")
    if not numbers.startswith(("difference ", f"{result.get('effect_name')} ")):
        claim, numbers = text, ""
    claim = re.sub("^(No|Undecided) ", lambda word: word[0].lower(), claim.rstrip("."))
    return Verdict(_sentence(where, claim), numbers, is_certain)


def _sentence(where: str, claim: str) -> str:
    """Return a claim as a sentence; a name that it begins with stays as it is.

    >>> _sentence("after typo.case", "no test of a and b"), _sentence("", "it is not certain")
    ('After typo.case, no test of a and b.', 'It is not certain.')
    """
    text = f"{where}, {claim}." if where else f"{claim}."
    is_name = not where and not re.match("(it|the|no|undecided) ", text)
    return text if is_name else f"{text[0].upper()}{text[1:]}"


def _claim(result: dict) -> str:
    """Return which system changes more, or that this is not certain."""
    measure, metric = _measure(result)
    certain, uncertain = _CLAIMS[measure]
    kinds = provenance.named(provenance.of_result(result))
    text = certain if verdicts.is_significant(result) else uncertain
    to = f" to {kinds}" if kinds else ""
    return text.format(a=result["a"], b=result["b"], metric=metric, to=to)


def _evidence(result: dict) -> str:
    """Return the numbers of a test, and in how many sources the outputs of two systems change,
    where that was counted.
    """
    correction = verdicts.correction(result)
    after = f" after {correction}" if correction else ""
    level = result.get("ci_level") or result["level"]
    why = f", as one of {result['family']} tests" if level != result["level"] else ""
    size = with_interval(result["difference"], result.get("ci"), level=level, why=why)
    n = f"{result['n']:,} {'sources' if result.get('unit') == 'percent' else 'pairs'}"
    evidence = f"{_means(result)}, difference {size}, {verdicts.corrected_p(result)}{after}, {n}."
    if not (counts := result.get("affected")):
        return evidence
    a, b = result["a"], result["b"]
    (changed_by_a, all_of_a), (changed_by_b, all_of_b) = counts[a], counts[b]
    of_b = "" if all_of_a == all_of_b else f" of {all_of_b:,}"
    return (
        f"{evidence} The outputs of {a} change in {changed_by_a:,} of {all_of_a:,} sources, those "
        f"of {b} in {f'{changed_by_b:,}{of_b}' if changed_by_b else 'none'}."
    )


def _means(result: dict) -> str:
    """Return what two systems have, the higher number first."""
    percent = " %" if result.get("unit") == "percent" else ""
    means = sorted((result["mean_a"], result["mean_b"]), reverse=True)
    higher, lower = (f"{shown(mean)}{percent}" for mean in means)
    measure = _measure(result)[0]
    if measure == "consistency":
        return f"{result['a']} changes its outputs by {higher}, {result['b']} by {lower}"
    worse = ", larger is worse" if measure in ("saliency", "faithfulness") else ""
    return f"{measure} {higher} against {lower}{worse}"


def _changes(numbers: Numbers, most: int, after: str) -> Iterator[Verdict]:
    """Yield how much the outputs of each system change, by the first metric with an S; of many
    languages and groups the ends.

    after: what was varied.
    """
    metrics = [key.metric for key in numbers if key.measure == "S"]
    metric = min(metrics, key=lambda name: name == CHANGE, default="")
    systems: dict[str, list[Key]] = {}
    for key in numbers:
        if metrics and (key.measure, key.metric) == ("S", metric):
            systems.setdefault(key.system, []).append(key)
    for system, keys in [*systems.items()][:most]:
        grouped = {key.lang for key in keys if key.group}
        keys = [key for key in keys if key.group or key.lang not in grouped]  # no sums beside parts
        names = varied(keys, "lang", "group", "kind")
        ordered = sorted(keys, key=lambda key: -numbers[key].value)
        ends = []
        for key in (ordered[0], ordered[-1]):
            where = [getattr(key, name) for name in names]
            ends.append(", ".join(filter(None, (*where, _size(numbers, key)))))
        if not numbers[ordered[0]].value:
            differ = "never differ"
        elif len(ordered) == 1:
            differ = f"differ by {ends[0]} in the mean"
        else:
            differ = f"differ most for {ends[0]}, and least for {ends[1]}"
        of_langs: dict[str, int] = {}  # those of several pools are the same
        for key in keys:
            of_langs[key.lang] = max(numbers[key].n, of_langs.get(key.lang, 0))
        when = f"after changes of {after}, " if after else ""
        yield Verdict(
            f"{system or 'The system'}: {when}the outputs for one source {differ}.",
            f"{metric}, {sum(of_langs.values()):,} sources.",
        )
    if len(systems) > most:
        yield Verdict(f"{len(systems) - most:,} more systems are in the table of results.")


def _size(numbers: Numbers, key: Key) -> str:
    """Return a number with its interval and unit."""
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
            f"{name} changes its outputs most after {key.kind}{where}: by {_size(numbers, key)}.",
            f"{key.metric}, {numbers[key].n:,} sources.",
        )
    if len(highest) > most:
        yield Verdict(f"{len(highest) - most:,} more systems are in the table on robustness.")


def _gap(gap: dict) -> Verdict:
    """Return the gap between the highest and the lowest group."""
    where = ", ".join(str(gap[key]) for key in ("system", "lang", "kind") if gap.get(key))
    value = f"{gap.get('of')} of {gap['metric']}"
    numbers, claim = "", f"no gap in {value} between the groups"
    if gap["gap"]:
        p = "" if gap.get("p") is None else f", {verdicts.p_is(gap['p'])}"
        size = with_interval(gap["gap"], gap.get("ci"), str(gap.get("unit") or ""))
        numbers = f"Gap {size}{p}."
        claim = f"{gap['highest']} has the highest {value} and {gap['lowest']} the lowest"
    is_certain = gap["p"] < 1 - LEVEL if is_number(gap.get("p")) else None
    return Verdict(f"{where}: by {gap.get('by')}, {claim}.", numbers, is_certain)


def _of_quality(numbers: Numbers) -> Iterator[Verdict]:
    """Yield the highest corpus score or mean of each metric, if there are several."""
    for metric in dict.fromkeys(key.metric for key in numbers if key.measure in OF_QUALITY):
        of_metric = [key for key in numbers if key.metric == metric]
        measures = {key.measure for key in of_metric}
        measure = next(name for name in OF_QUALITY if name in measures)
        keys = [key for key in of_metric if key.measure == measure and not key.kind]
        if len({key.system for key in keys}) > 1:
            key = max(keys, key=lambda key: numbers[key].value)
            where = ", ".join(filter(None, (key.lang, key.group)))
            called = measure.replace("_", " ")
            yield Verdict(
                f"{key.system} ({where}) has the highest {called} {metric}, {_size(numbers, key)}.",
                "Whether that is more than chance, dt-ttest tells.",
            )
