"""Who is in a record: speakers, declared people, and all forms of their names."""

import functools
from collections.abc import Iterable, Mapping, Sequence

from dialtools import dialogue, languages, wellformed
from dialtools.errors import RecordError
from dialtools.languages.scripts import LETTERS
from dialtools.names import families, fullnames, pools
from dialtools.names import forms as name_forms
from dialtools.names.encoding import key

_FORM, _FORM_OF_SEVERAL = "may be a form of a name", "ambiguous: may be a form of several names"
_OF_OTHERS = "perhaps the name of somebody else"


def people(record: dict, also: Iterable[str] = (), roles: bool = False) -> list[dict]:
    """Return {"name", "gender", "aliases"} of all who are to be renamed, speakers first, in the order of first turns.

    Roles such as Agent are people only if asked.  A record may declare people
    under "people": dicts with a name, and perhaps gender (f, m, u) and
    aliases; `also` are the names of more, who count where they occur.  Names
    that differ in case or encoding only are one, as it is written first.
    """
    lang = record["lang"]
    declared = {key(person["name"]): {name: value for name, value in person.items() if value is not None}
                for person in _declared(record)}
    speakers = [name.strip() for name in dialogue.speakers(dialogue.turns(record))]
    texts = "\n".join(text for _, text in dialogue.strings(record))
    names = [name for name in speakers if roles or not languages.is_role(name, lang)]
    names += [person["name"].strip() for person in declared.values()]
    names += [name for name in also if name in texts]
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(key(name), name)
    return [{"gender": pools.gender(name, lang), "aliases": [], **declared.get(same, {}), "name": name}
            for same, name in first.items()]


def _declared(record: dict) -> list[dict]:
    problem = wellformed.people_problem(record)
    if problem:
        raise RecordError(problem, record)
    return record.get("people") or []


def labels(people: Iterable[dict]) -> list[str]:
    """Return the names and the declared aliases of people."""
    return [label for person in people for label in (person["name"], *person["aliases"])]


def is_romanised(record: dict) -> bool:
    """Is a record of a language with a script of its own (hi, zh, …) written in Latin letters?"""
    import regex

    letters, latin = languages.letters(record["lang"]), LETTERS["Latn"]
    return letters != latin and not any(regex.search(f"[{letters}]", text) for _, text in dialogue.strings(record)) \
        and any(regex.search(latin, holder["text"]) for holder in dialogue.holders(record))


def writing(record: dict) -> str:
    """Return how a record writes names, if not as the pools of its language do: "latin", "traditional", else ""."""
    if is_romanised(record):
        return "latin"
    return "traditional" if languages.tag(record["lang"]) == "zh" and _is_traditional(record) else ""


def written_as(how: str, pool: Sequence[dict]) -> Sequence[dict]:
    """Return a pool with its names in Latin letters, or in traditional characters, as `writing` says."""
    if how == "latin":
        return [{**row, "name": row.get("latin") or row["name"]} for row in pool]
    if how == "traditional":
        return [{**row, "name": row["name"].translate(pools.to_traditional())} for row in pool]
    return pool


def _is_traditional(record: dict) -> bool:
    """Does a Chinese record hold more characters that only traditional script has than such of simplified script?"""
    letters = {ord(letter) for _, text in dialogue.strings(record) for letter in set(text)}
    return len(letters & pools.to_simplified().keys()) > len(letters & pools.to_traditional().keys())


def forms(names: Mapping[str, str], declared: Mapping[str, str | None], lang: str,
          readings: Iterable[Sequence[str]] = ()) -> dict[str, str | None]:
    """Return each form of all names with what it becomes; None where the new name has no such form.

    Names come first, then declared aliases, as `aliases` returns them, then
    what follows from the language (readings, widths, familiar forms).  A form
    that two people share becomes "": it is left and reported.
    """
    found: dict[str, str | None] = {**declared, **names}
    derived: dict[str, str | None] = {}
    known = tuple((name, reading, latin) for name, reading, latin in readings)
    for old, new in names.items():
        for form, to in name_forms.of(old, new, lang, known).items():
            if form not in found:
                derived[form] = to if derived.get(form, to) == to else ""
    return found | derived


