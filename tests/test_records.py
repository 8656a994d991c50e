"""records/jsonl.py: what is read is written again, value for value; what is wrong is said with FILE:LINE."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dialtools.records import jsonl as records
from dialtools.records import validation, wellformed
from dialtools.system.errors import RecordError, about

STRINGS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | STRINGS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
)
HINT = "; dt-convert --field dialogue=NAME takes it from elsewhere"
OTHER = "; records are JSON Lines, as dt-convert --from auto and jq -c write them"
RECORDS = st.dictionaries(STRINGS, VALUES, max_size=6)


def typed(value: object) -> object:
    """Return a value so that == sees types and the order of keys."""
    if isinstance(value, dict):
        return dict, [(key, typed(item)) for key, item in value.items()]
    if isinstance(value, list):
        return list, [typed(item) for item in value]
    return type(value), repr(value)


@given(RECORDS, st.booleans())
@example(
    {"n": 2**64, "m": -(2**63) - 1, "f": 1e22, "zero": -0.0, "text": "1234567890123456789012"}, True
)
def test_round_trip(record: dict, ascii: bool):
    """Whatever the standard library's JSON writes comes back the same from ours, and the other way round."""
    line = json.dumps(record, ensure_ascii=ascii).encode()
    assert typed(records.loads(line)) == typed(record)
    written = records.dumps(record)
    assert written.endswith(b"\n") and written.count(b"\n") == 1
    assert typed(json.loads(written)) == typed(record)


def test_what_the_standard_library_writes_looks_like_the_rest():
    assert (
        records.dumps({"text": "é", "n": [2**64, 1]})
        == '{"text":"é","n":[18446744073709551616,1]}\n'.encode()
    )


def test_an_integer_is_exact_or_refused():
    """It is refused where no float is as great; the greatest is 1.798e308."""
    assert records.parse(b"-1" + b"7" * 308) == int("-1" + "7" * 308)
    with pytest.raises(RecordError, match="infinity"):
        records.parse(b"18" + b"7" * 307)


def read(tmp_path, data: str | bytes, **options) -> list[dict]:
    path = tmp_path / "in.jsonl"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return list(records.read(str(path), **options))


def test_files_as_other_systems_write_them(tmp_path):
    data = b'\xef\xbb\xbf{"id": "a"}\r\n\r\n  \n{"id": "b"}\r\n{"id": "c"}'
    assert [record["id"] for record in read(tmp_path, data)] == ["a", "b", "c"]


def test_ids_and_languages_are_filled_in_and_told(tmp_path):
    told: list[str] = []
    found = read(tmp_path, '{"x": 1}\n\n{"id": null, "lang": "zh"}\n', lang="en", note=told.append)
    assert found == [{"id": "1", "x": 1, "lang": "en"}, {"id": "2", "lang": "zh"}]
    assert list(found[0]) == ["id", "x", "lang"]
    assert sorted(told) == ["id", "id", "lang"]


