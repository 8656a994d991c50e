"""One source for the eye: its original and its variants, text by text, each beside its like.

A row is a turn, a reference, an output, or another text, of the original and of
each variant.  Variants whose names were restored, or whose perturbation was
undone, are shown as the model read them; references and outputs stay as they are.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from re import escape
from typing import NamedTuple

from dialtools.languages.scripts import compiled
from dialtools.records import dialogue, edits, history
from dialtools.system.errors import RecordError
from dialtools.tables import differences
from dialtools.tables.differences import REMOVED, SAME, Piece

OUTPUT, REFERENCE = "prediction", "reference"
_KEYS = ("text", "context", REFERENCE, OUTPUT)  # shown after the turns
_LETTER = r"[\p{L}\p{N}\p{M}]"
Cell = list[Piece] | None  # None: the record has no such text


class Row(NamedTuple):
    """A text of each record of a source.

    label: "1", "2", … for a turn of the original, "" for one that only variants have, or a key.
    original: the text of the original; None where it has none.
    variants: the texts of the variants, as they differ from the original's.
    """

    label: str
    original: str | None
    variants: list[Cell]

    @property
    def is_output(self) -> bool:
        """Tell whether it is a prediction."""
        return self.label.startswith(OUTPUT)

    @property
    def is_input(self) -> bool:
        """Tell whether a model reads it: it is no prediction and no reference."""
        return not self.label.startswith((OUTPUT, REFERENCE))

    def cell(self, number: int) -> list[Piece]:
        """Return the text of a variant; if it has none, all of the original's is removed."""
        found = self.variants[number]
        return differences.pieces(self.original or "", "") if found is None else found

    def differs(self, number: int) -> bool:
        """Tell whether a variant has another text than the original, or one where that has none."""
        there = self.variants[number] is not None
        return (
            any(piece.sign != SAME for piece in self.cell(number))
            or there
            and self.original is None
        )


class Source(NamedTuple):
    """The records of one source and system; rows: of the dialogue and other input, then outputs.

    original: a record of the group, or what its variants were made of; where no history tells
        that, the first variant takes its place.
    """

    original: dict
    variants: list[dict]
    rows: list[Row]


def source(records: Sequence[dict]) -> Source:
    """Return the records of one source and system, as `history.groups` yields them, for the eye."""
    variants = [record for record in records if record.get("variant")]
    originals = [record for record in records if not record.get("variant")]
    if not originals and (made_of := _made_of(variants[0])):
        originals = [made_of]
    original, *others = [*originals, *variants]
    return Source(original, others, rows(original, others))


def last_step(variants: Sequence[dict]) -> Source:
    """Return variants beside the record that the last filter, or chain, made them of."""
    before = {key: value for key, value in variants[0].items() if key != "variant"}
    for entry in reversed(history.run(variants[0])):
        before = edits.undo(before, entry.get("edits") or [])
    return Source(before, [*variants], rows(before, variants))


def rows(original: dict, variants: Sequence[dict]) -> list[Row]:
    """Return the texts of an original beside those of its variants."""
    read = [*map(as_read, variants)]
    found = _turns(dialogue.turns(as_read(original)), [*map(dialogue.turns, read)])
    for key in _KEYS:
        own, others = _texts(original.get(key)), [_texts(record.get(key)) for record in read]
        for number in range(max(map(len, (own, *others)))):
            label = key if number == 0 else f"{key} {number + 1}"
            found.append(_row(label, _at(own, number), [_at(other, number) for other in others]))
    return found


def as_read(record: dict) -> dict:
    """Return a record with the input that the model read, if that was undone since."""
    entries = record.get("history") or []
    with suppress(RecordError, LookupError, TypeError):  # anybody may have written the history
        shown = record
        for entry in reversed(entries):
            if "undoes" in entry:
                again = [
                    edit
                    for edit in entries[entry["undoes"]]["edits"]
                    if not edit[0].startswith(("/prediction", "/reference"))
                ]
                shown = edits.redo(shown, again)
        return shown
    return record


def names(record: dict) -> dict[str, str]:
    """Return the new names of the speakers of a variant, restored or not."""
    found: dict[str, str] = {}
    for entry in record.get("history") or []:
        if isinstance(entry.get("names"), dict) and "undoes" not in entry:
            found |= entry["names"]
    return found


def renamed(row: Row, new_names: Sequence[dict[str, str]]) -> list[int]:
    """Return the numbers of the variants that differ from a turn in nothing but new names.

    new_names: of each variant, as `names` returns them.
    """
    if row.original is None or not row.label.isdecimal():
        return []
    found = []
    for number, new in enumerate(new_names):
        if new and row.differs(number):
            line = "".join(piece.text for piece in row.cell(number) if piece.sign != REMOVED)
            if _masked(row.original, [*new]) == _masked(line, [*new.values()]):
                found.append(number)
    return found


