"""dt-join: what belongs together finds its record, by id and variant or by keys of one's own."""

import json

import pytest

import dialtools
from dialtools.system.errors import RecordError

RECORDS = [
    {"id": id, "lang": "en", **({"variant": variant} if variant else {})}
    for id in (1, 2)
    for variant in (None, "names:1", "names:2")
]


def outputs(*rows: tuple) -> list[dict]:
    return [{"id": id, "variant": variant, "prediction": text} for id, variant, text in rows]


def test_variants_get_their_own_outputs():
    rows = outputs(
        *(
            (record["id"], record.get("variant"), f"text {number}")
            for number, record in enumerate(RECORDS)
        )
    )
    joined = list(dialtools.join(RECORDS, reversed(rows)))
    assert [record["prediction"] for record in joined] == [f"text {number}" for number in range(6)]
    assert [record.get("variant") for record in joined] == [
        record.get("variant") for record in RECORDS
    ]


def test_a_row_is_a_dict():
    for by in ("line", "key"):
        with pytest.raises(RecordError, match='a row is a dict, .*here is "They greet."'):
            list(dialtools.join(RECORDS, ["They greet."], by=by))


def test_a_row_without_variant_is_that_of_the_original_alone():
    joined = list(
        dialtools.join(
            RECORDS, [{"id": "1", "label": "good"}, {"id": "2", "variant": "", "label": "bad"}]
        )
    )
    assert [record.get("label") for record in joined] == ["good", None, None, "bad", None, None]
    assert [record["history"][-1]["counts"] for record in joined[:2]] == [
        {"joined": 1},
        {"without_a_row": 1},
    ]
    assert len(list(dialtools.join(RECORDS, [{"id": 1, "label": "good"}], inner=True))) == 1


def test_what_belongs_to_the_source_is_joined_by_id_alone():
    joined = list(
        dialtools.join(RECORDS, [{"id": 1, "label": "good"}, {"id": 2, "label": "bad"}], on=["id"])
    )
    assert [record["label"] for record in joined] == ["good"] * 3 + ["bad"] * 3


def test_paths_are_keys():
    record = {"id": 1, "lang": "en", "meta": {"source": "a-7"}}
    (joined,) = dialtools.join(
        [record], [{"meta": {"source": "a-7"}, "rating": 4}], on=["meta.source"]
    )
    assert joined["rating"] == 4


def test_scores_are_joined_label_by_label_and_histories_keep_both():
    one = {
        "id": 1,
        "lang": "en",
        "scores": {"rouge1": 0.5},
        "history": [{"by": "a", "signature": "a"}],
    }
    other = {
        "id": 1,
        "scores": {"human": 4},
        "history": [*one["history"], {"by": "b", "signature": "b"}],
    }
    (joined,) = dialtools.join([one], [other])
    assert joined["scores"] == {"rouge1": 0.5, "human": 4}
    assert [entry["by"] for entry in joined["history"]] == ["a", "b", "dt-join"]
    with pytest.raises(
        RecordError, match='another "rouge1" is there already: 0.5; overwrite=True replaces it'
    ):
        list(dialtools.join([one], [{"id": 1, "scores": {"rouge1": 0.6}}]))
    (joined,) = dialtools.join([one], [{"id": 1, "scores": {"rouge1": 0.6}}], overwrite=True)
    assert joined["scores"] == {"rouge1": 0.6}


def test_several_systems_make_a_record_each(shell, tmp_path):
    rows = [{"id": 1, "system": name, "prediction": name.upper()} for name in ("bart", "t5")]
    joined = list(dialtools.join(RECORDS[:1], rows))
    assert [(one["id"], one["system"], one["prediction"]) for one in joined] == [
        (1, "bart", "BART"),
        (1, "t5", "T5"),
    ]
    own = [{"id": 1, "lang": "en", "system": "t5"}]
    assert [one["prediction"] for one in dialtools.join(own, rows)] == ["T5"]
    (tmp_path / "out.csv").write_text("id,out1,out2\n1,a,\n9,x,y\n")
    made = shell(
        'echo \'{"id": 1, "lang": "en"}\' | dt-join --with out.csv --field prediction:bart=out1 '
        "--field prediction:t5=out2 | jq -c 'del(.history, .lang)'"
    )
    assert made.out.splitlines() == [
        '{"id":1,"prediction":"a","system":"bart"}',
        '{"id":1,"prediction":"","system":"t5"}',
    ]
    assert "2 rows without a record" in made.err


