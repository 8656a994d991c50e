"""A sequence-to-sequence model that translates while its source is still arriving.

The "text" (or the prompt) arrives word by word, or with read=char character by
character.  policy=wait-k waits for k units, then writes one and reads one in turn;
policy=local-agreement translates anew after each k units, and writes the agreement
of two successive translations (LA-2).  Written text stays: the model continues
it.  Greedy, one record at a time.

A record gets "delays", the number of units read before each word of the
prediction (with write=char, each character), and "source_length", as the metrics
al, laal and dal need them; with --each turn they are under "turns" in the history.
With timed=yes the history has "milliseconds", the time at which a model that never
waits wrote each unit; it varies from run to run.  al:aware=yes and similar metrics
need both as one number.  For a source with W ms a unit (say 400), this adds
"elapsed" and converts all to milliseconds:

    jq -c '.elapsed = [[.delays, .history[-1].milliseconds] | transpose[] | .[0] * 400 + .[1]] |
      .source_length *= 400 | .delays[] *= 400'

Source: Ma et al. 2019, https://aclanthology.org/P19-1289 (wait-k), and Liu et al.
2020, https://arxiv.org/abs/2005.11185 (local agreement), for any model, not trained for it.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from time import monotonic
from typing import Annotated, Any, Literal

from dialtools.inference import inputs
from dialtools.models import checkpoints, speakers
from dialtools.models.decoding import Decoding, Runtime
from dialtools.models.folders import Checkpoint
from dialtools.models.writers import Writer, end_tokens, forced_end
from dialtools.plugins import options
from dialtools.plugins.generator import Generator
from dialtools.system.errors import OptionError, RecordError

Policy = Literal["wait-k", "local-agreement"]
Unit = Literal["word", "char"]
Known = Annotated[Decoding, "max_input", "max_new_tokens", "src_lang", "tgt_lang"]
Where = Annotated[Runtime, "device", "offline", "trust_remote_code", "allow_pickle"]

# (units of the source, the tokens `done` in a translation of them) -> the tokens that follow
Translate = Callable[[list[str], list[int]], list[int]]
Text = Callable[[list[int]], str]
Step = tuple[int, list[int]]  # the number of units read, and all tokens written until then


@options.flat
def generate(
    records: list[dict],
    *,
    model: str = "",
    policy: Policy = "wait-k",
    k: int = 3,
    read: Unit = "word",
    write: Unit = "word",
    decoding: Known = Decoding(),
    timed: bool = False,
    runtime: Where = Runtime(),
) -> Iterator[dict]:
    """Yield the translation of each record, with "delays" and "source_length".

    model: folder or hub name.
    policy: wait-k or local-agreement.
    k: units to wait for; for local agreement, units between two translations.
    read, write: units of the source, and units that have delays.
    decoding: a source longer than max_input is an error.
    timed: add the time of each unit, in milliseconds from the beginning.
    """
    checkpoint = Checkpoint(model, runtime.offline, runtime.trust_remote_code, runtime.allow_pickle)
    writer, network = _model(checkpoint, runtime.device)
    most = inputs.limit(writer, "seq2seq", decoding.max_input, decoding.max_new_tokens)
    start, first = inputs.languages(writer, decoding.src_lang, decoding.tgt_lang)
    begin = [network.config.decoder_start_token_id if start is None else start]
    begin += [] if first is None else [first]
    between = " " if read == "word" else ""

    def text(ids: list[int]) -> str:
        return writer.tokenizer.decode(ids, skip_special_tokens=True).strip()

    for record in records:
        text_in = record["prompt"] if record.get("prompt") is not None else record.get("text") or ""
        if not text_in.strip():
            raise RecordError(
                'nothing to translate: no "text" (dialogues are translated by --each turn)', record
            )
        inputs.set_source(record, writer.tokenizer, decoding.src_lang)
        source = units(text_in, read)
        translate = partial(
            _translate, writer, network, begin, record, most, decoding.max_new_tokens, between
        )
        policy_of = wait_k if policy == "wait-k" else local_agreement
        steps, seconds = _clocked(policy_of(source, translate, text, write, k))
        prediction, unit_delays = delays(steps, text, write)
        times = [round(1000 * seconds[delay], 1) for delay in unit_delays]
        length = len(steps[-1][1])
        has_ended = length < decoding.max_new_tokens - forced_end(writer.settings)
        yield {
            "prediction": prediction,
            "delays": unit_delays,
            "source_length": len(source),
            **({"milliseconds": times} if timed else {}),
            "input_tokens": len(_ids(writer, source, between)),
            "output_tokens": length,
            "unfinished": not has_ended,
            "finish": "stop" if has_ended else "length",
        }


@options.flat
def settings(
    *,
    model: str,
    policy: Policy,
    k: int,
    read: Unit,
    write: Unit,
    decoding: Known = Decoding(),
    timed: bool,
    **_: object,
) -> dict:
    """Return the options that change the output, as they take effect."""
    if not model:
        raise OptionError("No model given: use --model PATH, a folder or a hub name.")
    if k < 1:
        raise OptionError(f"k is at least 1, not {k}")
    options.check(decoding)
    return {
        "model": model,
        "policy": policy,
        "k": k,
        "read": read,
        "write": write,
        "max_input": decoding.max_input,
        "max_new_tokens": decoding.max_new_tokens,
        "src_lang": decoding.src_lang or None,
        "tgt_lang": decoding.tgt_lang or None,
        "timed": timed or None,
    }


@lru_cache(maxsize=1)
def _model(checkpoint: Checkpoint, device: str) -> tuple[Writer, Any]:
    tokenizer, network = checkpoints.network(
        checkpoints.CLASSES["seq2seq"], checkpoint, device, "float32"
    )

    if speakers.has(network):
        raise OptionError(
            f"{checkpoint.name} reads which words are names of speakers, and a "
            "source that is still arriving does not tell: -g seq2seq"
        )

    def none(*given: Any) -> list:
        raise TypeError("it writes step by step")

    return Writer(tokenizer, network.config, network.generation_config, none), network


def _clocked(coming: Iterator[Step]) -> tuple[list[Step], dict[int, float]]:
    """Return the steps of a policy, and the seconds taken up to each number of units read."""
    begin, steps, seconds = monotonic(), [], {}
    for read, done in coming:
        steps.append((read, done))
        seconds[read] = monotonic() - begin
    return steps, seconds


def _translate(
    writer: Writer,
    network: Any,
    begin: list[int],
    record: dict,
    most: int,
    max_new_tokens: int,
    between: str,
    units: list[str],
    done: list[int],
) -> list[int]:
    """Return the tokens with which the model continues, without the end."""
    import torch

    ids = _ids(writer, units, between)
    if len(ids) > most:
        raise RecordError(
            f"the source has {len(ids)} tokens or more, and the model can read {most}", record
        )
    if len(done) >= max_new_tokens:
        return []
    with torch.inference_mode(), checkpoints.hushed():
        output = network.generate(
            input_ids=torch.tensor([ids], device=network.device),
            num_beams=1,
            do_sample=False,
            decoder_input_ids=torch.tensor([begin + done], device=network.device),
            forced_bos_token_id=None,
            max_new_tokens=max_new_tokens - len(done),
            pad_token_id=writer.tokenizer.pad_token_id,
        )
    new = output[0, len(begin) + len(done) :].tolist()
    ends = end_tokens(network.generation_config)
    return new[: next((place for place, token in enumerate(new) if token in ends), len(new))]


def _ids(writer: Writer, units: list[str], between: str) -> list[int]:
    return writer.tokenizer(between.join(units), verbose=False)["input_ids"]


def units(text: str, unit: Unit) -> list[str]:
    """Return the words of a text, or its characters without spaces."""
    return text.split() if unit == "word" else [letter for letter in text if not letter.isspace()]


def wait_k(
    source: list[str], translate: Translate, text: Text, unit: Unit, k: int
) -> Iterator[Step]:
    """Read k units, then write one and read one in turn; write the rest once the source has ended.

    If the model ends before the source does, it writes nothing until more is read.

    Source: Ma et al. 2019, https://aclanthology.org/P19-1289.
    """
    done: list[int] = []
    for read in range(min(k, len(source)), len(source)):
        new = translate(source[:read], done)
        counts = _counts(done, new, text, unit)
        # one more, or as many as a token has
        due = next((count for count in counts if count > counts[0]), counts[0])
        done = done + new[: _last(counts, due)]
        yield read, done
    yield len(source), done + translate(source, done)


def local_agreement(
    source: list[str], translate: Translate, text: Text, unit: Unit, step: int
) -> Iterator[Step]:
    """After each `step` units translate anew, and write the agreement of the last two translations.

    Source: LA-2 of Liu et al. 2020, https://arxiv.org/abs/2005.11185.
    """
    done: list[int] = []
    before: list[str] = []
    for read in range(min(step, len(source)), len(source), step):
        new = translate(source[:read], done)
        now = units(text(done + new), unit)
        agreed = _alike(before, now)
        counts = _counts(done, new, text, unit)
        if agreed > counts[0]:
            done = done + new[: _last(counts, agreed)]
        before = now
        yield read, done
    yield len(source), done + translate(source, done)


def _counts(done: list[int], new: list[int], text: Text, unit: Unit) -> list[int]:
    """Return the numbers of units written with none of the new tokens, with one, with two, …"""
    return [len(units(text(done + new[:size]), unit)) for size in range(len(new) + 1)]


def _last(counts: list[int], most: int) -> int:
    """Return how many new tokens give at most `most` units."""
    return max(size for size, count in enumerate(counts) if count <= most)


def _alike(first: list[str], second: list[str]) -> int:
    """Return the length of the common beginning of two texts, in units."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(first), len(second)))


def delays(steps: Iterable[Step], text: Text, unit: Unit) -> tuple[str, list[int]]:
    """Return the text that a policy writes, and for each unit the number of source units read.

    A unit that grows later counts as written later.
    """
    unit_delays: list[int] = []
    before: list[str] = []
    written = ""
    for read, done in steps:
        written = text(done)
        now = units(written, unit)
        same = _alike(before, now)
        unit_delays = unit_delays[:same] + [read] * (len(now) - same)
        before = now
    return written, unit_delays


GENERATOR = Generator(generate, settings=settings)
