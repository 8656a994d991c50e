"""Metrics and people: correlations over outputs and over systems, ratings of several raters."""

import json
import random
from statistics import mean

import pytest
from scipy import stats

import dialtools
from dialtools.system.errors import OptionError, RecordError

SYSTEMS = {"bart": 4.0, "t5": 3.5, "lead": 2.0, "random": 1.5, "empty": 1.0}


def rated(seed: int = 1, n: int = 20) -> list[dict]:
    """Return outputs of five systems for the same dialogues, with a score and mostly a rating."""
    rng = random.Random(seed)
    records = []
    for system, quality in SYSTEMS.items():
        for number in range(n):
            human = min(5, max(1, round(quality + rng.gauss(0, 0.8))))
            score = min(1.0, max(0.0, human / 5 + rng.gauss(0, 0.2)))
            record = {"id": f"d{number}", "system": system, "scores": {"rouge2": score}}
            records.append(record | ({"human": human} if rng.random() > 0.1 else {}))
    return records


def pairs(records: list[dict]) -> list[tuple[float, float]]:
    return [(one["scores"]["rouge2"], one["human"]) for one in records if "human" in one]


@pytest.mark.parametrize("test", ["kendall", "pearson", "spearman"])
def test_several_systems_have_the_same_ids(test: str):
    """The coefficient and p over all outputs are those of scipy."""
    records = rated()
    (result,) = dialtools.ttest(records, value="rouge2", versus="human", test=test)
    function = {"kendall": stats.kendalltau, "pearson": stats.pearsonr, "spearman": stats.spearmanr}
    expected = function[test](*zip(*pairs(records), strict=True))
    assert result["n"] == len(pairs(records)) and result["dropped"] == {
        "missing": 100 - result["n"]
    }
    assert result["effect"] == pytest.approx(expected[0], abs=1e-12)
    assert result["p"] == pytest.approx(expected[1], rel=1e-9)
    assert "100 outputs of 20 sources are not independent" in result["notes"][0]
    random.Random(2).shuffle(records)
    records.sort(key=lambda record: record["id"])
    (again,) = dialtools.ttest(records, value="rouge2", versus="human", test=test)
    assert (again["effect"], again["p"]) == (result["effect"], result["p"])


@pytest.mark.parametrize("test", ["kendall", "pearson"])
def test_systems_are_compared_by_their_means(test: str):
    """The means are over outputs that have both numbers; the coefficient is that of scipy."""
    records = rated()
    (result,) = dialtools.ttest(records, value="rouge2", versus="human", per="system", test=test)
    means = []
    for system in SYSTEMS:
        scores, ratings = zip(
            *pairs([record for record in records if record["system"] == system]), strict=True
        )
        means.append((mean(scores), mean(ratings)))
    function = {"kendall": stats.kendalltau, "pearson": stats.pearsonr}[test]
    expected = function(*zip(*means, strict=True))
    assert result["effect"] == pytest.approx(expected[0], abs=1e-12)
    assert result["p"] == pytest.approx(expected[1], rel=1e-9)
    assert result["n"] == 5 and result["verdict"].endswith("n = 5 systems.")
    assert not any("independent" in note for note in result["notes"])


def test_the_score_of_a_system_is_that_of_its_corpus(shell, tmp_path):
    """As in WMT: corpus BLEU, here by sacrebleu, of the outputs that people have rated."""
    import sacrebleu

    rng = random.Random(3)
    words = "they meet on monday to talk about the new office and its long tables".split()
    records = []
    for system, share in (("a", 0.9), ("b", 0.7), ("c", 0.5), ("d", 0.3)):
        for number in range(9):
            output = " ".join(word for word in words if rng.random() < share) or "none"
            record = {"id": number, "system": system, "lang": "en", "prediction": output}
            record["reference"] = " ".join(words)
            records.append(record | {"human": 5 * share + rng.gauss(0, 1) if number else None})
    (tmp_path / "in").write_text("".join(json.dumps(record) + "\n" for record in records))
    done = shell(
        "dt-score -m bleu -q in | dt-ttest --value bleu --versus human --per system -t pearson"
    )
    result = json.loads(done.out)
    scores, ratings = [], []
    for system in "abcd":
        of_system = [one for one in records if one["system"] == system and one["human"] is not None]
        outputs = [one["prediction"] for one in of_system]
        scores.append(sacrebleu.corpus_bleu(outputs, [[" ".join(words)] * 8]).score)
        ratings.append(mean(one["human"] for one in of_system))
    assert result["effect"] == pytest.approx(stats.pearsonr(scores, ratings)[0], abs=1e-9)
    assert (result["value"], result["mean_a"]) == ("statistics.bleu", pytest.approx(mean(scores)))


def test_what_a_comparison_over_systems_needs():
    with pytest.raises(OptionError, match="correlates the means of systems with those"):
        list(dialtools.ttest(rated(), value="rouge2", by="system", per="system"))
    nameless = [{"id": 1, "scores": {"rouge2": 1}, "human": 2}]
    with pytest.raises(RecordError, match="takes the mean of each"):
        list(
            dialtools.ttest(nameless, value="rouge2", versus="human", per="system", test="kendall")
        )
    two = [record for record in rated() if record["system"] in ("bart", "t5")]
    (result,) = dialtools.ttest(two, value="rouge2", versus="human", per="system", test="kendall")
    assert (result["n"], result["p"]) == (2, None)
    assert "needs at least 3" in result["verdict"]
