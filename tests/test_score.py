"""dt-score beside its metrics: what it takes, what it refuses, what it sums up."""

import importlib.metadata
import json
import re
from fractions import Fraction
from importlib.metadata import PackageNotFoundError
from itertools import accumulate

import pytest
import sacrebleu

import dialtools
from dialtools.commands import score
from dialtools.evaluation import scorer as scorers
from dialtools.evaluation.chosen_metrics import about
from dialtools.evaluation.source_groups import BATCH
from dialtools.records.values import is_empty
from dialtools.system.errors import MissingError, OptionError, RecordError

PAIR = {"id": 1, "prediction": "the cat", "reference": "the cat"}


def test_records_need_no_language():
    (scored,) = dialtools.score([PAIR], metric=["rouge1"])
    assert (
        scored["scores"] == {"rouge1": 1}
        and "lang:en" in scored["history"][-1]["signature"]["rouge1"]
    )
    (result,) = dialtools.score([PAIR], metric=["rouge1"], summary=True)
    assert (result["lang"], result["mean"]) == ("en", 100)
    variants = [PAIR | {"variant": f"names:{n}"} for n in (1, 2)]
    assert next(dialtools.score(variants, metric=["rouge1"], sensitivity=True))["lang"] == "en"


@pytest.mark.parametrize(
    "lang", ["pl", "tr", "und", "pol_Latn", "ru"]
)  # Russian has a folder, with pronouns alone
def test_a_language_without_data_is_scored(lang: str):
    """Of sacrebleu's numbers; ROUGE by hand: 3 of 4 words, an accented letter is one of a word."""
    texts = "Zażółć gęślą jaźń, proszę.", "Zażółć gęślą jaźń, dziękuję."
    record = {"id": 1, "lang": lang, "prediction": texts[0], "reference": texts[1]}
    (scored,) = dialtools.score(
        [record], metric=["bleu", "chrf", "ter", "rouge1", "rougeLsum:split=sentences", "exact"]
    )
    bleu = sacrebleu.sentence_bleu(
        texts[0], [texts[1]], use_effective_order=True, tokenize="13a"
    ).score
    assert scored["scores"] == {
        "bleu": bleu,
        "chrf": sacrebleu.sentence_chrf(texts[0], [texts[1]]).score,
        "ter": sacrebleu.sentence_ter(texts[0], [texts[1]]).score,
        "rouge1": 0.75,
        "rougeLsum:split=sentences": 0.75,
        "exact": 0,
    }
    signature = scored["history"][-1]["signature"]
    assert (
        f"|lang:{lang}|tok:13a|" in signature["bleu"]
        and f"|lang:{lang}|tok:words|" in signature["rouge1"]
    )


def test_a_language_without_data_that_has_no_spaces_is_scored_by_characters():
    """By hand: 4 of 5 characters are the same."""
    record = {"id": 1, "lang": "th", "prediction": "ไปแมว", "reference": "ไปแมว".replace("ว", "ก")}
    (scored,) = dialtools.score([record], metric=["rouge1", "bleu"])
    assert scored["scores"]["rouge1"] == pytest.approx(0.8)
    signature = scored["history"][-1]["signature"]
    assert "|tok:characters|" in signature["rouge1"] and "|tok:char|" in signature["bleu"]


@pytest.mark.parametrize(
    "lang, metric, said",
    [
        ("english", "rouge1", "no language 'english'"),
        ("", "exact", "no language ''"),
        ("pl", "gender", "pronouns tell no gender in pl"),
    ],
)
def test_what_is_no_language_and_what_needs_its_data_is_refused(lang: str, metric: str, said: str):
    with pytest.raises(RecordError, match=said):
        list(dialtools.score([PAIR | {"lang": lang}], metric=[metric]))


