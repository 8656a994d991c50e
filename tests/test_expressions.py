"""The small language of dt-select --where and --rank; values computed by hand."""

import pytest
from table_tests import each_row

from dialtools.statistics import expressions
from dialtools.system.errors import OptionError

SCORES = {
    "bleu": 60.0,
    "bertscore": 0.5,
    "edit:unit=word": 3,
    "none": None,
    "scores": 2.0,
    "classifier:model=a/b": 0.4,
}


@each_row(
    "text, expected",
    [
        ("bleu > 50 and bertscore > 0.5", False),
        ("bleu > 50 and bertscore >= 0.5", True),
        ("not bleu < 60", True),
        ("1 < 'edit:unit=word' <= 3", True),
        ("1 < bertscore < 60 or bleu == 60", True),
        ("1 < bertscore < 60", False),
        ("bleu != 6e1", False),
        ('scores["classifier:model=a/b"] < 0.5', True),
        ("scores > 1", True),
        ("max(bleu, 70) == 70", True),
        ("abs(-bertscore) == .5 and min(1, 2, bertscore) == 0.5", True),
        (" (bleu\n> 5) ", True),
        ("1e308 * 10 > bleu", True),
        ("1 < 1 + 1e-12", True),
        # one of 8 words and of 2: ROUGE is 1/5, in floating point 0.19999999999999998
        ("2 * (1/8) * (1/2) / (1/8 + 1/2) == 0.2", True),
        ("2 * (1/8) * (1/2) / (1/8 + 1/2) >= 0.2", True),
        ("0.2 > 2 * (1/8) * (1/2) / (1/8 + 1/2)", False),
        ("0.1 + 0.2 <= 0.3 and -0.1 - 0.2 >= -0.3", True),
    ],
)
def test_conditions(text: str, expected: bool):
    assert expressions.condition(text)(SCORES) is expected


@each_row(
    "text, expected",
    [
        ("(bleu / 100 + bertscore) / 2", 0.55),
        ("-bleu", -60),
        ("2 + 3 * 4 - +1", 13),
        ("'edit:unit=word' / 2", 1.5),
    ],
)
def test_numbers(text: str, expected: float):
    assert expressions.number(text)(SCORES) == pytest.approx(expected)


@each_row(
    "text, message",
    [
        ("none > 1", "no score none"),
        ("bleu > 1 or other > 1", "no score other"),
        ("bleu > 1 or not none > 1", "no score none"),
        ("1 / (bleu - 60) > 1", "division by zero"),
        (f"1{'0' * 400} / 3 > bleu", "a number too large"),
    ],
)
def test_what_is_unknown(text: str, message: str):
    with pytest.raises(expressions.Unknown, match=message):
        expressions.condition(text)(SCORES)


@each_row(
    "text, message",
    [
        ("bleu", "true or false"),
        ("bleu + 1", "true or false"),
        ("bleu and bertscore > 1", '"bleu" in .* true or false'),
        ("(bleu > 1) + 2 > 1", "a number"),
        ("not " * 2000 + "bleu > 1", "too deeply nested"),
        ("a if b > 1 else c", "true or false"),
        *(
            (text, "no expression")
            for text in (
                "bleu >",
                "",
                "bleu > 1; 2",
                "bleu = 1",
                "bleu\0 > 1",
                "(" * 5000 + "1" + ")" * 5000,
            )
        ),
        *(
            (text, "nothing that an expression")
            for text in (
                "__import__('os').system('x') > 1",
                "open('x') > 1",
                "2 ** 99999 > 1",
                "[1 for x in y] > 1",
                "(lambda: 1)() > 1",
                "bleu.real > 1",
                "bleu is 1",
                "1 < bleu is 2",
                "pow(bleu, 2) > 1",
                "1['x'] > 2",
                "abs(1, 2) > 0",
                "True > 0",
                "1j > 0",
                "abs() > 0",
                "max(1) > 0",
                "max(*bleu, 1) > 0",
                "max(bleu, 1, default=2) > 0",
                "~1 > 0",
                "f'{bleu}' > 1",
                "record['id'] > 1",
                "(x := 1) > 1",
            )
        ),
    ],
)
def test_what_is_no_condition(text: str, message: str):
    with pytest.raises(OptionError, match=message):
        expressions.condition(text)


def test_numbers_are_no_conditions():
    with pytest.raises(OptionError, match="is to be a number"):
        expressions.number("bleu > 1")
