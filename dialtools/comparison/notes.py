"""Notes on results: where the numbers of groups come from, and which assumptions of a test are in doubt."""

from collections.abc import Iterator, Sequence

from dialtools.comparison import corpus_scores
from dialtools.comparison.groups import Group
from dialtools.comparison.verdicts import p_is
from dialtools.evaluation import noise, units
from dialtools.plugins import registry
from dialtools.statistics import results


def on_groups(groups: Sequence[Group], plugin: registry.Plugin) -> Iterator[str]:
    """Yield notes on the origin of the numbers of groups."""
    path, *others = {group.path: None for group in groups}
    if not others and (mean := corpus_scores.mean_of(path)):
        label = path.removeprefix(units.SCORES)
        remedy = f": --value {units.STATISTICS}{label}" if units.is_resampled(label) else ""
        yield (
            f"the mean of {path} over records is {mean}, not {label.partition(':')[0]} of the "
            f"data set{remedy}"
        )
    yield from _on_variants(groups)
    yield from _on_dependence(groups, plugin)
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


def _on_variants(groups: Sequence[Group]) -> Iterator[str]:
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


def _on_dependence(groups: Sequence[Group], plugin: registry.Plugin) -> Iterator[str]:
    """Yield notes on clusters, and on ids that groups share, where the test does not allow for them."""
    by_cluster, is_paired = plugin.declared.clusters, plugin.declared.paired
    clustered = next((group for group in groups if len(group.means) > group.clusters), None)
    if clustered and not by_cluster and clustered.per not in ("cluster", "system"):
        doubt = "are not independent: p may be too small and intervals too narrow"
        if clustered.of_systems and len(clustered.systems) > 1:
            yield f"{len(clustered.means):,} outputs of {clustered.clusters:,} sources {doubt}"
        else:
            yield (
                f"{len(clustered.means):,} ids in {clustered.clusters:,} clusters {doubt} (use -t "
                "cluster-bootstrap or --per cluster)"
            )
    has_clusters = any(group.cluster_of for group in groups)
    if (by_cluster or groups[0].per == "cluster") and not has_clusters:
        yield "no record names a cluster, so each id is its own (--key cluster=NAME)"
    shared = 0 if is_paired else len(set.intersection(*(set(group.means) for group in groups)))
    if shared and len(groups) > 1:
        yield f"this test assumes independent groups, but they share {shared:,} ids (use -t paired)"


def on_agreement(agreement: dict, is_mean: bool) -> str:
    """Return how far raters agree, whose mean was tested or each of whose ratings counts."""
    value, raters, n = (agreement[key] for key in ("value", "raters", "n"))
    head, doubt = f"{value} is the mean of {raters} raters: ", ""
    if not is_mean:
        head = f"{raters} raters of {value}: "
        doubt = "; those of one text are not independent, and intervals may be too narrow"
    if agreement["alpha"] is None:
        return f"{head}no agreement computed, {n:,} texts with two ratings and more"
    interval = ""
    if agreement["ci"]:
        low, high = agreement["ci"]
        interval = f" ({100 * agreement['level']:.4g} % CI {low:.4g} to {high:.4g})"
    return (
        f"{head}Krippendorff's alpha {agreement['alpha']:.4g}{interval}, {agreement['scale']} scale, "
        f"n = {n:,} texts{doubt}"
    )


def on_units(groups: Sequence[Group]) -> Iterator[str]:
    """Yield a note on a difference of numbers of different units."""
    if len({group.unit.name for group in groups}) > 1:
        yield (
            "a difference of different units, all numbers as they are in the records: "
            + ", ".join(f"{group.path} of {group.name} ({group.unit.name})" for group in groups)
        )


def on_assumptions(
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
