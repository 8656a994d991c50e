"""Models that are told by a token of which language a text is (M2M-100, NLLB, mBART)."""

from typing import Any, NamedTuple

from dialtools.errors import OptionError, nearest


class Languages(NamedTuple):
    """Of what texts are that a model reads and writes."""

    source: str = ""  # codes as the model has them; "" is what it calls `lang`
    target: str = ""
    lang: str = "en"  # BCP 47


def tell(tokenizer: Any, languages: Languages) -> None:
    """Tell a tokenizer of many languages of which texts are; OptionError where that is not clear.

    Any other tokenizer is told nothing, and an error where codes are given.
    """
    codes = languages.source, languages.target
    if not hasattr(tokenizer, "src_lang"):
        if any(codes):
            raise OptionError("src_lang and tgt_lang are for models of many languages (M2M, NLLB, mBART); this one's "
                              "tokenizer knows none")
        return
    own = _own_code(tokenizer, languages.lang)
    for code in codes:
        if not code and not own:
            raise OptionError(f"this model knows many languages, and not one as {languages.lang}: src_lang=CODE and "
                              f"tgt_lang=CODE say of which texts are; it has {_examples(_codes(tokenizer))}")
        token(tokenizer, code or own)
    tokenizer.src_lang, tokenizer.tgt_lang = (code or own for code in codes)


def token(tokenizer: Any, code: str) -> int:
    """Return the token of a language; OptionError for one that the model does not know."""
    known = tokenizer.get_vocab()
    for name in (code, f"__{code}__"):
        if name in known and name in tokenizer.all_special_tokens + list(tokenizer.get_added_vocab()):
            return known[name]
    codes = _codes(tokenizer)
    raise OptionError(f"the model knows no language {code!r}{nearest(code, codes)}; it has {_examples(codes)}")


def _own_code(tokenizer: Any, lang: str) -> str:
    """Return what a model calls a language, ja_XX for ja; "" where no code begins with it, as NLLB's do, or several."""
    found = [code for code in _codes(tokenizer) if code.partition("_")[0] == lang.partition("-")[0]]
    return found[0] if len(found) == 1 else ""


def _codes(tokenizer: Any) -> list[str]:
    return [name.strip("_") for name in tokenizer.all_special_tokens if name.strip("_<>/") == name.strip("_")]


def _examples(codes: list[str]) -> str:
    return f"{', '.join(sorted(codes)[:6])} …"
