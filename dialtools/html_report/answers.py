"""What tests say on a page: one verdict for each question, with what it rests on apart."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from dialtools.comparison.verdicts import (
    RANKED,
    corrected_p,
    correction,
    disagrees,
    is_significant,
    listed,
    shown,
    spec,
    with_interval,
)
from dialtools.records.wellformed import is_number

MOST_PAIRS = 6  # of systems whose p a verdict has
# what is said of the system with the higher numbers, and what without a certain difference
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
            f"the score of {{a}} against the {text} changes more than that of {{b}}, by {{metric}}",
            f"it is not certain whose score against the {text} changes more, that of {{a}} or "
            "of {b}, by {metric}",
        )
        for measure, text in (("saliency", "reference"), ("faithfulness", "input"))
    },
    "perplexity": (
        "the texts of {a} surprise the model more than those of {b}",
        "it is not certain which texts surprise the model more, those of {a} or of {b}",
    ),
    "higher": (
        "{a} is better than {b}, by {metric}",
        "it is not certain which of {a} and {b} is better, by {metric}",
    ),
    "lower": (
        "{a} is worse than {b}, by {metric}",
        "it is not certain which of {a} and {b} is worse, by {metric}",
    ),
}


class Verdict(NamedTuple):
    """A claim, the numbers that show it, and whether it is more than chance.

    is_certain: None without a test.
    """

    claim: str
    numbers: str = ""
    is_certain: bool | None = None


def answers(results: Iterable[dict]) -> list[Verdict]:
    """Return what comparisons say on a page: one verdict for all systems, metrics and pools that
    answer one question, by the first metric.

    A result may have "pool" and "kind", of names and of the variants that it is of, "varied", what
    was varied, in words, and "affected", {system: (sources whose outputs change, all)}.
    """
    questions: list[tuple[tuple, set, list[dict]]] = []  # what is asked, of whom, its tests
    for result in map(_oriented, results):
        asked = _question(result), result.get("kind") or ""
        systems = {str(result.get("a")), str(result.get("b"))}
        for question, of_systems, alike in questions:
            if asked[0] and question == asked and of_systems & systems:
                of_systems |= systems
                alike.append(result)
                break
        else:
            questions.append((asked, systems, [result]))
    return [_answer(alike) for *_, alike in questions]


def _question(result: dict) -> str:
    """Return what a comparison of two systems asks: a measure, or the direction of quality that is
    better; "" for one that stands by itself.
    """
    measure, _ = _measure(result)
    is_plain = (
        "margin" not in result
        and "versus" not in result
        and result.get("a") not in (None, result.get("value"))
        and all(is_number(result.get(key)) for key in ("mean_a", "mean_b", "difference"))
        and not disagrees({"ci": None} | result)
    )
    if not is_plain:
        return ""
    if measure in _CLAIMS:
        return measure
    is_of_ranks = result.get("effect_name") in RANKED  # their direction may be another
    return "" if is_of_ranks else str(result.get("better") or "")


def _answer(results: Sequence[dict]) -> Verdict:
    """Return what the tests of one question say."""
    first = results[0]
    by_value: dict[str, list[dict]] = {}
    for result in results:
        by_value.setdefault(str(result["value"]), []).append(result)
    alike = by_value.pop(str(first["value"]))
    of_all = [result for result in alike if not result.get("pool")] or alike
    verdict = _of_test(of_all[0]) if len(of_all) == 1 else _of_pairs(of_all)
    more = []
    of_pools = [result for result in alike if result not in of_all and is_number(result.get("p"))]
    if of_pools and len(of_all) == 1:
        more.append(_of_pools(of_pools))
    for of_metric in by_value.values():
        of_metric = [result for result in of_metric if not result.get("pool")] or of_metric
        more.append(_by_another(of_metric, of_all))
    return verdict._replace(numbers=" ".join(filter(None, [verdict.numbers, *more])))


def _oriented(result: dict) -> dict:
    """Return a test with the system that has the higher number first."""
    if (result.get("difference") or 0) >= 0:
        return result
    ci = [-end for end in reversed(result.get("ci") or ())]
    turned = {"a": result.get("b"), "b": result.get("a"), "difference": -result["difference"]}
    means = {"mean_a": result.get("mean_b"), "mean_b": result.get("mean_a")}
    return result | turned | means | {"ci": ci or None}


def _measure(result: dict) -> tuple[str, str]:
    """Return the measure of a test, "" of quality, and the metric."""
    value = spec(str(result.get("value") or "")).removeprefix("statistics.")
    measure, _, metric = value.partition(":")
    return (measure, metric) if measure in _CLAIMS else ("", value)


def _of_test(result: dict) -> Verdict:
    """Return what a comparison says."""
    is_certain, where = is_significant(result), _where(result)
    has_equal_means = result.get("mean_a") is not None and result["mean_a"] == result.get("mean_b")
    is_constant = "no variance" in str(result.get("reason"))
    if _question(result) and result.get("p") is None and has_equal_means and is_constant:
        _, metric = _measure(result)
        claim = f"{result['a']} and {result['b']} do not differ in any source, by {metric}"
        return Verdict(_sentence(where, claim), f"{_means(result)}.")
    if _question(result) and is_number(result.get("p")):
        equal = "" if is_certain else " This does not show that they are equal."
        numbers = f"{_evidence(result)}{equal}"
        return Verdict(_sentence(where, _claim(result)), numbers, is_certain)

    # the verdict that it has, without the folders of models, with true minuses
    value = str(result.get("value") or "")
    text = str(result.get("verdict") or "").replace(value, spec(value))
    text = re.sub(r"(?<![\w-])-(?=\d)", "\u2212", text)
    claim, _, numbers = text.rpartition(": ")
    if not numbers.startswith(("difference ", f"{result.get('effect_name')} ")):
        claim, numbers = text, ""
    claim = re.sub("^(No|Undecided) ", lambda word: word[0].lower(), claim.rstrip("."))
    return Verdict(_sentence(where, claim), numbers, is_certain)


def _of_pairs(results: Sequence[dict]) -> Verdict:
    """Return what the tests of several pairs of systems say, by one metric."""
    means: dict[str, float] = {}
    below: dict[str, list[dict]] = {}  # {system: the tests that it has certainly more in}
    for result in results:
        means |= {result["a"]: result["mean_a"], result["b"]: result["mean_b"]}
        if is_significant(result):
            below.setdefault(result["a"], []).append(result)
    systems = sorted(means, key=lambda system: -means[system])
    tested = [result for result in results if is_number(result.get("p"))]

    alike: dict[str, list[str]] = {}  # {systems: those that have certainly more than they}
    for system in filter(below.__contains__, systems):
        alike.setdefault(listed(result["b"] for result in below[system]), []).append(system)
    claims = [
        _claim(
            below[higher[0]][0]
            | {"a": f"each of {listed(higher)}" if len(higher) > 1 else higher[0], "b": lower}
        )
        for lower, higher in alike.items()
    ]
    _, metric = _measure(results[0])
    claims[:-1] = [claim.removesuffix(f", by {metric}") for claim in claims[:-1]]
    claim = "; ".join(claims)
    if not claims and tested:
        claim = _claim(tested[0] | {"a": ", ".join(systems[:-1]), "b": systems[-1]})
    elif not claims and len(set(means.values())) == 1:
        claim = f"{listed(systems)} do not differ in any source, by {metric}"
    elif not claims:
        claim = f"no test of {listed(systems)}, by {metric}"

    percent = " %" if results[0].get("unit") == "percent" else ""
    numbers = [", ".join(f"{system} {shown(means[system])}{percent}" for system in systems)]
    numbers += [
        f"{result['a']} and {result['b']}: {corrected_p(result)}" for result in tested[:MOST_PAIRS]
    ]
    if len(tested) > MOST_PAIRS:
        numbers.append(f"{len(tested) - MOST_PAIRS} more pairs in the table of tests")
    untested = [result for result in results if result not in tested and result["difference"]]
    numbers += [
        f"{result['a']} and {result['b']}: no test ({result.get('reason') or 'it has no p'})"
        for result in untested[:MOST_PAIRS]
    ]
    if tested and correction(tested[0]):
        numbers.append(f"p after {correction(tested[0])}")
    is_certain = bool(claims) if tested else None
    return Verdict(_sentence(_where(results[0]), claim), f"{'; '.join(numbers)}.", is_certain)


def _of_pools(results: Sequence[dict]) -> str:
    """Return in which pools two systems differ, with the test of each."""
    pools: dict[str, list[str]] = {}
    for result in results:
        claim = _claim(result) if is_significant(result) else "it is not certain which"
        pools.setdefault(claim, []).append(str(result["pool"]))
    if len(pools) == 1:
        claim = f"With {'either pool' if len(results) == 2 else 'each pool'} alone, {[*pools][0]}"
    else:
        claim = "; ".join(
            f"with names of {listed(alike)} alone, {claim}" for claim, alike in pools.items()
        )
    sizes = ", ".join(
        f"{result['pool']} {shown(result['difference'])} ({corrected_p(result)})"
        for result in results
    )
    after = f"; p after {correction(results[0])}" if correction(results[0]) else ""
    measure = _measure(results[0])[0]
    differences = f"Differences in {measure}" if measure else "Differences"
    return f"{claim[0].upper()}{claim[1:]}. {differences}: {sizes}{after}."


def _by_another(results: Sequence[dict], by_first: Sequence[dict]) -> str:
    """Return what the tests by another metric say, beside those by the first."""

    def certain(tests: Sequence[dict]) -> set[tuple]:
        return {(test["a"], test["b"]) for test in tests if is_significant(test)}

    _, metric = _measure(results[0])
    ps = ", ".join(corrected_p(result) for result in results if is_number(result.get("p")))
    because = f" ({ps})" if ps and len(results) == 1 else ""
    if certain(results) == certain(by_first):
        return f"The same by {metric}{because}."
    if not ps and all(result["mean_a"] == result["mean_b"] for result in results):
        return f"By {metric} they do not differ."
    if not certain(results):
        return f"By {metric} it may be chance{because}."
    claims = "; ".join(_claim(result) for result in results if is_significant(result))
    return f"But {claims}{because}."


def _where(result: dict) -> str:
    """Return the pool and the kind of variants that a comparison is of; "" for all."""
    kind = "" if _measure(result)[0] == "S" else result.get("kind")
    pool = f"with names of {result['pool']}" if result.get("pool") else ""
    return " ".join(filter(None, (pool, f"after {kind}" if kind else "")))


def _sentence(where: str, claim: str) -> str:
    """Return a claim as a sentence; a name that it begins with stays as it is.

    >>> _sentence("after typo.case", "no test of a and b"), _sentence("", "it is not certain")
    ('After typo.case, no test of a and b.', 'It is not certain.')
    """
    text = f"{where}, {claim}." if where else f"{claim}."
    is_name = not where and not re.match("(it|the|no|undecided) ", text)
    return text if is_name else f"{text[0].upper()}{text[1:]}"


def _claim(result: dict) -> str:
    """Return which system has more of what a test is of, or that this is not certain."""
    certain, uncertain = _CLAIMS[_question(result)]
    text = certain if is_significant(result) else uncertain
    to = f" to {result['varied']}" if result.get("varied") else ""
    return text.format(a=result["a"], b=result["b"], metric=_measure(result)[1], to=to)


def _evidence(result: dict) -> str:
    """Return the numbers of a test, and in how many sources the outputs of two systems change,
    where that was counted.
    """
    after = f" after {correction(result)}" if correction(result) else ""
    level = result.get("ci_level") or result["level"]
    why = f", as one of {result['family']} tests" if level != result["level"] else ""
    size = with_interval(result["difference"], result.get("ci"), level=level, why=why)
    n = f"{result['n']:,} {'sources' if result.get('unit') == 'percent' else 'pairs'}"
    evidence = f"{_means(result)}, difference {size}, {corrected_p(result)}{after}, {n}."
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
    higher, lower = (f"{shown(result[key])}{percent}" for key in ("mean_a", "mean_b"))
    measure, metric = _measure(result)
    if measure == "consistency":
        return f"{result['a']} changes its outputs by {higher}, {result['b']} by {lower}"
    worse = ", larger is worse" if measure in ("saliency", "faithfulness") else ""
    return f"{measure or metric} {higher} against {lower}{worse}"
