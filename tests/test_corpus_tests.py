"""Intervals and tests of corpus scores, which are sacrebleu's or counted by hand."""

import random

import numpy
import pytest
from scipy import stats

import dialtools
from dialtools.system.errors import OptionError, RecordError


def predicted(seed: int, noise: float, n: int = 60) -> list[dict]:
    rng = random.Random(seed)
    words = "the cat sat on a mat and saw two birds while it was here".split()
    made = []
    for number in range(n):
        said = [rng.choice(words) for _ in range(rng.randint(4, 12))]
        heard = [rng.choice(words) if rng.random() < noise else word for word in said]
        made.append(
            {"id": number, "lang": "en", "reference": " ".join(said), "prediction": " ".join(heard)}
        )
    return made


def summed_up(records: list[dict], metric: str, **options) -> dict:
    return next(dialtools.score(records, metric=[metric], summary=True, **options))


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_the_interval_is_that_of_sacrebleus_confidence(metric: str):
    """For numbered records it draws the same; for others only as many."""
    metrics = pytest.importorskip("sacrebleu.metrics")
    theirs = getattr(metrics, metric.upper())()
    records = predicted(1, 0.3, 300)
    wanted = theirs.corpus_score(
        [one["prediction"] for one in records],
        [[one["reference"] for one in records]],
        n_bootstrap=1000,
    )
    result = summed_up(records, metric)
    low, high = result["corpus_ci"]
    assert result["corpus"] == pytest.approx(wanted.score, rel=1e-12)
    assert (high - low) / 2 == pytest.approx(wanted._ci, rel=1e-5)  # it sums in float32
    assert "|ci:percentile/1000/clusters|seed:12345|" in result["signature"]
    assert summed_up(records[::-1], metric) == result
    named = [{**one, "id": f"d{one['id']}"} for one in records]
    low, high = summed_up(named, metric)["corpus_ci"]
    assert (high - low) / 2 == pytest.approx(wanted._ci, rel=0.1)


@pytest.mark.parametrize("metric", ["bleu", "macro_f1"])
def test_clusters_are_drawn_and_not_records(metric: str):
    """Two equal records of each dialogue say no more than one of them."""
    records = predicted(1, 0.3)
    if metric == "macro_f1":
        records = [
            {**one, **{key: one[key].split()[0] for key in ("reference", "prediction")}}
            for one in records
        ]
    doubled = [
        {**one, "cluster": one["id"], "id": f"{one['id']}-{n}"} for one in records for n in (1, 2)
    ]
    one, two = summed_up(records, metric), summed_up(doubled, metric)
    assert two["corpus"] == pytest.approx(one["corpus"])
    assert two["corpus_ci"] == pytest.approx(one["corpus_ci"]) and one["corpus_ci"] is not None
    of_one = [{**one, "cluster": "x"} for one in records]
    assert summed_up(of_one, metric)["corpus_ci"] is None


def test_a_gap_of_corpus_scores_is_that_of_linearised_ratios():
    """TER is edits by words: Cochran 1977, section 2.11, with the t of paired values by scipy."""
    records = [
        {**one, "system": name}
        for name, noise in (("x", 0.3), ("y", 0.4))
        for one in predicted(1, noise)
    ]
    first, second, gap = dialtools.score(records, metric=["ter"], summary=True, by="system")
    rows = {
        name: numpy.array(
            [
                one["statistics"]["ter"]
                for one in dialtools.score(records, metric=["ter"])
                if one["system"] == name
            ]
        )
        for name in "xy"
    }
    deviations = {}
    for name, (edits, words) in {name: own.T for name, own in rows.items()}.items():
        deviations[name] = 100 * (edits - edits.sum() / words.sum() * words) / words.mean()
    wanted = stats.ttest_1samp(
        deviations["y"] - deviations["x"] + second["corpus"] - first["corpus"], 0
    )
    assert (gap["of"], gap["highest"], gap["gap"]) == (
        "corpus",
        "y",
        pytest.approx(second["corpus"] - first["corpus"]),
    )
    assert gap["p"] == second["p_best"] == pytest.approx(wanted.pvalue, rel=1e-4)
    assert gap["ci"] == pytest.approx(list(wanted.confidence_interval(0.95)), rel=1e-4)


