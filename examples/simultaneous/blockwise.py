"""Incremental block-wise beam search: translate blocks of words, and write what the next block will hardly change.

After each block of words the beam goes on from what is written.  A hypothesis that ends although
more is to come, or that says a token again, is unreliable from there on.  stop=all ends the search
at the first such hypothesis (Tsunoo et al. 2021); stop=one, the improved search, ends that hypothesis
alone, and the others go on.  Of the best one policy=hold-n writes all but the last n tokens, and
policy=local-agreement what it has in common with the best one of the block before.  With cut=yes a
written sentence end (. ? ! or one of Chinese and Japanese) ends a segment: source and translation
until there are forgotten, so that a talk of any length can be translated.  With context=yes those of
the last segment are kept as context: its words stand in front of the source, and the search goes on
from its translation.

Source: Polák et al. 2023, Incremental blockwise beam search; Polák 2023, sections 4.2 and 4.3.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from dialtools.generators.simultaneous import Unit, delays
from dialtools.models import checkpoints
from dialtools.plugins.generator import Generator

ENDS = (".", "?", "!", "。", "？", "！")


class Hypothesis(NamedTuple):
    """tokens: all that is written and proposed; score: log probability of the `steps` tokens chosen."""

    tokens: list[int]
    score: float = 0.0
    steps: int = 0

    def mean(self) -> float:
        return self.score / max(self.steps, 1)


Next = Callable[
    [list[int]], list[tuple[int, float]]
]  # tokens -> the likeliest next ones, with log probability


def search(
    following: Next, written: list[int], end: int, *, beams: int, last: bool, stop: str, most: int
) -> list[int]:
    """Return the best continuation of what is written, with it; last: has the source ended?"""
    beam: list[Hypothesis] = [Hypothesis(written)]
    ended: list[Hypothesis] = []
    while beam and len(beam[0].tokens) < most and not (last and len(ended) >= beams):
        chosen = sorted(
            (
                (Hypothesis(tokens, score + logarithm, steps + 1), token)
                for tokens, score, steps in beam
                for token, logarithm in following(tokens)
            ),
            key=lambda candidate: -candidate[0].score,
        )[:beams]
        over = [
            token == end or (not last and token in hypothesis.tokens[len(written) :])
            for hypothesis, token in chosen
        ]
        if any(over) and not last and stop == "all":
            break
        ended += [hypothesis for (hypothesis, _), ends in zip(chosen, over, strict=True) if ends]
        beam = [
            hypothesis._replace(tokens=[*hypothesis.tokens, token])
            for (hypothesis, token), ends in zip(chosen, over, strict=True)
            if not ends
        ]
    return max(ended or beam, key=Hypothesis.mean).tokens


def agreed(first: list[int], second: list[int]) -> list[int]:
    """Return the common beginning."""
    pairs = enumerate(zip(first, second, strict=False))
    return first[: next((place for place, (a, b) in pairs if a != b), min(len(first), len(second)))]


def steps(
    words: list[str],
    find: Callable,
    text: Callable,
    *,
    block: int,
    policy: str,
    n: int,
    cut: bool,
    context: bool = False,
) -> Iterator[tuple[int, list[int]]]:
    """Yield the number of words read and all tokens written, after each block.

    find: (words, tokens written, has the source ended) -> the best translation, tokens.
    """
    start, before, written, best = 0, [], [], []
    recalled, known = 0, []  # where the context begins in the source, and its translation
    for read in [*range(block, len(words), block), len(words)]:
        last = read == len(words)
        found = find(words[recalled:read], known + written, last)
        previous, best = best, found[len(known) :]
        stable = best if last else best[:-n] if policy == "hold-n" else agreed(previous, best)
        written = max(written, stable, key=len)
        yield read, before + written
        if cut and text(written).rstrip().endswith(ENDS):
            recalled, known = (start, written) if context else (read, [])
            start, before, written, best = read, before + written, [], []


def generate(
    records: list[dict],
    *,
    model: str = "",
    block: int = 3,
    beams: int = 4,
    policy: Literal["hold-n", "local-agreement"] = "local-agreement",
    n: int = 2,
    stop: Literal["one", "all"] = "one",
    cut: bool = False,
    context: bool = False,
    write: Unit = "word",
    max_new_tokens: int = 60,
    src_lang: str = "",
    tgt_lang: str = "",
) -> Iterator[dict]:
    """Yield the translation of each record's text; write: what has delays, counted in words read."""
    tokenizer, network = load(model)
    if src_lang:
        tokenizer.src_lang = src_lang
    begin = [network.config.decoder_start_token_id]
    begin += [tokenizer.convert_tokens_to_ids(tgt_lang)] if tgt_lang else []

    def text(tokens: list[int]) -> str:
        return tokenizer.decode(tokens, skip_special_tokens=True).strip()

    def find(words: list[str], written: list[int], last: bool) -> list[int]:
        following = following_of(network, tokenizer(" ".join(words))["input_ids"], begin, beams)
        end, most = tokenizer.eos_token_id, len(written) + max_new_tokens
        return search(following, written, end, beams=beams, last=last, stop=stop, most=most)

    for record in records:
        words = record["text"].split()
        way = steps(words, find, text, block=block, policy=policy, n=n, cut=cut, context=context)
        prediction, read = delays(way, text, write)
        yield {"prediction": prediction, "delays": read, "source_length": len(words)}


@lru_cache(maxsize=1)
def load(model: str) -> tuple[Any, Any]:
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    with checkpoints.hushed():
        network = AutoModelForSeq2SeqLM.from_pretrained(model).eval()
        return AutoTokenizer.from_pretrained(model), network


def following_of(network: Any, source: list[int], begin: list[int], most: int) -> Next:
    """Return the function that tells the likeliest next tokens; the source is read once."""
    import torch

    with torch.inference_mode():
        states = network.get_encoder()(input_ids=torch.tensor([source]))

    def following(tokens: list[int]) -> list[tuple[int, float]]:
        with torch.inference_mode():
            output = network(
                encoder_outputs=states, decoder_input_ids=torch.tensor([begin + tokens])
            )
        best = output.logits[0, -1].log_softmax(-1).topk(most)
        return list(zip(best.indices.tolist(), best.values.tolist(), strict=True))

    return following


GENERATOR = Generator(generate)
