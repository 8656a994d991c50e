"""Significance tests except t tests, against scipy, values of statsmodels and R, and by hand."""

import math
import random
from types import SimpleNamespace

import numpy
import pytest
from scipy import special, stats

from dialtools.plugins import registry
from dialtools.statistics import corrections, distributions, moments, resampling, results
from dialtools.system.errors import OptionError

# 4 and 34 pairs with ties, 33 and 200 without
SEEDS = pytest.mark.parametrize("seed", (0, 3, 4, 7))


def run(test: str, *columns, level: float = 0.95, **options) -> dict:
    return registry.load("hypothesis_tests", test).call(*columns, level, **options)


def close(value, exact: float = 1e-10):
    return pytest.approx(value, rel=exact, abs=1e-300)


def draw(seed: int, places: int = 9) -> tuple[list[float], list[float]]:
    """Return pairs, few or many, with ties and zero differences where they are rounded."""
    rng = random.Random(seed)
    n = [4, 9, 20, 33, 34, 49, 60, 200][seed % 8]
    a = [round(rng.gauss(0, 1), places) for _ in range(n)]
    return a, [round(x + rng.gauss(0.2, 1), places) for x in a]


def test_chi2_agrees_with_scipy():
    for df in [1, 2, 3, 4, 9]:
        for value in (0, 1e-8, 0.3, 3, 40, 900):
            assert distributions.chi2_beyond(value, df) == close(stats.chi2.sf(value, df))


def test_f_agrees_with_scipy():
    for between in [1, 2, 3, 9]:
        for within in [2, 11, 31, 57, 1000, 1e5]:
            for value in (0, 1e-6, 0.5, 1, 2, 20, 1e3):
                exact = special.betaincc(
                    between / 2, within / 2, between * value / (between * value + within)
                )
                assert distributions.f_beyond(value, between, within) == close(exact)


def test_f_of_very_many_values_has_lost_no_digits():
    """Of three groups it is (1 + 2 F / within)^(-within / 2), by hand."""
    for value in [1.3, 7.7, 20.1]:
        assert distributions.f_beyond(value, 2, 1e8) == close(
            math.exp(-5e7 * math.log1p(2 * value / 1e8)), 1e-12
        )


