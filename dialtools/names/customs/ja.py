"""Customs of Japanese: family names and given names, their readings in kana, 健ちゃん of 健太."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from unicodedata import normalize

from dialtools.languages.scripts import TO_HIRAGANA, TO_KATAKANA, compiled
from dialtools.names import forms as name_forms
from dialtools.names import full_names
from dialtools.names.customs import Customs, Forms
from dialtools.names.lexicon import Lexicon

_FAMILIAR = ("ちゃん", "くん", "君")
# what str.translate needs to write katakana in half width, a sound mark as a letter of its own
_HALF_WIDTHS = {
    ord(full): pair
    for letter in (*map(chr, range(0xFF66, 0xFF9E)), "ｰ")
    for pair in (letter + "ﾟ", letter + "ﾞ", letter)
    if len(full := normalize("NFKC", pair)) == 1
}


def family_and_given(name: str, lexicon: Lexicon) -> tuple[str, str]:
    """Return the halves of a name of four characters, of which nothing is known."""
    return (name[:2], name[2:]) if len(name) == 4 and full_names.is_han(name) else ("", "")


def forms(name: str, new: str, rows: Sequence[dict], lexicon: Lexicon) -> Forms:
    """Return the forms of the parts of a name, and its readings in kana."""
    derived = name_forms.of_parts(name, new, lexicon)
    pairs = name_forms.paired(name, new, lexicon)
    if len(pairs) > 1:
        olds, news = zip(*pairs, strict=True)
        derived |= _kana(_reading(olds, lexicon), _reading(news, lexicon))
    old_reading, new_reading = (
        row.get("reading") or _hiragana(word) for word, row in zip((name, new), rows, strict=True)
    )
    return derived | _kana(old_reading, new_reading)


def _kana(old: str, new: str) -> Forms:
    """Return a reading in hiragana, katakana and half-width katakana; nothing if there is none."""
    if not old:
        return {}
    katakana = {old.translate(TO_KATAKANA): new.translate(TO_KATAKANA) or None}
    half_width = {
        full.translate(_HALF_WIDTHS): to and to.translate(_HALF_WIDTHS)
        for full, to in katakana.items()
    }
    return {old: new or None} | katakana | half_width


def _reading(words: Iterable[str], lexicon: Lexicon) -> str:
    """Return the reading of several words as one, "" if that of one is not known."""
    readings = [lexicon.row(word).get("reading") or _hiragana(word) for word in words]
    return "".join(readings) if all(readings) else ""


def _hiragana(text: str) -> str:
    """Return a text of kana alone as hiragana, "" for any other."""
    hiragana = text.translate(TO_HIRAGANA)
    is_kana = all("ぁ" <= letter <= "ゖ" or letter == "ー" for letter in hiragana)
    return hiragana if is_kana else ""


def undeclared(name: str, known: Collection[str], lexicon: Lexicon) -> set[str]:
    """Return the parts of a full name, and 健ちゃん of 健太, たろちゃん of 太郎 if nobody is called so."""
    parts = [part.text for part in full_names.parts(name, lexicon) if part.kind]
    parts = parts or [part for part in family_and_given(name, lexicon) if part]
    given_name = full_names.given(name, lexicon) or name
    reading = lexicon.row(given_name).get("reading") or given_name
    beginning = compiled(r"(?:\p{Hiragana}[ゃゅょ]?+){2}(?=.)").match(reading)
    shorts = {beginning[0], beginning[0].translate(TO_KATAKANA)} if beginning else set()
    if len(given_name) > 1 and "一" <= given_name[0] <= "鿿":
        shorts.add(given_name[0])
    return {*parts, *(short + title for short in shorts - {*known} for title in _FAMILIAR)}


def namesakes(forms: Iterable[str], text: str, lexicon: Lexicon) -> Iterator[str]:
    """Yield full names in a text that share only one part with the forms: 田中花子 of a 田中.

    A family name is followed by a given name that is known, or that ends as given names do; before
    a known given name stands a family name.
    """
    known, surnames = set(forms), lexicon.families
    for form in known:
        if form not in text:
            continue
        if form in surnames:
            behind = compiled(rf"{form}(\s?)(\p{{Han}}{{1,3}}|\p{{Hiragana}}{{3,4}})")
            for match in behind.finditer(text):
                given_name = _given_that_begins(match[2], lexicon)
                if given_name and given_name not in known:
                    yield form + match[1] + given_name
        elif form in lexicon.given_names and compiled(r"\p{Han}+").fullmatch(form):
            for match in compiled(rf"(\p{{Han}}{{1,3}})(\s?){form}").finditer(text):
                endings = (match[1][-size:] for size in (3, 2, 1))
                family = next((ending for ending in endings if ending in surnames), "")
                if family and family not in known:
                    yield family + match[2] + form


def _given_that_begins(text: str, lexicon: Lexicon) -> str:
    """Return the longest given name that a text begins with, or two letters that end as given
    names do; else "".
    """
    ends = lexicon.facts.get("names_end_in", "")
    known = lexicon.given_names
    for size in range(min(len(text), 4), 0, -1):
        if text[:size] in known or size == 2 and text[1] in ends:
            return text[:size]
    return ""


CUSTOMS = Customs(
    family_and_given=family_and_given, forms=forms, undeclared=undeclared, namesakes=namesakes
)
