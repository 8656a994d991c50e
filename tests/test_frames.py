"""Records in tables of pandas, polars and datasets; what functions give, as notebooks show it."""

import datetime
import importlib
from pathlib import Path

import pytest
from table_tests import each_row

import dialtools
from dialtools.system.errors import OptionError, RecordError

TURNS = [{"speaker": "Ann", "text": "Hi Bob, how are you?"}, {"speaker": "Bob", "text": "Fine."}]
ROWS = [
    {"id": 1, "lang": "en", "dialogue": TURNS, "scores": {"f1": 0.25}},
    {"id": 2, "lang": "en", "dialogue": [TURNS[0] | {"addressee": "Bob"}], "variant": "names:1"},
]
OUTPUTS = [
    {"id": n, "lang": "en", "prediction": text, "reference": "the cat sat"}
    for n, text in enumerate(["the cat sat", "a dog"], 1)
]


def pandas_frame(rows: list[dict]) -> object:
    return pytest.importorskip("pandas").DataFrame(rows)


def polars_frame(rows: list[dict]) -> object:
    return pytest.importorskip("polars").DataFrame(rows)


def arrow_table(rows: list[dict]) -> object:
    keys = dict.fromkeys(key for row in rows for key in row)
    return pytest.importorskip("pyarrow").Table.from_pylist([keys | row for row in rows])


def dataset(rows: list[dict]) -> object:
    return pytest.importorskip("datasets").Dataset(arrow_table(rows))


def parquet(rows: list[dict], path: Path) -> object:
    frame = pytest.importorskip("pandas").DataFrame(rows)
    frame.to_parquet(path / "rows.parquet")
    return importlib.import_module("pandas").read_parquet(path / "rows.parquet")


@each_row("table", [pandas_frame, polars_frame, arrow_table, dataset, parquet])
def test_a_table_is_as_good_as_its_records(table, tmp_path: Path):
    """What a record, or an object in it, lacks is null there, and missing again here."""
    held = table(ROWS, tmp_path) if table is parquet else table(ROWS)
    dialtools.write(held, tmp_path / "rows.jsonl")
    assert list(dialtools.read(tmp_path / "rows.jsonl")) == ROWS
    assert list(dialtools.merge([held], order=held)) == ROWS
    assert list(dialtools.clean(held, urls=True, overwrite=True)) == list(
        dialtools.clean(ROWS, urls=True, overwrite=True)
    )


def test_cells_of_numpy_and_pandas_become_those_of_python():
    numpy, pandas = pytest.importorskip("numpy"), pytest.importorskip("pandas")
    cells = {
        "id": pandas.Series([7], dtype="Int64"),
        "text": ["a b"],
        "number": numpy.array([2.5], numpy.float32),
        "vector": [numpy.array([1, 2])],
        "when": [pandas.Timestamp("2020-01-02")],
        "day": [datetime.date(2020, 1, 3)],
        "context": [pandas.NA],
        "people": [pandas.NaT],
    }
    frame = pandas.DataFrame(cells).set_index("id")
    [record] = dialtools.merge([frame], order=[{"id": 7}])
    assert record == {
        "id": 7,
        "text": "a b",
        "number": 2.5,
        "vector": [1, 2],
        "when": "2020-01-02T00:00:00",
        "day": "2020-01-03",
    }
    assert type(record["number"]) is float and type(record["vector"][0]) is int


@pytest.mark.parametrize("library", ["pandas", "polars", "dataset"])
def test_variants_go_through_a_table_and_are_restored(library: str):
    """Each has a map of other names, which Arrow makes one object of all names."""
    pytest.importorskip({"dataset": "datasets"}.get(library, library))
    originals = [{"id": 1, "lang": "en", "dialogue": TURNS}]
    table = getattr(
        dialtools.swap_names(originals, variants=2, keep_original=True), f"to_{library}"
    )()
    variants = [record for record in dialtools.clean(table, urls=True) if "variant" in record]
    assert [record["dialogue"] for record in dialtools.swap_names(table, restore=True)] == [
        TURNS
    ] * 3
    assert len(variants) == 2


def test_predictions_and_references_may_be_two_lists():
    [summary] = dialtools.score(["the cat sat"], ["the cat sat"], metric="rouge2", summary=True)
    assert (summary["mean"], summary["n"]) == (100, 1)
    one, two = dialtools.score(["a b", "a b"], ["b", ["c d", "a b"]], metric=["exact"])
    assert (one["scores"], two["scores"], one["id"]) == ({"exact": 0.0}, {"exact": 1.0}, "1")
    [record] = dialtools.score(["你好"], ["你好"], metric="exact", lang="zh")
    assert record["lang"] == "zh"