def test_the_binomial_distribution_agrees_with_scipy():
    for n in [1, 2, 20, 1000, 1001, 30_000]:
        for count in {0, n // 3, n // 2, round(n / 2 - n**0.5 / 2)}:
            assert distributions.binomial_outside(count, n) == close(
                stats.binomtest(count, n).pvalue
            )


@SEEDS
@pytest.mark.parametrize("zeros", ["wilcox", "pratt"])
@pytest.mark.parametrize("places", [1, 9])
def test_wilcoxon_agrees_with_scipy(seed: int, zeros: str, places: int):
    a, b = draw(seed, places)
    result = run(f"wilcoxon:zeros={zeros},resamples=10", a, b)
    gaps = numpy.round(numpy.subtract(a, b), 10)  # the ties that we see, and it does not
    plain = zeros == "wilcox" or all(gaps)
    gaps = gaps[gaps != 0] if zeros == "wilcox" else gaps
    tied = len(set(abs(gaps))) < len(gaps)
    exact = stats.PermutationMethod(n_resamples=math.inf) if tied or not plain else "exact"
    reference = stats.wilcoxon(
        gaps, zero_method=zeros, method=exact if result["method"] == "exact" else "asymptotic"
    )
    assert result["p"] == close(reference.pvalue)
    assert result["zeros"] == sum(numpy.round(numpy.subtract(a, b), 10) == 0)


def test_few_ties_beside_many_zeros_are_exact():
    """Of 64 signings of six ranks two have one sign; two more the lowest rank against five ties."""
    zeros = [0.0] * 50
    assert run("wilcoxon", [1.0] * 6 + zeros, [0.0] * 56)["p"] == 2 / 64
    assert run("wilcoxon", [-1.0, 2.0, 2.0, 2.0, 2.0, 2.0, *zeros], [0.0] * 56)["p"] == 4 / 64


def test_signed_ranks_beside_zeros_by_hand():
    """5 of 32 subsets of 1 to 5 sum to at most 1 + 2; with zeros 7 of 4 to 8 to at most 4 + 5."""
    gaps = [-1.0, -2.0, 3.0, 4.0, 5.0, 0.0, 0.0, 0.0]
    assert run("wilcoxon", gaps, [0.0] * 8)["p"] == 2 * 5 / 32
    assert run("wilcoxon:zeros=pratt", gaps, [0.0] * 8)["p"] == 2 * 7 / 32
    # five of eight subsets add up to 3 or less
    assert run("wilcoxon", [1.0, 2.0, -3.0], [0.0] * 3)["p"] == 1


def test_wilcoxon_is_exact_where_scipy_is():
    """Exact up to 50 of 1, -2, 3, -4 …, and up to 13 with a tie (first 2, -2) or a zero."""
    for zeros in ["wilcox", "pratt"]:
        for n, first, method in [
            (50, 1, "exact"),
            (51, 1, "normal"),
            (13, 2, "exact"),
            (14, 2, "normal"),
            (12, 0, "exact"),
            (15, 0, "normal"),
        ]:
            gaps = [float(first), *(float(at if at % 2 else -at) for at in range(2, n + 1))]
            result = run(f"wilcoxon:zeros={zeros}", gaps, [0.0] * n)
            reference = stats.wilcoxon(
                [gap for gap in gaps if gap or zeros == "pratt"], zero_method=zeros
            )
            assert result["p"] == close(reference.pvalue)
            assert result["method"] == ("exact" if zeros == "wilcox" and not first else method)


def test_the_sign_test_by_hand():
    """Of 64 throws of six coins 7 show one head or none."""
    result = run(
        "sign", [1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 7.0, 7.0], [0.0, 0.0, 0.0, 0.0, 0.0, 9.0, 7.0, 7.0]
    )
    assert (result["statistic"], result["p"], result["zeros"]) == (5, 2 * 7 / 64, 2)
    assert (result["effect"], result["difference"]) == (close(4 / 6), (1 + 2 + 3 + 4 + 5 - 9) / 8)
    assert run("sign", [1.0, 0.0, 2.0], [0.0, 5.0, 2.0])["p"] == 1  # as many up as down


@pytest.mark.parametrize(
    "test, same",
    [
        ("mann-whitney", lambda a, b: stats.mannwhitneyu(a, b, method="asymptotic")),
        ("spearman", stats.spearmanr),
        ("kendall", stats.kendalltau),
    ],
)
def test_means_that_rounding_alone_tells_apart_are_ties(test: str, same):
    """The mean of 0.1 and 0.2 is 0.15, as in hundredths; p of mann-whitney was 0.050 for 0.064."""
    mean = (0.1 + 0.2) / 2
    assert mean != 0.15
    a, b = (
        [0.15, mean, 0.3, 0.25, mean, 0.4, 0.5, 0.45, 0.6],
        [mean, 0.15, 0.15, 0.3, 0.2, mean, 0.15, 0.35, 0.05],
    )
    exact = same(*([round(100 * value) for value in values] for values in (a, b)))
    assert run(test, a, b)["p"] == close(exact.pvalue)


def test_ranks_of_what_is_far_from_0_or_near_it_are_told_apart():
    values = [1e16 + 2**8, 1e16, 1e-300, 2e-300, 5e-324, 1e-323, -1e-9, -1e-9 - 1e-20]
    assert sorted(moments.midranks(values)[0]) == list(range(1, 9))
    assert moments.midranks([-0.3, -(0.1 + 0.2), 1.0]) == ([1.5, 1.5, 3.0], [2])
    # each a tie with the next, but not all with each other
    rising = [1 + at * 2**-51 for at in range(64)]
    assert 2 < len(set(moments.midranks(rising)[0])) < 64


def test_differences_that_rounding_alone_tells_apart_are_ties():
    """0.3 - 0.2 and 0.2 - 0.1 differ in the last bit; so do 0.1 + 0.2 and 0.3."""
    assert run("wilcoxon", [0.3, 0.1, 0.9], [0.2, 0.2, 0.1])["statistic"] == 1.5 + 3
    assert run("wilcoxon", [0.1 + 0.2, 1.0, 2.0], [0.3, 0.0, 0.0])["zeros"] == 1
    # F1 of 3 of 4 and 5 words is 2/3, of 4 of 6 and 9 8/15, of 4 of 5 and 5 4/5: 2/15 up, and 2/15
    # down.
    words = [(3, 4, 5), (4, 6, 9), (3, 5, 4), (4, 5, 5)]
    f1 = {(m, x, y): 2 * (m / x) * (m / y) / (m / x + m / y) for m, x, y in words}
    assert (
        run("wilcoxon", [f1[3, 4, 5], f1[3, 5, 4], 0.9], [f1[4, 6, 9], f1[4, 5, 5], 0.1])[
            "statistic"
        ]
        == 1.5 + 3
    )


@SEEDS
def test_mann_whitney_agrees_with_scipy(seed: int):
    rng = random.Random(seed)
    a, c = (
        draw(seed, 1 + seed % 2 * 8)[0],
        [round(rng.gauss(0.5, 2), 1 + seed % 2 * 8) for _ in range(1 + seed)],
    )
    reference = stats.mannwhitneyu(a, c)
    result = run("mann-whitney:resamples=10", a, c)
    assert (result["statistic"], result["p"]) == (
        close(reference.statistic),
        close(reference.pvalue),
    )
    tied = len({*a, *c}) < len(a) + len(c)
    assert result["method"] == ("normal" if tied or min(len(a), len(c)) > 8 else "exact")


def test_exact_p_of_mann_whitney_agree_with_scipy():
    """Of orders of any kind, from one group above the other to both among each other."""
    for n, m in [(1, 4), (3, 4), (4, 9), (9, 4), (8, 11), (6, 6)]:
        rng = random.Random(n * m)
        for shift in (0, 1, 2, 3, 5, 20):
            a, c = [shift + rng.gauss(0, 2) for _ in range(n)], [rng.gauss(0, 2) for _ in range(m)]
            result = run("mann-whitney:resamples=10", a, c)
            assert (result["p"], result["method"]) == (
                close(stats.mannwhitneyu(a, c, method="exact").pvalue),
                "exact",
            )


def test_few_pairs_or_clusters_show_nothing_by_the_bootstrap():
    """Two of 4 exchanges of two pairs, and two of 32 of five, are as far from 0."""
    for n in (2, 5):
        a, b = [3.0 + at for at in range(n)], [1.0] * n
        p = run("permutation", a, b)["p"]
        assert p == 2 / 2**n == run("bootstrap", a, b)["p"]
        assert run("cluster-bootstrap", a * 4, b * 4, clusters=list(range(n)) * 4)["p"] == p


@pytest.mark.parametrize(
    "weights, a, b",
    [
        ("none", [1.0, 2.0], [2.0, 4.0]),
        ("none", [0.0, 1.0], [1.0, 0.0]),
        ("quadratic", [2.0, 0.0, 1.0], [0.0, 2.0, 1.0]),
    ],
)
def test_an_interval_of_kappa_without_a_width_is_none(weights: str, a: list, b: list):
    assert run(f"kappa:weights={weights}", a, b)["effect_ci"] is None


def test_a_label_that_is_given_once_in_many():
    """With equal margins kappa is phi, and n phi² is chi-squared with 1 df: z is √n of 1."""
    once = [1.0, *[0.0] * (10**5 - 1)]
    assert run("kappa", once, once)["statistic"] == close(math.sqrt(10**5))


def test_cliff_by_hand():
    """Of nine pairs a wins four (2 over 1, 5 over all), loses three (1 to 2, 3; 2 to 3)."""
    assert run("mann-whitney", [1.0, 2.0, 5.0], [2.0, 3.0, 1.0])["effect"] == close((4 - 3) / 9)


@SEEDS
def test_correlations_agree_with_scipy(seed: int):
    a, b = draw(seed, 1 + seed % 2 * 8)
    pearson, reference = run("pearson", a, b), stats.pearsonr(a, b)
    interval = reference.confidence_interval(0.95)
    assert (pearson["effect"], pearson["p"]) == (
        close(reference.statistic),
        close(reference.pvalue),
    )
    assert (pearson["effect_ci"], pearson["df"]) == (
        close([interval.low, interval.high]),
        len(a) - 2,
    )
    for test, function in (("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        result, reference = run(test, a, b), function(a, b)
        assert (result["effect"], result["p"]) == (
            close(reference.statistic),
            close(reference.pvalue),
        )


@pytest.mark.parametrize("b", [[2.0, 1.0, 0.0, 3.0], [3.0, 2.0, 0.0, 1.0, 4.0]])
def test_as_many_pairs_in_either_order(b: list[float]):
    """Three of six pairs are in falling order, and five of ten."""
    result = run("kendall", sorted(b), b)
    assert (result["effect"], result["p"], result["method"]) == (
        0,
        stats.kendalltau(sorted(b), b).pvalue,
        "exact",
    )


def test_ties_of_one_side_alone_leave_kendall_no_exact_p():
    rising, tied = [float(at) for at in range(9)], [2.0, 0.0, 1.0, 1.0, 5.0, 5.0, 5.0, 9.0, 3.0]
    for pair in ((rising, tied), (tied, rising)):
        result, reference = run("kendall", *pair), stats.kendalltau(*pair)
        assert (result["effect"], result["p"]) == (
            close(reference.statistic),
            close(reference.pvalue),
        )
        assert result["method"] == "normal"


@pytest.mark.parametrize("test", ["pearson", "spearman", "kendall"])
def test_three_pairs_have_a_correlation_and_no_interval(test: str):
    result = run(test, [1.0, 2.0, 3.0], [1.0, 3.0, 2.0])
    assert (result["p"] is None, result["effect_ci"]) == (False, None)


def test_a_correlation_without_exception():
    """p is 0, or of kendall 2 of 120 orders; an interval there is none."""
    for test in ["pearson", "spearman", "kendall"]:
        for way in [1, -1]:
            result = run(
                test,
                [1.0, 2.0, 3.0, 4.0, 5.0],
                [0.1 * way, 0.2 * way, 0.3 * way, 0.4 * way, 0.5 * way],
            )
            assert (result["effect"], result["p"]) == (way, 2 / 120 if test == "kendall" else 0)
            assert result["effect_ci"] is None


def test_r_is_1_but_for_rounding():
    """Sums of products are 1 + 2e-16 and 1 - 2e-16 here."""
    for way in [1, -1]:
        for values in [[0.1, 0.7, 0.3], [1.0, 2.0, 4.0]]:
            result = run("pearson", values, [way * 2 * value for value in values])
            assert (result["effect"], result["p"], result["effect_ci"]) == (way, 0, None)


def test_r_of_values_far_from_0():
    """The mean of 1e15 + 0, 2, 8 is not a double; by hand r = 2 / √(104/3 × 2), as of 0, 2, 8."""
    result = run("pearson", [1e15, 1e15 + 2, 1e15 + 8], [1.0, 3.0, 2.0])
    assert result["effect"] == close(2 / math.sqrt(104 / 3 * 2))


@pytest.mark.parametrize("way", [1, -1])
def test_kendall_is_exact_where_one_pair_is_out_of_order(way: int):
    a = [float(at) for at in range(40)]
    b = [way * value for value in (1.0, 0.0, *a[2:])]
    result = run("kendall", a, b)
    assert (result["p"], result["method"]) == (close(stats.kendalltau(a, b).pvalue), "exact")
    b[2], b[3] = b[3], b[2]
    assert run("kendall", a, b)["method"] == "normal"  # as scipy has it of two


def test_intervals_of_rank_correlations():
    """By hand; DescTools and psych of R 4 have the same standard errors."""
    a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]
    b = [2.0, 1.0, 4.0, 3.0, 6.0, 5.0, 8.0, 7.0, 10.0, 9.0]
    rho, tau = run("spearman", a, b), run("kendall", a, b)
    half = 1.959963984540054 * math.sqrt((1 + rho["effect"] ** 2 / 2) / 7)
    assert rho["effect"] == close(1 - 6 * 10 / 990)
    assert rho["effect_ci"][0] == close(math.tanh(math.atanh(rho["effect"]) - half))
    assert tau["effect"] == close((45 - 2 * 5) / 45)
    assert (
        run("kendall", a[:4], b[:4])["effect_ci"]
        is None
        is not run("kendall", a[:5], b[:5])["effect_ci"]
    )
    assert tau["effect_ci"][1] == close(
        math.tanh(math.atanh(35 / 45) + 1.959963984540054 * math.sqrt(0.437 / 6))
    )


@pytest.mark.parametrize(
    "test, a, b, r, error",
    [
        # W+ 6 of 10; 1/2, 1/2, 1/2, -1
        ("wilcoxon", [1.0, 2.0, 3.0, -4.0, 0.0], [0.0] * 5, 6 / 5 - 1, 0.75),
        # 2 + 3 of 2 + 3 + 4; 1/4, 1/2, 1/2, -1
        (
            "wilcoxon:zeros=pratt",
            [0.0, 1.0, 2.0, -3.0],
            [0.0] * 4,
            10 / 9 - 1,
            math.sqrt(0.515625) * 10 / 9,
        ),
    ],
)
def test_effects_of_signed_ranks_by_hand(test: str, a: list, b: list, r: float, error: float):
    """The error of r is 2/√n of the deviation of each difference's mean sign of sums with all."""
    result, half = run(test, a, b), stats.norm.ppf(0.975) * error / (1 - r * r)
    assert result["effect"] == close(r)
    assert result["effect_ci"] == close(
        [math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)]
    )


@pytest.mark.parametrize(
    "test, shift, r", [("wilcoxon", 0.8, math.erf(0.8)), ("mann-whitney", 2, math.erf(1))]
)
def test_intervals_of_effects_of_ranks_hold_the_effect(test: str, shift: float, r: float):
    """The effect of 60 shifted normal values is known; fewer than 368 of 400 intervals of 95 %
    would hold it in 1 of 250 experiments."""
    rng, held = numpy.random.default_rng(4), 0
    for _ in range(400):
        a, b = rng.normal(shift, 1, 60), rng.normal(0, 1, 60) * (test == "mann-whitney")
        low, high = run(f"{test}:resamples=2", a.tolist(), b.tolist())["effect_ci"]
        held += low <= r <= high
    assert held >= 368


@SEEDS
def test_the_interval_of_cliffs_delta_is_that_of_brunner_and_munzel(seed: int):
    """At the level 1 - p of their test the critical t is its statistic, delta over its error."""
    a, b = draw(seed, 1)[0], draw(seed + 1, 1)[1]
    level = 1 - stats.brunnermunzel(a, b).pvalue
    result = run("mann-whitney:resamples=2", a, b, level=level)
    delta, (low, high) = result["effect"], result["effect_ci"]
    half = abs(delta) / (1 - delta**2)
    assert [low, high] == close(
        [math.tanh(math.atanh(delta) - half), math.tanh(math.atanh(delta) + half)], 1e-8
    )


@pytest.mark.parametrize("a", [[2.0], [2.0, 2.0, 2.0], [2.0, 2.1, 2.2]])
def test_a_group_whose_places_do_not_vary_leaves_its_effect_no_interval(a: list):
    assert run("mann-whitney:resamples=2", a, [1.0, 3.0, 1.5])["effect_ci"] is None


@SEEDS
def test_many_groups_agree_with_scipy(seed: int):
    (a, b), (c, d) = draw(seed, 1), draw(seed + 100 // 8 * 8, 1)
    n = min(len(a), len(c))
    groups = [a[:n], b[:n], c[:n], d[:n]]
    friedman, reference = run("friedman", groups), stats.friedmanchisquare(*groups)
    assert (friedman["statistic"], friedman["p"]) == (
        close(reference.statistic),
        close(reference.pvalue),
    )
    anova, reference = run("anova", [a, b, c]), stats.f_oneway(a, b, c)
    assert (anova["statistic"], anova["p"]) == (
        close(reference.statistic, 1e-9),
        close(reference.pvalue, 1e-9),
    )
    between, every = [numpy.mean(x) for x in (a, b, c) for _ in x], [*a, *b, *c]
    assert (anova["effect"], anova["df"]) == (
        close(numpy.var(between) / numpy.var(every)),
        [2, len(every) - 3],
    )


def test_kendalls_w_by_hand():
    """Ranks 1 2 3, 1 3 2, 1 2 3 sum to 3, 7, 8 instead of 6: W = 12 (9 + 1 + 4) / (9 (27 - 3))."""
    result = run("friedman", [[0.1, 0.1, 5.0], [0.2, 0.3, 6.0], [0.3, 0.2, 7.0]])
    assert (result["effect"], result["df"]) == (close(7 / 9), 2)


# statsmodels 0.15.0: mcnemar(((5, b), (c, 0))), exact, and exact=False with and without correction;
# chi2 by hand.
def test_mcnemar_agrees_with_statsmodels():
    for b, c, exact, corrected, asymptotic in [
        (1, 9, 0.021484375, 0.02685669550752441, 0.01141203638600166),
        (5, 5, 1.0, 1.0, 1.0),
        (25, 10, 0.016673847800120715, 0.01796047752607879, 0.011229886652916672),
        (3, 0, 0.25, 0.24821307898992026, 0.08326451666355042),
        (0, 3, 0.25, 0.24821307898992026, 0.08326451666355042),
        (40, 41, 1.0, 1.0, 0.9115282379093772),
    ]:
        one, other = [1.0] * b + [0.0] * c + [1.0] * 5, [0.0] * b + [1.0] * c + [1.0] * 5
        for method, p in (("exact", exact), ("corrected", corrected), ("asymptotic", asymptotic)):
            result = run(f"mcnemar:method={method}", one, other)
            assert result["p"] == close(p)
            chi2 = {
                "exact": min(b, c),
                "corrected": max(abs(b - c) - 1, 0) ** 2 / (b + c),
                "asymptotic": (b - c) ** 2 / (b + c),
            }
            assert (result["statistic"], result["method"]) == (close(chi2[method]), method)
            assert (result["pairs_a"], result["pairs_b"]) == (b, c)
            assert result["effect"] == (close(b / c) if b and c else None)
            assert result["difference"] == close((b - c) / (b + c + 5))


def test_intervals_of_mcnemar():
    """Agresti 2013, Categorical data analysis, section 11.1: 86 and 150 of 1,600 answers differ,
    and the interval is (-0.06, -0.02).  By hand: the log odds ratio has variance 1/86 + 1/150."""
    one = [1.0] * (794 + 86) + [0.0] * (150 + 570)
    other = [1.0] * 794 + [0.0] * 86 + [1.0] * 150 + [0.0] * 570
    result, z = run("mcnemar", one, other), stats.norm.ppf(0.975)
    assert [round(bound, 2) for bound in result["ci"]] == [-0.06, -0.02]
    assert result["effect_ci"] == close(
        [86 / 150 * math.exp(way * z * (1 / 86 + 1 / 150) ** 0.5) for way in (-1, 1)]
    )


@pytest.mark.parametrize("both, only_a, only_b, none", [(20, 9, 3, 8), (0, 4, 0, 0), (5, 7, 0, 0)])
def test_the_difference_of_mcnemar_stays_between_its_bounds(both, only_a, only_b, none):
    """Newcombe's formula by hand, from the Wilson intervals of scipy."""
    one = [100.0] * (both + only_a) + [0.0] * (only_b + none)
    other = [100.0] * both + [0.0] * only_a + [100.0] * only_b + [0.0] * none
    n, ends = len(one), []
    a, b = both + only_a, both + only_b
    (l1, u1), (l2, u2) = (
        stats.binomtest(count, n).proportion_ci(method="wilson") for count in (a, b)
    )
    product = a * (n - a) * b * (n - b)
    phi = (both * none - only_a * only_b) / product**0.5 if product else 0
    for way, x, y in ((-1, a / n - l1, u2 - b / n), (1, u1 - a / n, b / n - l2)):
        ends.append(100 * ((a - b) / n + way * (x * x + y * y - 2 * phi * x * y) ** 0.5))
    assert run("mcnemar", one, other)["ci"] == close(ends)
    assert -100 <= ends[0] and ends[1] <= 100


# statsmodels 0.15.0: cohens_kappa of this table, with wt=None, "linear" and "quadratic".
@pytest.mark.parametrize(
    "weights, kappa, low, z",
    [
        ("none", 0.5633704735376045, 0.39817595167555186, 6.455417183678715),
        ("linear", 0.6457326892109501, 0.5023315480792275, 6.764898489789372),
        ("quadratic", 0.7327935222672064, 0.6027177107924976, 5.9982986900492),
    ],
)
def test_kappa_agrees_with_statsmodels(weights: str, kappa: float, low: float, z: float):
    counts = {
        (1, 1): 20,
        (1, 2): 5,
        (1, 3): 1,
        (2, 1): 4,
        (2, 2): 15,
        (2, 3): 6,
        (3, 2): 3,
        (3, 3): 12,
    }
    one, other = zip(
        *((float(x), float(y)) for (x, y), count in counts.items() for _ in range(count)),
        strict=True,
    )
    result = run(f"kappa:weights={weights}", list(one), list(other))
    assert (result["effect"], result["statistic"]) == (close(kappa), close(z))
    assert result["effect_ci"] == close([low, 2 * kappa - low])
    assert result["agreement"] == 47 / 66


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_of_raters_who_agree_is_1_and_not_nearly(weights: str):
    """As in scikit-learn's cohen_kappa_score, exactly."""
    for n in range(5, 100):
        ratings = [float(at % 5 + 1) for at in range(n)]
        same = run(f"kappa:weights={weights}", ratings, ratings)
        assert (same["effect"], same["effect_ci"], same["agreement"]) == (1, None, 1)


def test_a_hundred_labels_are_labels():
    values = [float(at) for at in range(100)]
    assert run("kappa", values, values)["effect"] == 1
    assert run("likert", values)["mean"] == 49.5


def test_tost_by_hand():
    """Differences 1, 2, 3: mean 2, error √(1/3), df 2; the margin 5 is (2 - 5) √3 away."""
    result = run("tost:margin=5", [2.0, 4.0, 6.0], [1.0, 2.0, 3.0])
    assert result["p"] == close(stats.t.cdf((2 - 5) * math.sqrt(3), 2))
    assert result["p_difference"] == close(2 * stats.t.sf(2 * math.sqrt(3), 2))
    assert result["ci"] == close(
        [2 - stats.t.isf(0.05, 2) / math.sqrt(3), 2 + stats.t.isf(0.05, 2) / math.sqrt(3)]
    )
    assert (
        result["equivalent"]
        and not run("tost:margin=2.1", [2.0, 4.0, 6.0], [1.0, 2.0, 3.0])["equivalent"]
    )
    # as far as the margin is not within it
    assert run("tost:margin=1", [2.0, 3.0], [1.0, 2.0])["equivalent"] is False
    same = run("tost:margin=1", [1.0, 2.0], [1.0, 2.0])
    assert (same["p"], same["equivalent"], same["reason"]) == (
        None,
        True,
        "no variance: all differences are 0",
    )
    with pytest.raises(OptionError, match="tost needs a margin above 0"):
        run("tost:margin=0", [1.0, 2.0], [1.0, 3.0])


@SEEDS
def test_tost_agrees_with_two_tests_of_scipy(seed: int):
    for margin in (0.01, 0.3, 2.0):
        for level in (0.95, 0.6, 0.5):
            require_tost(*draw(seed), level, margin)


def require_tost(a: list[float], b: list[float], level: float, margin: float):
    gaps = numpy.subtract(a, b)
    result = registry.load("hypothesis_tests", f"tost:margin={margin}").call(a, b, level)
    high = stats.ttest_1samp(gaps, margin, alternative="less")
    low = stats.ttest_1samp(gaps, -margin, alternative="greater")
    assert result["p"] == close(max(high.pvalue, low.pvalue), 1e-9)
    assert (result["df"], result["equivalent"]) == (len(gaps) - 1, result["p"] < 1 - level)
    assert result["effect"] == close(gaps.mean() / gaps.std(ddof=1))
    interval = stats.ttest_1samp(gaps, 0).confidence_interval(2 * level - 1)
    assert result["ci"] == (close([interval.low, interval.high], 1e-9) if level > 0.5 else None)


@pytest.mark.parametrize("seed", range(4))
def test_resampling_agrees_with_scipy(seed: int):
    """Within the error of 10,000 draws: about 0.01 of p, a few percent of an interval's width."""
    a, b = draw(seed + 4)
    gaps = numpy.subtract(a, b)
    reference = stats.permutation_test(
        (gaps,), numpy.mean, permutation_type="samples", n_resamples=9999, rng=1
    )
    assert run("permutation", a, b)["p"] == pytest.approx(reference.pvalue, abs=0.02)
    for kind, method in (("bca", "BCa"), ("percentile", "percentile")):
        found = run(f"bootstrap:interval={kind}", a, b)["ci"]
        wanted = stats.bootstrap(
            (gaps,), numpy.mean, method=method, n_resamples=9999, rng=1
        ).confidence_interval
        assert found == pytest.approx([wanted.low, wanted.high], abs=0.06 * (found[1] - found[0]))
    found = run("mann-whitney:interval=bca", a, b[1:])["ci"]
    wanted = stats.bootstrap(
        (a, b[1:]),
        lambda x, y, axis: numpy.mean(x, axis=axis) - numpy.mean(y, axis=axis),
        method="BCa",
        n_resamples=9999,
        rng=1,
    ).confidence_interval
    assert found == pytest.approx([wanted.low, wanted.high], abs=0.06 * (found[1] - found[0]))


@pytest.mark.parametrize("level", [0.95, 0.6])
@pytest.mark.parametrize(
    "values", [numpy.random.default_rng(3).exponential(size=15), numpy.array([0.0, 0, 0, 1, 4])]
)
def test_intervals_of_given_samples_are_those_of_scipy(values: numpy.ndarray, level: float):
    """Far from symmetric values, and such as many samples have the observed mean of."""
    first = stats.bootstrap((values,), numpy.mean, method="percentile", n_resamples=2000, rng=1)
    observed, drawn = float(values.mean()), first.bootstrap_distribution
    left_out = (values.sum() - values) / (len(values) - 1)
    for kind, method in (("bca", "BCa"), ("percentile", "percentile")):
        wanted = stats.bootstrap(
            (values,),
            numpy.mean,
            n_resamples=0,
            bootstrap_result=first,
            method=method,
            confidence_level=level,
        ).confidence_interval
        assert resampling.interval(kind, level, observed, drawn, -left_out) == close(
            [wanted.low, wanted.high]
        )
    half = stats.norm.ppf((1 + level) / 2) * first.standard_error
    assert resampling.interval("normal", level, observed, drawn, None) == close(
        [observed - half, observed + half]
    )


def test_the_interval_of_a_gap_between_groups_of_other_sizes_is_that_of_scipy():
    """Of the same draws: both far from symmetric, so that the influence of each value counts."""
    rng = numpy.random.default_rng(4)
    groups = rng.exponential(size=25), rng.exponential(3, size=9)
    means = [
        resampling.bootstrap(own[:, None], lambda sums: sums[:, 0], 2000, 7, at) / len(own)
        for at, own in enumerate(groups)
    ]
    drawn = SimpleNamespace(bootstrap_distribution=means[0] - means[1])
    wanted = stats.bootstrap(
        groups,
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        n_resamples=0,
        method="BCa",
        bootstrap_result=drawn,
    ).confidence_interval
    found = resampling.gap_interval(*(own.tolist() for own in groups), 0.95, "bca", 2000, 7)
    assert found == close([wanted.low, wanted.high])


def test_one_group_without_variance_is_no_obstacle_to_an_interval():
    varied, constant = [1.0, 2.0, 4.0], [1.0, 1.0, 1.0]
    low, high = run("mann-whitney", varied, constant)["ci"]
    assert 0 <= low < 4 / 3 < high <= 3
    low, high = run("mann-whitney", constant, varied)["ci"]
    assert -3 <= low < -4 / 3 < high <= 0
    assert run("mann-whitney", [1.0] * 3, [2.0] * 3)["ci"] is None


def test_exchanges_that_rounding_tells_apart_are_ties():
    """0.1 + 0.2 - 0.3 is 0 but for rounding, so all eight sums are at least as far from 0.  In
    another order -0.4 - 0.1 + 0.5 is 0, but their mean is not."""
    assert run("permutation", [0.1, 0.2, 0.0], [0.0, 0.0, 0.3])["p"] == 1.0
    assert run("permutation", [0.0, 0.0, 0.0, 0.5], [0.4, 0.0, 0.1, 0.0])["p"] == 1.0


def test_all_exchanges_are_tried_where_they_are_few():
    """Of the eight signs of 1, 2 and 3 two give a mean of 2 or -2."""
    result = run("permutation", [1.0, 2.0, 3.0], [0.0, 0.0, 0.0])
    assert (result["p"], result["resamples"]) == (2 / 8, 8)
    assert run("permutation:resamples=8", [1.0, 2.0, 3.0], [0.0, 0.0, 0.0])["p"] == 2 / 8


def test_tests_of_ranks_and_signs_have_the_interval_of_the_bootstrap():
    a, b = draw(1)
    for test in ("wilcoxon", "sign", "permutation"):
        assert run(test, a, b)["ci"] == close(run("bootstrap", a, b)["ci"])


def test_samples_whose_mean_rounding_alone_tells_from_the_observed_one_are_ties():
    """Many samples of five values have the observed sum; tenths have the interval of integers."""
    whole = [8.0, -1.0, 5.0, 6.0, 8.0]
    interval = run("bootstrap", [value / 10 for value in whole], [0.0] * 5)["ci"]
    assert [10 * bound for bound in interval] == close(run("bootstrap", whole, [0.0] * 5)["ci"])


@pytest.mark.parametrize("power", [990, -990])
def test_bca_of_huge_and_of_tiny_values(power: int):
    """Cubes of them would overflow or vanish; in another unit they have the same interval."""
    rng = numpy.random.default_rng(5)
    values, none = rng.exponential(size=12), [0.0] * 12
    interval = run("bootstrap", (values * 2.0**power).tolist(), none)["ci"]
    assert [bound * 2.0**-power for bound in interval] == close(
        run("bootstrap", values.tolist(), none)["ci"]
    )


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_what_resampling_says_besides(test: str):
    """d_z of 1, 2, 6 is 3 / √((4 + 1 + 9) / 2), with the same interval as in a t test."""
    result = run(f"{test}:resamples=5", [1.0, 2.0, 6.0], [0.0, 0.0, 0.0])
    assert (result["effect_name"], result["effect"], result["resamples"]) == (
        "d_z",
        close(3 / math.sqrt(7)),
        5,
    )
    half = stats.norm.ppf(0.975) * math.sqrt((1 + 9 / 7 / 2) / 3)
    assert result["effect_ci"] == close([3 / math.sqrt(7) - half, 3 / math.sqrt(7) + half])
    clustered = run(
        "cluster-bootstrap:resamples=5", [1.0, 2.0, 6.0], [0.0, 0.0, 0.0], clusters=["x", "y", "y"]
    )
    assert (clustered["effect"], clustered["clusters"], clustered["resamples"]) == (None, 2, 5)


def test_drawn_p_are_never_0():
    far = [5.0 + x / 100 for x in range(40)]
    assert (
        run("permutation", far, [0.0] * 40)["p"]
        == run("bootstrap", far, [0.0] * 40)["p"]
        == 1 / 10_001
    )


def test_seeds():
    a, b = draw(7)
    assert (
        run("bootstrap:seed=3", a, b)
        == run("bootstrap:seed=3", a, b)
        != run("bootstrap:seed=4", a, b)
    )


def test_clusters_are_drawn_whole():
    """Where all ids of a cluster are copies, the interval is that of the clusters alone."""
    a, b = draw(5)
    copies = run(
        "cluster-bootstrap:interval=normal",
        [x for x in a for _ in range(10)],
        [x for x in b for _ in range(10)],
        clusters=[i for i in range(len(a)) for _ in range(10)],
    )
    alone, wrong = (
        run("bootstrap:interval=normal", a, b),
        run("bootstrap:interval=normal", a * 10, b * 10),
    )
    assert copies["clusters"] == len(a)
    assert copies["difference"] == close(alone["difference"])
    width = copies["ci"][1] - copies["ci"][0]
    assert width == pytest.approx(alone["ci"][1] - alone["ci"][0], rel=0.05)
    assert wrong["ci"][1] - wrong["ci"][0] < 0.4 * width


def test_corpus_scores_are_computed_anew():
    """A ratio of sums, such as corpus BLEU, is the mean if all denominators are 1."""
    a, b = draw(6)
    rows = [[[x, 1.0] for x in values] for values in (a, b)]
    for test in ("bootstrap", "permutation"):
        plain = run(test, a, b)
        ratio = run(test, *rows, score=lambda sums: sums[0] / sums[1])
        for key in ("p", "difference", "ci"):
            assert ratio[key] == close(plain[key], 1e-9)
        total = run(test, *rows, score=lambda sums: sums[0])
        assert (total["p"], total["difference"]) == (
            close(plain["p"]),
            close(sum(a) - sum(b), 1e-9),
        )
        assert total["ci"] == close([len(a) * bound for bound in plain["ci"]], 1e-9)


def test_the_slopes_of_a_corpus_score_stand_for_each_row_left_out(monkeypatch: pytest.MonkeyPatch):
    """Both give nearly the same BCa interval of a ratio of sums of skewed values."""
    rng = numpy.random.default_rng(2)
    rows = [
        numpy.column_stack(
            [rng.exponential(size=400) ** power, rng.uniform(1, 3, 400), numpy.zeros(400)]
        ).tolist()
        for power in (3, 1)
    ]
    pairs = resampling.PairedSample(*rows, lambda sums: sums[0] / sums[1])
    plain, exact = (
        numpy.array(pairs.interval(0.95, kind, 400, 0)) for kind in ("percentile", "bca")
    )
    monkeypatch.setattr(resampling, "MANY", 400)
    slopes = numpy.array(pairs.interval(0.95, "bca", 400, 0))
    assert 0 < abs(slopes - exact).max() < 0.02 * abs(plain - exact).max()


def test_identical_groups_are_no_nan():
    """scipy's Wilcoxon gives p = 1 for five zero differences and NaN for sixty."""
    for test in ["wilcoxon", "sign", "permutation", "bootstrap", "cluster-bootstrap"]:
        for n in (5, 60):
            options = {"clusters": list(range(n))} if test == "cluster-bootstrap" else {}
            result = run(test, [0.5] * n, [0.5] * n, **options)
            assert result["p"] is None and result["reason"].startswith("all differences are 0")
            assert result["difference"] == 0


def test_what_cannot_be_tested_has_a_reason():
    for test, columns, reason in [
        ("wilcoxon", ([1.0], [2.0]), "the test needs at least 2 pairs, got 1"),
        ("sign", ([], []), "the test needs at least 2 pairs, got 0"),
        ("permutation", ([], []), "the test needs at least 2 pairs, got 0"),
        ("mcnemar", ([], []), "the test needs at least 1 pair, got 0"),
        ("tost:margin=1", ([1.0], [2.0]), "the test needs at least 2 pairs, got 1"),
        ("friedman", ([[1.0], [2.0], [3.0]],), "the test needs at least 2 pairs, got 1"),
        (
            "anova",
            ([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]],),
            "no variance: all values within each group",
        ),
        ("bootstrap", ([0.1 + 0.2, 1.0], [0.3, 1.0]), "all differences are 0"),
        ("bootstrap", ([3.0, 4.0], [1.0, 2.0]), "no variance: all differences are 2"),
        (
            "bootstrap",
            ([10.3, 50.7, 31.1], [10.1, 50.5, 30.9]),
            "no variance: all differences are 0.2",
        ),
        ("mann-whitney", ([], [1.0]), "the test needs at least 1 value in each group, got 0, 1"),
        ("mann-whitney", ([1.0], []), "the test needs at least 1 value in each group, got 1, 0"),
        ("mann-whitney", ([1.0, 1.0], [1.0]), "all values of both groups are equal"),
        ("mcnemar", ([1.0, 0.0], [1.0, 0.0]), "a and b agree on every pair"),
        ("mcnemar", ([1.0, 0.5], [1.0, 0.0]), "values must be 0 or 1, got 0.5"),
        ("pearson", ([1.0, 2.0], [1.0, 2.0]), "the test needs at least 3 pairs, got 2"),
        (
            "kendall",
            ([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]),
            "no correlation: all first values are equal",
        ),
        (
            "spearman",
            ([1.0, 2.0, 1.0], [3.0, 3.0, 3.0]),
            "no correlation: all second values are equal",
        ),
        ("friedman", ([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]],), "the groups are equal on every id"),
        (
            "anova",
            ([[1.0, 1.0], [2.0, 2.0], [3.0]],),
            "the test needs at least 2 values in each group, got 2, 2, 1",
        ),
        ("kappa", ([1.0, 1.0], [1.0, 2.0]), "a rater gives no label but 1"),
        (
            "kappa",
            ([float(i) for i in range(101)],) * 2,
            "kappa compares up to 100 labels, got 101",
        ),
        ("kappa:weights=linear", ([2.0, 1.0, 3.0], [4.0, 4.0, 3.0]), "no variance by chance"),
        ("likert", ([],), "no values"),
        ("likert", ([float(i) for i in range(101)],), "101 distinct values, too many for ratings"),
    ]:
        result = run(test, *columns)
        assert result["reason"].startswith(reason)
        assert result.get("p") is None


