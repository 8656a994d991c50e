"""Likelihoods of texts by causal, masked or sequence-to-sequence models, token by token.

The result for a text is the losses of its tokens: negative natural logarithms of
their probabilities.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

from dialtools.languages import get
from dialtools.models import checkpoints, ctlosses, losses, multilingual, speakers
from dialtools.models.folders import Checkpoint
from dialtools.models.multilingual import Languages
from dialtools.models.readers import Engine, Precision
from dialtools.names import occurrences
from dialtools.system.errors import MissingError, OptionError, RecordError, need

Kind = Literal["causal", "masked"]
Long = Literal["error", "truncate", "stride"]
Special = Literal["tokenizer", "yes", "no"]

_SIDES = {"causal": "decoder", "masked": "encoder"}  # whose positions count


class Place(NamedTuple):
    """Device and settings of a model."""

    device: str = "auto"
    precision: Precision = "float32"
    offline: bool = False
    batch_size: int = 16


@functools.lru_cache(maxsize=8)
def kind(name: str, offline: bool = False) -> str:
    """Return "causal", "masked" or "seq2seq", as the model's configuration says; OptionError for
    any other model.
    """
    config = checkpoints.load("AutoConfig", Checkpoint(name, offline))
    found = checkpoints.kind(config)
    if not found:
        raise OptionError(
            f"{name} is a {checkpoints.architecture(config)}, which says nothing of "
            "how likely a text is"
        )
    return found


@functools.lru_cache(maxsize=4)
def loaded(kind: str, name: str, where: Place) -> tuple[Any, Any]:
    """Return (tokenizer, model) of a kind; the last few are kept."""
    tokenizer, model = checkpoints.network(
        checkpoints.CLASSES[kind], Checkpoint(name, where.offline), where.device, where.precision
    )
    if kind == "causal" and not _is_causal(model):
        raise OptionError(f"{name} sees what comes after a token: it is no causal model")
    if kind == "masked" and tokenizer.mask_token_id is None:
        raise MissingError(f"the tokenizer of {name} has no token that masks others")
    return tokenizer, model


def _is_causal(model: Any) -> bool:
    """Tell whether a model's prediction for a token is independent of later tokens."""
    torch = need("torch", "models")
    with checkpoints.inference():
        # any of which may be what others are padded with
        ids = torch.tensor([[1, 2], [1, 3]], device=model.device)
        one, other = model(ids, attention_mask=torch.ones_like(ids)).logits[:, 0].float()
    return bool((one - other).abs().max() <= torch.finfo(model.dtype).eps ** 0.5 * one.abs().max())


