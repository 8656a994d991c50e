"""Find the words that are most typical of a label in a corpus, by naive Bayes or tf-idf."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import log
from typing import Literal

import click

from dialtools import languages
from dialtools.pipeline import cli
from dialtools.pipeline.work import Work
from dialtools.records import dialogue, validation
from dialtools.system.errors import OptionError, RecordError, about, show
from dialtools.tables import tables
from dialtools.text import tokenizers

BY = "dt-keywords"
_ROUNDING = 1e-12  # weights up to this are 0


def keywords(
    records: Iterable[dict],
    *,
    label: str | None = None,
    label_key: str = "label",
    number: int = 20,
    tok: str | None = None,
    weight: Literal["bayes", "tfidf"] = "bayes",
    ngram: int = 1,
) -> Iterator[dict]:
    """Yield the words most typical of a label, the strongest first: term, weight, count, elsewhere.

    label: the value of the class; all other records are the rest.  None: each label in turn, in
        the order of their first records, with the label in the rows.
    label_key: the key that holds the label.
    number: how many words of a label.
    tok: a tokenizer; None takes the tokens of records, or else the language's own tokenizer.
    weight: bayes, as in `strongest`, or tfidf, as in `frequent`.
    ngram: words in a term.

    count, elsewhere: occurrences in the class and in the rest.
    """
    if ngram < 1:
        raise OptionError(f"ngram must be 1 or more, not {ngram}")
    counts: dict[str, Counter] = {}
    has_tokens: set[bool] = set()
    for record in validation.completed(records, deep=True):
        with about(record):
            own = counts.setdefault(_label(record, label_key), Counter())
            is_parsed = tok is None and any(
                "tokens" in holder for holder in dialogue.holders(record)
            )
            has_tokens.add(is_parsed)
            if len(has_tokens) > 1:
                raise RecordError("only some records have tokens: parse all of them, or give --tok")
            own.update(_terms(record, tok, is_parsed, ngram))
    _check_contrast(counts, label, label_key)
    total = sum(counts.values(), Counter())
    for name in counts if label is None else [label]:
        inside = counts.get(name, Counter())
        outside = total - inside
        found = (
            strongest(inside, outside, number)
            if weight == "bayes"
            else frequent(inside, list(counts.values()), number)
        )
        shown = {"label": name} if label is None else {}
        for term, strength in found:
            yield {
                **shown,
                "term": term,
                "weight": strength,
                "count": inside[term],
                "elsewhere": outside[term],
            }


def _check_contrast(counts: Mapping[str, Counter], label: str | None, label_key: str) -> None:
    """Raise RecordError unless there is a label to compare with another."""
    if not counts or (len(counts) > 1 and (label is None or label in counts)):
        return
    only = label if label is not None else next(iter(counts))
    missing = f"another {label_key} than" if only in counts else f"the {label_key}"
    raise RecordError(f"no record has {missing} {show(only)}: there is nothing to compare")


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
        * (log((1 + len(classes)) / (1 + sum(term in own for own in classes))) + 1)
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


def _label(record: dict, by: str) -> str:
    """Return the label as it would be typed: 1, true, islam."""
    value = record.get(by)
    if value is None or isinstance(value, (list, dict)):
        raise RecordError(f'"{by}" must hold a label, not {show(value)}')
    return value if isinstance(value, str) else show(value)


def _terms(record: dict, tok: str | None, is_parsed: bool, ngram: int) -> Iterator[str]:
    """Yield the terms of a record, in lower case: so many words of one text, one after another."""
    language = languages.get(dialogue.lang(record))
    tokenize = tokenizers.lenient(tok or language.facts["words"])
    for holder in dialogue.holders(record):
        if is_parsed:
            forms = (token["form"].lower() for token in holder.get("tokens") or ())
            words = [form for form in forms if not tokenizers.is_empty(form)]
        else:
            words = tokenize(holder["text"])
        yield from map(language.space.join, zip(*(words[at:] for at in range(ngram)), strict=False))


def _tsv(rows: Iterable[dict]) -> Iterator[bytes]:
    """Yield a specification of the words with weight above 0; comment columns have the counts."""
    for number, row in enumerate(rows):
        if number == 0:  # without rows, there is no header
            yield b"kind\tone\t# weight\t# count\t# elsewhere\n"
        if row["weight"] > _ROUNDING:
            counts = f"{row['weight']:.4f}\t{row['count']}\t{row['elsewhere']}"
            yield f"target\t{row['term']}\t{counts}\n".encode()


@cli.command(
    BY,
    click.option(
        "--label",
        metavar="VALUE",
        help="The label to find words for; by default each label in turn, as a table.",
    ),
    click.option(
        "--label-key",
        default="label",
        show_default=True,
        metavar="KEY",
        help="The key that holds the label.",
    ),
    click.option(
        "-n",
        "--number",
        type=click.IntRange(min=1),
        default=20,
        show_default=True,
        metavar="N",
        help="How many words of a label.",
    ),
    click.option(
        "--weight",
        type=click.Choice(["bayes", "tfidf"]),
        default="bayes",
        show_default=True,
        help="What makes a word typical: how much likelier it is with "
        "the label (naive Bayes), or how frequent it is there and in how few labels.",
    ),
    click.option(
        "--ngram",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="Words in a term.",
    ),
    click.option(
        "--tok",
        metavar="NAME",
        help="Tokenizer: words, characters, rouge, …; by default the records' tokens, or "
        "the language's own.",
    ),
    click.option(
        "--format",
        type=click.Choice(["tsv", *tables.FORMATS]),
        help="Format of the output: a specification (tsv), which terms.ablate reads, or a table.",
    ),
    cli.files,
    cli.output,
    cli.limit,
    cli.lang,
    cli.key_options("id", "lang", "dialogue", "text"),
    cli.progress,
    cli.quiet,
)
def main(format: str | None, label: str | None, label_key: str, **options) -> int:
    """Find the words that are most typical of a label in a corpus, by naive Bayes or tf-idf.

    Words are counted in the records with the label and in all others; the
    weight of a word is log P(word | label) - log P(word | others), with one
    added to each count.  With --weight tfidf it is the word's share of the label's
    words times ln((1 + labels) / (1 + labels with the word)) + 1.

    With --label the output is a specification of the strongest words with weight
    above 0: remove unwanted words by hand, then give it to terms.ablate.  Tables
    also have words with weight below 0.  Chinese and Japanese need tokens
    (dt-parse): without them, each character is a word.

    Memory: the vocabulary of each label.

    Examples:

    $ printf '%s\\n' label,text 'a,rain and rain' 'b,sun and sun' 'a,more rain' |
      dt-convert --from csv --set lang=en -q | dt-keywords --label a -n 2 -q
    kind	one	# weight	# count	# elsewhere
    target	rain	1.1350	3	0
    target	more	0.4418	1	0
    """
    cli.check_names([label_key], "--label-key", options)
    if label is None and format == "tsv":
        raise click.UsageError("--format tsv is a specification of one --label")
    render = (
        _tsv
        if format == "tsv" or (format is None and label is not None)
        else cli.renderer(format, options["output"])
    )
    return cli.run(
        Work(
            partial(keywords, label=label, label_key=label_key),
            by=BY,
            results=True,
            keys=["dialogue|text", label_key],
            render=render,
        ),
        **options,
    )
