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


def unisex(lang: str) -> list[dict]:
    """Return the unisex pool of a language, [] where it has none."""
    return languages.table(lang, "names/unisex")


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


def row(name: str, lang: str) -> dict:
    """Return what the pools of a language know of a name, {} where it is in none."""
    return known(lang).get(name, {})


@functools.lru_cache(maxsize=None)
def genders(lang: str) -> dict[str, str]:
    """Return the gender (f, m, u) of each name in the pools of a language, by its lower-case form."""
    rows = known(lang).values()
    own = {name.lower(): row["gender"] for name, row in known(lang).items()}
    latin = {row["latin"].lower(): row["gender"] for row in rows if row.get("latin")}
    return {name: gender for name, gender in (latin | own).items() if gender}


def gender(name: str, lang: str) -> str | None:
    """Return f, m or u; None where the gender of a name is unknown, "" where it is no name but a handle.

    A placeholder (#Person1#), a role, and a nickname in lower case or with
    digits (zykotick9) have no gender that could be kept.
    """
    from unicodedata import category

    odd = any(category(letter)[0] in "NPS" for letter in name if letter not in "-'’.")
    handle = odd or name[0].islower() or languages.is_role(name, lang)
    known = genders(lang)
    return known.get(name.lower()) or known.get(name.lower().partition(" ")[0]) or ("" if handle else None)


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