def test_nothing_is_joined_by_chance():
    with pytest.raises(
        RecordError, match='two rows for id "1", variant none; on="KEY" joins by another key'
    ):
        list(dialtools.join(RECORDS, [{"id": 1, "a": 1}, {"id": "1", "a": 2}]))
    with pytest.raises(RecordError, match='no "id", by which rows are joined'):
        list(dialtools.join(RECORDS, [{"name": "x", "a": 1}]))


def test_files_of_any_kind(shell, tmp_path):
    dialtools.write(RECORDS, tmp_path / "in.jsonl")
    (tmp_path / "in.csv").write_text("id,text\n1,Hi\n2,Bye\n")
    (tmp_path / "out.tsv").write_text("id\tvariant\toutput\n1\t\tx\n1\tnames:2\ty\n9\t\tz\n")
    made = shell(
        "dt-join --with out.tsv --field prediction=output --unmatched left.jsonl in.jsonl | jq -c .prediction"
    )
    assert made.out.split() == ['"x"', "null", '"y"', "null", "null", "null"]
    assert made.err.splitlines() == [
        "dt-join: 6 records, 2 records joined, 4 records without a row, 1 row without a record"
    ]
    left = [json.loads(line) for line in (tmp_path / "left.jsonl").read_text().splitlines()]
    assert [row["unmatched"] for row in left] == ["record"] * 4 + ["row"] and left[-1]["id"] == "9"
    made = shell(
        "dt-join --with out.tsv --field prediction=output --lang en -q in.csv | jq -c '[.text, .prediction]'"
    )
    assert made.out.split() == ['["Hi","x"]', '["Bye",null]']
    (tmp_path / "in.jsonl").write_text(
        '{"id": 1, "lang": "en", "text": "Ho"}\n{"id": 2, "lang": "en"}\n'
    )
    made = shell("dt-join --with in.csv --on-error skip in.jsonl | jq -c .text")
    assert made.out == '"Bye"\n' and 'another "text" is there already: "Ho"' in made.err


def test_a_history_that_is_none_is_not_joined():
    """The history of a dialogue, say, is often a column of this name."""
    record = {"id": "1", "history": [{"by": "dt-generate"}]}
    (joined,) = dialtools.join([record], [{"id": "1", "history": None}])
    assert [entry["by"] for entry in joined["history"]] == ["dt-generate", "dt-join"]
    with pytest.raises(RecordError, match='"history" is a list of objects.*here is "Hi!"'):
        list(dialtools.join([record], [{"id": "1", "history": "Hi!"}]))


@pytest.mark.parametrize(
    "line, told, status",
    [
        ("dt-join in.csv", "Missing option '--with'", 2),
        ("dt-join --with - < in.csv", "both standard input", 2),
        ("dt-join --with nothing.csv in.csv", "nothing.csv: No such file", 5),
        ("dt-join --with twice.csv in.csv --lang en", 'twice.csv:3: two rows for id "1"', 3),
        ("dt-join --with in.csv --field a=b in.csv --lang en", 'in.csv:2: no "b"', 3),
    ],
)
def test_what_cannot_be_joined_is_one_line(shell, tmp_path, line: str, told: str, status: int):
    (tmp_path / "in.csv").write_text("id,text\n1,Hi\n")
    (tmp_path / "twice.csv").write_text("id,text\n1,Hi\n1,Bye\n")
    made = shell(line)
    assert (
        told in made.err and made.err.count("\n") == 1 and (made.out, made.status) == ("", status)
    )


