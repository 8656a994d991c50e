"""Vary dialogues as people naturally do: typos, greetings, joined turns.

Each record becomes one variant for each -k or, with --chain, one variant with
all kinds applied in order. In a chain put kinds that need tokens first: added
text has none.

A kind is an error if it is not defined for the language of the record or the
script of its texts (Hindi in Latin letters), if the record lacks a key or
tokens that it needs, or if it has fewer different variants than --variants.
Such kinds of a family (-k typo) and of --presets are left out and counted,
unless no kind is left. dt-parse adds tokens: parts of speech, and the words of
Chinese and Japanese. They follow the edits; inserted and replaced words have
none. Unchanged variants say so in their history, and are counted.

A record with a prediction or scores is an error, as they are of the unperturbed
text. Perturb first, then run dt-generate and dt-score; --overwrite drops
predictions and scores that are there.

"history" holds the edits of each variant; "rate", edits per word (per
character in languages without spaces); "distance", the characters inserted,
deleted and substituted; and, if turns were added, joined, split or moved,
"turns": for each old turn the numbers of its new turns, from 0.

The turns of -k dialogue.… are as formal as their speakers.
dialogue.repetition:targeted=most repeats those most similar to the sentences of
the reference, targeted=least the least similar one.

--undo takes back the last run, all steps of its --chain.  With --only KIND it takes
back the perturbations of one kind or family wherever they stand, and does the others
again, with the edits that they drew: of that kind nothing is left but the name of its
variant.  Where a later step changed what it wrote (a typo in a greeting, joined turns
with fillers) there is no such record: an error (--on-error).

--paraphraser rewords the utterances of variation.paraphrase, and those that
dialogue.repetition repeats: by rules, or by any generator of dt-generate (a model,
a server, a program), which reads the utterance or, with --paraphrase-prompt, a
template as dt-generate has them. What a model makes of a text may say something
else: with --paraphrase-floor bertscore=90 a paraphrase that scores less against its
text, in the unit of dt-score's tables, is dropped, and the text stays as it is. The
closing line counts those. -k variation.back-translation:there=MODEL,back=MODEL has
two models, servers or programs translate each utterance into a language and back;
the prompt and the floor are its own, too.

Kinds that change the meaning (--list names them) say so in the history, and dt-score
counts their variants. They are of no family (-k grammar leaves
out grammar.negation), as are kinds that need an option.

--turns speaker=Ann varies Ann's turns alone: they become what they would have become
anyway, and the others stay. Of what joins, splits or adds turns, that is left in which
only Ann's take part. Dialogues without Ann are unchanged, and counted.

terms.swap and terms.attribute work one way (direction=forth), unless the spec
says back or both; the closing line reminds of it.

--worst K looks for the variant that a model is least robust to.  It draws K
variants of each kind (the first K of --variants), generates an output for the
original and for each of them with -g, and writes the variant whose output has the
lowest score by --by, with the output for the original as the reference (of a metric
where lower is better, the highest); of equal ones the first.  With --rounds N it
then draws K variants of that one (numbered on) and goes on with the worst of them,
greedily, up to N times, unless all of them bring the output nearer again, or it can
be no less alike; it writes the first that went furthest, in one chain.  "worst" in
the history has the numbers of its "draws", and of how many ("of"), the number of
outputs asked for ("calls", the original's among those of the first kind), the score
and the "generator"; a variant in which nothing was changed is not asked for.  The
closing line counts calls, and outputs that --cache had: dt-generate with the same
generator, --prompt and --cache has those of the variants that are written.  Worst
variants say how bad it can get, and are no sample of what people write.

-k exec:PROGRAM sends each record to a program of yours, which stays. Its
changes to the texts are the perturbation; exec:name=mine,PROGRAM names it.

With --share 0.2 a fifth of the sources is perturbed, as for training: chosen by
--seed and id alone, whatever their order, --jobs and --shard.

Memory: one record at a time, with --share all records; and the models of
-g, --by, --paraphraser and --encoder.

Examples:

$ echo '{"id": 1, "dialogue": "Ann: Hi Bob\\nBob: Hi"}' |
  dt-perturb -k dialogue.greeting --lang en |
  jq -r .dialogue
Bob: Hiya, what's up?
Ann: Hi Bob
Bob: Hi

$ echo '{"id": 1, "dialogue": "Ann: Hi\\nAnn: Bob?"}' |
  dt-perturb -k dialogue.combine -k typo.case:rate=1 --chain --lang en |
  jq -c '[.variant, .dialogue]'
["dialogue.combine:1/typo.case%3Arate=1:1","Ann: HI BOB?"]

$ echo '{"id": 1, "text": "I saw a big cat"}' |
  dt-perturb --lang en -k 'variation.back-translation:there=exec:sed -u s/big/gross/,back=exec:sed -u s/gross/large/' |
  jq -r .text
I saw a large cat

$ echo '{"id": 1, "dialogue": "Ann: Hi\\nAnn: Bob?"}' |
  dt-perturb -k dialogue.combine -k typo.case:rate=1 --chain --lang en |
  dt-perturb --restore | jq .dialogue
"Ann: Hi\\nAnn: Bob?"
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

from dialtools.pipeline import cli, input_keys, sink
from dialtools.pipeline.work import UNCHANGED, Closing, Work, counted, render
from dialtools.plugins.options import Choice, is_given
from dialtools.system.errors import OptionError, RecordError, about
from dialtools.variants import PRESETS

if TYPE_CHECKING:
    from dialtools.system.stable_hash import ChosenIds
    from dialtools.variants.similarity import Floor

BY = "dt-perturb"
UNDER = "paraphrases under the floor"
COUNTERS = {
    "unchanged": UNCHANGED,
    "calls": ("calls of the generator", "outputs that --worst had made"),
    "cached": ("outputs from the cache", "outputs that --cache had, and that were not made"),
    "unmoved": ("outputs unmoved", "variants of --worst whose output is that for the original"),
    "fewer": ("kinds with fewer variants", "of which --worst could not draw as many"),
    UNDER: (UNDER, "paraphrases that --paraphrase-floor refused: the text stays"),
}


def perturb(
    records: Iterable[dict],
    chosen: "ChosenIds | None" = None,
    *,
    kind: Iterable[str | Callable] = (),
    presets: str | None = None,
    chain: bool = False,
    rate: float | None = None,
    turns: str | None = None,
    share: float | None = None,
    variants: int = 1,
    seed: int = 0,
    keep_original: bool = False,
    overwrite: bool = False,
    require_change: str | None = None,
    restore: bool = False,
    only: str | None = None,
    worst: int | None = None,
    by: str | Callable | None = None,
    generator: str | Callable | None = None,
    rounds: int = 1,
    prompt: str | None = None,
    cache: str | None = None,
    paraphraser: str | Callable | None = None,
    paraphrase_prompt: str | None = None,
    paraphrase_floor: str | None = None,
    encoder: str | Callable | None = None,
    timeout: float | None = None,
    offline: bool = False,
) -> Iterator[dict]:
    """Yield variants of each record, one for each kind of perturbation, or the unperturbed records.

    chosen: the share, where somebody has read all records for it.
    kind: specs such as "typo.keyboard:rate=0.1", families such as "typo", or functions
        (record, rng) -> edits.
    presets: the name of a set of kinds: "paper".
    chain: make one variant with all kinds applied in order.
    rate: probability of each word, for kinds with a rate that their spec does not set.
    turns: "speaker=NAME": vary that speaker's turns alone.
    share: perturb so many of the sources, exactly, and yield the others as they are; for that,
        all records are held in memory.
    variants: how many variants of each kind; they differ from each other.
    keep_original: yield the record itself before its variants.
    overwrite: drop predictions that are there, and their scores; else they are an error.
    require_change: "skip" leaves out unchanged variants, "fail" makes them an error; otherwise
        their history says "changed": false.
    restore: undo the last perturbation, a chain as a whole.
    only: with restore, undo all perturbations of this kind or family instead, and no others.
    worst: draw so many variants of each kind, and yield the one that moves the output most.
    by: the metric that compares the output for a variant with that for the original.
    generator: of these outputs: a spec, or a function as in dialtools.generate.
    rounds: how often, each time from the variant that was the worst, at the most.
    prompt: file with a template of what the generator reads.
    cache: SQLite file of outputs, as that of dialtools.generate.
    paraphraser: rewords utterances: plain, light, verbatim, the spec of a generator, or a function
        as in paraphrases.py; None: plain, or light for those that are repeated.
    paraphrase_prompt: file with a template of what the generator reads of each text; that of
        variation.back-translation also has source and target.
    paraphrase_floor: METRIC=NUMBER, in the unit of dt-score's tables: a paraphrase that scores less
        against its text is none, and the text stays.
    encoder: chooses targeted repetitions: the folder or hub name of a sentence encoder, or a
        function as in similarity.py.
    timeout: seconds that exec waits for an answer of its program; None is 600.
    offline: open no socket.
    """
    from dialtools.plugins import registry
    from dialtools.records import dialogue, history
    from dialtools.records.validation import completed
    from dialtools.variants import draws, kinds, similarity, undoing

    if only is not None and not restore:
        raise OptionError("--only goes with --restore")
    records = completed(records, deep=not restore)
    if restore:
        _require_alone(
            kind=kind,
            presets=presets,
            chain=chain,
            rate=rate,
            share=share,
            turns=turns,
            keep_original=keep_original,
            overwrite=overwrite,
            require_change=require_change,
            worst=worst,
        )
        names = undoing.names_of(only) if only is not None else ()
        for record in records:
            with about(record):
                yield (
                    undoing.undone(record) if only is None else undoing.without(record, only, names)
                )
        return
    if variants < 1:
        raise OptionError(f"variants must be 1 or more, not {variants}")
    if require_change not in (None, "skip", "fail"):
        raise OptionError(f"require_change is skip or fail, not {require_change!r}")
    if share is not None and chosen is None:
        records = list(records)
        chosen = _share((record["id"] for record in records), share, seed)
    floor = None if paraphrase_floor is None else similarity.Floor(paraphrase_floor)
    chosen_kinds = kinds.choose(
        registry.several(kind),
        presets,
        rate,
        timeout,
        turns,
        paraphrase=_paraphraser(paraphraser, paraphrase_prompt, floor, offline),
        round_trip=_round_trip(paraphrase_prompt, floor, offline),
        similarity=similarity.named(encoder, offline),
    )
    rewords = paraphraser is not None or any(
        kinds.borrows(chosen_kind, "round_trip") for chosen_kind in chosen_kinds
    )
    if not rewords and (paraphrase_prompt is not None or floor):
        raise OptionError(
            "--paraphrase-prompt and --paraphrase-floor need --paraphraser, or "
            "-k variation.back-translation"
        )
    draw = _searching(worst, variants, by, generator, rounds, prompt, cache, offline)
    for given in records:
        record = dialogue.unpredicted(given, overwrite)
        is_left = chosen is not None and not chosen.holds(record["id"])
        if keep_original or is_left:
            yield record
        if is_left:
            continue
        with about(record):
            drawn = draws.of_record(record, chosen_kinds, chain, variants, seed, draw)
            if floor and floor.under:
                history.count(drawn[0], {UNDER: floor.under})
                floor.under = 0
            for variant in drawn:
                if require_change is None or draws.is_changed(variant):
                    yield variant
                elif require_change == "fail":
                    name = history.typed(variant["variant"])
                    raise RecordError(f"{name} changes nothing (--require-change fail)")


def _searching(
    count: int | None,
    variants: int,
    by: str | Callable | None,
    generator: str | Callable | None,
    rounds: int,
    prompt: str | None,
    cache: str | None,
    offline: bool,
) -> Callable | None:
    """Return what draws the worst of so many variants; None where that is not asked for."""
    from dialtools.evaluation.likeness import Likeness
    from dialtools.inference.predictor import predictor
    from dialtools.variants import worst

    if count is None:
        if (by, generator, prompt, cache, rounds) != (None, None, None, None, 1):
            raise OptionError("--by, --generator, --rounds, --prompt and --cache need --worst")
        return None
    if by is None or generator is None:
        raise OptionError("--worst needs --by METRIC and --generator NAME")
    if variants != 1:
        raise OptionError("--worst keeps one variant of each kind: it excludes --variants")
    if min(count, rounds) < 1:
        raise OptionError(f"worst and rounds are 1 or more, not {min(count, rounds)}")
    likeness = Likeness(by, "--by")
    asked = predictor(generator, prompt, cache, offline)
    return worst.searching(asked.predict, asked.label, asked.signature, likeness, count, rounds)


def _paraphraser(
    spec: str | Callable | None, prompt: str | None, floor: "Floor | None", offline: bool
) -> Callable | None:
    """Return what rewords utterances, None for the rules of each kind."""
    from dialtools.inference import prompts
    from dialtools.text import paraphrases

    if spec is None:
        return None
    fill = prompts.from_file(prompt) if prompt is not None else None
    paraphrase = paraphrases.named(spec, offline, fill)
    if prompt is not None:
        paraphrase.__name__ += f",{_digest(prompt)}"
    return floor.above(paraphrase) if floor else paraphrase


def _round_trip(prompt: str | None, floor: "Floor | None", offline: bool) -> Callable:
    """Return what makes a paraphraser of two translators; its name is what the options change."""
    from dialtools.inference import prompts
    from dialtools.variants import round_trips

    fill = prompts.from_file(prompt) if prompt is not None else None

    def round_trip(there: str, back: str, pivot: str) -> Callable:
        paraphrase = round_trips.named(there, back, pivot, offline=offline, fill=fill)
        return floor.above(paraphrase) if floor else paraphrase

    parts = [_digest(prompt) if prompt is not None else "", floor.spec if floor else ""]
    round_trip.__name__ = ",".join(filter(None, parts))
    return round_trip


def _digest(prompt: str) -> str:
    """Return what a signature says of a template in a file."""
    from dialtools.inference import prompts

    return f"prompt-{prompts.digest(prompts.content(prompt))}"


def _share(ids: Iterable[str | int], part: float, seed: int) -> "ChosenIds":
    """Return a share of sources. Raise OptionError if it is no share."""
    from dialtools.system import stable_hash

    if not 0 <= part <= 1:
        raise OptionError(f"share is a number from 0 to 1, not {part}")
    return stable_hash.share(ids, part, seed)


class Kinds(cli.PluginType):
    """The spec of a kind or of a family; the shell completes both."""

    def shell_complete(self, ctx, param, incomplete):
        from click.shell_completion import CompletionItem

        from dialtools.variants import kinds

        families = [
            CompletionItem(name, help=", ".join(members))
            for name, members in kinds.families().items()
            if name.startswith(incomplete)
        ]
        return families + super().shell_complete(ctx, param, incomplete)


SECTIONS = {
    "What is changed": "kind list presets chain rate turns share seed".split(),
    "What is written": "variants keep_original overwrite require_change restore only diff".split(),
    "The worst of several": "worst by generator rounds prompt cache".split(),
    "Models and programs": "paraphraser paraphrase_prompt paraphrase_floor encoder timeout".split(),
}


@cli.command(
    BY,
    click.option(
        "-k",
        "--kind",
        type=Kinds("perturbations", cli.later("variants.kinds", "load")),
        multiple=True,
        help="Perturbation, or a family such as typo; repeat for one variant of each.",
    ),
    click.option(
        "--presets",
        type=Choice(list(PRESETS)),
        help="Set of perturbations: paper has those of Evaluating Robustness of Open "
        "Dialogue Summarization Models.",
    ),
    click.option("--chain", is_flag=True, help="Make one variant with all kinds applied in order."),
    click.option(
        "--rate",
        type=float,
        metavar="P",
        help="Probability of each word, from 0 to 1, for kinds whose -k sets none; each "
        "kind has its own default.",
    ),
    click.option(
        "--turns",
        metavar="speaker=NAME",
        help="Vary the turns of this speaker alone.",
    ),
    click.option(
        "--share",
        type=float,
        metavar="P",
        help="Perturb only this share of the sources, from 0 to 1, exactly and by their "
        "ids; write the others as they are.",
    ),
    click.option(
        "--variants",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="Variants of each kind, all different; an error if there are fewer.",
    ),
    cli.keep_original,
    cli.overwrite,
    click.option(
        "--require-change",
        type=Choice(["skip", "fail"]),
        help="Leave out unchanged variants, or report them as failures.",
    ),
    click.option(
        "--worst",
        type=click.IntRange(min=1),
        metavar="K",
        help="Of K variants of each kind, write the one that moves the output most.",
    ),
    click.option(
        "--by",
        metavar="METRIC",
        help="Metric of that: of the variant's output, with the original's as its reference.",
    ),
    click.option(
        "-g",
        "--generator",
        metavar="NAME",
        help="Generator of the outputs, such as seq2seq:model=PATH.",
    ),
    click.option(
        "--rounds",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="Draw variants of the worst one, up to N times in all.",
    ),
    click.option("--prompt", metavar="FILE", help="Template of what the generator reads."),
    click.option("--cache", metavar="FILE", help="Keep outputs, as dt-generate --cache does."),
    click.option(
        "--paraphraser",
        metavar="NAME",
        help="Rewords utterances: plain (rules), light (rules, and openers), verbatim, or any "
        "generator of dt-generate, such as seq2seq:model=PATH or endpoint:….",
    ),
    click.option(
        "--paraphrase-prompt",
        metavar="FILE",
        help="Template of what the generator reads; {{ text }} is the utterance, {{ source }} and "
        "{{ target }} are the languages of a back-translation.",
    ),
    click.option(
        "--paraphrase-floor",
        metavar="METRIC=NUMBER",
        help="Keep the text where its paraphrase scores less against it: rouge1=30.",
    ),
    click.option(
        "--encoder",
        metavar="MODEL",
        help="Sentence encoder (folder or hub name) that chooses targeted repetitions; "
        "ROUGE-1 does by default.",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="Seconds that exec waits for an answer of its program (600).",
    ),
    cli.offline,
    cli.seed,
    click.option(
        "--restore",
        "--undo",
        is_flag=True,
        help="Undo the last perturbation, or the last --chain.",
    ),
    click.option(
        "--only",
        metavar="KIND",
        help="With --undo: undo all perturbations of this kind or family, and keep the others.",
    ),
    click.option("--diff", is_flag=True, help="Show the first variants beside their source."),
    cli.listing("perturbations", cli.later("variants.kinds", "about")),
    *cli.stream("dialogue", "text"),
    sections=SECTIONS,
    rare=("paraphrase_prompt", "paraphrase_floor", "encoder", "timeout"),
)
def main(diff: bool, **options) -> int:
    from dialtools.tables import sidebyside
    from dialtools.variants import draws, kinds

    _require_consistent(diff=diff, **options)
    if diff:
        options |= {"jobs": 1, "bar": False}  # it ends within the first chunk
    items, filter = (None, perturb) if options["share"] is None else _sharing(options)
    wanted = options.pop("require_change")
    unchanged, output = draws.Unchanged(), options["output"]
    restore, only = options["restore"], options["only"]
    # people may not expect that terms.swap works one way
    one_way = [
        f"{plugin.name} one way (direction={plugin.defaults()['direction']})"
        for spec in options["kind"]
        for plugin in kinds.load(spec)
        if plugin.name.startswith("terms.")
        and "direction" in plugin.defaults()
        and "direction" not in plugin.options
    ]

    def closing() -> Closing:
        if restore and not unchanged.seen:
            kind = f" of {only}" if only else ""
            return Closing([f"nothing restored: no record holds a perturbation{kind}"])
        counts = []
        if wanted == "skip" and unchanged.count:
            by_this_run = " by this run" if options["resume"] else ""
            counts = [f"{counted('unchanged variants', unchanged.count)} left out{by_this_run}"]
        return Closing([*counts, *one_way])

    work = Work(
        filter,
        by=BY,
        counters=COUNTERS,
        keys=[] if restore else ["dialogue|text"],
        watch=unchanged,
        results=diff,
        leaves_out=wanted == "skip",
        # not by the function, which counts none
        wanted=draws.is_changed if wanted == "skip" else None,
        closing=closing,
        render=sidebyside.renderer(output) if diff else render,
        items=items,
    )
    run = partial(cli.run, work, require_change="fail" if wanted == "fail" else None, **options)
    return sink.paged(run, output) if diff else run()


def _sharing(options: dict) -> tuple[Callable, Callable]:
    """Return the input's lines, read once and held, and the filter that knows the share."""
    from dialtools.records import jsonl, validation
    from dialtools.system.batches import Listed

    held = list(jsonl.lines(options["files"], options["limit"]))
    records = validation.validated(
        held,
        make=jsonl.loads,
        rename=input_keys.renaming(options["key"]),
        refused=lambda error: None,
    )
    chosen = _share((record["id"] for record in records), options["share"], options["seed"])

    def items(files: Iterable[str], limit: int | None = None) -> Listed:
        return Listed([held])

    return items, partial(perturb, chosen=chosen)


