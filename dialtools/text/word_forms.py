"""Forms of words: capitals, the article before a word, plurals, and English comparison."""

import re
from collections.abc import Collection

from dialtools.languages import Language, once_per_language

# Endings of adjectives that are compared by more and most: more tired.
_LONG = ("ed", "ing", "ful", "less", "ous", "ish", "ive", "ant", "ent", "al", "id", "ic", "like")
# English verbs of several syllables with the stress on the last one: beginning.
_STRESSED_LAST = frozenset(
    "admit begin commit forget occur permit prefer refer regret upset".split()
)


def cased_like(word: str, written: str) -> str:
    """Return a word, or several, in the case of another: unchanged, capitalised or in capitals.

    >>> cased_like("canon law", "Sharia"), cased_like("men", "WOMEN")
    ('Canon law', 'MEN')
    >>> cased_like("anglo-saxon", "Afro-Asian")
    'Anglo-Saxon'
    """
    if is_shouted(written):
        return word.upper()
    parts = written.replace("-", " ").split()
    if len(parts) > 1 and all(part[0].isupper() for part in parts):
        return re.sub(r"[^ -]+", lambda part: capitalised(part[0]), word)
    return capitalised(word) if written[:1].isupper() else word


def is_shouted(text: str) -> bool:
    """Tell whether a text of more than one letter is in capitals."""
    return text.isupper() and sum(map(str.isalpha, text)) > 1


def capitalised(word: str) -> str:
    """Return a word with a capital, if that is a single letter."""
    upper = word[:1].upper()
    return upper + word[1:] if len(upper) == 1 else word  # ß has no capital of one letter


def within_sentence(word: str, language: Language, names: Collection[str]) -> str:
    """Return the first word of a sentence as it is written within one: a common word in lower case.

    names: the names of the record, in lower case.

    >>> from dialtools.languages import get
    >>> words = ("What", "Will", "Will's", "I", "I'm", "It's", "Don't", "Anna")
    >>> [within_sentence(word, get("en"), {"will"}) for word in words]
    ['what', 'Will', "Will's", 'I', "I'm", "it's", "don't", 'Anna']
    """
    lower = word[:1].lower() + word[1:]
    plain = lower.replace("’", "'")
    # it of it's, can and do of can't and don't
    stems = {plain, plain.partition("'")[0], plain.removesuffix("n't")}
    if lower == word or len(lower) != len(word) or "i" in stems or not stems.isdisjoint(names):
        return word
    return word if stems.isdisjoint(_never_names(language)) else lower


@once_per_language
def _never_names(language: Language) -> frozenset[str]:
    """Return the function words, and the common words if the given names are known as well."""
    function_words = frozenset(language.facts["function_words"])
    if not language.table("names/given"):
        return function_words
    pools = [language.table(f"names/{pool}") for pool in language.tables("names")]
    names = {row["name"].lower() for rows in pools for row in rows}
    return (language.words - names - frozenset(language.facts["capitalised"])) | function_words


def article_edits(
    pointer: str, text: str, start: int, following: str, language: Language, first: int = 0
) -> list[list]:
    """Return the edit of the article before a place, if it does not fit the new text that follows.

    first: the least start of an article; the text before it belongs to another edit.

    >>> from dialtools.languages import get
    >>> article_edits("/text", "an aunt", 3, "man", get("en"))
    [['/text', 0, 2, 'an', 'a', 'article']]
    """
    for usual, changed, before_changed in _articles(language):
        match = re.search(
            rf"(?<!\w)(?:{usual}|{changed})(?= $)", text[max(start - 6, 0) : start], re.IGNORECASE
        )
        if match and following[:1].isalpha():
            article = changed if before_changed.match(following) else usual
            article_start = start - len(match[0]) - 1
            if article != match[0].lower() and article_start >= first:
                new = cased_like(article, match[0])
                return [[pointer, article_start, start - 1, match[0], new, "article"]]
    return []


@once_per_language
def _articles(language: Language) -> list[tuple[str, str, re.Pattern]]:
    """Return (usual article, changed article, pattern of words after the changed one)."""
    return [
        (row["word"], row["changed"], language.pattern("beginnings", row["before"], re.IGNORECASE))
        for row in language.table("beginnings")
        if row["word"].isalpha() and row["changed"].isalpha() and not row["gender"]
    ]


def plural(noun: str, language: Language) -> str | None:
    """Return a noun's regular plural, None for a function word or without rules (plurals.tsv).

    >>> from dialtools.languages import get
    >>> [plural(noun, get("en")) for noun in ("lady", "policewoman", "she")]
    ['ladies', 'policewomen', None]
    """
    if not noun[-1].isalpha() or noun in language.facts["function_words"]:
        return None
    rules = _plural_rules(language)
    return next((end.sub(new, noun, count=1) for end, new in rules if end.search(noun)), None)


@once_per_language
def _plural_rules(language: Language) -> list[tuple[re.Pattern, str]]:
    return [
        (language.pattern("plurals", row["ending"]), row["plural"])
        for row in language.table("plurals")
    ]


def compared(adjective: str, degree: str) -> str:
    """Return the comparative (degree "Cmp") or superlative ("Sup") of a regular English adjective.

    >>> [compared(word, "Cmp") for word in ("big", "nice", "happy", "clever", "weak")]
    ['bigger', 'nicer', 'happier', 'cleverer', 'weaker']
    >>> [compared(word, "Cmp") for word in ("tired", "expensive", "real")]
    ['more tired', 'more expensive', 'more real']
    """
    if not is_compared_by_ending(adjective):
        return f"{'more' if degree == 'Cmp' else 'most'} {adjective}"
    ending = "er" if degree == "Cmp" else "est"
    if adjective.endswith("e"):
        return adjective[:-1] + ending
    return _doubled(re.sub(r"(?<=[^aeiou])y$|(?<=[aeiou][^aeiou])ey$", "i", adjective)) + ending


def is_compared_by_ending(adjective: str) -> bool:
    """Tell whether an adjective takes -er: it has one syllable, or a light second one."""
    if adjective.endswith(_LONG) or not adjective.isalpha():
        return False
    syllables = len(re.findall(r"[aeiouy]+", re.sub(r"(?<=[^aeioul])e$", "", adjective)))
    return syllables == 1 or (syllables == 2 and adjective.endswith(("y", "le", "ow", "er")))


def gerund(verb: str) -> str:
    """Return the form of an English verb in -ing.

    >>> [gerund(verb) for verb in ("work", "make", "run", "lie", "see", "be")]
    ['working', 'making', 'running', 'lying', 'seeing', 'being']
    >>> [gerund(verb) for verb in ("play", "visit", "begin", "refer")]
    ['playing', 'visiting', 'beginning', 'referring']
    """
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and verb != "be":
        return verb[:-1] + "ing"
    return (verb + verb[-1] if verb in _STRESSED_LAST else _doubled(verb)) + "ing"


def _doubled(stem: str) -> str:
    """Return a stem, with its last consonant doubled after the only vowel."""
    single = re.fullmatch(r"[^aeiou]*(?:qu)?[aeiou][bdfgklmnprt]", stem)
    return stem + stem[-1] if single else stem
