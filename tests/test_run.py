"""What `cli.run` does around a filter: counts, keys that are called otherwise, what an error leaves."""

import json
import select
import subprocess

import pytest
import samples
from conftest import environment

from dialtools.pipeline import failures, invocation
from dialtools.system.errors import ConnectionLost, RecordError


def test_counts_are_those_of_this_run_alone(shell, tmp_path):
    (tmp_path / "in.jsonl").write_text('{"id": 1, "lang": "en", "text": "hello there"}\n')
    result = shell(
        "dt-perturb -q -k typo.case:rate=0 in.jsonl | dt-perturb -k typo.case:rate=1 --keep-original"
    )
    assert "unchanged" not in result.err and result.status == 0


@pytest.mark.parametrize("options", ["", "--jobs 2"])
def test_no_two_records_that_are_written_have_one_name(shell, tmp_path, options: str):
    """The next command would refuse the second: that it is another one of the original cannot be seen there."""
    line = "dt-perturb -q -k typo.case --keep-original"
    (tmp_path / "in.jsonl").write_text(samples.lines(samples.records(3, ("en",))))
    result = shell(
        f"{line} in.jsonl -o once.jsonl; {line} --seed 1 {options} once.jsonl -o out.jsonl; ls out.jsonl"
    )
    assert result.err.startswith(
        "dt-perturb: once.jsonl:2: a record with this id and variant was already written"
    )
    assert '(id "en-0", variant "typo.case:1")' in result.err and result.out == ""


@pytest.mark.parametrize(
    "options", ["--on-error skip", "--on-error keep", "--on-error keep --jobs 2"]
)
def test_a_record_whose_name_is_taken_is_left_out_as_one_that_came_twice_is(
    shell, tmp_path, options: str
):
    line = "dt-perturb -k typo.case --keep-original"
    (tmp_path / "in.jsonl").write_text(samples.lines(samples.records(3, ("en",))))
    result = shell(
        f"{line} -q in.jsonl -o once.jsonl; {line} {options} once.jsonl | jq -rc .variant"
    )
    names = ["null", "typo.case:1", "typo.case:1/typo.case:1"]
    assert result.out.split() == names * 3
    assert "once.jsonl:2: a record with this id and variant was already written" in result.err
    assert (
        result.err.splitlines()[-1].startswith("dt-perturb: 9 records, ")
        and "3 records failed" in result.err
    )


@pytest.mark.parametrize("options", ["--on-error skip", "--on-error keep --jobs 2"])
def test_a_record_whose_name_is_taken_is_missing_in_a_run_that_is_resumed_as_well(
    shell, tmp_path, options: str
):
    line = "dt-perturb -q -k typo.case --keep-original"
    (tmp_path / "in.jsonl").write_text(samples.lines(samples.records(5, ("en",))))
    result = shell(
        f"{line} in.jsonl -o once.jsonl; {line} {options} once.jsonl -o full.jsonl; head -8 full.jsonl >"
        f"part.jsonl; {line} {options} --resume once.jsonl -o part.jsonl;"
        "cmp part.jsonl full.jsonl && echo same"
    )
    assert result.out == "same\n" and "made otherwise" not in result.err


def test_a_missing_file_takes_nothing_from_what_was_made(shell, tmp_path):
    (tmp_path / "in.jsonl").write_text(samples.lines(samples.records(30, ("en",))))
    result = shell(
        "dt-perturb -k typo.case in.jsonl no-such.jsonl | wc -l; echo ${PIPESTATUS[0]}",
        PYTHONUNBUFFERED="",
    )
    assert result.out.split() == ["30", "5"]


@pytest.mark.parametrize(
    "options",
    ["--key reference=a --key prediction=reference", "--key reference=a --key prediction=a"],
)
def test_one_key_does_not_stand_for_two(shell, tmp_path, options):
    result = shell(f"echo '{{}}' | dt-score -m rouge1 {options}")
    assert result.status == 2 and "cannot stand for two" in result.err


@pytest.mark.parametrize(
    "options, told",
    [
        ("--prediction-key summary", "did you mean --key prediction=NAME?"),
        ("--key predicton=summary", "did you mean prediction?"),
        ("--key prediction", "is not KEY=NAME"),
        ("--key prediction=", "is not KEY=NAME"),
        ("--key prediction=a --key prediction=b", "one name in the input, not two"),
    ],
)
def test_a_key_that_is_named_wrongly_is_told_before_any_input(shell, options: str, told: str):
    result = shell(f"dt-score -m rouge1 {options} no-such.jsonl")
    assert (result.status, result.out) == (2, "") and told in result.err


