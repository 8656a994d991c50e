"""Kinds of perturbation: where each is defined, and what it needs of a record."""

from dialtools import dialogue, languages, registry
from dialtools import records as jsonl
from dialtools import tokens
from dialtools.errors import RecordError


def langs(plugin: registry.Plugin) -> list[str]:
    """Return the tags of the languages that a kind is defined for."""
    resource = plugin.constant("RESOURCE", None)
    return languages.having(resource) if resource else languages.known()


def check(plugin: registry.Plugin, record: dict) -> None:
    """Raise RecordError unless a kind is defined for a record's language, and has what it needs of the record."""
    lang = dialogue.lang(record)
    if plugin.constant("RESOURCE", None) and languages.tag(lang) not in langs(plugin):
        raise RecordError(f"{plugin.name} is not defined for {lang}; there are {', '.join(langs(plugin))}", record)
    for key in plugin.constant("NEEDS", ()):
        jsonl.check(record, key)
    for holder in dialogue.holders(record):
        tokens.check(holder)
