"""What each step of cleaning drops, how texts are cut, what is left out."""

import json
from collections import Counter

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

import dialtools
from dialtools import languages
from dialtools.records import dialogue
from dialtools.system.errors import OptionError, RecordError
from dialtools.text.cleaning import STEPS, cleaned_text, text_pieces


@pytest.mark.parametrize(
    "step, text, expected, count",
    [
        ("urls", "看http://t.cn/Abc哈哈，www.x.com。", "看哈哈，。", 2),
        ("urls", "(https://a.b/c), x", "(), x", 1),
        ("urls", "mail a.b+c@d-e.org!", "mail !", 1),
        ("urls", "发到li@x.com，找a@x.cn吧", "发到，找吧", 2),
        ("urls", "http:// is 10:30 a.m.", "http:// is 10:30 a.m.", 0),
        ("mentions", "RT @ann: //@小明：好 回复@li_2: 对 @a", " 好  对 ", 4),
        ("mentions", "a@b.com @", "a@b.com @", 0),
        ("mentions", "@मिनी नमस्ते, @हिन्दी!", " नमस्ते, !", 2),
        ("tags", "[doge][允悲]<br/>x&nbsp;转发微博", "x", 5),
        ("tags", "a[1] < b [one two] &c", "a[1] < b [one two] &c", 0),
        ("emoji", "👍🏽a👨‍👩‍👧b🇯🇵c1️⃣❤️☺🏴󠁧󠁢󠁥󠁮󠁧󠁿", "abc", 7),
        ("emoji", "©2020 ™ → 1 # * é", "©2020 ™ → 1 # * é", 0),
        ("squeeze", "啊！！！，，好……………  对\u200b", "啊！，好…… 对", 5),
        ("squeeze", "no.. yes..... ok... a.b", "no... yes... ok... a.b", 2),
        ("squeeze", "हाँ।।। सच؟؟ نعم،،", "हाँ। सच؟ نعم،", 3),
        ("squeeze", "C++ -- == !? ((x))", "C++ -- == !? ((x))", 0),
        ("squeeze", " a \n\n b\t", "a\nb", 3),
    ],
)
def test_step(step, text, expected, count):
    after, counts = cleaned_text(text, [step])
    assert (after, counts[step]) == (expected, count)


@given(st.text(), st.sets(st.sampled_from(STEPS)))
def test_letters_of_no_step_stay(text, steps):
    """Nothing is added but dots; of a text without signs nothing is lost but white space."""
    after, _ = cleaned_text(text, steps)
    assert not Counter(after) - Counter(text) - Counter("." * len(text) + "… \n" * len(text))
    plain = " ".join(regex.findall(r"\b[a-z]+\b", text))
    assert cleaned_text(plain, steps)[0] == plain


PARTS = ["一", "two ", "three, ", "。", "! ", "é\u0301", "👨‍👩‍👧", "\n", "，"]


@given(st.lists(st.sampled_from(PARTS), max_size=40).map("".join), st.integers(8, 30))
def test_pieces_are_short_and_lose_nothing_but_space(text, size):
    found = list(text_pieces(text, size, languages.get("zh")))
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(0 < len(piece) <= size and piece == piece.strip() for piece in found)
    assert regex.findall(r"\X", "".join("".join(found).split())) == regex.findall(
        r"\X", "".join(text.split())
    )


@pytest.mark.parametrize(
    "text, size, expected",
    [
        ("今天好。明天也好。后天呢？", 9, ["今天好。明天也好。", "后天呢？"]),
        ("short", 130, ["short"]),
        ("", 5, []),
        ("  ", 5, []),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("Dr. Lee is in. Yes.", 14, ["Dr. Lee is in.", "Yes."]),
        (
            "One two. Three, four five.",
            17,
            ["One two.", "Three, four five."],
        ),  # what just fits is not cut
        ("Six, four five. No.", 10, ["Six,", "four five.", "No."]),
        ("ab defg", 4, ["ab", "defg"]),
        ("👨‍👩‍👧 ab", 2, ["👨‍👩‍👧", "ab"]),
    ],
)  # what people see as one character stays whole, and nothing comes before it
def test_pieces(text, size, expected):
    assert list(text_pieces(text, size, languages.get("en"))) == expected


def records(*texts: str) -> list[dict]:
    return [{"id": number, "lang": "en", "text": text} for number, text in enumerate(texts, 1)]


def test_what_stood_in_a_text_that_was_changed_is_gone():
    """Not even an empty list of tokens stays: a kind that needs some would find nothing to change."""
    spans = {
        "tokens": [{"form": "Hi", "start": 0, "end": 2}],
        "entities": [{"start": 0, "end": 2, "text": "Hi"}],
    }
    turns = [{"speaker": "A", "text": text, **spans} for text in ("Hi!!", "Hi!")]
    one, other = dialtools.clean(
        [
            {"id": 1, "lang": "en", "dialogue": turns},
            {"id": 2, "lang": "en", "text": "Hi  ", **spans},
        ],
        squeeze=True,
    )
    assert one["dialogue"] == [{"speaker": "A", "text": "Hi!"}, turns[1]]
    assert other["text"] == "Hi" and {"tokens", "entities"}.isdisjoint(other)
    assert turns[0] == {"speaker": "A", "text": "Hi!!", **spans}


