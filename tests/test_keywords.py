"""Words that tell a label: weights against scikit-learn and against fractions counted by hand."""

from collections import Counter
from fractions import Fraction
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dialtools
from dialtools.system.errors import RecordError
from dialtools.text import specifications
from dialtools.text.typical_words import strongest

RECORDS = [
    {"id": 1, "lang": "en", "label": "a", "text": "Rain and rain!"},
    {"id": 2, "lang": "en", "label": "b", "text": "Sun and sun"},
    {"id": 3, "lang": "en", "label": "a", "dialogue": "Ann: more rain?\nBob: ..."},
]
COUNTS = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9), min_size=1).map(Counter)


def test_weights_by_hand():
    """rain 3, and 1, more 1 of 5 words, against sun 2, and 1 of 3; 4 different words."""
    found = {row["term"]: row for row in dialtools.keywords(RECORDS, label="a")}
    fractions = {
        "rain": Fraction(4, 9) / Fraction(1, 7),
        "more": Fraction(2, 9) / Fraction(1, 7),
        "and": Fraction(2, 9) / Fraction(2, 7),
        "sun": Fraction(1, 9) / Fraction(3, 7),
    }
    assert list(found) == list(fractions)  # the strongest first
    assert {term: row["weight"] for term, row in found.items()} == pytest.approx(
        {term: log(ratio) for term, ratio in fractions.items()}, abs=1e-12
    )
    assert (found["rain"]["count"], found["sun"]["elsewhere"]) == (3, 2)


@given(COUNTS, COUNTS)
def test_probabilities_of_a_class_add_up_to_one(inside, outside):
    """By the definition: P(w | class) is P(w | rest) times e to the weight, over all words."""
    found = dict(strongest(inside, outside, 99))
    rest = {word: (outside[word] + 1) / (outside.total() + len(found)) for word in found}
    assert sum(rest[word] * exp(weight) for word, weight in found.items()) == pytest.approx(1)
    assert list(found.values()) == sorted(found.values(), reverse=True)


@given(
    st.lists(st.tuples(st.booleans(), st.lists(st.sampled_from("abcdef"), min_size=1)), min_size=2)
)
def test_weights_are_those_of_scikit_learn(texts):
    naive_bayes = pytest.importorskip("sklearn.naive_bayes")
    if len({label for label, _ in texts}) < 2:
        return
    words = sorted({word for _, said in texts for word in said})
    rows = [[said.count(word) for word in words] for _, said in texts]
    model = naive_bayes.MultinomialNB(alpha=1).fit(rows, [label for label, _ in texts])
    expected = dict(
        zip(words, model.feature_log_prob_[1] - model.feature_log_prob_[0], strict=True)
    )
    records = [
        {"id": i, "lang": "en", "label": str(label), "text": " ".join(said)}
        for i, (label, said) in enumerate(texts)
    ]
    found = {
        row["term"]: row["weight"] for row in dialtools.keywords(records, label="True", tok="words")
    }
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("label, value", [("1", 1), ("true", True), ("0.5", 0.5), ("x y", "x y")])
def test_labels_are_given_as_they_are_written(label, value):
    records = [
        {"id": 1, "lang": "en", "label": value, "text": "a"},
        {"id": 2, "lang": "en", "label": "", "text": "b"},
    ]
    assert next(dialtools.keywords(records, label=label))["term"] == "a"


def test_tokens_are_the_words_where_there_are_tokens():
    def parsed(number: int, label: str, *forms: str) -> dict:
        return {
            "id": number,
            "lang": "zh",
            "label": label,
            "text": "".join(forms),
            "tokens": [{"form": form, "start": 0, "end": 1} for form in forms],
        }

    found = dialtools.keywords([parsed(1, "a", "女儿", "，"), parsed(2, "b", "儿子")], label="a")
    assert [row["term"] for row in found] == ["女儿", "儿子"]
    plain = [
        {"id": 1, "lang": "zh", "label": "a", "text": "女儿"},
        {"id": 2, "lang": "zh", "label": "b", "text": "儿子"},
    ]
    assert [row["term"] for row in dialtools.keywords(plain, label="a", number=1)] == ["女"]
    with pytest.raises(RecordError, match="only some records have tokens"):
        list(
            dialtools.keywords(
                [parsed(1, "a", "x"), {"id": 2, "lang": "zh", "label": "b", "text": "y"}], label="a"
            )
        )


@pytest.mark.parametrize(
    "records, message",
    [
        ([{"id": 1, "lang": "en", "text": "a"}], '"label" must hold a label, not null'),
        ([{"id": 1, "lang": "en", "text": "a", "label": ["x"]}], '"label" must hold a label'),
        (RECORDS[:1], "no record has another label than"),
        (RECORDS[1:2], "no record has the label"),
    ],
)
def test_what_cannot_be_done(records, message):
    with pytest.raises(RecordError, match=message):
        list(dialtools.keywords(records, label="a"))


def test_what_is_written_is_a_specification(shell, tmp_path):
    lines = 'label,text\na,"rain, and rain"\nb,sun and sun\na,more rain\n'
    (tmp_path / "in.csv").write_text(lines)
    assert (
        shell(
            "dt-convert -q --set lang=en in.csv | dt-keywords --label a -n 2 -q -o own.tsv"
        ).status
        == 0
    )
    assert specifications.parse((tmp_path / "own.tsv").read_text().splitlines(), "own.tsv") == (
        specifications.Row("target", "rain"),
        specifications.Row("target", "more"),
    )
    assert list(dialtools.keywords([], label="a")) == []


def test_what_tells_for_the_others_is_no_target(shell):
    """By hand: rain 3 to 0, and 1 to 1, sun 0 to 3, in texts of four words."""
    lines = "label,text\\na,rain rain and rain\\nb,sun sun and sun\\n"
    done = shell(f"printf '{lines}' | dt-convert --from csv -q | dt-keywords --label a --lang en")
    assert done.out == "kind\tone\t# weight\t# count\t# elsewhere\ntarget\train\t1.3863\t3\t0\n"
    shown = shell(
        f"printf '{lines}' | dt-convert --from csv -q | dt-keywords --label a --format "
        "csv | cut -d, -f1"
    )
    assert shown.out.split() == ["term", "rain", "and", "sun"]
