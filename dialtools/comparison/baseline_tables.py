"""Comparisons with a baseline as a table of systems and values, with stars for p."""

from collections.abc import Iterable, Iterator

from dialtools.reports import tables
from dialtools.statistics import moments

_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def rows(results: Iterable[dict]) -> list[dict]:
    """Return table rows of the results of comparisons of groups (a) with the baseline (b).

    Below the table are the verdicts, the meaning of the stars, other numbers of the baseline,
    notes and signatures.
    """
    every = list(results)
    pairs = [result for result in every if "a" in result]
    if not pairs:
        return every  # each group by itself
    baseline = pairs[0]["b"]
    names = [baseline, *dict.fromkeys(result["a"] for result in pairs)]
    columns = {value: _column([result for result in pairs if result["value"] == value], names)
               for value in dict.fromkeys(result["value"] for result in pairs)}
    below = {"notes": [*(result["verdict"] for result in every), _legend(pairs, baseline),
                       *_other_baselines(pairs), *_notes(every)],
             "signature": list(dict.fromkeys(result["signature"] for result in every))}
    return [{"system": str(name), **{value: cells[name] for value, cells in columns.items()},
             **below} for name in names]


def _notes(results: list[dict]) -> list[str]:
    """Return each note once, with its comparisons if it is not a note of all."""
    found: dict[str, list[str]] = {}
    for result in results:
        name = ", ".join(map(str, result["groups"])) if "groups" in result else result["a"]
        for note in result["notes"]:
            found.setdefault(note, []).append(f"{name}, {result['value']}")
    return [note if len(names) == len(results) else f"{'; '.join(names)}: {note}"
            for note, names in found.items()]


def _other_baselines(results: list[dict]) -> Iterator[str]:
    """Yield numbers of the baseline that differ from the table, over fewer ids."""
    for result in results:
        value, mean = result["value"], _means(result)[1]
        shown = _base([other for other in results if other["value"] == value])
        if mean is not None and shown is not None and moments.order(mean, shown):
            yield (f"{result['a']}, {value}: {result['b']} has {mean:.4g} in the "
                   f"n = {result['n']:,} compared here")


def _means(result: dict) -> tuple[float | None, float | None]:
    """Return the means, or corpus scores, of a and b."""
    level = "mean" if "mean_a" in result else "corpus"
    return result[f"{level}_a"], result[f"{level}_b"]


def _base(results: list[dict]) -> float | None:
    """Return the number of the baseline over the most ids; paired tests have shared ids only."""
    return _means(max(results, key=lambda result: result["n"]))[1]


def _column(results: list[dict], names: list) -> dict:
    """Return the cell of each system: its mean, and stars for how small p is."""
    means = {result["a"]: _means(result)[0] for result in results}
    means[results[0]["b"]] = _base(results)
    stars = {result["a"]: _stars(result) for result in results}
    places = tables.decimals([(means[name], results[0].get("unit")) for name in means])
    shown = {name: "–" if mean is None else tables.rounded(mean, places)
             for name, mean in ((name, means.get(name)) for name in names)}
    width = max(map(len, shown.values()))
    return {name: f"{shown[name]:>{width}} {stars.get(name, '')}".rstrip() for name in names}


def _stars(result: dict) -> str:
    p = result.get("p_adjusted", result["p"])
    return "" if p is None else next((stars for bound, stars in _STARS if p < bound), "")


def _legend(results: list[dict], baseline: object) -> str:
    """Return the meaning of the stars, and the sizes of the families that p was corrected for."""
    how = next((result["correction"] for result in results if "p_adjusted" in result), None)
    sizes = sorted({result.get("family", 1) for result in results if result["p"] is not None})
    after = f", {how} over {' or '.join(map(str, sizes))} tests" if how else ""
    levels = ", ".join(f"{stars} p < {bound:g}" for bound, stars in reversed(_STARS))
    against = "of equivalence with" if "margin" in results[0] else "against"
    return f"{levels} {against} {baseline} ({results[0]['test']}{after})"
