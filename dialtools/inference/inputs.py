"""Inputs of seq2seq and causal models: the tokens of a record."""

from typing import Any, NamedTuple

from dialtools.inference import prompts
from dialtools.models import checkpoints, multilingual
from dialtools.models.decoding import Side
from dialtools.models.writers import Writer
from dialtools.names import occurrences
from dialtools.records import dialogue
from dialtools.system.errors import OptionError, RecordError, about


class Read(NamedTuple):
    """What a model reads of a record."""

    ids: tuple[int, ...]
    facts: dict  # {"input_tokens", "truncated"}
    names: tuple[int, ...] = ()  # for each token the number of the name that it is a part of, or 0
    places: tuple[tuple[int, int], ...] = ()  # of tokens in what `prompts.of` gives, where named


class Tokens(NamedTuple):
    """Tokens of a text, and where each stands in it: code points, (0, 0) for one of none."""

    ids: list[int]
    places: list[tuple[int, int]] = []

    def moved(self, by: int) -> "Tokens":
        """Return the tokens of a text that has so many more code points at its beginning."""
        return self._replace(
            places=[(start + by, end + by) if start < end else (0, 0) for start, end in self.places]
        )


def limit(writer: Writer, kind: str, max_input: int, max_new_tokens: int) -> int:
    """Return the most tokens of input. Raise OptionError if the output alone is too long."""
    special = writer.tokenizer.num_special_tokens_to_add()
    if max_input <= special:
        raise OptionError(
            f"max_input={max_input} leaves no room for text: the model adds {special} tokens of "
            "its own"
        )
    places = checkpoints.positions(writer.tokenizer, writer.config, "decoder")
    if kind == "causal":
        before, most = special + 1, places - max_new_tokens  # the shortest prompt
    else:
        # the decoder's first token
        before, most = 1, checkpoints.positions(writer.tokenizer, writer.config, "encoder")
    if max_new_tokens + before > places:
        raise OptionError(
            f"max_new_tokens={max_new_tokens} is too large: the model has positions "
            f"for {places} tokens"
        )
    return min(max_input, most)


def languages(writer: Writer, source: str, target: str) -> tuple[int | None, int | None]:
    """Return the decoder's first token and the first token of each output.

    source, target: the model's own codes (en, eng_Latn, en_XX); the default target is that of the
        model's settings. Raise OptionError if they name no language of the output.
    """
    tokenizer, settings = writer.tokenizer, writer.settings
    start, first = settings.decoder_start_token_id, settings.forced_bos_token_id
    begin = settings.bos_token_id if start is None else start  # as transformers has it
    if not multilingual.many(tokenizer):
        if source or target:
            raise OptionError(
                "src_lang and tgt_lang are for multilingual models (M2M, NLLB, "
                "mBART); this model's tokenizer knows no languages"
            )
        return begin, first
    if source:
        multilingual.token(tokenizer, source)
    # For mBART-25 the decoder's first token names the language, for the others the token after it.
    by_start = type(tokenizer).__name__.startswith("MBartTok")
    if target:
        token = multilingual.token(tokenizer, target)
        return (token, first) if by_start else (begin, token)
    if (start if by_start else first) is None:
        raise OptionError("No output language given: use tgt_lang=CODE, as this model writes many.")
    return begin, first


def set_source(record: dict, tokenizer: Any, source: str) -> None:
    """Set a multilingual tokenizer's language; source: its code, "" for the record's "lang"."""
    if multilingual.many(tokenizer):
        with about(record):
            tokenizer.src_lang = multilingual.code(tokenizer, source, dialogue.lang(record))


def rows(
    records: list[dict],
    writer: Writer,
    kind: str,
    most: int,
    side: Side | None,
    source: str = "",
    named: bool = False,
) -> list[Read]:
    """Return for each record what a model reads of it.

    most: tokens of input.
    side: side on which longer input is cut, or "error"; None is right, and left for a causal model.
    source: the language of the input, as in set_source.
    named: tell which tokens are names of speakers; else `names` is ().
    """
    side = side or ("left" if kind == "causal" else "right")
    inputs = []
    for record in records:
        set_source(record, writer.tokenizer, source)
        with about(record):
            tokens, length = _tokens(record, writer.tokenizer, kind, most, side, named)
            if length > most and side == "error":
                raise RecordError(
                    f"the prompt has {length} tokens, and the model can read {most}: "
                    "truncate=left or right cuts it"
                )
            names = occurrences.numbered(tokens.places, prompts.names(record)) if named else ()
        facts = {"input_tokens": len(tokens.ids), "truncated": length > most}
        inputs.append(Read(tuple(tokens.ids), facts, names, tuple(tokens.places)))
    return inputs


