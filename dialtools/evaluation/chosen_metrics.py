"""A metric as a user asks for it: a plug-in, its options, and the texts that it compares.

A spec says all of that: rouge2:stem=yes,against=original, perplexity:of=text. The options `of`,
`against` and `subsets` are those of every metric, and part of its label.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import Any

from dialtools.evaluation import compared_texts
from dialtools.evaluation.compared_texts import PREDICTION, REFERENCE, Texts
from dialtools.models.decoding import Loading
from dialtools.plugins import metric as plugins
from dialtools.plugins import registry
from dialtools.plugins.options import changed, check
from dialtools.system.errors import OptionError, masked
from dialtools.text import tokenizers

PAIR = (PREDICTION, REFERENCE)
RECORD = ("record",)  # the column of a metric that chooses itself what it reads

Spec = str | Callable  # "chrf:order=4", or a function of the user's own


class ChosenMetric:
    """A metric with its options.

    label: the spec as typed, without secrets of addresses; the key of its scores.
    plugin: the plug-in with its own options.
    texts: what is scored, and what it is compared with.
    columns: the names of the columns that it works on.
    """

    def __init__(self, spec: Spec, **models: object) -> None:
        """Read a spec; models: options that are no part of the label, such as device."""
        self.spec, self.models = spec, dict[str, Any](models)
        plugin_spec, self.texts = _parsed(spec)
        plugin = registry.load("metrics", plugin_spec).given(**models)
        self.typed_of = (
            isinstance(spec, str) and plugin_spec != spec and "of" in registry.split(spec)[1]
        )
        if self.typed_of and "of" in plugin.defaults() and plugin.needs() == RECORD:
            plugin = plugin.given(of=self.texts.of)  # of a model that would choose itself
        if plugin_spec != spec and "against" in registry.split(str(spec))[1]:
            plugin = plugin.given(against=self.texts.against)  # of a metric that would not compare
        label = plugin.label
        if isinstance(spec, str) and plugin_spec != spec:
            typed = ",".join(map("=".join, registry.split(spec)[1].items()))
            label = spec if plugin.is_ours else f"{plugin.name}:{typed}"
        self.label = masked(label)
        self.plugin = plugin._replace(label=self.label)
        self.declared: plugins.Metric = plugin.declared
        if self.declared.by_options:
            self.declared = replace(self.declared, **self.declared.by_options(plugin.defaults()))
        self.columns = plugin.needs()

    def __reduce__(self) -> tuple:
        # for worker processes: plug-ins cannot be pickled
        return partial(ChosenMetric, **self.models), (self.spec,)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys that a record must have."""
        return compared_texts.keys(self.columns, self.texts)

    @property
    def compares_references(self) -> bool:
        """Tell whether it compares the prediction with reference texts."""
        return REFERENCE in self.columns

    @property
    def is_of_pairs(self) -> bool:
        """Tell whether it scores a prediction against references, and reads nothing else."""
        return self.columns == PAIR or self.declared.scores_pairs

    def number(self, record: dict) -> int:
        """Return the number of texts that the record's text is compared with, without subsets."""
        return self.texts.number(record) if self.compares_references else 0

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The lowest and the highest score, in any order; None where neither is known."""
        bounds = self.declared.bounds
        if callable(bounds):
            bounds = bounds(self.plugin.defaults())
        return self.declared.range or bounds

    @property
    def has_corpus(self) -> bool:
        """Tell whether it has a value of the whole data set that is not the mean over records."""
        return self.declared.corpus is not None

    @property
    def is_resampled(self) -> bool:
        """Tell whether that value of a sample of records, drawn anew, says how far it may vary."""
        return self.declared.corpus is not None and self.declared.corpus.resampled

    @property
    def mean(self) -> str:
        """What the mean over records is, if the metric's name means another value; else ""."""
        return self.declared.corpus.mean if self.declared.corpus else ""

    @property
    def mean_note(self) -> str:
        """The same as a sentence."""
        text = f"the mean over records is {self.mean}, not {self.plugin.name} of the data set"
        return text if self.mean else ""

    def require_valid(self) -> None:
        """Raise OptionError for an unknown tokenizer, a bad treebank, a text against itself."""
        tokenizers.require(self.plugin.options.get("tok", "words"))
        compared_texts.require_readable(self.texts.against)
        chooses = RECORD[0] in self.columns and "prediction" not in self.columns
        if chooses and (self.typed_of or self.columns == RECORD and not self.texts.is_plain()):
            raise OptionError(
                f"{self.label}: it chooses itself what it reads of a record: not "
                "with of, against and subsets"
            )
        if self.texts.against == self.texts.of and self.compares_references:
            raise OptionError(f'{self.label}: "{self.texts.of}" would be compared with itself')

    def require_comparable(self) -> None:
        """Raise OptionError unless it compares two texts on a bounded scale, higher is better."""
        bounds = self.declared.range or (inf, inf)
        if inf in map(abs, bounds) or not self.is_of_pairs:
            labels = (
                "; or compare labels: dt-generate -g classifier, then -m exact here"
                if self.plugin.name == "classifier"
                else ""
            )
            raise OptionError(
                f"{self.label} cannot measure sensitivity or robustness: it is no "
                "bounded score of a prediction against a reference; compare the "
                "scores of the kinds of variants instead: dt-score -m …, then "
                f"dt-ttest --value '{self.label}' --by kind{labels}"
            )
        if not self.texts._replace(subsets=False).is_plain():
            raise OptionError(
                f"{self.label}: sensitivity and robustness say themselves what is "
                "compared with what"
            )


