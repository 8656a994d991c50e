"""New names in the look of the old ones, and what agrees with them: Annas, 민지가, an Anna, d'Alain.

A new name has the case of the old one, is spelled out or stretched like it, and has its
apostrophe. What agrees with a name is data: endings.tsv of a language, a row for each ending with
a column for each class of last sounds; beginnings.tsv, a row for each word that changes before
some names.
"""

import re

from dialtools.languages.scripts import ENDS, compiled
from dialtools.names import forms, full_names
from dialtools.names.lexicon import OPEN, Lexicon
from dialtools.names.search import Mention
from dialtools.text import word_forms

NEAR = 60  # code points before a mention in which a sentence or a quotation may begin
_APOSTROPHE = re.compile("['’]")


def edits(text: str, mention: Mention, new: str, lexicon: Lexicon) -> list[list] | None:
    """Return the edits of a mention and of what agrees with it, None if they are uncertain.

    >>> from dialtools.languages import get
    >>> from dialtools.names import lexicon
    >>> edits("two Annas", Mention(4, 9, "Anna", "Anna", "s", ""), "James", lexicon.of(get("en")))
    [[4, 8, 'Anna', 'James'], [8, 9, 's', 'es']]
    """
    written, start = mention.written, mention.start
    if mention.spelled:
        # A-N-N-A, a-n-n-a, A-n-n-a
        letters = mention.spelled.join(letter for letter in new if not letter.isspace())
        if written.islower():
            letters = letters.lower()
        elif not written[-1].islower():
            letters = letters.upper()
        return [[start, mention.end, written, letters]]
    name = like(new, written, text)
    if "\u093c" in mention.form and not re.search("[\u093c\u0958-\u095f]", written):
        name = re.sub("(?<=[कखगजफ])\u093c", "", name)  # the text leaves the dots out
    if written != mention.form:
        name = _cased(name, mention)
    tail = _tail(text, mention, new, lexicon) if mention.tail else ""
    before = edits_before(text, mention, new, lexicon)
    if tail is None or before is None:
        return None
    # a map that gives a name in capitals one without: ROSS'S
    if written.isupper() and not name.isupper():
        tail = tail.lower()
    end = mention.end - len(mention.tail)
    after = [[end, mention.end, mention.tail, tail]] if tail != mention.tail else []

    # a name of as many words gets an edit for each, so that tokens stay tokens
    old, new_words = text[start:end], name.split()
    old_words = [*re.finditer(r"\S+", old)] if len(new_words) > 1 else []
    pairs = [(start, old, name)]
    if len(old_words) == len(new_words) > 1:
        pairs = [
            (start + match.start(), match[0], word)
            for match, word in zip(old_words, new_words, strict=True)
        ]
    changed = [
        [place, place + len(word), word, new_word]
        for place, word, new_word in pairs
        if word != new_word
    ]
    return [*before, *changed, *after]


def _cased(new: str, mention: Mention) -> str:
    """Return a name in the case of a mention."""
    written, form = mention.written, mention.form
    if written.lower() == written.upper():
        return new
    if word_forms.is_shouted(written):
        return new.upper()
    if written.islower():
        return new.lower()
    if word_forms.is_shouted(form) and word_forms.is_shouted(new):
        return new.title()
    # dott. Rossi keeps the title as it is written
    as_written = dict(zip(form.split(), written.split(), strict=False))
    return " ".join(as_written.get(word, word) for word in new.split())


