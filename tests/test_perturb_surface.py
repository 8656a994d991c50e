"""ocr, variation.spelling and emoji.*: how texts look; what is expected was decided by hand."""

from random import Random

import pytest
from table_tests import each_row

import dialtools
from dialtools import languages
from dialtools.plugins import registry
from dialtools.records import edits
from dialtools.system.errors import RecordError


def changed(
    spec: str, text: str, lang: str = "en", seed: int = 1, speaker: str = "#Person1#"
) -> str:
    """Return a text as a kind changes it."""
    record = {"id": "1", "lang": lang, "dialogue": [{"speaker": speaker, "text": text}]}
    wanted = registry.load("perturbations", spec).call(record, Random(seed))
    return edits.apply(record, wanted)[0]["dialogue"][0]["text"]


def every(spec: str, text: str, lang: str = "en", seeds: int = 200, **more) -> set[str]:
    return {changed(spec, text, lang, seed, **more) for seed in range(seeds)}


# Tesseract's eng.unicharambigs has "m" for rn and "cl" for d, its spa.unicharambigs 1 and I for l,
# 0 for O, jpn 口 for ロ, kor 를 for 롤, hin की for कौ, and chi_tra 己 for 已.
@each_row(
    "lang, text, told",
    [
        ("en", "corn", {"com", "eorn", "carn", "c0rn", "corri"}),
        ("en", "old", {"o1d", "oId", "0ld", "ald", "olcl"}),
        ("en", "O", {"0"}),
        ("en", "Rn", {"Rri", "Rrr", "Rii"}),  # not m
        ("fr", "été", {"eté", "éte"}),
        ("hi", "की", {"कौ"}),
        ("ja", "ロ", {"口"}),
        ("ko", "를", {"롤", "룰"}),
        ("zh", "已经", {"己经", "巳经"}),
        ("zh-TW", "自已", {"自己", "自巳"}),
    ],
)
def test_letters_are_read_as_what_the_list_has(lang: str, text: str, told: set[str]):
    assert told <= every("ocr:rate=1", text, lang)


def test_what_is_misread_is_of_the_list_and_one_place_of_a_word():
    rows = languages.get("en").table("ocr")
    pairs = {(row["written"], row["read"]) for row in rows}
    record = {"id": "1", "lang": "en", "text": "The old corn is mine, 10 of 11."}
    for seed in range(40):
        made = registry.load("perturbations", "ocr:rate=1").call(record, Random(seed))
        assert {(before, after) for _, _, _, before, after in made} <= pairs
        assert len(made) <= 8


@each_row("text", ["see www.corn.com", "`corn`", "#corn", "<corn>", "Corn"])
def test_what_is_held_is_read_as_it_is(text: str):
    assert every("ocr:rate=1", text, speaker="Corn Www", seeds=20) <= {
        text,
        *(text.replace("see", read) for read in ("5ee", "sce", "sec", "see")),
    }


@each_row(
    "text, told",
    [
        ("The colour of the theatre", "The color of the theater"),
        ("Gray TRAVELERS' jewelry", "Grey TRAVELLERS' jewellery"),
        ("I realised the programme’s over", "I realized the program’s over"),
        ("a story about practice and licenses", "a story about practice and licenses"),
        ("two storeys, to practise", "two stories, to practice"),
        ("analyzes and analyses", "analyses and analyses"),  # two analyses are American as well
        ("Pearl Harbor in Grey", "Pearl Harbor in Grey"),
        ("#colour www.colour.org", "#colour www.colour.org"),
        ("grey-haired", "gray-haired"),
    ],
)
def test_words_are_spelt_as_elsewhere(text: str, told: str):
    assert changed("variation.spelling", text) == told


def test_one_way_of_spelling_stays_and_names_do():
    text = "a grey color, honest Colour"
    assert changed("variation.spelling:to=british", text) == "a grey colour, honest Colour"
    assert changed("variation.spelling:to=american", text) == "a gray color, honest Colour"
    assert changed("variation.spelling", "I like grey", speaker="Grey") == "I like grey"


def test_spellings_have_one_other_form_each_way():
    rows = languages.get("en").table("british")
    for column, one_way in (("american", "american"), ("british", "british")):
        forms = [row[column] for row in rows if row["only"] != one_way]
        assert len(forms) == len(set(forms))


@each_row(
    "text, dropped, said",
    [
        (
            "Great😄😄 ok",
            "Great ok",
            "Great grinning face with smiling eyes grinning face with smiling eyes ok",
        ),
        ("Go :) now", "Go now", "Go grinning face with big eyes now"),
        ("Go :-(.", "Go.", "Go frowning face with open mouth."),
        ("I ❤️ it, 👍🏽", "I it,", "I red heart it, thumbs up medium skin tone"),
        ("😀 Hi", "Hi", "grinning face Hi"),
        ("😀", "😀", "grinning face"),
        ("a 😀b", "a b", "a grinning face b"),
        ("🇯🇵 Go!", "Go!", "Japan Go!"),
        ("ha xD :p.", "ha.", "ha grinning squinting face face with tongue."),
        (
            "ok👍bye!👍Go :)))",
            "ok bye! Go",
            "ok thumbs up bye!thumbs up Go grinning face with big eyes",
        ),
        # none of these is one
        ("http://x.org at 10:30 (see:) © 3:o", "http://x.org at 10:30 (see:) © 3:o", None),
    ],
)
def test_emoji_go_or_are_said(text: str, dropped: str, said: str | None):
    assert changed("emoji.drop", text) == dropped
    assert changed("emoji.say", text) == (text if said is None else said)


def test_emoji_are_said_in_the_language_or_refused():
    assert changed("emoji.say", "好的😄", "zh") == "好的大笑"
    assert changed("emoji.say", "Gut :)", "de") == "Gut grinsendes gesicht mit großen augen"
    assert changed("emoji.say", "कल", "hi") == "कल"
    with pytest.raises(RecordError, match="emoji.say is not defined for hi; there are ar, de, en"):
        changed("emoji.say", "कल 😄", "hi")


def test_a_smile_ends_what_has_none():
    assert every("emoji.add:rate=1", "See you.") == {f"See you. {smile}" for smile in "🙂😊😄😉"}
    assert every("emoji.add:rate=1,form=emoticon", "见", "zh") == {"见:)", "见:-)", "见:D", "见;)"}
    for text in ("Yes 😄", "Yes :-)", "...", ""):
        assert changed("emoji.add:rate=1", text) == text


def test_nothing_is_looked_up_where_nothing_is_said():
    """A text without emoji needs no library."""
    (variant,) = dialtools.perturb([{"id": 1, "lang": "en", "text": "Hi"}], kind=["emoji.say"])
    assert variant["history"][0]["changed"] is False
