"""Agreement among raters: the ratings of each item, and the result of a test of them."""

from collections.abc import Iterable, Mapping, Sequence

from dialtools.comparison.comparisons import Design
from dialtools.comparison.sides import ALL, group_name
from dialtools.records import ratings
from dialtools.records.values import of_score
from dialtools.system.errors import OptionError, RecordError, show_names


def agree(
    records: Iterable[dict], values: Sequence[str], by: str | None, design: Design
) -> list[dict]:
    """Return the agreement of the raters in each group of records, in the order of the groups.

    values: the path of each rater's rating, or of a list of ratings, or of {rater: rating}.
    by: path of the group of a record; None for one group.
    """
    if design.power or design.outliers is not None or design.baseline is not None:
        raise OptionError(
            f"--power, --outliers and --baseline: {design.plugin.label} makes no comparison"
        )
    # which may depend on the options of a test
    words = design.plugin.declared.words
    if isinstance(words, Mapping):
        words = words.items() <= design.plugin.defaults().items()
    items: dict[object, list[ratings.Rated]] = {}
    left_out: dict[object, int] = {}
    first: dict = {}
    for record in records:
        first = first or record
        name = ALL if by is None else group_name(record, by)
        item: ratings.Rated = []
        for path in values:
            of_path = ratings.of_record(record, of_score(record, path), words)
            several = len(values) > 1  # then ann of one value is another rater than ann of the next
            item += [(f"{path}.{name}" if several and name else name, one) for name, one in of_path]
        if any(rating is not None for _, rating in item):
            items.setdefault(name, []).append(item)
        else:
            left_out[name] = left_out.get(name, 0) + 1
    if first and not items:
        raise RecordError(
            f"no record has {' or '.join(values)}; the first has {show_names(first)}", first
        )
    return [
        _result(name, ratings.by_rater(of_group), left_out.get(name, 0), values, design)
        for name, of_group in items.items()
    ]


def _result(
    name: object,
    items: list[list[ratings.Rating]],
    left_out: int,
    values: Sequence[str],
    design: Design,
) -> dict:
    plugin = design.plugin
    if any(isinstance(rating, str) for item in items for rating in item):
        items = [
            [f"{rating:.15g}" if isinstance(rating, float) else rating for rating in item]
            for item in items
        ]
    tested = plugin.call(items, design.level)
    dropped = {"no_ratings": left_out, "too_few_ratings": tested.pop("too_few_ratings", 0)}
    return {
        "value": ", ".join(values),
        "test": plugin.label,
        "group": name,
        "raters": max(map(len, items)),
        "n": len(items) - dropped["too_few_ratings"],
        **tested,
        "level": design.level,
        "dropped": {reason: count for reason, count in dropped.items() if count},
        "notes": [],
        "signature": design.signature(),
    }
