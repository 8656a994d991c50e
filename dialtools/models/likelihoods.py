"""Likelihoods of texts by causal, masked or sequence-to-sequence models, token by token.

The result for a text is the losses of its tokens: negative natural logarithms of
their probabilities.  Each distinct row of tokens is read once, rows of like length
together, and logits, of which there are as many as the vocabulary has tokens, are
made only for the places that are asked for.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

from dialtools.models import checkpoints, ctranslate, minibatches, multilingual, speakers
from dialtools.models.checkpoints import Place
from dialtools.models.folders import Checkpoint
from dialtools.models.multilingual import Languages
from dialtools.models.readers import Engine
from dialtools.system.errors import MissingError, OptionError, RecordError, need

Kind = Literal["causal", "masked"]
Long = Literal["error", "truncate", "stride"]
Special = Literal["tokenizer", "yes", "no"]

# (text, where its tokens stand, language) -> the number of the speaker's name that each token is a
# part of, 0 for none
NamesOf = Callable[[str, Sequence[tuple[int, int]], str], tuple[int, ...]]

_SIDES = {"causal": "decoder", "masked": "encoder"}  # whose positions count


class CausalReading(NamedTuple):
    """How a causal model reads a text.

    bos, eos: a token before or after the text: yes, no, or as the tokenizer does it by itself.
    long: what to do with a text longer than the model's positions: error; truncate, at its end;
        or stride: windows, and each token is predicted in one of them.
    stride: how many tokens a window begins after the one before; 0 is half of the positions.
    """

    bos: Special = "tokenizer"
    eos: Special = "tokenizer"
    long: Long = "error"
    stride: int = 0
    engine: Engine = "torch"


class Query(NamedTuple):
    """A row of tokens, and the places and tokens whose losses are asked for."""

    ids: tuple[int, ...]  # of a seq2seq model what its decoder reads
    places: tuple[int, ...]  # those outputs from which the losses are taken
    targets: tuple[int, ...]  # the tokens that are looked for there
    source: tuple[int, ...] = ()  # what an encoder reads
    names: tuple[int, ...] = ()  # of what is read first: tokens of speakers' names, 0 for others


def kind(name: str, offline: bool = False) -> str:
    """Return "causal", "masked" or "seq2seq", as the model's configuration says; OptionError for
    any other model.
    """
    kind_of_model, architecture = checkpoints.kind_of(Checkpoint(name, offline))
    if not kind_of_model:
        raise OptionError(f"{name} is a {architecture}, which says nothing of how likely a text is")
    return kind_of_model


@functools.lru_cache(maxsize=4)
def loaded(kind: str, name: str, place: Place) -> tuple[Any, Any]:
    """Return (tokenizer, model) of a kind; the last few are kept."""
    tokenizer, model = checkpoints.network(
        checkpoints.CLASSES[kind], Checkpoint(name, place.offline), place.device, place.precision
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
        first, second = model(ids, attention_mask=torch.ones_like(ids)).logits[:, 0].float()
    tolerance = torch.finfo(model.dtype).eps ** 0.5 * first.abs().max()
    return bool((first - second).abs().max() <= tolerance)


@functools.lru_cache(maxsize=2)
def _converted(name: str, place: Place) -> tuple[Any, Any, Any]:
    """Return (tokenizer, configuration, model of ctranslate2); the last ones are kept."""
    precision = place.precision
    if precision != "float32":
        raise OptionError(f"engine=ctranslate2 is for float32, not for {precision}: engine=torch")
    library = need("ctranslate2", "fast")
    device = ctranslate.place(place.device)
    checkpoint = Checkpoint(name, place.offline)
    tokenizer, config = checkpoints.tokenizer_of(checkpoint), ctranslate.configuration(checkpoint)
    folder = ctranslate.converted(checkpoint, precision)
    return tokenizer, config, library.Generator(folder, **device, compute_type=precision)


def causal(
    name: str,
    texts: Sequence[str],
    place: Place,
    manner: CausalReading = CausalReading(),
    names_of: NamesOf | None = None,
) -> list[list[float]]:
    """Return the losses of each text's tokens; the first one has none unless there is a token
    before it.

    names_of: for a model that asks which tokens are names of speakers.
    """
    tokenizer, config, find = _causal(name, place, manner.engine)
    limit = checkpoints.positions(tokenizer, config, "decoder")
    if manner.long == "stride" and not 0 <= manner.stride < limit:
        raise OptionError(
            f"stride is less than the model has positions, {limit}, not {manner.stride}"
        )
    before, after = _frame(name, tokenizer, manner.bos, manner.eos)
    rows = []
    for text in texts:
        ids = _fitting((*before, *encoded(tokenizer, text), *after), limit, manner.long)
        if len(ids) < 2:
            raise RecordError("one token, and no token before it to predict it from: bos=yes")
        names = _names(tokenizer, config, names_of, text, "en", add_special_tokens=False)
        rows.append(_windows(ids, limit, manner.stride or limit // 2, (0,) * len(before) + names))
    return find(rows)


def _causal(
    name: str, place: Place, engine: Engine
) -> tuple[Any, Any, Callable[[Sequence[list[Query]]], list[list[float]]]]:
    """Return (tokenizer, the model's configuration, function from rows to losses)."""
    if engine == "torch":
        tokenizer, model = loaded("causal", name, place)
        return tokenizer, model.config, lambda rows: losses(model, rows, place.batch_size)
    tokenizer, config, generator = _converted(name, place)

    def work(rows: list[Query]) -> list[list[float]]:
        tokens = [tokenizer.convert_ids_to_tokens(row.ids) for row in rows]
        # 0 is no limit; by itself it would cut at 1024
        scored = generator.score_batch(tokens, max_input_length=0)
        return [
            [-result.log_probs[place] for place in row.places]
            for row, result in zip(rows, scored, strict=True)
        ]

    return tokenizer, config, lambda rows: _gathered(work, rows, place.batch_size)


def masked(
    name: str, texts: Sequence[str], place: Place, long: Long = "error"
) -> list[list[float]]:
    """Return the losses of each text's tokens, each masked in its turn; those that the tokenizer
    adds are not asked.
    """
    tokenizer, model = loaded("masked", name, place)
    limit = checkpoints.positions(tokenizer, model.config, "encoder")
    before, after = _frame(name, tokenizer, "tokenizer", "tokenizer")
    rows = []
    for text in texts:
        ids = _fitting(encoded(tokenizer, text), limit - len(before) - len(after), long)
        row = (*before, *ids, *after)
        rows.append(
            [
                Query((*row[:n], tokenizer.mask_token_id, *row[n + 1 :]), (n,), (row[n],))
                for n in range(len(before), len(before) + len(ids))
            ]
        )
    return losses(model, rows, place.batch_size)


def too_long(
    kind: str,
    name: str,
    texts: Sequence[str],
    place: Place,
    manner: CausalReading = CausalReading(),
) -> list[bool]:
    """Return which texts exceed the positions of a causal or masked model."""
    if kind == "causal":
        tokenizer, config, _ = _causal(name, place, manner.engine)
    else:
        tokenizer, model = loaded(kind, name, place)
        config = model.config
    limit = checkpoints.positions(tokenizer, config, _SIDES[kind])
    around = sum(map(len, _frame(name, tokenizer, manner.bos, manner.eos)))
    return [len(encoded(tokenizer, text)) + around > limit for text in texts]


def following(
    name: str, before: Sequence[Sequence[str]], texts: Sequence[str], place: Place
) -> list[list[float]]:
    """Return the losses of each text's tokens, and of the end after it, where it follows the turns
    of a conversation.

    The token for the end stands after each turn, too.
    """
    tokenizer, model = loaded("causal", name, place)
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
        rows.append([Query(ids, places, known[text])])
    return losses(model, rows, place.batch_size)


def written(
    name: str,
    sources: Sequence[str],
    targets: Sequence[str],
    place: Place,
    long: Long = "error",
    languages: Languages = Languages(),
    names_of: NamesOf | None = None,
) -> list[list[float]]:
    """Return the losses of the tokens of each target, those that the tokenizer adds included,
    given its source.
    """
    tokenizer, model = loaded("seq2seq", name, place)
    read, asked, most_read, most_written = _both_sides(
        tokenizer, model, sources, targets, languages
    )
    rows = []
    for source, labels, text in zip(read, asked, sources, strict=True):
        source, labels = _fitting(source, most_read, long), _fitting(labels, most_written, long)
        names = _names(tokenizer, model.config, names_of, text, languages.lang)[: len(source)]
        rows.append([continuation(model, source, labels, names)])
    return losses(model, rows, place.batch_size)


def continuation(
    model: Any, read: tuple[int, ...], written: tuple[int, ...], names: tuple[int, ...] = ()
) -> Query:
    """Return the row that asks how likely a model is to write tokens after it has read others.

    names: of what is read, as in Query.
    """
    number = len(written)
    if not model.config.is_encoder_decoder:
        places = range(len(read) - 1, len(read) + number - 1)
        return Query(
            (*read, *written), tuple(places), written, names=names and (*names, *(0,) * number)
        )
    shifted = shifted_right(model, need("torch", "models").tensor([written]))
    return Query(tuple(shifted[0].tolist()), tuple(range(number)), written, read, names)


def shifted_right(model: Any, labels: Any) -> Any:
    """Return what a decoder reads to predict labels: (rows, tokens), padded with -100."""
    if hasattr(model, "prepare_decoder_input_ids_from_labels"):
        return model.prepare_decoder_input_ids_from_labels(labels=labels)
    # M2M-100, NLLB and Blenderbot do it only on their way
    shifted = labels.roll(1, -1)
    shifted[:, 0] = model.config.decoder_start_token_id
    return shifted.masked_fill(shifted == -100, model.config.pad_token_id)


def too_long_to_write(
    name: str,
    sources: Sequence[str],
    targets: Sequence[str],
    place: Place,
    languages: Languages = Languages(),
) -> list[bool]:
    """Return which pairs exceed the positions of a sequence-to-sequence model."""
    tokenizer, model = loaded("seq2seq", name, place)
    read, asked, most_read, most_written = _both_sides(
        tokenizer, model, sources, targets, languages
    )
    return [
        len(source) > most_read or len(labels) > most_written
        for source, labels in zip(read, asked, strict=True)
    ]


def _both_sides(
    tokenizer: Any, model: Any, sources: Sequence[str], targets: Sequence[str], languages: Languages
) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]], int, int]:
    """Return the tokens that are read and written, and the positions of encoder and decoder."""
    multilingual.tell(tokenizer, languages)
    read = tokenizer(text=sources, verbose=False)["input_ids"]
    written = tokenizer(text_target=targets, verbose=False)["input_ids"]
    most_read = checkpoints.positions(tokenizer, model.config, "encoder")
    most_written = checkpoints.positions(tokenizer, model.config, "decoder")
    return list(map(tuple, read)), list(map(tuple, written)), most_read, most_written