def test_files_follow_each_other_and_limit_counts_over_all(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(f'{{"id": "{name}1"}}\n{{"id": "{name}2"}}\n')
    paths = [str(tmp_path / name) for name in "ab"]
    for limit, wanted in (
        (None, ["a1", "a2", "b1", "b2"]),
        (3, ["a1", "a2", "b1"]),
        (2, ["a1", "a2"]),
        (0, []),
    ):
        assert [record["id"] for record in records.read(*paths, limit=limit)] == wanted


def test_nothing_is_read_before_it_is_asked_for(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text('{"id": "a"}\nbroken\n')
    assert next(records.read(str(path)))["id"] == "a"


def test_keys_can_have_other_names(tmp_path):
    line = '{"id": "a", "summary": "s", "reference": "r"}\n'
    names = {"summary": "prediction"}
    (found,) = read(tmp_path, line, rename=names, keys=["prediction"])
    assert found == {"id": "a", "prediction": "s", "reference": "r"}
    assert validation.exchange(found, names) == json.loads(line)
    with pytest.raises(RecordError, match='no "summary"; the record has id, reference'):
        read(tmp_path, '{"id": "a", "reference": "r"}\n', rename=names, keys=["prediction"])
    with pytest.raises(
        RecordError, match='no "prediction"; the record has id, " prediction"'
    ):  # of "id, prediction"
        read(tmp_path, '{"id": "a", " prediction": "p"}\n', keys=["prediction"])


def test_long_keys_and_many_are_cut_in_a_message(tmp_path):
    for record in (
        {"id": "a", "k" * 9000: 1},
        {"id": "a", **{f"key {number}": 1 for number in range(9000)}},
    ):
        with pytest.raises(RecordError) as caught:
            read(tmp_path, json.dumps(record), keys=["n"])
        assert "…" in str(caught.value) and len(str(caught.value)) < 1000


def test_keys_that_exist_both_exchange_their_names():
    record = {"id": "a", "summary": "s", "prediction": "p"}
    renamed = validation.exchange(record, {"summary": "prediction"})
    assert list(renamed.items()) == [("id", "a"), ("prediction", "s"), ("summary", "p")]
    assert list(validation.exchange(renamed, {"summary": "prediction"}).items()) == list(
        record.items()
    )


def test_places_are_told_for_later_messages(tmp_path):
    places: list = []
    path = tmp_path / "in.jsonl"
    path.write_text('\n{"id": "a"}\n{"id": "a", "variant": "x:1"}\n')
    list(
        validation.validated(records.lines([str(path)]), make=records.loads, remember=places.append)
    )
    assert places == [((None, "a", None), f"{path}:2"), ((None, "a", "x:1"), f"{path}:3")]


@pytest.mark.parametrize(
    "data, keys, reason",
    [
        ('{"id": "a"}\n{"id": "b"\n', [], "2: not JSON: unexpected end of data (column 11)"),
        ("[1]\n", [], f"1: a record is a JSON object, here is [1]{OTHER}"),
        (
            '["Hi", "Yes"]\n',
            [],
            '1: a record is a JSON object, here is ["Hi", "Yes"]; '
            "jq -c '{dialogue: .}' | dt-convert makes records of lists of turns",
        ),
        ('[\n{"id": "a"}\n]\n', [], f"1: not JSON: unexpected end of data (column 2){OTHER}"),
        ('{\n"id": "a"\n}\n', [], f"1: not JSON: unexpected end of data (column 2){OTHER}"),
        (
            "id,text\n",
            [],
            f"1: not JSON: unexpected character, expected a JSON value (column 1){OTHER}",
        ),
        ('{"id": "a", "x": NaN}\n', [], "1: not JSON: "),
        ('{"id": "a", "x": 1e999}\n', [], "1: not JSON: "),
        ('{"id": 12345678901234567890123, "x": Infinity}\n', [], "1: not JSON: "),
        (
            '{"id": "é'.encode() + b'\xff"}\n',
            [],
            "1: not UTF-8: byte 0xff (column 10); iconv -f ENCODING -t UTF-8 makes it so",
        ),
        (
            '\ufeff{"id": "é"}\n{"é": '.encode() + b'"\xff"}\n',
            [],
            "2: not UTF-8: byte 0xff (column 8); iconv -f ENCODING -t UTF-8 makes it so",
        ),
        (b"\x1f\x8b\x08", [], "1: not UTF-8: byte 0x8b (column 2); gzip -dc makes it so"),
        (
            "{}".encode("utf-16"),
            [],
            "1: not UTF-8: byte 0xff (column 1); iconv -f UTF-16 -t UTF-8 makes it so",
        ),
        ('{"id": "\\ud800"}\n', [], "1: not JSON: "),
        ('{"id": "a"}\n', ["dialogue"], f'1: no "dialogue"; the record has id{HINT} (id "a")'),
        (
            '{"id": "a", "text": null}\n',
            ["dialogue|text"],
            f'1: no "dialogue" nor "text"; the record has id{HINT} (id "a")',
        ),
        (
            '{"id": "a", "summary": "s"}\n',
            ["reference"],
            '1: no "reference"; the record has id, summary'
            '; dt-convert --field reference=summary takes it from there (id "a")',
        ),
        (
            '{"id": "a", "dialogue": 5}\n',
            ["dialogue"],
            '1: a dialogue is a list of turns or a string, here is 5 (id "a")',
        ),
        ('{"id": "a"}\n{"id": "a"}\n', [], '2: the same id and variant again (id "a")'),
        (
            '{"id": 1, "variant": "n:1"}\n{"id": 1, "variant": "n:1"}\n',
            [],
            '2: the same id and variant again (id 1, variant "n:1")',
        ),
        (
            '{"id": "a"}\n{"id": "b"}\n{"id": "a"}\n',
            [],
            "3: an id that came before, after other ids: "
            'the records of one id must stand together (id "a")',
        ),
        ('{"id": true}\n', [], "1: an id is a string or an integer, here is true"),
        ('{"id": ["a"]}\n', [], '1: an id is a string or an integer, here is ["a"]'),
        (
            '{"id": "a", "variant": 1}\n',
            [],
            '1: a variant is a string, here is 1 (id "a", variant 1)',
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path, data: str, keys: list, reason: str):
    with pytest.raises(RecordError) as caught:
        read(tmp_path, data, keys=keys)
    assert str(caught.value).startswith(f"{tmp_path / 'in.jsonl'}:{reason}")


HISTORY = (
    '"history" is a list of objects: "by" a string, "signature" a string or an object of strings, '
    '"counts" an object of whole numbers'
)
MALFORMED = [  # key, value, reason
    ("reference", [], '"reference" is a string or a list of strings, here is []'),
    ("reference", {"a": 1}, '"reference" is a string or a list of strings, here is {"a": 1}'),
    ("prediction", [None], '"prediction" is a string or a list of strings, here is [null]'),
    ("scores", [1], '"scores" is an object, here is [1]'),
    ("scores", "1", '"scores" is an object, here is "1"'),
    ("statistics", 1, '"statistics" is an object, here is 1'),
    (
        "history",
        5,
        f"{HISTORY}, here is 5",
    ),
    (
        "history",
        ["x"],
        f'{HISTORY}, here is ["x"]',
    ),
    (
        "history",
        [{"counts": {"empty": {"a": 1}}}],
        f'{HISTORY}, here is [{{"counts": {{"empty": {{"a": 1}}}}}}]',
    ),
    ("history", [{"by": [1]}], f'{HISTORY}, here is [{{"by": [1]}}]'),
    ("history", [{"signature": {"f1": 1}}], f'{HISTORY}, here is [{{"signature": {{"f1": 1}}}}]'),
    ("errors", "x", '"errors" is a list of objects, here is "x"'),
    ("lang", 5, '"lang" is a language tag such as en or zh-Hant, here is 5'),
    ("lang", "q" * 3000, f'"lang" is a language tag such as en or zh-Hant, here is "{"q" * 58}…'),
    (
        "lang",
        "e\x1b[31mn",
        '"lang" is a language tag such as en or zh-Hant, here is "e\\u001b[31mn"',
    ),
    ("cluster", True, "a cluster is a string or an integer, here is true"),
    ("system", ["a"], '"system" is a string, here is ["a"]'),
    ("context", [], '"context" is a string, here is []'),
    ("text", False, '"text" is a string, here is false'),
    ("variant", {}, "a variant is a string, here is {}"),
    ("dialogue", {"a": 1}, 'a dialogue is a list of turns or a string, here is {"a": 1}'),
    ("dialogue", 0, "a dialogue is a list of turns or a string, here is 0"),
]
DEEP = [  # what matters to those alone who work on dialogues
    ("dialogue", ["hi"], 'turn 1 is no object: "hi"'),
    (
        "dialogue",
        [["A", "hi"]],
        'turn 1 is no object: ["A", "hi"]; of [NAME, TEXT] dt-convert --field '
        "dialogue.speaker=0 --field dialogue.text=1 makes one",
    ),
    (
        "dialogue",
        [{"speaker": "A", "content": "hi"}],
        'turn 1 has no "text" that is a string: {"speaker": "A", '
        '"content": "hi"}; dt-convert --field dialogue.text=KEY takes it from elsewhere',
    ),
    *(
        (
            "dialogue",
            made,
            f'the dialogue begins without "Name: ": {json.dumps(made)}; if that is a list made a string, '
            "jq -c '.dialogue |= fromjson' makes it one again, if it is JSON",
        )
        for made in (
            "[{'speaker': 'A', 'text': 'hi'}]",
            '["A: hi", "B: ho"]',
            "[('A', 'see: hi')]",
            "{'A': ['hi']}",
        )
    ),
    (
        "dialogue",
        [{"speaker": "A", "text": "hi", "tokens": ["hi"]}],
        'in turn 1 "tokens" is a list of objects with "start", "end" and "form", here is "hi"',
    ),
    (
        "dialogue",
        [
            {
                "speaker": "A",
                "text": "hi",
                "entities": [{"start": 0, "end": 2}, {"start": 0, "end": "2"}],
            }
        ],
        'in turn 1 "entities" is a list of objects with "start", "end" and perhaps a "text", here is {"start": 0, '
        '"end": "2"}',
    ),
    (
        "entities",
        [{"start": 0, "end": 2, "text": 5}],
        '"entities" is a list of objects with "start", "end" and perhaps '
        'a "text", here is {"start": 0, "end": 2, "text": 5}',
    ),
    (
        "tokens",
        {"form": "a"},
        '"tokens" is a list of objects with "start", "end" and "form", here is {"form": "a"}',
    ),
    (
        "tokens",
        [{"start": 0, "end": True, "form": ""}],
        '"tokens" is a list of objects with "start", "end" and "form", here is {"start": 0, "end": true, "form": ""}',
    ),
    (
        "tokens",
        [{"start": 0, "end": 0, "form": ""}, {"start": 2, "end": 1, "form": ""}],
        "/tokens/1 stands from 2 to 1, in a text of 7 characters",
    ),
    (
        "dialogue",
        [{"speaker": "A", "text": "hi", "entities": [{"start": 0, "end": 3}]}],
        "/dialogue/0/entities/0 stands from 0 to 3, in a text of 2 characters",
    ),
    (
        "entities",
        [{"start": -1, "end": 2}],
        "/entities/0 stands from -1 to 2, in a text of 7 characters",
    ),
    *(
        (
            "people",
            [{"name": "Eve"}, wrong],
            f'"people" is a list of objects with a "name", and perhaps a "gender" (f, m, u) and a list of "aliases", '
            f"here is {json.dumps(wrong)}",
        )
        for wrong in (
            "Ann",
            {"gender": "f"},
            {"name": " "},
            {"name": "Ann", "gender": "female"},
            {"name": "Ann", "aliases": "Annie"},
            {"name": "Ann", "aliases": [""]},
            {"name": "Ann", "aliases": False},
            {"name": "Ann", "gender": {}},
            {"name": "Ann", "gender": 0},
        )
    ),
    *(
        (
            "dialogue",
            [
                {
                    "speaker": "A",
                    "text": "hi",
                    "tokens": [{"form": "hi", "start": 0, "end": 2, key: value}],
                }
            ],
            f"/dialogue/0/tokens/0/{key} is {wanted}, here is {json.dumps(value)}",
        )
        for wanted, key, values in (
            ("a text", "lemma", (1, ["hi"])),
            ("a text", "feats", ({"Number": "Sing"},)),
            ("a text", "word", (5,)),
            ("a whole number from 0", "head", (-1, "1", 1.0, True)),
            ("a whole number", "sent", (None, "1", [1], {})),
            (
                "[which, of how many], as in [1, 2]",
                "part",
                (1, True, "x", [1], [0, 2], [2, 1], ["a", "b"]),
            ),
        )
        for value in values
    ),
]


@pytest.mark.parametrize("key, value, reason", MALFORMED + DEEP)
def test_a_malformed_value_is_refused_though_nobody_wants_the_key(
    tmp_path, key: str, value: object, reason: str
):
    """All commands read by this function: what the next one would stumble over goes no further."""
    record = {"id": "a", "n": 1, "text": "Hi Anna", key: value}
    for keys in (["n"], ["n", "dialogue|n"]):
        if (key, value, reason) in DEEP and keys == ["n"]:
            assert read(tmp_path, json.dumps(record), keys=keys) == [record]
        else:
            with pytest.raises(RecordError) as caught:
                read(tmp_path, json.dumps(record), keys=keys)
            assert str(caught.value).startswith(f"{tmp_path / 'in.jsonl'}:1: {reason} (id ")


WORD = {"form": "Hi", "start": 0, "end": 2}


@pytest.mark.parametrize(
    "value, tokens, reason",
    [
        (
            "Hi",
            [{**WORD, "end": 3}],
            '"reference_tokens": /tokens/0 stands from 0 to 3, in a text of 2 characters',
        ),
        ("Hi", [5], '"reference_tokens": "tokens" is a list of objects with'),
        (["Hi", "Ho"], [[WORD]], '"reference_tokens": a list of tokens for each string is wanted'),
        (["Hi", "Ho"], [[WORD], WORD], '"reference_tokens": "tokens" is a list of objects'),
    ],
)
def test_tokens_of_other_strings_are_looked_at(
    tmp_path, value: object, tokens: object, reason: str
):
    record = {"id": "a", "text": "", "reference": value, "reference_tokens": tokens}
    with pytest.raises(RecordError) as caught:
        read(tmp_path, json.dumps(record), keys=["dialogue|text"])
    assert str(caught.value).startswith(f"{tmp_path / 'in.jsonl'}:1: {reason}")


def test_null_is_no_value(tmp_path):
    """It passes through, and a key that must be there is not."""
    record = {"id": "a", "n": 1, **{key: None for key, _, _ in MALFORMED + DEEP}}
    assert read(tmp_path, json.dumps(record), keys=["dialogue|n"]) == [record]
    with pytest.raises(
        RecordError, match=f'no "dialogue" nor "text"; the record has id, n{HINT} .id "a"'
    ):
        read(tmp_path, json.dumps(record), keys=["dialogue|text"])
    turn = {"speaker": "A", "text": "hi", "tokens": None, "entities": None}
    assert read(tmp_path, json.dumps({"id": "a", "dialogue": [turn]}), keys=["dialogue"])[0][
        "dialogue"
    ] == [turn]


def test_what_other_tools_leave_in_histories_passes(tmp_path):
    record = {
        "id": "a",
        "history": [{"user": "Hi"}, {}],
        "errors": [{}],
        "scores": {"x": None, "y": "high"},
    }
    assert read(tmp_path, json.dumps(record)) == [record]


def test_a_source_has_each_variant_once_and_so_has_the_next(tmp_path):
    once = [
        {"id": id} | ({"variant": name} if name else {})
        for id in "ab"
        for name in ("", "n:1", "n:2")
    ]
    assert read(tmp_path, "\n".join(map(json.dumps, once))) == once
    for twice in once:
        with pytest.raises(RecordError, match="the same id and variant again"):
            read(
                tmp_path,
                "\n".join(
                    map(json.dumps, [one for one in once if one["id"] == twice["id"]] + [twice])
                ),
            )


def test_the_id_1_and_the_id_one_as_text_differ(tmp_path):
    assert len(read(tmp_path, '{"id": 1}\n{"id": "1"}\n{"id": 2}\n')) == 3


def test_systems_are_told_apart(tmp_path):
    lines = [f'{{"id": "{id}", "system": "{system}"}}' for system in "XY" for id in "ab"]
    assert len(read(tmp_path, "\n".join(lines))) == 4


@pytest.mark.parametrize("depth", [300, 1000, 5000])
@pytest.mark.parametrize("more", ["", '"n": 12345678901234567890123, '])
def test_deep_nesting_is_passed_on_or_refused(tmp_path, depth: int, more: str):
    """The two JSON libraries bear different depths, and so do different Pythons."""
    line = f'{{"id": "a", {more}"x": {"[" * depth}{"]" * depth}}}'
    try:
        (found,) = read(tmp_path, line)
        assert records.dumps(found).count(b"[") == depth
    except RecordError as error:
        assert depth >= 1000
        assert "nested too deeply" in error.reason or "depth limit" in error.reason
    else:
        assert depth <= 1000


def test_ids_of_equal_hash_differ(tmp_path):
    """Python's hash of -1 is that of -2, and that of 2**61 - 1 is that of 0."""
    ids = (-1, 0, -2, 2**61 - 1, "-1")
    assert len(read(tmp_path, "".join(json.dumps({"id": id}) + "\n" for id in ids))) == len(ids)


def test_an_error_is_about_the_record_and_place_that_it_names_itself():
    with pytest.raises(RecordError, match=r"^a:1: odd \(id 2\)$"), about({"id": 1}, "b:2"):
        raise RecordError("odd", {"id": 2}, "a:1")
    with pytest.raises(RecordError, match=r"^b:2: odd \(id 1\)$"), about({"id": 1}, "b:2"):
        raise RecordError("odd")


KNOWN = [
    "id",
    "dialogue",
    "text",
    "reference",
    "history",
    "scores",
    "people",
    "tokens",
    "prediction_tokens",
]
ANY = st.none() | st.integers(0, 9) | st.sampled_from(["", " \n", "Ann: Hi", "Hi", "A: b\nc"])
TURNS = st.fixed_dictionaries({"speaker": ANY, "text": ANY}, optional={"tokens": ANY})


@given(
    st.dictionaries(st.sampled_from(KNOWN), ANY | st.lists(ANY | TURNS, max_size=3), max_size=4),
    st.booleans(),
)
def test_the_quick_look_passes_nothing_that_is_malformed(record: dict, deep: bool):
    assert not (wellformed.is_plain(record, deep) and list(wellformed.problems(record, deep)))


def test_a_key_that_is_mistyped_or_called_otherwise_is_named(shell, tmp_path):
    (tmp_path / "in.jsonl").write_text('{"id": 1, "lang": "en", "Summary": "a", "output": "b"}\n')
    for options, told in (
        ("", "; --key prediction=output takes it from there"),
        ("--key prediction=outptu", 'no "outptu" (did you mean output?)'),
        ("--key prediction=output", "; --key reference=Summary takes it from there"),
    ):
        assert told in shell(f"dt-score -m rouge1 {options} in.jsonl").err
