"""dt-convert: formats recognised by their first bytes, tables that give the same records back, paths into objects."""

import inspect
import io
import json
import re
import sys
from functools import partial
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_tests import each_row

import dialtools
from dialtools.commands import convert as command
from dialtools.conversion import cuts, foreign, items, mapping
from dialtools.conversion.mapping import Mapping
from dialtools.conversion.rows import Remarks
from dialtools.formats import samsum
from dialtools.formats.general import csv, jsonl, tsv
from dialtools.plugins import registry
from dialtools.records import dialogue
from dialtools.records.history import without_made
from dialtools.records.validation import validated
from dialtools.system.errors import OptionError, RecordError

CASES = Path(__file__).parent / "cases" / "dt-convert"
BOM = b"\xef\xbb\xbf"
SAMPLES = [
    ("bpersona-chat", "bpersona-chat/input.jsonl"),
    ("chbias", "chbias/test.csv"),
    ("chbias", "chbias/train.txt"),
    ("conllu", "to-conllu/two-words.conllu"),
    ("csv", "csv/input.csv"),
    ("dialogsum", "dialogsum/dev.jsonl"),
    ("dialogsum", "dialogsum/test.jsonl"),
    ("json", "json/input.json"),
    ("jsonl", "jsonl/input.jsonl"),
    ("kdconv", "kdconv/input.json"),
    ("lccc", "lccc/input.json"),
    ("molweni", "molweni/mrc.json"),
    ("molweni", "molweni/dp.json"),
    ("openai", "openai/input.jsonl"),
    ("openai", "openai/bare.json"),
    ("real-persona-chat", "real-persona-chat/lines.jsonl"),
    ("real-persona-chat", "real-persona-chat/00041.json"),
    ("redditbias", "redditbias/group.csv"),
    ("redditbias", "redditbias/other.csv"),
    ("samsum", "samsum/input.json"),
    ("sharegpt", "sharegpt/input.json"),
    ("simuleval", "simuleval/instances.log"),
    ("telegram", "telegram/result.json"),
    ("telegram", "telegram/all.json"),
    ("todsum", "todsum/input.json"),
    ("tweetsumm", "tweetsumm/processed.jsonl"),
    ("tsv", "tsv/input.tsv"),
    ("whatsapp", "whatsapp/ar-android.txt"),
    ("whatsapp", "whatsapp/ko-ios.txt"),
    ("xpersona", "xpersona/Jp_persona_split_test.json"),
]

