"""dialogue.py: a string of "Name: text" lines is read without loss, and its edits land where they should."""

import re

from hypothesis import example, given
from hypothesis import strategies as st
from table_tests import each_row

from dialtools.records import dialogue, edits, wellformed

LABELS = st.sampled_from(
    [
        "Ann",
        "#Person1#",
        "Speaker 2",
        "李雷",
        "Dr. O'Neil",
        "अनिता",
        "Ann (10",
        "[x]",
        "A",
        "**Ann",
        "**Ann**",
        "*",
    ]
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
ENDS = st.sampled_from(["\n", "\r\n", "\n\n", "\n  \n"])
LINES = st.tuples(
    LABELS, st.sampled_from([": ", ":", "：", " : ", ":\t", ":** "]), TEXTS, ENDS
).map("".join)
STRINGS = st.lists(LINES, max_size=6).map("".join)

CASES = [  # dialogue, what its turns are
    ("Ann: Hi!\nBob: Hello.", [("Ann", "Hi!"), ("Bob", "Hello.")]),
    ("Ann: Hi!\r\nBob: Hello.\r\n", [("Ann", "Hi!"), ("Bob", "Hello.")]),
    ("\n\nAnn: Hi!\n\n\nBob: Hello.\n\n", [("Ann", "Hi!"), ("Bob", "Hello.")]),
    ("Ann: See you\nat 10:30", [("Ann", "See you\nat 10:30")]),
    ("Ann: See you\n10:30 is fine", [("Ann", "See you\n10:30 is fine")]),
    ("Ann: See you\n10: 30 is fine\n2: Yes", [("Ann", "See you\n10: 30 is fine"), ("2", "Yes")]),
    ("Ann: It is\nhttp://example.org", [("Ann", "It is\nhttp://example.org")]),
    (
        'Ann: Send\n{"to": 1}\n[see: here]: yes',
        [("Ann", 'Send\n{"to": 1}'), ("[see", "here]: yes")],
    ),
    (
        "{{user}}: Hi\n[[Bob]]: Yo\n[{(Al)}]: Oh",
        [("{{user}}", "Hi"), ("[[Bob]]", "Yo"), ("[{(Al)}]", "Oh")],
    ),
    ("李明://@王芳:好", [("李明", "//@王芳:好")]),  # passed on without a word
    ("Ann: see https://example.org: nice", [("Ann", "see https://example.org: nice")]),
    ("Ann: One\nand two\nBob: Three", [("Ann", "One\nand two"), ("Bob", "Three")]),
    ("李雷：你好：再见", [("李雷", "你好：再见")]),
    ("说话人1：10点见", [("说话人1", "10点见")]),
    ("Speaker1:30 pounds", [("Speaker1", "30 pounds")]),
    ("#Person1#: Hi, #Person2#.", [("#Person1#", "Hi, #Person2#.")]),
    ("Ann : Hi", [("Ann", "Hi")]),
    ("Ann:  two spaces ", [("Ann", " two spaces ")]),
    ("Ann:\nBob: ", [("Ann", ""), ("Bob", "")]),
    ("Ann: one\u2028line\x0bhere\nBob: x", [("Ann", "one\u2028line\x0bhere"), ("Bob", "x")]),
    (
        "**Ann:** Hi **Bob**\n *Bob*: yes",
        [("Ann", "Hi **Bob**"), ("Bob", "yes")],
    ),  # bold, as models write it
    ("**李雷：**你好\n***王芳***：1:30", [("李雷", "你好"), ("王芳", "1:30")]),
    (
        "**Ann: a\nBob**: b\nCy:**No** c\n* Dee: d\n** Eve:** e",
        [("**Ann", "a"), ("Bob**", "b"), ("Cy", "**No** c"), ("* Dee", "d"), ("** Eve", "** e")],
    ),  # marks of no pair
    ("**: x\n****: y", [("**", "x"), ("****", "y")]),
    (f"{'A' * 60}: x\n{'B' * 61}: y", [("A" * 60, f"x\n{'B' * 61}: y")]),
    ("", []),
    (" \n\n", []),
]


@each_row("text, turns", CASES)
def test_strings_are_read(text: str, turns: list):
    assert wellformed.problem("dialogue", text) is None
    assert [(turn["speaker"], turn["text"]) for turn in dialogue.turns({"dialogue": text})] == turns


@given(STRINGS)
@example("Ann: one\n  \ntwo\r\n\r\n")
def test_strings_lose_nothing(text: str):
    """What is neither name nor text is white space, one colon a turn, and the marks of bold type."""
    at, between = 0, []
    for number, turn in enumerate(dialogue.turns({"dialogue": text})):
        parts = [
            [f"/dialogue/{number}/{part}", 0, len(turn[part]), turn[part], ""]
            for part in ("speaker", "text")
        ]
        for _, start, end, before, _ in dialogue.flatten(text, parts):
            assert at <= start and text[start:end] == before
            between, at = [*between, text[at:start]], end
    if between:
        assert all(
            re.fullmatch(r"\s*\**", gap) for gap in (*between[::2], text[at:])
        )  # before names, and at the end
        assert all(re.fullmatch(r"\**\s*[:：]\**\s?", gap) for gap in between[1::2])


def test_a_remark_on_an_edit_of_turns_stays_with_it():
    inserted = ["/dialogue", 1, 1, [], [{"speaker": "B", "text": "Hm."}], "a backchannel"]
    assert dialogue.flatten("A: Hi\nB: Ho", [inserted]) == [
        ["/dialogue", 6, 6, "", "B: Hm.\n", "a backchannel"]
    ]


@given(STRINGS, st.data())
def test_a_changed_text_changes_nothing_else(text: str, data: st.DataObject):
    turns = dialogue.turns({"dialogue": text})
    if not turns:
        return
    number = data.draw(st.integers(0, len(turns) - 1))
    edit = [f"/dialogue/{number}/text", 0, len(turns[number]["text"]), turns[number]["text"], "new"]
    changed, made = edits.apply({"dialogue": text}, [edit])
    wanted = [turn | ({"text": "new"} if i == number else {}) for i, turn in enumerate(turns)]
    assert dialogue.turns(changed) == wanted
    assert edits.undo(changed, made) == {"dialogue": text}


TURNS = st.lists(
    st.fixed_dictionaries(
        {
            "speaker": st.sampled_from(["Ann", "Bob", "李雷"]),
            "text": st.sampled_from(["", "Hi!", "Good. Bye", "你好", "  x "]),
        }
    ),
    max_size=5,
)


@given(TURNS, TURNS, st.data())
def test_turns_spliced_in_a_string_are_those_spliced_in_a_list(
    turns: list, new: list, data: st.DataObject
):
    start = data.draw(st.integers(0, len(turns)))
    end = data.draw(st.integers(start, len(turns)))
    edit = ["/dialogue", start, end, turns[start:end], new]
    text = dialogue.text(turns) + data.draw(st.sampled_from(["", "\n"]))
    changed, made = edits.apply({"dialogue": text}, [edit])
    assert dialogue.turns(changed) == turns[:start] + new + turns[end:]
    assert edits.undo(changed, made) == {"dialogue": text}


@each_row(
    "text, start, written",
    [  # what stands around the turn beside it stands around a new one
        ("甲：你好\n乙：好", 1, "甲：你好\nX：hi\n乙：好"),
        ("甲：你好\n乙：好\n", 2, "甲：你好\n乙：好\nX：hi\n"),
        ("甲：你好\n乙: 好", 0, "X：hi\n甲：你好\n乙: 好"),
        ("甲：你好\n乙: 好", 2, "甲：你好\n乙: 好\nX: hi"),
        ("A : x\r\n\r\nB : y", 1, "A : x\r\n\r\nX : hi\r\n\r\nB : y"),
        ("A : x\r\n", 1, "A : x\r\nX : hi\r\n"),
        ("\ufeff  A:x\n\n  B:", 0, "  X:hi\n\n\ufeff  A:x\n\n  B:"),
        ("A: x\nB:", 2, "A: x\nB:\nX: hi"),
        ("A:\nB:", 1, "A:\nX: hi\nB:"),
        ("", 0, "X: hi"),
        ("**A:** x\n**B**: y", 1, "**A:** x\n**X:** hi\n**B**: y"),
    ],
)
def test_an_added_turn_looks_like_the_one_beside_it(text: str, start: int, written: str):
    changed, made = edits.apply(
        {"dialogue": text}, [["/dialogue", start, start, [], [{"speaker": "X", "text": "hi"}]]]
    )
    assert changed == {"dialogue": written} and edits.undo(changed, made) == {"dialogue": text}


@given(STRINGS, TURNS, st.data())
def test_turns_spliced_in_any_string_are_read_back(text: str, new: list, data: st.DataObject):
    turns = dialogue.turns({"dialogue": text})
    start = data.draw(st.integers(0, len(turns)))
    end = data.draw(st.integers(start, len(turns)))
    changed, made = edits.apply(
        {"dialogue": text}, [["/dialogue", start, end, turns[start:end], new]]
    )
    assert dialogue.turns(changed) == turns[:start] + new + turns[end:]
    assert edits.undo(changed, made) == {"dialogue": text}


@example(["A1:x", "A1:5"])
@given(
    st.lists(
        st.sampled_from(["A1:x", "A1：x", "A1: 30 p", "A1:\t//y", "A1：  z", "A:"]), min_size=2
    )
)
def test_turns_that_change_places_are_read_back(lines: list):
    """A colon without a space before 30 would be a time, before // an address."""
    turns = dialogue.turns({"dialogue": "\n".join(lines)})
    changed, _ = edits.apply(
        {"dialogue": "\n".join(lines)}, [["/dialogue", 0, len(turns), turns, turns[::-1]]]
    )
    assert dialogue.turns(changed) == turns[::-1]


@each_row(
    "value, reason",
    [
        ("Hello there", 'the dialogue begins without "Name: ": "Hello there"'),
        ("10:30 Ann: hi", 'the dialogue begins without "Name: ": "10:30 Ann: hi"'),
        (5, "a dialogue is a list of turns or a string, here is 5"),
        (["hi"], 'turn 1 is no object: "hi"'),
        (
            [{"speaker": "A", "text": ""}, {"text": "x"}],
            'turn 2 has no "speaker" that is a string: {"text": "x"}; '
            "dt-convert --field dialogue.speaker=KEY takes it from elsewhere",
        ),
        (
            [{"speaker": "A", "text": None}],
            'turn 1 has no "text" that is a string: {"speaker": "A", "text": null}; '
            "dt-convert --field dialogue.text=KEY takes it from elsewhere",
        ),
        (
            [{"speaker": 0, "text": "x"}],
            'turn 1 has no "speaker" that is a string: {"speaker": 0, "text": "x"}; '
            "jq -c '(.dialogue[].speaker | numbers) |= tostring' makes strings of numbers",
        ),
        (
            [{"speaker": " ", "text": "x"}],
            'turn 1 has a speaker without a name: {"speaker": " ", "text": "x"}',
        ),
    ],
)
def test_what_is_wrong_with_a_dialogue_is_said(value: object, reason: str):
    assert wellformed.problem("dialogue", value) == reason


@each_row(
    "key, value, reason",
    [
        ("reference", [], '"reference" is a string or a list of strings, here is []'),
        ("prediction", ["a", 1], '"prediction" is a string or a list of strings, here is ["a", 1]'),
        ("context", ["a"], '"context" is a string, here is ["a"]'),
        ("reference", ["a", ""], None),
        ("text", "", None),
    ],
)
def test_what_is_wrong_with_a_text_is_said(key: str, value: object, reason: str | None):
    assert wellformed.problem(key, value) == reason


def test_all_texts_that_people_read_are_found():
    record = {
        "id": "1",
        "dialogue": [{"speaker": "A", "text": "x", "addressee": ["B", "C"]}],
        "context": "q",
        "reference": ["r", "s"],
        "prediction": "p",
        "note": "no",
    }
    assert [pointer for pointer, _ in dialogue.strings(record)] == [
        "/dialogue/0/speaker",
        "/dialogue/0/text",
        "/dialogue/0/addressee/0",
        "/dialogue/0/addressee/1",
        "/context",
        "/reference/0",
        "/reference/1",
        "/prediction",
    ]


def test_what_holds_texts_is_found():
    """Turns first, then the record; `utterances` points at the same texts."""
    turns = [{"speaker": "A", "text": "x"}, {"speaker": "B", "text": "y"}]
    record = {"id": "1", "dialogue": turns, "text": ""}
    found = dialogue.holders(record)
    assert found[:2] == turns and found[2] is record and len(found) == 3
    pointers = ["/dialogue/0/text", "/dialogue/1/text", "/text"]
    assert list(dialogue.utterances(record)) == list(zip(pointers, found, strict=True))
    assert dialogue.holders({"dialogue": "A: x\nB: y", "text": None}) == turns
    assert dialogue.holders({"text": None}) == dialogue.holders({}) == []


def test_languages_and_references_that_are_not_named():
    assert [dialogue.lang(record) for record in ({"lang": "zh"}, {"lang": None}, {})] == [
        "zh",
        "en",
        "en",
    ]
    assert dialogue.references({"reference": None}) == dialogue.references({}) == []
    assert dialogue.references({"reference": ""}) == [""]


def test_what_is_said_is_the_same_string_each_time():
    """Else a cache compares texts of a megabyte that are equal, but not the same, word by word."""
    record = {"dialogue": "Ann: Hi Bob\nBob: Hi Ann"}
    once, again = dialogue.turns(record), dialogue.turns(record)
    assert once[0] is not again[0] and once[0]["text"] is again[0]["text"]
    assert dialogue.joined(record)[0] is dialogue.joined(record)[0]
