"""Sources as lines of text: widths, marks, wide and right-to-left text, what cannot be seen."""

import re
import time

from table_tests import each_row

from dialtools.system import terminal
from dialtools.tables import sidebyside, sources
from dialtools.tables.sidebyside import Paper


def lines(texts, width=80, colours=False, key="text", kind="typo.case"):
    names = [None, *(f"{kind}:{n}" for n in range(1, len(texts)))]
    records = [
        {"id": "a", "lang": "en", key: text, **({"variant": name} if name else {})}
        for name, text in zip(names, texts, strict=True)
    ]
    return list(sidebyside.lines(sources.source(records), Paper(width, colours)))


@each_row("width", [80, 200])
def test_one_variant_stands_beside_its_original(width):
    _, head, label, row, _ = lines(["Hi Bob", "Hi Max"], width)
    column = (width - 3) // 2
    assert [line.index(" | ") for line in (head, row)] == [column, column] and label == "text:"
    assert row.split(" | ") == ["Hi [-Bob-]".ljust(column), "Hi {+Max+}"]


def test_on_a_narrow_terminal_it_stands_below():
    assert lines(["Hi Bob", "Hi Max"], 40) == [
        "a  en",
        "text      Hi Bob",
        "typo.case:1",
        "          Hi [-Bob-]{+Max+}",
        "",
    ]


def test_a_text_stands_beside_a_long_name_if_there_is_room():
    texts = ["Hi", "Ho", "Ha"]
    assert lines(texts, 80, kind="names.frequent")[1:] == [
        "text             Hi",
        "names.frequent:1 [-Hi-]{+Ho+}",
        "names.frequent:2 [-Hi-]{+Ha+}",
        "",
    ]
    assert lines(texts, 40, kind="names.frequent")[2:4] == [
        "names.frequent:1",
        "          [-Hi-]{+Ho+}",
    ]


def test_outputs_that_are_the_same_are_listed():
    assert lines(["Hi", "Hi", "Ho", "Hi"], key="prediction")[1:] == [
        "typo.case:1 nothing was changed",
        "typo.case:2 nothing was changed",
        "typo.case:3 nothing was changed",
        "prediction  Hi",
        "typo.case:2 [-Hi-]{+Ho+}",
        "the same    typo.case:1, typo.case:3",
        "",
    ]


def test_colours_take_the_place_of_marks():
    assert lines(["Hi Bob", "Hi Max"], 80, True)[3] == (
        "Hi \x1b[31;9mBob\x1b[0m" + 32 * " " + " | Hi \x1b[32;4mMax\x1b[0m"
    )


@each_row(
    "text, changed",
    [
        ("我们明天早上七点在车站见面，然后一起去爬山。" * 4, "七点|八点"),
        ("नमस्ते, क्या आप कल सुबह स्टेशन पर मिलेंगे? " * 4, "सुबह|शाम"),
        ("👩\u200d👧 and 👍🏽 " * 9, "👍🏽|👍"),
    ],
)
def test_wide_and_combining_text_keeps_its_columns(text, changed):
    """Every line has its bar at the same column, and no cluster is cut from what it goes with."""
    import regex

    rows = lines([text, text.replace(*changed.split("|"))])[3:-1]
    assert {terminal.width(row.partition(" |")[0]) for row in rows} == {38}
    shown = re.sub(r"\[-|-\]|\{\+|\+\}", "", "".join(rows))
    assert {*regex.findall(r"\X", shown)} <= {*regex.findall(r"\X", text + changed), "|", " "}


def test_text_from_right_to_left_keeps_its_place():
    """A left-to-right mark (U+200E) on both sides: else a terminal exchanges the two columns."""
    assert lines(["שלום", "היי"])[3] == "\u200e[-שלום-]\u200e" + 30 * " " + " | \u200e{+היי+}\u200e"


def test_what_cannot_be_seen_is_shown():
    text = "a\x1b[2Jb\tc\u202ed\u200be\ufeff\udc80"
    _, _, _, row, _ = lines([text, "x " + text], 120)
    assert row.endswith(r"{+x +}a\x1b[2Jb\tc\u202ed\u200be\ufeff\udc80") and "\x1b" not in row


def test_lines_end_where_the_text_does():
    rows = [row.split(" | ") for row in lines(["one\ntwo", "one\r\ntwo"])[3:-1]]
    assert rows == [["one[-\\n-]".ljust(38), "one{+\\r\\n+}"], ["two".ljust(38), "two"]]


def test_a_long_text_is_wrapped_in_little_time():
    text = "one two 漢字と仮名 " * 5_000
    start = time.process_time()
    rows = lines([text, text + "x"], 65)[3:-1]
    left = [row.partition(" |")[0].rstrip() for row in rows]
    assert "".join(left).replace(" ", "") == text.replace(" ", "")
    assert max(map(terminal.width, left)) <= 31
    assert time.process_time() - start < 10  # minutes, if the rest were measured for each line


def test_a_word_as_long_as_a_book_is_cut_at_the_margin():
    rows = lines(["x" * 10_000, "y" * 10_000], 40)
    assert max(map(len, rows)) == 40 and "".join(rows).count("x") == 20_001
