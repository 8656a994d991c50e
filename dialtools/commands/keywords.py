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

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Literal

import click

from dialtools.pipeline import cli, input_keys
from dialtools.pipeline.work import Work
from dialtools.plugins.options import Choice
from dialtools.system.errors import OptionError, RecordError, about, show
from dialtools.tables import FORMATS

BY = "dt-keywords"
_ROUNDING = 1e-12  # weights up to this are 0


def keywords(
    records: Iterable[dict],
    *,
    label: str | None = None,
    by: str = "label",
    number: int = 20,
    tok: str | None = None,
    weight: Literal["bayes", "tfidf"] = "bayes",
    ngram: int = 1,
) -> Iterator[dict]:
    """Yield the words most typical of a label, the strongest first: term, weight, count, elsewhere.

    label: the value of the class; all other records are the rest.  None: each label in turn, in
        the order of their first records, with the label in the rows.
    by: the key that holds the label.
    number: how many words of a label.
    tok: a tokenizer; None takes the tokens of records, or else the language's own tokenizer.
    weight: bayes, or tfidf, as in text/typical_words.py.
    ngram: words in a term.

    count, elsewhere: occurrences in the class and in the rest.
    """
    from dialtools.records import dialogue
    from dialtools.records.validation import completed
    from dialtools.text import typical_words

    if ngram < 1:
        raise OptionError(f"ngram must be 1 or more, not {ngram}")
    counts: dict[str, Counter] = {}
    has_tokens: set[bool] = set()
    for record in completed(records, deep=True):
        with about(record):
            value = record.get(by)
            if value is None or isinstance(value, (list, dict)):
                raise RecordError(f'"{by}" must hold a label, not {show(value)}')
            # as it would be typed: 1, true, islam
            of_label = counts.setdefault(
                value if isinstance(value, str) else show(value), Counter()
            )
            is_parsed = tok is None and any(
                "tokens" in holder for holder in dialogue.holders(record)
            )
            has_tokens.add(is_parsed)
            if len(has_tokens) > 1:
                raise RecordError("only some records have tokens: parse all of them, or give --tok")
            of_label.update(typical_words.terms(record, tok, is_parsed, ngram))
    if counts and (len(counts) == 1 or label not in (None, *counts)):
        only = label if label is not None else next(iter(counts))
        missing = f"another {by} than" if only in counts else f"the {by}"
        raise RecordError(f"no record has {missing} {show(only)}: there is nothing to compare")
    total = sum(counts.values(), Counter())
    for name in counts if label is None else [label]:
        inside = counts.get(name, Counter())
        outside = total - inside
        weighed = (
            typical_words.strongest(inside, outside, number)
            if weight == "bayes"
            else typical_words.frequent(inside, list(counts.values()), number)
        )
        for term, strength in weighed:
            yield {
                **({"label": name} if label is None else {}),
                "term": term,
                "weight": strength,
                "count": inside[term],
                "elsewhere": outside[term],
            }


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
        "--by",
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
        type=Choice(["bayes", "tfidf"]),
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
        type=Choice(["tsv", *FORMATS]),
        help="Format of the output: a specification (tsv), which terms.ablate reads, or a table.",
    ),
    *cli.reading("dialogue", "text"),
)
def main(format: str | None, label: str | None, by: str, **options) -> int:
    input_keys.check_names([by], "--by", options["key"])
    if label is None and format == "tsv":
        raise click.UsageError("--format tsv is a specification of one --label")
    render = (
        _tsv
        if format == "tsv" or (format is None and label is not None)
        else cli.renderer(format, options["output"])
    )
    return cli.run(
        Work(
            partial(keywords, label=label, by=by),
            by=BY,
            results=True,
            keys=["dialogue|text", by],
            render=render,
        ),
        **options,
    )
