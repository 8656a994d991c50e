"""The conclusion from a result, in a sentence."""

from dialtools.comparison import corpus_scores
from dialtools.statistics.results import alpha
from dialtools.tables import tables

_DIRECTED = ("rank-biserial", "cliff", "sign")  # effects that give the direction, instead of means
_CORRECTIONS = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini–Hochberg"}
# tests whose ratings may be degrees where they were taken for names, and with which options
_OF_DEGREES = {
    "krippendorff": "scale=ordinal or scale=interval",
    "fleiss": "krippendorff:scale=ordinal or krippendorff:scale=interval",
    "kappa": "weights=linear or weights=quadratic",
    "light": "weights=linear or weights=quadratic",
}
_DROPPED = {"only_a": "only in {a}", "only_b": "only in {b}", "no_group": "in no group"}


def verdict(result: dict) -> str:
    """Return the conclusion from the result of one comparison."""
    if "counts" in result:
        return _ratings(result)
    if "raters" in result:
        return _agreement(result)
    if result["p"] is None:
        return _untested(result)
    significant = bool(is_significant(result))
    after = f" after {correction(result)}" if correction(result) else ""
    numbers = f"{_interval(result)}, {corrected_p(result)}{after}, {_size(result)}{_power(result)}."
    if disagrees(result, significant):
        return f"{_undecided(result, significant)}{numbers}{_degrees(result)}"
    is_pair = "groups" not in result and "margin" not in result and result["difference"] is not None
    warning = "" if significant or not is_pair else " This does not show equivalence; see tost."
    return f"{_finding(result, significant)}{numbers}{warning}{_degrees(result)}"


def disagrees(result: dict, significant: bool) -> bool:
    """Tell whether the interval excludes 0 where the test finds no difference, or the reverse.

    It may, where both come of different methods, as a bootstrap interval and ranks do.
    """
    interval = _shown_interval(result)
    if not interval or "groups" in result or "margin" in result:
        return False
    return _excludes_0(interval) != significant and not _is_of_ranks(result, significant)


def _excludes_0(interval: list[float]) -> bool:
    return interval[0] > 0 or interval[1] < 0


def _is_of_ranks(result: dict, significant: bool) -> bool:
    """Tell whether ranks or signs show what the interval of the mean difference does not."""
    return (
        significant
        and result.get("effect_name") in _DIRECTED
        and bool(result["ci"])
        and not _excludes_0(result["ci"])
    )


def _undecided(result: dict, significant: bool) -> str:
    names = f"Undecided{_in(result)} between {result['a']} and {result['b']}"
    excludes, finds = ("includes", "finds one") if significant else ("excludes", "finds none")
    said = f"{names}, for {result['test']} {finds} but its interval {excludes} 0"
    if result["difference"] is None:
        return f"{said}: {result['effect_name']} {result['effect']:.4g}{_scale(result)}"
    return f"{said}: difference {result['difference']:.4g}"


def is_significant(result: dict) -> bool | None:
    """Return whether the corrected p is small enough; None without a p."""
    p = result.get("p_adjusted", result.get("p"))
    return None if p is None else p < alpha(result["level"])


def correction(result: dict) -> str:
    """Return after whom p was corrected for several tests; "" where it was not."""
    return _CORRECTIONS[result["correction"]] if "p_adjusted" in result else ""


def corrected_p(result: dict) -> str:
    """Return what `p_is` does of the p of a result, the corrected one if there is one."""
    return p_is(result.get("p_adjusted", result["p"]))


