"""Metrics bound to a language and applied to records."""

import functools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from dialtools import dialogue, history, languages, registry
from dialtools.errors import OptionError, RecordError, need

PAIR = ("prediction", "reference")


class Scorer(NamedTuple):
    """A metric with all its options fixed for one language."""

    plugin: registry.Plugin
    call: Callable[..., list[float]]
    lang: str
    options: dict

    def signature(self, references: int | str | None = None, **more: object) -> str:
        """Return how its numbers are made; references: how many there were for one prediction."""
        rule = self.plugin.constant("REFERENCES", "max")
        library = self.plugin.constant("LIBRARY", None)
        version = {library: need(library, "all").__version__} if library else {}
        refs = f"{references}/{rule}" if references else None
        return history.signature(self.plugin.name, lang=self.lang, **self.options,
                                 **self.plugin.constant("FIXED", {}), refs=refs, **more, **version)

    def values(self, *columns: Sequence) -> list[float]:
        """Return a number for each prediction; columns: predictions and, for most metrics, lists of references."""
        return self.call(*columns)


def needs(spec: str | Callable) -> tuple[str, ...]:
    """Return the keys of a record that a metric needs."""
    return registry.load("metrics", spec).constant("NEEDS", PAIR)


@functools.lru_cache(maxsize=None)
def bind(spec: str | Callable, lang: str) -> Scorer:
    """Return a metric for a language: options that were not given have the language's own defaults."""
    plugin = registry.load("metrics", spec)
    own = {option: languages.load(lang)[key] for option, key in plugin.constant("BY_LANGUAGE", {}).items()
           if option not in plugin.options}
    return Scorer(plugin, functools.partial(plugin.call, **own), lang, {**plugin.defaults(), **own})


def of_records(scorer: Scorer, records: list[dict]) -> list[float]:
    """Return the score of each record's prediction; a RecordError names the record that is to blame."""
    columns = {"prediction": dialogue.best, "reference": dialogue.references}
    keys = scorer.plugin.constant("NEEDS", PAIR)
    try:
        return scorer.values(*([columns[key](record) for record in records] for key in keys))
    except RecordError as error:
        if len(records) == 1:
            raise RecordError(error.reason, records[0]) from None
        return [value for record in records for value in of_records(scorer, [record])]


def check_comparable(spec: str | Callable) -> None:
    """Raise OptionError unless the metric compares two texts on a bounded scale, higher being better."""
    plugin = registry.load("metrics", spec)
    if plugin.constant("RANGE", None) is None or plugin.constant("NEEDS", PAIR) != PAIR:
        raise OptionError(f"{plugin.label} cannot measure sensitivity: it is no bounded score of a prediction "
                          "against a reference")


def is_empty(text: str) -> bool:
    """Is there no letter and no digit in a text?"""
    return not any(map(str.isalnum, text))
