"""Rules that change a sentence where a pattern fits it: a language's tables of them.

pattern  a regular expression that is sought in the sentence, with what must stand around it
other    what takes the place of what the pattern finds; \\1 is its first group
note     what the change is: what the perturbation lets people choose, and the note of its edit;
         "stays": what the pattern fits does not change at all; "not add": not so

The first rule of a note that fits counts.  A pattern is written so that it fits only where the rule
is certain; a sentence that none fits stays as it is.
"""

from collections.abc import Collection, Iterator
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.text import rewrites, sentences

LONGEST = 400  # code points; a longer sentence stays, as patterns look back from each place of it


class SentenceRule(NamedTuple):
    """A row of such a table."""

    pattern: Any
    other: str
    note: str


@once_per_language
def rules(language: Language, table: str) -> list[SentenceRule]:
    """Return the rules of a table; none if the language has no such table."""
    return [
        SentenceRule(language.pattern(table, row["pattern"]), row["other"], row["note"])
        for row in language.written(table)
    ]


def stays(sentence: str, language: Language, table: str, note: str) -> bool:
    """Tell whether a sentence must not change so."""
    return any(
        rule.pattern.search(sentence)
        for rule in rules(language, table)
        if rule.note in ("stays", f"not {note}")
    )


def spans(text: str, language: Language) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the sentences of a text, without the white space around them."""
    cuts = [0, *sentences.ends(text, language), len(text)]
    for first, last in pairwise(cuts):
        sentence = text[first:last]
        start, end = last - len(sentence.lstrip()), first + len(sentence.rstrip())
        if start < end:
            yield start, end


def changed(
    pointer: str,
    text: str,
    language: Language,
    table: str,
    rng: Random,
    rate: float,
    wanted: Collection[str],
) -> list[list]:
    """Return an edit for each sentence that a rule changes, drawn with a rate; wanted: notes."""
    edits = []
    for first, last in spans(text, language):
        options: dict[str, list] = {}  # of each note, the first
        if last - first > LONGEST:
            continue
        for rule in rules(language, table):
            if rule.note in wanted and rule.note not in options:
                match = rule.pattern.search(text[first:last])
                if match and not stays(text[first:last], language, table, rule.note):
                    start, end = (first + place for place in match.span())
                    options[rule.note] = [start, end, match[0], match.expand(rule.other), rule.note]
        if options and rng.random() < rate:
            edits.append([pointer, *rng.choice(list(options.values()))])
    return rewrites.whole(text, edits)
