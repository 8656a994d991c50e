"""Metrics against other implementations, named with each test."""

import random
import re
import tracemalloc
from time import process_time

import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st

from dialtools.evaluation import scorer as scorers
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.plugins import registry
from dialtools.system.errors import MissingError, OptionError, RecordError
from dialtools.text import tokenizers

ROUGE = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
WORDS = "the cat sat on a mat then it saw that 3 dogs don't like cats's café naïve İstanbul é ... #Person1# x".split()

texts = st.one_of(
    st.lists(st.sampled_from([*WORDS, "\n"]), max_size=30).map(" ".join),
    st.text(alphabet="ab c\n.é", max_size=40),
    st.text(max_size=20),
)


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
                refused = [
                    text
                    for text in (prediction, *references)
                    if any(map(str.isalnum, text)) and not tokenizers.lenient("rouge")(text)
                ]
                assert refused


def test_rouge_of_long_texts_of_many_lines_equals_rouge_score():
    from rouge_score.rouge_scorer import RougeScorer

    scorer, rng = RougeScorer(ROUGE), random.Random(5)
    for _ in range(30):
        prediction, reference = (
            " ".join(rng.choices([*WORDS, "\n"], k=rng.randrange(200))) for _ in range(2)
        )
        expected = scorer.score(reference, prediction)
        for metric in ROUGE:
            assert value(metric, prediction, reference) == expected[metric].fmeasure


def test_rouge_in_other_languages_equals_rouge_score_fed_with_our_tokens():
    from rouge_score.rouge_scorer import RougeScorer

    pairs = [
        ("我明天去北京，你呢？", "他明天去上海。", "characters"),
        ("राम ने फ़ोन किया", "राम ने फ़ोन दिया", "words"),
        ("明日は東京へ行きます", "昨日東京へ行った", "characters"),
        ("Aku arep lunga menyang pasar", "Aku arep turu", "words"),
    ]
    for prediction, reference, tok in pairs:

        class Ours:
            def tokenize(self, text, tokenize=tokenizers.named(tok)):
                return tokenize(text)

        expected = RougeScorer(ROUGE[:3], tokenizer=Ours()).score(reference, prediction)
        for metric in ROUGE[:3]:
            assert (
                value(f"{metric}:tok={tok}", prediction, reference) == expected[metric].fmeasure > 0
            )


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


@given(
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=20).map(" ".join),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=20).map(" ".join),
)
def test_bleu_and_chrf_are_those_of_sacrebleu(prediction, reference):
    import sacrebleu

    bleu = sacrebleu.sentence_bleu(prediction, [reference], use_effective_order=True).score
    assert value("bleu", prediction, reference) == bleu
    assert (
        value("chrf", prediction, reference)
        == sacrebleu.sentence_chrf(prediction, [reference]).score
    )


def test_bleu_has_the_tokenizers_of_sacrebleu_that_need_nothing_more():
    import sacrebleu

    prediction, reference = "我明天去北京, don't you?", "我明天去上海, don't they?"
    for tok in ("13a", "intl", "zh", "char", "none"):
        expected = sacrebleu.sentence_bleu(
            prediction, [reference], tokenize=tok, use_effective_order=True
        ).score
        assert value(f"bleu:tok={tok}", prediction, reference) == expected, tok


def test_options_that_do_not_fit_are_refused():
    for spec in (
        "bleu:tok=foo",
        "bleu:tok=ko-meca",
        "chrf:order=0",
        "chrf:beta=0",
        "chrf:order=x",
        "rouge1:tok=foo",
        "meteor:alpha=0",
        "meteor:alpha=1",
        "meteor:beta=-1",
        "meteor:gamma=-0.1",
        "meteor:gamma=1.1",
        "accuracy_at:k=0",
        "bleu:max_order=21",
        "chrf:order=21",
        "chrf:words=21",
        f"chrf:beta=1{'0' * 200}",
        *(f"bleu:smooth=floor,smooth_value={number}" for number in ("-1", "0", "inf", "nan")),
    ):
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


def test_a_text_with_letters_but_no_token_is_refused():
    for metric in ROUGE:
        with pytest.raises(RecordError, match="no token"):
            value(metric, "我明天去北京", "我明天去北京")


