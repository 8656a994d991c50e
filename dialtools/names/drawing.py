"""New names drawn for the people of one record."""

from collections.abc import Collection, Mapping, Sequence
from random import Random

from dialtools import dialogue, languages
from dialtools.errors import RecordError
from dialtools.names import pools

TRIES = 100  # draws of all names of a record before a variant that differs is given up
_LABELS = {"f": "female", "m": "male", "u": "unisex", None: "unisex", "": "in all"}


class Taken:
    """The names that stand in a text already; of scripts without spaces all that is part of it."""

    def __init__(self, text: str):
        import regex

        self.text = text.lower()
        self.words = set(regex.findall(r"[\p{L}\p{M}\p{N}]+", self.text))

    def __contains__(self, name: str) -> bool:
        lower = name.lower()
        if lower.isascii() and lower.isalnum():
            return lower in self.words
        return lower in self.text


class Drawing:
    """Draws new names for the people of one record, without replacement, each allowed one with equal chance."""

    def __init__(self, record: dict, people: Sequence[dict], pool: Sequence[dict], unisex: Sequence[dict],
                 keep_gender: bool):
        self.record, self.people = record, people
        self.genders = {person["name"]: person["gender"] if keep_gender else "" for person in people}
        self.pools = {gender: _of_gender(pool, unisex, gender) for gender in set(self.genders.values())}
        self.taken = Taken("\n".join(text for _, text in dialogue.strings(record)))
        self.barred = frozenset(languages.load(record["lang"])["function_words"])

    def draw(self, rng: Random, names: Sequence[str], before: Collection[Mapping[str, str]]) -> dict[str, str]:
        """Return new names for some of the people, other ones than before; none is in the record already."""
        for _ in range(TRIES):
            drawn = self._draw_once(rng, names)
            if drawn not in before:
                return drawn
        raise RecordError(f"no {len(before) + 1} variants that differ: the pool holds {self._sizes()} that do not "
                          "occur in the record", self.record)

    def _draw_once(self, rng: Random, names: Sequence[str]) -> dict[str, str]:
        drawn: dict[str, str] = {}
        for name in names:
            new = pools.draw(self.pools[self.genders[name]], rng,
                             lambda new: new not in drawn.values() and self._allowed(new))
            if new is None:
                raise RecordError(f"too few names: {len(self.people)} are wanted, and the pool holds {self._sizes()} "
                                  "that do not occur in the record", self.record)
            drawn[name] = new
        return drawn

    def _allowed(self, name: str) -> bool:
        return name not in self.taken and name.lower() not in self.barred

    def _sizes(self) -> str:
        return ", ".join(f"{sum(map(self._allowed, pool))} {_LABELS[gender]}" for gender, pool in self.pools.items())


def _of_gender(pool: Sequence[dict], unisex: Sequence[dict], gender: str | None) -> list[str]:
    """Return the names for people of a gender: all for those of none, unisex ones where it is not known.

    Where there are no unisex names at all, everybody's serve; the closing line counts those people in any case.
    """
    if gender == "" or not any(row["gender"] in ("f", "m") for row in pool):
        return [row["name"] for row in pool]
    wanted = ("u", "") if gender in ("u", None) else (gender, "")
    names = [row["name"] for row in pool if row["gender"] in wanted]
    return names or [row["name"] for row in (unisex or pool) if gender in ("u", None)]
