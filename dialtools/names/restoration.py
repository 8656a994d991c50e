"""Restoring old names: exactly in inputs, as far as possible in outputs."""

import functools
from collections.abc import Iterable, Mapping
from types import UnionType

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import JOINED, KATAKANA, compiled
from dialtools.names import (
    ambiguity,
    copies,
    drawing,
    forms,
    frequency,
    orthography,
    pools,
    roster,
    search,
    swaps,
    undeclared,
)
from dialtools.names.forms import Forms
from dialtools.records import dialogue, edits, history
from dialtools.system.errors import RecordError

# those are of each word, and a name stands for a name
_OF_OLD = {*dialogue.OF_PREDICTION} - {"delays", "elapsed", "prediction_scores"}


def restore(record: dict, language: Language, by: str, signature: str) -> dict:
    """Return the record as it was before the last swap, with the names mapped back in its
    prediction.

    What the output holds that cannot be mapped back for sure is counted, and
    listed in the history:

    unmapped: forms that may be words, or short for a new name, that a new name begins, or that are
        one misspelt (Bob, Jamesy, Zenon for Zennon).
    strangers: old names, which the swapped input did not hold.
    invented: other names that the language knows, which it did not hold either.
    lost: how else an old name was written in the input, where the output may mean that (Em for
        Emma, José in two encodings): the map gives the name itself back.

    Where its text changes, scores and tokens of the old one go; the former are counted
    (old_scores_dropped).
    """
    restored, entry = history.undo(record, by)
    if entry is None:
        return record
    facts: dict[str, list[str]] = {}
    has_old_scores = False
    if record.get("prediction") is not None:
        restored["prediction"], facts = _renamed(record, language, entry, restored)
        if restored["prediction"] != record["prediction"]:
            has_old_scores = bool(restored.get("scores") or restored.get("statistics"))
            restored = {key: value for key, value in restored.items() if key not in _OF_OLD}
    counts = {name: len(found) for name, found in facts.items()}
    if has_old_scores:
        counts["old_scores_dropped"] = 1
    return history.add(
        restored,
        by,
        signature,
        undoes=entry["number"],
        **{name: sorted(set(found)) for name, found in facts.items() if found},
        counts=counts,
    )


def _said(record: dict) -> str:
    """Return all texts of the input of a record as one."""
    return "\n".join(
        text for pointer, text in dialogue.strings(record) if not pointer.startswith("/prediction")
    )


def _renamed(
    record: dict, language: Language, entry: dict, before: dict
) -> tuple[str | list[str], dict[str, list[str]]]:
    """Return the prediction of a record with the names mapped back, and what is counted and listed
    of it.

    before: the record before the swap.
    """
    said = drawing.Taken(_said(record))
    back = _back(entry, record, language, said, before)
    facts: dict[str, list[str]] = {}

    with_input = back._replace(input=copies.Input(record, entry["edits"]))

    def change(text: str) -> str:
        found = with_input.search("/text", text)
        for name, odd in _odd(text, found, back, entry, said).items():
            facts.setdefault(name, []).extend(odd)
        return edits.apply({"text": text}, found.edits)[0]["text"]

    return dialogue.each(record["prediction"], change), facts


def _is_map(names: object, values: type | UnionType = str) -> bool:
    return isinstance(names, dict) and all(isinstance(new, values) for new in names.values())


def _check(entry: dict, record: dict) -> None:
    """Raise RecordError unless a swap's entry holds what names are mapped back by: anybody may
    have written it.
    """
    if not _is_map(entry.get("names")) or "" in {*entry["names"], *entry["names"].values()}:
        raise RecordError('cannot restore: "names" in the history are no map of names', record)
    if not _is_map(entry.get("aliases", {}), str | None):
        raise RecordError('cannot restore: "aliases" in the history are no map of names', record)
    readings = entry.get("readings", [])
    if not isinstance(readings, list) or not all(
        isinstance(each, list) and len(each) == 3 for each in readings
    ):
        raise RecordError('cannot restore: "readings" in the history are no lists of three', record)


def _back(
    entry: dict, record: dict, language: Language, said: drawing.Taken, before: dict
) -> swaps.Names:
    """Return the changes of a swap the other way round; said: what stands in the input.

    A form that stood there before the swap, too, may be somebody else's (Bob, where Robert is a
    new name).
    """
    _check(entry, record)
    names = {new: old for old, new in entry["names"].items()}
    aliases = {
        new: old for old, new in entry.get("aliases", {}).items() if new and new not in names
    }
    back = _made(entry, language) | roster.forms(
        names, aliases, language, entry.get("readings", ())
    )
    perhaps = undeclared.forms(names, record, language)
    others = _written(before, [form for form in perhaps if form in said], language)
    perhaps = {form: why for form, why in perhaps.items() if form not in others}
    return swaps.changes(back, language, output=True, perhaps=perhaps, called={*names, *aliases})


def _written(record: dict, forms: list[str], language: Language) -> set[str]:
    """Return the forms that stand in the input of a record in the same letters: bob is not Bob."""
    found = search.mentions(_said(record), forms, language) if forms else ()
    return {mention.form for mention in found if mention.written == mention.form}


