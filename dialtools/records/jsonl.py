"""JSON Lines in and out, one record at a time; errors say FILE:LINE.

A record is a plain dict; the README lists the keys.  What a filter does not
know passes through it value for value and in its order.
"""

import functools
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from types import ModuleType
from typing import Any, Literal

from dialtools.records import wellformed
from dialtools.system.batches import Listed
from dialtools.system.errors import RecordError, show, show_names
from dialtools.system.files import BOM, STANDARD, called, open_input, open_output, ready
from dialtools.system.stable_hash import Seen

KEYS = ("id", "cluster", "lang", "dialogue", "text", "context", "reference", "prediction", "system")
_OTHERWISE = ("dialogue", "reference", "prediction")  # what data sets call otherwise
_OF_TALKS = "; jq -c '{dialogue: .}' | dt-convert makes records of lists of turns"
_OTHER_FILE = "; records are JSON Lines, as dt-convert --from auto and jq -c write them"
# what makes text of what begins so
_TO_TEXT = {
    b"\x1f\x8b": "gzip -dc",
    b"\x28\xb5": "zstd -dc",
    b"\xff\xfe": "iconv -f UTF-16 -t UTF-8",
    b"\xfe\xff": "iconv -f UTF-16 -t UTF-8",
}

Named = Literal["assumed", "given", "own"]

# Digits turned to 0 and all else to spaces shows long integers fifteen times faster than a regular
# expression does.
# Of 19 digits in a row one is among every 19th byte, and two in a row among every ninth, which is
# faster to see; and
# to look for a byte by its number is twice as fast as to look for b"0".
_DIGITS = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))
_ZERO, _LONG = 48, b"0" * 19


def loads(line: bytes) -> dict:
    """Return the record on a line; a RecordError gives the reason and the column."""
    try:
        record = parse(line)
    except RecordError as error:
        begun = line.strip()
        hint = "" if begun[:1] == b"{" != begun else _OTHER_FILE
        raise RecordError(error.reason + hint, place=error.place) from None
    if type(record) is dict:
        return record
    is_talk = type(record) is list and bool(record) and all(type(item) is str for item in record)
    raise RecordError(
        "a record is a JSON object, here is "
        f"{show(record, 30)}{_OF_TALKS if is_talk else _OTHER_FILE}"
    )


def parse(data: bytes) -> Any:
    """Return a JSON value with exact integers; a RecordError gives reason, line and column.

    What is greater than any float (1.798e308) is refused, as Infinity is.
    """
    try:
        value = _orjson().loads(data)
    except ValueError as error:
        raise _unreadable(data, error) from None
    if (
        _ZERO in data[::19].translate(_DIGITS)
        and b"00" in data[::9].translate(_DIGITS)
        and _LONG in data.translate(_DIGITS)
    ):
        import json

        try:
            value = json.loads(data)  # orjson makes a float of an integer beyond 64 bits
        except RecursionError:
            raise RecordError("not JSON: nested too deeply") from None
    return value


@functools.lru_cache(maxsize=None)
def _orjson() -> ModuleType:
    """Return orjson; an import statement for each record would cost a tenth of the reading."""
    import orjson

    return orjson


def _unreadable(data: bytes, error: ValueError) -> RecordError:
    """Return what is wrong with data that is not JSON or not UTF-8, with line and column."""
    try:
        text = data.decode().rstrip()
    except UnicodeDecodeError as wrong:
        return not_utf8(wrong)
    at = error.pos  # type: ignore[attr-defined]
    if text.startswith(("NaN", "Infinity", "-Infinity"), at):
        return _after(text[:at], "not JSON: NaN and Infinity; a number that is missing is null")
    return _after(text[:at], f"not JSON: {error.msg}")  # type: ignore[attr-defined]


