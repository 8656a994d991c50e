"""--parser auto: the best parser that is installed for a language, with its models."""

import functools

from dialtools import registry
from dialtools.errors import RecordError
from dialtools.registry import Plugin

ORDER = ("stanza", "fugashi", "jieba")  # trees before parts of speech; others need a named model


def chosen(lang: str) -> Plugin:
    """Return the first parser that is ready for a language; RecordError if none is."""
    plugin = _ready(lang)
    if plugin is None:
        raise RecordError(
            f"--parser auto finds no parser for {lang} among {', '.join(ORDER)}: --parser NAME "
            "says what is missing; udpipe and biaffine need the name of a model, and whitespace "
            "needs nothing but finds only words")
    return plugin


@functools.lru_cache(maxsize=None)
def _ready(lang: str) -> Plugin | None:
    plugins = (registry.load("parsers", name) for name in ORDER)
    return next((one for one in plugins if one.constant("ready", None)(lang=lang)), None)
