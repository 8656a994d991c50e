"""Hostile records, options and foreign files: each command ends as it says that it would."""

import subprocess
import sys

import pytest
from conftest import ROOT

FUZZ = [sys.executable, str(ROOT / "tests" / "fuzz" / "fuzz.py")]


def test_a_few_hostile_runs():
    """Others than make check-slow has: those of another seed."""
    done = subprocess.run([*FUZZ, "--runs", "60", "--seed", "few"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_ten_thousand_hostile_runs():
    done = subprocess.run([*FUZZ, "--runs", "10000", "--models"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
