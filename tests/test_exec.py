"""Programs of the user's own as metrics, perturbations and generators (exec), and how they end."""

import json
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from conftest import environment, until

import dialtools
from dialtools.models.decoding import Loading, Serving
from dialtools.system import programs
from dialtools.system.errors import DialtoolsError, MissingError, OptionError, RecordError

RECORDS = [
    {"id": 1, "lang": "en", "prediction": "a=b, c", "n": 3},
    {"id": 2, "lang": "hi", "prediction": "d", "n": 4.5},
    {"id": 3, "lang": "en", "prediction": "", "n": -1e3},
]
TEXTS = [{"id": n, "lang": "en", "text": f"text {n}"} for n in range(1, 8)]


def scores(program: str, records: list[dict] = RECORDS, timeout: float = 60) -> list[float]:
    metric, loading = f"exec:{program}", Loading(timeout=timeout)
    scored = dialtools.score(records, metric=[metric], loading=loading)
    return [score for record in scored for score in record["scores"].values()]


def outputs(program: str, records: list[dict] = TEXTS, timeout: float = 60, **options) -> list[str]:
    serving = Serving(timeout=timeout)
    generated = dialtools.generate(records, generator=f"exec:{program}", serving=serving, **options)
    return [record["prediction"] for record in generated]


# --- what programs are asked, and answer


def test_each_record_gets_the_number_of_its_line():
    """Languages are scored apart, and come back in the order of the input."""
    assert scores("jq --unbuffered .n") == [3.0, 4.5, -1000.0]
    assert scores("jq --unbuffered '.prediction | length'") == [6.0, 1.0, 0.0]


def test_the_whole_spec_is_the_program():
    """Commas, colons and equals signs are the program's, and so are words that are options of other metrics."""
    program = "jq --unbuffered --arg of a=b,c '.n + ($of | length)'"
    assert scores(program) == [8.0, 9.5, -995.0]
    metric = "exec:jq --unbuffered .n"
    (made,) = dialtools.score(RECORDS[:1], metric=[metric], against="text")
    signature = "exec|lang:en|program:jq --unbuffered .n|v:0.1.0"
    assert made["history"][-1]["signature"] == {metric: signature}


@pytest.mark.parametrize(
    "text, line, prediction",
    [
        ("see you", "see you", "see you"),
        ("a\nb\r\nc\rd\u2028e\x85f\n", "a\tb\tc\td\te\tf", "a\nb\nc\nd\ne\nf"),
        ("tabs\tare\nspaces", "tabs are\tspaces", "tabs are\nspaces"),
        ("नमस्ते 你好 👍🏽 e\u0301", "नमस्ते 你好 👍🏽 e\u0301", "नमस्ते 你好 👍🏽 e\u0301"),
        ('"\\n" \x00 $HOME', '"\\n" \x00 $HOME', '"\\n" \x00 $HOME'),
    ],
)
def test_a_text_is_one_line_with_tabs_for_line_breaks(
    tmp_path: Path, text: str, line: str, prediction: str
):
    record = {"id": 1, "lang": "en", "text": text}
    assert outputs(f"tee {tmp_path}/seen", [record]) == [prediction]
    assert (tmp_path / "seen").read_bytes() == line.encode() + b"\n"


def test_a_program_reads_what_a_model_would_read(tmp_path: Path):
    turns = [{"speaker": "Ann", "text": "Hi"}, {"speaker": "Bob", "text": "Hello"}]
    record = {"id": 1, "lang": "en", "context": "Who?", "dialogue": turns}
    assert outputs("cat", [record]) == ["Who?\nAnn: Hi\nBob: Hello"]
    assert outputs("cat", [record | {"dialogue": "Ann: Hi\nBob: Hello"}]) == outputs(
        "cat", [record]
    )
    (tmp_path / "p").write_text("Sum up:\n{{ dialogue }}")
    prompting = dialtools.Prompting(prompt=str(tmp_path / "p"))
    assert outputs("cat", [record], prompting=prompting) == ["Sum up:\nAnn: Hi\nBob: Hello"]
    json_of = "format=json,jq --unbuffered -c"
    assert outputs(f"{json_of} '{{prediction: .dialogue[1].text}}'", [record]) == ["Hello"]
    assert outputs(f"{json_of} '{{prediction: .prompt}}'", [record], prompting=prompting) == [
        "Sum up:\nAnn: Hi\nBob: Hello"
    ]