def marked(line: str, old: Iterable[str]) -> list[Piece]:
    """Return a text in which names, and their parts, are marked as removed.

    >>> [*map("".join, marked("Ann: Is Ann-Lee Ray here, Anna?", ["Ann", "Lee Ray"]))]
    ['-Ann', '=: Is ', '-Ann', '=-', '-Lee Ray', '= here, Anna?']
    """
    parts = compiled(f"({_pattern([*_parts([*old])])})").split(line)
    return [
        Piece(REMOVED if number % 2 else SAME, text) for number, text in enumerate(parts) if text
    ]


def _masked(line: str, names: Sequence[str]) -> str:
    """Return a text with the numbers of names in place of them, and of their parts."""
    numbers = _parts(names)
    return compiled(_pattern([*numbers])).sub(lambda found: f"\0{numbers[found[0]]}\0", line)


def _parts(names: Sequence[str]) -> dict[str, int]:
    """Return the numbers of names by these, and by their words such as a surname."""
    found = {name: number for number, name in reversed([*enumerate(names)])}
    for number, name in enumerate(names):
        for unit in differences.units(name):
            if unit[0].isalnum() and not unit.islower() and not differences.is_unspaced(unit):
                found.setdefault(unit, number)
    return found


def _pattern(names: Sequence[str]) -> str:
    """Return a pattern of any of some names, as whole words in scripts with spaces."""
    found = []
    for name in sorted(names, key=len, reverse=True):
        before, after = (
            "" if not edge.isalnum() or differences.is_unspaced(edge) else _LETTER
            for edge in (name[0], name[-1])
        )
        found.append((before and f"(?<!{before})") + escape(name) + (after and f"(?!{after})"))
    return "|".join(found)


def _made_of(variant: dict) -> dict | None:
    """Return the record that a variant was made of, without an output; None if it cannot be told."""
    entries = variant.get("history") or []
    undone = [entry["undoes"] for entry in entries if "undoes" in entry]
    standing = [entry for number, entry in enumerate(entries) if number not in undone]
    if not any("edits" in entry for entry in entries):
        return None
    before = {
        key: value
        for key, value in variant.items()
        if key not in ("variant", "prediction", "history", "errors", *dialogue.OF_PREDICTION)
    }
    with suppress(RecordError):
        for entry in reversed(standing):
            own = [
                edit for edit in entry.get("edits") or [] if not edit[0].startswith("/prediction")
            ]
            before = edits.undo(before, own)
        return before
    return None


def _turns(original: list[dict], variants: list[list[dict]]) -> list[Row]:
    """Return a row for each turn; turns that only variants have stand where they are inserted."""
    own = [*map(_line, original)]
    others = [[*map(_line, turns)] for turns in variants]
    found: list[Row] = []
    pairs = [_placed(differences.aligned(own, lines), len(own)) for lines in others]
    for place in range(len(own) + 1):
        inserted = [placed[place][0] for placed in pairs]
        for number in range(max(map(len, inserted), default=0)):
            found.append(
                _row(
                    "",
                    None,
                    [
                        _at([lines[at] for at in places], number)
                        for places, lines in zip(inserted, others, strict=True)
                    ],
                )
            )
        if place < len(own):
            beside = [placed[place][1] for placed in pairs]
            found.append(
                _row(
                    str(place + 1),
                    own[place],
                    [
                        None if at is None else lines[at]
                        for at, lines in zip(beside, others, strict=True)
                    ],
                )
            )
    return found


def _placed(pairs: Iterable[differences.Pair], number: int) -> list[tuple[list[int], int | None]]:
    """Return for each place of the original the tokens inserted before it and the one beside it."""
    found: list[tuple[list[int], int | None]] = [([], None)]
    for one, other in pairs:
        if one is None:
            found[-1][0].append(other)  # type: ignore[arg-type]
        else:
            found[-1] = found[-1][0], other
            found.append(([], None))
    return found


def _line(turn: dict) -> str:
    return f"{turn['speaker']}: {turn['text']}"


def _texts(value: object) -> list[str]:
    """Return a string, or the strings of a list, as a list."""
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str)]


def _at(texts: Sequence[str], number: int) -> str | None:
    return texts[number] if number < len(texts) else None


def _row(label: str, original: str | None, variants: list[str | None]) -> Row:
    """Return a row; of what the original lacks, a turn is new, and outputs differ from the first."""
    first = next((text for text in variants if text is not None), "")
    base = original if original is not None else first if label else ""
    return Row(
        label,
        original,
        [None if text is None else differences.pieces(base, text) for text in variants],
    )
