"""Bias specifications: terms for two groups of people, and for what is said of them, in pairs.

A specification is a table of rows with these columns, the first row named so:

kind  target (a group of people), attribute (what is said of it), guard (a word that is never
touched, but
      as a term itself: where 老婆 is a guard and a target, it has no 老 in it and is swapped)
one   a term of the first group (T1, A1)
two   its counterpart in the second (T2, A2); one of the two may be empty; itself where it stays,
in the row
      before another term's, which then has no way back: 高 before 矮 and 高
when  where a term has several counterparts: what its token must have for this one, Case=Acc or
deprel!=nmod:poss
next  where tokens do not tell: the words of which one must follow; . is the end or a sign, " an
opening sign,
      and <उस a word that must stand before
#…    what is not read

A published one is languages/TAG/terms/NAME.tsv.  One's own is a file, called by
a name with a / or a . in it, of the same columns, or without a first row: lines
of TERM TAB TERM, or of TERM; these are pairs and terms of any kind.
"""

import functools
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from dialtools import languages
from dialtools.languages import Language
from dialtools.system import files
from dialtools.system.errors import OptionError, RecordError, nearest, show

KINDS = ("target", "attribute", "guard")
Direction = Literal["forth", "back", "both"]
Group = Literal["one", "two"]


class Row(NamedTuple):
    """A row of a specification; the kind is "" in one's own file that does not tell any."""

    kind: str
    one: str
    two: str = ""
    when: str = ""
    next: str = ""


class Spec(str):
    """A specification by the name of a published one, or of a file, which is read at once."""

    own: tuple[Row, ...] | None

    def __new__(cls, text: str) -> "Spec":
        spec = super().__new__(cls, text)
        spec.own = None
        if "/" in text or "." in text:
            spec.own = parse(files.text(text).splitlines(), text)
            for kind in ("target", "attribute"):
                counterparts(spec, spec.own, kind, "forth")  # says now what is wrong
        elif text not in published():
            raise OptionError(
                f"unknown specification {text!r}{nearest(text, published())}; "
                f"known: {', '.join(published())}; a file needs a / or a . in "
                "its name"
            )
        return spec

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) is True and self.own == getattr(other, "own", None)

    __hash__ = str.__hash__


class Choice(NamedTuple):
    """One counterpart of a term, and where it is the right one."""

    to: str
    when: tuple[str, ...] = ()
    next: frozenset[str] = frozenset()

    @property
    def is_plain(self) -> bool:
        """Tell whether it is right wherever no other one is."""
        return not self.when and not self.next


@functools.lru_cache(maxsize=None)
def published() -> list[str]:
    """Return the names of all specifications of all languages."""
    return sorted(
        {name for code in languages.known() for name in languages.get(code).tables("terms")}
    )


def parse(lines: Iterable[str], name: str) -> tuple[Row, ...]:
    """Return the rows of a user's file. Raise OptionError with the line for a malformed row.

    Empty lines and repeated rows are skipped.
    """
    from unicodedata import normalize

    header: list[str] = []
    found: dict[Row, None] = {}
    for number, line in enumerate(lines, 1):
        cells = [normalize("NFC", " ".join(cell.split())) for cell in line.split("\t")]
        if not any(cells):
            continue
        if not header and cells[0] == "kind":
            header = _header(cells, f"{name}, line {number}")
        else:
            found[_row(header, cells, f"{name}, line {number}")] = None
    if not found:
        raise OptionError(f"{name}: the file has no terms")
    return tuple(found)


def _header(cells: list[str], place: str) -> list[str]:
    read = [cell for cell in cells if not cell.startswith("#")]
    odd = next((cell for cell in read if cell not in Row._fields or read.count(cell) > 1), None)
    if odd is not None or "one" not in cells:
        raise OptionError(
            f"{place}: the columns must be {', '.join(Row._fields)}, each once, not "
            f"{', '.join(cells)}"
        )
    return cells


