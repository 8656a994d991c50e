"""How much two texts share as sets: of words, or of items.

f1 is that of words in common, as in question answering: a word counts as often as it occurs in both texts.
Two texts without a word agree (1); if only one has none, the score is 0.  Unlike the SQuAD script it keeps
articles, and it drops all punctuation in every language.

jaccard is the Jaccard index of two sets of items, common ones by all, for predictions that are sets, such
as the blocks that a builder places: "place oak 2 0 1; place stone 2 1 1".  `sep` or a line end separates
items; white space and commas separate their fields, and brackets around fields do not count.  A repeated
item counts once.  Two empty sets agree (1); one empty set scores 0.  A set is one text: a list of
predictions would be an n-best list whose first counts, and a list of references several references.  jq's
join("; ") makes one text of a list.  fields=2 compares only the second field of each item (the type of a
block), fields=3-5 the third to fifth (the place).  Give an item that lacks a field, such as a broken block, a
sign in its place: "break - 2 0 1".  An item without all compared fields equals only itself, so that sets of
malformed items do not agree by being empty.

Of several references the best counts.

Sources: f1: Rajpurkar et al. 2016, https://aclanthology.org/D16-1264, section 6.1.  jaccard: Jaccard 1912;
as in "Modeling collaborative dialogue in Minecraft with action-utterance model", equation 2.

>>> f1.score(["the cat sat", ""], [["the cat is here"], [""]])
[0.5714285714285715, 1.0]
>>> jaccard.score(["place oak 2 0 1; place stone 2 1 1"], [["(place, oak, 2, 0, 1)"]])
[0.5]
>>> jaccard.score(["place oak 2 0 1"], [["place oak 3 0 1"]], fields="2")
[1.0]
>>> jaccard.score(["place oak 2 0 1; place stone"], [["place oak 2 0 1"]], fields="3-5")
[0.5]
"""

import re
from typing import Literal

from dialtools.plugins.metric import Metric
from dialtools.system.errors import OptionError
from dialtools.text import overlap, tokenizers


def of_words(
    predictions: list[str],
    references: list[list[str]],
    *,
    tok: str = "words",
    refs: Literal["max", "mean"] = "max",
) -> list[float]:
    """Return the F1 of each prediction.

    tok: a tokenizer of text/tokenizers.py.
    refs: take the best of several references (max), or their mean.
    """
    bags = overlap.bags(tokenizers.named(tok), predictions, references)
    common = overlap.in_bags(predictions, references)

    def compare(words: list, reference_words: list) -> list[float]:
        scores = overlap.f1s(common, words, reference_words)
        rows = zip(scores, words, reference_words, strict=False)
        return [score if bag or reference_bag else 1.0 for score, bag, reference_bag in rows]

    return overlap.best_of(bags, compare, predictions, references, refs)


def of_items(
    predictions: list[str],
    references: list[list[str]],
    *,
    sep: str = ";",
    fields: str = "all",
    refs: Literal["max", "mean"] = "max",
) -> list[float]:
    """Return the index of each prediction.

    sep: what separates items, besides line ends.
    fields: "all", one number counted from 1, or FIRST-LAST.
    refs: take the best of several references (max), or their mean.
    """
    compared = _compared_fields(fields)
    if compared is None or not sep:
        raise OptionError(
            f"jaccard: fields is all, a number or FIRST-LAST, not {fields!r}, and sep is not empty"
        )

    def items(text: str) -> set[tuple[str | None, ...]]:
        rows = [
            re.findall(r"[^\s,()\[\]{}]+", item) for item in text.replace(sep, "\n").split("\n")
        ]
        return {
            tuple(row[compared]) if len(row) >= (compared.stop or 0) else (None, *row)
            for row in rows
            if row
        }

    def index(predicted: set, expected: set) -> float:
        union = predicted | expected
        return len(predicted & expected) / len(union) if union else 1.0

    return overlap.best(items, index, predictions, references, refs)


def _compared_fields(fields: str) -> slice | None:
    """Return which fields of an item count, None for a malformed option."""
    if fields == "all":
        return slice(None)
    if not re.fullmatch("[1-9][0-9]*(-[1-9][0-9]*)?", fields):
        return None
    first, _, last = fields.partition("-")
    compared = slice(int(first) - 1, int(last or first))
    return compared if compared.start < compared.stop else None


f1 = Metric(
    of_words,
    range=(0, 1),
    symmetric=True,
    by_language={"tok": "words"},
    summary="Unigram F1 of words in common, from 0 to 1; higher is better.",
)
jaccard = Metric(
    of_items,
    range=(0, 1),
    symmetric=True,
    summary="Jaccard index of two sets of items, common ones by all, from 0 to 1; higher is better.",
)
