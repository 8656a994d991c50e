"""Multilingual models, with a token for each language (M2M-100, NLLB, mBART)."""

import functools
from typing import Any, NamedTuple

from dialtools.languages import tag
from dialtools.system.errors import OptionError, RecordError, nearest


class Languages(NamedTuple):
    """Languages of the texts that a model reads and writes."""

    source: str = ""  # codes as the model has them; "" is what it calls `lang`
    target: str = ""
    lang: str = "en"  # BCP 47


@functools.lru_cache(maxsize=16)
def many(tokenizer: Any) -> bool:
    """Tell whether a tokenizer is of many languages, with a token for each.

    FSMT's knows only the two that it is for.
    """
    return hasattr(tokenizer, "src_lang") and bool(_codes(tokenizer))


def tell(tokenizer: Any, languages: Languages) -> None:
    """Set a multilingual tokenizer's languages. Raise RecordError for an ambiguous one.

    For any other tokenizer, codes are an OptionError.
    """
    if many(tokenizer):
        source, target, lang = languages
        tokenizer.src_lang = code(tokenizer, source, lang)
        tokenizer.tgt_lang = code(tokenizer, target, lang)
    elif languages.source or languages.target:
        raise OptionError(
            "languages are for multilingual models (M2M, NLLB, mBART); this model's "
            "tokenizer knows none"
        )


@functools.lru_cache(maxsize=16)  # it searches the whole vocabulary, and is called for each record
def code(tokenizer: Any, typed: str, lang: str) -> str:
    """Return the code that was typed, or else the model's code for a language.

    Raise RecordError for none or several: NLLB has zho_Hans and zho_Hant for zh.
    """
    if typed:
        token(tokenizer, typed)
        return typed
    codes = [name for name in _codes(tokenizer) if tag(name) == tag(lang)]
    if len(codes) != 1:
        raise RecordError(
            f"the model reads many languages, and has not one code for {lang}: which "
            "is it? src_lang and tgt_lang say so; it has "
            f"{_examples(codes or _codes(tokenizer))}"
        )
    return codes[0]


def token(tokenizer: Any, code: str) -> int:
    """Return the token of a language. Raise OptionError for an unknown one."""
    known = tokenizer.get_vocab()
    for name in (code, f"__{code}__"):
        if name in known and name in {*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}:
            return known[name]
    codes = _codes(tokenizer)
    raise OptionError(
        f"the model knows no language {code!r}{nearest(code, codes)}; it has {_examples(codes)}"
    )


def _codes(tokenizer: Any) -> list[str]:
    return [
        name.strip("_")
        for name in tokenizer.all_special_tokens
        if name.strip("_<>/") == name.strip("_")
    ]


def _examples(codes: list[str]) -> str:
    return f"{', '.join(sorted(codes)[:6])} …"