def _made(entry: dict, language: Language) -> Forms:
    """Return what the swap made of the forms of names, and of which: Zoe of Anna Smith, who is Dr.
    Anna Smith.
    """
    found: Forms = {}
    for old, new in roster.forms(
        entry["names"], entry.get("aliases", {}), language, entry.get("readings", ())
    ).items():
        if new:
            forms.add(found, new, old)
    return found


def _odd(
    text: str, found: swaps.Found, back: swaps.Names, entry: dict, said: drawing.Taken
) -> dict[str, list[str]]:
    """Return what is counted and listed of a text of the output; found: what was mapped back in
    it, and what not.
    """
    names, left = entry["names"], [left[3] for left in found.left]
    unmapped = [*left, *_nearly(text, back, names.values(), said) - {*left}]
    strangers = {name for name in _strangers(text, names, back.language) if name not in said}
    told = {orthography.key(name) for name in (*strangers, *unmapped, *names.values())}
    invented = [name for name in _known(text, back.language) if orthography.key(name) not in told]
    return {
        "unmapped": unmapped,
        "strangers": [*strangers],
        "invented": [name for name in invented if name not in said],
        "lost": [*_lost(_written_anew(text, found), back, entry["edits"])],
    }


def _written_anew(text: str, found: swaps.Found) -> str:
    """Return a text without the mentions that it copies from the input."""
    ends = [0, *(end for _, end in found.copied)]
    return "\n".join(
        text[end:start]
        for end, (start, _) in zip(ends, [*found.copied, (len(text), 0)], strict=True)
    )


def _strangers(text: str, names: Mapping[str, str], language: Language) -> set[str]:
    """Return the old names in an output, with or without titles."""
    called = {form for name in names for form in (name, forms.untitled(name, name, language)[0])}
    old = [name for name in called if not swaps.is_initial(name) and name not in names.values()]
    return {
        mention.form
        for mention in search.mentions(text, old, language)
        if ambiguity.doubt(text, mention, language, output=True) is None
    }


def _known(text: str, language: Language) -> set[str]:
    """Return the names in a text that are in the pools of the language, and are no words."""
    return {name for _, _, name in _finder(language)(text)}


@once_per_language
def _finder(language: Language) -> frequency.Find:
    words = language.words | set(language.facts["capitalised"])
    return frequency.finder(
        name for name in pools.known(language) if len(name) > 1 and name.lower() not in words
    )


def _lost(text: str, back: swaps.Names, made: Iterable[list]) -> set[str]:
    """Return original forms that the map cannot give back, if the output holds their new form."""
    return {
        before
        for before, after in _changed(made)
        if after in text and _misread(before, after, back)
    }


def _changed(made: Iterable[list]) -> set[tuple[str, str]]:
    """Return (old, new) of the texts that were changed; a name and its ending, changed one by one,
    together.
    """
    pairs: list[tuple[str, str]] = []
    last_end = None
    for pointer, start, end, before, after, *_ in made:
        if not isinstance(after, str):
            continue  # tokens
        if last_end == (pointer, start):
            old, new = pairs.pop()
            before, after = old + before, new + after
        pairs.append((before, after))
        last_end = pointer, end
    return {(before, after) for before, after in pairs if after}


def _misread(before: str, after: str, back: swaps.Names) -> bool:
    """Does the map turn a new form into something other than the original?"""
    if before.isalnum() and after.isalnum() and back.forms.get(after) == before:
        return False  # most are the names themselves
    found = back.search("/text", after)
    return bool(found.mentions) and edits.apply({"text": after}, found.edits)[0]["text"] != before


def _nearly(text: str, back: swaps.Names, names: Iterable[str], said: drawing.Taken) -> set[str]:
    """Return the words of a text that begin with a name but go on, in scripts that part words, or
    are one misspelt.
    """
    joined = f"{JOINED}{KATAKANA}"
    begun = tuple(
        name for name in names if compiled(rf"(?V1)[[\p{{L}}\p{{M}}]--[{joined}]]$").search(name)
    )
    misspelt = set().union(*(_without_a_letter(name) for name in begun if len(name) > 4))
    # Tomさん; finding takes रोहितさん for one word
    tail = compiled(rf"(?<=\p{{Latin}}\p{{M}}*)[{joined}]+$")
    words = {
        tail.sub("", word)
        for word in compiled(r"[\p{L}\p{M}]+").findall(text)
        if word.startswith(begun)
        or word[0].isupper()
        and not misspelt.isdisjoint(_without_a_letter(word))
        and _is_odd(word, back.language, said)
    }
    known = search.mentions(text, back.searched, back.language) if words - {*begun} else ()
    return (
        words
        - {*begun}
        - {word for mention in known for word in (mention.written, mention.written + mention.tail)}
    )


@functools.lru_cache(maxsize=4096)
def _without_a_letter(word: str) -> frozenset[str]:
    """Return a word, and it without each of its letters: what two that differ in one have in
    common.
    """
    return frozenset((word, *(word[:at] + word[at + 1 :] for at in range(len(word)))))


def _is_odd(word: str, language: Language, said: drawing.Taken) -> bool:
    """Is a word none of the language, no name that it knows, and none of the input?"""
    return (
        word.lower() not in language.words
        and word not in pools.known(language)
        and word not in said
    )
