"""What is known of each language: a folder each, data only, and one object made of it.

`get(tag)` returns the object, made once for a tag and passed on. README.md in this folder explains
each key of language.json and each table; SOURCES.tsv says where each fact comes from.
"""

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, takewhile
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from dialtools.languages import resources
from dialtools.languages.resources import code as tag
from dialtools.languages.resources import digest, having, known, own
from dialtools.languages.scripts import LETTERS, compiled

__all__ = ["Language", "digest", "get", "having", "known", "once_per_language", "own", "tag"]

TELLS = 10  # letters of another script; fewer may be OK, or a name
Derived = TypeVar("Derived")
Key = ParamSpec("Key")
_PLAIN = re.compile("[A-Za-z]").search  # tells most texts, before a library is loaded
_OF_TABLES = ("Hans", "Jpan", "Kore")  # scripts that language.json calls by other names
_NUMBER_OR_LETTER = re.compile(r"[\s_-]*#?\d*$|(?:[\s_-]|(?<=[^\x00-\u024f]))[A-Za-z]$")


@functools.cache
def get(tag: str) -> "Language":
    """Return the language of a BCP 47 tag; the same object each time."""
    return Language(tag)


def once_per_language(
    derive: Callable[Concatenate["Language", Key], Derived],
) -> Callable[Concatenate["Language", Key], Derived]:
    """Return a function of a language that computes its value once and keeps it with the language.

    What it takes besides the language is few and hashable: a table, a formality.
    """

    @functools.wraps(derive)
    def derived(language: "Language", *key: Key.args, **named: Key.kwargs) -> Derived:
        place = (derive, *key, *named.items())
        if place not in language.derived:
            language.derived[place] = derive(language, *key, **named)
        return language.derived[place]

    return derived