def causal(
    name: str,
    texts: Sequence[str],
    where: Place,
    bos: Special = "tokenizer",
    eos: Special = "tokenizer",
    long: Long = "error",
    stride: int = 0,
    engine: Engine = "torch",
) -> list[list[float]]:
    """Return the losses of each text's tokens; the first one has none unless there is a token
    before it.

    bos, eos: a token before or after the text: yes, no, or as the tokenizer does it by itself.
    long: what to do with a text longer than the model's positions: error; truncate, at its end;
        or stride: windows, and each token is predicted in one of them.
    stride: how many tokens a window begins after the one before; 0 is half of the positions.
    """
    tokenizer, config, find = _causal(name, where, engine)
    limit = checkpoints.positions(tokenizer, config, "decoder")
    if long == "stride" and not 0 <= stride < limit:
        raise OptionError(f"stride is less than the model has positions, {limit}, not {stride}")
    before, after = _frame(name, tokenizer, bos, eos)
    rows = []
    for text in texts:
        ids = (*before, *encoded(tokenizer, text), *after)
        cut = _fitting(ids, limit, long)
        if len(cut) < 2:
            raise RecordError("one token, and no token before it to predict it from: bos=yes")
        names = (0,) * len(before) + _names(tokenizer, config, text, "en", add_special_tokens=False)
        rows.append(_windows(cut, limit, stride or limit // 2, names))
    return find(rows, where.batch_size)


def _causal(name: str, where: Place, engine: Engine) -> tuple[Any, Any, Callable]:
    """Return (tokenizer, the model's configuration, function from rows to losses)."""
    if engine == "torch":
        tokenizer, model = loaded("causal", name, where)
        return tokenizer, model.config, functools.partial(losses.of_texts, model)
    tokenizer, config, generator = ctlosses.loaded(
        name, where.device, where.precision, where.offline
    )
    return tokenizer, config, functools.partial(ctlosses.of_texts, tokenizer, generator)


def masked(
    name: str, texts: Sequence[str], where: Place, long: Long = "error"
) -> list[list[float]]:
    """Return the losses of each text's tokens, each masked in its turn; those that the tokenizer
    adds are not asked.
    """
    tokenizer, model = loaded("masked", name, where)
    limit = checkpoints.positions(tokenizer, model.config, "encoder")
    before, after = _frame(name, tokenizer, "tokenizer", "tokenizer")
    rows = []
    for text in texts:
        ids = _fitting(encoded(tokenizer, text), limit - len(before) - len(after), long)
        whole = (*before, *ids, *after)
        places = range(len(before), len(before) + len(ids))
        rows.append(
            [
                losses.Query(
                    (*whole[:at], tokenizer.mask_token_id, *whole[at + 1 :]), (at,), (whole[at],)
                )
                for at in places
            ]
        )
    return losses.of_texts(model, rows, where.batch_size)


def too_long(
    kind: str,
    name: str,
    texts: Sequence[str],
    where: Place,
    bos: Special = "tokenizer",
    eos: Special = "tokenizer",
    engine: Engine = "torch",
) -> list[bool]:
    """Return which texts exceed the positions of a causal or masked model."""
    if kind == "causal":
        tokenizer, config, _ = _causal(name, where, engine)
    else:
        tokenizer, model = loaded(kind, name, where)
        config = model.config
    limit = checkpoints.positions(tokenizer, config, _SIDES[kind])
    own = sum(map(len, _frame(name, tokenizer, bos, eos)))
    return [len(encoded(tokenizer, text)) + own > limit for text in texts]


def following(
    name: str, before: Sequence[Sequence[str]], texts: Sequence[str], where: Place
) -> list[list[float]]:
    """Return the losses of each text's tokens, and of the end after it, where it follows the turns
    of a conversation.

    The token for the end stands after each turn, too.
    """
    tokenizer, model = loaded("causal", name, where)
    limit, end = checkpoints.positions(tokenizer, model.config, "decoder"), tokenizer.eos_token_id
    if end is None:
        raise MissingError(f"the tokenizer of {name} has no token for the end of a turn")
    known = {
        text: (*encoded(tokenizer, text), end)
        for text in {*texts, *(turn for turns in before for turn in turns)}
    }
    rows = []
    for turns, text in zip(before, texts, strict=True):
        if not turns:
            raise RecordError("no turn that a text could follow")
        ids = tuple(token for part in (*turns, text) for token in known[part])
        if len(ids) > limit:
            raise RecordError(
                f"{len(ids)} tokens with what follows, and the model has positions for {limit}"
            )
        places = tuple(range(len(ids) - len(known[text]) - 1, len(ids) - 1))
        rows.append([losses.Query(ids, places, known[text])])
    return losses.of_texts(model, rows, where.batch_size)


def written(
    name: str,
    sources: Sequence[str],
    targets: Sequence[str],
    where: Place,
    long: Long = "error",
    languages: Languages = Languages(),
) -> list[list[float]]:
    """Return the losses of the tokens of each target, those that the tokenizer adds included,
    given its source.
    """
    tokenizer, model = loaded("seq2seq", name, where)
    read, asked = _sides(tokenizer, model, sources, targets, languages)
    rows = []
    for source, labels, text in zip(read.texts, asked.texts, sources, strict=True):
        source, labels = _fitting(source, read.limit, long), _fitting(labels, asked.limit, long)
        names = _names(tokenizer, model.config, text, languages.lang)[: len(source)]
        rows.append(
            [
                losses.Query(
                    _shifted(model, labels), tuple(range(len(labels))), labels, source, names
                )
            ]
        )
    return losses.of_texts(model, rows, where.batch_size)


def too_long_to_write(
    name: str,
    sources: Sequence[str],
    targets: Sequence[str],
    where: Place,
    languages: Languages = Languages(),
) -> list[bool]:
    """Return which pairs exceed the positions of a sequence-to-sequence model."""
    read, asked = _sides(*loaded("seq2seq", name, where), sources, targets, languages)
    return [
        len(source) > read.limit or len(labels) > asked.limit
        for source, labels in zip(read.texts, asked.texts, strict=True)
    ]


class Side(NamedTuple):
    """The input of one side of a sequence-to-sequence model."""

    texts: list[tuple[int, ...]]  # as tokens
    limit: int  # number of positions


def _sides(
    tokenizer: Any, model: Any, sources: Sequence[str], targets: Sequence[str], languages: Languages
) -> tuple[Side, Side]:
    """Return both sides, read and written."""
    multilingual.tell(tokenizer, languages)
    read = tokenizer(text=sources, verbose=False)["input_ids"]
    asked = tokenizer(text_target=targets, verbose=False)["input_ids"]
    return (
        Side(list(map(tuple, read)), checkpoints.positions(tokenizer, model.config, "encoder")),
        Side(list(map(tuple, asked)), checkpoints.positions(tokenizer, model.config, "decoder")),
    )


def _shifted(model: Any, labels: tuple[int, ...]) -> tuple[int, ...]:
    """Return what the decoder reads where labels are what it is to write."""
    torch = need("torch", "models")
    # M2M-100 does it only on its way
    if not hasattr(model, "prepare_decoder_input_ids_from_labels"):
        return model.config.decoder_start_token_id, *labels[:-1]
    shifted = model.prepare_decoder_input_ids_from_labels(labels=torch.tensor([labels]))
    return tuple(shifted[0].tolist())


def encoded(tokenizer: Any, text: str) -> tuple[int, ...]:
    """Return the tokens of a text, without any around it; RecordError where there are none."""
    ids = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    if not ids:
        raise RecordError("no text, and so no likelihood")
    return tuple(ids)


def _frame(name: str, tokenizer: Any, bos: Special, eos: Special) -> tuple[list[int], list[int]]:
    """Return the tokens that come before a text and after it."""
    bare, framed = (tokenizer("a", add_special_tokens=own)["input_ids"] for own in (False, True))
    at = next((at for at in range(len(framed)) if framed[at : at + len(bare)] == bare), 0)
    return (
        _special(name, bos, framed[:at], tokenizer.bos_token_id),
        _special(name, eos, framed[at + len(bare) :], tokenizer.eos_token_id),
    )


def _special(name: str, asked: Special, own: list[int], token: int | None) -> list[int]:
    """Return the tokens at one end of a text; own: what the tokenizer puts there; token: what it
    might.
    """
    if asked == "no":
        return []
    if own or asked == "tokenizer":
        return own
    if token is None:
        raise MissingError(
            f"the tokenizer of {name} has no token for the beginning or the end of "
            "a text: bos=no or eos=no"
        )
    return [token]


def _fitting(ids: tuple[int, ...], limit: int, long: Long) -> tuple[int, ...]:
    """Return tokens as they are to be read; RecordError for too many, where that is what was asked
    for.
    """
    if len(ids) > limit and long == "error":
        raise RecordError(
            f"{len(ids)} tokens, and the model has positions for {limit}: "
            "the option long says what to do"
        )
    return ids[:limit] if long == "truncate" else ids


def _names(tokenizer: Any, config: Any, text: str, lang: str, **options: Any) -> tuple[int, ...]:
    """Return for each token of a text the name of a speaker that it is a part of, 0 for none.

    () for a model that does not ask for them.
    """
    if not speakers.has(config):
        return ()
    found = tokenizer(text, verbose=False, return_offsets_mapping=True, **options)
    return occurrences.numbered(found["offset_mapping"], occurrences.of_text(text, get(lang)))


def _windows(
    ids: tuple[int, ...], limit: int, stride: int, names: tuple[int, ...] = ()
) -> list[losses.Query]:
    """Return the rows in which each token but the first is predicted once, from as much as fits
    before it.

    names: of the first tokens; all others are of none.
    """
    names += (0,) * (len(ids) - len(names)) if any(names) else ()
    rows, done = [], 1
    for start in range(0, max(len(ids) - limit, 0) + stride, stride):
        part = ids[start : start + limit]
        places = tuple(range(done - 1 - start, len(part) - 1))
        rows.append(
            losses.Query(
                part,
                places,
                tuple(part[at + 1] for at in places),
                names=names[start : start + limit] if any(names) else (),
            )
        )
        done = start + len(part)
        if done == len(ids):
            break
    return rows
