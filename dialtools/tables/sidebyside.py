"""A source as lines of text: its one variant beside its original, or several below each text.

References, outputs and scores come before the dialogue.  Of several variants, those that differ
from a turn in nothing but new names are not repeated below it; its names are marked.
What a variant changed is in colour (removed: red, struck out; added: green,
underlined) or, without colours, in marks: [-removed-]{+added+}.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, islice, zip_longest
from typing import NamedTuple

from dialtools.records import history
from dialtools.system import terminal
from dialtools.system.files import STANDARD
from dialtools.tables import differences, shades, sources
from dialtools.tables.differences import ADDED, REMOVED, SAME, Piece
from dialtools.tables.shades import Attribution
from dialtools.tables.sources import SourceView, TextRow

FIRST = 5  # variants that --diff shows
NARROWEST = 30  # columns for a record beside another
LABEL = 12  # columns for what a text is called
CONTEXT = 5  # words, spaces and signs that are repeated beside a change
BETWEEN = " | "
_STYLES = {REMOVED: "31;9", ADDED: "32;4"}
# backgrounds of words that an output hangs on, from 256 colours: for it, and against it
_SHADES = {
    **{f"for{level}": f"30;48;5;{code}" for level, code in enumerate((230, 223, 216, 209), 1)},
    **{f"against{level}": f"30;48;5;{code}" for level, code in enumerate((195, 153, 111, 69), 1)},
}
_MARKS = {REMOVED: ("[-", "-]"), ADDED: ("{+", "+}")}
_HEADING, _QUIET, _PLAIN = "1", "2", "\x1b[0m"


class Paper(NamedTuple):
    """What lines are made for: a width in columns, with or without colours.

    indent: columns before a text, where its label stands.
    """

    width: int = 80
    colours: bool = False
    indent: int = LABEL

    def styled(self, style: str, text: str) -> str:
        """Return a text in a style, if there are colours."""
        return f"\x1b[{style}m{text}{_PLAIN}" if self.colours and style and text else text


class Token(NamedTuple):
    """A part of a text that stays on one line."""

    sign: str
    text: str
    width: int
    may_begin: bool  # a line
    ends: bool  # the line


def renderer(output: str) -> Callable[[Iterable[dict]], Iterator[bytes]]:
    """Return what renders the first variants that were changed, with what they were made of; a file
    gets no colours.
    """
    paper = Paper(terminal.columns(), output == STANDARD and terminal.colours())

    def rendered(records: Iterable[dict]) -> Iterator[bytes]:
        changed = (
            record for record in records if any(entry.get("edits") for entry in history.run(record))
        )
        for _, group in groupby(islice(changed, FIRST), key=history.source):
            for line in lines(sources.last_step(list(group)), paper):
                yield f"{line}\n".encode()

    return rendered


def lines(
    source: SourceView,
    paper: Paper,
    titles: Sequence[str] = (),
    scores: Callable[[dict], str] = lambda record: "",
) -> Iterator[str]:
    """Yield the lines of a source and an empty one.

    titles: what to add to its id.
    scores: what to say of the scores of a record.
    """
    original = source.original
    heading = [str(original["id"]), original.get("lang"), original.get("system"), *titles]
    yield paper.styled(_HEADING, terminal.visible("  ".join(filter(None, heading))))
    width = (paper.width - len(BETWEEN)) // 2
    if len(source.variants) == 1 and width >= NARROWEST:
        yield from _beside(source, paper, width, scores)
    else:
        yield from _below(source, paper, scores)
    for record in (source.original, *source.variants):
        for attribution in shades.of(record):
            yield from _shaded(_name(record), attribution, paper)
    yield ""


def _shaded(name: str, attribution: Attribution, paper: Paper) -> Iterator[str]:
    """Yield the lines of what an output hangs on; without colours, the weights stand in percent
    behind the words of the upper half.
    """
    yield paper.styled(_QUIET, terminal.visible(f"attribution of {name}: {attribution.title}"))
    yield paper.styled(_QUIET, terminal.visible(attribution.label))
    for text in attribution.texts:
        pieces = []
        for word in text.words:
            sign = f"{'for' if word.weight > 0 else 'against'}{word.level}" if word.level else SAME
            is_marked = word.level > shades.LEVELS / 2 and not paper.colours
            pieces.append(Piece(sign, f"{word.text}({word.percent})" if is_marked else word.text))
        yield from _labelled(f"{text.label}  {text.percent}", pieces, paper)


def _beside(
    source: SourceView, paper: Paper, width: int, scores: Callable[[dict], str]
) -> Iterator[str]:
    """Yield lines of two columns, the original and its variant."""
    (variant,) = source.variants
    yield from _columns(_plain(_name(source.original)), _plain(_name(variant)), paper, width)
    for fact in _facts(source, 0):
        yield from _columns([], _plain(fact), paper, width)
    for row in source.rows:
        if not row.is_input:
            yield from _pair(row, paper, width)
    left_scores, right_scores = scores(source.original), scores(variant)
    if left_scores or right_scores:
        yield paper.styled(_QUIET, "scores:")
        yield from _columns(_plain(left_scores), _plain(right_scores), paper, width)
    read = [row for row in source.rows if row.is_input]
    if read and (len(read) < len(source.rows) or left_scores or right_scores):
        if read[0].label in ("", "1"):
            yield paper.styled(_QUIET, "dialogue:")
    for row in read:
        yield from _pair(row, paper, width)


def _pair(row: TextRow, paper: Paper, width: int) -> Iterator[str]:
    """Yield the lines of a text in two columns."""
    if row.label and not row.label.isdecimal():
        yield paper.styled(_QUIET, f"{row.label}:")
    cell = row.cell(0)
    left = [] if row.original is None else [piece for piece in cell if piece.sign != ADDED]
    yield from _columns(left, [piece for piece in cell if piece.sign != REMOVED], paper, width)


def _below(source: SourceView, paper: Paper, scores: Callable[[dict], str]) -> Iterator[str]:
    """Yield lines of each text of the original, and below it of the variants that differ."""
    named = [(_name(record), record) for record in source.variants]
    names = [name for name, _ in named]
    widest = max(map(terminal.width, ["", *names]))
    paper = paper._replace(indent=min(max(LABEL, widest + 1), paper.width // 4))
    for number, name in enumerate(names):
        for fact in _facts(source, number):
            yield from _labelled(name, _plain(fact), paper)
    for row in source.rows:
        if not row.is_input:
            yield from _texts(row, names, paper)
    first = _name(source.original), source.original
    scored = [(name, scores(record)) for name, record in (first, *named)]
    if any(text for _, text in scored):
        yield paper.styled(_QUIET, "scores:")
        for name, text in scored:
            yield from _labelled(name, _plain(text), paper)
    new_names = [*map(sources.names, source.variants)]
    for row in source.rows:
        if row.is_input:
            yield from _texts(row, names, paper, new_names if len(names) > 1 else ())


def _texts(
    row: TextRow, names: Sequence[str], paper: Paper, new_names: Sequence[dict[str, str]] = ()
) -> Iterator[str]:
    """Yield the lines of a row; of outputs it is said which are the original's."""
    renamed = sources.renamed(row, new_names)
    if row.original is not None:
        old = {name: None for number in renamed for name in new_names[number]}
        yield from _labelled(
            row.label, sources.marked(row.original, old) if old else _plain(row.original), paper
        )
    elif row.label:
        yield paper.styled(_QUIET, f"{row.label}:")
    for number, name in enumerate(names):
        if row.differs(number) and number not in renamed:
            pieces = row.cell(number)
            yield from _labelled(name, pieces if row.is_output else _shortened(pieces), paper)
    alike = [name for number, name in enumerate(names) if not row.differs(number)]
    if alike and row.is_output:
        yield from _labelled("the same", _plain(", ".join(alike)), paper)


