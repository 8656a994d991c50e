"""edits.py and tokens.py: edits are made once, and undone exactly; tokens follow their text."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_tests import each_row

from dialtools.records import edits
from dialtools.system.errors import RecordError

TEXTS = st.text(st.sampled_from("ab c.é👍🏽字ा\n"), max_size=12)


@st.composite
def spans(draw, pointer: str, value, new) -> list[list]:
    """Draw edits of a string or a list that do not overlap; insertions too."""
    cuts = sorted(draw(st.lists(st.integers(0, len(value)), max_size=6)))
    return [
        [pointer, start, end, value[start:end], draw(new)]
        for start, end in zip(cuts[::2], cuts[1::2])
    ]


@st.composite
def turns(draw) -> dict:
    """Draw a turn; often with tokens, which may touch each other and leave out what they like."""
    text = draw(TEXTS)
    turn = {"speaker": draw(st.sampled_from(["Ann", "Bob"])), "text": text}
    if draw(st.booleans()):
        cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
        turn["tokens"] = [
            {
                "form": text[start:end],
                "start": start,
                "end": end,
                "lemma": text[start:end].lower(),
                "head": 0,
            }
            for start, end in zip(cuts, cuts[1:])
            if draw(st.booleans())
        ]
    return turn


@st.composite
def edited_records(draw) -> tuple[dict, list[list]]:
    """Draw a record and edits of its texts, and of its list of turns between the turns that are edited."""
    record = {
        "id": "1",
        "dialogue": draw(st.lists(turns(), max_size=4)),
        "a/b~c": draw(TEXTS),
        "reference": draw(st.lists(TEXTS, max_size=2)),
        "meta": {"n": 1},
    }
    wanted = draw(spans("/a~1b~0c", record["a/b~c"], TEXTS))
    for number, text in enumerate(record["reference"]):
        wanted += draw(spans(f"/reference/{number}", text, TEXTS))
    of_turns = draw(spans("/dialogue", record["dialogue"], st.lists(turns(), max_size=2)))
    gone = {number for _, start, end, *_ in of_turns for number in range(start, end)}
    for number, turn in enumerate(record["dialogue"]):
        if number not in gone:
            wanted += draw(spans(f"/dialogue/{number}/text", turn["text"], TEXTS))
            wanted += draw(spans(f"/dialogue/{number}/speaker", turn["speaker"], TEXTS))
    return record, draw(st.permutations(wanted)) if _no_order_needed(wanted) else wanted


def _no_order_needed(wanted: list[list]) -> bool:
    """Is there at most one edit that starts at any one place?"""
    places = [(pointer, start) for pointer, start, *_ in wanted]
    return len(places) == len(set(places))


@given(edited_records())
def test_undo_gives_back_what_was_there(drawn: tuple[dict, list[list]]):
    record, wanted = drawn
    before = deepcopy(drawn)
    changed, made = edits.apply(record, wanted)
    assert drawn == before, "neither the record nor the edits are touched"
    assert edits.undo(changed, made) == record


@given(edited_records(), st.data())
def test_what_was_edited_twice_is_undone_in_two_steps(
    drawn: tuple[dict, list[list]], data: st.DataObject
):
    record, wanted = drawn
    once, made = edits.apply(record, wanted)
    again = [
        edit
        for number, turn in enumerate(once["dialogue"])
        for edit in data.draw(spans(f"/dialogue/{number}/text", turn["text"], TEXTS))
    ]
    twice, made_again = edits.apply(once, again)
    assert edits.undo(twice, made_again) == once
    assert edits.undo(edits.undo(twice, made_again), made) == record


@given(edited_records())
def test_tokens_say_what_their_text_says(drawn: tuple[dict, list[list]]):
    changed, _ = edits.apply(*drawn)
    for turn in changed["dialogue"]:
        tokens = turn.get("tokens", [])
        assert [turn["text"][token["start"] : token["end"]] for token in tokens] == [
            token["form"] for token in tokens
        ]
        assert all(a["end"] <= b["start"] for a, b in zip(tokens, tokens[1:]))
        assert all(token["form"] for token in tokens)


@given(TEXTS, st.data())
def test_a_text_is_edited_as_by_hand(text: str, data: st.DataObject):
    """The same, from the last edit to the first, so that positions hold."""
    wanted = data.draw(spans("/text", text, TEXTS))
    by_hand = text
    for _, start, end, _, after in reversed(wanted):
        by_hand = by_hand[:start] + after + by_hand[end:]
    assert edits.apply({"text": text}, wanted)[0]["text"] == by_hand


HI = {
    "text": "Hi Bob!",
    "tokens": [
        {"form": "Hi", "start": 0, "end": 2},
        {"form": "Bob", "start": 3, "end": 6},
        {"form": "!", "start": 6, "end": 7},
    ],
}


@each_row(
    "edit, tokens",
    [  # by hand
        ([3, 6, "Bob", "Robert"], [("Hi", 0, 2), ("Robert", 3, 9), ("!", 9, 10)]),
        ([4, 5, "o", "oo"], [("Hi", 0, 2), ("Boob", 3, 7), ("!", 7, 8)]),
        ([0, 0, "", "Oh "], [("Hi", 3, 5), ("Bob", 6, 9), ("!", 9, 10)]),
        ([2, 3, " ", "  "], [("Hi", 0, 2), ("Bob", 4, 7), ("!", 7, 8)]),
        ([0, 3, "Hi ", ""], [("Bob", 0, 3), ("!", 3, 4)]),
        ([2, 6, " Bob", ""], [("Hi", 0, 2), ("!", 2, 3)]),
        ([1, 4, "i B", ""], [("H", 0, 1), ("ob", 1, 3), ("!", 3, 4)]),
        ([0, 7, "Hi Bob!", ""], []),
        ([0, 6, "Hi Bob", "BOB"], [("BOB", 0, 3), ("!", 3, 4)]),
        ([0, 6, "Hi Bob", "ob"], [("!", 2, 3)]),
        ([0, 6, "Hi Bob", "hI BOB"], [("hI", 0, 2), ("BOB", 3, 6), ("!", 6, 7)]),
        ([0, 3, "Hi ", "hi "], [("hi", 0, 2), ("Bob", 3, 6), ("!", 6, 7)]),
        ([5, 7, "b!", "!b"], [("Hi", 0, 2), ("Bo!", 3, 6), ("b", 6, 7)]),
        ([5, 7, "b!", "!c"], [("Hi", 0, 2)]),
        ([0, 7, "Hi Bob!", "Yes."], []),
        ([3, 7, "Bob!", "Tom?"], [("Hi", 0, 2)]),
        ([2, 6, " Bob", " Tom"], [("Hi", 0, 2), ("Tom", 3, 6), ("!", 6, 7)]),
        ([1, 6, "i Bob", "i Tom"], [("Hi", 0, 2), ("Tom", 3, 6), ("!", 6, 7)]),
        ([1, 6, "i Bob", "o Tom"], [("!", 6, 7)]),
        ([0, 4, "Hi B", "Yo B"], [("Yo", 0, 2), ("Bob", 3, 6), ("!", 6, 7)]),
        ([0, 4, "Hi B", "Yo R"], [("!", 6, 7)]),
        ([1, 5, "i Bo", "i to Bo"], [("Hi", 0, 2), ("Bob", 6, 9), ("!", 9, 10)]),
        ([6, 7, "!", " now "], [("Hi", 0, 2), ("Bob", 3, 6), ("now", 7, 10)]),
        ([6, 7, "!", " "], [("Hi", 0, 2), ("Bob", 3, 6)]),
        ([1, 4, "i B", "ib"], [("Hi", 0, 2), ("bob", 2, 5), ("!", 5, 6)]),
    ],
)
def test_tokens_follow(edit: list, tokens: list):
    changed, made = edits.apply(HI, [["/text", *edit]])
    assert [(token["form"], token["start"], token["end"]) for token in changed["tokens"]] == tokens
    assert edits.undo(changed, made) == HI


@each_row(
    "edit, tokens",
    [  # by hand, of HI behind "Oh "
        ([1, 4, "i B", "o B"], [("Ho", 3, 5), ("Bob", 6, 9), ("!", 9, 10)]),
        ([1, 4, "i B", ""], [("H", 3, 4), ("ob", 4, 6), ("!", 6, 7)]),
    ],
)
def test_tokens_follow_two_edits(edit: list, tokens: list):
    changed, made = edits.apply(HI, [["/text", 0, 0, "", "Oh "], ["/text", *edit]])
    assert [(token["form"], token["start"], token["end"]) for token in changed["tokens"]] == tokens
    assert edits.undo(changed, made) == HI


def test_a_token_that_one_edit_changes_and_another_replaces_is_gone():
    edits_of_one = [["/text", 3, 4, "B", "R"], ["/text", 5, 7, "b!", "?"]]
    changed, made = edits.apply(HI, edits_of_one)
    assert (changed["text"], changed["tokens"]) == ("Hi Ro?", HI["tokens"][:1])
    assert edits.undo(changed, made) == HI


def test_a_name_keeps_its_place_where_a_longer_word_is_in_another_case():
    record = {
        "text": "Oh, Bob's!",
        "entities": [{"start": 4, "end": 7, "text": "Bob"}, {"start": 4, "end": 9}],
    }
    changed, made = edits.apply(
        record, [["/text", 0, 2, "Oh", "O"], ["/text", 4, 9, "Bob's", "BOB'S"]]
    )
    assert changed["entities"] == [{"start": 3, "end": 6, "text": "BOB"}, {"start": 3, "end": 8}]
    assert edits.undo(changed, made) == record


@each_row(
    "edit, places",
    [  # by hand, of Ann Lee, and of Ann with and without a text
        ([3, 6, "Ann", "Eva"], [(3, 10, "Eva Lee"), (3, 6, "Eva"), (3, 6, None)]),
        ([7, 10, "Lee", ""], [(3, 7, "Ann "), (3, 6, "Ann"), (3, 6, None)]),
        ([0, 6, "Hi Ann", "Eva"], []),
        ([2, 6, " Ann", ""], []),
        ([3, 10, "Ann Lee", "Eva"], [(3, 6, "Eva")]),
        ([3, 6, "Ann", ""], [(3, 7, " Lee")]),
        ([0, 2, "Hi", "Hello"], [(6, 13, "Ann Lee"), (6, 9, "Ann"), (6, 9, None)]),
        ([6, 11, " Lee!", "!"], [(3, 6, "Ann"), (3, 6, None)]),
    ],
)
def test_an_entity_goes_where_an_edit_goes_beyond_it(edit: list, places: list):
    record = {
        "text": "Hi Ann Lee!",
        "entities": [
            {"start": 3, "end": 10, "text": "Ann Lee", "type": "PERSON"},
            {"start": 3, "end": 6, "text": "Ann"},
            {"start": 3, "end": 6},
        ],
    }
    changed, made = edits.apply(record, [["/text", *edit]])
    assert [(one["start"], one["end"], one.get("text")) for one in changed["entities"]] == places
    assert edits.undo(changed, made) == record


@each_row("edit", [[6, 6, "", "-Lou"], [6, 7, "!", "?!"]])
def test_what_comes_behind_an_entity_that_changes_is_no_part_of_it(edit: list):
    record = {"text": "Hi Ann!", "entities": [{"start": 3, "end": 6, "text": "Ann"}]}
    changed, made = edits.apply(
        record, [["/text", 0, 2, "Hi", "Oh, hi"], ["/text", 3, 4, "A", "Yo"], ["/text", *edit]]
    )
    assert changed["entities"] == [{"start": 7, "end": 11, "text": "Yonn"}]
    assert edits.undo(changed, made) == record


def test_the_text_of_an_entity_that_is_not_what_stands_there_is_not_guessed():
    record = {"text": "Hi Ann!", "entities": [{"start": 3, "end": 6, "text": "Anna Lee"}]}
    changed, made = edits.apply(record, [["/text", 4, 5, "n", "N"]])
    assert changed["entities"] == [{"start": 3, "end": 6, "text": None}]
    assert edits.undo(changed, made) == record


def sentence(*said: tuple[str, int], sent: int = 1, start: int = 0, **also: dict) -> list[dict]:
    """Return tokens of (form, head), one after the other; also: what those of a form say besides."""
    tokens: list[dict] = []
    for form, head in said:
        tokens.append(
            {
                "form": form,
                "start": start,
                "end": start + len(form),
                "head": head,
                "deprel": "x",
                "sent": sent,
                **also.get(form, {}),
            }
        )
        start += len(form)
    return tokens


@each_row(
    "gone, heads",
    [  # by hand: 他 去 了 。 with 去 as the root
        ("了", [2, 0, 2]),
        ("他", [0, 1, 1]),
        ("。", [2, 0, 2]),
        ("去", [None, None, None]),
    ],
)
def test_a_token_whose_form_is_gone_goes_and_the_others_count_anew(
    gone: str, heads: list[int | None]
):
    record = {
        "text": "他去了。好。",
        "tokens": sentence(("他", 2), ("去", 0), ("了", 2), ("。", 2))
        + sentence(("好", 0), ("。", 1), sent=2, start=4),
    }
    at = record["text"].index(gone)
    changed, made = edits.apply(record, [["/text", at, at + 1, gone, ""]])
    assert [token["form"] for token in changed["tokens"]] == [
        form for form in "他去了。" if form != gone
    ] + ["好", "。"]
    assert [token.get("head") for token in changed["tokens"]] == [*heads, 0, 1]
    assert all(
        ("deprel" in token) == (token.get("head") is not None) for token in changed["tokens"]
    )
    assert edits.undo(changed, made) == record


@each_row(
    "old, new, heads",
    [  # by hand: it 's a cat, with cat as the root
        ("it's", "its", [2, 0]),
        ("'s a", "s", [2, 0]),
        ("a cat", "one", [None, None]),
    ],
)
def test_tokens_in_whose_place_another_text_comes_go_and_the_others_count_anew(
    old: str, new: str, heads: list
):
    words = (
        sentence(("it", 4), ("'s", 4)) + sentence(("a", 4), start=5) + sentence(("cat", 0), start=7)
    )
    record = {"text": "it's a cat", "tokens": words}
    at = record["text"].index(old)
    changed, made = edits.apply(record, [["/text", at, at + len(old), old, new]])
    assert changed["text"] == record["text"].replace(old, new)
    assert [token.get("head") for token in changed["tokens"]] == heads
    assert edits.undo(changed, made) == record


@each_row(
    "gone, parts",
    [  # by hand, of "dámelo": da, me, lo
        ("lo", [[1, 2], [2, 2]]),
        ("me", [[1, 2], [2, 2]]),
        ("no", [[1, 3], [2, 3], [3, 3]]),
    ],
)
def test_words_of_a_surface_word_count_anew(gone: str, parts: list):
    words = {"dá": {"part": [1, 3]}, "me": {"part": [2, 3]}, "lo": {"part": [3, 3]}}
    record = {
        "text": "nodámelo",
        "tokens": sentence(("no", 2), ("dá", 0), ("me", 2), ("lo", 2), **words),
    }
    at = record["text"].index(gone)
    changed, made = edits.apply(record, [["/text", at, at + 2, gone, ""]])
    assert [token["part"] for token in changed["tokens"] if "part" in token] == parts
    assert edits.undo(changed, made) == record


def test_the_one_word_left_of_a_surface_word_is_a_word():
    record = {
        "text": "im",
        "tokens": sentence(("i", 2), ("m", 0), i={"part": [1, 2]}, m={"part": [2, 2]}),
    }
    assert "part" not in edits.apply(record, [["/text", 0, 1, "i", ""]])[0]["tokens"][0]


@each_row(
    "edit, tokens",
    [  # by hand, as above
        ([3, 6, "Bob", "Robert"], [("Hi", 0, 2), ("Robert", 3, 9), ("!", 9, 10)]),
        ([1, 4, "i B", "ib"], [("Hi", 0, 2), ("bob", 2, 5), ("!", 5, 6)]),
    ],
)
@each_row("key", ["context", "reference", "prediction"])
def test_tokens_of_other_strings_follow(key: str, edit: list, tokens: list):
    one = {"text": "Hi", "tokens": HI["tokens"][:1], key: HI["text"], f"{key}_tokens": HI["tokens"]}
    several = {key: ["So", HI["text"]], f"{key}_tokens": [[], HI["tokens"]]}
    for record, pointer in ((one, f"/{key}"), (several, f"/{key}/1")):
        changed, made = edits.apply(record, [[pointer, *edit]])
        found = changed[f"{key}_tokens"] if record is one else changed[f"{key}_tokens"][1]
        assert [(token["form"], token["start"], token["end"]) for token in found] == tokens
        assert all(changed.get(other) == record.get(other) for other in ("text", "tokens"))
        assert edits.undo(changed, made) == record


def test_what_was_changed_since_is_not_undone():
    changed, made = edits.apply({"id": 7, "text": "abc"}, [["/text", 1, 2, "b", "x"]])
    with pytest.raises(
        RecordError, match=r"cannot edit /text at 1: it does not read as it should \(id 7\)"
    ):
        edits.undo({**changed, "text": "ayc"}, made)


@each_row(
    "made",
    [
        5,
        [5],
        [["/text"]],
        [[7, 0, 1, "b", "a"]],
        [["/text", "0", 1, "b", "a"]],
        [["/text", 0, 1, 7, 8]],
    ],
)
def test_what_is_no_edit_is_not_undone(made):
    """A history may be written by anybody."""
    with pytest.raises(RecordError, match="cannot undo: .* \\(id 7\\)"):
        edits.undo({"id": 7, "text": "abc"}, made)


def test_edits_must_fit_and_not_overlap():
    for wanted in (
        [["/text", 0, 1, "x", "y"]],
        [["/text", 0, 2, "ab", ""], ["/text", 1, 3, "bc", ""]],
    ):
        with pytest.raises(RecordError):
            edits.apply({"text": "abc"}, wanted)


@each_row(
    "changes",
    [
        [(0, 1, "BB"), (3, 7, "你好 ")],  # the second moves back what the first has moved
        [(3, 5, "你")],
        [(3, 7, "你好")],
        [(0, 1, "B,"), (2, 5, "b 你")],
        [(3, 5, "你"), (6, 7, " q ")],
    ],
)
def test_tokens_that_an_edit_leaves_as_they_were(changes):
    """What it writes beside them may lie within a token when it is undone: (start, end, after)."""
    text = "Bob 你好 x"
    tokens = [
        {"form": text[start:end], "start": start, "end": end}
        for start, end in ((0, 2), (2, 3), (4, 6), (7, 8))
    ]
    record = {"id": 1, "text": text, "tokens": tokens}
    made = [["/text", start, end, text[start:end], after] for start, end, after in changes]
    edited, followed = edits.apply(record, made)
    assert all(
        edited["text"][token["start"] : token["end"]] == token["form"] for token in edited["tokens"]
    )
    assert edits.undo(edited, followed) == record
