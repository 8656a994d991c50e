"""Records of dt-score --per-source summed up, as the run that made them would have done.

All sums are exact and no order matters, so that parts of a run, from any engine, give the results
of one run.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain, groupby

from dialtools import languages
from dialtools.evaluation import chains, robustness, sensitivity, variants
from dialtools.evaluation import chosen_metrics as metrics
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


def summarise(sources: Iterable[dict], loading: Loading = Loading()) -> Iterator[dict]:
    """Yield the results of dt-score --sensitivity, or --robustness, for all sources together.

    loading: of metrics with models, which compare outputs of different dialogues (control).
    """
    sources = iter(sources)
    if (first := next(sources, None)) is None:
        return
    of_kinds = is_of_kind(first)
    _require_whole(first, of_kinds)
    signed = first["history"][-1]["signature"]
    try:
        labels = [ChosenMetric(label).label for label in signed]
    except OptionError as error:
        raise RecordError(
            f"it was scored by a metric that only its run knows: {error}", first
        ) from None
    scored_by = metrics.several(labels, loading=loading)
    with_original = any("original" in history.parts(text) for text in signed.values())
    checked = _checked(chain([first], sources), tuple(scored_by), of_kinds, with_original)
    if of_kinds:
        yield from robustness.summarise(checked, scored_by)
    else:
        complete = (
            _source(list(group), with_original) for _, group in groupby(checked, key=history.source)
        )
        yield from sensitivity.summarise(complete, scored_by, with_original)


def _checked(
    sources: Iterable[dict],
    scored_by: tuple[ChosenMetric, ...],
    of_kinds: bool,
    with_original: bool,
) -> Iterator[dict]:
    """Yield sources. Raise RecordError for one that cannot be summed up with the others."""
    for source in sources:
        if is_of_kind(source) != of_kinds:
            raise RecordError(
                "sources of --sensitivity and of --robustness have no results together", source
            )
        _require_whole(source, of_kinds)
        signed, lang = source["history"][-1]["signature"], dialogue.lang(source)
        expected = _signed(scored_by, lang, source["references"], of_kinds, with_original)
        if signed != expected:
            differing = next(
                label
                for label in {**signed, **expected}
                if signed.get(label) != expected.get(label)
            )
            raise RecordError(
                f"it was made otherwise than the first source would be here: "
                f"{signed.get(differing)}, here {expected.get(differing)}",
                source,
            )
        yield source


def _require_whole(source: dict, of_kinds: bool) -> None:
    """Raise RecordError unless a source has all that dt-score --per-source wrote."""
    entry = (source.get("history") or [{}])[-1]
    has = {
        "history": "by" in entry
        and "variants" in (entry.get("counts") or ())
        and isinstance(entry.get("signature"), dict),
        "references": type(source.get("references")) is int,
    }
    heads = [f"{name}:" for name in robustness.DIMENSIONS] if of_kinds else ["", "S:", "R:", "D:"]
    labels = {f"{head}{label}" for head in heads for label in entry.get("signature") or ()}
    scores = source.get("scores")
    has |= {
        "scores": _is_object_of(scores, _is_value) and labels <= {*(scores or ())},
        "of_source": isinstance(source.get("of_source", {}), dict),
    }
    if of_kinds:
        has |= {
            key: _is_object_of(source.get(key), _are_rows)
            and has["history"]
            and source[key].keys() == entry["signature"].keys()
            for key in ("rows", "changed")
        }
        has |= {"variant": isinstance(source.get("variant"), str)}
    else:
        outputs, control = source.get("outputs"), source.get("control")
        if not outputs or "variant" in source:  # one of the records of a source has it
            control = control or 0
        texts = outputs if isinstance(outputs, list) else [None]
        has |= {
            "outputs": all(isinstance(text, str) for text in texts),
            "control": control in range(len(texts) or 1),
        }
    if missing := [key for key, is_there in has.items() if not is_there]:
        raise RecordError(
            f'its "{missing[0]}" is not what dt-score --per-source writes: give its '
            "output as it is",
            source,
        )


def _is_object_of(value: object, fits: Callable[[object], bool]) -> bool:
    return isinstance(value, dict) and all(map(fits, value.values()))


def _are_rows(value: object) -> bool:
    width = len(robustness.DIMENSIONS)
    return isinstance(value, list) and all(
        isinstance(row, list) and len(row) == width and all(map(_is_value, row)) for row in value
    )


def _is_value(value: object) -> bool:
    return value is None or is_number(value)


@lru_cache(maxsize=256)
def _signed(
    scored_by: tuple[ChosenMetric, ...],
    lang: str,
    references: int,
    of_kinds: bool,
    with_original: bool,
) -> dict[str, str]:
    """Return the signatures that a source has if it is scored here."""
    language = languages.get(lang)
    if not of_kinds:
        return variants.signatures(scored_by, language, references, with_original)
    return {
        metric.label: robustness.signature(bind(metric, language), [references])
        for metric in scored_by
    }


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
    before = 0
    for record in records:
        if "control" in record:
            first = {**first, "control": before + record["control"]}
            break
        before += len(record["outputs"])
    labels = list(first["history"][-1]["signature"])
    source = {key: value for key, value in first.items() if key not in chains.KEYS}
    source |= {
        **records[0]["of_source"],
        "outputs": outputs,
        "scores": variants.means_over_sets(records, labels),
    }
    return {**source, "sets": len(records)} if len(records) > 1 else source