def p_is(p: float) -> str:
    """Return "p = 0.0123" or "p < 0.0001"."""
    shown = tables.probability(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def _untested(result: dict) -> str:
    """Return why there is no test, and whether groups are equivalent without one."""
    names = (
        " and ".join((str(result["a"]), str(result["b"])))
        if "a" in result
        else ", ".join(map(str, result["groups"]))
    )
    reason, dropped = result.get("reason", "it has no p"), ""
    if result["dropped"] and "needs" in reason:
        parts = [
            f"{count:,} {_DROPPED.get(why, why).format_map(result)}"
            for why, count in result["dropped"].items()
        ]
        dropped = f" (dropped: {', '.join(parts)})"
    equivalent = ""
    if result.get("equivalent") is not None:
        equivalent = f", {'' if result['equivalent'] else 'not '}within ±{result['margin']:g}"
    return f"No test of {names}{_in(result)}: {reason}{dropped}{equivalent}."


def _finding(result: dict, significant: bool) -> str:
    a, b, value = result.get("a"), result.get("b"), _in(result)
    if "groups" in result:
        names = ", ".join(map(str, result["groups"]))
        return f"{'S' if significant else 'No s'}ignificant difference{value} among {names}"
    if result["difference"] is None:
        effect = f"{result['effect_name']} {result['effect']:.4g}{_scale(result)}"
        return f"{_related(result, significant)}: {effect}"
    size = f"difference {result['difference']:.4g}"
    if _is_of_ranks(result, significant):
        size = f"{result['effect_name']} {result['effect']:.4g}"
    if "versus" in result:
        return f"{_correlations(result, significant)}: {size}"
    if "margin" in result:
        return f"{_equivalence(result, significant)}: {size}"
    if significant:
        return f"{a} is {_higher(result)} than {b}{value}: {size}"
    return f"No significant difference{value} between {a} and {b}: {size}"


def _in(result: dict) -> str:
    """Return the value in which groups differ; "" for two values of the same records."""
    mean = corpus_scores.mean_of(result["value"])
    of = f" (of records: {mean})" if mean else ""
    return "" if result.get("a") == result["value"] else f" in {result['value']}{of}"


def _related(result: dict, significant: bool) -> str:
    """Return whether a and b correlate, or agree beyond chance."""
    both, is_agreement = f"{result['a']} and {result['b']}", result["effect_name"] == "kappa"
    if not significant:
        return f"No significant {'agreement' if is_agreement else 'correlation'} between {both}"
    if result["effect"] < 0:
        return f"{both} {'agree less than by chance' if is_agreement else 'correlate negatively'}"
    return f"{both} {'agree' if is_agreement else 'correlate'}"


def _correlations(result: dict, significant: bool) -> str:
    """Return which of two values correlates better with the ratings."""
    a, b, ratings = (f"{result[one]}" for one in ("a", "b", "versus"))
    shown = f"{result['mean_a']:.4g} and {result['mean_b']:.4g}"
    if not significant:
        return (
            f"No significant difference of the correlations of {a} and {b} with {ratings}, {shown}"
        )
    how = "better" if result["difference"] > 0 else "worse"
    return f"{a} correlates {how} with {ratings} than {b}, {shown}"


def _equivalence(result: dict, equivalent: bool) -> str:
    """Return whether a and b are equivalent, and whether they differ nevertheless."""
    p = result.get("p_difference_adjusted", result["p_difference"])
    a, b, value = result["a"], result["b"], _in(result)
    differs = (
        f"{a} is {'higher' if result['difference'] > 0 else 'lower'} than {b}"
        if p < alpha(result["level"])
        else "no significant difference"
    )
    found = f"{a} and {b} are equivalent" if equivalent else f"{a} and {b} are not shown equivalent"
    return f"{found}{value} within ±{result['margin']:g} ({differs}, {p_is(p)})"


def _higher(result: dict) -> str:
    """Return the direction of a difference, with "mostly" where means may not agree with ranks."""
    if result.get("effect_name") not in _DIRECTED:
        return "higher" if result["difference"] > 0 else "lower"
    direction, (low, high) = "higher" if result["effect"] > 0 else "lower", result["ci"] or (0, 0)
    agree = result["effect"] * low > 0 and result["effect"] * high > 0
    return direction if agree else f"mostly {direction}"


def _shown_interval(result: dict) -> list[float] | None:
    of_effect = result["difference"] is None or _is_of_ranks(result, bool(is_significant(result)))
    return result.get("effect_ci") if of_effect else result["ci"]


def _interval(result: dict) -> str:
    interval = _shown_interval(result)
    level = result.get("ci_level", result["level"])
    level = 2 * level - 1 if "margin" in result else level
    if not interval:
        return ""
    return f" ({100 * level:.4g} % CI {interval[0]:.4g} to {interval[1]:.4g})"


def _size(result: dict) -> str:
    if "groups" in result:
        return f"n = {result['n']:,}"
    unit = "values" if "n_a" in result else "pair" if result["n"] == 1 else "pairs"
    if result["test"].partition(":")[0] == "cluster-bootstrap":
        unit = f"pairs in {result['clusters']:,} clusters"
    return f"n = {result['n']:,} {unit}"


def _power(result: dict) -> str:
    """Return the power, if it was asked for, and the n that 80 % needs."""
    power, n = result.get("power"), result.get("n_needed")
    if power is None:
        return ""
    shown = "> 0.99" if power > 0.99 else "< 0.01" if power < 0.01 else f"{power:.2f}"
    unit = "values in each group" if "n_a" in result else "pairs"
    return f"; power {shown}" + (f", 80 % needs {n:,} {unit}" if n else "")


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
    """Return how far raters agree."""
    of = f"{result['raters']} raters of {result['value']} in {result['group']}"
    if result["effect"] is None:
        return f"No agreement computed for {of}: {result['reason']}."
    p = "" if result["p"] is None else f", {p_is(result['p'])}"
    return (
        f"Agreement of {of}{_scale(result)}: {result['effect_name']} {result['effect']:.4g}"
        f"{_interval(result)}{p}, n = {result['n']:,} items.{_degrees(result)}"
    )


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
