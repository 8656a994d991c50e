"""dt-check: what a case folder cannot hold."""

import json
import os
import pty
import subprocess
from math import nan

import pytest
from conftest import environment

from dialtools.commands.check import check


def test_rows_do_not_grow_with_the_input():
    """Ids as pandas writes them, and languages that are none: a row for each kind, the reasons are examples."""
    records = [{"id": number + 0.5, "lang": "en", "text": "One."} for number in range(100)]
    records += [{"id": number, "lang": f"x{number}", "text": "One."} for number in range(100)]
    lines = [
        (f"in.jsonl:{place}", json.dumps(record).encode())
        for place, record in enumerate(records, 1)
    ]
    assert [(row["finding"], row["n"], row["first"]) for row in check(lines)] == [
        ('malformed "id"', 100, "in.jsonl:1"),
        ("a language without data", 100, "in.jsonl:101"),
    ]


def test_records_are_taken_as_lines_are():
    """As a DataFrame gives them, with NaN for what is missing, which no line has."""
    odd, wrong = (
        {"lang": "en", "text": "a\ufeffb"},
        {"id": 7, "lang": "en", "text": "b", "variant": nan},
    )
    lines = [("record 1", json.dumps(odd).encode()), ("record 2", b"[]")]
    assert list(check([odd])) == list(check(lines[:1])) != []
    assert [(row["finding"], row["first"]) for row in check([odd, wrong, "[]"])][:2] == [
        ('malformed "variant"', "record 2"),
        ("a line that is no record", "record 3"),
    ]
    assert [row["first"] for row in check(lines[1:])] == ["record 2"]


def test_a_key_that_comes_twice():
    """At any depth, in one object; where the nesting is deeper than Python reads (3.11, not 3.13), nothing is said."""
    odd = '{"id": 1, "lang": "en", "text": "One.", "meta": {"a": 1, "b": [{"c": 1, "c": 2}]}, "text": "Two."}'
    fine = (
        '{"id": 2, "lang": "en", "text": "One.", "meta": {"text": {"text": 1}}, "n": 9e99, "m": 0}'
    )
    deep = '{"id": 3, "lang": "en", "text": "One.", "meta": %s1%s, "meta": 2}' % (
        '{"a": ' * 1000,
        "}" * 1000,
    )
    lines = [(f"in:{place}", line.encode()) for place, line in enumerate((odd, fine, deep), 1)]
    [found] = check(lines)
    assert found.pop("n") in (1, 2)
    assert found == {
        "level": "odd",
        "finding": "a key that comes twice in one object",
        "first": "in:1",
        "example": '"c"',
    }


def test_tokens_of_another_text_are_wrong():
    """As when a text was changed by what knows no tokens: dt-perturb refuses such a record."""

    def findings(text: str) -> list[tuple]:
        turn = {
            "speaker": "A",
            "text": text,
            "tokens": [
                {"form": "Hi", "start": 0, "end": 2, "upos": "INTJ"},
                {"form": "!", "start": 2, "end": 3, "upos": "PUNCT"},
            ],
        }
        line = json.dumps(
            {"id": 1, "lang": "en", "dialogue": [turn, {"speaker": "B", "text": "Hi."}]}
        )
        return [
            (row["level"], row["finding"], row["example"])
            for row in check([("in:1", line.encode())])
        ]

    assert findings("Hi!") == []
    assert findings("Ho!") == [
        (
            "wrong",
            "tokens that are not those of their text",
            'the token "Hi" does not stand at 0 to 2 of "Ho!"',
        )
    ]


@pytest.mark.parametrize(
    "said, made, wrong",
    [
        ("Hi", [{"form": "Hi", "start": 0, "end": 2}], ""),
        (["Ho", "Hi"], [[], [{"form": "Hi", "start": 0, "end": 2}]], ""),
        (
            ["Hi", "Ho"],
            [[], [{"form": "Hi", "start": 0, "end": 2}]],
            'the token "Hi" does not stand at 0 to 2 of "Ho"',
        ),
    ],
)
def test_tokens_of_another_reference_are_wrong(said: str | list[str], made: list, wrong: str):
    """Which dt-parse --pretokenised --also reference refuses."""
    record = {"id": 1, "lang": "en", "text": "So.", "reference": said, "reference_tokens": made}
    assert [row["example"] for row in check([("in:1", json.dumps(record).encode())])] == [
        wrong
    ] * bool(wrong)