def test_a_text_without_letters_scores_as_empty():
    assert [value(metric, "", "the cat") for metric in (*ROUGE, "bleu", "chrf")] == [0] * 6
    for metric in ROUGE:
        assert [value(metric, text, "the cat") for text in ("...", "👍🏽")] == [0, 0], metric


@pytest.mark.slow  # and by the clock, so that a busy machine can make it fail
@pytest.mark.parametrize("name", samples.metrics())
def test_a_text_of_a_hundred_thousand_words_takes_no_longer_than_its_length_asks_for(name):
    """Ten times the words take about ten times as long; the square would be a hundred."""
    if name in ("cer", "edit", "rougeL", "rougeLsum"):
        pytest.skip(
            "compares all with all, in C: seconds for 100,000 words, half a minute for 600,000 characters"
        )
    rng = random.Random(1)
    short, long = (
        [" ".join(rng.choices(WORDS, k=words)) for _ in range(2)] for words in (10_000, 100_000)
    )
    if name == "ter":
        with pytest.raises(RecordError, match="at most 1,000 words"):
            value(name, *short)
        return
    seconds(name, "a", "b")  # imports
    assert seconds(name, *long) < 40 * max(seconds(name, *short), 0.01)


def seconds(name: str, prediction: str, reference: str) -> float:
    scorer, start = scorers.of(name, "en"), process_time()
    scorer.values(
        *(
            {"prediction": [prediction], "reference": [[reference]]}[key]
            for key in ChosenMetric(name).keys
        )
    )
    return process_time() - start


def test_of_long_texts_nothing_is_kept():
    def kept(number: int) -> int:
        tracemalloc.start()
        for i in range(number):
            value("rouge2", f"{number} {i} " * 20_000, "the cat")
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size

    value("rouge2", "a", "b")
    assert kept(4) < 1_000_000  # the words of one text take more


# What each metric says of texts of which one or both hold nothing to compare; by hand, from its docstring.
EMPTY = {
    "accuracy": (0, 0, 1),
    "bleu": (0, 0, 0),
    "cer": (1, 7, 0),
    "chrf": (0, 0, 0),
    "cider": (0, 0, 0),
    "ciderD": (0, 0, 0),
    "edit": (0, 0, 1),
    "exact": (0, 0, 1),
    "f1": (0, 0, 1),
    "jaccard": (0, 0, 1),
    "kappa": (0, 0, 1),
    "length_ratio": (0, 2, 1),
    "macro_f1": (0, 0, 1),
    "meteor": (0, 0, 0),
    "rouge1": (0, 0, 0),
    "rouge2": (0, 0, 0),
    "rougeL": (0, 0, 0),
    "rougeLsum": (0, 0, 0),
    "ter": (100, 100, 0),
}


def test_empty_texts():
    """Prediction, reference, both."""
    specs = {spec.partition(":")[0]: spec for spec in samples.metrics()}
    for empty in ("", " ", "\n\t "):
        found = {
            name: (
                value(specs[name], empty, "the cat"),
                value(specs[name], "the cat", empty),
                value(specs[name], empty, empty),
            )
            for name in EMPTY
        }
        assert found == EMPTY, repr(empty)


def test_there_is_a_rule_for_empty_texts_in_each_metric_that_compares():
    assert set(EMPTY) == {
        spec.partition(":")[0]
        for spec in samples.metrics()
        if "reference" in ChosenMetric(spec).keys
    }


def test_a_prediction_without_words_has_nothing_to_repeat():
    for name in ("distinct1", "distinct2", "distinct4", "repetition"):
        assert registry.load("metrics", name).call(["", " ", "...", "👍🏽"]) == [0, 0, 0, 0], name


def test_distinct_of_a_data_set_counts_what_its_texts_repeat():
    """By hand: a b, b c and a b, b d are four pairs, three of them different; the mean over records would be 1."""
    scorer = scorers.of("distinct2", "en")
    rows = scorer.statistics(["a b c", "a b d"])
    assert (scorer.corpus(rows), scorer.values(["a b c", "a b d"])) == (3 / 4, [1, 1])
    assert scorer.corpus(iter(rows[::-1])) == 3 / 4
    assert "|level:corpus|" in scorer.corpus_signature()


