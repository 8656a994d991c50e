"""--parser auto: the best parser that is installed for a language, with its models."""

import functools

from dialtools.languages import Language
from dialtools.plugins import registry
from dialtools.plugins.registry import Plugin
from dialtools.system.errors import RecordError

ORDER = ("stanza", "fugashi", "jieba")  # trees before parts of speech; others need a named model


@functools.lru_cache(maxsize=None)
def chosen(language: Language) -> Plugin:
    """Return the first parser that is ready for a language; RecordError if none is."""
    for name in ORDER:
        plugin = registry.load("parsers", name)
        if plugin.declared.ready(language=language):
            return plugin
    raise RecordError(
        f"--parser auto finds no parser for {language.tag} among {', '.join(ORDER)}: --parser NAME "
        "says what is missing; udpipe and biaffine need the name of a model, and whitespace "
        "needs nothing but finds only words"
    )
