"""Prompts: the dialogue or the text of a record as it is, or a template filled with the record.

Templates are Jinja, in a sandbox.  They see the keys of the record by name, and
the record as "record"; a dialogue is a list of turns, and is written as "Name:
text" lines.  A missing key is an error, and so is a value that is neither text
nor number: a prompt never holds "None" or "[…]".
"""

import os
import re
from collections.abc import Callable
from typing import Any

from dialtools.records import dialogue, validation
from dialtools.system import files
from dialtools.system.errors import OptionError, RecordError, nearest, need, show, show_names


def plain(record: dict) -> str:
    """Return the record's "context", if any, a newline, and the dialogue or else the "text"."""
    if record.get("context") is not None:
        validation.require(record, "context")
    body = dialogue.text(dialogue.turns(record)) or record.get("text") or ""
    if not body.strip():
        raise RecordError(
            "nothing to read: the record has no dialogue with turns and no text", record
        )
    return "\n".join(part for part in (record.get("context"), body) if part)


def of(record: dict) -> str:
    """Return the record's "prompt", or else the record as plain text."""
    prompt = record.get("prompt")
    if prompt is None:
        return plain(record)
    if not isinstance(prompt, str):
        raise RecordError(f'"prompt" is a text, here is {show(prompt)}', record)
    return prompt


def marked(record: dict) -> dict:
    """Return a record with the names of its speakers marked, its dialogue as a list of turns."""
    from dialtools.names import occurrences  # here, as commands are quick to start without names

    return occurrences.marked(record, occurrences.of(record, dialogue.language(record)))


def names(record: dict) -> list:
    """Return where names of speakers stand in what `of` returns.

    "name_spans" tells it, if they were followed when a prompt was made.
    """
    if record.get("name_spans") is not None:
        return record["name_spans"]
    if record.get("prompt") is not None:
        raise RecordError(
            "the model reads which words of its input are names of speakers, and "
            "nobody knows them in this prompt"
        )
    from dialtools.names import occurrences

    return occurrences.followed(plain(record), plain(marked(record)))


def from_file(path: str) -> Callable[..., str]:
    """Return the template in a file as a function (record, **more names) -> prompt."""
    return template(content(path), path)


def content(path: str) -> str:
    """Return a file's content. Raise OptionError for a pipe: signatures read the file again."""
    text = files.text(path)
    if not os.path.isfile(path):
        raise OptionError(f"{path} is a pipe, and it is read more than once: give a file")
    return text


def template(source: str, name: str = "template") -> Callable[..., str]:
    """Return a template as a function (record, **more) -> prompt; name: for error messages.

    >>> template("{{ dialogue }} {{ n }}?")({"dialogue": [{"speaker": "Ann", "text": "Hi"}]}, n=2)
    'Ann: Hi 2?'
    """
    jinja2 = need("jinja2", "prompts")
    sandbox = need("jinja2.sandbox", "prompts").ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_printed
    )
    sandbox.filters["best"] = _best
    try:
        compiled = sandbox.from_string(source)
    except jinja2.TemplateSyntaxError as error:
        raise OptionError(f"{name}:{error.lineno}: {error.message}") from None

    def fill(record: dict, **more: Any) -> str:
        seen = dialogue.view(record)
        try:
            text = compiled.render({**seen, "record": seen, **more})
        except (*_FAILURES, jinja2.TemplateError) as error:
            raise RecordError(f"{name}: {_reason(error, seen)}", record) from None
        if not text.strip():
            raise RecordError(f"{name}: the prompt is empty", record)
        return text

    return fill


def digest(*texts: str | None) -> str:
    """Return a digest of texts, 16 hexadecimal digits.

    >>> digest("Hi", None) == digest("Hi", ""), digest("H", "i") == digest("Hi", "")
    (False, False)
    """
    from hashlib import sha256

    return sha256(repr(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


# of expressions
_FAILURES = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)


def _reason(error: Exception, record: dict) -> str:
    """Return why a template could not be filled, with the nearest key if one is missing."""
    said = " ".join(str(error).split()) or type(error).__name__
    missing = re.fullmatch("'([^']+)' is undefined", said)
    if missing:
        meant = nearest(missing[1], record)
        return f'no "{missing[1]}"{meant}; the record has {show_names(record)}'
    return said


def _printed(value: Any) -> Any:
    """Return a value as templates print it. Raise TypeError unless it is text, number or turns."""
    if (
        isinstance(value, list)
        and value
        and all(isinstance(turn, dict) and "speaker" in turn for turn in value)
    ):
        return dialogue.text(value)
    if value is None or isinstance(value, list | tuple | dict):
        raise TypeError(f"{show(value)} is no text; choose an item of a list, or loop over it")
    return value


def _best(value: Any) -> Any:
    """Return a text, or the first of a list of texts (references, an n-best list)."""
    return value[0] if isinstance(value, list) else value


def joined(prompt: str, system: str | None) -> str:
    """Return a prompt after its system prompt, for a model without roles."""
    return f"{system}\n\n{prompt}" if system else prompt
