"""dt-generate --endpoint: many requests under way, failures of single records, what is counted."""

import json
import os
import re
import shlex
import signal
import subprocess
import threading
from pathlib import Path

import pytest
from conftest import environment, until
from misbehaving_server import Handler, completion, said, serving, shout

import dialtools
from dialtools.inference import window
from dialtools.system.errors import MissingError, RecordError

RECORDS = [{"id": number, "lang": "en", "text": f"text {number}"} for number in range(80)]


def arguments(url: str, *options: str) -> list[str]:
    return ["dt-generate", "--endpoint", url, "--model", "m", "in.jsonl", *options]


@pytest.fixture
def run(tmp_path: Path, shell):
    """Return (url, options …) -> (exit status, records, standard error) of dt-generate."""
    dialtools.write(RECORDS, tmp_path / "in.jsonl")

    def run(url: str, *options: str) -> tuple[int, list[dict], str]:
        done = shell(shlex.join(arguments(url, *options)))
        return done.status, list(map(json.loads, done.out.splitlines())), done.err

    return run


def test_nobody_waits_for_a_late_answer(run):
    """The first answer comes when all the others have been asked for."""
    others = threading.Event()

    def reply(handler: Handler, body: dict, before: int) -> None:
        if len(server.got) == len(RECORDS):
            others.set()
        if said(body) == "text 0":
            assert others.wait(50)
        shout(handler, body, before)

    with serving(reply) as server:
        status, made, err = run(server.url, "--concurrency", "2")
    assert (status, [record["prediction"] for record in made]) == (
        0,
        [record["text"].upper() for record in RECORDS],
    )
    assert err == "dt-generate: 80 records, 160 tokens of input, 160 tokens of output\n"


def test_a_late_answer_does_not_let_the_window_grow():
    late, most, seen = threading.Event(), window.ROOM * 2, 0

    def groups():
        nonlocal seen
        for number in range(10 * most):
            seen = number
            yield number, [number]

    def work(number: int) -> int:
        assert number or late.wait(60)
        return number

    outcomes = window.in_order(work, groups(), 2, int)
    threading.Timer(0.5, late.set).start()
    assert next(outcomes) == (0, [0]) and seen == most
    assert [number for number, _ in outcomes] == list(range(1, 10 * most))


def test_connections_are_kept(run):
    """One that the server has closed after some requests is opened anew, and nothing is counted."""

    def reply(handler: Handler, body: dict, before: int) -> None:
        shout(handler, body, before)
        if said(body) in ("text 30", "text 60"):
            handler.close_connection = True

    with serving(reply, keeps=True) as server:
        status, made, err = run(server.url, "--concurrency", "3")
        assert (status, len(made)) == (0, 80) and "repeated" not in err
        assert len(server.got) == 80 and server.connections <= 3 + 2  # type: ignore[attr-defined]


def trouble(handler: Handler, body: dict, before: int) -> None:
    """Fail for some prompts, at the first time or always."""
    number = int(said(body).split()[1])
    if number == 3:
        handler.give({"error": "this prompt crashes me"}, 500)
    elif number == 5:
        handler.give(completion(body, "no", reason="content_filter"))
    elif number == 6:
        handler.give({"error": {"message": "no", "code": "content_filter"}}, 400)
    elif number == 7 and before < 6:
        handler.give({"error": "busy"}, 429, Retry_After="0.01")
    elif number == 8 and not before:
        handler.hang()
    else:
        shout(handler, body, before)


def test_a_prompt_that_fails_is_one_record_and_all_is_counted(run):
    with serving(trouble) as server:
        options = ("-g", "endpoint:retries=1", "--timeout", "4", "--limit", "20")
        status, made, err = run(server.url, *options, "--on-error", "keep")
        assert status == 1 and len(made) == 20
        reasons = {
            record["id"]: record["errors"][0]["reason"] for record in made if "errors" in record
        }
        assert list(reasons) == [3, 5, 6]
        assert reasons[3].endswith('in 2 attempts: 500 "this prompt crashes me"')
        assert "filter withholds" in reasons[5] and "filter refuses" in reasons[6]
        assert err.splitlines()[-1] == (
            "dt-generate: 20 records, 34 tokens of input, 34 tokens of output, "
            "8 requests repeated, 1 request timed out, 2 answers filtered, 3 records failed"
        )
        status, made, err = run(server.url, *options)  # which stops at it
        assert (status, [record["id"] for record in made]) == (3, [0, 1, 2])
        assert re.search(r"in.jsonl:4: no answer .*500.*\(id 3\)$", err)


