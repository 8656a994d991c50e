"""Find the words that are most typical of one label in a corpus, by naive Bayes."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from math import log

import click

from dialtools import cli, languages
from dialtools.errors import RecordError, about, show
from dialtools.records import dialogue
from dialtools.reports import tables
from dialtools.run.input import check_names, completed
from dialtools.wording import tokenizers

BY = "dt-keywords"
_ROUNDING = 1e-12  # weights up to this are 0


def keywords(records: Iterable[dict], *, label: str, label_key: str = "label", number: int = 20,
             tok: str | None = None) -> Iterator[dict]:
    """Yield the words most typical of a label, the strongest first: term, weight, count, elsewhere.

    label: the value of the class; all other records are the rest.
    label_key: the key that holds the label.
    number: how many words.
    tok: a tokenizer; None takes the tokens of records, or else the language's own tokenizer.

    weight: as in `strongest`.  count, elsewhere: occurrences in the class and in the rest.
    """
    inside: Counter = Counter()
    outside: Counter = Counter()
    has_label: set[bool] = set()
    has_tokens: set[bool] = set()
    for record in completed(records, deep=True):
        with about(record):
            is_inside = _label(record, label_key) == label
            is_parsed = tok is None and any(
                "tokens" in holder for holder in dialogue.holders(record))
            has_tokens.add(is_parsed)
            if len(has_tokens) > 1:
                raise RecordError("only some records have tokens: parse all of them, or give --tok")
            (inside if is_inside else outside).update(_words(record, tok, is_parsed))
            has_label.add(is_inside)
    if len(has_label) == 1:
        missing = f"another {label_key} than" if True in has_label else f"the {label_key}"
        raise RecordError(f"no record has {missing} {show(label)}: there is nothing to compare")
    for word, weight in strongest(inside, outside, number):
        yield {"term": word, "weight": weight, "count": inside[word], "elsewhere": outside[word]}


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
    weights = {word: log(inside[word] + 1) - log_inside - log(outside[word] + 1) + log_outside
               for word in words}
    ordered = sorted(words, key=lambda word: (-weights[word], -inside[word], word))
    yield from ((word, weights[word]) for word in ordered[:number])


def _label(record: dict, by: str) -> str:
    """Return the label as it would be typed: 1, true, islam."""
    value = record.get(by)
    if value is None or isinstance(value, (list, dict)):
        raise RecordError(f'"{by}" must hold a label, not {show(value)}')
    return value if isinstance(value, str) else show(value)


def _words(record: dict, tok: str | None, is_parsed: bool) -> Iterator[str]:
    """Yield the words of a record, in lower case."""
    tokenize = tokenizers.lenient(tok or languages.get(dialogue.lang(record)).facts["words"])
    for holder in dialogue.holders(record):
        if is_parsed:
            forms = (token["form"].lower() for token in holder.get("tokens") or ())
            yield from (form for form in forms if not tokenizers.is_empty(form))
        else:
            yield from tokenize(holder["text"])


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
    click.option("--label", required=True, metavar="VALUE", help="The label to find words for."),
    click.option("--label-key", default="label", show_default=True, metavar="KEY",
                 help="The key that holds the label."),
    click.option("-n", "--number", type=click.IntRange(min=1), default=20, show_default=True,
                 metavar="N", help="How many words."),
    click.option("--tok", metavar="NAME",
                 help="Tokenizer: words, characters, rouge, …; by default the records' tokens, or "
                 "the language's own."),
    click.option("--format", type=click.Choice(["tsv", *tables.FORMATS]),
                 help="Format of the output: a specification (tsv), which terms.ablate reads, or a "
                 "table."),
    cli.files, cli.output, cli.limit, cli.lang,
    cli.key_options("id", "lang", "dialogue", "text"), cli.progress, cli.quiet)
def main(format: str | None, label_key: str, **options) -> int:
    """Find the words that are most typical of one label in a corpus, by naive Bayes.

    Words are counted in the records with the label and in all others; the
    weight of a word is log P(word | label) - log P(word | others), with one
    added to each count.  The output is a specification of the strongest words with
    weight above 0: remove unwanted words by hand, then give it to terms.ablate.
    Tables also have words with weight below 0.  Chinese and Japanese need tokens
    (dt-parse): without them, each character is a word.

    Memory: the vocabulary.

    Examples:

    $ printf '%s\\n' label,text 'a,rain and rain' 'b,sun and sun' 'a,more rain' |
      dt-convert --from csv --set lang=en -q | dt-keywords --label a -n 2 -q
    kind	one	# weight	# count	# elsewhere
    target	rain	1.1350	3	0
    target	more	0.4418	1	0
    """
    check_names([label_key], "--label-key", options)
    render = _tsv if format in (None, "tsv") else cli.renderer(format, options["output"])
    return cli.run(partial(keywords, label_key=label_key), by=BY, results=True,
                   keys=["dialogue|text", label_key], render=render, **options)
