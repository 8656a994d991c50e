"""Pools made of a corpus: its speakers, or known names in groups by their use in it.

u = (rank(f_exact) - rank(f_ner)) / (rank(f_exact) + rank(f_ner)) tells how
unique a word is as a name, from -1 (a word) to 1 (a name): f_exact counts how
often it occurs, f_ner how often as a person's name, and a rank is its place
among all names, the most frequent first.  Names with equal counts share the
mean of their ranks, on which the source is silent.

Source: Jia et al. 2023, Reducing Sensitivity on Speaker Names for Text
Generation from Dialogues, appendix B, equation 9.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby

from dialtools import languages
from dialtools.languages.scripts import JOINED, compiled
from dialtools.names import full_names, pools, roster
from dialtools.names import lexicon as lexicons
from dialtools.records import dialogue
from dialtools.system import stable_hash
from dialtools.system.errors import RecordError
from dialtools.text.words import MARKS

Find = Callable[[str], Iterator[tuple[int, int, str]]]
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
    """Yield names by groups, with their frequencies and uniqueness, as `groups` and u say.

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
                mismatch = f"{language.tag} here, not {record['lang']}"
                raise RecordError(
                    f"names are counted in one language at a time, {mismatch}", record
                )
            yield from dialogue.holders(record)

    if not rows:
        known = lexicons.of(language).known
        rows = pools.named(pool, language) if pool else list(known.values())
    genders = {row["name"]: row["gender"] for row in rows}
    exact, ner, has_tokens = count(holders(), finder(genders))
    if not has_tokens and only in ("frequent", "polysemous"):
        raise RecordError(f"{NO_TOKENS}: no {only} names")
    if not has_tokens:
        note(NO_TOKENS)
    occurrences = {name: exact[name] for name in genders}
    u = uniqueness(occurrences, {name: ner[name] for name in genders}) if has_tokens else None
    for group, names in groups(occurrences, u, number).items():
        if only in (None, group):
            for name in names:
                yield {
                    "name": name,
                    "gender": genders[name],
                    "f_exact": exact[name],
                    "f_ner": ner[name] if u else None,
                    "u": u[name] if u else None,
                    "group": group,
                }


def finder(names: Iterable[str]) -> Find:
    """Return a function: text -> (start, end, name) of each of the names, as written, longest
    first, without overlap.

    A name is found as a whole word, but inside of words in scripts that join
    them; what a name begins with must be a letter or a digit.

    >>> find = finder(["Ann", "Anna", "Mary Ann", "李明"])
    >>> [name for _, _, name in find("Anna's Mary Ann, Annie; 我和李明去")]
    ['Anna', 'Mary Ann', '李明']
    """
    units = compiled(rf"(?V1)[{JOINED}]|[[\p{{L}}\p{{M}}\p{{N}}]--[{JOINED}]]+")
    begin: dict[str, list[str]] = {}
    for name in sorted(set(names), key=lambda name: (-len(name), name)):
        first = units.match(name)
        if first:
            begin.setdefault(first[0], []).append(name)

    def find(text: str) -> Iterator[tuple[int, int, str]]:
        searched_to = 0
        for unit in units.finditer(text):
            start = unit.start()
            for name in begin.get(unit[0], ()) if start >= searched_to else ():
                if text.startswith(name, start) and _apart(text, start, start + len(name), units):
                    searched_to = start + len(name)
                    yield start, searched_to, name
                    break

    return find


def _apart(text: str, start: int, end: int, units) -> bool:
    """Does a word end here, and is neither end joined to another word by a hyphen?"""
    last = units.match(text, end - 1)
    before, after = text[max(start - 2, 0) : start], text[end : end + 2]
    hyphened = any(pair[:1].isalnum() and pair[1:] in ("-", "_") for pair in (before, after[::-1]))
    return (last is None or last.end() == end) and not hyphened


def count(holders: Iterable[dict], find: Find) -> tuple[Counter, Counter, int]:
    """Return how often names occur in texts, how often as a person's by their tokens, and how many
    texts have tokens.

    holders: dicts with "text" and perhaps "tokens" (turns, or records).
    """
    exact: Counter = Counter()
    ner: Counter = Counter()
    tagged = 0
    for holder in holders:
        spans, tokens = list(find(holder["text"])), holder.get("tokens") or []
        exact.update(name for _, _, name in spans)
        ner.update(name for start, end, name in spans if tokens and _is_person(tokens, start, end))
        tagged += bool(tokens)
    return exact, ner, tagged


def _is_person(tokens: Sequence[dict], start: int, end: int) -> bool:
    """Are all tokens of a span (parts of) a person's name: by "ner" where they have it, else by
    upos PROPN?
    """
    inside = [token for token in tokens if token["end"] > start and token["start"] < end]
    return bool(inside) and all(
        str(token["ner"]).endswith(("PER", "PERSON"))
        if "ner" in token
        else token.get("upos") == "PROPN"
        for token in inside
    )


def ranks(counts: Mapping[str, int]) -> dict[str, float]:
    """Return the rank of each name, 1 for the highest count; equal counts share the mean of their
    ranks.

    >>> ranks({"a": 5, "b": 2, "c": 2, "d": 0})
    {'a': 1.0, 'b': 2.5, 'c': 2.5, 'd': 4.0}
    """
    rank_of: dict[str, float] = {}
    ordered = sorted(counts, key=lambda name: -counts[name])
    for _, group in groupby(ordered, key=lambda name: counts[name]):
        equals = list(group)
        rank_of |= dict.fromkeys(equals, len(rank_of) + (len(equals) + 1) / 2)
    return rank_of


def uniqueness(exact: Mapping[str, int], ner: Mapping[str, int]) -> dict[str, float]:
    """Return u of each name, between -1 and 1; both mappings have the same names."""
    by_exact, by_ner = ranks(exact), ranks(ner)
    return {
        name: (by_exact[name] - by_ner[name]) / (by_exact[name] + by_ner[name]) for name in exact
    }


def groups(
    exact: Mapping[str, int], u: Mapping[str, float] | None, size: int
) -> dict[str, list[str]]:
    """Return the groups, {group: names}; at most `size` names each, and no name in two groups.

    unknown: f_exact 0; the names in the order of a hash.
    rare: the smallest f_exact above 0, from the rarer half of the names that occur.
    polysemous: the lowest u, below 0.
    frequent: the largest f_exact, with u of 0 or more.

    u: None where it is not known how often a name is a person's; then two groups stay empty.
    """
    # not all with A where many are equal
    scattered = sorted(exact, key=lambda name: stable_hash.digest("group", name))
    occurring = sorted((name for name in scattered if exact[name]), key=lambda name: exact[name])
    unique = u or {}
    words = sorted(
        (name for name in reversed(occurring) if unique.get(name, 0) < 0),
        key=lambda name: unique[name],
    )[:size]
    rare = [name for name in occurring[: (len(occurring) + 1) // 2] if name not in set(words)][
        :size
    ]
    common = [
        name for name in reversed(occurring) if unique.get(name, -1) >= 0 and name not in set(rare)
    ]
    return {
        "frequent": common[:size],
        "polysemous": words,
        "rare": rare,
        "unknown": [name for name in scattered if not exact[name]][:size],
    }
