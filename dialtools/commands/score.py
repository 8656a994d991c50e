"""Score predictions, and sum up what the scores say."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice

import click

from dialtools import cli, dialogue, history, scoring, tables, tokenizers
from dialtools.errors import OptionError
from dialtools.summaries import quality, robustness as robustnesses, sensitivity as sensitivities

BY = "dt-score"
BATCH = 32  # records that a metric gets at once; with two or three references each, what tokenizers keep

Stream = Iterable[dict]


def score(records: Stream, *, metric: list[str | Callable], summary: bool = False, sensitivity: bool = False,
          robustness: bool = False, per_source: bool = False) -> Iterator[dict]:
    """Yield each record with its scores added; or, if asked, what they say together.

    metric: specs such as "rouge2" or "chrf:order=4", or functions (predictions, references) -> numbers.
    summary: yield only the mean of each metric.
    sensitivity: yield quality and S, R and D of each metric over the variants of each source.
    robustness: yield how far outputs move from that of the original, for each kind of perturbation.
    per_source: with sensitivity or robustness, yield one record for each source (and kind) instead.
    """
    work, then = plan(metric, summary, sensitivity, robustness, per_source)
    yield from then(work(records))


def plan(metric: Sequence[str | Callable], summary: bool, sensitivity: bool, robustness: bool,
         per_source: bool) -> tuple[Callable[[Stream], Iterator[dict]], Callable[[Stream], Iterator[dict]]]:
    """Return the filter of records or whole sources, and what is done with the stream of its results."""
    check(metric, summary, sensitivity, robustness, per_source)
    if not sensitivity and not robustness:
        return partial(scored, metric=metric), partial(quality.summarise, metric=metric, by=BY) if summary else iter
    kind = sensitivities if sensitivity else robustnesses
    return (partial(kind.sources, metric=metric, by=BY),
            iter if per_source else partial(kind.summarise, metric=metric))


def check(metric: Sequence[str | Callable], summary: bool, sensitivity: bool, robustness: bool,
          per_source: bool) -> None:
    """Raise OptionError for what does not go together."""
    if summary + sensitivity + robustness > 1:
        raise OptionError("--summary, --sensitivity or --robustness: one of them")
    if per_source and not sensitivity and not robustness:
        raise OptionError("--per-source goes with --sensitivity or --robustness")
    for label, times in Counter(map(scoring.label, metric)).items():
        if times > 1:
            raise OptionError(f"the metric {label} is there {times} times; its scores would have one name")
    for spec in metric:
        scoring.check(spec)
        if sensitivity or robustness:
            scoring.check_comparable(spec)


def scored(records: Stream, *, metric: Sequence[str | Callable]) -> Iterator[dict]:
    """Yield each record with "scores" and, in its history, their signatures."""
    records, specs = iter(records), tuple(metric)
    labels = tuple(map(scoring.label, specs))
    while batch := list(islice(records, BATCH)):
        rows: list = [()] * len(batch)
        for lang in dict.fromkeys(map(dialogue.lang, batch)):  # a metric gets one language at a time
            places = [place for place, record in enumerate(batch) if dialogue.lang(record) == lang]
            part = [batch[place] for place in places]
            given = scoring.columns(part)
            values = [scoring.of_records(scorer, part, given) for scorer in scoring.bind_all(specs, part[0])]
            for place, row in zip(places, zip(*values, strict=True), strict=True):
                rows[place] = row
        for record, row in zip(batch, rows, strict=True):
            yield _scored(record, dict(zip(labels, row, strict=True)), specs)


def _scored(record: dict, scores: dict[str, float], metric: tuple[str | Callable, ...]) -> dict:
    before = record.get("scores")
    scored = {**record, "scores": {**before, **scores} if before else scores}
    return history.add(scored, BY, _signatures(metric, dialogue.lang(record), len(dialogue.references(record))),
                       counts={"empty": int(tokenizers.is_empty(dialogue.best(record)))})


@lru_cache(maxsize=None)
def _signatures(metric: tuple[str | Callable, ...], lang: str, references: int) -> dict[str, str]:
    scorers = (scoring.bind(spec, lang) for spec in metric)
    return {scorer.plugin.label: scorer.signature([references]) for scorer in scorers}


@cli.command(
    BY,
    click.option("-m", "--metric", type=cli.Plugin("metrics"), multiple=True, required=True,
                 help="Metric to compute; repeat for several."),
    click.option("--summary", is_flag=True, help="Write only the means."),
    click.option("--sensitivity", is_flag=True, help="Write quality, S, R and D over the variants of each source."),
    click.option("--robustness", is_flag=True, help="Write how far outputs move from that of the original, for each "
                 "kind of perturbation."),
    click.option("--per-source", is_flag=True, help="With --sensitivity or --robustness: one record for each source "
                 "(and kind), for dt-ttest."),
    cli.format_option, cli.listing("metrics"), *cli.stream("prediction", "reference"))
def main(metric, summary, sensitivity, robustness, per_source, format, **options) -> int:
    """Score predictions against references, and sum up what the scores say.

    Adds "scores" to each record and prints their means on standard error.
    With --summary, --sensitivity or --robustness only results are written: a
    table on a terminal, JSON Lines otherwise.

    --sensitivity compares the variants of each source (dt-swap-names, dt-perturb):
    S, how much outputs change between variants; R, range, and D, standard
    deviation, of their quality; all in percent, lower is more robust.  Beside
    S stand two controls: the share of distinct outputs, and the same change
    between outputs of different dialogues.  Without references there is only S.
    Variants of several kinds (dt-swap-names --one, several dt-perturb -k) are
    sets of their own; a source has the mean over its sets.

    --robustness compares each variant with the original (dt-perturb
    --keep-original): how far the output changes (consistency), and how far its
    score moves against the reference (saliency) and against the original
    dialogue (faithfulness), in percent of what it was; 0 is robust.

    Memory: a few records at a time; with --sensitivity the variants of one
    source; with --robustness some numbers for each source.

    Examples:

    $ echo '{"id": 1, "prediction": "the cat sat", "reference": "the cat is here"}' |
      dt-score -m rouge1 -m rouge2 --lang en -q | jq -c .scores
    {"rouge1":0.5714285714285715,"rouge2":0.4}
    """
    work, then = plan(metric, summary, sensitivity, robustness, per_source)
    whole = sensitivity or robustness
    if per_source and format:
        raise click.UsageError("--format is for results; --per-source writes records")
    needed = {"prediction"} if whole else {key for spec in metric for key in scoring.needs(spec)}
    results: list[dict] = []
    writes_records = per_source or not (summary or whole)
    if not summary and not whole:
        then = partial(quality.watch, metric=metric, by=BY, results=results)
    # With several jobs a chunk for a worker is longer than a batch as it is.
    batch = BATCH if not whole and options["jobs"] == 1 else 1
    return cli.run(
        work, by=BY, keys=sorted(needed), whole_groups=whole, batch=batch, then=then,
        render=cli.render if writes_records else cli.renderer(format, options["output"]), results=not writes_records,
        closing=lambda: b"".join(tables.render(results, format or "text")).decode(), **options)
