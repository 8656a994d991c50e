"""Turns, speakers and the text fields of a record; "Name: text" strings both ways.

A dialogue is a list of turns, {"speaker": …, "text": …, …}, or one string of "Name: text" lines.
Filters work on turns: `view` gives them those of a string too, and `flatten` brings their edits
back to the string, so that whatever else is in it (spaces, empty lines, line ends) stays as it was.
"""

import functools
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import chain

from dialtools import languages
from dialtools.system.errors import RecordError, show_names

# A name is what stands before the first colon of a line, up to 60 characters, without the marks of
# bold type around it (**Ann:** or **Ann**:).  A line goes on with the turn before if its first
# colon is that of a time (10:30, or at 10:30) or an address (http://, not 李明://@王芳, who is passed
# on), if it begins as a list or an object does that was made a string ([{"speaker":, not {{user}}:),
# or if it has none.
# the minutes of a time: looked at last, as rare
_TIME = r"[0-5]\d(?!\d)(?:(?<=(?<!\w)\d[:：]..)|(?<=(?<!\w)\d\d[:：]..))"
_COLON = rf"[^\S\n]*[:：](?!//(?!@)|{_TIME})"
# Most names match the plain first part; the rest would find them in twice the time.
_NAMED = (
    r"\n(?:((?!\d)[\w#]{1,60}): |"
    r"\ufeff?[^\S\n]*(?:(\*{1,3})(?![*\s]))?(?!\d+[^\S\n]*:[^\S\n]?\d|[\[{][\[{( ]*[\"'])"
    r"([^\s:：](?:[^:：\n]{0,58}[^\s:：])?)"
    rf"(?(2)(?<!\*)(?:\2{_COLON}|{_COLON}\2)|{_COLON})[^\S\r\n]?)"
)
# what goes with a prediction
OF_PREDICTION = (
    "scores",
    "statistics",
    "error_spans",
    "prediction_tokens",
    "prediction_scores",
    "delays",
    "elapsed",
    "attributions",
    "logprobs",
    "choices",
)
# Where a turn begins, its speaker from, to, its text from, to, in code points; a NamedTuple takes a
# third more time.
_Line = tuple[int, int, int, int, int]


@functools.lru_cache(maxsize=2)  # one string is asked for several times in a row
def _lines(text: str) -> list[_Line]:
    """Return where the turns of a string are; lines without a name continue the turn before."""
    lines, end = [], len(text)
    # a pattern that begins with a letter is fast
    for match in reversed(list(re.finditer(_NAMED, "\n" + text))):
        (start, text_start), (first, last) = match.span(), match.span(match.lastindex or 0)
        text_end = end
        if text[end - 1].isspace():  # the line end and empty lines behind the turn are not its own
            turn = text[text_start - 1 : end]
            empty = turn.count("\n") - turn.rstrip().count("\n")
            text_end = text_start - 1 + len(turn.rsplit("\n", empty)[0].rstrip("\r"))
        lines.append((start, first - 1, last - 1, text_start - 1, text_end))
        end = start - 1
    return [] if text[: end + 1].strip() else lines[::-1]


def turns(record: dict) -> list[dict]:
    """Return the turns of a record, those of a string parsed; [] where there is no dialogue."""
    value = record.get("dialogue")
    if not isinstance(value, str):
        return value or []
    return [{"speaker": speaker, "text": text} for speaker, text in _spoken(value)]


@functools.lru_cache(maxsize=2)
def _spoken(value: str) -> list[tuple[str, str]]:
    """Return (speaker, text) of each turn in a string, the same objects each time, for caches."""
    return [(value[first:last], value[start:end]) for _, first, last, start, end in _lines(value)]


def is_nameless(text: str) -> bool:
    """Return whether a dialogue that is a string has no turns."""
    return not _lines(text)


def view(record: dict) -> dict:
    """Return the record with its dialogue as a list of turns."""
    return (
        {**record, "dialogue": turns(record)} if isinstance(record.get("dialogue"), str) else record
    )


