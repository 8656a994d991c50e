"""A model behind a server of the OpenAI API (vLLM, llama.cpp, Ollama, …), by address and name.

It reads the record's prompt, or else the "context", if any, a newline,
and the dialogue as "Name: text" lines, or else the "text".  A key is read from
DIALTOOLS_API_KEY; OPENAI_API_KEY is for api.openai.com alone.

Without --sample the temperature is 0, which is not deterministic on every server.
body={"max_tokens": null, "max_completion_tokens": 128} changes
fields for a server that does not know ours: null leaves a field out.
"""

from collections.abc import Iterator
from typing import Annotated, Any

from dialtools.inference import completions, prompts, servers, window
from dialtools.models import writers
from dialtools.models.decoding import Decoding, Serving
from dialtools.plugins import options
from dialtools.plugins.generator import Generator
from dialtools.records import jsonl
from dialtools.system import stable_hash
from dialtools.system.errors import OptionError, RecordError, show

SAMPLING = ("temperature", "top_k", "top_p")
Known = Annotated[
    Decoding,
    "max_new_tokens",
    "stop",
    "number",
    "sample",
    "temperature",
    "top_k",
    "top_p",
    "logprobs",
]


@options.flat
def generate(
    records: list[dict],
    *,
    model: str = "",
    endpoint: str = "",
    serving: Serving = Serving(),
    decoding: Known = Decoding(),
    seed: int = 0,
    offline: bool = False,
) -> Iterator[dict]:
    """Yield the server's answer for each record, in order.

    model: the server's name for it.
    endpoint: the server's address, such as http://localhost:8000/v1; several, between spaces, are
        replicas.
    seed: gives, with the record's id, the server's seed for a sample.
    offline: open no socket; then there is no server.
    """
    client = servers.Client(completions.address(endpoint, serving.api), serving)
    asked = _requests(records, model, serving, decoding, seed)
    answers = window.in_order(
        lambda pair: _read(client.answer(*pair), pair[0], decoding),
        [(None, [pair]) for pair in asked],
        min(serving.concurrency, len(records)),
        lambda pair: completions.request_name(pair[1]),
        end=client.over.set,
    )
    for _, outputs in answers:
        yield from outputs


@options.flat
def requests(
    records: list[dict],
    *,
    model: str = "",
    serving: Serving = Serving(),
    decoding: Known = Decoding(),
    seed: int = 0,
    **_: object,
) -> list[tuple[dict, dict]]:
    """Return each record with the body of its request; the options are those of generate."""
    return _requests(records, model, serving, decoding, seed)


@options.flat
def read(answer: dict, record: dict, *, decoding: Known = Decoding(), **_: object) -> dict:
    """Return the output in a server's answer; the options are those of generate."""
    return _read(answer, record, decoding)


def _read(answer: dict, record: dict, decoding: Decoding) -> dict:
    ends = writers.stop_texts(decoding.stop)
    return completions.read(answer, record, decoding.number, ends, decoding.logprobs)


def _requests(
    records: list[dict], model: str, serving: Serving, decoding: Decoding, seed: int
) -> list[tuple[dict, dict]]:
    fields: dict[str, Any] = {
        "max_tokens": decoding.max_new_tokens,
        "stop": list(writers.stop_texts(decoding.stop)) or None,
        "n": decoding.number if decoding.number > 1 else None,
        "temperature": decoding.temperature if decoding.sample else 0.0,
    }
    if decoding.sample:
        fields |= {
            "top_p": decoding.top_p if decoding.top_p < 1 else None,
            "top_k": decoding.top_k or None,
        }
    if decoding.logprobs:
        fields["logprobs"] = True if serving.api == "chat" else 1
    users_fields = _users_fields(serving.body)
    requests = []
    for record in records:
        if decoding.sample:
            fields["seed"] = stable_hash.rng(seed, "endpoint", record["id"]).getrandbits(31)
        prompt, system = prompts.of(record), record.get("system_prompt")
        body = completions.body(prompt, system, model, serving.api, fields | users_fields)
        requests.append((record, body))
    return requests


@options.flat
def settings(
    *,
    model: str,
    endpoint: str,
    serving: Serving = Serving(),
    decoding: Known = Decoding(),
    seed: int = 0,
    offline: bool = False,
) -> dict:
    """Return the options that change the output, as they take effect."""
    if offline:
        raise OptionError("an endpoint needs a socket, and --offline opens none")
    if not model or not endpoint:
        raise OptionError("No server or no model given: use --endpoint URL and --model NAME.")
    servers.check_address(endpoint)
    servers.interval(serving.rate)
    servers.prices(serving.price)
    options.check(serving, decoding)
    writers.stop_texts(decoding.stop)
    users_fields = _users_fields(serving.body)
    if decoding.number > 1 and not decoding.sample and not users_fields:
        raise OptionError(
            "several outputs need sampling: add --sample, or tell the server by "
            "body={…} how to find them"
        )
    shown: dict[str, Any] = {
        "model": model,
        "endpoint": endpoint,
        "api": serving.api,
        "max_new_tokens": decoding.max_new_tokens,
        "stop": decoding.stop or None,
        "num_return": decoding.number,
    }
    if decoding.sample:
        shown |= {
            "sample": True,
            **{name: getattr(decoding, name) for name in SAMPLING},
            "seed": seed,
        }
    # what the user's own fields make of them
    shown |= {name: users_fields[name] for name in (*SAMPLING, "seed") if name in users_fields}
    if decoding.logprobs:
        shown["logprobs"] = True
    return shown | {"body": prompts.digest(serving.body) if users_fields else None}


def _users_fields(text: str) -> dict:
    """Return the fields of a request in a JSON object. Raise OptionError for anything else."""
    try:
        fields = jsonl.parse(text.encode())
    except RecordError:
        fields = None
    if not isinstance(fields, dict):
        raise OptionError(f"body must be a JSON object of fields of the request, not {show(text)}")
    return fields


GENERATOR = Generator(generate, settings=settings, requests=requests, read=read)
