"""Which words of one tokenisation of a text are which of another.

As in the CoNLL 2018 shared task: a text is its characters without spaces, and
words are the same where they stand at the same characters.  Words that share a
token ("part", as du is de and le) have no characters of their own; around such
a token words are matched in order by their forms instead, in lower case.

Where the texts differ, a sentence and what a perturbation made of it, words are
matched in order such that as few as possible are left alone, and then such that
as few characters as possible change.

Source: Zeman et al. 2018, https://aclanthology.org/K18-2001, section 5.1, whose
evaluation script (version 1.2) is followed where its description says less.
"""

from collections.abc import Callable, Sequence
from itertools import count, groupby
from typing import NamedTuple

from dialtools.errors import RecordError, show

Match = tuple[int, int]  # places of a gold word and of a system word


class Word(NamedTuple):
    """A word of a text.  start, end: of its token, in characters that are no spaces."""

    form: str
    start: int
    end: int
    shares: bool  # its token with other words
    parent: int | None  # place of the head among the words of the text; None of a root
    token: dict


def words(tokens: Sequence[dict]) -> list[Word]:
    """Return the words of a text; its tokens are those of a turn, in their order."""
    for token in tokens:
        _check(token)
    found: list[Word] = []
    places = _places(tokens)
    at = first = 0
    while first < len(tokens):
        place, size = tokens[first].get("part") or (1, 1)
        own = tokens[first:first + size - place + 1]
        end = at + sum(len(_without_spaces(token["form"])) for token in own)
        for place, token in enumerate(own, first):
            found.append(Word(token.get("word", token["form"]), at, end, size > 1, _parent(token, places), token))
        first, at = first + len(own), end
    return found


def _check(token: dict) -> None:
    """Raise RecordError unless what says where a word belongs can be so."""
    part, numbers = token.get("part") or [1, 1], [token.get("head") or 0, token.get("sent", 1)]
    if not (isinstance(token.get("word", ""), str) and isinstance(part, (list, tuple)) and len(part) == 2
            and all(isinstance(number, int) for number in (*numbers, *part)) and 1 <= part[0] <= part[1]):
        raise RecordError("a token has a head and a sent that are numbers, and perhaps a part such as [1, 2], "
                          f"here is {show(token)}")


def matched(gold: Sequence[Word], system: Sequence[Word]) -> list[Match]:
    """Return which words are the same ones, in their order."""
    return (_by_characters if _text(gold) == _text(system) else _by_edits)(gold, system)


def _text(words: Sequence[Word]) -> str:
    """Return the characters of a text; the form in tokens is always what stands there."""
    return "".join(_without_spaces(word.token["form"]) for word in words)


def _without_spaces(text: str) -> str:
    """Return a text without spaces of any kind."""
    return "".join(text.split())


def _places(tokens: Sequence[dict]) -> dict[tuple[int, int], int]:
    """Return {(sentence, number of a word in it, from 1): its place among the tokens}."""
    numbers: dict[int, count] = {}
    return {(token.get("sent", 1), next(numbers.setdefault(token.get("sent", 1), count(1)))): place
            for place, token in enumerate(tokens)}


def _parent(token: dict, places: dict[tuple[int, int], int]) -> int | None:
    head = token.get("head") or 0
    if head and (token.get("sent", 1), head) not in places:
        raise RecordError(f"the head of the token {show(token['form'])} is word {show(head)}, which its sentence "
                          "does not have")
    return places[token.get("sent", 1), head] if head else None


def _by_characters(gold: Sequence[Word], system: Sequence[Word]) -> list[Match]:
    found: list[Match] = []
    g = s = 0
    while g < len(gold) and s < len(system):
        one, other = gold[g], system[s]
        if one.shares or other.shares:
            g, s, after_g, after_s = _around(gold, system, g, s)
            found += [(g + i, s + j) for i, j in _in_common([word.form.lower() for word in gold[g:after_g]],
                                                            [word.form.lower() for word in system[s:after_s]])]
            g, s = after_g, after_s
        elif (one.start, one.end) == (other.start, other.end):
            found.append((g, s))
            g, s = g + 1, s + 1
        elif one.start <= other.start:
            g += 1
        else:
            s += 1
    return found


def _around(gold: Sequence[Word], system: Sequence[Word], g: int, s: int) -> tuple[int, int, int, int]:
    """Return where the words around tokens of several words begin and end: gold, system, after gold, after system.

    The stretch reaches to the end of the last such token that begins in it.
    """
    one, other = gold[g], system[s]
    end = one.end if one.shares else other.end
    if one.shares:
        s += not other.shares and other.start < one.start
    else:
        g += one.start < other.start
    after_g, after_s = g, s
    while not (_is_beyond(gold, after_g, end) and _is_beyond(system, after_s, end)):
        if after_s == len(system) or (after_g < len(gold) and gold[after_g].start <= system[after_s].start):
            word, after_g = gold[after_g], after_g + 1
        else:
            word, after_s = system[after_s], after_s + 1
        end = max(end, word.end) if word.shares else end
    return g, s, after_g, after_s


def _is_beyond(words: Sequence[Word], place: int, end: int) -> bool:
    return place == len(words) or (words[place].start >= end if words[place].shares else words[place].end > end)


def _in_common(one: Sequence[str], other: Sequence[str]) -> list[Match]:
    """Return a longest common subsequence, of several the one that begins soonest."""
    rest = _table(one, other, 0, lambda i, j, after: 1 + after if one[i] == other[j] else 0, max)
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        if one[i] == other[j]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif rest[i][j] == rest[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _by_edits(gold: Sequence[Word], system: Sequence[Word]) -> list[Match]:
    from rapidfuzz.distance import Levenshtein

    forms = [[word.form for word in words] for words in (gold, system)]
    found: list[Match] = []
    for _, group in groupby(Levenshtein.opcodes(*forms), key=lambda change: change.tag == "equal"):
        changes = list(group)
        g, s = changes[0].src_start, changes[0].dest_start
        found += [(g + i, s + j) for i, j in _alike(forms[0][g:changes[-1].src_end], forms[1][s:changes[-1].dest_end])]
    return found


def _alike(one: Sequence[str], other: Sequence[str]) -> list[Match]:
    """Return which of some words became which of others: all of the fewer, with the fewest changes."""
    from rapidfuzz.distance import Levenshtein

    change = Levenshtein.normalized_distance
    if len(one) == len(other):
        return list(enumerate(range(len(other))))
    rest = _table(one, other, 1, lambda i, j, after: change(one[i], other[j]) + after, min)
    found, i, j = [], 0, 0
    while i < len(one) and j < len(other):
        if rest[i][j] == change(one[i], other[j]) + rest[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif rest[i][j] == 1 + rest[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def _table(one: Sequence, other: Sequence, alone: int, together: Callable[[int, int, float], float],
           better: Callable[..., float]) -> list[list[float]]:
    """Return for each place in both sequences the best value of matching what is left of them.

    alone: what a member costs that is left alone.
    together: (place, place, value after them) -> value where these two are matched.
    """
    rows: list[list[float]] = [[alone * (len(other) - j) for j in range(len(other) + 1)]]
    for i in reversed(range(len(one))):
        row: list[float] = [alone * (len(one) - i)]
        for j in reversed(range(len(other))):
            after = rows[0]
            row.insert(0, better(together(i, j, after[j + 1]), alone + after[j], alone + row[0]))
        rows.insert(0, row)
    return rows