@pytest.mark.parametrize(
    "test, columns, beside",
    [
        ("mann-whitney", ([2.0, 2.0], [2.0]), {}),
        ("wilcoxon", ([2.0, 2.0], [2.0, 2.0]), {"zeros": 2}),
        ("sign", ([2.0, 2.0], [2.0, 2.0]), {"zeros": 2}),
        ("mcnemar", ([1.0, 0.0], [1.0, 0.0]), {"pairs_a": 0, "pairs_b": 0}),
    ],
)
def test_what_is_equal_throughout_has_a_difference_of_0(test: str, columns: tuple, beside: dict):
    result = run(test, *columns)
    said = {key: value for key, value in result.items() if value is not None and key != "reason"}
    assert said == {"difference": 0, **beside}


def test_the_permutation_test_needs_no_variance():
    """By hand, and in scipy: two of 2^n exchanges of n equal differences are as far from 0."""
    for a, b in (([3.0, 4.0], [1.0, 2.0]), ([100.3, 500.7, 31.1], [100.1, 500.5, 30.9])):
        result = run("permutation", a, b)
        assert result["p"] == 2 / 2 ** len(a) and result["difference"] == pytest.approx(a[0] - b[0])
        assert (result["ci"], result["effect"]) == (None, None)
    rows = run(
        "permutation", [[1.0, 2.0]] * 3, [[2.0, 1.0]] * 3, score=lambda sums: sums[0] / sums[1]
    )
    assert (rows["p"], rows["difference"], rows["ci"]) == (0.25, -1.5, None)


