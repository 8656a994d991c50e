"""Princeton WordNet, read from a folder of its files, such as Debian's wordnet-base.

index.POS has the senses of each lemma, the most frequent first, data.POS the words of each sense,
POS.exc the irregular forms; POS is noun, verb, adj or adv. Files are read when first needed.

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
    pos: tuple(tuple(pair.split(":")) for pair in pairs.split())
    for pos, pairs in {
        "noun": "s: ses:s ves:f xes:x zes:z ches:ch shes:sh men:man ies:y",
        "verb": "s: ies:y es:e es: ed:e ed: ing:e ing:",
        "adj": "er: est: er:e est:e",
        "adv": "",
    }.items()
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


class PartOfSpeech:
    """The files of one part of speech."""

    def __init__(self, folder: str, pos: str):
        self.folder, self.pos = folder, pos
        self.data = _read(folder, f"data.{pos}")
        self.offsets: dict[str, str] = {}  # in data.POS, of the senses of each lemma
        for line in _read(folder, f"index.{pos}").splitlines():
            if not line.startswith(" "):  # the licence
                lemma, _, number, remainder = line.split(" ", 3)
                self.offsets[lemma] = " ".join(remainder.split()[-int(number) :])
        self._irregular: dict[str, list[str]] = {}
        self._words_at: dict[str, list[str]] = {}

    def lemmas(self, form: str) -> list[str]:
        """Return the possible lemmas of a form in lower case, first itself if it is one."""
        if not self._irregular:
            for line in _read(self.folder, f"{self.pos}.exc").splitlines():
                irregular, *bases = line.split()
                self._irregular.setdefault(irregular, []).extend(bases)
        bases = self._irregular.get(form, [])
        if form not in self._irregular:
            bases = [
                form[: len(form) - len(ending)] + base
                for ending, base in _ENDINGS[self.pos]
                if form.endswith(ending) and len(form) > len(ending)
            ]
        return [word for word in dict.fromkeys([form, *bases]) if word in self.offsets]

    def senses(self, lemma: str) -> list[list[str]]:
        """Return the words of each sense of a lemma, the most frequent first; _ is a space."""
        return [self._words(offset) for offset in self.offsets.get(lemma, "").split()]

    def _words(self, offset: str) -> list[str]:
        if offset not in self._words_at:
            line = self.data[int(offset) : self.data.index("\n", int(offset))]
            number, *fields = line.split(" ")[3:]
            # each with its number within the lexicographer's file; galore(ip): where it must stand
            words = fields[: 2 * int(number, 16) : 2]
            self._words_at[offset] = [word.partition("(")[0] for word in words]
        return self._words_at[offset]


def _read(folder: str, name: str) -> str:
    try:
        with open(os.path.join(folder, name), encoding="latin-1") as file:  # offsets count bytes
            return file.read()
    except FileNotFoundError:
        raise MissingError(f"no WordNet in {folder}: there is no {name}") from None


part_of_speech = functools.lru_cache(maxsize=None)(PartOfSpeech)


def synonyms(folder: str, form: str) -> set[str]:
    """Return all words that share a sense with a form, its own lemmas included."""
    return {
        word
        for pos in map(functools.partial(part_of_speech, folder), POS)
        for lemma in pos.lemmas(form)
        for words in pos.senses(lemma)
        for word in words
    }
