"""New names for the people of a record, in all its texts, and back again."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from dialtools import dialogue
from dialtools import edits as span_edits
from dialtools.errors import RecordError, show
from dialtools.names import deciding, encoding, finding, fullnames, roster, undeclared, writing

Forms = Mapping[str, str | None]
_UNSURE = {None: "the new name has no such form", "": "ambiguous: a form of several names"}  # what a form becomes


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
    perhaps: Mapping[str, str] = {}  # forms that may mean one of the names, with why they are left
    called: Collection[str] = ()  # the names and aliases themselves

    def search(self, pointer: str, text: str, tokens: list[dict] | None = None) -> Found:
        """Return the edits of a text, and the mentions that are left."""
        edits: list[list] = []
        left: list[list] = []
        mentions = 0
        for mention in finding.mentions(text, self.searched, self.lang, self.guards):
            new = self.forms.get(mention.form)
            made = not any(mention.form in name for name in self.called)
            why = deciding.doubt(text, mention, self.lang, tokens, self.output, made)
            other = self.perhaps.get(mention.form)
            in_lower_case = mention.written[0].islower() and mention.form[0].isupper()
            is_word = why not in (None, deciding.ALSO_A_WORD) or in_lower_case
            if is_word and other and other != undeclared.OF_OTHERS:
                continue
            changed = writing.edits(text, mention, new, self.lang) if why is None and new else None
            if changed is not None and new:
                _check_tokens(mention, new, tokens)
                edits += ([pointer, *edit] for edit in changed)
                mentions += bool(changed)
            elif why != "":
                why = why or other or _UNSURE.get(new, "what agrees with it is not sure")
                left.append([pointer, mention.start, mention.end, text[mention.start:mention.end], why])
        return Found(edits, left, mentions)

    def renamed(self, text: str) -> tuple[str, list[str]]:
        """Return a text with its names exchanged, and what was left in it."""
        found = self.search("/text", text)
        return span_edits.apply({"text": text}, found.edits)[0]["text"], [left[3] for left in found.left]


def changes(forms: Forms, lang: str, guards: tuple[str, ...] = (), output: bool = False,
            perhaps: Mapping[str, str] = {}, called: Collection[str] = ()) -> Names:
    """Return the names that change; one of a single Latin letter does so only as a speaker's label."""
    known = {encoding.key(form) for form in forms} if perhaps else set()
    others = {form: why for form, why in perhaps.items() if encoding.key(form) not in known}
    searched = tuple(form for form in (*forms, *others) if not is_initial(form))
    return Names(forms, searched, lang, guards, output, others, called)


def swap(record: dict, names: Mapping[str, str], aliases: Mapping[str, str | None], guards: tuple[str, ...] = (),
         readings: Sequence[Sequence[str]] = ()) -> tuple[dict, list[list], dict]:
    """Return the record with its names exchanged, the edits, and the facts for its history.

    readings: (name, reading, Latin form) of new names that the pools of the language do not know.
    """
    lang = record["lang"]
    forms = roster.forms(names, aliases, lang, readings)
    kept, shared = roster.kept(names, record, lang)
    forms |= {form: "" for form in shared & forms.keys() - {*names, *aliases}}
    changing = changes(forms, lang, (*guards, *kept),
                       perhaps=undeclared.forms(names, record, lang), called={*names, *aliases})
    summing_up = changing._replace(output=True)  # a reference tells of the speakers as an output does
    pairs = {old: (old, new) for old, new in names.items()}
    labels = {encoding.key(old): pair for old, pair in pairs.items()} | pairs
    edits: list[list] = []
    left: list[list] = []
    mentions = 0
    for pointer, text, tokens in _texts(record):
        if pointer.endswith("/speaker"):
            edits += _label(pointer, text, labels, lang)
        else:
            found = (summing_up if pointer.startswith("/reference") else changing).search(pointer, text, tokens)
            edits += found.edits
            left += found.left
            mentions += found.mentions
    swapped, made = span_edits.apply(record, edits)
    if swapped.get("prediction") is not None:  # restored by the names, not by edits: it may be written anew
        swapped["prediction"] = dialogue.each(record["prediction"], lambda text: changing.renamed(text)[0])
    return swapped, made, {"names": dict(names), **({"aliases": dict(aliases)} if aliases else {}),
                           **({"readings": readings} if readings else {}),
                           **({"left": left} if left else {}), "counts": {"mentions": mentions, "left": len(left)}}


def is_initial(form: str) -> bool:
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


def _label(pointer: str, text: str, labels: Mapping[str, tuple[str, str]], lang: str) -> list[list]:
    """Return the edits of a speaker's label; labels: a name, or its key -> the name, and what it becomes.

    A label may be a name with a title or signs, where the map has it without.
    """
    name, start = text.strip(), len(text) - len(text.lstrip())
    before, bare, after = fullnames.untitled(name, lang)
    whole = labels.get(name) or labels.get(encoding.key(name))
    old, new = whole or (f"{before}{part}{after}" for part in labels.get(encoding.key(bare), (bare, bare)))
    mention = finding.Mention(start, start + len(name), old, name, "", "")
    return [[pointer, *edit] for edit in writing.edits(text, mention, new, lang) or ()]


def _check_tokens(mention: finding.Mention, new: str, tokens: list[dict] | None) -> None:
    if tokens and len(new.split()) > len(mention.written.split()):
        raise RecordError(f"{show(mention.written)} is one token, {show(new)} would be several: rename before dt-parse")
