"""Metrics of labels, equal to scikit-learn to 1e-12; by hand where it has nothing to say."""

import random

import pytest
from sklearn import metrics as sklearn

import dialtools
from dialtools.evaluation import scorer as scorers
from dialtools.plugins import registry
from dialtools.system.errors import OptionError, RecordError

CLOSE = {"rel": 1e-12, "abs": 1e-12}


def drawn(seed: int, number: int = 80) -> tuple[list[str], list[str]]:
    """Return predicted and true ratings, some of the scale never used."""
    rng = random.Random(seed)
    true = [rng.choice("12457") for _ in range(number)]
    return [label if rng.random() < 0.5 else rng.choice("12345") for label in true], true


def corpus(name: str, predicted: list[str], true: list[str]) -> float:
    scorer = scorers.of(name, "en")
    return scorer.corpus(scorer.statistics(predicted, [[label] for label in true]))


@pytest.mark.parametrize("seed", range(5))
def test_labels_as_in_scikit_learn(seed: int):
    predicted, true = drawn(seed)
    scores = scorers.of("accuracy", "en").values(predicted, [[label] for label in true])
    assert sum(scores) / len(scores) == pytest.approx(
        sklearn.accuracy_score(true, predicted), **CLOSE
    )
    macro = sklearn.f1_score(true, predicted, average="macro", zero_division=0)
    assert corpus("macro_f1", predicted, true) == pytest.approx(macro, **CLOSE)
    assert corpus("kappa", predicted, true) == pytest.approx(
        sklearn.cohen_kappa_score(true, predicted), **CLOSE
    )
    whole = sklearn.cohen_kappa_score(true, predicted, labels=list("1234567"), weights="quadratic")
    assert corpus("qwk", predicted, true) == pytest.approx(whole, **CLOSE)


def test_accuracy_at_k_as_in_scikit_learn():
    rng = random.Random(1)
    true, ranks = (
        [rng.randrange(6) for _ in range(50)],
        [rng.sample(range(6), 6) for _ in range(50)],
    )
    likely = [[-own.index(label) for label in range(6)] for own in ranks]
    for k in (1, 2, 3, 5):
        scores = registry.load("metrics", f"accuracy_at:k={k}").call(
            [list(map(str, own)) for own in ranks], [[str(label)] for label in true]
        )
        expected = sklearn.top_k_accuracy_score(true, likely, k=k, labels=range(6))
        assert sum(scores) / len(scores) == pytest.approx(expected, **CLOSE)


def test_an_n_best_list_of_a_record():
    record = {"id": 1, "prediction": ["knee", "hip"], "reference": ["hip", "hip joint"]}
    (scored,) = dialtools.score([record], metric=["accuracy_at:k=1", "accuracy_at:k=2", "accuracy"])
    assert scored["scores"] == {"accuracy_at:k=1": 0, "accuracy_at:k=2": 1, "accuracy": 0}


def test_a_label_is_the_same_however_wide_its_spaces_are():
    """As accuracy has it, whose counts of labels have a tab between two of them."""
    record = {"id": 1, "prediction": " knee\u00a0 joint", "reference": ["hip", "knee joint "]}
    (scored,) = dialtools.score([record], metric=["accuracy_at:k=1", "accuracy"])
    assert scored["scores"] == {"accuracy_at:k=1": 1, "accuracy": 1}


def test_ratings_are_the_same_number_however_written():
    assert corpus("qwk", ["3.0", " 4", "1e0"], ["3", "4.0", "1"]) == 1
    assert scorers.of("qwk", "en").values(["2.50"], [["4"]]) == [-2.25]


