"""Inputs of seq2seq and causal models: the tokens of a record."""

from typing import Any

from dialtools.errors import OptionError, RecordError, about
from dialtools.generation import prompts
from dialtools.models import checkpoints, multilingual
from dialtools.models.decoding import Side
from dialtools.models.writers import Writer
from dialtools.records import dialogue


def limit(writer: Writer, kind: str, max_input: int, max_new_tokens: int) -> int:
    """Return the most tokens of input. Raise OptionError if the output alone is too long."""
    own = writer.tokenizer.num_special_tokens_to_add()
    if max_input <= own:
        raise OptionError(f"max_input={max_input} leaves no room for text: the model adds {own} "
                          "tokens of its own")
    places = checkpoints.positions(writer.tokenizer, writer.config, "decoder")
    if kind == "causal":
        first, most = own + 1, places - max_new_tokens  # before an output: the shortest prompt
    else:
        # the decoder's first token
        first, most = 1, checkpoints.positions(writer.tokenizer, writer.config, "encoder")
    if max_new_tokens + first > places:
        raise OptionError(f"max_new_tokens={max_new_tokens} is too large: the model has positions "
                          f"for {places} tokens")
    return min(max_input, most)


def languages(writer: Writer, source: str, target: str) -> tuple[int | None, int | None]:
    """Return the decoder's first token and the first token of each output.

    source, target: the model's own codes (en, eng_Latn, en_XX); the default target is that of the
        model's
        settings. Raise OptionError if they name no language of the output.
    """
    tokenizer, settings = writer.tokenizer, writer.settings
    start, first = settings.decoder_start_token_id, settings.forced_bos_token_id
    begin = settings.bos_token_id if start is None else start  # as transformers has it
    if not multilingual.many(tokenizer):
        if source or target:
            raise OptionError("--src-lang and --tgt-lang are for multilingual models (M2M, NLLB, "
                              "mBART); this model's tokenizer knows no languages")
        return begin, first
    if source:
        multilingual.token(tokenizer, source)
    # For mBART-25 the decoder's first token names the language, for the others the token after it.
    by_start = type(tokenizer).__name__.startswith("MBartTok")
    if target:
        token = multilingual.token(tokenizer, target)
        return (token, first) if by_start else (begin, token)
    if (start if by_start else first) is None:
        raise OptionError("No output language given: use --tgt-lang CODE, as this model writes "
                          "many.")
    return begin, first


def set_source(record: dict, tokenizer: Any, source: str) -> None:
    """Set a multilingual tokenizer's language; source: its code, "" for the record's "lang"."""
    if multilingual.many(tokenizer):
        with about(record):
            tokenizer.src_lang = multilingual.code(tokenizer, source, dialogue.lang(record))


def rows(records: list[dict], writer: Writer, kind: str, most: int, side: Side | None,
         source: str = "") -> list[tuple[tuple[int, ...], dict]]:
    """Return for each record its tokens and {"input_tokens", "truncated"}.

    most: tokens of input.
    side: side on which longer input is cut, or "error"; None is right, and left for a causal model.
    source: the language of the input, as in set_source.
    """
    side = side or ("left" if kind == "causal" else "right")
    found = []
    for record in records:
        set_source(record, writer.tokenizer, source)
        with about(record):
            ids, whole = _tokens(record, writer.tokenizer, kind, most, side)
            if whole > most and side == "error":
                raise RecordError(f"the prompt has {whole} tokens, and the model can read {most}: "
                                  "--truncate left or right cuts it")
        found.append((tuple(ids), {"input_tokens": len(ids), "truncated": whole > most}))
    return found


def _tokens(record: dict, tokenizer: Any, kind: str, most: int, side: str) -> tuple[list[int], int]:
    """Return the tokens of a record's input, cut to `most`, and their number before cutting."""
    text, system = prompts.of(record), record.get("system_prompt")
    if kind == "causal" and tokenizer.chat_template:
        return _chat(tokenizer, text, system, most, side)
    if system is not None:
        raise OptionError("a system prompt needs a chat template, which this model's tokenizer "
                          "lacks")
    if kind == "causal" and record.get("prompt") is None:
        text += "\n"
    return _plain(tokenizer, text, most, side)


def _plain(tokenizer: Any, text: str, most: int, side: str) -> tuple[list[int], int]:
    ids = tokenizer(text, verbose=False)["input_ids"]
    if len(ids) <= most:
        return ids, len(ids)
    tokenizer.truncation_side = "left" if side == "left" else "right"
    return tokenizer(text, truncation=True, max_length=most)["input_ids"], len(ids)


def _chat(tokenizer: Any, text: str, system: str | None, most: int,
          side: str) -> tuple[list[int], int]:
    """Return a conversation of one turn as tokens; if it is too long, only its text is cut."""
    ids = _templated(tokenizer, text, system)
    whole = len(ids)
    body = tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
    while len(ids) > most:
        keep = len(body) - (len(ids) - most)
        if keep < 1:
            raise RecordError("no room for text beside the chat template and the system prompt: "
                              f"these alone have {whole - len(body)} tokens, and the model can "
                              f"read {most}")
        body = body[-keep:] if side == "left" else body[:keep]
        cut = tokenizer.decode(body)
        # part of a character
        cut = cut.lstrip("\ufffd") if side == "left" else cut.rstrip("\ufffd")
        ids = _templated(tokenizer, cut, system)
    return ids, whole


def _templated(tokenizer: Any, text: str, system: str | None) -> list[int]:
    from jinja2 import TemplateError

    said = [{"role": "system", "content": system}] if system is not None else []
    try:
        rendered = tokenizer.apply_chat_template([*said, {"role": "user", "content": text}],
                                                 tokenize=False, add_generation_prompt=True)
    except TemplateError as error:
        raise OptionError(f"the model's chat template rejects this: {error}") from None
    return tokenizer(rendered, add_special_tokens=False, verbose=False)["input_ids"]
