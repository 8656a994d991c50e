"""keyed.py: what depends on a record's identity depends on nothing else."""

from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialtools import keyed
from dialtools.errors import OptionError
from dialtools.run.input import shard_of


@pytest.mark.parametrize("parts, digest", [  # printf '[1, "a"]' | b2sum -l 64 (GNU coreutils)
    ((1, "a"), 0x9ec0464774c04b61), (("shard", "d42"), 0xd816ae6626477b16), (("é",), 0x388e92a4b8f47099)])
def test_digests_are_the_same_on_every_machine(parts: tuple, digest: int):
    assert keyed.digest(*parts) == digest


def test_what_looks_alike_is_kept_apart():
    parts = [(1,), ("1",), ("ab",), ("a", "b"), ("a", "b", ""), ("",), ()]
    assert len({keyed.digest(*part) for part in parts}) == len(parts)


def test_random_numbers_depend_on_each_part():
    draws = {keyed.rng(seed, plugin, id, variant).random()
             for seed in (0, 1) for plugin in ("a", "b") for id in ("x", 1) for variant in (1, 2)}
    assert len(draws) == 16
    assert keyed.rng(0, "a", "x").random() == keyed.rng(0, "a", "x", 1).random() in draws


@given(st.lists(st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 1024, 2048, 2**64 - 1]))
       | st.lists(st.integers(-2**63, 2**63 - 1)))  # as digest() makes them, or hash()
def test_seen_is_a_set(digests: list[int]):
    with mock.patch.object(keyed, "LATEST", 8):
        check_seen(digests)


def check_seen(digests: list[int]) -> None:
    seen, known = keyed.Seen(), set()
    for digest in digests:
        assert seen.add(digest) is (digest not in known)
        known.add(digest)


def test_seen_grows():
    seen = keyed.Seen()
    numbers = range(0, 5 * keyed.LATEST * 1024, 1024)
    assert all(map(seen.add, numbers))
    assert not any(map(seen.add, numbers))


def test_shards_share_all_records_evenly():
    """Each of 4 shards of 1,000 ids holds 250, give or take four standard deviations (14)."""
    shards = [keyed.shard(f"d{number}", 4) for number in range(1000)]
    assert {shards.count(part) for part in (1, 2, 3, 4)} <= set(range(250 - 56, 250 + 57))
    assert sum(shards.count(part) for part in (1, 2, 3, 4)) == 1000


def test_the_shard_of_a_job_array(monkeypatch):
    for name, value in (("ID", "7"), ("MIN", "5"), ("COUNT", "4")):
        monkeypatch.setenv(f"SLURM_ARRAY_TASK_{name}", value)
    assert shard_of("slurm") == (3, 4)
    assert shard_of("2/3") == (2, 3), "never by itself"
    monkeypatch.delenv("SLURM_ARRAY_TASK_MIN")
    with pytest.raises(OptionError, match="no SLURM_ARRAY_TASK_MIN in the environment"):
        shard_of("slurm")


@pytest.mark.parametrize("spec", ["0/3", "4/3", "1", "a/b", "1/2/3", "-1/2", "1/0", ""])
def test_shards_that_are_none(spec: str):
    with pytest.raises(OptionError, match="--shard"):
        shard_of(spec)
