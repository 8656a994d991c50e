"""New names for the people of a record, in all its texts, and back again."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dialtools.languages import Language
from dialtools.names import (
    ambiguity,
    copies,
    full_names,
    orthography,
    replacement,
    roster,
    search,
    undeclared,
)
from dialtools.names import forms as name_forms
from dialtools.names.search import Mention
from dialtools.records import dialogue
from dialtools.records import edits as span_edits
from dialtools.system.errors import RecordError, show

Forms = Mapping[str, str | None]
_UNSURE = {
    None: "the new name has no such form",
    name_forms.AMBIGUOUS: "ambiguous: a form of several names",
}


class Found(NamedTuple):
    """What was found in a text."""

    edits: list[list]
    left: list[list]  # [pointer, start, end, text, why]
    mentions: int  # that were changed
    copied: Collection[tuple[int, int]] = ()  # where what stands there is told by the input


class Seen(NamedTuple):
    """A mention in a text."""

    mention: Mention
    said: str | None  # what it was in the input of the system, None where that does not tell
    doubt: str | None  # why it may be no name, None if it is one


class Names(NamedTuple):
    """The forms of the names that change, and what searching for them needs."""

    forms: Forms
    searched: tuple[str, ...] | search.Index  # those that may stand in a text
    language: Language
    guards: tuple[str, ...] = ()
    output: bool = False  # looked for in what a system wrote
    perhaps: Mapping[str, str] = {}  # forms that may mean one of the names, with why they are left
    called: str = ""  # the names and aliases themselves, a line each
    input: copies.Input | None = None  # of the system that wrote the text

    def search(self, pointer: str, text: str, tokens: list[dict] | None = None) -> Found:
        """Return the edits of a text, and the mentions that are left."""
        return self.changed(pointer, text, self.found(text, tokens), tokens)

    def found(self, text: str, tokens: list[dict] | None = None) -> Iterator[Seen]:
        """Yield the mentions in a text, whatever they become."""
        for mention in search.mentions(text, self.searched, self.language, self.guards):
            said = self._said(text, mention)
            yield Seen(
                mention, said, None if said is not None else self._doubt(text, mention, tokens)
            )

    def changed(
        self, pointer: str, text: str, seen: Iterable[Seen], tokens: list[dict] | None = None
    ) -> Found:
        """Return the edits of a text whose mentions are known, and those that are left."""
        edits: list[list] = []
        left: list[list] = []
        mentions = 0
        copied: list[tuple[int, int]] = []
        changed: list[list] | None
        for mention, said, doubt in seen:
            if said is None:
                if doubt == ambiguity.NO_NAME or self._is_word(mention, doubt):
                    continue
                if mention.tail and not doubt:  # Chris' or Chris's, as the input has it
                    said = self._said(text, mention, near=0)
            if said is not None:
                copied.append((mention.start, mention.end))
                changed = self._as_said(text, mention, said)
            else:
                changed = None if doubt else self._edits(text, mention, tokens)
            if changed is None:
                why = doubt or self._why_left(mention)
                left.append(
                    [pointer, mention.start, mention.end, text[mention.start : mention.end], why]
                )
            else:
                edits += ([pointer, *edit] for edit in changed)
                mentions += bool(changed)
        return Found(edits, left, mentions, copied)

    def _said(self, text: str, mention: Mention, near: int = copies.NEAR) -> str | None:
        """Return what a mention was in the input of the system, None where that does not tell."""
        return self.input.before(text, mention.start, mention.end, near) if self.input else None

    def _doubt(self, text: str, mention: Mention, tokens: list[dict] | None) -> str | None:
        is_made = mention.form not in self.called
        return ambiguity.doubt(text, mention, self.language, tokens, self.output, is_made)

    def _as_said(self, text: str, mention: Mention, said: str) -> list[list]:
        """Return the edits of a mention that the input tells of, and of what agrees with it."""
        written = mention.written + mention.tail
        if said == written:
            return []
        before = replacement.edits_before(text, mention, said, self.language) or []
        return [*before, [mention.start, mention.end, written, said]]

    def _is_word(self, mention: Mention, doubt: str | None) -> bool:
        """Is an undeclared form more likely a word, so that it is not listed?"""
        if self.perhaps.get(mention.form, undeclared.OF_OTHERS) == undeclared.OF_OTHERS:
            return False
        in_lower_case = mention.written[0].islower() and mention.form[0].isupper()
        return in_lower_case or doubt not in (None, ambiguity.ALSO_A_WORD)

    def _edits(self, text: str, mention: Mention, tokens: list[dict] | None) -> list[list] | None:
        """Return the edits of a mention, None if its new form is uncertain."""
        new = self.forms.get(mention.form)
        changed = replacement.edits(text, mention, new, self.language) if new else None
        if new and changed is not None:
            _check_tokens(mention, new, tokens)
        return changed

    def _why_left(self, mention: Mention) -> str:
        """Return why an undoubted mention is kept."""
        new = self.forms.get(mention.form)
        return self.perhaps.get(mention.form) or _UNSURE.get(new, "what agrees with it is not sure")


def changes(
    forms: Forms,
    language: Language,
    guards: tuple[str, ...] = (),
    output: bool = False,
    perhaps: Mapping[str, str] = {},
    called: Iterable[str] = (),
    within: str | None = None,
) -> Names:
    """Return the names that change; a single Latin letter changes only as a speaker's label.

    within: all that will be searched; forms that do not stand there are left out.
    """
    sure = {orthography.key(form) for form in forms} if perhaps else set()
    unsure = {form: why for form, why in perhaps.items() if orthography.key(form) not in sure}
    searched = tuple(form for form in (*forms, *unsure) if not is_initial(form))
    if within is not None:
        searched = search.candidates(within, searched)
    return Names(
        forms, search.indexed(searched), language, guards, output, unsure, "\n".join(called)
    )


class Place(NamedTuple):
    """A text of a record that is a label or holds mentions."""

    pointer: str
    text: str
    tokens: list[dict] | None
    seen: list[Seen] | None  # None for a label


class Source:
    """A record whose names change.

    Where they stand does not depend on the new ones: it is found once for all variants.
    """

    def __init__(self, record: dict, language: Language):
        self.record, self.language = record, language
        self.whole = dialogue.whole(record)
        self.texts = list(_texts(record))
        self.known: dict[tuple, tuple[Names, set[str], list[Place]]] = {}

    def changing(
        self,
        names: Mapping[str, str],
        aliases: Mapping[str, str | None],
        guards: tuple[str, ...],
        readings: Sequence[Sequence[str]],
    ) -> tuple[Names, list[Place]]:
        """Return the names that change, without parts of names that are kept, and where they stand."""
        forms = roster.forms(names, aliases, self.language, readings)
        asked = tuple(names), tuple(forms), guards
        if asked not in self.known:
            self.known[asked] = self._found(names, aliases, forms, guards)
        found, shared, places = self.known[asked]
        forms |= dict.fromkeys(shared & forms.keys() - {*names, *aliases}, name_forms.AMBIGUOUS)
        return found._replace(forms=forms), places

    def _found(
        self,
        names: Mapping[str, str],
        aliases: Mapping[str, str | None],
        forms: Forms,
        guards: tuple[str, ...],
    ) -> tuple[Names, set[str], list[Place]]:
        """Return the names to look for, what forms are shared with others, and where names stand."""
        kept, shared = roster.kept(names, self.record, self.language)
        perhaps = undeclared.forms(names, self.record, self.language)
        inputs = changes(
            forms,
            self.language,
            (*guards, *kept),
            perhaps=perhaps,
            called={*names, *aliases},
            within=self.whole,
        )
        # a reference tells of the speakers as an output does
        summaries = inputs._replace(output=True)
        places = []
        for pointer, text, tokens in self.texts:
            if pointer.endswith("/speaker"):
                places.append(Place(pointer, text, tokens, None))
                continue
            looked_for = summaries if pointer.startswith("/reference") else inputs
            seen = list(looked_for.found(text, tokens))
            if seen:
                places.append(Place(pointer, text, tokens, seen))
        return inputs, shared, places


def swap(
    source: Source,
    names: Mapping[str, str],
    aliases: Mapping[str, str | None],
    guards: tuple[str, ...] = (),
    readings: Sequence[Sequence[str]] = (),
) -> tuple[dict, list[list], dict]:
    """Return the record with its names exchanged, the edits, and the facts for its history.

    readings: (name, reading, Latin form) of new names that the pools of the language do not know.
    """
    record = source.record
    changing, places = source.changing(names, aliases, guards, readings)
    labels = {orthography.key(old): (old, new) for old, new in names.items()}
    labels |= {old: (old, new) for old, new in names.items()}
    edits: list[list] = []
    left: list[list] = []
    mentions = 0
    known: dict[str, list[list]] = {}  # the edits of labels, which come back
    for pointer, text, tokens, seen in places:
        if seen is None:
            if text not in known:
                known[text] = _label(text, labels, source.language)
            edits += [[pointer, *edit] for edit in known[text]]
        else:
            found = changing.changed(pointer, text, seen, tokens)
            edits += found.edits
            left += found.left
            mentions += found.mentions
    if isinstance(record.get("dialogue"), str):
        # as apply does with edits: it has no turns
        left = dialogue.flatten(record["dialogue"], left)
    swapped, made = span_edits.apply(record, edits)
    facts = {"aliases": dict(aliases), "readings": readings, "left": left}
    counts = {"mentions": mentions, "left": len(left)}
    return (
        swapped,
        made,
        {
            "names": dict(names),
            **{key: fact for key, fact in facts.items() if fact},
            "counts": counts,
        },
    )


def mentions(
    record: dict, language: Language, names: Mapping[str, str], aliases: Mapping[str, str | None]
) -> list[tuple[str, int, int]]:
    """Return (pointer, start, end) of each mention of names that certainly means one, but labels.

    names: {name: name} of those who are looked for.
    """
    if not names:
        return []
    changing, places = Source(record, language).changing(names, aliases, (), ())
    return [
        (place.pointer, mention.start, mention.end - len(mention.tail))  # without its ending
        for place in places
        for mention, _, doubt in place.seen or ()
        if changing.forms.get(mention.form) and not doubt
    ]


def is_initial(form: str) -> bool:
    """Is a form a single Latin letter, which is a name only as a speaker's label?"""
    return len(form) == 1 and form.isascii()


