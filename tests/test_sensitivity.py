"""Sensitivity against its definition (Jia et al. 2023, equations 6 to 8), written out, of rouge-score's and sacreBLEU's
numbers."""

import collections
import itertools
import random
import statistics
from collections.abc import Callable

import pytest
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import CHRF

import dialtools
from dialtools.evaluation import sensitivity
from dialtools.plugins.metric import Metric
from dialtools.system import stable_hash
from dialtools.system.errors import RecordError

WORDS = "the cat sat on a mat and then it saw that dogs do not like cats".split()


def variants(sources: int, count: int) -> list[dict]:
    rng = random.Random(3)
    return [
        {
            "id": id,
            "lang": "en",
            "variant": f"names:{n}",
            "prediction": " ".join(rng.choices(WORDS, k=6)),
            "reference": [" ".join(WORDS[id % 9 : id % 9 + 8]), " ".join(WORDS[:5])],
        }
        for id in range(sources)
        for n in range(1, count + 1)
    ]


def comparison(metric: str) -> Callable[[list[str], str], float]:
    """Return a function: references and a prediction -> the score, 0 to 1, of another implementation."""
    if metric == "chrf":  # whose two texts may not change places
        return lambda references, prediction: (
            CHRF().sentence_score(prediction, references).score / 100
        )
    scorer = RougeScorer([metric])
    return lambda references, prediction: (
        scorer.score_multi(references, prediction)[metric].fmeasure
    )


def by_definition(records: list[dict], metric: str) -> dict[str, float]:
    """Return quality, S, R, D and the change between all pairs of sources, in percent."""
    score = comparison(metric)
    quality, s, r, d = [], [], [], []
    groups = [
        list(group) for _, group in itertools.groupby(records, key=lambda record: record["id"])
    ]
    for group in groups:
        scores = [score(record["reference"], record["prediction"]) for record in group]
        texts = [record["prediction"] for record in group]
        quality.append(statistics.fmean(scores))
        s.append(
            statistics.fmean(
                0 if one == other else 1 - score([other], one)
                for one, other in itertools.permutations(texts, 2)
            )
        )
        r.append(max(scores) - min(scores))
        d.append(statistics.pstdev(scores))
    firsts = [group[0]["prediction"] for group in groups]
    control = [
        0 if one == other else 1 - score([one], other)
        for one, other in itertools.permutations(firsts, 2)
    ]
    means = zip(
        ("mean", "S", "R", "D", "control"), map(statistics.fmean, (quality, s, r, d, control))
    )
    return {name: 100 * value for name, value in (*means, ("worst", max(s)))} | {
        "affected": 100 * sum(value > 0 for value in s) / len(s),
        "dialogues": len(groups),
        "n": len(groups),
        "variants": len(records),
        "distinct": 100 * len({record["prediction"] for record in records}) / len(records),
    }


def test_data_set():
    """Two languages by turns, some outputs that are equal and some of one word, of which ROUGE-2 says 0."""
    records = variants(40, 5)
    for number, record in enumerate(records):
        record["lang"] = "id" if record["id"] % 3 else "en"
        record["prediction"] = "cats" if number % 7 in (0, 3) else record["prediction"]
    metrics = ["rouge1", "rouge2", "rougeL", "chrf"]
    results = list(dialtools.score(records, metric=metrics, sensitivity=True, all_pairs=True))
    assert [(result["lang"], result["metric"]) for result in results] == list(
        itertools.product(("en", "id"), metrics)
    )
    for result in results:
        wanted = by_definition(
            [record for record in records if record["lang"] == result["lang"]], result["metric"]
        )
        assert {name: result[name] for name in wanted} == pytest.approx(wanted, rel=1e-12)
        assert result["left_out"] == 0 and "|refs:2/" in result["signature"]


