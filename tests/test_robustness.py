"""dt-score --robustness: the dimensions from their definition with rouge-score, the counts, what cannot be had."""

import json
import random
from statistics import fmean

import pytest
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU
from scipy import stats

import dialtools
from dialtools.evaluation import robustness
from dialtools.system.errors import OptionError, RecordError

WORDS = "the cat sat on a mat and saw two birds while it was here".split()


def said(rng: random.Random, n: int) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(n))


def records(
    number: int, kinds: tuple[str, ...] = ("typo.case:1", "typo.case:2", "dialogue.greeting:1")
) -> list[dict]:
    """Return originals with their variants, predictions drawn at random."""
    rng, made = random.Random(4), []
    for i in range(number):
        source = {
            "id": i,
            "cluster": f"d{i // 2}",
            "dialogue": f"Ann: {said(rng, 9)}\nBob: {said(rng, 9)}",
            "reference": [said(rng, 6), said(rng, 6)],
            "prediction": said(rng, 7),
        }
        made += [
            source,
            *(
                {
                    **source,
                    "variant": kind,
                    "dialogue": "Ann: hi",
                    "prediction": said(rng, 7),
                    "history": [{"by": "dt-perturb", "changed": i % 3 > 0}, {"by": "dt-generate"}],
                }
                for kind in kinds
            ),
        ]
    return made


def rouge(reference: str | list[str], prediction: str) -> float:
    texts = [reference] if isinstance(reference, str) else reference
    return max(RougeScorer(["rouge1"]).score(text, prediction)["rouge1"].fmeasure for text in texts)


def by_hand(group: list[dict], kind: str) -> list[tuple]:
    """Return the three dimensions of each variant of a kind, in percent."""
    original = group[0]
    before, rows = original["prediction"], []
    for record in group[1:]:
        if record["variant"].startswith(kind):
            after = record["prediction"]
            falls = [
                100 * abs(rouge(x, before) - rouge(x, after)) / rouge(x, before)
                if rouge(x, before)
                else None
                for x in (original["reference"], original.get("dialogue") or original["text"])
            ]
            rows.append((100 - 100 * rouge(before, after), *falls))
    return rows


def test_dimensions_are_those_of_the_definition():
    """Of some sources the text is no dialogue, of some the original's output shares no word with it."""
    made = records(12, ("typo.case:1", "typo.case:2", "typo.keyboard:1", "dialogue.greeting:1"))
    for record in made:
        if record["id"] % 4 == 1:
            record["text"] = record.pop("dialogue")
        if record["id"] in (3, 7) and "variant" not in record:
            record["dialogue"] = "Ann: no"
    groups = [made[at : at + 5] for at in range(0, len(made), 5)]
    results = list(dialtools.score(made, metric=["rouge1"], robustness=True))
    found = {result["kind"]: result for result in results}
    assert len(results) == len(found)
    assert list(found) == ["typo.case", "typo.keyboard", "dialogue.greeting", "typo.*", "all"]
    for kind, result in found.items():
        rows = [by_hand(group, "" if kind == "all" else kind.rstrip("*")) for group in groups]
        for at, dimension in enumerate(robustness.DIMENSIONS):
            values = [[row[at] for row in own] for own in rows if own[0][at] is not None]
            wanted = fmean(map(fmean, values))
            assert result[dimension] == pytest.approx(wanted, rel=1e-12)
            assert result[f"{dimension}_ci"][0] < wanted < result[f"{dimension}_ci"][1]
            changed = fmean(
                fmean(row[at] for row in own)
                for i, own in enumerate(rows)
                if i % 3 and own[0][at] is not None
            )
            assert result["changed"][dimension] == pytest.approx(changed, rel=1e-12)
        flat = [row for own in rows for row in own]
        assert result["zero_denominator"] == {
            name: sum(row[at] is None for row in flat)
            for at, name in ((1, "saliency"), (2, "faithfulness"))
        }
        assert result["zero_denominator"]["faithfulness"] == 2 * len(rows[0])
        for one, other in ((0, 1), (0, 2), (1, 2)):
            both = [(row[one], row[other]) for row in flat if None not in (row[one], row[other])]
            r = stats.pearsonr(*zip(*both)).statistic
            names = f"{robustness.DIMENSIONS[one]}/{robustness.DIMENSIONS[other]}"
            assert result["r"][names] == pytest.approx(r, rel=1e-9)
    assert (
        found["typo.case"]["n"],
        found["typo.case"]["variants"],
        found["typo.case"]["unchanged"],
    ) == (12, 24, 8)
    assert (found["typo.*"]["n"], found["typo.*"]["variants"], found["all"]["variants"]) == (
        12,
        36,
        48,
    )