@pytest.mark.parametrize("metric", ["bleu", "chrf"])
def test_a_gap_of_corpus_scores_has_about_the_interval_of_the_bootstrap(metric: str):
    records = [
        {**one, "system": name}
        for name, noise in (("x", 0.3), ("y", 0.35))
        for one in predicted(1, noise, 300)
    ]
    *_, gap = dialtools.score(records, metric=[metric], summary=True, by="system")
    scored = list(dialtools.score(records, metric=[metric]))
    (tested,) = dialtools.ttest(scored, value=metric, by="system")
    assert gap["gap"] == pytest.approx(tested["difference"])
    assert gap["ci"] == pytest.approx(tested["ci"], rel=0.15)


def test_the_label_of_a_metric_is_its_corpus_score_where_the_test_can_compute_it():
    """The test of other numbers is the paired t test still."""
    a, b = (
        list(dialtools.score(predicted(1, noise, 20), metric=["bleu", "rouge1", "distinct1"]))
        for noise in (0.3, 0.5)
    )
    tested = {
        (value, options.get("test")): next(dialtools.ttest(a, b, value=value, **options))
        for value in ("bleu", "rouge1", "distinct1")
        for options in ({}, {"test": "wilcoxon"}, {"test": "permutation:resamples=99"})
    }
    assert {key: (one["value"], one["test"]) for key, one in tested.items()} == {
        ("bleu", None): ("statistics.bleu", "bootstrap"),
        ("bleu", "wilcoxon"): ("scores.bleu", "wilcoxon"),
        ("bleu", "permutation:resamples=99"): ("statistics.bleu", "permutation:resamples=99"),
        ("rouge1", None): ("scores.rouge1", "paired"),
        ("rouge1", "wilcoxon"): ("scores.rouge1", "wilcoxon"),
        ("rouge1", "permutation:resamples=99"): ("scores.rouge1", "permutation:resamples=99"),
        ("distinct1", None): ("scores.distinct1", "paired"),
        ("distinct1", "wilcoxon"): ("scores.distinct1", "wilcoxon"),
        ("distinct1", "permutation:resamples=99"): ("scores.distinct1", "permutation:resamples=99"),
    }
    assert "in scores.bleu (of records: the sentence mean)" in tested["bleu", "wilcoxon"]["verdict"]
    assert "|value:statistics.bleu|" in tested["bleu", None]["signature"]
    for options in ({"power": True}, {"outliers": "sd:3"}, {"per": "cluster"}):
        (result,) = dialtools.ttest(a, b, value="bleu", **options)
        assert (result["value"], result["test"]) == ("scores.bleu", "paired")
    (result,) = dialtools.ttest(a, value="bleu", versus="rouge1", test="pearson")
    assert result["value"] == "scores.bleu"


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_corpus_scores_are_compared(metric: str):
    """The corpus scores are sacrebleu's."""
    metrics = pytest.importorskip("sacrebleu.metrics")
    theirs = getattr(metrics, {"bleu": "BLEU", "chrf": "CHRF", "ter": "TER"}[metric])()
    a, b = predicted(1, 0.3), predicted(1, 0.5)
    rows = [list(dialtools.score(records, metric=[metric])) for records in (a, b)]
    (result,) = dialtools.ttest(
        *rows, value=f"statistics.{metric}", test="permutation:resamples=1000"
    )
    for name, records in (("a", a), ("b", b)):
        wanted = theirs.corpus_score(
            [one["prediction"] for one in records], [[one["reference"] for one in records]]
        )
        assert result[f"corpus_{name}"] == pytest.approx(wanted.score, rel=1e-12)
    assert result["difference"] == pytest.approx(result["corpus_a"] - result["corpus_b"])
    assert result["p"] < 0.01 and result["ci"][0] < result["difference"] < result["ci"][1]
    assert "mean_a" not in result and "value:statistics." in result["signature"]


