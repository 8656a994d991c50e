"""Metrics against other implementations, named with each test."""

import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialtools import registry, tokenizers
from dialtools.errors import OptionError, RecordError

ROUGE = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
WORDS = "the cat sat on a mat then it saw that 3 dogs don't like cats's café naïve İstanbul é ... #Person1# x".split()

texts = st.one_of(
    st.lists(st.sampled_from([*WORDS, "\n"]), max_size=30).map(" ".join),
    st.text(alphabet="ab c\n.é", max_size=40),
    st.text(max_size=20))


def value(spec: str, prediction: str, *references: str) -> float:
    return registry.load("metrics", spec).call([prediction], [list(references)])[0]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@given(texts, texts, texts)
def test_rouge_is_that_of_the_rouge_score_package_to_the_last_digit(prediction, one, other):
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(ROUGE)
    for references in ([one], [one, other]):
        expected = scorer.score_multi(references, prediction)
        for metric in ROUGE:
            try:
                assert value(metric, prediction, *references) == expected[metric].fmeasure
            except RecordError:  # where the package drops all letters and says 0 we refuse
                refused = [text for text in (prediction, *references) if any(map(str.isalnum, text))
                           and not tokenizers.lenient("rouge")(text)]
                assert refused


def test_rouge_of_long_texts_of_many_lines_equals_rouge_score():
    from rouge_score.rouge_scorer import RougeScorer

    scorer, rng = RougeScorer(ROUGE), random.Random(5)
    for _ in range(30):
        prediction, reference = (" ".join(rng.choices([*WORDS, "\n"], k=rng.randrange(200))) for _ in range(2))
        expected = scorer.score(reference, prediction)
        for metric in ROUGE:
            assert value(metric, prediction, reference) == expected[metric].fmeasure


def test_rouge_in_other_languages_equals_rouge_score_fed_with_our_tokens():
    from rouge_score.rouge_scorer import RougeScorer

    pairs = [("我明天去北京，你呢？", "他明天去上海。", "characters"), ("राम ने फ़ोन किया", "राम ने फ़ोन दिया", "words"),
             ("明日は東京へ行きます", "昨日東京へ行った", "characters"), ("Aku arep lunga menyang pasar", "Aku arep turu", "words")]
    for prediction, reference, tok in pairs:
        class Ours:
            def tokenize(self, text, tokenize=tokenizers.named(tok)):
                return tokenize(text)

        expected = RougeScorer(ROUGE[:3], tokenizer=Ours()).score(reference, prediction)
        for metric in ROUGE[:3]:
            assert value(f"{metric}:tok={tok}", prediction, reference) == expected[metric].fmeasure > 0


def test_what_is_kept_of_texts_does_not_grow_with_their_number():
    def kept(number: int) -> int:
        tracemalloc.start()
        for i in range(number):
            value("rouge2", f" {number} {i} ".join(WORDS), f" {i} {number} ".join(WORDS))
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size

    value("rouge2", "a", "b")  # imports
    few, many = kept(200), kept(800)
    assert many < 1.5 * few


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=20).map(" ".join),
       st.lists(st.sampled_from(WORDS), min_size=1, max_size=20).map(" ".join))
def test_bleu_and_chrf_are_those_of_sacrebleu(prediction, reference):
    import sacrebleu

    bleu = sacrebleu.sentence_bleu(prediction, [reference], use_effective_order=True).score
    assert value("bleu", prediction, reference) == bleu
    assert value("chrf", prediction, reference) == sacrebleu.sentence_chrf(prediction, [reference]).score


@pytest.mark.parametrize("tok", ["13a", "intl", "zh", "char", "none"])
def test_bleu_has_the_tokenizers_of_sacrebleu_that_need_nothing_more(tok):
    import sacrebleu

    prediction, reference = "我明天去北京, don't you?", "我明天去上海, don't they?"
    expected = sacrebleu.sentence_bleu(prediction, [reference], tokenize=tok, use_effective_order=True).score
    assert value(f"bleu:tok={tok}", prediction, reference) == expected


@pytest.mark.parametrize("spec", ["bleu:tok=foo", "bleu:tok=ko-mecab", "chrf:order=0", "chrf:beta=0", "chrf:order=x",
                                  "rouge1:tok=foo"])
def test_options_that_do_not_fit_are_refused(spec):
    with pytest.raises(OptionError):
        value(spec, "the cat", "the cat")


def test_f1_by_hand():
    # 3 of 4 words of the prediction, 3 of 5 of the reference: 2 * 0.75 * 0.6 / 1.35
    assert value("f1", "the big cat sat", "the cat sat over there") == pytest.approx(2 / 3)
    # "no" occurs twice in one and once in the other
    assert value("f1", "no no", "no") == pytest.approx(2 * 0.5 * 1 / 1.5)
    assert value("f1", "", "") == 1 and value("f1", "", "yes") == 0 == value("f1", "yes", "")


def test_distinct_by_hand():
    def distinct(metric, text):
        return registry.load("metrics", metric).call([text])[0]

    assert distinct("distinct1", "a rose is a rose is a rose") == 3 / 8
    assert distinct("distinct2", "a rose is a rose is a rose") == 3 / 7  # a rose, rose is, is a
    assert distinct("distinct2", "rose") == 0


@pytest.mark.parametrize("metric", ["rouge1", "rouge2", "rougeL", "rougeLsum"])
def test_a_text_with_letters_but_no_token_is_refused(metric):
    with pytest.raises(RecordError, match="no token"):
        value(metric, "我明天去北京", "我明天去北京")


@pytest.mark.parametrize("metric", ["rouge1", "rouge2", "rougeL", "rougeLsum", "bleu", "chrf"])
@pytest.mark.parametrize("text", ["", "...", "👍🏽"])
def test_a_text_without_letters_scores_as_empty(metric, text):
    assert value(metric, "", "the cat") == 0
    if metric.startswith("rouge"):
        assert value(metric, text, "the cat") == 0
