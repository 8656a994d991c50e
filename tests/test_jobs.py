"""--jobs: several processes write what one writes, byte by byte, and say what one says."""

import json
import multiprocessing
import os
import re
import select
import signal
import subprocess
import time
from collections import Counter

import pytest
import samples
from conftest import environment, until

from dialtools.pipeline.parallel import Worker
from dialtools.system.errors import ConnectionLost

RECORDS = samples.predicted(samples.records(200, ("en", "zh", "hi")))
LINES = [json.dumps(record, ensure_ascii=False) + "\n" for record in RECORDS]
SCORE = "dt-score -m rouge1 -m bleu"
BROKEN = (
    LINES[:90]
    + ["xx\n"]
    + LINES[90:150]
    + ["\n", LINES[3], '{"id": "odd", "prediction": 5}\n']
    + LINES[150:]
)


def both(shell, line: str, *status: int) -> str:
    """Return what is written to standard output, the same by one process and by two."""
    one, two = shell(f"{line} --jobs 1 in"), shell(f"{line} --jobs 2 in")
    assert two == one and one.status in (status or (0,)), one.err
    return one.out


@pytest.mark.parametrize(
    "line",
    [
        SCORE,
        f"{SCORE} --summary --by lang",
        f"{SCORE} --key prediction=reference --key reference=prediction",
        "dt-score -m distinct1 -m chrf --summary",
        "dt-swap-names --overwrite --variants 3 --keep-original --report report",
        "dt-perturb --overwrite -k typo.case --require-change skip",
        "dt-perturb --overwrite -k typo --diff",
        "dt-swap-names --overwrite --ids --diff",
        f"{SCORE} --limit 100",
        f"{SCORE} --shard 1/3",
    ],
)
def test_the_same_bytes(shell, tmp_path, line: str):
    (tmp_path / "in").write_text("".join(LINES))
    assert both(shell, line)
    if "report" in line:
        assert json.loads((tmp_path / "report").read_text())["records"] == 3 * len(RECORDS)


@pytest.mark.parametrize(
    "which, said",
    [
        ("", "0 records, 3 unchanged variants left out"),
        ("--shard 2/3", None),
        ("--limit 0", "in: no records"),
    ],
)
def test_nothing_is_written(shell, tmp_path, which: str, said: str | None):
    """Of three records without a contraction; none of their ids is of the second part."""
    (tmp_path / "in").write_text(
        samples.lines([{"id": id, "lang": "en", "text": "Rain."} for id in (1, 2, 3)])
    )
    line = f"dt-perturb -k typo.contraction --require-change skip {which}"
    assert both(shell, line) == ""
    assert shell(f"{line} in").err == (f"dt-perturb: {said}\n" if said else "")


def test_the_same_bytes_of_numbers_that_have_no_id(shell, tmp_path):
    lines = [
        json.dumps({key: value for key, value in record.items() if key != "id"}) + "\n"
        for record in RECORDS
    ]
    (tmp_path / "in").write_text("".join(lines))
    made = [json.loads(line)["id"] for line in both(shell, SCORE).splitlines()]
    assert made == [str(number) for number in range(1, len(RECORDS) + 1)]


@pytest.mark.parametrize("on_error", ["stop", "skip", "keep"])
def test_the_same_errors(shell, tmp_path, on_error: str):
    """Line 91 is no JSON, line 153 an id that came long before, line 154 malformed; dt-score works on 32 at once."""
    (tmp_path / "in").write_text("".join(BROKEN))
    made = both(shell, f"{SCORE} --on-error {on_error}", 1, 3)
    assert made.count("\n") == (90 if on_error == "stop" else 200)
    (tmp_path / "in").write_text("".join(BROKEN[:90] + BROKEN[91:]))
    assert both(shell, f"{SCORE} --on-error {on_error}", 1, 3).count("\n") == (
        150 if on_error == "stop" else 200
    )


def test_what_a_record_lacks_of_a_kind_is_told(shell, tmp_path):
    """The error knows the kind, which is made of functions: no pipe between processes takes those."""
    record = {"id": 1, "dialogue": "Ann: How are you all this morning?\nBob: Fine."}
    (tmp_path / "in").write_text(samples.lines([record]))
    assert both(shell, "dt-perturb -k dialogue.split --variants 9", 3) == ""


def test_of_several_errors_in_a_batch_the_first_is_told(shell, tmp_path):
    """Records 42 and 44 have no token; of a batch, English is scored before Hindi."""
    texts = ["a"] * 41 + ["猫", "a", "猫"] + ["a"] * 20
    (tmp_path / "in").write_text(
        samples.lines(
            {
                "id": number,
                "lang": "en" if number % 4 == 0 else "hi",
                "prediction": text,
                "reference": "a",
            }
            for number, text in enumerate(texts, 1)
        )
    )
    assert both(shell, "dt-score -m rouge1:tok=rouge", 3).count("\n") == 41
    assert "in:42: " in shell("dt-score -m rouge1:tok=rouge in").err