def test_each_source():
    records = variants(3, 4)
    sources = list(dialtools.score(records, metric=["rouge1"], sensitivity=True, per_source=True))
    assert [source["id"] for source in sources] == [0, 1, 2]
    means = [
        statistics.fmean(source["scores"][name] for source in sources)
        for name in ("rouge1", "S:rouge1", "R:rouge1", "D:rouge1")
    ]
    wanted = by_definition(records, "rouge1")
    assert means == pytest.approx([wanted[name] for name in ("mean", "S", "R", "D")], rel=1e-12)


def test_the_original_is_no_variant():
    records = variants(4, 3)
    original = [
        {key: value for key, value in record.items() if key != "variant"} | {"prediction": "dogs"}
        for record in records
        if record["variant"] == "names:1"
    ]
    both = [
        record
        for first in original
        for record in (first, *(r for r in records if r["id"] == first["id"]))
    ]
    (with_it,) = dialtools.score(both, metric=["rouge2"], sensitivity=True)
    (without,) = dialtools.score(records, metric=["rouge2"], sensitivity=True)
    assert with_it == without


def test_equal_outputs_have_the_best_score_even_where_the_metric_says_0():
    answer = {"id": 1, "lang": "en", "prediction": "Yes", "reference": "Yes"}
    records = [answer | {"variant": f"names:{n}"} for n in (1, 2)]
    (result,) = dialtools.score(records, metric=["rouge2"], sensitivity=True)
    assert (result["mean"], result["S"], result["identical_pairs"]) == (0, 0, 2)


def test_a_source_with_one_variant_is_left_out_and_counted():
    records = variants(2, 2) + [
        {"id": 9, "lang": "en", "variant": "names:1", "prediction": "x", "reference": "x"}
    ]
    (result,) = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    (two,) = dialtools.score(records[:4], metric=["rouge1"], sensitivity=True)
    assert (result["n"], result["left_out"], result["S"]) == (3, 1, two["S"])


def test_where_there_is_no_variant_the_result_says_so():
    originals = [
        {key: value for key, value in record.items() if key != "variant"}
        for record in variants(2, 1)
    ]
    (result,) = dialtools.score(originals, metric=["rouge1"], sensitivity=True)
    assert (result["S"], result["worst"], result["left_out"]) == (None, None, 2)
    assert "no variants to compare" in result["note"]
    (with_them,) = dialtools.score(
        originals, metric=["rouge1"], sensitivity=True, with_original=True
    )
    (one_each,) = dialtools.score(variants(2, 1), metric=["rouge1"], sensitivity=True)
    assert (
        with_them["S"] is one_each["S"] is None
        and with_them["note"] == one_each["note"] == result["note"]
    )


def test_without_references_there_is_still_s():
    records = variants(3, 3)
    (with_them,) = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    for record in records:
        del record["reference"]
    (without,) = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    assert (without["S"], without["control"]) == (with_them["S"], with_them["control"])
    assert (without["mean"], without["R"], without["D"], without["no_reference"]) == (
        None,
        None,
        None,
        3,
    )
    (mixed,) = dialtools.score(
        records[:3] + variants(3, 3)[3:], metric=["rouge1"], sensitivity=True
    )
    assert (mixed["no_reference"], mixed["signature"]) == (
        1,
        with_them["signature"],
    )  # refs:1, that of the others


def test_a_variant_without_a_reference_leaves_its_source_without_one():
    """It is the variants that are scored; the original may lack what they have."""
    made = variants(3, 3)
    (others,) = dialtools.score(made[:3] + made[6:], metric=["rouge1"], sensitivity=True)
    lacking = [
        {**record, "reference": None} if at == 4 else record for at, record in enumerate(made)
    ]
    (result,) = dialtools.score(lacking, metric=["rouge1"], sensitivity=True)
    assert (result["no_reference"], result["mean"], result["D"]) == (1, others["mean"], others["D"])
    (whole,) = dialtools.score(made, metric=["rouge1"], sensitivity=True)
    original = {**made[0], "variant": None, "reference": None}
    assert list(dialtools.score([original, *made], metric=["rouge1"], sensitivity=True)) == [whole]
    assert whole["no_reference"] == 0


