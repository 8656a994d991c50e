"""Classes of letters by script, for the brackets of a pattern of `regex`; and such patterns."""

import functools
from typing import Any

CJK = r"\p{Han}\p{Hiragana}\p{Katakana}"
KATAKANA = r"\p{Katakana}ーｰﾞﾟ"
UNSPACED = CJK + r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー"  # no space between words
TO_HIRAGANA = {code: code - 0x60 for code in range(ord("ァ"), ord("ヶ") + 1)}  # for str.translate
TO_KATAKANA = {hiragana: katakana for katakana, hiragana in TO_HIRAGANA.items()}
JOINED = UNSPACED + r"\p{Hangul}"  # right after a name the next word may begin, or an ending
JOINERS = "\u200c\u200d"  # change the shape of a word, not the word
ENDS_BEFORE_SPACE = ".!?…।"  # what a sentence ends with
ENDS_ANYWHERE = "。！？"  # where there are no spaces
ENDS = ENDS_BEFORE_SPACE + ENDS_ANYWHERE
COMBINING = r"\p{M}\p{GCB=Extend}\u200d"  # people see them as one with the character before
# The letters of languages, by the code of ISO 15924 that their language.json has.
LETTERS = {
    "Hani": CJK + "ー",
    **{
        code: rf"\p{{{code}}}"
        for code in (
            "Latn",
            "Deva",
            "Hang",
            "Arab",
            "Armn",
            "Beng",
            "Cyrl",
            "Ethi",
            "Geor",
            "Grek",
            "Gujr",
            "Guru",
            "Hebr",
            "Khmr",
            "Knda",
            "Laoo",
            "Mlym",
            "Mymr",
            "Orya",
            "Sinh",
            "Taml",
            "Telu",
            "Thai",
        )
    },
}


@functools.lru_cache(maxsize=1024)
def compiled(pattern: str) -> Any:
    """Return a pattern of `regex`, compiled when it is first asked for; regex's own cache takes
    ten times as long.
    """
    import regex

    return regex.compile(pattern)


def of_letter(letter: str) -> str:
    """Return the code of a letter's script, or its name where no language has it here."""
    for code, letters in LETTERS.items():
        if compiled(f"[{letters}]").match(letter):
            return code
    return unicode_name(letter)


def unicode_name(letter: str) -> str:
    """Return the name of a letter's script, as Unicode has it: Latin, Cjk."""
    from unicodedata import name

    return name(letter, "unknown").partition(" ")[0].capitalize()
