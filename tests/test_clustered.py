"""Intervals and gaps of summaries: against scipy, and by hand where dialogues have several values."""

import json
import random

import pytest
from scipy import stats

import dialtools
from dialtools.statistics import clustered


def mean(
    values: list[float], clusters: list[int], proportion_of: float | None = None
) -> clustered.Mean:
    sample = clustered.ClusteredValues()
    for key, value in zip(clusters, values, strict=True):
        sample.add(key, value)
    found = clustered.mean(sample, proportion_of or 1, proportion_of)
    assert found
    return found


RNG = random.Random(3)
A, B = ([RNG.gauss(centre, 1) for _ in range(12)] for centre in (1, 0.4))


def test_one_value_a_cluster_is_students_t():
    interval = stats.ttest_1samp(A, 0).confidence_interval(0.95)
    assert clustered.interval(mean(A, list(range(12)))) == pytest.approx(list(interval))


@pytest.mark.parametrize(
    "shift, test", [(0, stats.ttest_rel), (50, lambda a, b: stats.ttest_ind(a, b, equal_var=False))]
)
def test_the_difference_is_paired_over_the_same_dialogues_and_welchs_over_others(shift: int, test):
    made = clustered.tested(mean(A, list(range(12))), mean(B, list(range(shift, shift + 12))))
    wanted = test(A, B)
    assert made["p"] == pytest.approx(wanted.pvalue)
    assert made["ci"] == pytest.approx(list(wanted.confidence_interval(0.95)))


def test_corrected_for_several_tests():
    one, other = mean(A, list(range(12))), mean(B, list(range(12)))
    made, plain = clustered.tested(one, other, tests=3), clustered.tested(one, other)
    assert made["p"] == pytest.approx(min(1, 3 * plain["p"]))
    assert made["ci"] == pytest.approx(
        list(stats.ttest_rel(A, B).confidence_interval(1 - 0.05 / 3))
    )


def test_values_of_one_dialogue_are_not_independent_by_hand():
    """Of clusters (0, 2) and (4) the mean is 2; they deviate by -2/3 and 2/3, so that the variance is
    2 * (4/9 + 4/9) = 16/9, and t of 0.95 with one degree of freedom is 12.706."""
    low, high = clustered.interval(mean([0, 2, 4], [1, 1, 2]))
    assert (low + high) / 2 == pytest.approx(2)
    assert (high - low) / 2 == pytest.approx(12.7062047 * 4 / 3)


def test_some_dialogues_in_common_by_hand():
    """a is 0 and 2 of clusters 1 and 2, b is 1, 3 of 2 and 3: e of a is -1/2, 1/2, of b the same; the variances
    are 1 each, the covariance over one shared cluster 1/2 * -1/2 = -1/4."""
    error, df = clustered.difference(mean([0, 2], [1, 2]), mean([1, 3], [2, 3]))
    assert (error**2, df) == (pytest.approx(1 + 1 + 2 / 4), 1)


@pytest.mark.parametrize(
    "values, clusters", [([3.0], [1]), ([1.0, 2.0], [1, 1]), ([0.1, 0.1, 0.1], [1, 2, 3])]
)
def test_no_interval_is_possible(values: list[float], clusters: list[int]):
    assert clustered.interval(mean(values, clusters)) is None
    assert clustered.tested(mean(values, clusters), mean(values, clusters)) == {
        "ci": None,
        "p": None,
    }


def wilson(count: int, n: int, level: float = 0.95) -> list[float]:
    """Return the interval of scipy, in percent."""
    interval = stats.binomtest(count, n).proportion_ci(level, method="wilson")
    return [100 * interval.low, 100 * interval.high]


@pytest.mark.parametrize("ones", [0, 1, 150, 199, 200])
def test_a_proportion_has_the_interval_of_wilson(ones: int):
    values = [1.0] * ones + [0.0] * (200 - ones)
    alone = clustered.interval(mean(values, list(range(200)), 100))
    assert alone == pytest.approx(wilson(ones, 200)) and 0 <= alone[0] < alone[1] <= 100
    # three equal values in each cluster say as much as one
    thrice = mean(3 * values, 3 * list(range(200)), 100)
    assert clustered.interval(thrice) == pytest.approx(alone)
    assert clustered.interval(mean([*values, 0.5], list(range(201)), 100)) != alone


def test_a_proportion_of_values_that_depend_on_each_other_by_hand():
    """Of clusters 1 1, 1 0, 0 0 and 1 0 the mean is 1/2; they deviate by 1/8, 0, -1/8 and 0, so that the
    variance is 2/64 * 4/3 = 1/24, as of 1/4 * 24 + 1 = 7 values; t is 2.4469 of 6 and 3.1824 of 3."""
    values, clusters = [1, 1, 1, 0, 0, 0, 1, 0], [1, 1, 2, 2, 3, 3, 4, 4]
    n, z = 7 * (2.4469118 / 3.1824463) ** 2, stats.norm.ppf(0.975)
    half = z / (1 + z * z / n) * (1 / (4 * n) + z * z / (4 * n * n)) ** 0.5
    low, high = clustered.interval(mean(values, clusters, 100))
    assert (low, high) == pytest.approx((50 - 100 * half, 50 + 100 * half))