def test_keys_that_a_command_does_not_read_may_have_other_names_too(shell):
    """One list of keys for every command of a pipe; what a swap drops is what is called so."""
    record = {"id": 1, "lang": "en", "text": "a", "summary": "b", "form": None}
    line = "dt-perturb -k typo.case --overwrite -q --key prediction=summary --key variant=form"
    made = json.loads(shell(f"echo '{json.dumps(record)}' | {line}").out)
    assert made["form"] == "typo.case:1" and "summary" not in made and "variant" not in made


def test_what_is_rejected_has_the_names_of_the_input(shell, tmp_path):
    record = {"id": 1, "lang": "en", "body": "a", "summary": "..."}
    line = "dt-select --drop bare --key text=body --key prediction=summary --rejected rejected; cat rejected"
    assert json.loads(shell(f"echo '{json.dumps(record)}' | {line}").out) == record | {
        "rejected": "bare punctuation"
    }


def test_what_is_left_out_has_the_names_of_the_input(shell, tmp_path):
    record = {"nr": 1, "lang": "en", "text": "a"}
    result = shell(
        f"""echo '{json.dumps(record)}' > in.jsonl; dt-select --without in.jsonl --key id=nr -q in.jsonl"""
    )
    assert (result.status, result.out, result.err) == (0, "", "")
    result = shell("dt-select --without <(echo '{}') --key id=nr in.jsonl")
    assert result.status == 3 and '1: no "nr", which --without needs' in result.err


@pytest.mark.parametrize(
    "line, expected",
    [
        (
            "dt-check --key id=nr --key lang=tongue | jq -r .finding",
            "the same id and variant again\n",
        ),
        ("dt-names collect --key id=nr --key lang=tongue --limit 1", "太郎\tm\t1\n"),
    ],
)
def test_ids_and_languages_may_be_called_otherwise(shell, line: str, expected: str):
    record = json.dumps({"nr": 7, "tongue": "ja", "dialogue": "太郎: はい\n太郎: いいえ"})
    assert shell(f"printf '%s\\n' '{record}' '{record}' | {line}").out.startswith(expected)


@pytest.mark.parametrize(
    "line, own",
    [
        ("dt-ttest --value n.a --versus id --key id=n", "id"),
        ("dt-ttest --value id --by run --key system=run", "system"),
        ("dt-keywords --label x --by run --key id=run", "id"),
        ("dt-score -m rouge1 --by run --key lang=run", "lang"),
        ("dt-generate -g longest --examples run --key text=run", "text"),
    ],
)
def test_a_key_that_is_exchanged_is_not_taken_for_the_other_one(shell, line: str, own: str):
    """There may be something under it then: here what stood under the key's other name."""
    record = {
        "id": 1,
        "n": {"a": 2},
        "run": "a",
        "system": "b",
        "lang": "en",
        "text": "x y",
        "prediction": "x",
    }
    result = shell(f"echo '{json.dumps(record)}' | {line}")
    assert (result.status, result.out) == (
        2,
        "",
    ) and f'that key is called "{own}" in --' in result.err


def test_two_keys_that_exchange_their_names(shell):
    line = json.dumps({"id": 1, "lang": "en", "reference": "a b", "prediction": "a", "n": 1})
    result = shell(
        f"echo '{line}' | dt-score -q -m rouge1 --key reference=prediction --key prediction=reference"
    )
    scored = json.loads(result.out)
    assert (
        list(scored)[:5] == ["id", "lang", "reference", "prediction", "n"]
        and scored["reference"] == "a b"
    )


def test_a_key_that_is_not_there_is_called_as_it_was_typed(shell):
    line = json.dumps({"id": 1, "lang": "en", "reference": "a b", "prediction": "a"})
    result = shell(f"echo '{line}' | dt-score -m rouge1 --key reference=refrence")
    assert (
        result.status == 3
        and 'no "refrence" (did you mean reference?); the record has id, lang' in result.err
    )
    result = shell(f"echo '{line}' | dt-score -m rouge1 --key id=number --key lang=language")
    assert (
        '1 record had no "number": numbered' in result.err
        and 'had no "language": taken for en' in result.err
    )


@pytest.mark.parametrize(
    "line, reason",
    [
        ("dt-check <&-", "standard input is closed"),
        ("echo '{}' | dt-check >&-", "standard output is closed"),
        ("dt-check --help >&-", "standard output is closed"),
    ],
)
def test_closed_standard_streams(shell, line, reason):
    result = shell(line)
    assert result.status == 5 and reason in result.err and "Traceback" not in result.err


def test_help_in_a_script_that_the_terminal_has_not(shell):
    result = shell("dt-template --help", PYTHONUTF8="0", PYTHONIOENCODING="latin-1")
    assert result.status == 0 and r"dt-template '\u092e" in result.out and not result.err


def test_an_option_that_is_not_utf_8(shell):
    result = shell("printf 'a\\nx\\n' | dt-template $'caf\\xe9 {a}' --lang fr")
    assert result.status == 2 and result.err.startswith("dt-template: not UTF-8 (of an option?): ")


