"""Parsers but fugashi and stanza (test_parse.py) and biaffine: jieba against itself, UDPipe against what it learned."""

import subprocess
import sys
from io import BytesIO
from pathlib import Path

import pytest
import tiny_udpipe
from conftest import ROOT, environment
from hypothesis import given
from hypothesis import strategies as st

from dialtools import languages
from dialtools.commands.parse import parse
from dialtools.formats import conllu
from dialtools.parsers import stanza
from dialtools.plugins import registry
from dialtools.system.errors import MissingError, RecordError

JV, ZH = languages.get("jv"), languages.get("zh")
HOSTILE = [
    "",
    " ",
    "…",
    "👩‍👧 hi",
    "e\u0301te\u0301",
    "שלום",
    "ＡＢＣ　ｄ",
    "a\0b\x85c\r\n d",
    "क्षि",
    "\u200b",
    "\ufeffa",
    "字" * 5000,
]


def parser(name: str):
    """Return the function of a parser whose library is there."""
    pytest.importorskip("jieba" if name == "jieba" else "regex", reason=f"no library for {name}")
    return registry.load("parsers", name).call


@pytest.mark.parametrize("name, lang", [("whitespace", "jv"), ("graphemes", "hi"), ("jieba", "zh")])
def test_words_stand_where_they_say_and_nothing_is_lost(name: str, lang: str):
    parse = parser(name)

    @given(
        st.lists(
            st.text(
                st.characters(codec="utf-8") | st.sampled_from("\0\t\n 　的是ab1。"), max_size=40
            ),
            max_size=3,
        )
    )
    def holds(texts: list[str]):
        for text, tokens in zip(texts, parse(texts, language=languages.get(lang)), strict=True):
            assert [text[token["start"] : token["end"]] for token in tokens] == [
                token["form"] for token in tokens
            ]
            assert (
                "".join(token["form"] for token in tokens).split() == "".join(text.split()).split()
            )

    holds()
    found = parse(HOSTILE, language=languages.get(lang))
    assert [bool(tokens) for tokens in found] == [bool(text.split()) for text in HOSTILE]


@pytest.mark.parametrize(
    "text, forms",
    [  # by hand, from Unicode's rules
        ("ab c", "a|b|c"),
        ("नमस्ते", "न|म|स्ते"),
        ("e\u0301!", "e\u0301|!"),
        ("각", "각"),
        ("👩‍👧🇯🇵", "👩‍👧|🇯🇵"),
        ("a\r\nb", "a|b"),
    ],
)
def test_graphemes(text: str, forms: str):
    assert (
        "|".join(
            token["form"] for token in parser("graphemes")([text], language=languages.get("hi"))[0]
        )
        == forms
    )


# By hand, from https://universaldependencies.org/zh/pos/.
@pytest.mark.parametrize(
    "text, upos",
    [
        ("我喜欢这部电影，因为它很新。", "PRON VERB DET NOUN PUNCT SCONJ PRON ADV ADJ PUNCT"),
        ("北京和上海是地方吗？", "PROPN CCONJ PROPN AUX NOUN PART PUNCT"),
        ("这是他的书", "PRON AUX PRON PART NOUN"),
        ("你可以去", "PRON AUX VERB"),
        ("三个人", "NUM NOUN"),
        ("2009年5月", "NUM NOUN NUM NOUN"),
        ("他吃了", "PRON VERB AUX"),
        ("桌子上", "NOUN ADP"),
        ("每个孩子", "DET NOUN"),
        ("这里人多", "PRON NOUN ADJ"),
        ("那座山", "DET NOUN NOUN"),
        ("😀+", "SYM SYM"),
        ("OK", "X"),
        ("你好！", "INTJ PUNCT"),
        ("为什么不去", "ADV ADV VERB"),
    ],
)
def test_chinese_parts_of_speech(text: str, upos: str):
    found = parser("jieba")([text], language=ZH)[0]
    assert " ".join(token["upos"] for token in found) == upos, [
        (token["form"], token["xpos"]) for token in found
    ]


def test_chinese_words_are_those_of_jieba():
    pytest.importorskip("jieba", reason="jieba is not installed")
    from jieba import posseg

    text = "昨天晚上我和朋友一起去看了新电影《长安三万里》，100%好看，LOL！ 你呢？"
    found = parser("jieba")([text], language=ZH)[0]
    assert [(token["form"], token["xpos"]) for token in found] == [
        (pair.word, pair.flag) for pair in posseg.lcut(text) if pair.word != " "
    ]
    assert all(token["lemma"] == token["form"] for token in found)


