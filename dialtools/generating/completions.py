"""What the OpenAI API calls completions: the body of a request, and what an answer says."""

from typing import Any, Literal

from dialtools.errors import RecordError, show

Api = Literal["chat", "completions"]
PATHS = {"chat": "/chat/completions", "completions": "/completions"}


def address(url: str, api: Api) -> str:
    """Return where requests go; a server's address may have the path already.

    >>> address("http://localhost:8000/v1/", "chat")
    'http://localhost:8000/v1/chat/completions'
    """
    return url if url.endswith(PATHS[api]) else url.rstrip("/") + PATHS[api]


def body(prompt: str, system: str | None = None, *, model: str, api: Api = "chat", **fields: Any) -> dict:
    """Return the body of a request; fields that are None are left out.

    >>> body("Hi", "Be brief.", model="m", max_tokens=9, stop=None)["messages"]
    [{'role': 'system', 'content': 'Be brief.'}, {'role': 'user', 'content': 'Hi'}]
    """
    sent = {name: value for name, value in fields.items() if value is not None}
    if api == "completions":
        return {"model": model, "prompt": f"{system}\n\n{prompt}" if system else prompt, **sent}
    messages = [{"role": "system", "content": system}] if system else []
    return {"model": model, "messages": [*messages, {"role": "user", "content": prompt}], **sent}


def read(answer: dict, record: dict, number: int = 1) -> dict:
    """Return {"prediction", "input_tokens", "output_tokens", "unfinished", "finish"} of an answer.

    number: how many outputs were asked for; above 1 the prediction is a list, in the server's order.
    input_tokens, output_tokens: None where the server does not say; output_tokens are those of all outputs.
    finish: why each output ends as the server calls it, "stop" or "length" (unfinished) as a rule.

    An answer without a text is "", as a model may say nothing; one without "choices" is a RecordError.
    """
    choices = answer.get("choices")
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        said = answer.get("error") or answer
        raise RecordError(f'the server\'s answer has no list of "choices" but {show(said, 200)}', record)
    if len(choices) != number:
        raise RecordError(f"the server gives {len(choices)} outputs, not {number}", record)
    choices = sorted(choices, key=lambda choice: choice.get("index") or 0)
    texts, ends = [_text(choice, record) for choice in choices], [choice.get("finish_reason") for choice in choices]
    usage = answer.get("usage") or {}
    return {"prediction": texts[0] if number == 1 else texts, "input_tokens": usage.get("prompt_tokens"),
            "output_tokens": usage.get("completion_tokens"), "unfinished": "length" in ends,
            "finish": ends[0] if number == 1 else ends}


def _text(choice: dict, record: dict) -> str:
    """Return the text of a choice, of a chat or not, without white space around it."""
    message = choice.get("message", choice)
    found = [message[name] for name in ("content", "text") if name in message] if isinstance(message, dict) else []
    if not found or not isinstance(found[0], str | None):
        raise RecordError(f"an output of the server has no text: {show(choice, 200)}", record)
    return (found[0] or "").strip()
