"""Metrics bound to a language and applied to records."""

import functools
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from typing import NamedTuple

from dialtools import dialogue, history, languages, registry
from dialtools.errors import MissingError, OptionError, RecordError

PAIR = ("prediction", "reference")


class Scorer(NamedTuple):
    """A metric with all its options fixed for one language."""

    plugin: registry.Plugin
    call: Callable[..., list[float]]
    lang: str
    options: dict
    library: dict[str, str]  # what computes it, if not we, and its version

    def signature(self, references: Collection[int] = (), **more: object) -> str:
        """Return how its numbers are made; references: how many there were for a prediction, in all cases."""
        rule = self.plugin.constant("REFERENCES", "max")
        few, many = min(references, default=0), max(references, default=0)
        number = few if few == many else f"{few}-{many}"
        refs = f"{number}/{rule}" if many and "reference" in _needs(self.plugin) else None
        return history.signature(self.plugin.name, lang=self.lang, **self.options,
                                 **self.plugin.constant("FIXED", {}), refs=refs, **more, **self.library)

    def values(self, *columns: Sequence) -> list[float]:
        """Return a number for each prediction; columns: predictions and, for most metrics, lists of references."""
        return self.call(*columns)


def label(spec: str | Callable) -> str:
    """Return the key of a metric's scores."""
    return registry.load("metrics", spec).label


def needs(spec: str | Callable) -> tuple[str, ...]:
    """Return the keys of a record that a metric needs."""
    return _needs(registry.load("metrics", spec))


def _needs(plugin: registry.Plugin) -> tuple[str, ...]:
    return plugin.constant("NEEDS", PAIR)


@functools.lru_cache(maxsize=None)
def bind(spec: str | Callable, lang: str) -> Scorer:
    """Return a metric for a language: options that were not given have the language's own defaults."""
    plugin = registry.load("metrics", spec)
    own = {option: languages.load(lang)[key] for option, key in plugin.constant("BY_LANGUAGE", {}).items()
           if option not in plugin.options}
    return Scorer(plugin, functools.partial(plugin.call, **own), lang, {**plugin.defaults(), **own},
                  _versions(plugin.constant("LIBRARY", None)))


def _versions(library: str | None) -> dict[str, str]:
    try:
        return {library: import_module(library).__version__} if library else {}
    except ModuleNotFoundError as error:
        if error.name != library:
            raise  # the library is there, but broken
        raise MissingError(f"the library {library} is not installed: pip install {library}") from None


def bind_all(metric: Sequence[str | Callable], record: dict) -> list[Scorer]:
    """Return metrics for the language of a record; a RecordError names the record."""
    try:
        return [bind(spec, dialogue.lang(record)) for spec in metric]
    except RecordError as error:
        raise RecordError(error.reason, record) from None


def of_records(scorer: Scorer, records: list[dict]) -> list[float]:
    """Return the score of each record's prediction; a RecordError names the record that is to blame."""
    columns = {"prediction": dialogue.best, "reference": dialogue.references}
    try:
        return scorer.values(*([columns[key](record) for record in records] for key in _needs(scorer.plugin)))
    except RecordError as error:
        if len(records) == 1:
            raise RecordError(error.reason, records[0]) from None
        return [value for record in records for value in of_records(scorer, [record])]


def check_comparable(spec: str | Callable) -> None:
    """Raise OptionError unless the metric compares two texts on a bounded scale, higher being better."""
    plugin = registry.load("metrics", spec)
    if plugin.constant("RANGE", None) is None or _needs(plugin) != PAIR:
        raise OptionError(f"{plugin.label} cannot measure sensitivity: it is no bounded score of a prediction "
                          "against a reference")
