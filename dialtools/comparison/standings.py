"""Comparisons with a baseline as a table: a row for each system, a column for each value, stars for p."""

from collections.abc import Iterable, Iterator

from dialtools.reports import tables
from dialtools.statistics import moments

_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def table(results: Iterable[dict]) -> list[dict]:
    """Return rows for tables.render from the results of comparisons, each of another group (a) with the baseline (b).

    Below the table stand the verdicts, what the stars mean, where the baseline's number is another one, notes and
    signatures.
    """
    every = list(results)
    held = [result for result in every if "a" in result]
    if not held:
        return every  # each group by itself
    baseline = held[0]["b"]
    names = [baseline, *dict.fromkeys(result["a"] for result in held)]
    columns = {value: _column([result for result in held if result["value"] == value], names)
               for value in dict.fromkeys(result["value"] for result in held)}
    rows: list[dict] = [{"system": str(name), **{value: cells[name] for value, cells in columns.items()}}
                        for name in names]
    below = {"notes": [*(result["verdict"] for result in every), _explained(held, baseline),
                       *_elsewhere(held), *_notes(every)],
             "signature": list(dict.fromkeys(result["signature"] for result in every))}
    return [row | below for row in rows]


def _notes(results: list[dict]) -> list[str]:
    """Return the notes, each once, and to what it belongs where not every result has it."""
    held: dict[str, list[str]] = {}
    for result in results:
        name = ", ".join(map(str, result["groups"])) if "groups" in result else result["a"]
        for note in result["notes"]:
            held.setdefault(note, []).append(f"{name}, {result['value']}")
    return [note if len(names) == len(results) else f"{'; '.join(names)}: {note}" for note, names in held.items()]


def _elsewhere(results: list[dict]) -> Iterator[str]:
    """Yield what the baseline has where a system lacks some of the ids that its number in the table is of."""
    shown = {result["value"]: _base([other for other in results if other["value"] == result["value"]])
             for result in results}
    for result in results:
        value, mean, usual = result["value"], _means(result)[1], shown[result["value"]]
        if mean is not None and usual is not None and moments.order(mean, usual):
            yield f"{result['a']}, {value}: {result['b']} has {mean:.4g} in the n = {result['n']:,} compared here"


def _means(result: dict) -> tuple[float | None, float | None]:
    """Return the means, or corpus scores, of a and b."""
    level = "mean" if "mean_a" in result else "corpus"
    return result[f"{level}_a"], result[f"{level}_b"]


def _base(results: list[dict]) -> float | None:
    """Return the number of the baseline that is of the most ids: a paired test has those that both have."""
    return _means(max(results, key=lambda result: result["n"]))[1]


def _column(results: list[dict], names: list) -> dict:
    """Return the cell of each system: its mean, and stars for how small p is."""
    means = {result["a"]: _means(result)[0] for result in results} | {results[0]["b"]: _base(results)}
    stars = {result["a"]: _stars(result) for result in results}
    places = tables.decimals([(means[name], results[0].get("unit")) for name in means])
    shown = {name: "–" if mean is None else tables.rounded(mean, places)
             for name, mean in ((name, means.get(name)) for name in names)}
    width = max(map(len, shown.values()))
    return {name: f"{shown[name]:>{width}} {stars.get(name, '')}".rstrip() for name in names}


def _stars(result: dict) -> str:
    p = result.get("p_adjusted", result["p"])
    return "" if p is None else next((stars for bound, stars in _STARS if p < bound), "")


def _explained(results: list[dict], baseline: object) -> str:
    """Return what the stars mean, and over how many tests p was corrected: families may have different sizes."""
    how = next((result["correction"] for result in results if "p_adjusted" in result), None)
    sizes = sorted({result.get("family", 1) for result in results if result["p"] is not None})
    after = f", {how} over {' or '.join(map(str, sizes))} tests" if how else ""
    levels = ", ".join(f"{stars} p < {bound:g}" for bound, stars in reversed(_STARS))
    against = "of equivalence with" if "margin" in results[0] else "against"
    return f"{levels} {against} {baseline} ({results[0]['test']}{after})"
