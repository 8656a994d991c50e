"""Hit the wrong key: substitute, transpose, omit or double a letter.

Each word changes with the given rate, by one letter: half of the errors put
a neighbouring key's letter instead, the others exchange it with the next one,
leave it out or write it twice (20, 15 and 15 %).  Keys are neighbours if
their centres are at most 1.3 key widths apart.  Names stay (speakers, words
with a capital inside a sentence, tokens tagged PROPN), and so do addresses,
placeholders, hashtags, words with digits and words of one letter.

Source: spelling errors, section 3.1 of "Evaluating Robustness of Open Dialogue
Summarization Models in the Presence of Naturally Occurring Variations", rate
0.2.  Unlike Yorke's butter-fingers no error leaves the letter as it was, none
is by a distant key, and case is kept.

>>> from random import Random
>>> perturb({"text": "see you soon", "lang": "en"}, Random(1))
[['/text', 0, 1, 's', '']]
"""

import functools
from random import Random

from dialtools import dialogue, languages, words
from dialtools.errors import RecordError

REACH = 1.3  # key widths between the centres of neighbours
KINDS, SHARES = ("substitute", "transpose", "omit", "double"), (0.50, 0.20, 0.15, 0.15)


def perturb(record: dict, rng: Random, *, rate: float = 0.2) -> list[list]:
    """Return an edit for each word that is mistyped; rate: probability of a word, from 0 to 1."""
    words.check_rate(rate)
    keys = neighbours(record.get("lang", "en"))
    names = _proper_nouns(record)
    edits = []
    for pointer, text in dialogue.utterances(record):
        for word in words.words(text):
            if _may_change(word, names, keys) and rng.random() < rate:
                edits.append([pointer, *_mistyped(word, rng, keys)])
    return edits


@functools.lru_cache(maxsize=None)
def neighbours(lang: str) -> dict[str, str]:
    """Return the letters on the keys around each letter's key, in the layout of a language."""
    layout = languages.keyboard(lang)
    if layout is None or languages.load(lang)["script"] != "Latn":  # elsewhere a key is not a letter
        raise RecordError(f"typo.keyboard is not defined for the language {lang}")
    rows = enumerate(zip(layout["rows"], layout["offsets"], strict=True))
    keys = [(letter, column + offset, row) for row, (letters, offset) in rows
            for column, letter in enumerate(letters) if letter.isalpha()]
    return {letter: "".join(other for other, at, line in keys
                            if other != letter and (at - x) ** 2 + (line - y) ** 2 <= REACH ** 2)
            for letter, x, y in keys}


def _proper_nouns(record: dict) -> set[str]:
    """Return, in lower case, the words of the speakers' names and those that are tagged as names."""
    turns = dialogue.turns(record)
    names = {word.text for name in dialogue.speakers(turns) for word in words.words(name)}
    tokens = (token for part in (*turns, record) for token in part.get("tokens") or ())
    tagged = {token["form"] for token in tokens if token.get("upos") == "PROPN"}
    return {name.lower() for name in names | tagged}


def _may_change(word: words.Word, names: set[str], keys: dict[str, str]) -> bool:
    lower = word.text.lower()
    plain = word.text == lower or (word.first and word.text[1:] == lower[1:])
    # a letter with a combining mark is no key either, and must not be parted from it
    return plain and len(lower) > 1 and lower not in names and all(letter in keys or letter in "'’" for letter in lower)


def _mistyped(word: words.Word, rng: Random, keys: dict[str, str]) -> list:
    """Return [start, end, before, after] for one letter of a word, or for two that are exchanged."""
    letters = [at for at, letter in enumerate(word.text) if letter.lower() in keys]
    kind, = rng.choices(KINDS, SHARES)
    at = rng.choice(letters)
    letter, following = word.text[at], word.text[at + 1:at + 2]
    start = word.start + at
    if kind == "transpose" and following.isalpha() and following.lower() != letter.lower():
        return [start, start + 2, letter + following, _cased(following, letter) + _cased(letter, following)]
    if kind == "omit":
        return [start, start + 1, letter, ""]
    if kind == "double":
        return [start, start + 1, letter, letter + letter.lower()]
    return [start, start + 1, letter, _cased(rng.choice(keys[letter.lower()]), letter)]


def _cased(letter: str, like: str) -> str:
    return letter.upper() if like.isupper() else letter
