"""Pools of names, and drawing from them."""

import functools
from collections.abc import Callable, Iterable, Sequence
from random import Random

from dialtools import languages
from dialtools.errors import OptionError, nearest

GENDERS = ("f", "m", "u", "")  # female, male, both, not known


def named(pool: str, lang: str) -> list[dict]:
    """Return the rows of a pool of a language: dicts with at least "name" and "gender"."""
    rows = languages.table(lang, f"names/{pool}")
    if not rows:
        known = languages.tables(lang, "names")
        raise OptionError(f"no pool {pool!r} for the language {lang!r}{nearest(pool, known)}; "
                          f"there are {', '.join(known) or 'none'}")
    return rows


def parse(lines: Iterable[str]) -> list[dict]:
    """Return a pool from lines of "name" or "name TAB gender" (f, m or u); empty lines are skipped."""
    rows = []
    for number, line in enumerate(lines, 1):
        name, _, gender = line.strip().partition("\t")
        gender = gender.partition("\t")[0].strip().lower()
        if gender not in GENDERS:
            raise OptionError(f"names, line {number}: a gender is f, m or u, here is {gender!r}")
        if name:
            rows.append({"name": name, "gender": gender})
    if not rows:
        raise OptionError("the file of names is empty")
    return rows


@functools.lru_cache(maxsize=None)
def known(lang: str) -> dict[str, dict]:
    """Return the rows of all pools of a language, by name."""
    return {row["name"]: row for pool in languages.tables(lang, "names")
            for row in languages.table(lang, f"names/{pool}")}


@functools.lru_cache(maxsize=None)
def genders(lang: str) -> dict[str, str]:
    """Return the gender, f or m, of each name in the pools of a language, by its lower-case form."""
    rows = known(lang).values()
    own = {name.lower(): row["gender"] for name, row in known(lang).items()}
    latin = {row["latin"].lower(): row["gender"] for row in rows if row.get("latin")}
    return {name: gender for name, gender in (latin | own).items() if gender in ("f", "m")}


def draw(pool: Sequence[str], rng: Random, allowed: Callable[[str], bool]) -> str | None:
    """Return a name of the pool, each allowed one with equal chance; None where none is allowed."""
    left = list(pool)
    while left:
        at = rng.randrange(len(left))
        name, left[at] = left[at], left[-1]
        left.pop()
        if allowed(name):
            return name
    return None
