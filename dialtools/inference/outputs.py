"""Outputs of a generator for records, window by window; which generator that is, and its options."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from typing import Any

from dialtools.inference import cache, completions
from dialtools.inference.identity_check import rechecked
from dialtools.inference.views import Ask
from dialtools.models import checkpoints, folders, speakers, writers
from dialtools.models.decoding import Decoding, Runtime, Serving
from dialtools.models.folders import Checkpoint
from dialtools.pipeline import failures
from dialtools.plugins import registry
from dialtools.plugins.options import is_given
from dialtools.records import dialogue, history, validation, wellformed
from dialtools.system.batches import batches
from dialtools.system.errors import OptionError, RecordError, nearest
from dialtools.system.stable_hash import Seen

# a generator's options
NAMES = ("model", "endpoint", *Runtime._fields, *Decoding._fields, *Serving._fields, "seed")
EVERYWHERE = ("offline", "seed")  # those that a generator need not know

BY = "dt-generate"
# facts of a generator that go into the record itself
OF_RECORDS = ("delays", "source_length", "prediction_scores", "logprobs", "choices")

Asked = tuple[dict, list[dict]]  # a record, and the views of it for a generator
# and the generator's outputs for them, or why there are none
Answered = tuple[dict, list[dict], list[dict] | RecordError]


def chosen(
    generator: str | Callable | None, values: Mapping[str, Any]
) -> tuple[registry.Plugin, dict[str, Any]]:
    """Return the generator and the values of all its options; `values` may hold more.

    Without a generator it is the one that fits an endpoint or a model.
    """
    servers = " ".join(registry.several(values.get("endpoint") or ()))
    values = {**values, "endpoint": servers or None}
    options = {name: values[name] for name in NAMES if is_given(values.get(name))}
    if not generator and "endpoint" in options:
        generator = "endpoint"
    elif not generator and "model" in options:
        is_offline, is_trusted = options.get("offline", False), options.get("trust_remote_code")
        generator = writers.kind(options["model"], is_offline, is_trusted or False)
    elif not generator:
        raise OptionError(
            f"No generator given: use -g {', -g '.join(registry.names('generators'))}; "
            "or --model PATH."
        )
    plugin = registry.load("generators", generator)
    if options.get("seed") == 0 and "seed" in plugin.options:
        del options["seed"]  # the default, which nobody may have given
    known = plugin.defaults()
    for name in options:
        if name in plugin.options:
            raise OptionError(f"{name} is given twice: in {plugin.label} and as an option")
        if name not in known and name not in EVERYWHERE:
            raise OptionError(
                f"{plugin.name} has no option {name!r}{nearest(name, known)}; "
                f"it has {', '.join(known) or 'none'}"
            )
    return plugin, known | {name: value for name, value in options.items() if name in known}


def local(plugin: registry.Plugin, options: Mapping[str, Any]) -> str | None:
    """Return the model that a generator runs here, None for one without."""
    return options["model"] if plugin.name in ("seq2seq", "causal") else None


def names_asked(plugin: registry.Plugin, options: Mapping[str, Any]) -> bool:
    """Tell whether the model reads which tokens are names of speakers (the objective emb)."""
    model = local(plugin, options)
    if not model or speakers.comes_with(model):
        return bool(model)
    base = folders.base(model)
    if os.path.isdir(base):
        return speakers.comes_with(base)
    checkpoint = Checkpoint(model, options["offline"], options["trust_remote_code"])
    return speakers.has(checkpoints.load("AutoConfig", checkpoint))


def batch_size(options: Mapping[str, Any]) -> int:
    """Return how many records a generator is given at once."""
    return options.get("window") or options.get("batch_size", 1)


def windows(records: Iterable[dict], ask: Ask, size: int) -> Iterator[list[Asked]]:
    """Return an iterator of windows of so many records, each with its views."""
    return batches(((record, ask(record)) for record in records), size)


def questions(
    windows: Iterable[list[Asked]], plugin: registry.Plugin, options: dict
) -> Iterator[dict]:
    """Yield the questions for a server, as lines of a batch file."""
    plugin.declared.settings(**options)  # which checks them
    first = options["endpoint"].split()[0]  # a batch file is for one server
    names, address = Seen(), completions.address(first, options["api"])
    for _, views in chain.from_iterable(windows):
        requests = plugin.declared.requests(views, **options)
        yield from completions.batch_requests(requests, address, names)


def key(plugin: registry.Plugin, options: dict, settings: dict) -> cache.Key:
    """Return the function from a view to its key in a cache; settings: as they take effect."""
    # a folder is known by its content
    named = settings if "endpoint" in options else {**settings, "model": None}
    signature = history.signature(plugin.name, **plugin.provenance, **named)
    return cache.keys(signature, options)


def maker(
    plugin: registry.Plugin,
    options: dict,
    settings: dict,
    kept: str | None,
    identity_check: int | None,
) -> cache.Make:
    """Return a function from views to outputs: the generator behind its cache and checks.

    settings: its options as they take effect.
    kept: SQLite file of earlier outputs.
    identity_check: number of records to generate twice.
    """
    make: Callable = partial(plugin.call, **options)
    if kept:

        def telling(views: list[dict], arrived: cache.Arrived) -> Iterable[dict]:
            return plugin.bound(arrived=arrived).call(views, **options)

        make = cache.through(telling, kept, key(plugin, options, settings))
    return make if identity_check is None else rechecked(make, plugin, options, identity_check)


def outputs(asked: list[Asked], make: cache.Make, name: str) -> Iterator[Answered]:
    """Yield each record of a window with its views and outputs; name: of the generator.

    If a record fails, the records before it are made before its error is raised.
    """
    done: list[dict] = []
    try:
        for answered in _answered(asked, make, name):
            yield answered
            done.append(answered[0])
    except RecordError as error:
        failed = failures.culprit([record for record, _ in asked], done, error)
        before = asked[len(done) : failed] if failed is not None else []
        if before:
            yield from _answered(before, make, name)
        raise


def _answered(asked: list[Asked], make: cache.Make, name: str) -> Iterator[Answered]:
    outputs = iter(make([view for _, views in asked for view in views]))
    for record, views in asked:
        of_record = list(islice(outputs, len(views)))
        if len(of_record) < len(views):
            raise OptionError(f"{name} did not return one output for each record")
        for output in of_record:
            prediction = output.get("prediction") if isinstance(output, dict) else None
            if prediction is None or wellformed.problem("prediction", prediction):
                raise OptionError(
                    f'{name} must return dicts with a "prediction", a string or a list '
                    f"of strings, not {output!r:.60}"
                )
        yield record, views, of_record
    if next(outputs, None) is not None:
        raise OptionError(f"{name} did not return one output for each record")


def checked(needs: Iterable[str], overwrite: bool, record: dict) -> dict:
    """Return the record. Raise RecordError if it lacks a key, or would lose a prediction."""
    for key in needs:
        validation.require(record, key)
    if record.get("prediction") is not None and not overwrite:
        raise RecordError('the record has a "prediction"; --overwrite replaces it', record)
    return record


def tokens(of_record: Sequence[dict] | RecordError) -> dict[str, int]:
    """Return how many tokens a model has read and written for the outputs of a record."""
    counts = {"tokens_read": 0, "tokens_written": 0}
    for output in () if isinstance(of_record, RecordError) else of_record:
        written = output.get("output_tokens") or 0
        counts["tokens_read"] += output.get("input_tokens") or 0
        counts["tokens_written"] += sum(written) if isinstance(written, list) else written
    return counts


def written(record: dict, output: dict, system: str, signature: str) -> dict:
    """Return the record with its prediction; other facts go into its history."""
    not_extracted = output.pop("not_extracted", 0)
    facts = {
        name: value for name, value in output.items() if name not in ("prediction", *OF_RECORDS)
    }
    predicted = {key: value for key, value in record.items() if key not in dialogue.OF_PREDICTION}
    predicted |= {"prediction": output["prediction"], "system": system}
    predicted |= {name: output[name] for name in OF_RECORDS if name in output}
    is_another_system = record.get("system") not in (None, system)
    logprobs = output.get("logprobs", [])  # of one output, or of several
    counts = {
        "truncated": bool(facts.get("truncated")),
        "unfinished": bool(facts.get("unfinished")),
        "smaller_batch": "batch_size" in facts,
        "without_logprobs": logprobs is None or None in logprobs,
        "generated_again": "identity" in facts,
        "differing": bool(facts.get("identity")),
        "empty": not dialogue.best(predicted).strip(),
        "outputs_not_extracted": not_extracted,
        "replaced_system": record.get("prediction") is None and is_another_system,
    }
    if any(counts.values()):
        facts["counts"] = {name: int(count) for name, count in counts.items() if count}
    return history.add(predicted, BY, signature, **facts)