def test_what_is_drawn_without_change_is_no_test():
    """Rows that are all the same, and clusters of one mean, though not of one size."""
    same = run(
        "bootstrap", [[1.0, 2.0]] * 3, [[2.0, 1.0]] * 3, score=lambda sums: sums[0] / sums[1]
    )
    assert (same["reason"], same["difference"]) == ("no variance: all differences are -1.5", -1.5)
    even = run("cluster-bootstrap", [3.0, 1.0, 2.0], [1.0, 1.0, 1.0], clusters=["x", "x", "y"])
    assert even["reason"] == "no variance: all differences of clusters are 1"
    alone = run("cluster-bootstrap", [3.0, 1.0], [1.0, 1.0], clusters=["x", "x"])
    assert (alone["reason"], alone["difference"]) == (
        "the test needs at least 2 clusters, got 1",
        1,
    )


def test_likert_by_hand():
    """Wilson's interval of 3 in 4 is 0.3006418 to 0.9544127 in R 4 (prop.test without correction);
    that of 0 in n ends at z² / (n + z²), that of n in n begins at n / (n + z²)."""
    result = run("likert", [5.0, 4.0, 2.0, 4.0])
    assert result["counts"] == {"2": 1, "4": 2, "5": 1} and list(result["counts"]) == [
        "2",
        "4",
        "5",
    ]
    assert (result["share"], result["mean"], result["median"]) == (75.0, 3.75, 4.0)
    assert result["share_ci"] == close([30.06418, 95.44127], 1e-6)
    none, every, square = (
        run("likert:top=6", [5.0, 4.0]),
        run("likert:top=4.5", [5.0] * 3),
        stats.chi2.ppf(0.95, 1),
    )
    assert (none["share"], none["top"], every["share"], every["top"]) == (0, 6, 100, 4.5)
    assert (none["share_ci"], every["share_ci"]) == (
        [0, close(100 * square / (2 + square))],
        [close(300 / (3 + square)), 100],
    )


