"""The output of a program of your own, line by line: exec:PROGRAM ARGUMENT….

The program is written as on a command line without a shell.  It starts once, and writes one line
for each that it reads before it reads the next one.  Options stand before it:
exec:name=mine,format=json,PROGRAM.

With format=lines, the default, it reads the record's prompt, or else its "context", if any, and the
dialogue as "Name: text" lines, or else the "text", on one line: a tab stands for a line break, in
what it reads and in what it writes.  An empty line is an empty prediction.

With format=json it reads the record, with its dialogue as a list of turns and, where a template was
given, "prompt" and "system_prompt".  It writes an object with "prediction", a string or a list of
strings, best first; other keys are not read, but an "id" must be that of the record.

name is the name of the system; without it that is all that was typed.  A program that ends is
started again; one without an answer is an error of the record, as is a line more than one,
--timeout (600 seconds for each answer) and 64 MiB.  A program that buffers its output seems to be
late: python -u, stdbuf -oL.  The program, and what it has started, ends with the command, however
that ends.  The signature names the program as it is typed, and has digits of the hash of the files
in it.

>>> generate([{"text": "see you"}, {"dialogue": [{"speaker": "Ann", "text": "Hi"}]}], program="cat")
[{'prediction': 'see you'}, {'prediction': 'Ann: Hi'}]
>>> generate([{"id": 7, "text": "a"}], program="jq --unbuffered -c '{prediction: .text}'", format="json")
[{'prediction': 'a'}]
"""

from typing import Literal

from dialtools.inference import prompts
from dialtools.plugins.generator import Generator
from dialtools.records import jsonl
from dialtools.system import programs
from dialtools.system.errors import RecordError, about, show_names

Format = Literal["lines", "json"]


def needs(options: dict) -> tuple[str, ...]:
    """Return the keys that a record must have."""
    return () if options["format"] == "json" else ("dialogue|text",)


def settings(*, program: str, format: Format, **_: object) -> dict:
    """Return the options that change the output, as they take effect."""
    shown_format = None if format == "lines" else format
    return {"program": program, "format": shown_format, "source": programs.source(program)}


def generate(
    records: list[dict],
    *,
    program: str = "",
    format: Format = "lines",
    name: str = "",
    timeout: float = programs.TIMEOUT,
) -> list[dict]:
    """Return the program's prediction for each record.

    program: name or path, and arguments.
    format: what it reads and writes: lines of text, or of JSON.
    name: the name of the system.
    timeout: seconds for each answer.
    """
    outputs = []
    for record in records:
        with about(record):
            question = jsonl.dumps(record) if format == "json" else _line(record)
            line = programs.answer(program, question, timeout)
            try:
                prediction = _predicted(line, record) if format == "json" else _text(line)
            except RecordError as error:
                raise RecordError(f"{program}: {error.reason}") from None
        outputs.append({"prediction": prediction})
    return outputs


def _line(record: dict) -> bytes:
    """Return what a record says on one line, with tabs for line breaks, whatever breaks a line."""
    text = prompts.joined(prompts.of(record), record.get("system_prompt"))
    lines = text.replace("\t", " ").splitlines()
    return "\t".join(lines).encode() + b"\n"


def _text(line: bytes) -> str:
    try:
        return line.decode().strip().replace("\t", "\n")
    except UnicodeDecodeError as error:
        raise jsonl.not_utf8(error) from None


def _predicted(line: bytes, record: dict) -> str | list[str]:
    answer = jsonl.given_back(line, record)
    if answer.get("prediction") is None:
        raise RecordError(f'the answer has no "prediction"; it has {show_names(answer)}')
    return answer["prediction"]


GENERATOR = Generator(generate, needs=needs, settings=settings, whole_spec="program")
