"""languages/checking.py and dt-check --languages: language data of one's own is checked, used and told of."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import samples

from dialtools import languages
from dialtools.languages import checking, resources, schema
from dialtools.system.errors import OptionError

FILE = "xx/fillers.tsv"
ROWS = "filler\tbefore\nehm\tstart\nuh\tcomma\n"
TOLD = (
    f"file\trows\twhat\tsource\tlicence\tdate\n{FILE}\t2\tfillers\town list\town work\t2026-01-31\n"
)

CONTEXTS = (Path(languages.__file__).parent / "en" / "contexts.tsv").read_text()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a language that is new, and fillers for it."""
    made = tmp_path / "own"
    (made / "xx").mkdir(parents=True)
    shutil.copy(
        Path(languages.__file__).parent / "id" / "language.json", made / "xx" / "language.json"
    )
    (made / FILE).write_text(ROWS)
    (made / "SOURCES.tsv").write_text(TOLD)
    return made


def found(folder: Path) -> Iterator[tuple[str, str]]:
    return (
        (path, what) for path, problems in checking.problems(str(folder)) for what, *_ in problems
    )


@pytest.mark.parametrize(
    "file, text, what",
    [
        (FILE, "filler\nuh\n", "a column is missing"),
        (FILE, ROWS.replace("before", "after"), "a column that is not known, or there twice"),
        (FILE, ROWS + "uh\tcomma\n", "a row that is there twice"),
        (FILE, ROWS + "ah\tany\n", "rows that are not sorted"),
        (FILE, ROWS + "zz\n", "a row that has not as many cells as the header"),
        (FILE, ROWS[:-1], "no single newline at the end"),
        (FILE, ROWS.replace("uh", "u\u0301"), "not NFC"),
        (FILE, ROWS.replace("uh", "эм"), "a letter of another script than the language's"),
        (FILE, ROWS.replace("uh", " uh"), "white space around a cell, or two spaces in it"),
        (
            FILE,
            ROWS.replace("\n", "\r\n"),
            "a control character, a no-break space or a line end other than LF",
        ),
        (FILE, ROWS + "zz\tany\n", "another number of rows than SOURCES.tsv says"),
        ("xx/filler.tsv", ROWS, "a table that nothing reads"),
        ("yy/fillers.tsv", ROWS, "a new language without language.json"),
        ("xx/words.txt", "b\na\n", "rows that are not sorted"),
        ("xx/keyboard.json", "[", "not JSON"),
        ("xx/language.json", '{"name": "X"}', "a key is missing"),
        ("fillers.tsv", ROWS, "a file that is in no language's folder"),
        ("ja/keyboard.json", '{"rows": ["あ"], "offsets": [0]}', "a key is missing"),
        (
            "xx/contexts.tsv",
            "context\tknown\tpattern\ndo\tdo\t(\n",
            "a pattern that cannot be read",
        ),
        (
            "xx/homophones.tsv",
            "set\tword\tweight\na\tb\tmuch\n",
            "a weight that is no number above 0",
        ),
        (FILE, ROWS.replace("uh", ""), "a cell that cannot be used"),
        (
            "xx/language.json",
            json.dumps(languages.get("id").facts | {"calls": ["hai", ""]}),
            "a value that cannot be used",
        ),
        (
            "xx/language.json",
            json.dumps(languages.get("id").facts | {"gendered": {"f": [""]}}),
            "a value that cannot be used",
        ),
        (FILE, ROWS.replace("start", "middle"), "a cell that cannot be used"),
        ("xx/names/mine.tsv", "name\tgender\nAni\tw\n", "a cell that cannot be used"),
        ("xx/formality.tsv", "cue\tformality\nbro\tCasual\n", "a cell that cannot be used"),
        (
            "xx/language.json",
            json.dumps(languages.get("id").facts | {"roles": [5]}),
            "a value that cannot be used",
        ),
        (
            "xx/language.json",
            json.dumps(languages.get("id").facts | {"gendered_roles": [["ibu"]]}),
            "a value that cannot be used",
        ),
        ("xx/keyboard.json", '{"rows": ["qwe"], "offsets": []}', "a value that cannot be used"),
        ("SOURCES.tsv", TOLD.replace("own work", ""), "a row with an empty cell, or not with six"),
        ("SOURCES.tsv", TOLD.replace("-01-", "/"), "a date that is not as 2026-01-31"),
        (
            "SOURCES.tsv",
            TOLD + TOLD.split("\n")[1] + "\n",
            "rows that are not sorted, or there twice",
        ),
        ("SOURCES.tsv", TOLD.replace(FILE, "xx/a.tsv"), "a row without a file"),
    ],
)
def test_what_is_wrong_with_a_folder_is_found(folder: Path, file: str, text: str, what: str):
    assert list(found(folder)) == []
    (folder / file).parent.mkdir(exist_ok=True)
    (folder / file).write_bytes(text.encode())
    assert (file, what) in found(folder)


