"""Results as tables: what people read is rounded, aligned and escaped; what programs read is exact."""

import csv
import io
import json
import os
import pty
import subprocess
from pathlib import Path

from conftest import environment
from table_tests import each_row

from dialtools.tables import FORMATS, tables

RESULTS = [
    {
        "metric": "rouge2",
        "unit": "percent",
        "n": 500,
        "mean": 10.5234,
        "S": 31.249,
        "p": 3e-9,
        "ci": [0.4, 2.2],
        "signature": "rouge2|lang:en|v:0",
        "dropped": {"only_a": 3},
        "verdict": "It moves.",
    },
    {
        "metric": "bleu",
        "unit": "percent",
        "n": 1500,
        "mean": 9.0,
        "S": None,
        "p": 0.04,
        "ci": [-0.4, 12.2],
        "signature": "bleu|lang:en|v:0",
        "dropped": {"only_a": 3},
        "verdict": "It may stay.",
    },
]


def shown(results: list[dict], format: str, **options) -> list[str]:
    return b"".join(tables.render(results, format, **options)).decode().splitlines()


def test_text():
    assert shown(RESULTS, "text") == [
        "unit percent",  # what is the same for all
        "",
        "metric     n   mean      S         p  ci",
        "rouge2   500  10.52  31.25  < 0.0001  [0.40, 2.20]",
        "bleu    1500   9.00      –    0.0400  [-0.40, 12.20]",
        "",
        "dropped: only_a 3",
        "It moves.",
        "It may stay.",
        "signature: rouge2,bleu|lang:en|v:0",
    ]  # what both have in common once
    assert shown(RESULTS, "text", signatures=True)[-2:] == [
        "signature: rouge2|lang:en|v:0",
        "signature: bleu|lang:en|v:0",
    ]


def test_one_result_with_a_name_longer_than_a_line_stands_upright_too():
    value = "scores.perplexity:model=" + "folder/" * 20
    assert shown([{"value": value, "n": 2, "p": 0.5}], "text") == [
        f"value  {value}",
        "n      2",
        "p      0.5000",
    ]


def test_a_table_that_is_too_wide_stands_upright():
    assert shown(RESULTS, "text", width=40)[:5] == [
        "unit percent",
        "",
        "metric        rouge2            bleu",
        "n                500            1500",
        "mean           10.52            9.00",
    ]
    assert shown(RESULTS, "text", width=40)[-2] == "It may stay."


def test_a_long_path_is_never_the_width_of_a_column():
    label = "perplexity:model=/home/me/experiments/spring/{}/gpt2,of=text"
    rows = [
        {"metric": label.format(run), "system": f"/out/{run}", "mean": 2.0, "S": 1.0}
        for run in "ab"
    ]
    assert shown(rows, "text", width=60) == [
        "metric                             system  mean     S",
        "perplexity:model=…/a/gpt2,of=text  /out/a  2.00  1.00",
        "perplexity:model=…/b/gpt2,of=text  /out/b  2.00  1.00",
    ]
    assert label.format("a") in shown(rows, "csv")[1]


def test_a_table_as_wide_as_the_line_lies_or_stands_and_a_narrower_one_goes_on_below():
    rows = [{"a": "x", "b": 1, "c": 2, "d": 3, "e": 4}, {"a": "y", "b": 5, "c": 6, "d": 7, "e": 8}]
    assert shown(rows, "text", width=13) == ["a  b  c  d  e", "x  1  2  3  4", "y  5  6  7  8"]
    assert (
        shown(rows, "text", width=12)
        == shown(rows, "text", width=7)
        == ["a  x  y", "b  1  5", "c  2  6", "d  3  7", "e  4  8"]
    )
    assert shown(rows, "text", width=6) == [
        "a  b",
        "x  1",
        "y  5",
        "",
        "a  c",
        "x  2",
        "y  6",
        "",
        "a  d",
        "x  3",
        "y  7",
        "",
        "a  e",
        "x  4",
        "y  8",
    ]
    assert shown(rows, "text", width=1)[:3] == [
        "a  b",
        "x  1",
        "y  5",
    ]  # one column where not even that fits


def test_measured_numbers_have_a_column_even_where_all_are_equal_and_words_are_on_the_left():
    rows = [
        {"k": "a", "same": 0.5, "ok": True, "some": 3, "on": [1, 2]},
        {"k": "b", "same": 0.5, "ok": False, "some": "many", "on": [1, 2]},
    ]
    assert shown(rows, "text") == [
        "k    same  ok   some  on",
        "a  0.5000  yes  3     [1, 2]",
        "b  0.5000  no   many  [1, 2]",
    ]


