"""Princeton WordNet, read from a folder of its files, such as Debian's wordnet-base.

index.POS has the senses of each lemma, the most frequent first, data.POS the words of each sense,
POS.exc the irregular forms; POS is noun, verb, adj or adv. A file is read when first needed.

Source: https://wordnet.princeton.edu/documentation (wndb, morphy).
"""

import functools
import os

from dialtools.records import history
from dialtools.system.errors import MissingError

POS = ("noun", "verb", "adj", "adv")
USUAL = "/usr/share/wordnet"
# Endings of forms and of their lemmas, as in morphy; ves is from later versions.
_ENDINGS = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}


def find(folder: str = "") -> str | None:
    """Return the given folder, $DIALTOOLS_WORDNET or Debian's folder of WordNet, else None.

    Raise MissingError if the given folder or that of the variable has no WordNet.
    """
    asked = folder or os.environ.get("DIALTOOLS_WORDNET", "")
    if asked and not os.path.isfile(os.path.join(asked, "index.adj")):
        raise MissingError(
            f"no WordNet in {asked}: there is no index.adj; Debian has one in its "
            "package wordnet-base"
        )
    return asked or (USUAL if os.path.isfile(os.path.join(USUAL, "index.adj")) else None)


def named(folder: str, *parts: str) -> str:
    """Return the name of a folder in signatures, with a digest of its files of parts of speech."""
    names = [name for pos in parts for name in (f"index.{pos}", f"data.{pos}", f"{pos}.exc")]
    paths = (os.path.join(folder, name) for name in names)
    return f"{folder}-{history.digits_of(*filter(os.path.isfile, paths))}"


def lemmas(folder: str, form: str, pos: str) -> list[str]:
    """Return the possible lemmas of a form in lower case, first itself if it is one."""
    irregular = _exceptions(folder, pos).get(form)
    regular = [
        form[: len(form) - len(ending)] + base
        for ending, base in _ENDINGS[pos]
        if form.endswith(ending) and len(form) > len(ending)
    ]
    known = _index(folder, pos)
    return [
        word
        for word in dict.fromkeys([form, *(regular if irregular is None else irregular)])
        if word in known
    ]


def senses(folder: str, lemma: str, pos: str) -> list[list[str]]:
    """Return the words of each sense of a lemma, the most frequent first; _ is a space."""
    return [_words(folder, pos, offset) for offset in _index(folder, pos).get(lemma, "").split()]


def synonyms(folder: str, form: str) -> set[str]:
    """Return all words that share a sense with a form, its own lemmas included."""
    return {
        word
        for pos in POS
        for lemma in lemmas(folder, form, pos)
        for words in senses(folder, lemma, pos)
        for word in words
    }


@functools.lru_cache(maxsize=None)
def _index(folder: str, pos: str) -> dict[str, str]:
    """Return {lemma: the offsets of its senses in data.POS}."""
    found = {}
    for line in _read(folder, f"index.{pos}").splitlines():
        if not line.startswith(" "):  # the licence
            lemma, _, number, rest = line.split(" ", 3)
            found[lemma] = " ".join(rest.split()[-int(number) :])
    return found


@functools.lru_cache(maxsize=None)
def _exceptions(folder: str, pos: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in _read(folder, f"{pos}.exc").splitlines():
        form, *bases = line.split()
        found.setdefault(form, []).extend(bases)
    return found


@functools.lru_cache(maxsize=None)
def _words(folder: str, pos: str, offset: str) -> list[str]:
    data, start = _read(folder, f"data.{pos}"), int(offset)
    number, *fields = data[start : data.index("\n", start)].split(" ")[3:]
    words = fields[
        : 2 * int(number, 16) : 2
    ]  # each with its number within the lexicographer's file
    return [word.partition("(")[0] for word in words]  # galore(ip): where it must stand


@functools.lru_cache(maxsize=None)
def _read(folder: str, name: str) -> str:
    try:
        with open(os.path.join(folder, name), encoding="latin-1") as file:  # offsets count bytes
            return file.read()
    except FileNotFoundError:
        raise MissingError(f"no WordNet in {folder}: there is no {name}") from None
