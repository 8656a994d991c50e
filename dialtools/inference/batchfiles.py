"""Batch files of the OpenAI API: a file of requests, and the file of a server's answers.

The name of a request is a digest of its body: two records with the same prompt share
one, and answers may come in any order.
"""

from collections.abc import Callable, Iterable, Iterator

from dialtools.records import jsonl
from dialtools.system.errors import RecordError, show
from dialtools.system.stable_hash import Seen, digest

METHOD = "POST"


def name(body: dict) -> str:
    """Return the name of a request."""
    import json

    text = json.dumps(body, sort_keys=True)
    return f"dialtools-{digest(text):016x}{digest(text, 1):016x}"


def requests(asked: Iterable[tuple[dict, dict]], url: str, seen: Seen) -> Iterator[dict]:
    """Yield a line for each pair (record, body) with a new body; url: the address of the server."""
    from urllib.parse import urlsplit

    path = urlsplit(url).path
    for _, body in asked:
        called = name(body)
        if seen.add(digest(called)):
            yield {"custom_id": called, "method": METHOD, "url": path, "body": body}


def answers(path: str) -> Callable[..., Iterator[dict]]:
    """Return a function like servers.ask that answers from a file, held in memory."""
    found = {}
    for place, line in jsonl.lines([path]):
        try:
            answer = jsonl.loads(line)
        except RecordError as error:
            # it counts from the line's beginning
            raise RecordError(error.reason, place=place) from None
        found[str(answer.get("custom_id"))] = answer

    def ask(url: str, requests: Iterable[tuple[dict, dict]], **limits: object) -> Iterator[dict]:
        for record, body in requests:
            yield _answer(found.get(name(body)), path, record)

    return ask


def _answer(answer: dict | None, path: str, record: dict) -> dict:
    """Return the body of an answer. Raise RecordError with the server's message for none."""
    if answer is None:
        raise RecordError(
            f"no answer to this request in {path}: were the requests made with the same options?",
            record,
        )
    response = answer.get("response")
    response = response if isinstance(response, dict) else {}
    body = response.get("body")
    if not isinstance(body, dict) or str(response.get("status_code") or 200) != "200":
        raise RecordError(
            f"the server failed: {show(answer.get('error') or body or answer, 200)}", record
        )
    return body
