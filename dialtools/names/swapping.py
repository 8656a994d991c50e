"""New names for the people of a record, in all its texts, and back again."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dialtools import dialogue, history, languages
from dialtools import edits as span_edits
from dialtools.errors import RecordError, show
from dialtools.names import deciding, finding, roster, writing

Forms = Mapping[str, str | None]


class Found(NamedTuple):
    """What was found in a text."""

    edits: list[list]
    left: list[list]  # [pointer, start, end, text, why]
    mentions: int  # that were changed


class Names(NamedTuple):
    """All forms of the names that change, and how to look for them."""

    forms: Forms
    searched: tuple[str, ...]  # those that may stand in a text
    lang: str
    guards: tuple[str, ...] = ()
    output: bool = False  # looked for in what a system wrote

    def search(self, pointer: str, text: str, tokens: list[dict] | None = None) -> Found:
        """Return the edits of a text, and the mentions that are left."""
        edits: list[list] = []
        left: list[list] = []
        mentions = 0
        for mention in finding.mentions(text, self.searched, self.lang, self.guards):
            new = self.forms[mention.form]
            why = deciding.doubt(text, mention, self.lang, tokens, self.output)
            if why is None and new is not None:
                _check_tokens(mention, new, tokens)
                made = [[pointer, *edit] for edit in _edits(text, mention, new, self.lang)]
                edits += made
                mentions += bool(made)
            elif why != "":
                written = text[mention.start:mention.end]
                left.append([pointer, mention.start, mention.end, written, why or "no such form of one new name"])
        return Found(edits, left, mentions)

    def renamed(self, text: str) -> tuple[str, list[str]]:
        """Return a text with its names exchanged, and what was left in it."""
        found = self.search("/text", text)
        return span_edits.apply({"text": text}, found.edits)[0]["text"], [left[3] for left in found.left]


def changes(forms: Forms, lang: str, guards: tuple[str, ...] = (), output: bool = False) -> Names:
    """Return the names that change; one of a single Latin letter does so only as a speaker's label."""
    return Names(forms, tuple(form for form in forms if not _is_initial(form)), lang, guards, output)


def swap(record: dict, names: Mapping[str, str], aliases: Mapping[str, str | None], guards: tuple[str, ...] = (),
         readings: Sequence[Sequence[str]] = ()) -> tuple[dict, list[list], dict]:
    """Return the record with its names exchanged, the edits, and the facts for its history.

    readings: (name, reading, Latin form) of new names that the pools of the language do not know.
    """
    changing = changes(roster.forms(names, aliases, record["lang"], readings), record["lang"], guards)
    summing_up = changing._replace(output=True)  # a reference tells of the speakers as an output does
    edits: list[list] = []
    left: list[list] = []
    mentions = 0
    for pointer, text, tokens in _texts(record):
        if pointer.endswith("/speaker"):
            edits += _label(pointer, text, names)
        else:
            found = (summing_up if pointer.startswith("/reference") else changing).search(pointer, text, tokens)
            edits += found.edits
            left += found.left
            mentions += found.mentions
    swapped, made = span_edits.apply(record, edits)
    if swapped.get("prediction") is not None:  # restored by the names, not by edits: it may be written anew
        swapped["prediction"] = _each(record["prediction"], lambda text: changing.renamed(text)[0])
    return swapped, made, {"names": dict(names), **({"aliases": dict(aliases)} if aliases else {}),
                           **({"readings": readings} if readings else {}),
                           **({"left": left} if left else {}), "counts": {"mentions": mentions, "left": len(left)}}


def _each(prediction: str | list[str], change: Callable[[str], str]) -> str | list[str]:
    """Return an output, or each of an n-best list, changed."""
    return [change(text) for text in prediction] if isinstance(prediction, list) else change(prediction)


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


def _check_tokens(mention: finding.Mention, new: str, tokens: list[dict] | None) -> None:
    if tokens and len(new.split()) > len(mention.written.split()):
        raise RecordError(f"{show(mention.written)} is one token, {show(new)} would be several: rename before dt-parse")


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


def restore(record: dict, by: str, signature: str) -> dict:
    """Return the record as it was before the last swap, with the names mapped back in its prediction.

    What cannot be mapped back is listed in the history: mentions that may be
    words, words that a new name begins ("unmapped": Jamesy for James), and old
    names that the output holds though the swapped input did not ("strangers").
    """
    restored, entry = history.undo(record, by)
    if entry is None:
        return record
    facts: dict[str, list[str]] = {}
    if record.get("prediction") is not None:
        names, lang, aliases = entry["names"], record["lang"], entry.get("aliases", {})
        back = {new: old for old, new in names.items()}
        forms = roster.forms(back, {new: old for old, new in aliases.items() if new and new not in back}, lang,
                             entry.get("readings", ()))
        changing, outputs = changes(forms, lang, output=True), _list(record["prediction"])
        renamed = [changing.renamed(text) for text in outputs]
        texts = [text for text, _ in renamed]
        restored["prediction"] = texts if isinstance(record["prediction"], list) else texts[0]
        facts = {"unmapped": [word for text, (_, left) in zip(outputs, renamed, strict=True)
                              for word in (*left, *_derived(text, back, lang))],
                 "strangers": [name for text in outputs for name in _strangers(text, names, lang)]}
    counts = {name: len(found) for name, found in facts.items()}
    return history.add(restored, by, signature, undoes=entry["number"],
                       **{name: sorted(set(found)) for name, found in facts.items() if found}, counts=counts)


def _list(prediction: str | list[str]) -> list[str]:
    return prediction if isinstance(prediction, list) else [prediction]


def _strangers(text: str, names: Mapping[str, str], lang: str) -> set[str]:
    """Return the old names in an output to a record that had new ones."""
    old = [name for name in names if not _is_initial(name) and name not in names.values()]
    return {mention.form for mention in finding.mentions(text, old, lang)
            if deciding.doubt(text, mention, lang, output=True) is None}


def _derived(text: str, names: Iterable[str], lang: str) -> set[str]:
    """Return the words of a text that begin with a name but go on."""
    import regex

    known = {mention.written + mention.tail for mention in finding.mentions(text, list(names), lang)}
    begun = "|".join(regex.escape(name) for name in names if name[-1:].isalpha() and not regex.search(
        r"\p{Han}|\p{Hiragana}|\p{Katakana}", name))
    words = regex.findall(rf"(?<![\p{{L}}\p{{M}}\p{{N}}])(?:{begun})[\p{{L}}\p{{M}}]+", text) if begun else ()
    return set(words) - known
