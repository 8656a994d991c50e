"""Variants of training records, drawn anew for each epoch as dt-swap-names and dt-perturb do."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial, reduce
from typing import NamedTuple

from dialtools.names import collecting, drawing, pools
from dialtools.names.renaming import Renaming
from dialtools.plugins import registry
from dialtools.records import dialogue
from dialtools.system import stable_hash
from dialtools.system.errors import OptionError, RecordError, Unfit, about, nearest
from dialtools.variants import draws, kinds

NAMES = "names"  # the spec that swaps names; all others are of kinds of perturbation
TRAIN = "train"  # the pool of the names in the training data
_SWITCHES = {"gender": True, "roles": False}  # options of the spec beside the pool

Drawing = Callable[[Sequence[dict]], Callable[[int], Iterator[list[dict]]]]
Step = Callable[[Iterable[dict], int], Iterator[dict]]  # (records, seed) -> a variant of each


class Vary(NamedTuple):
    """Variants of training records that are drawn anew for each epoch."""

    draw: Drawing  # records -> (epoch, from 0 -> for each record itself and its variants)
    described: tuple[str, ...]  # how they are drawn, for the card


def vary(specs: tuple, variants: int, seed: int, target: str) -> Vary | None:
    """Return how variants are drawn, None without specs; as in `epochs`.

    target: the key that is learned; OptionError for one that a swap of names would not rename.
    """
    if not specs:
        return None
    if target == "prediction" and any(map(_is_of_names, specs)):
        raise OptionError(
            "names of --vary renames no predictions, so that none is the --target: "
            "dt-convert --field reference=prediction makes references of them"
        )
    labels = [
        spec if isinstance(spec, str) else registry.load("perturbations", spec).label
        for spec in specs
    ]
    return Vary(epochs(specs, variants, seed), (*labels, f"{variants} variants"))


def epochs(specs: Iterable[str | Callable], variants: int, seed: int) -> Drawing:
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

        def rows(epoch: int) -> Iterator[list[dict]]:
            columns = [iter(records)]
            for number in range(1, variants):
                step_seed = stable_hash.digest(seed, "vary", epoch, number)
                columns.append(
                    reduce(lambda varied, step: step(varied, step_seed), steps, iter(records))
                )
            return map(list, zip(*columns, strict=True))

        return rows

    return of


def _is_of_names(spec: str | Callable) -> bool:
    return not callable(spec) and registry.split(spec)[0] == NAMES


def _step(spec: str | Callable) -> Callable[[Sequence[dict]], Step]:
    """Return training records -> a step of a spec; OptionError for an option it does not have."""
    if not _is_of_names(spec):
        chosen = kinds.choose([spec])
        return lambda records: partial(_perturbed, chosen)
    known = ("pool", *_SWITCHES)
    options = registry.split(str(spec))[1]
    for name, value in options.items():
        if name not in known:
            raise OptionError(
                f"{NAMES} has no option {name!r}{nearest(name, known)}; it has {', '.join(known)}"
            )
        if name in _SWITCHES and value not in ("yes", "no"):
            raise OptionError(f"{NAMES}: {name} is yes or no, not {value!r}")
    switches = _SWITCHES | {name: options[name] == "yes" for name in _SWITCHES if name in options}
    pool = options.get("pool")

    def make(training_records: Sequence[dict]) -> Step:
        lines = None
        if pool == TRAIN:
            lines = [
                f"{row['name']}\t{row['gender']}" if row["gender"] else row["name"]
                for row in collecting.speakers(training_records)
            ]
            if not lines:
                raise OptionError(
                    f"{NAMES}:pool={TRAIN}: the training data has no names of speakers, only "
                    "roles or placeholders: take another pool, such as frequent"
                )
        chosen = pools.chosen(None if lines else pool, lines)

        def renamed(records: Iterable[dict], seed: int) -> Iterator[dict]:
            gender, roles = switches["gender"], switches["roles"]
            draw = drawing.Draws(chosen, variants=1, one=False, gender=gender, seed=seed)
            renaming = Renaming(draw.of, roles=roles)
            for record in records:
                with about(record):
                    yield from renaming.variants(dialogue.unpredicted(record, overwrite=True))

        return renamed

    return make


def _perturbed(chosen: list[kinds.Kind], records: Iterable[dict], seed: int) -> Iterator[dict]:
    """Yield a variant of each record by the first kind, in an order that is drawn, that changes it;
    unchanged, if none does.

    Raise Unfit if none is defined for a record.
    """
    for record in records:
        kinds.check_tokens(record)
        variant, unfit = None, None
        for kind in stable_hash.rng(seed, "kind", record["id"]).sample(chosen, len(chosen)):
            try:
                (variant,) = draws.variants(record, [kind], 1, seed)
            except Unfit as error:
                unfit = error
                continue
            if draws.is_changed(variant):
                break
        if variant is None:
            raise unfit or RecordError("no kind of perturbation", record)
        yield variant
