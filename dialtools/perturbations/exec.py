"""Change texts with a program of your own, line by line: exec:PROGRAM ARGUMENT….

The program is written as on a command line without a shell.  It starts once, reads records, one
line of JSON each, with the dialogue as a list of turns and "seed", a number that differs for each
record and variant, and writes each back as one line before it reads the next one.  The differences
in "dialogue" and "text" are the perturbation: an edit for each word that is exchanged, inserted or
left out, or, if the number of turns differs, one edit from the first changed turn to the last.
Other keys must be the same, or absent; "seed" is ignored.

exec:name=mine,PROGRAM gives the variants a name; without it that is all that was typed.  A program
that ends is started again.  Without an answer for a record it is an error, as is an answer that is
no such record, one line more, --timeout (600 seconds for each answer) and 64 MiB.  A program that
buffers its output seems to be late: python -u, stdbuf -oL.  The program, and what it has started,
ends with the command, however that ends.  The signature names the program as it is typed, and has
digits of the hash of the files in it.

>>> from random import Random
>>> perturb({"id": 1, "text": "see you soon"}, Random(1), program="sed -u s/you/them/")
[['/text', 4, 7, 'you', 'them']]
"""

from collections.abc import Iterator
from itertools import accumulate
from random import Random

from dialtools.languages.scripts import compiled
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, jsonl
from dialtools.system import programs
from dialtools.system.errors import RecordError, show

_PIECE = r"(?:\w\X*?(?=\b|\s|\Z))+|\X"  # of a text: a word, or a character as people see it
_SPANS = ("tokens", "entities")  # follow the text by themselves


def settings(*, program: str, name: str, timeout: float) -> dict:
    """Return the options for the signature: without the time that an answer may take."""
    return {"program": program, "source": programs.source(program)}


def perturb(
    record: dict,
    rng: Random,
    *,
    program: str = "",
    name: str = "",
    timeout: float = programs.TIMEOUT,
) -> list[list]:
    """Return the edits that make the record's texts those of the program's answer.

    program: name or path, and arguments.
    name: the name of the variants.
    timeout: seconds for the answer.
    """
    asked = jsonl.dumps({**record, "seed": rng.getrandbits(32)})
    line = programs.answer(program, asked, timeout)
    try:
        answer = jsonl.given_back(line, record)
    except RecordError as error:
        raise RecordError(f"{program}: {error.reason}") from None
    for key in answer:
        if key not in ("dialogue", "text", "seed", *_SPANS) and (
            key not in record or answer[key] != record[key]
        ):
            raise RecordError(
                f'{program}: only "dialogue" and "text" can change, and "{key}" is '
                f"{show(answer[key])}"
            )
    return [*_of_texts("/text", record, answer, program), *_of_dialogue(record, answer, program)]


def _of_texts(pointer: str, old: dict, new: dict, program: str) -> Iterator[list]:
    """Yield the edits of the string that a pointer's last part names in two objects."""
    key = pointer.rpartition("/")[2]
    if (old.get(key) is None) != (new.get(key) is None):
        raise RecordError(
            f'{program}: "{key}" was {"added" if old.get(key) is None else "dropped"}'
        )
    if old.get(key) != new.get(key):
        yield from ([pointer, *edit] for edit in _differences(old[key], new[key]))


def _of_dialogue(record: dict, answer: dict, program: str) -> Iterator[list]:
    if (record.get("dialogue") is None) != (answer.get("dialogue") is None):
        raise RecordError(
            f'{program}: "dialogue" was {"added" if record.get("dialogue") is None else "dropped"}'
        )
    old, new = dialogue.turns(record), dialogue.turns(answer)
    if len(old) != len(new):
        yield _of_turns(old, new)
        return
    for number, (turn, new_turn) in enumerate(zip(old, new, strict=True)):
        for key in new_turn:
            if key not in ("speaker", "text", *_SPANS) and (
                key not in turn or turn[key] != new_turn[key]
            ):
                raise RecordError(
                    f'{program}: only texts can change, and "{key}" of turn '
                    f"{number + 1} is "
                    f"{show(new_turn[key])}"
                )
        for key in ("speaker", "text"):
            yield from _of_texts(f"/dialogue/{number}/{key}", turn, new_turn, program)


def _of_turns(old: list[dict], new: list[dict]) -> list:
    """Return the edit from the first to the last turn that differs."""
    start = _shared(old, new)
    end = min(_shared(old[::-1], new[::-1]), len(old) - start, len(new) - start)
    before, after = old[start : len(old) - end], new[start : len(new) - end]
    known = {(turn["speaker"], turn["text"]): turn for turn in before}
    after = [
        turn
        if known.get((turn["speaker"], turn["text"])) == turn
        else {key: value for key, value in turn.items() if key not in _SPANS}
        for turn in after
    ]
    return ["/dialogue", start, start + len(before), before, after]


def _shared(old: list, new: list) -> int:
    """Return how many items two lists begin with alike."""
    return next(
        (at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )


def _differences(old: str, new: str) -> list[list]:
    """Return the edits, [start, end, before, after], that make one text the other, word by word."""
    from rapidfuzz.distance import Levenshtein

    was, now = (compiled(_PIECE).findall(text) for text in (old, new))
    at = list(accumulate(map(len, was), initial=0))
    edits: list[list] = []
    for change in Levenshtein.opcodes(was, now):
        if change.tag == "equal":
            continue
        start, end = at[change.src_start], at[change.src_end]
        before, after = old[start:end], "".join(now[change.dest_start : change.dest_end])
        if edits and edits[-1][1] == start:  # goes on where the last one ends
            start, _, first_before, first_after = edits.pop()
            before, after = first_before + before, first_after + after
        edits.append([start, end, before, after])
    return edits


PERTURBATION = Perturbation(perturb, settings=settings, whole_spec="program")
