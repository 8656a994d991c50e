"""Attachment scores: how much of a dependency parse, or of its tags, is that of the gold standard.

uas counts the words that have the same head in the tokens of a record and in the tokens that they
are compared with: "gold" in each turn (or record); with against=KEY those under that key; with
against=FILE.conllu the sentence of the same id in a treebank; with against=original the tokens of
the original, which shows whether a perturbation breaks the parse.  Words are matched by their
characters, so that tokens may differ.  After a perturbation they are matched with the fewest
changes, and inserted and deleted words are wrong.  Parse the variants, not the original: a word
inserted after parsing has no token, which is an error.

las is the same, where the relation to the head must be the same too.  Subtypes of relations
(acl:relcl) count only with subtypes=yes.

clas is las over content words only, so that a language with many function words has no advantage.
Content words have a relation of Universal Dependencies other than aux, case, cc, clf, cop, det,
mark and punct.

upos is the same for tags: the UPOS of a word must be the same, wherever its head is.

Each is an F1.  The value of a data set is that of all its words; beside its interval over records
it has a margin of error at 95 %, that of a share of so many words.  A record without words scores 1.

Source: Zeman et al. 2018, https://aclanthology.org/K18-2001, section 5.1; clas: Nivre and Fang 2017,
https://aclanthology.org/W17-0411; equal to the evaluation of the CoNLL 2018 shared task; margin: as
in "Cross-lingual Transfer Learning for Javanese Dependency Parsing".

>>> gold = [[{"text": "Go now!", "tokens": [
...     {"form": "Go", "upos": "VERB", "head": 0, "deprel": "root"},
...     {"form": "now", "upos": "ADV", "head": 1, "deprel": "advmod:tmod"},
...     {"form": "!", "upos": "PUNCT", "head": 1, "deprel": "punct"}]}]]
>>> parse = [[{"text": "Go now!", "tokens": [
...     {"form": "Go", "upos": "VERB", "head": 0, "deprel": "root"},
...     {"form": "now", "upos": "SCONJ", "head": 1, "deprel": "advmod"},
...     {"form": "!", "upos": "PUNCT", "head": 2, "deprel": "punct"}]}]]
>>> uas.score(parse, gold), las.score(parse, gold), las.score(parse, gold, subtypes=True)
([0.6666666666666666], [0.6666666666666666], [0.3333333333333333])
>>> clas.score(parse, gold), upos.score(parse, gold)
([1.0], [0.6666666666666666])
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import sqrt
from typing import NamedTuple

from dialtools.metrics import _alignment, _statistics
from dialtools.metrics._alignment import Word
from dialtools.plugins.metric import Corpus, Metric
from dialtools.records import tokens
from dialtools.system.errors import RecordError, show

Z = 1.959963984540054  # the normal quantile of 95 %
CONTENT = frozenset(
    (
        "acl advcl advmod amod appos ccomp compound conj csubj dep discourse dislocated expl fixed "
        "flat goeswith iobj list nmod nsubj nummod obj obl orphan parataxis reparandum root "
        "vocative xcomp"
    ).split()
)

Turns = list[dict]  # what holds a "text" and "tokens": the turns of a record, or the record itself


class Trees(NamedTuple):
    """The words of a turn in the gold standard and in a system's parse, and which match."""

    gold: list[Word]
    system: list[Word]
    matches: list[_alignment.Match]

    @property
    def matched(self) -> list[tuple[Word, Word]]:
        """The gold word and the system's word of each match."""
        return [(self.gold[place], self.system[match]) for place, match in self.matches]

    def attached(self) -> list[tuple[Word, Word]]:
        """Return the matched words that have the same head in both."""
        gold_places: dict[int | None, int | None] = {place: gold for gold, place in self.matches}
        gold_places[None] = None  # the head of a root
        return [
            (word, match)
            for word, match in self.matched
            if gold_places.get(match.parent, -1) == word.parent
        ]


def attached(parsed: list[Turns], gold: list[Turns]) -> list[list[int]]:
    """Return the numbers of words with the right head, gold words and the system's of each record."""
    return [_counts(turns, Trees.attached) for turns in _trees(parsed, gold, "uas", "head")]


def labelled(
    kind: str, parsed: list[Turns], gold: list[Turns], *, subtypes: bool = False
) -> list[list[int]]:
    """Return the same numbers, of words whose relation to the head is right too; kind: las, or clas
    of content words, where the gold word decides for a matched pair.

    subtypes: is acl:relcl another relation than acl?
    """

    def right(trees: Trees) -> list[tuple[Word, Word]]:
        return [
            (word, match)
            for word, match in trees.attached()
            if relation(word, subtypes) == relation(match, subtypes)
        ]

    def is_counted(word: Word) -> bool:
        return kind == "las" or relation(word, False) in CONTENT

    records = _trees(parsed, gold, kind, "head", "deprel")
    return [_counts(turns, right, is_counted) for turns in records]


def tagged(parsed: list[Turns], gold: list[Turns]) -> list[list[int]]:
    """Return the numbers of rightly tagged words, gold words and the system's of each record."""

    def right(trees: Trees) -> list[tuple[Word, Word]]:
        return [pair for pair in trees.matched if tag(pair[0]) == tag(pair[1])]

    return [_counts(turns, right) for turns in _trees(parsed, gold, "upos", "upos")]


