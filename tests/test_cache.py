"""dt-generate --cache: nothing is made twice."""

import json
import signal
import sqlite3
import subprocess
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from conftest import environment, until
from flat_options import generate
from misbehaving_server import Handler, said, serving, shout

import dialtools
from dialtools.system.errors import OptionError, RecordError

TEXTS = ["one", "two", "one", "one", "three"]
RECORDS = [{"id": number, "lang": "en", "text": text} for number, text in enumerate(TEXTS)]


@pytest.fixture
def server():
    with serving() as found:
        yield found


def made(server, records: list[dict], cache: Path, **options) -> tuple[list, int]:
    """Return the records that are made, and for how many a server was asked."""
    before = len(server.got)
    found = list(generate(records, endpoint=server.url, model="m", cache=str(cache), **options))
    return found, len(server.got) - before


def test_nothing_is_made_twice(server, tmp_path: Path):
    file = tmp_path / "c.sqlite"
    plain = list(generate(RECORDS, endpoint=server.url, model="m"))
    assert made(server, RECORDS, file) == (plain, 3)  # three texts are different
    assert made(server, RECORDS, file) == (plain, 0)
    assert made(server, RECORDS[:2] + [{"id": 9, "lang": "en", "text": "four"}], file)[1] == 1
    assert made(server, RECORDS, file, max_new_tokens=5)[1] == 3
    assert list(generate(RECORDS, endpoint=server.url, model="other", cache=str(file)))
    assert len(server.got) == 3 + 3 + 1 + 3 + 3


def test_samples_are_drawn_for_each_id(server, tmp_path: Path):
    assert made(server, RECORDS, tmp_path / "c", sample=True)[1] == 5
    assert made(server, RECORDS, tmp_path / "c", sample=True)[1] == 0
    assert made(server, RECORDS, tmp_path / "c", sample=True, seed=1)[1] == 5


@pytest.mark.parametrize("number", [6, 1])
def test_what_is_under_way_at_an_error_is_kept(server, tmp_path: Path, number: int):
    """The first of six is refused at once, and others are under way; number: of those at a time."""
    refused = threading.Event()

    def reply(handler: Handler, body: dict, before: int) -> None:
        if said(body) == "bad":
            handler.give({"error": "no"}, 400)
            refused.set()
        else:
            refused.wait(60)
            handler.hang(0.2)
            shout(handler, body, before)

    server.reply = reply
    records = [{"id": text, "lang": "en", "text": text} for text in ("bad", *"abcde")]
    with pytest.raises(RecordError, match="refuses"):
        made(server, records, tmp_path / "c", retries=0, concurrency=number)
    assert server.got
    server.reply = shout
    made(server, records, tmp_path / "c")
    assert Counter(said(body) for _, _, body in server.got) == Counter(["bad", "bad", *"abcde"])


def test_a_prompt_is_another_input(server, tmp_path: Path):
    (tmp_path / "p").write_text("say {{ text }}")
    made(server, RECORDS, tmp_path / "c")
    found, asked = made(server, RECORDS, tmp_path / "c", prompt=str(tmp_path / "p"))
    assert asked == 3 and found[0]["prediction"] == "SAY ONE"


def test_a_file_that_is_no_cache(server, tmp_path: Path):
    (tmp_path / "c").write_text(
        "not a data base, but a text that is long enough to be taken for one"
    )
    with pytest.raises(OptionError, match="cache=.*not a database"):
        made(server, RECORDS, tmp_path / "c")
    with sqlite3.connect(tmp_path / "other") as base:
        base.execute("CREATE TABLE made (x)")
    with pytest.raises(OptionError, match="cache=.*no such column"):
        made(server, RECORDS, tmp_path / "other")


