"""Records scored one by one, each with its scores and, if asked, the statistics that corpus scores are made of."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain
from typing import Any, Literal, NamedTuple

from dialtools.batches import apart, as_they_come, batches, worked
from dialtools.records import dialogue, history
from dialtools.scoring import binding, columns as cells, comparands
from dialtools.scoring.binding import Metrics
from dialtools.wording import tokenizers

Rows = Literal["statistics", "pairs"]


class Column(NamedTuple):
    """What a metric makes of records, a value for each: scores, their statistics, and what is counted beside them."""

    scores: Sequence[float | None]
    rows: Sequence[binding.Row | None]
    counts: Sequence[dict[str, int]]


class Originals:
    """Remembers the originals that came last, for the variants behind them, in one call or in several."""

    def __init__(self) -> None:
        self.last: dict[tuple, dict] = {}

    def of(self, record: dict) -> dict | None:
        """Return the original that came before a record, or is that."""
        if not record.get("variant"):
            self.last[history.source(record)] = record
        return self.last.get(history.source(record))

    def forget(self, record: dict) -> None:
        """Forget all but that of a record, the last so far: variants stand next to their originals."""
        own = history.source(record)
        self.last = {source: original for source, original in self.last.items() if source == own}


def scored(records: Iterable[dict], *, metric: Metrics, by: str,
           keep: Rows | None = None, originals: Originals | None = None) -> Iterator[dict]:
    """Yield each record with "scores" and, in its history, their signatures.

    keep: what else goes with the scores, under "statistics": those that corpus scores are made of, or pairs of labels.
    originals: has those that came last, for who goes on, after a record that fails, with those behind it.
    """
    specs, originals = tuple(metric), originals or Originals()
    of_one_language = partial(_of_one_language, specs, _names(specs), keep, by)
    work = partial(apart, of_one_language, lambda pair: dialogue.lang(pair[0]))
    size, with_originals = window(specs), any(comparands.asked(spec).against == comparands.ORIGINAL for spec in specs)
    for batch in (batches if is_full(specs) else as_they_come)(records, size):
        found = [originals.of(record) for record in batch] if with_originals else [None] * len(batch)
        yield from worked(work, list(zip(batch, found, strict=True)))
        originals.forget(batch[-1])


def _of_one_language(metric: tuple[str | Callable, ...], names: list[str], keep: Rows | None, by: str,
                     batch: list[tuple[dict, dict | None]]) -> Iterator[dict]:
    """Return records with their scores; beside each stands its original, where that is needed."""
    records, originals = [record for record, _ in batch], [original for _, original in batch]
    given, scorers = cells.of(records, names, comparands.PLAIN), binding.bind_all(metric, records[0])
    columns = [_column(scorer, records, given, originals, keep) for scorer in scorers]
    counts = _counts(records, scorers, given, originals, [column.counts for column in columns])
    numbers = list(zip(*[scorer.numbers(records, given) for scorer in scorers], strict=True))
    return _with_scores(records, metric, scorers, columns, numbers, counts, by)


def _names(metric: tuple[str | Callable, ...]) -> list[str]:
    """Return the columns of the metrics that score the prediction against the references, each by itself."""
    return [name for spec in metric if comparands.asked(spec).is_plain() for name in binding.columns_of(spec)]


def window(metric: Metrics) -> int:
    """Return how many records the metrics get at once."""
    return max(binding.BATCH, binding.window(metric))


def is_full(metric: Sequence[str | Callable]) -> bool:
    """Are records waited for until there are so many?  A model is to read no fewer."""
    return binding.window(metric) > 1


def _column(scorer: binding.Scorer, records: list[dict], given: dict[str, list], originals: list[dict | None],
            keep: Rows | None) -> Column:
    """Return scores and statistics; given: the columns of what is compared with the references."""
    if scorer.asked.against == comparands.ORIGINAL:
        return _of_originals(scorer, records, originals, keep)
    return _computed(scorer, records, given if scorer.asked.is_plain() else scorer.columns(records), keep)


def _of_originals(scorer: binding.Scorer, records: list[dict], originals: list[dict | None],
                  keep: Rows | None) -> Column:
    """Return scores and statistics of variants, compared with their originals, for which themselves there are none."""
    pairs = [(record, original) for record, original in zip(records, originals, strict=True) if record.get("variant")]
    variants = [record for record, _ in pairs]
    own = Column((), (), ())
    if variants:
        own = _computed(scorer, variants, scorer.columns(variants, [original for _, original in pairs]), keep)
    rows = zip(*own, strict=True)
    return Column(*zip(*[next(rows) if record.get("variant") else (None, None, {}) for record in records], strict=True))


def _computed(scorer: binding.Scorer, records: list[dict], columns: dict[str, list], keep: Rows | None) -> Column:
    values, own = binding.of_records(scorer, records, columns), binding.needed(scorer, columns)
    rows: list = [None] * len(records)
    if keep == "pairs":
        rows = scorer.confusions(*own)
    elif keep and binding.has_corpus(scorer.plugin):
        rows = scorer.statistics(*own)
    return Column(values, rows, scorer.counts(*own))


def _with_scores(records: list[dict], metric: tuple[str | Callable, ...], scorers: list[binding.Scorer],
                 columns: list[Column], numbers: list[tuple[int, ...]], counts: list[dict[str, int]],
                 by: str) -> Iterator[dict]:
    """Yield records with what was found of them; numbers: of texts that each was compared with by each metric."""
    labels, lang = [scorer.plugin.label for scorer in scorers], scorers[0].lang
    scores = _dicts(labels, [column.scores for column in columns])
    statistics = _dicts(labels, [column.rows for column in columns])
    signatures = {number: _signatures(metric, lang, number) for number in set(numbers)}
    for record, new, rows, number, count in zip(records, scores, statistics, numbers, counts, strict=True):
        made = record.copy()
        made["scores"] = _renewed(record["scores"], new, labels) if record.get("scores") else new
        if rows or record.get("statistics"):
            made["statistics"] = _renewed(record.get("statistics") or {}, rows, labels)
        entry = {"by": by, "signature": signatures[number], "counts": count}
        made["history"] = [*(record.get("history") or ()), entry]
        yield made


def _renewed(before: dict, new: dict, labels: list[str]) -> dict:
    """Return what a record had with what is new; of the metrics that were just asked nothing older stays."""
    return {label: value for label, value in {**before, **new}.items() if label in new or label not in labels}


def _dicts(labels: list[str], columns: list[Sequence]) -> list[dict[str, Any]]:
    """Return a dict of each row of columns, without what is None."""
    lacking = sum([column.count(None) for column in columns])
    if lacking == sum(map(len, columns)):  # statistics that nobody asked for
        return [{} for _ in columns[0]]
    if not lacking:
        return [dict(zip(labels, row)) for row in zip(*columns, strict=True)]
    return [{label: value for label, value in zip(labels, row, strict=True) if value is not None}
            for row in zip(*columns, strict=True)]


def _counts(records: list[dict], scorers: list[binding.Scorer], given: dict[str, list], originals: list[dict | None],
            found: list[Sequence[dict[str, int]]]) -> list[dict[str, int]]:
    """Return what is counted of each record, of several metrics the most."""
    counts: list[dict[str, int]] = [{} for _ in records]
    subjects = {(scorer.asked.of, _of_variants(scorer)): scorer.asked for scorer in scorers}
    for (_, variants_alone), asked in subjects.items():
        for count, record, text in zip(counts, records, _texts(records, asked, given), strict=True):
            if text is not None and (record.get("variant") or not variants_alone):
                count["empty"] = count.get("empty") or int(tokenizers.is_empty(text))
    for column in _compared(records, scorers, given, originals):
        for count, texts in zip(counts, column, strict=True):
            if texts and tokenizers.is_empty(texts[0]) and all(map(tokenizers.is_empty, texts)):
                count["empty_reference"] = 1
    for count, others in zip(counts, zip(*filter(any, found))):
        for name in chain.from_iterable(others):
            count[name] = max(count.get(name, 0), *(other.get(name, 0) for other in others))
    return counts


def _of_variants(scorer: binding.Scorer) -> bool:
    """Is it the original's output that others are compared with, which has no score itself?"""
    return scorer.asked.against == comparands.ORIGINAL and "reference" in scorer.needs


def _compared(records: list[dict], scorers: list[binding.Scorer], given: dict[str, list],
              originals: list[dict | None]) -> Iterator[Sequence[Sequence[str]]]:
    """Yield what records are compared with: their references, unless all metrics ask for the original, and that."""
    variants = set(map(_of_variants, scorers))
    if False in variants:
        yield given.get("reference") or list(map(dialogue.references, records))
    if True in variants:
        yield [[dialogue.best(original)] if original and record.get("variant") else []
               for record, original in zip(records, originals, strict=True)]


def _texts(records: list[dict], wanted: comparands.Asked, given: dict[str, list]) -> Sequence[str | None]:
    """Return what is scored of each record, None where it has no such key."""
    if wanted.of == comparands.PREDICTION and "prediction" in given:
        return given["prediction"]
    return [None if record.get(wanted.of) is None else comparands.scored(record, wanted) for record in records]


@lru_cache(maxsize=None)
def _signatures(metric: tuple[str | Callable, ...], lang: str, numbers: tuple[int, ...]) -> dict[str, str]:
    scorers = (binding.bind(spec, lang) for spec in metric)
    return {scorer.plugin.label: scorer.signature([number]) for scorer, number in zip(scorers, numbers, strict=True)}