def _tail(text: str, mention: Mention, new: str, lexicon: Lexicon) -> str | None:
    """Return what follows a new name as part of the word, None if it is uncertain.

    The first row of endings.tsv that has the old ending tells the new one; a
    row for calls (아) or for what somebody is (이야) only where that is what
    the sentence says, what may be a part of the name (민준이) not before kin (형).
    """
    tail, facts = mention.tail, lexicon.facts
    rows = ending_rows(mention, lexicon)
    if not rows and tail == mention.written[-1] * len(tail):
        # Speaker1 is not stretched: Speaker11 is somebody else
        letter = new[-1] if new[-1].isalpha() else ""
        return (letter.upper() if tail.isupper() else letter.lower()) * len(tail)
    plain = tail.replace("’", "'")
    if plain == "'":
        # does it close a quotation?
        opening = "‘" if tail == "’" else "'"
        opened = compiled(rf"(?<![\p{{L}}\p{{N}}]){opening}(?=[\p{{L}}\p{{N}}]|$)").split(
            mention.before(text, NEAR)
        )
        closing = compiled(rf"(?<=[\p{{L}}\p{{N}}\p{{P}}]){tail}(?![\p{{L}}\p{{N}}])")
        if len(opened) > 1 and not closing.search(opened[-1]):
            return tail
    sound = forms.last_sound(new, lexicon)
    if len({row[sound] for row in rows if row["use"] in ("call", "is")}) > 1:
        # a sentence says who somebody is, or calls somebody, or neither
        before = compiled(rf"[{ENDS}]").split(mention.before(text, NEAR))[-1].strip()
        use = None
        if compiled(facts["subjects_end_in"]).search(before):
            use = "is"
        elif not before or compiled(r"\s*[,!~]").match(mention.after(text, 4)):
            use = "call"
        rows = [row for row in rows if row["use"] == use]
    if not rows:
        return None

    ending = rows[0][sound].rstrip(OPEN)
    if ending == plain.lower():
        return tail
    if plain == facts.get("name_suffix"):
        kin = tuple(word for words in facts["gendered"].values() for word in words)
        after = mention.after(text, NEAR)
        if after[:1].isspace() and after.lstrip().startswith(kin):
            return None
    is_shouted = word_forms.is_shouted(mention.written) and not tail.islower()
    return like(ending.upper() if is_shouted else ending, tail, text)


def ending_rows(mention: Mention, lexicon: Lexicon) -> list[dict]:
    """Return the rows of endings.tsv that fit the ending of a mention; [] for a stretched letter."""
    tail = mention.tail.replace("’", "'").lower()
    if not tail:
        return []
    sound = forms.last_sound(mention.form, lexicon)
    return lexicon.endings.get(sound, {}).get(tail, [])


def like(word: str, old: str, text: str) -> str:
    """Return a word with the apostrophe of the old word, or else of the text."""
    if not _APOSTROPHE.search(word):
        return word
    apostrophe = _APOSTROPHE.search(old) or _APOSTROPHE.search(text)
    return _APOSTROPHE.sub(apostrophe[0], word) if apostrophe else word


def edits_before(text: str, mention: Mention, new: str, lexicon: Lexicon) -> list[list] | None:
    """Return the edits of the word before a mention, None if they depend on an unknown gender.

    >>> from dialtools.languages import get
    >>> from dialtools.names import lexicon
    >>> mention = Mention(6, 11, "Alain", "Alain", "", "")
    >>> edits_before("ami d'Alain", mention, "Luc", lexicon.of(get("fr")))
    [[4, 6, "d'", 'de'], [6, 6, '', ' ']]
    """
    pattern, start = lexicon.patterns.changing, max(mention.start - 12, 0)
    match = pattern.search(text[start : mention.start]) if pattern else None
    # a line may end within a sentence, but a label begins a turn
    if match is None or mention.is_label(text):
        return []
    old, gap = match["word"], match["gap"] or ""
    word = _agreeing(old.lower().replace("’", "'"), mention.form, new, lexicon)
    if word is None:
        return None
    # A before a name in capitals is in capitals, too
    is_shouted = old.isupper() and word_forms.is_shouted(mention.written)
    word = like(word.upper() if is_shouted else word_forms.cased_like(word, old), old, text)
    end = start + match.end("word")
    changes = [[start + match.start("word"), end, old, word]]
    if word[-1] in "'’" and gap:
        changes.append([end, end + len(gap), gap, ""])
    elif word[-1] not in "'’" and not gap:
        changes.append([end, end, "", " "])
    return [change for change in changes if change[2] != change[3]]


def _agreeing(old: str, name: str, new: str, lexicon: Lexicon) -> str | None:
    """Return a word as the new name needs it, in lower case; None for an unknown gender."""
    rows = lexicon.language.table("beginnings")
    letters = forms.without_marks(new)
    known = (full_names.gender(bearer, lexicon) for bearer in (new, name))
    gender = next(filter(None, known), "")
    words = set()
    for gender in (gender,) if gender in ("f", "m") else ("f", "m"):
        bases = (
            row["word"] for row in rows if row["changed"] == old and row["gender"] in ("", gender)
        )
        base = next(bases, old)
        changed = (
            row["changed"]
            for row in rows
            if row["word"] == base
            and (row["made"] or row["changed"] == old)
            and compiled(f"(?i){row['before']}").match(letters)
        )
        words.add(next(changed, base))
    return words.pop() if len(words) == 1 else None