texts = st.text(st.characters(exclude_categories=["Cs"]))
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
numerals = st.sampled_from(["5", "-2.5", " 1e3", "007", "", " "])  # as cells of tables have them
values = st.recursive(
    st.none() | st.booleans() | numbers | texts | numerals,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
plain = st.characters(exclude_categories=["Cs", "Cc"])
keys = st.sampled_from(["text", "n", "x:json", "a,b", 'a "b"', "z ", ""]) | st.text(
    plain, max_size=3
)
tables = st.lists(
    st.dictionaries(keys, values, max_size=4).map(lambda record: {"id": "1"} | record), max_size=4
)


def records(text: str, read) -> list[dict]:
    return [record for _, record in items.sound(read(io.BytesIO(text.encode())))]


@each_row("name, file", SAMPLES)
def test_samples_are_recognised_and_read(name: str, file: str):
    data = (CASES / file).read_bytes().removeprefix(BOM)
    assert foreign.recognised(data) == foreign.recognised(BOM + b"\n" + data) == name
    told: list = []
    placed = foreign.items_of("auto", None, lambda *what: told.append(what), [str(CASES / file)])
    found = list(validated(placed, make=lambda found: Mapping().record((1, 0, found.item))))
    assert found and told == [(str(CASES / file), name)]
    converted = dialtools.convert(str(CASES / file), source=name)
    assert list(map(without_made, converted)) == list(map(without_made, found))


@each_row("name, file", SAMPLES)
def test_half_a_sample_is_enough(name: str, file: str):
    data = (CASES / file).read_bytes()
    assert foreign.recognised(data[: max(len(data) // 2, 70)]) == name


def test_every_format_that_can_be_recognised_has_a_sample():
    binary = {"datasets", "parquet", "xlsx"}  # those of test_spreadsheets.py
    assert set(registry.declaring("formats", "recognise")) - binary == {name for name, _ in SAMPLES}


@each_row(
    "head",
    [
        b"Dear all,\n",
        b"%PDF-1.7\n",
        b"a,b\n1,2\n",
        b"\x00\x01",
        b"[1]\n",
        b'"women are","men are"\n',
        b"id: 1\n",
        "猫が好き。\n".encode(),
        b"text\nx\n",
        '编号,对话\n1,"甲：好\n乙：好，走吧"\n2,丙：走'.encode(),
    ],
)
def test_what_is_nothing_of_ours_is_not_recognised(head: bytes):
    with pytest.raises(RecordError, match="no format is recognised"):
        foreign.recognised(head)


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.tsv"])
def test_a_table_is_known_by_its_name_too(shell, tmp_path: Path, name: str):
    """Its first row may name no key of ours."""
    plain = name.removesuffix(".gz")
    (tmp_path / plain).write_text(
        "question\tanswer\nWho?\tAnn\n" if plain == "a.tsv" else "question,answer\nWho?,Ann\n"
    )
    made = shell(
        f"gzip -k {plain}; dt-convert --lang en {name} --field text=question | jq -c '[.text, .answer]'"
    )
    assert made.out == '["Who?","Ann"]\n' and f"{name}: recognised as {plain[2:]}" in made.err


@pytest.mark.parametrize(
    "text, filter",
    [
        ('{\n "dialogue": "Ann: Hi"\n}\n', "jq -c ."),
        ('["Ann: Hi"]\n["Bob: Ho"]\n', "jq -c '{dialogue: .}'"),
        ("\ufeffAnn: Hi\nBob: Ho\n", "jq -Rsc '{dialogue: .}'"),
    ],
)
def test_the_way_out_that_is_told_leads_to_records(shell, tmp_path: Path, text: str, filter: str):
    with pytest.raises(RecordError, match=re.escape(filter)):
        foreign.recognised(text.encode())
    (tmp_path / "file").write_text(text)
    found = [
        json.loads(line)["dialogue"]
        for line in shell(f"{filter} file | dt-convert -q").out.splitlines()
    ]
    assert dialogue.turns({"dialogue": found[0]})[0] == {"speaker": "Ann", "text": "Hi"}


@each_row("head, place", [(b"\xff\xfe{\x00", "1"), ("a;b\n1;né\n".encode("latin-1"), "2")])
def test_what_is_no_text_of_ours_is_called_so(head: bytes, place: str):
    """To say --from would not help; the last character of a head may be cut off."""
    with pytest.raises(RecordError, match="^.: not UTF-8: byte 0x") as caught:
        foreign.recognised(head)
    assert caught.value.place == place
    with pytest.raises(RecordError, match="no format is recognised"):
        foreign.recognised("né".encode()[:-1])


@each_row(
    "keys",
    [
        ["id", "dialogue", "summary"],
        ["id", "dialogue", "summary", "lang"],
        ["dialogue", "summary"],
        ["id", "dialogue", "summary", "prediction"],
    ],
)
def test_records_with_a_summary_stay_as_they_are(keys: list[str]):
    """They may be anybody's; under "summary" there may be a prediction."""
    assert foreign.recognised(json.dumps(dict.fromkeys(keys, "A: b")).encode() + b"\n") == "jsonl"


@each_row(
    "name, file",
    [
        (name, file)
        for name, file in SAMPLES
        if "lang" in registry.options(registry.load("formats", name).call)
    ],
)
def test_the_language_of_a_data_set_is_that_of_items_that_name_none(name: str, file: str):
    """It was that of all, whatever an item and --lang said.  We have no data of vi: any script will do."""
    placed = foreign.items_of(name, "vi", lambda *what: None, [str(CASES / file)])
    found = list(validated(placed, make=lambda found: Mapping().record((1, 0, found.item))))
    assert found and {record["lang"] for record in found} == {"vi"}
    converted = dialtools.convert(str(CASES / file), source=f"{name}:lang=vi")
    assert list(map(without_made, converted)) == list(map(without_made, found))
    item = '{"id": "1", "fname": "1", "lang": "hi", "dialogue": "A: b", "summary": "c"}'
    if name in ("samsum", "dialogsum"):
        assert [
            record["lang"] for record in records(item, registry.load("formats", name).call)
        ] == ["hi"]


@each_row("name", [name for name in registry.names("formats") if name != "sacrebleu"])
@each_row("data", [b"", b"\n", BOM])
def test_nothing_has_no_records(name: str, data: bytes):
    found = list(registry.load("formats", name).call(io.BytesIO(data)))
    # where a blank line is an empty text
    assert len(found) == (name in ("lines", "chbias") and data == b"\n")


def test_help_names_the_formats_that_can_be_written():
    told = next(option for option in command.main.params if option.name == "format")
    assert told.type.get_metavar(told) == "[conllu|csv|jsonl|samsum|tsv]"
    assert "[conllu|csv|jsonl|samsum|tsv]" in " ".join(
        command.main.get_help(click.Context(command.main)).split()
    )


@each_row(
    "change, by",
    [
        (partial(dialtools.perturb, kind=["typo.case:rate=1"]), "dt-perturb"),
        (partial(dialtools.perturb, kind=["dialogue.closing"]), "dt-perturb"),
        (dialtools.swap_names, "dt-swap-names"),
    ],
)
@each_row("as_list", [False, True])
def test_a_last_turn_that_was_changed_is_no_reference(change, by: str, as_list: bool):
    """Each variant would have another one; what was undone, or stands before it, does not matter."""
    source = {"id": 1, "lang": "en", "dialogue": "Ann: hello there\nBob: hello Ann"}
    source |= {"dialogue": dialogue.turns(source)} if as_list else {}
    changed = list(change([source]))
    with pytest.raises(
        RecordError, match=f"the last turn, .* was changed by {by}: cut dialogues first"
    ):
        list(cuts.before_last(changed))
    back = getattr(dialtools, by[3:].replace("-", "_"))(changed, restore=True)
    assert next(cuts.before_last(back))["reference"] == "hello Ann"
    greeted = dialtools.perturb([source], kind=["dialogue.greeting"])
    assert next(cuts.before_last(greeted))["reference"] == "hello Ann"


@each_row("said", ["", "Ann: Hi", "Ann: Hi\nBob: "])
def test_a_dialogue_that_nobody_ends_has_no_next_response(said: str):
    with pytest.raises(
        RecordError, match="no next response: it needs two turns, the last with a text"
    ):
        list(cuts.before_last([{"id": 1, "dialogue": said}]))


def test_tokens_of_the_old_reference_go_with_it():
    source = {
        "id": 1,
        "dialogue": "Ann: Hi\nBob: Yes",
        "reference": "No",
        "reference_tokens": [{"form": "No"}],
    }
    assert list(cuts.before_last([source])) == [
        {"id": 1, "dialogue": "Ann: Hi", "reference": "Yes"}
    ]
    assert list(source) == ["id", "dialogue", "reference", "reference_tokens"]


def test_options_are_the_functions_parameters():
    parameters = inspect.signature(command.convert).parameters.values()
    own = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    options = {option.name for option in command.main.params}
    assert own and own <= options


@given(tables)
def test_tables_give_the_same_records_back(table: list[dict]):
    assert records("".join(csv.write(table)), csv.read) == table
    assert records("".join(tsv.write(table)), tsv.read) == table
    assert records("".join(jsonl.write(table)), jsonl.read) == table


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "id": st.integers() | st.text(plain),
                "reference": st.text(plain),
                "dialogue": st.text(plain).map("A: ".__add__),
            }
        )
    )
)
def test_samsum_gives_the_same_records_back(found: list[dict]):
    assert records("".join(samsum.FORMAT.write(found)), samsum.FORMAT.read) == [
        record | {"lang": "en"} for record in found
    ]