@pytest.mark.parametrize(
    "a, n, b, m, ci",
    [(56, 70, 48, 80, (5.243147, 33.387265)), (200, 200, 190, 200, (2.056038, 8.957815))],
)
def test_a_difference_of_proportions_has_the_interval_of_newcombe(a, n, b, m, ci):
    """The first is published (1998); statsmodels 0.15.0 gives both, confint_proportions_2indep(…,
    method="newcomb")."""
    one, other = ([1] * a + [0] * (n - a)), ([1] * b + [0] * (m - b))
    made = clustered.tested(mean(one, list(range(n)), 100), mean(other, list(range(n, n + m)), 100))
    assert made["ci"] == pytest.approx(ci, abs=1e-6)
    same = clustered.tested(mean([1] * 9, list(range(9)), 100), mean([1] * 9, list(range(9)), 100))
    assert same["p"] is None and -50 < same["ci"][0] < 0 < same["ci"][1] < 50


def test_every_summary_has_intervals_of_proportions(shell, tmp_path):
    """199 of 200, and all 200, whose intervals were 98.5 to 100.5, and none."""
    made = rows(most="x" * 199 + "y", all="x" * 200)
    dialtools.write(made, tmp_path / "in.jsonl")
    for summary in ("--summary", "--summary --by system"):
        told = shell(f"dt-score -m exact -q {summary} in.jsonl --format json").out.splitlines()
        most, every, *_ = map(json.loads, told)
        assert most["mean_ci"] == pytest.approx(wilson(199, 200))
        assert every["mean_ci"] == pytest.approx(wilson(200, 200))
    varied = [
        {**row, "variant": f"names:{k}", "prediction": "xy"[k % 2 and row["id"] < 150]}
        for row in rows(one="x" * 200)
        for k in (1, 2)
    ]
    (result,) = dialtools.score(varied, metric=["exact"], sensitivity=True)
    assert (result["S"], result["S_ci"]) == (75, pytest.approx(wilson(150, 200)))
    pairs = zip(rows(one="x" * 200), varied[::2], strict=True)
    records = [row for original, variant in pairs for row in (original, variant)]
    (result,) = dialtools.score(records, metric=["exact"], robustness=True)
    assert result["consistency_ci"] == pytest.approx(wilson(150, 200))


def rows(**systems: str) -> list[dict]:
    """Return records whose exact score is 1 where a system's letter is x."""
    return [
        {"id": n, "lang": "en", "system": name, "prediction": said, "reference": "x"}
        for name, letters in systems.items()
        for n, said in enumerate(letters)
    ]


def test_systems_have_intervals_the_best_is_named_and_the_gap_is_tested():
    """Against scipy: 100 for each x.  The gap has Newcombe's interval, of the answers to the same
    questions: both are right in one, and wrong in one; phi is (1 * 1 - 8 * 0) / (9 * 1 * 1 * 9)**0.5."""
    good, fair, bad = "xxxxxxxxyx", "xxxxxyyyyx", "yyyyyyyyyx"
    *systems, gap = dialtools.score(
        rows(good=good, fair=fair, bad=bad), metric=["exact"], summary=True, by="system"
    )
    scores = [[100 * (one == "x") for one in letters] for letters in (good, fair, bad)]
    for result, own in zip(systems, scores, strict=True):
        assert result["mean_ci"] == pytest.approx(wilson(own.count(100), 10))
    assert [result["best"] for result in systems] == [True, False, False]
    fair_p, bad_p = (stats.ttest_rel(own, scores[0]).pvalue for own in scores[1:])
    assert [result.get("p_best") for result in systems] == [
        None,
        pytest.approx(max(fair_p, 2 * bad_p)),
        pytest.approx(2 * bad_p),
    ]  # Holm
    wanted = stats.ttest_rel(scores[0], scores[2])
    assert (gap["gap"], gap["pairs"], gap["p"]) == (80, 3, pytest.approx(3 * wanted.pvalue))
    (low, high), (lowest, _) = (wilson(ones, 10, 1 - 0.05 / 3) for ones in (9, 1))
    reach = [(1 - 1 / 9) * 2 * x * x for x in (90 - low, high - 90)]
    assert lowest == pytest.approx(100 - high)  # 1 of 10 mirrors 9 of 10
    assert gap["ci"] == pytest.approx([80 - reach[0] ** 0.5, 80 + reach[1] ** 0.5])


