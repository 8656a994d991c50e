"""How well a model parses a treebank: the share of words that are right, punctuation included, in percent."""

from dialtools.biaffine import predicting
from dialtools.biaffine.predicting import Model, Parse
from dialtools.biaffine.treebank import Sentence


def scores(model: Model, sentences: list[Sentence], subtypes: bool) -> dict[str, float]:
    """Return UAS and LAS from given parts of speech; then UPOS, UAS and LAS from the model's own."""
    forms = [sentence.forms() for sentence in sentences]
    given = [[token["upos"] for token in sentence.tokens] for sentence in sentences]
    from_given = _shares(predicting.parse(model, forms, given), sentences, subtypes)
    own = _shares(predicting.parse(model, forms), sentences, subtypes)
    return {"uas": from_given["uas"], "las": from_given["las"], "upos_own": own["upos"], "uas_own": own["uas"],
            "las_own": own["las"]}


def _shares(parses: list[Parse], sentences: list[Sentence], subtypes: bool) -> dict[str, float]:
    """Return the shares of words with the right part of speech, head, and head and label."""
    words = upos = uas = las = 0
    for parse, sentence in zip(parses, sentences, strict=True):
        heads = [ours == wanted for ours, wanted in zip(parse.heads, sentence.heads(), strict=True)]
        labels = [ours == wanted for ours, wanted in zip(parse.labels, sentence.labels(subtypes), strict=True)]
        words += len(heads)
        upos += sum(ours == token["upos"] for ours, token in zip(parse.upos, sentence.tokens, strict=True))
        uas += sum(heads)
        las += sum(head and label for head, label in zip(heads, labels, strict=True))
    return {name: round(100 * count / words, 2) for name, count in (("upos", upos), ("uas", uas), ("las", las))}
