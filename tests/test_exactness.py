"""Each metric against its reference implementation, to the last digit, in languages of four scripts."""

import random
import shutil
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialtools import languages
from dialtools.evaluation import scorer as scorers
from dialtools.plugins import registry
from dialtools.text import overlap, porter, tokenizers, wordnet

SENTENCES = {
    "en": [
        "Ann asks Bob to buy bread, milk and 2.5 kg of apples.",
        "Bob will buy bread for Ann; it's on his way home!",
        "They meet at 10:30 at the old bridge (near the mill) - if it doesn't rain.",
        'No, she said, "not today".',
        "The dogs were running and the cats sat happily watching the running dogs, the dogs.",
        "Yes.",
        "It rains.",
    ],
    "zh": [
        "王芳问李强今天去不去图书馆。",
        "李强说他要去图书馆还两本书，下午3点去。",
        "明天下雨，我们不去公园了，Ann也不去。",
        "好的。",
        "他说他说他没有说过。",
    ],
    "ja": [
        "鈴木さんは明日の十時に東京駅へ行きます。",
        "明日は駅で会いましょう、10時に。",
        "分かりました。",
        "雨が降ったら、公園には行きません。",
        "雨の雨の雨が降る。",
    ],
    "hi": [
        "राहुल बाज़ार जा रहा है और सब्ज़ी लेगा।",
        "अनिता ने राहुल से दूध भी लाने को कहा, 2 लीटर।",
        "क्या तुम कल पुस्तकालय जाओगे?",
        "हाँ।",
        "धीरे धीरे चलो, धीरे।",
    ],
    "jv": [
        "Aku arep lunga menyang pasar tuku iwak lan beras.",
        "Budi lunga menyang pasar, tuku beras 2 kg.",
        "Kowe arep melu apa ora? Aku ora melu.",
        "Iya.",
        "Alon-alon waton kelakon, alon-alon.",
    ],
}
WORDS = [word for sentence in SENTENCES["en"] for word in sentence.split()]
english = st.lists(st.sampled_from(WORDS), min_size=1, max_size=25).map(" ".join)
per_language = pytest.mark.parametrize("lang", SENTENCES)


