"""Pools of names of the languages, and what a language knows of a name."""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.names import customs, full_names, orthography
from dialtools.system.errors import OptionError, RecordError, nearest

if TYPE_CHECKING:  # else --help would import it
    from random import Random


def named(pool: str, language: Language) -> list[dict]:
    """Return the rows of a pool of a language: dicts with at least "name" and "gender"."""
    rows = language.table(f"names/{pool}") or language.table(f"groups/{pool}")
    if not rows:
        of_language = every(language)
        is_elsewhere = any(pool in every(languages.get(tag)) for tag in languages.known())
        error = RecordError if is_elsewhere else OptionError
        raise error(
            f"no pool {pool!r} for the language {language.tag!r}{nearest(pool, of_language)}; "
            f"there are {', '.join(of_language) or 'none'}; --pool-file reads one of your own"
        )
    return rows


def every(language: Language) -> list[str]:
    """Return the names of all pools of a language; groups are drawn from, and tell no genders."""
    return sorted([*language.pools, *language.tables("groups")])


def unisex(language: Language) -> list[dict]:
    """Return the unisex pool of a language, [] where it has none."""
    return language.table("names/unisex")


def is_name(text: str, letters: int = 1) -> bool:
    """Can a text be a new name: not empty, without a colon, tab or line break?

    letters: how many there must be, if it is a Latin one.
    """
    long = len(text.strip()) >= (letters if text.isascii() else 1)
    return long and orthography.is_visible(text) and not set(":：\n\r\t") & set(text)


@once_per_language
def known(language: Language) -> dict[str, dict]:
    """Return the rows of all pools of a language, by name."""
    return {row["name"]: row for pool in language.pools for row in language.table(f"names/{pool}")}


def row(name: str, language: Language) -> dict:
    """Return what a language knows of a given or a family name, of a Chinese one in either script;
    {} of any other.
    """
    simple = name.translate(to_simplified(language))
    return (
        known(language).get(name)
        or known(language).get(simple)
        or full_names.families(language).get(name, {})
    )


@once_per_language
def spelled(language: Language) -> dict[str, list[str]]:
    """Return {Latin spelling: names} of the names that a language writes in another script."""
    by_latin: dict[str, list[str]] = {}
    for name, row in (*known(language).items(), *full_names.families(language).items()):
        by_latin.setdefault(row.get("latin") or name, []).append(name)
    return {latin: names for latin, names in by_latin.items() if latin not in names}


@once_per_language
def genders(language: Language) -> dict[str, str]:
    """Return the gender (f, m, u) of each name that the language knows, by its lower-case form.

    A short form that is in no pool has that of the names that it is short for,
    a reading (ゆき, Yuki) that of the names that are read so.
    """
    rows = known(language).values()
    of_names = {row["name"].lower(): row["gender"] for row in rows}
    of_readings = _shared(
        (row[form].lower(), row["gender"])
        for row in rows
        for form in ("reading", "latin")
        if row.get(form)
    )
    of_full_names = of_names
    if language.code != "en":
        of_full_names = genders(languages.get("en")) | of_names
    of_short_forms = _shared(
        (row["short"].lower(), of_full_names.get(row["name"].lower(), ""))
        for row in nicknames(language)
    )
    all_genders = of_short_forms | of_readings | of_names
    return {name: gender for name, gender in all_genders.items() if name and gender}


