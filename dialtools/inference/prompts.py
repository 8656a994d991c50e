"""Prompts: the dialogue or the text of a record as it is, or a template filled with the record.

Templates are Jinja, in a sandbox.  They see the keys of the record by name, and the record as
"record"; a dialogue is a list of turns, and is written as "Name: text" lines.  A missing key is an
error, and so is a value that is neither text nor number: a prompt never holds "None" or "[…]".
"""

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from dialtools.records import dialogue, validation
from dialtools.system import files, stable_hash
from dialtools.system.errors import OptionError, RecordError, nearest, need, show, show_names

# of expressions
_FAILURES = (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RecursionError)


def of(record: dict) -> str:
    """Return the record's "prompt", or else the record as plain text."""
    prompt = record.get("prompt")
    if prompt is None:
        return plain(record)
    if not isinstance(prompt, str):
        raise RecordError(f'"prompt" is a text, here is {show(prompt)}', record)
    return prompt


def plain(record: dict) -> str:
    """Return the record's "context", if any, a newline, and the dialogue or else the "text"."""
    if record.get("context") is not None:
        validation.require(record, "context")
    body = _body(record)
    if not body.strip():
        raise RecordError(
            "nothing to read: the record has no dialogue with turns and no text", record
        )
    return "\n".join(part for part in (record.get("context"), body) if part)


def _body(record: dict) -> str:
    return dialogue.text(dialogue.turns(record)) or record.get("text") or ""


def joined(prompt: str, system: str | None) -> str:
    """Return a prompt after its system prompt, for a model without roles."""
    return f"{system}\n\n{prompt}" if system else prompt


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
    # of a list of texts (references, an n-best list) the first
    sandbox.filters["best"] = lambda value: value[0] if isinstance(value, list) else value
    try:
        compiled = sandbox.from_string(source)
    except jinja2.TemplateSyntaxError as error:
        raise OptionError(f"{name}:{error.lineno}: {error.message}") from None

    def fill(record: dict, **more: Any) -> str:
        view = dialogue.view(record)
        try:
            text = compiled.render({**view, "record": view, **more})
        except (*_FAILURES, jinja2.TemplateError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            if missing := re.fullmatch("'([^']+)' is undefined", reason):
                meant = nearest(missing[1], view)
                reason = f'no "{missing[1]}"{meant}; the record has {show_names(view)}'
            raise RecordError(f"{name}: {reason}", record) from None
        if not text.strip():
            raise RecordError(f"{name}: the prompt is empty", record)
        return text

    return fill


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


def digest(*texts: str | None) -> str:
    """Return a digest of texts, 16 hexadecimal digits.

    >>> digest("Hi", None) == digest("Hi", ""), digest("H", "i") == digest("Hi", "")
    (False, False)
    """
    from hashlib import sha256

    return sha256(repr(texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def shot_picker(records: Iterable[dict], count: int, seed: int = 0) -> Callable[[dict], list[dict]]:
    """Return record -> its `count` shots, examples drawn for it, in the order of the given records.

    They depend on the seed and the record's id.  A record with the same id, cluster or input is
    never a shot.

    >>> pick = shot_picker([{"id": n, "text": "x" * n} for n in range(5)], 3)
    >>> [shot["id"] for shot in pick({"id": 3, "text": "xx"})]  # 2 reads the same
    [0, 1, 4]
    """
    shots = [dialogue.view(record) for record in records]
    numbers = defaultdict(set)  # of the shots that share a feature
    for number, shot in enumerate(shots):
        for feature in _features(shot):
            numbers[feature].add(number)

    def pick(record: dict) -> list[dict]:
        features = _features(dialogue.view(record))
        barred = set().union(*(numbers.get(feature, ()) for feature in features))
        if len(shots) - len(barred) < count:
            raise RecordError(
                f"too few shots for this record: {count} needed, {len(shots)} given, "
                f"{len(barred)} of these with its id, cluster or input",
                record,
            )
        rng = stable_hash.rng(seed, "shots", record["id"])
        drawn = rng.sample(range(len(shots)), min(len(shots), count + len(barred)))
        fitting = [number for number in drawn if number not in barred]
        return [shots[number] for number in sorted(fitting[:count])]

    return pick


def _features(record: dict) -> set[tuple]:
    """Return what bars a shot if it shares one of it: the id, the cluster, the input."""
    features: set[tuple] = {
        ("id", repr(record["id"])),
        ("cluster", str(record.get("cluster") or record["id"])),
    }
    if body := _body(record):
        features.add(("input", body, record.get("context")))
    return features
