"""Completions of the OpenAI API: the body of a request, and the facts in an answer."""

from typing import Any

from dialtools.inference import prompts
from dialtools.models import stops
from dialtools.models.decoding import Api
from dialtools.system.errors import RecordError, show

PATHS = {"chat": "/chat/completions", "completions": "/completions"}


def address(url: str, api: Api) -> str:
    """Return the address for requests, of each of several; a server's may have the path already.

    >>> address("http://localhost:8000/v1/", "chat")
    'http://localhost:8000/v1/chat/completions'
    """
    return " ".join(
        one if one.endswith(PATHS[api]) else one.rstrip("/") + PATHS[api] for one in url.split()
    )


def body(prompt: str, system: str | None, model: str, api: Api, fields: dict[str, Any]) -> dict:
    """Return the body of a request.

    fields: further fields, which replace these; None leaves one out.

    >>> body("Hi", None, "m", "chat", {"max_tokens": 9, "model": None})
    {'messages': [{'role': 'user', 'content': 'Hi'}], 'max_tokens': 9}
    """
    made: dict[str, Any] = {"model": model}
    if api == "completions":
        made["prompt"] = prompts.joined(prompt, system)
    else:
        made["messages"] = [{"role": "system", "content": system}] if system else []
        made["messages"].append({"role": "user", "content": prompt})
    return {name: value for name, value in (made | fields).items() if value is not None}


def read(answer: dict, record: dict, number: int = 1, ends: tuple[str, ...] = ()) -> dict:
    """Return {"prediction", "input_tokens", "output_tokens", "unfinished", "finish"} of an answer.

    number: outputs asked for; above 1 the prediction is a list, in the server's order.
    input_tokens, output_tokens: None if the server does not say, or says what is no number of
        tokens; output_tokens count all outputs.
    finish: the server's reason for the end of each output, usually "stop" or "length" (unfinished).
    ends: texts that end an output, if the server let one through; "output_tokens" still count it.

    An answer without a text is "", as a model may say nothing. An answer without "choices" is a
    RecordError.
    """
    choices = answer.get("choices")
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        said = answer.get("error") or answer
        raise RecordError(
            f'the server\'s answer has no list of "choices" but {show(said, 200)}', record
        )
    if len(choices) != number:
        known = ': does it know "n"?' if number > 1 else ""
        raise RecordError(f"the server gives {len(choices)} outputs, not {number}{known}", record)
    if all(_count(choice, "index") is not None for choice in choices):
        choices = sorted(choices, key=lambda choice: choice["index"])
    texts, reasons = [], []
    for choice in choices:
        text, reason = _text(choice, record), choice.get("finish_reason")
        end = stops.place(text, ends)
        if end >= 0:
            text, reason = text[:end], "stop"
        texts.append(text.strip())
        reasons.append(reason if isinstance(reason, str) else None)
    usage = answer.get("usage")
    return {
        "prediction": texts[0] if number == 1 else texts,
        "input_tokens": _count(usage, "prompt_tokens"),
        "output_tokens": _count(usage, "completion_tokens"),
        "unfinished": "length" in reasons,
        "finish": reasons[0] if number == 1 else reasons,
    }


def _count(value: Any, key: str) -> int | None:
    """Return a whole number from 0 of an answer, None for anything else."""
    count = value.get(key) if isinstance(value, dict) else None
    is_count = isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**53
    return count if is_count else None


def _text(choice: dict, record: dict) -> str:
    """Return the text of a choice; U+FFFD replaces half a surrogate pair, which UTF-8 lacks."""
    message = choice.get("message", choice)
    found = (
        [message[name] for name in ("content", "text") if name in message]
        if isinstance(message, dict)
        else []
    )
    if not found or not isinstance(found[0], str | None):
        raise RecordError(f"an output of the server has no text: {show(choice, 200)}", record)
    return (found[0] or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