def _parsed(spec: Spec) -> tuple[Spec, Texts]:
    """Return the spec of the plug-in alone, and the texts.

    >>> _parsed("rouge2:against=original,stem=yes")
    ('rouge2:stem=yes', Texts(of='prediction', against='original', subsets=False))
    """
    if not isinstance(spec, str) or "=" not in spec or _is_whole(spec):
        return spec, Texts()
    name, options = registry.split(spec)
    of, against = options.pop("of", PREDICTION), options.pop("against", REFERENCE)
    subsets = options.pop("subsets", "no")
    if not against or not of or subsets not in ("yes", "no"):
        raise OptionError(f"{spec}: of=KEY, against=KEY, subsets=yes or no")
    remaining = ",".join(f"{key}={value}" for key, value in options.items())
    plugin_spec = f"{name}:{remaining}" if remaining else name
    return plugin_spec, Texts(of, against, subsets == "yes")


def _is_whole(spec: str) -> bool:
    """Tell whether all that follows the name is a single option, such as exec's program."""
    name = spec.partition(":")[0]
    return name in registry.names("metrics") and bool(
        registry.load("metrics", name).declared.whole_spec
    )


def several(
    specs: Iterable[Spec],
    *,
    against: str | None = None,
    subsets: bool = False,
    loading: Loading = Loading(),
) -> list[ChosenMetric]:
    """Return metrics with those of the command's options that they know and their specs lack.

    against, subsets, model and precision become part of the labels. A metric that is a function
    of the user's own takes none of them.
    """
    check(loading)
    metrics = [ChosenMetric(spec) for spec in specs]
    for name, value in changed(loading).items():
        if name != "offline" and not any(name in metric.plugin.defaults() for metric in metrics):
            wanted = "run a program" if name == "timeout" else "have a model"
            raise OptionError(
                f"--{name.replace('_', '-')} is for metrics that {wanted}; none "
                f"of these does: {', '.join(metric.label for metric in metrics)}"
            )
    named = {
        "model": loading.model,
        "against": against,
        "subsets": "yes" if subsets else None,
        "precision": loading.precision,
    }
    silent = changed(loading._replace(model=None, precision=None))

    def completed(spec: str, options: Iterable[str]) -> str:
        """Return a spec with those of the named options that it has and does not say."""
        if _is_whole(spec):
            return spec
        typed = registry.split(spec)[1]
        known = {"against", "subsets", *options}
        added = ",".join(
            f"{key}={value}"
            for key, value in named.items()
            if value is not None and key in known and key not in typed
        )
        return f"{spec}{',' if typed else ':'}{added}" if added else spec

    return [
        ChosenMetric(completed(metric.spec, metric.plugin.defaults()), **silent)
        if isinstance(metric.spec, str)
        else metric
        for metric in metrics
    ]


def window(metrics: Sequence[ChosenMetric]) -> int:
    """Return how many records the metrics want at once."""
    return max((metric.declared.window for metric in metrics), default=1)


def about(name: str) -> str:
    """Return the keys and options of a metric, for a list of all."""
    metric = ChosenMetric(name)
    needed = " and ".join(f'"{key}"' for key in metric.keys).replace("|", '" or "')
    options = ", ".join(option for option in metric.plugin.defaults() if option != "language")
    return "; ".join(filter(None, (needed and f"needs {needed}", options and f"options {options}")))
