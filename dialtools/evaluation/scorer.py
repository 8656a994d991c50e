"""A metric in one language, applied to records."""

import functools
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from math import isfinite, nan
from typing import Any, Literal, NamedTuple

from dialtools import languages
from dialtools.evaluation import compared_texts
from dialtools.evaluation.chosen_metrics import ChosenMetric, Spec
from dialtools.evaluation.compared_texts import PREDICTION, REFERENCE, best_apart
from dialtools.languages import Language
from dialtools.plugins import registry
from dialtools.plugins.metric import Corpus, Explained
from dialtools.records import dialogue, history
from dialtools.system.errors import MissingError, OptionError, RecordError
from dialtools.text import tokenizers

SILENT = ("device", "offline", "batch_size")  # options of metrics that leave the score as it is

# Defaults in languages that have no folder of data.
_SPACED = {"tokenizer": "words", "words": "words", "bleu_tokenizer": "13a"}
_UNSPACED = {"tokenizer": "characters", "words": "characters", "bleu_tokenizer": "char"}
_WITHOUT_SPACES = ("km", "khm", "lo", "lao", "my", "mya", "th", "tha")  # between words

# of a record: numbers or counts, which add up, or anything else
Statistics = list | dict[str, float]
Pair = tuple[str, Sequence[str]]  # a prediction, and what it is compared with


