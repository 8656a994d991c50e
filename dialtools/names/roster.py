"""Who is in a record: speakers and declared people; and how it writes names."""

from collections.abc import Iterable, Mapping, Sequence

from dialtools.languages.scripts import LETTERS, compiled
from dialtools.names import forms, full_names, introductions
from dialtools.names.forms import is_visible, key
from dialtools.names.introductions import INTRODUCED
from dialtools.names.lexicon import Lexicon
from dialtools.names.record_texts import RecordTexts
from dialtools.records import dialogue, wellformed
from dialtools.system.errors import RecordError


def people(source: RecordTexts, also: Iterable[str] = (), roles: bool = False) -> list[dict]:
    """Return {"name", "gender", "aliases"} of the people to rename, speakers first.

    Roles such as Agent are people only if asked.  A record may declare people
    under "people": dicts with a name, and perhaps gender (f, m, u) and
    aliases; `also` are the names of more, who count where they occur, or INTRODUCED
    for those whom the texts introduce.  Names that differ in case or encoding only are
    one, as it is written first.
    """
    record, lexicon = source.record, source.lexicon
    if problem := wellformed.people_problem(record):
        raise RecordError(problem, record)
    listed = record.get("people") or []
    unseen = next((label for label in labels(listed) if not is_visible(label)), None)
    if unseen is not None:
        raise RecordError(
            f'"people" holds a name of invisible characters alone: {ascii(unseen)}', record
        )
    declared = {
        key(person["name"]): {name: value for name, value in person.items() if value is not None}
        for person in listed
    }

    speakers = [name.strip() for name in source.speakers if is_visible(name)]
    names = [name for name in speakers if roles or not is_role(name, lexicon)]
    names += [person["name"].strip() for person in declared.values()]
    if also := list(also):
        names += [name for name in also if name in source.whole and name != INTRODUCED]
        names += introductions.names(source) if INTRODUCED in also else []
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(key(name), name)
    return [
        {
            "gender": full_names.gender(name, lexicon),
            "aliases": [],
            **declared.get(same, {}),
            "name": name,
        }
        for same, name in first.items()
    ]


def is_role(label: str, lexicon: Lexicon) -> bool:
    """Is a label a role, with signs, a title or a remark around it or without: **Agent**, 客服小姐,
    but not Host (Ann)?
    """
    _, shown, remark = full_names.unsigned(label)
    bare = full_names.untitled(shown, lexicon)[1]
    return any(map(lexicon.language.is_role, {shown, bare})) and not full_names.names_others(
        remark, lexicon
    )


def labels(people: Iterable[dict]) -> list[str]:
    """Return the names and the declared aliases of people."""
    return [
        label for person in people for label in (person["name"], *(person.get("aliases") or []))
    ]


def is_romanised(source: RecordTexts) -> bool:
    """Is a record of a language with a script of its own (hi, zh, …) written in Latin letters?"""
    letters, latin = source.lexicon.language.letters, LETTERS["Latn"]
    if letters == latin or compiled(f"[{letters}]").search(source.whole):
        return False
    holders = dialogue.holders(source.record)
    return any(compiled(latin).search(holder["text"]) for holder in holders)


def writing(source: RecordTexts) -> str:
    """Return "latin" or "traditional" if a record writes names so and the pools do not, else "".

    Traditional is a Chinese record with more characters that only traditional script has than such
    of simplified script.
    """
    lexicon = source.lexicon
    if is_romanised(source):
        return "latin"
    if not lexicon.to_traditional:
        return ""
    letters = set(map(ord, set(source.whole)))
    traditional, simplified = (
        letters & lexicon.to_simplified.keys(),
        letters & lexicon.to_traditional.keys(),
    )
    return "traditional" if len(traditional) > len(simplified) else ""


def written_as(how: str, pool: Sequence[dict], lexicon: Lexicon) -> Sequence[dict]:
    """Return a pool with its names in Latin letters, or in traditional characters, as `writing`
    says.
    """
    if how == "latin":
        return [{**row, "name": row.get("latin") or row["name"]} for row in pool]
    if how == "traditional":
        return [{**row, "name": row["name"].translate(lexicon.to_traditional)} for row in pool]
    return pool


def kept(names: Mapping[str, str], source: RecordTexts) -> tuple[list[str], set[str]]:
    """Return the names of people who keep theirs that hold another one (张伟丽 of 张伟), and the forms
    of their parts.

    Where family names are told apart these are all full names: 田中 may be one of them, and 老王 both
        王芳 and 王伟.
    """
    lexicon = source.lexicon
    labels_kept = {
        *source.speakers,
        *(person["name"] for person in source.record.get("people") or []),
    }
    bearers = {
        name
        for name in {label.strip() for label in labels_kept} - names.keys()
        if full_names.untitled(name, lexicon)[1] not in names
    }
    longer = {bearer for bearer in bearers if any(name in bearer for name in names)}
    full, parts = set(), set()
    for bearer in bearers:
        # what of a name has forms: its parts, or the whole of a Chinese one
        of_bearer = [part.text for part in full_names.parts(bearer, lexicon) if part.kind]
        if not lexicon.families:
            is_full = full_names.family_and_given(bearer, lexicon)[0] != ""
            of_bearer = [bearer] if is_full else []
        if of_bearer and not is_role(bearer, lexicon):  # 顾客 is no 顾
            full.add(bearer)
            parts.update(of_bearer)
    return [*longer | full], {form for part in parts for form in forms.of(part, part, lexicon)}


def features(source: RecordTexts, name: str) -> dict:
    """Return the position of a speaker's first turn, from 1, and the number of turns."""
    numbers = [
        number for number, turn in enumerate(source.turns, 1) if key(turn["speaker"]) == key(name)
    ]
    return {"speaker": name, "position": numbers[0] if numbers else None, "turns": len(numbers)}