def test_votes():
    """By hand: of good, bad, good the vote is good; good and bad tie, and the record has no score."""
    records = [
        {"id": 1, "prediction": "good", "reference": ["good", "bad", "good"]},
        {"id": 2, "prediction": "good", "reference": ["good", "bad"]},
        {"id": 3, "prediction": "bad", "reference": ["good", "good", "bad", "ugly"]},
    ]
    metric = ["accuracy:refs=majority", "macro_f1:refs=majority"]
    scored = list(dialtools.score(records, metric=metric))
    assert [record["scores"].get(metric[0]) for record in scored] == [1, None, 0]
    assert [record["history"][-1]["counts"].get("undecided") for record in scored] == [
        None,
        1,
        None,
    ]
    first, second = dialtools.score(records, metric=metric, summary=True)
    assert (first["n"], first["mean"]) == (2, 50)
    assert second["corpus"] == pytest.approx(
        100 * (2 / 3 + 0) / 2
    )  # good: one of one predicted, of two true; bad: none


@pytest.mark.parametrize("text", ["good", "", "inf", "nan", "-1e200"])
def test_what_is_no_rating_is_an_error(text: str):
    with pytest.raises(RecordError, match="qwk compares ratings"):
        scorers.of("qwk", "en").values(["1"], [[text]])


def test_votes_on_ratings():
    """Most say 1; where 1 and 5 tie there is no value; each by itself, 5 would be right."""
    references = [["1", "5", "1.0"], ["1", "5"]]
    for refs, scores, rows in (
        ("max", [0, 0], [{"5\t5": 1}] * 2),
        ("majority", [-16, None], [{"1\t5": 1}, {}]),
    ):
        scorer = scorers.of(f"qwk:refs={refs}", "en")
        assert (
            scorer.values(["5", "5"], references),
            scorer.statistics(["5", "5"], references),
        ) == (scores, rows)
        assert scorer.counts(["5", "5"], references) == [
            {},
            {} if refs == "max" else {"undecided": 1},
        ]


def test_of_several_references_any_will_do():
    """By hand: b is right; x is wrong for the first one, a.  Of a, b, and x b alone is ever right."""
    records = [
        {"id": 1, "prediction": "b", "reference": ["a", "b"]},
        {"id": 2, "prediction": "x", "reference": ["a", "b"]},
    ]
    accuracy, macro = dialtools.score(records, metric=["accuracy", "macro_f1"], summary=True)
    assert (accuracy["mean"], macro["corpus"]) == (50, pytest.approx(100 / 3))


def test_a_label_that_is_nowhere_counts_for_nothing():
    """Where records are drawn anew one may be left out, and its sum is 0."""
    assert scorers.of("macro_f1", "en").corpus([{"a\ta": 2, "b\tb": 0}]) == 1
    assert scorers.of("delta_g", "en").corpus([{"male\tmale": 2}]) == 1


def test_confusions():
    records = [
        {"id": n, "system": "s", "prediction": predicted, "reference": true, "place": place}
        for n, (predicted, true, place) in enumerate(["aax", "abx", "aby", "bby", "cby"])
    ]
    found = list(dialtools.score(records, metric=["accuracy"], confusion=True))
    assert [(one["true"], one["predicted"], one["n"], one["share"]) for one in found] == [
        ("b", "a", 2, 50),
        ("b", "c", 1, 25),
        ("a", "a", 1, 100),
        ("b", "b", 1, 25),
    ]
    groups = dialtools.score(records, metric=["accuracy"], confusion=True, by="place")
    assert [(one["group"], one["true"], one["predicted"], one["n"]) for one in groups] == [
        ("x", "b", "a", 1),
        ("x", "a", "a", 1),
        ("y", "b", "a", 1),
        ("y", "b", "c", 1),
        ("y", "b", "b", 1),
    ]


def test_originals_are_confused_with_nothing():
    """They have no score where variants are compared with them."""
    records = [
        {"id": n, "prediction": said, **({"variant": "v:1"} if at else {})}
        for n, both in enumerate(("xy", "xx"))
        for at, said in enumerate(both)
    ]
    found = dialtools.score(records, metric=["accuracy:against=original"], confusion=True)
    assert [(one["true"], one["predicted"], one["n"]) for one in found] == [
        ("x", "y", 1),
        ("x", "x", 1),
    ]


