"""Files of other programs: workbooks of Excel, Parquet, data sets of Hugging Face; damaged ones."""

import gzip
import io
import json
import shutil
import sys
import zipfile
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from conftest import ROOT
from table_tests import each_row

import dialtools
from dialtools.conversion import items
from dialtools.formats import arrow, xlsx
from dialtools.plugins import registry
from dialtools.system import packed
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


@each_row(
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
    assert arrow.plain(value, "x") == plain


@each_row("value", [float("nan"), [float("inf")], {"a": b"\x00"}])
def test_values_that_json_lacks(value: object):
    with pytest.raises(RecordError, match='column "x" holds'):
        arrow.plain(value, "x")


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
    with pytest.raises(RecordError, match="cut.parquet:1: it cannot be read: ArrowInvalid: "):
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


DAMAGED = [
    ("book.xlsx", "1: it cannot be read: BadZipFile: "),
    ("rows.xlsx", "2: nothing can be read after it: ParseError: "),
    ("chat.zip", "1: it cannot be read: "),
    ("head.parquet", "1: it cannot be read: "),
    ("rows.parquet", "row 1000: nothing can be read after it: ArrowInvalid: "),
    ("data.arrow", "1: it cannot be read: ArrowInvalid: "),
    ("set", "data.arrow:1: it cannot be read: ArrowInvalid: "),
]


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """Return a folder with a file of each kind that looks sound at its beginning."""
    import pyarrow.parquet

    def flip(data: bytes, place: int) -> bytes:
        return data[:place] + bytes([data[place] ^ 64]) + data[place + 1 :]

    rows = pyarrow.table({"id": ["a", "b", "c"], "text": ["x" * 400, "y" * 500, "z" * 600]})
    texts = ["x"] * 1200 + ["yyyyyyyy"] * 300
    more = pyarrow.table({"id": list(range(1500)), "text": texts})
    file = io.BytesIO()
    pyarrow.parquet.write_table(more, file, compression="none", use_dictionary=False)
    data = file.getvalue()
    (tmp_path / "head.parquet").write_bytes(flip(data, len(data) - 7))
    (tmp_path / "rows.parquet").write_bytes(data.replace(b"yyyyyyyy", b"\xff" * 8))

    file = io.BytesIO()
    with pyarrow.ipc.new_stream(file, rows.schema) as stream:
        stream.write_table(rows)
    data = file.getvalue()
    offsets = data.index((400).to_bytes(4, "little") + (900).to_bytes(4, "little"))
    (tmp_path / "data.arrow").write_bytes(flip(data, offsets + 7))  # the end is far outside
    (tmp_path / "set").mkdir()
    shutil.copyfile(tmp_path / "data.arrow", tmp_path / "set" / "data.arrow")
    state = {"_data_files": [{"filename": "data.arrow"}]}
    (tmp_path / "set" / "state.json").write_text(json.dumps(state))

    data = workbook(["id", "text"], [1, "a"], [2, "b"])
    (tmp_path / "book.xlsx").write_bytes(flip(data, len(data) - 10))
    with (
        zipfile.ZipFile(io.BytesIO(data)) as sound,
        zipfile.ZipFile(tmp_path / "rows.xlsx", "w") as broken,
    ):
        for name in sound.namelist():
            broken.writestr(name, sound.read(name).replace(b'<row r="3"', b'<row <r="3"'))
    chat = (ROOT / "tests/cases/dt-convert/whatsapp/ios.zip").read_bytes()
    (tmp_path / "chat.zip").write_bytes(flip(chat, chat.index(b"_chat.txt") + 80))
    return tmp_path


@pytest.mark.parametrize("name, message", DAMAGED, ids=[name for name, _ in DAMAGED])
def test_damage_is_told_with_file_and_place(shell, damaged: Path, name: str, message: str):
    """As a process: what pyarrow is not told to check first ended it with a signal."""
    result = shell(f"dt-convert -q --lang en {name} > out")
    assert (result.status, result.err.count("\n")) == (3, 1)
    assert result.err.startswith(f"dt-convert: {name}:{message}")
    if name.endswith((".xlsx", ".parquet")):
        joined = shell(f'echo \'{{"id": 1, "lang": "en"}}\' | dt-join --with {name}')
        assert joined.status == 3 and joined.err.startswith(f"dt-join: {name}:{message}")


def test_a_data_set_has_no_files_elsewhere(damaged: Path):
    """A folder from somebody else would show any .arrow file of this machine."""
    for name in ("../data.arrow", str(damaged / "data.arrow")):
        state = {"_data_files": [{"filename": name}]}
        (damaged / "set" / "state.json").write_text(json.dumps(state))
        with pytest.raises(RecordError, match="names a file that is not in the folder"):
            list(dialtools.convert(str(damaged / "set")))


def test_a_cell_far_away_and_a_hundred_thousand_columns(tmp_path: Path):
    """Both took longer than anybody waits."""
    book = openpyxl.Workbook()
    for row in (["id", "text"], [1, "Hi"]):
        book.active.append(row)
    book.active["XFD1048576"] = 3
    book.save(tmp_path / "book.xlsx")
    rows = xlsx.read(io.BytesIO((tmp_path / "book.xlsx").read_bytes()))
    assert [place for place, _ in rows] == ["2", "1048576"]
    names = [f"c{number}" for number in range(100_000)]
    (tmp_path / "wide.csv").write_text(",".join(names) + "\n" + ",".join(names) + "\n")
    [record] = dialtools.convert(str(tmp_path / "wide.csv"), set=["lang=en", "text=a"])
    assert record["c99999"] == "c99999"


def test_a_row_below_the_last_of_a_sheet(tmp_path: Path):
    """openpyxl makes all rows up to a number that a flipped bit has made large."""
    data = workbook(["id"], [1])
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as sound, zipfile.ZipFile(made, "w") as broken:
        for name in sound.namelist():
            broken.writestr(name, sound.read(name).replace(b'r="2"', b'r="9999999999"'))
    with pytest.raises(RecordError, match="below row 1,048,576"):
        list(xlsx.read(io.BytesIO(made.getvalue())))


def test_an_archive_that_is_a_bomb_is_read_only_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(items, "HELD", 100_000)
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("_chat.txt", "[05/03/2024, 15:45:00] Ann: Hi\n" + "Hi\n" * 100_000)
    with pytest.raises(RecordError, match="bomb.zip:1: it unpacks to 0 MB, and has 0.0 MB"):
        list(dialtools.convert(str(bomb), source="whatsapp"))
    [record] = dialtools.convert(str(bomb), source="whatsapp:any_size=yes")
    assert len(record["dialogue"][0]["text"]) > 200_000
    data = workbook(
        ["id", "text"], *([number, f"{number} " + "a" * 30_000] for number in range(99))
    )
    with pytest.raises(RecordError, match="option any_size=yes"):
        rows_of(data)
    assert len(rows_of(data, any_size=True)) == 99


@pytest.mark.parametrize("suffix", ["gz", "zst"])
def test_what_is_packed_is_a_stream_of_any_size_but_is_not_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
):
    monkeypatch.setattr(packed, "HELD", 100_000)
    pack = gzip.compress if suffix == "gz" else pytest.importorskip("zstandard").compress
    (tmp_path / f"list.json.{suffix}").write_bytes(pack(b"[" + b"\n" * 3_000_000 + b"]"))
    (tmp_path / f"line.jsonl.{suffix}").write_bytes(pack(b"{" + b" " * 3_000_000 + b"}"))
    for name in (f"list.json.{suffix}", f"line.jsonl.{suffix}"):
        with pytest.raises(OSError, match="it unpacks to more than 100 times its size"):
            list(dialtools.convert(str(tmp_path / name), source=name.split(".")[1]))
    lines = b'{"lang": "en", "text": "a"}\n' * 100_000
    (tmp_path / f"lines.{suffix}").write_bytes(pack(lines))
    assert len(list(dialtools.convert(str(tmp_path / f"lines.{suffix}")))) == 100_000


def test_parquet_is_read_in_parts(monkeypatch: pytest.MonkeyPatch, table: "pyarrow.Table"):
    """What is asked of pyarrow is never the whole file."""
    import pyarrow.parquet

    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"id": range(5000)}), file)
    file.seek(0)
    sizes = []
    batches = arrow.checked_rows

    def watched(found):
        return batches(sizes.append(batch.num_rows) or batch for batch in found)

    monkeypatch.setattr(arrow, "checked_rows", watched)
    found = items.sound(arrow.parquet.read(file))
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
