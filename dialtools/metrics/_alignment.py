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

from collections.abc import Callable, Sequence
from itertools import count, groupby
from math import inf
from typing import NamedTuple

from dialtools.system.errors import RecordError, show

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
    found: list[Word] = []
    places = _places(tokens)
    start = 0
    while len(found) < len(tokens):
        part, parts = tokens[len(found)].get("part") or (1, 1)
        sharing = tokens[len(found) : len(found) + parts - part + 1]
        end = start + sum(len(_without_spaces(token["form"])) for token in sharing)
        found += [
            Word(
                token.get("word", token["form"]),
                start,
                end,
                parts > 1,
                _parent(token, places),
                token,
            )
            for token in sharing
        ]
        start = end
    return found


def _require_numbers(token: dict) -> None:
    """Raise RecordError for heads and parts that cannot be."""
    part = token.get("part") or [1, 1]
    has_part = (
        isinstance(part, (list, tuple))
        and len(part) == 2
        and _are_numbers(*part)
        and 1 <= part[0] <= part[1]
    )
    if not (
        has_part
        and _are_numbers(token.get("head") or 0, token.get("sent", 1))
        and isinstance(token.get("word", ""), str)
    ):
        raise RecordError(
            "a token has a head and a sent that are numbers, and perhaps a part "
            f"such as [1, 2], here is {show(token)}"
        )


def _are_numbers(*values: object) -> bool:
    return all(isinstance(value, int) for value in values)


def matched(gold: Sequence[Word], system: Sequence[Word]) -> list[Match]:
    """Return the pairs of matched words, in order."""
    return _by_characters(gold, system) if _text(gold) == _text(system) else _by_edits(gold, system)


def _text(words: Sequence[Word]) -> str:
    """Return the characters of a text, as its tokens have them."""
    return "".join(_without_spaces(word.token["form"]) for word in words)


def _without_spaces(text: str) -> str:
    """Return a text without spaces of any kind."""
    return "".join(text.split())


def _places(tokens: Sequence[dict]) -> dict[tuple[int, int], int]:
    """Return {(sentence, number of a word in it, from 1): its index among the tokens}."""
    numbers: dict[int, count] = {}
    places = {}
    for place, token in enumerate(tokens):
        sentence = token.get("sent", 1)
        number = next(numbers.setdefault(sentence, count(1)))
        places[sentence, number] = place
    return places


def _parent(token: dict, places: dict[tuple[int, int], int]) -> int | None:
    head = token.get("head") or 0
    if not head:
        return None
    if (token.get("sent", 1), head) not in places:
        raise RecordError(
            f"the head of the token {show(token['form'])} is word {show(head)}, "
            "which its sentence does not have"
        )
    return places[token.get("sent", 1), head]


def _by_characters(gold: Sequence[Word], system: Sequence[Word]) -> list[Match]:
    found: list[Match] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        one, other = gold[g], system[s]
        if one.shares or other.shares:
            g, s, after_g, after_s = _around(gold, system, g, s)
            forms, others = (
                [word.form.lower() for word in words]
                for words in (gold[g:after_g], system[s:after_s])
            )
            found += [(g + i, s + j) for i, j in _in_order(forms, others, _difference)]
            g, s = after_g, after_s
        elif (one.start, one.end) == (other.start, other.end):
            found.append((g, s))
            g, s = g + 1, s + 1
        elif one.start <= other.start:
            g += 1
        else:
            s += 1
    return found


def _around(
    gold: Sequence[Word], system: Sequence[Word], g: int, s: int
) -> tuple[int, int, int, int]:
    """Return the stretch around multiword tokens: starts in gold and system, ends in both.

    The stretch reaches to the end of the last multiword token that begins in it.
    """
    one, other = gold[g], system[s]
    if one.shares:
        end = one.end
        if not other.shares and other.start < one.start:
            s += 1
    else:
        end = other.end
        if one.start < other.start:
            g += 1
    after_g, after_s = g, s
    while not (_is_beyond(gold, after_g, end) and _is_beyond(system, after_s, end)):
        if after_s == len(system) or (
            after_g < len(gold) and gold[after_g].start <= system[after_s].start
        ):
            word, after_g = gold[after_g], after_g + 1
        else:
            word, after_s = system[after_s], after_s + 1
        end = max(end, word.end) if word.shares else end
    return g, s, after_g, after_s


def _is_beyond(words: Sequence[Word], place: int, end: int) -> bool:
    if place == len(words):
        return True
    word = words[place]
    return word.start >= end if word.shares else word.end > end


def _by_edits(gold: Sequence[Word], system: Sequence[Word]) -> list[Match]:
    from rapidfuzz.distance import Levenshtein

    forms, others = ([word.form for word in words] for words in (gold, system))
    found: list[Match] = []
    for _, stretch in groupby(
        Levenshtein.opcodes(forms, others), key=lambda edit: edit.tag == "equal"
    ):
        edits = list(stretch)
        g, s = edits[0].src_start, edits[0].dest_start
        found += [
            (g + i, s + j)
            for i, j in _alike(forms[g : edits[-1].src_end], others[s : edits[-1].dest_end])
        ]
    return found


def _alike(one: Sequence[str], other: Sequence[str]) -> list[Match]:
    """Return which words became which others: all of the shorter list, with the fewest changes."""
    from rapidfuzz.distance import Levenshtein

    if len(one) == len(other):
        return list(enumerate(range(len(other))))
    return _in_order(one, other, Levenshtein.normalized_distance)


def _difference(one: str, other: str) -> float:
    """Return 0 for equal words, else a cost that no match is worth."""
    return 0 if one == other else inf


def _in_order(
    one: Sequence[str], other: Sequence[str], change: Callable[[str, str], float]
) -> list[Match]:
    """Return the cheapest match of words in order; of equally cheap ones, the earliest.

    change: the cost of matching two words; leaving a word unmatched costs 1.
    """
    costs = [
        [float(len(one) - i + len(other) - j) for j in range(len(other) + 1)]
        for i in range(len(one) + 1)
    ]
    for i in reversed(range(len(one))):
        for j in reversed(range(len(other))):
            costs[i][j] = min(
                change(one[i], other[j]) + costs[i + 1][j + 1],
                1 + costs[i + 1][j],
                1 + costs[i][j + 1],
            )
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        if costs[i][j] == change(one[i], other[j]) + costs[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif costs[i][j] == 1 + costs[i + 1][j]:
            i += 1
        else:
            j += 1
    return found