def relations(
    parsed: list[Turns], gold: list[Turns], *, subtypes: bool = False
) -> list[list[tuple[str, str]]]:
    """Return (gold, system) relations of each record's gold words, wherever their heads are."""
    records = _trees(parsed, gold, "las", "head", "deprel")
    return [_pairs(turns, lambda word: relation(word, subtypes)) for turns in records]


def tags(parsed: list[Turns], gold: list[Turns]) -> list[list[tuple[str, str]]]:
    """Return (gold, system) tags of each record's gold words."""
    return [_pairs(turns, tag) for turns in _trees(parsed, gold, "upos", "upos")]


def f1(rows: Iterable[Sequence[float]]) -> float:
    """Return the F1 of counts or sums of counts; 1 for records without words, 0 for no records."""
    rows = list(rows)
    right, gold, system = _sums(rows)
    return 2 * right / (gold + system) if gold + system else float(len(rows) > 0)


def margin(rows: Iterable[Sequence[float]]) -> float:
    """Return the margin of error of the F1 at 95 %: that of a share of the gold words.

    It is Wald's, as the paper has it, and the same on both sides: near 0 and 1 the F1 plus or minus
    the margin may be beyond, and of an F1 of 0 or 1 it is 0. The bootstrap interval never is.
    """
    rows = list(rows)
    share, words = f1(rows), _sums(rows)[1]
    return Z * sqrt(share * (1 - share) / words) if words else 0.0


def relation(word: Word, subtypes: bool) -> str:
    """Return a word's relation to its head; without subtypes, acl:relcl is acl."""
    label = _text(word, "deprel")
    return label if subtypes else label.partition(":")[0]


def tag(word: Word) -> str:
    """Return a word's part of speech."""
    return _text(word, "upos")


def _text(word: Word, key: str) -> str:
    value = word.token[key]
    if not isinstance(value, str):
        raise RecordError(f'"{key}" is a string, here is {show(value)}')
    return value


def _trees(
    parsed: Sequence[Turns], gold: Sequence[Turns], kind: str, *keys: str
) -> list[list[Trees]]:
    """Return the trees of each record's turns. Raise RecordError for missing keys or turns."""
    records = []
    for turns, gold_turns in zip(parsed, gold, strict=True):
        if len(turns) != len(gold_turns):
            raise RecordError(
                f"{kind}: the record has {len(turns)} turns, what it is compared with has "
                f"{len(gold_turns)}"
            )
        trees = []
        for turn, gold_turn in zip(turns, gold_turns, strict=True):
            if not tokens.has(gold_turn, *keys):
                raise RecordError(f"{kind}: the tokens to compare with lack {', '.join(keys)}")
            for holder in (turn, gold_turn):
                word = tokens.without(holder)
                if word and holder.get("tokens") is not None:
                    raise RecordError(
                        f"{kind}: {show(word)} of {show(holder['text'])} has no token: dt-parse "
                        "after dt-perturb"
                    )
            system_words, gold_words = (
                _alignment.words(tokens.annotated(holder, kind, *keys))
                for holder in (turn, gold_turn)
            )
            matches = _alignment.matched(gold_words, system_words)
            trees.append(Trees(gold_words, system_words, matches))
        records.append(trees)
    return records


def _counts(
    turns: list[Trees],
    right: Callable[[Trees], list[tuple[Word, Word]]],
    is_counted: Callable[[Word], bool] = lambda word: True,
) -> list[int]:
    """Return the numbers of right words, gold words and the system's words of a record."""
    return [
        sum(is_counted(word) for trees in turns for word, _ in right(trees)),
        sum(is_counted(word) for trees in turns for word in trees.gold),
        sum(is_counted(word) for trees in turns for word in trees.system),
    ]


def _sums(rows: Iterable[Sequence[float]]) -> list[float]:
    return [sum(column) for column in zip(*rows, strict=True)] or [0, 0, 0]


def _pairs(turns: list[Trees], value: Callable[[Word], str]) -> list[tuple[str, str]]:
    """Return (gold, system) values of gold words; "" where the system lacks a word."""
    pairs = []
    for trees in turns:
        values = {place: value(trees.system[match]) for place, match in trees.matches}
        pairs += [(value(word), values.get(place, "")) for place, word in enumerate(trees.gold)]
    return pairs


of_record = _statistics.alone(f1)

uas = Metric(
    _statistics.scored(attached, of_record),
    range=(0, 1),
    needs=("said", "gold"),
    corpus=Corpus(attached, f1, margin=margin, of_record=of_record),
    summary="Unlabelled attachment score: words with the right head, from 0 to 1; higher is better.",
)
las = Metric(
    _statistics.scored(partial(labelled, "las"), of_record),
    range=(0, 1),
    needs=("said", "gold"),
    corpus=Corpus(partial(labelled, "las"), f1, margin=margin, of_record=of_record),
    pairs=relations,
    summary="Labelled attachment score: words with the right head and relation, from 0 to 1; higher is better.",
)
clas = Metric(
    _statistics.scored(partial(labelled, "clas"), of_record),
    range=(0, 1),
    needs=("said", "gold"),
    corpus=Corpus(partial(labelled, "clas"), f1, margin=margin, of_record=of_record),
    summary="Content-word labelled attachment score, from 0 to 1; higher is better.",
)
upos = Metric(
    _statistics.scored(tagged, of_record),
    range=(0, 1),
    needs=("said", "gold"),
    corpus=Corpus(tagged, f1, margin=margin, of_record=of_record),
    pairs=tags,
    summary="Part-of-speech accuracy: words with the right universal tag, from 0 to 1; higher is better.",
)