def _has_model(generator: str | None, metric: str | None) -> bool:
    """Tell whether a generator or a metric has a model, here or on a server."""
    from dialtools.evaluation.chosen_metrics import ChosenMetric
    from dialtools.plugins import registry

    return bool(
        generator
        and "model" in registry.load("generators", generator).defaults()
        or metric
        and ChosenMetric(metric).declared.window > 1
    )


def _require_alone(**options: object) -> None:
    """Raise OptionError for an option that is given beside --restore."""
    for name, value in options.items():
        if is_given(value) and value != ():
            raise OptionError(f"--restore excludes --{name.replace('_', '-')}")


def _require_consistent(
    kind: tuple, presets: str | None, restore: bool, diff: bool, **options
) -> None:
    """Raise UsageError for options that are missing or exclude each other."""
    from dialtools.text import paraphrases
    from dialtools.variants import kinds

    if not restore and not kind and not presets:
        raise click.UsageError("no perturbation given: use -k or --presets (--list shows them)")
    if restore:
        names = "chain rate share turns keep_original overwrite require_change worst".split()
        beside = {name: options[name] for name in names}
        _require_alone(kind=kind, presets=presets, diff=diff, **beside)
    if options["resume"] and options["on_error"] == options["require_change"] == "skip":
        raise click.UsageError(
            "--resume cannot tell failed records from those that "
            "--require-change skip left out: use --on-error keep"
        )
    cli.check_apart("--cache", options["cache"], options["output"], options["files"])
    if (
        options["jobs"] > 1
        and not restore
        and (
            options["encoder"]
            or _has_model(options["generator"], options["by"])
            or options["paraphraser"] not in (None, *paraphrases.BUILT_IN)
            or any(
                kinds.borrows(chosen_kind, "round_trip") and chosen_kind.options["there"]
                for chosen_kind in kinds.choose(kind, presets)
            )
        )
    ):
        raise click.UsageError(
            "--jobs excludes models: --encoder, --paraphraser, --generator, --by and "
            "variation.back-translation name some"
        )
    if diff and (options["keep_original"] or options["require_change"]):
        raise click.UsageError(
            "--diff shows changed variants only: it excludes --keep-original and --require-change"
        )