def encoded(tokenizer: Any, text: str) -> tuple[int, ...]:
    """Return the tokens of a text, without any around it; RecordError where there are none."""
    ids = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    if not ids:
        raise RecordError("no text, and so no likelihood")
    return tuple(ids)


def _frame(name: str, tokenizer: Any, bos: Special, eos: Special) -> tuple[list[int], list[int]]:
    """Return the tokens that come before a text and after it."""
    bare, framed = (
        tokenizer("a", add_special_tokens=is_framed)["input_ids"] for is_framed in (False, True)
    )
    starts = (start for start in range(len(framed)) if framed[start : start + len(bare)] == bare)
    start = next(starts, 0)
    return (
        _special(name, bos, framed[:start], tokenizer.bos_token_id),
        _special(name, eos, framed[start + len(bare) :], tokenizer.eos_token_id),
    )


def _special(name: str, asked: Special, default: list[int], token: int | None) -> list[int]:
    """Return the tokens at one end of a text; default: what the tokenizer puts there; token: what
    it might.
    """
    if asked == "no":
        return []
    if default or asked == "tokenizer":
        return default
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


def _names(
    tokenizer: Any, config: Any, names_of: NamesOf | None, text: str, lang: str, **options: Any
) -> tuple[int, ...]:
    """Return the names that tokens of a text are parts of; () for a model that does not ask."""
    if names_of is None or not speakers.has(config):
        return ()
    encoding = tokenizer(text, verbose=False, return_offsets_mapping=True, **options)
    return names_of(text, encoding["offset_mapping"], lang)