def test_kinds_that_change_utterances_have_a_result_beside_those_of_dialogues():
    """Over the variants of all families but dialogue, without asr.turns, which moves words to other turns."""
    kinds = "typo.case:1", "variation.aave:1", "asr.turns:1", "dialogue.split:1", "dialogue.delay:1"
    made = records(8, kinds)
    results = {
        result["kind"]: result
        for result in dialtools.score(made, metric=["rouge1"], robustness=True)
    }
    names = [kind.removesuffix(":1") for kind in kinds]
    assert list(results) == [*names, "dialogue.*", "utterance.*", "all"]
    groups = [made[at : at + 6] for at in range(0, len(made), 6)]
    for at, dimension in enumerate(robustness.DIMENSIONS):
        values = [
            fmean(row[at] for kind in ("typo", "variation") for row in by_hand(group, kind))
            for group in groups
        ]
        assert results["utterance.*"][dimension] == pytest.approx(fmean(values), rel=1e-12)
    assert results["utterance.*"]["variants"] == results["dialogue.*"]["variants"] == 16


@pytest.mark.parametrize(
    "outputs, consistency, is_known",
    [
        (["a c", "b d", "c d"], 200 / 3, True),
        (["a c", "b d", "a c"], 50, False),
        (["a c", "c d"], 75, False),
        (["a c", "a b", "b c"], 100 / 3, False),
    ],
)
def test_a_correlation_needs_three_variants_that_differ(
    outputs: list[str], consistency: float, is_known: bool
):
    """By hand: of "a b" one word is left, or none; what is left of one word of three cannot correlate.

    All of the last have two words of the reference, as the original has: saliency is 0 throughout.
    """
    source = {"id": 1, "reference": "a b c", "prediction": "a b"}
    made = [
        source,
        *(
            {**source, "variant": f"typo.case:{n}", "prediction": text}
            for n, text in enumerate(outputs)
        ),
    ]
    (result,) = dialtools.score(made, metric=["rouge1"], robustness=True)
    assert result["consistency"] == pytest.approx(consistency)
    assert (result["r"]["consistency/saliency"] is not None) == is_known


@pytest.mark.parametrize("number", range(2, 9))
def test_a_correlation_is_never_beyond_1(number: int):
    """Where the reference is the original's output and a word more, all of one length, saliency is a multiple of
    consistency."""
    made = records(number, ("typo.case:1", "typo.case:2", "typo.case:3"))
    for at, record in enumerate(made):
        record["reference"] = f"{made[at // 4 * 4]['prediction']} x"
    (result,) = dialtools.score(made, metric=["rouge1"], robustness=True)
    assert 1 - 1e-12 < result["r"]["consistency/saliency"] <= 1


def test_subsets_of_references_count_for_saliency():
    """ "a b c" and "a b" are subsets of the references; "c" has 2/3 with "a c", and with "c" alone it would have 1."""
    source = {"id": 1, "reference": ["a", "b", "c"], "prediction": "a b c"}
    variants = [
        {**source, "variant": f"typo.case:{n}", "prediction": text}
        for n, text in ((1, "a b"), (2, "c"))
    ]
    (result,) = dialtools.score(
        [source, *variants], metric=["rouge1"], robustness=True, subsets=True
    )
    assert result["saliency"] == pytest.approx((0 + 100 / 3) / 2)
    assert (
        "|refs:3/subsets/max|ci:normal/10000|" in result["signature"]
    )  # 10^4 samples, as in the paper


def test_the_interval_is_that_of_clusters():
    """Twelve sources of six dialogues: the normal interval from the deviation of the bootstrap over dialogues."""
    made = records(12)
    (result,) = [
        one
        for one in dialtools.score(made, metric=["rouge1"], robustness=True)
        if one["kind"] == "typo.case"
    ]
    means = [
        fmean(row[0] for row in by_hand(made[at : at + 4], "typo")) for at in range(0, len(made), 4)
    ]
    pairs = [
        fmean(means[at : at + 2]) for at in range(0, 12, 2)
    ]  # of equal size, so that the mean is theirs
    half = (
        1.96 * (sum((x - fmean(pairs)) ** 2 for x in pairs) / len(pairs)) ** 0.5 / len(pairs) ** 0.5
    )
    assert result["consistency_ci"][1] - result["consistency"] == pytest.approx(half, rel=0.05)
    assert (
        fmean(result["consistency_ci"])
        == pytest.approx(result["consistency"], rel=1e-12)
        == fmean(means)
    )
    two, one = (
        next(dialtools.score(made[: 4 * n], metric=["rouge1"], robustness=True)) for n in (4, 2)
    )
    assert (
        two["consistency_ci"][0] < two["consistency"] and one["consistency_ci"] is None
    )  # of one dialogue


