"""Records of dt-score --per-source summed up, as the run that made them would have done.

All sums are exact and no order matters, so that parts of a run, from any engine, give the results
of one run.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby

from dialtools import languages
from dialtools.evaluation import chains, chosen_metrics, robustness, sensitivity, variants
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.evaluation.scorer import bind
from dialtools.models.decoding import Loading
from dialtools.records import dialogue, history
from dialtools.records.wellformed import is_number
from dialtools.system.errors import OptionError, RecordError


def is_source(record: dict) -> bool:
    """Tell whether it is of a whole source, as dt-score --per-source makes them, in percent."""
    return record.get("unit") == "percent" and "scores" in record


def is_of_kind(record: dict) -> bool:
    """Tell whether it is of one kind of variant, as dt-score --robustness --per-source says."""
    return is_source(record) and "rows" in record


def summarise(
    sources: Iterable[dict], loading: Loading = Loading(), all_pairs: bool = False
) -> Iterator[dict]:
    """Yield the results of dt-score --sensitivity, or --robustness, for all sources together.

    all_pairs: of sources have a part in the control of sensitivity.
    loading: of metrics with models, which compare outputs of different dialogues (control).
    """
    sources = iter(sources)
    if (first := next(sources, None)) is None:
        return
    _require_whole(first)
    signed = first["history"][-1]["signature"]
    try:
        labels = [ChosenMetric(label).label for label in signed]
    except OptionError as error:
        raise RecordError(
            f"it was scored by a metric that only its run knows: {error}", first
        ) from None
    metrics = chosen_metrics.several(labels, loading=loading)
    with_original = any("original" in history.parts(text) for text in signed.values())
    checked = _checked(chain([first], sources), metrics, is_of_kind(first), with_original)
    if is_of_kind(first):
        yield from robustness.summarise(checked, metrics)
    else:
        complete = (
            _source(list(group), with_original) for _, group in groupby(checked, key=history.source)
        )
        yield from sensitivity.summarise(complete, metrics, with_original, all_pairs=all_pairs)


def _checked(
    sources: Iterable[dict],
    metrics: Sequence[ChosenMetric],
    of_kinds: bool,
    with_original: bool,
) -> Iterator[dict]:
    """Yield sources. Raise RecordError for one that cannot be summed up with the others."""
    signed_here: dict[tuple, dict[str, str]] = {}  # by language and number of references
    for source in sources:
        if is_of_kind(source) != of_kinds:
            raise RecordError(
                "sources of --sensitivity and of --robustness have no results together", source
            )
        _require_whole(source)
        signed, references = source["history"][-1]["signature"], source["references"]
        alike = dialogue.lang(source), references
        if alike not in signed_here:
            scorers = [bind(metric, languages.get(alike[0])) for metric in metrics]
            signed_here[alike] = (
                robustness.signatures(scorers, references)
                if of_kinds
                else variants.signatures(scorers, references, with_original)
            )
        if signed != (expected := signed_here[alike]):
            labels = {**signed, **expected}
            differing = next(one for one in labels if signed.get(one) != expected.get(one))
            raise RecordError(
                f"it was made otherwise than the first source would be here: "
                f"{signed.get(differing)}, here {expected.get(differing)}",
                source,
            )
        yield source


def _require_whole(source: dict) -> None:
    """Raise RecordError unless a source has all that dt-score --per-source wrote."""
    if key := next(_malformed(source), None):
        raise RecordError(
            f'its "{key}" is not what dt-score --per-source writes: give its output as it is',
            source,
        )


def _malformed(source: dict) -> Iterator[str]:
    """Yield the keys whose values dt-score --per-source did not write."""
    entry = (source.get("history") or [{}])[-1]
    signed, scores = entry.get("signature"), source.get("scores")
    if (
        "by" not in entry
        or "variants" not in (entry.get("counts") or ())
        or not isinstance(signed, dict)
    ):
        yield "history"
        return
    if type(source.get("references")) is not int:
        yield "references"
    dimensions, of_kinds = robustness.DIMENSIONS, is_of_kind(source)
    heads = [f"{name}:" for name in dimensions] if of_kinds else ["", "S:", "R:", "D:"]
    labels = {f"{head}{label}" for head in heads for label in signed}
    if (
        not isinstance(scores, dict)
        or not all(map(_is_value, scores.values()))
        or not labels <= scores.keys()
    ):
        yield "scores"
    if not isinstance(source.get("of_source", {}), dict):
        yield "of_source"
    if of_kinds:
        for key in ("rows", "changed"):
            tables = source.get(key)
            if (
                not isinstance(tables, dict)
                or tables.keys() != signed.keys()
                or not all(isinstance(rows, list) for rows in tables.values())
                or not all(
                    isinstance(row, list)
                    and len(row) == len(dimensions)
                    and all(map(_is_value, row))
                    for row in chain.from_iterable(tables.values())
                )
            ):
                yield key
        if not isinstance(source.get("variant"), str):
            yield "variant"
        return
    outputs, control = source.get("outputs"), source.get("control")
    if not outputs or "variant" in source:  # one of the records of a source has it
        control = control or 0
    if not isinstance(outputs, list) or not all(isinstance(text, str) for text in outputs):
        yield "outputs"
    elif control not in range(len(outputs) or 1):
        yield "control"


def _is_value(value: object) -> bool:
    return value is None or is_number(value)


def _source(records: list[dict], with_original: bool) -> dict:
    """Return a source from its record, or from those of its sets: one for each speaker, or pool."""
    first = records[0]
    if "variant" not in first:
        return first
    outputs = list(chain.from_iterable(record["outputs"] for record in records))
    missing = first["history"][-1]["counts"]["variants"] - len(outputs)
    # the original is in each set
    if missing + with_original * (len(records) - 1) or "of_source" not in first:
        raise RecordError(
            "not all variants of the source are in its records: the part is cut off, "
            "or some variants name no speaker or pool; then merge the outputs, and "
            "give them to dt-score --sensitivity",
            first,
        )
    labels = list(first["history"][-1]["signature"])
    source = {key: value for key, value in first.items() if key not in chains.KEYS}
    before = 0
    for record in records:
        if "control" in record:
            source["control"] = before + record["control"]
            break
        before += len(record["outputs"])
    source |= {
        **first["of_source"],
        "outputs": outputs,
        "scores": variants.means_over_sets(records, labels),
    }
    return {**source, "sets": len(records)} if len(records) > 1 else source
