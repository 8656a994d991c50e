"""Results as tables for people (text, Markdown, LaTeX) or for programs (CSV, JSON Lines).

What dt-score and dt-ttest say has a layout of its own: groups by metrics, with intervals and marks;
any other results are a row each.
"""

from collections.abc import Callable, Iterable, Iterator

from dialtools.records import jsonl as records
from dialtools.tables.grids import Page
from dialtools.tables.numbers import probability, rounded

__all__ = ["FORMATS", "page", "probability", "render", "rounded"]

FORMATS = ("text", "markdown", "latex", "csv", "json")
_OF_PROGRAMS = ("chain",)  # stands whole in JSON alone


def render(
    results: Iterable[dict],
    format: str = "json",
    width: int = 80,
    signatures: bool = False,
    baseline: bool = False,
) -> Iterator[bytes]:
    """Yield the lines of tables; none where there are no results.

    format: text, markdown, latex, csv or json (JSON Lines; streams, the others hold the results).
    width: of a line of text.
    signatures: write each signature in full, and not what they have in common once.
    baseline: all results are comparisons with one group, in one table.
    """
    if format == "json":
        yield from map(records.dumps, results)
        return
    from dialtools.tables import latex, markdown, plaintext, spreadsheets

    written: dict[str, Callable[[Page, int], Iterator[str]]] = {
        "text": plaintext.lines,
        "markdown": markdown.lines,
        "latex": latex.lines,
    }
    held = list(results)
    if not held:
        return
    plain = [
        {key: value for key, value in result.items() if key not in _OF_PROGRAMS} for result in held
    ]
    lines = (
        spreadsheets.lines(plain)
        if format == "csv"
        else written[format](page(held, signatures, baseline), width)
    )
    yield from (f"{line}\n".encode() for line in lines)


def page(results: list[dict], signatures: bool = False, baseline: bool = False) -> Page:
    """Return the tables of results, and what stands below them."""
    from dialtools.tables import anything, labels, measures, tests

    made_by = _made_by(results)
    results = [
        {key: value for key, value in result.items() if key not in _OF_PROGRAMS}
        for result in results
    ]
    if all(map(measures.knows, results)):
        made = measures.page(results)
    elif all(map(tests.knows, results)):
        made = tests.page(results, baseline)
    else:
        made = anything.page(results)
    whole = list(dict.fromkeys(made.signatures))
    notes = [
        *made.notes,
        *(
            f"made by {by}: {own}"
            for (by, _), found in made_by.items()
            for own in (found if signatures else labels.merged(found))
        ),
    ]
    return made._replace(notes=notes, signatures=whole if signatures else labels.merged(whole))


def _made_by(results: Iterable[dict]) -> dict[tuple[str, str], list[str]]:
    """Return the signatures of the steps that made records, by command and name, in order."""
    found: dict[tuple[str, str], list[str]] = {}
    places: dict[tuple[str, str], int] = {}
    for result in results:
        for at, step in enumerate((result.get("chain") or [])[:-1]):  # the last is the result's own
            key = step["by"], step["signature"].partition("|")[0]
            own = found.setdefault(key, [])
            own += [] if step["signature"] in own else [step["signature"]]
            places[key] = max(at, places.get(key, 0))
    return {key: found[key] for key in sorted(found, key=places.__getitem__)}
