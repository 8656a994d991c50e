"""Inputs from elsewhere: from a server, packed, missing; what must stay on this machine."""

import gzip
import shlex
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from time import sleep

import pytest

import dialtools
from dialtools.system import files, remote
from dialtools.system.errors import MissingError, OptionError, masked
from dialtools.system.files import open_input, open_output

fsspec = pytest.importorskip("fsspec")
LINES = b"".join(b'{"id":%d,"lang":"en","text":"so it is"}\n' % number for number in range(50))


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *given) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path):
    """Yield the address of a server of a folder."""
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "in.jsonl").write_bytes(LINES)
    (folder / "in.jsonl.gz").write_bytes(gzip.compress(LINES))
    (folder / "Chat with Ann.txt").write_text("13.01.26, 20:46 - Ann: Hi\n")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


class Faulty(BaseHTTPRequestHandler):
    """Gives a file, by Range where `ranges` says so, and breaks off as `faults` says, one for each request."""

    protocol_version = "HTTP/1.1"
    tag = '"1"'
    ranges = True
    faults: list[int | str] = []  # bytes after which it breaks off, or what it does at once
    asked: list[dict] = []

    def do_GET(self) -> None:
        self.asked.append({"path": self.path, **self.headers})
        fault = self.faults.pop(0) if self.faults else None
        if fault == "mute":
            self.server.ended.wait(60)  # type: ignore[attr-defined]
        elif isinstance(fault, str):
            self.refuse(fault)
        else:
            self.give(fault)
        self.close_connection = True

    def refuse(self, fault: str) -> None:
        """Answer with another status, such as "302 /new" or "403"."""
        status, _, place = fault.partition(" ")
        self.send_response(int(status))
        self.send_header("Content-Length", "0")
        if place:
            self.send_header("Location", place)
        self.end_headers()

    def give(self, limit: int | None) -> None:
        """Answer with the content, whole or from the place that is asked for."""
        content: bytes = self.server.content  # type: ignore[attr-defined]
        tag = self.headers.get("If-Range", self.tag)
        start = int((self.headers["Range"] or "bytes=0-").removeprefix("bytes=").rstrip("-"))
        is_part = self.ranges and tag == self.tag and start > 0
        start = start if is_part else 0
        self.send_response(206 if is_part else 200)
        if is_part:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.send_header("ETag", self.tag)
        for name, value in self.server.headers.items():  # type: ignore[attr-defined]
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[start:][:limit])

    def log_message(self, *given) -> None:
        pass


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch):
    """Yield a server of one file, and its handler's class; timeouts and pauses are short."""
    monkeypatch.setattr(remote, "TIMEOUT", 0.5)
    monkeypatch.setattr(remote, "PAUSES", (0, 0, 0))

    class Handler(Faulty):
        asked, faults = [], []

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.daemon_threads = True
        running.content, running.headers, running.ended = LINES, {}, Event()  # type: ignore[attr-defined]
        running.url = f"http://127.0.0.1:{running.server_port}/in.jsonl"  # type: ignore[attr-defined]
        running.handler = Handler  # type: ignore[attr-defined]
        Thread(target=running.serve_forever, args=(0.05,), daemon=True).start()
        yield running
        running.ended.set()  # type: ignore[attr-defined]
        running.shutdown()


def read(address: str) -> bytes:
    with open_input(address) as file:
        return file.read()


def test_a_read_that_breaks_goes_on(faulty):
    """With the bytes that lack, after a connection that ends, one that is silent and a server that is busy."""
    faulty.handler.faults = [700, "mute", "503", 900, "429", 0]
    assert read(faulty.url) == LINES
    ranges = [asked.get("Range") for asked in faulty.handler.asked]
    assert ranges == [None, *["bytes=700-"] * 3, *["bytes=1600-"] * 3]
    assert faulty.handler.asked[1]["If-Range"] == '"1"'


def test_a_slow_reader_has_all_the_time(faulty):
    """Twice the time that a server has for an answer, with more than the system keeps for it."""
    faulty.content = LINES * 5000
    with open_input(faulty.url) as file:
        start = file.read(7)
        sleep(2 * remote.TIMEOUT)
        assert start + file.read() == faulty.content
    assert len(faulty.handler.asked) == 1


