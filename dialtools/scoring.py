"""Metrics bound to a language and applied to records."""

import functools
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from dialtools import comparands, dialogue, history, languages, registry, tokenizers
from dialtools.errors import MissingError, OptionError, RecordError

PAIR = ("prediction", "reference")


class Scorer(NamedTuple):
    """A metric with all its options fixed for one language."""

    plugin: registry.Plugin
    call: Callable[..., list[float]]
    lang: str
    options: dict
    libraries: dict[str, str]  # those that compute it or find its tokens, with their versions
    asked: comparands.Asked

    def signature(self, references: Collection[int] = (), **more: object) -> str:
        """Return how its numbers are made; references: how many texts a prediction was scored on, in all cases."""
        parts = {"lang": self.lang, **self.options, **self.plugin.constant("FIXED", {})}
        rule = parts.pop("refs", self.plugin.constant("REFERENCES", "max"))
        rule = f"subsets/{rule}" if self.asked.subsets else rule
        few, many = min(references, default=0), max(references, default=0)
        number = few if few == many else f"{few}-{many}"
        refs = f"{number}/{rule}" if many and "reference" in _needs(self.plugin) else None
        other = None if self.asked.against == comparands.REFERENCE else self.asked.against
        described = self.plugin.constant("described", lambda options: {})(self.options)
        parts |= described | {"against": other, "refs": refs} | more | self.libraries
        return history.signature(self.plugin.name, **parts)

    def values(self, *columns: Sequence) -> list[float]:
        """Return a number for each prediction; columns: predictions and, for most metrics, lists of references."""
        return self.call(*columns)

    def statistics(self, *columns: Sequence) -> list[list]:
        """Return, for each prediction, what the value of the whole data set is made of; see `corpus`."""
        return self._other("statistics")(*columns)

    def corpus(self, statistics: Iterable[list]) -> float:
        """Return the value of the data set (not a mean) from the statistics of its records, in any order."""
        return self._other("from_statistics")(statistics)

    def corpus_signature(self, references: Collection[int] = (), **more: object) -> str:
        """Return how the value of a data set is made."""
        return self.signature(references, **self.plugin.constant("CORPUS", {}), level="corpus", **more)

    def _other(self, name: str) -> Callable:
        """Return another function of the metric's file with those of the options that it knows."""
        function = getattr(self.plugin.module, name)
        known = registry.options(function)
        return functools.partial(function, **{key: value for key, value in self.options.items() if key in known})


def has_corpus(spec: str | Callable | registry.Plugin) -> bool:
    """Has a metric a value of the whole data set that is not the mean over its records?"""
    metric = spec if isinstance(spec, registry.Plugin) else plugin(spec)
    return metric.constant("from_statistics", None) is not None


def check_adds_up(spec: str | Callable) -> None:
    """Raise OptionError unless a metric has a corpus score that sums of statistics give."""
    if not has_corpus(spec):
        raise OptionError(f"{label(spec)} has no statistics: of a data set it is the mean over records, a number")
    columns: tuple[list, list] = (["a b"], [["a b"]])
    (row,) = bind(spec, "en").statistics(*columns[:len(_needs(plugin(spec)))])
    if not all(isinstance(value, (int, float)) for value in row):
        raise OptionError(f"{label(spec)}: its statistics do not add up, so that a test cannot draw them anew")


def plugin(spec: str | Callable) -> registry.Plugin:
    """Return a metric; "against" and "subsets" in its spec are not its own options, but part of its label."""
    loaded = registry.load("metrics", comparands.asked(spec).spec)
    return loaded._replace(label=spec) if isinstance(spec, str) else loaded


def label(spec: str | Callable) -> str:
    """Return the key of a metric's scores."""
    return plugin(spec).label


def about(name: str) -> str:
    """Return what a metric needs and its options, for a list of them."""
    metric = registry.load("metrics", name)
    needed = " and ".join(f'"{key}"' for key in _needs(metric))
    own = [option for option in metric.defaults() if option != "lang"]
    return f"needs {needed}" + (f"; options {', '.join(own)}" if own else "")