def pairs(lang: str) -> list[tuple[str, list[str]]]:
    """Return all pairs of sentences, some with two references; some are joined, cut, in spaces or turned round."""
    rng, texts = random.Random(1), SENTENCES[lang]
    texts = [
        *texts,
        texts[0] + " " + texts[1],
        texts[1][: len(texts[1]) // 2],
        f"  {texts[2]} ",
        texts[0][::-1] + "a",
    ]
    return [
        (one, [other] if rng.random() < 0.6 else [other, rng.choice(texts)])
        for one in texts
        for other in texts
    ]


def ours(spec: str, lang: str, found: list[tuple[str, list[str]]]) -> list[float]:
    return scorers.of(spec, lang).values(*columns(found))


def columns(found: list[tuple[str, list[str]]]) -> tuple[list, list]:
    return [one for one, _ in found], [texts for _, texts in found]


def tokens(spec: str, lang: str) -> Callable[[str], list[str]]:
    return tokenizers.named(scorers.of(spec, lang).options["tok"])


@per_language
def test_rouge_is_that_of_rouge_score_fed_with_our_tokens(lang: str):
    from nltk.stem.porter import PorterStemmer
    from rouge_score.rouge_scorer import RougeScorer

    for name, stem in product(["rouge1", "rouge2", "rougeL", "rougeLsum"], [False, True]):

        class Ours:
            def tokenize(
                self, text: str, cut=tokens(name, lang), stemmer=PorterStemmer()
            ) -> list[str]:
                return [
                    stemmer.stem(token) if stem and len(token) > 3 else token for token in cut(text)
                ]

        found = [(one.replace(", ", "\n"), texts) for one, texts in pairs(lang)]
        scorer = RougeScorer([name], stem, tokenizer=None if lang == "en" else Ours())
        expected = [scorer.score_multi(texts, one)[name].fmeasure for one, texts in found]
        spec = f"{name}:stem={'yes' if stem else 'no'}"
        assert ours(spec, lang, found) == expected
        assert ours(f"{spec},backend=rouge_score", lang, found) == expected
        single = [
            [scorer.score(text, one)[name].fmeasure for text in texts] for one, texts in found
        ]
        assert ours(f"{spec},refs=mean", lang, found) == [
            sum(values) / len(values) for values in single
        ]


@per_language
def test_rouge_lsum_by_sentences_is_that_of_rouge_score_given_our_sentences_as_lines(lang: str):
    from dialtools.text import sentences

    found = pairs(lang)
    language = languages.get(lang)
    lines = [
        (
            "\n".join(sentences.split(one, language)),
            ["\n".join(sentences.split(text, language)) for text in texts],
        )
        for one, texts in found
    ]
    expected = ours("rougeLsum:backend=rouge_score", lang, lines)
    assert ours("rougeLsum:split=sentences", lang, found) == expected
    assert lang != "en" or expected != ours("rougeLsum", lang, found)
    assert "|split:sentences|" in scorers.of("rougeLsum:split=sentences", lang).signature()


BLEU_OPTIONS = [
    {},
    {"smooth": "floor"},
    {"smooth": "floor", "smooth_value": 0.03},
    {"smooth": "add-k"},
    {"smooth": "none"},
    {"smooth": "add-k", "smooth_value": 2.0},
    {"max_order": 2},
    {"max_order": 20},
    {"lowercase": True},
]


@per_language
def test_bleu_is_that_of_sacrebleu(lang: str):
    from sacrebleu.metrics import BLEU

    for options in BLEU_OPTIONS:
        names = {"smooth": "smooth_method", "max_order": "max_ngram_order"}
        tok = languages.get(lang).facts["bleu_tokenizer"]
        bleu = BLEU(
            tokenize=tok,
            effective_order=True,
            **{names.get(key, key): value for key, value in options.items()},
        )
        found, spec = pairs(lang), typed("bleu", options)
        expected = [bleu.sentence_score(one, texts).score for one, texts in found]
        assert ours(spec, lang, found) == expected
        assert ours(typed("bleu", options | {"backend": "sacrebleu"}), lang, found) == expected
        bleu.effective_order = False
        assert_corpus(spec, lang, bleu)


def typed(name: str, options: dict) -> str:
    shown = {True: "yes", False: "no"}
    return (
        name
        + ":" * bool(options)
        + ",".join(
            f"{key}={shown[value] if isinstance(value, bool) else value}"
            for key, value in options.items()
        )
    )


def assert_corpus(spec: str, lang: str, metric, step: int = 1) -> None:
    """The value of a data set with two references, at once and from sums of its parts."""
    found = [(one, [*texts, texts[0]][:2]) for one, texts in pairs(lang)[::step]]
    predictions, references = columns(found)
    scorer = scorers.of(spec, lang)
    rows = scorer.statistics(predictions, references)
    expected = metric.corpus_score(predictions, list(zip(*references, strict=True))).score
    assert scorer.corpus(rows) == expected
    halves = [[sum(column) for column in zip(*part, strict=True)] for part in (rows[:9], rows[9:])]
    assert (
        scorer.corpus(halves)
        == expected
        != sum(scorer.values(predictions, references)) / len(found)
    )


@per_language
def test_bleu_with_nist_smoothing_is_method_3_of_nltk_given_our_tokens(lang: str):
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    for order, tok in product([2, 4], ["words", "characters", "13a"]):
        cut, found = tokenizers.named(tok), pairs(lang)[::4]
        expected = [
            100
            * sentence_bleu(
                [cut(text) for text in texts],
                cut(one),
                (1 / order,) * order,
                SmoothingFunction().method3,
            )
            for one, texts in found
        ]
        assert ours(f"bleu:smooth=nist,tok={tok},max_order={order}", lang, found) == expected


@per_language
def test_chrf_is_that_of_sacrebleu(lang: str):
    from sacrebleu.metrics import CHRF

    for options in [{}, {"words": 2}, {"order": 3, "beta": 1}, {"words": 1, "lowercase": True}]:
        names = {"words": "word_order", "order": "char_order"}
        chrf = CHRF(**{names.get(key, key): value for key, value in options.items()})
        found, spec = pairs(lang), typed("chrf", options)
        expected = [chrf.sentence_score(one, texts).score for one, texts in found]
        assert ours(spec, lang, found) == expected
        assert ours(typed("chrf", options | {"backend": "sacrebleu"}), lang, found) == expected
        assert_corpus(spec, lang, chrf)


@per_language
def test_ter_is_that_of_sacrebleu(lang: str):
    """Which tokenizes references twice: in "Ann's." an 's becomes a word only then."""
    from sacrebleu.metrics import TER

    for options in [{}, {"normalized": True}, {"case": True}]:
        asian = lang in ("zh", "ja")
        ter = TER(
            normalized=asian or "normalized" in options,
            asian_support=asian,
            case_sensitive="case" in options,
        )
        found, spec = (
            [*pairs(lang)[::7], ("It is Ann's.", ["It is Ann's.", "Ann's, it is."])],
            typed("ter", options),
        )
        expected = [ter.sentence_score(one, texts).score for one, texts in found]
        assert ours(spec, lang, found) == expected
        assert f"|normalized:{'yes' if asian else 'no'}|" in scorers.of("ter", lang).signature()
        assert_corpus(spec, lang, ter, 7)


class Nothing:
    """A WordNet without words."""

    def synsets(self, word: str) -> list:
        return []


@per_language
def test_meteor_is_that_of_nltk_given_our_tokens(lang: str):
    from nltk.translate.meteor_score import meteor_score

    cut, found = tokens("meteor", lang), pairs(lang)
    expected = [
        meteor_score([cut(text) for text in texts], cut(one), wordnet=Nothing())
        for one, texts in found
    ]
    assert ours("meteor", lang, found) == expected
    assert "|stages:exact+stem|" in scorers.of("meteor", lang).signature()


@pytest.mark.skipif(not wordnet.find(), reason="no WordNet here")
@given(english, english)
def test_meteor_with_synonyms_is_that_of_nltk(reader, prediction: str, reference: str):
    from nltk.translate.meteor_score import meteor_score

    cut, folder = tokenizers.named("words"), wordnet.find()
    for one, other in (
        (prediction, reference),
        (prediction, f"{reference} purchase buy loaf"),
        ("happily dog", "hound"),
    ):
        expected = meteor_score([cut(other)], cut(one), wordnet=reader)
        assert ours(f"meteor:wordnet={folder}", "en", [(one, [other])]) == [expected]
    assert "|stages:exact+stem+synonym|" in scorers.of(f"meteor:wordnet={folder}", "en").signature()


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory):
    """Return NLTK's reader of the WordNet that is here; it wants two files more, which do not matter here."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    home = tmp_path_factory.mktemp("nltk_data")
    folder = home / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    nltk.data.path.append(str(home))  # or else it refuses to read there
    for pos in wordnet.POS:
        for name in f"index.{pos}", f"data.{pos}", f"{pos}.exc":
            shutil.copy(f"{wordnet.find()}/{name}", folder)
    (folder / "lexnames").write_text(
        "".join(f"{number:02}\tfile{number}\t1\n" for number in range(45))
    )
    (folder / "index.sense").touch()
    with pytest.warns(UserWarning, match="multilingual"):
        return WordNetCorpusReader(str(folder), None)


@given(english, english)
def test_texts_at_random(prediction: str, reference: str):
    import sacrebleu
    from nltk import edit_distance

    found = [(prediction, [reference])]
    assert ours("bleu", "en", found) == [sacrebleu.sentence_bleu(prediction, [reference]).score]
    assert ours("chrf:words=2", "en", found) == [
        sacrebleu.sentence_chrf(prediction, [reference], word_order=2).score
    ]
    edits = edit_distance(prediction, reference)
    assert ours("cer", "en", found) == [edits / len(reference)]
    assert ours("edit", "en", found) == [1 - edits / max(len(prediction), len(reference))]


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=9).map(" ".join), min_size=1, max_size=4))
def test_rouge_of_few_words_again_and_again_is_that_of_rouge_score(texts: list[str]):
    """Texts that are compared once go another way than those that are compared with all others."""
    from rouge_score.rouge_scorer import RougeScorer

    kinds = ["rouge1", "rouge2", "rougeL"]
    scorer, found = RougeScorer(kinds), [(one, [other]) for one in texts for other in texts]
    for pairs in (found, *([pair] for pair in found)):
        expected = [scorer.score(text, one) for one, [text] in pairs]
        for kind in kinds:
            assert ours(kind, "en", pairs) == [scores[kind].fmeasure for scores in expected]


@per_language
def test_long_texts_have_the_same_scores(lang: str, monkeypatch: pytest.MonkeyPatch):
    """Of long texts chrF has counters, and edits are looked for among few first: here of all but the shortest."""
    from nltk import edit_distance
    from sacrebleu.metrics import CHRF

    monkeypatch.setattr(tokenizers, "LONG", 5)
    monkeypatch.setattr(overlap, "FEW", 1)
    found = pairs(lang)
    assert ours("chrf:words=2", lang, found) == [
        CHRF(word_order=2).sentence_score(*pair).score for pair in found
    ]
    single = [(one, texts[:1]) for one, texts in found[::3]]
    edits = [edit_distance(one.strip(), text.strip()) for one, [text] in single]
    assert ours("cer", lang, single) == [
        number / len(text.strip()) for number, (_, [text]) in zip(edits, single, strict=True)
    ]


@given(st.text(st.sampled_from("a1Z.,-–\n\t &;<>{}[]'\"$é我१\u3000\x85amp&lt;qskied"), max_size=40))
def test_the_13a_tokenizer_is_that_of_sacrebleu(text: str):
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    for text in text, f"&amp;lt; {text}<skipped>1,5-2.-\n{text}":
        assert tokenizers.lenient("13a")(text) == Tokenizer13a()(text).split()


def test_stems_are_those_of_nltk():
    from nltk.stem.porter import PorterStemmer

    rng, stemmer = random.Random(1), PorterStemmer()
    suffixes = [
        suffix for rules in (porter._STEP_2, porter._STEP_3, porter._STEP_4) for suffix, _ in rules
    ]
    suffixes += "logi ed ing eed ied ies s sses y ll e at bl iz tt".split()
    made = {
        "".join(rng.choices("aeiouybcdlstwxz", k=rng.randrange(5)))
        + rng.choice(suffixes)
        + rng.choice(suffixes)
        for _ in range(20_000)
    }
    words = {*languages.get("en").words, *porter._IRREGULAR, *made}
    assert len(words) > 25_000
    assert [word for word in words if porter.stem(word) != stemmer.stem(word)] == []


def test_our_tokenizers_reach_sacrebleu_as_tokens():
    found = pairs("ja")
    assert ours("bleu:tok=characters,backend=sacrebleu", "ja", found) == ours(
        "bleu:tok=characters", "ja", found
    )
    assert registry.load("metrics", "bleu:tok=characters").options == {"tok": "characters"}