def test_what_no_system_says_is_null_in_confusions():
    made = [
        {"id": n, "prediction": predicted, "reference": "a"}
        for n, predicted in enumerate(("", "a"))
    ]
    found = dialtools.score(made, metric=["accuracy"], confusion=True)
    assert [(one["true"], one["predicted"], one["n"]) for one in found] == [
        ("a", None, 1),
        ("a", "a", 1),
    ]
    with pytest.raises(
        OptionError, match="rouge1 compares no labels, which may be confused; .*kappa"
    ):
        list(dialtools.score(made, metric=["rouge1"], confusion=True))
    with pytest.raises(
        OptionError, match="no record has a 'place'; the first has id, prediction, reference"
    ):
        list(dialtools.score(made, metric=["accuracy"], confusion=True, by="place"))


def test_what_all_call_the_same_leaves_nothing_to_chance():
    assert corpus("kappa", ["a", "a"], ["a", "a"]) == 1 == corpus("qwk", ["1", "1"], ["1", "1.0"])
    assert (
        corpus("kappa", ["a", "a"], ["b", "b"]) == 0
    )  # expected agreement 0, as seen: sklearn says 0 too
    assert sklearn.cohen_kappa_score(["a", "a"], ["b", "b"]) == 0


def test_labels_without_references_have_S_alone():
    """By hand: of two outputs that differ S is 100."""
    variants = [{"id": 1, "variant": f"v:{label}", "prediction": label} for label in "ab"]
    for metric in ("accuracy", "kappa", "macro_f1"):
        [result] = dialtools.score(variants, metric=[metric], sensitivity=True)
        assert (result["S"], result["mean"], result["no_reference"]) == (100, None, 1)


@pytest.mark.parametrize("what", ["sensitivity", "robustness"])
def test_a_source_without_a_score_is_told(what: str):
    tied = {"id": 7, "prediction": "a", "reference": ["a", "b"]}
    records = [tied, *({**tied, "variant": f"v:{n}", "prediction": "b"} for n in (1, 2))]
    with pytest.raises(RecordError, match=r"accuracy:refs=majority gives it no score.*\(id 7"):
        list(dialtools.score(records, metric=["accuracy:refs=majority"], **{what: True}))


def test_a_mean_that_is_not_the_metric_says_so():
    """By hand: four of five are right, 0.8; by chance 0.48 would be, and (0.8 - 0.48) / 0.52 is 0.6154."""
    records = [
        {"id": n, "prediction": predicted, "reference": true}
        for n, (predicted, true) in enumerate(["aa", "ab", "aa", "bb", "bb"])
    ]
    plain, kappa = dialtools.score(records, metric=["accuracy", "kappa"], summary=True)
    assert (plain["mean"], kappa["sentence_mean"]) == (80, 80) and "mean" not in kappa
    assert "note" not in kappa and kappa["corpus"] == pytest.approx(0.32 / 0.52)
    tied = [{"id": 1, "prediction": "a", "reference": ["a", "b"]}]  # no label has a majority
    (none,) = dialtools.score(tied, metric=["kappa:refs=majority"], summary=True)
    assert (none["n"], none["corpus"], none["sentence_mean"]) == (0, None, None)
    assert "note" not in none


@pytest.mark.parametrize("what, key", [("sensitivity", "mean"), ("robustness", "consistency")])
def test_over_variants_it_says_so_too(what: str, key: str):
    """Half of the variants are right and the original is: 50 % in either way of looking at them, of plain hits."""
    original = {"id": 7, "dialogue": "A: a", "prediction": "a", "reference": "a"}
    records = [
        original,
        *({**original, "variant": f"v:{n}", "prediction": "ab"[n]} for n in (0, 1)),
    ]
    plain, kappa, macro = dialtools.score(
        records, metric=["accuracy", "kappa", "macro_f1"], **{what: True}
    )
    assert plain[key] == kappa[key] == 50 and "note" not in plain
    assert [kappa["note"], macro["note"]] == [
        f"the mean over records is their accuracy, not {name} of the data set"
        for name in ("kappa", "macro_f1")
    ]
