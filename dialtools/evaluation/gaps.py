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
    found, lacking = values.at(record, by)
    if lacking is not None and by == KIND:
        return history.typed(kind(record["variant"])) if record.get("variant") else "original"
    if found == "":  # of a table, where an empty cell names no group
        found = None
    if by == VARIANT and (found is None or lacking is not None):
        return "original"
    if found is None or lacking is not None:
        return next((parts[by] for parts in _signatures(record) if by in parts), None)
    if not isinstance(found, (str, int, float)):
        raise RecordError(f'"{by}" names a group, here is {show(found)}', record)
    return history.typed(str(found)) if by == VARIANT else found


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
    found: dict[tuple, list[dict]] = {}
    for record in variants or records:
        name = group(record, by)
        found.setdefault((type(name), name), []).append(record)  # 1, 1.0 and True are one key alone
    return [
        ({"group": name} | ({"there": there(part[0])} if name is None else {}), originals + part)
        for (_, name), part in found.items()
    ]


def there(record: dict) -> list[str]:
    """Return the names that a record could be grouped by."""
    parts = [part for parts in _signatures(record) for part in parts]
    return list(
        dict.fromkeys(
            [
                *(key for key, value in record.items() if isinstance(value, (str, int, float))),
                *parts,
                KIND,
            ]
        )
    )


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
        return self.total(
            key(record, name),
            there(record) if name is None and self.by and not self.unnamed else (),
        )

    def of_source(self, source: dict) -> Any:
        """Return the totals of a source's group, which its head names: see `split`."""
        return self.total(key(source, source.get("group")), source.get("there", ()))

    def total(self, key: tuple, there: Sequence[str] = ()) -> Any:
        """Return the totals of a key; there: what a record without a group could be grouped by."""
        if key not in self:
            if len(self) >= MOST:
                raise OptionError(f"--by {self.by} makes more than {MOST:,} groups")
            system, lang, _, name = key
            self.unnamed = self.unnamed or list(there)
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


class Found(NamedTuple):
    """A result, and how far clusters deviate from its value, where that is known."""

    result: dict
    mean: clustered.Mean | None = None


def added(found: Iterable[Found], by: str | None, *values: str) -> Iterator[dict]:
    """Yield results, and the gap between the highest and the lowest group.

    values: keys; the first that a result has is the one compared.
    """
    alike: dict[tuple, list[Found]] = {}
    every = list(found)
    for one in every:
        result = one.result
        value = next(key for key in values if key in result)
        key = (
            value,
            *(result.get(name) for name in ("metric", "system", "lang", KIND) if name != by),
        )
        if by and result["group"] is not None and result[value] is not None:
            alike.setdefault(key, []).append(one)
    several = {key: own for key, own in alike.items() if len(own) > 1}
    for (value, *_), own in several.items():
        _compare_with_best(own, value)
    yield from (one.result for one in every)
    for (value, *_), own in several.items():
        yield _gap(own, by, value)


def _compare_with_best(found: list[Found], value: str) -> None:
    """Add which group is the best, and p of the others' differences from it, corrected by Holm."""
    is_quality = value in ("corpus", "sentence_mean", "mean")
    better = found[0].result["better"] if is_quality else "lower"
    if better is None:
        return
    best = (min if better == "lower" else max)(found, key=lambda one: one.result[value])
    others = [one for one in found if one is not best]
    p = [
        clustered.tested(one.mean, best.mean)["p"] if one.mean and best.mean else None
        for one in others
    ]
    known = iter(corrections.adjusted([one for one in p if one is not None], "holm"))
    best.result["best"] = True
    for one, raw in zip(others, p, strict=True):
        one.result.update(best=False, p_best=None if raw is None else next(known))


def _gap(found: list[Found], by: str | None, value: str) -> dict:
    """Return the gap; 0 if only rounding keeps the values apart (ROUGE, F1).

    Its interval and p are corrected for all pairs of groups, of which it is the largest.
    """
    lowest = min(reversed(found), key=lambda one: one.result[value])
    highest = max(found, key=lambda one: one.result[value])
    low, high, pairs = lowest.result, highest.result, comb(len(found), 2)
    head = {
        name: high[name]
        for name in ("metric", "system", "lang", KIND)
        if name in high and name != by
    }
    gap = high[value] - low[value] if moments.order(high[value], low[value]) else 0.0
    note = {"note": _both(high, low, "note")} if "note" in high or "note" in low else {}
    tested = {"ci": None, "p": None}
    if highest.mean and lowest.mean:
        tested = clustered.tested(highest.mean, lowest.mean, pairs)
    return {
        **head,
        "by": by,
        "unit": high["unit"],
        "gap": gap,
        **tested,
        "pairs": pairs,
        "of": value,
        "highest": high["group"],
        "lowest": low["group"],
        "signature": _both(high, low, "signature"),
        **note,
    }


def _both(one: dict, other: dict, key: str) -> str:
    """Return the texts of two results under a key; one if they are equal."""
    return "; ".join(dict.fromkeys(result[key] for result in (one, other) if key in result))