def text(turns: list[dict]) -> str:
    """Return the turns as "Name: text" lines."""
    return "\n".join(f"{turn['speaker']}: {turn['text']}" for turn in turns)


def speakers(turns: list[dict]) -> list[str]:
    """Return who speaks, in the order of their first turns."""
    return list(dict.fromkeys(turn["speaker"] for turn in turns))


def strings(record: dict) -> list[tuple[str, str]]:
    """Return (JSON Pointer, string) for each text that people read in a record, turns first."""
    pairs: list[tuple[str, str]] = []
    for number, turn in enumerate(turns(record)):
        pairs.append((f"/dialogue/{number}/speaker", turn["speaker"]))
        pairs.append((f"/dialogue/{number}/text", turn["text"]))
        if "addressee" in turn:
            pairs += _strings(f"/dialogue/{number}/addressee", turn["addressee"])
    for key in ("text", "context", "reference", "prediction"):
        if key in record:
            pairs += _strings(f"/{key}", record[key])
    return pairs


def _strings(pointer: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield pointer, value
    elif isinstance(value, list):
        yield from (
            (f"{pointer}/{i}", item) for i, item in enumerate(value) if isinstance(item, str)
        )


def whole(record: dict) -> str:
    """Return all texts that people read in a record, labels of speakers included, as one."""
    return "\n".join([text for _, text in strings(record)])


def holders(record: dict) -> list[dict]:
    """Return the dicts that hold a "text": the turns, and the record if it has a text."""
    return [*turns(record), record] if record.get("text") is not None else turns(record)


def utterances(record: dict) -> Iterator[tuple[str, dict]]:
    """Yield (JSON Pointer to the text, holder) for each turn, and for a record with a text."""
    for number, holder in enumerate(holders(record)):
        yield "/text" if holder is record else f"/dialogue/{number}/text", holder


def joined(record: dict) -> tuple[str, dict[int, str]]:
    """Return all utterances as one text, joined by line ends, and {start: JSON Pointer}.

    To look through one text is much faster than through ten short ones.
    """
    texts, pointers, start = [], {}, 0
    for pointer, holder in utterances(record):
        texts.append(holder["text"])
        pointers[start] = pointer
        start += len(holder["text"]) + 1
    return _same("\n".join(texts)), pointers


@functools.lru_cache(maxsize=1)
def _same(text: str) -> str:
    """Return the text given before if it is equal, so that caches need not compare it."""
    return text


def placed(edits: Iterable[list], pointers: dict[int, str]) -> list[list]:
    """Return edits of the joined utterances, [start, end, …], as edits of the utterances."""
    starts, edits = list(pointers), list(edits)
    for edit in edits:
        start = starts[bisect_right(starts, edit[0]) - 1]
        edit[0] -= start
        edit[1] -= start
        edit.insert(0, pointers[start])
    return edits


def unpredicted(record: dict, overwrite: bool, work: str = "make variants") -> dict:
    """Return a record whose input is to change: without a prediction and what goes with it.

    Raise RecordError for a record that has any of it, unless `overwrite` allows to drop it.

    work: what to do before there are predictions, for the message.
    """
    outputs = [key for key in ("prediction", *OF_PREDICTION) if record.get(key) is not None]
    if not outputs:
        return record
    if not overwrite:
        raise RecordError(
            f'the record has "{outputs[0]}", made of it as it is: {work} before dt-generate '
            "and dt-score; --overwrite drops predictions and scores",
            record,
        )
    return {key: value for key, value in record.items() if key not in outputs}


def best(record: dict) -> str:
    """Return the prediction, the first of an n-best list; RecordError where there is none."""
    try:
        prediction = record["prediction"]
        return prediction if isinstance(prediction, str) else prediction[0]
    except (KeyError, TypeError, IndexError):
        raise RecordError(f'no "prediction"; the record has {show_names(record)}', record) from None


def each(prediction: str | list[str], change: Callable[[str], str]) -> str | list[str]:
    """Return a prediction, or each of an n-best list, changed."""
    return (
        change(prediction) if isinstance(prediction, str) else [change(text) for text in prediction]
    )


def references(record: dict) -> list[str]:
    """Return the references, none, one or several, as a list."""
    reference = record.get("reference")
    return [reference] if isinstance(reference, str) else reference or []


def lang(record: dict) -> str:
    """Return the language of a record, en where it names none."""
    tag = record.get("lang")
    return "en" if tag is None else tag


def language(record: dict) -> languages.Language:
    """Return the language of a record, with its data."""
    return languages.get(lang(record))


def flatten(text: str, edits: list[list]) -> list[list]:
    """Return edits of turns as edits of the string that the turns were parsed from."""
    lines, last, shift = _lines(text), "", None
    flat: list[list] = []
    dropped: list[list] = []  # edits that drop turns, of the last ones of flat
    for edit in edits:
        pointer = edit[0]
        if pointer != last:
            last, shift = pointer, None
            if pointer.startswith("/dialogue/"):
                _, _, number, part = pointer.split("/")
                _, speaker_start, _, text_start, _ = lines[int(number)]
                shift = text_start if part == "text" else speaker_start
        if shift is not None:
            edit = edit.copy()  # twice as fast as to take it apart
            edit[0] = "/dialogue"
            edit[1] += shift
            edit[2] += shift
            dropped = []
        elif pointer == "/dialogue":
            start, dropped = edit[1], [] if edit[4] else [*dropped, edit]
            if dropped and edit[2] == len(lines):
                # the last turns share line ends with those before them: one edit for all
                while len(dropped) > 1 and dropped[-2][2] == start:
                    start = dropped.pop(-2)[1]
                    flat.pop()
            edit = [*_flat_turns(text, lines, start, edit[2], edit[4]), *edit[5:]]
        else:
            dropped = []
        flat.append(edit)
    return flat


def unflatten(text: str, spans: Iterable[tuple[str, int, int]]) -> list[tuple[str, int, int]]:
    """Return spans of a string, (pointer, start, end), as spans of the turns parsed from it.

    What is in no text of a turn, such as a label, is left out; spans elsewhere stay.
    """
    lines, of_turns = _lines(text), []
    starts = [line[0] for line in lines]
    for pointer, start, end in spans:
        if pointer != "/dialogue":
            of_turns.append((pointer, start, end))
            continue
        number = bisect_right(starts, start) - 1
        if number >= 0 and lines[number][3] <= start and end <= lines[number][4]:
            text_start = lines[number][3]
            of_turns.append((f"/dialogue/{number}/text", start - text_start, end - text_start))
    return of_turns


def _flat_turns(text: str, lines: list[_Line], start: int, end: int, after: list[dict]) -> list:
    indent, colon, newline = _layout(text, lines, max(end - 1, 0))
    lines_after = []
    for turn in after:
        # one without a space would be misread before 1:30, :// or a space
        is_odd = not colon[-1].isspace() and re.match(r"[\d/\s]", turn["text"])
        space = " " if is_odd else ""
        lines_after.append(f"{indent}{turn['speaker']}{colon}{space}{turn['text']}")
    written = newline.join(lines_after)
    starts, ends = [line[0] for line in lines], [line[-1] for line in lines]
    if end < len(lines):  # whole lines, up to where the next turn begins
        first, last = starts[start], starts[end]
        written += newline if after else ""
    else:  # the end of the text keeps what follows the last turn
        last = ends[-1] if lines else len(text)
        first = starts[start] if start < len(lines) else last
        if start == end and lines:
            written = newline + written
        elif not after and start:
            first = ends[start - 1]
    return ["/dialogue", first, last, text[first:last], written]


def _layout(text: str, lines: list[_Line], number: int) -> tuple[str, str, str]:
    """Return a turn's indent, what separates speaker and text, and its line end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if len(lines) > 1:
        before = min(number, len(lines) - 2)
        newline = text[lines[before][-1] : lines[before + 1][0]]
    for start, first, last, text_start, text_end in chain(lines[number : number + 1], lines):
        if text_start < text_end:  # the colon of a turn without text has no space behind it
            return text[start:first].lstrip("\ufeff"), text[last:text_start], newline
    return "", ": ", newline
