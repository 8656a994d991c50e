"""The result of a comparison in words: the verdict of dt-ttest."""

import re
from collections.abc import Iterable, Sequence

from dialtools.comparison import corpus_scores
from dialtools.statistics.results import alpha
from dialtools.tables import grids

RANKED = ("rank-biserial", "cliff", "sign")  # effects that give the direction, instead of means
_CORRECTIONS = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini–Hochberg"}
# tests whose ratings may be degrees where they were taken for names, and with which options
_OF_DEGREES = {
    "krippendorff": "scale=ordinal or scale=interval",
    "fleiss": "krippendorff:scale=ordinal or krippendorff:scale=interval",
    "kappa": "weights=linear or weights=quadratic",
    "light": "weights=linear or weights=quadratic",
}
_DROPPED = {"only_a": "only in {a}", "only_b": "only in {b}", "no_group": "in no group"}
# what two values are of which a coefficient is tested
_RELATIONS = {
    "r": ("correlation", "correlate", "correlate negatively"),
    "kappa": ("agreement", "agree", "agree less than by chance"),
    "pairwise accuracy": ("agreement in order", "agree in order", "order pairs oppositely"),
}
# what the group with the higher numbers is than the other, and with the lower ones
_THAN: dict[str | None, tuple[str, str, str]] = {
    "higher": ("is", "better", "worse"),
    "lower": ("is", "worse", "better"),
    None: ("is", "higher", "lower"),
    **dict.fromkeys("SRD", ("is", "more sensitive", "less sensitive")),
    **dict.fromkeys(("consistency", "saliency", "faithfulness"), ("changes", "more", "less")),
    "perplexity": ("is", "higher", "lower"),  # may be of texts that nobody judges
}


def verdict(result: dict) -> str:
    """Return the conclusion from the result of one comparison, in a sentence."""
    if "counts" in result:
        return _ratings(result)
    if "raters" in result:
        return _agreement(result)
    if result["p"] is None:
        return _untested(result)
    significant = bool(is_significant(result))
    is_undecided = disagrees(result)
    warning = ""
    if is_undecided:
        excludes, finds = ("includes", "one") if significant else ("excludes", "none")
        claim = (
            f"Undecided{_value(result)} between {result['a']} and {result['b']}{_group(result)}, "
            f"for {result['test']} finds {finds} but its interval {excludes} 0"
        )
    else:
        claim = f"{_claim(result, significant)}{_group(result)}"
        is_of_difference = result["difference"] is not None and "groups" not in result
        if is_of_difference and not significant and "margin" not in result:
            remedy = "; see tost"
            if "n_a" in result:  # tost is of pairs
                remedy = ": the interval says how large a difference may be" if result["ci"] else ""
            warning = f" This does not show equivalence{remedy}."
    shown = "" if "groups" in result else f": {_tested_number(result)}{_scale(result)}"
    after = f" after {correction(result)}" if correction(result) else ""
    return (
        f"{claim}{shown}{_interval(result)}, {corrected_p(result)}{after}, {_size(result)}."
        f"{warning}{_degrees(result)}"
    )


def is_significant(result: dict) -> bool | None:
    """Return whether the corrected p is small enough; None without a p."""
    p = result.get("p_adjusted", result.get("p"))
    return None if p is None else p < alpha(result["level"])


def disagrees(result: dict) -> bool:
    """Tell whether the interval excludes 0 where the test finds no difference, or the reverse.

    It may, where both come of different methods, as a bootstrap interval and ranks do.
    """
    interval = _tested_interval(result)
    if not interval or "groups" in result or "margin" in result:
        return False
    return _excludes_0(interval) != bool(is_significant(result)) and not _is_of_ranks(result)


def correction(result: dict) -> str:
    """Return after whom p was corrected for several tests; "" where it was not."""
    return _CORRECTIONS[result["correction"]] if "p_adjusted" in result else ""


def corrected_p(result: dict) -> str:
    """Return what `p_is` does of the p of a result, the corrected one if there is one."""
    return p_is(result.get("p_adjusted", result["p"]))


