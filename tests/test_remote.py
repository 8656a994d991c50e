"""Inputs from elsewhere: from a server, packed, missing; what must stay on this machine."""

import gzip
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

import dialtools
from dialtools.system import remote
from dialtools.system.errors import MissingError, OptionError
from dialtools.system.files import open_input, open_output

fsspec = pytest.importorskip("fsspec")
LINES = b"".join(b'{"id":%d,"lang":"en","text":"so it is"}\n' % number for number in range(50))


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *given) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path):
    """Yield the address of a server of a folder."""
    pytest.importorskip("aiohttp")
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "in.jsonl").write_bytes(LINES)
    (folder / "in.jsonl.gz").write_bytes(gzip.compress(LINES))
    (folder / "Chat with Ann.txt").write_text("13.01.26, 20:46 - Ann: Hi\n")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


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
    assert remote.is_remote("s3://b.jsonl")
    for name in ("s3:a.jsonl", "s3://a.jsonl", "s3:/a.jsonl"):
        assert not remote.is_remote(name) and len(list(dialtools.read(name))) == 50