def aliases(people: Iterable[dict], names: Mapping[str, str], lang: str) -> dict[str, str | None]:
    """Return what declared aliases become: the initial of J. Smith follows the new name, else it is the new name.

    An alias without a title gets none (Anna of Dr. Anna Smith).  One that two
    people share becomes "": it is left and reported.
    """
    found: dict[str, str | None] = {}
    for person in people:
        old, new = person["name"], names.get(person["name"])
        for alias in person["aliases"] if new else ():
            bare, to = name_forms.untitled(old, str(new), lang)
            if alias[:2] == f"{bare[:1]}." and not old.startswith(alias):
                to = f"{to[:1]}.{alias[2:]}"
            elif fullnames.untitled(alias, lang)[1] != alias:
                to = str(new)
            found[alias] = to if found.get(alias, to) == to else ""
    return found


def undeclared(names: Mapping[str, str], record: dict, lang: str) -> dict[str, str]:
    """Return what may mean one of the names though nobody says so, each with why it is left.

    That is a short form (Bob for Robert), a part of a name (John of John
    Smith, 山田 of 山田太郎, where that gets no family name), a full name of
    which but one part is theirs (山田花子), a family name with a title (박 선생님),
    what stands before one (구매자 of 구매자님) and a name without its accents
    (Jose for José), but no name of anybody in the record.
    """
    others = {name.strip().lower() for name in dialogue.speakers(dialogue.turns(record))}
    others |= {label.lower() for person in record.get("people") or []
               for label in (person["name"], *(person.get("aliases") or []))}
    text = "\n".join(text for _, text in dialogue.strings(record))
    found = dict.fromkeys(families.of_others(forms(names, {}, lang), text, lang), _OF_OTHERS)
    for name in names:
        bare = fullnames.untitled(name, lang)[1]
        short = _short_forms(lang).get(bare.lower().partition(" ")[0], ())
        parts = {*_parts(name, lang), *_of_family(bare, lang)}
        for form in {*short, *parts, pools.plain(name), bare if len(bare) > 1 else name}:
            if form.lower() not in others and form != name:
                found[form] = _FORM_OF_SEVERAL if form in found else _FORM
    return found


@functools.lru_cache(maxsize=None)
def _short_forms(lang: str) -> dict[str, set[str]]:
    """Return {name in lower case: its short forms}."""
    found: dict[str, set[str]] = {}
    for row in pools.nicknames(lang):
        found.setdefault(row["name"].lower(), set()).add(row["short"])
    return found


def _parts(name: str, lang: str) -> list[str]:
    """Return the words of a name of several, without titles and initials."""
    import regex

    words, no_names = name.split(), {*languages.load(lang)["titles_before"], *languages.load(lang)["function_words"]}
    return [word for word in words if len(words) > 1 and regex.fullmatch(r"[\p{L}\p{M}'’-]{3,}", word)
            and not {word, word.lower()} & no_names]


def _of_family(name: str, lang: str) -> list[str]:
    """Return the two parts of a Japanese full name, a Chinese family name of two, a Korean one with each title."""
    family, given = fullnames.full(name, lang)
    if languages.tag(lang) == "ja":
        parts = [part.text for part in families.parts(name, lang) if part.kind]
        return parts or ([family, given] if family else [])
    if languages.tag(lang) == "zh":
        return [family] if len(family) > 1 else []
    titles = languages.load(lang)["titles_after"] if family else ()
    called = [f"{family}{gap}{title}" for title in titles for gap in ("", " ")]
    return [form for form in called if form not in languages.words(lang)]


def kept(names: Mapping[str, str], record: dict, lang: str) -> tuple[list[str], set[str]]:
    """Return the full names of people who keep theirs, and the forms of their parts: 田中 may be one of them."""
    others = {*dialogue.speakers(dialogue.turns(record)), *(person["name"] for person in record.get("people") or [])}
    found = {name.strip(): families.parts(name.strip(), lang) for name in others} if families.rows(lang) else {}
    parts = {name: parts for name, parts in found.items() if parts and name not in names}
    return list(parts), {form for found in parts.values() for part in found if part.kind
                         for form in name_forms.of(part.text, part.text, lang)}


def features(record: dict, name: str) -> dict:
    """Return the position of a speaker's first turn, from 1, and the number of turns."""
    own = [number for number, turn in enumerate(dialogue.turns(record), 1) if key(turn["speaker"]) == key(name)]
    return {"speaker": name, "position": own[0] if own else None, "turns": len(own)}
