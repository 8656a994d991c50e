"""What holds for every metric; they are found, not listed."""

import math
import random
from collections.abc import Callable

import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st

from dialtools.evaluation import scorer as scorers
from dialtools.evaluation.chosen_metrics import PAIR, ChosenMetric
from dialtools.plugins import registry
from dialtools.system.errors import MissingError

CLOSE = {"rel_tol": 1e-9, "abs_tol": 1e-9}  # BLEU of identical text is 100.00000000000004


@pytest.fixture(params=samples.metrics())
def metric(request: pytest.FixtureRequest) -> Callable:
    """Return score(pairs, lang): a metric on (prediction, references) pairs, as dt-score calls it."""
    name = request.param

    def score(pairs: list[tuple[str, list[str]]], lang: str = "en") -> list[float]:
        columns = {
            "prediction": [pair[0] for pair in pairs],
            "reference": [pair[1] for pair in pairs],
        }
        return scorers.of(name, lang).values(*(columns[key] for key in ChosenMetric(name).keys))

    try:
        scorers.of(name, "en").signature()
        score([("a", ["a"])])
    except MissingError as error:
        pytest.skip(str(error))
    score.plugin = registry.load("metrics", name)
    return score


def texts(lang: str) -> list[str]:
    """Return texts of a language: sentences of the sample, parts of them, and some without a word."""
    turns = [text for _, text in samples.TURNS[lang]]
    return [
        *turns,
        *(text[: len(text) // 2] for text in turns),
        turns[0] + " " + turns[1],
        " ".join(turns[:1] * 3),
        "",
        " ",
        "…",
        "👍🏽",
        "?!\n",
    ]


def pairs(lang: str, number: int = 60) -> list[tuple[str, list[str]]]:
    rng, found = random.Random(number), texts(lang)
    return [(rng.choice(found), rng.choices(found, k=rng.randint(1, 3))) for _ in range(number)]


def test_one_finite_number_a_pair_in_the_stated_range(metric):
    worst, best = metric.plugin.declared.range or (-math.inf, math.inf)
    for lang in samples.TURNS:
        scores = metric(pairs(lang), lang)
        assert len(scores) == 60, lang
        for score in scores:
            assert isinstance(score, (int, float)) and not isinstance(score, bool), lang
            assert math.isfinite(score), lang
            assert min(worst, best) - 1e-9 <= score <= max(worst, best) + 1e-9, lang
        assert len(set(scores)) > 1, lang


def test_neither_order_nor_batch_matters(metric):
    for lang in samples.TURNS:
        given = pairs(lang)
        scores = metric(given, lang)
        order = random.Random(1).sample(range(len(given)), len(given))
        shuffled = metric([given[i] for i in order], lang)
        one_by_one = [metric([pair], lang)[0] for pair in given]
        for i, at in enumerate(order):
            assert math.isclose(shuffled[i], scores[at], **CLOSE), (lang, at)
        for alone, together in zip(one_by_one, scores, strict=True):
            assert math.isclose(alone, together, **CLOSE), lang
        assert metric([], lang) == []


def test_identical_text_scores_best(metric):
    declared = metric.plugin.declared
    if declared.range is None or declared.needs != PAIR:
        pytest.skip("no bounded score of a pair")
    if not declared.reaches_best:
        pytest.skip("says that it falls short of the best")
    best = declared.range[1]
    for lang in samples.TURNS:
        for _, text in samples.TURNS[lang]:
            assert math.isclose(metric([(text, [text])], lang)[0], best, **CLOSE), lang
            assert math.isclose(metric([(text, ["?", text, ""])], lang)[0], best, **CLOSE), lang


@given(st.data())
def test_any_text_of_words_is_scored(metric_name, data: st.DataObject):
    """Whatever Unicode a text holds beside words of its language, there is a number."""
    any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=30).map(
        lambda text: f"word {text}"
    )
    prediction, reference = data.draw(any_text), data.draw(any_text)
    columns = {"prediction": [prediction], "reference": [[reference]]}
    values = scorers.of(metric_name, "en").values(
        *(columns[key] for key in ChosenMetric(metric_name).keys)
    )
    assert len(values) == 1 and math.isfinite(values[0])


@pytest.fixture(scope="session", params=samples.metrics())
def metric_name(request: pytest.FixtureRequest) -> str:
    return request.param