@pytest.mark.parametrize(
    "line",
    [SCORE, "dt-parse --parser whitespace", "dt-generate -g lead", "dt-perturb -k typo.case"],
)
def test_what_comes_before_a_file_that_cannot_be_read_is_written(shell, tmp_path, line: str):
    records = [
        {"id": number, "lang": "en", "dialogue": "Ann: a b", "reference": "a b"}
        for number in range(75)
    ]
    records = [{**record, "prediction": "a"} for record in records] if line == SCORE else records
    (tmp_path / "first").write_text(samples.lines(records))
    assert both(shell, f"{line} first nothing", 5).count("\n") == 75


@pytest.mark.parametrize("on_error", ["stop", "skip", "keep"])
def test_what_is_refused_between_the_records_of_a_source(shell, tmp_path, on_error: str):
    """Of b, which is parted by a, the rest is refused; c, of which one record lacks a key, is whole."""

    def records(id: str, first: int, last: int) -> list[dict]:
        return [
            {
                "id": id,
                "lang": "en",
                "variant": f"names:{number}",
                "prediction": f"x {number}",
                "reference": "x",
            }
            for number in range(first, last)
        ]

    lacking = [{"id": "c", "lang": "en", "variant": "names:0"}]
    made = {"a": 40, "b": 24, "c": 40, "d": 70, "e": 2}
    (tmp_path / "in").write_text(
        samples.lines(
            [
                *records("a", 0, 40),
                *records("b", 0, 24),
                *records("a", 50, 52),
                *records("b", 24, 40),
                *lacking,
                *records("c", 1, 41),
                *records("d", 0, 70),
                *lacking,
                *records("e", 0, 2),
            ]
        )
    )
    found = both(shell, f"dt-score -m rouge1 --on-error {on_error}", 1, 3).splitlines()
    assert Counter(json.loads(line)["id"] for line in found) == (
        made if on_error != "stop" else {"a": 40, "b": 24}
    )
    both(shell, f"dt-score -m rouge1 --sensitivity --per-source --on-error {on_error}", 1, 3)


def test_lines_that_are_no_records(shell, tmp_path):
    """Where no source has begun, none can be parted; a look back for each line would take minutes."""
    (tmp_path / "in").write_text("xx\n" * 8_000 + LINES[0] + "xx\n" * 8_000 + "".join(LINES[1:]))
    assert both(shell, f"{SCORE} --on-error skip", 1).count("\n") == len(LINES)


def test_a_number_in_the_place_of_an_id_is_that_of_its_line(shell, tmp_path):
    """Line 65, without an id, is of the source before, whose id is 65: the chunk, of 33 to 64, does not end there."""
    records = [
        {"id": str(number + (number == 64)), "lang": "en", "prediction": "a", "reference": "a"}
        for number in range(1, 65)
    ] + [{"lang": "en", "variant": "names:1", "prediction": "a", "reference": "a"}]
    (tmp_path / "in").write_text(samples.lines(records))
    assert both(shell, "dt-score -m rouge1").count("\n") == 65


def test_a_source_is_never_parted(shell, tmp_path):
    """300 variants of one source are more than a chunk; the sensitivity of the source needs them all."""
    variants = [
        {
            "id": id,
            "lang": "en",
            "variant": f"names:{number}",
            "reference": "a b c d",
            "prediction": f"a b {number}",
        }
        for id in "xyz"
        for number in range(1, 301)
    ]
    (tmp_path / "in").write_text(samples.lines(variants))
    found = [
        json.loads(line)
        for line in both(shell, "dt-score -m rouge1 --sensitivity --per-source -q").splitlines()
    ]
    assert [source["id"] for source in found] == ["x", "y", "z"]


@pytest.mark.parametrize("share", [0.3, 0.7, 1])
def test_going_on(shell, tmp_path, share: float):
    (tmp_path / "in").write_text("".join(LINES))
    whole = shell(f"{SCORE} --jobs 2 in -o out")
    made = (tmp_path / "out").read_bytes()
    (tmp_path / "out").write_bytes(made[: int(len(made) * share)])
    again = shell(f"{SCORE} --jobs 2 --resume in -o out")
    said = re.sub(r"dt-score: 200 records, \d+ records of an earlier run\n", "", again.err)
    assert again._replace(err=said) == whole and said != again.err
    assert (tmp_path / "out").read_bytes() == made


