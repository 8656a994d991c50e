"""The power of tests against scipy, statsmodels, published tables, formulas and samples."""

import math

import numpy
import pytest
from scipy import integrate, stats

import dialtools
from dialtools.plugins import registry
from dialtools.statistics import power
from dialtools.system.errors import OptionError


def close(value, exact: float = 1e-10):
    return pytest.approx(value, rel=exact, abs=1e-300)


def test_power_agrees_with_the_noncentral_t_of_scipy():
    for effect in [0.01, 0.3, 0.8, 2]:
        for n in [2, 10, 50, 819]:
            for level in [0.4, 0.95]:
                t, shift = stats.t.isf((1 - level) / 2, n - 1), effect * math.sqrt(n)
                if shift < 12:  # beyond, scipy's own becomes NaN
                    wanted = stats.nct.sf(t, n - 1, shift) + stats.nct.cdf(-t, n - 1, shift)
                    assert power.of_t(effect, n, n - 1, level) == close(wanted, 1e-8)


def test_power_of_a_large_effect_is_the_integral_over_the_deviations():
    """By scipy: given the deviation, of n - 1 squares, the mean is normal around the effect."""
    for effect, n, level in [(20, 3, 0.999), (20, 3, 0.99999), (60, 2, 0.99), (7, 5, 0.99999)]:
        df = n - 1
        t = stats.t.isf((1 - level) / 2, df)

        def found(s: float) -> float:
            return (
                stats.norm.sf(t * s - effect * math.sqrt(n))
                * stats.chi.pdf(s * math.sqrt(df), df)
                * math.sqrt(df)
            )

        wanted = integrate.quad(found, 0, 8, epsabs=1e-13, limit=500)[0]
        assert 0.01 < wanted < 0.99 and power.of_t(effect, n, df, level) == pytest.approx(
            wanted, abs=1e-9
        )


def test_power_of_nothing_is_what_p_is_wrong_by():
    assert power.of_t(0, 9, 8, 0.95) == close(0.05) == power.of_t(1e-200, 9, 8, 0.95)


@pytest.mark.parametrize("effect", [800, 1060])
def test_a_huge_effect_in_two_pairs_is_no_long_sum(effect: float):
    """By scipy's noncentral t; the deviation alone is exact to six digits."""
    wanted = stats.nct.sf(stats.t.isf(0.0005, 1), 1, effect * math.sqrt(2))
    assert power.of_t(effect, 2, 1, 0.999) == pytest.approx(wanted, abs=1e-6)


def of_equivalence(effect: float, margin: float, n: int) -> float:
    """Return the integral over deviations s of the mean being within margin - t s / √n."""
    df, t = n - 1, stats.t.isf(0.05, n - 1)

    def near(s: float) -> float:
        reach = max(margin - t * s / math.sqrt(n), 0)
        normal = stats.norm(effect, 1 / math.sqrt(n))
        return (
            (normal.cdf(reach) - normal.cdf(-reach))
            * stats.chi.pdf(s * math.sqrt(df), df)
            * math.sqrt(df)
        )

    return integrate.quad(near, 0, margin * math.sqrt(n) / t, epsabs=1e-12)[0]


def test_power_of_equivalence_is_the_integral_over_the_deviations():
    for effect, margin, n in [
        (0, 0.5, 30),
        (0.1, 0.5, 50),
        (0, 1, 4),
        (-0.3, 0.5, 20),
        (0.6, 0.5, 9),
        (0, 1, 2),
        (0.02, 0.1, 3000),
    ]:
        assert power.of_tost(effect, margin, n, 0.95) == pytest.approx(
            of_equivalence(effect, margin, n), abs=1e-8
        )


def test_power_of_equivalence_in_many_pairs():
    """By hand: the deviation is known and the mean normal; no equivalence within narrow margins."""
    for margin in (0.003, 0.02):
        normal = 2 * stats.norm.cdf(margin * 1000 - stats.norm.isf(0.05)) - 1
        assert power.of_tost(0, margin, 10**6, 0.95) == pytest.approx(normal, abs=1e-5)
    assert power.of_tost(0, 0.01, 1000, 0.95) == 0


