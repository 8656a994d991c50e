"""English word forms: comparatives, superlatives and the form in -ing."""

import re

# Endings of adjectives that are compared by more and most: more tired.
_LONG = ("ed", "ing", "ful", "less", "ous", "ish", "ive", "ant", "ent", "al", "id", "ic", "like")


def compared(adjective: str, degree: str) -> str:
    """Return the comparative (degree "Cmp") or superlative ("Sup") of a regular adjective.

    >>> [compared(word, "Cmp") for word in ("big", "nice", "happy", "clever", "weak")]
    ['bigger', 'nicer', 'happier', 'cleverer', 'weaker']
    >>> [compared(word, "Cmp") for word in ("tired", "expensive", "real")]
    ['more tired', 'more expensive', 'more real']
    """
    if not is_short(adjective):
        return f"{'more' if degree == 'Cmp' else 'most'} {adjective}"
    ending = "er" if degree == "Cmp" else "est"
    if adjective.endswith("e"):
        return adjective[:-1] + ending
    return _doubled(re.sub(r"(?<=[^aeiou])y$|(?<=[aeiou][^aeiou])ey$", "i", adjective)) + ending


def is_short(adjective: str) -> bool:
    """Tell whether an adjective is compared by -er: it has one syllable or a light second one."""
    if adjective.endswith(_LONG) or not adjective.isalpha():
        return False
    syllables = _syllables(adjective)
    return syllables == 1 or (syllables == 2 and adjective.endswith(("y", "le", "ow", "er")))


def gerund(verb: str) -> str:
    """Return the form of a verb in -ing.

    >>> [gerund(verb) for verb in ("work", "make", "run", "lie", "see", "be")]
    ['working', 'making', 'running', 'lying', 'seeing', 'being']
    >>> [gerund(verb) for verb in ("play", "visit", "begin", "refer")]
    ['playing', 'visiting', 'beginning', 'referring']
    """
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")) and verb != "be":
        return verb[:-1] + "ing"
    stressed_last = (
        "begin",
        "forget",
        "prefer",
        "admit",
        "commit",
        "permit",
        "occur",
        "refer",
        "upset",
        "regret",
    )
    return (verb + verb[-1] if verb in stressed_last else _doubled(verb)) + "ing"


def _doubled(stem: str) -> str:
    """Return a stem, with its last consonant doubled after the only vowel."""
    single = re.fullmatch(r"[^aeiou]*(?:qu)?[aeiou][bdfgklmnprt]", stem)
    return stem + stem[-1] if single else stem


def _syllables(word: str) -> int:
    return len(re.findall(r"[aeiouy]+", re.sub(r"(?<=[^aeioul])e$", "", word)))