def test_an_n_best_list_and_an_echo_of_the_record_are_fine():
    n_best = outputs("""format=json,jq --unbuffered -c '.prediction = [.text, "b"]'""", TEXTS[:1])
    assert n_best == [["text 1", "b"]]
    assert outputs("sed -u s/.*//", TEXTS[:2]) == ["", ""], "an empty line is an empty output"


# --- names, ranges and directions


def test_a_name_stands_for_the_command_line(shell):
    """In columns, systems, variants; it leaves signatures as they are."""
    made = shell(
        """echo '{"id": 1, "lang": "en", "text": "A"}' | dt-perturb -q -k 'exec:name=b,sed -u s/A/B/' |
        dt-generate -q -g 'exec:name=mine,cat' | dt-score -q -m 'exec:name=one,jq --unbuffered .id'"""
    )
    record = json.loads(made.out)
    assert (record["variant"], record["system"], record["scores"]) == ("b:1", "mine", {"one": 1.0})
    signatures = [entry["signature"] for entry in record["history"]]
    assert signatures == [
        "exec|lang:en|program:sed -u s/A/B/|seed:0|v:0.1.0",
        "exec|program:cat|v:0.1.0",
        {"one": "exec|lang:en|program:jq --unbuffered .id|v:0.1.0"},
    ]


OVERLAP = """import json, sys
for line in sys.stdin:
    pair = json.loads(line)
    left, right = set(pair["prediction"].split()), set(pair["reference"][0].split())
    print(100 * len(left & right) / len(left | right))
"""


def test_with_a_range_and_a_direction_it_measures_sensitivity_and_robustness(tmp_path: Path):
    """As the metric jaccard of the same sets does; that of distances is its mirror image."""
    (tmp_path / "overlap.py").write_text(OVERLAP)
    (tmp_path / "distance.py").write_text(OVERLAP.replace("print(100 *", "print(100 - 100 *"))
    records = [
        {"id": 1, "lang": "en", "text": "q", "prediction": text, "reference": ["a b"], **variant}
        for text, variant in [
            ("a b", {}),
            ("a c", {"variant": "v:1"}),
            ("a b c", {"variant": "v:2"}),
            ("d", {"variant": "v:3"}),
        ]
    ]
    metrics = [
        "jaccard:sep= ",
        f"exec:name=same,range=0-100,python3 {tmp_path}/overlap.py",
        f"exec:name=far,range=0-100,better=lower,python3 {tmp_path}/distance.py",
    ]
    for what, names in ("sensitivity", "SRD"), ("robustness", ["consistency", "saliency"]):
        ours, same, far = dialtools.score(records, metric=metrics, **{what: True})
        for name in names:
            assert ours[name] == pytest.approx(same[name]) and far[name] == pytest.approx(
                same[name]
            )
    assert [result["metric"] for result in (same, far)] == ["same", "far"]
    summed = dialtools.score(records, metric=metrics[1:], summary=True)
    assert [(one["better"], one["unit"]) for one in summed] == [
        ("higher", "points"),
        ("lower", "points"),
    ]


def test_a_comparison_knows_the_range_and_the_direction_of_a_name(shell):
    """Its signature in the records tells them, as a metric of ours has them by its label."""
    line = "dt-score -q -m 'exec:name=far,range=0-1,better=lower,jq --unbuffered .n'"
    for system, numbers in ("a", (0.1, 0.2, 0.3)), ("b", (0.5, 0.7, 0.9)):
        records = [{"id": n, "lang": "en", "n": number} for n, number in enumerate(numbers)]
        lines = "".join(json.dumps(record) + "\n" for record in records)
        assert not shell(f"cat <<'.' | {line} -o {system}.jsonl\n{lines}.").status
    result = json.loads(shell("dt-ttest --value far a.jsonl b.jsonl -t paired --format json").out)
    assert (result["unit"], result["better"]) == ("percent", "lower")
    assert result["difference"] == pytest.approx(-50) and "better" in result["verdict"]


@pytest.mark.parametrize(
    "spec, told",
    [
        ("exec:range=1-0,cat", "range is LOWEST-HIGHEST"),
        ("exec:range=zero,cat", "range is LOWEST-HIGHEST"),
        ("exec:better=more,cat", "better is"),
        ("exec:name=bleu,cat", "take another name"),
        ("exec:nmae=x,cat", "did you mean name?"),
        ("exec:name=x,name=y,cat", "name is there twice"),
        ("exec:name=x", "which program?"),
        ("exec", "which program?"),
    ],
)
def test_options_before_the_program_are_checked(spec: str, told: str):
    with pytest.raises(OptionError, match=told.replace("?", r"\?")):
        list(dialtools.score(RECORDS, metric=[spec]))


