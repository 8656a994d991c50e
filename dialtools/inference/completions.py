"""Completions of the OpenAI API: bodies of requests, facts in answers, and batch files of both.

In a batch file the name of a request is a digest of its body: two records with the same prompt
share one, and answers may come in any order.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

from dialtools.inference import prompts
from dialtools.models import writers
from dialtools.models.decoding import Api
from dialtools.records import jsonl
from dialtools.records.wellformed import is_number
from dialtools.system.errors import RecordError, show
from dialtools.system.stable_hash import Seen, digest


class Filtered(RecordError):
    """The server's content filter refuses the request, or withholds the answer."""


PATHS = {"chat": "/chat/completions", "completions": "/completions"}


def address(url: str, api: Api) -> str:
    """Return the address for requests, of each of several; a server's may have the path already.

    >>> address("http://localhost:8000/v1/", "chat")
    'http://localhost:8000/v1/chat/completions'
    """
    return " ".join(
        part if part.endswith(PATHS[api]) else part.rstrip("/") + PATHS[api] for part in url.split()
    )


def body(prompt: str, system: str | None, model: str, api: Api, fields: dict[str, Any]) -> dict:
    """Return the body of a request.

    fields: further fields, which replace these; None leaves one out.

    >>> body("Hi", None, "m", "chat", {"max_tokens": 9, "model": None})
    {'messages': [{'role': 'user', 'content': 'Hi'}], 'max_tokens': 9}
    """
    request: dict[str, Any] = {"model": model}
    if api == "completions":
        request["prompt"] = prompts.joined(prompt, system)
    else:
        request["messages"] = [{"role": "system", "content": system}] if system else []
        request["messages"].append({"role": "user", "content": prompt})
    return {name: value for name, value in (request | fields).items() if value is not None}


def read(
    answer: dict,
    record: dict,
    number: int = 1,
    ends: tuple[str, ...] = (),
    logprobs: bool = False,
) -> dict:
    """Return {"prediction", "input_tokens", "output_tokens", "unfinished", "finish"} of an answer.

    number: outputs asked for; above 1 the prediction is a list, in the server's order.
    input_tokens, output_tokens: None if the server does not say, or says what is no number of
        tokens; output_tokens count all outputs.
    finish: the server's reason for the end of each output, usually "stop" or "length" (unfinished).
    ends: texts that end an output, if the server let one through; "output_tokens" still count it.
    logprobs: add "logprobs", for each output pairs (token, log-probability); None if the server
        does not tell them.
    "fingerprint" is the server's name for what it computes with, if it tells it.

    An answer without a text is "", as a model may say nothing. An answer without "choices" is a
    RecordError, and so is one that a content filter withholds, if only in part.
    """
    choices = answer.get("choices")
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        content = answer.get("error") or answer
        raise RecordError(
            f'the server\'s answer has no list of "choices" but {show(content, 200)}', record
        )
    if len(choices) != number:
        hint = ': does it know "n"?' if number > 1 else ""
        raise RecordError(f"the server gives {len(choices)} outputs, not {number}{hint}", record)
    if all(_count(choice, "index") is not None for choice in choices):
        choices = sorted(choices, key=lambda choice: choice["index"])
    texts, reasons, of_tokens = [], [], []
    for choice in choices:
        text, reason = _text(choice, record), choice.get("finish_reason")
        end = writers.stop_place(text, ends)
        if end >= 0:
            text, reason = text[:end], "stop"
        if reason == "content_filter":
            raise Filtered("the server's content filter withholds the answer", record)
        texts.append(text.strip())
        reasons.append(reason if isinstance(reason, str) else None)
        of_tokens.append(_logprobs(choice))
    usage, fingerprint = answer.get("usage"), answer.get("system_fingerprint")
    return {
        "prediction": texts[0] if number == 1 else texts,
        "input_tokens": _count(usage, "prompt_tokens"),
        "output_tokens": _count(usage, "completion_tokens"),
        "unfinished": "length" in reasons,
        "finish": reasons[0] if number == 1 else reasons,
        **({"logprobs": of_tokens[0] if number == 1 else of_tokens} if logprobs else {}),
        **({"fingerprint": fingerprint} if isinstance(fingerprint, str) else {}),
    }


def _logprobs(choice: dict) -> list[list] | None:
    """Return the tokens of a choice, each with its log-probability; None for none."""
    told = choice.get("logprobs")
    if not isinstance(told, dict):
        return None
    content = told.get("content")
    if isinstance(content, list) and all(isinstance(token, dict) for token in content):  # of chat
        pairs = [(token.get("token"), token.get("logprob")) for token in content]
    else:
        tokens, values = told.get("tokens"), told.get("token_logprobs")
        if not isinstance(tokens, list) or not isinstance(values, list):
            return None
        pairs = list(zip(tokens, values, strict=False))
    if not all(isinstance(token, str) and is_number(value) for token, value in pairs):
        return None
    return [[_whole(token), value] for token, value in pairs]


def _whole(text: str) -> str:
    """Return a text with U+FFFD for half a surrogate pair, which UTF-8 lacks."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _count(value: Any, key: str) -> int | None:
    """Return a whole number from 0 of an answer, None for anything else."""
    count = value.get(key) if isinstance(value, dict) else None
    is_count = isinstance(count, int) and not isinstance(count, bool) and 0 <= count < 2**53
    return count if is_count else None


def _text(choice: dict, record: dict) -> str:
    """Return the text of a choice."""
    message = choice.get("message", choice)
    text: object = 0  # no text
    if isinstance(message, dict):
        text = message.get("content", message.get("text", 0))
    if not isinstance(text, str | None):
        raise RecordError(f"an output of the server has no text: {show(choice, 200)}", record)
    return _whole(text or "")


def request_name(body: dict) -> str:
    """Return the name of a request in a batch file."""
    text = json.dumps(body, sort_keys=True)
    return f"dialtools-{digest(text):016x}{digest(text, 1):016x}"


def batch_requests(requests: Iterable[tuple[dict, dict]], url: str, names: Seen) -> Iterator[dict]:
    """Yield a line for each pair (record, body) with a new body; url: the address of the server."""
    path = urlsplit(url).path
    for _, body in requests:
        name = request_name(body)
        if names.add(digest(name)):
            yield {"custom_id": name, "method": "POST", "url": path, "body": body}


def batch_answers(path: str) -> Callable[[dict, dict], dict]:
    """Return a function like servers.Client.answer that answers from a file, held in memory."""
    answers: dict[str, dict] = {}
    for place, line in jsonl.lines([path]):
        try:
            content = jsonl.loads(line)
        except RecordError as error:
            # it counts from the line's beginning
            raise RecordError(error.reason, place=place) from None
        answers[str(content.get("custom_id"))] = content

    def answer(record: dict, body: dict) -> dict:
        recorded = answers.get(request_name(body))
        if recorded is None:
            raise RecordError(
                f"no answer to this request in {path}: were the requests made with the same "
                "options?",
                record,
            )
        response = recorded.get("response")
        response = response if isinstance(response, dict) else {}
        content = response.get("body")
        if not isinstance(content, dict) or str(response.get("status_code") or 200) != "200":
            reason = recorded.get("error") or content or recorded
            raise RecordError(f"the server failed: {show(reason, 200)}", record)
        return content

    return answer