def test_columns_of_a_table_are_lists():
    frame = pytest.importorskip("pandas").DataFrame(OUTPUTS)
    scored = dialtools.score(frame["prediction"], frame["reference"].to_numpy(), metric="exact")
    assert [record["scores"]["exact"] for record in scored] == [1.0, 0.0]


@each_row(
    "predictions, references, told",
    [
        (["a", "b"], ["a"], "predictions is longer: 2 predictions, 1 references"),
        (["a"], ["a", "b"], "references is longer: 1 predictions, 2 references"),
        (["a", "b"], "ab", "predictions is longer: 2 predictions, 1 references"),
        (OUTPUTS, ["a", "b"], "references go with a list of predictions, strings"),
        ("a", ["a"], "records is a path, 'a'"),
    ],
)
def test_two_lists_that_do_not_fit_are_told(predictions, references, told: str):
    with pytest.raises(OptionError, match=told):
        list(dialtools.score(predictions, references, metric="exact"))


def test_results_show_their_table_and_can_still_be_iterated_over():
    results = dialtools.score(OUTPUTS, metric=["rouge2", "exact"], summary=True)
    text = str(results)
    assert "rouge2" in text and "50" in text and "signature: " in text
    assert results._repr_html_().count("<table>") == 1  # type: ignore[union-attr]
    frame = pytest.importorskip("pandas") and results.to_pandas()
    assert list(frame["mean"]) == [50.0, 50.0] and list(frame["metric"]) == ["rouge2", "exact"]
    assert [result["metric"] for result in results] == ["rouge2", "exact"]
    assert list(results) == [] and str(results) == text


def test_records_show_the_first_and_read_no_more_than_these():
    """A generator of millions of outputs is not run to the end to be looked at."""
    read: list[int] = []

    def records():
        for number in range(1, 30):
            read.append(number)
            yield {"id": number, "text": f"text {number} <b>"}

    stream = dialtools.clean(records(), urls=True)
    assert "text 5" in str(stream) and "text 6" not in str(stream)
    assert "text 1 &lt;b&gt;" in (stream._repr_html_() or "")
    assert len(read) == 6 and "list(…)" in str(stream)
    assert [record["id"] for record in stream] == list(range(1, 30))
    assert str(stream) == "<Stream: empty, or all of it has been read; list(…) keeps what is read>"


def test_lines_show_as_they_are():
    shown = dialtools.show(ROWS[:1])
    assert shown._repr_html_() is None and "Hi Bob, how are you?" in str(shown)


def test_an_error_is_told_where_it_is_shown():
    with pytest.raises(RecordError, match='no "prediction"'):
        repr(dialtools.score([{"id": 1, "lang": "en"}], metric="exact", summary=True))


def test_html_holds_what_a_table_holds():
    """Best in bold, marks raised, markup escaped."""
    outputs = [record | {"system": s} for s in ("<i>", "b") for record in OUTPUTS[: 1 + (s == "b")]]
    html = dialtools.score(outputs, metric="exact", summary=True, by="system")._repr_html_() or ""
    assert "&lt;i&gt;" in html and "<i>" not in html and "<b>" in html


@each_row("metric", ["mine.py", "mine.py:same"])
def test_a_path_may_be_any_path(tmp_path: Path, metric: str):
    (tmp_path / "mine.py").write_text(
        "from dialtools.plugins.metric import Metric\n"
        "def same(predictions, references): return [1.0 for _ in predictions]\n"
        "mine = Metric(same, range=(0, 1))\n"
    )
    for given in (tmp_path / metric, [tmp_path / metric]):
        records = dialtools.score(OUTPUTS, metric=given)
        assert all(1.0 in record["scores"].values() for record in records)


@pytest.mark.parametrize("table", ["to_polars", "to_dataset"])
def test_a_column_of_texts_and_lists_is_one_of_lists(table: str):
    """Arrow has no column of both: a dialogue of lines becomes turns, a reference a list."""
    pytest.importorskip(table.removeprefix("to_") if table == "to_polars" else "datasets")
    rows = [
        {"id": 1, "lang": "en", "dialogue": "Ann: Hi!\nBob: Hello.", "reference": "They greet."},
        {"id": 2, "lang": "en", "dialogue": TURNS, "reference": ["One.", "Two."]},
    ]
    made = getattr(dialtools.generate(rows, generator="longest"), table)()
    kept = list(dialtools.generate(made, generator="lead", overwrite=True))
    turns = [{"speaker": "Ann", "text": "Hi!"}, {"speaker": "Bob", "text": "Hello."}]
    assert kept[0]["dialogue"] == turns and kept[0]["reference"] == ["They greet."]
    assert kept[1]["dialogue"] == TURNS and kept[1]["reference"] == ["One.", "Two."]