def _shortened(pieces: Sequence[Piece]) -> list[Piece]:
    """Return a text below its original with only some words of what they share."""
    shortened = []
    for number, (sign, text) in enumerate(pieces):
        if sign == SAME and len(parts := differences.units(text)) > 2 * CONTEXT + 1:
            before = parts[:CONTEXT] if number else []
            after = parts[-CONTEXT:] if number + 1 < len(pieces) else []
            text = "".join([*before, "…", *after])
        shortened.append(Piece(sign, text))
    return shortened


def _name(record: dict) -> str:
    return history.typed(record.get("variant") or "original")


def _facts(source: SourceView, number: int) -> list[str]:
    """Return what there is to say of a variant: its names, that nothing was changed, errors."""
    variant = source.variants[number]
    names = ", ".join(f"{old} → {new}" for old, new in sources.names(variant).items())
    is_changed = any(row.differs(number) for row in source.rows if not row.is_output)
    unchanged = "" if is_changed else "nothing was changed"
    errors = [f"{error['by']}: {error['reason']}" for error in variant.get("errors") or ()]
    return [fact for fact in (names, unchanged, *errors) if fact]


def _plain(text: str) -> list[Piece]:
    return [Piece(SAME, text)] if text else []


def _columns(
    left: Sequence[Piece], right: Sequence[Piece], paper: Paper, width: int
) -> Iterator[str]:
    """Yield the lines of two texts side by side."""
    rows = zip_longest(_wrapped(left, width, paper), _wrapped(right, width, paper), fillvalue=())
    for before, after in rows:
        space = " " * (width - sum(token.width for token in before))
        yield f"{_line(before, paper)}{space}{BETWEEN}{_line(after, paper)}".rstrip()


