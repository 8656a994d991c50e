"""Restoring old names: exactly in inputs, as far as possible in outputs."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import chain
from types import UnionType

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import JOINED, KATAKANA, compiled
from dialtools.names import (
    ambiguity,
    collecting,
    drawing,
    forms,
    search,
    swaps,
    undeclared,
)
from dialtools.names import lexicon as lexicons
from dialtools.names.forms import key
from dialtools.names.lexicon import Lexicon
from dialtools.names.record_texts import RecordTexts
from dialtools.names.undeclared import without_a_letter
from dialtools.records import dialogue, edits, history
from dialtools.system.errors import RecordError

# those are of each word, and a name stands for a name; or of the input as it was read
_OF_OLD = {*dialogue.OF_PREDICTION} - {
    *("attributions", "choices", "delays", "elapsed", "logprobs", "prediction_scores")
}
NEAR = 12  # code points on either side that a copy has in common with the input


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
        swap = _SwapBack(record, lexicons.of(language), entry, restored)

        def mapped_back(text: str) -> str:
            changes = swap.with_input.search("/text", text)
            for name, forms_of_kind in _unrestored(text, changes, swap).items():
                facts.setdefault(name, []).extend(forms_of_kind)
            return edits.apply({"text": text}, changes.edits)[0]["text"]

        restored["prediction"] = dialogue.each(record["prediction"], mapped_back)
        if restored["prediction"] != record["prediction"]:
            has_old_scores = bool(restored.get("scores") or restored.get("statistics"))
            restored = {name: value for name, value in restored.items() if name not in _OF_OLD}
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


def renamed(text: str, record: dict, language: Language) -> str:
    """Return an output for the original of a variant with the names that the variant has instead."""
    _, entries = history.before_swap(record)
    lexicon = lexicons.of(language)
    for entry in entries:
        if not entry.get("names"):
            continue
        _check(entry, record)
        new_forms = forms.of_all(
            entry["names"], entry.get("aliases", {}), lexicon, entry.get("readings", ())
        )
        renaming = swaps.renaming(
            {old: new for old, new in new_forms.items() if new},
            lexicon,
            output=True,
            declared=entry["names"],
        )
        changes = renaming.search("/text", text)
        text = edits.apply({"text": text}, changes.edits)[0]["text"]
    return text


class _SwapBack:
    """A swap the other way round.

    renaming: of the new names; with_input: the same, told by what the system read.
    input: what stands there.
    """

    def __init__(self, record: dict, lexicon: Lexicon, entry: dict, before: dict) -> None:
        """Take a swap from its entry in the history of a record; before: the record before it.

        A form that stood there before the swap, too, may be somebody else's (Bob, where Robert is
        a new name).
        """
        _check(entry, record)
        self.edits, readings = entry["edits"], entry.get("readings", ())
        self.old_names, self.new_names = list(entry["names"]), list(entry["names"].values())
        old_to_new = forms.of_all(entry["names"], entry.get("aliases", {}), lexicon, readings)
        # what the swap made of forms, and of which: Zoe of Anna Smith, who is Dr. Anna Smith
        back: dict[str, str | None] = {}
        for old, new in old_to_new.items():
            if new:
                forms.add(back, new, old)
        names = {new: old for old, new in entry["names"].items()}
        aliases = {
            new: old for old, new in entry.get("aliases", {}).items() if new and new not in names
        }
        back |= forms.of_all(names, aliases, lexicon, readings)

        texts = RecordTexts(record, lexicon)
        self.input = drawing.Taken(_input_text(texts.strings))
        perhaps = undeclared.forms(names, texts)
        ambiguous = [form for form in perhaps if form in self.input]
        text_before = _input_text(dialogue.strings(before)) if ambiguous else ""
        mentions = search.mentions(text_before, ambiguous, lexicon) if ambiguous else ()
        # in the same letters: bob is not Bob
        of_others = {mention.form for mention in mentions if mention.written == mention.form}
        perhaps = {form: why for form, why in perhaps.items() if form not in of_others}
        self.renaming = swaps.renaming(
            back, lexicon, output=True, perhaps=perhaps, declared={*names, *aliases}
        )
        system_input = SystemInput(texts, self.edits)
        self.with_input = self.renaming._replace(original=system_input.before)


def _input_text(strings: Iterable[tuple[str, str]]) -> str:
    """Return all texts of the input of a record as one."""
    return "\n".join(text for pointer, text in strings if not pointer.startswith("/prediction"))


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
        isinstance(reading, list) and len(reading) == 3 for reading in readings
    ):
        raise RecordError('cannot restore: "readings" in the history are no lists of three', record)


def _is_map(names: object, values: type | UnionType = str) -> bool:
    return isinstance(names, dict) and all(isinstance(new, values) for new in names.values())


def _unrestored(text: str, changes: swaps.TextChanges, swap: _SwapBack) -> dict[str, list[str]]:
    """Return what is counted and listed of a text of the output; changes: what was mapped back in
    it, and what not.
    """
    lexicon = swap.renaming.lexicon
    uncertain = [mention[3] for mention in changes.uncertain]
    unmapped = [*uncertain, *_nearly_names(text, swap) - {*uncertain}]

    # the old names, with or without titles
    called = {
        form for name in swap.old_names for form in (name, forms.untitled(name, name, lexicon)[0])
    }
    old = [form for form in called if not forms.is_initial(form) and form not in swap.new_names]
    mentioned = {
        mention.form
        for mention in search.mentions(text, old, lexicon)
        if ambiguity.doubt(text, mention, lexicon, output=True) is None
    }
    strangers = [name for name in mentioned if name not in swap.input]
    listed = {key(name) for name in (*strangers, *unmapped, *swap.new_names)}
    invented = [
        name
        for name in {name for _, _, name in _finder(lexicon.language)(text)}
        if key(name) not in listed and name not in swap.input
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


@once_per_language
def _finder(language: Language) -> collecting.Find:
    """Return a function that finds the names of the pools of a language that are no words."""
    words = language.words | set(language.facts["capitalised"])
    return collecting.finder(
        name for name in lexicons.of(language).known if len(name) > 1 and name.lower() not in words
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


def _is_misread(before: str, after: str, renaming: swaps.NameRewriter) -> bool:
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
    lexicon, joined = swap.renaming.lexicon, f"{JOINED}{KATAKANA}"
    ends_apart = compiled(rf"(?V1)[[\p{{L}}\p{{M}}]--[{joined}]]$").search
    names = tuple(name for name in swap.new_names if ends_apart(name))
    misspelt = set().union(*(without_a_letter(name) for name in names if len(name) > 4))
    # Tomさん; finding takes रोहितさん for one word
    tail = compiled(rf"(?<=\p{{Latin}}\p{{M}}*)[{joined}]+$")
    words = {
        tail.sub("", word)
        for word in compiled(r"[\p{L}\p{M}]+").findall(text)
        if word.startswith(names)
        or word[0].isupper()
        and not misspelt.isdisjoint(without_a_letter(word))
        and word.lower() not in lexicon.words
        and word not in lexicon.known
        and word not in swap.input
    } - {*names}
    mentions = swap.renaming.searched.mentions(text) if words else ()
    return words - {
        word for mention in mentions for word in (mention.written, mention.written + mention.tail)
    }


class SystemInput:
    """The renamed input as one text, with the original of each changed part."""

    def __init__(self, renamed: RecordTexts, swap_edits: Iterable[list]):
        edits_of: dict[str, list[list]] = {}
        for edit in swap_edits:
            edits_of.setdefault(edit[0], []).append(edit)
        parts: list[str] = []
        # what was changed: start, end, original
        self.changed: list[tuple[int, int, str]] = []
        length, record = 0, renamed.record
        texts: Iterable[tuple[str, str]] = renamed.strings
        # one that is a string is one text
        if isinstance(dialogue_text := record.get("dialogue"), str):
            without = dialogue.strings({**record, "dialogue": []})
            texts = chain([("/dialogue", dialogue_text)], without)
        for pointer, text in texts:
            if pointer.startswith(("/reference", "/prediction")):
                continue  # no system reads it
            shift, ordered = length, edits_of.get(pointer, [])
            if len(ordered) > 1:
                ordered.sort(key=lambda edit: (edit[1], edit[2]))
            for _, start, _, before, after, *_ in ordered:
                self.changed.append((start + shift, start + shift + len(after), before))
                shift += len(after) - len(before)
            parts += [text, ": " if pointer.endswith("/speaker") else "\n"]
            length += len(text) + len(parts[-1])
        self.text = "".join(parts)

    def before(self, text: str, start: int, end: int, near: int = NEAR) -> str | None:
        """Return the original of a part of an output, None if the input does not tell.

        The input tells if it has the same text with the same neighbours in a line, and the
        same original in all such places.
        """
        first = max(start - near, text.rfind("\n", 0, start) + 1)
        following = text[end : end + near].partition("\n")[0]
        copied = text[first:end] + following
        originals = set()
        place = self.text.find(copied)
        while place >= 0:
            originals.add(self._original(place + start - first, place + end - first))
            place = self.text.find(copied, place + 1)
        return originals.pop() if len(originals) == 1 else None

    def _original(self, start: int, end: int) -> str | None:
        """Return what a part of the text was, None where a change goes beyond it."""
        parts, place = [], start
        first = bisect_left(self.changed, start, key=lambda change: change[1])
        behind = bisect_right(self.changed, end, key=lambda change: change[0])
        for change_start, change_end, before in self.changed[first:behind]:
            # what was deleted before it (d'Hugo) is not its own
            if change_end <= start or change_start >= end:
                continue
            if change_start < start or change_end > end:
                return None
            parts += [self.text[place:change_start], before]
            place = change_end
        return "".join([*parts, self.text[place:end]])