def test_adjectives_that_jieba_calls_something_else():
    """Of these words UD_Chinese-GSDSimp has 16 as ADJ, two as VERB, one as NUM."""
    found = parser("jieba")(
        ["可爱的人很美丽，众多知名歌手都开心。", "可愛的人很美麗，她叫安静。"], language=ZH
    )
    assert [[token["form"] for token in tokens if token["upos"] == "ADJ"] for tokens in found] == [
        ["可爱", "美丽", "众多", "知名", "开心"],
        ["可愛", "美麗"],
    ]


def test_words_that_are_given_to_jieba_and_fugashi():
    """By hand: 东京塔 and 東京都 are one word here, and the libraries take them apart."""

    def told(name: str, lang: str, words: str) -> str:
        pytest.importorskip(name, reason=f"no library for {name}")
        given, at = [], 0
        for word in words.split():
            given.append({"form": word, "start": at, "end": at + len(word)})
            at += len(word)
        found = registry.load("parsers", name, "annotate").call(
            [given, []], language=languages.get(lang)
        )
        assert [token["form"] for token in found[0]] == words.split() and found[1] == []
        return " ".join(token["upos"] for token in found[0])

    assert (
        told("jieba", "zh", "我 喜欢 那 座 山 ， 100 !")
        == "PRON VERB DET NOUN NOUN PUNCT NUM PUNCT"
    )
    assert told("jieba", "zh", "喜欢长途旅行 吗") == "X PART"
    assert told("fugashi", "ja", "猫 が 寝る 。") == "NOUN ADP VERB PUNCT"
    assert told("fugashi", "ja", "勉強 する 東京都庁") == "VERB AUX X"


@pytest.mark.parametrize(
    "name, lang, text",
    [
        ("jieba", "zh", "昨天晚上我和朋友一起去看了新电影，100%好看，LOL！ 你呢？"),
        ("fugashi", "ja", "昨日 友達と映画を見ました。 LOL、とても面白かった！"),
    ],
)
def test_its_own_words_given_back_have_the_same_parts_of_speech(name: str, lang: str, text: str):
    pytest.importorskip(name, reason=f"no library for {name}")
    own = registry.load("parsers", name).call([text], language=languages.get(lang))
    bare = [
        [{key: token[key] for key in ("form", "start", "end")} for token in tokens]
        for tokens in own
    ]
    assert (
        registry.load("parsers", name, "annotate").call(bare, language=languages.get(lang)) == own
    )
    with pytest.raises(RecordError, match=f"{name} parses .*, the record is en"):
        registry.load("parsers", name, "annotate").call(bare, language=languages.get("en"))


def test_only_chinese_is_parsed_by_jieba():
    with pytest.raises(RecordError, match="jieba parses Chinese, the record is en"):
        parser("jieba")(["Hi"], language=languages.get("en"))
    assert parser("jieba")(["雨"], language=languages.get("zh-Hant-TW"))[0]


def test_jieba_leaves_no_cache_and_says_nothing(shell, tmp_path: Path):
    pytest.importorskip("jieba", reason="jieba is not installed")
    (tmp_path / "shared").mkdir()
    done = shell(
        'echo \'{"id": 1, "text": "下雨"}\' | dt-parse --parser jieba --lang zh -q > /dev/null',
        TMPDIR=str(tmp_path / "shared"),
    )
    assert (done.out, done.err, list((tmp_path / "shared").iterdir())) == ("", "", [])


