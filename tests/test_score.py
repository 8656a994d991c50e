"""dt-score beside its metrics: what it takes, what it refuses, what it sums up."""

import json
from importlib.metadata import PackageNotFoundError

import pytest

import dialtools
from dialtools import tokenizers
from dialtools.commands import score
from dialtools.errors import MissingError, OptionError

PAIR = {"id": 1, "prediction": "the cat", "reference": "the cat"}


def test_records_need_no_language():
    scored, = dialtools.score([PAIR], metric=["rouge1"])
    assert scored["scores"] == {"rouge1": 1} and "lang:en" in scored["history"][-1]["signature"]["rouge1"]
    result, = dialtools.score([PAIR], metric=["rouge1"], summary=True)
    assert (result["lang"], result["mean"]) == ("en", 1)
    variants = [PAIR | {"variant": f"names:{n}"} for n in (1, 2)]
    assert next(dialtools.score(variants, metric=["rouge1"], sensitivity=True))["lang"] == "en"


def test_null_is_as_good_as_absent():
    scored, = dialtools.score([PAIR | {"reference": None, "scores": None}], metric=["distinct1"])
    assert scored["scores"] == {"distinct1": 1}


def test_the_mean_is_over_records_with_different_numbers_of_references():
    """By hand: "a" against "a", and "a" against the better of "b" and "a b", 2 * 1 * 0.5 / 1.5."""
    records = [{"id": 1, "prediction": "a", "reference": "a"}, {"id": 2, "prediction": "a", "reference": ["b", "a b"]}]
    result, = dialtools.score(records, metric=["rouge1"], summary=True)
    assert (result["n"], result["mean"]) == (2, pytest.approx((1 + 2 / 3) / 2))
    assert "|refs:1-2/max|" in result["signature"]
    same, = dialtools.score(records[1:], metric=["rouge1"], summary=True)
    assert "|refs:2/max|" in same["signature"]


def test_references_are_in_the_signature_of_metrics_that_use_them_alone():
    first, second = dialtools.score([PAIR], metric=["rouge1", "distinct1"], summary=True)
    assert "refs:" in first["signature"] and "refs:" not in second["signature"]


def test_what_was_scored_before_is_not_summed_up_again(shell):
    line = json.dumps(PAIR | {"prediction": "我们"}, ensure_ascii=False)
    result = shell(f"echo '{line}' | dt-score -q -m exact | dt-score -m exact -m rouge1 --on-error keep")
    assert (result.status, "rouge1" in json.loads(result.out)["scores"]) == (1, False)
    assert "mean" not in result.err


@pytest.mark.parametrize("options", [
    {"summary": True, "sensitivity": True}, {"per_source": True}, {"metric": ["rouge1", "rouge1"]},
    {"metric": ["distinct1"], "sensitivity": True}])
def test_options_that_do_not_go_together_are_refused(options: dict):
    with pytest.raises(OptionError):
        list(dialtools.score([], **{"metric": ["rouge1"], **options}))


def test_a_format_of_records_is_refused(shell):
    result = shell("dt-score -m rouge1 --sensitivity --per-source --format latex </dev/null")
    assert (result.status, result.out) == (2, "") and "--format is for results" in result.err


@pytest.mark.parametrize("on_error", ["stop", "skip", "keep"])
def test_a_metric_gets_whole_batches(on_error: str, tmp_path, capsys):
    file, sizes = tmp_path / "in.jsonl", []
    file.write_text("".join(json.dumps(PAIR | {"id": number}) + "\n" for number in range(score.BATCH + 3)))

    def metric(predictions: list[str], references: list[list[str]]) -> list[float]:
        sizes.append(len(predictions))
        return [1.0] * len(predictions)

    options = {"files": (str(file),), "output": "-", "limit": None, "lang": "en", "jobs": 1, "shard": None,
               "progress": False, "quiet": True, "on_error": on_error}
    score.main.callback([metric], False, False, False, None, **options)
    assert sizes == [score.BATCH, 3]


def test_a_library_that_is_missing_is_named(monkeypatch):
    from dialtools import scoring

    def version(library: str) -> str:
        raise PackageNotFoundError

    monkeypatch.setattr("importlib.metadata.version", version)
    scoring.bind.cache_clear()
    with pytest.raises(MissingError, match="pip install sacrebleu"):
        list(dialtools.score([PAIR], metric=["bleu:backend=sacrebleu"]))


def test_empty_is_what_has_no_letter_or_digit():
    assert [text for text in ("", "...", "👍", "a", "५", "我") if tokenizers.is_empty(text)] == ["", "...", "👍"]