def test_what_breaks_before_the_first_byte_begins_again(faulty):
    faulty.handler.faults = [0, "503"]
    assert read(faulty.url) == LINES


@pytest.mark.parametrize(
    "faults, told",
    [
        (["mute"], "no answer within 0.5 s"),
        ([7, "mute", "mute", "mute"], "no answer within 0.5 s"),
        ([7, 0, 0, 0], "breaks off after 7 of 1,990 bytes"),
        ([7, "403"], "breaks off after 7 bytes, and the rest is refused: 403 Forbidden"),
        (["500"], "500 Internal Server Error"),
        (["401"], "401 Unauthorized"),
        (["404"], "No such file"),
        (["302 /a"] * 20, "302 "),
        (["302 ftp://127.0.0.1/a"], "unknown url type: ftp"),
        (["302 file:///etc/passwd"], "302 "),
    ],
)
def test_what_does_not_go_on_is_an_error(faulty, faults: list, told: str):
    faulty.handler.faults = faults
    with pytest.raises(OSError) as caught:
        read(faulty.url)
    assert caught.value.strerror.startswith(told) and caught.value.filename == faulty.url
    assert isinstance(caught.value, FileNotFoundError) == (told == "No such file")


def test_another_file_is_not_put_behind_the_first(faulty):
    faulty.handler.faults = [7]
    with open_input(faulty.url) as file:
        assert file.read1(7) == LINES[:7]
        faulty.handler.tag = '"2"'
        with pytest.raises(OSError, match="does not give the rest, or the file changed"):
            file.read()
    faulty.handler.faults, faulty.handler.ranges = [7], False
    with pytest.raises(OSError, match="does not give the rest, or the file changed"):
        read(faulty.url)
    faulty.handler.faults, faulty.handler.ranges, faulty.handler.tag = [7], True, 'W/"1"'
    with open_input(faulty.url) as file:
        assert file.read1(7) == LINES[:7]
        faulty.content += LINES
        with pytest.raises(OSError, match="and the file has changed"):
            file.read()


def test_a_password_is_for_its_server_and_a_redirection_is_followed(faulty):
    address = faulty.url.replace("http://", "http://Ann:s%40cret@")
    faulty.handler.faults = ["302 /new?x=1", 700]
    assert read(f"{address}?q=1#part") == LINES
    sent = [(asked["path"], asked.get("Authorization")) for asked in faulty.handler.asked]
    first = ("/in.jsonl?q=1", "Basic QW5uOnNAY3JldA==")  # base64 of Ann:s@cret
    assert sent == [first, ("/new?x=1", None), first]


def test_what_a_server_packs_unasked_is_unpacked(faulty):
    faulty.content, faulty.headers = gzip.compress(LINES), {"Content-Encoding": "gzip"}
    faulty.handler.faults = [40]
    assert read(faulty.url) == read(faulty.url + ".gz") == LINES
    faulty.headers = {"Content-Encoding": "br"}
    with pytest.raises(OSError, match="the server sends it as br"):
        read(faulty.url)


def test_commands_read_from_a_server(shell, server: str):
    read = "dt-convert --lang en -q"
    assert shell(f"{read} {server}/in.jsonl").out == LINES.decode()
    assert shell(f"{read} '{server}/in.jsonl.gz?download=1'").out == LINES.decode()
    assert shell(f"{read} '{server}/Chat with Ann.txt' | jq -r .id").out == "Chat with Ann\n"
    made = shell(f"dt-clean --squeeze {server}/none.jsonl -o out")
    assert (made.err, made.status) == (f"dt-clean: {server}/none.jsonl: No such file\n", 5)


def test_offline_and_outputs_stay_here(shell, tmp_path: Path):
    for line, said in (
        (f"{name} http://127.0.0.1:1/x", "is elsewhere, and --offline opens no socket")
        for name in ("dt-convert --offline", "dt-score -m rouge1 --offline")
    ):
        made = shell(line)
        assert made.status == 2 and said in made.err and made.err.count("\n") == 1
    with pytest.raises(OptionError, match="s3://x/y is elsewhere, and offline opens no socket"):
        next(dialtools.convert("s3://x/y", offline=True))
    with (
        pytest.raises(OptionError, match="s3://x/y: outputs are written on this machine"),
        open_output("s3://x/y"),
    ):
        pass