def test_tables_are_plain_where_strings_are_all():
    table = [
        {"id": "1", "text": 'a "b",\nc', "note": ""},
        {"id": "1", "variant": "names:1", "text": "", "note": "x"},
    ]
    assert list(csv.write(table)) == [
        "id,text,note,variant\n",
        '1,"a ""b"",\nc",,\n',
        "1,,x,names:1\n",
    ]
    assert list(tsv.write(table)) == [
        "id\ttext:json\tnote\tvariant\n",
        '1\t"a \\"b\\",\\nc"\t\t\n',
        '1\t""\tx\tnames:1\n',
    ]


def test_an_empty_cell_is_an_empty_text():
    """It was no key at all, and the output of a system that said nothing was "no prediction"."""
    table = [{"id": "1", "output": ""}, {"output": "Hi"}]
    assert records("id,variant,output\n1,,\n,,Hi\n", csv.read) == table
    assert records("id\tvariant\toutput\n1\t\t\n\t\tHi\n", tsv.read) == table
    assert list(csv.write([{"id": "1", "text": "a"}, {"id": "2"}])) == [
        "id,text:json\n",
        '1,"""a"""\n',
        "2,\n",
    ]


class Pipe(io.BytesIO):
    """A file that can be read once, and tells how many lines of it were."""

    lines = 0

    def seekable(self) -> bool:
        return False

    def seek(self, *place: int) -> int:
        raise OSError("a pipe cannot seek")

    def __next__(self) -> bytes:
        self.lines += 1
        return super().__next__()


