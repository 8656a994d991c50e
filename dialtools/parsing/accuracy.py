"""Accuracy of a parser on a treebank: percentages of correct words, punctuation included."""

from dialtools.parsing.model import Model, Parse, parse
from dialtools.parsing.treebank import Sentence


def scores(model: Model, sentences: list[Sentence], subtypes: bool) -> dict[str, float]:
    """Return UAS and LAS with gold parts of speech; UPOS, UAS and LAS with predicted ones."""
    forms = [sentence.forms() for sentence in sentences]
    tags = [sentence.upos() for sentence in sentences]
    gold = _shares(parse(model, forms, tags), sentences, subtypes)
    own = _shares(parse(model, forms), sentences, subtypes)
    return {
        "uas": gold["uas"],
        "las": gold["las"],
        "upos_own": own["upos"],
        "uas_own": own["uas"],
        "las_own": own["las"],
    }


def _shares(parses: list[Parse], sentences: list[Sentence], subtypes: bool) -> dict[str, float]:
    """Return the percentages of words with the right tag, head, and head and label."""
    counts = {"upos": 0, "uas": 0, "las": 0}
    words = 0
    for found, gold in zip(parses, sentences, strict=True):
        rows = zip(*found, gold.upos(), gold.heads(), gold.labels(subtypes), strict=True)
        for upos, head, label, gold_upos, gold_head, gold_label in rows:
            words += 1
            counts["upos"] += upos == gold_upos
            counts["uas"] += head == gold_head
            counts["las"] += (head, label) == (gold_head, gold_label)
    return {name: round(100 * count / words, 2) for name, count in counts.items()}
