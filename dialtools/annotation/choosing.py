"""--parser auto: the best parser that is installed for a language, with its models."""

import functools

from dialtools import registry
from dialtools.errors import RecordError
from dialtools.registry import Plugin

ORDER = ("stanza", "fugashi", "jieba")  # trees before parts of speech; others need a model that somebody names


def chosen(lang: str) -> Plugin:
    """Return the first parser that is ready for a language; where there is none its records fail, and no others."""
    plugin = _ready(lang)
    if plugin is None:
        raise RecordError(f"--parser auto finds no parser for {lang} here, of {', '.join(ORDER)}: --parser with the "
                          "name of one says what it lacks; udpipe and biaffine take a model that is named, and "
                          "whitespace needs nothing, but finds only words")
    return plugin


@functools.lru_cache(maxsize=None)
def _ready(lang: str) -> Plugin | None:
    plugins = (registry.load("parsers", name) for name in ORDER)
    return next((plugin for plugin in plugins if plugin.constant("ready", None)(lang=lang)), None)
