"""How likely a text is to a model, token by token: to a causal, a masked, or a sequence-to-sequence one.

What comes back for a text are the losses of its tokens, negative natural
logarithms of their probabilities.  Each distinct row of tokens is read once,
rows of like length together, and logits are only made where they are asked for.
"""

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from dialtools.errors import MissingError, OptionError, RecordError, need
from dialtools.models import batches, loading

Kind = Literal["causal", "masked"]
Long = Literal["error", "truncate", "stride"]
Special = Literal["tokenizer", "yes", "no"]
Precision = Literal["float32", "bfloat16", "float16"]

_CLASSES = {"causal": "AutoModelForCausalLM", "masked": "AutoModelForMaskedLM", "seq2seq": "AutoModelForSeq2SeqLM"}
_KINDS = {"ForCausalLM": "causal", "LMHeadModel": "causal", "ForMaskedLM": "masked"}  # as architectures are called


class Row(NamedTuple):
    """What a model reads at once, and where it is asked for what."""

    ids: tuple[int, ...]  # of a seq2seq model what its decoder reads
    places: tuple[int, ...]  # those outputs from which the losses are taken
    targets: tuple[int, ...]  # the tokens that are looked for there
    source: tuple[int, ...] = ()  # what an encoder reads


class Place(NamedTuple):
    """Where a model runs, and how."""

    device: str = "auto"
    precision: Precision = "float32"
    offline: bool = False
    batch_size: int = 16


@functools.lru_cache(maxsize=8)
def kind(name: str, offline: bool = False) -> str:
    """Return "causal" or "masked", as the model's configuration says; OptionError for any other model."""
    config = loading.load("AutoConfig", name, offline, False)
    built = (config.architectures or ["model of unknown architecture"])[0]
    found = next((kind for end, kind in _KINDS.items() if built.endswith(end)), None)
    if config.is_encoder_decoder or not found:
        raise OptionError(f"{name} is a {built}, neither a causal nor a masked language model: "
                          "it has no perplexity")
    return found


@functools.lru_cache(maxsize=4)
def loaded(kind: str, name: str, where: Place) -> tuple[Any, Any]:
    """Return (tokenizer, model) of a kind; the last few are kept."""
    tokenizer, model = loading.network(_CLASSES[kind], name, where.device, where.precision, where.offline)
    if kind == "causal" and not _is_causal(model):
        raise OptionError(f"{name} sees what comes after a token: it is no causal model")
    if kind == "masked" and tokenizer.mask_token_id is None:
        raise MissingError(f"the tokenizer of {name} has no token that masks others")
    return tokenizer, model


def _is_causal(model: Any) -> bool:
    """Does what a model says of a token stay the same whatever comes after it?"""
    torch = need("torch", "models")
    with loading.inference():
        one, other = model(torch.tensor([[1, 2], [1, 3]], device=model.device)).logits[:, 0].float()
    return bool((one - other).abs().max() <= torch.finfo(model.dtype).eps ** 0.5 * one.abs().max())


