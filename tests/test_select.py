"""Records selected by the terms that they hold."""

import json
from collections import Counter

import pytest

import dialtools
from dialtools.system.errors import OptionError, RecordError

TEXTS = ["那个老头真固执", "老人在公园", "年轻人也固执", "年轻人很随和", "天气好"]


@pytest.mark.parametrize(
    "group, kept, notes",
    [
        ("one", [1], {"without a target": 3, "without an attribute": 1}),
        ("two", [3], {"without a target": 3, "without an attribute": 1}),
        ("any", [1, 3, 4], {"without a target": 1, "without an attribute": 1}),
    ],
)
def test_group(group, kept, notes):
    records = [{"id": number, "lang": "zh", "text": text} for number, text in enumerate(TEXTS, 1)]
    told: Counter = Counter()
    made = list(
        dialtools.select(
            records, lambda record, why: told.update([why]), terms="age", terms_group=group
        )
    )
    assert [record["id"] for record in made] == kept and told == notes
    assert [{key: record[key] for key in ("id", "lang", "text")} for record in made] == [
        records[number - 1] for number in kept
    ]


@pytest.mark.parametrize(
    "text, target, attribute",
    [
        ("Gays are lonely, a GAY villain", ["gays", "gay"], ["lonely", "villain"]),
        ("Two villains and lesbians", ["lesbians"], ["villains"]),  # a plural is a term, too
        ("bigay lonelyness", None, None),
        ("gay@lonely.com gay", None, None),
    ],
)
def test_what_was_found_is_in_the_history(text, target, attribute):
    made = list(dialtools.select([{"id": 1, "lang": "en", "text": text}], terms="orientation"))
    entries = [
        (record["history"][0]["target"], record["history"][0]["attribute"]) for record in made
    ]
    assert entries == ([(target, attribute)] if target else [])


@pytest.mark.parametrize(
    "group, text, found",
    [
        ("one", "His or her shy uncle", []),
        ("any", "His or her shy uncle", [["his or her", "uncle"]]),
        ("one", "His shy aunt", [["aunt"]]),
    ],
)
def test_a_term_of_one_group_is_not_found_within_one_of_the_other(group, text, found, tmp_path):
    (tmp_path / "own.tsv").write_text(
        "kind\tone\ttwo\ntarget\ther\this\ntarget\ther or his\this or "
        "her\ntarget\taunt\tuncle\nattribute\tshy\n"
    )
    records = [{"id": 1, "lang": "en", "text": text}]
    made = dialtools.select(records, terms=str(tmp_path / "own.tsv"), terms_group=group)
    assert [record["history"][0]["target"] for record in made] == found


@pytest.mark.parametrize(
    "words, found",
    [(["老", "妇人", "很", "老"], ["老"]), (["老妇人", "很", "胖"], ["胖"]), (["老妇人"], [])],
)
def test_tokens_tell_whether_an_attribute_is_a_word(words, found):
    """As terms.attribute has it: 老 in 老 妇人, not in 老妇人."""
    ends = [sum(map(len, words[:number])) for number in range(1, len(words) + 1)]
    tokens = [
        {"form": word, "start": end - len(word), "end": end}
        for word, end in zip(words, ends, strict=True)
    ]
    record = {"id": 1, "lang": "zh", "text": "".join(words), "tokens": tokens}
    made = list(dialtools.select([record], terms="gender"))
    assert [record["history"][0]["attribute"] for record in made] == [found] * bool(found)


def test_an_own_file_holds_terms_of_any_kind(tmp_path):
    (tmp_path / "own.tsv").write_text("kind\tone\ntarget\tcat\nattribute\tlazy\nguard\tlazy cat\n")
    texts = ["A lazy cat", "The cat is lazy", "A lazy cat is a lazy Cat, a cat!"]
    records = [{"id": number, "lang": "en", "text": text} for number, text in enumerate(texts)]
    assert [
        record["id"] for record in dialtools.select(records, terms=str(tmp_path / "own.tsv"))
    ] == [1]


def test_what_cannot_be_done():
    with pytest.raises(OptionError, match="unknown specification 'aeg'"):
        list(dialtools.select([], terms="aeg"))
    with pytest.raises(
        RecordError, match="no specification 'age' for the language 'en'; known: gender"
    ):
        list(dialtools.select([{"id": 1, "lang": "en", "text": "a"}], terms="age"))


@pytest.mark.parametrize(
    "options, said",
    [
        ("", "no selection given"),
        ("--terms-group two", "no selection given"),
        ("--where 'f1 > 0' --terms-group two", "--terms-group needs --terms"),
    ],
)
def test_what_selects_nothing_is_a_usage_error(shell, options: str, said: str):
    result = shell(f"dt-select {options}")
    assert (result.status, result.out) == (2, "") and said in result.err


def test_a_source_that_cannot_be_judged_is_passed_over(shell, tmp_path):
    """All outputs for it: the best of the others is not the best.  A file is read once, even from a pipe."""
    records = [
        {"id": 1, "prediction": "a", "variant": "nbest:1", "scores": {"f1": 0.5}},
        {"id": 1, "prediction": "b", "variant": "nbest:2", "scores": {"f1": 0.7}},
        {"id": 2, "prediction": "a", "variant": "nbest:1", "scores": {"f1": 0.5}},
        {"id": 2, "prediction": "b", "variant": "nbest:2", "scores": {}},
        {"id": 3, "prediction": "a", "scores": {"f1": 0.5}},
        {"id": 4, "prediction": "a", "scores": {"f1": 0.5}},
    ]
    (tmp_path / "in.jsonl").write_text(
        "".join(json.dumps(record | {"lang": "en"}) + "\n" for record in records)
    )
    command = "dt-select --rank f1 --without <(echo '{\"id\": 3}') in.jsonl --on-error"
    assert shell(f"{command} skip | jq -c '[.id, .prediction]'").out == '[1,"b"]\n[4,"a"]\n'
    made = shell(f"{command} keep | jq -c '[.id, .prediction, .errors[0].reason]'")
    assert made.out.splitlines()[1:3] == [
        f'[2,"{text}","no score \\"f1\\"; the record has none"]' for text in "ab"
    ]
    assert "4 records, 2 records failed" in made.err and "1 in --without" in made.err
