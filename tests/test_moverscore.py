"""moverscore against the authors' moverscore_v2.py, one pair at a time, and by hand."""

import re

import numpy
import pytest

from dialtools.evaluation import scorer as scorers
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.metrics import moverscore
from dialtools.system.errors import OptionError

PREDICTIONS = [
    "The cat sat on the mat.",
    "Bob brings unbelievably good bread.",
    "It is ten.",
]
REFERENCES = ["A cat was sitting on a rug.", "Bob brings bread!", "The cat sat on the mat."]


@pytest.mark.parametrize(
    "weights, expected",
    [
        ("", [0.2812690, 0.4146139, -0.3158914]),
        # where [CLS] and [SEP] weigh nothing, and the more a word says the more it weighs
        (",idf={0}/refs.txt,idf_predictions={0}/said.txt", [0.1808210, 0.3196368, -0.3838101]),
    ],
)
def test_of_the_authors_program(minilm: str, tmp_path, weights: str, expected: list[float]):
    """All numbers are those of their program, with pyemd; 60 pairs of DialogSum agreed to 2e-7."""
    (tmp_path / "refs.txt").write_text("\n".join(REFERENCES))
    (tmp_path / "said.txt").write_text("\n".join(PREDICTIONS))
    scorer = scorers.of(f"moverscore:model={minilm}{weights.format(tmp_path)}", "en")
    scores = scorer.values(PREDICTIONS, [[text] for text in REFERENCES])
    assert scores == pytest.approx(expected, abs=1e-6)
    sign = r"\|idf:\w{16}\|idf_predictions:\w{16}\|" if weights else r"\|idf:no\|"
    assert re.search(sign, scorer.signature())


def test_equal_and_empty_texts(minilm: str):
    scorer = scorers.of(f"moverscore:model={minilm}", "en")
    columns = ["It is ten.", "", "It is ten.", "…"], [["It is ten."], ["It is ten."], [""], [""]]
    assert scorer.values(*columns) == pytest.approx([1, 0, 0, 0])
    both = scorer.values(["It is ten."], [["He left.", "It is ten."]])
    assert both == pytest.approx([1])
    assert scorer.counts(["so " * 600], [["so"]]) == [{"truncated": 1}]
    ChosenMetric(f"moverscore:model={minilm}").require_comparable()


def test_least_cost_by_hand():
    """A half moves to the second place, which costs 1 and not 3; a quarter stays."""
    distances = numpy.array([[0.0, 1.0], [3.0, 0.0]])
    assert moverscore.least_cost(distances, [0.75, 0.25], [0.25, 0.75]) == pytest.approx(0.5)
    assert moverscore.least_cost(distances[:1], [1.0], [0.25, 0.75]) == pytest.approx(0.75)


def test_what_it_wants(minilm: str, tmp_path):
    with pytest.raises(OptionError, match="which model"):
        moverscore.score(["a"], [["a"]])
    with pytest.raises(OptionError, match="goes with idf=FILE"):
        moverscore.score(["a"], [["a"]], model=minilm, idf_predictions="x")
    with pytest.raises(OptionError, match="moverscore: idf=FILE, not 'x'"):
        moverscore.score(["a"], [["a"]], model=minilm, idf="x")
    (tmp_path / "blank").write_text("\n")
    with pytest.raises(OptionError, match="blank has no text"):
        moverscore.score(["a"], [["a"]], model=minilm, idf=str(tmp_path / "blank"))