def causal(name: str, texts: Sequence[str], where: Place, bos: Special = "tokenizer", eos: Special = "tokenizer",
           long: Long = "error", stride: int = 0) -> list[list[float]]:
    """Return the losses of each text's tokens; the first one has none unless there is a token before it.

    bos, eos: a token before or after the text: yes, no, or as the tokenizer does it by itself.
    long: what is done with a text that is longer than the model has positions: error; truncate, at its
        end; or stride: it is read in windows, of which each token is predicted in one, and
    stride: is how many tokens a window goes on; 0 is half of the positions.
    """
    tokenizer, model = loaded("causal", name, where)
    limit = loading.positions(tokenizer, model, "decoder")
    if long == "stride" and not 0 <= stride < limit:
        raise OptionError(f"stride is less than the model has positions, {limit}, not {stride}")
    before, after = _frame(name, tokenizer, bos, eos)
    rows = []
    for text in texts:
        ids = (*before, *encoded(tokenizer, text), *after)
        cut = _fitting(ids, limit, long)
        if len(cut) < 2:
            raise RecordError("one token, and nothing before it that it could be predicted from: bos=yes")
        rows.append(_windows(cut, limit, stride or limit // 2))
    return _gathered(model, rows, where)


def masked(name: str, texts: Sequence[str], where: Place, long: Long = "error") -> list[list[float]]:
    """Return the losses of each text's tokens, each masked in its turn; those that the tokenizer adds are not asked."""
    tokenizer, model = loaded("masked", name, where)
    limit = loading.positions(tokenizer, model, "encoder")
    before, after = _frame(name, tokenizer, "tokenizer", "tokenizer")
    rows = []
    for text in texts:
        ids = _fitting(encoded(tokenizer, text), limit - len(before) - len(after), long)
        whole = (*before, *ids, *after)
        places = range(len(before), len(before) + len(ids))
        rows.append([Row((*whole[:at], tokenizer.mask_token_id, *whole[at + 1:]), (at,), (whole[at],))
                     for at in places])
    return _gathered(model, rows, where)


def written(name: str, sources: Sequence[str], targets: Sequence[str], where: Place,
            long: Long = "error") -> list[list[float]]:
    """Return the losses of the tokens of each target, those that the tokenizer adds included, given its source."""
    tokenizer, model = loaded("seq2seq", name, where)
    sides = [("encoder", sources), ("decoder", targets)]
    read, asked = ([_fitting(tuple(tokenizer(text, verbose=False)["input_ids"]),
                             loading.positions(tokenizer, model, side), long) for text in texts]
                   for side, texts in sides)
    rows = [[Row(_shifted(model, labels), tuple(range(len(labels))), labels, source)]
            for source, labels in zip(read, asked, strict=True)]
    return _gathered(model, rows, where)


def _shifted(model: Any, labels: tuple[int, ...]) -> tuple[int, ...]:
    """Return what the decoder reads where labels are what it is to write."""
    torch = need("torch", "models")
    return tuple(model.prepare_decoder_input_ids_from_labels(labels=torch.tensor([labels]))[0].tolist())


def encoded(tokenizer: Any, text: str) -> tuple[int, ...]:
    """Return the tokens of a text, without any around it; RecordError where there are none."""
    ids = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    if not ids:
        raise RecordError("no text, and so no likelihood")
    return tuple(ids)


def _frame(name: str, tokenizer: Any, bos: Special, eos: Special) -> tuple[list[int], list[int]]:
    """Return the tokens that come before a text and after it."""
    bare, framed = (tokenizer("a", add_special_tokens=own)["input_ids"] for own in (False, True))
    at = next(at for at in range(len(framed)) if framed[at:at + len(bare)] == bare)
    sides = []
    for asked, own, token in ((bos, framed[:at], tokenizer.bos_token_id),
                              (eos, framed[at + len(bare):], tokenizer.eos_token_id)):
        if asked == "yes" and not own and token is None:
            raise MissingError(f"the tokenizer of {name} has no token for the beginning or the end of a text: "
                               "bos=no or eos=no")
        sides.append([] if asked == "no" else own or ([token] if asked == "yes" else []))
    return sides[0], sides[1]


def _fitting(ids: tuple[int, ...], limit: int, long: Long) -> tuple[int, ...]:
    """Return tokens as they are to be read; RecordError for too many, where that is what was asked for."""
    if len(ids) > limit and long == "error":
        raise RecordError(f"{len(ids)} tokens, and the model has positions for {limit}: see the option long")
    return ids[:limit] if long == "truncate" else ids


def _windows(ids: tuple[int, ...], limit: int, stride: int) -> list[Row]:
    """Return the rows in which each token but the first is predicted once, from as much as fits before it."""
    rows, done = [], 1
    for start in range(0, max(len(ids) - limit, 0) + stride, stride):
        part = ids[start:start + limit]
        places = tuple(range(done - 1 - start, len(part) - 1))
        rows.append(Row(part, places, tuple(part[at + 1] for at in places)))
        done = start + len(part)
        if done == len(ids):
            break
    return rows


def _gathered(model: Any, rows: Sequence[list[Row]], where: Place) -> list[list[float]]:
    """Return the losses of all rows of a text together."""
    distinct = list(dict.fromkeys(row for own in rows for row in own))
    losses = dict(zip(distinct, batches.each(distinct, lambda row: len(row.source) + len(row.ids),
                                             functools.partial(_losses, model), where.batch_size), strict=True))
    return [[loss for row in own for loss in losses[row]] for own in rows]


def _losses(model: Any, rows: list[Row]) -> list[list[float]]:
    """Return the losses of each row of a batch."""
    torch = need("torch", "models")
    ids, mask = batches.padded([row.source or row.ids for row in rows], model.device)
    given = {"input_ids": ids, "attention_mask": mask}
    if rows[0].source:
        given["decoder_input_ids"], _ = batches.padded([row.ids for row in rows], model.device)
    numbers = torch.tensor([number for number, row in enumerate(rows) for _ in row.places], device=model.device)
    places = torch.tensor([place for row in rows for place in row.places], device=model.device)
    targets = torch.tensor([target for row in rows for target in row.targets], device=model.device)
    with loading.inference(), _only(model, numbers, places):
        logits = model(**given).logits  # (asked, vocabulary), or (rows, tokens, vocabulary)
        logits = logits if logits.dim() == 2 else logits[numbers, places]
        losses = torch.nn.functional.cross_entropy(logits.float(), targets, reduction="none")
    return [part.tolist() for part in losses.split([len(row.places) for row in rows])]


@contextmanager
def _only(model: Any, numbers: Any, places: Any) -> Iterator[None]:
    """Let the model's head see only the states that are asked for: (rows, tokens, dim) becomes (asked, dim)."""
    head = model.get_output_embeddings()
    if head is None:
        yield
        return
    hook = head.register_forward_pre_hook(
        lambda module, given: (given[0][numbers, places], *given[1:]) if given[0].dim() == 3 else None)
    try:
        yield
    finally:
        hook.remove()
