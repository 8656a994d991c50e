"""Words that are typical of a label: counted in records, weighed by naive Bayes or tf-idf."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log

from dialtools import languages
from dialtools.records import dialogue
from dialtools.records.values import is_empty
from dialtools.text import tokenizers


def terms(record: dict, tok: str | None, is_parsed: bool, ngram: int) -> Iterator[str]:
    """Yield the terms of a record, in lower case: so many words of one text, one after another."""
    language = languages.get(dialogue.lang(record))
    tokenize = tokenizers.lenient(tok or language.facts["words"])
    for holder in dialogue.holders(record):
        if is_parsed:
            forms = (token["form"].lower() for token in holder.get("tokens") or ())
            words = [form for form in forms if not is_empty(form)]
        else:
            words = tokenize(holder["text"])
        yield from map(
            language.space.join, zip(*(words[offset:] for offset in range(ngram)), strict=False)
        )


def frequent(
    inside: Counter, classes: Sequence[Counter], number: int
) -> Iterator[tuple[str, float]]:
    """Yield (term, weight) of the terms with the highest tf-idf; ties by count, then name.

    weight = n(t, c) / n(c) × (ln((1 + C) / (1 + C(t))) + 1), where n counts the occurrences in the
    class, C the classes and C(t) those with the term.

    inside: occurrences of each term in the class; classes: likewise in each, this one included.

    Source: the idf of scikit-learn's TfidfTransformer, each class as one document.

    >>> a, b = Counter(x=1, y=1), Counter(y=2)  # 1/2 × (ln(3/2) + 1)
    >>> [(term, round(weight, 4)) for term, weight in frequent(a, [a, b], 9)]
    [('x', 0.7027), ('y', 0.5)]
    """
    total = inside.total()
    weights = {
        term: count
        / total
        * (log((1 + len(classes)) / (1 + sum(term in counts for counts in classes))) + 1)
        for term, count in inside.items()
    }
    ordered = sorted(weights, key=lambda term: (-weights[term], -inside[term], term))
    yield from ((term, weights[term]) for term in ordered[:number])


def strongest(inside: Counter, outside: Counter, number: int) -> Iterator[tuple[str, float]]:
    """Yield (word, weight) of the words most typical of the class; ties by count, then name.

    weight = log P(w | class) - log P(w | rest), where P(w | c) = (n(w, c) + 1) / (n(c) + V), n the
    number of occurrences (multinomial), V the number of different words in all texts (add-one
    smoothing).  In nats.

    inside, outside: occurrences of each word in the class, and in the rest.

    Source: appendix B.1 of "Flexible text generation for counterfactual fairness
    probing", which takes the 20 words with the strongest association.

    >>> list(strongest(Counter(a=3, b=1), Counter(b=1), 1))  # log of 4/6 : 1/3
    [('a', 0.6931471805599454)]
    """
    words = inside.keys() | outside.keys()
    if not words:
        return
    log_inside, log_outside = (log(counts.total() + len(words)) for counts in (inside, outside))
    weights = {
        word: log(inside[word] + 1) - log_inside - log(outside[word] + 1) + log_outside
        for word in words
    }
    ordered = sorted(words, key=lambda word: (-weights[word], -inside[word], word))
    yield from ((word, weights[word]) for word in ordered[:number])
