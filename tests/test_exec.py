"""The metric and the perturbation exec: programs of the user's own, and how they end."""

import json
import signal
import subprocess
from functools import partial
from pathlib import Path

import pytest
from conftest import environment, until

import dialtools
from dialtools.models.decoding import Loading
from dialtools.system.errors import DialtoolsError, MissingError, OptionError, RecordError

RECORDS = [
    {"id": 1, "lang": "en", "prediction": "a=b, c", "n": 3},
    {"id": 2, "lang": "hi", "prediction": "d", "n": 4.5},
    {"id": 3, "lang": "en", "prediction": "", "n": -1e3},
]


def scores(program: str, records: list[dict] = RECORDS, timeout: float = 60) -> list[float]:
    metric, loading = f"exec:{program}", Loading(timeout=timeout)
    scored = dialtools.score(records, metric=[metric], loading=loading)
    return [record["scores"][metric] for record in scored]


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
        ("head -c 0", "0 lines instead of .", RecordError),
        ("jq -c '1, 2'", "more lines than .", RecordError),
        ("yes", "more lines than .", RecordError),
        ("sh -c 'yes | tr -d \"\\n\"'", "an answer has more than 64 MiB", RecordError),
        ("jq .prediction", "not a number", RecordError),
        ("jq -r 'nan | tostring'", "not a number", RecordError),
        ("jq 'error(\"why\")'", "why", RecordError),
    ],
)
def test_what_a_program_cannot_do_is_told(program: str, told: str, error: type[DialtoolsError]):
    with pytest.raises(error, match=told):
        scores(program)


@pytest.mark.parametrize(
    "program",
    [
        "sleep 60",
        "sh -c 'jq .n; exec >&- 2>&-; sleep 60'",
        "sh -c 'sleep 60 & jq .n'",
        "sh -c 'yes >&2'",
        "sh -c 'yes \"\"'",
    ],
)
def test_a_program_that_does_not_come_to_an_end_is_late(program: str):
    """It says nothing, or goes on without its output, in another process, with messages, with empty lines."""
    with pytest.raises(RecordError, match="no answer within 0.5 s; 'timeout' allows more"):
        scores(program, timeout=0.5)


def test_the_time_is_that_of_an_answer():
    """Five answers take longer together."""
    program = "sh -c 'while read -r line; do sleep 0.5; echo 1; done'"
    assert scores(program, [RECORDS[0] | {"id": number} for number in range(5)], 2) == [1.0] * 5


def test_the_time_is_an_option_and_no_part_of_signatures(shell):
    line = """echo '{"id": 1, "lang": "en", "text": "a"}' |"""
    for command in ("dt-perturb -k 'exec:sleep 60'", "dt-score -m 'exec:sleep 60'"):
        made = shell(f"{line} {command} --timeout 0.5")
        assert made.status == 3 and "no answer within 0.5 s" in made.err
        assert shell(f"{line} {command} --timeout 0").status == 2
    made = shell(
        f"{line} dt-perturb -q --timeout 9 -k exec:cat | dt-score -q --timeout 9 -m 'exec:jq .id'"
    )
    first, second = json.loads(made.out)["history"]
    assert first["signature"] == "exec|lang:en|program:cat|seed:0|v:0.1.0"
    assert second["signature"] == {"exec:jq .id": "exec|lang:en|program:jq .id|v:0.1.0"}
    with pytest.raises(OptionError, match="'timeout' is for metrics that run a program"):
        list(dialtools.score(RECORDS, metric=["exact"], loading=Loading(timeout=1)))


STUBBORN = """trap '' TERM INT HUP
sleep 987 & echo $$ $! >> pids
while :; do sleep 987; done
"""


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("command", ["dt-perturb -k", "dt-score -m", "dt-perturb --jobs 2 -k"])
def test_no_program_outlives_the_command(tmp_path: Path, command: str, ending: signal.Signals):
    """Not even one that ignores signals, nor what it has started."""
    (tmp_path / "stubborn.sh").write_text(STUBBORN)
    (tmp_path / "in.jsonl").write_text('{"id": 1, "lang": "en", "text": "a"}\n')
    process = subprocess.Popen(
        [*command.split(), "exec:sh stubborn.sh", "in.jsonl"],
        cwd=tmp_path,
        env=environment(tmp_path),
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        # under nohup, which lets it be ignored
        preexec_fn=partial(signal.signal, signal.SIGHUP, signal.SIG_DFL),
    )
    pids = tmp_path / "pids"
    until(lambda: pids.exists() and pids.read_text().endswith("\n"))
    process.send_signal(ending)
    process.wait(60)
    until(lambda: not is_alive(*pids.read_text().split()))


def is_alive(*pids: str) -> bool:
    """Tell whether one of some processes runs; one that ended may wait as a zombie for its parent."""
    told = subprocess.run(
        ["ps", "-o", "stat=", "-p", ",".join(pids)], capture_output=True, text=True
    )
    return any(not state.startswith("Z") for state in told.stdout.split())


def test_sensitivity_wants_a_bounded_score():
    with pytest.raises(OptionError, match="cannot measure sensitivity"):
        list(dialtools.score(RECORDS, metric=["exec:jq .n"], sensitivity=True))
