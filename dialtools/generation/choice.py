"""Which generator is meant, and which of dt-generate's options it gets."""

from collections.abc import Callable, Mapping
from typing import Any

from dialtools import registry
from dialtools.errors import OptionError, nearest
from dialtools.models import writers

PASSED_ON = ("model", "engine", "window", "batch_size", "batch_tokens", "beams", "no_repeat_ngram_size",
             "length_penalty", "early_stopping", "renormalize", "repetition_penalty", "max_input", "truncate",
             "max_new_tokens", "min_new_tokens", "stop", "num_return", "src_lang", "tgt_lang", "exact",
             "sample", "temperature", "top_k", "top_p", "precision", "device", "offline",
             "trust_remote_code", "allow_pickle", "seed", "endpoint", "api", "concurrency", "timeout", "retries",
             "body")  # options of dt-generate that are the generator's
EVERYWHERE = ("offline", "seed")  # those that a generator need not know


def chosen(generator: str | Callable | None, given: Mapping[str, Any]) -> tuple[registry.Plugin, dict[str, Any]]:
    """Return the generator, and all its options with their values; `given` may hold more than these."""
    options = {name: given[name] for name in PASSED_ON if given[name] is not None and given[name] is not False}
    plugin = registry.load("generators", generator or _fitting(options, given))
    known = plugin.defaults()
    for name in options:
        if name in plugin.options:
            raise OptionError(f"{name} is given twice: in {plugin.label} and as an option")
        if name not in known and name not in EVERYWHERE:
            raise OptionError(f"{plugin.name} has no option {name!r}{nearest(name, known)}; "
                              f"it has {', '.join(known) or 'none'}")
    return plugin, known | {name: value for name, value in options.items() if name in known}


def _fitting(options: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """Return the generator that fits an endpoint or a model, where none is named."""
    if "endpoint" in options:
        return "endpoint"
    if options.get("model"):
        return writers.kind(options["model"], given["offline"], given["trust_remote_code"])
    raise OptionError(f"what is to write? -g {', -g '.join(registry.names('generators'))}; or --model PATH")


def window(options: Mapping[str, Any]) -> int:
    """Return how many records a generator is given at once."""
    return options.get("window") or options.get("batch_size", 1)
