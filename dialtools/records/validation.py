"""Records checked as they are read: ids and languages completed, values well-formed, order kept."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any, Literal

from dialtools.records import ratings, wellformed
from dialtools.system.batches import Listed, lists
from dialtools.system.errors import RecordError, nearest, show, show_names
from dialtools.system.stable_hash import Seen

# what data sets call otherwise, and how
_OTHERWISE = {
    "dialogue": ("dialog", "conversation", "chat", "transcript", "messages", "turns", "utterances"),
    "reference": ("summary", "gold", "target", "highlights", "references", "ground_truth"),
    "prediction": ("output", "hypothesis", "hyp", "generated", "pred", "predictions", "outputs")
    + ("generated_text", "candidate", "response", "answer"),
}


class Records(Listed):
    """Records that were checked and have an id and a language, in lists of those that came together.

    Those without a language are a Listed: somebody may still say which it is.

    with_failures: whether a filter that works ahead yields those that it fails on, or ends.
    """

    def __init__(self, lists: Iterable[Iterable], with_failures: bool = False):
        super().__init__(lists)
        self.with_failures = with_failures


def validated(
    items: Iterable[tuple[str, Any]],
    *,
    make: Callable[[Any], dict],
    start: int = 1,
    keys: Iterable[str] = (),
    deep: bool = False,
    lang: str | None = None,
    rename: dict[str, str] | None = None,
    remember: Callable[[tuple[tuple, str]], None] = lambda pair: None,
    note: Callable[[str], None] = lambda key: None,
    refused: Callable[[RecordError], None] | None = None,
    order: "Order | AnyOrder | None" = None,
    assumed: bool = False,
) -> Listed:
    """Return the records that are made of pairs ("FILE:LINE", item); start: the first one's number.

    A malformed value of a key that we know is an error, even if nobody wants the key; so is an id
    that comes back after another one, and a variant that is there twice.  A record without an id
    gets "1", "2", … by input order.

    make: item -> record.
    keys: what every record must have; "dialogue|text" wants one of the two.
    deep: look at turns, people and tokens, too; so do keys that ask for the dialogue.
    lang: the language of records that name none; None leaves them as they are.
    rename: keys that exchange their names, such as {"summary": "prediction"}.
    remember: takes the `key` of each record with its "FILE:LINE", for later messages.
    note: called with "id" or "lang" for each record that lacked it.
    refused: called with the error of a malformed record, which is left out; None: raise it.
    order: knows the ids that came before.
    assumed: nobody gave `lang`; a record whose text is in another script is malformed.
    """
    wanted = [(name.partition("|")[0], name) for name in keys]  # most records have the first of two
    deep = deep or any("dialogue" in name.split("|") for _, name in wanted)
    admit, numbers = (order or Order()).admit, count(start)

    def records(held: Iterable[tuple[str, Any]]) -> Iterator[dict]:
        for (place, item), number in zip(held, numbers, strict=False):
            try:
                record = exchange(make(item), rename)
                is_unnamed = record.get("lang") is None
                if is_unnamed or record.get("id") is None:
                    record = complete(record, number, lang, note)
                if not wellformed.is_plain(record, deep):
                    wellformed.refuse(record, deep)
                if is_unnamed and lang and not (lang == "en" and _is_ascii(item)):
                    require_script(record, "assumed" if assumed else "given")
                for first, name in wanted:
                    if record.get(first) is None:
                        need(record, name, rename)
                remember((admit(record), place))
            except RecordError as error:
                error = RecordError(error.reason, error.record, place or None)
                if refused is None:
                    raise error from None
                refused(error)
            else:
                yield record

    return (Listed if lang is None else Records)(map(records, lists(items)))


def _is_ascii(item: Any) -> bool:
    """Is a line of JSON in ASCII, without escapes? Most of English are, and it is told at once."""
    return isinstance(item, bytes) and item.isascii() and rb"\u" not in item


def _warn(lacking: str) -> None:
    """Warn a Python program of numbers in the place of ids: each of its blocks would have them."""
    if lacking == "id":
        warnings.warn(
            'records without "id" are numbered from "1" by input order; give the '
            "records of a divided corpus ids before it is divided",
            stacklevel=2,
        )


def completed(
    records: Iterable[dict],
    note: Callable[[str], None] = _warn,
    order: "Order | None" = None,
    deep: bool = False,
    lang: str | None = None,
) -> Records:
    """Return validated records with an id (else their number) and a language (else en).

    Those of a run are so already.  Those of a Python program may be malformed.

    note, order, deep, lang: as in `validated`; the default warns of ids, and takes any order.
    """
    if isinstance(records, Records):
        return records

    def given(record: object) -> dict:
        if not isinstance(record, dict):
            raise RecordError(f"a record is a dict, here is {show(record)}")
        return record

    items = Listed((("", record) for record in held) for held in lists(records))
    listed = validated(
        items,
        make=given,
        lang=lang or "en",
        note=note,
        order=order or AnyOrder(),
        assumed=lang is None,
        deep=deep,
    )
    return Records(listed.lists)


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


def require_script(record: dict, named: Literal["assumed", "given", "own"] = "assumed") -> None:
    """Raise RecordError if a record has hardly a letter of the script of its language.

    One text in that script is enough, as in a translation.

    named: who named the language: "assumed", nobody; "given", --lang; "own", the record itself.
    """
    from dialtools.languages import evidence
    from dialtools.records import dialogue

    def texts(turns: list) -> list[str]:
        """Return what is written in the record's language; what is malformed is left out."""
        utterances = [turn.get("text") for turn in turns if isinstance(turn, dict)]
        values: list[Any] = ["\n".join(text for text in utterances if isinstance(text, str))]
        values.append(record.get("text"))
        for value in (record.get("reference"), record.get("prediction")):
            values += value if isinstance(value, list) else [value]
        return [text for text in values if isinstance(text, str)]

    lang, value = record["lang"], record.get("dialogue")
    turns = value if isinstance(value, list) else [{"text": value}]
    if evidence.is_latin("\n".join(texts(turns)), lang):
        return
    if isinstance(value, str):  # its speakers may be called A and B
        turns = dialogue.turns(record)
    verdicts = {evidence.is_foreign(text, lang) for text in texts(turns)}
    if True not in verdicts or False in verdicts:
        return

    known = evidence.Evidence()
    known.add("\n".join(texts(turns)))
    guess = known.guess()
    examples = f", such as {', '.join(guess.others)}" if guess.others else ""
    tag, letters = guess.lang or "TAG", guess.script
    reasons = {
        "assumed": f'no "lang", and its letters are {letters}, which {lang} is not written in: '
        f"--lang {tag}",
        "given": f"its letters are {letters}, which {lang} is not written in: --lang {tag}",
        "own": f'its "lang" is {show(lang)}, which is not written in {letters} letters, as it '
        f"is: dt-convert --set lang={tag}",
    }
    raise RecordError(reasons[named] + examples, record)