def test_one_result_needs_no_name_below():
    assert shown(RESULTS[:1], "text")[-3:] == [
        "dropped: only_a 3",
        "It moves.",
        "signature: rouge2|lang:en|v:0",
    ]


def test_wide_characters_take_two_columns_and_marks_none():
    """The widths are those of terminals: a Hindi vowel sign with a place of its own takes one."""
    for name, width in {
        "王芳": 4,
        "ab": 2,
        "हिं": 2,
        "e\u0301e": 2,
        "ｶﾅ": 2,
        "한국": 4,
        "a\u200db": 2,
    }.items():
        assert shown([{"system": name, "n": 1}], "text") == [
            "system  n",
            name + " " * (8 - width) + "1",
        ]


@each_row(
    "value, text",
    [
        (0.0, "0.00"),
        (-0.0, "0.00"),
        (0.25, "0.2500"),
        (-0.12345, "-0.1235"),
        (1.005, "1.00"),
        (12345.678, "12345.68"),
        (0.000004, "4e-06"),
        (1e-300, "1e-300"),
        (-1e300, "-1.00e+300"),
        (9e14, "9" + "0" * 14 + ".00"),
        (3, "3"),
        (10**20, "1" + "0" * 20),
        (True, "yes"),
        (False, "no"),
        ("a\tb\nc\x1b[31m\u2028d", "a b c [31m d"),
        ([0.5, 2], "[0.5000, 2]"),
        ([], "[]"),
    ],
)
def test_cells(value, text: str):
    head, cell = shown([{"value": value}], "text")
    assert (head.strip(), cell.strip()) == ("value", text)
    assert len(head) == len(cell) or cell == text  # numbers are on the right


def test_percentages_have_two_decimals():
    assert shown([{"unit": "percent", "D": 0.5512}], "text")[1] == "percent  0.55"
    assert shown([{"unit": "percent", "D": 0.0012}], "text")[1] == "percent  0.001"


@each_row("format", ["text", "markdown", "latex"])
def test_numbers_that_groups_are_called_by_are_not_rounded(format: str):
    """A learning rate of 1.5e-05 is another than 2e-05."""
    groups = [
        {"group": 1.5e-05, "n": 3},
        {"group": 2e-05, "n": 3},
        {"groups": [0.30000001, 12345.678912], "n": 3},
    ]
    text = "\n".join(shown(groups, format))
    assert all(name in text for name in ("1.5e-05", "2e-05", "0.30000001", "12345.678912"))


@each_row(
    "key, value, text",
    [
        ("p", 0.0, "< 0.0001"),
        ("p", 0.00009999, "< 0.0001"),
        ("p_adjusted", 0.0001, "0.0001"),
        ("p", 1.0, "1.0000"),
        ("p", 1, "1"),
        ("p", None, None),
    ],
)
def test_p_is_never_0(key: str, value, text: str | None):
    cells = shown([{"n": 7, key: value}], "text")[1].split(maxsplit=1)
    assert cells == ["7"] + ([text] if text else [])


def test_columns_without_any_value_are_left_out_for_people_only():
    results = [{"metric": "x", "system": None, "mean": 1.0}]
    assert shown(results, "text")[0] == "metric  mean"
    assert shown(results, "csv") == ["metric,system,mean", "x,,1.0"]


def test_objects_of_numbers_are_tables_of_their_own():
    """Unless they are the same in all results, as of a single one."""
    results = [
        {"kind": kind, "n": 3, "r": {"x/y": value, "x/z": None}, "zero": {"x": 0}}
        for kind, value in (("a", 0.5), ("b", -0.25))
    ]
    assert shown(results, "text") == [
        "n 3",
        "",
        "kind",
        "a",
        "b",
        "",
        "r:",
        "",
        "kind      x/y",
        "a      0.5000",
        "b     -0.2500",
        "",
        "zero: x 0",
    ]
    assert "r:\n\n| kind | x/y |\n| --- | ---: |\n| a | 0.5000 |\n| b | -0.2500 |\n" in "\n".join(
        shown(results, "markdown")
    )
    assert shown(results[:1], "text")[-2:] == ["r: x/y 0.5000, x/z –", "zero: x 0"]
    for other in (None, {"x": "a"}):  # else both stand below
        lines = shown([{"kind": "a", "r": {"x": 1}}, {"kind": "b", "r": other}], "text")
        assert lines == ["kind", "a", "b", "", "r of a: x 1", *(["r of b: x a"] if other else [])]