def _shared(genders: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the gender of each name; u where it is one of both (由紀 and 勇希 are both Yuki)."""
    shared: dict[str, str] = {}
    for name, gender in genders:
        before = shared.get(name) or gender
        shared[name] = before if gender in ("", before) else "u"
    return shared


def nicknames(language: Language) -> list[dict]:
    """Return {"name", "short"} for the short forms in common use, [] for a language without any."""
    return language.table("nicknames")


@functools.lru_cache(maxsize=1 << 15)  # speakers come back
def gender(name: str, language: Language) -> str | None:
    """Return f, m or u, None for an unknown gender, "" for a handle.

    A title tells it, too (Mr. Smith, Pak Budi, 王先生); one word behind a title
    that does not (Dr. Smith) is no given name in some languages.  A placeholder
    (#Person1#), a role but one such as Mom, and a nickname in lower case or
    with digits (zykotick9) have no gender that could be kept.
    """
    by_title, bare = _titled(name, language)
    if by_title is None and _is_family(name, bare, language):
        return None
    known = by_title or language.gender_of_role(name) or _of_given(name, bare, language)
    if known in (None, "u"):
        titles = [title for title in language.facts["titles_after"] if name.endswith(title)]
        known = _told_by(titles, language) or known
    return known or ("" if _is_handle(name, language) else None)


def _of_given(name: str, bare: str, language: Language) -> str | None:
    """Return the gender of the given name in a name, by the pools of its language, else by those
    of others.
    """
    given = full_names.given(name, language) or bare
    names = [name.lower(), bare.lower(), given.lower().partition(" ")[0]]
    habits = customs.of(language)
    if habits.possible_given:
        names += habits.possible_given(bare, language)
    known = next(filter(None, map(genders(language).get, names)), None)
    if known is None and habits.gender:
        known = habits.gender(given, language)
    for tag in (*language.facts.get("names_also_of", ()), "en") if known is None else ():
        foreign = genders(languages.get(tag))
        known = known or next(filter(None, map(foreign.get, map(plain, names))), None)
    return known


def _titled(name: str, language: Language) -> tuple[str | None, str]:
    """Return the gender that a title before a name tells (Mr., Pak), and the name without titles
    (Dr., Kak).
    """
    by_title = None
    first, _, bare = name.partition(" ")
    while bare and _is_among(language.facts["titles_before"], first):
        by_title = by_title or _told_by([first], language)
        name = bare
        first, _, bare = name.partition(" ")
    return by_title, name


def _is_family(name: str, bare: str, language: Language) -> bool:
    """Is a name one word, and no number, behind a title that stands before family names?  bare:
    without titles.
    """
    title = name.removesuffix(bare).rpartition(" ")[0].rpartition(" ")[2]
    is_one_word = bool(title) and " " not in bare and not language.is_role(bare)  # Agent 1
    return is_one_word and _is_among(language.facts.get("titles_of_families", ()), title)


def _is_among(titles: Sequence[str], word: str) -> bool:
    """Is a word one of some titles, in any case?"""
    return word.lower() in map(str.lower, titles)


def _told_by(titles: Sequence[str], language: Language) -> str | None:
    """Return the gender that one of some titles of a language tells."""
    for gender, words in language.facts["gendered"].items():
        if {*map(str.lower, words)} & {*map(str.lower, titles)}:
            return gender
    return None


def _is_handle(name: str, language: Language) -> bool:
    """Is a name a role, or a nickname in lower case or with digits?"""
    from unicodedata import category

    odd = any(category(letter)[0] in "NPS" for letter in name if letter not in "-'’.")
    return odd or name[0].islower() or language.is_role(name)


def plain(name: str) -> str:
    """Return a name without its accents and in letters of usual width (Ａｎｎ), if it is a Latin one."""
    from unicodedata import normalize

    if name.isascii():
        return name
    bare = "".join(
        letter for letter in normalize("NFKD", name) if not "\u0300" <= letter <= "\u036f"
    )
    return bare if bare.isascii() else name


@once_per_language
def to_traditional(language: Language) -> dict[int, str]:
    """Return what str.translate needs to write a Chinese name in traditional characters."""
    return {ord(row["simplified"]): row["traditional"] for row in language.table("traditional")}


@once_per_language
def to_simplified(language: Language) -> dict[int, str]:
    return {ord(row["traditional"]): row["simplified"] for row in language.table("traditional")}


def draw(pool: Sequence[str], rng: "Random", allowed: Callable[[str], bool]) -> str | None:
    """Return an allowed name of the pool, each with equal chance; None if there is none."""
    # the last one comes to where one was taken: a pool may be large, and is not copied
    moved: dict[int, str] = {}
    for size in range(len(pool), 0, -1):
        index = rng.randrange(size)
        name = moved.get(index, pool[index])
        if allowed(name):
            return name
        moved[index] = moved.get(size - 1, pool[size - 1])
    return None
