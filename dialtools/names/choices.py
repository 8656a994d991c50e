"""The new names of each variant, drawn from one pool or from several."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import NamedTuple

from dialtools.languages import Language
from dialtools.names import draws, full_names, own, pools, roster
from dialtools.system import stable_hash
from dialtools.system.errors import RecordError


class Choice(NamedTuple):
    """The new names of one variant."""

    kind: str
    number: int
    names: dict[str, str]
    counts: dict[str, int] = {}
    # the features of the only one who is renamed, for the history
    speaker: Mapping[str, object] = {}
    readings: Sequence[list[str]] = ()  # as swaps.swap wants them
    pool: str = ""  # its label
    signed: Mapping[str, object] = {}  # what the signature says


class Draws:
    """Draws the names of variants from each of several pools, whatever the others are."""

    def __init__(
        self, chosen: Sequence[own.Pool], variants: int, one: bool, gender: bool, seed: int
    ):
        self.pools, self.variants, self.one = chosen, variants, one
        self.gender, self.seed = gender, seed
        self.stocks = [cache(partial(_stock, pool)) for pool in chosen]
        self.readings = [own.read(pool.rows or ()) for pool in chosen]
        self.signed = [{**pool.signed, "gender": gender, "seed": seed} for pool in chosen]

    def of(self, record: dict, language: Language, people: list[dict]) -> Iterator[Choice]:
        """Yield the names of each variant of a record, pool by pool."""
        writing = roster.writing(record, language)
        stocks = [stock(language, writing) for stock in self.stocks]  # a pool may not be there
        for pool, names, readings, signed in zip(
            self.pools, stocks, self.readings, self.signed, strict=True
        ):
            drawn = draws.Drawing(record, language, people, names, self.gender)
            try:
                for choice in self._drawn(record, drawn):
                    known = [readings[name] for name in choice.names.values() if name in readings]
                    yield choice._replace(readings=known, pool=pool.label, signed=signed)
            except RecordError as error:
                if not pool.label:
                    raise
                raise RecordError(f"pool {pool.label}: {error.reason}", record) from None

    def _drawn(self, record: dict, drawn: draws.Drawing) -> Iterator[Choice]:
        """Yield the names of each variant from one pool."""
        everybody = [person["name"] for person in drawn.people]
        if self.one:
            sets = [
                (f"one{at}", [name], roster.features(record, name))
                for at, name in enumerate(everybody, 1)
            ] or [("one", [], {})]
        else:
            sets = [("names", everybody, {})]
        for kind, names, speaker in sets:
            before: list[dict[str, str]] = []
            for number in range(1, self.variants + 1):
                # not by the label: the draws of a pool are those of the pool alone
                rng = stable_hash.rng(self.seed, kind, record["id"], number)
                new = drawn.draw(rng, names, before, self.variants)
                # nobody to rename: all variants are unchanged, and say so
                before += [new] if new else []
                yield Choice(kind, number, new, {"unknown_gender": drawn.unknown(names)}, speaker)


def _stock(pool: own.Pool, language: Language, writing: str) -> draws.Stock:
    """Return the names to draw from, written as the records of a language write names."""
    if pool.rows is not None:
        return draws.stock(roster.written_as(writing, pool.rows, language), [])
    rows = (
        pools.named(pool.name, language),
        pools.unisex(language),
        full_names.drawable_families(language),
    )
    return draws.stock(*(roster.written_as(writing, each, language) for each in rows))
