"""What dt-score is asked to write: records, or one of the kinds of results that they are summed up to."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any, Literal, NamedTuple

from dialtools.errors import OptionError
from dialtools.scoring import binding, scored
from dialtools.scoring.binding import Metrics
from dialtools.summaries import confusions, perturbed, quality, robustness, sensitivity, variants
from dialtools.summaries.compared import compared

Written = Literal["records", "summary", "sensitivity", "robustness", "confusion"]
Filter = Callable[[Iterable[dict]], Iterator[dict]]


class Plan(NamedTuple):
    """What is to be written, and of what.

    per_source: records, one of each source, are written in place of results.
    groups_by: what results are told apart by; see gaps.py.
    """

    metric: Metrics
    written: Written = "records"
    per_source: bool = False
    with_original: bool = False
    groups_by: str | None = None
    stats: bool = False

    def check(self) -> None:
        """Raise OptionError for what does not go together."""
        if self.per_source and not self.of_sources():
            raise OptionError("--per-source goes with --sensitivity or --robustness")
        if self.with_original and self.written != "sensitivity":
            raise OptionError("--with-original goes with --sensitivity; --robustness always compares with the original")
        if self.per_source and self.groups_by:
            raise OptionError("--by is for results; --per-source writes records")
        if self.stats and self.written not in ("records", "summary"):
            raise OptionError("--stats is for scores of records, not for --sensitivity, --robustness or --confusion")
        self._check_metrics()

    def _check_metrics(self) -> None:
        for label, times in Counter(map(binding.label, self.metric)).items():
            if times > 1:
                raise OptionError(f"the metric {label} is there {times} times; its scores would have one name")
        if self.written == "confusion":
            confusions.check(self.metric)
        for spec in self.metric:
            binding.check(spec)
            if self.of_sources():
                binding.check_comparable(spec)

    def of_sources(self) -> bool:
        """Are whole sources compared, and not records scored?"""
        return self.written in ("sensitivity", "robustness")

    def writes_records(self) -> bool:
        """Are records written, and not results?"""
        return self.per_source or self.written == "records"

    def needs(self) -> list[str]:
        """Return the keys that each record must have."""
        if self.written == "robustness":
            return ["prediction", "dialogue|text|prediction"]  # what the output is faithful to, where there is that
        return ["prediction"] if self.of_sources() else sorted({key for s in self.metric for key in binding.needs(s)})

    def window(self) -> int:
        """Return how many records are worked on at once."""
        return binding.window(self.metric) if self.of_sources() else scored.window(self.metric)

    def value(self) -> str:
        """Return the key of the one number that a result is about."""
        values = {"sensitivity": sensitivity.VALUE, "robustness": robustness.VALUE}
        return "corpus" if self.stats else values.get(self.written, quality.VALUE)

    def filters(self, by: str) -> tuple[Filter, Filter]:
        """Return what is done with records or whole sources, and then with the stream of what that makes.

        by: name of the command.
        """
        return self._work(by), self._each() if self.per_source else self._then(by)

    def _work(self, by: str) -> Filter:
        own: dict[str, Any] = {"metric": self.metric, "by": by}
        one_by_one = partial(scored.scored, **own, originals=scored.Originals())
        rows = partial(one_by_one, keep="statistics" if self.stats else None)
        works: dict[Written, Filter] = {
            "records": rows, "summary": rows, "confusion": partial(one_by_one, keep="pairs"),
            "sensitivity": partial(variants.sources, **own, with_original=self.with_original,
                                   groups_by=self.groups_by),
            "robustness": partial(perturbed.sources, **own, groups_by=self.groups_by)}
        return works[self.written]

    def _each(self) -> Filter:
        return variants.per_source if self.written == "sensitivity" else compared

    def _then(self, by: str) -> Filter:
        own: dict[str, Any] = {"metric": self.metric, "groups_by": self.groups_by}
        sums: dict[Written, Filter] = {
            "records": iter, "summary": partial(quality.summarise, **own, by=by),
            "confusion": partial(confusions.summarise, **own, by=by),
            "sensitivity": partial(sensitivity.summarise, **own, with_original=self.with_original),
            "robustness": partial(robustness.summarise, **own)}
        return sums[self.written]


def chosen(summary: bool, sensitivity: bool, robustness: bool, confusion: bool) -> Written:
    """Return what is to be written: records, unless one of the others is asked for."""
    asked: dict[Written, bool] = {"summary": summary, "sensitivity": sensitivity, "robustness": robustness,
                                  "confusion": confusion}
    if sum(asked.values()) > 1:
        raise OptionError("--summary, --sensitivity, --robustness or --confusion: one of them")
    return next((name for name, wanted in asked.items() if wanted), "records")
