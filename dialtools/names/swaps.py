"""New names for the people of a record, in all its texts."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from dialtools.names import (
    ambiguity,
    forms,
    full_names,
    introductions,
    replacement,
    roster,
    undeclared,
)
from dialtools.names import lexicon as lexicons
from dialtools.names.forms import AMBIGUOUS, is_initial, key
from dialtools.names.lexicon import Lexicon
from dialtools.names.record_texts import RecordTexts
from dialtools.names.search import Mention, SearchedForms
from dialtools.records import dialogue
from dialtools.records import edits as span_edits
from dialtools.system.errors import RecordError, show

Forms = Mapping[str, str | None]
Tokens = list[dict] | None
SHOWN = 20  # forms that were kept most often
_WHY_UNCERTAIN = {
    None: "the new name has no such form",
    AMBIGUOUS: "ambiguous: a form of several names",
}


class TextChanges(NamedTuple):
    """What becomes of the mentions in a text."""

    edits: list[list]
    uncertain: list[list]  # mentions that are kept: [pointer, start, end, text, why]
    mentions: int  # that were changed
    copied: Collection[tuple[int, int]] = ()  # where the input tells what stood there


class JudgedMention(NamedTuple):
    """A mention in a text, and whether it is a name."""

    mention: Mention
    original: str | None  # what it was in the input of the system, None where that does not tell
    doubt: str | None  # why it may be no name, None if it is one


class NameRewriter(NamedTuple):
    """The forms of the names that change, and what searching for them needs."""

    forms: Forms
    searched: SearchedForms  # those that may stand in a text
    lexicon: Lexicon
    output: bool = False  # looked for in what a system wrote
    undeclared: Mapping[str, str] = {}  # forms that may mean one of the names, with why they stay
    declared: str = ""  # the names and aliases themselves, a line each
    # (text, start, end, near) -> what stood there in the input of the system that wrote the text
    original: Callable[..., str | None] | None = None

    def search(self, pointer: str, text: str, tokens: Tokens = None) -> TextChanges:
        """Return the edits of a text, and the mentions that are kept."""
        return self.changed(pointer, text, self.judged(text, tokens), tokens)

    def judged(self, text: str, tokens: Tokens = None) -> Iterator[JudgedMention]:
        """Yield the mentions in a text, whatever they become."""
        for mention in self.searched.mentions(text):
            original = self.original and self.original(text, mention.start, mention.end)
            doubt = None
            if original is None:
                is_derived = mention.form not in self.declared
                doubt = ambiguity.doubt(
                    text, mention, self.lexicon, tokens, self.output, is_derived
                )
            yield JudgedMention(mention, original, doubt)

    def changed(
        self, pointer: str, text: str, judged: Iterable[JudgedMention], tokens: Tokens = None
    ) -> TextChanges:
        """Return the edits of a text whose mentions are known, and those that are kept."""
        edits: list[list] = []
        uncertain: list[list] = []
        mentions = 0
        copied: list[tuple[int, int]] = []
        for mention, original, doubt in judged:
            start, end = mention.start, mention.end
            if original is None:
                of_others = undeclared.OF_OTHERS
                in_lower_case = mention.written[0].islower() and mention.form[0].isupper()
                # an undeclared form that is more likely a word is not listed
                is_word = self.undeclared.get(mention.form, of_others) != of_others and (
                    in_lower_case or doubt not in (None, ambiguity.ALSO_A_WORD)
                )
                if doubt == ambiguity.NO_NAME or is_word:
                    continue
                if (
                    self.original and mention.tail and not doubt
                ):  # Chris' or Chris's, as the input has it
                    original = self.original(text, start, end, 0)
            new_edits: list[list] | None = None
            if original is not None:
                copied.append((start, end))
                new_edits = self._edits_to_original(text, mention, original)
            elif not doubt and (new := self.forms.get(mention.form)):
                new_edits = replacement.edits(text, mention, new, self.lexicon)
                is_split = len(new.split()) > len(mention.written.split())
                if new_edits is not None and tokens and is_split:
                    raise RecordError(
                        f"{show(mention.written)} is one token, {show(new)} would be several: "
                        "rename before dt-parse"
                    )
            if new_edits is None:
                why = doubt or self.undeclared.get(mention.form)
                why = why or _WHY_UNCERTAIN.get(
                    self.forms.get(mention.form), "what agrees with it is not sure"
                )
                uncertain.append([pointer, start, end, text[start:end], why])
            else:
                edits += ([pointer, *edit] for edit in new_edits)
                mentions += bool(new_edits)
        return TextChanges(edits, uncertain, mentions, copied)

    def _edits_to_original(self, text: str, mention: Mention, original: str) -> list[list]:
        """Return the edits of a mention that the input tells of, and of what agrees with it."""
        written = mention.written + mention.tail
        if original == written:
            return []
        before = replacement.edits_before(text, mention, original, self.lexicon) or []
        return [*before, [mention.start, mention.end, written, original]]


def renaming(
    forms_of_names: Forms,
    lexicon: Lexicon,
    guards: tuple[str, ...] = (),
    output: bool = False,
    perhaps: Mapping[str, str] = {},
    declared: Iterable[str] = (),
    within: str | None = None,
) -> NameRewriter:
    """Return the names that change; a single Latin letter changes only as a speaker's label.

    perhaps: undeclared forms, with why they stay.
    within: all that will be searched; forms that do not stand there are left out.
    """
    sure = {key(form) for form in forms_of_names} if perhaps else set()
    unsure = {form: why for form, why in perhaps.items() if key(form) not in sure}
    candidates = [form for form in (*forms_of_names, *unsure) if not is_initial(form)]
    searched = SearchedForms(candidates, lexicon, guards)
    if within is not None:
        searched = searched.within(within)
    return NameRewriter(forms_of_names, searched, lexicon, output, unsure, "\n".join(declared))


class SearchedText(NamedTuple):
    """A text of a record that is a label or holds mentions."""

    pointer: str
    text: str
    tokens: Tokens
    judged: list[JudgedMention] | None  # None for a label


class SearchedRecord:
    """A record whose names change.

    Where they stand does not depend on the new ones: it is searched once for all variants.
    """

    def __init__(self, source: RecordTexts):
        self.source, self.lexicon = source, source.lexicon
        self._known: dict[tuple, tuple[NameRewriter, set[str], list[SearchedText]]] = {}

    def renaming(
        self,
        names: Mapping[str, str],
        aliases: Mapping[str, str | None],
        guards: tuple[str, ...],
        readings: Sequence[Sequence[str]],
    ) -> tuple[NameRewriter, list[SearchedText]]:
        """Return the names that change, without parts of names that are kept, and where they stand."""
        forms_of_names = forms.of_all(names, aliases, self.lexicon, readings)
        searched = tuple(names), tuple(forms_of_names), guards
        if searched not in self._known:
            guarded, shared = roster.kept(names, self.source)
            inputs = renaming(
                forms_of_names,
                self.lexicon,
                (*guards, *guarded),
                perhaps=undeclared.forms(names, self.source),
                declared={*names, *aliases},
                within=self.source.whole,
            )
            self._known[searched] = inputs, shared, self._search(inputs)
        known, shared, texts = self._known[searched]
        of_others = shared & forms_of_names.keys() - {*names, *aliases}
        forms_of_names |= dict.fromkeys(of_others, AMBIGUOUS)
        return known._replace(forms=forms_of_names), texts

    def _search(self, inputs: NameRewriter) -> list[SearchedText]:
        """Return the labels, and the texts in which names stand."""
        turns, record = self.source.turns, self.source.record
        tokens_of = {
            f"/dialogue/{number}/text": turn["tokens"]
            for number, turn in enumerate(turns)
            if "tokens" in turn
        }
        if record.get("text") is not None and "tokens" in record:
            tokens_of["/text"] = record["tokens"]
        # a reference tells of the speakers as an output does
        summaries = inputs._replace(output=True)
        texts = []
        for pointer, text in self.source.strings:
            tokens = tokens_of.get(pointer)
            if pointer.endswith("/speaker"):
                texts.append(SearchedText(pointer, text, tokens, None))
            elif not pointer.startswith("/prediction"):
                names_of_text = summaries if pointer.startswith("/reference") else inputs
                if judged := list(names_of_text.judged(text, tokens)):
                    texts.append(SearchedText(pointer, text, tokens, judged))
        return texts


def swap(
    searched: SearchedRecord,
    names: Mapping[str, str],
    aliases: Mapping[str, str | None],
    guards: tuple[str, ...] = (),
    readings: Sequence[Sequence[str]] = (),
) -> tuple[dict, list[list], dict]:
    """Return the record with its names exchanged, the edits, and the facts for its history.

    readings: (name, reading, Latin form) of new names that the pools of the language do not know.
    """
    record = searched.source.record
    names_changed, texts = searched.renaming(names, aliases, guards, readings)
    labels = {key(old): (old, new) for old, new in names.items()}
    labels |= {old: (old, new) for old, new in names.items()}
    edits: list[list] = []
    uncertain: list[list] = []
    mentions = 0
    label_edits: dict[str, list[list]] = {}  # labels come back
    for pointer, text, tokens, judged in texts:
        if judged is None:
            if text not in label_edits:
                label_edits[text] = _edits_of_label(text, labels, searched.lexicon)
            edits += [[pointer, *edit] for edit in label_edits[text]]
        else:
            changes = names_changed.changed(pointer, text, judged, tokens)
            edits += changes.edits
            uncertain += changes.uncertain
            mentions += changes.mentions
    if isinstance(record.get("dialogue"), str):
        # as apply does with edits: it has no turns
        uncertain = dialogue.flatten(record["dialogue"], uncertain)
    swapped, applied = span_edits.apply(record, edits)
    facts = {"aliases": dict(aliases), "readings": readings, "left": uncertain}
    return (
        swapped,
        applied,
        {
            "names": dict(names),
            **{name: fact for name, fact in facts.items() if fact},
            "counts": {"mentions": mentions, "left": len(uncertain)},
        },
    )


def mentions(
    source: RecordTexts, names: Mapping[str, str], aliases: Mapping[str, str | None]
) -> list[tuple[str, int, int]]:
    """Return (pointer, start, end) of each mention of names that certainly means one, but labels.

    names: {name: name} of those who are looked for.
    """
    if not names:
        return []
    names_searched, texts = SearchedRecord(source).renaming(names, aliases, (), ())
    return [
        (text.pointer, mention.start, mention.end - len(mention.tail))  # without its ending
        for text in texts
        for mention, _, doubt in text.judged or ()
        if names_searched.forms.get(mention.form) and not doubt
    ]


def _edits_of_label(
    text: str, labels: Mapping[str, tuple[str, str]], lexicon: Lexicon
) -> list[list]:
    """Return the edits of a speaker's label; labels: a name, or its key -> the name, and what it
    becomes.

    A label may be a name with a title or signs, where the map has it without.
    """
    name, start = text.strip(), len(text) - len(text.lstrip())
    pair = labels.get(name) or labels.get(key(name))
    if pair is None:
        before, bare, after = full_names.untitled(name, lexicon)
        old, new = labels.get(key(bare), (bare, bare))
        pair = f"{before}{old}{after}", f"{before}{new}{after}"
    mention = Mention(start, start + len(name), pair[0], name, "", "")
    return replacement.edits(text, mention, pair[1], lexicon) or []


class Totals:
    """What renaming found, replaced and kept, summed over the records of a run; by_form: and how
    often each form was kept, which needs memory for each.
    """

    def __init__(self, by_form: bool = True) -> None:
        self.by_form = by_form
        self.counts: Counter = Counter()
        self.helpful: Counter = Counter()  # options that would change what is unchanged
        self.reasons: Counter = Counter()
        self.kept_forms: Counter = Counter()

    def add(self, record: dict, entry: dict) -> None:
        """Count in a record that was renamed or restored, by the entry of its history."""
        self.counts.update(
            records=1, changed=int(entry.get("changed", True)), **entry.get("counts", {})
        )
        if not entry.get("changed", True):
            lexicon = lexicons.of(dialogue.language(record))
            source = RecordTexts(record, lexicon)
            has_roles = any(roster.is_role(name, lexicon) for name in source.speakers)
            self.helpful["--roles"] += has_roles
            self.helpful["--person introduced"] += bool(introductions.names(source))
        uncertain = entry.get("left", ())
        self.reasons.update(why for *_, why in uncertain)
        if self.by_form:
            texts = (text for _, _, _, text, _ in uncertain)
            self.kept_forms.update(chain(texts, entry.get("unmapped", ())))

    def merge(self, further: "Totals") -> None:
        """Add the sums over further records."""
        self.counts.update(further.counts)
        self.helpful.update(further.helpful)
        self.reasons.update(further.reasons)
        self.kept_forms.update(further.kept_forms)

    def result(self) -> dict:
        """Return the sums; the forms that were kept most often, with their numbers, stand last."""
        return {
            **self.counts,
            "reasons": dict(self.reasons.most_common()),
            "left_most": dict(self.kept_forms.most_common(SHOWN)),
        }
