"""Restoring old names: exactly in inputs, as far as possible in outputs."""

import functools
from collections.abc import Iterable
from dataclasses import dataclass
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
        swap = _swap_back(record, language, entry, restored)

        def mapped_back(text: str) -> str:
            changes = swap.with_input.search("/text", text)
            for name, forms_of_kind in _unrestored(text, changes, swap).items():
                facts.setdefault(name, []).extend(forms_of_kind)
            return edits.apply({"text": text}, changes.edits)[0]["text"]

        restored["prediction"] = dialogue.each(record["prediction"], mapped_back)
        if restored["prediction"] != record["prediction"]:
            has_old_scores = bool(restored.get("scores") or restored.get("statistics"))
            restored = {key: value for key, value in restored.items() if key not in _OF_OLD}
    counts = {name: len(texts) for name, texts in facts.items()}
    if has_old_scores:
        counts["old_scores_dropped"] = 1
    return history.add(
        restored,
        by,
        signature,
        undoes=entry["number"],
        **{name: sorted(set(texts)) for name, texts in facts.items() if texts},
        counts=counts,
    )


@dataclass(frozen=True)
class _SwapBack:
    """A swap the other way round."""

    new_names: list[str]
    old_names: list[str]
    edits: list[list]  # of the swap
    renaming: swaps.Renaming
    with_input: swaps.Renaming  # the same, told by what the system read
    input: drawing.Taken  # what stands there


def _swap_back(record: dict, language: Language, entry: dict, before: dict) -> _SwapBack:
    """Return what a swap needs to be mapped back; before: the record before it.

    A form that stood there before the swap, too, may be somebody else's (Bob, where Robert is a
    new name).
    """
    _check(entry, record)
    readings = entry.get("readings", ())
    old_to_new = roster.forms(entry["names"], entry.get("aliases", {}), language, readings)
    # what the swap made of forms, and of which: Zoe of Anna Smith, who is Dr. Anna Smith
    back: Forms = {}
    for old, new in old_to_new.items():
        if new:
            forms.add(back, new, old)
    names = {new: old for old, new in entry["names"].items()}
    aliases = {
        new: old for old, new in entry.get("aliases", {}).items() if new and new not in names
    }
    back |= roster.forms(names, aliases, language, readings)

    taken = drawing.Taken(_input_text(record))
    perhaps = undeclared.forms(names, record, language)
    ambiguous = [form for form in perhaps if form in taken]
    mentions = search.mentions(_input_text(before), ambiguous, language) if ambiguous else ()
    # in the same letters: bob is not Bob
    of_others = {mention.form for mention in mentions if mention.written == mention.form}
    perhaps = {form: why for form, why in perhaps.items() if form not in of_others}
    renaming = swaps.renaming(
        back, language, output=True, perhaps=perhaps, declared={*names, *aliases}
    )
    system_input = copies.SystemInput(record, entry["edits"])
    return _SwapBack(
        new_names=list(entry["names"].values()),
        old_names=list(entry["names"]),
        edits=entry["edits"],
        renaming=renaming,
        with_input=renaming._replace(system_input=system_input),
        input=taken,
    )


def _input_text(record: dict) -> str:
    """Return all texts of the input of a record as one."""
    return "\n".join(
        text for pointer, text in dialogue.strings(record) if not pointer.startswith("/prediction")
    )


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


