"""comparing.py and examples.py: what the tests of commands rest on."""

import pytest
from comparing import same_text

from examples import Example, examples


@pytest.mark.parametrize(
    "a, b, same",
    [
        ('{"a": 0.12345671}', '{"a": 0.12345672}', True),
        ('{"a": 0.1234567}', '{"a": 0.1234667}', False),
        ('{"a": 1, "b": 2}', '{"b": 2, "a": 1}', False),
        ('{"a": 1}', '{"a": 1.0}', False),
        ('{"a": [1]}', '{"a":  [1]}', True),
        ("a  b", "a b", False),
        ("[broken", "[broken ", False),
    ],
)
def test_comparison(a: str, b: str, same: bool):
    assert same_text(a, b) is same


def test_examples_are_found():
    text = (
        "About.\n\nExamples:\n\n$ echo a |\n  cat\na\n$ true\n\n"
        "$ printf 'b\\nc\\n'\nb\nc\n\nMore.\n"
    )
    assert examples(text) == [
        Example("echo a |\n  cat", "a\n"),
        Example("true", ""),
        Example("printf 'b\\nc\\n'", "b\nc\n"),
    ]
