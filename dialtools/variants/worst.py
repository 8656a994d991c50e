"""Of several variants of a record the one that moves a generator's output most.

Each round draws some variants of the record, or of what the round before has chosen, generates an
output for each, and compares it with the output for the original.  It chooses the variant whose
output is the least like that, the first of equal ones.  The search ends where a round would bring
the output nearer again, or where outputs cannot be less alike; what is kept is the choice of the
first round that went furthest.
"""

from collections.abc import Callable, Iterator
from itertools import compress
from math import inf
from operator import not_
from typing import NamedTuple

from dialtools.evaluation.likeness import Likeness
from dialtools.records import dialogue, history
from dialtools.statistics import moments
from dialtools.system.errors import Unfit
from dialtools.variants import draws
from dialtools.variants.kinds import Kind

Predict = Callable[[list[dict]], tuple[list[str], int]]


class WorstVariant(NamedTuple):
    """A variant that a round has chosen.

    numbers: of the draws that made it, round by round.
    likeness: of its output to that for the original; lower is less alike.
    """

    variant: dict
    numbers: list[int]
    output: str
    likeness: float


class Calls:
    """Asks for outputs, and counts how many, and how many of these a cache had."""

    def __init__(self, predict: Predict) -> None:
        self.predict, self.asked, self.cached = predict, 0, 0
        self.latest: tuple[dict, str] | None = None  # a record and its output

    def outputs(self, records: list[dict]) -> list[str]:
        """Return the outputs for records."""
        texts, cached = self.predict(records) if records else ([], 0)
        self.asked += len(records)
        self.cached += cached
        return texts

    def of_original(self, record: dict) -> str:
        """Return the output for a record, asked for once for all kinds."""
        if self.latest is None or self.latest[0] is not record:
            [text] = self.outputs([record])
            self.latest = record, text
        return self.latest[1]


def searching(
    predict: Predict, label: str, signature: str, likeness: Likeness, count: int, rounds: int
) -> draws.Draw:
    """Return what draws the worst variant, in the place of `draws.variants`.

    predict: records -> outputs, and how many of these a cache had.
    label, signature: of the generator that makes them.
    count: of the variants drawn in a round.
    """
    calls = Calls(predict)
    parts = {"worst": count, "rounds": rounds, "by": likeness.label, "generator": label}

    def draw(record: dict, steps: list[Kind], one: int, seed: int) -> Iterator[dict]:
        calls.asked = calls.cached = 0
        original, language = calls.of_original(record), dialogue.language(record)
        latest = worst = WorstVariant(record, [], original, inf)
        of, fewer = 0, 0
        for first in range(1, rounds * count + 1, count):
            drawn = _drawn(_named_like(record, latest.variant), steps, count, seed, first)
            of, fewer = of + len(drawn), max(fewer, int(len(drawn) < count))
            are_changed = list(map(draws.is_changed, drawn))
            texts = iter(calls.outputs(list(compress(drawn, are_changed))))
            outputs = [next(texts) if changed else latest.output for changed in are_changed]
            scores = [likeness.sign * likeness.of(text, original, language) for text in outputs]
            # of equal ones one that was changed, the first of these
            *_, place = min(zip(scores, map(not_, are_changed), range(len(drawn)), strict=True))
            latest = WorstVariant(
                drawn[place], [*latest.numbers, first + place], outputs[place], scores[place]
            )
            further = moments.order(worst.likeness, latest.likeness)
            if further > 0:
                worst = latest
            if further < 0 or worst.likeness == likeness.sign * likeness.worst:
                break

        variant = _entered(worst.variant, len(worst.numbers) * len(steps), parts)
        score = likeness.sign * worst.likeness
        variant["history"][-1]["worst"] = {
            "draws": worst.numbers,
            "of": of,
            "calls": calls.asked,
            likeness.label: score,
            "generator": signature,
        }
        counts = {"unmoved": int(worst.output == original), "fewer": fewer}
        history.count(variant, {name: number for name, number in counts.items() if number})
        made = {"calls": calls.asked - calls.cached, "cached": calls.cached}
        history.count_unwritten(variant, made)
        yield variant

    return draw


def _named_like(record: dict, base: dict) -> dict:
    """Return what a round draws from, called as the record: all rounds are one kind."""
    named = {key: value for key, value in base.items() if key != "variant"}
    return named | ({"variant": record["variant"]} if "variant" in record else {})


def _drawn(record: dict, steps: list[Kind], count: int, seed: int, first: int) -> list[dict]:
    """Return different variants of a record, fewer than asked for where there are no more."""
    drawn: list[dict] = []
    try:
        for variant in draws.variants(record, steps, count, seed, first):
            drawn.append(variant)
    except Unfit:
        if not drawn:
            raise
    return drawn


def _entered(variant: dict, number: int, parts: dict) -> dict:
    """Return a variant whose last entries are one chain; parts: of their signatures."""
    before, made = variant["history"][:-number], variant["history"][-number:]
    entries = []
    for place, entry in enumerate(made, 1):
        of_chain = {"step": [place, number]} if number > 1 else {}
        signature = history.extended(entry["signature"], **parts)
        entries.append(history.Entry({**entry, "signature": signature, **of_chain}))
    return {**variant, "history": [*before, *entries]}
