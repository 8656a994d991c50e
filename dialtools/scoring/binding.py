"""Metrics bound to a language and applied to records."""

import functools
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from math import inf, isfinite, nan
from typing import NamedTuple

from dialtools import languages, registry
from dialtools.errors import MissingError, OptionError, RecordError
from dialtools.records import dialogue, history
from dialtools.scoring import columns as cells, comparands, gold
from dialtools.wording import tokenizers

PAIR = ("prediction", "reference")
SILENT = ("device", "offline", "batch_size")  # options of metrics that leave the score as it is

# Defaults in languages that have no folder of data.
_SPACED = {"tokenizer": "words", "words": "words", "bleu_tokenizer": "13a"}
_UNSPACED = {"tokenizer": "characters", "words": "characters", "bleu_tokenizer": "char"}
_WITHOUT_SPACES = ("km", "khm", "lo", "lao", "my", "mya", "th", "tha")  # between words

Metrics = Sequence[str | Callable]  # specs, such as "chrf:order=4", and functions
Row = list | dict[str, float]  # statistics of a record: numbers, or counts under names; else what does not add up
Pair = tuple[str, Sequence[str]]  # a prediction, and what it is compared with
BATCH = 32  # records that metrics get if none wants more; with two or three references each, what tokenizers keep


class Scorer(NamedTuple):
    """A metric with all its options fixed for one language."""

    plugin: registry.Plugin
    call: Callable[..., list[float]]
    lang: str
    options: dict
    libraries: dict[str, str]  # those that compute it or find its tokens, with their versions
    asked: comparands.Asked
    needs: tuple[str, ...]  # the names of its columns

    def signature(self, references: Collection[int] = (), like: str = "", **more: object) -> str:
        """Return how its numbers are made, with so many references; of `like`, a record's, all else stays as it is."""
        said = (history.parts(like) if like else self._parts()).items()
        parts = {key: value for key, value in said if key not in ("resources", "v")}  # which come last
        libraries = {name: parts.pop(name, version) for name, version in self.libraries.items()}
        return history.signature(self.plugin.name, **{**parts, "refs": self._refs(references), **more, **libraries})

    def _parts(self) -> dict:
        options = {name: value for name, value in self.options.items() if name not in (*SILENT, "refs")}
        described = self.plugin.constant("described", lambda options: {})(self.options)
        of, against = self.asked.of, gold.named(self.asked.against)
        return {"lang": self.lang, **options, **described, "of": of if of != comparands.PREDICTION else None,
                "against": against if against != comparands.REFERENCE else None}

    def _refs(self, references: Collection[int]) -> str | None:
        """Return the numbers of references with the rule for several, such as "1-3/max"; None where there are none."""
        fewest, most = min(references, default=0), max(references, default=0)
        if not most or "reference" not in self.needs:
            return None
        rule = self._apart() or self.options.get("refs", self.plugin.constant("REFERENCES", "max"))
        number = str(most) if fewest == most else f"{fewest}-{most}"
        return f"{number}/subsets/{rule}" if self.asked.subsets else f"{number}/{rule}"

    def _apart(self) -> str | None:
        """Return how the subsets' scores become one, where the metric would take them for references of one score."""
        return self.plugin.constant("APART", None) if self.asked.subsets else None

    def values(self, *columns: Sequence) -> list[float]:
        """Return a number for each prediction; columns: predictions and, for most metrics, lists of references."""
        return self.call(*comparands.chosen(self.call, self._apart(), columns))

    def percent(self, *columns: Sequence) -> list[float]:
        """Return the same, rescaled from the metric's range to 0–100; RecordError where there is no number.

        BLEU of equal tokens is 100.00000000000004, and nothing changes by less than 0.
        """
        worst, best = self.plugin.constant("RANGE", None)
        values = self.values(*columns)
        if None in values:
            raise RecordError(f"{self.plugin.label} gives it no score, and there is nothing to compare")
        width = best - worst
        return [100 * ((best if best < value else value) - worst) / width for value in values]

    def is_symmetric(self) -> bool:
        """May prediction and reference change places?"""
        return self.plugin.constant("SYMMETRIC", False)

    def statistics(self, *columns: Sequence) -> list[Row]:
        """Return, for each prediction, what the value of the whole data set is made of; see `corpus`."""
        return self._other("statistics")(*comparands.chosen(self.call, self._apart(), columns))

    def counts(self, *columns: Sequence) -> list[dict[str, int]]:
        """Return, for each prediction, what is to be counted beside its score, such as texts that were cut."""
        return self._other("counts")(*columns) if self.plugin.constant("counts", None) else [{}] * len(columns[0])

    def corpus(self, statistics: Iterable[Row]) -> float:
        """Return the value of the data set (not a mean) from the statistics of its records, in any order."""
        return self._other("from_statistics")(statistics)

    def columns(self, records: Sequence[dict], originals: Sequence[dict | None] = ()) -> dict[str, list]:
        """Return what it works on, by name; originals: those that the records are variants of."""
        return cells.of(records, self.needs, self.asked, originals)

    def confusions(self, *columns: Sequence) -> list[Row]:
        """Return, for each prediction, how often a true label goes with one that it says: {"true<TAB>said": number}."""
        return [dict(Counter("\t".join(pair) for pair in row)) for row in self._other("pairs")(*columns)]

    def number(self, record: dict) -> int:
        """Return how many texts it compares the record's prediction with, subsets not counted."""
        return comparands.number(record, self.asked) if "reference" in self.needs else 0

    def numbers(self, records: Sequence[dict], given: dict[str, list]) -> list[int]:
        """Return the same of several records; given: the columns of what is compared with the references."""
        if self.asked.is_plain() and "reference" in self.needs:
            return list(map(len, given["reference"]))
        return list(map(self.number, records))

    def margin(self, statistics: Iterable[Row]) -> dict[str, float]:
        """Return {"margin": the margin of error of that value at 95 %}; {} of a metric that knows none."""
        return {"margin": self._other("margin")(statistics)} if self.plugin.constant("margin", None) else {}

    def corpus_signature(self, references: Collection[int] = (), like: str = "") -> str:
        """Return how the value of a data set is made."""
        return self.signature(references, like, **self.plugin.constant("CORPUS", {}), level="corpus")

    def _other(self, name: str) -> Callable:
        """Return another function of the metric's file with those of the options that it takes."""
        function = getattr(self.plugin.module, name)
        taken, options = registry.options(function), {**self.options, "lang": self.lang}
        return functools.partial(function, **{key: value for key, value in options.items() if key in taken})


