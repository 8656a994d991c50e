"""A comparison in words: its conclusion in a sentence, and notes on its numbers and assumptions."""

from collections.abc import Iterator, Sequence

from dialtools.comparison import corpus_scores
from dialtools.comparison.groups import STATISTICS, Group
from dialtools.evaluation import noise, units
from dialtools.plugins import registry
from dialtools.statistics import results
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
    significant, warning = bool(is_significant(result)), ""
    if disagrees(result, significant):
        excludes, finds = ("includes", "one") if significant else ("excludes", "none")
        shown = _effect(result) if _is_of_effect(result) else _difference(result)
        conclusion = (
            f"Undecided{_value(result)} between {result['a']} and {result['b']}, for "
            f"{result['test']} finds {finds} but its interval {excludes} 0: {shown}"
        )
    else:
        conclusion = _conclusion(result, significant)
        if not (significant or "groups" in result or "margin" in result or _is_of_effect(result)):
            warning = " This does not show equivalence; see tost."
    after = f" after {correction(result)}" if correction(result) else ""
    return (
        f"{conclusion}{_interval(result)}, {corrected_p(result)}{after}, {_size(result)}."
        f"{warning}{_degrees(result)}"
    )


def is_significant(result: dict) -> bool | None:
    """Return whether the corrected p is small enough; None without a p."""
    p = result.get("p_adjusted", result.get("p"))
    return None if p is None else p < alpha(result["level"])


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


def _is_of_effect(result: dict) -> bool:
    """Tell whether an effect alone is tested, such as a correlation, and no difference."""
    return result["difference"] is None


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
    return f"No test of {names}{_value(result)}: {reason}{dropped}{equivalent}."


def _conclusion(result: dict, significant: bool) -> str:
    a, b, value = result.get("a"), result.get("b"), _value(result)
    if "groups" in result:
        names = ", ".join(map(str, result["groups"]))
        return f"{'S' if significant else 'No s'}ignificant difference{value} among {names}"
    if _is_of_effect(result):
        kappa = result["effect_name"] == "kappa"
        if not significant:
            related = "agreement" if kappa else "correlation"
            return f"No significant {related} between {a} and {b}: {_effect(result)}"
        related = "agree" if kappa else "correlate"
        if result["effect"] < 0:
            related = "agree less than by chance" if kappa else "correlate negatively"
        return f"{a} and {b} {related}: {_effect(result)}"
    shown = _difference(result)
    if _is_of_ranks(result, significant):
        shown = f"{result['effect_name']} {result['effect']:.4g}"
    if "versus" in result:
        return f"{_correlations(result, significant)}: {shown}"
    if "margin" in result:
        return f"{_equivalence(result, significant)}: {shown}"
    if not significant:
        return f"No significant difference{value} between {a} and {b}: {shown}"
    direction = "higher" if result["difference"] > 0 else "lower"
    if result.get("effect_name") in _DIRECTED:
        # "mostly" where means may not agree with ranks
        effect, (low, high) = result["effect"], result["ci"] or (0, 0)
        direction = "higher" if effect > 0 else "lower"
        direction = direction if effect * low > 0 and effect * high > 0 else f"mostly {direction}"
    return f"{a} is {direction} than {b}{value}: {shown}"


def _value(result: dict) -> str:
    """Return the value in which groups differ; "" for two values of the same records."""
    mean = corpus_scores.mean_of(result["value"])
    of = f" (of records: {mean})" if mean else ""
    return "" if result.get("a") == result["value"] else f" in {result['value']}{of}"


def _effect(result: dict) -> str:
    return f"{result['effect_name']} {result['effect']:.4g}{_scale(result)}"


def _difference(result: dict) -> str:
    return f"difference {result['difference']:.4g}"


def _correlations(result: dict, significant: bool) -> str:
    """Return which of two values correlates better with the ratings."""
    a, b, ratings = result["a"], result["b"], result["versus"]
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
    a, b = result["a"], result["b"]
    differs = "no significant difference"
    if p < alpha(result["level"]):
        differs = f"{a} is {'higher' if result['difference'] > 0 else 'lower'} than {b}"
    are = "are equivalent" if equivalent else "are not shown equivalent"
    margin = f"within ±{result['margin']:g}"
    return f"{a} and {b} {are}{_value(result)} {margin} ({differs}, {p_is(p)})"


def _shown_interval(result: dict) -> list[float] | None:
    significant = bool(is_significant(result))
    of_effect = _is_of_effect(result) or _is_of_ranks(result, significant)
    return result.get("effect_ci") if of_effect else result["ci"]


def _interval(result: dict) -> str:
    interval = _shown_interval(result)
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
    if result["test"].partition(":")[0] == "cluster-bootstrap":
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


