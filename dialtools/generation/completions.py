"""What the OpenAI API calls completions: the body of a request, and what an answer says."""

from typing import Annotated, Any, Literal, NamedTuple

from dialtools.errors import RecordError, show
from dialtools.generation import prompts
from dialtools.models import stops
from dialtools.options import Option

Api = Literal["chat", "completions"]
PATHS = {"chat": "/chat/completions", "completions": "/completions"}


class Serving(NamedTuple):
    """How a server is asked."""

    api: Annotated[Api, Option("Interface of the server (chat).")] = "chat"
    batch_size: Annotated[int, Option("Records that are read together (32).", 1, "N")] = 32
    concurrency: Annotated[int, Option(
        "Simultaneous requests (8), of the --batch-size (32) records that are read together.", 1, "N")] = 8
    timeout: Annotated[float, Option("Seconds to wait for an answer (120).", 0.001, "SECONDS")] = 120.0
    retries: Annotated[int, Option("Retries when a server is busy or unreachable (4).", 0, "N")] = 4
    body: Annotated[str, Option("Further fields of a request; null leaves one out.", None, "JSON")] = "{}"


def address(url: str, api: Api) -> str:
    """Return where requests go; a server's address may have the path already.

    >>> address("http://localhost:8000/v1/", "chat")
    'http://localhost:8000/v1/chat/completions'
    """
    return url if url.endswith(PATHS[api]) else url.rstrip("/") + PATHS[api]


def body(prompt: str, system: str | None, model: str, api: Api, fields: dict[str, Any]) -> dict:
    """Return the body of a request.

    fields: what else it has, or has in the place of what stands here; one that is None is left out.

    >>> body("Hi", "Be brief.", "m", "chat", {"max_tokens": 9, "model": None})
    {'messages': [{'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': 'Hi'}], 'max_tokens': 9}
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

    number: how many outputs were asked for; above 1 the prediction is a list, in the server's order.
    input_tokens, output_tokens: None where the server does not say; output_tokens are those of all outputs.
    finish: why each output ends as the server calls it, "stop" or "length" (unfinished) as a rule.
    ends: texts that end an output; one that a server has let through ends it here, and "output_tokens" count it.

    An answer without a text is "", as a model may say nothing; one without "choices" is a RecordError.
    """
    choices = answer.get("choices")
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        said = answer.get("error") or answer
        raise RecordError(f'the server\'s answer has no list of "choices" but {show(said, 200)}', record)
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
    return {"prediction": texts[0] if number == 1 else texts, "input_tokens": _count(usage, "prompt_tokens"),
            "output_tokens": _count(usage, "completion_tokens"), "unfinished": "length" in reasons,
            "finish": reasons[0] if number == 1 else reasons}


def _count(value: Any, key: str) -> int | None:
    """Return a number that a server gives, None for anything else."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _text(choice: dict, record: dict) -> str:
    """Return the text of a choice, of a chat or not; half a surrogate pair, which UTF-8 cannot hold, as U+FFFD."""
    message = choice.get("message", choice)
    found = [message[name] for name in ("content", "text") if name in message] if isinstance(message, dict) else []
    if not found or not isinstance(found[0], str | None):
        raise RecordError(f"an output of the server has no text: {show(choice, 200)}", record)
    return (found[0] or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
