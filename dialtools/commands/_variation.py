"""Variants of training records, drawn anew for each epoch by dt-swap-names and dt-perturb."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from dialtools.commands.names import name_pools
from dialtools.commands.perturb import BY
from dialtools.commands.swap_names import swap_names
from dialtools.plugins import registry
from dialtools.system import stable_hash
from dialtools.system.errors import OptionError, RecordError, Unfit, nearest
from dialtools.training.preparation import Drawing
from dialtools.variants import draws, kinds

NAMES = "names"  # the spec that swaps names; all others are of kinds of perturbation
TRAIN = "train"  # the pool of the names in the training data
_SWITCHES = {"gender": True, "roles": False}  # options of the spec beside the pool

Step = Callable[[Iterable[dict], int], Iterator[dict]]  # (records, seed) -> a variant of each


def drawing(specs: Iterable[str | Callable], variants: int, seed: int) -> Drawing:
    """Return records -> (epoch -> for each record itself and its variants in this epoch).

    specs: names:pool=POOL swaps names, where POOL is also train, the names of the records; a kind
        of perturbation or a family, such as typo, one kind of it, drawn for each variant.  Several
        are applied one after the other.
    variants: how many there are of a record, itself included.
    seed: variants depend on it, the epoch and the id alone.
    """
    if variants < 2:
        raise OptionError(
            f"there are at least 2 variants, a record and one that is drawn, not {variants}"
        )
    makers = [_step(spec) for spec in registry.several(specs)]

    def of(records: Sequence[dict]) -> Callable[[int], Iterator[list[dict]]]:
        steps = [make(records) for make in makers]

        def vary(epoch: int) -> Iterator[list[dict]]:
            columns = [
                _through(
                    steps if number else [],
                    iter(records),
                    stable_hash.digest(seed, "vary", epoch, number),
                )
                for number in range(variants)
            ]
            for row in zip(*columns, strict=True):
                yield list(row)

        return vary

    return of


def is_of_names(spec: str | Callable) -> bool:
    """Return whether a spec swaps names."""
    return not callable(spec) and registry.split(spec)[0] == NAMES


def _through(steps: list[Step], records: Iterator[dict], seed: int) -> Iterator[dict]:
    for step in steps:
        records = step(records, seed)
    return records


def _step(spec: str | Callable) -> Callable[[Sequence[dict]], Step]:
    """Return training records -> a step of a spec."""
    if not is_of_names(spec):
        chosen = kinds.choose([spec])
        return lambda records: partial(_perturbed, chosen)
    options = _options(str(spec))

    def made(records: Sequence[dict]) -> Step:
        own = {"pool": None, "pool_file": _pool(records)} if options.get("pool") == TRAIN else {}
        return partial(_renamed, options | own)

    return made


def _options(spec: str) -> dict[str, Any]:
    """Return the options of names:…; OptionError for one that it does not have."""
    _, given = registry.split(spec)
    known = ("pool", *_SWITCHES)
    for name, value in given.items():
        if name not in known:
            raise OptionError(
                f"{NAMES} has no option {name!r}{nearest(name, known)}; it has {', '.join(known)}"
            )
        if name in _SWITCHES and value not in ("yes", "no"):
            raise OptionError(f"{NAMES}: {name} is yes or no, not {value!r}")
    return {name: value == "yes" if name in _SWITCHES else value for name, value in given.items()}


def _pool(records: Iterable[dict]) -> list[str]:
    """Return the names of speakers as lines of a pool."""
    rows = name_pools(records, action="collect")
    lines = [f"{row['name']}\t{row['gender']}" if row["gender"] else row["name"] for row in rows]
    if not lines:
        raise OptionError(
            f"{NAMES}:pool={TRAIN}: the training data has no names of speakers, only "
            "roles or placeholders: take another pool, such as frequent"
        )
    return lines


def _renamed(options: dict[str, Any], records: Iterable[dict], seed: int) -> Iterator[dict]:
    return swap_names(records, seed=seed, overwrite=True, **options)


def _perturbed(chosen: list[kinds.Kind], records: Iterable[dict], seed: int) -> Iterator[dict]:
    for record in records:
        kinds.check_tokens(record)
        order = stable_hash.rng(seed, "kind", record["id"]).sample(chosen, len(chosen))
        yield _first_changed(record, order, seed)


def _first_changed(record: dict, order: list[kinds.Kind], seed: int) -> dict:
    """Return a variant by the first kind that changes a record; unchanged, if none does.

    Raise Unfit if none is defined for the record.
    """
    made, unfit = None, None
    for kind in order:
        try:
            (made,) = draws.variants(record, [kind], 1, seed, BY)
        except Unfit as error:
            unfit = error
            continue
        if draws.is_changed(made):
            return made
    if made is None:
        raise unfit or RecordError("no kind of perturbation", record)
    return made