def of_t(shift: float, df: float) -> float:
    t = stats.t.isf(0.025, df)
    return stats.nct.sf(t, df, shift) + stats.nct.cdf(-t, df, shift)


@pytest.mark.parametrize("way", [1, -1])
def test_power_of_results(way: int):
    """By scipy's noncentral t, for two groups with d by the root of the mean variance."""
    rng = numpy.random.default_rng(8)
    a, b, c = (
        3 + rng.normal(0.6 * way, 1, 14),
        3 + rng.normal(0, 1.5, 14),
        3 + rng.normal(0, 1.5, 9),
    )
    d_z, d = (
        (a - b).mean() / (a - b).std(ddof=1),
        (a.mean() - c.mean()) / ((a.var(ddof=1) + c.var(ddof=1)) / 2) ** 0.5,
    )
    margin = abs((a - b).mean()) + 1.5
    rows = [[{"id": i, "m": float(x)} for i, x in enumerate(values)] for values in (a, b, c)]
    paired, welch, tost, beyond = (
        next(dialtools.ttest(rows[0], rows[other], value="m", test=test, power=True))
        for other, test in (
            (1, "paired"),
            (2, "welch"),
            (1, f"tost:margin={margin}"),
            (1, "tost:margin=0.05"),
        )
    )
    assert paired["power"] == close(of_t(abs(d_z) * 14**0.5, 13), 1e-8)
    assert paired["n_needed"] == next(
        n for n in range(2, 500) if of_t(abs(d_z) * n**0.5, n - 1) >= 0.8
    )
    assert welch["power"] == close(of_t(abs(welch["statistic"]), welch["df"]), 1e-8)
    assert welch["n_needed"] == next(
        n for n in range(2, 500) if of_t(abs(d) * (n / 2) ** 0.5, 2 * n - 2) >= 0.8
    )
    scaled = margin / (a - b).std(ddof=1)
    assert tost["power"] == pytest.approx(of_equivalence(d_z, scaled, 14), abs=1e-8)
    assert (
        of_equivalence(d_z, scaled, tost["n_needed"] - 1)
        < 0.8
        <= of_equivalence(d_z, scaled, tost["n_needed"])
    )
    assert abs(beyond["difference"]) > 0.05 and beyond["n_needed"] is None
    assert beyond["notes"][-1].startswith("no n would show equivalence: ")


def test_power_of_a_normal_statistic():
    """statsmodels 0.15.0, normal_power of 0.3 and 0.1 deviations, n = 50."""
    assert power.of_normal(0.3 * math.sqrt(50), 0.95) == close(0.5641160254310036)
    assert power.of_normal(0.1 * math.sqrt(50), 0.95) == close(0.10895461755061545)


def test_the_n_needed_is_that_of_the_tables():
    """Cohen 1988, table 2.4.1, at two-sided 0.05: 64 in each group for d = 0.5, 26 for d = 0.8."""
    needed = [
        power.needed(lambda n, d=d: power.of_t(d, n / 2, 2 * n - 2, 0.95)) for d in (0.5, 0.8)
    ]
    assert needed == [64, 26]
    # statsmodels 0.14, TTestPower
    assert power.needed(lambda n: power.of_t(0.2, n, n - 1, 0.95)) == 199
    assert power.needed(lambda n: power.of_t(1e-6, n, n - 1, 0.95)) is None


def test_the_n_needed_is_the_least_that_is_enough():
    for wanted in [2, 3, 4, 7, 8, 100]:
        found = power.needed(lambda n: 0.8 * (n >= wanted))
        assert (found, type(found)) == (wanted, int)


def test_power_of_two_groups():
    """statsmodels 0.15.0, TTestIndPower of d = 0.4 with 40 and 100 values."""
    assert power.of_t(0.4, 40 * 100 / 140, 138, 0.95) == close(0.5648541027347607)