@each_row("format, delimiter", [(csv, ","), (tsv, "\t")])
@each_row("of", [io.BytesIO, Pipe])
def test_a_column_of_numbers_holds_numbers(of: type, format, delimiter: str):
    """And one with a word among them, or a zero before them, texts."""
    rows = [
        ["id", "label", "some", "zip", "rating", "text", "empty"],
        ["1", "0", "2", "010", "4", "7", ""],
        ["2", "1", "n/a", "20", "", "8", ""],
        ["3", "1", "3.5", "30", "-1.50", "9", ""],
        ["4", "0", "4", "40", " 123456789012345678901", "9", ""],
    ]
    table = "".join(delimiter.join(row) + "\n" for row in rows)
    remarks = Remarks()
    made = list(items.sound(format.read(of(table.encode()), note=remarks.note)))
    assert remarks.counts() == ["numbers in rating"]
    assert [row.get("rating") for _, row in made] == [4, None, -1.5, 123456789012345678901]
    assert "rating" not in made[1][1]
    assert made[0] == ("2", {**dict(zip(rows[0], rows[1], strict=True)), "rating": 4})
    kept = format.read(of(table.encode()), texts="zip+rating", declared=["some"])
    assert [row["rating"] for _, row in kept][:2] == ["4", ""]


def test_a_table_without_numbers_is_read_line_by_line():
    pipe = Pipe(b"id,text,note\n1,a,x\n2,b,\n3,c,5\n")
    found = csv.read(pipe)
    assert next(found) == ("2", {"id": "1", "text": "a", "note": "x"}) and pipe.lines == 2
    assert len(list(found)) == 2


def test_what_stands_in_columns_of_numbers_is_told_and_columns_of_fields_stay_texts(
    shell, tmp_path: Path
):
    (tmp_path / "in.csv").write_text("nr,out,rating,year\n07,42,4,2024\n8,43,,2025\n")
    line = "dt-convert --lang en --field id=nr --field prediction=out in.csv"
    made = shell(f"{line} -o out.jsonl; jq -c '[.id, .prediction, .rating, .year]' out.jsonl")
    assert made.out == '["07","42",4,2024]\n["8","43",null,2025]\n'
    assert made.err.endswith("dt-convert: 2 records, numbers in rating, year\n")
    joined = shell(
        "jq -c '{id, lang}' out.jsonl | "
        "dt-join --with in.csv --on id --field id=nr --field prediction=out | "
        "jq -c '[.id, .prediction, .rating, .year]'"
    )
    assert joined.out == made.out and "numbers in rating, year" in joined.err
    (one, _) = dialtools.convert(
        tmp_path / "in.csv", field=["id=nr", "prediction=out"], set=["lang=en"]
    )
    assert (one["prediction"], one["rating"]) == ("42", 4)


def test_a_tsv_column_cannot_have_a_tab_in_its_name():
    with pytest.raises(RecordError, match="no column can be called"):
        list(tsv.write([{"id": "1", "a\tb": "x"}]))


