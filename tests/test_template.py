"""Templates filled from tables: which combinations, with which ids, and what is refused."""

import pytest

import dialtools
from dialtools.system.errors import OptionError, RecordError

JOBS = [{"job": "nurse", "field": "care"}, {"job": "pilot", "field": "travel"}]
WHO = [{"who": "f", "pronoun": "her"}, {"who": "m", "pronoun": "him"}]


def test_all_combinations_are_made_the_last_table_varying_fastest():
    made = list(
        dialtools.template(
            [WHO, JOBS], text="I know {pronoun}, a {job}.", template=["reference={who}"]
        )
    )
    history = [{"by": "dt-template", "signature": made[0]["history"][0]["signature"]}]
    assert made[1] == {
        "history": history,
        "id": "f/pilot",
        "text": "I know her, a pilot.",
        "reference": "f",
        "who": "f",
        "pronoun": "her",
        "job": "pilot",
        "field": "travel",
    }
    assert [record["id"] for record in made] == ["f/nurse", "f/pilot", "m/nurse", "m/pilot"]


def test_otsc_has_as_many_sentences_as_its_paper():
    """1,071 occupations, two genders of the speaker and two of the friend; section 4.1."""
    jobs = [{"job": f"काम {number}"} for number in range(1071)]
    speakers, friends = ([{name: gender} for gender in "fm"] for name in ("speaker", "friend"))
    made = list(dialtools.template([speakers, friends, jobs], text="{speaker} {friend} {job}"))
    assert len(made) == len({record["id"] for record in made}) == 4 * 1071


def test_ids_do_not_change_when_rows_are_added_or_moved():
    text = "{who} {job}"
    small = {record["id"]: record["text"] for record in dialtools.template([WHO, JOBS], text=text)}
    large = {
        record["id"]: record["text"]
        for record in dialtools.template([WHO[::-1], [{"job": "cook"}, *JOBS[::-1]]], text=text)
    }
    assert small.items() < large.items()


@pytest.mark.parametrize(
    "rows, ids", [(["a/b", "a%2Fb"], ["a%2Fb", "a%252Fb"]), (["á", "字"], ["á", "字"])]
)
def test_ids_of_different_rows_differ(rows, ids):
    assert [
        record["id"] for record in dialtools.template([[{"x": row} for row in rows]], text="{x}")
    ] == ids


@pytest.mark.parametrize(
    "template, row, expected",
    [
        ("{a}{a}", {"a": "x"}, "xx"),
        ("{{a}} {{{a}}} }}{{", {"a": "x"}, "{a} {x} }{"),
        ("{a b}.", {"a b": "x"}, "x."),
        ("{a}", {"a": "{b}", "b": "y"}, "{b}"),
        ("{a}|", {"n": "1", "a": ""}, "|"),
    ],
)
def test_slots_and_braces(template, row, expected):
    assert next(dialtools.template([[row]], text=template))["text"] == expected


@pytest.mark.parametrize(
    "text, tables, more, message",
    [
        ("{a", [[{"a": "x"}]], [], "a { stands alone at 1"),
        ("a}", [[{"a": "x"}]], [], "a } stands alone at 2"),
        ("{}", [[{"a": "x"}]], [], "a { stands alone at 1"),
        ("{jop}", [JOBS], [], r"no table has a column 'jop' \(did you mean job\?\)"),
        ("{job}", [JOBS, WHO], [], "table 2 fills no slot"),
        ("{job}", [JOBS, JOBS], [], "two tables have a column 'job'"),
        ("{text}", [[{"text": "x"}]], [], "no column can be called 'text'"),
        ("{job}", [JOBS], ["field=x"], "no column can be called 'field'"),
        ("{job}", [JOBS], ["x"], 'template={"KEY": "TEMPLATE"} is wanted'),
        ("{job}", [JOBS], ["id=x"], 'template={"KEY": "TEMPLATE"} is wanted'),
        ("{x}", [], [], "there are none"),
        ("{job}", JOBS, [], "tables must be a list of lists"),
        ("{job}", ["jobs.tsv"], [], "tables is a path, 'jobs.tsv'"),
    ],
)
def test_what_does_not_fit(text, tables, more, message):
    with pytest.raises(OptionError, match=message):
        list(dialtools.template(tables, text=text, template=more))


@pytest.mark.parametrize(
    "table, told",
    [
        ([{"a": "x"}, {"a": "x"}], 'the first cell names a row, but two rows are called "x"'),
        ([{"a": "x", "b": "y"}, {"b": "y"}], "the first cell names a row, but it is empty here"),
        ([{"a": "x"}, {"a": "y", "b": 5}], "'b' is no string: 5"),
    ],
)
def test_rows_have_names_of_their_own_and_hold_strings(table, told):
    with pytest.raises(RecordError, match=f"table 1, row 2: {told}"):
        list(dialtools.template([table], text="{a}"))


@pytest.mark.parametrize(
    "rows, made",
    [
        (
            "Ann\t\nBob\t\n",
            '{"id":"Ann","text":"Ann .","who":"Ann"}\n{"id":"Bob","text":"Bob .","who":"Bob"}\n',
        ),
        (
            "\tx\nBob\ty\n",
            "dt-template: table.tsv: table 1, row 1: the first "
            "cell names a row, but it is empty here\n",
        ),
    ],
)
def test_cells_that_are_empty_are_cells(shell, tmp_path, rows, made):
    (tmp_path / "table.tsv").write_text(f"who\tnote\n{rows}")
    assert (
        shell("dt-template -q '{who} {note}.' table.tsv 2>&1 | sed 's/,\"history\":.*}/}/'").out
        == made
    )