def test_markdown():
    results = [{"a_b": "x|y*z", "n": 5, "note": "a|b <i>no</i> p < 0.1"}]
    assert shown(results, "markdown") == [
        r"| a\_b | n |",
        "| --- | ---: |",
        r"| x\|y\*z | 5 |",
        "",
        r"- a\|b \<i>no\</i> p < 0.1",
    ]
    tildes = shown([{"a": "x", "note": "~/a is ~/b, R&amp;D, R&D"}], "markdown")[-1]
    assert tildes == r"- \~/a is \~/b, R\&amp;D, R&D"  # else struck through, R&D


def test_latex():
    results = [
        {"na_me": r"50% & #1 {x} ~^\ $", "d": -1.5, "p": 1e-9, "c": None, "note": "rouge-2 is -3"}
    ]
    assert shown(results, "latex") == [
        r"% needs \usepackage{booktabs}",
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"na\_me & d & p \\",
        r"\midrule",
        r"50\% \& \#1 \{x\} \textasciitilde{}\textasciicircum{}\textbackslash{} \$ & $-$1.50 & $<$ 0.0001 \\",
        r"\bottomrule",
        r"\end{tabular}",
        "% rouge-2 is -3",
    ]
    rows = shown([{"of": "[a]", "n": 1}, {"of": "*", "n": 2}, {"of": "(c)", "n": 3}], "latex")[5:8]
    assert rows == [
        r"{}[a] & 1 \\",
        r"{}* & 2 \\",
        r"{}(c) & 3 \\",
    ]  # which the rule before would take for its own
    names = {
        "--seed": "-{}-seed",
        "a``b": r"a\textasciigrave{}\textasciigrave{}b",
        '"x"': r"\char34{}x\char34{}",
        "a…": r"a\ldots{}",
        "what?'": r"what?\textquotesingle{}",
        "a\nb": "a b",
        "c++": "c++",
        "王芳": "王芳",
    }
    for name, written in names.items():
        assert shown([{"of": name, "n": 1}], "latex")[5] == rf"{written} & 1 \\"
    assert (
        shown([{"of": "a", "n": 1, "note": "one\n\\end{document}"}], "latex")[-1]
        == r"% one \end{document}"
    )


def test_csv_is_exact():
    results = [
        *RESULTS,
        {"metric": 'a "b", c\nd', "mean": 0.1 + 0.2, "paired": True, "other": 2**70},
    ]
    text = b"".join(tables.render(results, "csv")).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["mean"] for row in rows] == ["10.5234", "9.0", "0.30000000000000004"]
    assert (rows[1]["S"], json.loads(rows[1]["ci"])) == ("", [-0.4, 12.2])
    assert json.loads(rows[0]["dropped"]) == {"only_a": 3}
    assert (rows[2]["metric"], rows[2]["paired"], rows[2]["other"]) == (
        'a "b", c\nd',
        "true",
        str(2**70),
    )


@each_row("mark", ["\n", "\r", "\r\n", ",", '"', "\u2028", " "])
def test_a_cell_of_csv_stays_one(mark: str):
    for value in (f"a{mark}b", mark):
        text = b"".join(tables.render([{"group": value, "n": 1}] * 2, "csv")).decode()
        value = f"'{value}" if value[0] == "\r" else value
        assert list(csv.reader(io.StringIO(text, newline=""))) == [
            ["group", "n"],
            [value, "1"],
            [value, "1"],
        ]
    assert list(tables.render([{"names": ["王芳", "b"]}], "csv")) == [
        b"names\n",
        '"[""王芳"", ""b""]"\n'.encode(),
    ]


@each_row(
    "text, cell",
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("-5", "-5"),
        ("+1e3", "+1e3"),
        ("a=1", "a=1"),
        ("", ""),
    ],
)
def test_a_spreadsheet_computes_no_text(text: str, cell: str):
    """The marks are those of OWASP's page on CSV injection; a number is no formula."""
    made = b"".join(tables.render([{"group": text, "n": -1.5}], "csv")).decode()
    assert list(csv.reader(io.StringIO(made, newline="")))[1:] == [[cell, "-1.5"]]


def test_json_streams():
    endless = ({"n": number} for number in iter(int, 1))
    assert next(tables.render(endless, "json")) == b'{"n":0}\n'
    assert [json.loads(line) for line in tables.render(RESULTS)] == RESULTS


@each_row("format", FORMATS)
def test_nothing_makes_nothing(format: str):
    assert shown([], format) == []


