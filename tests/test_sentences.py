"""Where sentences end: nothing is lost between them, whatever the text; examples read and cut by hand."""

import re
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_tests import each_row

from dialtools import languages
from dialtools.text import sentences

EXAMPLES = {
    "en": 'Dr. Lee is in. | Is she? | "Yes!" | I waited... | Come at 10.30 a.m. today! | Fine',
    "zh": "你好。|去吗？！|“去。”|(去！)|【去。】|他说好",
    "ja": "はい。|「行く。」|明日ね！|うん",
    "hi": "हाँ। | Dr. राव कल आएँगे? | ठीक है।",
    "jv": "Iya. | Mr. Sudarsono melu? | Ora!",
}
texts = st.text(st.sampled_from("ab A.!?…。！？।\"'”」)\n\t"), max_size=60) | st.text(max_size=30)


@each_row("lang", EXAMPLES)
def test_examples(lang: str):
    between = " " if languages.get(lang).facts["space"] else ""
    parts = EXAMPLES[lang].split(f"{between}|{between}")
    assert sentences.split(between.join(parts), languages.get(lang)) == parts


@each_row(
    "text",
    [
        'J. K. Lee and "Dr. Ho" are in. | (Mr. Wu is.)',
        "So am I. | Come at 5. | No, at 6.",
        "Is it e.g. this? | Yes.",
    ],
)
def test_a_letter_or_a_title_ends_no_sentence_but_I_and_a_number_do(text: str):
    assert sentences.split(text.replace(" | ", " "), languages.get("en")) == text.split(" | ")


def test_the_last_end_is_none():
    assert sentences.ends("Yes. No. \n", languages.get("en")) == [4]


PLAIN = re.compile(
    r"""(?<![.!?…।])[.!?…।]+["'”’)\]]*(?=\s)|[。！？]+["'”’」』）)\]】]*"""
)  # what is meant, read slowly


@given(texts | st.text(st.sampled_from(".!?…。！？।\"'”’)]」』） \na"), max_size=12))
def test_an_end_is_found_as_the_plain_pattern_finds_it(text: str):
    marks = [
        (match.end(), match[0])
        for match in PLAIN.finditer(text)
        if match.end() < len(text.rstrip())
    ]
    hindi = languages.get("hi")
    assert sentences.ends(text, hindi) == [
        end
        for end, mark in marks
        if mark != "." or not sentences._is_abbreviated(text[max(0, end - 20) : end], hindi)
    ]


@given(texts, st.sampled_from(sorted(EXAMPLES)))
def test_sentences_are_the_text(text: str, lang: str):
    cuts = [0, *sentences.ends(text, languages.get(lang)), len(text)]
    parts = [text[start:end] for start, end in zip(cuts, cuts[1:], strict=False)]
    assert "".join(parts) == text and cuts == sorted(set(cuts)) or not text
    assert [part.strip() for part in parts if part.strip()] == sentences.split(
        text, languages.get(lang)
    )


@pytest.mark.slow  # by the clock, so that a busy machine can make it fail
def test_a_long_text_takes_linear_time():
    def seconds(text: str) -> float:
        start = process_time()
        sentences.split(text, languages.get("en"))
        return process_time() - start

    for text in "Yes. ", "a.b. ", "..", "?! ", "x":
        assert seconds(text * 50_000) < 40 * max(seconds(text * 5_000), 0.005)