def not_utf8(error: UnicodeDecodeError) -> RecordError:
    """Return where data is no text, with the line and the column, and what makes it text."""
    program = _TO_TEXT.get(error.object[:2], "iconv -f ENCODING -t UTF-8")
    return _after(
        error.object[: error.start].decode(),
        f"not UTF-8: byte 0x{error.object[error.start]:02x}",
        f"; {program} makes it so",
    )


def _after(text: str, reason: str, hint: str = "") -> RecordError:
    """Return the error that something is wrong right after a text."""
    return RecordError(
        f"{reason} (column {len(text) - text.rfind(chr(10))}){hint}",
        place=str(text.count("\n") + 1),
    )


def dumps(record: dict) -> bytes:
    """Return the line of a record, with its newline."""
    orjson = _orjson()
    try:
        return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # an integer beyond 64 bits, or deep nesting
        import json

        try:
            text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        except (RecursionError, TypeError, ValueError) as error:
            # a date of pandas, a cycle
            reason = "nested too deeply" if isinstance(error, RecursionError) else error
            raise RecordError(f"not to be written as JSON: {reason}", record) from None
        return text.encode() + b"\n"


def read(
    *paths: str,
    keys: Iterable[str] = (),
    lang: str | None = None,
    limit: int | None = None,
    rename: dict[str, str] | None = None,
    note: Callable[[str], None] = lambda key: None,
) -> Listed:
    """Return the records of JSON Lines files, one after the other; "-" or none: standard input.

    limit: how many records to read; the others: as in `validated`.
    """
    return validated(lines(paths, limit), keys=keys, lang=lang, rename=rename, note=note)


def validated(
    items: Iterable[tuple[str, Any]],
    *,
    make: Callable = loads,
    start: int = 1,
    keys: Iterable[str] = (),
    lang: str | None = None,
    rename: dict[str, str] | None = None,
    remember: Callable[[tuple[tuple, str]], None] = lambda pair: None,
    note: Callable[[str], None] = lambda key: None,
    refused: Callable[[RecordError], None] | None = None,
    order: "Order | AnyOrder | None" = None,
    assumed: bool = False,
) -> Listed:
    """Return the records that are made of pairs ("FILE:LINE", item); start: the first one's number.

    A malformed value of a key that we know is an error, even if nobody wants the
    key; turns are looked at only where `keys` ask for the dialogue.

    A record without an id gets "1", "2", … by input order.  An id that comes
    back after another one, and a variant that is there twice, is an error.

    make: item -> record.
    keys: what every record must have; "dialogue|text" wants one of the two.
    lang: the language of records that name none; None leaves them as they are.
    rename: keys that exchange their names, such as {"summary": "prediction"}.
    remember: takes the `key` of each record with its "FILE:LINE", for later messages.
    note: called with "id" or "lang" for each record that lacked it.
    refused: called with the error of a malformed record, which is left out; None: raise it.
    order: knows the ids that came before.
    assumed: nobody gave `lang`; a record whose text is in another script is malformed.
    """
    wanted = [(name.partition("|")[0], name) for name in keys]  # most records have the first of two
    deep = any("dialogue" in name.split("|") for _, name in wanted)
    admit, numbers = (order or Order()).admit, count(start)

    def records(found: Iterable[tuple[str, Any]]) -> Iterator[dict]:
        for (place, item), number in zip(found, numbers, strict=False):
            try:
                record = make(item)
                if rename:
                    record = exchange(record, rename)
                is_unnamed = record.get("lang") is None
                if is_unnamed or record.get("id") is None:
                    record = complete(record, number, lang, note)
                if not wellformed.is_plain(record, deep):
                    refuse(record, deep)
                # without a language, none assumed, there is no script to require
                if is_unnamed and lang and not (lang == "en" and _is_ascii(item)):
                    require_script(record, "assumed" if assumed else "given")
                for first, name in wanted:
                    if record.get(first) is None:
                        need(record, name, rename)
                remember((admit(record), place))
            except RecordError as error:
                malformed = RecordError(error.reason, error.record, place)
                if refused is None:
                    raise malformed from None
                refused(malformed)
            else:
                yield record

    found = items.lists if isinstance(items, Listed) else ([item] for item in items)
    return Listed(map(records, found), validated=lang is not None)