@pytest.mark.parametrize(
    "text, what, line",
    [  # by hand
        (ROWS.replace("uh", ""), "a cell that cannot be used", 3),
        (ROWS + "ah\tany\n", "rows that are not sorted", 4),
        (ROWS + "zz\n", "a row that has not as many cells as the header", 4),
        (ROWS + "uh\tcomma\n" * 2, "a row that is there twice", 3),
        (ROWS.replace("uh", " uh"), "white space around a cell, or two spaces in it", 3),
        (ROWS.replace("uh", "эм"), "a letter of another script than the language's", 3),
        (ROWS.replace("uh", "u\u0301"), "not NFC", 3),
        (ROWS + "\n", "no single newline at the end", 3),
        (ROWS.replace("before", "after"), "a column is missing", 1),
    ],
)
def test_the_line_of_what_is_wrong_is_told(shell, folder: Path, text: str, what: str, line: int):
    (folder / FILE).write_text(text)
    told = {
        one["finding"]: one["first"]
        for one in map(json.loads, shell("dt-check --languages own").out.splitlines())
    }
    assert told[what] == f"{FILE}:{line}"


@pytest.mark.parametrize(
    "tag, change, told",
    [
        (
            "ja",
            {"flick": [["あいうえお"], [], [], []]},
            "'flick' are 4 rows of 3 keys of 5 kana, ・ where there is none",
        ),
        ("en", {"offsets": [1]}, "there are 4 rows and 1 offsets"),
        ("hi", {"shift": [""]}, "there are 4 rows and 1 shift"),
        ("hi", {"rows": ["", "", "", ""]}, "'shift' has more keys than the row ''"),
        ("zh", {"finals": [["ang"]]}, "'finals' are pairs of sounds"),
    ],
)
def test_a_keyboard_of_another_shape_cannot_be_used(
    monkeypatch, tmp_path: Path, tag: str, change: dict, told: str
):
    """Each was a traceback."""
    file = tmp_path / tag / "keyboard.json"
    file.parent.mkdir()
    file.write_text(json.dumps(languages.get(tag).keyboard | change) + "\n")
    assert ("a value that cannot be used", told, 0) in dict(checking.problems(str(tmp_path)))[
        f"{tag}/keyboard.json"
    ]
    monkeypatch.setenv("DIALTOOLS_LANGUAGES", str(tmp_path))
    with pytest.raises(OptionError, match=re.escape(told)):
        resources.content.__wrapped__(tag, "keyboard.json")


def test_the_schema_declares_what_there_is_and_no_more():
    headers: dict[str, list[set[str]]] = {}
    for path in checking.files(checking.HOME):
        name = path.partition("/")[2]
        if name.endswith(".tsv"):
            header = (Path(checking.HOME) / path).read_text().partition("\n")[0].split("\t")
            headers.setdefault(name.partition("/")[0].removesuffix(".tsv"), []).append(set(header))
    assert set(headers) == set(schema.TABLES)
    for name, found in headers.items():
        if schema.ANY not in schema.TABLES[name]:
            assert set(schema.table(name)) == set().union(*found), name
    keys = set().union(*(languages.get(tag).facts for tag in languages.known()))
    assert keys == {*schema.REQUIRED, *schema.OPTIONAL}


def test_a_file_that_is_no_text_is_found(folder: Path):
    (folder / FILE).write_bytes(b"filler\tbefore\nu\xff\tany\n")
    assert (FILE, "not UTF-8") in found(folder)


def test_the_command_tells(shell, folder: Path):
    assert shell("dt-check --languages own") == ("", "", 0)
    (folder / FILE).write_text(ROWS + "zz\tany\n")
    result = shell("dt-check --languages own")
    assert [json.loads(line)["example"] for line in result.out.splitlines()] == [
        "\"'any' is none of start, comma, word\"",
        "3, not 2",
    ] and result.status == 1
    assert shell("dt-check --languages none") == ("", "dt-check: there is no folder none\n", 2)
    assert shell("dt-check --languages") == ("", "", 0)