def test_means_are_exact_in_any_order():
    """Against fractions; a running sum of these differs in the last digit from that of the same turned round."""
    records = [
        {"id": i, "prediction": "a", "reference": "a " * (i * i % 37 + 1)} for i in range(300)
    ]
    scores = [record["scores"]["rouge1"] for record in dialtools.score(records, metric=["rouge1"])]
    assert list(accumulate(scores))[-1] != list(accumulate(scores[::-1]))[-1]
    for order in (records, records[::-1]):
        (result,) = dialtools.score(order, metric=["rouge1"], summary=True)
        assert result["mean"] == 100 * float(sum(map(Fraction, scores))) / 300


def test_null_is_as_good_as_absent():
    (scored,) = dialtools.score([PAIR | {"reference": None, "scores": None}], metric=["distinct1"])
    assert scored["scores"] == {"distinct1": 1}


def test_the_mean_is_over_records_with_different_numbers_of_references():
    """By hand: "a" against "a", and "a" against the better of "b" and "a b", 2 * 1 * 0.5 / 1.5."""
    records = [
        {"id": 1, "prediction": "a", "reference": "a"},
        {"id": 2, "prediction": "a", "reference": ["b", "a b"]},
    ]
    (result,) = dialtools.score(records, metric=["rouge1"], summary=True)
    assert (result["n"], result["mean"]) == (2, pytest.approx(100 * (1 + 2 / 3) / 2))
    assert "|refs:1-2/max|" in result["signature"]
    (same,) = dialtools.score(records[1:], metric=["rouge1"], summary=True)
    assert "|refs:2/max|" in same["signature"]


def test_references_are_in_the_signature_of_metrics_that_use_them_alone():
    first, second = dialtools.score([PAIR], metric=["rouge1", "distinct1"], summary=True)
    assert "refs:" in first["signature"] and "refs:" not in second["signature"]


def test_what_was_scored_before_is_not_summed_up_again(shell):
    line = json.dumps(PAIR | {"prediction": "我们"}, ensure_ascii=False)
    result = shell(
        f"echo '{line}' | dt-score -q -m exact | dt-score -m exact -m rouge1 --on-error keep"
    )
    assert (result.status, "rouge1" in json.loads(result.out)["scores"]) == (1, False)
    assert "mean" not in result.err


def test_a_record_that_fails_keeps_no_older_score_of_the_same_metric(shell):
    line = json.dumps(
        PAIR
        | {
            "prediction": "我们",
            "scores": {"rouge1": 0.5, "other": 1},
            "statistics": {"rouge1": [1]},
        }
    )
    result = shell(f"echo '{line}' | dt-score -q -m rouge1 --on-error keep")
    record = json.loads(result.out)
    assert (record["scores"], record["statistics"], len(record["errors"])) == ({"other": 1}, {}, 1)


@pytest.mark.parametrize(
    "options",
    [
        {"summary": True, "sensitivity": True},
        {"per_source": True},
        {"metric": ["rouge1", "rouge1"]},
        {"metric": ["distinct1"], "sensitivity": True},
    ],
)
def test_options_that_do_not_go_together_are_refused(options: dict):
    with pytest.raises(OptionError):
        list(dialtools.score([], **{"metric": ["rouge1"], **options}))


def test_a_format_of_records_is_refused(shell):
    result = shell("dt-score -m rouge1 --sensitivity --per-source --format latex </dev/null")
    assert (result.status, result.out) == (2, "") and "--format is for results" in result.err


@pytest.mark.parametrize("on_error", ["stop", "skip", "keep"])
def test_a_metric_gets_whole_batches(on_error: str, tmp_path, capsys):
    file, sizes = tmp_path / "in.jsonl", []
    file.write_text(
        "".join(json.dumps(PAIR | {"id": number}) + "\n" for number in range(BATCH + 3))
    )

    def metric(predictions: list[str], references: list[list[str]]) -> list[float]:
        sizes.append(len(predictions))
        return [1.0] * len(predictions)

    arguments = ["-m", "exact", "--lang", "en", "-q", "--on-error", on_error, str(file)]
    score.main.callback(
        **score.main.make_context("dt-score", arguments).params | {"metric": [metric]}
    )
    assert sizes == [BATCH, 3]