def test_one_set_with_references_is_enough_for_a_quality():
    """The quality is that of the set, and so are no_reference and the signature."""
    made = [
        {
            "id": 1,
            "variant": name,
            "prediction": text,
            "reference": None if name == "a:1" else ["x", "y"],
        }
        for name, text in (("a:1", "x"), ("a:2", "x"), ("b:1", "x"), ("b:2", "z"))
    ]
    (result,) = dialtools.score(made, metric=["rouge1"], sensitivity=True)
    assert (result["mean"], result["R"], result["no_reference"]) == (50, 100, 0)
    assert "|refs:2/max|" in result["signature"]


def test_sets_that_a_mean_is_without_are_counted():
    """Of a source with several; what a whole source lacks is no_reference and left_out."""

    def result(*left: str) -> dict:
        made = [
            {
                "id": 1,
                "variant": name,
                "prediction": "x",
                "reference": None if name in left else "x",
            }
            for name in ("a:1", "a:2", "b:1", "b:2", "c:1")
        ]
        return next(dialtools.score(made, metric=["rouge1"], sensitivity=True))

    def counted(result: dict) -> tuple:
        return (
            result.get("sets_without_reference"),
            result.get("sets_of_one_variant"),
            result["no_reference"],
        )

    assert counted(result()) == (None, 1, 0)
    assert counted(result("a:1", "c:1")) == (2, 1, 0)
    assert counted(result("a:1", "b:2", "c:1")) == (None, 1, 1)


def test_the_control_compares_different_dialogues():
    """Questions on one dialogue (a cluster) that have one answer are no sign of a constant system."""
    outputs = {"a": "the cat sat", "b": "a dog ran", "c": "it rained"}
    records = [
        {
            "id": f"{cluster}{question}",
            "cluster": cluster,
            "lang": "en",
            "variant": f"names:{n}",
            "prediction": output,
            "reference": output,
        }
        for cluster, output in outputs.items()
        for question in (1, 2, 3)
        for n in (1, 2)
    ]
    (result,) = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    assert (result["S"], result["control"], result["dialogues"]) == (
        0,
        100,
        3,
    ) and "note" not in result


def shuffled(records: list[dict], seed: int) -> list[dict]:
    """Return records with their sources in another order, and the variants of each."""
    groups = [
        list(group) for _, group in itertools.groupby(records, key=lambda record: record["id"])
    ]
    rng = random.Random(seed)
    rng.shuffle(groups)
    return [record for group in groups for record in rng.sample(group, len(group))]