def test_the_value_of_nothing_is_0():
    for name in registry.names("metrics"):
        if ChosenMetric(name).has_corpus:
            assert scorers.of(name, "en").corpus([]) == 0


# Source, prediction, references; SARI of each as evaluate 0.4.6 has it.
SIMPLIFIED = [
    (
        "About 95 species are currently accepted .",
        "About 95 you now get in .",
        [
            "About 95 species are currently known .",
            "About 95 species are now accepted .",
            "95 species are now accepted .",
        ],
        26.953601953601954,
    ),
    (
        "The cat, which was very old, sat on the mat.",
        "The old cat sat on the mat.",
        ["The cat sat on the mat.", "A very old cat sat there.", "The old cat sat on a mat."],
        64.12444087606777,
    ),
    ("He left.", "He left.", ["He left.", "He went away.", "He has left."], 59.23202614379085),
]


def test_sari_is_that_of_evaluate_and_of_a_data_set_that_of_easse():
    """The numbers are those of the two programs; with 300 summaries of DialogSum they were equal, too."""
    scorer = scorers.of("sari", "en")
    *columns, expected = map(list, zip(*SIMPLIFIED, strict=True))
    assert scorer.values(*columns) == expected
    rows = scorer.statistics(*columns)
    assert scorer.corpus(rows) == 50.13275562443291
    sums = [sum(column) for column in zip(*rows, strict=True)]
    assert scorer.corpus([sums]) == 50.13275562443291
    assert scorer.corpus(rows[:1]) == 31.350246975246975


def test_sari_of_what_is_to_stay_as_it_is():
    """By hand: nothing to add or to delete is right for evaluate (0/0 is 1), and 0 for EASSE."""
    scorer = scorers.of("sari", "en")
    columns = ["A b c d."], ["A b c d."], [["A b c d."]]
    assert scorer.values(*columns) == [100]
    assert scorer.corpus(scorer.statistics(*columns)) == pytest.approx(100 / 3)
    assert scorer.values([""], [""], [[""]]) == [100]
    with pytest.raises(RecordError, match='"text" is a string, where it is what was simplified'):
        scorer.values([["a"]], ["a"], [["a"]])
    assert ChosenMetric("sari:source=context").keys == ("context", "prediction", "reference")


# Prediction and references; CIDEr of cidereval and CIDEr-D of pycocoevalcap 1.2, given these words.
CAPTIONS = [
    ("a cat is on the mat", ["the cat sat on the mat", "the cat is on a mat"], 3.797330984215778),
    (
        "two dogs run through the green park",
        ["two dogs run in the park", "dogs run", "two dogs are running in a park"],
        2.4594136485851927,
        2.2060309259234425,
    ),
    ("he eats", ["he eats"], 5.0),
    ("they stayed until ten at night", ["we went home early yesterday", "nobody went home"], 0.0),
]


def test_cider_is_that_of_its_programs(tmp_path):
    """With 300 summaries of DialogSum both were equal to 1e-12, too."""
    file = tmp_path / "references.jsonl"
    records = [{"id": n, "reference": texts} for n, (_, texts, *_) in enumerate(CAPTIONS)]
    variant = records[1] | {"variant": "typo:1"}  # of a document that counts once
    foreign = {"id": "ja", "lang": "ja", "reference": "猫がマットの上にいる"}
    file.write_text(samples.lines([*records[:2], variant, *records[2:], foreign]))
    columns = [list(column) for column in zip(*((row[0], row[1]) for row in CAPTIONS), strict=True)]
    for name, place in (("cider", 2), ("ciderD", -1)):
        scorer = scorers.of(f"{name}:df={file}", "en")
        assert scorer.values(*columns) == pytest.approx([row[place] for row in CAPTIONS], abs=1e-12)
        assert re.search(r"\|df:[0-9a-f]{16}\|", scorer.signature())