def test_a_library_that_is_missing_is_named(monkeypatch):
    def version(library: str) -> str:
        raise PackageNotFoundError

    monkeypatch.setattr("importlib.metadata.version", version)
    with pytest.raises(MissingError, match="pip install sacrebleu"):
        list(dialtools.score([PAIR], metric=["bleu:backend=sacrebleu"]))


def test_empty_is_what_has_no_letter_or_digit():
    assert [text for text in ("", "...", "👍", "a", "५", "我") if is_empty(text)] == [
        "",
        "...",
        "👍",
    ]


def test_what_predictions_are_compared_with():
    """ROUGE-1 by hand: two words of three are shared with the original's output, one of two with the note."""
    original = {
        "id": 1,
        "dialogue": "Ann: so it is",
        "note": "it was",
        "prediction": "a b c",
        "reference": "a",
    }
    variant = {**original, "variant": "names:1", "prediction": "a b it"}
    metric = ["rouge1:against=original", "rouge1:against=note", "rouge1:against=dialogue", "rouge1"]
    first, second = dialtools.score([original, variant], metric=metric)
    assert list(first["scores"]) == metric[1:], "an original is not compared with itself"
    assert second["scores"] == pytest.approx(
        {metric[0]: 2 / 3, metric[1]: 2 / 5, metric[2]: 2 / 7, "rouge1": 2 / 4}
    )
    signatures = second["history"][-1]["signature"]
    assert (
        "|against:original|refs:1/max|" in signatures[metric[0]]
        and "against" not in signatures["rouge1"]
    )
    *_, flag = dialtools.score([original, variant], metric=["rouge1"], against="note")
    assert flag["scores"] == {metric[1]: second["scores"][metric[1]]}
    results = {
        result["metric"]: result
        for result in dialtools.score([original, variant], metric=metric, summary=True)
    }
    assert [results[label]["n"] for label in metric] == [1, 2, 2, 2]


@pytest.mark.parametrize("metric", ["rouge1", "bleu", "exact", "accuracy", "length_ratio"])
def test_where_there_is_nothing_to_compare_with_that_record_is_told_and_no_other(metric):
    records = [
        {"id": n, "prediction": "a", "note": note, "dialogue": []}
        for n, note in enumerate((["a"], [], ["b"]))
    ]
    made = dialtools.score(records, metric=[metric], against="note")
    assert next(made)["id"] == 0
    with pytest.raises(RecordError, match=r'"note" holds nothing to compare with \(id 1\)'):
        next(made)
    with pytest.raises(RecordError, match='"dialogue" holds nothing'):
        list(dialtools.score(records, metric=[metric], against="dialogue"))


@pytest.mark.parametrize("how", [{}, {"sensitivity": True}, {"robustness": True}])
@pytest.mark.parametrize("lacking", [{}, {"prediction": None}])
def test_a_record_without_a_prediction_is_told(how, lacking):
    with pytest.raises(RecordError, match=r'no "prediction"; the record has id, reference.*\(id 1'):
        list(
            dialtools.score(
                [
                    {"id": 1, "reference": "a", **lacking},
                    {"id": 1, "reference": "a", "variant": "v:1"},
                ],
                metric=["rouge1"],
                **how,
            )
        )


def test_an_original_may_be_many_records_before():
    records = [{"id": 1, "prediction": "a b"}]
    records += [
        {"id": 1, "variant": f"names:{n}", "prediction": "a b c d"} for n in range(3 * BATCH)
    ]
    made = list(dialtools.score(records, metric=["rouge1"], against="original"))
    assert {record["scores"]["rouge1:against=original"] for record in made[1:]} == {2 / 3}
    with pytest.raises(RecordError, match="no original before its variants"):
        list(dialtools.score(records[1:], metric=["rouge1"], against="original"))
    with pytest.raises(
        RecordError, match="no original before its variants"
    ):  # nor if it comes in the same batch
        list(dialtools.score([records[1], records[0]], metric=["rouge1"], against="original"))


