"""One unit on every path: percent for metrics from 0 to 1, and no number multiplied twice.

ROUGE-1 by hand: "a b" against "a b" is 1, against "a c" 1/2, against "c d" 0.
"""

import json

import pytest
from table_tests import each_row

import dialtools
from dialtools.evaluation import units
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.plugins import metric as plugin
from dialtools.plugins import registry
from dialtools.system.errors import OptionError, RecordError


def sources(system: str, *outputs: str) -> list[dict]:
    """Return two sources, each with its variants' outputs; the reference is "a b"."""
    return [
        {
            "id": n,
            "lang": "en",
            "system": system,
            "variant": f"names:{k}",
            "dialogue": "A: a b",
            "prediction": text,
            "reference": "a b",
        }
        for n in (1, 2)
        for k, text in enumerate(outputs, 1)
    ]


GOOD, BAD = sources("good", "a b", "a c"), sources("bad", "c d", "a c")


def scored(records: list[dict], **options) -> list[dict]:
    return list(dialtools.score(records, metric=["rouge1", "bleu"], **options))


def test_records_keep_the_packages_number_and_summaries_are_in_percent():
    """By hand: the mean of 1 and 1/2 is 75 %; BLEU has points of 100 already."""
    assert [record["scores"]["rouge1"] for record in scored(GOOD)] == [1.0, 0.5, 1.0, 0.5]
    rouge, bleu = scored(GOOD, summary=True)
    assert (rouge["mean"], rouge["unit"], rouge["better"]) == (75, "percent", "higher")
    assert (bleu["unit"], bleu["better"]) == ("points", "higher") and bleu["sentence_mean"] > 50
    rouge, bleu = scored(GOOD, sensitivity=True)
    assert (
        (rouge["mean"], rouge["R"], rouge["unit"]) == (75, 50, bleu["unit"]) == (75, 50, "percent")
    )


@each_row("options", [{}, {"sensitivity": True, "per_source": True}])
def test_a_test_shows_percent_whether_records_have_it_already_or_not(options: dict):
    """By hand: means of 75 and 25 %; dt-score --per-source writes percent, dt-score raw numbers."""
    systems = [scored(records, **options) for records in (GOOD, BAD)]
    first, second = systems[0][0]["scores"]["rouge1"], systems[1][0]["scores"]["rouge1"]
    assert (first, second) == ((75, 25) if options else (1.0, 0.0))
    (result,) = dialtools.ttest(*systems, value="scores.rouge1")
    assert (result["mean_a"], result["mean_b"], result["difference"], result["unit"]) == (
        75,
        25,
        50,
        "percent",
    )


def test_raw_records_compared_with_those_per_source():
    whole = scored(BAD, sensitivity=True, per_source=True)
    (result,) = dialtools.ttest(scored(GOOD), whole, value="scores.rouge1")
    assert (result["mean_a"], result["mean_b"], result["unit"]) == (75, 25, "percent")
    mixed = [scored(GOOD)[0], whole[1]]
    with pytest.raises(RecordError, match="in some records of a but not in others"):
        list(dialtools.ttest(mixed, whole, value="scores.rouge1"))


def test_corpus_scores_and_those_of_parts():
    """By hand: macro-F1 of x x against x y is (2/3 + 0) / 2; kappa, from -1 to 1, stays as it is."""
    rows = [{"id": n, "lang": "en", "prediction": "x", "reference": "xy"[n % 2]} for n in range(4)]
    made = list(dialtools.score(rows, metric=["macro_f1", "kappa"]))
    macro, kappa = dialtools.score(rows, metric=["macro_f1", "kappa"], summary=True)
    assert (macro["corpus"], macro["sentence_mean"]) == (
        pytest.approx(100 / 3),
        50,
    ) and "sentence_unit" not in macro
    assert (kappa["corpus"], kappa["unit"]) == (0, "raw")
    assert (kappa["sentence_mean"], kappa["sentence_unit"]) == (50, "percent")
    right = [record | {"prediction": record["reference"]} for record in rows]
    right = list(dialtools.score(right, metric=["macro_f1", "kappa"]))
    test = "bootstrap:resamples=20"
    (result,) = dialtools.ttest(right, made, value="statistics.macro_f1", test=test)
    assert (result["corpus_a"], result["corpus_b"]) == (100, pytest.approx(100 / 3))
    assert result["ci"][1] > 10 and result["unit"] == "percent"
    (result,) = dialtools.ttest(right, made, value="statistics.kappa", test=test)
    assert (result["corpus_a"], result["corpus_b"], result["unit"]) == (1, 0, "raw")
    merged = dialtools.merge([made], order=rows, summary=True)
    assert [result["sentence_mean"] for result in merged] == [50, 50]


