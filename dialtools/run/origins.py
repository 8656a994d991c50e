"""Whether what --resume keeps of a file was made of the records of the input, and of each of them something.

What a filter was to leave as it is must be as it was: all keys but those that
filters write, and the texts, once the edits since are undone.  Only where a
filter leaves records out may there be nothing; those that it failed on, and
skipped, are counted again, and named: they may have come in between.
"""

from collections.abc import Iterable, Iterator
from itertools import chain, groupby

from dialtools.errors import OptionError, RecordError, show
from dialtools.records import dialogue, edits, history
from dialtools.run import filtering, resuming
from dialtools.run.resuming import Kept
from dialtools.run.source import Source
from dialtools.run.work import Work

# What filters write that can be resumed.  A dialogue and a prediction are compared apart.
WRITTEN = {"dialogue", "prediction", "system", "variant", "history", "errors", "source_length", "tokens", "entities",
           "context_tokens", "reference_tokens", *dialogue.OF_PREDICTION}


def compared(records: Iterable[dict], kept: Kept, work: Work, source: Source) -> Iterator[tuple[dict, bool]]:
    """Yield the input, each record with whether that which is made again has come.

    What is kept must have been made of all that comes before it, in its order, else it is an OptionError; it is
    counted.  What has left nothing in the file is counted as failed, where that is not there.
    """
    sources, kept_sources = groupby(records, key=kept.name), groupby(resuming.read(kept), key=kept.name)
    none: tuple[tuple | None, Iterable[dict]] = (None, ())
    kept_name, kept_records = next(kept_sources, none)
    for name, group in sources:
        if kept_name is None and name == kept.last:
            break
        given = dict[str | None, dict]()
        for record in group:
            given[record.get("variant")] = record
            yield record, False
        found = set[str | None]()
        if name == kept_name:
            held = [(record, _made_of(record, given, kept, work.whole_groups)) for record in kept_records]
            found = {variant for _, may_be in held for variant in may_be}
            for _ in work.counted(_as_made(held, given, source), source):
                pass
            kept_name, kept_records = next(kept_sources, none)
        if not (found and work.whole_groups):  # made into something together, or failed
            _tell([record for variant, record in given.items() if variant not in found], kept, source)
    else:
        unknown = kept_name or kept.last
        raise OptionError(f"--resume: {kept.path} knows an id that the input has not: {show(unknown[1])}")
    for _, group in chain([(name, group)], sources):
        for record in group:
            yield record, True


def _tell(missing: list[dict], kept: Kept, source: Source) -> None:
    """Tell of records of which nothing is kept, as of such that failed; OptionError where something must be."""
    if missing and not (kept.skips or kept.leaves_out):
        raise _another(kept, f"nothing in it was made of id {show(missing[0]['id'])}, which the input has")
    if kept.skips:
        reason = f"nothing in {kept.path} was made of it: it failed in the run before, or is new"
        for record in missing:
            source.tell(RecordError(reason, record))


def _another(kept: Kept, reason: str) -> OptionError:
    return OptionError(f"--resume: {kept.path} was made of another input, or of one in another order: {reason}")


def _made_of(record: dict, given: dict[str | None, dict], kept: Kept, whole_groups: bool) -> list[str | None]:
    """Return of which records of its source a kept one may have been made; OptionError where it was of others.

    given: {variant: record}.
    whole_groups: as in Source; of such there is nothing to compare.
    """
    if whole_groups:
        return [record.get("variant")]
    named = (variant for variant in _origins(record.get("variant")) if variant in given)
    found = [variant for variant in named if _is_made_of(record, given[variant], kept)]
    if not found:
        raise _another(kept, f"id {show(record['id'])} reads otherwise in the input")
    return found


def _as_made(held: list[tuple[dict, list[str | None]]], given: dict[str | None, dict],
             source: Source) -> Iterator[filtering.Made]:
    """Yield what is kept of a source as it was when it was made.

    held: each with of which records it may have been made.  It was of the first that can be, in their order: so the
    names:1 that was made of the original is told from one that the input has.
    """
    places = {variant: place for place, variant in enumerate(given)}
    lengths = [0 if source.whole_groups else len(record.get("history") or ()) for record in given.values()]
    at = 0
    for record, may_be in held:
        at = min((places[one] for one in may_be if places.get(one, -1) >= at), default=at)
        entries = record.get("history") or []
        failed = has_failed(record, given.get(record.get("variant"), {}))
        is_new = not failed and len(entries) > lengths[at] and entries[-1].get("by") == source.by
        yield record, failed, entries[-1] if is_new else None


def has_failed(record: dict, before: dict) -> bool:
    """Had the command failed on a record that is kept?  Then it is as it was before, with one more of its "errors"."""
    return len(record.get("errors") or ()) > len(before.get("errors") or ()) and \
        record.get("history") == before.get("history")


def _origins(variant: str | None) -> Iterator[str | None]:
    """Yield of which variants one may be made: itself, and what its name begins with; names:1 of the original, too.

    >>> list(_origins("names:1/typo:1"))
    ['names:1/typo:1', 'names:1', None]
    """
    while variant is not None:
        yield variant
        variant = variant.rpartition("/")[0] or None
    yield None


def _is_made_of(made: dict, given: dict, kept: Kept) -> bool:
    """Has a record the history, the texts and the keys of a given one, but for what was done since, or undone?

    Of a prediction nothing can be said where names were swapped in it, or back.
    """
    before, entries = given.get("history") or [], made.get("history") or []
    new = entries[len(before):]
    if entries[:len(before)] != before or not _is_one_run(new, made, kept):
        return False
    is_said = not kept.overwrites and not any("names" in entry or "undoes" in entry for entry in new)
    try:
        for entry in new[::-1]:
            made = edits.undo(made, entry["edits"]) if entry.get("edits") else made
        for entry in new:
            given = edits.undo(given, before[entry["undoes"]]["edits"]) if "undoes" in entry else given
    except (RecordError, IndexError, KeyError):
        return False
    if is_said and given.get("prediction") not in (None, made.get("prediction")):
        return False
    return _unwritten(made) == _unwritten(given) and (made.get("dialogue") == given.get("dialogue")
                                                      or _turns(made) == _turns(given))


def _is_one_run(new: list[dict], record: dict, kept: Kept) -> bool:
    """Is what is new in a record's history what the command adds: nothing, what was undone, or an entry or a chain?"""
    by_it = all(entry.get("by") == kept.by for entry in new)
    return by_it and (not new or new == history.run(record) or all("undoes" in entry for entry in new))


def _unwritten(record: dict) -> dict:
    return {key: value for key, value in record.items() if key not in WRITTEN}


def _turns(record: dict) -> list[dict]:
    """Return the turns of a record without the tokens that dt-parse adds to them."""
    return [{key: value for key, value in turn.items() if key != "tokens"} for turn in dialogue.turns(record)]
