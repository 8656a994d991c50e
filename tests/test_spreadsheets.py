"""Files of other programs: workbooks of Excel, Parquet, data sets of Hugging Face."""

import io
import json
import sys
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

import dialtools
from dialtools.conversion import columns, items
from dialtools.formats import parquet, xlsx
from dialtools.plugins import registry
from dialtools.system.errors import MissingError, OptionError, RecordError

openpyxl, pyarrow = pytest.importorskip("openpyxl"), pytest.importorskip("pyarrow")


def workbook(*rows: list, **others: list[list]) -> bytes:
    """Return a workbook with rows on a sheet, and other sheets by their names."""
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    for name, more in others.items():
        sheet = book.create_sheet(name)
        for row in more:
            sheet.append(row)
    book.save(file)
    return file.getvalue()


def rows_of(data: bytes, **options) -> list:
    return [
        row if isinstance(row, dict) else row.reason
        for _, row in xlsx.read(io.BytesIO(data), **options)
    ]


def test_cells_are_texts_numbers_and_dates():
    data = workbook(
        ["id", "variant", "output", "rating", None, "when", "n:json"],
        [1, None, None, 4.0, None, datetime(2024, 3, 5), "[2]"],
        [None] * 7,
        [2.0, "names:1", "Hi", 4.5, None, date(2024, 3, 5), None],
    )
    assert rows_of(data) == [
        {"id": "1", "output": "", "rating": 4, "when": "2024-03-05", "n": [2]},
        {"id": "2", "variant": "names:1", "output": "Hi", "rating": 4.5, "when": "2024-03-05"},
    ]


def test_a_text_may_look_like_a_number():
    assert rows_of(workbook(["reference", "text", "x"], [42, 0.5, True])) == [
        {"reference": "42", "text": "0.5", "x": True}
    ]


def test_what_a_cell_cannot_tell_is_said():
    """openpyxl writes formulas without their values, as a script may have done."""
    data = workbook(["id", "output"], [1, "=A2"], [2, "#N/A"], [3, "ok", "more"], [4, "ok"])
    assert rows_of(data) == [
        "cell B2 holds a formula whose value was not saved: open the file in a spreadsheet program and save it",
        "cell B3 is #N/A",
        "3 cells, but the header has 2",
        {"id": "4", "output": "ok"},
    ]


def test_a_sheet_is_chosen_where_several_have_cells():
    data = workbook(["id"], [1], More=[["id"], [2]], Empty=[])
    with pytest.raises(
        OptionError, match="several sheets: xlsx:sheet=NAME chooses one of Sheet, More"
    ):
        rows_of(data)
    assert rows_of(data, sheet="More") == [{"id": "2"}] and rows_of(data, sheet="Empty") == []
    with pytest.raises(OptionError, match="no sheet 'Mor'.*did you mean More"):
        rows_of(data, sheet="Mor")
    assert rows_of(workbook()) == []


def test_a_workbook_is_joined(shell, tmp_path: Path):
    (tmp_path / "out.xlsx").write_bytes(
        workbook(["id", "variant", "output"], [1, None, "a"], [1, "names:1", None])
    )
    (tmp_path / "in").write_text(
        '{"id": 1, "lang": "en"}\n{"id": 1, "lang": "en", "variant": "names:1"}\n'
    )
    made = shell("dt-join -q --with out.xlsx --field prediction=output in | jq -c .prediction")
    assert made.out == '"a"\n""\n'


@pytest.mark.parametrize(
    "value, plain",
    [
        (datetime(2024, 3, 5, 10), "2024-03-05T10:00:00"),
        (timedelta(seconds=90), 90.0),
        (Decimal("4.50"), 4.5),
        (Decimal("4"), 4),
        ({"a": [None, (1, True)]}, {"a": [None, [1, True]]}),
        (2**70, 2**70),
    ],
)
def test_values_of_columns(value: object, plain: object):
    assert columns.plain(value, "x") == plain


@pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": b"\x00"}])
def test_values_that_json_lacks(value: object):
    with pytest.raises(RecordError, match='column "x" holds'):
        columns.plain(value, "x")


