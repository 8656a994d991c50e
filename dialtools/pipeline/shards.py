"""Which part of the input a process works on: I/N, or what a cluster says in the environment."""

import os

from dialtools.system.errors import OptionError

_ARRAY = "SLURM_ARRAY_TASK_"
# which process it is, counted from 0, and of how many: torchrun, accelerate and the like; srun
_RANKS = (("RANK", "WORLD_SIZE"), ("SLURM_PROCID", "SLURM_NTASKS"))
_INDEX = "JOB_COMPLETION_INDEX"  # of Kubernetes, which does not tell of how many


def shard_of(spec: str) -> tuple[int, int]:
    """Return (I, N), I from 1 to N, of "I/N", or of "slurm" and "env", which N may follow."""
    name, _, parts = spec.partition("/")
    try:
        if name == "slurm":
            part, number = _of_array(int(parts) if parts else None)
        elif name == "env":
            part, number = _of_process(int(parts) if parts else None)
        else:
            part, number = map(int, spec.split("/"))
    except KeyError as error:
        raise OptionError(
            f"--shard slurm: no {error.args[0]} in the environment; this is no job array"
        ) from None
    except ValueError:
        raise OptionError(
            f"--shard is I/N, such as 1/4, slurm or slurm/N in a job array, or env, not {spec!r}"
        ) from None
    if not 1 <= part <= number:
        begun = "; the array begins at 1" if name == "slurm" else ""
        raise OptionError(f"--shard {part}/{number}: the part is from 1 to {number}{begun}")
    return part, number


def require_shard() -> None:
    """Raise OptionError if this is one of several processes: each would do all the work."""
    for rank, size in _RANKS:
        own, of = _number(rank), _number(size)
        if own is not None and of and of > 1 and (size == "WORLD_SIZE" or own):
            raise OptionError(
                f"{rank} is {own} and {size} {of}: each of the processes would do "
                "all the work and replace the output of the others; give --shard "
                f"{own + 1}/{of} (--shard env stands for that), or --shard 1/1 if "
                "each has input and output of its own"
            )


def _of_array(parts: int | None) -> tuple[int, int]:
    """Return the part of a Slurm job array's task.

    Without the number of parts, the array must be a whole: 3 alone, or 5-8, is a part of another.
    """
    task = int(os.environ[f"{_ARRAY}ID"])
    if parts is not None:
        return task, parts
    first, number = int(os.environ[f"{_ARRAY}MIN"]), int(os.environ[f"{_ARRAY}COUNT"])
    if first != 1 or number == 1:
        raise OptionError(
            f"--shard slurm: the array has {number} task{'s' * (number > 1)} and "
            f"begins at {first}: is it a part of another one? --shard slurm/N says "
            "of how many, for --array=1-N or tasks of it"
        )
    return (task - first) // int(os.environ.get(f"{_ARRAY}STEP", 1)) + 1, number


def _of_process(parts: int | None) -> tuple[int, int]:
    """Return the part of one of several processes; parts: their number, if the spec has it."""
    for rank, size in (*_RANKS, (_INDEX, "")):
        own, of = _number(rank), _number(size)
        if own is None or (of is None and size):
            continue
        if of is None and parts is None:
            raise OptionError(f"--shard env: {rank} does not say of how many: --shard env/N")
        if of is not None and parts not in (None, of):
            raise OptionError(f"--shard env/{parts}: {size} is {of}")
        if of == 1 and f"{_ARRAY}ID" in os.environ:
            raise OptionError("--shard env: this is one task of a job array: --shard slurm/N")
        return own + 1, of or parts or 1
    raise OptionError(
        "--shard env: none of RANK and WORLD_SIZE, SLURM_PROCID and SLURM_NTASKS, "
        f"{_INDEX} is in the environment"
    )


def _number(name: str) -> int | None:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else None
