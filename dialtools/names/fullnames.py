"""Full names and titles: what stands before and after a name, and where its family name ends."""

import functools

from dialtools import languages
from dialtools.languages.scripts import compiled

_SIGN = r"[\p{So}\u200d\ufe0f\U0001f3fb-\U0001f3ff]+"  # emoji and their like
_REMARK = r"[(（][^()（）]+[)）]"
# What may stand around a name in a label: signs, bold type, and behind it a remark (Anna (host)).
_BEFORE = rf"{_SIGN}\s*(?=.*\p{{L}})|\*{{1,3}}(?=.*\p{{L}}.*\*(?:\s|{_SIGN}|{_REMARK})*$)"
_AFTER = rf"\s*(?:{_SIGN}|{_REMARK})|(?<=^\*.+)\*{{1,3}}"
_SIGNED = rf"(?s)((?:{_BEFORE})*)(?|(\S*?[\p{{L}}\p{{N}}].*?)((?:{_AFTER})+)|(.*)())"


@functools.lru_cache(maxsize=4096)
def untitled(name: str, lang: str) -> tuple[str, str, str]:
    """Return the titles before a name, in any case, the name itself, and the title after it, each with its space.

    What `unsigned` takes away is no part of the name either.

    >>> untitled("Pak Budi", "id"), untitled("김서연 씨", "ko"), untitled("**Ann**", "en"), untitled("田中さん (司会)", "ja")
    (('Pak ', 'Budi', ''), ('', '김서연', ' 씨'), ('**', 'Ann', '**'), ('', '田中', 'さん (司会)'))
    """
    first, label, last = unsigned(name)
    before, bare, after = _titles(lang).fullmatch(label).groups("")
    return first + before, bare, after + last


@functools.lru_cache(maxsize=4096)
def unsigned(name: str) -> tuple[str, str, str]:
    """Return the signs, bold type and remarks around a name in a label, and between them the name, with its titles.

    >>> unsigned("Ann (host)"), unsigned("**Mr. Bell** 🙂")
    (('', 'Ann', ' (host)'), ('**', 'Mr. Bell', '** 🙂'))
    """
    return compiled(_SIGNED).fullmatch(name).groups("")


@functools.lru_cache(maxsize=None)
def _titles(lang: str):
    import regex

    before, after = ("|".join(sorted(map(regex.escape, languages.load(lang)[key]), key=len, reverse=True)) or "(?!)"
                     for key in ("titles_before", "titles_after"))
    is_word = r"(?<!\p{Latin}(?=\p{Latin}))"  # no III of VIII, but the さん of Tomさん
    return regex.compile(rf"((?:(?i:{before})\s+)*)(.*?)(\s*{is_word}(?:{after}))?", regex.DOTALL)


def full(name: str, lang: str) -> tuple[str, str]:
    """Return the family name and the given one of a full name, "" for what it has not.

    Full names are Chinese ones of two to four characters, Korean ones whose
    given name has two and does not end as 구매자 (buyer) does, and Japanese
    ones of four, of which nothing is known.

    >>> full("王芳", "zh"), full("诸葛亮", "zh"), full("王老师", "zh"), full("김민준", "ko"), full("김 과장님", "ko")
    (('王', '芳'), ('诸葛', '亮'), ('王', ''), ('김', '민준'), ('김', ''))
    """
    tag = languages.tag(lang)
    if tag == "zh":
        return _chinese(name)
    if tag == "ko":
        return _korean(untitled(name, lang)[1].replace(" ", ""))  # 김 민준
    return (name[:2], name[2:]) if tag == "ja" and len(name) == 4 and _is_han(name) else ("", "")


@functools.lru_cache(maxsize=4096)
def titled(form: str, lang: str) -> str:
    """Return the family name in a form that is no more than it and a title (王老师, 小张), "" for any other."""
    family, given = full(form, lang)
    return "" if given else family


def _chinese(name: str) -> tuple[str, str]:
    if not 2 <= len(name) <= 4 or not _is_han(name):
        return "", ""
    data = languages.load("zh")
    if len(name) == 2 and name[0] in "小老" and name[1] in data["surnames"]:
        return name[1], ""  # 小张, but not 小雨
    if name[0] in data["surnames"] + data["rare_surnames"] or name[:2] in data["surnames_of_two"]:
        size = _family_size(name)
        family, rest = name[:size], name[size:]
        is_title = untitled(rest, "zh")[2] != ""
        return family, "" if is_title else rest
    is_given = name[0] in data["titles_before"] or name[-1] in data["names_end_in"]
    return "", name if is_given else ""


def _korean(name: str) -> tuple[str, str]:
    known = {row["name"] for row in languages.table("ko", "families")}
    if name in known:
        return name, ""
    family, given = name[:-2], name[-2:]
    is_role = given[-1:] in languages.load("ko")["roles_end_in"] and given not in _pools("ko")
    return (family, given) if family in known and not is_role else ("", "")


@functools.lru_cache(maxsize=None)
def _pools(lang: str) -> frozenset[str]:
    return frozenset(row["name"] for pool in languages.tables(lang, "names")
                     for row in languages.table(lang, f"names/{pool}"))


def behind_family(name: str) -> str:
    """Return what follows the first character of a Chinese name, or its family name of two: 芳 of 王芳 and of 小芳."""
    return name[_family_size(name):]


def _family_size(name: str) -> int:
    return 2 if name[:2] in languages.load("zh")["surnames_of_two"] else 1


def _is_han(name: str) -> bool:
    return all("一" <= char <= "鿿" for char in name)
