"""--identity-check: the first records generated once more, in another batching or in float32.

How far the outputs differ is noise that no variant has made; evaluation/noise.py sums it up.
"""

from collections.abc import Callable, Iterable

from dialtools.plugins import registry
from dialtools.system.errors import OptionError

Make = Callable[[list[dict]], Iterable[dict]]


def rechecked(make: Make, plugin: registry.Plugin, options: dict, number: int) -> Make:
    """Return `make` that generates the first `number` records twice, and adds "identity".

    The second time a model reads one record at once, or 8 where that is how it read them the first
    time; and it computes in float32 where it did in int8.  A program is asked again.
    """
    if not options.keys() & {"batch_size", "program"} or number < 1:
        raise OptionError(
            f"--identity-check N, 1 or more, is for models: {plugin.name} makes no batches"
            if number
            else "--identity-check 0 checks nothing: leave it out"
        )
    otherwise = dict(options)
    if "batch_size" in options:
        otherwise["batch_size"] = 8 if options["batch_size"] == 1 else 1
    if options.get("precision") == "int8":
        otherwise["precision"] = "float32"
    remaining = iter(range(number))

    def make_and_check(views: list[dict]) -> list[dict]:
        outputs = list(make(views))
        places = [place for place, _ in zip(range(len(views)), remaining, strict=False)]
        checks = plugin.call([views[place] for place in places], **otherwise) if places else []
        for place, check in zip(places, checks, strict=True):
            identity = distance(outputs[place]["prediction"], check["prediction"])
            outputs[place] = {**outputs[place], "identity": identity}
        return outputs

    return make_and_check


def distance(a: str | list[str], b: str | list[str]) -> float:
    """Return the edit distance of two texts, or bests of lists, over the longer one's length.

    >>> distance("abcd", "abxd"), distance("", "")
    (0.25, 0.0)
    """
    from rapidfuzz.distance import Levenshtein

    texts = [text if isinstance(text, str) else text[0] for text in (a, b)]
    return round(Levenshtein.normalized_distance(*texts), 4)