def _labelled(label: str, pieces: Sequence[Piece], paper: Paper) -> Iterator[str]:
    """Yield the lines of a text, indented, behind its label; a long label has its own line."""
    indent = paper.indent
    label = terminal.visible(label)
    room = indent - terminal.width(label) - 1
    if room < 0:
        yield paper.styled(_QUIET, label)
        label, room = "", indent - 1
    for tokens in _wrapped(pieces, paper.width - indent, paper) or [[]]:
        yield f"{paper.styled(_QUIET, label)}{' ' * (room + 1)}{_line(tokens, paper)}".rstrip()
        label, room = "", indent - 1


def _line(tokens: Iterable[Token], paper: Paper) -> str:
    """Return tokens as a part of a line."""
    runs = groupby(tokens, key=lambda token: token.sign)
    return terminal.in_place(
        "".join(
            paper.styled((_STYLES | _SHADES).get(sign, ""), "".join(token.text for token in run))
            for sign, run in runs
        )
    )


def _wrapped(pieces: Sequence[Piece], width: int, paper: Paper) -> list[list[Token]]:
    """Return the lines of a text, none wider than a width unless a single character is."""
    wrapped: list[list[Token]] = []
    line: list[Token] = []
    used = 0
    for token in _tokens(pieces, width, paper):
        if used + token.width > width and line:
            end = len(line)
            if token.text != " ":  # where a line may begin, or else before the token
                places = range(len(line) - 1, 0, -1)
                begins = (place for place in places if line[place].may_begin)
                end = len(line) if token.may_begin else next(begins, len(line))
            wrapped.append(line[:end])
            line = line[end:]
            used = sum(token.width for token in line)
        if line or token.text != " " or not wrapped:  # no line but the first begins with a space
            line.append(token)
            used += token.width
        if token.ends:
            wrapped.append(line)
            line, used = [], 0
    return [*wrapped, line] if line else wrapped


def _tokens(pieces: Sequence[Piece], width: int, paper: Paper) -> Iterator[Token]:
    """Yield the parts of a text, those that are wider than a line cut; without colours, marks stand
    where it was changed.
    """
    after_space = False
    for sign, text in pieces:
        begin, end = ("", "") if paper.colours else _MARKS.get(sign, ("", ""))
        units = differences.units(text)
        for number, unit in enumerate(units):
            shown = terminal.visible(unit)
            shown = (
                f"{begin if number == 0 else ''}{shown}{end if number == len(units) - 1 else ''}"
            )
            may_begin = after_space or differences.is_unspaced(unit)
            ends = unit[-1] in "\n\u2028\u2029"
            after_space = unit.isspace()
            if terminal.width(shown) <= width:
                yield Token(sign, shown, terminal.width(shown), may_begin, ends)
                continue
            *parts, last = differences.clusters(shown)
            for part in parts:
                yield Token(sign, part, terminal.width(part), True, False)
            yield Token(sign, last, terminal.width(last), True, ends)
