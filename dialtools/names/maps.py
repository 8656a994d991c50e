"""An explicit map of names, checked before it is used."""

import json
import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple

from dialtools.languages import scripts
from dialtools.languages.scripts import compiled
from dialtools.names import forms, full_names, roster, search
from dialtools.names.forms import key
from dialtools.names.lexicon import Lexicon
from dialtools.names.record_texts import RecordTexts
from dialtools.system.errors import OptionError, show


class NameMap(NamedTuple):
    """Names and what they become, forms that follow them, and phrases that are never touched."""

    names: dict[str, str]
    aliases: dict[str, str]
    guards: tuple[str, ...]


def parse(given: str | dict, place: str = "--map") -> NameMap:
    """Return the map in a dict or a text: JSON, {"Anna": "Zoe"} or {"names": …, "aliases": …,
    "guards": …}, or TSV.

    OptionError for an empty name, one of a single Latin letter, a name with
    two new ones, and a new name for two.

    place: what the map is called in an error.
    """
    try:
        if isinstance(given, dict):
            return _checked(given)
        if not given.lstrip().startswith("{"):
            return _checked({"names": _rows(given.split("\n"))})
        try:
            return _checked(json.loads(given, object_pairs_hook=_once))
        except ValueError as error:
            raise OptionError(f"no JSON: {error}") from None
    except OptionError as error:
        raise OptionError(f"{place}: {error}") from None


def _checked(parts: dict[str, Any]) -> NameMap:
    """Return a map of names alone, or of names, aliases and guards; OptionError for what is none."""
    names = parts.get("names", {})
    if not {"names", "aliases", "guards"} >= set(parts) or not isinstance(names, dict):
        parts, names = {}, parts
    aliases, guards = parts.get("aliases", {}), parts.get("guards", [])
    are_texts = isinstance(guards, list) and all(isinstance(guard, str) for guard in guards)
    if not isinstance(aliases, dict) or not are_texts:
        raise OptionError('"aliases" is an object, "guards" a list of strings')
    for name in chain(*names.items(), *aliases.items()):
        is_name = isinstance(name, str) and forms.is_visible(name)
        if not is_name or forms.is_initial(name.strip()):
            raise OptionError(f"{show(name)} is no name: one of two letters or more is wanted")
    for new in chain(names.values(), aliases.values()):
        if not forms.is_new_name(new):
            raise OptionError(
                f"{show(new)} cannot be a new name: it holds a colon, or a line break"
            )

    # two names may get the same new one if it is written as they are: Zoe of Anna, ZOE of ANNA
    first: dict[str, str] = {}
    for old, new in names.items():
        before = first.setdefault(key(new), old)
        if before != old and (key(before) != key(old) or names[before] == new):
            same = f"{show(names[before])} and {show(new)}, which is one"
            raise OptionError(f"two names become {show(new) if new == names[before] else same}")
    return NameMap(names, aliases, tuple(guards))


def _rows(lines: Iterable[str]) -> dict[str, str]:
    pairs = []
    for number, line in enumerate(lines, 1):
        old, tab, new = line.partition("\t")
        if line.strip() and not tab:
            raise OptionError(
                f'line {number}: NAME TAB NEW is wanted, or {{"NAME": "NEW"}}; here is {show(line)}'
            )
        pairs += [(old.strip(), new.strip())] if line.strip() else []
    return _once(pairs)


def _once(pairs: Iterable[tuple[str, Any]]) -> dict:
    """Return pairs as a dict; OptionError for a name that would become two."""
    mapped: dict = {}
    for old, new in pairs:
        if mapped.setdefault(old, new) != new:
            raise OptionError(f"{show(old)} becomes both {show(mapped[old])} and {show(new)}")
    return mapped


def for_record(
    known: NameMap, source: RecordTexts, people: Iterable[dict], cross_gender: bool
) -> dict[str, str]:
    """Return the part of a map that a record needs. Raise OptionError if the map does not fit.

    people: who is in the record, as roster.people returns them.
    """
    lexicon = source.lexicon
    new_of = {**known.aliases, **known.names}
    text = "\n".join([source.whole, *roster.labels(people)])
    speakers = set(map(key, source.speakers))
    present = {name for name in new_of if key(name) in speakers}
    bearers = {
        form: old for old, new in known.names.items() for form in forms.of(old, new, lexicon)
    }
    bearers |= {alias: alias for alias in known.aliases if alias not in known.names}
    present |= {
        bearers[mention.form]
        for mention in search.mentions(text, bearers, lexicon)
        if not mention.address
    }

    script = "Latn" if roster.is_romanised(source) else lexicon.facts["script"]
    needed: dict[str, str | None] = {}
    for old in filter(present.__contains__, new_of):
        # a name of the language's own script may have a Latin form
        is_fit = _script(new_of[old]) in {"", script, _script(old)}
        needed[old] = new_of[old] if is_fit else lexicon.row(new_of[old]).get("latin") or None
    news = [new for new in needed.values() if new and new not in new_of]
    may_occur = {*news}
    if len(news) >= search.MANY:  # quicker than to look for one by one
        may_occur = {mention.form for mention in search.mentions(text, news, lexicon)}
    for old, new in needed.items():
        problem = "the new name is in another script" if new is None else None
        if new in may_occur and not all(
            mention.address for mention in search.mentions(text, [str(new)], lexicon)
        ):
            as_written = "" if new == new_of[old] else f", {show(new)},"
            problem = f"the new name{as_written} is in the record already"
        if problem is None and not cross_gender:
            problem = _crossing(old, str(new), source.whole, lexicon)
        if problem:
            raise OptionError(
                f"--map, {show(old)} to {show(new_of[old])}: {problem} (id {show(source.record['id'])})"
            )
    return {old: str(new) for old, new in needed.items() if old in known.names}


def _script(name: str) -> str:
    """Return the script of the first letter of a name, "" where it has none."""
    letter = compiled(r"\p{L}").search(name)
    return scripts.of_letter(letter[0]) if letter else ""


def _crossing(old: str, new: str, text: str, lexicon: Lexicon) -> str | None:
    """Return why the genders of two names forbid the change, None if they do not."""
    genders = [full_names.gender(name, lexicon) for name in (old, new)]
    if set(genders) != {"f", "m"}:
        return None
    count = agreeing(text, str(genders[0]), lexicon)
    agree = "1 word agrees" if count == 1 else f"{count} words agree"
    return (
        f"the genders differ, and {agree} with the old one (--allow-cross-gender)"
        if count
        else None
    )


def disagreeing(names: Mapping[str, str], source: RecordTexts) -> int:
    """Return how many words of a record agree with the gender of an old name and not with that of
    its new one.
    """
    lexicon = source.lexicon
    pairs = ([full_names.gender(name, lexicon) for name in pair] for pair in names.items())
    crossed = {old for old, new in pairs if {old, new} == {"f", "m"}}
    return sum(agreeing(source.whole, str(gender), lexicon) for gender in crossed)


def agreeing(text: str, gender: str, lexicon: Lexicon) -> int:
    """Return how many words of a text agree with a gender (he, Mr., गया), by the language's table."""
    words = lexicon.facts["gendered"].get(gender, [])
    if lexicon.facts["space"]:
        pattern = "|".join(
            rf"(?<![\p{{L}}\p{{M}}]){re.escape(word)}(?![\p{{L}}\p{{M}}])" for word in words
        )
    else:
        pattern = "|".join(map(re.escape, words))
    return len(compiled(f"(?i){pattern}").findall(text)) if pattern else 0