def test_groups_together_have_no_power_and_ratings_none_at_all():
    records = [{"id": i, "system": str(j), "m": i * j % 5} for i in range(9) for j in range(3)]
    first, *pairs = dialtools.ttest(records, value="m", by="system", test="friedman", power=True)
    assert "power" not in first and first["notes"][-1].startswith(
        "no power for all groups together"
    )
    assert [pair["test"] for pair in pairs] == ["wilcoxon"] * 3 and all(
        "power" in pair for pair in pairs
    )
    assert (
        all("|after:friedman|" in pair["signature"] for pair in pairs)
        and "after" not in first["signature"]
    )
    with pytest.raises(OptionError, match="power=True: likert makes no comparison"):
        list(dialtools.ttest(records, value="m", by="system", test="likert", power=True))


def seen(effect_name: str, effect: float | None, n: int, m: int, **more) -> dict:
    """Return the power of a result with this effect."""
    outcome = {"p": 0.01, "effect_name": effect_name, "effect": effect, "difference": None, **more}
    return power.powers(outcome, [[0.0] * n, [0.0] * m], 0.95)


def test_n_needed_is_that_of_published_tables_and_formulas():
    """Hulley et al. 2013, Designing clinical research, appendix 6C: 85 pairs for r = 0.3.

    Noether 1987, by hand, (1.959964 + 0.841621)² = 7.848879: sign, p = 0.7, 49.06 = 7.85 / (4 *
    0.04); of ranks, P(x + x' > 0) = 0.7, 65.41 = 7.85 / (3 * 0.04); two groups, P(x > y) = 0.7, as
    many in both.
    """
    assert seen("r", 0.3, 50, 50)["n_needed"] == 85
    assert seen("sign", 0.4, 50, 50, zeros=0)["n_needed"] == 50
    assert seen("sign", 0.4, 100, 100, zeros=50)["n_needed"] == 99
    assert seen("odds ratio", 7 / 3, 100, 100, pairs_a=35, pairs_b=15)["n_needed"] == 99
    assert seen("odds ratio", None, 100, 100, pairs_a=9, pairs_b=0)["n_needed"] == 88
    assert seen("rank-biserial", 0.4, 50, 50, zeros=0)["n_needed"] == 66
    assert seen("cliff", 0.4, 50, 20)["n_needed"] == 33
    assert seen("r", 1.0, 50, 50)["n_needed"] == 4


@pytest.mark.parametrize(
    "test, effect",
    [
        ("sign", 0.25),
        ("wilcoxon", 0.2),
        ("mann-whitney", 0.3),
        ("spearman", 0.2),
        ("kendall", 0.2),
        ("pearson", 0.2),
    ],
)
def test_power_is_how_often_the_test_finds_the_effect(test: str, effect: float):
    """400 samples of 120 normal values; the share has a standard error of 0.025."""
    rng, n, results = numpy.random.default_rng(5), 120, []
    for _ in range(400):
        a, b = rng.normal(size=(2, n))
        if test in ("spearman", "kendall", "pearson"):
            columns, options = (a, effect * a + math.sqrt(1 - effect**2) * b), ""
        else:
            columns, options = (a + effect, b * (test == "mann-whitney")), ":resamples=2"
        plugin = registry.load("hypothesis_tests", test + options)
        results.append(plugin.call(*(column.tolist() for column in columns), 0.95))
    mean = results[0] | {"effect": sum(result["effect"] for result in results) / 400}
    found = sum(result["p"] < 0.05 for result in results) / 400
    assert 0.4 < found < 0.8
    assert power.powers(mean, [[0.0] * n] * 2, 0.95)["power"] == pytest.approx(found, abs=0.06)


@pytest.mark.parametrize("level, n, said", [(0.999, 3, "power < 0.01"), (0.5, 60, "power > 0.99")])
def test_power_near_0_and_1_is_no_number(level: float, n: int, said: str):
    a, b = ([{"id": i, "m": i % 3 + k * (i % 2)} for i in range(n)] for k in (1, 0))
    (result,) = dialtools.ttest(a, b, value="m", test="paired", level=level, power=True)
    assert f"; {said}" in result["verdict"]