def defining(function: str) -> list[str]:
    """Return the names of the metrics that define a function, such as "pairs"."""
    return registry.said_to_define("metrics", function)


def has_corpus(spec: str | Callable | registry.Plugin) -> bool:
    """Has a metric a value of the whole data set that is not the mean over its records?"""
    metric = spec if isinstance(spec, registry.Plugin) else plugin(spec)
    return metric.constant("from_statistics", None) is not None


def mean_of(label: str) -> str:
    """Return what the mean over records under a label is, where it is not what people know by its name; else ""."""
    name = label.partition(":")[0]
    return registry.load("metrics", name).constant("MEAN", "") if name in registry.names("metrics") else ""


def of_mean(metric: registry.Plugin) -> str:
    """Return the same as a sentence."""
    mean = metric.constant("MEAN", "")
    return f"the mean over records is {mean}; {metric.name} is a value of the data set" if mean else ""


def plugin(spec: str | Callable) -> registry.Plugin:
    """Return a metric; "against" and the like in its spec are not its own options, but part of its label."""
    loaded = registry.load("metrics", comparands.asked(spec).spec)
    return loaded._replace(label=comparands.typed(spec)) if isinstance(spec, str) else loaded


def label(spec: str | Callable) -> str:
    """Return the key of a metric's scores."""
    return plugin(spec).label


def about(name: str) -> str:
    """Return the keys that a metric needs and its options, for a list of them."""
    metric = registry.load("metrics", name)
    needed = " and ".join(f'"{key}"' for key in needs(name)).replace("|", '" or "')
    own = ", ".join(option for option in metric.defaults() if option != "lang")
    return "; ".join(filter(None, (needed and f"needs {needed}", own and f"options {own}")))


def check(spec: str | Callable) -> None:
    """Raise OptionError for a tokenizer that does not exist, a treebank that cannot be read, a text against itself."""
    metric, asked = plugin(spec), comparands.asked(spec)
    tokenizers.check(metric.options.get("tok", "words"))
    gold.check(asked)
    if asked.against == asked.of and "reference" in _needs(metric):
        raise OptionError(f'{metric.label}: "{asked.of}" would be compared with itself')


def needs(spec: str | Callable) -> tuple[str, ...]:
    """Return the keys of a record that a metric needs."""
    return cells.keys(_needs(plugin(spec)), comparands.asked(spec))


def columns_of(spec: str | Callable) -> tuple[str, ...]:
    """Return the names of the columns that a metric works on."""
    return _needs(plugin(spec))


def _needs(plugin: registry.Plugin) -> tuple[str, ...]:
    chosen = plugin.constant("needs", None)
    return chosen(plugin.defaults()) if chosen else plugin.constant("NEEDS", PAIR)


