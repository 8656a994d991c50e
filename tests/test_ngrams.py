"""Common n-grams from one sort, against counting them one by one."""

import random
from collections import Counter

from table_tests import each_row

from dialtools.text import overlap


def counted(one, other, order: int) -> list[int]:
    def windows(items, n):
        return Counter(tuple(items[i : i + n]) for i in range(len(items) - n + 1))

    return [(windows(one, n) & windows(other, n)).total() for n in range(1, order + 1)]


@each_row("alphabet", [1, 3, 60, 50_000])  # of 50,000 symbols few fit into an integer
@each_row("order", [1, 6, 20])
@each_row("pairs", [1, 40])
def test_common_ngrams_are_those_counted(alphabet: int, order: int, pairs: int):
    rng = random.Random(alphabet + order)
    lengths = [0, 1, 5, 30, 150]
    texts = {
        n: "".join(chr(97 + rng.randrange(alphabet)) for _ in range(rng.choice(lengths)))
        for n in range(2 * pairs)
    }
    beside = [(2 * n, 2 * n + 1) for n in range(pairs)]
    exact = {pair: counted(texts[pair[0]], texts[pair[1]], order) for pair in beside}
    assert overlap.shared_ngrams(texts, beside, order) == exact
    assert (
        overlap.shared_ngrams({n: list(text) for n, text in texts.items()}, beside, order) == exact
    )


def test_blocks_of_places_make_no_difference(monkeypatch):
    rng = random.Random(0)
    texts = {n: "".join(rng.choices("abc ", k=rng.randrange(60))) for n in range(80)}
    pairs = [(2 * n, 2 * n + 1) for n in range(40)]
    whole = overlap.shared_ngrams(texts, pairs, 6)
    monkeypatch.setattr(overlap, "PLACES", 100)
    assert overlap.shared_ngrams(texts, pairs, 6) == whole