def test_of_sensitivity_the_lowest_is_the_best():
    made = [
        {
            "id": n,
            "lang": "en",
            "system": system,
            "variant": f"names:{k}",
            "prediction": text,
            "reference": "a b",
        }
        for system, texts in (("calm", ("a b", "a b")), ("shaky", ("a b", "c d")))
        for n in range(4)
        for k, text in enumerate(texts, 1)
    ]
    calm, shaky, gap = dialtools.score(made, metric=["rouge1"], sensitivity=True, by="system")
    assert (calm["S"], shaky["S"], calm["S_ci"], calm["best"]) == (0, 100, None, True)
    assert (gap["gap"], gap["ci"], gap["highest"]) == (100, None, "shaky")


def test_the_original_is_a_group_of_its_own():
    made = [
        {
            "id": n,
            "lang": "en",
            "prediction": text,
            "reference": "x",
            **({"variant": name} if name else {}),
        }
        for n in range(3)
        for name, text in (("", "x"), ("typo.case:1", "y"))
    ]
    *groups, gap = dialtools.score(made, metric=["exact"], summary=True, by="variant")
    assert [(group["group"], group["mean"]) for group in groups] == [
        ("original", 100),
        ("typo.case:1", 0),
    ]
    assert "group" not in gap and (gap["highest"], gap["lowest"]) == ("original", "typo.case:1")


def test_processes_give_the_same_intervals(shell, tmp_path):
    made = rows(a="xyxyyxxxxy" * 5, b="xxyyxyxyxy" * 5)
    dialtools.write(made, tmp_path / "in.jsonl")
    line = "dt-score -m rouge1 -q --summary --by system in.jsonl"
    assert shell(line).out == shell(f"{line} --jobs 2").out


def pairs_of(rng: random.Random, clusters: list[int], steps: int, shared: float) -> list[tuple]:
    """Return values of pairs of items, each with those that come next, whose true mean is 0."""
    effects = [rng.gauss(0, 1) for _ in clusters]
    number = len(clusters)
    rows = [
        ((one, (one + step) % number), rng.gauss(0, 1))
        for one in range(number)
        for step in range(1, steps + 1)
    ]
    values = [
        (
            tuple(sorted(clusters[place] for place in pair)),
            value + shared * sum(effects[place] for place in pair),
        )
        for pair, value in rows
    ]
    return sorted(value for value in values if len(set(value[0])) == 2)


@pytest.mark.parametrize(
    "clusters, steps", [(list(range(9)), 4), (list(range(12)), 1), ([n // 3 for n in range(24)], 2)]
)
def test_the_variance_of_a_mean_of_pairs_is_that_of_its_definition(clusters: list[int], steps: int):
    """Products of deviations of pairs that share a cluster, over the number of those that share none."""
    values = pairs_of(random.Random(5), clusters, steps, 0.5)
    centre = sum(value for _, value in values) / len(values)
    products, apart = 0.0, 0
    for pair, value in values:
        for other, second in values:
            products += (value - centre) * (second - centre) * bool({*pair} & {*other})
            apart += not {*pair} & {*other}
    sums = [
        sum(value - centre for pair, value in values if pair == both)
        for both in {pair for pair, _ in values}
    ]
    independent = sum(total**2 for total in sums) / len(values) ** 2
    error = max(products / apart, independent) ** 0.5
    half = stats.t.ppf(0.975, len({*clusters}) - 1) * error
    shown, interval = clustered.mean_of_pairs(values)
    assert shown == pytest.approx(centre, rel=1e-12)
    assert interval == pytest.approx([centre - half, centre + half], rel=1e-9)


def test_the_variance_of_all_pairs_is_that_of_a_u_statistic():
    """Without bias: its mean over many samples is the variance of the means themselves."""
    rng, shared, number = random.Random(2), 0.7, 9
    means, variances, hits = [], [], 0
    for _ in range(2000):
        values = pairs_of(rng, list(range(number)), 4, shared)
        shown, (low, high) = clustered.mean_of_pairs(values)
        means.append(shown)
        variances.append(((high - low) / 2 / stats.t.ppf(0.975, number - 1)) ** 2)
        hits += low <= 0 <= high
    true = 4 * shared**2 / number + 1 / len(values)
    assert sum(variances) / 2000 == pytest.approx(true, rel=0.05)
    assert sum(value**2 for value in means) / 2000 == pytest.approx(true, rel=0.1)
    assert 0.93 < hits / 2000 < 0.97


def test_means_of_few_pairs():
    assert clustered.mean_of_pairs([]) is None
    assert clustered.mean_of_pairs([((1, 2), 5.0)]) == (5.0, None)
    three = [((1, 2), 5.0), ((1, 3), 1.0), ((2, 3), 3.0)]  # no two pairs share no cluster
    assert clustered.mean_of_pairs(three) == (3.0, None)
    equal = [((number, number + 1), 0.1) for number in range(9)]
    assert clustered.mean_of_pairs(equal) == (pytest.approx(0.1), None)
