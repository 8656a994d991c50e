"""--resume: what a killed run left is gone on with, to the same bytes."""

import itertools
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import samples
from conftest import environment, until
from misbehaving_server import Handler, serving, shout

from dialtools.commands import generate, parse, perturb, score, swap_names

RECORDS = samples.records(40, ("en",))
LINES = [json.dumps(record) + "\n" for record in RECORDS]
COMMANDS = {
    "perturb": [
        "dt-perturb",
        "-k",
        "typo",
        "-k",
        "dialogue.split",
        "--variants",
        "2",
        "--keep-original",
    ],
    "perturb-jobs": ["dt-perturb", "-k", "typo.case", "--jobs", "2", "--require-change", "skip"],
    "score": ["dt-score", "-m", "rouge2", "-m", "bleu:against=original"],
    "systems": ["dt-score", "-m", "rougeL"],
    "systems-jobs": ["dt-score", "-m", "rougeL", "--jobs", "2"],
    "longest": ["dt-generate", "-g", "longest", "--key", "dialogue=chat"],
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    said = {None: "", "names:1": " So.", "names:2": " Or not?"}
    variants = [
        json.dumps(
            {**record, "variant": variant, "prediction": record["reference"][0] + said[variant]}
        )
        + "\n"
        for record in RECORDS
        for variant in said
    ]
    (tmp_path / "plain.jsonl").write_text("".join(LINES))
    (tmp_path / "longest.jsonl").write_text("".join(LINES).replace('"dialogue"', '"chat"'))
    scored = "".join(variants).replace('"variant": null, ', "")
    (tmp_path / "score.jsonl").write_text(scored)
    for name in ("systems", "systems-jobs"):  # one after the other, with the same ids
        (tmp_path / f"{name}.jsonl").write_text(
            "".join(re.sub("(?m)^{", f'{{"system": "{system}", ', scored) for system in "ab")
        )
    return tmp_path


def of_one_run(told: str) -> str:
    """Return what was said as one run would say it: without the number of records of an earlier one."""
    alone = r"^dt-[a-z-]+: [\d,]+ records?, [\d,]+ records? of an earlier run\n"
    return re.sub(
        r", [\d,]+ records? of an earlier run", "", re.sub(alone, "", told, flags=re.MULTILINE)
    )


def input_of(home: Path, name: str) -> Path:
    return home / f"{name}.jsonl" if (home / f"{name}.jsonl").exists() else home / "plain.jsonl"


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_run_is_gone_on_with(home: Path, name: str):
    command, file, environ = COMMANDS[name], input_of(home, name), environment(home)
    whole = subprocess.run(
        [*command, str(file), "-o", "whole"], cwd=home, env=environ, capture_output=True, timeout=60
    )
    assert whole.returncode == 0
    lines = file.read_text().splitlines(keepends=True)
    if (
        "--jobs" not in command
    ):  # one that hands out chunks writes the first at the end of this input
        started = subprocess.Popen(
            [*command, "-o", "out", "--resume"],
            cwd=home,
            env=environ,
            text=True,
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert started.stdin
        started.stdin.writelines(lines[: len(lines) * 2 // 3])
        started.stdin.flush()
        until(lambda: size(home / "out") > (home / "whole").stat().st_size // 2)
        os.kill(started.pid, signal.SIGKILL)
        started.wait()
        started.stdin.close()
        assert (home / "whole").read_bytes().startswith((home / "out").read_bytes())
    again = subprocess.run(
        [*command, str(file), "-o", "out", "--resume"],
        cwd=home,
        env=environ,
        capture_output=True,
        timeout=60,
    )
    # what is counted is that of both runs
    assert (again.returncode, of_one_run(again.stderr.decode())) == (0, whole.stderr.decode())
    assert (home / "out").read_bytes() == (home / "whole").read_bytes()


def test_a_server_that_dies_in_mid_run(home: Path):
    numbers = itertools.count(1)

    def hang(handler: Handler, body: dict, before: int) -> None:
        if next(numbers) > 17:  # of two at once one is the 17th, whoever comes first
            handler.hang()
        shout(handler, body, before)

    def arguments(url: str, out: str) -> list[str]:
        return [
            "dt-generate",
            "--endpoint",
            url,
            "--model",
            "m",
            "--concurrency",
            "2",
            "--sample",
            "-o",
            out,
            "--resume",
            "plain.jsonl",
        ]  # a seed for each, so that none are alike

    with serving(hang) as server:
        started = subprocess.Popen(
            arguments(server.url, "out"), cwd=home, env=environment(home), stderr=subprocess.DEVNULL
        )
        until(lambda: len(server.got) > 18 and (home / "out").read_text().count("\n") >= 16)
        os.kill(started.pid, signal.SIGKILL)
        started.wait()
        left = (home / "out").read_bytes()
        assert left.count(b"\n") in (16, 17)
        server.reply, server.got = shout, []  # type: ignore[attr-defined]
        for out in ("out", "whole"):
            subprocess.run(
                arguments(server.url, out), cwd=home, env=environment(home), timeout=60, check=True
            )
            # 17 were answered; whether the last of them was kept before the kill is chance
            assert len(server.got) - {"out": 0, "whole": 40}[out] in (40 - 17, 40 - 16)
        assert (home / "out").read_bytes() == (home / "whole").read_bytes()


# In this process.


def run(command: Callable, *arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        command([str(argument) for argument in arguments])
    return int(str(end.value.code))


CASES = [
    (perturb.main, "perturb"),
    (score.main, "score"),
    (score.main, "systems"),
    (score.main, "systems-jobs"),
    (generate.main, "longest"),
]


@pytest.mark.parametrize("command, name", CASES)
@pytest.mark.parametrize(
    "share",
    [
        0,
        0.333,
        1,
        pytest.param(0.001, marks=pytest.mark.slow),
        pytest.param(0.75, marks=pytest.mark.slow),
    ],
)
def test_cut_anywhere(home: Path, capfd, command, name: str, share: float):
    arguments = [*COMMANDS[name][1:], str(input_of(home, name))]
    assert run(command.main, *arguments, "-o", home / "whole") == 0
    whole = (home / "whole").read_bytes()
    for size in {int(len(whole) * share) + more for more in range(0, 900, 151)}:
        (home / "out").write_bytes(whole[:size])
        assert run(command.main, *arguments, "-o", home / "out", "--resume") == 0
        assert (home / "out").read_bytes() == whole


# The same where every fifth record cannot be worked on, and is skipped; of one line the input itself makes no record.

WRONG = {
    "chat": [],
    "prediction": "สวัสดี",
    "lang": "de",
}  # no turns; no token of rouge's; a language without terms
FAILING = [
    (generate.main, "longest", "chat", ["-g", "longest", "--key", "dialogue=chat"]),
    (score.main, "score", "prediction", ["-m", "rouge2"]),
    (score.main, "systems-jobs", "prediction", ["-m", "rougeL", "--jobs", "2"]),
    (score.main, "score", "prediction", ["-m", "rouge2:against=original"]),
    (score.main, "systems", "prediction", ["-m", "rouge2", "--sensitivity", "--per-source"]),
    (perturb.main, "plain", "lang", ["-k", "terms.swap", "--keep-original", "--variants", "2"]),
    (perturb.main, "plain", "lang", ["-k", "terms.swap", "--jobs", "2"]),
]


def spoilt(home: Path, name: str, key: str) -> Path:
    lines = input_of(home, name).read_text().splitlines()
    for at in range(2, len(lines), 5):
        lines[at] = json.dumps({**json.loads(lines[at]), key: WRONG[key]}, ensure_ascii=False)
    lines[15] = "[]"
    (home / "spoilt.jsonl").write_text("\n".join(lines))
    return home / "spoilt.jsonl"


@pytest.mark.parametrize("command, name, key, arguments", FAILING)
@pytest.mark.parametrize("choice", ["skip", "keep"])
@pytest.mark.parametrize(
    "shares", [(0.1, 0.75, 1), pytest.param((0.333, 0.5, 0.95), marks=pytest.mark.slow)]
)
def test_what_failed_before_the_cut_is_counted(
    home: Path,
    capfd,
    command,
    name: str,
    key: str,
    arguments: list[str],
    choice: str,
    shares: tuple[float, ...],
):
    def done() -> tuple[int, list[str]]:
        status = run(
            command.main,
            *arguments,
            spoilt(home, name, key),
            "-o",
            home / "out",
            "--on-error",
            choice,
            "--resume",
        )
        told = of_one_run(capfd.readouterr().err).splitlines()
        return status, [
            line for line in told if ".jsonl:" not in line and "counts them" not in line
        ]

    status, told = done()
    assert status == 1 and " failed" in "".join(told)
    whole = (home / "out").read_bytes()
    for share in shares:
        (home / "out").write_bytes(whole[: int(len(whole) * share)])
        assert done() == (1, told)
        assert (home / "out").read_bytes() == whole


def test_what_was_left_out_before_the_cut_is_not_known(home: Path, capfd):
    arguments = [
        "-k",
        "typo.contraction",
        "--require-change",
        "skip",
        home / "plain.jsonl",
        "-o",
        home / "out",
    ]
    assert run(perturb.main.main, *arguments) == 0
    assert " left out\n" in capfd.readouterr().err
    (home / "out").write_bytes(b"")
    assert run(perturb.main.main, *arguments, "--resume") == 0
    assert " left out by this run\n" in capfd.readouterr().err
    assert run(perturb.main.main, *arguments, "--resume", "--on-error", "skip") == 2
    assert "--on-error keep" in capfd.readouterr().err


@pytest.mark.parametrize("share", [0.2, 0.5, 0.95])
def test_what_failed_is_not_taken_for_left_out(home: Path, capfd, share: float):
    arguments = [
        "-k",
        "terms.swap",
        "--keep-original",
        "--require-change",
        "skip",
        "--on-error",
        "keep",
        spoilt(home, "plain", "lang"),
        "-o",
        home / "out",
    ]
    assert run(perturb.main.main, *arguments) == 1
    whole = (home / "out").read_bytes()
    (home / "out").write_bytes(whole[: int(len(whole) * share)])
    assert run(perturb.main.main, *arguments, "--resume") == 1
    assert (home / "out").read_bytes() == whole


def told_alike(arguments: list, out: Path, capfd) -> str:
    """Return what a run in which records fail says, as it does where it goes on behind a cut."""
    assert run(perturb.main.main, *arguments) == 1
    told = capfd.readouterr().err
    whole = out.read_bytes()
    out.write_bytes(whole[:-20])
    assert run(perturb.main.main, *arguments, "--resume") == 1
    assert of_one_run(capfd.readouterr().err) == told
    assert out.read_bytes() == whole
    return told


def test_what_failed_is_counted_where_the_command_has_been_there_before(home: Path, capfd):
    """Its entry ends the history of what it failed on, too."""
    (home / "plain.jsonl").write_text("".join(LINES[:9]).replace('"lang": "en"', '"lang": "de"', 4))
    made = chain(home, "dt-perturb -q -k typo.case")
    arguments = ["-k", "terms.swap", "--on-error", "keep", made, "-o", home / "out"]
    assert " 4 records failed" in told_alike(arguments, home / "out", capfd)


def test_what_failed_is_not_counted_as_made_of_the_original(home: Path, capfd):
    """A variant in which nothing changed may be of either; sed ends where it finds one."""
    made = chain(home, "dt-perturb -q -k typo.case:rate=0 --keep-original")
    arguments = [
        "-k",
        "exec:sed -u /variant/Q",
        "--on-error",
        "keep",
        "--limit",
        "8",
        made,
        "-o",
        home / "out",
    ]
    assert " 4 records failed" in told_alike(arguments, home / "out", capfd)


@pytest.mark.parametrize("choice, seed", [("stop", "3"), ("keep", "3"), ("stop", "0")])
def test_a_command_that_has_been_there_before_gives_the_same_names(
    home: Path, capfd, choice: str, seed: str
):
    """Both make names:1 of the original, which the first has kept; what the second makes is counted as its own.

    By seed 0 the second makes what the first has made already.
    """
    command, arguments = swap_names.main, ["--variants", "2", "--seed", seed]
    made = chain(home, "dt-swap-names -q --variants 2 --keep-original")
    assert run(command.main, *arguments, made, "-o", home / "whole") == 0
    told, whole = capfd.readouterr().err, (home / "whole").read_bytes()
    for share in (0.333, 0.75, 0.9, 1):
        (home / "out").write_bytes(whole[: int(len(whole) * share)])
        assert (
            run(
                command.main, *arguments, made, "-o", home / "out", "--resume", "--on-error", choice
            )
            == 0
        )
        assert (of_one_run(capfd.readouterr().err), (home / "out").read_bytes()) == (told, whole)
    assert run(command.main, *arguments, made, "-o", home / "out", "--on-error", choice) == 0
    assert (capfd.readouterr().err, (home / "out").read_bytes()) == (told, whole)


def test_what_is_unchanged_is_left_out_where_the_input_has_its_name(home: Path):
    """With --on-error keep the unchanged were written: what was made was looked at once the next had been read."""
    made = chain(home, "dt-perturb -q -k typo.contraction --keep-original")
    arguments = ["-k", "typo.contraction", "--require-change", "skip", made]
    for name, choice in (("stopped", "stop"), ("kept", "keep")):
        assert run(perturb.main.main, *arguments, "-o", home / name, "--on-error", choice) == 0
    found = [json.loads(line) for line in (home / "kept").read_text().splitlines()]
    assert found and all(record["history"][-1]["changed"] for record in found)
    assert (home / "kept").read_bytes() == (home / "stopped").read_bytes()


def test_a_last_line_that_a_full_disk_cuts_short(home: Path, shell):
    """Of two lines the second goes beyond the 1 KiB that can be written; nothing comes after it that would fail."""
    pair = {"lang": "en", "prediction": "a " * 300, "reference": "b"}
    (home / "two.jsonl").write_text("".join(json.dumps({"id": id, **pair}) + "\n" for id in "12"))
    command = "dt-score -q -m exact --resume -o out.jsonl two.jsonl"
    cut = shell(f"ulimit -f 1; {command}", PYTHONDONTWRITEBYTECODE="1")
    assert (cut.err, cut.status) == ("dt-score: out.jsonl: File too large\n", 5)
    assert shell(command).status == 0 and (home / "out.jsonl").read_text().count("\n") == 2


def test_a_power_cut_leaves_zeros(home: Path, capfd):
    arguments = [*COMMANDS["perturb"][1:], str(home / "plain.jsonl")]
    assert run(perturb.main.main, *arguments, "-o", home / "whole") == 0
    whole = (home / "whole").read_bytes()
    (home / "out").write_bytes(whole[:5000] + b"\0" * 300)
    assert run(perturb.main.main, *arguments, "-o", home / "out", "--resume") == 0
    assert (home / "out").read_bytes() == whole


def chain(home: Path, *steps: str) -> Path:
    """Write what the plain records become in a pipe of filters."""
    line = " | ".join(["cat plain.jsonl", *steps])
    subprocess.run(
        ["bash", "-c", f"{line} > made.jsonl"],
        cwd=home,
        env=environment(home),
        check=True,
        timeout=60,
    )
    return home / "made.jsonl"


SWAP, WRITE = "dt-swap-names -q --variants 2", "dt-generate -q -g longest"
TWICE = [
    (swap_names.main, [], ["--variants", "2", "--keep-original"]),
    (swap_names.main, [SWAP], ["--one"]),
    (swap_names.main, [f"{SWAP} --keep-original"], ["--variants", "3", "--seed", "1"]),
    (
        perturb.main,
        ["dt-perturb -q -k typo.case --keep-original"],
        ["-k", "typo.case", "-k", "dialogue.split"],
    ),
    (swap_names.main, [SWAP, WRITE], ["--restore"]),
    (swap_names.main, [SWAP, WRITE], ["--overwrite", "--keep-original"]),
    (
        perturb.main,
        [SWAP],
        ["-k", "dialogue.split", "-k", "dialogue.greeting", "--chain", "--require-change", "skip"],
    ),
    (
        perturb.main,
        ["dt-perturb -q -k typo.contraction:rate=0"],
        ["-k", "typo.contraction", "--keep-original", "--require-change", "skip"],
    ),
    (perturb.main, ["dt-perturb -q -k dialogue -k typo.keyboard --keep-original"], ["--restore"]),
    (perturb.main, [SWAP, "dt-perturb -q -k typo.case -k dialogue.combine --chain"], ["--restore"]),
    (parse.main, [SWAP], ["--parser", "whitespace"]),
    (generate.main, [SWAP, WRITE], ["-g", "lead", "--overwrite"]),
    (score.main, [SWAP, WRITE], ["-m", "rouge1", "--sensitivity", "--per-source"]),
]


@pytest.mark.parametrize("command, steps, options", TWICE)
def test_what_is_kept_is_seen_to_be_made_of_the_input(
    home: Path, capfd, command, steps: list[str], options: list[str]
):
    arguments = [*options, chain(home, *steps), "-o", home / "out"]
    assert run(command.main, *arguments) == 0
    whole = (home / "out").read_bytes()
    (home / "out").write_bytes(whole[: len(whole) * 3 // 4])
    assert run(command.main, *arguments, "--resume") == 0
    assert (home / "out").read_bytes() == whole


def test_a_record_in_which_nobody_is_renamed(home: Path, capfd):
    """It is written unchanged, with --one too: one of which nothing is written would be one that was not there."""
    records = [{"id": 1, "lang": "en", "text": "It rains."}, *samples.records(3, ("en",))]
    (home / "in").write_text(samples.lines(records))
    arguments = ["--one", "--variants", "2", home / "in", "-o", home / "out"]
    assert run(swap_names.main.main, *arguments) == 0
    whole = (home / "out").read_bytes()
    made = [json.loads(line) for line in whole.splitlines()]
    assert [(one["id"], one["variant"], one["history"][0]["changed"]) for one in made[:3]] == [
        (1, "one:1", False),
        (1, "one:2", False),
        ("en-0", "one1:1", True),
    ]
    (home / "out").write_bytes(whole[: len(whole) * 3 // 4])
    assert run(swap_names.main.main, *arguments, "--resume") == 0
    assert (home / "out").read_bytes() == whole


BEFORE = ["-k", "typo.case", "-k", "asr.filler"]


@pytest.mark.parametrize(
    "before, after, message",
    [
        (BEFORE, [*BEFORE, "--seed", "1", "--rate", "0.3"], "was written by another command"),
        (BEFORE, [*BEFORE, "--limit", "5"], "an id that the input lacks"),
        (BEFORE, [*BEFORE, "-k", "dialogue.greeting"], "was written by another command"),
        (BEFORE, BEFORE[:2], "was written by another command"),
        (BEFORE, [*BEFORE, "--variants", "2"], "was written by another command"),
        ([*BEFORE, "--variants", "2"], BEFORE, "was written by another command"),
        (BEFORE, [*BEFORE, "--keep-original"], "was written by another command"),
        ([*BEFORE, "--keep-original"], BEFORE, "was written by another command"),
        (
            BEFORE,
            [*BEFORE, "-k", "dialogue.greeting", "--require-change", "skip"],
            "was written by another command",
        ),
        (
            ["-k", "typo.contraction:rate=0"],
            ["-k", "typo.contraction:rate=0", "--require-change", "skip"],
            "was written by another command",
        ),
    ],
)
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_another_command_leaves_the_file_as_it_is(
    home: Path, capfd, before: list[str], after: list[str], message: str, jobs: str
):
    arguments = [str(home / "plain.jsonl"), "-o", str(home / "out"), "--resume", "--jobs", jobs]
    assert run(perturb.main.main, *before, *arguments) == 0
    made = (home / "out").read_bytes()
    assert run(perturb.main.main, *after, *arguments) == 2
    assert message in capfd.readouterr().err
    assert (home / "out").read_bytes() == made


@pytest.mark.parametrize(
    "before, after",
    [
        ("--pool-file one.tsv", "--pool-file other.tsv"),
        ('--map \'{"Nobody": "Zoe"}\'', '--map \'{"Nobody": "Eva"}\''),
        ("--ids", "--ids --pattern 'P{n}'"),
        ("", "--person Nobody"),
        ("", "--guard 'in May'"),
        ("", "--roles"),
        ("--person 'Al, Jr.'", "--person Al --person ' Jr.'"),
    ],
)
def test_other_names_leave_the_file_as_it_is(home: Path, shell, before: str, after: str):
    """They were drawn for what was still to be done, so that half of a file had names of another pool."""
    for name, first in (("one", "A"), ("other", "B")):
        (home / f"{name}.tsv").write_text(
            "".join(f"{first}{letter}na\tu\n" for letter in "bcdefghijklmn")
        )
    line = "dt-swap-names {} plain.jsonl -q -o out --resume"
    made = f"{line.format(before)} && head -c 9000 out > cut && cp cut out"
    assert shell(f"{made} && {line.format(before)}", cwd=home).status == 0
    found = shell(f"{made} && {line.format(after)}; echo $?; cmp out cut", cwd=home)
    assert found.out == "2\n" and "was written by another command" in found.err


def test_what_no_signature_tells_leaves_the_file_as_it_is(home: Path, shell):
    """Half of the records were of another system."""
    before, after = (f"dt-generate -g lead --system {name} plain.jsonl" for name in "ab")
    (home / "made.jsonl").write_text(
        "".join(
            f'{{"id": {n}, "lang": "en", "prediction": "It is.", "reference": "So it is."}}\n'
            for n in range(200)
        )
    )
    made = f"{before} -q -o out --resume && head -c $(($(wc -c < out) * 2 / 3)) out > cut && cp cut out"
    assert shell(f"{made} && {before} -q -o out --resume", cwd=home).status == 0
    found = shell(f"{made} && {after} -q -o out --resume; echo $?; cmp out cut", cwd=home)
    assert found.out == "2\n" and "was written by another command" in found.err


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("changed", ["tac plain.jsonl", "sed 1d plain.jsonl"])
def test_another_input_leaves_the_file_as_it_is(home: Path, shell, jobs: int, changed: str):
    line = f"dt-perturb -k typo.case --jobs {jobs} -q -o out --resume"
    assert (
        shell(f"{line} plain.jsonl && head -c 20000 out > cut && cp cut out", cwd=home).status == 0
    )
    assert shell(f"{changed} | {line}; echo $?; cmp out cut", cwd=home).out == "2\n"
    found = shell(f"{changed} | {line}", cwd=home)
    assert "was made from another input, or from another order of it" in found.err


def edited(line: str, **changed: object) -> str:
    record = json.loads(line)
    return (
        json.dumps({**record, **{key: change(record.get(key)) for key, change in changed.items()}})
        + "\n"
    )


@pytest.mark.parametrize(
    "command, change, said",
    [
        (
            "dt-score -m rouge1",
            {"history": lambda history: [{"by": "mine", "signature": "2"}]},
            "has another variant or history",
        ),
        ("dt-score -m rouge1 --jobs 2", {"id": lambda id: "another"}, "it has nothing for id"),
        (
            "dt-score -m rouge1",
            {"variant": lambda variant: "names:1"},
            "has another variant or history",
        ),
    ],
)
def test_a_changed_input_leaves_the_file_as_it_is(
    home: Path, shell, command: str, change: dict, said: str
):
    times = 10 if "score" in command else 1  # its batches are large
    lines = [
        edited(line, prediction=lambda said: "So.", id=lambda id: f"{id}{n}")
        for line in LINES
        for n in range(times)
    ]
    (home / "in.jsonl").write_text("".join(lines))
    line = f"{command} -q in.jsonl -o out --resume"
    assert shell(line, cwd=home).status == 0
    cut = (home / "out").read_bytes()[:-3000]
    (home / "out").write_bytes(cut)
    lines[2] = edited(lines[2], **change)
    (home / "in.jsonl").write_text("".join(lines))
    found = shell(line, cwd=home)
    assert found.status == 2 and said in found.err and found.err.count("\n") == 1
    assert (home / "out").read_bytes() == cut


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("at", [0, 3])
@pytest.mark.parametrize("new", [{"id": "new"}, {"variant": "names:1"}])
def test_a_record_that_came_in_between_leaves_the_file_as_it_is(
    home: Path, shell, jobs: int, at: int, new: dict
):
    line = (
        f"dt-perturb -k typo.case -k dialogue.greeting --jobs {jobs} -q plain.jsonl -o out --resume"
    )
    assert shell(f"{line} && head -c 20000 out > cut && cp cut out", cwd=home).status == 0
    lines = [*LINES[: at + 1], json.dumps({**RECORDS[at], **new}) + "\n", *LINES[at + 1 :]]
    (home / "plain.jsonl").write_text("".join(lines))
    found = shell(line, cwd=home)
    assert found.status == 2 and "was made from another input" in found.err
    assert (home / "out").read_bytes() == (home / "cut").read_bytes()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_record_that_came_in_between_is_named_where_what_fails_is_skipped(
    home: Path, shell, jobs: int
):
    line = f"dt-perturb -k typo.case --jobs {jobs} -q plain.jsonl -o out --resume --on-error skip"
    assert shell(f"{line} && head -c 20000 out > cut && cp cut out", cwd=home).status == 0
    (home / "plain.jsonl").write_text(
        "".join([*LINES[:2], json.dumps({**RECORDS[2], "id": "new"}) + "\n", *LINES[2:]])
    )
    found = shell(line, cwd=home)
    assert found.status == 1 and found.err == (
        "dt-perturb: plain.jsonl:3: out has nothing for it: it failed in the "
        'earlier run, or is new (id "new")\n'
    )


@pytest.mark.parametrize(
    "before, command",
    [
        (f"dt-swap-names --keep-original -q | {WRITE}", "dt-score -m rouge1"),
        ("dt-perturb -k typo.case --keep-original -q", "dt-perturb -k dialogue.split"),
    ],
)
def test_a_variant_that_left_the_input(home: Path, shell, before: str, command: str):
    """What was made of it is not taken for what was made of the original."""
    chain(home, before)
    line = f"{command} -q made.jsonl -o out --resume"
    assert shell(f"{line} && head -c 150000 out > cut && cp cut out", cwd=home).status == 0
    found = shell(f"sed -i 2d made.jsonl && {line}", cwd=home)
    assert found.status == 2 and "has another variant or history" in found.err
    assert (home / "out").read_bytes() == (home / "cut").read_bytes()


@pytest.mark.parametrize("line", ["plain.jsonl -o ./plain.jsonl", "-o plain.jsonl < plain.jsonl"])
@pytest.mark.parametrize("number", [1, 9])
def test_the_input_is_not_gone_on_with(home: Path, shell, line: str, number: int):
    """Records would be added to those that are read, or take the place of the only one."""
    given = b"".join((home / "plain.jsonl").read_bytes().splitlines(keepends=True)[:number])
    (home / "plain.jsonl").write_bytes(given)
    found = shell(f"dt-perturb -k typo.case --keep-original --resume {line}", cwd=home)
    assert found.status == 2 and "plain.jsonl is an input, and cannot be" in found.err
    assert (home / "plain.jsonl").read_bytes() == given


@pytest.mark.parametrize(
    "content", [b"one\ntwo\n", b'{"id": 1}\n[1]\n{"id": 2}\n', b'{"text": "no id"}\n{"id": 3}\n']
)
def test_a_file_of_another_kind_is_left_as_it_is(home: Path, capfd, content: bytes):
    (home / "out").write_bytes(content)
    assert (
        run(generate.main.main, "-g", "lead", home / "plain.jsonl", "-o", home / "out", "--resume")
        == 2
    )
    assert "is no record: is this the file to continue?" in capfd.readouterr().err
    assert (home / "out").read_bytes() == content


@pytest.mark.parametrize(
    "arguments", [["--resume"], ["--resume", "-o", "x.gz"], ["--resume", "-o", "/dev/null"]]
)
def test_only_a_plain_file_can_be_gone_on_with(home: Path, capfd, arguments: list[str]):
    assert run(generate.main.main, "-g", "lead", home / "plain.jsonl", *arguments) == 2
    assert "--resume needs -o FILE" in capfd.readouterr().err
