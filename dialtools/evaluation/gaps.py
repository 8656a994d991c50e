"""Groups of results, and the gap between the highest and the lowest group.

--by names a key of the record or a path in it ("lang", "meta.age"), "kind" (of the variant:
"typo.case"; "original" for none), or a part of a signature in its history ("pool", "model",
"seed"), the latest first. A record without it is in the group null, which takes no part in gaps. A
gap is "of" the corpus score if results have one, else of the mean, S or consistency.
Gaps have an interval and p, and so have the differences from the best group; values of one cluster
are not independent, which statistics/clustered.py allows for, and sums.py for corpus scores.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import comb
from typing import Any, NamedTuple

from dialtools.records import dialogue, history, values
from dialtools.statistics import clustered, corrections, moments
from dialtools.system.errors import OptionError, RecordError, nearest, show, show_names

MOST = 1_000  # groups; a key with more values, such as an id, names none
KIND, VARIANT = "kind", "variant"

Name = str | int | float | bool | None


def kind(variant: str) -> str:
    """Return the kind of a variant: its name without numbers.

    >>> kind("names:2/typo.case:1")
    'names/typo.case'
    """
    return re.sub(r":\d+(?=/|$)", "", variant)


def group(record: dict, by: str) -> Name:
    """Return the group of a record; None if it has none.  A key of the record comes first."""
    name, lacking = values.at(record, by)
    if lacking is not None and by == KIND:
        return history.typed(kind(record["variant"])) if record.get("variant") else "original"
    if lacking is not None or name is None or name == "":  # of a table: an empty cell
        if by == VARIANT:
            return "original"
        return next((parts[by] for parts in _signatures(record) if by in parts), None)
    if not isinstance(name, (str, int, float)):
        raise RecordError(f'"{by}" names a group, here is {show(name)}', record)
    return history.typed(str(name)) if by == VARIANT else name


def _signatures(record: dict) -> Iterator[dict[str, str]]:
    """Yield the parts of the signatures in a record's history but scores', the latest first."""
    entries = record.get("history") or ()
    signatures = (entry.get("signature") for entry in reversed(entries))
    yield from (history.parts(signature) for signature in signatures if isinstance(signature, str))


def split(records: list[dict], by: str | None) -> list[tuple[dict, list[dict]]]:
    """Return the records of one source in groups, as (head, records); the original is in each.

    The head is {} without `by`, else {"group": name}; if the name is None, "there" lists what could
    be named.
    """
    if by is None:
        return [({}, records)]
    variants = [record for record in records if record.get("variant")]
    originals = [record for record in records if not record.get("variant")] if variants else []
    by_name: dict[tuple, list[dict]] = {}
    for record in variants or records:
        name = group(record, by)
        by_name.setdefault((type(name), name), []).append(record)  # else 1, 1.0 and True are one
    return [
        (
            {"group": name} | ({"there": possible_names(part[0])} if name is None else {}),
            originals + part,
        )
        for (_, name), part in by_name.items()
    ]


def possible_names(record: dict) -> list[str]:
    """Return the names that a record could be grouped by."""
    keys = [key for key, value in record.items() if isinstance(value, (str, int, float))]
    parts = [part for parts in _signatures(record) for part in parts]
    return list(dict.fromkeys([*keys, *parts, KIND]))


def key(record: dict, name: Name) -> tuple:
    """Return the key of a group: system, language, and the type and value of its name."""
    return record.get("system"), dialogue.lang(record), type(name), name


class Groups(dict):
    """{key: the totals of a group}, in the order of their first records."""

    def __init__(self, by: str | None, make: Callable[[dict], Any]):
        """Take the key of --by, and the function that makes totals from the head of results."""
        super().__init__()
        self.by, self.make = by, make
        self.unnamed: list[str] = []

    def of(self, record: dict) -> Any:
        """Return the totals of a record's group."""
        name = group(record, self.by) if self.by else None
        is_first = name is None and self.by and not self.unnamed
        return self.total(key(record, name), possible_names(record) if is_first else ())

    def of_source(self, source: dict) -> Any:
        """Return the totals of a source's group, which its head names: see `split`."""
        return self.total(key(source, source.get("group")), source.get("there", ()))

    def total(self, key: tuple, names: Sequence[str] = ()) -> Any:
        """Return the totals of a key; names: what a record without a group could be grouped by."""
        if key not in self:
            if len(self) >= MOST:
                raise OptionError(f"--by {self.by} makes more than {MOST:,} groups")
            system, lang, _, name = key
            self.unnamed = self.unnamed or list(names)
            group = {"by": self.by, "group": name} if self.by else {}
            self[key] = self.make({"system": system, "lang": lang, **group})
        return self[key]

    def require_named(self) -> None:
        """Raise OptionError if no record names its group."""
        if self.by and self and all(name is None for *_, name in self):
            raise OptionError(
                f"--by: no record has a {self.by!r}{nearest(self.by, self.unnamed)}; "
                f"the first has {show_names(self.unnamed)}"
            )


