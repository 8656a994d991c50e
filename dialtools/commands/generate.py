"""Write a prediction for each record, with a model or a simple baseline.

-g lead, middle and longest copy utterances of the dialogue and need no model:
longest:k=3 takes three, speaker=no omits the labels.  --model names a model, a
folder or a hub name; its configuration decides between -g seq2seq, -g causal
and -g classifier, which writes its label.

-g exec:PROGRAM asks a program of yours, which writes a line for each line that it
reads: the dialogue or text, with tabs for line breaks.  After exec:format=json, it
reads records and writes objects with a "prediction".

--endpoint asks a server instead; --model then names one of its models.  For a
server that takes batch files, --requests writes one, each question once; the
same command with --answers FILE continues with the server's answers.

-g simultaneous translates while the source is still arriving, word by word, and
writes the delays for dt-score's -m al, laal and dal.  With aware=yes they need
"elapsed": timed=yes writes the milliseconds of computing into the history.  If
a source word takes W milliseconds, elapsed is delay × W + milliseconds, and
"source_length" is multiplied by W.

A model reads "context", if present, a newline, and the dialogue as "Name: text"
lines, or else "text"; or a --prompt, a template that sees the keys of the
record.  With --each turn it reads the text of every turn, or the template
does, as "turn" and "number".  A record with nothing to read is an error.

The closing line counts records whose input was cut (truncated), that reached
--max-new-tokens (unfinished), or whose first output is empty.  It also counts
outputs in which --extract found nothing; they give an empty prediction.
"history" has the numbers of tokens.

Where memory runs out, batches are halved from there on; a line says so, and the
history has the "batch_size" that such a record was read in.

The same command writes the same bytes, if the batch size is the same: a model's
numbers differ in their last digits between batches, so that another output may
win.  Samples depend on --seed and the id of the record alone: all variants of a
source use the same random numbers, and differ only by what was changed in them.

A renamed copy of a dialogue is in another batch than the dialogue, so part of a
measured sensitivity may come from batching.  --identity-check measures that
part: "identity" in the history is the character edit distance, relative to the
longer text, of two outputs for the same input; dt-score and dt-ttest show it.
Of precision=int8 the second output is in float32: it tells what int8 changes.
In int8 and bfloat16 batches alone may change a third of the outputs and more:
measure S in float32, or with --batch-size 1.  exact=yes makes outputs independent
of each other: it reads record by record, and takes longer.

Of a server --concurrency answers are under way all the time.  One that is late,
busy (429) or fails is asked again, up to retries=4 times; if it says until when
it is busy (Retry-After), no retry is used up, and --patience counts the seconds.
A record whose answer never comes, is refused or withheld by a content filter
fails alone (--on-error), unless the first 10 all fail: then the run ends.  The
closing line counts retries, time-outs, filtered answers and tokens, and with
-g endpoint:price=0.15/0.6, for a million tokens of input and of output, the cost.

--logprobs adds "logprobs": for each token of an output its text and the natural
logarithm of its probability, as the model has it before temperature, penalties
and the like; the end is not among them.

--cache writes each answer of a server as it arrives, and each batch of a model:
after a kill only what was under way is asked again, at most --concurrency
answers.  It finds an answer again by model, options and prompt, and by id if it
is drawn.  The answer may come from another batch.  With --resume alone, answers
of a server are kept beside the output, as FILE.answers, until the run is done.

A model of dt-train reads with the prompt and the window that it was trained
with, unless others are given.

Rare options of decoding, models and servers are options of the generator, as in
-g seq2seq:length_penalty=2,exact=yes --model PATH.

engine=ctranslate2 writes the same text several times faster on a CPU.  A search
needs stop_at_beams=yes,renormalize=yes with it.  Models that are given their
first token (M2M, NLLB, mBART-50) need min_new_tokens=2, since the search may
miss outputs that end at once.  For models with a sliding window (Mistral,
Gemma), input is cut so that the window holds input and output.

Memory: a batch of records, and the model.

Examples:

$ echo '{"id": 1, "dialogue": "Ann: Hi!\\nBob: Shall I bring the tickets?\\nAnn: Yes."}' |
  dt-generate -g longest --lang en | jq -c '[.system, .prediction]'
["longest","Bob: Shall I bring the tickets?"]

$ echo '{"id": 1, "text": "See you"}' |
  dt-generate -g 'exec:name=mine,sed -u s/you/them/' --lang en |
  jq -c '[.system, .prediction]'
["mine","See them"]
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import click

from dialtools.models.decoding import Decoding, Prompting, Runtime, Serving
from dialtools.pipeline import cli, input_keys
from dialtools.pipeline.work import Closing, Work
from dialtools.plugins.options import changed, command_line, gathered_all, of_plugin
from dialtools.system.errors import OptionError, RecordError
from dialtools.system.files import STANDARD

BY = "dt-generate"
COUNTERS = {
    "cached": ("outputs from the cache", "outputs that --cache had, and that were not made"),
    "tokens_read": ("tokens of input", "tokens that a model has read; a server's by its account"),
    "tokens_written": ("tokens of output", "tokens that a model has written"),
    "cost": ("paid for tokens", "what these cost by price=IN/OUT, in the currency of that"),
    "retries": ("requests repeated", "requests that a server was sent once more"),
    "timed_out": ("requests timed out", "requests without an answer in --timeout seconds"),
    "filtered": ("answers filtered", "answers that a server's content filter withheld"),
    "smaller_batch": (
        "records in smaller batches",
        "records that were read with fewer others, as memory ran out",
    ),
    "truncated": ("inputs truncated", "records whose input was too long, and was cut"),
    "unfinished": ("outputs unfinished", "records whose output reached --max-new-tokens"),
    "empty": ("outputs empty", "records whose first output has nothing but white space"),
    "without_logprobs": (
        "outputs without log-probabilities",
        "outputs whose tokens a server told no log-probabilities of",
    ),
    "outputs_not_extracted": (
        "outputs not extracted",
        "outputs in which --extract found nothing",
    ),
    "replaced_system": ("systems replaced", "records that bore the name of another system"),
    "generated_again": ("", ""),
    "differing": ("", ""),  # the check of identity says more
}
VALUES: dict[str, Any] = {
    "prompting": Prompting,
    "serving": Serving,
    "runtime": Runtime,
    "decoding": Decoding,
}


def generate(
    records: Iterable[dict],
    *,
    generator: str | Callable | None = None,
    model: str | None = None,
    endpoint: str | Sequence[str] = (),
    system: str | None = None,
    overwrite: bool = False,
    prompting: Prompting = Prompting(),
    decoding: Decoding = Decoding(),
    runtime: Runtime = Runtime(),
    serving: Serving = Serving(),
    requests: bool = False,
    answers: str | None = None,
    cache: str | None = None,
    identity_check: int | None = None,
    seed: int = 0,
) -> Iterator[dict]:
    """Yield each record with a "prediction" and the name of the "system" that made it.

    generator: a spec such as "longest:k=3", or a function records -> list of dicts with
        "prediction".
    model: folder or hub name of a model; alone, it chooses the generator that fits.
    endpoint: address of a server that has the model; several are replicas.
    system: the name to write; else the spec as given, or the last part of the model's name.
    overwrite: replace predictions that are there, and drop their scores.
    prompting: what the generator reads, and what of its output is the prediction.
    decoding: how a model searches or draws.
    runtime: how a model is loaded and run.
    serving: how a server is asked.
    requests: yield no records but the server's questions, as lines of a batch file.
    answers: batch file with a server's answers to these, read instead of asking.
    cache: SQLite file of earlier outputs; new ones are added.
    identity_check: how many records, from the first one, are generated again in another batching;
        not with each.
    seed: of samples and shots.

    An option that the generator does not have is an OptionError where it is not the default.
    """
    from dialtools.inference import outputs, servers, views
    from dialtools.inference.asking import Asking
    from dialtools.inference.cache import told
    from dialtools.models import writers
    from dialtools.records import history
    from dialtools.records.validation import completed

    plugin, options = outputs.chosen(
        generator,
        {"model": model, "endpoint": endpoint, "seed": seed, **changed(runtime, serving, decoding)},
    )
    prompting = views.trained(prompting, outputs.local(plugin, options))
    if (requests or answers) and "endpoint" not in options:
        raise OptionError("--requests and --answers need a server: --endpoint URL and --model NAME")
    if (prompting.prompt or prompting.each) and plugin.declared.needs == ("dialogue",):
        raise OptionError(f"{plugin.name} chooses turns of a dialogue and reads no prompt")
    if identity_check is not None and prompting.each:
        raise OptionError("--identity-check counts records: not with --each")
    if prompting.each:
        needs: Sequence[str] = ("dialogue",)
    else:
        needs = () if prompting.prompt else plugin.needs(options)
    records = completed(records)
    view = views.naming(views.asker(prompting, seed), partial(outputs.names_asked, plugin, options))

    def ask(record: dict) -> list[dict]:
        return view(outputs.checked(needs, overwrite, record))

    if requests:
        yield from outputs.questions(outputs.windows(records, ask, 1), plugin, options)
        return
    settings = plugin.declared.settings(**options)
    signature = history.signature(
        plugin.name, **settings, **plugin.provenance, **views.parts(prompting, seed)
    )
    traffic, prices = servers.Traffic(), servers.prices(options.get("price", ""))
    asked = Asking(plugin, options, settings, answers, cache, identity_check, traffic)
    extract = views.extractor(prompting.extract) if prompting.extract is not None else None
    name = system or (writers.short(options["model"]) if "model" in options else plugin.label)
    for record, views_of, outputs_of in asked.outputs(records, ask):
        hits = 0
        try:
            if isinstance(outputs_of, RecordError):
                raise outputs_of
            outputs_of, hits = told(outputs_of)
            answer = views.answered(record, views_of, outputs_of, extract, prompting.each)
            predicted = outputs.written(record, answer, name, signature)
        except RecordError as error:
            if not records.with_failures:
                raise
            predicted = history.failed(record, BY, error.reason)
        counts = traffic.taken()
        if not plugin.declared.requests and not hits:
            counts.update(outputs.tokens(outputs_of))
        cost = prices[0] * counts["tokens_read"] + prices[1] * counts["tokens_written"]
        history.count_unwritten(predicted, {"cached": hits, **counts, "cost": cost})
        yield predicted


# Of the fields of values, those that are flags; generators have the others as options.
OF_DECODING = ("beams", "max_new_tokens", "number", "sample", "temperature", "logprobs")
OF_RUNTIME = ("batch_size", "device", "offline")
OF_SERVING = ("concurrency", "timeout", "patience", "rate")
SECTIONS = {
    "Options": ("generator", "model", "system", "overwrite", "cache", "identity_check", "seed"),
    "What to read": Prompting._fields,
    "Decoding": OF_DECODING,
    "Model": (*OF_RUNTIME, "threads"),
    "Servers": ("endpoint", *OF_SERVING, "requests", "answers"),
}
RARE = ("identity_check", "shot_count", "examples", "each", "timeout", "patience")
OF_PLUGINS = {
    "Options of -g seq2seq and causal": {
        **of_plugin("causal", Decoding, OF_DECODING),
        **of_plugin("causal", Runtime, OF_RUNTIME),
    },
    "Options of -g endpoint": of_plugin("endpoint", Serving, OF_SERVING),
}


@cli.command(
    BY,
    click.option(
        "-g",
        "--generator",
        type=cli.PluginType("generators"),
        help="Writer of the predictions; rare options are its own, as in causal:top_p=0.9.",
    ),
    click.option(
        "--model",
        metavar="MODEL",
        help="Model, a folder or a hub name; short for the -g that fits.",
    ),
    click.option(
        "--system",
        metavar="NAME",
        help="Name of the system to write; else the generator's or the model's.",
    ),
    click.option(
        "--overwrite",
        is_flag=True,
        help="Replace predictions that are there; drop their scores.",
    ),
    click.option(
        "--cache", metavar="FILE", help="Keep outputs in an SQLite file, and make none twice."
    ),
    click.option(
        "--identity-check",
        type=click.IntRange(min=1),
        metavar="N",
        help="Generate the first N records again in another batching, and int8 in "
        "float32, and count outputs that differ.",
    ),
    cli.seed,
    cli.listing("generators"),
    *command_line(Prompting),
    *command_line(Runtime, OF_RUNTIME),
    cli.threads,
    *command_line(Decoding, OF_DECODING),
    click.option(
        "--endpoint",
        multiple=True,
        metavar="URL",
        help="Server of the OpenAI API that has the model, such as "
        "http://localhost:8000/v1; DIALTOOLS_API_KEY may hold a key. Repeat for replicas: "
        "the least loaded is asked, one that is lost left out.",
    ),
    *command_line(Serving, OF_SERVING),
    click.option("--requests", is_flag=True, help="Write the server's questions, as a batch file."),
    click.option(
        "--answers", metavar="FILE", help="Take the answers to these requests from a batch file."
    ),
    *cli.stream("dialogue", "text", "context", "prediction"),
    sections=SECTIONS,
    rare=RARE,
    of_plugins=OF_PLUGINS,
)
def main(**options) -> int:
    from dialtools.evaluation import noise
    from dialtools.inference import outputs, views

    plugin, chosen = outputs.chosen(options["generator"], options)
    for name in plugin.options:
        if name in options:
            flag = "-n" if name == "number" else f"--{name.replace('_', '-')}"
            raise OptionError(f"{name} is no option of -g {plugin.name} here: {flag} says it")
    devices = [
        f"cuda:{name}" if name.isdecimal() else name
        for name in (options["device"] or "").split(",")
        if name
    ]
    _require_one_flow(options, chosen, devices)
    asks = plugin.declared.requests is not None and not options["requests"]
    answers = ""  # with --resume, what was paid for and could not be written yet
    if asks and options["resume"] and not options["cache"] and options["output"] != STANDARD:
        answers = options["cache"] = f"{options['output']}.answers"
    cli.check_apart("--cache", options["cache"], options["output"], options["files"])
    input_keys.check_names([options["examples"]], "--examples", options["key"])
    gathered = gathered_all(VALUES, options)
    runtimes = [gathered["runtime"]._replace(device=device) for device in devices]
    if runtimes:
        gathered["runtime"] = runtimes[0]
    if views.trained(gathered["prompting"], outputs.local(plugin, chosen)).prompt:
        keys: Sequence[str] = ()
    elif callable(plugin.declared.needs):
        keys = plugin.needs(chosen)
    else:  # a record without the turns that some generators need fails later, and is kept if asked
        keys = ["dialogue|text"]
    distances = noise.Distances()

    def closing() -> Closing:
        return Closing([noise.line(distances.values)] if distances.values else [])

    status = cli.run(
        Work(
            generate,
            by=BY,
            counters=COUNTERS,
            keys=keys,
            results=options["requests"],
            batch=outputs.batch_size(chosen),
            ahead=asks,
            processes=[{"runtime": one} for one in runtimes] if len(runtimes) > 1 else [],
            watch=distances,
            closing=closing,
        ),
        **gathered,
    )
    if answers:
        with suppress(FileNotFoundError):  # there was nothing to ask
            os.remove(answers)
    return status


def _require_one_flow(options: dict, chosen: dict, devices: list[str]) -> None:
    """Raise OptionError for processes or failures that would divide what must stay together."""
    if "model" in chosen and options["jobs"] > 1:
        raise OptionError("--jobs is for generators without a model; models have --batch-size")
    if options["identity_check"] and (
        options["resume"] or options["on_error"] != "stop" or len(devices) > 1
    ):
        raise OptionError(
            "--identity-check counts from the first record: not with --resume, "
            "--on-error or a --device of several"
        )
    if options["requests"] and options["on_error"] != "stop":
        raise OptionError(
            "--requests writes each question once for all records: not with --on-error"
        )
