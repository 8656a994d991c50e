"""-t two-proportions, against scipy, Newcombe's own figures and counts of a paper."""

import json
import math

import pytest
from scipy import stats

from dialtools.plugins import registry
from dialtools.statistics import power

TABLES = [(234, 303, 234, 302), (228, 325, 241, 310), (1, 12, 9, 11), (0, 5, 4, 6), (3, 3, 1, 90)]
TABLES.append((310, 620, 280, 600))  # whose tables are more than a float holds


def close(value, exact: float = 1e-10):
    return pytest.approx(value, rel=exact, abs=1e-12)


def run(yes_a: int, n: int, yes_b: int, m: int, spec: str = "", yes: float = 1.0) -> dict:
    a, b = ([yes] * k + [0.0] * (size - k) for k, size in ((yes_a, n), (yes_b, m)))
    return registry.load("hypothesis_tests", f"two-proportions{spec}").call(a, b, 0.95)


@pytest.mark.parametrize("yes_a, n, yes_b, m", TABLES)
def test_it_agrees_with_scipy(yes_a: int, n: int, yes_b: int, m: int):
    """z² is chi-squared of the table, with and without Yates' correction; exact is Fisher's test."""
    table = [[yes_a, n - yes_a], [yes_b, m - yes_b]]
    for method, correction in (("asymptotic", False), ("corrected", True)):
        reference = stats.chi2_contingency(table, correction=correction)
        result = run(yes_a, n, yes_b, m, f":method={method}")
        assert (result["statistic"] ** 2, result["p"]) == (
            close(reference.statistic),
            close(reference.pvalue),
        )
        assert math.copysign(1, result["statistic"]) == math.copysign(1, yes_a / n - yes_b / m)
    exact = run(yes_a, n, yes_b, m, ":method=exact")
    assert exact["p"] == close(stats.fisher_exact(table).pvalue)
    assert (exact["yes_a"], exact["yes_b"]) == (yes_a, yes_b)
    ratio = stats.contingency.odds_ratio(table, kind="sample")
    if 0 in sum(table, []):
        assert (exact["effect"], exact["effect_ci"]) == (None, None)
    else:
        low, high = ratio.confidence_interval(0.95)
        assert (exact["effect"], exact["effect_ci"]) == (close(ratio.statistic), close([low, high]))


@pytest.mark.parametrize(
    "counts, low, high",
    [
        ((56, 70, 48, 80), 0.0524, 0.3339),
        ((9, 10, 3, 10), 0.1705, 0.8090),
        ((10, 10, 0, 20), 0.6791, 1.0),
    ],
)
def test_its_interval_is_newcombes(counts: tuple, low: float, high: float):
    """Newcombe 1998, table II, method 10, of cases a, b and g."""
    assert [round(end, 4) for end in run(*counts)["ci"]] == [low, high]
    assert run(*counts, yes=100.0)["ci"] == close([100 * end for end in run(*counts)["ci"]])


def test_its_power_by_hand():
    """Cohen's h of 0.75 and 0.5 is π / 6: 2 ((1.96 + 0.8416) / h)² = 57.26; with 40 each, power 0.6486."""
    columns = [[1.0] * 30 + [0.0] * 10, [1.0] * 20 + [0.0] * 20]
    result = run(30, 40, 20, 40)
    made = power.powers(result, columns, 0.95)
    assert result["h"] == close(math.pi / 6) and made["n_needed"] == 58
    by_hand = stats.norm.sf(stats.norm.ppf(0.975) - math.pi / 6 * 20**0.5)
    assert made["power"] == pytest.approx(by_hand, abs=1e-4) and round(made["power"], 2) == 0.65
    # all of one group: the odds ratio is infinite, and h is not
    assert power.powers(run(5, 5, 2, 6), [[1.0] * 5, [1.0] * 6], 0.95)["n_needed"] < 10


def test_what_it_cannot_test():
    assert run(3, 3, 4, 4)["reason"] == "all answers of both groups are equal"
    assert run(3, 3, 4, 4)["difference"] == 0
    assert "got 2" in run(1, 2, 1, 2, yes=2.0)["reason"]
    assert "got 3, 0" in run(1, 3, 0, 0)["reason"]


def test_answers_of_people_in_two_orders(shell):
    """Table 1 of the paper of examples/chat-warnings, Chinese: 228 of 325 against 241 of 310.

    By hand: (0.70154 - 0.77742) / √(0.73858 × 0.26142 × (1/325 + 1/310)) = -2.1752.
    """
    people = "\n".join(
        json.dumps({"id": f"{order} {n}", "order": order, "noticed": n < yes})
        for order, yes, total in (("last", 228, 325), ("first", 241, 310))
        for n in range(total)
    )
    line = (
        "dt-ttest --value noticed --by order --baseline first -t two-proportions --format json -q"
    )
    result = shell(f"{line} <<'END'\n{people}\nEND")
    assert result.status == 0, result.err
    made = json.loads(result.out)
    assert (made["n_a"], made["n_b"], made["yes_a"], made["yes_b"]) == (325, 310, 228, 241)
    assert round(made["statistic"], 4) == -2.1752 and round(made["p"], 4) == 0.0296
    assert "percent" not in made["unit"] and made["difference"] == close(228 / 325 - 241 / 310)
