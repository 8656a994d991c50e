"""What each filter did to a record, how to undo it, and how variants find their source.

An entry of a record's "history" is {"by": command, "signature": …} with what is needed to audit
and to undo: "edits", the name map, "changed": false where a perturbation found nothing to change,
"counts" that the closing line sums up.
"""

import functools
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from dialtools import __version__, languages
from dialtools.records import edits
from dialtools.system import stable_hash
from dialtools.system.batches import until_error
from dialtools.system.errors import RecordError, masked, show


def signature(name: str, /, **parts: object) -> str:
    """Return how something was made, in sacrebleu's grammar: name|key:value|…|v:version.

    None is left out, True and False read yes and no; "resources" stands for language data of the
    user's own. A user's own terms (`own` of a specification) show as digits of their hash, so that
    an edited file is another.

    >>> signature("causal", stop="a|b", sample=True, also=["Al, Jr.", "Bo"]).split("|")[:4]
    ['causal', 'stop:a%7Cb', 'sample:yes', 'also:Al%2C Jr.,Bo']
    """
    parts["resources"] = languages.digest()
    return extended(f"{name}|v:{__version__}", **parts)


def extended(signature: str, **parts: object) -> str:
    """Return a signature with further parts.

    >>> extended("whatsapp|gap:60|v:1", field=["id=nr"], next=None)
    'whatsapp|gap:60|field:id=nr|v:1'
    """
    head, _, version = signature.rpartition("|")
    values = [f"{key}:{_shown(value)}" for key, value in parts.items() if value is not None]
    return "|".join([head, *values, version])


@functools.lru_cache(maxsize=1024)
def parts(signature: str) -> dict[str, str]:
    """Return what a signature says, by key.

    >>> parts("causal|stop:a%7Cb|v:1")
    {'stop': 'a%7Cb', 'v': '1'}
    """
    pairs = [part.partition(":") for part in signature.split("|")[1:]]
    return {key: value for key, _, value in pairs}


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ",".join(_shown(item).replace(",", "%2C") for item in value)
    own_terms = getattr(value, "own", None)
    text = f"{value}-{digits(own_terms)}" if own_terms else str(value)
    return masked(text).replace("|", "%7C")


def digits(value: object) -> str:
    """Return 16 hexadecimal digits that identify the content of a user's file in a signature."""
    return f"{stable_hash.digest(repr(value)):016x}"


@functools.lru_cache(maxsize=64)  # a command is asked for signatures batch by batch
def digits_of(*paths: str) -> str:
    """Return the same for files that are too large to be kept, as they are at the first call."""
    from hashlib import blake2b

    total = blake2b(digest_size=8)
    for path in paths:
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                total.update(block)
    return total.hexdigest()


class Entry(dict):
    """A history entry that this run has made; those that were read are plain dicts.

    unwritten: counts for the closing line that may be others in another run.
    """

    unwritten: Mapping[str, float] = {}


class Failure(dict):
    """The reason under "errors" why this run failed on a record; those read are plain dicts.

    unwritten: as in Entry.
    """

    unwritten: Mapping[str, float] = {}


def add(record: dict, by: str, signature: str | dict[str, str], **facts: object) -> dict:
    """Return the record with one more entry in its history."""
    entry = Entry(by=by, signature=signature, **facts)
    return {**record, "history": [*(record.get("history") or []), entry]}


def failed(record: dict, by: str, reason: str) -> dict:
    """Return a record that could not be worked on, with the reason."""
    return {**record, "errors": [*(record.get("errors") or []), Failure(by=by, reason=reason)]}


def made(record: dict) -> Entry | None:
    """Return the entry that this run has added to a record; None if the record passed through."""
    entries = record.get("history")
    return entries[-1] if entries and type(entries[-1]) is Entry else None


def without_made(record: dict) -> dict:
    """Return a record without the entry that this run has added."""
    if made(record) is None:
        return record
    if len(record["history"]) > 1:
        return {**record, "history": record["history"][:-1]}
    return {key: value for key, value in record.items() if key != "history"}


def failure(record: dict) -> Failure | None:
    """Return why this run could not work on a record; None if it could."""
    errors = record.get("errors")
    return errors[-1] if errors and type(errors[-1]) is Failure else None


def has_failed(record: dict, before: dict) -> bool:
    """Return whether a run failed on a record that it wrote: it has only added to "errors"."""
    return len(record.get("errors") or ()) > len(before.get("errors") or ()) and record.get(
        "history"
    ) == before.get("history")


def check(record: dict) -> None:
    """Raise RecordError for a history, or errors, that do not tell what was done: anybody may have
    written them.
    """
    for entry in record.get("history") or ():
        names, edits_made = entry.get("names") or {}, entry.get("edits") or []
        if not isinstance(names, dict) or not all(
            isinstance(name, str) and name for name in (*names, *names.values())
        ):
            raise RecordError(f'"names" in the history are no map, but {show(names)}', record)
        if not isinstance(edits_made, list) or not all(map(_is_edit, edits_made)):
            raise RecordError(
                f'"edits" in the history are no [pointer, start, end, before, after], but '
                f"{show(edits_made)}",
                record,
            )
        if type(entry.get("undoes", 0)) is not int:
            raise RecordError(f'"undoes" in the history is {show(entry["undoes"])}', record)
    for error in record.get("errors") or ():
        if not isinstance(error.get("by"), str) or not isinstance(error.get("reason"), str):
            raise RecordError(f'no "by" and "reason" in "errors", here is {show(error)}', record)