def check(spec: str | Callable) -> None:
    """Raise OptionError for a tokenizer that does not exist."""
    tokenizers.check(plugin(spec).options.get("tok", "words"))


def needs(spec: str | Callable) -> tuple[str, ...]:
    """Return the keys of a record that a metric needs."""
    key = comparands.asked(spec).against
    other = () if key == comparands.ORIGINAL else (key,)
    return tuple(name for need in _needs(plugin(spec)) for name in (other if need == "reference" else (need,)))


def _needs(plugin: registry.Plugin) -> tuple[str, ...]:
    return plugin.constant("NEEDS", PAIR)


@functools.lru_cache(maxsize=None)
def bind(spec: str | Callable, lang: str) -> Scorer:
    """Return a metric for a language: options that were not given have the language's own defaults."""
    metric = plugin(spec)
    defaults, known = metric.defaults(), languages.load(lang)
    own = {option: known.get(key, defaults[option]) for option, key in metric.constant("BY_LANGUAGE", {}).items()
           if option not in metric.options}
    options = {**defaults, **own}
    if options.pop("lang", None):
        own["lang"] = lang
    return Scorer(metric, functools.partial(metric.call, **own), lang, options, _versions(metric, options),
                  comparands.asked(spec))


def _versions(plugin: registry.Plugin, options: dict) -> dict[str, str]:
    names = (*plugin.constant("libraries", lambda options: ())(options), *tokenizers.libraries(options.get("tok", "")))
    return {name: _version(name) for name in dict.fromkeys(names)}


def _version(library: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(library)
    except PackageNotFoundError:
        raise MissingError(f"the library {library} is not installed: pip install {library}") from None


def bind_all(metric: Sequence[str | Callable], record: dict) -> list[Scorer]:
    """Return metrics for the language of a record; a RecordError names the record."""
    try:
        return [bind(spec, dialogue.lang(record)) for spec in metric]
    except RecordError as error:
        raise RecordError(error.reason, record) from None


def columns(records: Sequence[dict], asked: comparands.Asked = comparands.PLAIN,
            originals: Sequence[dict | None] = ()) -> dict[str, list]:
    """Return what metrics work on: the predictions of records, and the lists of texts that they are compared with."""
    return {"prediction": [dialogue.best(record) for record in records],
            "reference": [comparands.texts(record, asked, original)
                          for record, original in zip(records, originals or [None] * len(records), strict=True)]}


def needed(scorer: Scorer, given: dict[str, list]) -> list[list]:
    """Return those columns that a metric works on."""
    return [given[key] for key in _needs(scorer.plugin)]


def of_records(scorer: Scorer, records: Sequence[dict], given: dict[str, list] | None = None) -> list[float]:
    """Return the score of each record's prediction; a RecordError names the record that is to blame.

    given: the columns of the records, where the caller has them.
    """
    given = given or columns(records, scorer.asked)
    try:
        return scorer.values(*needed(scorer, given))
    except RecordError as error:
        if len(records) == 1:
            raise RecordError(error.reason, records[0]) from None
        rows = zip(*given.values(), strict=True)
        return [value for record, row in zip(records, rows, strict=True)
                for value in of_records(scorer, [record], {key: [cell] for key, cell in zip(given, row, strict=True)})]


def check_comparable(spec: str | Callable) -> None:
    """Raise OptionError unless the metric compares two texts on a bounded scale, higher being better."""
    metric = plugin(spec)
    if metric.constant("RANGE", None) is None or _needs(metric) != PAIR:
        raise OptionError(f"{metric.label} cannot measure sensitivity: it is no bounded score of a prediction "
                          "against a reference")
    if comparands.asked(spec).against != comparands.REFERENCE:
        raise OptionError(f"{metric.label}: sensitivity and robustness say themselves what is compared with what")
