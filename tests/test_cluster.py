"""examples/cluster: what engines run, without the engines, makes the results of the plain pipe."""

import sys
from importlib import import_module

import pytest
import samples
from conftest import ROOT

FOLDER = ROOT / "examples" / "cluster"
PIPE = (
    "dt-swap-names --variants 5 --seed 1 --keep-original -q in.jsonl | dt-generate -g longest -q | "
    "dt-swap-names --restore -q | dt-score --sensitivity -m rouge2 -q"
)


@pytest.fixture
def given(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.jsonl").write_text(samples.lines(samples.records(12, ("en", "zh", "hi"))))
    (tmp_path / "out").mkdir()
    return shell(PIPE).out


def test_parts_of_a_job_array_with_a_filter_killed_and_a_part_made_again(shell, given, tmp_path):
    """The second part's restoring is killed the first time; scontrol, which puts the task back, is a stand-in."""
    own = tmp_path / "bin"
    own.mkdir()
    (own / "scontrol").write_text('#!/bin/sh\necho "$@" >> requeued\n')
    (own / "dt-swap-names").write_text(
        f"#!/bin/bash\n[[ $1 != --restore || $SLURM_ARRAY_TASK_ID != 2 || $SLURM_RESTART_COUNT ]] || "
        f'{{ {ROOT}/bin/dt-swap-names "$@" | head -n 3; kill -9 $$; }}\nexec {ROOT}/bin/dt-swap-names "$@"\n'
    )
    for file in own.iterdir():
        file.chmod(0o755)
    task = f'PATH="{own}:$PATH" IN="$PWD/in.jsonl" OUT="$PWD/out" N=2 bash {FOLDER}'

    def run(number, **more):
        return shell(
            f"{task}/part.sbatch", SLURM_ARRAY_TASK_ID=str(number), SLURM_ARRAY_JOB_ID="7", **more
        ).status

    assert [run(number) for number in (1, 2)] == [0, 1]
    assert (tmp_path / "requeued").read_text() == "requeue 7_2\n" and not (
        tmp_path / "out" / "part2.sources"
    ).exists()
    assert shell(f"{task}/merge.sbatch").status != 0  # which afterok would not have begun
    assert run(2, SLURM_RESTART_COUNT="1") == 0 and shell(f"{task}/merge.sbatch").status == 0
    assert (tmp_path / "out" / "results.jsonl").read_text() == given != ""


def test_submit_sends_the_array_and_a_merge_after_it(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sbatch").write_text('#!/bin/sh\necho "$N $@" >> sent\necho 7\n')
    (tmp_path / "sbatch").chmod(0o755)
    assert shell(f'PATH="$PWD:$PATH" bash {FOLDER}/submit.sh in.jsonl out 8').status == 0
    array, merge = (tmp_path / "sent").read_text().splitlines()
    assert (
        array.startswith("8 --parsable")
        and "--array=1-8" in array
        and "--dependency=afterok:7" in merge
    )


def test_functions_of_the_jobs_on_two_blocks(shell, given, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    ray, spark = import_module("ray_job"), import_module("spark_job")
    lines = (tmp_path / "in.jsonl").read_text().splitlines()
    for name, job in (
        ("ray", lambda block: "".join(ray.score(ray.Outputs()(ray.vary({"text": block})))["text"])),
        ("spark", lambda block: "\n".join(spark.part(block)) + "\n"),
    ):
        for number, block in enumerate((lines[:5], lines[5:])):
            (tmp_path / f"{name}{number}").write_text(job(block))
        assert shell(f"dt-merge --summary {name}0 {name}1 -q").out == given
    assert list(spark.part([])) == []
    with pytest.raises(ValueError, match="without id"):
        ray.vary({"text": ['{"text": "so"}']})
