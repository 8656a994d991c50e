"""What may be concluded from a result, in one sentence."""

from dialtools.comparison import corpus
from dialtools.reports import tables
from dialtools.statistics.answers import alpha

_DIRECTED = ("rank-biserial", "cliff", "sign")  # effects that say who is higher better than the means do


def verdict(result: dict) -> str:
    """Return what may be concluded from the result of one comparison."""
    if "counts" in result:
        return _ratings(result)
    if result["p"] is None:
        names = ", ".join(map(str, result["groups"])) if "groups" in result else f"{result['a']} against {result['b']}"
        why = f"{result.get('reason', 'it has no p')}{_left_out(result)}{_decided(result)}"
        return f"No test of {names}{_in(result)}: {why}."
    p = result.get("p_adjusted", result["p"])
    found = _finding(result, p < alpha(result["level"]))
    correction = f" after {_CORRECTIONS[result['correction']]}" if "p_adjusted" in result else ""
    return f"{found}{_interval(result)}, {p_is(p)}{correction}, {_size(result)}{_power(result)}."


def _left_out(result: dict) -> str:
    """Return how many ids were dropped and why, of a test that lacks some."""
    if not result["dropped"] or "needs" not in result.get("reason", ""):
        return ""
    said = {"only_a": f"only in {result.get('a')}", "only_b": f"only in {result.get('b')}", "no_group": "in no group"}
    return f" (dropped: {', '.join(f'{count:,} {said.get(why, why)}' for why, count in result['dropped'].items())})"


def _decided(result: dict) -> str:
    """Return whether equivalence holds, where that takes no test."""
    if result.get("equivalent") is None:
        return ""
    return f"; that is {'' if result['equivalent'] else 'not '}within ±{result['margin']:g}"


def p_is(p: float) -> str:
    """Return "p = 0.0123" or "p < 0.0001"."""
    shown = tables.probability(p)
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


_CORRECTIONS = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini–Hochberg"}


def _finding(result: dict, significant: bool) -> str:
    a, b, value = result.get("a"), result.get("b"), _in(result)
    if "groups" in result:
        names = ", ".join(map(str, result["groups"]))
        return f"{'A' if significant else 'No'} difference{value} is shown among {names}"
    if result["difference"] is None:
        return f"{_related(result, significant)}: {result['effect_name']} {result['effect']:.4g}"
    if "margin" in result:
        return _equivalence(result, significant)
    if significant:
        return f"{a} is {_higher(result)} than {b}{value}: difference {result['difference']:.4g}"
    return f"No difference{value} is shown between {a} and {b}, nor that there is none: " \
        f"difference {result['difference']:.4g}"


def _in(result: dict) -> str:
    """Return in what groups differ; nothing where two values of the same records do."""
    mean = corpus.mean_of(result["value"])
    of = f" (of records: {mean})" if mean else ""
    return "" if result.get("a") == result["value"] else f" in {result['value']}{of}"


def _related(result: dict, significant: bool) -> str:
    """Return whether a and b correlate, or agree beyond chance."""
    both, agree = f"{result['a']} and {result['b']}", result["effect_name"] == "kappa"
    if not significant:
        return f"That {both} {'agree' if agree else 'correlate'} is not shown"
    if result["effect"] < 0:
        return f"{both} {'agree less than by chance' if agree else 'correlate negatively'}"
    return f"{both} {'agree' if agree else 'correlate'}"


def _equivalence(result: dict, equivalent: bool) -> str:
    """Return whether a difference is shown, and whether it is shown to be small."""
    p = result.get("p_difference_adjusted", result["p_difference"])
    differs = p < alpha(result["level"])
    a, b, value = result["a"], result["b"], _in(result)
    first = f"{a} is {'higher' if result['difference'] > 0 else 'lower'} than {b}{value}" if differs else \
        f"No difference{value} is shown between {a} and {b}"
    shown = f"equivalence within ±{result['margin']:g} is {'shown' if equivalent else 'not shown'}"
    return f"{first} ({p_is(p)}); {shown}: difference {result['difference']:.4g}"


def _higher(result: dict) -> str:
    """Return which way a and b differ; mostly, where the test is of ranks or signs and the means may not differ so."""
    if result.get("effect_name") not in _DIRECTED:
        return "higher" if result["difference"] > 0 else "lower"
    way, (low, high) = "higher" if result["effect"] > 0 else "lower", result["ci"] or (0, 0)
    return way if result["effect"] * low > 0 and result["effect"] * high > 0 else f"mostly {way}"


def _interval(result: dict) -> str:
    interval = result.get("effect_ci") if result["difference"] is None else result["ci"]
    level = 2 * result["level"] - 1 if "margin" in result else result["level"]
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
    """Return the power, where it was asked for, and the n that 80 % takes."""
    power, n = result.get("power"), result.get("n_needed")
    if power is None:
        return ""
    shown = "> 0.99" if power > 0.99 else "< 0.01" if power < 0.01 else f"{power:.2f}"
    unit = "values in each group" if "n_a" in result else "pairs"
    return f"; power {shown}" + (f", 80 % takes {n:,} {unit}" if n else "")


def _ratings(result: dict) -> str:
    if result["counts"] is None:
        return f"No ratings of {result['group']}: {result['reason']}."
    low, high = result["share_ci"]
    ratings, are = ("rating", "is") if result["n"] == 1 else ("ratings", "are")
    return (f"{result['group']}: {100 * result['share']:.4g} % of {result['n']:,} {ratings} in {result['value']} {are} "
            f"{result['top']:g} or more ({100 * result['level']:g} % CI {100 * low:.4g} to {100 * high:.4g}).")