def test_sensitivity_wants_a_bounded_score():
    with pytest.raises(OptionError, match="cannot measure sensitivity"):
        list(dialtools.score(RECORDS, metric=["exec:jq .n"], sensitivity=True))
    with pytest.raises(RecordError, match="4.5 is not in the range 0-4"):
        scores("range=0-4,jq --unbuffered .n")


# --- what they do wrong


@pytest.mark.parametrize(
    "program, told, error",
    [
        ("", "which program\\? It is written exec:PROGRAM", OptionError),
        ("no-such-program x", "cannot be started", MissingError),
        ("'", "cannot be started: No closing quotation", MissingError),
        ("false", "false: no answer, exit status 1", RecordError),
        ("head -c 0", "no answer, exit status 0", RecordError),
        ("sh -c 'kill -9 $$'", "no answer, killed by SIGKILL", RecordError),
        ("sh -c 'echo so >&2; echo why >&2; exit 3'", "exit status 3: why", RecordError),
        ("sh -c 'exec >&-; sleep 60'", "no answer, its output has ended", RecordError),
        (
            "jq --unbuffered -c '1, 2'",
            "more lines than one: .1., .2.|comes before|after the last answer",
            RecordError,
        ),
        ("yes", "more lines than one|comes before the line that it answers", RecordError),
        ("sh -c 'yes | tr -d \"\\n\"'", "an answer has more than 64 MiB", RecordError),
        ("jq --unbuffered .prediction", "not a number", RecordError),
        ("jq --unbuffered -r 'nan | tostring'", "not a number", RecordError),
        ("sh -c 'echo; cat'", "not a number|comes before|more lines", RecordError),
    ],
)
def test_what_a_program_cannot_do_is_told(program: str, told: str, error: type[DialtoolsError]):
    with pytest.raises(error, match=told):
        scores(program)


@pytest.mark.parametrize(
    "program",
    [
        "sleep 60",
        "sh -c 'sleep 60 & exit 0'",
        "sh -c 'yes >&2'",
        "sh -c 'exec <&-; sleep 60'",
    ],
)
def test_a_program_that_gives_no_answer_is_late(program: str):
    """It says nothing, or leaves that to another process, writes messages, or does not read."""
    with pytest.raises(RecordError, match="no answer within 0.5 s; .*timeout allows more"):
        scores(program, timeout=0.5)


def test_a_program_that_buffers_its_output_is_told_from_one_that_is_late(monkeypatch, capfd):
    """Python's own buffer is turned off."""
    monkeypatch.setattr(programs, "SLOW", 0.1)
    with pytest.raises(RecordError, match="only when its input ends.*python -u, stdbuf -oL"):
        scores("jq .n", timeout=0.5)
    assert "jq .n: no answer yet. Is its output buffered?" in capfd.readouterr().err
    assert outputs("python3 -c 'import sys\nfor line in sys.stdin: print(1)'") == ["1"] * 7


@pytest.mark.parametrize(
    "program, told",
    [
        ("format=json,cat", 'no "prediction"'),
        ("format=json,sed -u s/}//", "not JSON"),
        ("format=json,jq --unbuffered -c '{prediction: 1}'", '"prediction" is a string or a list'),
        ("format=json,jq --unbuffered -c '{id: 9, prediction: .text}'", "another record"),
        ("format=json,jq --unbuffered -c '[.text]'", "a record is a JSON object"),
        (r"sh -c 'read -r line; printf \\377'", "not UTF-8: byte 0xff"),
    ],
)
def test_a_hostile_output_is_an_error_of_its_record(program: str, told: str):
    with pytest.raises(RecordError, match=told) as raised:
        outputs(program)
    assert raised.value.record is not None and raised.value.record["id"] == 1


@pytest.mark.parametrize("jobs", ["", "--jobs 2"])
def test_a_line_too_many_is_never_silent(shell, tmp_path: Path, jobs: str):
    """A slow program with a banner is one answer behind, which only its end shows."""
    dialtools.write(TEXTS, tmp_path / "in.jsonl")
    (tmp_path / "late.sh").write_text(
        "sleep 0.2; echo Welcome\nwhile read -r line; do sleep 0.2; echo $line; done\n"
    )
    made = shell(f"dt-generate {jobs} -g 'exec:sh late.sh' in.jsonl -o out.jsonl")
    assert made.status == 3 and "answers stand with the wrong records" in made.err, made.err
    assert not (tmp_path / "out.jsonl").exists()
    made = shell(f"dt-generate {jobs} -g 'exec:sh -c \"echo Welcome; exec cat\"' in.jsonl")
    assert made.status == 3, made.err


