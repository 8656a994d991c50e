"""What tests and numbers say of the systems, in sentences: who changes more, and is it certain."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dialtools.comparison import verdicts
from dialtools.html_report import parts, variations
from dialtools.html_report.material import CHANGE
from dialtools.html_report.parts import Verdict, with_interval
from dialtools.records.wellformed import is_number

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
    "saliency": (
        "the score of {a} against the reference changes more than that of {b}, by {metric}",
        "it is not certain whose score against the reference changes more, that of {a} or "
        "of {b}, by {metric}",
    ),
    "faithfulness": (
        "the score of {a} against the input changes more than that of {b}, by {metric}",
        "it is not certain whose score against the input changes more, that of {a} or "
        "of {b}, by {metric}",
    ),
    "perplexity": (
        "the texts of {a} surprise the model more than those of {b}",
        "it is not certain which texts surprise the model more, those of {a} or of {b}",
    ),
}
_CLAIMS[CHANGE] = _CLAIMS["S"]


def told(results: Sequence[dict], names: Mapping[str, str]) -> list[Verdict]:
    """Return what comparisons say; those of several pools are one verdict for two systems.

    names: {name of a file: the system in it}.
    """
    said: list[Verdict] = []
    pools: dict[tuple, list[dict]] = {}
    for result in results:
        whole = any(other.get("pool") == "" and _same(result, other) for other in results)
        if result.get("pool") and whole and _is_tested(result):
            pools.setdefault(_apart(result), []).append(result)
    for result in results:
        own = pools.get(_apart(result), [])
        if result not in own:
            said.append(verdict(result, names))
            if own and result.get("pool") == "":
                said.append(_of_pools(own, names))
    return said


def _apart(result: dict) -> tuple:
    """Return what a test is of, but the pool; the systems in their order."""
    pair = sorted((str(result.get("a")), str(result.get("b"))))
    return (*pair, result.get("value"), result.get("kind"))


def _same(one: dict, other: dict) -> bool:
    return _apart(one) == _apart(other)


def _of_pools(results: Sequence[dict], names: Mapping[str, str]) -> Verdict:
    """Return in which pools two systems differ, with the test of each."""
    ways: dict[str, list[dict]] = {}
    for result in results:
        way = (
            _claim(result, names) if verdicts.is_significant(result) else "it is not certain which"
        )
        ways.setdefault(way, []).append(result)
    if len(ways) == 1:
        every = "either pool" if len(results) == 2 else "each pool"
        claim = f"with {every} alone, {next(iter(ways))}"
    else:
        claim = "; ".join(f"with names of {_listed(own)} alone, {way}" for way, own in ways.items())
    sizes = ", ".join(
        f"{result['pool']} {parts.shown(abs(result['difference']))} "
        f"({verdicts.p_is(result.get('p_adjusted', result['p']))})"
        for result in results
    )
    after = (
        f"; p after {str(results[0]['correction']).title()}" if "p_adjusted" in results[0] else ""
    )
    return Verdict(
        f"{claim[0].upper()}{claim[1:]}.",
        f"Differences in {_measure(results[0])[0]}: {sizes}{after}.",
    )


def _listed(results: Sequence[dict]) -> str:
    *first, last = (str(result["pool"]) for result in results)
    return f"{', '.join(first)} and {last}" if first else last


def _is_tested(result: dict) -> bool:
    """Is a result a test of how much systems change?"""
    measure = _measure(result)[0]
    return (
        measure in _CLAIMS
        and "margin" not in result
        and all(is_number(result.get(key)) for key in ("p", "difference", "mean_a", "mean_b"))
        and not verdicts.disagrees(result, bool(verdicts.is_significant(result)))
    )


def _is_equal(result: dict) -> bool:
    """Is a result a comparison of systems whose sources have equal numbers, which needs no test?"""
    return (
        _measure(result)[0] in _CLAIMS
        and result.get("p") is None
        and result.get("mean_a") is not None
        and result.get("mean_a") == result.get("mean_b")
        and "no variance" in str(result.get("reason"))
    )


def _measure(result: dict) -> tuple[str, str]:
    """Return the measure of a test, and the metric."""
    measure, _, metric = str(result.get("value") or "").removeprefix("scores.").partition(":")
    return measure, metric or "characters"


def verdict(result: dict, names: Mapping[str, str]) -> Verdict:
    """Return what a comparison says; of two sensitivities, which system is more sensitive."""
    certain = verdicts.is_significant(result)
    if _is_equal(result):
        a, b = _systems(result, names)
        claim = f"{a} and {b} do not differ in any source, by {_measure(result)[1]}"
        return Verdict(_sentence(_where(result), claim), f"{_means(result, names)}.")
    if not _is_tested(result):
        claim, numbers = _given(result, names)
        return Verdict(_sentence(_where(result), claim), numbers, certain)
    equal = "" if certain else " This does not show that they are equal."
    return Verdict(
        _sentence(_where(result), _claim(result, names)),
        f"{_numbers(result, names)}.{_affected(result, names)}{equal}",
        certain,
    )


def _given(result: dict, names: Mapping[str, str]) -> tuple[str, str]:
    """Return the claim of the verdict that a result has, and its numbers."""
    text = _shortened(str(result.get("verdict") or ""), result, names)
    claim, colon, numbers = text.rpartition(": ")
    if not numbers.startswith(("difference ", f"{result.get('effect_name')} ")):
        claim, numbers = text, ""
    claim = claim.rstrip(".")
    return re.sub("^(No|Undecided) ", lambda first: first[0].lower(), claim), numbers


def _sentence(where: str, claim: str) -> str:
    """Return a claim as a sentence; a name that it begins with stays as it is.

    >>> _sentence("after typo.case", "no test of a and b"), _sentence("", "it is not certain")
    ('After typo.case, no test of a and b.', 'It is not certain.')
    """
    said = f"{where}, {claim}." if where else f"{claim}."
    is_name = not where and not re.match("(it|the|no|undecided) ", said)
    return said if is_name else f"{said[0].upper()}{said[1:]}"


def _shortened(text: str, result: dict, names: Mapping[str, str]) -> str:
    """Return a verdict with systems for files, without the folders of models, with true minuses."""
    value = str(result.get("value") or "")
    text = text.replace(value, parts.spec(value.removeprefix("scores.")))
    for key in ("a", "b"):
        if str(result.get(key)) in names:
            text = text.replace(str(result[key]), names[str(result[key])])
    return re.sub(r"(?<![\w-])-(?=\d)", "\u2212", text)


def _where(result: dict) -> str:
    """Return the pool and the kind of variants that a test of ours is of."""
    pool = result.get("pool")
    kind = "" if _measure(result)[0] in ("S", CHANGE) else result.get("kind")
    return " ".join(
        [*([f"with names of {pool}"] if pool else []), *([f"after {kind}"] if kind else [])]
    )


def _systems(result: dict, names: Mapping[str, str]) -> tuple[str, str]:
    """Return the names of two systems, that with the higher number first."""
    a, b = (names.get(str(result[key]), str(result[key])) for key in ("a", "b"))
    return (b, a) if result["difference"] < 0 else (a, b)


def _claim(result: dict, names: Mapping[str, str]) -> str:
    """Return which system changes more, or that this is not certain."""
    a, b = _systems(result, names)
    measure, metric = _measure(result)
    certain, uncertain = _CLAIMS[measure]
    varied = variations.named(variations.of_result(result))
    text = certain if verdicts.is_significant(result) else uncertain
    return text.format(a=a, b=b, metric=metric, to=f" to {varied}" if varied else "")


def _affected(result: dict, names: Mapping[str, str]) -> str:
    """Return in how many sources the outputs of two systems change, where that was counted."""
    counts = result.get("affected")
    if not counts:
        return ""
    (a, (first, all_of_a)), (b, (second, all_of_b)) = (
        (name, counts[name]) for name in _systems(result, names)
    )
    of_b = "" if all_of_a == all_of_b else f" of {all_of_b:,}"
    return (
        f" The outputs of {a} change in {first:,} of {all_of_a:,} sources, those of {b} in "
        f"{f'{second:,}{of_b}' if second else 'none'}."
    )


def _numbers(result: dict, names: Mapping[str, str]) -> str:
    """Return the numbers of a test, the higher one first."""
    difference, ci = abs(result["difference"]), result.get("ci")
    if ci and result["difference"] < 0:
        ci = [-ci[1], -ci[0]]
    after = f" after {str(result['correction']).title()}" if "p_adjusted" in result else ""
    level = result.get("ci_level") or result["level"]
    tests = f", as one of {result['family']} tests" if level != result["level"] else ""
    interval_of = with_interval(difference, ci, level=level, why=tests)
    return (
        f"{_means(result, names)}, difference {interval_of}, "
        f"{verdicts.p_is(result.get('p_adjusted', result['p']))}{after}, "
        f"{result['n']:,} {'sources' if result.get('unit') == 'percent' else 'pairs'}"
    )


def _means(result: dict, names: Mapping[str, str]) -> str:
    """Return what two systems have, the higher number first."""
    percent = " %" if result.get("unit") == "percent" else ""
    higher, lower = (
        f"{parts.shown(mean)}{percent}"
        for mean in sorted((result["mean_a"], result["mean_b"]), reverse=True)
    )
    measure = _measure(result)[0]
    if measure == "consistency":
        a, b = _systems(result, names)
        return f"{a} changes its outputs by {higher}, {b} by {lower}"
    worse = ", larger is worse" if measure in ("saliency", "faithfulness") else ""
    return f"{measure} {higher} against {lower}{worse}"


def changes(numbers: Mapping, most: int, varied: str) -> list[Verdict]:
    """Return how much each system changes, by the first metric with an S; varied: after what."""
    keys = [key for key in numbers if key.measure == "S"]
    if not keys:
        return []
    metric = sorted((key.metric for key in keys), key=lambda name: name == CHANGE)[0]
    own: dict[str, list] = {}
    for key in keys:
        if key.metric == metric:
            own.setdefault(key.system, []).append(key)
    said = [
        _change(system, metric, _of_groups(found), numbers, varied)
        for system, found in list(own.items())[:most]
    ]
    more = len(own) - most
    return said + (
        [Verdict(f"{more:,} more systems are in the table of results.")] if more > 0 else []
    )


def _of_groups(keys: Sequence) -> list:
    """Return the keys of groups, without those of all groups together, where there are both."""
    grouped = {key.lang for key in keys if key.group}
    return [key for key in keys if key.group or key.lang not in grouped]


def _change(system: str, metric: str, keys: Sequence, numbers: Mapping, after: str) -> Verdict:
    """Return how much the outputs of a system change; of many languages and groups the ends."""
    varied = [
        name for name in ("lang", "group", "kind") if len({getattr(key, name) for key in keys}) > 1
    ]
    ordered = sorted(keys, key=lambda key: -numbers[key].value)
    shown = [_estimate(key, varied, numbers) for key in ordered]
    if not numbers[ordered[0]].value:
        said = "never differ"
    elif len(shown) == 1:
        said = f"differ by {shown[0]} in the mean"
    else:
        said = f"differ most for {shown[0]}, and least for {shown[-1]}"
    of_langs: dict[str, int] = {}  # those of several pools are the same
    for key in keys:
        of_langs[key.lang] = max(numbers[key].n, of_langs.get(key.lang, 0))
    when = f"after changes of {after}, " if after else ""
    return Verdict(
        f"{system or 'The system'}: {when}the outputs for one source {said}.",
        f"{metric}, {sum(of_langs.values()):,} sources.",
    )


def _estimate(key: Any, varied: Sequence[str], numbers: Mapping) -> str:
    where = ", ".join(filter(None, (getattr(key, name) for name in varied)))
    estimate = numbers[key]
    number = with_interval(estimate.value, estimate.ci, estimate.unit)
    return f"{where}, {number}" if where else number
