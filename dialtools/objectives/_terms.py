"""Terms of a bias specification as tokens of a model."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from dialtools.languages import Language
from dialtools.plugins.objective import IGNORED, Batch
from dialtools.system.errors import OptionError, RecordError, show
from dialtools.text import mentions, specifications
from dialtools.text.specifications import Spec

Ids = tuple[int, ...]  # the tokens of a term
Pair = tuple[Ids, Ids]
_BEFORE = "."  # what a term follows where its tokens are looked up


class Terms(NamedTuple):
    """The terms of a specification that a tokenizer knows."""

    pairs: tuple[Pair, ...]  # target terms of the two groups
    attributes: dict[str, Ids]  # of the first group, by the term in lower case
    counts: dict[str, int]


@functools.lru_cache(maxsize=16)
def known(tokenizer: Any, spec: Spec, language: Language) -> Terms:
    """Return the terms of a specification as tokens.

    Raise OptionError for a specification without target pairs, or with none whose terms are tokens,
    or characters that are tokens where words have no spaces between them: either it is for another
    language than the model, or the model has no words of it.
    """
    try:
        rows = specifications.rows(spec, language)
    except RecordError as error:
        raise OptionError(error.reason) from None
    listed = dict.fromkeys(
        (row.one, row.two)
        for row in rows
        if row.kind in ("target", "") and row.one and row.two and row.one != row.two
    )
    if not listed:
        raise OptionError(f"the specification {spec} has no target pairs for {language.tag}")
    tokens_of = {
        (first, second): (ids(tokenizer, first, language), ids(tokenizer, second, language))
        for first, second in listed
    }
    known_pairs = {terms: pair for terms, pair in tokens_of.items() if all(pair)}
    pairs = [*known_pairs.values()]
    single = sum(len(first) == len(second) == 1 for first, second in pairs)
    if not any(
        all(
            len(tokens) <= (1 if language.space else len(term))
            for term, tokens in zip(terms, pair, strict=True)
        )
        for terms, pair in known_pairs.items()
    ):
        first, second = next(iter(listed))
        raise OptionError(
            f"the specification {spec}: in none of its {len(listed)} target pairs, "
            f"such as {show(first)} and {show(second)}, are both terms tokens of the "
            "model: take a specification with words of its vocabulary, or a model of "
            f"{language.tag}"
        )
    listed_attributes = {
        term.lower(): ids(tokenizer, term, language)
        for term in specifications.listed((row for row in rows if row.kind), "attribute", "one")
    }
    attributes = {term: tokens for term, tokens in listed_attributes.items() if tokens}
    return Terms(
        tuple(pairs),
        attributes,
        {
            "pairs": len(pairs),
            "pairs_of_several_tokens": len(pairs) - single,
            "pairs_unknown": len(listed) - len(pairs),
            "attributes": len(attributes),
            "attributes_unknown": len(listed_attributes) - len(attributes),
        },
    )


def ids(tokenizer: Any, term: str, language: Language) -> Ids:
    """Return the tokens of a term as it stands within a text; () if the model does not know it."""
    start = len(_BEFORE + language.space)
    encoded = tokenizer(
        _BEFORE + language.space + term, add_special_tokens=False, return_offsets_mapping=True
    )
    tokens = tuple(
        token
        for token, (_, end) in zip(encoded["input_ids"], encoded["offset_mapping"], strict=True)
        if end > start
    )
    return () if tokenizer.unk_token_id in tokens else tokens


def with_attributes(tokenizer: Any, spec: Spec, language: Language) -> Terms:
    """Return `known` terms. Raise OptionError if the model knows no attribute."""
    terms = known(tokenizer, spec, language)
    if not terms.attributes:
        raise OptionError(
            f"the specification {spec} has no attributes of the first group that the model knows"
        )
    return terms


def compared(
    batch: Batch,
    model: Any,
    spec: Spec,
    language: Language,
    compare: Callable[[Any, Any, Any], Any],
) -> Any:
    """Return what the attributes that stand in a batch are worth, 0 where none does.

    compare(ones, twos, attributes): a scalar of their input embeddings, the means of their tokens:
        (pairs, dim), (pairs, dim), (attributes, dim).
    """
    import torch

    weight = model.get_input_embeddings().weight
    terms = known(batch.tokenizer, spec, language)
    attributes = standing(batch, terms.attributes)
    if not attributes:
        return weight[:0].sum()
    ones, twos = zip(*terms.pairs, strict=True)
    return compare(
        *(
            torch.stack([weight[list(tokens)].float().mean(0) for tokens in ids])
            for ids in (ones, twos, attributes)
        )
    )


def standing(batch: Batch, attributes: dict[str, Ids]) -> list[Ids]:
    """Return the attribute terms that stand in a batch, in its input or its output, each once.

    They are looked for in the text, as dt-perturb does, since a text may have other tokens for
    them than they have alone.
    """
    if not attributes:
        return []
    find = mentions.finder(frozenset(attributes))
    rows = batch.inputs["input_ids"].tolist()
    rows += [
        [label for label in row if label != IGNORED] for row in batch.inputs["labels"].tolist()
    ]
    texts = batch.tokenizer.batch_decode(rows, skip_special_tokens=True)
    return [
        attributes[term]
        for term in dict.fromkeys(mention.term for text in texts for mention in find(text))
    ]