@pytest.mark.parametrize(
    "sources, all_pairs, error",
    [(12, True, 1e-9), (12, False, 25), (450, False, 5), (450, True, 1e-9)],
)
def test_the_control_is_the_same_in_any_order(
    monkeypatch, sources: int, all_pairs: bool, error: float
):
    """By hand: of outputs that say one of three words pairs differ that say two; those of a cluster do not count.

    A sample is of some of the sources alone, where there are many."""
    monkeypatch.setattr(sensitivity, "SOURCES", 200)
    said = [(number, number // 2, "abc"[number % 7 % 3]) for number in range(sources)]
    records = [
        {"id": id, "cluster": cluster, "variant": f"n:{n}", "prediction": text if n == 1 else "d"}
        for id, cluster, text in said
        for n in (1, 2)
    ]
    pairs = [
        one != other for (_, a, one), (_, b, other) in itertools.combinations(said, 2) if a != b
    ]
    wanted = 100 * sum(pairs) / len(pairs)
    asked = {"metric": ["exact"], "sensitivity": True, "all_pairs": all_pairs}
    (result,) = dialtools.score(records, **asked)
    assert result["control"] == pytest.approx(wanted, abs=error)
    assert result["control_ci"][0] <= wanted <= result["control_ci"][1]
    which = "all" if all_pairs else "sampled"
    assert f"|control:{which}|" in result["signature"] and result["dialogues"] == sources // 2
    for seed in range(2):
        assert [result] == list(dialtools.score(shuffled(records, seed), **asked))


@pytest.mark.parametrize("metric", ["rouge1", "chrf"])
def test_a_sample_of_pairs_tells_the_control_of_all(metric: str):
    """The control of all is in the interval; where S has as many pairs, all are taken unasked."""
    (sampled,), (every,) = (
        dialtools.score(variants(60, 3), metric=[metric], sensitivity=True, all_pairs=all_pairs)
        for all_pairs in (False, True)
    )
    assert sampled["control_ci"][0] < every["control"] < sampled["control_ci"][1]
    assert sampled["control"] != every["control"]
    same = dict.fromkeys(("control", "control_ci", "of_control", "signature", "chain"))
    assert sampled | same == every | same
    few = list(dialtools.score(variants(21, 5), metric=[metric], sensitivity=True))
    assert few == list(
        dialtools.score(variants(21, 5), metric=[metric], sensitivity=True, all_pairs=True)
    )
    assert few[0]["control"] == pytest.approx(
        by_definition(variants(21, 5), metric)["control"], rel=1e-12
    )


def test_the_control_asks_no_more_than_s():
    """Of 100 sources with 3 variants S has 300 pairs: each output is compared with 3 on either side."""

    def compare(predictions: list[str], references: list[list[str]]) -> list[float]:
        asked.extend(zip(predictions, (text for (text,) in references)))
        return [0.5] * len(predictions)

    def between() -> collections.Counter:
        pairs = {pair for pair in asked if pair[0][:-1] != pair[1][:-1]}
        return collections.Counter(text for pair in pairs for text in pair)

    asked: list[tuple[str, str]] = []
    metric = Metric(compare, range=(0, 1), window=64)
    for variants_of_source, partners in ((3, 6), (1, 2)):
        asked.clear()
        records = [
            {"id": id, "variant": f"n:{n}", "prediction": f"said {id} {n}"}
            for id in range(100)
            for n in range(1, variants_of_source + 1)
        ]
        (result,) = dialtools.score(records, metric=metric, sensitivity=True)
        assert result["control"] == 50 and "|control:sampled|" in result["signature"]
        both_orders = 2 * partners
        assert between() == {f"said {id} 1": both_orders for id in range(100)}
        assert len(asked) <= 2 * 100 * (3 + 3)


def test_a_constant_system_carries_a_note():
    records = [record | {"prediction": "the same"} for record in variants(3, 2)]
    (result,) = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    assert result["S"] == 0 == result["control"] and "hardly differ" in result["note"]


def test_scores_that_rounding_keeps_apart_are_equal():
    """ROUGE-1 by hand: of 4 and 2 words 1 in common, 2/6; of 10 and 2 words 2, 4/12: both are 1/3."""
    said = ["a c c c", "a b c c c c c c c c"]
    records = [
        {"id": 1, "lang": "en", "variant": f"v:{n}", "prediction": text, "reference": "a b"}
        for n, text in enumerate(said)
    ]
    (result,) = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    assert (result["R"], result["D"]) == (0, 0) and result["mean"] == pytest.approx(100 / 3)


def test_systems_and_languages_are_never_mixed():
    zh = [record | {"lang": "zh", "id": 100} for record in variants(1, 2)]
    other = [record | {"system": "b"} for record in variants(1, 2)]
    results = list(
        dialtools.score(variants(1, 2) + zh + other, metric=["rouge1"], sensitivity=True)
    )
    assert [(result["system"], result["lang"]) for result in results] == [
        (None, "en"),
        (None, "zh"),
        ("b", "en"),
    ]


def test_a_metric_without_a_bounded_comparison_is_refused():
    with pytest.raises(dialtools.system.errors.OptionError, match="cannot measure sensitivity"):
        list(dialtools.score(variants(1, 2), metric=["distinct1"], sensitivity=True))


def one_source(outputs: dict[str, str], **more) -> list[dict]:
    return [
        {"id": 1, "lang": "en", "variant": variant, "prediction": output, **more}
        for variant, output in outputs.items()
    ]


def test_only_variants_of_one_set_are_compared():
    """As dt-swap-names --one makes them: each speaker's variants agree here, those of two speakers do not."""
    records = one_source(
        {"one1:1": "a b", "one1:2": "a b", "one2:1": "c d", "one2:2": "c d"}, reference="a b"
    )
    (source,) = dialtools.score(records, metric=["rouge1"], sensitivity=True, per_source=True)
    assert source["scores"] == {
        "rouge1": 50,
        "S:rouge1": 0,
        "R:rouge1": 0,
        "D:rouge1": 0,
    }  # 1 and 0
    assert source["sets"] == 2 and source["history"][-1]["counts"]["identical_pairs"] == 4
    (result,) = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    assert (
        result["mean"],
        result["S"],
        result["sets"],
        result["variants"],
        result["left_out"],
    ) == (50, 0, 2, 4, 0)
    others = [
        {"id": 2, "prediction": "a"},
        *({"id": 3, "variant": f"names:{n}", "prediction": "a"} for n in (1, 2)),
    ]
    (result,) = dialtools.score(records + others, metric=["rouge1"], sensitivity=True)
    assert (result["n"], result["sets"], result["left_out"]) == (3, 2 + 0 + 1, 1)


def test_a_source_has_the_means_over_its_sets():
    """By hand: in one1 outputs share nothing (S 100), one of them is the reference (R 100, D 50, quality 50); in one2
    all is 0 but quality 100; one3 has one variant, which counts for the quality, 0, alone."""
    records = one_source(
        {"one1:1": "a b", "one1:2": "c d", "one2:1": "a b", "one2:2": "a b", "one3:1": "c d"},
        reference="a b",
    )
    (source,) = dialtools.score(records, metric=["rouge1"], sensitivity=True, per_source=True)
    assert source["scores"] == {"rouge1": 50, "S:rouge1": 50, "R:rouge1": 50, "D:rouge1": 25}
    assert source["sets"] == 3 and "errors" not in source


@pytest.mark.parametrize(
    "names, sets",
    [
        (["names:1", "names:2"], 1),
        (["typo.case:1", "typo.keyboard%3Arate=0.1:1"], 2),
        (["a", "b", "c"], 1),  # names of one's own
        (
            [
                "names:1/typo.case:1",
                "names:1/typo.case:2",
                "names:2/typo.case:1",
                "names:2/typo.case:2",
            ],
            2,
        ),
        (["names:1/typo.case:1", "names:2/typo.case:1"], 1),
        (
            [
                "one1:1/typo.case:1",
                "one1:2/typo.case:1",
                "one2:1/typo.case:1",
                "one2:2/typo.case:1",
            ],
            2,
        ),
        (["names:1", "names:1/typo.case:1", "names:2", "names:2/typo.case:1"], 2),
    ],
)
def test_sets_are_told_apart_by_the_names_of_variants(names, sets):
    (source,) = dialtools.score(
        one_source(dict.fromkeys(names, "x")), metric=["rouge1"], sensitivity=True, per_source=True
    )
    assert source.get("sets", 1) == sets


def test_a_source_without_a_set_of_two_is_left_out():
    records = one_source({"one1:1": "a", "one2:1": "b"}, reference="a")
    (source,) = dialtools.score(records, metric=["rouge1"], sensitivity=True, per_source=True)
    assert source["scores"] == {"rouge1": 50, "S:rouge1": None, "R:rouge1": None, "D:rouge1": None}
    assert source["errors"][0]["reason"] == "variants: 2 in 2 sets; S, R and D need two of a set"
    assert next(dialtools.score(records, metric=["rouge1"], sensitivity=True))["left_out"] == 1


@pytest.mark.parametrize(
    "outputs", [{"names:1": "the cat", "names:2": "我们"}, {"names:1": "我们", "names:2": "我们"}]
)
def test_an_output_that_cannot_be_scored_is_named(outputs):
    before = [{"id": 0, "lang": "en", "variant": f"names:{n}", "prediction": "it"} for n in (1, 2)]
    with pytest.raises(dialtools.system.errors.RecordError, match="no token") as caught:
        list(dialtools.score(before + one_source(outputs), metric=["rouge1"], sensitivity=True))
    guilty = next(variant for variant, output in outputs.items() if output == "我们")
    assert (caught.value.record["id"], caught.value.record["variant"]) == (1, guilty)
    with pytest.raises(dialtools.system.errors.RecordError, match="no token") as caught:
        first, second = one_source({"names:1": "it", "names:2": "it"}, reference="it")
        list(
            dialtools.score(
                [*before, first, {**second, "reference": "我们"}],
                metric=["rouge1"],
                sensitivity=True,
            )
        )
    assert (caught.value.record["id"], caught.value.record["variant"]) == (1, "names:2")


def test_what_a_perturbation_left_unchanged_is_counted():
    histories = (
        [{"by": "dt-perturb", "changed": False}],
        [{"by": "dt-perturb"}],
        [{"by": "dt-perturb", "changed": False}, {"by": "dt-generate", "changed": True}],
        [{"by": "dt-perturb", "changed": False}],
    )
    records = [
        {"id": 1, "variant": f"typo.case:{n}", "prediction": "a", "history": own}
        for n, own in enumerate(histories)
    ]
    (result,) = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    assert (result["variants"], result["unchanged"], result["identical_pairs"]) == (4, 3, 12)


@pytest.mark.parametrize("asked", ["sensitivity", "robustness"])
def test_a_source_is_in_one_language(asked: str):
    """In English the ü of the variant would be no letter: "ber" would be compared."""
    record = {"id": 1, "prediction": "über", "reference": "über"}
    records = [
        record | {"lang": "en"},
        *(
            record | {"lang": lang, "variant": f"names:{n}"}
            for n, lang in enumerate(("en", "de"), 1)
        ),
    ]
    with pytest.raises(
        RecordError, match='a source is in one language, here are "en" and "de"'
    ) as caught:
        list(dialtools.score(records, metric=["rouge1"], **{asked: True}))
    assert caught.value.record == records[2]


@pytest.mark.parametrize("sensitivity", [False, True])
def test_a_record_in_an_unknown_language_is_named(sensitivity):
    record = {"id": 7, "lang": "english", "variant": "names:1", "prediction": "a", "reference": "a"}
    with pytest.raises(dialtools.system.errors.RecordError, match="no language") as caught:
        list(dialtools.score([record], metric=["rouge1"], sensitivity=sensitivity))
    assert caught.value.record["id"] == 7


@pytest.mark.parametrize("none", [{}, {"reference": None}])
def test_no_reference_may_be_written_in_two_ways(none):
    (result,) = dialtools.score(
        one_source({"names:1": "a", "names:2": "b"}, **none), metric=["rouge1"], sensitivity=True
    )
    assert (result["S"], result["mean"], result["no_reference"]) == (100, None, 1)


def test_an_empty_reference_is_one():
    """Unanswerable questions have it."""
    (result,) = dialtools.score(
        one_source({"names:1": "", "names:2": ""}, reference=[""]),
        metric=["exact"],
        sensitivity=True,
    )
    assert (result["mean"], result["no_reference"]) == (100, 0)


def test_the_worst_source_and_the_share_of_the_ceiling():
    """By hand: S is 100 (nothing shared), 50 (one word of two) and 0; outputs of different dialogues share nothing."""
    records = [
        {"id": number, "variant": f"names:{n}", "prediction": text}
        for number, texts in enumerate((("a b", "c d"), ("e f", "e g"), ("h", "h")))
        for n, text in enumerate(texts, 1)
    ]
    (result,) = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    assert (result["S"], result["worst"], result["affected"]) == (50, 100, pytest.approx(200 / 3))
    assert (result["control"], result["of_control"]) == (100, 50)
    (alone,) = dialtools.score(records[:2], metric=["rouge1"], sensitivity=True)
    assert alone["control"] is None and alone["of_control"] is None


def test_the_original_may_be_one_of_the_variants():
    """By hand: variants agree, the original shares nothing with them; of three pairs two change. Quality 2/3 of 100."""
    original = {"id": 1, "prediction": "x", "reference": "a b"}
    records = [
        original,
        *({**original, "variant": f"names:{n}", "prediction": "a b"} for n in (1, 2)),
    ]
    (result,) = dialtools.score(records, metric=["rouge1"], sensitivity=True, with_original=True)
    assert (result["S"], result["mean"], result["R"]) == (
        pytest.approx(200 / 3),
        pytest.approx(200 / 3),
        100,
    )
    assert (result["variants"], result["distinct"]) == (3, pytest.approx(200 / 3))
    assert "|original:yes|" in result["signature"]
    (without,) = dialtools.score(records, metric=["rouge1"], sensitivity=True)
    assert without["S"] == 0 and "original" not in without["signature"]
    (pair,) = dialtools.score(records[:2], metric=["rouge1"], sensitivity=True, with_original=True)
    assert (pair["S"], pair["left_out"]) == (100, 0)
    with pytest.raises(
        dialtools.system.errors.RecordError, match="no original beside the variants"
    ):
        list(dialtools.score(records[1:], metric=["rouge1"], sensitivity=True, with_original=True))
    with pytest.raises(dialtools.system.errors.OptionError, match="goes with sensitivity=True"):
        list(dialtools.score(records, metric=["rouge1"], with_original=True))


def test_sensitivity_to_each_speaker():
    """Ann speaks first and twice; her variants differ wholly, Bob's agree. Told by dt-swap-names itself."""
    record = {"id": 1, "lang": "en", "dialogue": "Ann: Hi\nBob: Hello\nAnn: Bye"}
    renamed = [
        {
            **variant,
            "prediction": f"said {variant['variant']}" if "one1" in variant["variant"] else "hello",
        }
        for variant in dialtools.swap_names([record], one=True, variants=2)
    ]
    first, second = dialtools.score(renamed, metric=["exact"], sensitivity=True, per_source=True)
    assert [first[key] for key in ("variant", "speaker", "position", "turns")] == [
        "one1",
        "Ann",
        1,
        2,
    ]
    assert [second[key] for key in ("variant", "speaker", "position", "turns")] == [
        "one2",
        "Bob",
        2,
        1,
    ]
    assert (first["scores"]["S:exact"], second["scores"]["S:exact"]) == (100, 0)
    assert not first.keys() & {"sets", "parts", "errors"}
    *_, lone = dialtools.score(renamed[:-1], metric=["exact"], sensitivity=True, per_source=True)
    assert lone["errors"] == [
        {"by": "dt-score", "reason": "variants: 1; S, R and D need two of a set"}
    ]
    (result,) = dialtools.score(renamed, metric=["exact"], sensitivity=True)
    assert (result["n"], result["sets"], result["S"]) == (1, 2, 50)
    speakers = [
        {**one, "id": number, "position": number % 3, "scores": {"S:exact": number % 3}}
        for number, one in enumerate([first, second] * 4)
    ]
    (trend,) = dialtools.ttest(
        speakers, value="scores.S:exact", versus="position", test="spearman", per="record"
    )
    assert (trend["n"], trend["effect"]) == (8, pytest.approx(1))


@pytest.mark.parametrize("options", ["", "--per-source", "--jobs 2"])
def test_what_is_counted_of_sources_is_told_whatever_came_before(shell, tmp_path, options):
    by = {"history": [{"by": "dt-generate", "signature": "lead"}]}
    records = [
        {"id": "a", "prediction": "", **by},
        *({"id": "a", "variant": f"n:{n}", "prediction": "a", **by} for n in (1, 2)),
    ]
    dialtools.write(records, tmp_path / "in.jsonl")
    told = shell(
        f"dt-score --sensitivity --with-original -m rouge1 --lang en {options} in.jsonl"
    ).err
    assert "1 record, " in told and "3 variants, 1 output empty" in told


def test_outputs_that_differ_in_what_no_token_holds_do_not_change_by_less_than_nothing():
    """BLEU of equal tokens is 100.00000000000004, in sacreBLEU, too; S was -4e-14, and stood so in tables."""
    records = [
        {
            "id": id,
            "lang": "en",
            "variant": f"names:{n}",
            "prediction": text,
            "reference": "She may come.",
        }
        for id in (1, 2)
        for n, text in ((1, "She may come."), (2, "She may come ."))
    ]
    (result,) = dialtools.score(records, metric=["bleu"], sensitivity=True)
    assert (result["S"], result["worst"], result["control"], result["mean"]) == (0, 0, 0, 100)
    originals = [
        {**record, "variant": None} if record["variant"] == "names:1" else record
        for record in records
    ]
    kept = [
        {key: value for key, value in record.items() if value is not None} for record in originals
    ]
    assert next(dialtools.score(kept, metric=["bleu"], robustness=True))["consistency"] == 0


@pytest.mark.parametrize("mode", ["sensitivity", "robustness"])
def test_names_that_were_not_put_back_are_told(mode: str):
    """By hand: Lena says what is said; each of the three variants has another name there, for Lena."""
    record = {
        "id": "a",
        "lang": "en",
        "dialogue": "Lena: the ferry leaves at noon\nTom: fine",
        "reference": "A ferry.",
    }
    renamed = list(dialtools.swap_names([record], variants=3, keep_original=True))
    outputs = list(dialtools.generate(renamed, generator="lead"))
    [told] = dialtools.score(outputs, metric=["rouge1"], **{mode: True})
    assert told["note"].startswith("new names count as changes in 3 variants: ")
    [told] = dialtools.score(
        dialtools.swap_names(outputs, restore=True), metric=["rouge1"], **{mode: True}
    )
    assert "note" not in told and told["S" if mode == "sensitivity" else "consistency"] == 0


def test_a_source_that_was_divided_is_noticed():
    """Of five variants the second half begins with names:3; a filter that left out names:1 and names:2 looks the same."""
    outputs = [
        {"id": id, "variant": f"names:{n}", "prediction": f"a {n}"}
        for id in range(3)
        for n in range(1, 6)
    ]
    (whole,) = dialtools.score(outputs, metric=["exact"], sensitivity=True)
    (second,) = dialtools.score(outputs[7:], metric=["exact"], sensitivity=True)
    assert "incomplete" not in whole and (second["n"], second["incomplete"]) == (2, 1)
    assert "variants of 1 source are missing, as the numbers tell" in second["note"]


def test_distinct_outputs_of_a_large_data_set():
    """There are more than a set holds at once; the first two are equal."""
    outputs = ["0", *map(str, range(2 * stable_hash.LATEST))]
    variants = [{"id": "a", "variant": f"names:{n}", "prediction": outputs[n]} for n in (1, 2)]
    (source,) = dialtools.score(variants, metric=["exact"], sensitivity=True, per_source=True)
    source["outputs"], source["history"][-1]["counts"]["variants"] = outputs, len(outputs)
    (made,) = dialtools.merge([[source]], summary=True)
    assert made["distinct"] == 100 * (len(outputs) - 1) / len(outputs)
