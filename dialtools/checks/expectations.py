"""Expectations of scored variants and of results, judged as tests: pass rates by kind of variation."""

import operator
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from dialtools.evaluation import gaps, source_groups, source_scores, units
from dialtools.evaluation.likeness import Likeness
from dialtools.records import dialogue, history, jsonl, validation, wellformed
from dialtools.records.wellformed import is_number
from dialtools.statistics import moments
from dialtools.system.errors import OptionError, RecordError, about, nearest, show, show_names

INVARIANT, DROP, SCORE = "invariant", "drop", "score"
RECORDS, SOURCES, RESULTS = "records", "sources", "results"  # what has numbers
MOST = 100  # failures of a row that are named
MEAN = "mean:"
_FORM = re.compile(
    rf"\s*(?:({INVARIANT}|{DROP}|{SCORE})(?:\s+of\s+(\S+))?\s*:\s*)?"
    rf"(?!(?:{INVARIANT}|{DROP}|{SCORE})\b)(\S.*?)\s*(?<!=)(<=|>=|==|!=|<|>)\s*"
    r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*"
)
_SIGNS: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
# keys of results whose numbers are in the unit of the result
_IN_UNIT = (*units.LOWER, "mean", "corpus", "sentence_mean", "difference", "gap")
_NAMES = ("system", "lang", "kind", "group", "a", "b")  # what tells results apart

Number = float | str  # a number, or why there is none