def p_is(p: float) -> str:
    """Return "p = 0.0123" or "p < 0.0001"."""
    shown = grids.probability(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def _excludes_0(interval: Sequence[float]) -> bool:
    return interval[0] > 0 or interval[1] < 0


def _is_of_ranks(result: dict) -> bool:
    """Tell whether ranks or signs show what the interval of the mean difference does not."""
    return (
        bool(is_significant(result))
        and result.get("effect_name") in RANKED
        and bool(result["ci"])
        and not _excludes_0(result["ci"])
    )


def _is_of_effect(result: dict) -> bool:
    """Tell whether the effect is what was tested, as of a correlation, and not the difference."""
    return result["difference"] is None or _is_of_ranks(result)


def _tested_number(result: dict) -> str:
    if _is_of_effect(result):
        return f"{result['effect_name']} {result['effect']:.4g}"
    return f"difference {result['difference']:.4g}"


def _tested_interval(result: dict) -> list[float] | None:
    return result.get("effect_ci" if _is_of_effect(result) else "ci")


def _claim(result: dict, significant: bool) -> str:
    """Return what a test finds of its groups."""
    a, b, difference, value = result.get("a"), result.get("b"), result["difference"], _value(result)
    if "groups" in result:
        names = ", ".join(map(str, result["groups"]))
        return f"{'S' if significant else 'No s'}ignificant difference{value} among {names}"
    if difference is None:
        noun, related, opposed = _RELATIONS.get(result["effect_name"], _RELATIONS["r"])
        if not significant:
            return f"No significant {noun} between {a} and {b}"
        # the statistic of a pairwise accuracy is tau-b
        return f"{a} and {b} {related if result['statistic'] > 0 else opposed}"
    if "versus" in result:  # which of two values correlates better with the ratings
        ratings, means = result["versus"], f"{result['mean_a']:.4g} and {result['mean_b']:.4g}"
        if significant:
            how = "better" if difference > 0 else "worse"
            return f"{a} correlates {how} with {ratings} than {b}, {means}"
        return (
            f"No significant difference of the correlations of {a} and {b} with {ratings}, {means}"
        )
    if "margin" in result:  # whether a and b are equivalent, and whether they differ nevertheless
        p = result.get("p_difference_adjusted", result["p_difference"])
        differs = "no significant difference"
        if p < alpha(result["level"]):
            differs = _than(result, difference)
        are = "are equivalent" if significant else "are not shown equivalent"
        return f"{a} and {b} {are}{value} within ±{result['margin']:g} ({differs}, {p_is(p)})"
    if not significant:
        return f"No significant difference{value} between {a} and {b}"
    if result.get("effect_name") not in RANKED:
        return f"{_than(result, difference)}{value}"
    # means may not agree with ranks
    effect, (low, high) = result["effect"], result["ci"] or (0, 0)
    mostly = "" if effect * low > 0 and effect * high > 0 else "mostly "
    return f"{_than(result, effect, mostly)}{value}"


def _than(result: dict, difference: float, mostly: str = "") -> str:
    """Return which of two groups is better, more sensitive or, where nobody knows, higher."""
    a, b = result["a"], result["b"]
    measure = spec(result["value"]).partition(":")[0]
    better = None if a == result["value"] else result["better"]  # else two values of one record
    verb, more, less = _THAN[measure if better and measure in _THAN else better]
    return f"{a} {verb} {mostly}{more if difference > 0 else less} than {b}"


def _value(result: dict) -> str:
    """Return the value in which groups differ; "" for two values of the same records."""
    mean = corpus_scores.mean_of(result["value"])
    of = f" (of records: {mean})" if mean else ""
    return "" if result.get("a") == result["value"] else f" in {result['value']}{of}"


def _group(result: dict) -> str:
    """Return the group of the records whose two values were compared; "" for all records."""
    return f" in {result['group']}" if result.get("group") is not None else ""


def _interval(result: dict) -> str:
    interval = _tested_interval(result)
    if not interval:
        return ""
    level = result.get("ci_level", result["level"])
    level = 2 * level - 1 if "margin" in result else level
    return f" ({100 * level:.4g} % CI {interval[0]:.4g} to {interval[1]:.4g})"


def _size(result: dict) -> str:
    """Return n and, if it was asked for, the power and the n that 80 % needs."""
    if "groups" in result:
        return f"n = {result['n']:,}"
    unit = "values" if "n_a" in result else "pair" if result["n"] == 1 else "pairs"
    if "per" in result:
        unit = f"{result['per']}s"
    elif result["test"].partition(":")[0] == "cluster-bootstrap":
        unit = f"pairs in {result['clusters']:,} clusters"
    size = f"n = {result['n']:,} {unit}"
    power, needed = result.get("power"), result.get("n_needed")
    if power is None:
        return size
    shown = "> 0.99" if power > 0.99 else "< 0.01" if power < 0.01 else f"{power:.2f}"
    unit = "values in each group" if "n_a" in result else "pairs"
    return f"{size}; power {shown}" + (f", 80 % needs {needed:,} {unit}" if needed else "")


def _scale(result: dict) -> str:
    """Return on which scale ratings were taken; "" for a test that has none."""
    if "scale" in result:
        return f", {result['scale']} scale"
    weights = result.get("weights")
    return {None: "", "none": ", unweighted"}.get(weights, f", {weights} weights")


def _degrees(result: dict) -> str:
    """Return which options take whole numbers for degrees, if a default took them for names."""
    name, _, options = result["test"].partition(":")
    is_default = "scale=" not in options and "weights=" not in options
    if "whole_numbers" not in result or name not in _OF_DEGREES or not is_default:
        return ""
    low, high = result["whole_numbers"]
    return (
        f" The ratings are whole numbers from {low} to {high}, and were taken for names: "
        f"{_OF_DEGREES[name]} may be meant."
    )


def _ratings(result: dict) -> str:
    if result["counts"] is None:
        return f"No ratings of {result['group']}: {result['reason']}."
    low, high = result["share_ci"]
    ratings, are = ("rating", "is") if result["n"] == 1 else ("ratings", "are")
    return (
        f"{result['group']}: {result['share']:.4g} % of {result['n']:,} {ratings} in "
        f"{result['value']} {are} {result['top']:g} or more ({100 * result['level']:g} % CI "
        f"{low:.4g} to {high:.4g})."
    )


def _agreement(result: dict) -> str:
    raters = f"{result['raters']} raters of {result['value']} in {result['group']}"
    if result["effect"] is None:
        return f"No agreement computed for {raters}: {result['reason']}."
    p = "" if result["p"] is None else f", {p_is(result['p'])}"
    return (
        f"Agreement of {raters}{_scale(result)}: {result['effect_name']} {result['effect']:.4g}"
        f"{_interval(result)}{p}, n = {result['n']:,} items.{_degrees(result)}"
    )


def _untested(result: dict) -> str:
    """Return why there is no test, and whether groups are equivalent without one."""
    names = (
        " and ".join((str(result["a"]), str(result["b"])))
        if "a" in result
        else ", ".join(map(str, result["groups"]))
    )
    reason, dropped, equivalent = result.get("reason", "it has no p"), "", ""
    if result["dropped"] and "needs" in reason:
        counts = ", ".join(
            f"{count:,} {_DROPPED.get(why, why).format_map(result)}"
            for why, count in result["dropped"].items()
        )
        dropped = f" (dropped: {counts})"
    if result.get("equivalent") is not None:
        equivalent = f", {'' if result['equivalent'] else 'not '}within ±{result['margin']:g}"
    return f"No test of {names}{_value(result)}{_group(result)}: {reason}{dropped}{equivalent}."


def spec(value: str) -> str:
    """Return the label of a value that was tested, or of a metric, with the last parts of paths alone.

    >>> spec("scores.S:bertscore:model=/home/me/models/roberta-large,layer=17")
    'S:bertscore:model=roberta-large,layer=17'
    """
    return re.sub(r"(?<==)[^,=]*/([^,/=]+)", r"\1", value.removeprefix("scores."))


def shown(value: float, places: int = 2) -> str:
    """Return a number as people read it, with a true minus.

    >>> shown(-1.234)
    '−1.23'
    """
    return grids.rounded(value, places).replace("-", "−")


def with_interval(
    value: float, ci: Sequence[float] | None, unit: str = "", level: float = 0.95, why: str = ""
) -> str:
    """Return a number and its interval for a sentence; why: of its level.

    >>> with_interval(7.194, [1.548, 12.84], "percent")
    '7.19 % (95 % CI 1.55 to 12.84)'
    """
    number = shown(value) + (" %" if unit.startswith("percent") else "")
    if not ci:
        return number
    return f"{number} ({100 * level:.4g} % CI {shown(ci[0])} to {shown(ci[1])}{why})"


def listed(names: Iterable[str]) -> str:
    """Return names for a sentence.

    >>> listed("abc"), listed("a"), listed("")
    ('a, b and c', 'a', '')
    """
    *first, last = list(names) or [""]
    return f"{', '.join(first)} and {last}" if first else last
