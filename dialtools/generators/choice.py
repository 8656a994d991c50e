"""The likeliest of given texts, such as the answers of a multiple-choice question, under a model.

choice:options=KEY takes the texts under a key of the record, a list; choice:options=["yes","no"] has the
same for all.  A causal model reads the prompt, or else what other models read, and each text goes on from
there, without an end; where the prompt does not end with white space, a space comes between, but for
languages that write none (zh, ja).  A sequence-to-sequence model writes each text with its end.

"choices" has of each text the natural logarithm of its probability: "sum" over its tokens, "mean" of a
token, "byte", the sum over the bytes of the text in UTF-8.  by=sum, mean or byte says which of them makes
the prediction; of equal ones it is the first.  These are acc (sum) and, for ASCII, acc_norm (byte) of
lm-evaluation-harness (there over characters), once dt-score -m exact compares predictions and references.
dt-swap-names leaves the texts under KEY as they are.

Source: Gao et al., https://github.com/EleutherAI/lm-evaluation-harness; Brown et al. 2020, section 2.4,
https://arxiv.org/abs/2005.14165.
"""

import math
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from dialtools.inference import continuations
from dialtools.models import likelihoods
from dialtools.models.checkpoints import Place
from dialtools.models.decoding import Decoding
from dialtools.plugins.generator import Generator
from dialtools.plugins.options import check, flat
from dialtools.system.errors import OptionError, RecordError, show

By = Literal["sum", "mean", "byte"]
Known = Annotated[Decoding, "max_input", "truncate", "src_lang", "tgt_lang"]


@flat
def generate(
    records: list[dict],
    *,
    model: str = "",
    options: str | list = "",
    by: By = "sum",
    decoding: Known = Decoding(),
    place: Place = Place(),
) -> Iterator[dict]:
    """Yield the likeliest text of each record, and the likelihoods of all.

    model: folder or hub name.  options: key of a list of texts, or the list.
    by: what decides: sum, mean or byte.
    """
    texts = [_texts(record, options) for record in records]
    reader = continuations.reader(model, decoding._replace(max_new_tokens=1), place)
    reads, rows = [], []
    for record, of_record in zip(records, texts, strict=True):
        written = [reader.tokens(text, record, reader.kind != "causal") for text in of_record]
        # what a causal model reads is cut so that the longest text fits behind it
        most = reader.positions - max(map(len, written)) if reader.kind == "causal" else reader.most
        if most < 1:
            raise RecordError(f"a text has no room in {reader.positions} positions", record)
        read = reader._replace(most=min(reader.most, most)).read(record, named=False)
        reads.append(read)
        rows += [[reader.asked(read, ids, record)] for ids in written]
    losses = iter(likelihoods.losses(reader.network, rows, place.batch_size))
    for read, of_record in zip(reads, texts, strict=True):
        choices = [_choice(text, next(losses)) for text in of_record]
        best = max(choices, key=lambda choice: choice[by])
        yield {"prediction": best["text"], "choices": choices, **read.facts}


def _texts(record: dict, options: str | list) -> list[str]:
    """Return the texts to choose from."""
    texts = options if isinstance(options, list) else record.get(options)
    if (
        not isinstance(texts, list)
        or len(texts) < 2
        or not all(isinstance(text, str) and text.strip() for text in texts)
    ):
        raise RecordError(
            f'"{options}" is a list of two texts or more to choose from, here is {show(texts)}',
            record,
        )
    return texts


def _choice(text: str, losses: list[float]) -> dict[str, Any]:
    """Return a text with its log-likelihoods; losses: of its tokens."""
    total = -math.fsum(losses)
    mean, byte = total / len(losses), total / len(text.encode())
    return {"text": text, "sum": total, "mean": mean, "byte": byte}


@flat
def settings(
    *,
    model: str,
    options: str | list,
    by: By,
    decoding: Known = Decoding(),
    place: Place = Place(),
) -> dict:
    """Return the options that change the output, as they take effect."""
    if not model:
        raise OptionError("No model given: use --model PATH, a folder or a hub name.")
    if not options:
        raise OptionError("which texts are there? choice:options=KEY of a list of texts")
    if isinstance(options, list):
        _texts({}, options)
    check(decoding)
    return {
        "model": model,
        "options": options,
        "by": by,
        "max_input": decoding.max_input,
        "truncate": decoding.truncate,
        "src_lang": decoding.src_lang or None,
        "tgt_lang": decoding.tgt_lang or None,
        "batch_size": place.batch_size,
        "precision": place.precision,
    }


GENERATOR = Generator(generate, settings=settings)