class Scorer(NamedTuple):
    """A metric in one language, with all its options fixed."""

    metric: ChosenMetric
    language: Language
    call: Callable[..., list[float]]
    options: dict
    libraries: dict[str, str]  # those that compute it or find its tokens, with their versions

    @property
    def label(self) -> str:
        """The key of its scores."""
        return self.metric.label

    def signature(self, references: Collection[int] = (), like: str = "", **more: object) -> str:
        """Return how its numbers are made.

        references: the numbers of references that there are.
        like: a record's signature, from which all but these is taken.
        """
        known = (history.parts(like) if like else self._parts()).items()
        # which come last
        parts = {key: value for key, value in known if key not in ("resources", "v")}
        libraries = {name: parts.pop(name, version) for name, version in self.libraries.items()}
        parts |= {"refs": self._references(references), **more, **libraries}
        plugin = self.metric.plugin
        return history.signature(plugin.name, **plugin.provenance | parts)

    def corpus_signature(
        self, references: Collection[int] = (), like: str = "", **more: object
    ) -> str:
        """Return how the value of a data set is made; references, like: as in `signature`."""
        return self.signature(references, like, **self._corpus.signature, **more, level="corpus")

    def _parts(self) -> dict:
        hidden = (*SILENT, "refs")
        options = {name: value for name, value in self.options.items() if name not in hidden}
        for name in {"tok", "unit"} & options.keys():
            options[name] = tokenizers.signed(options[name])
        described = self.metric.declared.described
        of, against = self.metric.texts.of, compared_texts.signed(self.metric.texts.against)
        return {
            "lang": self.language.tag,
            **options,
            **(described(self.options) if described else {}),
            "of": of if of != PREDICTION else self.options.get("of") or None,
            "against": against if against != REFERENCE else None,
        }

    def _references(self, numbers: Collection[int]) -> str | None:
        """Return the numbers of references and the rule for several, "1-3/max"; or None."""
        fewest, most = min(numbers, default=0), max(numbers, default=0)
        if not most or not self.metric.compares_references:
            return None
        number = str(most) if fewest == most else f"{fewest}-{most}"
        rule = self._subsets_rule or self.options.get("refs", self.metric.declared.references)
        return f"{number}/subsets/{rule}" if self.metric.texts.subsets else f"{number}/{rule}"

    @property
    def _subsets_rule(self) -> str | None:
        """The rule for scores of subsets if the metric takes many references at once."""
        return self.metric.declared.subsets if self.metric.texts.subsets else None

    def columns(
        self, records: Sequence[dict], originals: Sequence[dict | None] = ()
    ) -> dict[str, list]:
        """Return the columns of the metric by name; originals: one for each record."""
        return compared_texts.columns(records, self.metric.columns, self.metric.texts, originals)

    def chosen(self, columns: dict[str, list]) -> list[list]:
        """Return the metric's columns, in its order, from columns by name."""
        return [columns[name] for name in self.metric.columns]

    def values(self, *columns: Sequence) -> list[float]:
        """Return a number for each prediction; columns: predictions, lists of references, …"""
        return self.call(*best_apart(self.call, self._subsets_rule, columns))

    def percent(self, *columns: Sequence) -> list[float]:
        """Return the values, rescaled to 0–100. Raise RecordError where there is no number.

        BLEU of equal tokens is 100.00000000000004, and nothing changes by less than 0.
        """
        worst, best = self.metric.declared.range or (0, 0)
        values = self.values(*columns)
        if None in values:
            raise RecordError(f"{self.label} gives it no score, and there is nothing to compare")
        width = best - worst
        return [min(100.0, 100 * (value - worst) / width) for value in values]

    def statistics(self, *columns: Sequence) -> list[Statistics]:
        """Return what `corpus` makes the value of the data set of, for each prediction."""
        return self._with_options(self._corpus.statistics)(
            *best_apart(self.call, self._subsets_rule, columns)
        )

    def values_and_statistics(self, *columns: Sequence) -> list[tuple[float | None, Statistics]]:
        """Return the value and the statistics of each prediction."""
        if self._corpus.of_record and not self.options.get("backend"):
            of_record = self._with_options(self._corpus.of_record)
            return [(of_record(row), row) for row in self.statistics(*columns)]
        return list(zip(self.values(*columns), self.statistics(*columns), strict=True))

    def explained(self, *columns: Sequence) -> list[Explained]:
        """Return the score of each prediction with its details, of a metric that explains."""
        return self._with_options(self.metric.declared.explain)(*columns)

    def corpus(self, statistics: Iterable[Statistics]) -> float:
        """Return the value of the data set from the statistics of its records, in any order."""
        return self._with_options(self._corpus.score)(statistics)

    def margin(self, statistics: Iterable[Statistics]) -> dict[str, float]:
        """Return {"margin": the margin of error of that value at 95 %}, or {}."""
        margin = self._corpus.margin
        return {"margin": self._with_options(margin)(statistics)} if margin else {}

    def counts(self, *columns: Sequence) -> list[dict[str, int]]:
        """Return for each prediction the counts beside its score, such as truncated texts."""
        counts = self.metric.declared.counts
        return self._with_options(counts)(*columns) if counts else [{}] * len(columns[0])

    def confusions(self, *columns: Sequence) -> list[Statistics]:
        """Return for each prediction {"true label<TAB>predicted label": how often}."""
        return [
            dict(Counter("\t".join(pair) for pair in row))
            for row in self._with_options(self.metric.declared.pairs)(*columns)
        ]

    def numbers(self, records: Sequence[dict], columns: dict[str, list]) -> list[int]:
        """Return the number of texts that each record is compared with, without subsets.

        columns: of what is compared with the references.
        """
        if self.metric.compares_references and self.metric.texts.is_plain():
            return list(map(len, columns["reference"]))
        return list(map(self.metric.number, records))

    def of_records(
        self,
        records: Sequence[dict],
        columns: dict[str, list] | None = None,
        what: Literal["values", "values_and_statistics", "explained"] = "values",
    ) -> list:
        """Return the score of each record. Raise RecordError, which names a record that is alone.

        columns: of the records, if the caller has them.
        what: the score alone; with the statistics that `corpus` is made of; or as Explained.
        """
        columns = columns or self.columns(records)
        try:
            if self.metric.compares_references and not all(columns["reference"]):
                raise RecordError(f'"{self.metric.texts.against}" holds nothing to compare with')
            return getattr(self, what)(*self.chosen(columns))
        except RecordError as error:
            if len(records) == 1:
                raise RecordError(error.reason, records[0], error.place) from None
            raise

    @property
    def _corpus(self) -> Corpus:
        """The declaration of the value of a data set, which the metric must have."""
        corpus = self.metric.declared.corpus
        if corpus is None:
            raise OptionError(f"{self.label} has no value of a data set but the mean over records")
        return corpus

    def _with_options(self, function: Any) -> Callable:
        """Return another function of the metric with those of the options that it takes."""
        taken, options = registry.options(function), {**self.options, "language": self.language}
        return functools.partial(
            function, **{key: value for key, value in options.items() if key in taken}
        )


