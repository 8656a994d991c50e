"""Bias specifications: terms for two groups of people, and for what is said of them, in pairs.

A specification is a table of rows with these columns, the first row named so:

kind  target (a group of people), attribute (what is said of it), guard (a word that is never
      touched, but as a term itself: where 老婆 is a guard and a target, it has no 老 in it and is
      swapped)
one   a term of the first group (T1, A1)
two   its counterpart in the second (T2, A2); one of the two may be empty; itself where it stays,
      in the row before another term's, which then has no way back: 高 before 矮 and 高
when  where a term has several counterparts: what its token must have for this one, Case=Acc or
      deprel!=nmod:poss, or the next one's tag, follows=PROPN
next  where tokens do not tell: the words of which one must follow; . is the end or a sign, " an
      opening sign, and <उस a word that must stand before
#…    what is not read

A published one is languages/TAG/terms/NAME.tsv.  One's own is a file, called by
a name with a / or a . in it, of the same columns, or without a first row: lines
of TERM TAB TERM, or of TERM; these are pairs and terms of any kind.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.system import files
from dialtools.system.errors import OptionError, RecordError, nearest, show

KINDS = ("target", "attribute", "guard")
Direction = Literal["forth", "back", "both"]
Group = Literal["one", "two"]


class Row(NamedTuple):
    """A row of a specification; the kind is "" in one's own file that does not tell any."""

    # signatures hold a digest of rows as Python shows them: another name would make others

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
        elif text not in (names := published()):
            raise OptionError(
                f"unknown specification {text!r}{nearest(text, names)}; "
                f"known: {', '.join(names)}; a file needs a / or a . in its name"
            )
        return spec

    def __eq__(self, other: object) -> bool:
        return str.__eq__(self, other) is True and self.own == getattr(other, "own", None)

    __hash__ = str.__hash__


class Counterpart(NamedTuple):
    """One counterpart of a term, and where it is the right one."""

    to: str
    when: tuple[str, ...] = ()
    next: frozenset[str] = frozenset()

    @property
    def is_plain(self) -> bool:
        """Tell whether it is right wherever no other one is."""
        return not self.when and not self.next


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
    rows: dict[Row, None] = {}
    for number, line in enumerate(lines, 1):
        cells = [normalize("NFC", " ".join(cell.split())) for cell in line.split("\t")]
        place = f"{name}, line {number}"
        if not any(cells):
            continue
        if header or cells[0] != "kind":
            rows[_row(header, cells, place)] = None
            continue
        header = cells
        columns = [cell for cell in cells if not cell.startswith("#")]
        unknown = set(columns).difference(Row._fields)
        if unknown or len(set(columns)) < len(columns) or "one" not in columns:
            raise OptionError(
                f"{place}: the columns must be {', '.join(Row._fields)}, each once, not "
                f"{', '.join(cells)}"
            )
    if not rows:
        raise OptionError(f"{name}: the file has no terms")
    return tuple(rows)


def _row(header: list[str], cells: list[str], place: str) -> Row:
    """Return a row of a user's file. Raise OptionError for a malformed one."""
    if not header:
        if len(cells) > 2 or not all(cells):
            raise OptionError(f"{place}: a line must be TERM, or TERM TAB TERM, not {show(cells)}")
        return Row("", *cells)
    if len(cells) > len(header):
        raise OptionError(f"{place}: {len(cells)} cells, but the first row has {len(header)}")
    named = zip(header, cells, strict=False)
    row = Row(**{"kind": "", **{name: cell for name, cell in named if name[:1] != "#"}})
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
    published_rows = _published(language.variety, str(spec))
    if not published_rows:
        raise RecordError(
            f"no specification {spec!r} for the language {language.tag!r}; "
            f"known: {', '.join(language.tables('terms')) or 'none'}"
        )
    return published_rows


@once_per_language
def _published(language: Language, name: str) -> tuple[Row, ...]:
    return tuple(Row(**row) for row in language.written(f"terms/{name}"))


def listed(rows: Iterable[Row], kind: str, group: Group) -> list[str]:
    """Return the terms of a kind for one of the groups, in their order, each once."""
    terms = (getattr(row, group) for row in rows if row.kind in (kind, ""))
    return list(dict.fromkeys(filter(None, terms)))


def known(rows: Sequence[Row], kind: str) -> list[str]:
    """Return all words to look for: the terms of both groups (姐夫 is not 姐), and the guards."""
    guards = [row.one for row in rows if row.kind == "guard"]
    return [*listed(rows, kind, "one"), *listed(rows, kind, "two"), *filter(None, guards)]


def counterparts(
    name: str, rows: Sequence[Row], kind: str, direction: Direction
) -> dict[str, list[Counterpart]]:
    """Return {term: its counterparts} of the pairs of a kind, in one direction or both.

    A term that is the counterpart of several has the first of them on the way
    back, but for those with a `when` or `next`.  A term with several counterparts on the
    way forth, or with one each way, is an OptionError.
    """
    pairs = [row for row in rows if row.kind in (kind, "") and row.one and row.two]
    forth = _choices((row.one, row.two, row) for row in pairs)
    for term, choices in forth.items():
        if sum(choice.is_plain for choice in choices) > 1:
            raise OptionError(
                f"{name}: {show(term)} has several counterparts, {_either(choices)}: "
                "say which is right in a column `when` or `next`"
            )
    back = _choices((row.two, row.one, row) for row in pairs)
    for term, choices in back.items():
        plain = next((choice for choice in choices if choice.is_plain), None)
        back[term] = [choice for choice in choices if choice is plain or not choice.is_plain]
    if direction == "both":
        for term in forth.keys() & back.keys():
            if _either(forth[term]) != _either(back[term]):
                raise OptionError(
                    f"{name}: {show(term)} is in both groups, for {_either(forth[term])} and for "
                    f"{_either(back[term])}: swap them one way, forth or back"
                )
    return {"forth": forth, "back": back, "both": back | forth}[direction]


def _choices(pairs: Iterable[tuple[str, str, Row]]) -> dict[str, list[Counterpart]]:
    """Return {term in lower case: its choices}, each counterpart once."""
    gathered: dict[str, dict[str, Counterpart]] = {}
    for term, to, row in pairs:
        choice = Counterpart(
            to, tuple(filter(None, row.when.split(","))), frozenset(row.next.split())
        )
        gathered.setdefault(term.lower(), {}).setdefault(to, choice)
    return {term: list(choices.values()) for term, choices in gathered.items()}


def _either(choices: list[Counterpart]) -> str:
    return " or ".join(show(choice.to) for choice in choices)
