"""Test sets of sacrebleu that are on this machine: a folder of its layout, made up here."""

from pathlib import Path

import pytest
from table_tests import each_row

import dialtools
from dialtools.system.errors import DialtoolsError

FILES = {
    "wmt20/wmt20.en-de.src": "Hello.\nA\u2028b\n",
    "wmt20/wmt20.en-de.ref": "Hallo.\nA b\n",
    "wmt20/wmt20.en-de.docid": "one\none\n",
    "wmt20/wmt20.en-de.origlang": "en\nen\n",
    "wmt20/tworefs/wmt20_tworefs.de-en.src": "Hallo.\n",
    "wmt20/tworefs/wmt20_tworefs.de-en.ref-0": "Hello.\n",
    "wmt20/tworefs/wmt20_tworefs.de-en.ref-1": "Hi.\n",
    "wmt21/wmt21.de-fr.src": "Hallo.\n",  # of several translators only A counts
    "wmt21/wmt21.de-fr.ref-A": "Salut.\n",
    "wmt21/wmt21.de-fr.ref-B": "Bonjour.\n",
    "wmt22/wmt22.cs-en.src": "Ahoj.\n",  # here B does
    "wmt22/wmt22.cs-en.ref-B": "Hi.\n",
    "wmt22/wmt22.cs-en.ref-C": "Hello.\n",
    "wmt19/wmt19.en-de.src": "a\nb\n",
    "wmt19/wmt19.en-de.ref": "a\n",
    "wmt18/wmt18.en-de.src": "a\n",
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.setenv("SACREBLEU", str(tmp_path))
    return tmp_path


def records(options: str, *files: str) -> list[dict]:
    converted = dialtools.convert(*files, source=f"sacrebleu:{options}", offline=True)
    return [
        {key: value for key, value in record.items() if key != "history"} for record in converted
    ]


def test_a_set_is_read_line_by_line(home: Path):
    assert records("set=wmt20,pair=en-de") == [
        {
            "id": f"wmt20:en-de:{number}",
            "lang": "de",
            "text": text,
            "reference": reference,
            "cluster": "wmt20:en-de:one",
            "docid": "one",
            "origlang": "en",
        }
        for number, text, reference in ((1, "Hello.", "Hallo."), (2, "A\u2028b", "A b"))
    ]


@each_row(
    "options, reference, rest",
    [
        ("set=wmt20/tworefs,pair=de-en", ["Hello.", "Hi."], {}),
        ("set=wmt21,pair=de-fr", "Salut.", {"ref-B": "Bonjour."}),
        ("set=wmt22,pair=cs-en", "Hi.", {"ref-C": "Hello."}),
    ],
)
def test_references_are_those_that_sacrebleu_takes(
    home: Path, options: str, reference: object, rest: dict
):
    [record] = records(options)
    assert record["reference"] == reference
    assert {key: record[key] for key in record if key.startswith("ref-")} == rest


@each_row(
    "options, message",
    [
        ("", "no test set ''"),
        ("set=wmt02,pair=en-de", "did you mean"),
        ("set=wmt20,pair=en-xx", "no pair 'en-xx'"),
        ("set=wmt17,pair=en-de", "sacrebleu -t wmt17 -l en-de --echo src downloads it"),
        ("set=wmt19,pair=en-de", "differ in length"),
        ("set=wmt18,pair=en-de", "no reference"),
    ],
)
def test_what_is_not_there_is_named_and_nothing_is_downloaded(
    home: Path, options: str, message: str
):
    before = sorted(home.rglob("*"))
    with pytest.raises(DialtoolsError, match=message):
        records(options)
    assert sorted(home.rglob("*")) == before


def test_a_file_beside_it_is_refused(home: Path):
    with pytest.raises(DialtoolsError, match="reads no FILE"):
        records("set=wmt20,pair=en-de", str(home / "wmt20" / "wmt20.en-de.src"))


def test_the_command_reads_no_standard_input(home: Path, shell):
    line = "dt-convert --from sacrebleu:set=wmt20,pair=en-de --limit 1 | jq -r .reference"
    result = shell(line, SACREBLEU=str(home))
    assert (result.out, result.status) == ("Hallo.\n", 0)