@pytest.mark.parametrize("choice", ["skip", "stop"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_malformed_is_one_shard_s(shell, tmp_path, choice: str, jobs: int):
    """All shards together tell of what one run tells: 5 records that cannot be read, of which 2 have no id."""
    odd = [
        b"xx",
        b'{"id": ["d1"], "prediction": "a"}',
        b'{"id": "d2"}',
        b'{"id": "d3", "prediction": 5}',
        b'{"id": 4}',
    ]
    (tmp_path / "in").write_bytes("".join(LINES[:100]).encode() + b"\n".join(odd))
    told = []
    for part in (1, 2, 3):
        found = shell(f"dt-score -m exact --on-error {choice} --jobs {jobs} --shard {part}/3 in")
        own = [
            line.partition(" ")[2].partition(": ")[0]
            for line in found.err.splitlines()
            if " in:" in line
        ]
        told += own
        assert found.status == ({"skip": 1, "stop": 3}[choice] if own else 0)
        assert choice == "stop" or part > 1 or {"in:101", "in:102"} <= {*own}
    assert sorted(told) == [f"in:{number}" for number in range(101, 106)] or choice == "stop"
    assert len(told) == len({*told})


def test_the_first_output_comes_soon(tmp_path):
    """Two processes have two chunks each when what is made of the first is fetched: 2 of 16 lines, 2 of 32."""
    with subprocess.Popen(
        "dt-score -m rouge1 --jobs 2".split(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(tmp_path),
    ) as process:
        assert process.stdin and process.stdout
        process.stdin.write("".join(LINES[:97]))
        process.stdin.flush()
        ready, *_ = select.select([process.stdout], [], [], 60)
        process.stdin.close()
        assert ready and json.loads(process.stdout.readline())["id"] == RECORDS[0]["id"]
        process.stdout.read()


def processes(parent: int) -> list[int]:
    found = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(parent)], capture_output=True, text=True
    )
    return [int(number) for number in found.stdout.split()]


def is_running(process: int) -> bool:
    """Has a process not ended?  One that nobody waits for stays as a zombie, as in a container without an init."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True
    ).stdout
    return state.strip()[:1] not in ("", "Z")


@pytest.mark.parametrize(
    "killed, number, status, message",
    [
        ("worker", signal.SIGKILL, 5, "a worker process was killed"),
        ("parent", signal.SIGINT, 130, ""),
        ("parent", signal.SIGTERM, 143, ""),
        ("parent", signal.SIGKILL, -9, ""),
    ],
)
def test_a_process_that_is_killed(tmp_path, killed: str, number: int, status: int, message: str):
    """No worker is left behind, not either where SIGTERM is ignored, as it is by some who start commands."""
    ignored = "TERM" if number == signal.SIGINT else "USR1"
    command = f"trap '' {ignored}; exec dt-perturb -k typo.keyboard --jobs 2"
    feed = f"while :; do cat {tmp_path / 'in'}; done"
    (tmp_path / "in").write_text('{"lang": "en", "text": "Hello there, how is it?"}\n' * 1000)
    with (
        subprocess.Popen(["bash", "-c", feed], stdout=subprocess.PIPE) as source,
        subprocess.Popen(
            ["bash", "-c", command],
            stdin=source.stdout,
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment(tmp_path),
        ) as process,
    ):
        try:
            until(lambda: len(processes(process.pid)) > 1)
            workers = processes(process.pid)
            time.sleep(0.5)
            os.kill(workers[0] if killed == "worker" else process.pid, number)
            assert process.wait(60) == status
        finally:
            source.kill()
            process.kill()
        said = process.stderr.read() if process.stderr else ""
        assert message in said and len(said.strip().splitlines()) == bool(message)
        until(lambda: not any(map(is_running, workers)))


def test_an_interrupt_of_a_process_that_just_begins(shell):
    """It is the parent's, before the process can say that it ignores it, too: Ctrl-C showed a traceback."""
    program = (
        "import os, signal; os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGINT)); "
        "from dialtools.commands.perturb import main; main(['-q', '-k', 'typo.case', '--jobs', '2'])"
    )
    found = shell(f"""echo '{{"id": 1, "lang": "en", "text": "Hi"}}' | python -c "{program}" """)
    assert (found.status, found.err) == (0, "") and '"variant":"typo.case:1"' in found.out


def test_a_worker_that_is_killed_while_it_sends():
    """Its pipe ends within a message."""
    worker = Worker(len)
    worker.end()
    worker.results, back = multiprocessing.Pipe(duplex=False)
    os.write(back.fileno(), b"\0")
    back.close()
    with pytest.raises(ConnectionLost, match="a worker process was killed"):
        worker.take()


def test_a_parent_that_is_killed_while_it_sends():
    worker = Worker(len)
    os.write(worker.chunks.fileno(), b"\0")
    worker.chunks.close()
    worker.process.join(60)
    assert worker.process.exitcode == 1
