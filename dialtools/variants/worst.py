"""Of several variants of a record the one that moves a generator's output most.

Each round draws some variants of the record, or of what the round before has kept, generates an
output for each, and compares it with the output for the original.  The variant whose output is the
least like that is kept, the first of equal ones.  A round that moves the output no further is the
last, and leaves nothing.
"""

from collections.abc import Callable, Iterator
from math import inf
from operator import itemgetter

from dialtools.evaluation.likeness import Likeness
from dialtools.records import dialogue, history
from dialtools.statistics import moments
from dialtools.system.errors import Unfit
from dialtools.variants import draws
from dialtools.variants.kinds import Kind

Predict = Callable[[list[dict]], tuple[list[str], int]]


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
    predict: Predict, likeness: Likeness, count: int, rounds: int, generator: str
) -> Callable[[dict, list[Kind], int, int], Iterator[dict]]:
    """Return what draws the worst variant, in the place of `draws.variants`.

    count: of the variants drawn in a round; generator: its label, for the signature.
    """
    calls = Calls(predict)
    parts = {"worst": count, "rounds": rounds, "by": likeness.label, "generator": generator}

    def draw(record: dict, steps: list[Kind], _: int, seed: int) -> Iterator[dict]:
        calls.asked = calls.cached = 0
        original, language = calls.of_original(record), dialogue.language(record)
        worst, output, lowest = record, original, inf
        number, entries, fewer = 0, 0, 0
        for first in range(1, rounds * count + 1, count):
            drawn = _drawn(worst, steps, count, seed, first)
            texts = iter(calls.outputs(list(filter(draws.is_changed, drawn))))
            outputs = [next(texts) if draws.is_changed(variant) else output for variant in drawn]
            scores = [likeness.sign * likeness.of(text, original, language) for text in outputs]
            number += len(drawn)
            fewer = max(fewer, int(len(drawn) < count))
            place, score = min(enumerate(scores), key=itemgetter(1))
            if moments.order(score, lowest) >= 0:
                break
            worst, output, lowest = drawn[place], outputs[place], score
            entries += len(steps)
        facts = {"of": number, "calls": calls.asked, likeness.label: likeness.sign * lowest}
        worst = _entered(worst, entries, facts, parts)
        counts = {"unmoved": int(output == original), "fewer": fewer}
        history.count(worst, {name: count for name, count in counts.items() if count})
        made = {"calls": calls.asked - calls.cached, "cached": calls.cached}
        history.count_unwritten(worst, made)
        yield worst

    return draw


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


def _entered(variant: dict, number: int, facts: dict, parts: dict) -> dict:
    """Return a variant whose last entries are one chain, which say how it was chosen.

    number: of these entries; facts: for the last of them; parts: for their signatures.
    """
    before, made = variant["history"][:-number], variant["history"][-number:]
    entries = []
    for place, entry in enumerate(made, 1):
        of_chain = {"step": [place, number]} if number > 1 else {}
        signature = history.extended(entry["signature"], **parts)
        entries.append(history.Entry({**entry, "signature": signature, **of_chain}))
    entries[-1]["worst"] = facts
    return {**variant, "history": [*before, *entries]}