def lines(paths: Iterable[str], limit: int | None = None) -> Listed:
    """Return pairs ("FILE:LINE", line) of the first `limit` non-blank lines, without BOM."""
    return Listed(_lines(paths) if limit is None else _first(_lines(paths), limit))


def _lines(paths: Iterable[str]) -> Iterator[Iterable[tuple[str, bytes]]]:
    for path in paths or (STANDARD,):
        numbers = count(1)
        with open_input(path) as file:
            for found in ready(file):
                yield _placed(called(path), found, numbers)


def _placed(
    name: str, found: Iterable[bytes], numbers: Iterator[int]
) -> Iterator[tuple[str, bytes]]:
    for line, number in zip(found, numbers, strict=False):
        if number == 1:
            line = line.removeprefix(BOM)
        if line and not line.isspace():  # nothing is left of a line that is but a BOM
            yield f"{name}:{number}", line


def _first(lists: Iterator[Iterable], limit: int) -> Iterator[Iterator]:
    """Yield the first items of lists, and do not ask for more input after the last."""
    left = limit

    def passed(found: Iterable) -> Iterator:
        nonlocal left
        for item in islice(found, left):
            left -= 1
            yield item

    while left and (found := next(lists, None)) is not None:
        yield passed(found)


def write(records: Iterable[dict], path: str = STANDARD) -> None:
    """Write JSON Lines to standard output, or to a file that appears only when it is complete."""
    with open_output(path) as file:
        for record in records:
            if not isinstance(record, dict):
                raise RecordError(f"a record is a dict, here is {show(record)}")
            file.write(dumps(record))
        file.flush()


def key(record: dict) -> tuple:
    """Return what identifies a record among others: (system, id, variant)."""
    return record.get("system"), record.get("id"), record.get("variant")


def exchange(record: dict, names: dict[str, str] | None) -> dict:
    """Return the record with pairs of keys exchanged; done twice, it is the same record again."""
    if not names:
        return record
    both = names | {new: old for old, new in names.items()}
    return {both.get(key, key): value for key, value in record.items()}


def complete(
    record: dict,
    number: int,
    lang: str | None = None,
    note: Callable[[str], None] = lambda key: None,
) -> dict:
    """Return the record with an id (its number, as a string) and a language, if it has none.

    An entry of the history says that the language was null, so that undo can give that back.
    """
    if record.get("id") is None:
        note("id")
        record = {"id": str(number)} | record | {"id": str(number)}
    if lang and record.get("lang") is None:
        note("lang")
        entries = record.get("history") or []
        if "lang" in record and isinstance(entries, list):
            filled = {"by": "input", "signature": "null|keys:lang", "null": ["lang"]}
            record = record | {"history": [*entries, filled]}
        record = record | {"lang": lang}
    return record


def require_script(record: dict, named: Named = "assumed") -> None:
    """Raise RecordError if a record has hardly a letter of the script of its language.

    One text in that script is enough, as in a translation.

    named: who named the language: "assumed", nobody; "given", --lang; "own", the record itself.
    """
    from dialtools.languages import evidence
    from dialtools.records import dialogue

    lang, whole = record["lang"], record.get("dialogue")
    turns = whole if isinstance(whole, list) else [{"text": whole}]
    if evidence.is_latin("\n".join(_texts(record, turns)), lang):
        return
    if isinstance(whole, str):  # its speakers may be called A and B
        turns = dialogue.turns(record)
    texts = _texts(record, turns)
    verdicts = {evidence.is_foreign(text, lang) for text in texts}
    if True not in verdicts or False in verdicts:
        return
    known = evidence.Evidence()
    known.add("\n".join(texts))
    guess = known.guess()
    such = f", such as {', '.join(guess.others)}" if guess.others else ""
    tag, letters = guess.lang or "TAG", guess.script
    said = {
        "assumed": f'no "lang", and its letters are {letters}, which {lang} is not written in: '
        f"--lang {tag}",
        "given": f"its letters are {letters}, which {lang} is not written in: --lang {tag}",
        "own": f'its "lang" is {show(lang)}, which is not written in {letters} letters, as it '
        f"is: dt-convert --set lang={tag}",
    }
    raise RecordError(said[named] + such, record)


