"""asr.homophone: words that sound alike, in their part of speech and case; expected texts were decided by hand."""

import collections
from random import Random

import pytest
import regex
from table_tests import each_row

from dialtools import languages
from dialtools.plugins import registry
from dialtools.records import edits
from dialtools.system.errors import RecordError

TAGS = languages.having("homophones.tsv")


def every(
    text: str,
    lang: str = "en",
    seeds: int = 150,
    speakers: tuple[str, ...] = (),
    tokens: list[dict] | None = None,
) -> set[str]:
    """Return all texts that a text is heard as."""
    turn = {"speaker": "#Person1#", "text": text} | (
        {"tokens": tokens} if tokens is not None else {}
    )
    record = {
        "id": "1",
        "lang": lang,
        "dialogue": [*({"speaker": name, "text": ""} for name in speakers), turn],
    }
    plugin = registry.load("perturbations", "asr.homophone:rate=1")
    return {
        edits.apply(record, plugin.call(record, Random(seed)))[0]["dialogue"][-1]["text"]
        for seed in range(seeds)
    }


def token(form: str, lemma: str, upos: str, reading: str | None = None) -> dict:
    return {"form": form, "start": 0, "end": len(form), "lemma": lemma, "upos": upos} | (
        {"reading": reading} if reading else {}
    )


@each_row(
    "lang, text, expected",
    [
        ("en", "there", {"their", "they're"}),
        ("en", "There, BYE.", {"Their, BYE.", "They're, BYE."}),  # capitals may be a name
        ("en", "I'll go", {"Aisle go", "Isle go"}),
        ("en", "then I'll go", {"then aisle go", "then isle go"}),
        ("en", "it’s odd", {"its odd"}),
        ("en", "you’re odd. its odd", {"your odd. it’s odd"}),
        (
            "en",
            "a Pair of Their, www.there.com #there @there",
            {"a Pair of Their, www.there.com #there @there"},
        ),
        ("en", "cat", {"cat"}),
        ("en", "", {""}),
        ("hi", "और घर", {"ओर घर"}),
        ("hi", "ज़मीन", {"जमीन"}),
        ("hi", "\u095bमीन", {"जमीन"}),  # ज़ as one code point
        ("hi", "शिक्षक", {"सिक्षक"}),
        ("hi", "क्षमता", {"छमता"}),
        ("hi", "विशेषज्ञ", {"विशेशज्ञ", "विसेषज्ञ", "विशेषग्य"}),
        ("hi", "हमारी पत्नी", {"हमारी पत्नि"}),
        ("id", "tahu khas", {"tau kas"}),
        ("id", "syarat", {"sarat"}),
        ("id", "fotofobia", {"potofobia"}),  # one letter of a word
        ("jv", "dhewe", {"dewe"}),
    ],
)
def test_words_are_heard_as_others(lang: str, text: str, expected: set[str]):
    assert every(text, lang) == expected


def test_names_stay():
    assert every("rose, mark the week", speakers=("Rose",)) == {"rose, mark the weak"}
    tagged = [{"form": "rose", "start": 0, "end": 4, "upos": "PROPN"}]
    assert every("rose", tokens=tagged) == {"rose"}


@each_row(
    "found, expected",
    [
        (token("会っ", "会う", "VERB", "アッ"), {"合っ", "遭っ"}),
        (token("変え", "変える", "VERB", "カエ"), {"代え", "替え", "換え"}),
        (token("早く", "早い", "ADJ", "ハヤク"), {"速く"}),
        (token("聞こえ", "聞こえる", "VERB", "キコエ"), {"聞こえ"}),
        (token("帰っ", "帰る", "VERB", "カエッ"), {"返っ"}),
        (token("天気", "天気", "NOUN", "テンキ"), {"転機"}),
        (token("天気", "天気", "PROPN", "テンキ"), {"天気"}),
        (token("日", "日", "NOUN", "ニチ"), {"日"}),
        (token("日", "日", "NOUN", "ヒ"), {"火"}),
        (token("日", "日", "NOUN"), {"火"}),
        (token("ねこ", "猫", "NOUN", "ネコ"), {"ねこ"}),
    ],
)
def test_japanese_words_keep_part_of_speech_reading_and_ending(found: dict, expected: set[str]):
    assert every(found["form"], "ja", tokens=[found]) == expected


@each_row(
    "text, reading, expected",
    [
        ("3日", None, {"3日"}),
        ("三日", None, {"三日"}),
        ("その日", None, {"その火"}),
        ("3日", "ヒ", {"3火"}),
        ("3会議", None, {"3懐疑"}),
    ],
)
def test_a_japanese_counter_of_unknown_reading_stays(
    text: str, reading: str | None, expected: set[str]
):
    at = max(text.find("日"), text.find("会"))
    found = {**token(text[at:], text[at:], "NOUN", reading), "start": at, "end": len(text)}
    assert every(text, "ja", tokens=[found]) == expected


@each_row("word", ["大人", "親父", "大家", "現場", "火傷", "大勢", "神田", "宮城"])
def test_words_that_unidic_reads_otherwise_are_in_no_set(word: str):
    """UniDic-lite 1.0.8: オトナ, オヤジ, オオヤ, ゲンバ, ヤケド, オオゼイ, カンダ, ミヤギ; nobody hears タイジン, シンプ, タイカ, …"""
    assert word not in {row["word"] for row in languages.get("ja").table("homophones")}


@each_row("text, expected", [("的", {"地", "得"}), ("医生", {"一声", "一生"}), ("猫", {"猫"})])
def test_chinese_words_are_those_of_the_same_pinyin(text: str, expected: set[str]):
    assert every(text, "zh", tokens=[token(text, text, "NOUN")]) == expected
    assert every(text, "zh", tokens=[token(text, text, "NOUN")], speakers=(text,)) == {text}


@each_row("lang, text, wanted", [("zh", "你好", "tokens"), ("ja", "日", "tokens with upos, lemma")])
def test_scripts_without_spaces_need_tokens(lang: str, text: str, wanted: str):
    with pytest.raises(
        RecordError, match=f"asr.homophone needs {wanted}: annotate with dt-parse first"
    ):
        every(text, lang)


def test_commoner_words_are_heard_more_often():
    """there: their has weight 4, they're 3."""
    plugin = registry.load("perturbations", "asr.homophone:rate=1")
    heard = collections.Counter(
        plugin.call({"text": "there"}, Random(seed))[0][4] for seed in range(3000)
    )
    assert heard["their"] / 3000 == pytest.approx(4 / 7, abs=0.03)


@each_row("tag", TAGS)
def test_sets_of_homophones_are_sound(tag: str):
    rows = languages.get(tag).table("homophones")
    assert list(rows[0]) == ["set", "word", *(["upos"] if tag == "ja" else []), "weight"]
    seen = collections.Counter((row["word"], row.get("upos")) for row in rows)
    assert [word for word, count in seen.items() if count > 1] == []
    assert all(float(row["weight"]) > 0 for row in rows)
    assert rows == sorted(rows, key=lambda row: tuple(row.values())[:2])


def test_chinese_sets_are_named_by_pinyin_and_japanese_ones_by_readings():
    assert all(
        len(row["set"].split(" ")) == len(row["word"]) and regex.fullmatch("[a-zü ]+", row["set"])
        for row in languages.get("zh").table("homophones")
    )
    assert all(
        regex.fullmatch("[ァ-ー]+", row["set"]) for row in languages.get("ja").table("homophones")
    )
