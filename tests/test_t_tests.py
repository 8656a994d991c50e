"""The t distribution and t tests, against scipy, mpmath, worked examples and closed forms."""

import json
import math
import random
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from dialtools.plugins import registry
from dialtools.statistics import distributions, moments

TESTS = ("paired", "student", "welch")

# Student 1908, as in the data set "sleep" of R: hours of sleep gained by ten patients with each of
# two drugs.
SLEEP = (
    [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
)


def run(test: str, a: list, b: list, level: float = 0.95) -> dict:
    return registry.load("hypothesis_tests", test).call(a, b, level)


def close(value, exact: float = 1e-12):
    return pytest.approx(value, rel=exact, abs=0)


# I_x(df/2, 1/2) by mpmath 1.3.0 with 60 digits.
def test_p_agrees_with_mpmath():
    for t, df, p in [
        (2, 10, 0.073388034770740366),
        (0.5, 0.7, 0.73040168668233002),
        (12.25, 76.94, 9.2967294671179257e-20),
        (250, 60, 2.9301638542197088e-92),
        (1e150, 1.9, 9.3828659088289501e-286),
        (1e100, 3, 2.2053155816871681e-300),
        (37.4, 1e6, 6.3740696260059272e-306),
    ]:
        assert distributions.t_outside(t, df) == close(p)
        assert distributions.t_outside(-t, df) == close(p)


def test_p_agrees_with_the_closed_forms():
    """An angle for df 1, an algebraic function for df 2 (Johnson and others 1995, chapter 28)."""
    for t in [1e-9, 0.3, 0.999, 1, 1.001, 7.5, 1e4, 1e12, 1e200]:
        with localcontext() as context:
            context.prec = 60
            two = 1 - Decimal(t) / (2 + Decimal(t) ** 2).sqrt()
        assert distributions.t_outside(t, 1) == close(2 / math.pi * math.atan2(1, t))
        assert distributions.t_outside(t, 2) == close(float(two))


def test_p_of_nothing_and_of_far_too_much():
    assert distributions.t_outside(0, 3) == 1
    assert distributions.t_outside(1e200, 30) == 0
    assert 0 < distributions.t_outside(1e-300, 5) <= 1


def test_distribution_agrees_with_scipy():
    for df in [1, 1.5, 2, 3, 7.25, 24, 49, 50, 51, 400, 1e4, 1e6]:
        for t in (0.01, 0.5, 1, 1.7, 2.5, 5, 12, 30):
            assert distributions.t_outside(t, df) == close(2 * stats.t.sf(t, df), 1e-11)
        for level in (0.01, 0.3, 0.5, 0.68, 0.9, 0.95, 0.99, 0.9999):
            assert distributions.t_critical(level, df) == close(stats.t.isf((1 - level) / 2, df))


@given(st.floats(1e-6, 1 - 1e-6), st.floats(0.5, 1e6))
def test_quantiles_and_probabilities_are_inverses(level: float, df: float):
    t = distributions.t_critical(level, df)
    assert distributions.t_outside(t, df) == close(1 - level, 1e-10)


def test_tests_agree_with_scipy():
    """Seeds give two values, and groups of very different sizes and variances."""
    for seed in (0, 4, 5, 9):
        for level in [0.95, 0.8]:
            rng = random.Random(seed)
            n, shift, scale = (
                [2, 3, 5, 12, 40, 300][seed % 6],
                [0, 0.5, 4][seed % 3],
                [1, 30][seed % 2],
            )
            a = [rng.gauss(0.2, 1) for _ in range(n)]
            b = [x + rng.gauss(-shift, 0.3) for x in a]
            c = [rng.gauss(shift, scale) for _ in range(2 + seed % 5 * 9)]
            agree(run("paired", a, b, level), stats.ttest_rel(a, b), level)
            agree(run("student", a, c, level), stats.ttest_ind(a, c), level)
            agree(run("welch", a, c, level), stats.ttest_ind(a, c, equal_var=False), level)


def agree(result: dict, reference, level: float, exact: float = 1e-10) -> None:
    interval = reference.confidence_interval(level)
    assert result["statistic"] == close(reference.statistic, exact)
    assert result["p"] == close(reference.pvalue, exact)
    assert result["df"] == close(reference.df, exact)
    assert result["ci"] == close([interval.low, interval.high], exact)


def test_tiny_p_agree_with_scipy():
    for test, n, gap in [
        ("paired", 60, 50_000),
        ("paired", 300, 8),
        ("student", 1000, 2.6),
        ("student", 25, 1e5),
        ("welch", 60, 3000),
        ("welch", 30, 1e6),
    ]:
        rng = random.Random(n)
        a, b = ([rng.gauss(mean, 1 + mean / gap / 2) for _ in range(n)] for mean in (gap, 0))
        result = run(test, a, b)
        assert 1e-300 < result["p"] < 1e-190
        agree(
            result,
            stats.ttest_rel(a, b)
            if test == "paired"
            else stats.ttest_ind(a, b, equal_var=test == "student"),
            0.95,
        )


def test_sleep_agrees_with_r():
    """R 4, t.test of sleep: t = -4.0621, p = 0.002833; Welch t = -1.8608, df = 17.776."""
    paired, welch = run("paired", *SLEEP), run("welch", *SLEEP)
    assert [round(paired[key], 4) for key in ("statistic", "df", "difference")] == [
        -4.0621,
        9,
        -1.58,
    ]
    assert paired["p"] == close(0.002833, 1e-3) and paired["ci"] == close(
        [-2.4598858, -0.7001142], 1e-7
    )
    assert (round(welch["statistic"], 4), round(welch["df"], 3), round(welch["p"], 5)) == (
        -1.8608,
        17.776,
        0.07939,
    )
    assert welch["ci"] == close([-3.3654832, 0.2054832], 1e-6)


def test_effects_by_hand():
    """Deviations 2 and 1 (variances 4 and 1), differences 1, 2, 3: mean 2, deviation 1.

    Errors of d after Hedges and Olkin 1985, chapter 5: 6/9 + d²/12 = 0.8 is the variance; of
        pairs, 1/3 + d²/6 = 1.
    """
    a, b = [3.0, 5.0, 7.0], [2.0, 3.0, 4.0]
    pooled, z = math.sqrt((4 + 1) / 2), stats.norm.ppf(0.975)
    assert run("paired", a, b)["effect_ci"] == close([2 - z, 2 + z])
    half = z * math.sqrt(0.8)
    assert run("student", a, b)["effect_ci"] == close([2 / pooled - half, 2 / pooled + half])
    assert run("paired", a, b)["effect"] == close(2.0)
    assert {run(test, a, b)["effect"] for test in ("student", "welch")} == {
        run("paired", a, b)["d"]
    }
    assert run("paired", a, b)["d"] == close(2 / pooled)
    assert run("student", a, [2.0, 3.0, 4.0, 3.0])["effect"] == close(
        2 / math.sqrt((2 * 4 + 3 * 2 / 3) / 5)
    )


@pytest.mark.parametrize(
    "test, error, critical",
    [
        ("student", 1 / 3 + 1 / 4, stats.norm.ppf(0.975)),
        (
            "welch",
            (4 / 3 + 2 / 3 / 4) / 2,
            stats.t.ppf(0.975, (3 / 2) ** 2 / ((4 / 3) ** 2 / 2 + (1 / 6) ** 2 / 3)),
        ),
    ],
)
def test_the_interval_of_d_has_the_error_of_the_test(test: str, error: float, critical: float):
    """By hand: variances 4 and 2/3, pooled 2; of the difference 2/3 + 2/4, by Welch 4/3 + 1/6."""
    result = run(test, [3.0, 5.0, 7.0], [2.0, 3.0, 4.0, 3.0])
    half = critical * math.sqrt(error + 2 / 14)
    assert result["effect_ci"] == close([math.sqrt(2) - half, math.sqrt(2) + half])


@pytest.mark.parametrize("few", [5, 20])
def test_intervals_of_d_hold_it_where_variances_differ(few: int):
    """Of 400 intervals of 95 % fewer than 368 would hold the effect, 0, in 1 of 250 times."""
    rng = random.Random(3)
    draws = (
        [[rng.gauss(0, 3) for _ in range(few)], [rng.gauss(0, 1) for _ in range(60)]]
        for _ in range(400)
    )
    intervals = [run("welch", a, b)["effect_ci"] for a, b in draws]
    assert sum(low <= 0 <= high for low, high in intervals) >= 368


def test_neither_place_nor_scale_costs_exactness():
    """The values are multiples of 1/64, so that moving and scaling them is exact."""
    for test in TESTS:
        for move, scale in [(2**40, 1), (-(2**45), 1), (0, 2**-800), (0, 2.0**900)]:
            rng = random.Random(4)
            a, b = ([rng.randrange(640) / 64 for _ in range(25)] for _ in "ab")
            result, moved = (
                run(test, a, b),
                run(test, [x * scale + move for x in a], [x * scale + move for x in b]),
            )
            for key in ("statistic", "df", "p", "effect"):
                assert moved[key] == close(result[key], 1e-13)
            assert moved["difference"] == close(result["difference"] * scale, 1e-13)


@pytest.mark.parametrize("test", TESTS)
@given(st.lists(st.tuples(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300)), max_size=6))
def test_no_answer_is_nan(test: str, values: list[tuple[float, float]]):
    """Exchanging the groups turns the signs; a test without an answer has a reason."""
    a, b = [x for x, _ in values], [y for _, y in values]
    result, turned = run(test, a, b), run(test, b, a)
    json.dumps(result, allow_nan=False)
    assert (result["p"] is None) == ("reason" in result) == (turned["p"] is None)
    if result["p"] is not None:
        assert 0 <= result["p"] <= 1 and result["statistic"] == pytest.approx(
            -turned["statistic"], rel=1e-6, abs=1e-9
        )