def test_a_corpus_score_is_of_pairs_that_both_have():
    a, b = (list(dialtools.score(predicted(1, noise, 20), metric=["bleu"])) for noise in (0.3, 0.5))
    del b[3]["statistics"]
    (result,) = dialtools.ttest(a, b, value="statistics.bleu", test="bootstrap:resamples=100")
    assert (result["n"], result["dropped"]) == (19, {"missing": 1})
    clustered = [[{**one, "cluster": str(one["id"] // 2)} for one in rows] for rows in (a, b)]
    (result,) = dialtools.ttest(
        *clustered, value="statistics.bleu", test="cluster-bootstrap:resamples=100"
    )
    assert result["clusters"] == 10


def test_the_statistics_of_variants_make_one_corpus_score():
    """It is sacrebleu's of all outputs."""
    metrics = pytest.importorskip("sacrebleu.metrics")
    variants = [
        {**one, "variant": f"names:{n}"}
        for pair in zip(predicted(1, 0.3), predicted(1, 0.6), strict=True)
        for n, one in enumerate(pair, 1)
    ]
    rows = [
        list(dialtools.score(records, metric=["bleu"])) for records in (variants, predicted(1, 0.3))
    ]
    (result,) = dialtools.ttest(*rows, value="statistics.bleu", test="bootstrap:resamples=10")
    wanted = metrics.BLEU().corpus_score(
        [one["prediction"] for one in variants], [[one["reference"] for one in variants]]
    )
    assert result["n"] == 60 and result["corpus_a"] == pytest.approx(wanted.score, rel=1e-12)
    assert result["notes"] == ["the statistics of an id's variants were summed"]


@pytest.mark.parametrize(
    "statistics, options, said",
    [
        ([[1.0], [1.0, 2.0]], {}, r"differs in kind \(1 numbers, 2 numbers\)"),
        ([[1.0], {"a": 1.0}], {}, r"differs in kind \(1 numbers, counts\)"),
        ([[1.0], 1.0], {}, "must be a list of numbers, or counts under names, not 1.0"),
        ([[1.0], []], {}, r"must be a list of numbers, or counts under names, not \[\]"),
        (
            [[1.0], [1.0]],
            {"versus": "id"},
            "a corpus score has no second value: id, statistics.bleu",
        ),
    ],
)
def test_statistics_that_do_not_fit_together(statistics: list, options: dict, said: str):
    records = [{"id": number, "statistics": {"bleu": one}} for number, one in enumerate(statistics)]
    inputs = [records] if options else [records, records]
    with pytest.raises((OptionError, RecordError), match=said):
        list(dialtools.ttest(*inputs, value="statistics.bleu", test="bootstrap", **options))


def test_a_value_of_data_sets_is_not_what_its_records_have():
    """Kappa by hand: 1 of a, which is always right, 0 of b, which is right by chance."""
    rows = [
        [{"id": n, "prediction": said, "reference": "xyxy"[n]} for n, said in enumerate(texts)]
        for texts in ("xyxy", "xxyy")
    ]
    rows = [list(dialtools.score(part, metric=["kappa:refs=max", "accuracy"])) for part in rows]
    accuracy, kappa = dialtools.ttest(*rows, value=["scores.accuracy", "scores.kappa:refs=max"])
    note = (
        "the mean of scores.kappa:refs=max over records is their accuracy, not kappa of the "
        'data set: value="statistics.kappa:refs=max"'
    )
    assert kappa["difference"] == accuracy["difference"] == 50
    assert note in kappa["notes"] and note not in accuracy["notes"]
    assert "in scores.kappa:refs=max (of records: their accuracy) between" in kappa["verdict"]
    (whole,) = dialtools.ttest(
        *rows, value="statistics.kappa:refs=max", test="bootstrap:resamples=10"
    )
    assert (whole["corpus_a"], whole["corpus_b"]) == (1, 0) and "of records" not in whole["verdict"]
    assert not any("data set" in note or "summed" in note for note in whole["notes"])
    (mine,) = dialtools.ttest(
        *([{"id": n, "kappa": n * k} for n in range(4)] for k in (1, 2)), value="kappa"
    )
    assert mine["notes"] == []  # that somebody else's number has the name says nothing


def test_ratings_have_a_corpus_score_that_is_tested():
    """By hand: qwk of equal ratings is 1; of 1, 2 for 2, 1 it is 1 - (1 + 1) / (0.5 + 0.5) = -1."""
    rows = [
        list(
            dialtools.score(
                [
                    {"id": n, "prediction": said, "reference": "12"[n]}
                    for n, said in enumerate(texts)
                ],
                metric=["qwk"],
            )
        )
        for texts in ("12", "21")
    ]
    (result,) = dialtools.ttest(*rows, value="statistics.qwk", test="bootstrap:resamples=10")
    assert (result["corpus_a"], result["corpus_b"]) == (1, -1)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"value": "statistics.distinct1"}, "distinct1 cannot be resampled"),
        ({"value": "statistics.distinct4"}, "distinct4 cannot be resampled"),
        ({"value": "statistics.rouge1"}, "rouge1 has no statistics"),
        (
            {"value": "statistics.bleu", "test": "paired"},
            "bootstrap, cluster-bootstrap or permutation",
        ),
        (
            {"value": "statistics.bleu", "outliers": "sd:3"},
            "'outliers', power=True and per=\"cluster\" need numbers",
        ),
        ({"value": "statistics.bleu", "power": True}, "power=True"),
        ({"value": "statistics.bleu", "per": "cluster"}, 'per="cluster"'),
        ({"value": "statistics.bleu"}, "no statistics of this metric"),
        ({"value": "statistics.blue"}, "did you mean bleu"),
    ],
)
def test_statistics_that_cannot_be_tested_are_refused_by_name(options: dict, said: str):
    records = [
        {
            "id": 1,
            "statistics": {
                name: ["a"] if "distinct" in name else [1.0]
                for name in ("bleu", "blue", "rouge1", "distinct1")
            },
        }
    ]
    if "distinct" in said:
        records = [{"id": 1, "statistics": {"distinct1": {"a": 1}, "distinct4": {"a": 1}}}]
    with pytest.raises(OptionError, match=said):
        list(dialtools.ttest(records, records, **{"test": "bootstrap", **options}))


