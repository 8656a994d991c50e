"""A model behind a server of the OpenAI API (vLLM, llama.cpp, Ollama, …), by address and name.

It reads the record's prompt, or else the "context", if there is one, a newline,
and the dialogue as "Name: text" lines, or else the "text".  A key is read from
DIALTOOLS_API_KEY; OPENAI_API_KEY is for api.openai.com alone.

Without --sample it is asked for temperature 0, which not every server makes
deterministic.  A server that does not know a field of ours, or wants another,
gets it by body={"max_tokens": null, "max_completion_tokens": 128} (Python, or
--body): null leaves a field out.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from dialtools import keyed
from dialtools.errors import OptionError, RecordError, show
from dialtools.generation import batchfiles, completions, prompts, servers
from dialtools.models import stops
from dialtools.records import jsonl

SILENT = {"batch_size", "concurrency", "timeout", "retries", "offline"}  # options that leave the output as it is
SAMPLING = {"temperature", "top_k", "top_p", "seed"}
LEAST = {"batch_size": 1, "concurrency": 1, "retries": 0, "max_new_tokens": 1, "num_return": 1, "timeout": 0.001,
         "temperature": 0.0, "top_k": 0, "top_p": 1e-4}


def generate(records: list[dict], *, model: str = "", endpoint: str = "", api: completions.Api = "chat",
             batch_size: int = 32, concurrency: int = 8, timeout: float = 120.0, retries: int = 4,
             max_new_tokens: int = 128, stop: str = "", num_return: int = 1, sample: bool = False,
             temperature: float = 1.0, top_k: int = 0, top_p: float = 1.0, seed: int = 0, body: str = "{}",
             offline: bool = False, ask: Callable | None = None) -> Iterator[dict]:
    """Yield what the server answers for each record, in their order.

    model: what the server calls it.
    endpoint: the server's address, such as http://localhost:8000/v1.
    api: chat (roles) or completions (the prompt as it is).
    batch_size: how many records are handed over at once; they are all asked, and waited for.
    concurrency: requests under way at once, of those that are handed over together.
    timeout: seconds in which an answer must be there.
    retries: how often a request is repeated when the server is busy or the connection is lost.
    max_new_tokens: tokens after which an output is cut.
    stop: text before which an output ends, or a JSON list of such texts.
    num_return: outputs for each record; above 1 the prediction is a list, as drawn.
    sample: draw, by temperature, top_k (0: all) and top_p; the server is given a seed by seed and id.
    body: a JSON object, further fields of the request; null leaves one out.
    offline: open no socket; then there is no server.
    ask: what answers the requests, as servers.ask does.
    """
    asked = requests(records, model=model, api=api, max_new_tokens=max_new_tokens, stop=stop, num_return=num_return,
                     sample=sample, temperature=temperature, top_k=top_k, top_p=top_p, seed=seed, body=body)
    send = partial(ask or servers.ask, completions.address(endpoint, api), concurrency=min(concurrency, len(records)),
                   timeout=timeout, retries=retries)
    for record, answer in _answered(asked, send):
        yield completions.read(answer, record, num_return, stops.texts(stop))


def _answered(asked: list[tuple[dict, dict]], send: Callable) -> Iterator[tuple[dict, dict]]:
    """Yield each record with the answer to its request; requests that are alike are sent once."""
    names = [batchfiles.name(body) for _, body in asked]
    distinct: dict[str, tuple[dict, dict]] = {}
    for name, request in zip(names, asked, strict=True):
        distinct.setdefault(name, request)
    new, answers = zip(distinct, send(distinct.values()), strict=True), dict[str, dict]()
    for (record, _), name in zip(asked, names, strict=True):
        if name not in answers:
            _, answers[name] = next(new)  # they come in the order of the distinct ones
        yield record, answers[name]


def requests(records: list[dict], *, model: str, api: completions.Api, max_new_tokens: int, stop: str,
             num_return: int, sample: bool, temperature: float, top_k: int, top_p: float, seed: int, body: str,
             **others: Any) -> list[tuple[dict, dict]]:
    """Return each record with the body of its request; the options are those of generate."""
    fields: dict[str, Any] = {
        "max_tokens": max_new_tokens, "stop": list(stops.texts(stop)) or None,
        "n": num_return if num_return > 1 else None, "temperature": temperature if sample else 0.0}
    if sample:
        fields |= {"top_p": top_p if top_p < 1 else None, "top_k": top_k or None}
    users = _object(body)
    made = []
    for record in records:
        if sample:
            fields["seed"] = keyed.rng(seed, "endpoint", record["id"]).getrandbits(31)
        prompt, system = prompts.of(record), record.get("system_prompt")
        made.append((record, completions.body(prompt, system, model, api, fields | users)))
    return made


def settings(**options: Any) -> dict:
    """Return the options as they take effect; those are left out that change nothing in the output."""
    if options["offline"]:
        raise OptionError("an endpoint is reached by a socket, and --offline opens none")
    if not options["model"] or not options["endpoint"]:
        raise OptionError("which server, and which of its models? --endpoint URL --model NAME")
    servers.check_address(options["endpoint"])
    for name, least in LEAST.items():
        if not options[name] >= least:  # a NaN is not
            raise OptionError(f"{name} is at least {least}, not {options[name]}")
    stops.texts(options["stop"])
    if options["num_return"] > 1 and not options["sample"] and not _object(options["body"]):
        raise OptionError("several outputs are drawn: add --sample, or tell the server by --body how else to find them")
    unused = SILENT if options["sample"] else {*SILENT, *SAMPLING, "sample"}
    shown = {name: value for name, value in options.items() if name not in unused and (name, value) != ("stop", "")}
    return shown | {"body": prompts.digest(options["body"]) if _object(options["body"]) else None}


def _object(text: str) -> dict:
    """Return the JSON object in a text; OptionError for anything else."""
    try:
        found = jsonl.parse(text.encode())
    except RecordError:
        found = None
    if not isinstance(found, dict):
        raise OptionError(f"body is a JSON object of fields of the request, not {show(text)}")
    return found
