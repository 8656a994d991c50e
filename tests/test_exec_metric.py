"""The metric exec: a program of the user's own reads records and writes a number for each."""

import pytest

import dialtools
from dialtools.system.errors import DialtoolsError, MissingError, OptionError, RecordError

RECORDS = [
    {"id": 1, "lang": "en", "prediction": "a=b, c", "n": 3},
    {"id": 2, "lang": "hi", "prediction": "d", "n": 4.5},
    {"id": 3, "lang": "en", "prediction": "", "n": -1e3},
]


def scores(program: str, records: list[dict] = RECORDS) -> list[float]:
    metric = f"exec:{program}"
    return [record["scores"][metric] for record in dialtools.score(records, metric=[metric])]


def test_each_record_gets_the_number_of_its_line():
    """Languages are scored apart, and come back in the order of the input."""
    assert scores("jq .n") == [3.0, 4.5, -1000.0]
    assert scores("jq '.prediction | length'") == [6.0, 1.0, 0.0]


def test_the_whole_spec_is_the_program():
    """Commas, colons and equals signs are the program's, and so are words that are options of other metrics."""
    assert scores("jq --arg of a=b,c '.n + ($of | length)'") == [8.0, 9.5, -995.0]
    (made,) = dialtools.score(RECORDS[:1], metric=["exec:jq .n"], against="text")
    assert made["history"][-1]["signature"] == {"exec:jq .n": "exec|lang:en|program:jq .n|v:0.1.0"}


@pytest.mark.parametrize(
    "program, told, error",
    [
        ("", "no program given: write exec:PROGRAM", OptionError),
        ("no-such-program x", "cannot be started", MissingError),
        ("false", "false: exit status 1", RecordError),
        ("head -c 0", "0 lines for . record", RecordError),
        ("jq -c '1, 2'", "lines for . record", RecordError),
        ("jq .prediction", "not a number", RecordError),
        ("jq -r 'nan | tostring'", "not a number", RecordError),
        ("jq 'error(\"why\")'", "why", RecordError),
    ],
)
def test_what_a_program_cannot_do_is_told(program: str, told: str, error: type[DialtoolsError]):
    with pytest.raises(error, match=told):
        scores(program)


def test_sensitivity_wants_a_bounded_score():
    with pytest.raises(OptionError, match="cannot measure sensitivity"):
        list(dialtools.score(RECORDS, metric=["exec:jq .n"], sensitivity=True))