def notes_on_groups(groups: Sequence[Group], plugin: registry.Plugin) -> Iterator[str]:
    """Yield notes on the origin of the numbers of groups."""
    path, *others = {group.path: None for group in groups}
    if not others and (mean := corpus_scores.mean_of(path)):
        label = path.removeprefix(corpus_scores.SCORES)
        remedy = f": --value {STATISTICS}{label}" if units.is_resampled(label) else ""
        yield (
            f"the mean of {path} over records is {mean}, not {label.partition(':')[0]} of the "
            f"data set{remedy}"
        )
    yield from _notes_on_variants(groups)
    yield from _notes_on_dependence(groups, plugin)
    ids = {
        key[0] if isinstance(key, tuple) else key
        for group in groups
        for key in (*group.means, *group.lost)
    }
    if alike := len(ids) - len(set(map(str, ids))):
        yield f'ids that are an integer in one record and a string in another (1, "1"): {alike:,}'
    for group in groups:
        if checked := noise.line(group.identity):
            yield f"{group.name}: outputs {checked}"


def _notes_on_variants(groups: Sequence[Group]) -> Iterator[str]:
    if any(group.averaged for group in groups) and groups[0].is_statistics:
        yield "the statistics of an id's variants were summed"
    elif any(group.averaged for group in groups):
        numbers = ", ".join(
            f"{group.values:,} of {group.name} to {len(group.means):,}" for group in groups
        )
        yield f"variants of one id are not independent and were averaged: {numbers}"
        if len({frozenset(group.sizes) for group in groups if group.sizes}) > 1:
            yield "some ids have more values in one group than in another"
    if partial := sum(group.partial for group in groups):
        yield f"missing or null values left out of means: {partial:,}"
    if mixed := sum(group.mixed for group in groups):
        yield f"means over an original and its variants: {mixed:,}"
    if same := [f"{group.unchanged:,} of {group.name}" for group in groups if group.unchanged]:
        yield f"unchanged variants are included: {', '.join(same)}"


def _notes_on_dependence(groups: Sequence[Group], plugin: registry.Plugin) -> Iterator[str]:
    """Yield notes on clusters, and on ids that groups share, where the test does not allow for them."""
    by_cluster, is_paired = plugin.declared.clusters, plugin.declared.paired
    clustered = next((group for group in groups if len(group.means) > group.clusters), None)
    if clustered and not by_cluster and clustered.per != "cluster":
        yield (
            f"{len(clustered.means):,} ids in {clustered.clusters:,} clusters are not "
            "independent: p may be too small and intervals too narrow (use -t "
            "cluster-bootstrap or --per cluster)"
        )
    has_clusters = any(group.cluster_of for group in groups)
    if (by_cluster or groups[0].per == "cluster") and not has_clusters:
        yield "no record names a cluster, so each id is its own (--cluster-key)"
    shared = 0 if is_paired else len(set.intersection(*(set(group.means) for group in groups)))
    if shared and len(groups) > 1:
        yield f"this test assumes independent groups, but they share {shared:,} ids (use -t paired)"


def notes_on_units(groups: Sequence[Group]) -> Iterator[str]:
    """Yield a note on a difference of numbers of different units."""
    if len({group.unit.name for group in groups}) > 1:
        yield (
            "a difference of different units, all numbers as they are in the records: "
            + ", ".join(f"{group.path} of {group.name} ({group.unit.name})" for group in groups)
        )


def notes_on_assumptions(
    plugin: registry.Plugin, columns: list[list[float]], result: dict
) -> Iterator[str]:
    """Yield notes on assumptions of a test that are in doubt."""
    assumed = plugin.declared.assumes
    drawn, unit = min(map(len, columns)), "pairs" if plugin.declared.paired else "values"
    if "clusters" in result:
        drawn, unit = result["clusters"], "clusters"
    if "normal differences" in assumed:
        p = results.normality([x - y for x, y in zip(*columns, strict=True)])
        if p is not None and p < results.DOUBT:
            remedy = (
                "see whether the interval of -t bootstrap is within the margin, at --level 0.9 "
                "for 0.95"
                if "margin" in result
                else "wilcoxon and bootstrap do not assume it"
            )
            yield (
                f"differences are not normal (K² test, {p_is(p)}), which matters less for large "
                f"n; {remedy}"
            )
    if "interval" in plugin.defaults() and result["ci"]:
        doubt = "the bootstrap interval may be too narrow"
        if "many values" in assumed:
            doubt = "the bootstrap's p may be too small (use permutation)"
        if few := results.few_drawn(drawn, unit, doubt):
            yield few
    if "many ranks" in assumed and drawn < results.FEW_RANKS:
        yield f"only {drawn} ranks: p by Student's t is approximate (kendall is exact)"
    low, high = result.get("effect_ci") or (0, 0)
    if (
        "equal variances" in assumed
        or "equal variances of no effect" in assumed
        and low <= 0 <= high
    ):
        p = results.equal_variances(*columns)
        if p is not None and p < results.DOUBT:
            yield f"variances differ (Brown–Forsythe test, {p_is(p)}): use welch"
