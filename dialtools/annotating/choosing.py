"""--parser auto: the best parser that is installed for a language, with its models."""

import functools

from dialtools import registry
from dialtools.errors import MissingError
from dialtools.registry import Plugin

ORDER = ("stanza", "fugashi", "jieba")  # trees before parts of speech; others need a model that somebody names


@functools.lru_cache(maxsize=None)
def chosen(lang: str) -> Plugin:
    """Return the first parser that is ready for a language; MissingError where there is none."""
    for name in ORDER:
        plugin = registry.load("parsers", name)
        if plugin.constant("ready", None)(lang=lang):
            return plugin
    raise MissingError(f"--parser auto finds no parser for {lang} here, of {', '.join(ORDER)}: --parser with the name "
                       "of one says what it lacks; udpipe and biaffine take a model that is named, and whitespace "
                       "needs nothing, but finds only words")