def test_counts_under_names_make_a_corpus_score():
    """TGBI by hand, shown in percent: of a √(1/2 × 1/2) = 0.5 in one set and 1 in the neutral one; of b 0 and 1."""
    said = {
        "a": ["He left.", "She left.", "They left.", "They ran."],
        "b": ["He left.", "He ran.", "They left.", "They ran."],
    }
    rows = [
        list(
            dialtools.score(
                [
                    {"id": i, "lang": "en", "prediction": text, "set": "xxyy"[i]}
                    for i, text in enumerate(texts)
                ],
                metric=["tgbi"],
            )
        )
        for texts in said.values()
    ]
    for test in ("bootstrap:resamples=50", "permutation:resamples=50"):
        (result,) = dialtools.ttest(*rows, value="statistics.tgbi", test=test)
        assert (result["corpus_a"], result["corpus_b"], result["difference"]) == (75, 50, 25)
    # the pair that differs makes either TGBI 0.75 and 0.5
    assert (result["p"], result["resamples"]) == (1.0, 16)


def test_a_statistic_that_is_no_number():
    with pytest.raises(RecordError, match='"statistics.distinct1" must be a number, not "a"'):
        list(
            dialtools.ttest(
                [{"id": 1, "statistics": {"distinct1": ["a"]}}], [], value="statistics.distinct1"
            )
        )


def test_corpus_scores_against_a_baseline(shell, tmp_path):
    rows = [
        {**one, "system": name}
        for name, noise in (("x", 0.2), ("y", 0.4), ("z", 0.5))
        for one in dialtools.score(predicted(1, noise, 20), metric=["bleu"])
    ]
    dialtools.write(rows, tmp_path / "in")
    done = shell(
        "dt-ttest --by system --baseline x --value statistics.bleu -t "
        f"bootstrap:resamples=50 --format text {tmp_path}/in"
    )
    assert done.status == 0 and "bleu" in done.out


@pytest.mark.parametrize("rows", [[{"x": 1}, [1]], [[1], {"x": 1}], [[1, 2], [1]]])
def test_statistics_of_variants_that_do_not_add_up(rows: list):
    records = [
        {"id": 1, "variant": f"x:{n}", "statistics": {"tgbi": row}} for n, row in enumerate(rows)
    ]
    with pytest.raises(RecordError, match="statistics of different kinds or lengths"):
        list(dialtools.ttest(records, records, value="statistics.tgbi", test="bootstrap"))
