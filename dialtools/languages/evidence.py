"""Which language a text looks like: by its script, else by the function words that languages list.

It is unsure where a script serves several languages that are not told apart here, where there are
few words, and where two languages fit about as well.
"""

import re
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from dialtools.languages import get, known
from dialtools.languages.scripts import LETTERS, compiled, of_letter, unicode_name

MOST = 50_000  # characters that are looked at
FEW = 15  # words
SHARE = 0.1  # of the words that function words should be: some 0.2 to 0.4 are, in UD treebanks
TIMES = 1.5  # how much more often those of the best language stand there
NEAR_NOTHING = 0.2  # share of letters of a script that are but single words and names
_LEAST = 3  # letters of another script; π is no Greek
_MANY = 100  # letters that tell by themselves
_BEGINNING = 300  # characters of a text that tell its script
_MARKS = {"@", "#", "/"}
_LINK = re.compile(r"\w+://\S+|[@#]\w+")
_ASCII = 0.9  # of a text in Latin letters: told at once
_KANA = 0.02  # of Japanese letters at least; a Chinese text may name a Japanese product
_OTHER_KANA = 0.3  # of letters in a text that is not Chinese
# of the scripts that serve one language in the main, by the code of ISO 15924
_ONLY = {
    "Hang": "ko",
    "Hebr": "he",
    "Thai": "th",
    "Grek": "el",
    "Geor": "ka",
    "Armn": "hy",
    "Khmr": "km",
    "Laoo": "lo",
    "Mymr": "my",
    "Taml": "ta",
    "Telu": "te",
    "Knda": "kn",
    "Mlym": "ml",
    "Sinh": "si",
    "Gujr": "gu",
    "Orya": "or",
    "Guru": "pa",
}
# letters of one language among several of its script
_TELLING = {"Cyrl": {"ru": "ыэъё", "uk": "іїєґ"}, "Arab": {"fa": "پچژگکی", "ur": "ٹڈڑںے"}}
_DEFAULT = {"Arab": "ar"}  # where no telling letter stands


class Guess(NamedTuple):
    """What a text looks like.

    lang: the tag of a language; "" where that is not sure.
    script: the name of the script of most of its letters, "" without letters.
    why: what speaks for it, or why it is not sure.
    others: tags of languages that it may be, if it is not sure.
    """

    lang: str
    script: str
    why: str
    others: tuple[str, ...] = ()

    def __str__(self) -> str:
        letters = f"{self.script} letters{f'; {self.why}' if self.why else ''}"
        return f"looks like {self.lang} ({letters})" if self.lang else f"not sure: {letters}"


class Evidence:
    """What speaks for each language in texts; it does not grow with them."""

    def __init__(self) -> None:
        self.characters = 0
        self.letters: Counter = Counter()
        self.words: Counter = Counter()

    def add(self, text: str) -> None:
        """Add a text, unless enough are known."""
        if self.characters < MOST:
            text = text[: MOST - self.characters]
            self.characters += len(text)
            self.letters.update(letter for letter in text if letter.isalpha())
            self.words.update(compiled(r"[\p{L}\p{M}]+").findall(text.lower()))

    def guess(self) -> Guess:
        """Return which language the texts look like."""
        scripts: Counter = Counter()
        for letter, number in self.letters.items():
            scripts[of_letter(letter)] += number
        if not scripts:
            return Guess("", "no", "")
        code = scripts.most_common(1)[0][0]
        named = next(
            letter for letter, _ in self.letters.most_common() if of_letter(letter) == code
        )
        script = unicode_name(named)
        if code == "Hani":
            return self._chinese_or_japanese()
        if code in _ONLY:
            return Guess(_ONLY[code], script, "")
        if code in _TELLING:
            return self._by_letters(code, script)
        return self._by_words(code, script)

    def _chinese_or_japanese(self) -> Guess:
        kana = sum(
            number
            for letter, number in self.letters.items()
            if compiled(r"[\p{Hiragana}\p{Katakana}]").match(letter)
        )
        han = sum(
            number for letter, number in self.letters.items() if compiled(r"\p{Han}").match(letter)
        )
        if kana > _KANA * (kana + han):
            return Guess("ja", "Japanese", "kana among them")
        return Guess("zh", "Chinese", "no kana among them")

    def _by_letters(self, code: str, script: str) -> Guess:
        counts = {
            lang: sum(self.letters[letter] for letter in letters)
            for lang, letters in _TELLING[code].items()
        }
        lang = max(counts, key=lambda lang: counts[lang])
        if counts[lang] > 5 * (sum(counts.values()) - counts[lang]):
            return Guess(lang, script, f"with {' '.join(_TELLING[code][lang])}")
        if not any(counts.values()) and code in _DEFAULT and self.words.total() >= FEW:
            return Guess(_DEFAULT[code], script, "")
        candidates = *filter(None, [_DEFAULT.get(code)]), *counts
        why = f"{', '.join(candidates)}, or another language"
        return Guess("", script, why, candidates)

    def _by_words(self, code: str, script: str) -> Guess:
        languages = [language for language in map(get, known()) if language.script == code]
        total = self.words.total()
        shares = {
            language.code: sum(
                self.words[word] for word in {*map(str.lower, language.facts["function_words"])}
            )
            / max(total, 1)
            for language in languages
        }
        best, *next_best = sorted(shares, key=lambda lang: -shares[lang]) or [""]
        second = shares[next_best[0]] if next_best else 0.0
        if not best:
            return Guess("", script, "no language with data has this script")
        if total < FEW:
            return Guess("", script, f"too few words: {total}", tuple(shares))
        why = f"words that are function words of a language: {best} {shares[best]:.0%}"
        if next_best:
            why += f", {next_best[0]} {second:.0%}"
        is_sure = shares[best] >= SHARE and shares[best] > TIMES * second
        return Guess(best if is_sure else "", script, why, () if is_sure else tuple(shares))