class Language:
    """What is known of a language. Each part is read or made when it is first asked for.

    A language without a folder has its tag, a space between words, and nothing else: to ask for
    its `facts`, or for anything made of them, raises RecordError.

    A tag may say another script than that of the language's tables: zh-TW is written in
    traditional characters. A table with the name of a script (hant.tsv) then says how the
    characters of the other tables are written in it, and words where characters do not tell.
    Without such a table the language is known in the script of its tables only: there is nothing
    for hi-Latn.

    tag: as records have it.  code: the name of the folder.
    """

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self.code = resources.code(tag)
        self.is_known = resources.has(self.code, "language.json")  # has it a folder?
        self.derived: dict[tuple, Any] = {}  # what once_per_language keeps

    def __repr__(self) -> str:
        return f"languages.get({self.tag!r})"

    def __reduce__(self) -> tuple:
        return get, (self.tag,)  # a worker process has objects of its own

    @functools.cached_property
    def facts(self) -> Mapping[str, Any]:
        """The content of language.json."""
        facts = resources.content(self.code, "language.json")
        if facts is None:
            raise resources.unknown(self.tag)
        return facts

    @property
    def space(self) -> str:
        """What stands between words: a space, or nothing."""
        return self.facts["space"] if self.is_known else " "

    @property
    def script(self) -> str:
        """The ISO 15924 code of the script of the tables."""
        return self.facts["script"]

    @property
    def letters(self) -> str:
        """The letters of the script, as in the brackets of a regular expression."""
        return LETTERS[self.script]

    @property
    def words(self) -> frozenset[str]:
        """The common words, in lower case; none if there is no list."""
        return resources.content(self.code, "words.txt") or frozenset()

    @property
    def forms(self) -> frozenset[str]:
        """The words that are also forms made of names (刚刚 of 赵刚); none if there is no list."""
        return resources.content(self.code, "forms.txt") or frozenset()

    @property
    def keyboard(self) -> dict | None:
        """The rows of keys and their offsets in key widths, None if there is no keyboard."""
        return resources.content(self.code, "keyboard.json")

    @property
    def pools(self) -> list[str]:
        """The names of the pools of names."""
        return self.tables("names")

    def tables(self, folder: str) -> list[str]:
        """Return the names of the tables in a subfolder."""
        return resources.tables(self.code, folder)

    def table(self, name: str) -> list[dict]:
        """Return the rows of a table, in its own script; [] if the language has none."""
        rows = resources.content(self.code, f"{name}.tsv")
        if rows is None and not self.is_known:
            raise resources.unknown(self.tag)
        return rows or []

    def rows(self, folder: str) -> list[dict]:
        """Return the rows of all tables in a subfolder, one table after the other."""
        return [row for name in self.tables(folder) for row in self.table(f"{folder}/{name}")]

    def written(self, name: str) -> list[dict]:
        """Return the rows of a table in the script of the tag; [] if the language has none."""
        return _written(self, name)

    def write(self, text: str) -> str:
        """Return a text in the script of the tables in the script of the tag."""
        transcription = _transcription(self)
        if transcription is None:
            return text
        words = transcription.words
        return transcription.pattern.sub(lambda match: words[match[0]], text)

    @property
    def variety(self) -> "Language":
        """The language by its code and, if the tag says another than the tables', its script.

        >>> [get(tag).variety.tag for tag in ("zh-TW", "zh-CN", "hi-Latn", "en-US")]
        ['zh-Hant', 'zh', 'hi-Latn', 'en']
        """
        script = _script(self)
        return get(f"{self.code}-{script}" if script else self.code)

    @property
    def is_written(self) -> bool:
        """Tell whether the tables are known in the script of the tag."""
        return not _script(self) or _transcription(self) is not None

    def seen(self, texts: Iterable[str]) -> "Language":
        """Return the language with the script of some texts, if its tag says none and theirs is
        another.

        Theirs is another if they hold more characters that only the other script has than
        characters that only the tables have.

        >>> [get("zh").seen([text]).tag for text in ("你說甚麼？", "你说什么？")]
        ['zh-Hant', 'zh']
        >>> get("zh-CN").seen(["你說甚麼？"]).tag
        'zh-CN'
        """
        if self.tag != self.code or not self.is_known:
            return self
        scripts = sorted(set(self.facts.get("written", {}).values()))
        letters = set().union(*texts) if scripts else set()
        for script in scripts:
            variety = get(f"{self.code}-{script}")
            transcription = _transcription(variety)
            if transcription and (
                len(letters & transcription.only_other) > len(letters & transcription.only_tables)
            ):
                return variety
        return self

    def foreign(self, texts: Sequence[str]) -> str:
        """Return the script of texts that have TELLS letters but none of the language's, else "".

        >>> hindi = get("hi")
        >>> [hindi.foreign([text]) for text in ("kya haal hai?", "OK", "Good morning, जी")]
        ['Latn', '', '']
        """
        if self.script == "Latn" and any(map(_PLAIN, texts)):
            return ""
        if any(map(compiled(f"[{self.letters}]").search, texts)):
            return ""
        letters = "".join(filter(str.isalpha, "".join(texts)))
        if len(letters) < TELLS:
            return ""
        scripts = (
            code for code, known in LETTERS.items() if compiled(f"[{known}]").search(letters)
        )
        return next(scripts, "another script")

    def pattern(self, table: str, text: str, flags: int = 0) -> re.Pattern:
        """Return the compiled pattern of a table's cell. Raise OptionError for a bad pattern."""
        import regex

        try:
            return regex.compile(text, flags) if flags else compiled(text)
        except regex.error as error:
            reason = f"{text!r} is no pattern: {error}"
            raise resources.broken(self.code, f"{table}.tsv", reason) from None

    def choice(self, table: str, text: str, known: Iterable[str]) -> str:
        """Return a table's cell that holds one of the known words. Raise OptionError for another."""
        known = list(known)
        if text not in known:
            reason = f"{text!r} is none of {', '.join(filter(None, known))}"
            raise resources.broken(self.code, f"{table}.tsv", reason)
        return text

    def weight(self, table: str, text: str) -> float:
        """Return the number above 0 of a table's cell. Raise OptionError for anything else."""
        try:
            number = float(text)
        except ValueError:
            number = 0
        if not 0 < number < float("inf"):
            raise resources.broken(self.code, f"{table}.tsv", f"{text!r} is no number above 0")
        return number

    @property
    def roles(self) -> set[str]:
        """The labels that name a role, in lower case unless they are written with capitals."""
        return _roles(self).labels

    def is_role(self, label: str) -> bool:
        """Tell whether a speaker's label names a role or a number (Agent, 客服, A, Speaker 1).

        A role that the data writes with capitals (AI) is a role only so: Ai is a name.
        """
        if re.fullmatch(r"[A-Za-z]\.?|\d+", label):
            return True
        roles, lower, bare = _roles(self), label.lower(), self._bare(label)
        if lower in roles.titles or lower in _roles(get("en")).titles:
            return True
        return bare in roles.known or bare.lower() in roles.known

    def gender_of_role(self, label: str) -> str | None:
        """Return f or m for a role or a lone title that tells it (Mom, 爸爸, Sister 2, Mr.), else
        None.
        """
        bare, lower = self._bare(label).lower(), label.lower()
        for roles in (_roles(self), _roles(get("en"))):
            if gender := roles.gendered.get(bare) or roles.titles.get(lower):
                return gender
        return None

    def _bare(self, label: str) -> str:
        """Return a role without the number or letter behind it (说话人A) and a word such as The."""
        words = _NUMBER_OR_LETTER.sub("", label).split(" ")
        while len(words) > 1 and words[0].lower() in self.facts.get("before_roles", ()):
            del words[0]
        return " ".join(words)