def test_a_line_that_would_begin_a_turn_of_its_own_is_refused():
    """It went on with the turn of Ann, as the first colon of the line was that of an address."""
    talk = {"id": 1, "dialogue": "Ann: hi\nhttp://x.y Bob: no\nCy: ok"}
    with pytest.raises(RecordError, match="would turn a line of this dialogue"):
        list(dialtools.clean([talk], urls=True))
    (cleaned,) = dialtools.clean([talk | {"dialogue": dialogue.turns(talk)}], urls=True)
    assert [turn["text"] for turn in cleaned["dialogue"]] == ["hi\n Bob: no", "ok"]


def test_pieces_keep_a_term_and_have_ids_of_their_own():
    notes: Counter = Counter()
    given = [{"id": 7, "lang": "en", "text": "My sister. It rains. My aunt.", "k": 1, "tokens": []}]
    made = list(
        dialtools.clean(given, lambda what: notes.update([what]), pieces=10, terms="gender")
    )
    assert [(record["id"], record["cluster"], record["text"], record["k"]) for record in made] == [
        ("7/1", "7", "My sister.", 1),
        ("7/3", "7", "My aunt.", 1),
    ]
    assert notes == {"without a term": 1} and "tokens" not in made[0] and "history" not in given[0]


def test_duplicates_are_what_is_the_same_when_clean():
    notes: Counter = Counter()
    made = list(
        dialtools.clean(
            records("a 👍", "a", "A", "👍"),
            lambda what: notes.update([what]),
            emoji=True,
            squeeze=True,
            duplicates=True,
        )
    )
    assert [record["text"] for record in made] == ["a", "A"]
    assert notes == {"duplicate": 1, "empty": 1}


def test_all_is_every_step():
    one = list(dialtools.clean(records("!!! @a [b] 👍 www.x.org y" * 20), all=True))
    steps = dict.fromkeys(STEPS, True)
    assert one == list(
        dialtools.clean(
            records("!!! @a [b] 👍 www.x.org y" * 20), pieces=130, duplicates=True, **steps
        )
    )


def test_what_cannot_be_done():
    with pytest.raises(OptionError, match="no step given"):
        list(dialtools.clean(records("a")))
    with pytest.raises(OptionError, match="did you mean gender"):
        list(dialtools.clean(records("a"), terms="gendre"))
    with pytest.raises(RecordError, match='only a "text" can be cut'):
        list(dialtools.clean([{"id": 1, "lang": "en", "dialogue": "Ann: Hi"}], pieces=3))


def test_a_failed_record_does_not_make_the_texts_before_it_forgotten(shell):
    """After a failure the filter begins anew; the third text is a duplicate of the first."""
    records = [
        {"id": 1, "text": "Hi"},
        {"id": 2, "dialogue": "A: Hi"},
        {"id": 3, "text": "Hi"},
        {"id": 4, "text": "Ho"},
    ]
    lines = " ".join(f"'{json.dumps(record)}'" for record in records)
    for how, ids in (("skip", "1 4"), ("keep", "1 2 4")):
        made = shell(
            f"printf '%s\\n' {lines} | dt-clean --lang en --all --on-error {how} | jq .id | xargs"
        )
        assert made.out == f"{ids}\n"
        assert "1 record failed" in made.err and "1 record left out (1 duplicate)" in made.err


def test_a_prediction_of_a_text_that_changes_does_not_stay():
    """It was made of another input; dt-swap-names and dt-perturb refuse it, too."""
    same = {"id": 1, "lang": "en", "text": "Hi", "prediction": "p", "scores": {"f1": 1}}
    changed = {**same, "id": 2, "text": "Hi 👍"}
    assert next(dialtools.clean([same], emoji=True)).items() >= same.items()
    with pytest.raises(RecordError, match='the record has "prediction".* clean texts before'):
        list(dialtools.clean([changed], emoji=True))
    kept, cut = dialtools.clean([same, changed], emoji=True, overwrite=True)
    assert kept["prediction"] == "p" and cut["text"] == "Hi "
    assert not {"prediction", "scores"} & cut.keys()
    parts = list(dialtools.clean([{**same, "text": "Hi. Ho."}], pieces=4, overwrite=True))
    assert [part["text"] for part in parts] == ["Hi.", "Ho."]
    assert not any("prediction" in part for part in parts)


def test_a_record_that_fails_makes_no_other_a_duplicate(shell, tmp_path):
    rows = [{"id": 1, "text": "Hi 👍", "prediction": "p"}, {"id": 2, "text": "Hi "}]
    (tmp_path / "in.jsonl").write_text(
        "".join(json.dumps({**row, "lang": "en"}) + "\n" for row in rows)
    )
    done = shell("dt-clean --emoji --duplicates --on-error skip in.jsonl | jq .id")
    assert done.out == "2\n"