def _unrestored(text: str, changes: swaps.TextChanges, swap: _SwapBack) -> dict[str, list[str]]:
    """Return what is counted and listed of a text of the output; changes: what was mapped back in
    it, and what not.
    """
    language = swap.renaming.language
    kept = [mention[3] for mention in changes.uncertain]
    unmapped = [*kept, *_nearly_names(text, swap) - {*kept}]
    strangers = [name for name in _old_names(text, swap, language) if name not in swap.input]
    listed = {orthography.key(name) for name in (*strangers, *unmapped, *swap.new_names)}
    invented = [
        name
        for name in {name for _, _, name in _finder(language)(text)}
        if orthography.key(name) not in listed and name not in swap.input
    ]

    # the text without the mentions that it copies from the input
    ends = [0, *(end for _, end in changes.copied)]
    starts = [*(start for start, _ in changes.copied), len(text)]
    written_anew = "\n".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    lost = {
        before
        for before, after in _changed(swap.edits)
        if after in written_anew and _is_misread(before, after, swap.renaming)
    }
    return {"unmapped": unmapped, "strangers": strangers, "invented": invented, "lost": [*lost]}


def _old_names(text: str, swap: _SwapBack, language: Language) -> set[str]:
    """Return the old names in an output, with or without titles."""
    called = {
        form for name in swap.old_names for form in (name, forms.untitled(name, name, language)[0])
    }
    old = [name for name in called if not swaps.is_initial(name) and name not in swap.new_names]
    return {
        mention.form
        for mention in search.mentions(text, old, language)
        if ambiguity.doubt(text, mention, language, output=True) is None
    }


@once_per_language
def _finder(language: Language) -> frequency.Find:
    """Return a function that finds the names of the pools of a language that are no words."""
    words = language.words | set(language.facts["capitalised"])
    return frequency.finder(
        name for name in pools.known(language) if len(name) > 1 and name.lower() not in words
    )


def _changed(swap_edits: Iterable[list]) -> set[tuple[str, str]]:
    """Return (old, new) of the texts that were changed; a name and its ending, changed one by one,
    together.
    """
    pairs: list[tuple[str, str]] = []
    last_end = None
    for pointer, start, end, before, after, *_ in swap_edits:
        if not isinstance(after, str):
            continue  # tokens
        if last_end == (pointer, start):
            old, new = pairs.pop()
            before, after = old + before, new + after
        pairs.append((before, after))
        last_end = pointer, end
    return {(before, after) for before, after in pairs if after}


def _is_misread(before: str, after: str, renaming: swaps.Renaming) -> bool:
    """Does the map turn a new form into something other than the original?"""
    if before.isalnum() and after.isalnum() and renaming.forms.get(after) == before:
        return False  # most are the names themselves
    changes = renaming.search("/text", after)
    mapped_back = edits.apply({"text": after}, changes.edits)[0]["text"]
    return bool(changes.mentions) and mapped_back != before


def _nearly_names(text: str, swap: _SwapBack) -> set[str]:
    """Return the words of a text that begin with a new name but go on, in scripts that part words,
    or are one misspelt.
    """
    renaming, joined = swap.renaming, f"{JOINED}{KATAKANA}"
    ends_apart = compiled(rf"(?V1)[[\p{{L}}\p{{M}}]--[{joined}]]$").search
    names = tuple(name for name in swap.new_names if ends_apart(name))
    misspelt = set().union(*(_without_a_letter(name) for name in names if len(name) > 4))
    # Tomさん; finding takes रोहितさん for one word
    tail = compiled(rf"(?<=\p{{Latin}}\p{{M}}*)[{joined}]+$")
    words = {
        tail.sub("", word)
        for word in compiled(r"[\p{L}\p{M}]+").findall(text)
        if word.startswith(names)
        or word[0].isupper()
        and not misspelt.isdisjoint(_without_a_letter(word))
        and word.lower() not in renaming.language.words
        and word not in pools.known(renaming.language)
        and word not in swap.input
    } - {*names}
    mentions = search.mentions(text, renaming.searched, renaming.language) if words else ()
    return words - {
        word for mention in mentions for word in (mention.written, mention.written + mention.tail)
    }


@functools.lru_cache(maxsize=4096)
def _without_a_letter(word: str) -> frozenset[str]:
    """Return a word, and it without each of its letters: what two that differ in one have in
    common.
    """
    return frozenset((word, *(word[:at] + word[at + 1 :] for at in range(len(word)))))
