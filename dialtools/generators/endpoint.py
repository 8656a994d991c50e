"""A model behind a server of the OpenAI API (vLLM, llama.cpp, Ollama, …), by address and name.

It reads the record's prompt, or else the "context", if any, a newline,
and the dialogue as "Name: text" lines, or else the "text".  A key is read from
DIALTOOLS_API_KEY; OPENAI_API_KEY is for api.openai.com alone.

Without --sample the temperature is 0, which is not deterministic on every server.
body={"max_tokens": null, "max_completion_tokens": 128} (Python, or --body) changes
fields for a server that does not know ours: null leaves a field out.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any

from dialtools.inference import completions, prompts, servers
from dialtools.inference.cache import Arrived
from dialtools.models import writers
from dialtools.models.decoding import Decoding, Serving
from dialtools.plugins import options
from dialtools.plugins.generator import Generator
from dialtools.records import jsonl
from dialtools.system import stable_hash
from dialtools.system.errors import OptionError, RecordError, show

SAMPLING = ("temperature", "top_k", "top_p")
Known = Annotated[
    Decoding, "max_new_tokens", "stop", "number", "sample", "temperature", "top_k", "top_p"
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
    ask: Callable | None = None,
    arrived: Arrived | None = None,
) -> Iterator[dict]:
    """Yield the server's answer for each record, in order.

    model: the server's name for it.
    endpoint: the server's address, such as http://localhost:8000/v1; several, between spaces, are
        replicas.
    seed: gives, with the record's id, the server's seed for a sample.
    offline: open no socket; then there is no server.
    ask: replaces servers.ask.
    arrived: gets outputs by their places among the records, as soon as they are there.
    """
    asked = _requests(records, model, serving, decoding, seed)
    names = [completions.request_name(body) for _, body in asked]
    places: dict[str, list[int]] = {}  # an identical request is sent once, for several records
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    distinct = [asked[same[0]] for same in places.values()]
    read = partial(completions.read, number=decoding.number, ends=writers.stop_texts(decoding.stop))

    def keep(number: int, answer: dict) -> None:
        record, body = distinct[number]
        facts = read(answer, record)
        if arrived:
            arrived(dict.fromkeys(places[completions.request_name(body)], facts))

    answers = (ask or servers.ask)(
        completions.address(endpoint, serving.api),
        distinct,
        concurrency=min(serving.concurrency, len(records)),
        timeout=serving.timeout,
        retries=serving.retries,
        arrived=keep if arrived else None,
    )
    new, answered = zip(places, answers, strict=True), dict[str, dict]()
    for (record, _), name in zip(asked, names, strict=True):
        if name not in answered:
            _, answered[name] = next(new)  # in the order of the distinct requests
        yield read(answered[name], record)


@options.flat
def requests(
    records: list[dict],
    *,
    model: str = "",
    endpoint: str = "",
    serving: Serving = Serving(),
    decoding: Known = Decoding(),
    seed: int = 0,
    offline: bool = False,
) -> list[tuple[dict, dict]]:
    """Return each record with the body of its request; the options are those of generate."""
    return _requests(records, model, serving, decoding, seed)


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
        raise OptionError("No server or no model given: use --endpoint URL --model NAME.")
    servers.check_address(endpoint)
    options.check(serving, decoding)
    writers.stop_texts(decoding.stop)
    users_fields = _users_fields(serving.body)
    if decoding.number > 1 and not decoding.sample and not users_fields:
        raise OptionError(
            "several outputs need sampling: add --sample, or tell the server by "
            "--body how to find them"
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


GENERATOR = Generator(generate, settings=settings, requests=requests)