def _is_ascii(item: Any) -> bool:
    """Is a line of JSON in ASCII, without escapes? Most of English are, and it is told at once."""
    return isinstance(item, bytes) and item.isascii() and rb"\u" not in item


def _texts(record: dict, turns: list) -> list[str]:
    """Return what is written in the language of a record; what is malformed is left out."""
    reference, prediction = record.get("reference"), record.get("prediction")
    said = [turn.get("text") for turn in turns if isinstance(turn, dict)]
    texts = ["\n".join(text for text in said if isinstance(text, str)), record.get("text")]
    for own in (reference, prediction):
        texts += own if isinstance(own, list) else [own]
    return [text for text in texts if isinstance(text, str)]


def refuse(record: dict, deep: bool = True) -> None:
    """Raise RecordError for the first malformed value; deep: as in `wellformed.problems`."""
    for _, problem in wellformed.problems(record, deep):
        raise RecordError(problem, record)


def require(record: dict, wanted: str) -> None:
    """Raise RecordError unless the record has a well-formed `wanted`; "a|b": one of the two."""
    need(record, wanted)
    for name in wanted.split("|"):
        if problem := wellformed.problem(name, record.get(name)):
            raise RecordError(problem, record)


def need(record: dict, wanted: str, renamed: dict[str, str] | None = None) -> None:
    """Raise RecordError unless the record has `wanted`, well-formed or not.

    renamed: keys that were exchanged; people know them as they were.
    """
    names = wanted.split("|")
    if all(record.get(name) is None for name in names):
        missing = " nor ".join(f'"{name}"' for name in exchange(dict.fromkeys(names), renamed))
        present = show_names(
            name for name, value in exchange(record, renamed).items() if value is not None
        )
        elsewhere = [name for name in names if name in _OTHERWISE]
        hint = ""
        if elsewhere:
            hint = f"; dt-convert --field {elsewhere[0]}=KEY takes it from elsewhere"
        raise RecordError(f"no {missing}; the record has {present}{hint}", record)


class AnyOrder:
    """Lets the records of one source stand anywhere, for who holds all of them."""

    def admit(self, record: dict) -> tuple:
        """Return the key of the next record."""
        return key(record)


class Order:
    """Checks that the records of one source stand together, and that each variant comes once."""

    def __init__(self, is_new: Callable[[tuple], bool] | None = None) -> None:
        self.group: tuple = ()
        self.variants: set = set()  # of the records of a source, from the second on
        self.first: object = None  # that of the first
        self.is_new = is_new or Seen().is_new

    def admit(self, record: dict) -> tuple:
        """Return the key of the next record; RecordError where it may not come next."""
        get = record.get
        # its `key`; a call would cost a tenth
        known = system, id, variant = get("system"), get("id"), get("variant")
        group = system, id
        if group == self.group:
            if variant == self.first or variant in self.variants:
                raise RecordError("the same id and variant again", record)
            self.variants.add(variant)
            return known
        # hash(-1) == hash(-2); 1 is not "1"
        if not self.is_new(group if type(id) is str else (system, (repr(id),))):
            self.group = ()  # the next record of this id is refused, too
            raise RecordError(
                "an id that came before, after other ids: the records of one id "
                "must stand together",
                record,
            )
        self.group, self.first = group, variant
        if self.variants:
            self.variants = set()
        return known