def test_memory_that_runs_out(capsys):
    assert invocation._complain("dt-check", MemoryError()) == 5
    assert capsys.readouterr().err == "dt-check: memory ran out\n"


def test_a_closed_standard_error(shell):
    """What is said is lost, and gets not among the records."""
    result = shell("""echo '{"id": 1, "text": "Hi"}' | dt-convert --from auto 2>&-""")
    assert (result.status, result.out) == (0, '{"id":1,"text":"Hi","lang":"en"}\n')


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_what_was_made_before_an_error_is_written_before_it_is_told(
    shell, tmp_path, jobs: int, unbuffered: str
):
    (tmp_path / "in.jsonl").write_text('{"id": 1, "text": "a"}\n{"id": 2, "text": "b"}\n{broken\n')
    line = f"dt-perturb -k typo.case --lang en --jobs {jobs} in.jsonl 2>&1"
    found = shell(line, PYTHONUNBUFFERED=unbuffered).out.splitlines()
    assert [line[:12] for line in found] == ['{"id":1,"tex', '{"id":2,"tex', "dt-perturb: "]


@pytest.mark.parametrize(
    "options, reason",
    [
        ("--map {} --variants 2", "exclude each other"),
        ("--ids --restore", "exclude each other"),
        ("--pattern P{n}", "needs --ids"),
        ("--diff --restore", "excludes --report"),
        ("--person ' '", "empty name"),
        ("--restore --keep-original", "--restore and --keep-original exclude each other"),
        ("--restore --guard x", "exclude each other"),
        ("--allow-cross-gender", "needs --map"),
    ],
)
def test_options_that_cannot_be_meant(shell, options, reason):
    result = shell(f"dt-swap-names {options} </dev/null")
    assert result.status == 2 and reason in result.err


def test_report_and_diff(shell, tmp_path):
    (tmp_path / "in.jsonl").write_text(
        '{"id": 1, "lang": "en", "dialogue": "Hope: I hope so\\nAnna: Hi Hope"}\n'
    )
    result = shell(
        "dt-swap-names -q --report r.json in.jsonl >out.jsonl; cat r.json; dt-swap-names --diff in.jsonl"
    )
    report, *shown = result.out.splitlines()
    assert json.loads(report) == {
        "records": 1,
        "changed": 1,
        "mentions": 1,
        "left": 1,
        "unknown_gender": 0,
        "reasons": {"a word in lower case": 1},
        "left_most": {"hope": 1},
    }
    assert (
        shown[0] == "1  en"
        and shown[3].startswith("[-Hope-]: I hope so ")
        and "+}: I hope so" in shown[3][20:]
    )


def test_slurm_arrays_with_a_step(shell, tmp_path):
    (tmp_path / "in.jsonl").write_text(samples.lines(samples.records(20, ("en",))))
    made = [
        shell(
            "dt-perturb -q -k typo.case --shard slurm in.jsonl",
            SLURM_ARRAY_TASK_ID=str(task),
            SLURM_ARRAY_TASK_MIN="1",
            SLURM_ARRAY_TASK_COUNT="4",
            SLURM_ARRAY_TASK_STEP="2",
        ).out
        for task in (1, 3, 5, 7)
    ]
    whole = shell("dt-perturb -q -k typo.case in.jsonl").out
    assert sorted("".join(made).splitlines()) == sorted(whole.splitlines())


def test_malformed_records_are_skipped_told_and_counted(shell, tmp_path):
    good = [json.dumps({"id": n, "lang": "en", "text": "hello"}) for n in (1, 2)]
    (tmp_path / "in.jsonl").write_text(
        "\n".join([good[0], '{"id": 9, "dialogue": 5}', "xx", good[1]]) + "\n"
    )
    for on_error in ("skip", "keep"):
        for jobs in (1, 2):
            result = shell(f"dt-perturb -k typo.case --on-error {on_error} --jobs {jobs} in.jsonl")
            assert [json.loads(line)["id"] for line in result.out.splitlines()] == [
                1,
                2,
            ] and result.status == 1
            assert (
                "in.jsonl:2: a dialogue is" in result.err and "in.jsonl:3: not JSON" in result.err
            )
            assert "2 records, " in result.err and "2 records failed" in result.err


def test_a_skipped_record_has_its_reason_on_standard_error(shell):
    lines = "".join(
        json.dumps({"id": n, "lang": "en", "prediction": text, "reference": "a"}) + "\n"
        for n, text in enumerate(["a", "我们", *["猫"] * 8])
    )
    result = shell(f"printf '%s' '{lines}' | dt-score -m rouge1 --on-error skip")
    assert len(result.out.splitlines()) == 1 and result.status == 1
    assert "standard input:2: the tokenizer rouge finds no token" in result.err
    assert result.err.count("finds no token") == 5 and "more records failed" in result.err