@pytest.fixture
def table() -> "pyarrow.Table":
    talk = [{"speaker": "Ann", "text": "Hi"}, {"speaker": "Bob", "text": "Ho"}]
    return pyarrow.table(
        {
            "id": [1, 2],
            "dialogue": [talk, talk],
            "reference": [["a", "b"], None],
            "image": [b"\x89", None],
        }
    )


def test_parquet_from_a_file_a_pipe_and_packed(shell, tmp_path: Path, table: "pyarrow.Table"):
    import pyarrow.parquet

    pyarrow.parquet.write_table(table, tmp_path / "in.parquet", row_group_size=1)
    read = "dt-convert --lang en -q --from parquet:without=image"
    expected = shell(f"{read} in.parquet").out
    assert [json.loads(line)["reference"] for line in expected.splitlines()] == [["a", "b"], None]
    assert (
        shell(f"cat in.parquet | {read}").out
        == shell(f"gzip -k in.parquet; {read} in.parquet.gz").out
        == expected
    )
    made = shell("dt-convert --lang en --on-error skip in.parquet | jq -c .id")
    assert made.out == "2\n" and 'in.parquet:row 1: column "image" holds bytes' in made.err
    with pytest.raises(OptionError, match='without=imag: no column "imag" .did you mean image'):
        list(dialtools.convert(str(tmp_path / "in.parquet"), source="parquet:without=imag"))
    (tmp_path / "cut.parquet").write_bytes((tmp_path / "in.parquet").read_bytes()[:-9])
    with pytest.raises(RecordError, match="cut.parquet:1: no Parquet file|no Parquet file"):
        list(dialtools.convert(str(tmp_path / "cut.parquet")))


def test_data_sets_on_disk(tmp_path: Path, table: "pyarrow.Table"):
    datasets = pytest.importorskip("datasets")
    datasets.disable_progress_bars()
    whole = datasets.Dataset(table).select_columns(["id", "dialogue"])
    datasets.DatasetDict(
        {"test": whole.filter(lambda row: row["id"] > 1), "dev": whole}
    ).save_to_disk(tmp_path / "set")
    found = list(dialtools.convert(str(tmp_path / "set" / "test"), source="datasets"))
    assert [record["id"] for record in found] == [2] and found[0]["dialogue"][1] == {
        "speaker": "Bob",
        "text": "Ho",
    }
    (arrow,) = (tmp_path / "set" / "dev").glob("*.arrow")
    assert [record["id"] for record in dialtools.convert(str(arrow))] == [1, 2]
    with pytest.raises(OptionError, match="has the splits dev, test: name one, such as .*/set/dev"):
        list(dialtools.convert(str(tmp_path / "set")))
    with pytest.raises(OptionError, match="is a folder, which csv cannot read; datasets reads"):
        list(dialtools.convert(str(tmp_path / "set" / "test"), source="csv"))
    with pytest.raises(RecordError, match="no data set that save_to_disk has written"):
        list(dialtools.convert(str(tmp_path)))


def test_parquet_is_read_in_parts(monkeypatch: pytest.MonkeyPatch, table: "pyarrow.Table"):
    """What is asked of pyarrow is never the whole file."""
    import pyarrow.parquet

    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"id": range(5000)}), file)
    file.seek(0)
    sizes = []
    batches = columns.batches

    def watched(found):
        return batches(sizes.append(batch.num_rows) or batch for batch in found)

    monkeypatch.setattr(columns, "batches", watched)
    found = items.sound(parquet.read(file))
    assert [next(found)[0], len(sizes)] == ["row 1", 1] and max(sizes) <= 1000
    assert len(list(found)) == 4999


@pytest.mark.parametrize(
    "name, library", [("xlsx", "openpyxl"), ("parquet", "pyarrow"), ("datasets", "pyarrow")]
)
def test_a_library_that_is_missing_is_named_with_what_installs_it(
    monkeypatch: pytest.MonkeyPatch, name: str, library: str
):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(
        MissingError,
        match=rf"the library {library} is not installed: pip install 'dialtools\[files\]'",
    ):
        list(registry.load("formats", name).call(io.BytesIO(b"PK\x03\x04PAR1 and more")))