@each_row(
    "path, value",
    [
        ("a", {"b": [1, {"c": None}]}),
        ("a.b.0", 1),
        ("a.b.1.c", None),
        ("a.b", [1, {"c": None}]),
        ("x.y", 5),
        ("x", {"y": 6}),
        ("x.z.0", 8),
        ("x.z", 7),
    ],
)
def test_paths(path: str, value: object):
    """What is left of a path is looked for whole, at each step."""
    item = {"a": {"b": [1, {"c": None}]}, "x.y": 5, "x": {"y": 6}, "x.z": 7, "x.z.0": 8}
    assert mapping.at(item, path) == value


@each_row(
    "path",
    [
        "b",
        "a.c",
        "a.b.2",
        "a.b.-1",
        "a.b.x",
        "a.b.0.c",
        "",
        "a.",
        "a.b.²",
        "s.0",
        "a.b." + 5000 * "9",
    ],
)
def test_paths_that_lead_nowhere(path: str):
    with pytest.raises(RecordError, match="^no "):
        mapping.at({"a": {"b": [1, {"c": None}]}, "s": "xyz"}, path)


@each_row(
    "field, item, record",
    [
        (["text=t"], {"id": 1, "t": "a"}, {"text": "a", "id": 1}),
        (["text=t", "context=t"], {"t": "a"}, {"text": "a", "context": "a"}),
        (["text=o.t"], {"o": {"t": "a"}}, {"text": "a", "o": {"t": "a"}}),
        (
            ["text=context", "context=text"],
            {"text": "a", "context": "b"},
            {"text": "b", "context": "a"},
        ),
        (["text=t"], {"t": "a", "text": "b"}, {"text": "a"}),
        (
            ["dialogue.text=t"],
            {"dialogue": [{"speaker": "A", "t": "a"}]},
            {"dialogue": [{"text": "a", "speaker": "A"}]},
        ),
        (
            ["dialogue=log", "dialogue.text=t"],
            {"log": [{"t": "a", "speaker": "A"}]},
            {"dialogue": [{"text": "a", "speaker": "A"}]},
        ),
        (
            ["dialogue.text=1", "dialogue.speaker=0"],
            {"dialogue": [["A", "a"]]},
            {"dialogue": [{"text": "a", "speaker": "A"}]},
        ),
        ([], {"dialogue": []}, {"dialogue": []}),
        (
            [],
            {"dialogue": ["Ann: Hi", "Bob: at 10:30:\nbe there", "Ann: ok"]},
            {
                "dialogue": [
                    {"speaker": "Ann", "text": "Hi"},
                    {"speaker": "Bob", "text": "at 10:30:\nbe there"},
                    {"speaker": "Ann", "text": "ok"},
                ]
            },
        ),
        (
            [],
            {"dialogue": ["Ann: Hi", "Hi"]},
            {
                "dialogue": [
                    {"speaker": "#Person1#", "text": "Ann: Hi"},
                    {"speaker": "#Person2#", "text": "Hi"},
                ]
            },
        ),
        (
            [],
            {"dialogue": [{"text": "a"}] * 3},
            {"dialogue": [{"speaker": f"#Person{n}#", "text": "a"} for n in (1, 2, 1)]},
        ),
    ],
)
def test_fields(field: list[str], item: dict, record: dict):
    given_item = json.dumps(item)
    made = Mapping(field).record((1, 0, item))
    assert made == record and list(made) == list(record)
    assert json.dumps(item) == given_item


