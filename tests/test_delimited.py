"""Tables of text as spreadsheets and libraries write them: delimiters, encodings, decimals, what is odd and damaged."""

import io
import json
from pathlib import Path

import pytest
from table_tests import each_row

import dialtools
from dialtools.conversion import foreign, items
from dialtools.conversion.rows import Remarks
from dialtools.formats.general import csv, tsv
from dialtools.system.errors import OptionError, RecordError

QUIRKS = 'sep=;\r\nid;text;rating;;\r\n1;"Hi; you";4;;\r\n2;Bye;3.5;;\r\n;;;;\r\n;;;;\r\n'


def read(data: str | bytes, format=csv, **options) -> tuple[list[dict], list[str]]:
    """Return the records of a table, and what is said of it."""
    remarks = Remarks()
    file = io.BytesIO(data.encode() if isinstance(data, str) else data)
    placed = list(items.sound(format.read(file, note=remarks.note, **options)))
    return [record for _, record in placed], remarks.counts()


@each_row(
    "table, records, said",
    [
        ("id,text\n1,a;b|c\n", [{"id": "1", "text": "a;b|c"}], []),
        ("id;text\n1;a, b\n2;c\n", [{"id": "1", "text": "a, b"}, {"id": "2", "text": "c"}], [";"]),
        ("id|text\n1|a; b\n", [{"id": "1", "text": "a; b"}], ["|"]),
        ('id\ttext\n1\t"a\tb"\n', [{"id": "1", "text": "a\tb"}], ["a tab"]),
        ('"id;x","text"\n1,a\n', [{"id;x": "1", "text": "a"}], []),
        ("id;text, all\n1;a\n", [{"id": "1", "text, all": "a"}], [";"]),
        ("id;text\n", [], [";"]),
        ("\r\n\nid;text\n\n1;a\n\n", [{"id": "1", "text": "a"}], [";"]),
        ('id;text\n1;"two\nlines"\n', [{"id": "1", "text": "two\nlines"}], [";"]),
        ("sep=|\nid|a;b\n1|x\n", [{"id": "1", "a;b": "x"}], ["|"]),
    ],
)
def test_the_delimiter_is_told_from_the_first_rows(table: str, records: list, said: list[str]):
    found, remarks = read(table, texts="id;x" if "id;x" in table else "")
    assert found == records
    assert remarks == [f"{mark} between cells" for mark in said]


def test_a_delimiter_that_is_open_is_asked_for():
    table = "a;b,c\n1;2,3\n"
    with pytest.raises(RecordError, match="parted by a comma or ;: --from csv says|csv:delimiter"):
        read(table)
    assert read(table, delimiter=";")[0] == [{"a": 1, "b,c": "2,3"}]


def test_our_own_tables_are_never_open():
    table = [{"id": "1", "a;b": "c;d"}, {"id": "2", "a;b": "e;f"}]
    assert read("".join(csv.write(table)))[0] == table
    found, _ = read('id,text;note\n1,"one;\ntwo"\n')
    assert found == [{"id": "1", "text;note": "one;\ntwo"}]
    assert read("id,x\n" + "1,45000.5\n" * 2000)[1] == ["numbers in x"]  # and at once


