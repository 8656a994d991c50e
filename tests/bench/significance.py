"""CPU seconds of resampling, beside scipy's: python tests/bench/significance.py.

10,000 resamples of 2,000 values; each figure is the median of five runs, taken in turn, after a
first one that is not counted.
"""

import statistics
import time
from collections.abc import Callable

import numpy
from scipy import stats

from dialtools.plugins import registry
from dialtools.statistics import resampling

RESAMPLES, VALUES, RUNS = 10_000, 2_000, 5


def cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def works() -> dict[str, tuple[Callable[[], object], Callable[[], object]]]:
    """Return our work and scipy's by what it is."""
    rng = numpy.random.default_rng(1)
    a = rng.normal(size=VALUES)
    b = a + rng.normal(0.02, 0.5, VALUES)
    gaps, pair = a - b, (a.tolist(), b.tolist())

    def ours(spec: str) -> Callable[[], object]:
        return lambda: registry.load("hypothesis_tests", spec).call(*pair, 0.95)

    def mean(values, axis):
        return numpy.mean(values, axis=axis)

    def theirs(method: str) -> Callable[[], object]:
        return lambda: stats.bootstrap((gaps,), mean, n_resamples=RESAMPLES, method=method, rng=1)

    return {
        "bootstrap, percentile": (ours("bootstrap:interval=percentile"), theirs("percentile")),
        "bootstrap, bca": (ours("bootstrap:interval=bca"), theirs("BCa")),
        "permutation": (
            lambda: resampling.sign_flips(gaps, RESAMPLES, 1),
            lambda: stats.permutation_test(
                (gaps,), mean, n_resamples=RESAMPLES, permutation_type="samples", rng=1
            ),
        ),
    }


def main() -> None:
    for name, (own, peer) in works().items():
        times = [(cpu(own), cpu(peer)) for _ in range(RUNS + 1)][1:]
        one, other = (statistics.median(column) for column in zip(*times, strict=True))
        print(f"{name:22} {one:7.3f} s, scipy {other:7.3f} s: {other / one:6.1f} times")


if __name__ == "__main__":
    main()