@pytest.mark.parametrize(
    "options, said",
    [
        ("-m rouge1 --key reference=summary --against summary", 'that key is called "reference"'),
        ("-m rouge1 --key lang=tongue --summary --by tongue", 'that key is called "lang"'),
        (
            "-m rouge1 --key prediction=summary --against prediction",
            '"prediction" would be compared with itself',
        ),
        ("-m rouge1:of=reference", '"reference" would be compared with itself'),
    ],
)
def test_no_key_is_taken_for_another(shell, options: str, said: str):
    """--key exchanges two names; what stood under the other one would have been scored."""
    record = '{"id": 1, "tongue": "en", "lang": "jv", "prediction": "a b", "summary": "a c", "reference": "q"}'
    done = shell(f"echo '{record}' | dt-score {options}")
    assert done.status == 2 and done.out == "" and said in done.err


def test_subsets_of_references():
    """Of "a", "a c", "a b" and "a b c" the last is the prediction; each by itself "b" would be best with 1/2."""
    record = {"id": 1, "prediction": "a b c", "reference": ["a", "b", "c"]}
    (made,) = dialtools.score([record], metric=["rouge1"], subsets=True)
    assert made["scores"] == {"rouge1:subsets=yes": 1.0}
    assert "|refs:3/subsets/max|" in made["history"][-1]["signature"]["rouge1:subsets=yes"]
    with pytest.raises(RecordError, match="12 references at most, here are 13"):
        list(
            dialtools.score([{**record, "reference": ["a"] * 13}], metric=["rouge1"], subsets=True)
        )


@pytest.mark.parametrize("name, best", [("bleu", max), ("ter", min)])
def test_subsets_are_one_reference_each(name: str, best):
    """Of several references sacrebleu makes one score: n-grams of any, the closest length; the mean length."""
    prediction, parts = (
        "a bond pays; it is owed by firms",
        ["a bond is a debt", "it is owed by firms", "it pays"],
    )
    texts = [" ".join(parts[:1] + more) for more in ([], parts[1:2], parts[2:], parts[1:])]
    record = {"id": 1, "prediction": prediction, "reference": parts}
    of_one, of_all = (getattr(sacrebleu, f"{level}_{name}") for level in ("sentence", "corpus"))
    scores = [of_one(prediction, [text]).score for text in texts]
    (made,) = dialtools.score([record], metric=[f"{name}:subsets=yes"])
    assert made["scores"] == {f"{name}:subsets=yes": best(scores)} and of_one(
        prediction, texts
    ).score != best(scores)
    assert (
        f"|refs:3/subsets/{best.__name__}|"
        in made["history"][-1]["signature"][f"{name}:subsets=yes"]
    )
    (result,) = dialtools.score([made], metric=[f"{name}:subsets=yes"], summary=True)
    assert result["corpus"] == pytest.approx(
        of_all([prediction], [[texts[scores.index(best(scores))]]]).score, 1e-12
    )


@pytest.mark.parametrize(
    "spec, said",
    [
        ("rouge1:against=", "against=KEY"),
        ("rouge1:subsets=maybe", "yes or no"),
        ("rouge1:agianst=x", "no option 'agianst'"),
    ],
)
def test_wrong_texts_to_compare_are_refused(shell, spec: str, said: str):
    done = shell(f"dt-score -m {spec} < /dev/null")
    assert done.status == 2 and said in done.err


def test_a_comparand_that_is_no_text_is_an_error():
    with pytest.raises(RecordError, match='"note" is a string or a list of strings, here is 3'):
        list(
            dialtools.score(
                [{"id": 1, "prediction": "a", "note": 3}], metric=["rouge1"], against="note"
            )
        )
    with pytest.raises(OptionError, match="say themselves what is compared"):
        list(dialtools.score([], metric=["rouge1"], against="note", sensitivity=True))


TEXTS = [
    ("the cat sat on a mat", ["the cat is on the mat", "a cat sat"]),
    ("it was", ["it was here"]),
    ("", ["so it is"]),
    ("two birds saw a cat over there", ["two birds saw the cat"]),
]