@functools.lru_cache(maxsize=None)
def bind(spec: str | Callable, lang: str) -> Scorer:
    """Return a metric for a language: options that were not given have the language's own defaults."""
    metric = plugin(spec)
    defaults, by_language = metric.defaults(), metric.constant("BY_LANGUAGE", {})
    data = _data(lang) if by_language or "lang" not in defaults else {}  # else the metric looks up what it needs
    filled = {option: data.get(key, defaults[option]) for option, key in by_language.items()
              if option not in metric.options}
    options = {**defaults, **filled}
    if options.pop("lang", None):
        filled["lang"] = lang
    call = functools.partial(metric.call, **filled)
    if not metric.module:
        call = functools.partial(_of_user, metric.label, call)
    return Scorer(metric, call, lang, options, _versions(metric, options), comparands.asked(spec), _needs(metric))


def _data(lang: str) -> dict:
    """Return the defaults of a language; a well-formed tag needs no folder of data."""
    tag = languages.tag(lang)
    if tag in languages.known() or not re.fullmatch("[a-z]{2,3}", tag):
        return languages.load(lang)
    return _UNSPACED if tag in _WITHOUT_SPACES else _SPACED


def _of_user(label: str, call: Callable, *columns: Sequence) -> list[float | None]:
    """Return the numbers that a function of the user's gives; OptionError unless there is one for each prediction."""
    made = call(*columns)
    if not isinstance(made, Iterable):
        raise OptionError(f"{label} gives {made!r:.60}, no list of a number for each prediction")
    made = list(made)
    if len(made) != len(columns[0]):
        raise OptionError(f"{label} gives {len(made)} numbers for {len(columns[0])} predictions")
    try:
        numbers = [None if value is None else float(value) for value in made]
    except (TypeError, ValueError, OverflowError):
        numbers = [nan]
    if not all(value is None or isfinite(value) for value in numbers):
        raise OptionError(f"{label} gives what is no finite number: {made!r:.60}")
    return numbers


def _versions(plugin: registry.Plugin, options: dict) -> dict[str, str]:
    names = (*plugin.constant("libraries", lambda options: ())(options), *tokenizers.libraries(options.get("tok", "")))
    return {name: _version(name) for name in dict.fromkeys(names)}


def _version(library: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(library)
    except PackageNotFoundError:
        raise MissingError(f"the library {library} is not installed: pip install {_installing(library)}") from None


def _installing(library: str) -> str:
    """Return what pip is to install: our extra that has the library, with those that go along, or the library."""
    from importlib.metadata import PackageNotFoundError, requires

    with suppress(PackageNotFoundError):  # in a checkout
        for line in requires("dialtools") or ():
            if found := re.match(rf"{library}(?![\w-]).*; extra == .(\w+)", line):
                return f"'dialtools[{found[1]}]'"
    return library


def bind_all(metric: Metrics, record: dict) -> list[Scorer]:
    """Return metrics for the language of a record; a RecordError names the record."""
    try:
        return [bind(spec, dialogue.lang(record)) for spec in metric]
    except RecordError as error:
        raise RecordError(error.reason, record) from None


def needed(scorer: Scorer, given: dict[str, list]) -> list[list]:
    """Return those columns that a metric works on."""
    return [given[key] for key in scorer.needs]


def of_records(scorer: Scorer, records: Sequence[dict], given: dict[str, list] | None = None) -> list[float]:
    """Return the score of each record's prediction; a RecordError names the record that is to blame.

    given: the columns of the records, where the caller has them.
    """
    given = given or scorer.columns(records)
    try:
        if "reference" in scorer.needs and not all(given["reference"]):
            raise RecordError(f'"{scorer.asked.against}" holds nothing to compare with')
        return scorer.values(*needed(scorer, given))
    except RecordError as error:
        if len(records) == 1:
            raise RecordError(error.reason, records[0]) from None
        half = len(records) // 2
        return [value for part in (slice(half), slice(half, None))
                for value in of_records(scorer, records[part], {key: column[part] for key, column in given.items()})]


def window(metric: Iterable[str | Callable]) -> int:
    """Return how many records the metrics want at once; 1 where it is all the same to them."""
    return max((plugin(spec).constant("WINDOW", 1) for spec in metric), default=1)


def has_model(metric: registry.Plugin) -> bool:
    """Does a metric have a model, which wants many records at once?"""
    return metric.constant("WINDOW", 1) > 1


def check_comparable(spec: str | Callable) -> None:
    """Raise OptionError unless the metric compares two texts on a bounded scale, higher being better."""
    metric = plugin(spec)
    bounds = metric.constant("RANGE", None) or (inf, inf)
    if inf in map(abs, bounds) or _needs(metric) != PAIR:
        raise OptionError(f"{metric.label} cannot measure sensitivity: it is no bounded score of a prediction "
                          "against a reference")
    asked = comparands.asked(spec)
    if asked.against != comparands.REFERENCE or asked.of != comparands.PREDICTION:
        raise OptionError(f"{metric.label}: sensitivity and robustness say themselves what is compared with what")
