"""Pools made of a corpus: its speakers, or known names in groups by their use in it."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from dialtools import languages
from dialtools.names import frequency, full_names, pools, roster
from dialtools.names import lexicon as lexicons
from dialtools.records import dialogue
from dialtools.system.errors import RecordError
from dialtools.text.words import MARKS

NO_TOKENS = "no text has tokens (dt-parse), which tell names from words"


def speakers(
    records: Iterable[dict], note: Callable[[str], None] = lambda reason: None
) -> list[dict]:
    """Return name, gender ("" if unknown) and number of dialogues of each speaker, the most
    frequent first.

    note: called with the reason for each label that is no name.
    """
    rows: dict[str, dict] = {}
    for record in records:
        lexicon = lexicons.of(languages.get(record["lang"]))
        labels = dialogue.speakers(dialogue.turns(record))
        for name in dict.fromkeys(" ".join(label.split()) for label in labels):
            if roster.is_role(name, lexicon):
                note("roles left out")
            elif re.fullmatch("|".join(MARKS), name):
                note("placeholders left out")
            elif not any(map(str.isalnum, name)):
                note("labels without letters left out")
            else:
                gender = full_names.gender(name, lexicon) or ""
                rows.setdefault(name, {"name": name, "gender": gender, "n": 0})["n"] += 1
    return sorted(rows.values(), key=lambda row: (-row["n"], row["name"]))


def counted(
    records: Iterable[dict],
    note: Callable[[str], None],
    pool: str | None,
    rows: list[dict] | None,
    only: str | None,
    number: int,
) -> Iterator[dict]:
    """Yield names by groups, with their frequencies and uniqueness, as frequency.py defines them.

    note: called if no text has tokens.
    pool: the pool of the names; None: all that are known in the language.
    rows: the names instead, with their genders.
    only: the only group; None: all of them.
    number: names of a group at most.

    The records must be of one language, else RecordError.
    """
    records = iter(records)
    first = next(records, None)
    if first is None:
        return
    language = languages.get(first["lang"])

    def holders() -> Iterator[dict]:
        for record in chain([first], records):
            if languages.tag(record["lang"]) != language.code:
                both = f"{language.tag} here, not {record['lang']}"
                raise RecordError(f"names are counted in one language at a time, {both}", record)
            yield from dialogue.holders(record)

    if not rows:
        known = lexicons.of(language).known
        rows = pools.named(pool, language) if pool else list(known.values())
    genders = {row["name"]: row["gender"] for row in rows}
    exact, ner, has_tokens = frequency.count(holders(), frequency.finder(genders))
    if not has_tokens and only in ("frequent", "polysemous"):
        raise RecordError(f"{NO_TOKENS}: no {only} names")
    if not has_tokens:
        note(NO_TOKENS)
    occurrences = {name: exact[name] for name in genders}
    uniqueness = (
        frequency.uniqueness(occurrences, {name: ner[name] for name in genders})
        if has_tokens
        else None
    )
    for group, names in frequency.of(occurrences, uniqueness, number).items():
        if only in (None, group):
            for name in names:
                yield {
                    "name": name,
                    "gender": genders[name],
                    "f_exact": exact[name],
                    "f_ner": ner[name] if uniqueness else None,
                    "u": uniqueness[name] if uniqueness else None,
                    "group": group,
                }