@each_row(
    "item, told",
    [
        ({"dialogue": ["Hi", "Yes"]}, ["numbered_speakers"]),
        ({"dialogue": [{"text": "Hi"}]}, ["numbered_speakers"]),
        ({"dialogue": ["A: Hi"]}, []),
        ({"dialogue": []}, []),
        ({"dialogue": [{"speaker": "A", "text": "Hi"}]}, []),
        ({"dialogue": ["A: Hi", "so", "B: Yes"]}, ["some_labels", "numbered_speakers"]),
        ({"dialogue": ["Hi", "No: so"]}, ["numbered_speakers"]),
        ({"dialogue": [{"text": "Hi", "speaker": None}, {"text": "Yes"}]}, ["numbered_speakers"]),
        ({"scores": {"a": 1}}, []),
        ({"talk": ["A: Hi"]}, ["without_text"]),
        ({"a man": "female", "1": "2"}, ["without_text"]),
        ({"reference": "a"}, []),
        ({"dialogue": None, "text": None}, ["without_text"]),
        ({"reference": ["['a']"]}, []),
        ({"dialogue": "A: Hi\\nB: Ho"}, ["one_line"]),
        ({"dialogue": " A: Hi B: Ho\n"}, ["one_line"]),
        ({"dialogue": "A: Hi\nB: Ho: a"}, []),
        ({"dialogue": "A: at 10:30, B:"}, []),
        *(
            ({"reference": made}, ["lists_as_strings"])
            for made in ("['One.', 'Two.']", '["One.", "Two."]')
        ),
    ],
)
def test_what_an_item_lacks_is_told(item: dict, told: list[str]):
    """A list whose first turn has a label, and not each, would as one text be lines that go on with the turn before."""
    heard: list[str] = []
    Mapping(note=heard.append).record((1, 0, item))
    assert heard == told


@each_row("key, value", [("context", [["a"]]), ("tokens", "['a']"), ("system", 3)])
def test_a_key_that_means_something_else_is_told_a_way_out(key: str, value: object):
    with pytest.raises(RecordError, match=f"; --field OTHER={key} keeps it as OTHER"):
        Mapping().record((1, 0, {"text": "a", key: value}))
    assert Mapping([f"other={key}"]).record((1, 0, {"text": "a", key: value})) == {
        "text": "a",
        "other": value,
    }
    with pytest.raises(RecordError) as caught:
        Mapping([f"{key}=other"]).record((1, 0, {"text": "a", "other": value}))
    assert "--field" not in str(caught.value)


def test_lists_of_turns_are_told_a_way_out():
    assert foreign.recognised(b'[["Hi", "Yes"]]') == "json"
    with pytest.raises(
        RecordError, match=r"not \[.*; jq -c '.\[\] \| {dialogue: .}' makes objects"
    ):
        records('[["Hi", "Yes"]]', registry.load("formats", "json").call)


def test_a_turn_that_is_a_string_among_objects_is_refused():
    with pytest.raises(RecordError, match="turn 1 is no object"):
        Mapping().record((1, 0, {"dialogue": ["Hi", {"text": "Yes"}]}))


def test_a_speaker_that_is_null_is_none():
    item = {"dialogue": [{"text": "Hi", "speaker": None}, {"text": "Yes", "at": 2}]}
    made = Mapping().record((1, 0, item))
    assert list(map(list, made["dialogue"])) == [["speaker", "text"], ["speaker", "text", "at"]]
    assert [turn["speaker"] for turn in made["dialogue"]] == ["#Person1#", "#Person2#"]


def test_an_empty_array_is_recognised():
    assert foreign.recognised(b"[]\n") == "json"


def test_nobody_is_made_up_where_others_have_speakers():
    with pytest.raises(RecordError, match='turn 2 has no "speaker"'):
        Mapping().record((1, 0, {"dialogue": [{"speaker": "A", "text": "a"}, {"text": "b"}]}))


@each_row("field", [["text"], ["=a"], [""], ["="], ["text:a"], ["text=a", "id=b", "text=c"]])
def test_fields_of_another_shape_are_refused_at_the_call(field: list[str]):
    with pytest.raises(OptionError, match='field={"KEY": "PATH"} is wanted'):
        dialtools.convert("missing", field=field)


