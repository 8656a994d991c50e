"""The pipeline of dt-score: work on records or sources, then a stage that sums up."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from dialtools.evaluation import chosen_metrics, quality, robustness, scores, sensitivity, variants
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.system.errors import OptionError

Output = Literal["records", "summary", "sensitivity", "robustness", "confusion"]
Filter = Callable[[Iterable[dict]], Iterator[dict]]


class Pipeline(NamedTuple):
    """What is made of scored records.

    output: the records, or one of the kinds of results that sum them up.
    per_source: records, one for each source, take the place of results.
    groups_by: what results are grouped by; see gaps.py.
    all_pairs: of sources have a part in the control of sensitivity, not a sample.
    """

    metrics: Sequence[ChosenMetric]
    output: Output = "records"
    per_source: bool = False
    with_original: bool = False
    groups_by: str | None = None
    all_pairs: bool = False

    def require_consistent(self) -> None:
        """Raise OptionError for what does not go together."""
        if self.per_source and not self.of_sources:
            raise OptionError("--per-source goes with --sensitivity or --robustness")
        if self.with_original and self.output != "sensitivity":
            raise OptionError(
                "--with-original goes with --sensitivity; --robustness always "
                "compares with the original"
            )
        if self.all_pairs and (self.per_source or self.output != "sensitivity"):
            raise OptionError(
                "--all-pairs is for the control of --sensitivity, which --per-source leaves to "
                "dt-merge --summary"
            )
        if self.per_source and self.groups_by:
            raise OptionError(
                "--by is for results; --per-source writes a record for each source, "
                "pool and kind: leave --by to dt-ttest"
            )
        for label, times in Counter(metric.label for metric in self.metrics).items():
            if times > 1:
                raise OptionError(
                    f"the metric {label} is there {times} times; its scores would have one name"
                )
        if self.output == "confusion":
            quality.require_labels(self.metrics)
        for metric in self.metrics:
            metric.require_valid()
            if self.of_sources:
                metric.require_comparable()

    @property
    def of_sources(self) -> bool:
        """Tell whether whole sources are compared, and not records scored."""
        return self.output in ("sensitivity", "robustness")

    @property
    def writes_records(self) -> bool:
        """Tell whether records are written, and not results."""
        return self.per_source or self.output == "records"

    @property
    def keys(self) -> list[str]:
        """The keys that each record must have."""
        if self.output == "robustness":
            # what the output is faithful to, if there is that
            return ["prediction", "dialogue|text|prediction"]
        if self.output == "sensitivity":
            return ["prediction"]
        return sorted({key for metric in self.metrics for key in metric.keys})

    @property
    def window(self) -> int:
        """The number of records that are worked on at once."""
        return (chosen_metrics if self.of_sources else scores).window(self.metrics)

    @property
    def values(self) -> Sequence[str]:
        """Keys of the one number that a result is about; the first that it has."""
        values = {"sensitivity": (sensitivity.VALUE,), "robustness": (robustness.VALUE,)}
        return values.get(self.output, quality.VALUES)

    def work(self, by: str) -> Filter:
        """Return the filter of records or whole sources; by: name of the command."""
        filter: Callable[..., Iterator[dict]] = partial(scores.add, originals=scores.Originals())
        options: dict = {}
        if self.output == "sensitivity":
            filter, options = variants.sources, {"with_original": self.with_original}
        elif self.output == "robustness":
            filter = robustness.sources
        elif self.output == "confusion":
            options = {"keep": "pairs"}
        if self.of_sources:
            options["groups_by"] = self.groups_by
        return partial(filter, metrics=self.metrics, by=by, **options)

    def stage(self, by: str) -> Filter:
        """Return the filter of all that `work` makes: it passes records on, or yields results."""
        if self.output == "records":
            return iter
        if self.per_source:
            return variants.per_source if self.output == "sensitivity" else robustness.varied
        options: dict[str, Any] = {"metrics": self.metrics, "groups_by": self.groups_by}
        if self.output == "robustness":
            return partial(robustness.summarise, **options)
        if self.output == "sensitivity":
            options |= {"with_original": self.with_original, "all_pairs": self.all_pairs}
            return partial(sensitivity.summarise, **options)
        summarise = quality.summarise if self.output == "summary" else quality.confusions
        return partial(summarise, by=by, **options)


def output(summary: bool, sensitivity: bool, robustness: bool, confusion: bool) -> Output:
    """Return the output that is asked for: records, unless one of the others is."""
    asked: dict[Output, bool] = {
        "summary": summary,
        "sensitivity": sensitivity,
        "robustness": robustness,
        "confusion": confusion,
    }
    if sum(asked.values()) > 1:
        raise OptionError("--summary, --sensitivity, --robustness or --confusion: one of them")
    return next((name for name, wanted in asked.items() if wanted), "records")