def _windows(
    ids: tuple[int, ...], limit: int, stride: int, names: tuple[int, ...] = ()
) -> list[Query]:
    """Return the rows in which each token but the first is predicted once, from as much as fits
    before it.

    names: of the first tokens; all others are of none.
    """
    names += (0,) * (len(ids) - len(names)) if any(names) else ()
    rows, done = [], 1
    for start in range(0, max(len(ids) - limit, 0) + stride, stride):
        window = ids[start : start + limit]
        places = tuple(range(done - 1 - start, len(window) - 1))
        rows.append(
            Query(
                window,
                places,
                tuple(window[place + 1] for place in places),
                names=names[start : start + limit] if any(names) else (),
            )
        )
        done = start + len(window)
        if done == len(ids):
            break
    return rows


def losses(model: Any, rows_by_text: Sequence[list[Query]], batch_size: int) -> list[list[float]]:
    """Return, for each text, the losses of its rows, one after the other."""
    size = minibatches.size(model.config, batch_size)
    return _gathered(functools.partial(_losses, model), rows_by_text, size)


def _gathered(
    work: Callable[[list[Query]], list[list[float]]],
    rows_by_text: Sequence[list[Query]],
    batch_size: int,
) -> list[list[float]]:
    """Return, for each text, the losses of its rows, which `work` finds for a batch of distinct
    ones.
    """
    distinct = list(dict.fromkeys(row for rows in rows_by_text for row in rows))
    values = minibatches.each(
        distinct, lambda row: len(row.source) + len(row.ids), work, batch_size
    )
    known = dict(zip(distinct, values, strict=True))
    return [[loss for row in rows for loss in known[row]] for rows in rows_by_text]


