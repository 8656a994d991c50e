"""Full names and titles: what stands before and after a name, and where its family name ends."""

import functools

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import compiled
from dialtools.names import customs

_SIGN = r"[\p{So}\u200d\ufe0f\U0001f3fb-\U0001f3ff]+"  # emoji and their like
_REMARK = r"[(（][^()（）]+[)）]"
# What may stand around a name in a label: signs, bold type, and behind it a remark (Anna (host)).
_BEFORE = rf"{_SIGN}\s*(?=.*\p{{L}})|\*{{1,3}}(?=.*\p{{L}}.*\*(?:\s|{_SIGN}|{_REMARK})*$)"
_AFTER = rf"\s*(?:{_SIGN}|{_REMARK})|(?<=^\*.+)\*{{1,3}}"
_SIGNED = rf"(?s)((?:{_BEFORE})*)(?|(\S*?[\p{{L}}\p{{N}}].*?)((?:{_AFTER})+)|(.*)())"


@functools.lru_cache(maxsize=4096)
def untitled(name: str, language: Language) -> tuple[str, str, str]:
    """Return the titles before a name, in any case, the name itself, and the title after it, each
    with its space.

    What `unsigned` takes away is no part of the name either.

    >>> from dialtools.languages import get
    >>> untitled("Pak Budi", get("id")), untitled("김서연 씨", get("ko"))
    (('Pak ', 'Budi', ''), ('', '김서연', ' 씨'))
    >>> untitled("**Ann**", get("en")), untitled("田中さん (司会)", get("ja"))
    (('**', 'Ann', '**'), ('', '田中', 'さん (司会)'))
    """
    first, label, last = unsigned(name)
    before, bare, after = _titles(language).fullmatch(label).groups("")
    return first + before, bare, after + last


@functools.lru_cache(maxsize=4096)
def unsigned(name: str) -> tuple[str, str, str]:
    """Return the signs, bold type and remarks around a name in a label, and between them the name,
    with its titles.

    >>> unsigned("Ann (host)"), unsigned("**Mr. Bell** 🙂")
    (('', 'Ann', ' (host)'), ('**', 'Mr. Bell', '** 🙂'))
    """
    return compiled(_SIGNED).fullmatch(name).groups("")


@once_per_language
def _titles(language: Language):
    import regex

    before, after = (
        "|".join(sorted(map(regex.escape, language.facts[key]), key=len, reverse=True)) or "(?!)"
        for key in ("titles_before", "titles_after")
    )
    is_word = r"(?<!\p{Latin}(?=\p{Latin}))"  # no III of VIII, but the さん of Tomさん
    return regex.compile(rf"((?:(?i:{before})\s+)*)(.*?)(\s*{is_word}(?:{after}))?", regex.DOTALL)


def full(name: str, language: Language) -> tuple[str, str]:
    """Return the family name and the given one of a full name, "" for what it has not.

    Full names are Chinese ones of two to four characters, Korean ones whose
    given name has two and does not end as 구매자 (buyer) does, and Japanese
    ones of four, of which nothing is known.

    >>> from dialtools.languages import get
    >>> [full(name, get("zh")) for name in ("王芳", "诸葛亮", "王老师")]
    [('王', '芳'), ('诸葛', '亮'), ('王', '')]
    >>> [full(name, get("ko")) for name in ("김민준", "김 과장님")]
    [('김', '민준'), ('김', '')]
    """
    return customs.of(language).full(name, language)


@functools.lru_cache(maxsize=4096)
def titled(form: str, language: Language) -> str:
    """Return the family name in a form that is no more than it and a title (王老师, 小张), "" for any
    other.
    """
    family, given = full(form, language)
    return "" if given else family


def is_han(name: str) -> bool:
    """Is a name of Han characters alone?"""
    return all("一" <= char <= "鿿" for char in name)