def _texts(record: dict) -> Iterator[tuple[str, str, list[dict] | None]]:
    """Yield (pointer, text, its tokens) of all inputs."""
    tokens = {
        pointer: holder["tokens"]
        for pointer, holder in dialogue.utterances(record)
        if "tokens" in holder
    }
    for pointer, text in dialogue.strings(record):
        if not pointer.startswith("/prediction"):
            yield pointer, text, tokens.get(pointer)


def _label(text: str, labels: Mapping[str, tuple[str, str]], language: Language) -> list[list]:
    """Return the edits of a speaker's label; labels: a name, or its key -> the name, and what it
    becomes.

    A label may be a name with a title or signs, where the map has it without.
    """
    name, start = text.strip(), len(text) - len(text.lstrip())
    pair = labels.get(name) or labels.get(orthography.key(name))
    if pair is None:
        before, bare, after = full_names.untitled(name, language)
        old, new = labels.get(orthography.key(bare), (bare, bare))
        pair = f"{before}{old}{after}", f"{before}{new}{after}"
    mention = Mention(start, start + len(name), pair[0], name, "", "")
    return replacement.edits(text, mention, pair[1], language) or []


def _check_tokens(mention: Mention, new: str, tokens: list[dict] | None) -> None:
    if tokens and len(new.split()) > len(mention.written.split()):
        raise RecordError(
            f"{show(mention.written)} is one token, {show(new)} would be several: "
            "rename before dt-parse"
        )
