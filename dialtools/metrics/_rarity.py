"""How rare the tokens of an encoder are in a file of texts, such as the references of a data set."""

import functools
import os
from collections import Counter
from collections.abc import Callable
from math import log

from dialtools.system.errors import OptionError


@functools.lru_cache(maxsize=4)
def of_tokens(
    metric: str, path: str, tokenize: Callable[[list[str]], list[list[int]]]
) -> Callable[[int], float]:
    """Return a function from a token to its idf in a file of texts, one a line.

    The idf is log((N + 1) / (n + 1)), where n of the N texts have the token.

    metric: its name, for messages.
    """
    if not os.path.isfile(path):
        raise OptionError(
            f"{metric}: idf=FILE, not {path!r}: a file of texts, one a line, such "
            "as the references of the whole data set; those of a few records will "
            "not do"
        )
    try:
        with open(path, encoding="utf-8", newline="\n") as file:  # other signs end no line
            lines = file.readlines()
    except UnicodeDecodeError as error:
        byte = f"{error.object[error.start]:#x}"
        raise OptionError(f"{metric}: {path}: not UTF-8: byte {byte}") from None
    texts = [line.strip() for line in lines if line.strip()]
    if not texts:
        raise OptionError(f"{metric}: {path} has no text")
    counts = Counter(token for ids in tokenize(texts) for token in set(ids))
    return lambda token: log((len(texts) + 1) / (counts[token] + 1))