def pairs() -> list[dict]:
    return [
        {"id": n, "prediction": text, "reference": texts[:1]}
        for n, (text, texts) in enumerate(TEXTS)
    ]


@pytest.mark.parametrize("metric", ["bleu", "chrf", "ter"])
def test_corpus_scores_are_those_of_sacrebleu(metric: str):
    """Its own corpus scores; the mean over records stands beside under another key."""
    sacrebleu = pytest.importorskip("sacrebleu.metrics")
    their = getattr(sacrebleu, metric.upper() if metric != "chrf" else "CHRF")()
    wanted = their.corpus_score(
        [text for text, _ in TEXTS], [[texts[0] for _, texts in TEXTS]]
    ).score
    (result,) = dialtools.score(pairs(), metric=[metric], summary=True)
    assert result["corpus"] == pytest.approx(wanted, rel=1e-13) != result["sentence_mean"]
    assert "mean" not in result
    assert "|level:corpus|" in result["signature"] and "level" not in result["sentence_signature"]


def test_statistics_are_in_the_record_of_metrics_that_have_them():
    """By hand: of "it was" both words match one order each, against three words."""
    record = dict(pairs()[1], statistics={"own": [1]})
    (made,) = dialtools.score([record], metric=["bleu", "rouge1", "distinct1"])
    assert made["statistics"] == {
        "own": [1],
        "bleu": [2, 3, 2, 1, 0, 0, 2, 1, 0, 0],
        "distinct1": {"it": 1, "was": 1},
    }
    (plain,) = dialtools.score([pairs()[1]], metric=["rouge1"])
    assert "statistics" not in plain
    results = dialtools.score(pairs()[:2], metric=["rouge1", "distinct1"], summary=True)
    # "a" and "the" once: all eight differ
    assert [result.get("corpus") for result in results] == [None, 100.0]


def test_nothing_is_left_of_what_a_metric_said_before():
    """Statistics of another prediction, scored before, would be summed up as a corpus score of this one."""
    (before,) = dialtools.score([PAIR], metric=["bleu", "chrf"])
    (made,) = dialtools.score([before | {"prediction": "a dog"}], metric=["bleu"])
    assert made["scores"] == {"bleu": 0, "chrf": 100}
    assert made["statistics"]["chrf"] == before["statistics"]["chrf"]
    (result,) = dialtools.score([before | {"prediction": "a dog"}], metric=["bleu"], summary=True)
    assert result["corpus"] == 0


def test_statistics_against_the_original():
    records = [{"id": 1, "prediction": "a b"}, {"id": 1, "variant": "x:1", "prediction": "a c"}]
    first, second = dialtools.score(records, metric=["bleu"], against="original")
    assert "statistics" not in first and second["statistics"]["bleu:against=original"][:3] == [
        2,
        2,
        1,
    ]


def test_originals_alone_have_no_mean():
    (result,) = dialtools.score([PAIR], metric=["rouge1"], against="original", summary=True)
    assert (result["n"], result["mean"]) == (0, None)


def test_an_original_is_found_in_batches_that_may_fail(shell):
    record = {"id": 1, "prediction": "a b", "lang": "en"}
    lines = "".join(
        json.dumps(record | ({"variant": f"x:{n}"} if n else {})) + "\n" for n in range(2 * BATCH)
    )
    done = shell(f"printf '{lines}' | dt-score -b -m exact --against original -q --on-error skip")
    assert (done.out, done.status) == ("100.0\n", 0)


