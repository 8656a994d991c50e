"""Score predictions, and sum up the scores.

Adds "scores" to each record and sums them up on standard error.
With --summary, --sensitivity or --robustness it writes only results: a table
on a terminal, JSON Lines otherwise, or as --format and the variable
DIALTOOLS_FORMAT say.  A table has a row for each group, ± its interval, with no
more digits than that supports; --format latex is to \\input (booktabs; the best
in bold, notes as comments), and the keys below are those of JSON and CSV.

Records keep the number of the reference package. Results are in percent for
metrics from 0 to 1, in points for those from 0 to 100 and raw for all others;
their "unit" says so, and "better" whether "higher" or "lower" is better (null
where neither is).

--sensitivity compares the variants of each source (from dt-perturb, or from
dt-swap-names after its --restore): S is how much outputs change between
variants; R and D are the range and the standard deviation of their quality;
all in percent, lower is more robust.  "worst" is the largest S of a source,
"affected" the share of sources with an S above 0.  A model that always says
the same has no S, so there are two controls: "distinct", the share of distinct
outputs (20 if all five variants agree), and "control", the same change between
outputs for different dialogues ("of_control": S as a share of it).  The control
is over a sample of pairs of sources, drawn by id, no more than S has of variants
and 5,000 at the most, or over all pairs with --all-pairs; the signature says
control:sampled or control:all, and "control_ci" how far another sample, of
dialogues and of pairs, would be.  "n" counts sources, "left_out" those with
fewer than two variants, "identical_pairs" pairs (in both orders) of equal
outputs, "unchanged" variants in which nothing was changed, "empty" outputs
without a letter or digit; "identity_…" is the result of dt-generate
--identity-check.  Without references ("no_reference") there is only S.

Variants of several kinds (dt-swap-names --one, several dt-perturb -k) form
sets; a source has the mean over its sets.  If other sets of the source have
more, "sets_without_reference" count for S alone and "sets_of_one_variant" for
the quality alone.  With --per-source there is a record for each speaker that
--one renamed, with the position of the first turn and the number of turns, for
dt-ttest -t spearman --versus position --per record.

--robustness compares each variant with the original (dt-perturb
--keep-original): how far the output changes (consistency), and how far its
score moves against the reference (saliency) and against the original dialogue
(faithfulness), in percent of the original's score; 0 is robust.  "…_ci" is the
95 % normal interval of a mean from 10,000 bootstrap samples of dialogues;
"changed" has the means without "unchanged" variants.  If the original scores
below 0.01 %, a variant has no saliency or faithfulness ("zero_denominator").
Sources without a reference ("no_reference") have no saliency, those with
neither dialogue nor text ("no_dialogue") no faithfulness.  "r" is Pearson's
correlation of two dimensions over variants.  Families of kinds (typo.*), the kinds
that change utterances (utterance.*: typo, grammar, variation and asr, but for
asr.turns) and all kinds together have results too.  Each metric gives all three dimensions; the
paper uses -m bertscore, and for faithfulness -m bertscore:value=p, how much of
the output is in the dialogue.

Of metrics such as bleu, chrf, ter, kappa and distinct2, results have the score of
the data set as a whole, "corpus".  Each record has the "statistics" that it is made
of, for dt-merge and dt-ttest.  "corpus_ci" is its 95 % interval from 1,000 bootstrap
samples of clusters (ids without one), as sacrebleu --confidence makes it, and equal
to that for records with the ids 1, 2, 3 and so on; it is null for distinct2, whose
samples repeat texts.  "sentence_mean" is the mean of the records' scores, another
number, with a "sentence_signature"; of other metrics that is "mean".  uas, las, clas and upos also have the
"margin" of error of a share of so many words (Wald's: near 0 and 100 % the share
plus or minus it may be beyond, which "corpus_ci" never is).  "empty" and "empty_reference" count
predictions and references without a letter or digit.  Errors that a metric marks in the
prediction (comet, with a model of XCOMET) stand in the record, under "error_spans" and its label.

"mean_ci", "sentence_mean_ci", "S_ci", "R_ci", "D_ci" and "control_ci" are 95 % intervals by t,
over clusters, as values of one dialogue are not independent; null for fewer than
two, or where all are equal.  Of few dialogues
one by t may begin below 0, or end above 100: read such an end as 0, or as 100, which
leaves out only what the true mean cannot be.  A mean of scores that all are 0 or 1 has Wilson's
interval, which stays between 0 and 100, also where all are equal; so has S, R, D or
consistency of 0 and 100 alone, unless all are 0, and a gap of such means Newcombe's.
With --by, "best" is true for the best group of each metric, system and language, and
"p_best" of others is p of their difference from it, corrected by Holm.  A "gap"
between the "highest" and the "lowest" group has "ci" and "p", corrected for all
"pairs" of groups (Bonferroni).  Both are paired over the dialogues that groups share,
else Welch's t; corpus scores are linearised for them (infinitesimal jackknife).
--by variant and --by kind count the originals as a group.

A result's "chain" (in JSON) lists the steps that made its records, each once:
the command, its signature, how many "records" it made and "changed", and what
it counted.  Steps that some records of the same kind of variant lack are marked
("differs"), and "chain_differs" counts the records, or sources, that were made
otherwise.  "truncated" sums up cut texts, "failed" and "skipped" the records
of the system and language that have no part in the result.

Each language has a default tokenizer.  Languages without data (pl, tr, und)
have "words" (bleu: 13a), those written without spaces (th, lo, km, my)
"characters" (bleu: char); the signature names it.

Structure is compared by tokens: uas, las, clas and upos compare those of
dt-parse with "gold" tokens in the turns, with a treebank (--against
FILE.conllu) or with those of the original.  --confusion shows which relations,
tags or labels are mistaken for which.

Metrics such as bertscore have a model, a folder or a hub name, in their spec:
bertscore:model=PATH.  They read some hundred records at once, each distinct
text once; --device, --batch-size and --precision are for all of them.  The rest
of a batch moves a score by some millionths of it, in float32; with
--batch-size 1, neither order nor shards change anything.

Memory: a few records at a time, with a model some hundred and the model;
with --summary 16 bytes for each score, 280 of bleu, 410 of chrf, and the n-grams
of distinct1, distinct2, distinct4; with --sensitivity the variants of one source,
4,000 outputs, or with --all-pairs one of each source, 8 bytes for each distinct
output, and 64 for each source and metric; with --robustness some numbers for each
source.

Examples:

$ echo '{"id": 1, "prediction": "the cat sat", "reference": "the cat is here"}' |
  dt-score -m rouge1 -m rouge2 --lang en -q | jq -c .scores
{"rouge1":0.5714285714285715,"rouge2":0.4}
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

from dialtools.models.decoding import Loading
from dialtools.pipeline import cli, input_keys
from dialtools.pipeline.work import UNCHANGED, Closing, Work, render
from dialtools.plugins.options import command_line, gathered_all
from dialtools.system.errors import OptionError

if TYPE_CHECKING:
    from dialtools.evaluation.pipeline import Pipeline
    from dialtools.evaluation.quality import Means

BY = "dt-score"
COUNTERS = {
    "empty": ("outputs empty", "texts without a letter or digit, which score as empty"),
    "empty_reference": ("references empty", "the same of the references of a record"),
    "variants": ("variants", "variants that were compared"),
    "unchanged": UNCHANGED,
    "identical_pairs": ("identical pairs", "pairs of variants with equal outputs"),
    "not_restored": ("variants with new names", "variants that dt-swap-names --restore missed"),
    "meaning_changed": (
        "variants that mean something else",
        "variants of such kinds of dt-perturb",
    ),
    "truncated": ("texts truncated", "texts that were too long for a model, and were cut"),
    "windowed": ("texts in windows", "texts that were too long for a model, read in parts"),
    "undecided": ("records undecided", "records whose labels, or ratings, tie"),
    "unrated": ("records without ratings", "records that nobody rated, for the metric rating"),
    "no_good": ("records without a good rating", "records with no word of rating:good=WORD+WORD"),
    "no_delays": ("records without delays", "records whose output has no words"),
    "same_output": ("outputs the same", "outputs equal to what attribution compares them with"),
    "without_weight": ("outputs without weights", "outputs that no part of the input moves"),
    "other_output": (
        "outputs not repeated",
        "outputs that attribution's generator does not repeat",
    ),
    "without_gender": ("records without gender", "texts that do not tell a gender"),
    "sets_without_reference": ("sets without a reference", "sets that count for S alone"),
    "sets_of_one_variant": ("sets of one variant", "sets that count for the quality alone"),
}


def score(
    records: Iterable[dict] | Iterable[str | list[str]],
    references: Iterable[str | list[str]] | None = None,
    *,
    metric: list[str | Callable],
    against: str | None = None,
    subsets: bool = False,
    summary: bool = False,
    sensitivity: bool = False,
    robustness: bool = False,
    per_source: bool = False,
    with_original: bool = False,
    all_pairs: bool = False,
    by: str | None = None,
    confusion: bool = False,
    lang: str | None = None,
    loading: Loading = Loading(),
) -> Iterator[dict]:
    """Yield each record with its scores added or, if asked, results that sum them up.

    records: records with predictions; or the predictions alone, if the references are given.
    references: one for each prediction, or a list of several.
    metric: specs such as "rouge2" or "chrf:order=4", or functions (predictions, references) ->
        numbers. sensitivity and robustness need a function's RANGE, worst and best: mine.RANGE =
        (0, 1).
    against: compare with "original", "dialogue" or the value under this key, not the reference.
    subsets: compare with the first reference followed by every subset of the others.
    summary: yield only the corpus score of each metric or, where it has none, its mean.
    sensitivity: yield quality and S, R and D of each metric over the variants of each source.
    robustness: yield how far outputs move from the original's, for each kind of perturbation.
    per_source: with sensitivity or robustness, yield one record for each source (and kind, or
        speaker) instead.
    with_original: with sensitivity, count the original as one of the variants.
    all_pairs: with sensitivity, compute the control over all pairs of sources, not a sample.
    by: group results by a key of the records, "kind" of variant, or a part of a signature such as
        "pool", and add the gaps.
    confusion: yield how often each true label goes with each predicted one, for metrics that
        compare labels.
    lang: the language of records without one; None is "en".
    loading: model, device, batch size and precision of metrics whose specs do not say; offline.
    """
    from dialtools.evaluation import chosen_metrics as metrics
    from dialtools.evaluation import compared_texts
    from dialtools.evaluation import pipeline as pipelines
    from dialtools.plugins import registry
    from dialtools.records import validation

    if by and not (summary or sensitivity or robustness or confusion):
        raise OptionError(
            "records are not grouped, results are: by goes with summary, "
            "sensitivity, robustness or confusion"
        )
    if not (specs := registry.several(metric)):
        raise OptionError("no metric is named; there are " + ", ".join(registry.names("metrics")))
    pipeline = pipelines.Pipeline(
        metrics.several(specs, against=against, subsets=subsets, loading=loading),
        pipelines.output(summary, sensitivity, robustness, confusion),
        per_source,
        with_original,
        by,
        all_pairs,
    )
    pipeline.require_consistent()
    scored: Iterable = records
    if references is not None:
        scored = compared_texts.paired(records, references, lang)
    order = validation.Order() if pipeline.of_sources else None
    deep = any("dialogue" in key.split("|") for key in pipeline.keys)
    yield from pipeline.stage(BY)(
        pipeline.work(BY)(validation.completed(scored, order=order, deep=deep, lang=lang))
    )


SECTIONS = {
    "What is scored": "metric list against subsets lines".split(),
    "What is written": (
        "summary sensitivity robustness per_source with_original all_pairs by confusion bare plot format "
        "signatures"
    ).split(),
    "Models and programs of metrics": (*Loading._fields, "threads"),
}


@cli.command(
    BY,
    click.option(
        "-m",
        "--metric",
        type=cli.PluginType("metrics", cli.later("evaluation.chosen_metrics", "ChosenMetric")),
        multiple=True,
        required=True,
        help="Metric to compute; repeat for several.",
    ),
    click.option(
        "--against",
        metavar="KEY",
        help="Compare with original, dialogue or the value under KEY instead of the "
        "reference; like against=KEY in each metric.",
    ),
    click.option(
        "--subsets",
        is_flag=True,
        help="Compare with the first reference followed by every subset of the others; "
        "the best score counts. Like subsets=yes in each metric.",
    ),
    click.option(
        "--summary",
        is_flag=True,
        help="Write only the corpus score of each metric or, where it has none, its mean.",
    ),
    click.option(
        "--sensitivity",
        is_flag=True,
        help="Write quality, S, R and D over the variants of each source.",
    ),
    click.option(
        "--robustness",
        is_flag=True,
        help="Write how far outputs move from the original's, for each kind of perturbation.",
    ),
    click.option(
        "--per-source",
        is_flag=True,
        help="With --sensitivity or --robustness: write one record for each source (and "
        "pool, kind, or renamed speaker), for dt-ttest, such as dt-ttest --by pool.",
    ),
    click.option(
        "--with-original",
        is_flag=True,
        help="With --sensitivity: count the original as one of the variants.",
    ),
    click.option(
        "--all-pairs",
        is_flag=True,
        help="With --sensitivity: compute the control over all pairs of sources, not a sample.",
    ),
    click.option(
        "--by",
        metavar="KEY",
        help="Write results for each group, and the gap between the highest and the "
        "lowest (of the corpus score, mean, S or consistency). KEY is a key of the records, "
        'a path such as meta.age, "kind" of variant, or a part of a signature in the history, '
        "such as pool.",
    ),
    click.option(
        "--confusion",
        is_flag=True,
        help="Write how often each true label goes with each predicted one, for metrics "
        "that compare labels: accuracy, las, upos and the like.",
    ),
    *command_line(Loading),
    cli.threads,
    click.option(
        "--lines",
        is_flag=True,
        help="Read plain line files: the first FILE has predictions, the others references.",
    ),
    click.option(
        "-b",
        "--bare",
        is_flag=True,
        help="Write one bare number: the corpus score of a metric that has one, else its mean; "
        "with --sensitivity S, with --robustness the consistency.",
    ),
    click.option(
        "--plot",
        is_flag=True,
        help="Draw on standard error, too: the sources by their S, or bars of kinds and groups.",
    ),
    cli.format_option,
    cli.signatures,
    cli.listing("metrics", cli.later("evaluation.chosen_metrics", "about")),
    *cli.stream("prediction", "reference"),
    sections=SECTIONS,
    rare=("subsets", "with_original", "all_pairs", "signatures", "timeout"),
)
def main(
    metric,
    against,
    subsets,
    summary,
    sensitivity,
    robustness,
    per_source,
    with_original,
    all_pairs,
    by,
    confusion,
    lines,
    bare,
    plot,
    format,
    signatures,
    **options,
) -> int:
    from dialtools.conversion import linefiles
    from dialtools.evaluation import chosen_metrics as metrics
    from dialtools.evaluation import pipeline as pipelines
    from dialtools.evaluation import quality, scores, source_groups
    from dialtools.system import terminal
    from dialtools.tables import tables
    from dialtools.tables.plots import Plots

    options = gathered_all({"loading": Loading}, options)
    written = pipelines.output(summary, sensitivity, robustness, confusion)
    pipeline = pipelines.Pipeline(
        metrics.several(metric, against=against, subsets=subsets, loading=options.pop("loading")),
        "summary" if bare and written == "records" else written,
        per_source,
        with_original,
        by,
        all_pairs,
    )
    _require_consistent(pipeline, bare, lines, plot, format, options["jobs"])
    compared = {key for one in pipeline.metrics for key in (one.texts.against, one.texts.of)}
    named = {by, *compared} - {*metrics.PAIR}  # those of the pair that is compared are ours
    input_keys.check_names(named, "--against, of= and --by", options["key"])
    labels = frozenset(one.label for one in pipeline.metrics)
    is_summed_here = pipeline.output == "summary"
    means = quality.Means(pipeline.metrics, BY, by, alone=is_summed_here)
    has_means = not pipeline.of_sources and (
        pipeline.output != "records" or bool(by) or not options["quiet"]
    )
    seen = source_groups.SourcesSeen()

    systems: set[str | None] = set()

    def noted(results: Iterable[dict]) -> Iterator[dict]:
        """Yield results, and take note of their systems."""
        for result in results:
            systems.add(result.get("system"))
            yield result

    def closing() -> Closing:
        if not has_means:
            return Closing()
        results = noted(means.results() if pipeline.output == "records" else ())
        table = tables.without_chain(results, format or "text", signatures=signatures)
        return Closing(lines=table + "".join(f"{BY}: {note}\n" for note in means.passed_over()))

    stage = partial(_summed, means) if is_summed_here else pipeline.stage(BY)
    plots = Plots() if plot else None
    summed_up = plots.around(stage) if plots else stage
    results_as_lines = (
        partial(_one_number, values=pipeline.values)
        if bare
        else cli.renderer(format, options["output"], signatures=signatures)
    )
    status = cli.run(
        Work(
            pipeline.work(BY),
            stage=summed_up if pipeline.writes_records else lambda items: noted(summed_up(items)),
            by=BY,
            counters=COUNTERS,
            keys=pipeline.keys,
            whole_groups=pipeline.of_sources,
            batch=pipeline.window,
            full=scores.is_full(pipeline.metrics),
            results=not pipeline.writes_records,
            watch=seen if pipeline.of_sources else means if has_means else None,
            wanted=_unwanted
            if is_summed_here
            else source_groups.has_variants
            if per_source
            else None,
            render=render if pipeline.writes_records else results_as_lines,
            closing=closing,
            items=linefiles.rows if lines else None,
            make=linefiles.record if lines else partial(_unscored, labels),
        ),
        **options,
    )
    seen.require_any()
    if plots:
        plots.draw()
    written_format = cli.result_format(format, options["output"])
    if pipeline.writes_records:
        written_format = format or "text"  # of what is said at the end
    has_table = written_format != "json" and not bare
    if (note := seen.note()) and (pipeline.writes_records or not has_table):  # it is in the table
        terminal.say(BY, note)
    is_compared = bool(by) or pipeline.output == "confusion"
    if len(systems) > 1 and has_table and not is_compared and not options["quiet"]:
        terminal.say(BY, f"{len(systems)} systems are here: --by system tests their differences")
    return status


def _require_consistent(
    pipeline: "Pipeline", bare: bool, lines: bool, plot: bool, format: str | None, jobs: int
) -> None:
    """Raise an error for options of a command line that exclude each other."""
    from dialtools.evaluation import scores

    is_one_number = len(pipeline.metrics) == 1 and pipeline.output != "confusion"
    if bare and (not is_one_number or pipeline.groups_by or pipeline.per_source or format):
        raise click.UsageError(
            "--bare writes one number: it takes one metric, and no --by, "
            "--per-source, --confusion, --format"
        )
    if lines and pipeline.of_sources:
        raise click.UsageError(
            "--lines reads no variants, which --sensitivity and --robustness compare"
        )
    if jobs > 1 and scores.is_full(pipeline.metrics):
        raise OptionError("--jobs is for metrics without a model; a model has --batch-size")
    pipeline.require_consistent()
    if pipeline.per_source and format:
        raise click.UsageError("--format is for results; --per-source writes records")
    if plot and pipeline.writes_records:
        raise click.UsageError("--plot draws results: --sensitivity, --robustness or --summary")


def _one_number(results: Iterable[dict], values: Iterable[str]) -> Iterator[bytes]:
    """Yield the one number of a single result, which stands under the first of the values."""
    held = list(results)
    if len(held) != 1:
        names = ", ".join(
            f"{result['system'] or 'no system'} {result['lang']} {result.get('kind', '')}".strip()
            for result in held
        )
        raise OptionError(
            f"--bare writes one number, here are {len(held)}" + (f": {names}" if held else "")
        )
    value = next(key for key in values if key in held[0])
    if held[0][value] is None:
        raise OptionError(f"--bare: there is no {value}")
    yield f"{held[0][value]!r}\n".encode()


def _unscored(labels: frozenset[str], line: bytes) -> dict:
    """Return a record without older results of the same metrics: a failure must not leave them."""
    from dialtools.conversion import linefiles

    record = linefiles.or_json(line)
    for key in ("scores", "statistics", "error_spans", "attributions"):
        before = record.get(key)
        if isinstance(before, dict) and not labels.isdisjoint(before):
            record[key] = {label: value for label, value in before.items() if label not in labels}
    return record


def _summed(means: "Means", records: Iterable[dict]) -> Iterator[dict]:
    """Yield the means of records that go by."""
    for _ in records:
        pass
    yield from means.results()


def _unwanted(record: dict) -> bool:
    """Refuse every record: its scores are summed up where they are made."""
    return False