def need(record: dict, wanted: str, renamed: dict[str, str] | None = None) -> None:
    """Raise RecordError unless the record has `wanted`, well-formed or not; "a|b": one of the two.

    renamed: keys that were exchanged by --key; people know them as they were.  None: that is no
        option here.
    """
    names = wanted.split("|")
    if all(record.get(name) is None for name in names):
        called_here = list(exchange(dict.fromkeys(names), renamed))
        missing = " nor ".join(f'"{name}"' for name in called_here)
        present = [key for key, value in exchange(record, renamed).items() if value is not None]
        elsewhere = next((name for name in names if name in _OTHERWISE), None)
        hint = ""
        if called_here != names:  # by an option, perhaps mistyped
            missing += nearest(called_here[0], present)
        elif elsewhere:
            likely = (elsewhere, *_OTHERWISE[elsewhere])
            called = next((key for key in present if key.lower() in likely), "NAME")
            place = "elsewhere" if called == "NAME" else "there"
            # turns are often called otherwise, too
            is_field = renamed is None or elsewhere == "dialogue"
            option = "dt-convert --field" if is_field else "--key"
            hint = f"; {option} {elsewhere}={called} takes it from {place}"
        raise RecordError(f"no {missing}; the record has {show_names(present)}{hint}", record)


def require(record: dict, wanted: str) -> None:
    """Raise RecordError unless the record has a well-formed `wanted`; "a|b": one of the two."""
    need(record, wanted)
    for name in wanted.split("|"):
        if problem := wellformed.problem(name, record.get(name)):
            raise RecordError(problem, record)


def exchange(record: dict, names: dict[str, str] | None) -> dict:
    """Return the record with pairs of keys exchanged; done twice, it is the same record again."""
    if not names:
        return record
    new_names = names | {new: old for old, new in names.items()}
    return {new_names.get(key, key): value for key, value in record.items()}


def key(record: dict) -> tuple:
    """Return what identifies a record among others: (system, id, variant)."""
    return record.get("system"), record.get("id"), record.get("variant")


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
                hint = ratings.hint(record, "dt-convert --raters")
                raise RecordError(f"the same id and variant again{hint}", record)
            self.variants.add(variant)
            return known
        # hash(-1) == hash(-2); 1 is not "1"
        if not self.is_new(group if type(id) is str else (system, (repr(id),))):
            self.group = ()  # the next record of this id is refused, too
            hint = ratings.hint(record, "dt-convert --raters")
            raise RecordError(
                "an id that came before, after other ids: the records of one id "
                f"must stand together{hint}",
                record,
            )
        self.group, self.first = group, variant
        if self.variants:
            self.variants = set()
        return known