def _tokens(
    record: dict, tokenizer: Any, kind: str, most: int, side: str, placed: bool
) -> tuple[Tokens, int]:
    """Return the tokens of a record's input, cut to `most`, and their number before cutting.

    placed: with their places in the text that `prompts.of` gives.
    """
    text, system = prompts.of(record), record.get("system_prompt")
    if kind == "causal" and tokenizer.chat_template:
        return _chat(tokenizer, text, system, most, side, placed)
    if system is not None:
        raise OptionError(
            "a system prompt needs a chat template, which this model's tokenizer lacks"
        )
    if kind == "causal" and record.get("prompt") is None:
        text += "\n"
    tokens = encoded(tokenizer, text, placed)
    closes = kind == "causal" and _closes(tokenizer) and tokens.ids[-1:] == [tokenizer.eos_token_id]
    dropped = int(closes)  # the last token is not read, and takes no place
    length = len(tokens.ids) - dropped
    if length > most:
        tokenizer.truncation_side = "left" if side == "left" else "right"
        tokens = encoded(tokenizer, text, placed, truncation=True, max_length=most + dropped)
    if dropped:
        return Tokens(tokens.ids[:-1], tokens.places[:-1]), length
    return tokens, length


def _closes(tokenizer: Any) -> bool:
    """Tell whether a tokenizer puts a sign of the end behind a text, as that of a BERT does.

    Behind a prompt it would tell a causal model that there is nothing to write.
    """
    around, last = tokenizer("", verbose=False)["input_ids"], tokenizer.eos_token_id
    return around[-1:] == [last] and (len(around) > 1 or last != tokenizer.bos_token_id)


def encoded(tokenizer: Any, text: str, placed: bool = False, **options: Any) -> Tokens:
    """Return the tokens of a text. Raise OptionError if they are to be placed and cannot be.

    options: of the tokenizer.
    """
    if not placed:
        return Tokens(tokenizer(text, verbose=False, **options)["input_ids"])
    if not tokenizer.is_fast:
        raise OptionError(
            f"a {type(tokenizer).__name__} does not say where its tokens stand, so "
            "that names of speakers cannot be followed: use a model with a tokenizer "
            "of the library tokenizers"
        )
    encoding = tokenizer(text, verbose=False, return_offsets_mapping=True, **options)
    return Tokens(encoding["input_ids"], [tuple(place) for place in encoding["offset_mapping"]])


def _chat(
    tokenizer: Any, text: str, system: str | None, most: int, side: str, placed: bool
) -> tuple[Tokens, int]:
    """Return a conversation of one turn as tokens; if it is too long, only its text is cut."""
    tokens = _templated(tokenizer, text, system, placed)
    length = len(tokens.ids)
    body = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    while len(tokens.ids) > most:
        keep = len(body) - (len(tokens.ids) - most)
        if keep < 1:
            raise RecordError(
                "no room for text beside the chat template and the system prompt: "
                f"these alone have {length - len(body)} tokens, and the model can "
                f"read {most}"
            )
        body = body[-keep:] if side == "left" else body[:keep]
        cut = tokenizer.decode(body)
        # part of a character
        cut = cut.lstrip("\ufffd") if side == "left" else cut.rstrip("\ufffd")
        tokens = _templated(tokenizer, cut, system, placed)
        if placed:
            start = text.find(cut) if text.startswith(cut.strip()) else text.rfind(cut)
            if start < 0:
                raise RecordError(
                    "the model's tokenizer does not give back the text that is cut, so that "
                    "the names of speakers in it cannot be followed: shorten the dialogue"
                )
            tokens = tokens.moved(start)
    return tokens, length


def rendered_chat(tokenizer: Any, text: str, system: str | None) -> str:
    """Return a conversation of one turn as the chat template has it, up to the model's turn."""
    from jinja2 import TemplateError

    messages = [{"role": "system", "content": system}] if system is not None else []
    messages.append({"role": "user", "content": text})
    try:
        return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    except TemplateError as error:
        raise OptionError(f"the model's chat template rejects this: {error}") from None


def _templated(tokenizer: Any, text: str, system: str | None, placed: bool) -> Tokens:
    """Return a conversation of one turn as tokens, placed in the text of this turn."""
    rendered = rendered_chat(tokenizer, text, system)
    tokens = encoded(tokenizer, rendered, placed, add_special_tokens=False)
    if not placed:
        return tokens
    body = text.strip()  # templates strip it
    if body not in rendered:
        raise RecordError(
            "the model's chat template changes the text, so that the names of "
            "speakers in it cannot be followed"
        )
    start = rendered.rfind(body)
    inside = [(max(first, start), min(last, start + len(body))) for first, last in tokens.places]
    return tokens._replace(places=inside).moved(text.find(body) - start)
