"""Select records by their terms, or the best of several outputs for each source.

--terms: a specification has terms for two groups of people (targets, T1 and
T2) and attributes that are said of them (A1 and A2).  A record stays if its
texts have a term of T1 (--terms-group two: of T2) and one of A1, as for the biased
posts of CHBias; the history says which terms.  In languages written without
spaces, terms are also found within words (老 in 老店); after dt-parse, an
attribute must be one word or several.

Each of several outputs is scored by itself: --explode makes records of an
n-best list (variants nbest:1, nbest:2, …), dt-score scores them, and then
--drop, --echo, --where and --rank select, in this order.  Outputs for one
source have the same id and the same variant, except for nbest:N; --rank keeps
one of them, and removes its nbest:N.

EXPR consists of scores by their labels, numbers, + - * /, comparisons, and, or,
not, abs, min and max.  Quote a label that is not a name: "bleu:order=2" > 30,
or scores["bleu:order=2"].  Values that differ by rounding alone are equal.  A
record with a score that is null, or that dt-score left out, is never kept.  A
label that the record was not scored by is an error.

The records left out are counted by reason.  There is no --resume: it would have
to continue --rejected, too, and a new run takes seconds.

Memory: the records of one source; for --without, the ids.

Examples:

$ printf '%s\\n' 那个老头真固执 老人在公园 他很固执 | dt-convert --from lines --set lang=zh |
  dt-select --terms age | jq -c '[.text, .history[-1].target, .history[-1].attribute]'
["那个老头真固执",["老头"],["固执"]]

$ echo '{"id": 1, "text": "Hi", "reference": "It is", "prediction": ["?", "Hi", "It is!"]}' |
  dt-select --lang en --explode --drop repeats --drop bare -q | dt-score -m f1 2>/dev/null |
  dt-select --where 'f1 > 0.2' --rank f1 | jq .prediction
"It is!"
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Literal, get_args

import click

from dialtools.pipeline import cli, input_keys
from dialtools.pipeline.work import Closing, Work, left_out
from dialtools.plugins.options import Choice

BY = "dt-select"
Drop = Literal["repeats", "bare"]
TermsGroup = Literal["one", "two", "any"]


def select(
    records: Iterable[dict],
    reject: Callable[[dict, str], None] = lambda record, reason: None,
    rename: dict[str, str] | None = None,
    ids: set | None = None,
    *,
    terms: str | None = None,
    terms_group: TermsGroup = "one",
    without: str | None = None,
    explode: bool = False,
    drop: Sequence[Drop] = (),
    echo: Sequence[str] = (),
    where: str | None = None,
    rank: str | None = None,
) -> Iterator[dict]:
    """Yield the records that hold certain terms, or the selected outputs for each source.

    reject: called with each record that is left out, and the reason.
    rename: keys that exchange their names in the file of `without`, such as {"nr": "id"}.
    ids: those in the file of `without`, if it was read already.
    terms: a specification, by its name or as a file; a record needs a target and an attribute term.
    terms_group: the group of the target terms: "one" (T1), "two" (T2) or "any"; the attribute
        terms are those of the first group (A1), the stereotypes, with "any" all.
    without: file of records; records with one of their ids are left out.
    explode: first make each output of an n-best list a record of its own.
    drop: leave out "repeats" of the input or of an earlier output, and "bare" outputs without
        letter or digit.
    echo: texts; an output that contains one, in any case, is left out.
    where: an expression of scores that must be true.
    rank: an expression of scores; for each source, or variant, the record with the highest stays.

    The history has the terms, as "target" and "attribute".
    """
    from dialtools.evaluation import selection
    from dialtools.plugins import registry
    from dialtools.records import history, validation
    from dialtools.text import specifications

    drop, echo = registry.several(drop), registry.several(echo)
    records = validation.completed(records, deep=terms is not None or "repeats" in drop)
    signature = selection.signature(explode, drop, echo, where, rank)
    if without is not None:
        known_ids = selection.ids_of(without, rename) if ids is None else ids
        records = selection.without(known_ids, records, reject)
    if terms is not None:
        spec = terms if isinstance(terms, specifications.Spec) else specifications.Spec(terms)
        records = selection.with_terms(records, spec, terms_group, reject)
    if explode:
        records = (output for record in records for output in selection.exploded(record))
    if drop or echo or where or rank:
        records = (
            record
            for outputs in selection.groups(records)
            for record in selection.selected(
                outputs, drop=drop, echo=echo, where=where, rank=rank, reject=reject
            )
        )
    for record in records:
        yield history.add(record, BY, signature) if signature else record


@cli.command(
    BY,
    click.option(
        "--terms",
        metavar="SPEC",
        help="Keep records with a target term and an attribute term of this "
        "specification: a name such as gender, or a file.",
    ),
    click.option(
        "--terms-group",
        type=Choice(get_args(TermsGroup)),
        default="one",
        show_default=True,
        help="Group of the target terms: the first, the second, or any.",
    ),
    click.option("--without", metavar="FILE", help="Leave out records whose id is in FILE."),
    click.option(
        "--explode",
        is_flag=True,
        help="First make each output of an n-best list a record of its own.",
    ),
    click.option(
        "--drop",
        type=Choice(get_args(Drop)),
        multiple=True,
        help="Leave out outputs that repeat the input or another output, or have neither "
        "letter nor digit.",
    ),
    click.option(
        "--echo",
        multiple=True,
        metavar="TEXT",
        help="Leave out outputs that contain this, such as a part of the prompt.",
    ),
    click.option(
        "--where", metavar="EXPR", help="Keep records for which this is true, such as 'bleu > 50'."
    ),
    click.option(
        "--rank",
        metavar="EXPR",
        help="Keep the record of each source with the highest value, such as "
        "'(bleu / 100 + bertscore) / 2'.",
    ),
    click.option(
        "--rejected",
        metavar="FILE",
        help='Write the records left out, with the reason under "rejected".',
    ),
    *cli.reading("dialogue", "text", "prediction", also=(cli.on_error, cli.shard)),
)
def main(rejected: str | None, **options) -> int:
    from dialtools.evaluation import selection
    from dialtools.records import jsonl, validation
    from dialtools.system import files
    from dialtools.text import specifications

    outputs = [name for name in ("explode", "drop", "echo", "where", "rank") if options[name]]
    if not outputs and not options["terms"] and not options["without"]:
        raise click.UsageError(
            "no selection given: use --terms, --without, --explode, --drop, "
            "--echo, --where or --rank"
        )
    if options["terms_group"] != "one" and not options["terms"]:
        raise click.UsageError("--terms-group needs --terms")
    cli.check_apart("--rejected", rejected, options["output"], options["files"])
    keys = ["prediction"] if outputs else ["dialogue|text"]
    if options["terms"] or "repeats" in options["drop"]:
        keys.append("dialogue|text|prediction")  # checks turns, if there are any
    notes: Counter = Counter()
    rename = input_keys.renaming(options["key"])
    # read once: after a failure the filter begins anew
    ids = selection.ids_of(options["without"], rename) if options["without"] else None
    if options["terms"]:
        options["terms"] = specifications.Spec(options["terms"])
    with files.open_output(rejected) if rejected else nullcontext() as file:

        def reject(record: dict, reason: str) -> None:
            notes.update([reason])
            if file:
                file.write(jsonl.dumps({**validation.exchange(record, rename), "rejected": reason}))

        return cli.run(
            Work(
                partial(select, reject=reject, rename=rename, ids=ids),
                by=BY,
                whole_groups=bool(set(outputs) - {"explode"}),
                keys=keys,
                closing=lambda: Closing(left_out(notes)),
            ),
            **options,
        )