# --- one process, started again


COUNTING = """import os, sys
with open("starts", "a") as starts:
    print(os.getpid(), file=starts)
for number, line in enumerate(sys.stdin):
    if "poison" in line or number == LAST:
        sys.exit("I am ill")
    print(line.strip())
"""


@pytest.fixture
def counting(tmp_path: Path, monkeypatch) -> Callable[..., list[str]]:
    """Run a program that notes its starts, and exits at "poison" or after some lines; return the starts."""
    monkeypatch.chdir(tmp_path)

    def run(line: Callable[[], object], last: int = -1) -> list[str]:
        Path("count.py").write_text(COUNTING.replace("LAST", str(last)))
        Path("starts").unlink(missing_ok=True)
        line()
        return Path("starts").read_text().split()

    return run


def test_a_program_is_started_once_for_each_process(counting, shell):
    assert len(counting(lambda: outputs("python3 count.py"))) == 1
    Path("in.jsonl").write_text("".join(json.dumps(TEXTS[0] | {"id": n}) + "\n" for n in range(99)))
    for options, starts in ("", 1), ("--jobs 2", 2), ("--on-error skip", 1):
        for command in (
            "dt-generate -g 'exec:python3 count.py'",
            "dt-perturb -k 'exec:python3 count.py'",
        ):
            line = f"{command} {options} in.jsonl -q -o out.jsonl"
            assert len(counting(lambda: shell(line))) == starts, line  # noqa: B023
            assert Path("out.jsonl").read_text().count("\n") == 99


def test_one_that_dies_is_started_again_and_a_record_that_kills_it_fails(counting, shell):
    """Each third question finds it dead, and is asked again; what kills it twice is an error."""
    assert len(counting(lambda: outputs("python3 count.py"), last=3)) == 3
    assert outputs("head -n 1") == [record["text"] for record in TEXTS]
    records = [*TEXTS[:3], {"id": 9, "lang": "en", "text": "poison"}, *TEXTS[3:]]
    dialtools.write(records, "in.jsonl")
    line = "dt-generate -g 'exec:python3 count.py' --on-error skip in.jsonl -o out.jsonl"
    made: list = []
    assert len(counting(lambda: made.append(shell(line)))) == 3
    assert made[0].status == 1 and "no answer, exit status 1: I am ill (id 9)" in made[0].err
    assert "exit status 1: I am ill; it is started again" in made[0].err
    assert Path("out.jsonl").read_text().count("\n") == 7

    # a metric, which gets several records at once, does not ask for it again and again
    def score() -> None:
        Path("count.py").write_text(Path("count.py").read_text().replace("line.strip()", "number"))
        with pytest.raises(RecordError, match="I am ill .id 9"):
            list(dialtools.score(records, metric=["exec:python3 count.py"]))

    assert len(counting(score)) == 3


def test_the_time_is_that_of_an_answer():
    """Five answers take longer together."""
    program = "sh -c 'while read -r line; do sleep 0.5; echo 1; done'"
    assert scores(program, [RECORDS[0] | {"id": number} for number in range(5)], 2) == [1.0] * 5


def test_the_time_is_an_option_and_no_part_of_signatures(shell):
    line = """echo '{"id": 1, "lang": "en", "text": "a"}' |"""
    for command in "dt-perturb -k", "dt-score -m", "dt-generate -g":
        made = shell(f"{line} {command} 'exec:sleep 60' --timeout 0.5")
        assert made.status == 3 and "no answer within 0.5 s" in made.err
        assert shell(f"{line} {command} 'exec:sleep 60' --timeout 0").status == 2
    made = shell(
        f"{line} dt-perturb -q --timeout 9 -k exec:cat | "
        "dt-score -q --timeout 9 -m 'exec:jq --unbuffered .id'"
    )
    first, second = json.loads(made.out)["history"]
    assert first["signature"] == "exec|lang:en|program:cat|seed:0|v:0.1.0"
    [signature] = second["signature"].values()
    assert signature == "exec|lang:en|program:jq --unbuffered .id|v:0.1.0"
    with pytest.raises(OptionError, match="timeout is for metrics that run a program"):
        list(dialtools.score(RECORDS, metric=["exact"], loading=Loading(timeout=1)))


# --- cache, resumption, identity


