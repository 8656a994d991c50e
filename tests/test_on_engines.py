"""examples/cluster on engines that run: Slurm, Ray, Spark, where they are installed; a worker of each is killed."""

import os
from pathlib import Path

import engines
import pytest
import samples
from conftest import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """Return a file of dialogues, and what the plain pipe makes of it."""
    folder = tmp_path_factory.mktemp("plain")
    source = folder / "in.jsonl"
    source.write_text(samples.lines(samples.records(60, ("en", "zh", "hi", "ja"))))
    return source, engines.plain(source, folder).read_bytes()


def run(name: str, *arguments) -> bytes:
    try:
        return getattr(engines, name)(*arguments).read_bytes()
    except engines.Missing as missing:
        pytest.skip(f"needs {missing}")


@pytest.mark.parametrize("name", ["functions", "parallel", "make", "slurm", "ray", "spark"])
def test_results_are_those_of_the_plain_pipe(given, tmp_path: Path, name: str):
    source, expected = given
    assert run(name, source, tmp_path) == expected != b""


@pytest.mark.parametrize("name", ["ray", "spark"])
def test_a_worker_is_killed(given, tmp_path: Path, name: str):
    source, expected = given
    assert run(name, source, tmp_path, True) == expected


def test_a_filter_is_killed_and_slurm_makes_its_part_again(given, tmp_path: Path):
    source, expected = given
    own = tmp_path / "bin"
    own.mkdir()
    (own / "dt-swap-names").write_text(
        f"#!/bin/bash\n[[ $1 != --restore || $SLURM_ARRAY_TASK_ID != 2 || $SLURM_RESTART_COUNT ]] || "
        f'{{ {ROOT}/bin/dt-swap-names "$@" | head -n 3; touch {tmp_path}/killed; kill -9 $$; }}\n'
        f'exec {ROOT}/bin/dt-swap-names "$@"\n'
    )
    os.chmod(own / "dt-swap-names", 0o755)
    assert run("slurm", source, tmp_path, str(own)) == expected
    assert (tmp_path / "killed").exists()