def test_own_data_comes_first_in_every_process_and_signatures_tell(
    shell, folder: Path, tmp_path: Path
):
    (folder / "en").mkdir()
    (folder / "en" / "phrases.tsv").write_text(
        "kind\tsetting\ttext\tformality\ngreeting\tfriends\tYo!\tcasual\n"
    )
    (tmp_path / "in.jsonl").write_text(samples.lines(samples.records(10, ("en",))))
    line = "dt-perturb -k dialogue.greeting:setting=friends -q in.jsonl"
    own = shell(line, DIALTOOLS_LANGUAGES="own").out
    assert own.count("\n") == 10 and all("Yo!" in made for made in own.splitlines())
    assert shell(f"{line} --jobs 2", DIALTOOLS_LANGUAGES="own").out == own
    signature = json.loads(own.splitlines()[0])["history"][-1]["signature"]
    (folder / "en" / "phrases.tsv").write_text(
        "kind\tsetting\ttext\tformality\ngreeting\tfriends\tHo!\tcasual\n"
    )
    other = json.loads(shell(line, DIALTOOLS_LANGUAGES="own").out.splitlines()[0])["history"][-1][
        "signature"
    ]
    assert "|resources:" in signature and "|resources:" in other and signature != other
    assert "resources" not in shell(line).out


def test_a_folder_is_a_new_language(shell, folder: Path, tmp_path: Path):
    (tmp_path / "in.jsonl").write_text(
        '{"id": 1, "lang": "xx", "dialogue": "A: satu dua tiga empat lima"}\n'
    )
    line = "dt-perturb -k asr.filler:rate=1 -q in.jsonl"
    assert "ehm" in shell(line, DIALTOOLS_LANGUAGES="own").out
    result = shell(line)
    assert "asr.filler is not defined for xx; there are " in result.err and result.status == 3


@pytest.mark.parametrize(
    "file, text, told",
    [
        (
            FILE,
            "filler\tbefore\nuh\n",
            "xx/fillers.tsv: line 2 has not as many cells as the header; dt-check --languages",
        ),
        (
            FILE,
            b"filler\tbefore\nuh\tstart\n\xe4hm\tstart\n",
            "xx/fillers.tsv: line 3 is not UTF-8: byte 0xe4; dt-check",
        ),
        ("xx/language.json", "{", "xx/language.json: Expecting property name"),
        ("xx/language.json", "{}", "xx/language.json: there is no name, tokenizer"),
        (
            "xx/language.json",
            json.dumps(languages.get("id").facts | {"script": "Latin"}),
            "no script is called 'Latin'",
        ),
        (FILE, "filler\nuh\n", "xx/fillers.tsv: there is no column before"),
        (
            FILE,
            "filler\tbefore\nuh\tstart\n \tstart\n",
            "xx/fillers.tsv: line 3: 'filler' is empty; dt-check",
        ),
    ],
)
def test_broken_data_of_ones_own_is_a_usage_error(
    shell, folder: Path, file: str, text: str | bytes, told: str
):
    (folder / file).write_bytes(text if isinstance(text, bytes) else text.encode())
    result = shell(
        'echo \'{"lang": "xx", "dialogue": "A: satu dua"}\' | dt-perturb -k asr.filler',
        DIALTOOLS_LANGUAGES="own",
    )
    assert told in result.err and result.status == 2 and result.err.count("\n") == 1


def test_a_byte_order_mark_before_a_table_is_no_part_of_its_header(shell, folder: Path):
    (folder / FILE).write_text("\ufefffiller\tbefore\nehm\tstart\n")
    line = 'echo \'{"lang": "xx", "id": 1, "dialogue": "A: satu dua"}\' | dt-perturb -k asr.filler:rate=1'
    result = shell(line, DIALTOOLS_LANGUAGES="own")
    assert '"A: ehm, satu' in result.out and result.status == 0


