"""An explicit map of names, checked before it is used."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from dialtools import dialogue, languages
from dialtools.errors import OptionError, show
from dialtools.names import finding, forms, pools


class NameMap(NamedTuple):
    """Names and what they become, forms that follow them, and phrases that are never touched."""

    names: dict[str, str]
    aliases: dict[str, str]
    guards: tuple[str, ...]


def parse(text: str) -> NameMap:
    """Return the map in a text: JSON, {"Anna": "Zoe"} or {"names": …, "aliases": …, "guards": …}, or TSV lines.

    OptionError for an empty name, one of a single Latin letter, and a new
    name for two.
    """
    import json

    try:
        found = json.loads(text) if text.lstrip().startswith("{") else {"names": _rows(text.splitlines())}
    except ValueError as error:
        raise OptionError(f"--map is no JSON: {error}") from None
    if not {"names", "aliases", "guards"} >= set(found) or not isinstance(found.get("names", {}), dict):
        found = {"names": found}
    names, aliases, guards = found.get("names", {}), found.get("aliases", {}), found.get("guards", [])
    if not isinstance(aliases, dict) or not isinstance(guards, list) or not all(isinstance(g, str) for g in guards):
        raise OptionError('--map: "aliases" is an object, "guards" a list of strings')
    for old, new in (*names.items(), *aliases.items()):
        for name in (old, new):
            if not isinstance(name, str) or not name.strip() or (len(name) == 1 and name.isascii()):
                raise OptionError(f"--map: {show(name)} is no name: one of two letters or more is wanted")
    twice = [new for new, count in Counter(names.values()).items() if count > 1]
    if twice:
        raise OptionError(f"--map: two names become {show(twice[0])}")
    return NameMap(names, aliases, tuple(guards))


def _rows(lines: Iterable[str]) -> dict[str, str]:
    names = {}
    for number, line in enumerate(lines, 1):
        old, tab, new = line.partition("\t")
        if line.strip() and not tab:
            raise OptionError(f"--map, line {number}: NAME TAB NEW is wanted, here is {show(line)}")
        if line.strip():
            names[old.strip()] = new.strip()
    return names


def for_record(known: NameMap, record: dict, cross_gender: bool) -> dict[str, str]:
    """Return the part of a map that a record needs; OptionError where it must not be used on the record."""
    lang = record["lang"]
    text = "\n".join(text for _, text in dialogue.strings(record))
    bearers = {form: old for old, new in known.names.items() for form in forms.of(old, new, lang)}
    present = {bearers[mention.form] for mention in finding.mentions(text, list(bearers), lang)}
    present |= known.names.keys() & {name.strip() for name in dialogue.speakers(dialogue.turns(record))}
    names = {old: new for old, new in known.names.items() if old in present}
    for old, new in names.items():
        problem = _problem(old, new, names, text, lang) or (None if cross_gender else _gender(old, new, text, lang))
        if problem:
            raise OptionError(f"--map, {show(old)} to {show(new)}: {problem} (id {show(record['id'])})")
    return names


def _problem(old: str, new: str, names: dict[str, str], text: str, lang: str) -> str | None:
    import regex

    if new != old and new not in names and next(finding.mentions(text, [new], lang), None):
        return "the new name is in the record already"
    scripts = [set(regex.findall(r"\p{Han}|\p{Hiragana}|\p{Katakana}", name)) != set() or _script(name)
               for name in (old, new)]
    if old.isalpha() and scripts[0] != scripts[1] and _script(new) != languages.load(lang)["script"]:
        return "the new name is in another script"
    return None


def _script(name: str) -> str:
    import regex

    scripts = {"Latn": r"\p{Latin}", "Deva": r"\p{Devanagari}", "Hang": r"\p{Hangul}", "Hani": r"\p{Han}"}
    return next((script for script, letters in scripts.items() if regex.search(letters, name)), "")


def _gender(old: str, new: str, text: str, lang: str) -> str | None:
    """Return why the genders of two names forbid the change: they differ, and words of the text agree with one."""
    genders = [pools.gender(name, lang) for name in (old, new)]
    if set(genders) != {"f", "m"}:
        return None
    count = agreeing(text, str(genders[0]), lang)
    return f"the genders differ, and {count} words agree with the old one (--allow-cross-gender)" if count else None


def agreeing(text: str, gender: str, lang: str) -> int:
    """Return how many words of a text agree with a gender (he, Mr., गया), by the language's table."""
    import regex

    words = languages.load(lang)["gendered"].get(gender, [])
    if languages.load(lang)["space"]:
        pattern = "|".join(rf"(?<![\p{{L}}\p{{M}}]){regex.escape(word)}(?![\p{{L}}\p{{M}}])" for word in words)
    else:
        pattern = "|".join(map(regex.escape, words))
    return len(regex.findall(pattern, text, regex.IGNORECASE)) if pattern else 0