def test_what_cannot_be_tested_has_a_reason():
    for test, a, b, reason in [
        ("paired", [], [], "the test needs at least 2 pairs, got 0"),
        ("paired", [1.0], [2.0], "the test needs at least 2 pairs, got 1"),
        ("paired", [1.0, 2.0], [1.0, 2.0], "no variance: all differences are 0"),
        (
            "paired",
            [100.3, 500.7, 31.1],
            [100.1, 500.5, 30.9],
            "no variance: all differences are 0.2",
        ),
        ("student", [1.0, 2.0], [1.0], "the test needs at least 2 values in each group, got 2, 1"),
        ("welch", [], [1.0, 2.0], "the test needs at least 2 values in each group, got 0, 2"),
        (
            "welch",
            [5.0, 5.0],
            [1.0, 1.0, 1.0],
            "no variance: all values within each group are equal",
        ),
        ("student", [0.1] * 9, [0.3] * 9, "no variance: all values within each group are equal"),
    ]:
        result = run(test, a, b)
        assert result["reason"] == reason
        assert [result[key] for key in ("statistic", "p", "ci", "effect")] == [None] * 4


def test_one_group_without_variance_is_no_obstacle():
    """By hand: means 1 and 7/3, deviations 0 and √(7/3), so the error is √(7/9), and df 2 or 4."""
    constant, other = [1.0, 1.0, 1.0], [1.0, 2.0, 4.0]
    welch, student = run("welch", constant, other), run("student", constant, other)
    assert (welch["statistic"], welch["df"]) == (close(-4 / 3 / math.sqrt(7 / 9)), close(2))
    assert (student["statistic"], student["df"]) == (close(-4 / 3 / math.sqrt(7 / 9)), 4)


def test_moments_of_constants():
    assert moments.is_constant([0.1, 0.1 + 1e-17]) and not moments.is_constant([0.1, 0.1 + 1e-14])
    assert moments.is_constant([0.0, 0.0]) and not moments.is_constant([0.0, 5e-324])
    assert moments.is_constant([2e-16, 0.0], of=[1.0]) and not moments.is_constant([2e-16, 0.0])