def test_restoring_nothing_is_told(shell):
    result = shell(
        """echo '{"id": 1, "lang": "en", "dialogue": "Ann: Hi"}' | dt-swap-names --restore"""
    )
    assert result.status == 0 and "nothing restored" in result.err


@pytest.mark.parametrize("ignored, said", [("", "130\n"), ("trap '' INT; ", "0\n")])
def test_ctrl_c_is_answered_in_silence_while_modules_are_imported(
    shell, tmp_path, ignored: str, said: str
):
    """click is the first of them that takes time; what is started in the background of a script ignores Ctrl-C."""
    (tmp_path / "click.py").write_text(
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nraise SystemExit(0)\n"
    )
    done = shell(f"{ignored}dt-check; echo $?", PYTHONPATH=str(tmp_path))
    assert (done.out, done.err) == (said, "")


def test_progress_has_a_total_where_it_can_be_known(shell, tmp_path):
    """A rate and the time that is left need one: of files, not of pipes; --limit is part of it."""
    file = tmp_path / "in"
    file.write_text(
        "".join(
            f'{{"id": {n}, "lang": "en", "prediction": "a", "reference": "a"}}\n' for n in range(7)
        )
    )
    assert "/7 [" in shell(f"dt-score -m exact --progress {file}").err
    assert "/3 [" in shell(f"dt-score -m exact --progress --limit 3 {file}").err
    piped = shell(f"cat {file} | dt-score -m exact --progress").err
    assert "/7 [" not in piped and " records" in piped


@pytest.mark.parametrize("on_error", ["stop", "skip"])
@pytest.mark.parametrize("record", ["{}", '{"text": "a", "lang": "xx"}'])
def test_progress_does_not_stand_before_an_error(shell, record: str, on_error: str):
    """Neither before that of a malformed record nor before that of a filter, which has not read all of them."""
    said = shell(
        f"echo '{record}' | dt-perturb -k typo.keyboard --progress --on-error {on_error}"
    ).err
    assert "\rdt-perturb: standard input:1: " in said and "s]dt-perturb" not in said


def test_progress_stays_where_nothing_is_said(shell):
    """Each message wipes it out, by two carriage returns, but a record that is only counted has none."""
    said = shell(
        "yes '{' | head -n 1000 | dt-perturb -k typo.keyboard --progress --on-error skip"
    ).err
    assert said.count("\r") < 1000


def test_what_was_made_before_a_server_went_away_is_not_lost():
    def half(records):
        for number, record in enumerate(records):
            if number == 2:
                raise ConnectionLost("the server is gone")
            yield record

    records = iter([{"id": number} for number in range(4)])
    made = failures.isolated(half, records, by="x", batch=4)
    assert [next(made), next(made)] == [{"id": 0}, {"id": 1}]
    with pytest.raises(ConnectionLost):
        next(made)


def test_a_filter_begins_anew_only_after_a_record_that_it_fails_on():
    """Of that one a part may be made already; an error of the input is no failure of the record before it."""
    begun = []

    def twice(records):
        begun.append(True)
        for record in records:
            yield record | {"part": 1}
            if record["id"] in (2, 3):
                raise RecordError("no", record)
            yield record | {"part": 2}

    def given():
        yield from ({"id": id} for id in range(6))
        raise RecordError("no JSON")

    made = failures.isolated(twice, given(), by="x")
    found = [next(made) for _ in range(10)]
    assert [(record["id"], record.get("part"), "errors" in record) for record in found] == [
        (0, 1, False),
        (0, 2, False),
        (1, 1, False),
        (1, 2, False),
        (2, None, True),
        (3, None, True),
        (4, 1, False),
        (4, 2, False),
        (5, 1, False),
        (5, 2, False),
    ]
    with pytest.raises(RecordError, match="no JSON"):
        next(made)
    assert len(begun) == 3


@pytest.mark.parametrize(
    "command",
    [
        "dt-score -q -m rouge1",
        "dt-score -q -m rouge1 --on-error skip",
        "dt-perturb -q --overwrite -k typo.case",
        "dt-perturb -q --overwrite -k typo.case --on-error skip",
    ],
)
def test_who_waits_for_input_answers_what_has_come(tmp_path, command):
    """As after `tail -f`: a batch of records ends where the input pauses."""
    with subprocess.Popen(
        command.split(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=tmp_path,
        env=environment(tmp_path),
        bufsize=0,
    ) as process:
        for id in "abc":
            record = {"id": id, "lang": "en", "text": "Hello", "prediction": "a", "reference": "a"}
            process.stdin.write(json.dumps(record).encode() + b"\n")
            assert select.select([process.stdout], [], [], 60)[0]
            assert json.loads(process.stdout.readline())["id"] == id
        process.stdin.close()
