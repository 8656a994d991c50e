"""Porter's stemmer for English, as ROUGE and METEOR use it.

Source: Porter 1980, An algorithm for suffix stripping, with his own later
changes and those of NLTK's default mode: irregular forms, words of two
letters left alone, y after a consonant, dies and died as die.
Equal to nltk.stem.PorterStemmer().stem on every word that was tried.
"""

import functools

KEPT = 1 << 16  # cached stems: about the vocabulary of a data set

_IRREGULAR = {
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "innings": "inning",
    "outings": "outing",
    "cannings": "canning",
    **{word: word for word in "sky news inning outing canning howe proceed exceed succeed".split()},
}


def _suffixes(rules: str) -> tuple[tuple[str, str], ...]:
    """Return (suffix, what replaces it) for rules such as "izer:ize"."""
    pairs = (rule.partition(":") for rule in rules.split())
    return tuple((suffix, new) for suffix, _, new in pairs)


# In each step the first suffix that fits counts, even if the stem is too short to change.
_STEP_2 = _suffixes(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous "
    "ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive "
    "biliti:ble fulli:ful"
)
_STEP_3 = _suffixes("icate:ic ative alize:al iciti:ic ical:ic ful ness")
_STEP_4 = _suffixes(
    "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize"
)


@functools.lru_cache(maxsize=KEPT)
def stem(word: str) -> str:
    """Return the stem of a word in lower case.

    >>> [stem(word) for word in ("relational", "ponies", "died", "hopping", "happy", "sky")]
    ['relat', 'poni', 'die', 'hop', 'happi', 'sky']
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 2:
        return word
    word = _past(_plural(word))
    if word.endswith("y") and len(word) > 2 and _shape(word[:-1]).endswith("c"):
        word = word[:-1] + "i"
    return _final(_replaced(_replaced(_derived(word), _STEP_3, 0), _STEP_4, 1))


def _shape(word: str) -> str:
    """Return v for each vowel and c for each consonant; y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        shape += "v" if letter in "aeiou" or letter == "y" and shape.endswith("c") else "c"
    return shape


def _measure(word: str) -> int:
    """Return how many times a vowel is followed by a consonant."""
    return _shape(word).count("vc")


def _is_short(word: str) -> bool:
    """Tell whether a word ends in consonant, vowel, consonant but wxy, or is vowel, consonant."""
    shape = _shape(word)
    return shape == "vc" or shape.endswith("cvc") and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in "ed", "ing":
        if word.endswith(suffix) and "v" in _shape(word[: -len(suffix)]):
            return _mended(word[: -len(suffix)])
    return word


def _mended(word: str) -> str:
    """Return a stem without -ed or -ing as a word: hopp as hop, fil as file."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if word[-2:-1] == word[-1] and _shape(word).endswith("c"):
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _is_short(word) else word


def _derived(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]):
        return _derived(word[:-2])
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) else word
    return _replaced(word, _STEP_2, 0)


def _replaced(word: str, rules: tuple[tuple[str, str], ...], least: int) -> str:
    """Return the word with its suffix replaced, if the measure of the stem is above `least`."""
    for suffix, new in rules:
        if word.endswith(suffix):
            start = word[: -len(suffix)]
            fits = _measure(start) > least and (suffix != "ion" or start[-1] in "st")
            return start + new if fits else word
    return word


def _final(word: str) -> str:
    """Return a word without a last e, and with one l for two, where it is long enough."""
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or measure == 1 and not _is_short(word[:-1]):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