@pytest.mark.parametrize("jobs", [1, 2])
def test_against_the_original_that_record_fails_alone_which_cannot_be_scored(shell, jobs: int):
    """Of id 1 a variant has no token that ROUGE knows, of id 2 the original, which a variant is compared with."""
    outputs = {
        (1, None): "a b",
        (1, "x:1"): "你好",
        (1, "x:2"): "a b",
        (2, None): "你好",
        (2, "x:1"): "a b",
    }
    lines = "".join(
        json.dumps(
            {"id": id, "lang": "en", "reference": "a b", "prediction": text}
            | ({"variant": variant} if variant else {})
        )
        + "\n"
        for (id, variant), text in outputs.items()
    )
    command = f"dt-score -m rouge1:tok=rouge -m exact:against=original --jobs {jobs}"
    kept = shell(f"printf '{lines}' | {command} -q --on-error keep")
    made = {(one["id"], one.get("variant")): one for one in map(json.loads, kept.out.splitlines())}
    assert list(made) == list(outputs) and kept.status == 1
    assert [key for key, one in made.items() if "errors" in one] == [(1, "x:1"), (2, None)]
    assert [
        one["scores"].get("exact:against=original") for one in made.values() if "scores" in one
    ] == [None, 1, 0]
    told = [
        line
        for line in shell(f"printf '{lines}' | {command} --on-error skip").err.splitlines()
        if "(id" in line
    ]
    assert ["(id 1, variant" in told[0], "(id 2)" in told[1], len(told)] == [True, True, 2]


def test_against_the_original_empty_are_variants_and_empty_references_originals():
    records = [
        {"id": 1, "prediction": ""},
        {"id": 1, "variant": "v:1", "prediction": "a b"},
        {"id": 2, "prediction": "x"},
        {"id": 2, "variant": "v:1", "prediction": "…"},
        {"id": 3, "prediction": ""},
    ]
    (result,) = dialtools.score(records, metric=["rouge1"], against="original", summary=True)
    assert (result["n"], result["empty"], result["empty_reference"]) == (2, 1, 1)
    both = dialtools.score(
        [{**record, "reference": "a"} for record in records],
        metric=["f1", "f1:against=original"],
        summary=True,
    )  # the most of both: all records have the one
    assert {(one["empty"], one["empty_reference"]) for one in both} == {(3, 1)}


def test_empty_is_the_text_that_is_scored_and_not_a_prediction_beside_it():
    texts = [
        {"id": "a", "prediction": "", "text": "a cat"},
        {"id": "b", "prediction": "a cat", "text": "…"},
    ]
    for spec, found in (("distinct1:of=text", [0, 1]), ("distinct1", [1, 0])):
        assert [
            record["history"][-1]["counts"]["empty"]
            for record in dialtools.score(texts, metric=[spec])
        ] == found
    [result] = dialtools.score(texts, metric=["distinct1:of=text"], summary=True)
    assert result["empty"] == 1


def test_the_list_names_keys_that_records_have():
    assert about("uas") == 'needs "dialogue" or "text"'
    assert about("accuracy_at") == 'needs "prediction" and "reference"; options k'
    assert about("judge").startswith("options model, endpoint")


def test_empty_references_are_counted():
    """As of questions without an answer: nothing can be right there, and the mean should not hide how many they are."""
    records = [
        PAIR,
        PAIR | {"id": 2, "reference": ""},
        PAIR | {"id": 3, "reference": ["...", ""]},
        PAIR | {"id": 4, "reference": ["", "the cat"]},
    ]
    (result,) = dialtools.score(records, metric=["rouge1"], summary=True)
    assert (result["n"], result["mean"], result["empty"], result["empty_reference"]) == (
        4,
        50,
        0,
        2,
    )


@pytest.mark.parametrize(
    "library, named",
    [
        ("torch", "'dialtools[models]'"),
        ("rouge-score", "'dialtools[reference]'"),
        ("jieba", "'dialtools[zh]'"),
        ("sacrebleu", "sacrebleu"),
        ("unbabel-comet", "unbabel-comet"),
    ],
)
def test_a_missing_library_is_installed_with_those_that_go_along(
    monkeypatch, library: str, named: str
):
    """As setup.cfg says; what is in the base install, or in none of ours, is named itself."""

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(
        MissingError,
        match=f"the library {library} is not installed: pip install {re.escape(named)}$",
    ):
        scorers._version(library)