@dataclass
class PassCounts:
    """How many records of one kind and system meet an expectation."""

    passed: int = 0
    failed: int = 0
    missing: int = 0  # without a number: they do not pass
    unchanged: int = 0  # variants that are their originals
    first: str = ""
    failures: list[str] = field(default_factory=list)

    @property
    def n(self) -> int:
        return self.passed + self.failed + self.missing

    def add(self, holds: bool | None, name: str, place: str, unchanged: bool) -> None:
        """Count a record; holds: None for one without a number."""
        self.passed += holds is True
        self.failed += holds is False
        self.missing += holds is None
        self.unchanged += unchanged
        if not holds:
            self.first = self.first or place
            if len(self.failures) < MOST:
                self.failures.append(name)

    def merge(self, other: "PassCounts") -> None:
        """Add the records of another kind, which came later."""
        for name in ("passed", "failed", "missing", "unchanged"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.first = self.first or other.first
        self.failures = (self.failures + other.failures)[:MOST]


class Expectation:
    """What is expected of each variant, record or result, and which of them meet it."""

    def __init__(self, text: str):
        """Read [invariant|drop|score [of KIND]:] LABEL OP NUMBER."""
        parts = _FORM.fullmatch(text)
        if parts is None:
            raise OptionError(
                f"--expect {show(text)}: wanted is 'invariant: METRIC > X', 'drop: LABEL < X' or "
                "'LABEL > X', with one of < <= == != >= > and a number"
            )
        self.text = " ".join(text.split())
        self.test, self.kind, self.label, sign, number = parts.groups()
        self.compare, self.number = _SIGNS[sign], float(number)
        if not isfinite(self.number):
            raise OptionError(f"--expect {show(text)}: {number} is too large a number")
        units.require_possible(self.label, self.number)
        self.likeness = None
        if self.test == INVARIANT:
            self.likeness = Likeness(self.label, "--expect invariant")
        key, _, metric = self.label.partition(":")
        self.key, self.of = (key, metric) if metric else ("", "")  # of results: S, rouge2
        self.is_of_sources = source_scores.of_source(self.label) or self.label.startswith(MEAN)
        self.tallies: defaultdict[tuple, PassCounts] = defaultdict(
            PassCounts
        )  # by where, system, kind
        self.is_of_variants = self.test in (INVARIANT, DROP)
        # the number stands in some of these
        self.where = {RECORDS} if self.is_of_variants else set()
        self.labels: dict[str, None] = {}  # that there are elsewhere
        is_points = units.of_path(f"{units.SCORES}{self.label}").name == units.POINTS
        is_share = 0 < abs(self.number) < 1
        self.note = ""
        if is_points and is_share:
            self.note = f"{self.label} is from 0 to 100, and {self.number:g} no share of 1"
        self.not_restored = 0  # variants whose new names count as changes

    def _add(
        self, where: str, record: dict, number: Number, name: str, kind: str | None, place: str
    ) -> None:
        """Judge the number of a record or a result."""
        holds = None
        if not isinstance(number, str):
            holds = self.compare(moments.order(number, self.number), 0)
        shown = number if isinstance(number, str) else f"{number:.6g}"
        self.tallies[where, record.get("system"), kind].add(
            holds,
            f"{name}: {shown}",
            place,
            self.is_of_variants and source_groups.is_unchanged(record),
        )

    def add_source(self, records: list[dict], places: dict[tuple, str]) -> None:
        """Judge the records of one source; places: of each, by its key."""
        for record, number in self._numbers(records):
            variant = record.get("variant") or ""
            texts = (str(record["id"]), history.typed(variant))
            name = " ".join(show_names([text]) for text in texts if text)
            where = SOURCES if self.is_of_sources else RECORDS
            self._add(where, record, number, name, _kind(record), places[validation.key(record)])

    def add_summary(self, record: dict, place: str) -> None:
        """Judge a record of dt-score --per-source, which sums a source up."""
        label, scores = self.label.removeprefix(MEAN), record["scores"]
        if self.test or not self.is_of_sources or label not in scores:
            self.labels |= dict.fromkeys(scores)
            return
        self.where.add(SOURCES)
        self._note_unit("percent")
        kind = history.typed(record["variant"]) if record.get("variant") else None
        name = show_names([str(record.get("id"))])
        self._add(SOURCES, record, _score(record, label), name, kind, place)

    def add_result(self, result: dict, place: str) -> None:
        """Judge a result, if it has the number that is asked for."""
        path = result.get("value")  # of dt-ttest --value
        label = path.removeprefix(units.SCORES) if isinstance(path, str) else None
        metrics = (result.get("metric"), path, label)
        metric = str(metrics[0] or label)
        if self.test or not self.key or self.of not in metrics or self.key not in result:
            self.labels |= {f"{key}:{metric}": None for key in _IN_UNIT if key in result}
            return
        self.where.add(RESULTS)
        self._note_unit(str(result.get("unit")))
        number = result[self.key]
        if number is None:
            number = str(result.get("reason") or f"{self.key} is null")
        elif not is_number(number):
            raise RecordError(f"{self.key} is no number, but {show(number)}")
        names = [str(result[key]) for key in _NAMES if result.get(key) is not None]
        pair = [str(result[key]) for key in ("a", "b") if result.get(key) is not None]
        kinds = pair or [
            str(result[key]) for key in ("kind", "group") if result.get(key) is not None
        ]
        name = show_names(names) or metric
        self._add(RESULTS, result, number, name, ", ".join(kinds) or None, place)

    def _numbers(self, records: list[dict]) -> Iterator[tuple[dict, Number]]:
        """Yield the records of a source that are concerned, each with its number."""
        of_kind = [record for record in records if self._is_kind(record)]
        if not self.is_of_variants:
            for record in of_kind:
                # a source that could not be summed up has errors in the place of scores
                scores = record.get("scores") or {}
                if not self.is_of_sources or record.get("errors") and not scores:
                    yield record, _score(record, self.label)
                if self.label in scores:
                    self.where.add(RECORDS)
                self.labels |= dict.fromkeys(scores)
            return
        variants = [record for record in of_kind if record.get("variant")]
        original = next((record for record in records if not record.get("variant")), None)
        for variant in variants:
            if original is None:
                yield variant, "no original beside it: dt-perturb --keep-original"
            elif self.likeness is not None:
                self.not_restored += history.is_renamed(variant)
                yield variant, _likeness(self.likeness, variant, original)
            else:
                before, after = _score(original, self.label), _score(variant, self.label)
                if isinstance(before, str):
                    yield variant, f"the original: {before}"
                elif isinstance(after, str):
                    yield variant, after
                else:  # 100 - 99.9 is 0.1, but for rounding
                    is_equal = not moments.order(after, before + self.number)
                    yield variant, self.number if is_equal else after - before

    def _is_kind(self, record: dict) -> bool:
        """Tell whether a record is of the kind, or family of kinds, that is asked for."""
        kind = _kind(record)
        is_family = kind.startswith((f"{self.kind}.", f"{self.kind}:"))
        return not self.kind or kind == self.kind or is_family

    def _note_unit(self, unit: str) -> None:
        if 0 < abs(self.number) < 1 and self.key in _IN_UNIT and unit.startswith("percent"):
            self.note = f"{self.label} is in percent, and {self.number:g} no share of 1"

    def rows(self, pass_rate: float) -> Iterator[dict]:
        """Yield a row for each system and kind, and for all kinds of several.

        pass_rate: percent of the records of each row that must meet the expectation.
        """
        groups: dict[tuple, dict[str | None, PassCounts]] = {}
        for (where, system, kind), tally in self.tallies.items():
            if where in self.where:
                groups.setdefault((where, system), {})[kind] = tally
        if not groups:
            wanted = "variant" if self.is_of_variants else f"record or result with {self.label}"
            of_kind = f" of {self.kind}" if self.kind else ""
            hint = "" if self.is_of_variants else nearest(self.label, self.labels)
            yield self._row(None, None, PassCounts(), pass_rate, f"no {wanted}{of_kind}{hint}")
        renamed = source_groups.caution_note({"not_restored": self.not_restored})
        note = self.note or renamed
        for (where, system), tallies in groups.items():
            for kind, tally in tallies.items():
                yield self._row(system, kind, tally, pass_rate, note)
                note = ""
            if len(tallies) > 1 and where != RESULTS:  # among which are those of all kinds
                total = PassCounts()
                for tally in tallies.values():
                    total.merge(tally)
                yield self._row(system, "all", total, pass_rate)

    def _row(
        self,
        system: str | None,
        kind: str | None,
        tally: PassCounts,
        pass_rate: float,
        note: str = "",
    ) -> dict:
        rate = 100 * tally.passed / tally.n if tally.n else None
        return {
            "expectation": self.text,
            "system": system,
            "kind": kind,
            "holds": rate is not None and moments.order(rate, pass_rate) >= 0,
            "unit": "percent",
            "rate": rate,
            "n": tally.n,
            "passed": tally.passed,
            "failed": tally.failed,
            "missing": tally.missing,
            "unchanged": tally.unchanged if self.is_of_variants else None,
            "first": tally.first or None,
            "example": tally.failures[0] if tally.failures else None,
            "failures": tally.failures,
            **({"note": note} if note else {}),
        }


def _kind(record: dict) -> str:
    """Return the kind of a variant, "original" for none."""
    return history.typed(gaps.kind(record.get("variant") or "original"))


def _likeness(likeness: Likeness, variant: dict, original: dict) -> Number:
    """Return the score of a variant's output with the original's as its reference."""
    if original.get("prediction") is None or variant.get("prediction") is None:
        of_original = "the original: " if original.get("prediction") is None else ""
        return f'{of_original}no "prediction"'
    outputs = dialogue.best(variant), dialogue.best(original)
    try:
        return likeness.of(*outputs, dialogue.language(original))
    except RecordError as error:
        return error.reason


def _score(record: dict, label: str) -> Number:
    """Return a score of a record, or why there is none."""
    scores = record.get("scores") or {}
    value: Any = scores.get(label)
    if is_number(value):
        return float(value)
    if value is not None:
        raise RecordError(f"the score {show(label)} is no number, but {show(value)}", record)
    if errors := record.get("errors"):
        return str(errors[-1]["reason"])
    return f"{label} is null" if label in scores else f"no score {label}{nearest(label, scores)}"


def judged(
    lines: Iterable[tuple[str, bytes]] | Iterable[dict],
    texts: Sequence[str],
    pass_rate: float,
    rename: dict[str, str] | None,
    refused: Callable[[RecordError], None] | None,
) -> Iterator[dict]:
    """Yield the rows of expectations of records and results.

    lines: (place, line) pairs, or records and results, placed by number.
    refused: called with the error of what is no record; None: raise it.
    """
    if not 1 < pass_rate <= 100:  # nobody means a percent
        raise OptionError(f"the pass rate is in percent, above 1 and up to 100, not {pass_rate:g}")
    expectations = [Expectation(text) for text in texts]
    places: dict[tuple, str] = {}
    checked = validation.validated(
        _records(lines, expectations),
        make=_made,
        lang="en",
        assumed=True,
        rename=rename,
        refused=refused,
        remember=lambda pair: places.update([pair]),
    )
    for group in history.groups(checked):
        try:
            for record in group:
                history.check(record)
            for expectation in expectations:
                expectation.add_source(group, places)
        except RecordError as error:
            error.place = error.place or places.get(validation.key(error.record or {}))
            raise
        for record in group:
            del places[validation.key(record)]
    for expectation in expectations:
        yield from expectation.rows(pass_rate)


def _records(
    lines: Iterable[tuple[str, bytes]] | Iterable[dict], expectations: Sequence[Expectation]
) -> Iterator[tuple[str, object]]:
    """Yield what sums nothing up, with its place: records, and errors of what is no JSON.

    Results, and records of dt-score --per-source, are judged as they go by.
    """
    for number, line in enumerate(lines, 1):
        place, content = line if isinstance(line, tuple) else (f"record {number}", line)
        try:
            item: object = jsonl.loads(content) if isinstance(content, bytes) else content
        except RecordError as error:
            item = error
        if not isinstance(item, dict) or not (is_result(item) or is_summary(item)):
            yield place, item
            continue
        with about(place=place):
            if not wellformed.is_plain(item, False):
                wellformed.refuse(item, False)
            for expectation in expectations:
                (expectation.add_result if is_result(item) else expectation.add_summary)(
                    item, place
                )


def _made(item: object) -> dict:
    if isinstance(item, RecordError):
        raise item
    if not isinstance(item, dict):
        raise RecordError(f"a record must be a dict, not {show(item)}")
    return item


def is_result(line: dict) -> bool:
    """Tell whether a line is a result of dt-score or dt-ttest."""
    return "id" not in line and "signature" in line and ("metric" in line or "value" in line)


def is_summary(line: dict) -> bool:
    """Tell whether a line is a record of dt-score --per-source."""
    return line.get("unit") == "percent" and isinstance(line.get("scores"), dict)