def test_only_long_things():
    assert shown([{"verdict": "Yes."}], "text") == ["Yes."]
    assert shown([{"verdict": "Yes."}], "markdown") == ["- Yes."]
    assert shown([{"notes": ["one", "two"], "verdict": "Yes."}], "latex") == [
        "% needs \\usepackage{booktabs}",
        "% one",
        "% two",
        "% Yes.",
    ]


def test_results_of_the_same_name_are_told_apart():
    results = [{"metric": "m", "reason": "One."}, {"metric": "m", "reason": "Two."}]
    assert shown(results, "text")[-2:] == ["reason of line 1: One.", "reason of line 2: Two."]
    results = [{"metric": "m", "system": system, "reason": system} for system in ("x", "y")]
    assert shown(results, "text")[-2:] == ["reason of x: x", "reason of y: y"]


def test_a_terminal_gets_text_and_a_pipe_json(tmp_path: Path):
    (tmp_path / "in").write_text(
        "".join(
            f'{{"id": {i}, "system": "{s}", "x": {i * k}}}\n'
            for s, k in (("a", 1), ("b", 2))
            for i in range(4)
        )
    )
    line = ["dt-ttest", "--value", "x", "--by", "system", "in"]
    ours, theirs = pty.openpty()
    subprocess.run(line, cwd=tmp_path, env=environment(tmp_path), stdout=theirs, check=True)
    os.close(theirs)
    seen = os.read(ours, 100_000).decode().replace("\r\n", "\n")
    os.close(ours)
    piped = subprocess.run(
        line, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, check=True
    ).stdout
    assert seen.splitlines() == shown([json.loads(piped)], "text", width=80)
    subprocess.run(
        [*line, "--format", "csv", "-o", "out"], cwd=tmp_path, env=environment(tmp_path), check=True
    )
    assert (tmp_path / "out").read_text().splitlines() == shown([json.loads(piped)], "csv")


def test_a_table_of_many_results_goes_on_below():
    """Neither as it is nor upright do eight results fit into 40 columns; what tells them apart is in each part."""
    results = [
        {
            "metric": f"m{n}",
            "first": 1000.0 + n,
            "second": 2000.0 + n,
            "third": 3000.0 + n,
            "fourth": 4000.0 + n,
        }
        for n in range(8)
    ]
    lines = [line.decode().rstrip("\n") for line in tables.render(results, "text", width=40)]
    assert lines[0].split() == ["metric", "first", "second", "third"] and lines[10].split() == [
        "metric",
        "fourth",
    ]
    assert (
        lines[11].split() == ["m0", "4000.00"] and len(lines) == 19 and max(map(len, lines)) <= 40
    )
    narrow = [line.decode() for line in tables.render(results, "text", width=1)]
    assert sum(line.startswith("metric") for line in narrow) == 4, (
        "a column that does not fit stands alone"
    )


def test_names_are_the_texts_that_it_takes_to_tell_results_apart():
    """Both name and place differ everywhere; the name is enough.  A list of names is one line."""
    results = [{"name": "a", "place": "x", "groups": ["u", "v"]}, {"name": "b", "place": "y"}]
    assert shown(results, "text")[-1] == "groups of a: u, v"


def test_a_model_path_is_neither_typed_nor_a_wide_column(shell, tmp_path):
    metrics = "cosine:model=/a/long/path/to/all-MiniLM,layer=3", "rougeL"
    for system, numbers in (("bart", [0.1, 0.2, 0.7]), ("t5", [0.3, 0.3, 0.4])):
        (tmp_path / f"{system}.jsonl").write_text(
            "".join(
                json.dumps(
                    {
                        "id": n,
                        "lang": "en",
                        "system": system,
                        "scores": dict.fromkeys(metrics, number),
                    }
                )
                + "\n"
                for n, number in enumerate(numbers)
            )
        )
    done = shell(
        "dt-ttest --value cosine --value rougeL --baseline t5 --format text bart.jsonl t5.jsonl"
    )
    head = next(line for line in done.out.splitlines() if line.startswith("system"))
    assert (
        head.split() == ["system", "cosine", "difference", "rougeL", "difference"]
        and "/a/long" not in done.out
    )
    both = [
        json.loads(line)
        for line in shell(
            "dt-ttest --value cosine --value rougeL bart.jsonl t5.jsonl"
        ).out.splitlines()
    ]
    assert (
        both[0]["value"] == f"scores.{metrics[0]}"
        and f"|value:scores.{metrics[0]}|" not in done.out
    )
    assert [one["difference"] for one in both] == [0, 0]  # 1/3 - 1/3, which floats make 6e-17
    assert (
        "no group is called"
        in shell("dt-ttest --value cosine --baseline gpt bart.jsonl t5.jsonl").err
    )
