"""Write a prediction for each record, with a model or a simple baseline."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Literal

import click

from dialtools import cli, noise, registry
from dialtools.errors import OptionError, RecordError
from dialtools.generation import choice, extraction, outputs, views
from dialtools.models import writers
from dialtools.records import dialogue, history, jsonl
from dialtools.run.source import check_names, completed

BY = "dt-generate"
OF_RECORDS = ("delays", "source_length")  # what a generator tells that goes into the record itself


def generate(records: Iterable[dict], *, generator: str | Callable | None = None, model: str | None = None,
             system: str | None = None, overwrite: bool = False, prompt: str | None = None,
             system_prompt: str | None = None, shots: str | None = None, shot_count: int = 0,
             examples: str | None = None, extract: str | None = None, each: Literal["turn"] | None = None,
             cache: str | None = None, identity_check: int | None = None, endpoint: str | None = None,
             requests: bool = False, answers: str | None = None, api: str | None = None,
             concurrency: int | None = None, timeout: float | None = None, retries: int | None = None,
             body: str | None = None, engine: str | None = None, window: int | None = None,
             batch_size: int | None = None, batch_tokens: int | None = None, early_stopping: bool = False,
             renormalize: bool = False, repetition_penalty: float | None = None, truncate: str | None = None,
             min_new_tokens: int | None = None,
             stop: str | None = None, src_lang: str | None = None, tgt_lang: str | None = None, exact: bool = False,
             beams: int | None = None, no_repeat_ngram_size: int | None = None, length_penalty: float | None = None,
             max_input: int | None = None, max_new_tokens: int | None = None, num_return: int | None = None,
             sample: bool = False, temperature: float | None = None, top_k: int | None = None,
             top_p: float | None = None, precision: str | None = None, device: str | None = None,
             offline: bool = False, trust_remote_code: bool = False, allow_pickle: bool = False,
             seed: int = 0) -> Iterator[dict]:
    """Yield each record with a "prediction" and the name of the "system" that made it.

    generator: a spec such as "longest:k=3", or a function records -> list of dicts with "prediction".
    model: folder or hub name of a model; alone, it chooses the generator that fits.
    system: the name to write; else the spec as given, or the last part of the model's name.
    overwrite: replace predictions that are there, and drop their scores.
    prompt: file with a template of what the generator is to read, as in prompts.py.
    system_prompt: file with a template of what it is told before.
    shots: file of records of which the template gets `shot_count` as "shots", never the record itself.
    examples: key of the record whose text, or list of texts, the template gets as "examples".
    extract: what of an output is the prediction: braces, first-line or a regular expression.
    each: "turn" asks for every turn; the prediction is a dialogue.
    cache: SQLite file of what was made before; what is made now is added.
    identity_check: how many records, from the first one, are generated again in another batching; not with each.
    requests: yield not records but what a server would be asked, as lines of a batch file.
    answers: batch file with a server's answers to these, taken in the place of asking.
    endpoint: address of a server; alone, it chooses the generator of that name.

    The other options are the generator's, which says what they are and what None is;
    one that it does not have is an OptionError.
    """
    given = locals()
    plugin, options = choice.chosen(generator, given)
    _check_together(plugin, options, given)
    read: dict[str, Any] = {
        "prompt": prompt, "system_prompt": system_prompt, "shots_file": shots, "shot_count": shot_count,
        "examples": examples, "each": each, "seed": seed}
    needs = ("dialogue",) if each else () if prompt else plugin.constant("NEEDS", ("dialogue|text",))
    checked = map(partial(_checked, needs, overwrite), completed(records))
    windows = outputs.windows(checked, views.asker(**read), choice.window(options))
    take = extraction.extractor(extract) if extract is not None else None
    if requests:
        yield from outputs.questions(windows, plugin, options)
        return
    settings = plugin.constant("settings", dict)(**options)
    signature = history.signature(plugin.name, **settings, **views.parts(**read, extract=extract))
    make = outputs.maker(plugin, options, settings, answers, cache, identity_check)
    name = system or (writers.short(options["model"]) if "model" in options else plugin.label)
    for asked in windows:
        for record, seen, made in outputs.outputs(asked, make, plugin.name):
            yield _written(record, views.answered(record, seen, made, take, each), name, signature)


def _check_together(plugin: registry.Plugin, options: dict, given: dict) -> None:
    """Raise OptionError for options that do not go together, or with the generator."""
    if (given["requests"] or given["answers"]) and "endpoint" not in options:
        raise OptionError("--requests and --answers are for a server: --endpoint URL, and the --model that it has")
    if (given["prompt"] or given["each"]) and "dialogue" in plugin.constant("NEEDS", ()):
        raise OptionError(f"{plugin.name} chooses turns of a dialogue and reads no prompt")
    if given["identity_check"] is not None and given["each"]:
        raise OptionError("--identity-check counts records: not with --each")


def _checked(needs: Iterable[str], overwrite: bool, record: dict) -> dict:
    """Return a record that a generator can work on; RecordError where it lacks a key, or would lose a prediction."""
    for key in needs:
        jsonl.check(record, key)
    if record.get("prediction") is not None and not overwrite:
        raise RecordError('there is a prediction already; --overwrite replaces it', record)
    return record


def _written(record: dict, made: dict, system: str, signature: str) -> dict:
    """Return the record with what was made of it; what else is known of that goes into its history."""
    lost = made.pop("not_extracted", 0)
    facts = {name: value for name, value in made.items() if name not in ("prediction", *OF_RECORDS)}
    written = {key: value for key, value in record.items() if key not in dialogue.OF_PREDICTION}
    written |= {"prediction": made["prediction"], "system": system}
    written |= {name: made[name] for name in OF_RECORDS if name in made}
    counts = {"truncated": bool(facts.get("truncated")), "unfinished": bool(facts.get("unfinished")),
              "generated_again": "identity" in facts, "differing": bool(facts.get("identity")),
              "empty": not dialogue.best(written).strip(), "outputs_not_extracted": lost,
              "replaced_system": record.get("prediction") is None and record.get("system") not in (None, system)}
    if any(counts.values()):
        facts["counts"] = {name: int(count) for name, count in counts.items() if count}
    return history.add(written, BY, signature, **facts)


@cli.command(
    BY,
    click.option("-g", "--generator", type=cli.Plugin("generators"), help="What writes the predictions."),
    click.option("--model", metavar="PATH", help="Model to use, a folder or a hub name: short for the -g that fits."),
    click.option("--system", metavar="NAME", help="Name of the system in the output, instead of the generator's or "
                 "the model's."),
    click.option("--overwrite", is_flag=True, help="Replace predictions that are there, and drop their scores."),
    click.option("--prompt", metavar="FILE", help="Template of what the model reads (Jinja), filled with the record."),
    click.option("--system-prompt", metavar="FILE", help="Template of the system prompt before it."),
    click.option("--shots", metavar="FILE", help="Records of which each prompt gets some as \"shots\": never the "
                 "record itself, nor one of its cluster."),
    click.option("--shot-count", type=click.IntRange(min=0), default=0, metavar="K", help="How many shots."),
    click.option("--examples-key", "examples", metavar="KEY",
                 help="Key whose text or texts the prompt gets as \"examples\"."),
    click.option("--extract", metavar="WHAT", help="Take the prediction out of the output: braces, first-line, or a "
                 "regular expression (its first group)."),
    click.option("--each", type=click.Choice(["turn"]), help="Ask for every turn; the prediction is a dialogue."),
    click.option("--cache", metavar="FILE", help="Keep outputs in an SQLite file, and make none twice."),
    click.option("--identity-check", type=click.IntRange(min=1), metavar="N", help="Generate the first N records again "
                 "in another batching, and tell how many outputs differ."),
    click.option("--requests", is_flag=True, help="Write what the server would be asked, as a batch file."),
    click.option("--answers", metavar="FILE", help="Take the answers to these requests from a batch file."),
    click.option("--endpoint", metavar="URL", help="Server of the OpenAI API that has the model, such as "
                 "http://localhost:8000/v1; DIALTOOLS_API_KEY may hold a key."),
    click.option("--api", type=click.Choice(["chat", "completions"]), help="Interface of the server to ask (chat)."),
    click.option("--concurrency", type=int, metavar="N", help="Requests under way at once (8), of the "
                 "--batch-size (32) records that are read together."),
    click.option("--timeout", type=float, metavar="SECONDS", help="How long to wait for an answer (120)."),
    click.option("--retries", type=int, metavar="N", help="How often to ask a busy or unreachable server again (4)."),
    click.option("--body", metavar="JSON", help="Further fields of a request; null leaves one out."),
    click.option("--engine", type=click.Choice(["torch", "ctranslate2", "vllm"]), help="What runs the model (torch)."),
    click.option("--window", type=int, metavar="N", help="Records that are put into batches by length, and written "
                 "together, also with --exact (64); a run that is killed loses the last ones."),
    click.option("--batch-size", type=int, metavar="N", help="Records that a model reads at once (8)."),
    click.option("--batch-tokens", type=int, metavar="N", help="Tokens of input that it reads at once, with padding "
                 "(8192)."),
    click.option("--exact", is_flag=True, help="Record by record, float32, deterministic: no output depends on other "
                 "records."),
    click.option("--beams", type=int, metavar="N", help="Width of the search (4; sampling has 1)."),
    click.option("--no-repeat-ngram-size", type=int, metavar="N", help="No N tokens come twice in an output; 0 allows "
                 "all (3)."),
    click.option("--length-penalty", type=float, metavar="X", help="Above 0 longer beams win, below 0 shorter ones "
                 "(1.0)."),
    click.option("--early-stopping", is_flag=True, help="End a search when as many outputs as beams have ended."),
    click.option("--renormalize", is_flag=True, help="Where tokens are forbidden, let the others' probabilities sum to "
                 "1 in a search."),
    click.option("--repetition-penalty", type=float, metavar="X", help="Above 1 tokens of the output are less likely "
                 "to come again."),
    click.option("--max-input", type=int, metavar="N", help="Tokens after which the input is cut (1024, or what the "
                 "model can take)."),
    click.option("--max-new-tokens", type=int, metavar="N", help="Tokens after which an output is cut (128)."),
    click.option("--truncate", type=click.Choice(["left", "right", "error"]), help="Where longer input is cut (right; "
                 "left for a causal model)."),
    click.option("--min-new-tokens", type=int, metavar="N", help="Tokens that an output has at least."),
    click.option("--stop", metavar="TEXT", help="End an output before TEXT, or before any of a JSON list of texts."),
    click.option("--src-lang", metavar="CODE", help="Language of the input, as a model of many languages calls it "
                 "(what it has for \"lang\")."),
    click.option("--tgt-lang", metavar="CODE", help="Language of the output."),
    click.option("-n", "--num-return", type=int, metavar="N", help="Outputs for each record, as a list if N > 1 (1)."),
    click.option("--sample", is_flag=True, help="Draw each token, instead of searching for the best output."),
    click.option("--temperature", type=float, metavar="X", help="Sampling: below 1 likely tokens get likelier (1.0)."),
    click.option("--top-k", type=int, metavar="N", help="Sampling: only the N likeliest tokens; 0 is all (0)."),
    click.option("--top-p", type=float, metavar="X", help="Sampling: only the likeliest tokens, up to X of the "
                 "probability (1.0)."),
    click.option("--precision", type=click.Choice(["auto", "float32", "bfloat16", "float16", "int8"]),
                 help="Numbers that the model works with (auto: bfloat16 on a GPU that has it, else float32; int8 is "
                 "for ctranslate2)."),
    click.option("--device", "--devices", "device", metavar="NAME", help="cpu, cuda, cuda:1, mps … (cuda where there "
                 "is one, else cpu); several, as 0,1, get a process each."),
    cli.offline,
    click.option("--trust-remote-code", is_flag=True, help="Run code that comes with the model."),
    click.option("--allow-pickle", is_flag=True, help="Read weights that are pickled (*.bin) where a model has none in "
                 "safetensors. Such a file can hold code that runs when it is read: allow it only for a model whose "
                 "maker you trust."),
    cli.seed, cli.listing("generators"), *cli.stream("dialogue", "text", "context", "prediction"))
def main(**options) -> int:
    """Write a prediction for each record, with a model or a simple baseline.

    -g lead, middle and longest copy utterances out of the dialogue and need no
    model; longest:k=3 takes three, and speaker=no leaves the labels out.  Any
    other option here is for models: --model names one, a folder or a hub name,
    and its configuration says whether it is used as -g seq2seq or -g causal.

    --endpoint asks a server instead, --model naming one of its models.  Where a
    server takes batch files, --requests writes one, each question once; the
    same command with --answers FILE goes on with what it answered.

    -g simultaneous translates while its source is still coming, word by word,
    and writes the delays that dt-score's -m al, laal and dal want.  With aware=yes
    they want "elapsed": timed=yes writes the milliseconds of computing into the
    history, and where a word of the source takes W milliseconds, elapsed is
    delay × W + milliseconds, and "source_length" W times what it was.

    A model reads "context", if there is one, a newline, and the dialogue as
    "Name: text" lines, or else "text"; or a --prompt, a template that sees
    the keys of the record.  With --each turn it reads the text of every turn,
    or the template does, as "turn" and "number".  A record with nothing to read is
    an error.

    The closing line tells how many records had their input cut (truncated), reached
    --max-new-tokens (unfinished), or came out empty (of several outputs, the
    first); and in how many outputs --extract found nothing, each an empty
    prediction.  "history" has the numbers of tokens.

    The same command writes the same bytes.  The batch size is part of it: a
    model's numbers differ in their last digits between batches, so that now
    and then another output wins.  Samples depend on --seed and on the id of a
    record alone: all variants of a source share their luck, and differ by what
    was changed in them.

    A renamed copy of a dialogue sits in another batch than the dialogue, so that
    part of a measured sensitivity may be the batching's.  --identity-check tells
    how large that part is: "identity" in the history is the character edit
    distance, over the longer text, of two outputs for the same input, and
    dt-score and dt-ttest show it.  --exact makes outputs independent of each
    other; it reads record by record, and takes longer.

    With --cache, an answer is found again by model, options and prompt (and id,
    where it is drawn).  It may have been made in another batch.

    --engine ctranslate2 writes the same text several times faster on a CPU; a
    search wants --early-stopping --renormalize with it, and of a model that is
    given its first token (M2M, NLLB, mBART-50) --min-new-tokens 2: it may miss
    outputs that end at once.  Where a window slides over what a model reads
    (Mistral, Gemma), input is cut so that the window holds it and the output.

    Memory: a batch of records, and the model.

    Examples:

    $ echo '{"id": 1, "dialogue": "Ann: Hi!\\nBob: Shall I bring the tickets?\\nAnn: Yes."}' |
      dt-generate -g longest --lang en | jq -c '[.system, .prediction]'
    ["longest","Bob: Shall I bring the tickets?"]
    """
    _, chosen = choice.chosen(options["generator"], options)
    if "model" in chosen and options["jobs"] > 1:
        raise OptionError("--jobs is for work without a model; a model has --batch-size")
    devices = [f"cuda:{name}" if name.isdecimal() else name for name in (options["device"] or "").split(",") if name]
    if options["identity_check"] and (options["resume"] or options["on_error"] != "stop" or len(devices) > 1):
        raise OptionError("--identity-check counts records from the first one: not with --resume, --on-error or "
                          "several --devices")
    if options["requests"] and options["on_error"] != "stop":
        raise OptionError("--requests writes each question once, whichever records ask it: not with --on-error")
    options["device"] = devices[0] if devices else None
    cli.check_apart("--cache", options["cache"], options["output"], options["files"])
    check_names([options["examples"]], "--examples-key", options)
    keys = [] if options["prompt"] else ["dialogue|text"]
    processes = [{"device": device} for device in devices] if len(devices) > 1 else []
    distances = noise.Distances()

    def closing() -> str:
        return f"{BY}: {noise.line(distances.found)}\n" if distances.found else ""

    return cli.run(generate, by=BY, keys=keys, results=options["requests"], batch=choice.window(chosen),
                   processes=processes, watch=distances, closing=closing, **options)
