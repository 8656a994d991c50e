"""New names for the people of a record, in all its texts, and back again."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from dialtools import dialogue, history, languages
from dialtools import edits as span_edits
from dialtools.errors import RecordError, show
from dialtools.names import deciding, finding, roster, writing

Forms = Mapping[str, str | None]


class Found(NamedTuple):
    """What was found in a record: edits, and mentions that were left, [pointer, start, end, text, why]."""

    edits: list[list]
    left: list[list]


def swap(record: dict, names: Mapping[str, str], aliases: Mapping[str, str | None],
         guards: tuple[str, ...] = ()) -> tuple[dict, list[list], dict]:
    """Return the record with its names exchanged, the edits, and the facts for its history."""
    lang = record["lang"]
    forms = roster.forms(names, aliases, lang)
    searched = tuple(form for form in forms if not _is_initial(form))
    found = Found([], [])
    for pointer, text, tokens in _texts(record):
        if pointer.endswith("/speaker"):
            found.edits.extend(_label(pointer, text, names))
        else:
            _search(pointer, text, tokens, forms, searched, lang, guards, found)
    labels = sum(edit[0].endswith("/speaker") for edit in found.edits)
    swapped, made = span_edits.apply(record, found.edits)
    if "prediction" in swapped:  # restored by the names, not by edits: a later filter may write another one
        swapped["prediction"] = renamed(record["prediction"], forms, lang, guards)
    counts = {"mentions": len(found.edits) - labels, "left": len(found.left)}
    return swapped, made, {"names": dict(names), **({"aliases": dict(aliases)} if aliases else {}),
                           **({"left": found.left} if found.left else {}), "counts": counts}


def _is_initial(form: str) -> bool:
    """Is a form a single Latin letter, which is a name only as a speaker's label?"""
    return len(form) == 1 and form.isascii()


def _texts(record: dict) -> Iterator[tuple[str, str, list[dict] | None]]:
    """Yield (pointer, text, its tokens) of all inputs."""
    turns = dialogue.turns(record)
    for pointer, text in dialogue.strings(record):
        if pointer.startswith("/prediction"):
            continue
        parts = pointer.split("/")
        holder = turns[int(parts[2])] if parts[1] == "dialogue" else record
        yield pointer, text, holder.get("tokens") if parts[-1] == "text" else None


def _label(pointer: str, text: str, names: Mapping[str, str]) -> list[list]:
    name, start = text.strip(), len(text) - len(text.lstrip())
    new = names.get(name, name)
    return [[pointer, start, start + len(name), name, new]] if new != name else []


def _search(pointer: str, text: str, tokens: list[dict] | None, forms: Forms, searched: tuple[str, ...], lang: str,
            guards: tuple[str, ...], found: Found) -> None:
    """Add the edits of a text, and what is left in it, to what was found."""
    for mention in finding.mentions(text, searched, lang, guards):
        new, doubt = forms[mention.form], deciding.doubt(text, mention, lang, tokens)
        if doubt == "":
            continue
        if new is None:
            doubt = doubt or "a form that several people share, or that the new name has not"
        if doubt or new is None:
            found.left.append([pointer, mention.start, mention.end, text[mention.start:mention.end], doubt])
        else:
            if tokens and len(new.split()) > len(mention.written.split()):
                raise RecordError(f"{show(mention.written)} is one token, {show(new)} would be several: rename before "
                                  "dt-parse")
            found.edits.extend([pointer, *edit] for edit in _edits(text, mention, new, lang))


def _edits(text: str, mention: finding.Mention, new: str, lang: str) -> Iterator[list]:
    """Yield the edits, [start, end, before, after], of one mention: the name, and what agrees with it."""
    name = writing.written(new, mention, lang)
    if languages.tag(lang) == "en":
        article = writing.article(text, mention, name)
        if article:
            start, end, wanted = article
            yield [start, end, text[start:end], wanted]
        missing = writing.bare_possessive(text, mention, name)
        if missing:
            after = text[mention.end]
            yield [mention.start, mention.end + 1, text[mention.start:mention.end + 1], name + after + missing]
            return
    yield from _by_parts(text[mention.start:mention.end], name, mention.start)


def _by_parts(old: str, new: str, start: int) -> Iterator[list]:
    """Yield the edit of a name; for one of as many parts an edit of each, so that tokens stay tokens."""
    if len(old.split()) == len(new.split()):
        pairs = [(match.start(), match[0], part) for match, part in
                 zip(re.finditer(r"\S+", old), new.split(), strict=True)]
    else:
        pairs = [(0, old, new)]
    for at, before, after in pairs:
        if before != after:
            yield [start + at, start + at + len(before), before, after]


def renamed(text: str | list[str], forms: Forms, lang: str, guards: tuple[str, ...] = ()) -> str | list[str]:
    """Return an output, or an n-best list of them, with its names exchanged."""
    if isinstance(text, list):
        return [str(renamed(one, forms, lang, guards)) for one in text]
    found = Found([], [])
    _search("/text", text, None, forms, tuple(form for form in forms if not _is_initial(form)), lang, guards, found)
    return span_edits.apply({"text": text}, found.edits)[0]["text"]


def restore(record: dict, by: str, signature: str) -> dict:
    """Return the record as it was before the last swap, with the names mapped back in its prediction.

    What cannot be mapped back is listed in the history: words that a new name
    begins ("Jamesy" for James), and old names that the output holds though
    the swapped input did not ("strangers").
    """
    restored, entry = history.undo(record, by)
    if entry is None:
        return record
    facts: dict[str, list[str]] = {}
    if record.get("prediction") is not None:
        names, lang = entry["names"], record["lang"]
        back = roster.forms({new: old for old, new in names.items()},
                            {new: old for old, new in entry.get("aliases", {}).items() if new not in names.values()},
                            lang)
        restored["prediction"] = renamed(record["prediction"], back, lang)
        outputs = record["prediction"] if isinstance(record["prediction"], list) else [record["prediction"]]
        facts = {"unmapped": sorted(set().union(*(_derived(text, names.values(), lang) for text in outputs))),
                 "strangers": sorted(set().union(*(_strangers(text, names, lang) for text in outputs)))}
    counts = {name: len(found) for name, found in facts.items()}
    return history.add(restored, by, signature, undoes=entry["number"],
                       **{name: found for name, found in facts.items() if found}, counts=counts)


def _strangers(text: str, names: Mapping[str, str], lang: str) -> set[str]:
    """Return the old names in an output to a record that had new ones."""
    old = [name for name in names if not _is_initial(name) and name not in names.values()]
    return {mention.form for mention in finding.mentions(text, old, lang)
            if deciding.doubt(text, mention, lang) is None}


def _derived(text: str, names: Iterable[str], lang: str) -> set[str]:
    """Return the words of a text that begin with a name but go on."""
    import regex

    known = {mention.written + mention.tail for mention in finding.mentions(text, list(names), lang)}
    begun = "|".join(regex.escape(name) for name in names if name[-1:].isalpha() and not regex.search(
        r"\p{Han}|\p{Hiragana}|\p{Katakana}", name))
    words = regex.findall(rf"(?<![\p{{L}}\p{{M}}\p{{N}}])(?:{begun})[\p{{L}}\p{{M}}]+", text) if begun else ()
    return set(words) - known
