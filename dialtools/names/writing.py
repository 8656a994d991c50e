"""A new name written as the old one was: its case, letters apart, stretched, ending, article."""

from dialtools import languages
from dialtools.names.finding import Mention

_VOWELS = frozenset("aeiouáéíóúàèìòùâêîôûäëïöüåæøœ")
_PARTICLES = (("이랑", "랑"), ("으로", "로"), ("이", "가"), ("은", "는"), ("을", "를"), ("과", "와"), ("아", "야"))
_HISSES = ("s", "x", "z", "ch", "sh")


def written(new: str, mention: Mention, lang: str) -> str:
    """Return the new name as it stands in the place of a mention.

    >>> [written("Zoe", Mention(0, 0, "Anna", old, tail, gap), "en")
    ...  for old, tail, gap in (("anna", "", ""), ("ANNA", "", ""), ("Anna", "aaa", ""), ("A-N-N-A", "", "-"))]
    ['zoe', 'ZOE', 'Zoeeee', 'Z-O-E']
    """
    if mention.spelled:
        return mention.spelled.join(letter for letter in new.upper() if not letter.isspace())
    name = _cased(new, mention)
    return name + _tail(name, mention, lang)


def _cased(new: str, mention: Mention) -> str:
    old, form = mention.written, mention.form
    if old.lower() != old.upper() and old != form:
        if old.isupper() and len(old) > 1:
            return new.upper()
        if old.islower():
            return new.lower()
    return new


def _tail(new: str, mention: Mention, lang: str) -> str:
    tail, tag = mention.tail, languages.tag(lang)
    if not tail:
        return ""
    if tail == mention.written[-1] * len(tail) and tail not in ("s", "e"):
        return new[-1] * len(tail)  # stretched
    if tag == "jv" and tail in ("e", "ne", "ipun", "nipun"):
        return tail.removeprefix("n") if new[-1:].lower() not in _VOWELS else "n" + tail.removeprefix("n")
    if tag == "en":
        plural = "es" if new.lower().endswith(_HISSES) else "s"
        return plural.upper() if tail.isupper() else plural
    if tag == "de" and new[-1:] in ("s", "ß", "x", "z"):
        return "'"
    return _particle(new, tail) if tag == "ko" else tail


def _particle(new: str, tail: str) -> str:
    """Return a Korean particle as it stands after the new name: one way after a consonant, another after a vowel."""
    final = (ord(new[-1]) - 0xAC00) % 28 if "가" <= new[-1] <= "힣" else 0
    for pair in _PARTICLES:
        if tail in pair:
            return pair[final == 0 or (pair[0] == "으로" and final == 8)]  # 8 is the l of 서울로
    return tail


def bare_possessive(text: str, mention: Mention, new: str) -> str:
    """Return the s that the new name needs after the apostrophe of James' car, "" where it needs none.

    An apostrophe that closes a quotation is none.
    """
    after, before = text[mention.end:mention.end + 2], text[mention.start - 1:mention.start]
    opened = before in ("'", "‘")
    bare = after[:1] in ("'", "’") and not after[1:2].isalpha() and mention.written[-1:].lower() == "s" and not opened
    return "s" if bare and new[-1:].lower() != "s" else ""


def article(text: str, mention: Mention, new: str) -> tuple[int, int, str] | None:
    """Return the edit (start, end, new) of the English a or an before a name, where the new one wants the other."""
    import regex

    before = text[max(mention.start - 8, 0):mention.start]
    match = regex.search(r"(?<![\p{L}\p{M}\p{N}'’])(an?)\s+$", before, regex.IGNORECASE)
    if not match:
        return None
    start = mention.start - len(before) + match.start(1)
    old, wanted = match[1], "an" if new[:1].lower() in _VOWELS else "a"
    if old.lower() == wanted:
        return None
    return start, start + len(old), wanted.capitalize() if old[0].isupper() else wanted
