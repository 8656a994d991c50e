"""Similarity of texts to sentences: functions (texts, sentences, *, lang) -> rows of numbers; and
the floor under which a paraphrase is none.
"""

import functools
from collections.abc import Callable
from random import Random

from dialtools import languages
from dialtools.evaluation import scorer, units
from dialtools.evaluation.chosen_metrics import ChosenMetric
from dialtools.system.errors import OptionError, show
from dialtools.text import overlap, tokenizers


def rouge1(texts: list[str], sentences: list[str], *, lang: str) -> list[list[float]]:
    """Return the F1 of the words that texts share with sentences, from 0 to 1 (ROUGE-1)."""
    find = tokenizers.lenient(languages.get(lang).facts["words"])
    wanted = [overlap.numbered(find(sentence)) for sentence in sentences]
    bags = [overlap.numbered(find(text)) for text in texts]
    return [
        [overlap.f1(len(bag & other), len(bag), len(other)) for other in wanted] for bag in bags
    ]


def named(
    encoder: str | Callable | None, offline: bool = False
) -> Callable[..., list[list[float]]]:
    """Return the cosine of sentence embeddings, from -1 to 1; rouge1 without an encoder.

    encoder: folder or hub name of a model whose embedding is the mean of its last states, or such
        a function.
    """
    if encoder is None or callable(encoder):
        return encoder or rouge1
    measure = functools.partial(_cosines, encoder, offline)
    measure.__name__ = encoder  # type: ignore[attr-defined]
    return measure


def _cosines(
    model: str, offline: bool, texts: list[str], sentences: list[str], *, lang: str
) -> list[list[float]]:
    from dialtools.models import encoders

    vectors, wanted = (encoders.vectors(model, part, offline) for part in (texts, sentences))
    return [
        [sum(a * b for a, b in zip(vector, other, strict=True)) for other in wanted]
        for vector in vectors
    ]


class Floor:
    """A score that a paraphrase must have against its text, else the text stays.

    under: how many stayed.
    """

    def __init__(self, spec: str) -> None:
        """Read METRIC=NUMBER, in the unit that the metric is shown in."""
        name, _, number = spec.rpartition("=")
        try:
            self.least = float(number)
        except ValueError:
            self.least = float("nan")
        if not name or self.least != self.least:
            raise OptionError(
                f"--paraphrase-floor: METRIC=NUMBER, such as rouge1=30, is wanted, not {show(spec)}"
            )
        self.metric, self.spec, self.under = ChosenMetric(name), spec, 0
        if not self.metric.compares_references or units.better(self.metric) != "higher":
            raise OptionError(
                f"--paraphrase-floor: {name} is no metric of likeness whose higher scores are better"
            )
        self.factor = units.of(self.metric).factor
        low, high = (bound * self.factor for bound in units.bounds(self.metric))
        if not low <= self.least <= high:
            raise OptionError(
                f"--paraphrase-floor: {name} is from {low:g} to {high:g}, never {self.least:g}"
            )

    def above(self, paraphrase: Callable[..., str]) -> Callable[..., str]:
        """Return a paraphraser that gives the text itself where the score is too low."""

        def checked(text: str, rng: Random, *, lang: str, formality: str) -> str:
            candidate = paraphrase(text, rng, lang=lang, formality=formality)
            [score] = scorer.bind(self.metric, languages.get(lang)).values([candidate], [[text]])
            if score is not None and score * self.factor >= self.least:
                return candidate
            self.under += 1
            return text

        checked.__name__ = f"{paraphrase.__name__},{self.spec}"
        return checked