class Summary(NamedTuple):
    """A result, and how far clusters deviate from its value, where that is known."""

    result: dict
    mean: clustered.Mean | None = None


def added(summaries: Iterable[Summary], by: str | None, *values: str) -> Iterator[dict]:
    """Yield results, and the gap between the highest and the lowest group.

    values: keys; the first that a result has is the one compared.
    """
    summaries = list(summaries)
    families: dict[tuple, list[Summary]] = {}
    for summary in summaries:
        result = summary.result
        value = next(key for key in values if key in result)
        if by and result["group"] is not None and result[value] is not None:
            head = [result.get(name) for name in ("metric", "system", "lang", KIND) if name != by]
            families.setdefault((value, *head), []).append(summary)
    compared = {key: family for key, family in families.items() if len(family) > 1}
    for (value, *_), family in compared.items():
        _compare_with_best(family, value)
    yield from (summary.result for summary in summaries)
    for (value, *_), family in compared.items():
        yield _gap(family, by, value)


def _compare_with_best(family: list[Summary], value: str) -> None:
    """Add which group is the best, and p of the others' differences from it, corrected by Holm."""
    is_quality = value in ("corpus", "sentence_mean", "mean")
    better = family[0].result["better"] if is_quality else "lower"
    if better is None:
        return
    best = (min if better == "lower" else max)(family, key=lambda summary: summary.result[value])
    worse = [summary for summary in family if summary is not best]
    p = [
        clustered.tested(summary.mean, best.mean)["p"] if summary.mean and best.mean else None
        for summary in worse
    ]
    corrected = iter(corrections.adjusted([raw for raw in p if raw is not None], "holm"))
    best.result["best"] = True
    for summary, raw in zip(worse, p, strict=True):
        summary.result.update(best=False, p_best=None if raw is None else next(corrected))


def _gap(family: list[Summary], by: str | None, value: str) -> dict:
    """Return the gap; 0 if only rounding keeps the values apart (ROUGE, F1).

    Its interval and p are corrected for all pairs of groups, of which it is the largest.
    """
    lowest = min(reversed(family), key=lambda summary: summary.result[value])
    highest = max(family, key=lambda summary: summary.result[value])
    low, high, pairs = lowest.result, highest.result, comb(len(family), 2)
    tested = {"ci": None, "p": None}
    if highest.mean and lowest.mean:
        tested = clustered.tested(highest.mean, lowest.mean, pairs)

    def joined(key: str) -> str:
        """Return the texts of both groups under a key; one if they are equal."""
        return "; ".join(dict.fromkeys(result[key] for result in (high, low) if key in result))

    note = joined("note")
    return {
        **{
            name: high[name]
            for name in ("metric", "system", "lang", KIND)
            if name in high and name != by
        },
        "by": by,
        "unit": high["unit"],
        "gap": high[value] - low[value] if moments.order(high[value], low[value]) else 0.0,
        **tested,
        "pairs": pairs,
        "of": value,
        "highest": high["group"],
        "lowest": low["group"],
        "signature": joined("signature"),
        **({"note": note} if note else {}),
    }