def test_what_is_not_there_and_what_is_missing(monkeypatch: pytest.MonkeyPatch):
    with (
        pytest.raises(OptionError, match="foo://bar: nothing reads such an address"),
        open_input("foo://bar"),
    ):
        pass
    with pytest.raises(FileNotFoundError) as caught, open_input("memory://none"):
        pass
    assert caught.value.filename == "memory://none"
    monkeypatch.setitem(__import__("sys").modules, "s3fs", None)
    with (
        pytest.raises(MissingError, match="the library s3fs is not installed: pip install s3fs"),
        open_input("s3://a/b"),
    ):
        pass
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with (
        pytest.raises(MissingError, match=r"pip install 'dialtools\[remote\]'"),
        open_input("memory://none"),
    ):
        pass


def test_python_reads_from_anywhere():
    fsspec.filesystem("memory").pipe("/dir/in.jsonl", LINES)
    assert len(list(dialtools.read("memory://dir/in.jsonl"))) == 50
    zstandard = pytest.importorskip("zstandard")
    fsspec.filesystem("memory").pipe("/dir/in.jsonl.zst", zstandard.compress(LINES))
    assert [record["id"] for record in dialtools.read("memory://dir/in.jsonl.zst", limit=3)] == [
        0,
        1,
        2,
    ]


def test_a_file_here_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s3:").mkdir()
    for name in ("s3:a.jsonl", "s3:/a.jsonl"):
        (tmp_path / name).write_bytes(LINES)
    assert files.is_remote("s3://b.jsonl")
    for name in ("s3:a.jsonl", "s3://a.jsonl", "s3:/a.jsonl"):
        assert not files.is_remote(name) and len(list(dialtools.read(name))) == 50


SECRETS = ("Ann:", "s3cret", "t0ken", "s1g")


def test_no_output_holds_secrets_of_addresses(shell, server: str):
    """Neither records nor messages, of any exit status; the query's keys and the line stay."""
    place = server.replace("//", "//Ann:s3cret@")
    query = "?token=t0ken&sig=s1g"
    (spoilt, missing, good) = (
        f"{place}/{name}{query}" for name in ("Chat with Ann.txt", "x", "in.jsonl")
    )
    program = f"exec:sh -c cat {good}"
    lines = {
        f"dt-clean --squeeze '{spoilt}'": (3, "Chat with Ann.txt?token=…&sig=…:1: not JSON"),
        f"dt-clean --squeeze '{missing}' --debug": (1, "/x?token=…&sig=…"),
        f"dt-clean --offline --squeeze '{good}'": (2, ""),
        "dt-clean --squeeze 'foo://Ann:s3cret@x'": (2, "foo://…@x: nothing reads such an address"),
        f"dt-generate -g lead --endpoint 'ftp://Ann:s3cret@x' '{good}'": (2, ""),
        f"dt-perturb -k '{program}' '{good}' | dt-score -q -m 'exec:sh -c \"jq --unbuffered .id\" {good}'": (
            0,
            "",
        ),
        f"dt-perturb -k 'exec:sh -c false {good}' --on-error keep --jobs 2 '{good}'": (1, ""),
        f"dt-score -m exact --on-error keep '{good}'": (1, ""),
    }
    for line, (status, told) in lines.items():
        made = shell(line)
        assert made.status == status and told in made.err, (line, made.err)
        assert not any(secret in made.out + made.err for secret in SECRETS), line
    for path in (spoilt, missing, "s3://Ann:s3cret@x", "foo://Ann:s3cret@x"):
        with pytest.raises(Exception) as caught:
            list(dialtools.read(path))
        assert not any(secret in f"{caught.value}" for secret in SECRETS)
    # what a model's card says of its data and of the command
    card = f"{files.hashes('train', [good])} {masked(shlex.join(['dt-train', '--train', good]))}"
    assert not any(secret in card for secret in SECRETS) and "in.jsonl?token=…&sig=…" in card
