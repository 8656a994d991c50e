"""Intervals and gaps of summaries: against scipy, and by hand where dialogues have several values."""

import json
import random

import pytest
from scipy import stats

import dialtools
from dialtools.statistics import clustered


def mean(values: list[float], clusters: list[int]) -> clustered.Mean:
    sample = clustered.Sample()
    for key, value in zip(clusters, values, strict=True):
        sample.add(key, value)
    found = clustered.mean(sample)
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


def rows(**systems: str) -> list[dict]:
    """Return records whose exact score is 1 where a system's letter is x."""
    return [
        {"id": n, "lang": "en", "system": name, "prediction": said, "reference": "x"}
        for name, letters in systems.items()
        for n, said in enumerate(letters)
    ]


def test_systems_have_intervals_the_best_is_named_and_the_gap_is_tested():
    """Against scipy: 100 for each x."""
    good, fair, bad = "xxxxxxxxyx", "xxxxxyyyyx", "yyyyyyyyyx"
    *systems, gap = dialtools.score(
        rows(good=good, fair=fair, bad=bad), metric=["exact"], summary=True, by="system"
    )
    scores = [[100 * (one == "x") for one in letters] for letters in (good, fair, bad)]
    for result, own in zip(systems, scores, strict=True):
        assert result["mean_ci"] == pytest.approx(
            list(stats.ttest_1samp(own, 0).confidence_interval(0.95))
        )
    assert [result["best"] for result in systems] == [True, False, False]
    fair_p, bad_p = (stats.ttest_rel(own, scores[0]).pvalue for own in scores[1:])
    assert [result.get("p_best") for result in systems] == [
        None,
        pytest.approx(max(fair_p, 2 * bad_p)),
        pytest.approx(2 * bad_p),
    ]  # Holm
    wanted = stats.ttest_rel(scores[0], scores[2])
    assert (gap["gap"], gap["pairs"], gap["p"]) == (80, 3, pytest.approx(3 * wanted.pvalue))
    assert gap["ci"] == pytest.approx(list(wanted.confidence_interval(1 - 0.05 / 3)))


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
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in made))
    line = "dt-score -m rouge1 -q --summary --by system in.jsonl"
    assert shell(line).out == shell(f"{line} --jobs 2").out