def test_groups_gaps_and_the_unit_of_each():
    """By hand: 75 against 25 %."""
    *_, gap, _ = scored(GOOD + BAD, summary=True, by="system")
    assert (gap["gap"], gap["unit"], gap["highest"]) == (50, "percent", "good")


def test_answers_are_yes_or_no_in_percent_too():
    """By hand: three of four right against one; only a is right twice."""
    right = [
        [{"id": n, "scores": {"exact": one}} for n, one in enumerate(row)]
        for row in ((1, 1, 1, 0), (1, 0, 0, 0))
    ]
    (result,) = dialtools.ttest(*right, value="scores.exact", test="mcnemar")
    assert (result["mean_a"], result["mean_b"], result["difference"]) == (75, 25, 50)
    assert (result["pairs_a"], result["p"]) == (2, 0.5)


def test_a_margin_is_in_the_unit_shown():
    """By hand: the gaps in percent are 1, 2, 3; a margin of 2 on 0–1 would hold for any score."""
    rows = [
        [{"id": n, "scores": {"rouge1": value}} for n, value in enumerate(row)]
        for row in ((0.31, 0.42, 0.53), (0.30, 0.40, 0.50))
    ]
    (result,) = dialtools.ttest(*rows, value="scores.rouge1", test="tost:margin=2")
    assert (result["difference"], result["equivalent"]) == (pytest.approx(2), False)
    (result,) = dialtools.ttest(*rows, value="scores.rouge1", test="tost:margin=9")
    assert result["equivalent"]
    with pytest.raises(OptionError, match="no difference exceeds 100"):
        list(dialtools.ttest(*rows, value="scores.rouge1", test="tost:margin=100"))


def test_numbers_that_no_metric_can_have_are_errors():
    """A file with percentages under the name of a metric would be multiplied again."""
    rows = [[{"id": n, "scores": {"rouge1": value}} for n in range(2)] for value in (45.2, 0.4)]
    with pytest.raises(RecordError, match="scores.rouge1 is 45.2, but in records"):
        list(dialtools.ttest(*rows, value="scores.rouge1"))


def test_a_threshold_that_no_score_reaches_is_an_error():
    """dt-select reads the numbers of records, where rouge1 is from 0 to 1."""
    made = scored(GOOD)
    assert len(list(dialtools.select(made, where="rouge1 > 0.7 and bleu > 50"))) == 2
    for keep in ("rouge1 > 70", "bleu > 1 and not 70 <= rouge1", "cosine < -2"):
        with pytest.raises(OptionError, match="in records, which is never"):
            list(dialtools.select(made, where=keep))


def test_a_number_of_a_person_stays_and_is_not_compared_in_percent():
    rows = [{"id": n, "human": n, "scores": {"rouge1": n / 4}} for n in range(4)]
    (result,) = dialtools.ttest(rows, value="scores.rouge1", versus="human")
    assert (result["mean_a"], result["mean_b"], result["unit"]) == (0.375, 1.5, "as given")
    assert "scores.rouge1 of the input (percent), human of the input (as given)" in " ".join(
        result["notes"]
    )
    (result,) = dialtools.ttest(rows, value="scores.rouge1", versus="human", test="kendall")
    assert result["effect"] == 1 and not any("different units" in note for note in result["notes"])


def test_a_function_of_the_users_own():
    def mine(predictions, references):
        return [0.25 for _ in predictions]

    (result,) = dialtools.score(GOOD, metric=[mine], summary=True)
    assert (result["mean"], result["unit"], result["better"]) == (0.25, "raw", None)
    declared = plugin.Metric(mine, range=(1, 0))
    (result,) = dialtools.score(GOOD, metric=declared, summary=True)
    assert (result["mean"], result["unit"], result["better"]) == (25, "percent", "lower")


@each_row("name", [name for name in registry.names("metrics") if name != "exec"])
def test_the_unit_follows_from_the_range_that_the_first_line_states(name: str):
    said, metric = registry.summary("metrics", name), ChosenMetric(name)
    stated = "from 0 to 1;" in said or "from 0 to 1," in said or "0 to 1 in practice" in said
    is_of_data_sets = "from -1 to 1" in said and metric.mean  # of a record 0 or 1
    assert (units.of(metric).name == "percent") == bool(stated or is_of_data_sets and name != "qwk")
    for word in ("higher", "lower"):
        if f"{word} is better" in said:
            assert units.better(metric) == word


def test_json_and_the_shell(shell):
    """dt-score | dt-ttest through pipes, as users do."""
    lines = "".join(json.dumps(record) + "\\n" for record in GOOD + BAD)
    done = shell(
        f"printf '{lines}' | dt-score -m rouge1 -q | dt-ttest --value scores.rouge1 --by system -q"
        " | jq -c '[.mean_a, .mean_b, .unit]'"
    )
    assert done.out == '[75,25,"percent"]\n'
