"""Undeclared forms that may mean one of the names of a record: they are kept and listed.

They are parts of a name, its short forms and spellings, words of the text that resemble it
(clipped, familiar or misspelt), and full names of somebody else that hold it (`namesakes`).
"""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import ENDS, JOINED, compiled
from dialtools.names import forms as name_forms
from dialtools.names import full_names, namesakes, roster, search
from dialtools.names import lexicon as lexicons
from dialtools.names.forms import key
from dialtools.names.lexicon import Lexicon
from dialtools.names.record_texts import RecordTexts

_FORM, _FORM_OF_SEVERAL = "may be a form of a name", "ambiguous: may be a form of several names"
OF_OTHERS = "perhaps the name of somebody else"
_UMLAUTS = "ä ae ö oe ü ue Ä Ae Ö Oe Ü Ue ß ss ø oe Ø Oe å aa Å Aa æ ae Æ Ae".split()
_LETTERS = {ord(letter): plain for letter, plain in zip(_UMLAUTS[::2], _UMLAUTS[1::2], strict=True)}
_BETWEEN = " -.'’・"  # what stands within names, and is left out or written in another way
LEAST = 3  # letters of a clipped name
_ROOMY = 5  # letters of a name in which one may be wrong
_LONG = 6  # letters of a name whose vowels within may be others: Jonathan, Jonathon
_FAMILIAR = ("y", "ie", "ey", "i", "s", "es", "z", "x")  # end clipped names: Debs, Jules, Alex
# re looks for the capital first, and is faster than regex
_CAPITALISED = re.compile(r"[A-Z](?<![\w@#'’-].)[a-z]{2,}(?![\w-])")
# letters of one sound; each is replaced after those before it
_SOUNDS = (("ph", "f"), ("v", "f"), ("chr", "kr"), ("ck", "k"), ("c", "k"), ("z", "s"))
_SILENT, _DOUBLED = re.compile("(?<!^k)(?<=.)h"), re.compile(r"(.)\1+")
_WITHIN = re.compile("(?<=.)[aeiou]+(?=.)")


def forms(names: Mapping[str, str], source: RecordTexts) -> dict[str, str]:
    """Return forms that may mean one of the names, each with why it is left.

    A form is a short or a full form (Bob for Robert or Rob, 健ちゃん for 健太), a
    word that resembles the name (Spence for Spencer, Jules for Juliet, Meggan
    for Megan), a part of a name (John of John Smith, Jean of Jean-Luc, 山田 of
    山田太郎, where that gets no family name), another full name with a part of it
    (山田花子, Taylor Swift where Taylor speaks), a family name with a title (박
    선생님), what stands before a title (구매자 of 구매자님) or another spelling (Jose
    for José, Juergen for Jürgen, OBrien, bob for @bob, Annnna).  Names of
    people in the record are left out.  Forms listed in lower case, as spellings
    are, may be so written; other forms, except names of others, are then words.
    """
    if not names:
        return {}
    lexicon, text = source.lexicon, source.whole
    labels = roster.labels(source.record.get("people") or [])
    known = {*map(key, (*names, *source.speakers, *labels))}
    strangers = [*namesakes.of_others(names, source, known)]
    if of_language := lexicon.customs.namesakes:
        strangers += of_language(name_forms.of_all(names, {}, lexicon), text, lexicon)
    why_left = dict.fromkeys(strangers, OF_OTHERS)

    kin_of = _known_names(lexicon.language).kin
    lower, odd_words, words = (
        text.lower(),
        _odd_words(text),
        _words_like_names(text, lexicon, known),
    )
    for name in names:
        bare = full_names.untitled(name, lexicon)[1] or name
        spellings = {*_spellings(bare, odd_words)}
        # what else the table of short forms calls a person: Deborah or Deb for Debbie
        plain = _plain(bare.partition(" ")[0])
        kin = kin_of.get(plain) or (kin_of.get(_sound(plain), set()) if kin_of else set())
        alike = {form for form in kin if form.lower() in lower}
        alike |= _resembling(bare, words, lexicon)
        parts = _parts(name, lexicon, known)
        for form in parts | alike | spellings | {*map(str.lower, spellings)}:
            if key(form) not in known:
                why_left[form] = _FORM_OF_SEVERAL if form in why_left else _FORM
    return why_left


def _parts(name: str, lexicon: Lexicon, known: set[str]) -> set[str]:
    """Return the parts of a name, its familiar forms, and it without its titles.

    Its words are parts (Jean of Jean-Luc), or the one in marks ([Ann]), but no titles nor initials.
    """
    bare = full_names.untitled(name, lexicon)[1]
    label = bare if full_names.parts(name, lexicon) else name  # Host (Ann) is not called Host
    parts = {bare if len(bare) > 1 else name}
    if undeclared := lexicon.customs.undeclared:
        parts |= undeclared(bare, known, lexicon)
    if not label.isalpha() or not label.isascii():
        words = [*compiled(r"['’]s\b|[^\p{L}\p{M}\p{N}'’_]+").split(label), *label.split()]
        no_names = {*lexicon.facts["titles_before"], *lexicon.facts["function_words"]}
        is_long = compiled(rf"\p{{L}}[\p{{L}}\p{{M}}'’-]{{2,}}|[{JOINED}]{{2,}}").fullmatch
        parts |= {
            word
            for word in words
            if word != label and is_long(word) and no_names.isdisjoint((word, word.lower()))
        }
    return parts