def is_latin(text: str, tag: str) -> bool:
    """Tell whether a language and a text seem, at first sight, to be written in Latin letters."""
    return _script_of(tag) == "Latn" and (
        text.isascii() or len(text.encode("ascii", "ignore")) > _ASCII * len(text)
    )


def is_foreign(text: str, tag: str = "en") -> bool | None:
    """Tell whether (nearly) all letters of a text are of other scripts than that of a language.

    None: that cannot be told.  A few letters tell nothing, and a post in Chinese may be a link, a
    name or "lol": Latin letters tell where there are many of them and no other.  Nothing is known
    of a language without data that shares its script with others.

    >>> is_foreign("안녕하세요! 또 만나요, OK?"), is_foreign("Zoë said 안녕"), is_foreign("🎉 12:30 π")
    (True, False, None)
    >>> is_foreign("안녕하세요", "zh"), is_foreign("lol", "zh"), is_foreign("私はこれがいい", "zh")
    (True, None, True)
    """
    script = _script_of(tag)
    if not script:
        return None
    letters = LETTERS[script]
    text = text[:_BEGINNING]
    text = _LINK.sub("", text) if _MARKS & {*text} else text
    expected = _count(rf"[{letters}]", text)
    if expected > NEAR_NOTHING * len(text):
        return script == "Hani" and _is_other_of_han(text, expected, tag)
    latin = _count(r"\p{Latin}", text)
    strange = _count(rf"[^\P{{L}}{letters}]", text)
    strange -= 0 if script == "Latn" else latin
    if strange >= _LEAST and expected < NEAR_NOTHING * (expected + strange):
        return True
    if not expected and latin >= _MANY:
        return True
    if script == "Hani" and _is_other_of_han(text, expected, tag):
        return True
    return False if expected else None


def _is_other_of_han(text: str, letters: int, tag: str) -> bool:
    """Tell whether a text is Japanese where it should be Chinese, or the reverse."""
    kana = _count(r"[\p{Hiragana}\p{Katakana}]", text)
    if tag.startswith("ja"):
        return not kana and letters >= _MANY
    return tag.startswith("zh") and kana > _LEAST and kana > _OTHER_KANA * letters


def _count(pattern: str, text: str) -> int:
    return len(compiled(pattern).findall(text))


@lru_cache(maxsize=256)
def _script_of(tag: str) -> str | None:
    """Return the code of the script of a language, that of its tag before the usual one."""
    code, *subtags = tag.replace("_", "-").split("-")
    written = next((subtag.title() for subtag in subtags if subtag.title() in LETTERS), None)
    usual = {lang: script for script, lang in _ONLY.items()} | {
        lang: script for script, langs in _TELLING.items() for lang in langs
    }
    if written or code.lower() in usual:
        return written or usual[code.lower()]
    return get(tag).script if code.lower() in known() else None