def test_a_line_may_be_written_in_any_way():
    """As we write it, with spaces, in ASCII: twice is twice, and what is there once is not."""
    once = {
        "id": 1,
        "lang": "de",
        "text": 'Schön: "text":',
        "meta": [{"a": 1.50, "b": 2**70}, {"a": 1e5}],
    }
    for options in ({}, {"ensure_ascii": False}, {"ensure_ascii": False, "separators": (",", ":")}):
        line = json.dumps(once, **options)
        assert list(check([("in:1", line.encode() + b"\n")])) == []
        assert [
            row["example"] for row in check([("in:1", line[:-1].encode() + b',"meta":0}\n')])
        ] == ['"meta"']


def test_characters_are_found_in_every_string_and_nowhere_between_two():
    """Of each kind the first string that has it is shown; "Ã" and "©" side by side are a letter decoded wrongly."""
    turns = [{"speaker": "Ann", "text": "caf\u00c3"}, {"speaker": "\u00a9Bo", "text": "e\u0301"}]
    record = {
        "id": 1,
        "lang": "en",
        "dialogue": turns,
        "context": "\ufeffa",
        "reference": ["so", "a\ufffdb\ufeff"],
    }
    assert [
        (row["finding"], row["example"]) for row in check([("in:1", json.dumps(record).encode())])
    ] == [
        ("text that is not in Unicode's composed form (NFC)", '/dialogue/1/text: "e\u0301"'),
        ("a BOM inside a text", '/context: "\ufeffa"'),
        ("the replacement character U+FFFD", '/reference/1: "a\ufffdb\ufeff"'),
    ]


def test_speakers_with_a_remark_behind_the_name():
    """In transcripts one person has several labels; to all commands these are several people."""
    for first, second, told in (
        ("Ann", "ANN (laughs)", True),
        ("NEAL CONAN, host", "Neal Conan", True),
        ("田中", "田中（笑）", True),
        ("Ann [aside]", "Ann (aside)", False),
        ("Ann", "[Ann]", False),
        ("Smith, Mary", "Smith, John", False),
        ("Ann (x)", "Bob", False),
    ):
        record = {
            "id": 1,
            "lang": "en",
            "dialogue": [{"speaker": name, "text": "Hi"} for name in (first, second)],
        }
        found = [row["finding"] for row in check([("in:1", json.dumps(record).encode())])]
        assert ("speakers that differ in a remark only" in found) == told, (first, second)


def test_a_name_of_any_length_is_a_stranger():
    """Names that begin alike, of one character, at the end of a text; those inside of other words are none."""
    for lang, text, reference, name in (
        ("en", "Bob", "He met Annabelle and Bob.", "Annabelle"),
        ("en", "Bob", "He met Bobby", "Bobby"),
        ("ja", "はい", "太郎、碧", "太郎"),
        ("en", "Bob", "Andes, Marble, bo", None),
        ("en", "Ann", "Ann's", None),
    ):
        record = {
            "id": 1,
            "lang": lang,
            "dialogue": f"A: {text}\nB: {text}",
            "reference": reference,
        }
        found = [row["example"] for row in check([("in:1", json.dumps(record).encode())])]
        assert found == ([f'"{name}"'] if name else []), reference


def test_a_terminal_gets_a_hint(tmp_path):
    """Ctrl-D ends the input; no records are odd, and nothing is wrong."""
    ours, theirs = pty.openpty()
    os.write(ours, b"\x04")
    done = subprocess.run(
        ["dt-check"], stdin=theirs, env=environment(tmp_path), capture_output=True, timeout=60
    )
    os.close(ours)
    os.close(theirs)
    assert (
        done.stderr
        == b"dt-check: reading records from the terminal; end with Ctrl-D, or give a FILE\n"
    )
    assert (json.loads(done.stdout)["finding"], done.returncode) == ("no records", 0)


def test_what_is_wrong_is_kept_left_out_or_ends_the_check(shell):
    given = """printf '%s\\n' '{"id": 1, "lang": "en", "dialogue": "A: Hi"}' '{"id": ' | dt-check --on-error"""
    assert shell(f"{given} keep | jq -r .level | xargs").out == "wrong odd\n"
    left = shell(f"{given} skip | jq -r .level; exit ${{PIPESTATUS[1]}}")
    assert (left.out, left.status) == ("odd\n", 1)
    ended = shell(f"{given} stop")
    assert (ended.out, ended.status) == (
        "",
        3,
    ) and "standard input:2: a line that is no record: not JSON" in ended.err