def test_the_interval_does_not_depend_on_the_order_of_sources():
    made = records(12)
    other = [record for at in range(len(made) - 4, -1, -4) for record in made[at : at + 4]]
    found, again = (
        list(dialtools.score(given, metric=["rouge1"], robustness=True)) for given in (made, other)
    )
    assert [result["consistency_ci"] for result in again] == [
        result["consistency_ci"] for result in found
    ]


@pytest.mark.parametrize(
    "number, with_reference, fewest",
    [(40, 40, None), (38, 38, 19), (40, 4, 2), (40, 2, None), (2, 2, None)],
)
def test_few_dialogues_for_an_interval_are_told(
    number: int, with_reference: int, fewest: int | None
):
    """Two sources make a dialogue; saliency needs a reference, and from one dialogue there is no interval to doubt."""
    made = [
        {**record, "reference": record["reference"] if record["id"] < with_reference else None}
        for record in records(number, ("typo.case:1",))
    ]
    (result,) = dialtools.score(made, metric=["rouge1"], robustness=True)
    told = (
        {"note": f"only {fewest} dialogues: bootstrap intervals may be too narrow"}
        if fewest
        else {}
    )
    assert {key: text for key, text in result.items() if key == "note"} == told
    assert (result["saliency_ci"] is None) == (with_reference == 2)


def test_what_a_quotient_has_no_denominator_for_is_counted():
    source = {"id": 1, "dialogue": "Ann: the cat", "reference": "dog", "prediction": "the mat"}
    other = {**source, "variant": "typo.case:1", "prediction": "dog"}
    (result,) = dialtools.score([source, other], metric=["rouge1"], robustness=True)
    assert (result["consistency"], result["saliency"]) == (100, None)
    assert result["zero_denominator"] == {"saliency": 1, "faithfulness": 0}
    assert result["consistency_ci"] is None and set(result["r"].values()) == {None}


@pytest.mark.parametrize("turns, known", [(6, True), (7, False)])
def test_a_denominator_near_0_counts_as_one_of_0(turns: int, known: bool):
    """sacrebleu: of "I see." with 6 such turns BLEU is 0.0123 %, with 7 of them 0.0023 %."""
    source = {
        "id": 1,
        "reference": "It rains.",
        "dialogue": "\n".join(["Ann: I see."] * turns),
        "prediction": "I see.",
    }
    score = (
        BLEU(effective_order=True).sentence_score(source["prediction"], [source["dialogue"]]).score
    )
    assert score == pytest.approx(0.0123 if known else 0.0023, abs=1e-4)
    other = {**source, "variant": "typo.case:1", "prediction": "Ann: I see.\nAnn: I see."}
    (result,) = dialtools.score([source, other], metric=["bleu"], robustness=True)
    assert (result["faithfulness"] is not None, result["zero_denominator"]["faithfulness"]) == (
        known,
        not known,
    )


def test_without_references_saliency_is_null_and_no_zero_denominator():
    made = [
        {key: value for key, value in record.items() if key != "reference"} for record in records(3)
    ]
    for result in dialtools.score(made, metric=["rouge1"], robustness=True):
        assert result["saliency"] is None and result["zero_denominator"]["saliency"] == 0
        assert result["consistency"] > 0 and result["no_reference"] == 3


def test_sources_that_saliency_is_without_are_counted():
    """Whatever the number of their variants and kinds; the saliency is that of the others."""
    made = [record | {"reference": None} if record["id"] < 2 else record for record in records(5)]
    results, others = (
        list(dialtools.score(some, metric=["rouge1"], robustness=True)) for some in (made, made[8:])
    )
    assert [(result["kind"], result["n"], result["no_reference"]) for result in results] == [
        ("typo.case", 5, 2),
        ("dialogue.greeting", 5, 2),
        ("all", 5, 2),
    ]
    assert [result["no_reference"] for result in others] == [0, 0, 0]
    assert [result["saliency"] for result in results] == [result["saliency"] for result in others]


def test_sources_that_faithfulness_is_without_are_counted_and_no_zero_denominators():
    """What a quotient's denominator would be of is not there; the faithfulness is that of the others."""
    made = [
        {key: value for key, value in record.items() if key != "dialogue" or record["id"] > 1}
        for record in records(5)
    ]
    results, others = (
        list(dialtools.score(some, metric=["rouge1"], robustness=True)) for some in (made, made[8:])
    )
    assert [
        (result["n"], result["no_dialogue"], result["zero_denominator"]["faithfulness"])
        for result in results
    ] == [(5, 2, 0)] * 3
    assert (
        [result["faithfulness"] for result in results]
        == [result["faithfulness"] for result in others]
        != [None] * 3
    )
    assert not any("no_dialogue" in result for result in others)