@each_row("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_any_unicode_is_read(encoding: str):
    text = "id;text\r\n1;Zażółć 茶 👍\r\n2;مرحبا\r\n"
    assert read(text.encode(encoding))[0] == [
        {"id": "1", "text": "Zażółć 茶 👍"},
        {"id": "2", "text": "مرحبا"},
    ]
    tabbed = text.replace(";", "\t").encode(encoding)
    expected = "tsv" if encoding == "utf-8-sig" else "csv"  # spreadsheets put quotes there
    assert foreign.recognised(tabbed) == expected
    assert foreign.recognised(text.encode(encoding)) == "csv"
    assert len(read(tabbed, tsv)[0]) == 2


def test_what_spreadsheets_leave_is_passed_over():
    found, said = read(QUIRKS)
    assert found == [
        {"id": "1", "text": "Hi; you", "rating": 4},
        {"id": "2", "text": "Bye", "rating": 3.5},
    ]
    assert said == ["; between cells", "numbers in rating", "2 empty rows left out"]
    assert foreign.recognised(QUIRKS.encode()) == "csv"
    places = [place for place, _ in csv.read(io.BytesIO(QUIRKS.encode()))]
    assert places == ["3", "4"]
    found, said = read("id,text\n1,a\n,\n2,b\n,\n")
    assert ([record["id"] for record in found], said) == (["1", "2"], ["2 empty rows left out"])
    with pytest.raises(RecordError, match="4 cells, but the header has 2"):
        read("id,text\n1,a,,b\n")
    assert read("id,text\n1,a,,\n")[0] == [{"id": "1", "text": "a"}]


@each_row(
    "column, decimals, values, said",
    [
        (["3,5", "4"], "point", ["3,5", "4"], "numbers with commas left as texts in x"),
        (["3,5", "4", ""], "comma", [3.5, 4, None], "numbers in x"),
        (["1,234", "5"], "point", ["1,234", "5"], "if these are decimals: csv:decimals=comma"),
        (["3.5", "4"], "comma", ["3.5", "4"], "unexpected points or commas left as texts in x"),
        (["1.234,5", "3,5"], "comma", ["1.234,5", "3,5"], "unexpected points or commas"),
        (["-1.000.000", "1"], "comma", ["-1.000.000", "1"], "unexpected points or commas"),
        (["1,234.5", "0.5"], "point", ["1,234.5", "0.5"], "unexpected points or commas"),
        (["1.234,5", "a"], "comma", ["1.234,5", "a"], None),
        (["1.2.3", "007"], "comma", ["1.2.3", "007"], None),
        (["3,5", "n/a"], "point", ["3,5", "n/a"], None),
        (["45000", "45001"], "point", [45000, 45001], "numbers in x"),
    ],
)
def test_decimal_commas_are_said_and_read_where_that_is_asked_for(
    column: list[str], decimals: str, values: list, said: str | None
):
    table = "id;x\n" + "".join(f"{number};{cell}\n" for number, cell in enumerate(column))
    found, remarks = read(table, decimals=decimals)
    assert [record.get("x") for record in found] == values
    shown = ", ".join(remarks[1:])
    assert said in shown if said else shown == ""
    assert read(table.replace(";", "\t"), tsv, decimals=decimals)[0] == found


def test_days_that_a_spreadsheet_counted_are_said():
    found, said = read("id,Date,year\n1,45000,2023\n2,45001,2024\n")
    assert found[0]["Date"] == 45000 and found[0]["year"] == 2023
    assert said[0] == "numbers in year" and "days counted by a spreadsheet in Date" in said[1]


def test_odd_spaces_around_our_keys_do_not_hide_them():
    found, said = read("id\u00a0,\u200btext,Rating\u00a0x\n1,a,4\n")
    assert found == [{"id": "1", "text": "a", "Rating\u00a0x": 4}]
    assert "columns with odd spaces read as id, text" in said
    assert any("odd spaces in their names" in remark and "Rating" in remark for remark in said)
    with pytest.raises(RecordError, match='two columns are called "text"'):
        read("text,text\u00a0\na,b\n")


@each_row(
    "data, place, reason",
    [
        (b'id,text\n1,a\n2,"open\n3,c\n', "3", "a quote is opened here and never closed"),
        (b"id,text\n1,a\0b\n", "2", "a NUL byte"),
        ("id;text\n1;é\n".encode("cp1252"), "2", "not UTF-8: byte 0xe9"),
        ("id,text\n1,a\n".encode("utf-16") + b"x", "3", "not UTF-16: truncated data"),
        (b"id,text\n1\n", "2", "1 cells, but the header has 2"),
        (b"a,a\n1,2\n", "1", 'two columns are called "a"'),
    ],
)
@each_row("at_once", [True, False])
def test_damage_has_its_place(data: bytes, place: str, reason: str, at_once: bool):
    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

    with pytest.raises(RecordError, match=reason) as caught:
        list(items.sound(csv.read((io.BytesIO if at_once else Pipe)(data))))
    assert caught.value.place == place


def test_a_hundred_thousand_columns():
    names = [f"c{number}" for number in range(100_000)]
    cells = ",".join(map(str, range(100_000)))
    (found,), said = read(f"{','.join(names)}\n{cells},,\n")
    assert found["c99999"] == 99_999 and len(found) == 100_000
    assert len(said) == 1 and len(said[0]) < 1000


def test_columns_that_are_not_there_cannot_be_texts():
    with pytest.raises(OptionError, match=r"no column \"zap\" \(did you mean zip\?\)"):
        read("id,zip\n1,02\n", texts="zap")


def test_a_command_says_what_it_made_of_a_table(shell, tmp_path: Path):
    (tmp_path / "in.csv").write_bytes(QUIRKS.replace("3.5", "3,5").encode("utf-16"))
    done = shell("dt-convert --lang en in.csv")
    assert "in.csv: recognised as csv" in done.err
    assert done.err.endswith(
        "dt-convert: 2 records, ; between cells, numbers with commas left as texts in rating (if "
        "these are decimals: csv:decimals=comma), 2 empty rows left out\n"
    )
    asked = shell("dt-convert --lang en -q --from csv:decimals=comma in.csv | jq -c .rating")
    assert asked.out == "4\n3.5\n"
    (tmp_path / "records.jsonl").write_text('{"id": "1", "lang": "en"}\n')
    joined = shell("dt-join --inner --with in.csv records.jsonl")
    assert json.loads(joined.out)["rating"] == "4" and "; between cells" in joined.err


def test_tables_of_pandas_and_openpyxl(tmp_path: Path):
    pandas, openpyxl = pytest.importorskip("pandas"), pytest.importorskip("openpyxl")
    frame = pandas.DataFrame(
        {"id": ["1", "2"], "text": ["a;b", None], "rating": [4.5, None], "n": [1, 2]}
    )
    for number, options in enumerate(
        ({}, {"sep": ";"}, {"sep": "\t"}, {"encoding": "utf-16"}, {"sep": "|", "quoting": 1})
    ):
        path = tmp_path / f"{number}.csv"
        frame.to_csv(path, index=False, **options)
        one, two = dialtools.convert(path, set=["lang=en"])
        assert (one["text"], one["rating"], one["n"]) == ("a;b", 4.5, 1)
        assert (two["text"], two.get("rating"), two["n"]) == ("", None, 2)
    frame.to_csv(tmp_path / "comma.csv", index=False, sep=";", decimal=",")
    with open(tmp_path / "comma.csv", "rb") as file:
        found, _ = read(file.read(), decimals="comma")
    assert found[0]["rating"] == 4.5

    book = openpyxl.Workbook()
    for row in (
        ["id", "text\u00a0", "rating", "code", "mixed", None],
        [1, "a", 4, "007", "x", None],
        [2, "b", "5", "12", "1-2", None],
        [None, None, None, None, None, None],
    ):
        book.active.append(row)
    from datetime import date

    book.active["E2"] = date(2024, 2, 1)
    book.save(tmp_path / "book.xlsx")
    from dialtools.formats import xlsx

    remarks, file = Remarks(), io.BytesIO((tmp_path / "book.xlsx").read_bytes())
    found = [row for _, row in xlsx.read(file, note=remarks.note)]
    assert [row["rating"] for row in found] == [4, "5"] and found[0]["text"] == "a"
    said = "; ".join(remarks.counts())
    assert (
        "numbers stored as texts in rating" in said and "dates beside other values in mixed" in said
    )
    assert "code" not in said and len(found) == 2