def test_corrections_by_hand():
    """R 4, p.adjust(c(0.01, 0.04, 0.03, 0.005))."""
    p = [0.01, 0.04, 0.03, 0.005]
    assert corrections.adjusted(p, "holm") == close([0.03, 0.06, 0.06, 0.02])
    assert corrections.adjusted(p, "bonferroni") == close([0.04, 0.16, 0.12, 0.02])
    assert corrections.adjusted(p, "bh") == close([0.02, 0.04, 0.04, 0.02])
    assert corrections.adjusted([0.9, 0.8], "bonferroni") == [1.0, 1.0]


@SEEDS
def test_assumptions_agree_with_scipy(seed: int):
    rng = random.Random(seed)
    a = [rng.expovariate(1) if seed % 2 else rng.gauss(0, 1) for _ in range(20 + seed * 10)]
    b = [rng.gauss(0, 1 + seed % 3) for _ in range(30)]
    assert results.normality(a) == close(stats.normaltest(a).pvalue)
    assert results.equal_variances(a, b) == close(stats.levene(a, b).pvalue)
    assert results.equal_variances(a, b, a[:9]) == close(stats.levene(a, b, a[:9]).pvalue)
    assert results.equal_variances(a, b[:2]) == close(stats.levene(a, b[:2]).pvalue)
    tiny = [[value * 2.0**-660 for value in values] for values in (a, b)]
    assert results.equal_variances(*tiny) == close(stats.levene(a, b).pvalue)
    assert results.normality(tiny[0]) == close(stats.normaltest(a).pvalue)


