"""Let a system write a prediction for each record: a simple baseline or a model."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import click

from dialtools import cli, dialogue, history, registry
from dialtools import records as jsonl
from dialtools.errors import OptionError, RecordError, nearest
from dialtools.models import writers

BY = "dt-generate"
PASSED_ON = ("model", "batch_size", "beams", "no_repeat_ngram_size", "length_penalty", "max_input", "max_new_tokens",
             "num_return", "sample", "temperature", "top_k", "top_p", "precision", "device", "offline",
             "trust_remote_code", "seed")  # options of ours that are the generator's
EVERYWHERE = ("offline", "seed")  # those that a generator need not know


def generate(records: Iterable[dict], *, generator: str | Callable | None = None, model: str | None = None,
             system: str | None = None, overwrite: bool = False, batch_size: int | None = None,
             beams: int | None = None, no_repeat_ngram_size: int | None = None, length_penalty: float | None = None,
             max_input: int | None = None, max_new_tokens: int | None = None, num_return: int | None = None,
             sample: bool = False, temperature: float | None = None, top_k: int | None = None,
             top_p: float | None = None, precision: str | None = None, device: str | None = None,
             offline: bool = False, trust_remote_code: bool = False, seed: int = 0) -> Iterator[dict]:
    """Yield each record with a "prediction" and the name of the "system" that made it.

    generator: a spec such as "longest:k=3", or a function records -> list of dicts with "prediction".
    model: folder or hub name of a model; alone, it chooses the generator that fits.
    system: the name to write; else the spec as given, or the last part of the model's name.
    overwrite: replace predictions that are there, and drop their scores.

    The other options are the generator's, which says what they are and what None is;
    one that it does not have is an OptionError.
    """
    plugin, options = choose(generator, locals())
    signature = history.signature(plugin.name, **plugin.constant("settings", dict)(**options))
    name = system or (writers.short(options["model"]) if "model" in options else plugin.label)
    records = iter(records)
    while window := list(islice(records, options.get("batch_size", 1))):
        for record in window:
            _check(record, plugin, overwrite)
        made = plugin.call([dialogue.view(record) for record in window], **options)
        for record, facts in zip(window, made, strict=True):
            yield _written(record, facts, name, signature)


def choose(generator: str | Callable | None, given: dict) -> tuple[registry.Plugin, dict]:
    """Return the generator, and all its options with their values; `given` may hold more than these."""
    options = {name: given[name] for name in PASSED_ON if given[name] is not None and given[name] is not False}
    if generator is None:
        if "model" not in options:
            raise OptionError(f"what is to write? -g {', -g '.join(registry.names('generators'))}; or --model PATH")
        generator = writers.kind(options["model"], given["offline"], given["trust_remote_code"])
    plugin = registry.load("generators", generator)
    known = plugin.defaults()
    for name in options:
        if name in plugin.options:
            raise OptionError(f"{name} is given twice: in {plugin.label} and as an option")
        if name not in known and name not in EVERYWHERE:
            raise OptionError(f"{plugin.name} has no option {name!r}{nearest(name, known)}; "
                              f"it has {', '.join(known) or 'none'}")
    return plugin, known | {name: value for name, value in options.items() if name in known}


def _check(record: dict, plugin: registry.Plugin, overwrite: bool) -> None:
    for key in plugin.constant("NEEDS", ("dialogue|text",)):
        jsonl.check(record, key)
    if record.get("prediction") is not None and not overwrite:
        raise RecordError('there is a "prediction" already; --overwrite replaces it', record)


def _written(record: dict, made: dict, system: str, signature: str) -> dict:
    facts = {name: value for name, value in made.items() if name != "prediction"}
    written = {**record, "prediction": made["prediction"], "system": system}
    written.pop("scores", None)  # those of the prediction before
    noted = {"truncated": facts.get("truncated"), "unfinished": facts.get("unfinished"),
             "empty": not dialogue.best(written).strip()}
    counts = {name: 1 for name, true in noted.items() if true}
    return history.add(written, BY, signature, **facts, **({"counts": counts} if counts else {}))


@cli.command(
    BY,
    click.option("-g", "--generator", type=cli.Plugin("generators"), help="What writes the predictions."),
    click.option("--model", metavar="PATH", help="Model to use, a folder or a hub name: short for the -g that fits."),
    click.option("--system", metavar="NAME", help="Name of the system in the output, instead of the generator's or "
                 "the model's."),
    click.option("--overwrite", is_flag=True, help="Replace predictions that are there, and drop their scores."),
    click.option("--batch-size", type=int, metavar="N", help="Records that a model reads at once (8)."),
    click.option("--beams", type=int, metavar="N", help="Width of the search (4; sampling has 1)."),
    click.option("--no-repeat-ngram-size", type=int, metavar="N", help="No N tokens come twice in an output; 0 allows "
                 "all (3)."),
    click.option("--length-penalty", type=float, metavar="X", help="Above 0 longer beams win, below 0 shorter ones "
                 "(1.0)."),
    click.option("--max-input", type=int, metavar="N", help="Tokens after which the input is cut (1024, or what the "
                 "model can take)."),
    click.option("--max-new-tokens", type=int, metavar="N", help="Tokens after which an output is cut (128)."),
    click.option("-n", "--num-return", type=int, metavar="N", help="Outputs for each record, as a list if N > 1 (1)."),
    click.option("--sample", is_flag=True, help="Draw each token, instead of searching for the best output."),
    click.option("--temperature", type=float, metavar="X", help="Sampling: below 1 likely tokens get likelier (1.0)."),
    click.option("--top-k", type=int, metavar="N", help="Sampling: only the N likeliest tokens; 0 is all (0)."),
    click.option("--top-p", type=float, metavar="X", help="Sampling: only the likeliest tokens, up to X of the "
                 "probability (1.0)."),
    click.option("--precision", type=click.Choice(["float32", "bfloat16", "float16"]),
                 help="Numbers that the model works with (float32)."),
    click.option("--device", metavar="NAME", help="cpu, cuda, cuda:1, mps … (cuda where there is one, else cpu)."),
    click.option("--offline", is_flag=True, help="Open no socket: only models that are on this machine."),
    click.option("--trust-remote-code", is_flag=True, help="Run code that comes with the model."),
    cli.seed, cli.listing("generators"), *cli.stream("dialogue", "text", "context", "prediction"))
def main(**options) -> int:
    """Let a system write a prediction for each record: a simple baseline or a model.

    -g lead, middle and longest copy utterances out of the dialogue and need no
    model; longest:k=3 takes three, and speaker=no leaves the labels out.  Any
    other option here is for models: --model names one, a folder or a hub name,
    and its configuration says whether it is used as -g seq2seq or -g causal.

    A model reads "context", if there is one, a newline, and the dialogue as
    "Name: text" lines, or else "text".  What was cut off of its input
    (truncated), what reached --max-new-tokens (unfinished) and what came out
    empty is counted in the end; "history" has the numbers of tokens.  A record
    with nothing to read is an error.

    The same command writes the same bytes.  The batch size is part of it: a
    model's numbers differ in their last digits between batches, so that now
    and then another output wins.  Samples depend on --seed and on the id of a
    record alone: all variants of a source share their luck, and differ by what
    was changed in them.

    Memory: a batch of records, and the model.

    Examples:

    $ echo '{"id": 1, "dialogue": "Ann: Hi!\\nBob: Shall I bring the tickets?\\nAnn: Yes."}' |
      dt-generate -g longest --lang en | jq -c '[.system, .prediction]'
    ["longest","Bob: Shall I bring the tickets?"]
    """
    _, chosen = choose(options["generator"], options)
    if "model" in chosen and options["jobs"] > 1:
        raise OptionError("--jobs is for work without a model; a model has --batch-size")
    return cli.run(generate, by=BY, keys=["dialogue|text"], batch=chosen.get("batch_size", 1), **options)