def _losses(model: Any, rows: list[Query]) -> list[list[float]]:
    """Return the losses of each row of a batch."""
    with checkpoints.inference():
        losses, _ = forward(model, rows)
    return by_row(losses, rows)


def by_row(losses: Any, rows: Sequence[Query]) -> list[list[float]]:
    """Return the losses of each row, of those of all."""
    return [part.tolist() for part in losses.split([len(row.places) for row in rows])]


def forward(model: Any, rows: list[Query], **options: Any) -> tuple[Any, Any]:
    """Return the losses of a batch, (places of all rows,), and all that the model gives.

    options: of the model.
    """
    torch = need("torch", "models")
    first_read = [row.source or row.ids for row in rows]
    ids, mask = minibatches.padded(first_read, model.device)
    inputs = {"input_ids": ids, "attention_mask": mask}
    if rows[0].source:
        inputs["decoder_input_ids"], _ = minibatches.padded([row.ids for row in rows], model.device)
    names, _ = minibatches.padded(
        [row.names or (0,) * len(ids) for row, ids in zip(rows, first_read, strict=True)],
        model.device,
    )
    numbers, places, targets = (
        torch.tensor(values, dtype=torch.long, device=model.device)  # also of none
        for values in (
            [number for number, row in enumerate(rows) for _ in row.places],
            [place for row in rows for place in row.places],
            [target for row in rows for target in row.targets],
        )
    )
    with only(model, numbers, places), speakers.told(model, names):
        outputs = model(**inputs, **options)
    logits = outputs.logits  # (asked, vocabulary), or (rows, tokens, vocabulary)
    logits = logits if logits.dim() == 2 else logits[numbers, places]
    return torch.nn.functional.cross_entropy(logits.float(), targets, reduction="none"), outputs


def likeliest(
    model: Any,
    rows: Sequence[tuple[tuple[int, ...], int]],
    number: int,
    size: int,
    never: Sequence[int] = (),
) -> list[list[tuple[int, float]]]:
    """Return the likeliest tokens at one place of each row, with the logarithms of their
    probabilities, the likeliest first.

    rows: tokens as a masked model reads them, and the place.  never: tokens that are left out.
    """
    torch = need("torch", "models")

    def work(rows: list[tuple[tuple[int, ...], int]]) -> list[list[tuple[int, float]]]:
        ids, mask = minibatches.padded([row for row, _ in rows], model.device)
        numbers = torch.arange(len(rows), device=model.device)
        places = torch.tensor([place for _, place in rows], device=model.device)
        with checkpoints.inference(), only(model, numbers, places):
            logits = model(input_ids=ids, attention_mask=mask).logits
        logits = logits if logits.dim() == 2 else logits[numbers, places]
        logarithms = logits.float().log_softmax(dim=-1)  # (rows, vocabulary)
        logarithms[:, list(never)] = -torch.inf
        best = logarithms.topk(min(number, logarithms.shape[1] - len(set(never))))
        return [
            list(zip(tokens, values, strict=True))
            for tokens, values in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]

    size = minibatches.size(model.config, size)
    return minibatches.each(rows, lambda row: len(row[0]), work, size)


@contextmanager
def only(model: Any, numbers: Any, places: Any) -> Iterator[None]:
    """Let the model's head see only the states that are asked for: (rows, tokens, dim) becomes
    (asked, dim).
    """
    head = model.get_output_embeddings()
    if head is None:
        yield
        return
    hook = head.register_forward_pre_hook(
        lambda module, inputs: (
            (inputs[0][numbers, places], *inputs[1:]) if inputs[0].dim() == 3 else None
        )
    )
    try:
        yield
    finally:
        hook.remove()
