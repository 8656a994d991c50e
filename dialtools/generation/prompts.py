"""What a model reads of a record: the dialogue or the text as it is, or a template filled with the record.

A template is one of Jinja, in a sandbox.  It sees the keys of the record by
name, and the whole as "record"; a dialogue is a list of turns, which is
written as "Name: text" lines.  What the record lacks is an error, and so is
a value that is no text or number: nothing is filled with "None" or "[…]".
"""

import os
import re
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from dialtools import files
from dialtools.errors import OptionError, RecordError, nearest, need, show, show_names
from dialtools.records import dialogue, jsonl


def plain(record: dict) -> str:
    """Return the record's "context", if there is one, a newline, and the dialogue or else the "text"."""
    if record.get("context") is not None:
        jsonl.check(record, "context")
    body = dialogue.text(dialogue.turns(record)) or record.get("text") or ""
    if not body.strip():
        raise RecordError("nothing to read: neither a dialogue with turns nor a text", record)
    return "\n".join(part for part in (record.get("context"), body) if part)


def of(record: dict) -> str:
    """Return the record's "prompt", or else what is read of it as it is."""
    return record["prompt"] if record.get("prompt") is not None else plain(record)


def from_file(path: str) -> Callable[..., str]:
    """Return the template in a file as a function (record, **more) -> prompt, more being further names."""
    return template(content(path), path)


def content(path: str) -> str:
    """Return what a file holds that signatures tell; OptionError for a pipe, of which nothing is left by then."""
    text = files.text(path)
    if not os.path.isfile(path):
        raise OptionError(f"{path} is a pipe: what stands there is read more than once, so that a file is wanted")
    return text


def template(source: str, name: str = "template") -> Callable[..., str]:
    """Return a template as a function (record, **more) -> prompt; name: what errors call it.

    >>> template("{{ dialogue[:-1] }}\\n{{ n }}?")({"dialogue": [{"speaker": "Ann", "text": "Hi"}, {}]}, n=2)
    'Ann: Hi\\n2?'
    """
    jinja2 = need("jinja2", "prompts")
    sandbox = need("jinja2.sandbox", "prompts").ImmutableSandboxedEnvironment(
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_printed)
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
    """Return 16 hexadecimal digits that stand for some texts.

    >>> digest("Hi", None) == digest("Hi", ""), digest("H", "i") == digest("Hi", "")
    (False, False)
    """
    return sha256(repr(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


_FAILURES = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)  # of expressions


def _reason(error: Exception, record: dict) -> str:
    """Return why a template could not be filled; with the nearest key where one is missing."""
    said = " ".join(str(error).split()) or type(error).__name__
    missing = re.fullmatch("'([^']+)' is undefined", said)
    if missing:
        return f'no "{missing[1]}"{nearest(missing[1], record)}; the record has {show_names(record)}'
    return said


def _printed(value: Any) -> Any:
    """Return what is written of a value; TypeError for one that is neither text nor number nor turns."""
    if isinstance(value, list) and value and all(isinstance(turn, dict) and "speaker" in turn for turn in value):
        return dialogue.text(value)
    if value is None or isinstance(value, list | tuple | dict):
        raise TypeError(f"{show(value)} is no text that could be written; of a list, choose one or loop over it")
    return value


def _best(value: Any) -> Any:
    """Return a text, or the first of a list of texts: of references, or of an n-best list."""
    return value[0] if isinstance(value, list) else value


def joined(prompt: str, system: str | None) -> str:
    """Return a prompt after a system prompt, for a model that knows no roles."""
    return f"{system}\n\n{prompt}" if system else prompt