@pytest.mark.parametrize(
    "name, text, wrong",
    [
        ("csv", 'id,text\n1,a\n2\n3,"b"c\n4,d\n', ["csv:3: 1 cells", "csv:4: a malformed row"]),
        ("tsv", "id\tn:json\n1\t2\n2\t{\n4\t5\n", ['tsv:3: column "n:json"']),
        (
            "jsonl",
            '{"id": 1}\n{"id": \n[]\n{"id": 4}\n',
            ["jsonl:2: not JSON", "jsonl:3: a record is"],
        ),
        ("json", '[{"id": 1}, [], {"id": 4}]', ["json:item 2: an item must be"]),
        (
            "samsum",
            '[{"id": 1, "dialogue": "A: b", "summary": ""}, {"id": 2}, '
            '{"id": 4, "dialogue": "A: b", "summary": ""}]',
            ['samsum:item 2: no "dialogue"'],
        ),
    ],
)
def test_what_is_wrong_by_itself_can_be_passed_over(
    shell, tmp_path: Path, name: str, text: str, wrong: list[str]
):
    (tmp_path / f"in.{name}").write_text(text)
    made = shell(f"dt-convert --lang en --on-error skip --from {name} in.{name} | jq -c .id")
    assert [line.strip('"') for line in made.out.splitlines()] == ["1", "4"]
    told = made.err.splitlines()
    assert all(part in line for part, line in zip(wrong, told))
    assert f"dt-convert: 2 records, {len(wrong)} record{'s' * (len(wrong) > 1)} failed" in made.err
    assert shell(f"dt-convert --lang en -q --from {name} in.{name}").err.startswith(
        "dt-convert: in." + wrong[0]
    )


@each_row("option", ["next_response", "continuity"])
def test_a_prediction_of_a_dialogue_that_is_cut_does_not_stay(tmp_path: Path, option: str):
    record = {"id": "1", "lang": "en", "dialogue": "Ann: Hi\nBob: Yes", "prediction": "p"}
    (tmp_path / "in.jsonl").write_text(json.dumps({**record, "scores": {"f1": 1}}) + "\n")
    path = str(tmp_path / "in.jsonl")
    assert next(dialtools.convert(path))["prediction"] == "p"
    with pytest.raises(RecordError, match="cut dialogues before dt-generate"):
        list(dialtools.convert(path, **{option: True}))
    for cut in dialtools.convert(path, overwrite=True, **{option: True}):
        assert not {"prediction", "scores"} & cut.keys()


def test_columns_of_several_systems_are_records_of_one_id():
    fields = ["reference=ref", "prediction:bart=out1", "prediction:t5=out2", "note:t5=why"]
    wanted = Mapping(fields, ["lang=en"])
    rows = [("2", {"ref": "a", "out1": "b", "out2": "", "why": "?", "topic": "x"})]
    assert [wanted.record(item) for _, item in wanted.items(rows)] == [
        {
            "id": "1",
            "reference": "a",
            "prediction": "b",
            "topic": "x",
            "lang": "en",
            "system": "bart",
        },
        {
            "id": "1",
            "reference": "a",
            "prediction": "",
            "note": "?",
            "topic": "x",
            "lang": "en",
            "system": "t5",
        },
    ]


@each_row(
    "field, set",
    [(["prediction:=a"], []), ([":bart=a"], []), (["prediction:bart=a"], ["system=t5"])],
)
def test_systems_without_a_name_are_refused(field: list[str], set: list[str]):
    with pytest.raises(OptionError, match='field={"KEY:SYSTEM": "COLUMN"}'):
        dialtools.convert("missing", field=field, set=set)


def test_a_format_may_be_a_function_of_the_users_own(tmp_path: Path):
    (tmp_path / "a.txt").write_text("Hi\nBye\n")
    file = str(tmp_path / "a.txt")

    def shout(file):
        return ((str(n), {"text": line.decode().strip().upper()}) for n, line in enumerate(file, 1))

    found = list(dialtools.convert(file, source=shout, set=["lang=en"]))
    assert list(map(without_made, found)) == [
        {"id": "1", "text": "HI", "lang": "en"},
        {"id": "2", "text": "BYE", "lang": "en"},
    ]
    assert {record["history"][0]["signature"].partition("|v")[0] for record in found} == {
        "shout|set:lang"
    }
    assert list(dialtools.convert(file, source=shout, format="tsv")) == [
        "id\ttext\n",
        "1\tHI\n",
        "2\tBYE\n",
    ]
    with pytest.raises(RecordError, match=r'a.txt:line 7: "text" is a string, here is 1'):
        list(dialtools.convert(file, source=lambda file: [("line 7", {"text": 1})]))


def test_standard_input_stays_open(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"id": 1}\n')))
    assert list(dialtools.convert()) == [{"id": 1}]
    assert not sys.stdin.buffer.closed
