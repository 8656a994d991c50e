"""What commands say on standard error: bars, closing lines, interruptions; on a terminal of its own."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time
from importlib import import_module
from pathlib import Path

import pytest
from conftest import environment

from dialtools.pipeline.work import named

RECORD = {
    "lang": "en",
    "dialogue": "Ann: Hi Bob\nBob: Is Ann there?",
    "reference": "Ann greets Bob.",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    lines = (json.dumps({"id": number, **RECORD}) + "\n" for number in range(40))
    (tmp_path / "in.jsonl").write_text("".join(lines))
    return tmp_path


def on_terminal(home: Path, line: str) -> str:
    """Return what a shell line writes on a terminal of 80 columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    with subprocess.Popen(
        line,
        shell=True,
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env=environment(home, TERM="xterm", TQDM_MININTERVAL="0"),
    ):
        os.close(theirs)
        read = b""
        while True:
            try:
                read += os.read(ours, 65536)
            except OSError:  # all have closed it
                os.close(ours)
                return read.decode()


def test_a_bar_is_gone_before_the_closing_line(home: Path):
    said = on_terminal(home, "dt-swap-names in.jsonl -o out.jsonl")
    assert "40/40 [" in said
    assert re.search(r" \r\r\x1b\[Kdt-swap-names: 40 records, 160 names replaced\r\n$", said)


def test_in_a_pipe_the_slow_command_has_the_bar(home: Path):
    """The parser works on many records at once, as a model does; the others wait for it."""
    said = on_terminal(
        home, "dt-parse --parser whitespace in.jsonl -q --progress | dt-swap-names -q | wc -l"
    )
    assert "dt-parse:" in said and "dt-swap-names" not in said
    shown = on_terminal(
        home, "dt-parse --parser whitespace in.jsonl | dt-perturb -k typo.case | wc -l"
    )
    assert "dt-parse: 100%" in shown and "dt-perturb:   0%" not in shown
    waiting = on_terminal(home, "sleep 0.1 | dt-parse --parser whitespace | wc -l")
    assert waiting == "\r\x1b[Kdt-parse: standard input: no records\r\n0\r\n"


def test_no_bar_among_lines_for_people(home: Path):
    said = on_terminal(home, "PAGER=cat dt-swap-names --diff --progress in.jsonl")
    assert "names:1" in said and "records/s" not in said


@pytest.mark.parametrize(
    "more, said, is_there",
    [
        (
            "",
            "nothing is written to out.jsonl, the work is gone; give --resume from the first run on, and it is kept",
            False,
        ),
        ("--resume", "out.jsonl keeps what was made; the same command goes on", True),
    ],
)
def test_an_interruption_says_what_is_left(home: Path, more: str, said: str, is_there: bool):
    line = f"exec dt-perturb -k typo.case -o out.jsonl {more}"
    with subprocess.Popen(
        line,
        shell=True,
        cwd=home,
        env=environment(home),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as running:
        running.stdin.write((home / "in.jsonl").read_bytes())
        running.stdin.flush()
        until = time.monotonic() + 30  # the file that is written is there
        while time.monotonic() < until and len(list(home.iterdir())) < 2:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        assert running.stderr.read().decode() == f"dt-perturb: interrupted: {said}\n"
        assert running.wait() == 130
    assert (home / "out.jsonl").exists() == is_there


def test_what_was_found_and_not_made_is_counted(home: Path, shell):
    """Once in the file of an earlier run, once in a cache."""
    perturb = f"dt-perturb -k typo.case:rate=1 -o {home}/out.jsonl --resume"
    assert shell(f"head -n 30 {home}/in.jsonl | {perturb}").err == ""
    assert (
        shell(f"{perturb} {home}/in.jsonl").err
        == "dt-perturb: 40 records, 28 records of an earlier run\n"
    )
    generate = f"dt-generate -g longest --cache {home}/made.sqlite {home}/in.jsonl"
    first, second = (
        shell(f"head -n 1 {home}/in.jsonl | {generate[: -len(str(home)) - 9]}"),
        shell(generate),
    )
    assert first.err == "" and second.err == "dt-generate: 40 records, 40 outputs from the cache\n"
    assert shell(f"{generate} | grep -c cached").out == "0\n"


def test_every_count_has_a_noun_that_the_manual_explains(shell, home: Path):
    counted = shell(
        f"dt-swap-names {home}/in.jsonl --variants 2 | dt-perturb -k typo | dt-generate -g longest | "
        "dt-score -m rouge1 | jq -c '.history[] | [.by, (.counts // {} | keys)]' | sort -u"
    ).out
    found = {(by, key) for by, keys in map(json.loads, counted.splitlines()) for key in keys}
    assert {by for by, _ in found} == {"dt-swap-names", "dt-score"} | {
        by for by, _ in found if by == "dt-perturb"
    }

    def counters(by: str) -> dict:
        name = by.removeprefix("dt-").replace("-", "_")
        return import_module(f"dialtools.commands.{name}").COUNTERS

    for by, key in found:
        assert (
            named(counters(by), key) != key.replace("_", " ")
            or " " in key
            or key in ("variants", "tokens")
        )
