"""Texts compared word by word, and the turns of a source aligned."""

import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dialtools.tables import sources
from dialtools.tables.differences import aligned, pieces

TEXTS = st.text(st.sampled_from("ab 'é东京กำनि्👩\u200d👧🏽\r\n\u0301.-"), max_size=20)


@settings(max_examples=60, deadline=None)
@given(TEXTS, TEXTS)
@example("क्षमा", "क्षमता")
def test_pieces_are_both_texts_and_cut_no_cluster(old, new):
    found = pieces(old, new)
    for sign, text in ("-", old), ("+", new):
        parts = [piece.text for piece in found if piece.sign in ("=", sign)]
        assert "".join(parts) == text
        clusters = [cluster for part in parts for cluster in regex.findall(r"\X", part)]
        assert clusters == regex.findall(r"\X", text)


def shown(old, new):
    return "".join(
        piece.text if piece.sign == "=" else f"[{piece.sign}{piece.text}]"
        for piece in pieces(old, new)
    )


def test_words_change_as_wholes_and_characters_where_there_are_no_spaces():
    assert shown("I don't know", "I do know") == "I [-don't][+do] know"
    assert shown("我去北京。", "我去东京。") == "我去[-北][+东]京。"
    assert shown("see you, Ann", "CU, Ann") == "[-see you][+CU], Ann"
    assert shown("It rains, Bob.", "Is it, Ann?") == "[-It rains, Bob.][+Is it, Ann?]"
    assert shown("नमस्ते राम", "नमस्ते श्याम") == "नमस्ते [-राम][+श्याम]"


def test_a_long_text_costs_linear_time():
    old = "东" * 30_000 + "西" + "南" * 30_000
    found = pieces(old, old.replace("西", "北"))
    assert [len(piece.text) for piece in found] == [30_000, 1, 1, 30_000]


def test_turns_are_aligned_by_what_they_say():
    old = ["Ann: Hi Bob", "Bob: Is it raining in town?", "Ann: It is."]
    new = ["Eve: Hello there", "Eve: Hi Max", "Max: Is it raining?", "Max: In town?", "Eve: It is."]
    assert aligned(old, new) == [(None, 0), (0, 1), (1, 2), (None, 3), (2, 4)]
    assert aligned(["a"] * 300, ["b"] * 300) == [(n, n) for n in range(300)]  # too many for a table


def test_a_restored_variant_is_shown_as_the_model_read_it():
    import dialtools

    record = {"id": 1, "lang": "en", "dialogue": "Ann: Hi!", "reference": "Ann greets."}
    (variant,) = dialtools.swap_names([record], map={"Ann": "Eve"})
    (restored,) = dialtools.swap_names([{**variant, "prediction": "Eve greets."}], restore=True)
    found = sources.source([restored])
    assert [(row.label, row.original) for row in found.rows] == [
        ("1", "Ann: Hi!"),
        ("reference", "Ann greets."),
        ("prediction", None),
    ]
    assert [piece.text for piece in found.rows[0].variants[0]] == ["Ann", "Eve", ": Hi!"]
    assert found.rows[2].variants == [[("=", "Ann greets.")]]
