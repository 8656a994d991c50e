"""dt-check: what a case folder cannot hold."""

import json
import os
import pty
import subprocess

from conftest import environment

from dialtools.commands.check import check


def test_rows_do_not_grow_with_the_input():
    """Ids as pandas writes them, and languages that are none: a row for each kind, the reasons are examples."""
    records = [{"id": number + 0.5, "lang": "en", "text": "One."} for number in range(100)]
    records += [{"id": number, "lang": f"x{number}", "text": "One."} for number in range(100)]
    lines = [(f"in.jsonl:{place}", json.dumps(record).encode()) for place, record in enumerate(records, 1)]
    assert [(row["finding"], row["n"], row["first"]) for row in check(lines)] == [
        ('malformed "id"', 100, "in.jsonl:1"), ("a language without data", 100, "in.jsonl:101")]


def test_a_key_that_comes_twice():
    """At any depth, in one object; where the nesting is deeper than Python reads, nothing is said."""
    odd = '{"id": 1, "lang": "en", "text": "One.", "meta": {"a": 1, "b": [{"c": 1, "c": 2}]}, "text": "Two."}'
    fine = '{"id": 2, "lang": "en", "text": "One.", "meta": {"text": {"text": 1}}, "n": 9e99, "m": 0}'
    deep = '{"id": 3, "lang": "en", "text": "One.", "meta": %s1%s, "meta": 2}' % ('{"a": ' * 1000, "}" * 1000)
    lines = [(f"in:{place}", line.encode()) for place, line in enumerate((odd, fine, deep), 1)]
    assert list(check(lines)) == [{"level": "odd", "finding": "a key that comes twice in one object", "n": 1,
                                   "first": "in:1", "example": '"c"'}]


def test_a_terminal_gets_a_hint(tmp_path):
    """Ctrl-D ends the input, and nothing is wrong with none."""
    ours, theirs = pty.openpty()
    os.write(ours, b"\x04")
    done = subprocess.run(["dt-check"], stdin=theirs, env=environment(tmp_path), capture_output=True, timeout=60)
    os.close(ours)
    os.close(theirs)
    assert done.stderr == b"dt-check: reading records from the terminal; end with Ctrl-D, or give a FILE\n"
    assert (done.stdout, done.returncode) == (b"", 0)
