"""Which generator writes, and which options it gets."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from dialtools.models import checkpoints, folders, speakers, writers
from dialtools.models.decoding import Decoding, Runtime, Serving
from dialtools.models.folders import Checkpoint
from dialtools.plugins import registry
from dialtools.plugins.options import is_given
from dialtools.system.errors import OptionError, nearest

# a generator's options
NAMES = ("model", "endpoint", *Runtime._fields, *Decoding._fields, *Serving._fields, "seed")
EVERYWHERE = ("offline", "seed")  # those that a generator need not know


def chosen(
    generator: str | Callable | None, given: Mapping[str, Any]
) -> tuple[registry.Plugin, dict[str, Any]]:
    """Return the generator and the values of all its options; `given` may hold more than these."""
    servers = " ".join(registry.several(given.get("endpoint") or ()))
    given = {**given, "endpoint": servers or None}
    options = {name: given[name] for name in NAMES if is_given(given.get(name))}
    plugin = registry.load("generators", generator or _fitting(options))
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


def _fitting(options: Mapping[str, Any]) -> str:
    """Return the generator that fits an endpoint or a model, where none is named."""
    if "endpoint" in options:
        return "endpoint"
    if "model" in options:
        return writers.kind(
            options["model"], options.get("offline", False), options.get("trust_remote_code", False)
        )
    raise OptionError(
        f"No generator given: use -g {', -g '.join(registry.names('generators'))}; or --model PATH."
    )


def names_asked(plugin: registry.Plugin, options: Mapping[str, Any]) -> bool:
    """Tell whether the model reads which tokens are names of speakers (the objective emb)."""
    model = options["model"] if plugin.name in ("seq2seq", "causal") else None
    if not model or speakers.comes_with(model):
        return bool(model)
    base = folders.base(model)
    if os.path.isdir(base):
        return speakers.comes_with(base)
    checkpoint = Checkpoint(model, options["offline"], options["trust_remote_code"])
    return speakers.has(checkpoints.load("AutoConfig", checkpoint))


def needs(plugin: registry.Plugin, options: dict[str, Any]) -> tuple[str, ...]:
    """Return the keys that a generator reads of a record."""
    return plugin.needs(options)


def window(options: Mapping[str, Any]) -> int:
    """Return how many records a generator is given at once."""
    return options.get("window") or options.get("batch_size", 1)