def test_the_same_bytes_with_and_without_trouble(run):
    def reply(handler: Handler, body: dict, before: int) -> None:
        if not before and said(body).endswith(("3", "7")):
            handler.give({"error": "busy"}, 429, Retry_After="0.01")
        else:
            shout(handler, body, before)

    with serving() as server:
        _, plain, _ = run(server.url)
        server.reply = reply  # type: ignore[attr-defined]
        server.seen.clear()  # type: ignore[attr-defined]
        assert run(server.url)[1] == plain and len(server.got) == 2 * 80 + 16  # type: ignore[attr-defined]


@pytest.mark.parametrize("on_error, number", [("stop", 1), ("skip", 10), ("keep", 10)])
def test_a_server_that_answers_nothing_ends_the_run(run, on_error: str, number: int):
    with serving(lambda handler, body, before: handler.give({"error": "down"}, 500)) as server:
        status, made, err = run(
            server.url, "-g", "endpoint:retries=0", "--on-error", on_error, "--concurrency", "1"
        )
    assert status == 4 and len(made) == (9 if on_error == "keep" else 0)
    in_a_row = f" to {number} requests in a row, the last" if number > 1 else ""
    last = err.splitlines()[-1]
    assert f'chat/completions{in_a_row} in 1 attempt: 500 "down" (id {number - 1})' in last


def test_a_server_that_dies_ends_the_run(run):
    """Ten requests in a row; a single failure between answers does not."""

    def reply(handler: Handler, body: dict, before: int) -> None:
        number = int(said(body).split()[1])
        shout(handler, body, before) if number < 40 and number % 8 else handler.cut()

    with serving(reply) as server:
        status, made, err = run(
            server.url, "-g", "endpoint:retries=0", "--on-error", "skip", "--concurrency", "1"
        )
    assert (status, len(made)) == (4, 35) and "to 10 requests in a row" in err


@pytest.mark.parametrize("options", [["--cache", "c.sqlite"], ["--resume"]])
def test_nothing_is_lost_or_paid_for_twice_over_kills(run, tmp_path: Path, options: list[str]):
    """The answer to the fifth is late, so that those behind it wait to be written."""
    with serving() as server:
        run(server.url, "-o", "whole.jsonl")
        server.got.clear()  # type: ignore[attr-defined]
        server.reply = lambda handler, body, before: (  # type: ignore[attr-defined]
            handler.hang() if said(body) == "text 5" else shout(handler, body, before)
        )
        command = arguments(server.url, "-o", "out.jsonl", "--concurrency", "2", *options)  # type: ignore[attr-defined]
        process = subprocess.Popen(command, cwd=tmp_path, env=environment(tmp_path))
        until(lambda: len(server.got) == 80)  # type: ignore[attr-defined]
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        server.reply = shout  # type: ignore[attr-defined]
        assert run(*command[2:3], "-o", "out.jsonl", *options)[0] == 0
        under_way = 2  # the fifth, and perhaps one that was not written yet
        assert 81 <= len(server.got) <= 80 + under_way  # type: ignore[attr-defined]
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert not (tmp_path / "out.jsonl.answers").exists()


def test_the_first_error_is_told_and_what_was_before_it_is_yielded():
    def work(number: int) -> int:
        if number in (3, 5):
            raise (MissingError if number == 3 else RecordError)(f"no {number}")
        return number

    groups = [(number, [number]) for number in range(9)]
    seen = []
    with pytest.raises(MissingError, match="no 3"):
        for number, _ in window.in_order(work, groups, 4, int):
            seen.append(number)
    assert seen == [0, 1, 2]