def _is_edit(edit: object) -> bool:
    if not isinstance(edit, list) or len(edit) < 5:
        return False
    pointer, start, end, before, after = edit[:5]
    are_places = type(start) is type(end) is int
    return isinstance(pointer, str) and are_places and type(before) is type(after) in (str, list)


def count(record: dict, counts: dict[str, int]) -> None:
    """Add to what the last entry of a new record's history counts for the closing line."""
    entry = record["history"][-1]
    entry["counts"] = entry.get("counts", {}) | counts


def count_unwritten(record: dict, counts: Mapping[str, float]) -> None:
    """Add counts for the closing line to what this run made of a record, or to why it failed."""
    last = failure(record) or made(record)
    if last is not None:
        last.unwritten = {**last.unwritten, **counts}


def variant(record: dict, kind: str, number: int) -> str:
    """Return the name of a variant, after what the record's variant is called already.

    >>> variant({"variant": "names:2"}, "typo.case", 1)
    'names:2/typo.case:1'
    """
    if not (kind.isascii() and kind.replace(".", "").isidentifier()):
        from urllib.parse import quote

        kind = quote(kind, safe=" .,=()")
    name = f"{kind}:{number}"
    return f"{record['variant']}/{name}" if record.get("variant") else name


def typed(variant: str) -> str:
    """Return the name of a variant, or of its kind, as people read it: with specs as typed.

    >>> typed("names:2/terms.swap%3Adirection=both:1")
    'names:2/terms.swap:direction=both:1'
    """
    if "%" not in variant:
        return variant
    from urllib.parse import unquote

    return unquote(variant)


def groups(records: Iterable[dict]) -> Iterator[list[dict]]:
    """Yield the records of one source and one system together: the original and its variants.

    Those before an error are not yielded, unless it is about another source: more of them may have
        come.
    """
    errors: list[Exception] = []
    for name, group in groupby(until_error(records, errors), key=source):
        of_source = list(group)
        if not errors or source(getattr(errors[0], "record", None) or of_source[0]) != name:
            yield of_source
    if errors:
        raise errors[0]


def source(record: dict) -> tuple:
    """Return what a record and its variants have in common."""
    return record.get("system"), record.get("id")


def run(record: dict) -> list[dict]:
    """Return the last entry of a record's history, with those of the same chain."""
    entries = record.get("history") or []
    return entries[-step(entries[-1]) :] if entries else []


def step(entry: dict) -> int:
    """Return which step of a chain an entry is: its "step" is [which, of how many]."""
    place = entry.get("step", [1, 1])
    if not (isinstance(place, list) and place and type(place[0]) is int and place[0] > 0):
        raise RecordError(f'"step" in the history is [which, of how many], here is {show(place)}')
    return place[0]


def is_renamed(record: dict) -> bool:
    """Return whether a record has the new names of a swap that was not undone."""
    return any(entry.get("names") for _, entry in standing(record))


def is_meaning_changed(record: dict) -> bool:
    """Return whether a perturbation made a variant that means something else, undone or not: an
    output is of that variant, even where its input was restored.
    """
    return any(entry.get("meaning") == "changed" for entry in record.get("history") or ())


def before_swap(record: dict) -> tuple[dict, list[dict]]:
    """Return a record as it was before its names were swapped, and the entries of what was done.

    The entries are those from the first swap on that were not undone; none if there is no swap.
    """
    entries = [entry for _, entry in standing(record) if entry.get("edits") is not None]
    while entries and not entries[0].get("names"):
        del entries[0]
    for entry in reversed(entries):
        record = edits.undo(record, entry["edits"])
    return record, entries


def undo(record: dict, by: str) -> tuple[dict, dict | None]:
    """Return the record as it was before the last edit, and the entry that is undone.

    The entry is None where the record holds none of this command.  What another command changed
    later stands in the way: RecordError.
    """
    later: list[dict] = []
    for number, entry in reversed(standing(record)):
        if entry.get("edits") is None:
            continue
        if entry.get("by") == by:
            break
        if entry["edits"]:
            later.append(entry)
    else:
        return record, None
    if later:
        raise RecordError(
            f"{later[0].get('by')} changed the record after {by} did: undo the "
            "latest change first, or perturb before renaming",
            record,
        )
    restored = edits.undo(record, entry["edits"])
    before = record["history"][number - 1] if number else {}
    nulls = dict.fromkeys(before.get("null") or ())  # keys that were filled for the command
    return {**restored, **nulls}, {**entry, "number": number}


def standing(record: dict) -> list[tuple[int, dict]]:
    """Return the entries of a record's history that were not undone, with their numbers."""
    entries = record.get("history") or []
    undone = [entry["undoes"] for entry in entries if "undoes" in entry]
    return [(number, entry) for number, entry in enumerate(entries) if number not in undone]