def test_what_is_far_too_flat_to_be_normal():
    """The z of the kurtosis has the cube root of a negative number there."""
    yes_and_no = [0.0, 1.0] * 25 + [0.0]
    assert results.normality(yes_and_no) == close(stats.normaltest(yes_and_no).pvalue)


@pytest.mark.parametrize("n", [1, 2, 3, 100, 1025, 2000, 4096, 4097])
def test_every_row_is_drawn_as_often(n: int):
    """Chi-squared of up to a million draws, by both digits of a row's place to base 65."""
    samples, place = min(10**6 // n, 10**4), numpy.arange(n)
    for digit in (place % 65, place // 65):
        rows = numpy.eye(65)[digit]
        drawn = resampling.bootstrap(rows, lambda sums: sums, samples, 1)
        assert drawn.shape == (samples, 65) and (drawn.sum(axis=1) == n).all()
        counts, expected = drawn.sum(axis=0), samples * rows.sum(axis=0)
        assert not counts[expected == 0].any()
        possible = expected > 0
        assert (
            sum(possible) == 1
            or stats.chisquare(counts[possible], expected[possible]).pvalue > 1e-4
        )


@pytest.mark.parametrize("n", [3, 100, 4097])
def test_a_column_is_drawn_alone_as_beside_others(n: int):
    rows = numpy.column_stack([numpy.arange(n), numpy.ones(n)]).astype(float)
    alone, beside = (
        resampling.bootstrap(own, lambda sums: sums[:, 0], 200, 1) for own in (rows[:, :1], rows)
    )
    assert alone.tolist() == beside.tolist()


def test_sums_under_random_signs_are_those_of_the_signs():
    """Values that are powers of two: a sum tells every sign, and each is drawn half of the time."""
    values = 2.0 ** numpy.arange(11)
    sums = resampling.sign_flips(values, 4000, 1)
    signs = (((sums + 2**11 - 1) / 2).astype(int)[:, None] >> numpy.arange(11)) & 1
    assert abs(signs.mean(axis=0) - 0.5).max() < 0.04
    assert len(set(sums)) > 1500
    assert sorted(resampling.all_signs([1.0, 2.0])) == [-3, -1, 1, 3]
    many = resampling.sign_flips(numpy.ones(3000), 4000, 1)  # the variance of a sum of n signs is n
    assert abs(many.mean()) < 3.5 * math.sqrt(3000 / 4000)
    assert many.var() == pytest.approx(3000, rel=0.1)


def test_the_bootstrap_of_many_values_is_the_t_interval(monkeypatch: pytest.MonkeyPatch):
    rng = random.Random(1)
    a, b = (
        [rng.expovariate(1) for _ in range(resampling.MANY)],
        [rng.gauss(0, 1) for _ in range(resampling.MANY)],
    )
    quick = [
        resampling.mean_interval(a, 0.95, "bca", 4000, 0),
        resampling.gap_interval(a, b, 0.95, "bca", 4000, 0),
    ]
    monkeypatch.setattr(resampling, "MANY", 10**9)
    drawn = [
        resampling.mean_interval(a, 0.95, "bca", 4000, 0),
        resampling.gap_interval(a, b, 0.95, "bca", 4000, 0),
    ]
    for one, other in zip(quick, drawn, strict=True):
        assert one == pytest.approx(other, abs=0.05 * (one[1] - one[0]))