def test_the_cache_knows_a_program_by_its_text_and_what_it_reads(counting, shell):
    """Lines by what stands on them; JSON by the whole record, of which the program may read anything."""
    run = partial(outputs, cache="kept.db")
    assert len(counting(lambda: run("python3 count.py"))) == 1
    Path("starts").unlink()
    assert run("python3 count.py", [text | {"topic": 1} for text in TEXTS]) == [
        text["text"] for text in TEXTS
    ]
    assert not Path("starts").exists(), "all came from the cache"
    Path("count.py").write_text(Path("count.py").read_text().replace("line.strip()", "'new'"))
    assert run("python3 count.py") == ["new"] * 7
    topic = "format=json,jq --unbuffered -c '{prediction: .topic}'"
    for name in "a", "b", "a":
        assert run(topic, [TEXTS[0] | {"topic": name}]) == [name]
    with sqlite3.connect("kept.db") as base:
        assert base.execute("SELECT count(*) FROM made").fetchone() == (16,)


@pytest.mark.parametrize("options", ["--resume", "--cache kept.db"])
def test_after_a_kill_little_is_made_again(counting, shell, tmp_path: Path, options: str):
    records = [{"id": n, "lang": "en", "text": f"text {n}"} for n in range(40)]
    dialtools.write(records, "in.jsonl")
    slow = "sh -c 'while read -r line; do sleep 0.05; echo $line >> asked; echo $line; done'"
    arguments = ["dt-generate", "-q", "-g", f"exec:{slow}", "in.jsonl", *options.split()]
    process = subprocess.Popen([*arguments, "-o", "out.jsonl"], env=environment(tmp_path))
    until(lambda: Path("asked").exists() and len(Path("asked").read_text().split("\n")) > 20)
    process.kill()
    process.wait(60)
    subprocess.run([*arguments, "-o", "out.jsonl"], env=environment(tmp_path), check=True)
    assert Path("out.jsonl").read_text().count("\n") == 40
    asked = Path("asked").read_text().splitlines()
    assert len(set(asked)) == 40 and len(asked) <= 40 + 4


def test_the_identity_check_asks_a_program_again(shell):
    """One that counts its answers gives others."""
    records = "".join(json.dumps(text) + "\n" for text in TEXTS)
    counts = "sh -c 'n=0; while read -r line; do n=$((n+1)); echo $n; done'"
    for program, told in (
        ("cat", "3 generated again (0.0 %"),
        (counts, "3 generated again (100.0 %"),
    ):
        made = shell(
            f"cat <<'.' | dt-generate -g \"exec:$P\" --identity-check 3\n{records}.", P=program
        )
        assert told in made.err and made.out.count("\n") == 7, made.err


# --- how they end


STUBBORN = """trap '' TERM INT HUP
sleep 987 & echo $$ $! >> pids
while :; do sleep 987; done
"""


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize(
    "command", ["dt-perturb -k", "dt-score -m", "dt-generate -g", "dt-perturb --jobs 2 -k"]
)
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


def test_a_program_that_stays_after_its_input_ends_with_the_run(tmp_path: Path, monkeypatch):
    """At once where nothing keeps it; one that wants to live on, and all that it has started, is killed."""
    monkeypatch.chdir(tmp_path)
    answering = STUBBORN.replace("while", "while read -r line; do echo $line; done\nwhile")
    Path("stubborn.sh").write_text(answering)
    assert outputs("sh stubborn.sh") == [record["text"] for record in TEXTS]
    assert not is_alive(*Path("pids").read_text().split())
    Path("pids").unlink()
    generated = dialtools.generate(TEXTS, generator="exec:sh stubborn.sh")
    next(generated)
    del generated  # a caller who has seen enough
    until(lambda: not is_alive(*Path("pids").read_text().split()))
    Path("ends.sh").write_text("cat; echo done > end")
    assert len(outputs("sh ends.sh")) == 7 and Path("end").exists(), "it can do its last work"


def is_alive(*pids: str) -> bool:
    """Tell whether one of some processes runs; one that ended may wait as a zombie for its parent."""
    told = subprocess.run(
        ["ps", "-o", "stat=", "-p", ",".join(pids)], capture_output=True, text=True
    )
    return any(not state.startswith("Z") for state in told.stdout.split())


def test_a_program_that_greets_is_told_before_an_answer_is_kept(shell, tmp_path: Path):
    """Each answer would stand with the next record."""
    code = "print('Loading model', flush=True)\nfor line in open(0): print(line.upper(), end='')"
    (tmp_path / "greets.py").write_text(code)
    (tmp_path / "in.jsonl").write_text('{"id": 1, "lang": "en", "text": "a b"}\n')
    command = "dt-generate -g 'exec:python greets.py' --cache kept.sqlite in.jsonl"
    for _ in range(2):
        result = shell(command)
        assert result.status == 3 and "more lines than one" in result.err
