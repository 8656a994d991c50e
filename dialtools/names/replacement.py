"""New names in the look of the old ones: case, spelled out, stretched, apostrophes."""

import re
from collections.abc import Iterator

from dialtools.languages import Language
from dialtools.names import agreement
from dialtools.names.search import Mention
from dialtools.text import capitals


def edits(text: str, mention: Mention, new: str, language: Language) -> list[list] | None:
    """Return the edits of a mention and of what agrees with it, None if they are uncertain.

    >>> from dialtools.languages import get
    >>> edits("two Annas", Mention(4, 9, "Anna", "Anna", "s", ""), "James", get("en"))
    [[4, 8, 'Anna', 'James'], [8, 9, 's', 'es']]
    """
    if mention.spelled:
        return [[mention.start, mention.end, mention.written, _apart(new, mention)]]
    name = _cased(_spelled(new, mention, text), mention)
    tail, before = (
        _tail(text, mention, new, language),
        agreement.before(text, mention, new, language),
    )
    if tail is None or before is None:
        return None
    # a map that gives a name in capitals one without: ROSS'S
    if mention.written.isupper() and not name.isupper():
        tail = tail.lower()
    end = mention.end - len(mention.tail)
    after = [[end, mention.end, mention.tail, tail]] if tail != mention.tail else []
    return [*before, *_by_parts(text[mention.start : end], name, mention.start), *after]


def _apart(new: str, mention: Mention) -> str:
    """Return a name spelled out: A-N-N-A, a-n-n-a, A-n-n-a."""
    letters = mention.spelled.join(letter for letter in new if not letter.isspace())
    if mention.written.islower():
        return letters.lower()
    return letters if mention.written[-1].islower() else letters.upper()


def _spelled(new: str, mention: Mention, text: str) -> str:
    """Return a name with the apostrophes and the dots below letters that the text writes, or
    leaves out.
    """
    new = agreement.like(new, mention.written, text)
    if "\u093c" in mention.form and not re.search("[\u093c\u0958-\u095f]", mention.written):
        return re.sub("(?<=[कखगजफ])\u093c", "", new)
    return new


def _cased(new: str, mention: Mention) -> str:
    old, form = mention.written, mention.form
    if old == form or old.lower() == old.upper():
        return new
    if capitals.is_shouted(old):
        return new.upper()
    if old.islower():
        return new.lower()
    if capitals.is_shouted(form) and capitals.is_shouted(new):
        return new.title()
    # dott. Rossi keeps the title as it is written
    kept = dict(zip(form.split(), old.split(), strict=False))
    return " ".join(kept.get(word, word) for word in new.split())


def _tail(text: str, mention: Mention, new: str, language: Language) -> str | None:
    tail = mention.tail
    if not tail:
        return tail
    if tail == mention.written[-1] * len(tail) and not agreement.rows(mention, language):
        # Speaker1 is not stretched: Speaker11 is somebody else
        last = new[-1] if new[-1].isalpha() else ""
        return (last.upper() if tail.isupper() else last.lower()) * len(tail)
    return agreement.ending(text, mention, new, language)


def _by_parts(old: str, new: str, start: int) -> Iterator[list]:
    """Yield the edit of a name; for one of as many parts an edit of each, so that tokens stay
    tokens.
    """
    if [old] == old.split() and [new] == new.split():
        pairs = [(0, old, new)]
    elif len(old.split()) == len(new.split()):
        words = zip(re.finditer(r"\S+", old), new.split(), strict=True)
        pairs = [(match.start(), match[0], word) for match, word in words]
    else:
        pairs = [(0, old, new)]
    for at, before, after in pairs:
        if before != after:
            yield [start + at, start + at + len(before), before, after]
