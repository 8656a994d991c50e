"""stable_hash.py: what depends on a record's identity depends on nothing else."""

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialtools.pipeline.input import shard_of
from dialtools.system import stable_hash
from dialtools.system.errors import OptionError


@pytest.mark.parametrize(
    "parts, digest",
    [  # printf '[1, "a"]' | b2sum -l 64 (GNU coreutils)
        ((1, "a"), 0x9EC0464774C04B61),
        (("shard", "d42"), 0xD816AE6626477B16),
        (("é",), 0x388E92A4B8F47099),
    ],
)
def test_digests_are_the_same_on_every_machine(parts: tuple, digest: int):
    assert stable_hash.digest(*parts) == digest


def test_what_looks_alike_is_kept_apart():
    parts = [(1,), ("1",), ("ab",), ("a", "b"), ("a", "b", ""), ("",), ()]
    assert len({stable_hash.digest(*part) for part in parts}) == len(parts)


def test_random_numbers_depend_on_each_part():
    draws = {
        stable_hash.rng(seed, plugin, id, variant).random()
        for seed in (0, 1)
        for plugin in ("a", "b")
        for id in ("x", 1)
        for variant in (1, 2)
    }
    assert len(draws) == 16
    assert (
        stable_hash.rng(0, "a", "x").random() == stable_hash.rng(0, "a", "x", 1).random() in draws
    )


@given(st.lists(st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 1024, 2048, 2**64 - 1])))
def test_seen_is_a_set(digests: list[int]):
    with mock.patch.object(stable_hash, "LATEST", 8):
        check_seen(digests)


def check_seen(digests: list[int]) -> None:
    seen, known = stable_hash.Seen(), set()
    for digest in digests:
        assert seen.add(digest) is (digest not in known)
        known.add(digest)


def test_seen_grows():
    seen = stable_hash.Seen()
    numbers = range(0, 5 * stable_hash.LATEST * 1024, 1024)
    assert all(map(seen.add, numbers))
    assert not any(map(seen.add, numbers))


def test_shards_share_all_records_evenly():
    """Each of 4 shards of 1,000 ids holds 250, give or take four standard deviations (14)."""
    shards = [stable_hash.shard(f"d{number}", 4) for number in range(1000)]
    assert {shards.count(part) for part in (1, 2, 3, 4)} <= set(range(250 - 56, 250 + 57))
    assert sum(shards.count(part) for part in (1, 2, 3, 4)) == 1000


SLURM = "SLURM_ARRAY_TASK_"


@pytest.mark.parametrize(
    "spec, variables, found",
    [
        ("slurm", {SLURM + "ID": "3", SLURM + "MIN": "1", SLURM + "COUNT": "4"}, (3, 4)),
        (
            "slurm/8",
            {SLURM + "ID": "7", SLURM + "MIN": "5", SLURM + "COUNT": "4"},
            (7, 8),
        ),  # --array=5-8, to repeat
        (
            "slurm/8",
            {SLURM + "ID": "3", SLURM + "MIN": "3", SLURM + "COUNT": "1"},
            (3, 8),
        ),  # --array=3
        ("2/3", {SLURM + "ID": "7", "RANK": "1", "WORLD_SIZE": "4"}, (2, 3)),  # never by itself
        ("env", {"RANK": "1", "WORLD_SIZE": "4"}, (2, 4)),
        ("env/4", {"RANK": "3", "WORLD_SIZE": "4"}, (4, 4)),
        ("env", {"SLURM_PROCID": "0", "SLURM_NTASKS": "2"}, (1, 2)),
        ("env/5", {"JOB_COMPLETION_INDEX": "4"}, (5, 5)),
    ],
)
def test_shards_that_a_cluster_tells(monkeypatch, spec, variables, found):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert shard_of(spec) == found


@pytest.mark.parametrize(
    "spec, variables, said",
    [
        (
            "slurm",
            {SLURM + "ID": "7", SLURM + "MIN": "5", SLURM + "COUNT": "4"},
            "4 tasks and begins at 5: is it a part",
        ),
        (
            "slurm",
            {SLURM + "ID": "1", SLURM + "MIN": "1", SLURM + "COUNT": "1"},
            "1 task and begins at 1: is it a part",
        ),
        ("slurm", {SLURM + "ID": "0", SLURM + "MIN": "0", SLURM + "COUNT": "4"}, "begins at 0"),
        ("slurm/4", {SLURM + "ID": "0"}, "from 1 to 4; the array begins at 1"),
        (
            "slurm",
            {SLURM + "ID": "7", SLURM + "COUNT": "4"},
            "no SLURM_ARRAY_TASK_MIN in the environment",
        ),
        ("env", {}, "none of RANK and WORLD_SIZE"),
        ("env", {"JOB_COMPLETION_INDEX": "4"}, "of how many: --shard env/N"),
        ("env/3", {"RANK": "1", "WORLD_SIZE": "4"}, "WORLD_SIZE is 4"),
        ("env", {"SLURM_PROCID": "0", "SLURM_NTASKS": "1", SLURM + "ID": "7"}, "--shard slurm/N"),
    ],
)
def test_shards_that_a_cluster_does_not_tell(monkeypatch, spec, variables, said):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(OptionError, match=said):
        shard_of(spec)


def test_one_of_several_processes_needs_a_shard(shell):
    """Else each would do all the work, and the last one's file would be kept."""
    line = """echo '{"id": 1, "lang": "en", "text": "so"}' | dt-perturb -k typo.case -q"""
    refused = shell(line, RANK="2", WORLD_SIZE="8")
    assert refused.status == 2 and "give --shard 3/8 (--shard env stands for that)" in refused.err
    assert shell(line, SLURM_PROCID="1", SLURM_NTASKS="2").status == 2
    assert (
        shell(line, SLURM_PROCID="0", SLURM_NTASKS="2").status == 0
    )  # as in the batch script itself
    made = [shell(f"{line} --shard env", RANK=str(rank), WORLD_SIZE="2").out for rank in (0, 1)]
    assert "".join(made) == shell(f"{line} --shard 1/1", RANK="1", WORLD_SIZE="2").out != ""


@pytest.mark.parametrize("spec", ["0/3", "4/3", "1", "a/b", "1/2/3", "-1/2", "1/0", ""])
def test_shards_that_are_none(spec: str):
    with pytest.raises(OptionError, match="--shard"):
        shard_of(spec)
