"""What agrees with a name: its own ending (민지가, Annas), and the word before it (an Anna, d'Alain).

Both are data: endings.tsv of a language, a row for each ending with a column
for each class of last sounds; beginnings.tsv, a row for each word that changes
before some names.
"""

import functools
import re

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import ENDS, compiled
from dialtools.names import pools, sounds
from dialtools.names.search import Mention
from dialtools.text import capitals

NEAR = 60  # code points before a mention in which a sentence or a quotation may begin


def rows(mention: Mention, language: Language) -> list[dict]:
    """Return the rows of endings.tsv that fit the ending of a mention; [] for a stretched letter."""
    tail = mention.tail.replace("’", "'").lower()
    return sounds.endings(tail, sounds.last(mention.form, language), language) if tail else []


def ending(text: str, mention: Mention, new: str, language: Language) -> str | None:
    """Return the ending of a mention with the new name, None if it is uncertain.

    The first row of endings.tsv that has the old ending tells the new one; a
    row for calls (아) or for what somebody is (이야) only where that is what
    the sentence says, what may be a part of the name (민준이) not before kin (형).
    """
    tail = mention.tail.replace("’", "'")
    if tail == "'" and _is_quoted(text, mention):
        return mention.tail
    found, sound = rows(mention, language), sounds.last(new, language)
    if len({row[sound] for row in found if row["use"] in ("call", "is")}) > 1:
        use = _use(text, mention, language)
        found = [row for row in found if row["use"] == use]
    if not found:
        return None
    wanted = found[0][sound].rstrip(sounds.OPEN)
    if wanted == tail.lower():
        return mention.tail
    if tail == language.facts.get("name_suffix") and _is_kin(mention.after(text, NEAR), language):
        return None
    wanted = (
        wanted.upper() if capitals.is_shouted(mention.written) and not tail.islower() else wanted
    )
    return like(wanted, mention.tail, text)


def _is_kin(after: str, language: Language) -> bool:
    """Is the next word one of kin, so that a subject ending may be part of the name?"""
    words = tuple(word for words in language.facts["gendered"].values() for word in words)
    return after[:1].isspace() and after.lstrip().startswith(words)


def like(word: str, old: str, text: str) -> str:
    """Return a word with the apostrophe of the old word, or else of the text."""
    used = (_apostrophe(old) or _apostrophe(text)) if _apostrophe(word) else ""
    return re.sub("['’]", used, word) if used else word


@functools.lru_cache(maxsize=16)
def _apostrophe(text: str) -> str:
    found = re.search("['’]", text)
    return found[0] if found else ""


def _is_quoted(text: str, mention: Mention) -> bool:
    """Does the apostrophe after a mention close a quotation?"""
    mark, before = text[mention.end - 1], mention.before(text, NEAR)
    opening = "‘" if mark == "’" else "'"
    opened = compiled(rf"(?<![\p{{L}}\p{{N}}]){opening}(?=[\p{{L}}\p{{N}}]|$)").split(before)
    closing = compiled(rf"(?<=[\p{{L}}\p{{N}}\p{{P}}]){mark}(?![\p{{L}}\p{{N}}])")
    return len(opened) > 1 and not closing.search(opened[-1])


def _use(text: str, mention: Mention, language: Language) -> str | None:
    """Return "is" if a sentence says who somebody is, "call" if it calls somebody, else None."""
    before = compiled(rf"[{ENDS}]").split(mention.before(text, NEAR))[-1].strip()
    if compiled(language.facts["subjects_end_in"]).search(before):
        return "is"
    return "call" if not before or compiled(r"\s*[,!~]").match(mention.after(text, 4)) else None


def before(text: str, mention: Mention, new: str, language: Language) -> list[list] | None:
    """Return the edits of the word before a mention, None if they depend on an unknown gender.

    >>> from dialtools.languages import get
    >>> mention = Mention(5, 10, "Alain", "Alain", "", "")
    >>> before("ami d'Alain", mention._replace(start=6, end=11), "Luc", get("fr"))
    [[4, 6, "d'", 'de'], [6, 6, '', ' ']]
    """
    pattern, start = _words_before(language), max(mention.start - 12, 0)
    match = pattern.search(text[start : mention.start]) if pattern else None
    # a line may end within a sentence, but a label begins a turn
    if match is None or mention.is_label(text):
        return []
    old, gap = match["word"], match["gap"] or ""
    wanted = _wanted(old.lower().replace("’", "'"), mention.form, new, language)
    if wanted is None:
        return None
    wanted = like(_as_written(wanted, old, mention), old, text)
    at, end = start + match.start("word"), start + match.end("word")
    edits = [[at, end, old, wanted]]
    if wanted[-1] in "'’" and gap:
        edits.append([end, end + len(gap), gap, ""])
    elif wanted[-1] not in "'’" and not gap:
        edits.append([end, end, "", " "])
    return [edit for edit in edits if edit[2] != edit[3]]


@once_per_language
def _words_before(language: Language):
    """Return the pattern of a word that changes before names, with the space after it; None
    without such words.
    """
    import regex

    words = {word for row in language.table("beginnings") for word in (row["word"], row["changed"])}
    if not words:
        return None
    elided = "|".join(regex.escape(word[:-1]) for word in sorted(words) if word.endswith("'"))
    whole = "|".join(
        regex.escape(word) for word in sorted(words, key=len) if not word.endswith("'")
    )
    return regex.compile(
        rf"(?i)(?<![\p{{L}}\p{{M}}\p{{N}}'’])(?:"
        rf"(?P<word>(?:{elided or '(?!)'})['’])(?P<gap>\s?)|"
        rf"(?P<word>{whole})(?P<gap>\s+))$"
    )


def _wanted(old: str, name: str, new: str, language: Language) -> str | None:
    """Return a word as the new name needs it, in lower case; None for an unknown gender."""
    gender = next(filter(None, (pools.gender(each, language) for each in (new, name))), "")
    genders = (gender,) if gender in ("f", "m") else ("f", "m")
    found = {_wanted_of(each, old, new, language) for each in genders}
    return found.pop() if len(found) == 1 else None


def _wanted_of(gender: str, old: str, new: str, language: Language) -> str:
    """Return the form of a word that a new name of a gender needs, in lower case."""
    rows = language.table("beginnings")
    base = next(
        (row["word"] for row in rows if row["changed"] == old and row["gender"] in ("", gender)),
        old,
    )
    for row in rows:
        may_be_made = row["made"] or row["changed"] == old
        if row["word"] == base and may_be_made and sounds.begins(new, row["before"]):
            return row["changed"]
    return base


def _as_written(word: str, old: str, mention: Mention) -> str:
    """Return a word in the case of another; A before a name in capitals is in capitals, too."""
    return (
        word.upper()
        if old.isupper() and capitals.is_shouted(mention.written)
        else capitals.like(word, old)
    )