@pytest.mark.parametrize(
    "records, message",
    [
        (None, "df=FILE, not "),
        ([{"id": 1, "reference": "a b"}, {"id": 2, "reference": "a", "lang": "ja"}], "has 1 ids"),
        ([{"id": 1}, {"id": 2, "prediction": "a"}], 'has 0 ids with a "reference" in en'),
        ([{"id": 1, "reference": 5}], 'df=.*references.jsonl:1: "reference" is a string'),
    ],
)
def test_cider_wants_the_references_of_a_data_set(records, message, tmp_path):
    file = tmp_path / "references.jsonl"
    if records:
        file.write_text(samples.lines(records))
    with pytest.raises(OptionError, match=message):
        value(f"cider:df={file}" if records else "cider", "a", "a")


def test_length_ratio_by_hand():
    assert (
        value("length_ratio", "a b c", "a b", "a b c d e") == 1.5
    )  # of 2 and 5 words 2 is closer to 3
    assert (
        value("length_ratio", "a b c", "a b", "a b c d") == 1.5
    )  # of two that are as close the shorter
    assert value("length_ratio", "a b c d", "a b", "a b c d e") == 4 / 5


def test_jaccard_of_blocks_by_hand():
    """As in the paper on Minecraft: whole operations, types alone, places alone."""
    prediction = "place oak 2 0 1; place oak 3 0 1; remove oak 9 9 9"
    reference = "(place, oak, 2, 0, 1)\nplace stone 3 0 1"
    assert value("jaccard", prediction, reference) == 1 / 4
    assert value("jaccard:fields=2", prediction, reference) == 1 / 2
    assert value("jaccard:fields=3-5", prediction, reference) == 2 / 3
    assert value("jaccard:sep=|", "a b|c", "c|a b|c|") == 1
    for fields in (
        "0",
        "5-3",
        "2-",
        "x-1",
    ):  # no item has fields 5 to 3: any two texts would have agreed
        with pytest.raises(OptionError, match="FIRST-LAST"):
            value(f"jaccard:fields={fields}", "a", "b")


def test_repetition_by_hand():
    assert value_of("repetition:n=1", "no no no yes") == 2 / 4
    assert (
        value_of("repetition:n=1000000000", "no no") == 0
    )  # at once: a list for each would fill the memory
    assert value_of("repetition", "a b c d " * 3) == 5 / 9  # of nine runs of four words four differ


def value_of(spec: str, prediction: str) -> float:
    return registry.load("metrics", spec).call([prediction])[0]


def test_tokenizers():
    expected = {
        "space": ["It's", "3.5", "km!"],
        "none": ["It's", "3.5", "km!"],
        "13a": ["It's", "3.5", "km", "!"],
        "char": list("It's3.5km!"),
        "words": ["it", "s", "3", "5", "km"],
        "rouge": ["it", "s", "3", "5", "km"],
        "intl": ["It", "'", "s", "3.5", "km", "!"],
        "zh": ["It's", "3.5", "km", "!"],
    }
    assert {tok: tokenizers.named(tok)("It's 3.5  km!") for tok in expected} == expected


def test_words_of_japanese_and_chinese():
    """UniDic's and jieba's own documentation cut these so."""
    pytest.importorskip("fugashi"), pytest.importorskip("jieba")
    assert tokenizers.named("fugashi")("国立国会図書館へ行く。") == [
        "国立",
        "国会",
        "図書",
        "館",
        "へ",
        "行く",
    ]
    assert tokenizers.named("jieba")("我来到北京清华大学。") == ["我", "来到", "北京", "清华大学"]
    assert "|fugashi:" in scorers.of("rouge1:tok=fugashi", "ja").signature()
    assert "|jieba:" in scorers.of("rouge1:tok=jieba", "zh").signature()


@pytest.mark.parametrize("tok, module", [("fugashi", "fugashi"), ("jieba", "jieba")])
def test_a_tokenizer_without_its_library_says_how_to_get_it(tok, module, monkeypatch):
    import sys

    from dialtools.parsers import fugashi

    monkeypatch.setitem(sys.modules, module, None)
    fugashi._tagger.cache_clear()
    with pytest.raises(MissingError, match="pip install 'dialtools"):
        tokenizers.lenient.__wrapped__(tok)


@pytest.mark.parametrize("name", registry.names("metrics"))
def test_the_list_says_range_and_direction(name):
    summary = registry.summary("metrics", name)
    assert re.search(r"from (-?\d+|minus infinity) to .*(higher|lower|neutral)", summary)