class _Roles(NamedTuple):
    """Labels of speakers that are no names."""

    labels: set[str]  # in lower case unless they are written with capitals
    known: set[str]  # these and English ones
    # {role that tells a gender: f or m}; waiter, paired with waitress, is also anybody's
    gendered: dict[str, str]
    # {title before a name that is a role alone (Mr., Dr.), in lower case: f, m or None}
    titles: dict[str, str | None]


@once_per_language
def _roles(language: Language) -> _Roles:
    facts, english = language.facts, get("en").facts
    labels, english_labels = (
        {*known["roles"], *chain.from_iterable(known["gendered_roles"])}
        for known in (facts, english)
    )
    titles_before = {*map(str.lower, facts["titles_before"])} - {*facts["roles"]}
    titles: dict[str, str | None] = dict.fromkeys(
        map(str.lower, facts.get("titles_of_families", ()))
    )
    for gender, words in facts["gendered"].items():
        titles |= dict.fromkeys(titles_before.intersection(map(str.lower, words)), gender)
    return _Roles(
        labels,
        (labels | english_labels) - {*facts.get("no_roles", ())},
        {
            role: gender
            for pair in facts["gendered_roles"]
            for gender, role in zip("fm", pair, strict=True)
            if role not in {*facts["roles"], *english["roles"]}
        },
        titles,
    )


class _Transcription(NamedTuple):
    """How the script of a tag writes what the tables of its language write otherwise."""

    words: dict[str, str]  # {character or word of the tables: the same in the script of the tag}
    pattern: re.Pattern  # what finds them
    # Some are in both: 台 is a simple 臺, and what is written in Taiwan; 著 is a 着 there, and
    # everywhere in 著名.
    only_tables: set[str]
    only_other: set[str]


@once_per_language
def _transcription(language: Language) -> _Transcription | None:
    """Return how the script of the tag is written, None if it is that of the tables or unknown."""
    script = _script(language)
    rows = language.table(script.lower()) if script else []
    words = {row["own"]: row["other"] for row in rows}
    if not words:
        return None
    longest_first = sorted(words, key=len, reverse=True)
    in_both = set().union(*(row["both"] for row in rows))
    return _Transcription(
        words,
        re.compile("|".join(map(re.escape, longest_first))),
        words.keys() - in_both,
        set(words.values()) - in_both,
    )


@once_per_language
def _script(language: Language) -> str:
    """Return the script that the tag says or means, "" if it is that of the tables."""
    if not language.is_known:
        return ""
    facts, parts = language.facts, language.tag.replace("_", "-").lower().split("-")
    before_extensions = takewhile(lambda part: len(part) > 1, parts[1:])
    named = [part.title() for part in before_extensions if re.fullmatch("[a-z]{4}", part)]
    by_region = facts.get("written", {})
    meant = [by_region[part] for part in parts if part in by_region]
    script = [*named, *meant, language.script][0]
    return "" if script in (language.script, *_OF_TABLES) else script


@once_per_language
def _written(language: Language, name: str) -> list[dict]:
    rows = language.table(name)
    if _transcription(language) is None:
        return rows
    return [{column: language.write(cell) for column, cell in row.items()} for row in rows]
