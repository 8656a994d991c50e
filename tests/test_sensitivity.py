"""Sensitivity against its definition (Jia et al. 2023, equations 6 to 8), written out with numpy and rouge-score."""

import itertools
import random
import statistics

import pytest
from rouge_score.rouge_scorer import RougeScorer

import dialtools

WORDS = "the cat sat on a mat and then it saw that dogs do not like cats".split()


def variants(sources: int, count: int) -> list[dict]:
    rng = random.Random(3)
    return [{"id": id, "lang": "en", "variant": f"names:{n}", "prediction": " ".join(rng.choices(WORDS, k=6)),
             "reference": [" ".join(WORDS[id:id + 8]), " ".join(WORDS[:5])]}
            for id in range(sources) for n in range(1, count + 1)]


def by_definition(records: list[dict], metric: str) -> tuple[float, ...]:
    """Return quality, S, R, D and the change between neighbouring sources, in percent."""
    scorer = RougeScorer([metric])
    quality, s, r, d = [], [], [], []
    groups = [list(group) for _, group in itertools.groupby(records, key=lambda record: record["id"])]
    for group in groups:
        scores = [scorer.score_multi(record["reference"], record["prediction"])[metric].fmeasure for record in group]
        texts = [record["prediction"] for record in group]
        pairs = [1 if one == other else scorer.score(other, one)[metric].fmeasure
                 for i, one in enumerate(texts) for j, other in enumerate(texts) if i != j]
        quality.append(statistics.fmean(scores))
        s.append(statistics.fmean(1 - score for score in pairs))
        r.append(max(scores) - min(scores))
        d.append(statistics.pstdev(scores))
    control = [1 - scorer.score(one[0]["prediction"], other[0]["prediction"])[metric].fmeasure
               for one, other in zip(groups, groups[1:])]
    return tuple(100 * statistics.fmean(values) for values in (quality, s, r, d, control))


@pytest.mark.parametrize("metric", ["rouge1", "rouge2", "rougeL"])
def test_data_set(metric):
    records = variants(7, 5)
    result, = dialtools.score(records, metric=[metric], sensitivity=True)
    found = tuple(result[key] for key in ("mean", "S", "R", "D", "control"))
    assert found == pytest.approx(by_definition(records, metric), rel=1e-12)
    assert (result["n"], result["variants"], result["left_out"]) == (7, 35, 0)
    assert result["distinct"] == 100 * len({record["prediction"] for record in records}) / 35


def test_each_source():
    records = variants(3, 4)
    sources = list(dialtools.score(records, metric=["rouge1"], sensitivity=True, per_source=True))
    assert [source["id"] for source in sources] == [0, 1, 2]
    means = [statistics.fmean(source["scores"][name] for source in sources)
             for name in ("rouge1", "S:rouge1", "R:rouge1", "D:rouge1")]
    assert means == pytest.approx(by_definition(records, "rouge1")[:4], rel=1e-12)


def test_the_original_is_no_variant():
    records = variants(4, 3)
    original = [{key: value for key, value in record.items() if key != "variant"} | {"prediction": "dogs"}
                for record in records if record["variant"] == "names:1"]
    both = [record for first in original for record in (first, *(r for r in records if r["id"] == first["id"]))]
    with_it, = dialtools.score(both, metric=["rouge2"], sensitivity=True)
    without, = dialtools.score(records, metric=["rouge2"], sensitivity=True)
    assert with_it == without


def test_equal_outputs_have_the_best_score_even_where_the_metric_says_0():
    answer = {"id": 1, "lang": "en", "prediction": "Yes", "reference": "Yes"}
    records = [answer | {"variant": f"names:{n}"} for n in (1, 2)]
    result, = dialtools.score(records, metric=["rouge2"], sensitivity=True)
    assert (result["mean"], result["S"], result["identical_pairs"]) == (0, 0, 2)


def test_a_source_with_one_variant_is_left_out_and_counted():
    records = variants(2, 2) + [{"id": 9, "lang": "en", "variant": "names:1", "prediction": "x", "reference": "x"}]
    result, = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    two, = dialtools.score(records[:4], metric=["rouge1"], sensitivity=True)
    assert (result["n"], result["left_out"], result["S"]) == (3, 1, two["S"])


def test_without_references_there_is_still_s():
    records = variants(3, 3)
    with_them, = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    for record in records:
        del record["reference"]
    without, = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    assert (without["S"], without["control"]) == (with_them["S"], with_them["control"])
    assert (without["mean"], without["R"], without["D"], without["no_reference"]) == (None, None, None, 3)


def test_a_constant_system_carries_a_note():
    records = [record | {"prediction": "the same"} for record in variants(3, 2)]
    result, = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    assert result["S"] == 0 == result["control"] and "hardly differ" in result["note"]


def test_systems_and_languages_are_never_mixed():
    zh = [record | {"lang": "zh", "id": 100} for record in variants(1, 2)]
    other = [record | {"system": "b"} for record in variants(1, 2)]
    results = list(dialtools.score(variants(1, 2) + zh + other, metric=["rouge1"], sensitivity=True))
    assert [(result["system"], result["lang"]) for result in results] == [(None, "en"), (None, "zh"), ("b", "en")]


def test_a_metric_without_a_bounded_comparison_is_refused():
    with pytest.raises(dialtools.errors.OptionError, match="cannot measure sensitivity"):
        list(dialtools.score(variants(1, 2), metric=["distinct1"], sensitivity=True))