# UDPipe


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a model trained now."""
    pytest.importorskip("ufal.udpipe", reason="ufal.udpipe is not installed")
    file = tmp_path_factory.mktemp("udpipe") / "tiny.udpipe"
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "tiny_udpipe.py"), str(file)],
        capture_output=True,
        env=environment(file.parent),
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return file


@pytest.fixture(scope="module")
def trees() -> list[dict]:
    return [record for _, record in conllu.read(BytesIO(tiny_udpipe.treebank().encode()))]


def test_udpipe_finds_the_trees_that_it_was_trained_on(model: Path, trees: list[dict]):
    turns = [
        {"speaker": "A", "text": text} for text in (f"  {trees[0]['text']}", "", trees[2]["text"])
    ]
    record = {"id": 1, "lang": "jv", "dialogue": turns, "text": trees[1]["text"]}
    made = next(parse([record], parser=f"udpipe:model={model}"))
    moved = [
        {**token, "start": token["start"] + 2, "end": token["end"] + 2}
        for token in trees[0]["tokens"]
    ]
    assert [turn["tokens"] for turn in made["dialogue"]] == [moved, [], trees[2]["tokens"]]
    assert made["tokens"] == trees[1]["tokens"]
    assert "|lang:jv|ufal.udpipe:" in made["history"][-1]["signature"]
    assert "|model:tiny-" in made["history"][-1]["signature"]


def test_models_of_one_name_are_told_apart(tmp_path: Path):
    """--resume went on with another model of the same name, and dt-merge put parts of both together."""
    pytest.importorskip("ufal.udpipe", reason="ufal.udpipe is not installed")
    files = [tmp_path / folder / "jv.udpipe" for folder in "abc"]
    for file, held in zip(files, [b"1", b"2", b"1"], strict=True):
        file.parent.mkdir()
        file.write_bytes(held)
    versions = registry.load("parsers", "udpipe", "versions").call
    one, other, same = [versions(language=JV, model=str(file)) for file in files]
    assert one == same != other and other["model"].startswith("jv-")
    named = stanza._stems
    one, other, both = (
        named(str(files[0])),
        named([str(files[1])]),
        named(list(map(str, files[:2]))),
    )
    assert one.startswith("jv-") and one != other != both and both.startswith("jv+jv-")


def test_udpipe_annotates_words_that_are_given(model: Path, trees: list[dict]):
    keys = ("form", "start", "end", "word", "part")
    words = [
        [{key: token[key] for key in keys if key in token} for token in tree["tokens"]]
        for tree in trees
    ]
    found = registry.load("parsers", f"udpipe:model={model}", "annotate").call(
        [*words, []], language=JV
    )
    assert found == [*(tree["tokens"] for tree in trees), []]


def test_sentences_of_a_text_are_counted_and_any_text_is_aligned(model: Path, trees: list[dict]):
    texts = [" ".join(tree["text"] for tree in trees) + "\n\n" + trees[2]["text"], *HOSTILE]
    found = registry.load("parsers", f"udpipe:model={model}").call(texts, language=JV)
    assert [token["sent"] for token in found[0] if token["head"] == 0] == [1, 2, 3, 4]
    for text, tokens in zip(texts, found, strict=True):
        assert [text[token["start"] : token["end"]] for token in tokens] == [
            token["form"] for token in tokens
        ]


def test_models_of_udpipe_that_are_none(tmp_path: Path):
    pytest.importorskip("ufal.udpipe", reason="ufal.udpipe is not installed")
    with pytest.raises(MissingError, match="no model given: use udpipe:model=FILE.udpipe"):
        parser("udpipe")(["a"], language=JV)
    with pytest.raises(MissingError, match="there is no file nowhere.udpipe"):
        parser("udpipe:model=nowhere.udpipe")(["a"], language=JV)
    (tmp_path / "no.udpipe").write_bytes(b"no model")
    with pytest.raises(MissingError, match="no.udpipe is not a model of UDPipe 1"):
        parser(f"udpipe:model={tmp_path / 'no.udpipe'}")(["a"], language=JV)


@pytest.mark.slow
def test_a_model_may_lack_steps(tmp_path: Path):
    pytest.importorskip("ufal.udpipe", reason="ufal.udpipe is not installed")
    tiny_udpipe.train(tmp_path / "t.udpipe", "tokenizer")
    token = parser(f"udpipe:model={tmp_path / 't.udpipe'}")(["Budi"], language=JV)[0][0]
    assert token == {"form": "Budi", "start": 0, "end": 4, "sent": 1}
    tiny_udpipe.train(tmp_path / "a.udpipe", "tagger")
    tagger = f"udpipe:model={tmp_path / 'a.udpipe'}"
    with pytest.raises(MissingError, match="has no tokenizer: it needs tokenized texts"):
        parser(tagger)(["Budi"], language=JV)
    found = registry.load("parsers", tagger, "annotate").call([[token]], language=JV)
    assert found[0][0]["upos"] == "PROPN" and "head" not in found[0][0]