def _row(header: list[str], cells: list[str], place: str) -> Row:
    if not header:
        if len(cells) > 2 or not all(cells):
            raise OptionError(f"{place}: a line must be TERM, or TERM TAB TERM, not {show(cells)}")
        return Row("", *cells)
    if len(cells) > len(header):
        raise OptionError(f"{place}: {len(cells)} cells, but the first row has {len(header)}")
    read = {
        name: cell for name, cell in zip(header, cells, strict=False) if not name.startswith("#")
    }
    row = Row(**{"kind": "", **read})
    if row.kind not in KINDS:
        raise OptionError(
            f"{place}: a kind must be one of {', '.join(KINDS)}, not "
            f"{row.kind!r}{nearest(row.kind, KINDS)}"
        )
    if not row.one and not row.two:
        raise OptionError(f"{place}: a term is missing")
    return row


def rows(spec: Spec, language: Language) -> tuple[Row, ...]:
    """Return the rows of a specification. Raise RecordError if the language has none."""
    if spec.own is not None:
        return spec.own
    found = _table(str(spec), language.variety)
    if not found:
        own = language.tables("terms")
        raise RecordError(
            f"no specification {spec!r} for the language {language.tag!r}; "
            f"known: {', '.join(own) or 'none'}"
        )
    return found


@functools.lru_cache(maxsize=None)
def _table(name: str, language: Language) -> tuple[Row, ...]:
    return tuple(Row(**row) for row in language.written(f"terms/{name}"))


def listed(found: Iterable[Row], kind: str, group: Group) -> list[str]:
    """Return the terms of a kind for one of the groups, in their order, each once."""
    terms = (getattr(row, group) for row in found if row.kind in (kind, ""))
    return list(dict.fromkeys(filter(None, terms)))


def guards(found: Iterable[Row]) -> list[str]:
    """Return the words that are never changed."""
    return listed((row for row in found if row.kind), "guard", "one")


def known(found: Sequence[Row], kind: str) -> list[str]:
    """Return all words to look for: the terms of both groups (姐夫 is not 姐), and the guards."""
    return [*listed(found, kind, "one"), *listed(found, kind, "two"), *guards(found)]


def counterparts(
    name: str, found: Sequence[Row], kind: str, direction: Direction
) -> dict[str, list[Choice]]:
    """Return {term: its counterparts} of the pairs of a kind, in one direction or both.

    A term that is the counterpart of several has the first of them on the way
    back, but for those with a `when` or `next`.  A term with several counterparts on the
    way forth, or with one each way, is an OptionError.
    """
    pairs = [row for row in found if row.kind in (kind, "") and row.one and row.two]
    forth = _gathered((row.one, row.two, row) for row in pairs)
    back = _gathered((row.two, row.one, row) for row in pairs)
    for term, choices in forth.items():
        if sum(choice.is_plain for choice in choices) > 1:
            raise OptionError(
                f"{name}: {show(term)} has several counterparts, {_told(choices)}: "
                "say which is right in a column `when` or `next`"
            )
    back = {term: _first_plain(choices) for term, choices in back.items()}
    if direction == "both":
        overlap = next(
            (
                term
                for term in forth.keys() & back.keys()
                if _told(forth[term]) != _told(back[term])
            ),
            None,
        )
        if overlap is not None:
            raise OptionError(
                f"{name}: {show(overlap)} is in both groups, for "
                f"{_told(forth[overlap])} and for {_told(back[overlap])}: swap them "
                "one way, forth or back"
            )
    return {"forth": forth, "back": back, "both": back | forth}[direction]


def _gathered(pairs: Iterable[tuple[str, str, Row]]) -> dict[str, list[Choice]]:
    """Return {term: its choices}, each counterpart once."""
    found: dict[str, dict[str, Choice]] = {}
    for term, to, row in pairs:
        choice = Choice(to, tuple(filter(None, row.when.split(","))), frozenset(row.next.split()))
        found.setdefault(term.lower(), {}).setdefault(to, choice)
    return {term: list(choices.values()) for term, choices in found.items()}


def _first_plain(choices: list[Choice]) -> list[Choice]:
    """Return the conditional choices and the first of the others."""
    plain = next((choice for choice in choices if choice.is_plain), None)
    return [choice for choice in choices if choice is plain or not choice.is_plain]


def _told(choices: list[Choice]) -> str:
    return " or ".join(show(choice.to) for choice in choices)