def test_rows_of_which_none_is_of_a_record_are_said(shell, tmp_path):
    (tmp_path / "in").write_text('{"id": "a", "lang": "en", "variant": "names:1"}\n')
    (tmp_path / "out.csv").write_text("id,variant,output\na,1,hello\n")
    told = shell("dt-join --with out.csv in").err.splitlines()
    assert told[-1] == (
        'dt-join: no row of out.csv is of a record: the first record has id "a", variant "names:1", '
        'the first row id "a", variant "1"'
    )
    (tmp_path / "out.csv").write_text("id,variant,output\na,names:1,hello\nb,,x\n")
    assert "no row of" not in shell("dt-join --with out.csv in").err


def test_what_was_made_of_a_replaced_value_is_dropped():
    """Else the scores of one output would stand beside another."""
    scored = {
        "id": "1",
        "lang": "en",
        "text": "Hi",
        "reference": "r",
        "prediction": "old",
        "delays": [1],
        "scores": {"f1": 0.1},
    }
    for row, kept in (
        ({"text": "Ho"}, {"reference"}),
        ({"prediction": "new"}, {"text", "reference"}),
        ({"reference": "other"}, {"text", "prediction", "delays"}),
        ({"prediction": "old", "topic": "x"}, {*scored} - {"id", "lang"}),
        ({"prediction": "new", "scores": {"bleu": 2}}, {"text", "reference"}),
    ):
        (joined,) = dialtools.join([scored], [{"id": "1", **row}], overwrite=True)
        assert {*joined} == {"id", "lang", "history", *kept, *row}
        assert all(joined[key] == row.get(key, scored.get(key)) for key in {*kept, *row})


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Three records, of two sources, and files of outputs beside them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.jsonl").write_text(
        '{"id": 1, "lang": "en", "text": "a"}\n\n'
        '{"id": 1, "variant": "names:1", "lang": "en", "text": "b"}\n'
        '{"id": 2, "lang": "ja", "text": "茶"}\n'
    )
    (tmp_path / "bart.txt").write_text("\ufeffAnn eats.\r\n\r\nお茶。")
    (tmp_path / "two=t5.out").write_text("x\n{y}\nz\u2028z\n")
    (tmp_path / "rows.jsonl").write_text(
        '{"prediction": ["p", "q"], "delays": [1]}\n{"prediction": "r"}\n{"prediction": "s"}\n'
    )
    (tmp_path / "table.csv").write_text("out1;out2\na;b\nc;d\ne;f\n")
    (tmp_path / "short.txt").write_text("x\ny\n")
    (tmp_path / "long.txt").write_text("x\ny\nz\n\n")
    return tmp_path


@pytest.mark.parametrize(
    "given, joined",
    [
        (
            "--with bart.txt",
            [
                [1, None, "bart", "Ann eats."],
                [1, "names:1", "bart", ""],
                [2, None, "bart", "お茶。"],
            ],
        ),
        (
            "--with B=bart.txt --with two=t5.out",
            [
                [1, None, "B", "Ann eats."],
                [1, "names:1", "B", ""],
                [1, None, "two=t5", "x"],
                [1, "names:1", "two=t5", "{y}"],
                [2, None, "B", "お茶。"],
                [2, None, "two=t5", "z\u2028z"],
            ],
        ),
        (
            "--with rows.jsonl",
            [[1, None, "rows", ["p", "q"]], [1, "names:1", "rows", "r"], [2, None, "rows", "s"]],
        ),
        (
            "--with table.csv --field prediction:x=out1 --field prediction:y=out2",
            [
                [1, None, "x", "a"],
                [1, "names:1", "x", "c"],
                [1, None, "y", "b"],
                [1, "names:1", "y", "d"],
                [2, None, "x", "e"],
                [2, None, "y", "f"],
            ],
        ),
    ],
)
def test_outputs_are_joined_by_their_position(shell, files, given: str, joined: list):
    done = shell(
        f"dt-join -q --by line {given} in.jsonl | jq -c '[.id,.variant,.system,.prediction]'"
    )
    assert [json.loads(line) for line in done.out.split("\n")[:-1]] == joined
    ordered = shell(f"dt-join -q --by line {given} in.jsonl | dt-select --explode")
    assert ordered.status == 0  # the variants of a source stand together


