"""A language: one object with all that is known of it, made once for a tag and passed on."""

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain, takewhile
from typing import Any, Concatenate, ParamSpec, TypeVar

from dialtools.languages import resources
from dialtools.languages.scripts import LETTERS, compiled

TELLS = 10  # letters of another script; fewer may be OK, or a name
Derived = TypeVar("Derived")
Key = ParamSpec("Key")
_PLAIN = re.compile("[A-Za-z]").search  # tells most texts, before a library is loaded
_OF_TABLES = ("Hans", "Jpan", "Kore")  # scripts that language.json calls by other names


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
        self.derived: dict[tuple, Any] = {}  # what once_per_language keeps

    def __repr__(self) -> str:
        return f"languages.get({self.tag!r})"

    def __reduce__(self) -> tuple:
        return get, (self.tag,)  # a worker process has objects of its own

    @cached_property
    def is_known(self) -> bool:
        """Tell whether the language has a folder."""
        return self.code in resources.known()

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """The content of language.json."""
        if not self.is_known:
            raise resources.unknown(self.tag)
        return resources.facts(self.code)

    @cached_property
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

    @cached_property
    def words(self) -> frozenset[str]:
        """The common words, in lower case; none if there is no list."""
        return resources.words(self.code, "words")

    @cached_property
    def forms(self) -> frozenset[str]:
        """The words that are also forms made of names (刚刚 of 赵刚); none if there is no list."""
        return resources.words(self.code, "forms")

    @cached_property
    def keyboard(self) -> dict | None:
        """The rows of keys and their offsets in key widths, None if there is no keyboard."""
        return resources.keyboard(self.code)

    @cached_property
    def pools(self) -> list[str]:
        """The names of the pools of names."""
        return self.tables("names")

    def tables(self, folder: str) -> list[str]:
        """Return the names of the tables in a subfolder."""
        return resources.tables(self.code, folder)

    def table(self, name: str) -> list[dict]:
        """Return the rows of a table, in its own script; [] if the language has none."""
        if not self.is_known and self.code not in resources.having(f"{name}.tsv"):
            raise resources.unknown(self.tag)
        return resources.table(self.code, name)

    @functools.cache
    def written(self, name: str) -> list[dict]:
        """Return the rows of a table in the script of the tag; [] if the language has none."""
        rows = self.table(name)
        if not self._other:
            return rows
        return [{column: self.write(cell) for column, cell in row.items()} for row in rows]

    def write(self, text: str) -> str:
        """Return a text in the script of the tables in the script of the tag."""
        return self._pattern.sub(lambda match: self._other[match[0]], text) if self._other else text

    @cached_property
    def variety(self) -> "Language":
        """The language by its code and, if the tag says another than the tables', its script.

        >>> [get(tag).variety.tag for tag in ("zh-TW", "zh-CN", "hi-Latn", "en-US")]
        ['zh-Hant', 'zh', 'hi-Latn', 'en']
        """
        return get(f"{self.code}-{self._script}" if self._script else self.code)

    @property
    def is_written(self) -> bool:
        """Tell whether the tables are known in the script of the tag."""
        return not self._script or bool(self._other)

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
        if self.tag != self.code or not self._others:
            return self
        letters = set().union(*texts)
        for other in self._others:
            own, foreign = other._told_apart
            if len(letters & foreign) > len(letters & own):
                return other
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
            found = float(text)
        except ValueError:
            found = 0
        if not 0 < found < float("inf"):
            raise resources.broken(self.code, f"{table}.tsv", f"{text!r} is no number above 0")
        return found

    @functools.lru_cache(maxsize=4096)  # speakers come back
    def is_role(self, label: str) -> bool:
        """Tell whether a speaker's label names a role or a number (Agent, 客服, A, Speaker 1).

        A role that the data writes with capitals (AI) is a role only so: Ai is a name.
        """
        if re.fullmatch(r"[A-Za-z]\.?|\d+", label):
            return True
        bare = self._bare(label)
        is_title = label.lower() in self._titles | get("en")._titles
        return is_title or not {bare, bare.lower()}.isdisjoint(self._roles)

    def gender_of_role(self, label: str) -> str | None:
        """Return f or m for a role or a lone title that tells it (Mom, 爸爸, Sister 2, Mr.), else
        None.
        """
        bare, lower = self._bare(label).lower(), label.lower()
        known = [
            kind
            for language in (self, get("en"))
            for kind in (language._gendered_roles.get(bare), language._titles.get(lower))
        ]
        return next(filter(None, known), None)

    @cached_property
    def roles(self) -> set[str]:
        """The labels that name a role, in lower case unless they are written with capitals."""
        return {*self.facts["roles"], *chain.from_iterable(self.facts["gendered_roles"])}

    @cached_property
    def _roles(self) -> set[str]:
        return (get("en").roles | self.roles) - {*self.facts.get("no_roles", ())}

    @cached_property
    def _gendered_roles(self) -> dict[str, str]:
        """{role that tells a gender: f or m}; waiter, paired with waitress, is also anybody's."""
        anybody = {*self.facts["roles"], *get("en").facts["roles"]}
        pairs = self.facts["gendered_roles"]
        return {
            role: gender
            for pair in pairs
            for gender, role in zip("fm", pair, strict=True)
            if role not in anybody
        }

    @cached_property
    def _titles(self) -> dict[str, str | None]:
        """{title before a name that is a role alone (Mr., Dr.), in lower case: f, m or None}."""
        known = {*map(str.lower, self.facts["titles_before"])} - {*self.facts["roles"]}
        told = {
            word.lower(): gender
            for gender, words in self.facts["gendered"].items()
            for word in words
            if word.lower() in known
        }
        return dict.fromkeys(map(str.lower, self.facts.get("titles_of_families", ()))) | told

    def _bare(self, label: str) -> str:
        """Return a role without the number or letter behind it (说话人A) and a word such as The."""
        number_or_letter = r"[\s_-]*#?\d*$|(?:[\s_-]|(?<=[^\x00-\u024f]))[A-Za-z]$"
        words = re.sub(number_or_letter, "", label).split(" ")
        while len(words) > 1 and words[0].lower() in self.facts.get("before_roles", ()):
            del words[0]
        return " ".join(words)

    @cached_property
    def _script(self) -> str:
        """The script that the tag says or means, "" if it is that of the tables."""
        if not self.is_known:
            return ""
        written, parts = (
            self.facts.get("written", {}),
            self.tag.replace("_", "-").lower().split("-"),
        )
        before_extensions = takewhile(lambda part: len(part) > 1, parts[1:])
        said = [part.title() for part in before_extensions if re.fullmatch("[a-z]{4}", part)]
        meant = [written[part] for part in parts if part in written]
        found = [*said, *meant, self.script][0]
        return "" if found in (self.script, *_OF_TABLES) else found

    @cached_property
    def _others(self) -> list["Language"]:
        """The language in each other script in which its tables are known."""
        scripts = self.facts.get("written", {}).values() if self.is_known else ()
        found = [get(f"{self.code}-{script}") for script in sorted(set(scripts))]
        return [other for other in found if other._other]

    @cached_property
    def _other(self) -> dict[str, str]:
        """{character or word of the tables: the same in the script of the tag}."""
        return {row["own"]: row["other"] for row in self._transcription}

    @cached_property
    def _told_apart(self) -> tuple[set[str], set[str]]:
        """The characters and words that only the tables have, and those that only the tag's script
        has.

        Some are in both: 台 is a simple 臺, and what is written in Taiwan; 著 is a 着 there, and
        everywhere in 著名.
        """
        both = set().union(*(row["both"] for row in self._transcription))
        return self._other.keys() - both, set(self._other.values()) - both

    @cached_property
    def _transcription(self) -> list[dict]:
        """The table of the script of the tag, [] if that is the script of the tables."""
        return self.table(self._script.lower()) if self._script else []

    @cached_property
    def _pattern(self) -> re.Pattern:
        """What finds the characters and words of the tables that the tag's script writes
        otherwise.
        """
        longest_first = sorted(self._other, key=len, reverse=True)
        return re.compile("|".join(map(re.escape, longest_first)))
