"""One source for the eye: its original and its variants, text by text, each beside its like.

A row is a turn, a reference, an output, or another text, of the original and of
each variant.  Variants whose names were restored, or whose perturbation was
undone, are shown as the model read them; references and outputs stay as they are.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import zip_longest
from re import escape
from typing import NamedTuple

from dialtools.languages.scripts import compiled
from dialtools.records import dialogue, edits, history
from dialtools.system.errors import RecordError
from dialtools.tables import differences
from dialtools.tables.differences import REMOVED, SAME, Piece

OUTPUT, REFERENCE = "prediction", "reference"
_KEYS = ("text", "context", REFERENCE, OUTPUT)  # shown after the turns
_GENERATOR = "dt-generate"
_NOT_INPUT = (f"/{OUTPUT}", f"/{REFERENCE}")  # pointers of edits
_LETTER = r"[\p{L}\p{N}\p{M}]"


class TextRow(NamedTuple):
    """A text of each record of a source.

    label: "1", "2", … for a turn of the original, "" for one that only variants have, or a key.
    original: the text of the original; None where it has none.
    variants: the texts of the variants, as they differ from the original's; None of one without.
    """

    label: str
    original: str | None
    variants: list[list[Piece] | None]

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
        text = self.variants[number]
        return differences.pieces(self.original or "", "") if text is None else text

    def differs(self, number: int) -> bool:
        """Tell whether a variant has another text than the original, or one where that has none."""
        is_new = self.original is None and self.variants[number] is not None
        return is_new or any(piece.sign != SAME for piece in self.cell(number))


class SourceView(NamedTuple):
    """The records of one source and system; rows: of the dialogue and other input, then outputs.

    original: a record of the group, or what its variants were made of; where no history tells
        that, the first variant takes its place.
    """

    original: dict
    variants: list[dict]
    rows: list[TextRow]


def source(records: Sequence[dict]) -> SourceView:
    """Return the records of one source and system, as `history.groups` yields them, for the eye."""
    variants = [record for record in records if record.get("variant")]
    originals = [record for record in records if not record.get("variant")]
    if not originals and (made_of := _made_of(variants[0])):
        originals = [made_of]
    original, *others = [*originals, *variants]
    return SourceView(original, others, rows(original, others))


def _made_of(variant: dict) -> dict | None:
    """Return the record that a variant was made of, without an output; None if it cannot be told."""
    entries = variant.get("history") or []
    if not any("edits" in entry for entry in entries):
        return None
    undone = [entry["undoes"] for entry in entries if "undoes" in entry]
    standing = [entry for number, entry in enumerate(entries) if number not in undone]
    before = {
        key: value
        for key, value in variant.items()
        if key not in ("variant", OUTPUT, "history", "errors", *dialogue.OF_PREDICTION)
    }
    with suppress(RecordError):
        for entry in reversed(standing):
            of_all = entry.get("edits") or []
            of_input = [edit for edit in of_all if not edit[0].startswith(f"/{OUTPUT}")]
            before = edits.undo(before, of_input)
        return before
    return None


def last_step(variants: Sequence[dict]) -> SourceView:
    """Return variants beside the record that the last filter, or chain, made them of."""
    before = {key: value for key, value in variants[0].items() if key != "variant"}
    for entry in reversed(history.run(variants[0])):
        before = edits.undo(before, entry.get("edits") or [])
    return SourceView(before, [*variants], rows(before, variants))


def rows(original: dict, variants: Sequence[dict]) -> list[TextRow]:
    """Return the texts of an original beside those of its variants: a row for each turn, in which
    turns that only variants have stand where they are inserted, and for each other text.
    """
    read = [*map(as_read, variants)]
    lines, *of_variants = (
        [f"{turn['speaker']}: {turn['text']}" for turn in dialogue.turns(record)]
        for record in (as_read(original), *read)
    )
    # of each variant: for each place, the texts inserted before it, and the one beside it
    placed = []
    for new in of_variants:
        inserted: list[list[str]] = [[]]
        beside: list[str | None] = []
        for place, new_place in differences.aligned(lines, new):
            text = None if new_place is None else new[new_place]
            if place is not None:
                beside.append(text)
                inserted.append([])
            elif text is not None:
                inserted[-1].append(text)
        placed.append((inserted, beside))
    table: list[TextRow] = []
    for place in range(len(lines) + 1):
        for texts in zip_longest(*(inserted[place] for inserted, _ in placed)):
            table.append(_row("", None, texts))
        if place < len(lines):
            variant_lines = [beside[place] for _, beside in placed]
            table.append(_row(str(place + 1), lines[place], variant_lines))

    for key in _KEYS:
        columns = []
        for record in (original, *read):
            value = record.get(key)
            values = value if isinstance(value, list) else [value]
            columns.append([text for text in values if isinstance(text, str)])
        for number, texts in enumerate(zip_longest(*columns)):
            label = key if number == 0 else f"{key} {number + 1}"
            table.append(_row(label, texts[0], texts[1:]))
    return table


def _row(label: str, original: str | None, variants: Sequence[str | None]) -> TextRow:
    """Return a row; of what the original lacks, a turn is new, and outputs differ from the first."""
    first = next((text for text in variants if text is not None), "")
    base = original if original is not None else first if label else ""
    return TextRow(
        label,
        original,
        [None if text is None else differences.pieces(base, text) for text in variants],
    )


def as_read(record: dict) -> dict:
    """Return a record with the input that the model read, if that was undone since.

    What was done after an undoing is taken back, too, if the output is older than that.
    """
    entries = record.get("history") or []
    undone = [entry["undoes"] for entry in entries if "undoes" in entry]
    is_generated = any(entry.get("by") == _GENERATOR for entry in entries)
    with suppress(RecordError, LookupError, TypeError):  # anybody may have written the history
        shown = record
        for number, entry in reversed([*enumerate(entries)]):
            if entry.get("by") == _GENERATOR:
                return shown
            if "undoes" in entry:
                shown = edits.redo(shown, _of_input(entries[entry["undoes"]]["edits"]))
            elif (
                entry.get("edits") and number not in undone and min(undone, default=number) < number
            ):
                if not is_generated:
                    return record
                shown = edits.undo(shown, _of_input(entry["edits"]))
        return shown
    return record


def _of_input(made: list[list]) -> list[list]:
    return [edit for edit in made if not edit[0].startswith(_NOT_INPUT)]


def names(record: dict) -> dict[str, str]:
    """Return the new names of the speakers of a variant, restored or not."""
    names: dict[str, str] = {}
    for entry in record.get("history") or []:
        if isinstance(entry.get("names"), dict) and "undoes" not in entry:
            names |= entry["names"]
    return names


def renamed(row: TextRow, new_names: Sequence[dict[str, str]]) -> list[int]:
    """Return the numbers of the variants that differ from a turn in nothing but new names.

    new_names: of each variant, as `names` returns them.
    """

    def masked(line: str, names: Sequence[str]) -> str:
        """Return a text with the numbers of names in place of them, and of their parts."""
        numbers = _parts(names)
        return compiled(_pattern([*numbers])).sub(lambda name: f"\0{numbers[name[0]]}\0", line)

    if row.original is None or not row.label.isdecimal():
        return []
    variants = []
    for number, new in enumerate(new_names):
        if new and row.differs(number):
            line = "".join(piece.text for piece in row.cell(number) if piece.sign != REMOVED)
            if masked(row.original, [*new]) == masked(line, [*new.values()]):
                variants.append(number)
    return variants


def marked(line: str, old: Iterable[str]) -> list[Piece]:
    """Return a text in which names, and their parts, are marked as removed.

    >>> [*map("".join, marked("Ann: Is Ann-Lee Ray here, Anna?", ["Ann", "Lee Ray"]))]
    ['-Ann', '=: Is ', '-Ann', '=-', '-Lee Ray', '= here, Anna?']
    """
    parts = compiled(f"({_pattern([*_parts([*old])])})").split(line)
    return [
        Piece(REMOVED if number % 2 else SAME, text) for number, text in enumerate(parts) if text
    ]


def _parts(names: Sequence[str]) -> dict[str, int]:
    """Return the numbers of names by these, and by their words such as a surname."""
    numbers = {name: number for number, name in reversed([*enumerate(names)])}
    for number, name in enumerate(names):
        for unit in differences.units(name):
            if unit[0].isalnum() and not unit.islower() and not differences.is_unspaced(unit):
                numbers.setdefault(unit, number)
    return numbers


def _pattern(names: Sequence[str]) -> str:
    """Return a pattern of any of some names, as whole words in scripts with spaces."""
    patterns = []
    for name in sorted(names, key=len, reverse=True):
        before, after = (
            "" if not edge.isalnum() or differences.is_unspaced(edge) else _LETTER
            for edge in (name[0], name[-1])
        )
        patterns.append((before and f"(?<!{before})") + escape(name) + (after and f"(?!{after})"))
    return "|".join(patterns)