def _spellings(name: str, odd_words: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield a name without accents, umlauts and its @, with other marks within (OBrien, J.R. of
    JR), and odd words.
    """
    yield lexicons.plain(name)
    yield name.translate(_LETTERS)
    if name[:1] == "@" and len(name) > 2:
        yield name[1:]
    for mark in _BETWEEN:
        if mark in name.strip(mark):
            yield from (name.replace(mark, instead).strip() for instead in ("", " ", "-"))
    if re.fullmatch("[A-Z]{2,3}", name):
        yield ".".join(name)
    for skeleton in _skeletons(name) if odd_words else ():
        yield from odd_words.get(skeleton, ())


def _odd_words(text: str) -> dict[str, list[str]]:
    """Return the words of a text that have accents, or letters stretched within them, by their
    skeletons.
    """
    odd_words: dict[str, list[str]] = {}
    letter = "[a-zA-Z]" if text.isascii() else r"[^\W\d_]"
    # regex takes five times as long, some 8 % of the command's time
    stretched = re.search(rf"({letter})\1\1", text)
    if text.isascii() and not stretched:
        return odd_words
    for word in sorted(set(compiled(r"(?V1)[\p{Latin}][\p{Latin}\p{M}-]+").findall(text))):
        within = stretched and compiled(r"(?i)(\p{L})\1\1+(?!\1|$)").search(word)
        for skeleton in _skeletons(word) if within or not word.isascii() else ():
            if within or not skeleton.startswith("~"):
                odd_words.setdefault(skeleton, []).append(word)
    return odd_words


def _skeletons(word: str) -> set[str]:
    """Return a word without accents in lower case, in both ways, and these without doubled
    letters, behind ~.
    """
    plain = {_plain(word), _plain(word.translate(_LETTERS))}
    return plain | {"~" + re.sub(r"(.)\1+", r"\1", letters) for letters in plain}


class _Words(NamedTuple):
    """The words of a text that may be names, as written, by what they may share with a name."""

    known: dict[str, list[str]]
    stems: dict[str, list[str]]  # with a familiar ending, and without
    sounds: dict[str, list[str]]
    without_a_letter: dict[str, list[str]]  # of unknown names


def _words_like_names(text: str, lexicon: Lexicon, known: Collection[str]) -> _Words:
    """Return the capitalised words of a text that may be names, but those whose keys are known.

    A word of the language is not a name, nor a word that the text also has in lower case.  An
    unknown name must stand within a sentence, without another capital after it (San Francisco).
    """
    words, known_names = _Words({}, {}, {}, {}), _known_names(lexicon.language)
    capitalised = (
        _CAPITALISED
        if text.isascii()
        else compiled(r"(?<![\w@#'’-])\p{Lu}[\p{Ll}\p{M}]{2,}(?![\w-])")
    )
    is_within: dict[str, bool] = {}
    for match in capitalised.finditer(text):
        word = match[0]
        if word.lower() in known_names.no_names or key(word) in known:
            continue
        start, end = match.span()
        opens = start < 2 or text[start - 1] != " " or text[start - 2] in f'{ENDS}:"“”¡¿- '
        goes_on = text[end : end + 1] == " " and text[end + 1 : end + 2].isupper()
        is_within[word] = is_within.get(word, False) or not opens and not goes_on

    letter = "[a-z]" if text.isascii() else r"\w"
    for word, within in sorted(is_within.items()):
        plain, lower = _plain(word), word.lower()
        is_known = plain in known_names.plain
        if not (within or is_known):
            continue
        if lower in text and re.search(rf"(?<!{letter}){re.escape(lower)}(?!{letter})", text):
            continue
        keys: tuple[Collection[str], ...] = (
            {plain} if is_known else (),
            {plain, *_stems(plain)},
            {_sound(plain)} if len(plain) > LEAST else (),
            without_a_letter(plain) if not is_known and len(plain) >= _ROOMY - 1 else (),
        )
        for words_by, shared in zip(words, keys, strict=True):
            for shared_key in shared:
                words_by.setdefault(shared_key, []).append(word)
    return words


def _resembling(name: str, words: _Words, lexicon: Lexicon) -> set[str]:
    """Return the words of a text that may be forms of a name, judging by its first word.

    Such a word has a capital, is not a word of the language, and is a beginning of the name of at
    least three letters, perhaps with a familiar ending (Spence, Jules), a known name at its end
    (Beth), or another spelling (Bryan for Brian, Meggan for Megan).  A name of another gender is
    left out (Alexa for Alexander), and so are forms that are found as the name itself.
    """
    from rapidfuzz.distance import OSA

    first = name.partition(" ")[0]
    plain = _plain(first)
    if len(plain) < LEAST or not words.stems:
        return set()
    if not compiled(r"\p{Lu}[\p{Ll}\p{M}]+").fullmatch(first):
        return set()

    # a name begins with them or ends in them, disregarding familiar endings
    stems = {plain, *_stems(plain)}
    beginnings = {stem[:end] for stem in stems for end in range(LEAST, len(stem) + 1)}
    endings = [
        plain[start:] for start in range(2, len(plain) - LEAST) if plain[start] not in "aeiou"
    ]
    clipped = chain(
        *(words.stems.get(beginning, ()) for beginning in beginnings),
        *(words.known.get(ending, ()) for ending in endings),
    )
    alike = {word for word in clipped if not _are_apart(plain, word, lexicon)}
    if len(plain) > LEAST:
        alike.update(words.sounds.get(_sound(plain), ()))
    if len(plain) >= _ROOMY:
        alike |= {
            word
            for shared in without_a_letter(plain)
            for word in words.without_a_letter.get(shared, ())
            if OSA.distance(plain, _plain(word), score_cutoff=1) == 1
        }
    alike.discard(first)
    return {
        word
        for word in alike
        if not any(search.mentions(word, [first], lexicon))
        and {full_names.gender(word, lexicon), full_names.gender(first, lexicon)} != {"f", "m"}
    }


def _are_apart(name: str, word: str, lexicon: Lexicon) -> bool:
    """Does the table of short forms know a word as another name: Marty is not Martha, nor Mary
    Marin?
    """
    plain, known_names = _plain(word), _known_names(lexicon.language)
    kin = known_names.kin
    is_part = name.startswith(plain) or name.endswith(plain)
    if plain in known_names.with_short_forms and not is_part:
        return True
    return plain in kin and name in kin and word not in kin[name]


class _KnownNames(NamedTuple):
    """What a language knows that words may be taken for."""

    no_names: frozenset[str]  # words that are not names, in lower case
    plain: frozenset[str]  # names that the language and English know, plain and in lower case
    kin: dict[str, set[str]]  # {name so, or its sound: its full names and their short forms}
    with_short_forms: frozenset[str]  # full names of the table of short forms, likewise


@once_per_language
def _known_names(language: Language) -> _KnownNames:
    lexicon = lexicons.of(language)
    kinds = ("function_words", "capitalised", "calls", "titles_before")
    no_names = {word for kind in kinds for word in language.facts[kind]} | language.roles
    names = lexicon.genders.keys() | lexicons.english().genders.keys()

    groups: dict[str, set[str]] = {}
    for row in lexicon.nicknames:
        groups.setdefault(row["name"], {row["name"]}).add(row["short"])
    by_name: dict[str, set[str]] = {}
    by_sound: dict[str, set[str]] = {}
    for group in groups.values():
        for plain in map(_plain, group):
            by_name.setdefault(plain, set()).update(group)
    for plain, group in by_name.items():
        by_sound.setdefault(_sound(plain), set()).update(group)
    return _KnownNames(
        language.words.union(map(str.lower, no_names)),
        frozenset(name if name.isascii() else lexicons.plain(name) for name in names),
        by_sound | by_name,
        frozenset(map(_plain, groups)),
    )


def _plain(word: str) -> str:
    """Return a word in lower case, without accents if it is a Latin one."""
    return (word if word.isascii() else lexicons.plain(word)).lower()


def _stems(word: str) -> set[str]:
    """Return a word without its familiar ending, with and without a doubled letter: debb, deb."""
    cut = [word.removesuffix(ending) for ending in _FAMILIAR if word.endswith(ending)]
    single = [re.sub(r"(.)\1$", r"\1", stem) for stem in cut]
    return {stem for stem in (*cut, *single) if len(stem) >= LEAST}


def _sound(word: str) -> str:
    """Return what spellings of one name have in common.

    >>> _sound("katherine") == _sound("catherine"), _sound("maria") == _sound("mario")
    (True, False)
    """
    for letters, sound in _SOUNDS:
        word = word.replace(letters, sound)
    if word.endswith("ie"):
        word = word[:-1]
    word = _DOUBLED.sub(r"\1", _SILENT.sub("", word.replace("y", "i")))
    return _WITHIN.sub("e", word) if len(word) >= _LONG else word


def without_a_letter(word: str) -> set[str]:
    """Return a word, and it without each of its letters in turn: what two that differ in one have
    in common.
    """
    return {word, *(word[:place] + word[place + 1 :] for place in range(len(word)))}