@pytest.mark.parametrize(
    "file, text, lang, kind, told",
    [
        (
            "keyboard.json",
            '{"rows": ["あ"], "offsets": [0]}',
            "ja",
            "typo.keyboard",
            "there is no flick",
        ),
        ("keyboard.json", '{"rows": ["क"]}', "hi", "typo.keyboard", "there is no offsets, shift"),
        ("keyboard.json", "{}", "en", "typo.keyboard", "there is no rows, offsets"),
        ("contexts.tsv", CONTEXTS + "zz\tgo\t(\n", "en", "typo.contraction", "'(' is no pattern"),
        (
            "paraphrases.tsv",
            "wording\tparaphrase\tbefore\tafter\na\tb\t[\t\n",
            "en",
            "dialogue.repetition",
            "no pattern",
        ),
        (
            "agreement.tsv",
            "form\tupos\tlemma\tfeats\tleft\tright\tother\tnote\ttokens\nis\t\t\t\t*\t\tare\tx\t\n",
            "en",
            "grammar.agreement",
            "'*' is no pattern",
        ),
        (
            "contexts.tsv",
            CONTEXTS + "zz\tgone\t.\n",
            "en",
            "typo.contraction",
            "'gone' is none of ",
        ),
        (
            "contractions.tsv",
            "long\tshort\tlemma\tcontract\texpand\nlet us\tlet's\t\tx\t\n",
            "en",
            "typo.contraction",
            "en/contractions.tsv: 'x' is none of -, negated",
        ),
        (
            "fillers.tsv",
            "filler\tbefore\num\tbegin\n",
            "en",
            "asr.filler",
            "'begin' is none of start, comma, word",
        ),
        (
            "spellings.tsv",
            "written\talike\tplace\nf\tp\tfirst\n",
            "id",
            "asr.homophone",
            "'first' is none of start, end, any",
        ),
        (
            "keyboard.json",
            '{"rows": "qwertz", "offsets": [0]}',
            "en",
            "typo.keyboard",
            "'rows' must be a list of texts, not",
        ),
        ("keyboard.json", "5", "en", "typo.keyboard", "it holds no object, here is 5"),
        (
            "language.json",
            json.dumps(languages.get("en").facts | {"roles": [5]}),
            "en",
            "typo.case",
            "'roles' must be a list of filled texts, not [5]",
        ),
        (
            "homophones.tsv",
            "set\tword\tweight\n1\tsee\t5\n1\tsea\t-1\n",
            "en",
            "asr.homophone",
            "'-1' is no number above 0",
        ),
    ],
)
def test_what_cannot_be_used_of_a_table_is_a_usage_error(
    shell, folder: Path, file, text, lang, kind, told
):
    (folder / lang).mkdir()
    (folder / lang / file).write_text(text)
    record = {"id": 1, "lang": lang, "dialogue": "A: let us see, क्या है हम\nB: かか"}
    (folder.parent / "in.jsonl").write_text(json.dumps(record))
    # which has no rate
    line = f"dt-perturb -k {kind}:rate=1 in.jsonl".replace("repetition:rate=1", "repetition")
    result = shell(line, DIALTOOLS_LANGUAGES="own")
    assert told in result.err and result.status == 2 and result.err.count("\n") == 1


def test_a_folder_that_is_not_there_is_a_usage_error(shell):
    result = shell('echo \'{"dialogue": "A: B"}\' | dt-swap-names', DIALTOOLS_LANGUAGES="nowhere")
    assert (
        result.err == "dt-swap-names: DIALTOOLS_LANGUAGES: there is no folder nowhere\n"
        and result.status == 2
    )


def test_a_new_language_may_have_any_script_that_is_known(shell, folder: Path):
    known = languages.get("id").facts | {"script": "Cyrl", "titles_before": [], "calls": []}
    (folder / "xx" / "language.json").write_text(json.dumps(known))
    (folder.parent / "in.jsonl").write_text(
        json.dumps({"id": 1, "lang": "xx", "dialogue": "Иван: Привет, Ольга!"})
    )
    result = shell('dt-swap-names --map \'{"Иван": "Пётр"}\' in.jsonl', DIALTOOLS_LANGUAGES="own")
    assert json.loads(result.out)["dialogue"] == "Пётр: Привет, Ольга!" and result.status == 0
    result = shell("dt-check in.jsonl", DIALTOOLS_LANGUAGES="own")
    assert "most letters" not in result.out and "Traceback" not in result.err


def test_a_gender_that_is_none_is_told(shell, folder: Path):
    (folder / "xx" / "names").mkdir()
    (folder / "xx" / "names" / "frequent.tsv").write_text(
        "name\tgender\tlatin\treading\nAni\tw\t\t\n"
    )
    result = shell(
        'echo \'{"lang": "xx", "dialogue": "Budi: satu"}\' | dt-swap-names',
        DIALTOOLS_LANGUAGES="own",
    )
    assert (
        "xx/names/frequent.tsv: line 2: 'w' is none of f, m, u; dt-check" in result.err
        and result.status == 2
    )
