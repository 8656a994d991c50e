"""Which words of one tokenisation of a text match which words of another.

As in the CoNLL 2018 shared task, a text is its characters without spaces, and two words match if
they have the same characters. The words of a multiword token ("part", as du is de and le) have no
characters of their own; around such a token, words are matched in order by their lowercased forms.

Where the texts differ, as a sentence and its perturbed variant do, words are matched in order by
the fewest edits of words: first the words that stay, then as many as possible of those between
them, such that the fewest characters change.

Source: Zeman et al. 2018, https://aclanthology.org/K18-2001, section 5.1, and its evaluation
script (version 1.2) where the description is less exact.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from math import inf
from typing import NamedTuple

from dialtools.system.errors import RecordError, show
from dialtools.tables import differences

Match = tuple[int, int]  # places of a gold word and of a system word


class Word(NamedTuple):
    """A word of a text.  start, end: those of its token, counted in characters but spaces."""

    form: str
    start: int
    end: int
    shares: bool  # its token with other words
    parent: int | None  # place of the head among the words of the text; None of a root
    token: dict


def words(tokens: Sequence[dict]) -> list[Word]:
    """Return the words of a text, given the tokens of its turn in order."""
    for token in tokens:
        _require_numbers(token)
    sizes: Counter[int] = Counter()  # of sentences
    places = {}  # (sentence, number of a word in it, from 1): its place among the tokens
    for place, token in enumerate(tokens):
        sentence = token.get("sent", 1)
        sizes[sentence] += 1
        places[sentence, sizes[sentence]] = place

    def parent(token: dict) -> int | None:
        head = token.get("head") or 0
        if not head:
            return None
        if (token.get("sent", 1), head) not in places:
            raise RecordError(
                f"the head of the token {show(token['form'])} is word {show(head)}, "
                "which its sentence does not have"
            )
        return places[token.get("sent", 1), head]

    text_words: list[Word] = []
    start = 0
    while len(text_words) < len(tokens):
        part, parts = tokens[len(text_words)].get("part") or (1, 1)
        sharing = tokens[len(text_words) : len(text_words) + parts - part + 1]
        end = start + len(_characters(sharing))
        text_words += [
            Word(token.get("word", token["form"]), start, end, parts > 1, parent(token), token)
            for token in sharing
        ]
        start = end
    return text_words


def _require_numbers(token: dict) -> None:
    """Raise RecordError for heads and parts that cannot be."""

    def are_numbers(*values: object) -> bool:
        return all(isinstance(value, int) for value in values)

    part = token.get("part") or [1, 1]
    if not (
        isinstance(part, (list, tuple))
        and len(part) == 2
        and are_numbers(*part, token.get("head") or 0, token.get("sent", 1))
        and 1 <= part[0] <= part[1]
        and isinstance(token.get("word", ""), str)
    ):
        raise RecordError(
            "a token has a head and a sent that are numbers, and perhaps a part "
            f"such as [1, 2], here is {show(token)}"
        )


def _characters(tokens: Sequence[dict]) -> str:
    """Return the characters of tokens, without spaces of any kind."""
    return "".join("".join(token["form"].split()) for token in tokens)


def matched(gold: Sequence[Word], system: Sequence[Word]) -> list[Match]:
    """Return the pairs of matched words, in order."""
    gold_text, system_text = (
        _characters([word.token for word in text_words]) for text_words in (gold, system)
    )
    return _by_characters(gold, system) if gold_text == system_text else _by_edits(gold, system)


def _by_characters(gold: Sequence[Word], system: Sequence[Word]) -> list[Match]:
    matches: list[Match] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        gold_word, system_word = gold[g], system[s]
        if gold_word.shares or system_word.shares:
            g, s, after_g, after_s = _around(gold, system, g, s)
            gold_forms, system_forms = (
                [word.form.lower() for word in stretch]
                for stretch in (gold[g:after_g], system[s:after_s])
            )
            matches += [
                (g + i, s + j)
                for i, j in _in_order(
                    gold_forms, system_forms, lambda form, match: 0 if form == match else inf
                )
            ]
            g, s = after_g, after_s
        elif (gold_word.start, gold_word.end) == (system_word.start, system_word.end):
            matches.append((g, s))
            g, s = g + 1, s + 1
        elif gold_word.start <= system_word.start:
            g += 1
        else:
            s += 1
    return matches


def _around(
    gold: Sequence[Word], system: Sequence[Word], g: int, s: int
) -> tuple[int, int, int, int]:
    """Return the stretch around multiword tokens: starts in gold and system, ends in both.

    The stretch reaches to the end of the last multiword token that begins in it.
    """
    gold_word, system_word = gold[g], system[s]
    if gold_word.shares:
        end = gold_word.end
        if not system_word.shares and system_word.start < gold_word.start:
            s += 1
    else:
        end = system_word.end
        if gold_word.start < system_word.start:
            g += 1

    def is_beyond(text_words: Sequence[Word], place: int) -> bool:
        if place == len(text_words):
            return True
        word = text_words[place]
        return word.start >= end if word.shares else word.end > end

    after_g, after_s = g, s
    while not (is_beyond(gold, after_g) and is_beyond(system, after_s)):
        if after_s == len(system) or (
            after_g < len(gold) and gold[after_g].start <= system[after_s].start
        ):
            word, after_g = gold[after_g], after_g + 1
        else:
            word, after_s = system[after_s], after_s + 1
        end = max(end, word.end) if word.shares else end
    return g, s, after_g, after_s


def _by_edits(gold: Sequence[Word], system: Sequence[Word]) -> list[Match]:
    from rapidfuzz.distance import Levenshtein

    gold_forms, system_forms = ([word.form for word in text_words] for text_words in (gold, system))
    matches: list[Match] = []
    for _, stretch in groupby(
        Levenshtein.opcodes(gold_forms, system_forms), key=lambda edit: edit.tag == "equal"
    ):
        edits = list(stretch)
        g, s = edits[0].src_start, edits[0].dest_start
        before = gold_forms[g : edits[-1].src_end]
        after = system_forms[s : edits[-1].dest_end]
        # which words became which: all of the shorter list, with the fewest changes
        became = (
            [(place, place) for place in range(len(after))]
            if len(before) == len(after)
            else _in_order(before, after, Levenshtein.normalized_distance)
        )
        matches += [(g + i, s + j) for i, j in became]
    return matches


def _in_order(
    before: Sequence[str], after: Sequence[str], change: Callable[[str, str], float]
) -> list[Match]:
    """Return the cheapest match of words in order, where an unmatched word costs 1."""
    return differences.matched([[change(a, b) for b in after] for a in before], alone=1)