@pytest.mark.parametrize(
    "line, told, status",
    [
        ("--with short.txt", "record 3, but 2 rows to join by line", 3),
        ("--with long.txt", "4 rows to join by line, but 3 records", 3),
        ("--with bart.txt --with short.txt", "bart.txt has 3, short.txt has 2", 3),
        ("--with bart.txt --with ./bart.txt", 'two files of system "bart": SYSTEM=FILE', 3),
        ("--with bart.txt --on-error skip", "--by line needs every record", 2),
        ("--with bart.txt --on id", "--by line joins without any", 2),
        ("--with nothing.txt", "nothing.txt: No such file", 5),
    ],
)
def test_outputs_that_are_not_as_many_as_records_are_refused(
    shell, files, line: str, told: str, status: int
):
    done = shell(f"dt-join -q --by line {line} in.jsonl -o out.jsonl")
    assert told in done.err and done.status == status and not (files / "out.jsonl").exists()
    if "long" in line:
        assert shell(f"dt-join -q --by line {line} --limit 2 in.jsonl | wc -l").out.strip() == "2"


def test_several_files_are_several_systems(shell, files):
    for name, text in (("bart", "x"), ("t5", "y")):
        rows = [{"id": id, "variant": v, "prediction": text} for id, v in ((1, None), (2, None))]
        dialtools.write(rows, files / f"{name}.jsonl")
    done = shell("dt-join -q --inner --with bart.jsonl --with T=t5.jsonl in.jsonl")
    joined = [json.loads(line) for line in done.out.splitlines()]
    assert [(row["id"], row["system"], row["prediction"]) for row in joined] == [
        (1, "bart", "x"),
        (1, "T", "y"),
        (2, "bart", "x"),
        (2, "T", "y"),
    ]


def test_conversion_takes_outputs_by_their_position(shell, files):
    line = "dt-convert -q --lines bart.txt --lines t5=short.txt"
    assert "bart.txt has 3, short.txt has 2" in shell(f"{line} in.jsonl").err
    (files / "short.txt").write_text("x\ny\nz\n")
    done = shell(f"{line} in.jsonl | jq -c '[.id,.system,.prediction]'")
    assert [json.loads(row)[1:] for row in done.out.splitlines()] == [
        ["bart", "Ann eats."],
        ["bart", ""],
        ["t5", "x"],
        ["t5", "y"],
        ["bart", "お茶。"],
        ["t5", "z"],
    ]
    made = list(dialtools.convert("in.jsonl", lines=["bart.txt"]))
    assert [record["prediction"] for record in made] == ["Ann eats.", "", "お茶。"]
    assert all("|lines:" in record["history"][-1]["signature"] for record in made)
    assert "--lines needs every record" in shell(f"{line} --shard 1/2 in.jsonl").err
    assert (
        'another "prediction"'
        in shell(f"{line} in.jsonl | dt-convert -q --lines a=<(yes | head -n 6)").err
    )


def test_python_joins_rows_by_position():
    records = [{"id": "1", "lang": "en"}, {"id": "2", "lang": "en"}]
    rows = [{"prediction": "a"}, {"prediction": "b"}]
    joined = list(dialtools.join(records, rows, by="line"))
    assert [record["prediction"] for record in joined] == ["a", "b"]
    with pytest.raises(RecordError, match="3 rows to join by line, but 2 records"):
        list(dialtools.join(records, [*rows, {"prediction": "c"}], by="line"))


def test_rows_by_line_with_other_ids_are_counted(shell, tmp_path):
    """They may stand in another order than the records."""
    records = "".join(f'{{"id": {n}, "lang": "en", "text": "a"}}\n' for n in (1, 2, 3))
    rows = "".join(f'{{"id": {n}, "prediction": "b"}}\n' for n in ("1", "3", "2"))
    (tmp_path / "in.jsonl").write_text(records)
    (tmp_path / "rows.jsonl").write_text(rows)
    result = shell("dt-join --by line --with rows.jsonl in.jsonl")
    assert result.status == 0 and "2 rows of another id or variant" in result.err
