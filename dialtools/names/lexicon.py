"""What a language knows of names: known names and their genders, family names, scripts, endings.

It is read from the language's tables: names/*.tsv, families.tsv, nicknames.tsv, traditional.tsv and
endings.tsv.  Families and titles are data, too: without families.tsv a name is one whole.
"""

import re
from collections.abc import Iterable

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import compiled
from dialtools.names import customs
from dialtools.names.patterns import Patterns

OPEN = "…"  # ends an ending of endings.tsv after which the word may go on
_ENDS = r"(?![\p{L}\p{M}])"


class Lexicon:
    """All that a language knows of names: made once for a language, and passed on.

    known, families: the rows of the pools, and of the family names, by name.
    family_forms, family_readings: family names and their Latin forms; how they are read.
    given_names: the names of the pools in each way to write them, and the given ones of full names.
    native: {Latin spelling: names} of names that are written in another script.
    genders: {name in lower case: f, m or u}; a short form that is in no pool has that of the names
        that it is short for, a reading (ゆき, Yuki) that of the names that are read so.
    to_traditional, to_simplified: what str.translate needs to write a Chinese name so.
    endings: {class of last sounds: {ending: its rows of endings.tsv, the usual one first}}.
    tails: {class of last sounds: the pattern of what may follow a name as part of the word}.
    titled: the pattern of a name with the titles before it and the one behind it.
    """

    def __init__(self, language: Language) -> None:
        self.language, self.facts, self.words = language, language.facts, language.words
        self.customs = customs.of(language)
        self._patterns: Patterns | None = None
        scripts = language.table("traditional")
        self.to_traditional, self.to_simplified = (
            {ord(row[old]): row[new] for row in scripts}
            for old, new in (("simplified", "traditional"), ("traditional", "simplified"))
        )
        rows = language.rows("names")
        self.known = {row["name"]: row for row in rows}
        self.families = {row["name"]: row for row in language.table("families")}
        family_rows = self.families.values()
        self.family_forms = {form for row in family_rows for form in (row["name"], row["latin"])}
        self.family_readings = {row["reading"] for row in family_rows if "reading" in row}
        self.nicknames = language.table("nicknames")

        before, after = (
            "|".join(sorted(map(re.escape, self.facts[key]), key=len, reverse=True)) or "(?!)"
            for key in ("titles_before", "titles_after")
        )
        is_word = r"(?<!\p{Latin}(?=\p{Latin}))"  # no III of VIII, but the さん of Tomさん
        self.titled = compiled(
            rf"(?s)((?:(?i:{before})\s+)*)(.*?)(\s*{is_word}(?:{after}))?"
        ).fullmatch

        given_names = {row.get(key, "") for row in rows for key in ("name", "reading", "latin")}
        if split := self.customs.family_and_given:
            given_names |= {split(row["name"], self)[1] for row in rows}
        given_names.discard("")
        self.given_names = given_names | {
            name.translate(self.to_traditional) for name in given_names
        }

        by_latin: dict[str, list[str]] = {}
        for name, row in (*self.known.items(), *self.families.items()):
            by_latin.setdefault(row.get("latin") or name, []).append(name)
        self.native = {latin: names for latin, names in by_latin.items() if latin not in names}
        self.genders = self._genders()
        self.endings: dict[str, dict[str, list[dict]]] = {}
        self.tails: dict[str, str] = {}
        endings = language.table("endings")
        for sound in self.facts.get("endings", {}):
            by_ending = self.endings.setdefault(sound, {})
            for row in endings:
                by_ending.setdefault(row[sound].rstrip(OPEN), []).append(row)
            self.tails[sound] = _tails({row[sound] for row in endings if row[sound]})

    def _genders(self) -> dict[str, str]:
        rows = self.known.values()
        of_names = {row["name"].lower(): row["gender"] for row in rows}
        of_readings = _shared(
            (row[form].lower(), row["gender"])
            for row in rows
            for form in ("reading", "latin")
            if row.get(form)
        )
        is_english = self.language.code == "en"
        of_full_names = of_names if is_english else english().genders | of_names
        of_short_forms = _shared(
            (row["short"].lower(), of_full_names.get(row["name"].lower(), ""))
            for row in self.nicknames
        )
        genders = of_short_forms | of_readings | of_names
        return {name: gender for name, gender in genders.items() if name and gender}

    @property
    def patterns(self) -> Patterns:
        """What stands beside names; made when it is first asked for."""
        if self._patterns is None:
            self._patterns = Patterns(self.language)
        return self._patterns

    def row(self, name: str) -> dict:
        """Return what is known of a given or a family name, of a Chinese one in either script; {} of
        any other.
        """
        simplified = name.translate(self.to_simplified)
        return self.known.get(name) or self.known.get(simplified) or self.families.get(name, {})


@once_per_language
def of(language: Language) -> Lexicon:
    """Return what a language knows of names; RecordError for a language without data."""
    return Lexicon(language)


def english() -> Lexicon:
    """Return what English knows of names, which other languages know as well."""
    return of(languages.get("en"))


def plain(name: str) -> str:
    """Return a name without its accents and in letters of usual width (Ａｎｎ), if it is a Latin one."""
    from unicodedata import normalize

    if name.isascii():
        return name
    bare = "".join(
        letter for letter in normalize("NFKD", name) if not "\u0300" <= letter <= "\u036f"
    )
    return bare if bare.isascii() else name


def _tails(endings: Iterable[str]) -> str:
    """Return the pattern of endings, those that are open first: 이 of 이가 is no ending of its own."""
    patterns = [
        re.escape(ending.rstrip(OPEN)) + ("" if ending.endswith(OPEN) else _ENDS)
        for ending in sorted(endings, key=lambda ending: (-len(ending.rstrip(OPEN)), ending))
    ]
    return f"(?i:{'|'.join(patterns) or '(?!)'})".replace("'", "['’]")


def _shared(genders: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the gender of each name; u where it is one of both (由紀 and 勇希 are both Yuki)."""
    shared: dict[str, str] = {}
    for name, gender in genders:
        before = shared.get(name) or gender
        shared[name] = before if gender in ("", before) else "u"
    return shared