def test_a_disk_that_is_full_or_not_there_ends_it_with_what_was_made(shell, tmp_path: Path):
    """The first run may write files of 24 KiB at most, and fails on a record in the middle."""
    records = [{"id": number, "lang": "en", "text": f"{number} " * 100} for number in range(200)]
    dialtools.write(records, tmp_path / "in.jsonl")
    plain = shell("dt-generate -q -g echo in.jsonl").out.splitlines()
    full = shell(
        "ulimit -f 24; dt-generate -q -g echo --cache c.sqlite in.jsonl",
        PYTHONDONTWRITEBYTECODE="1",
    )
    assert (
        full.status == 5
        and full.err.startswith("dt-generate: --cache c.sqlite: ")
        and full.err.count("\n") == 1
    )
    assert (
        0 < len(full.out.splitlines()) < 200
        and full.out.splitlines() == plain[: len(full.out.splitlines())]
    )
    assert shell("dt-generate -q -g echo --cache c.sqlite in.jsonl").out.splitlines() == plain
    missing = shell("dt-generate -g echo --cache no/c.sqlite in.jsonl")
    assert (missing.status, missing.out) == (5, "") and "unable to open" in missing.err


def command(
    server, cache: Path, number: int = 0, records: list[dict] | None = None, concurrency: int = 1
) -> subprocess.Popen:
    """Start a process that asks for records, or for four texts, two of which others ask for, too."""
    texts = (f"{number}", "a", f"{number} b", "c")
    records = records or [{"id": f"{number}-{text}", "lang": "en", "text": text} for text in texts]
    place = cache.parent / f"{number}.jsonl"
    dialtools.write(records, place)
    line = f"dt-generate -q --endpoint {server.url} --model m --concurrency {concurrency}"
    return subprocess.Popen(
        [*line.split(), "--cache", cache, place, "-o", f"{place}.out"],
        env=environment(cache.parent),
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_after_a_kill_only_what_was_under_way_is_asked_again(
    server, tmp_path: Path, ending: signal.Signals
):
    """The first answer never comes, so that nothing is written; those behind it are in the file."""
    server.reply = lambda handler, body, before: (
        handler.hang() if said(body) == "0" else shout(handler, body, before)
    )
    records = [{"id": number, "lang": "en", "text": f"{number}"} for number in range(20)]
    process = command(server, tmp_path / "c", records=records, concurrency=2)
    until(lambda: kept(tmp_path / "c") == 19)
    process.send_signal(ending)
    process.communicate(timeout=60)
    server.reply = shout
    process = command(server, tmp_path / "c", records=records, concurrency=2)
    assert (process.communicate(timeout=60)[1], process.returncode) == ("", 0)
    assert len(server.got) == 20 + 1


def kept(cache: Path) -> int:
    """Return the number of outputs in a cache."""
    if not cache.exists():
        return 0
    with closing(sqlite3.connect(cache)) as base:
        tables = base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        return base.execute("SELECT count(*) FROM made").fetchone()[0] if tables else 0


def test_four_processes_share_a_cache_while_the_server_is_busy(server, tmp_path: Path):
    """Each question is refused (503) once before it is answered, so that everybody waits in between."""

    def reply(handler: Handler, body: dict, before: int) -> None:
        handler.give({"error": "busy"}, 503, Retry_After="0.1") if before < 1 else shout(
            handler, body, before
        )

    server.reply = reply
    processes = [command(server, tmp_path / "c", number) for number in range(4)]
    assert [(process.communicate(timeout=120)[1], process.returncode) for process in processes] == [
        ("", 0)
    ] * 4
    for number in range(4):
        lines = (tmp_path / f"{number}.jsonl.out").read_text().splitlines()
        assert [json.loads(line)["prediction"] for line in lines] == [
            f"{number}",
            "A",
            f"{number} B",
            "C",
        ]


def test_nobody_waits_for_a_process_that_waits_for_its_server(server, tmp_path: Path):
    """Its first answers stand in the file or nowhere, but do not lock it: another one writes at once."""

    def reply(handler: Handler, body: dict, before: int) -> None:
        handler.hang() if said(body) == "c" else shout(handler, body, before)

    server.reply = reply
    process = command(server, tmp_path / "c")
    until(lambda: any(said(body) == "c" for _, _, body in server.got))
    with closing(sqlite3.connect(tmp_path / "c", timeout=0)) as base, base:
        base.execute("INSERT INTO made VALUES (?, ?)", (b"mine", "{}"))
    process.terminate()
    process.communicate(timeout=60)
