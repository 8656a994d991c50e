"""Who is in a record: speakers, declared people, and all forms of their names."""

from collections.abc import Iterable, Mapping, Sequence

from dialtools.languages import Language
from dialtools.languages.scripts import LETTERS, compiled
from dialtools.names import forms as name_forms
from dialtools.names import full_names, pools
from dialtools.names.orthography import is_visible, key
from dialtools.records import dialogue, wellformed
from dialtools.system.errors import RecordError


def people(
    record: dict, language: Language, also: Iterable[str] = (), roles: bool = False
) -> list[dict]:
    """Return {"name", "gender", "aliases"} of the people to rename, speakers first.

    Roles such as Agent are people only if asked.  A record may declare people
    under "people": dicts with a name, and perhaps gender (f, m, u) and
    aliases; `also` are the names of more, who count where they occur.  Names
    that differ in case or encoding only are one, as it is written first.
    """
    declared = {
        key(person["name"]): {name: value for name, value in person.items() if value is not None}
        for person in _declared(record)
    }
    speakers = [
        name.strip() for name in dialogue.speakers(dialogue.turns(record)) if is_visible(name)
    ]
    names = [name for name in speakers if roles or not is_role(name, language)]
    names += [person["name"].strip() for person in declared.values()]
    if also := list(also):
        texts = dialogue.whole(record)
        names += [name for name in also if name in texts]
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(key(name), name)
    return [
        {
            "gender": pools.gender(name, language),
            "aliases": [],
            **declared.get(same, {}),
            "name": name,
        }
        for same, name in first.items()
    ]


def is_role(label: str, language: Language) -> bool:
    """Is a label a role, with signs, a title or a remark around it or without: **Agent**, 客服小姐,
    but not Host (Ann)?
    """
    _, shown, last = full_names.unsigned(label)
    labels = {shown, full_names.untitled(shown, language)[1]}
    return any(language.is_role(each) for each in labels) and not full_names.names_others(
        last, language
    )


def _declared(record: dict) -> list[dict]:
    problem = wellformed.people_problem(record)
    if problem:
        raise RecordError(problem, record)
    people = record.get("people") or []
    unseen = next((label for label in labels(people) if not is_visible(label)), None)
    if unseen is not None:
        raise RecordError(
            f'"people" holds a name of invisible characters alone: {ascii(unseen)}', record
        )
    return people


def labels(people: Iterable[dict]) -> list[str]:
    """Return the names and the declared aliases of people."""
    return [
        label for person in people for label in (person["name"], *(person.get("aliases") or []))
    ]


def is_romanised(record: dict, language: Language) -> bool:
    """Is a record of a language with a script of its own (hi, zh, …) written in Latin letters?"""
    letters, latin = language.letters, LETTERS["Latn"]
    if letters == latin:
        return False
    in_script = compiled(f"[{letters}]").search
    if any(in_script(text) for _, text in dialogue.strings(record)):
        return False
    return any(compiled(latin).search(holder["text"]) for holder in dialogue.holders(record))


def writing(record: dict, language: Language) -> str:
    """Return "latin" or "traditional" if a record writes names so and the pools do not, else ""."""
    if is_romanised(record, language):
        return "latin"
    return "traditional" if _is_traditional(record, language) else ""


def written_as(how: str, pool: Sequence[dict], language: Language) -> Sequence[dict]:
    """Return a pool with its names in Latin letters, or in traditional characters, as `writing`
    says.
    """
    if how == "latin":
        return [{**row, "name": row.get("latin") or row["name"]} for row in pool]
    if how == "traditional":
        return [
            {**row, "name": row["name"].translate(pools.to_traditional(language))} for row in pool
        ]
    return pool


def _is_traditional(record: dict, language: Language) -> bool:
    """Does a Chinese record hold more characters that only traditional script has than such of
    simplified script?
    """
    if not pools.to_traditional(language):
        return False
    letters = {ord(letter) for _, text in dialogue.strings(record) for letter in set(text)}
    return len(letters & pools.to_simplified(language).keys()) > len(
        letters & pools.to_traditional(language).keys()
    )


def forms(
    names: Mapping[str, str],
    declared: Mapping[str, str | None],
    language: Language,
    readings: Iterable[Sequence[str]] = (),
) -> dict[str, str | None]:
    """Return each form of all names with what it becomes; None where the new name has no such form.

    Names come first, then declared aliases, as `aliases` returns them, then
    what follows from the language (readings, widths, familiar forms).  A form
    that two people share is AMBIGUOUS.
    """
    stated: dict[str, str | None] = {**declared, **names}
    derived: dict[str, str | None] = {}
    known = tuple((name, reading, latin) for name, reading, latin in readings)
    for old, new in names.items():
        for form, to in name_forms.of(old, new, language, known).items():
            if form not in stated:
                name_forms.add(derived, form, to)
    return stated | derived


def aliases(
    people: Iterable[dict], names: Mapping[str, str], language: Language
) -> dict[str, str | None]:
    """Return what declared aliases become: the initial of J. Smith follows the new name, else it
    is the new name.

    An alias without a title gets none (Anna of Dr. Anna Smith).  One that two
    people share is AMBIGUOUS.
    """
    renamed: dict[str, str | None] = {}
    for person in people:
        old = person["name"]
        if old not in names:
            continue
        bare, new = name_forms.untitled(old, names[old], language)
        for alias in person["aliases"]:
            to = new
            if alias[:2] == f"{bare[:1]}." and not old.startswith(alias):
                to = f"{new[:1]}.{alias[2:]}"
            elif full_names.untitled(alias, language)[1] != alias:
                to = names[old]
            name_forms.add(renamed, alias, to)
    return renamed


def kept(names: Mapping[str, str], record: dict, language: Language) -> tuple[list[str], set[str]]:
    """Return the names of people who keep theirs that hold another one (张伟丽 of 张伟), and the forms
    of their parts.

    Where family names are told apart these are all full names: 田中 may be one of them, and 老王 both
        王芳 and 王伟.
    """
    known = {
        *dialogue.speakers(dialogue.turns(record)),
        *(person["name"] for person in record.get("people") or []),
    }
    known = {name.strip() for name in known} - names.keys()
    others = {name for name in known if full_names.untitled(name, language)[1] not in names}
    longer = {other for other in others if any(name in other for name in names)}
    parts = {other: _with_families(other, language) for other in others}
    # 顾客 is no 顾
    full = {other for other in others if parts[other] and not is_role(other, language)}
    texts = {text for other in full for text in parts[other]}
    return [*longer | full], {
        form for text in texts for form in name_forms.of(text, text, language)
    }


def _with_families(name: str, language: Language) -> list[str]:
    """Return what of a name has forms where family names are told apart: its parts, or the whole
    of a Chinese one.
    """
    if not full_names.families(language):
        return [name] if full_names.family_and_given(name, language)[0] else []
    return [part.text for part in full_names.parts(name, language) if part.kind]


def features(record: dict, name: str) -> dict:
    """Return the position of a speaker's first turn, from 1, and the number of turns."""
    numbers = [
        number
        for number, turn in enumerate(dialogue.turns(record), 1)
        if key(turn["speaker"]) == key(name)
    ]
    return {"speaker": name, "position": numbers[0] if numbers else None, "turns": len(numbers)}