def test_identical_outputs_are_robust_even_where_the_metric_says_0():
    source = {"id": 1, "dialogue": "Ann: yes", "prediction": "yes"}
    (result,) = dialtools.score(
        [source, {**source, "variant": "typo.case:1"}], metric=["rouge2"], robustness=True
    )
    assert result["consistency"] == 0


def test_one_record_for_each_source_and_kind():
    made = list(dialtools.score(records(2), metric=["rouge1"], robustness=True, per_source=True))
    assert [(record["id"], record["variant"]) for record in made] == [
        (0, "typo.case"),
        (0, "dialogue.greeting"),
        (1, "typo.case"),
        (1, "dialogue.greeting"),
    ]
    assert list(made[0]["scores"]) == [
        "consistency:rouge1",
        "saliency:rouge1",
        "faithfulness:rouge1",
    ]
    (compared,) = dialtools.ttest(made, value="scores.consistency:rouge1", by="variant")
    assert (compared["a"], compared["b"], compared["n"]) == ("typo.case", "dialogue.greeting", 2)


def test_what_cannot_be_measured_is_told():
    with pytest.raises(RecordError, match="no original to compare the variants with"):
        list(dialtools.score(records(1)[1:], metric=["rouge1"], robustness=True))
    with pytest.raises(OptionError, match="one of them"):
        list(dialtools.score([], metric=["rouge1"], robustness=True, sensitivity=True))


@pytest.mark.parametrize("per_source", [False, True])
def test_sources_without_variants(per_source: bool):
    """Some are of no account; where all are, nothing can be said of anything."""
    asked = {"metric": ["rouge1"], "robustness": True, "per_source": per_source}
    made = records(2, ("typo.case:1",))
    lone = made[2]
    assert (
        list(dialtools.score([lone, *made[:2]], **asked))
        == list(dialtools.score(made[:2], **asked))
        != []
    )
    assert list(dialtools.score([], **asked)) == []
    with pytest.raises(RecordError, match="no variants to compare.*keep_original=True"):
        list(dialtools.score([lone], **asked))


def test_a_process_without_variants_is_no_error(shell, tmp_path):
    made = [{**record, "history": [{"by": "dt-generate"}]} for record in records(200, ())]
    made.append({**made[-1], "variant": "typo.case:1"})
    dialtools.write(made, tmp_path / "in.jsonl")
    for options in (
        "--per-source",
        "--per-source --jobs 2",
        "--per-source --on-error skip",
        "",
        "--jobs 2",
        "-b",
    ):
        done = shell(f"dt-score -m rouge1 --lang en --robustness {options} {tmp_path}/in.jsonl")
        assert (done.status, done.out.count("\n")) == (0, 1), (options, done.err)
    for options in ("--per-source", "--per-source --jobs 2", "-b"):
        done = shell(
            f"head -n 9 {tmp_path}/in.jsonl | dt-score -m rouge1 --lang en --robustness {options}"
        )
        assert (done.status, done.out) == (3, "") and "no variants to compare" in done.err


@pytest.mark.parametrize("summed", ["robustness", "sensitivity"])
def test_what_failed_has_no_part_in_results(summed: str, shell, tmp_path):
    """The runes are letters of which ROUGE makes no token, so that nothing can be said of the second source."""
    made = records(3, ("typo.case:1", "typo.case:2"))
    failing = [record | {"prediction": "ᚠ"} if record["id"] == 1 else record for record in made]
    good = [record for record in made if record["id"] != 1]
    for name, own in (("failing", failing), ("good", good)):
        dialtools.write(own, tmp_path / name)
    wanted = shell(f"dt-score --{summed} -m rouge1 --lang en {tmp_path}/good").out
    for kept in ("keep", "skip"):
        done = shell(
            f"dt-score --{summed} -m rouge1 --lang en --on-error {kept} {tmp_path}/failing"
        )
        results, counts = (
            [json.loads(line) for line in done.out.splitlines()],
            {"keep": "failed", "skip": "skipped"},
        )
        assert [result.pop(counts[kept]) for result in results] == [3] * len(
            results
        )  # as in the closing line
        assert (done.status, results) == (
            1,
            [json.loads(line) for line in wanted.splitlines()],
        ) and wanted, done.err