def of(spec: Spec, lang: str) -> Scorer:
    """Return the scorer of a spec in the language of a tag."""
    return bind(ChosenMetric(spec), languages.get(lang))


def for_records(metrics: Iterable[ChosenMetric], records: Sequence[dict]) -> list[Scorer]:
    """Return the scorers of metrics in the language of records; errors name the first record."""
    language = languages.get(dialogue.lang(records[0]))
    try:
        return [bind(metric, language) for metric in metrics]
    except RecordError as error:
        raise RecordError(error.reason, records[0]) from None


@functools.lru_cache(maxsize=256)
def bind(metric: ChosenMetric, language: Language) -> Scorer:
    """Return a metric in a language, whose own defaults fill the options that were not given."""
    defaults, by_language = metric.plugin.defaults(), metric.declared.by_language
    facts: Mapping[str, Any] = {}
    if by_language or "language" not in defaults:  # else the metric looks up what it needs
        # a well-formed tag needs no folder of data
        is_named = language.is_known or not re.fullmatch("[a-z]{2,3}", language.code)
        without_data = _UNSPACED if language.code in _WITHOUT_SPACES else _SPACED
        facts = language.facts if is_named else without_data
    filled = {
        option: facts.get(key, defaults[option])
        for option, key in by_language.items()
        if option not in metric.plugin.options
    }
    options = {**defaults, **filled}
    if options.pop("language", None):
        filled["language"] = language
    call = functools.partial(metric.plugin.call, **filled)
    if not metric.plugin.is_ours:
        call = functools.partial(_checked, metric.label, call)
    of_metric = metric.declared.libraries
    of_metric = of_metric(options) if callable(of_metric) else of_metric
    names = (*of_metric, *tokenizers.libraries(options.get("tok", "")))
    versions = {name: _version(name) for name in dict.fromkeys(names)}
    return Scorer(metric, language, call, options, versions)


def _checked(label: str, call: Callable, *columns: Sequence) -> list[float | None]:
    """Return a user's function's numbers. Raise OptionError unless there is one a prediction."""
    values = call(*columns)
    if not isinstance(values, Iterable):
        raise OptionError(f"{label} gives {values!r:.60}, no list of a number for each prediction")
    values = list(values)
    if len(values) != len(columns[0]):
        raise OptionError(f"{label} gives {len(values)} numbers for {len(columns[0])} predictions")
    try:
        numbers = [None if value is None else float(value) for value in values]
    except (TypeError, ValueError, OverflowError):
        numbers = [nan]
    if not all(value is None or isfinite(value) for value in numbers):
        raise OptionError(f"{label} gives what is no finite number: {values!r:.60}")
    return numbers


def _version(library: str) -> str:
    from importlib.metadata import PackageNotFoundError, requires, version

    try:
        return version(library)
    except PackageNotFoundError:
        pass

    # our extra that has the library, with those that go along, else the library
    name = library
    with suppress(PackageNotFoundError):  # in a checkout
        extras = (
            re.match(rf"{library}(?![\w-]).*; extra == .(\w+)", line)
            for line in requires("dialtools") or ()
        )
        name = next((f"'dialtools[{extra[1]}]'" for extra in extras if extra), library)
    raise MissingError(f"the library {library} is not installed: pip install {name}")
