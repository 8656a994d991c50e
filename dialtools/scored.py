"""Records scored one by one, each with its scores and, if asked, the statistics that corpus scores are made of."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Literal

from dialtools import comparands, dialogue, history, scoring, tokenizers
from dialtools.batches import batches, worked

Rows = Literal["statistics", "pairs"]
Cell = tuple[float | None, scoring.Row | None, dict[str, int]]  # a score, its statistics, and what is counted beside it


def scored(records: Iterable[dict], *, metric: Sequence[str | Callable], by: str,
           keep: Rows | None = None) -> Iterator[dict]:
    """Yield each record with "scores" and, in its history, their signatures.

    keep: with "statistics" too, of which corpus scores are made; or, with the same name, the pairs of labels.
    """
    specs = tuple(metric)
    originals: dict[tuple, dict] = {}
    work = partial(_batch, specs, _names(specs), originals, keep, by)
    for batch in batches(records, window(specs)):
        originals |= {key(record): record for record in batch if not record.get("variant")}
        yield from worked(work, batch)
        for one in originals.keys() - {key(batch[-1])}:
            del originals[one]


def _batch(metric: tuple[str | Callable, ...], names: list[str], originals: dict[tuple, dict], keep: Rows | None,
           by: str, batch: list[dict]) -> list[dict]:
    """Return a batch of records with their scores."""
    made: list[dict] = [{}] * len(batch)
    for lang in dict.fromkeys(map(dialogue.lang, batch)):  # a metric gets one language at a time
        places = [place for place, record in enumerate(batch) if dialogue.lang(record) == lang]
        part = [batch[place] for place in places]
        given, scorers = scoring.columns(part, names=names), scoring.bind_all(metric, part[0])
        cells = zip(*[_cells(scorer, part, given, originals, keep) for scorer in scorers], strict=True)
        for place, record, row in zip(places, part, cells, strict=True):
            made[place] = _scored(record, metric, scorers, row, by)
    return made


def _names(metric: tuple[str | Callable, ...]) -> list[str]:
    """Return the columns of the metrics that score the prediction against the references, each by itself."""
    return [name for spec in metric if comparands.asked(spec).is_plain() for name in scoring.columns_of(spec)]


def window(metric: Sequence[str | Callable]) -> int:
    """Return how many records the metrics get at once."""
    return max(scoring.BATCH, scoring.window(metric))


def key(record: dict) -> tuple:
    """Return what a record and its variants have in common."""
    return record.get("system"), record.get("id")


def _cells(scorer: scoring.Scorer, records: list[dict], given: dict[str, list], originals: dict[tuple, dict],
           keep: Rows | None) -> list[Cell]:
    """Return scores and statistics; None for originals where the original is what predictions are compared with."""
    asked = scorer.asked
    if asked.against == comparands.ORIGINAL:
        variants = [record for record in records if record.get("variant")]
        found = [originals.get(key(record)) for record in variants]
        cells = iter(_computed(scorer, variants, scorer.columns(variants, found), keep) if variants else ())
        return [next(cells) if record.get("variant") else (None, None, {}) for record in records]
    own = given if asked.is_plain() else scorer.columns(records)
    return _computed(scorer, records, own, keep)


def _computed(scorer: scoring.Scorer, records: list[dict], columns: dict[str, list], keep: Rows | None) -> list[Cell]:
    values, own = scoring.of_records(scorer, records, columns), scoring.needed(scorer, columns)
    rows: list = [None] * len(records)
    if keep == "pairs":
        rows = scorer.confusions(*own)
    elif keep and scoring.has_corpus(scorer.plugin):
        rows = scorer.statistics(*own)
    return list(zip(values, rows, scorer.counts(*own), strict=True))


def _scored(record: dict, metric: tuple[str | Callable, ...], scorers: list[scoring.Scorer], row: tuple[Cell, ...],
            by: str) -> dict:
    before, scores, statistics = record.get("scores"), {}, {}
    for scorer, (value, kept, _) in zip(scorers, row, strict=True):
        if value is not None:
            scores[scorer.plugin.label] = value
        if kept is not None:
            statistics[scorer.plugin.label] = kept
    scored = {**record, "scores": {**before, **scores} if before else scores}
    if statistics:
        scored["statistics"] = {**(record.get("statistics") or {}), **statistics}
    numbers = tuple([scorer.number(record) for scorer in scorers])
    return history.add(scored, by, _signatures(metric, scorers[0].lang, numbers), counts=_counts(record, scorers, row))


def _counts(record: dict, scorers: list[scoring.Scorer], row: tuple[Cell, ...]) -> dict[str, int]:
    """Return what is counted of a record, of several metrics the most."""
    asked = {scorer.asked.of: scorer.asked for scorer in scorers if record.get(scorer.asked.of) is not None}
    texts = [comparands.scored(record, one) for one in asked.values()]
    counts = {"empty": int(any(map(tokenizers.is_empty, texts)))} if texts else {}
    references = dialogue.references(record)
    if references and all(map(tokenizers.is_empty, references)):
        counts["empty_reference"] = 1
    for _, _, found in row:
        for name, count in found.items():
            counts[name] = max(counts.get(name, 0), count)
    return counts


@lru_cache(maxsize=None)
def _signatures(metric: tuple[str | Callable, ...], lang: str, numbers: tuple[int, ...]) -> dict[str, str]:
    scorers = (scoring.bind(spec, lang) for spec in metric)
    return {scorer.plugin.label: scorer.signature([number]) for scorer, number in zip(scorers, numbers, strict=True)}
