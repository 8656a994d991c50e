"""Labels that are short enough for a column, and signatures with what they have in common."""

import re
from collections.abc import Iterable, Sequence

MOST = 28  # characters of a name in a table
# of a path, alone or within a label
_FOLDERS = r"(?:[^\s,:=|/]*/){2,}(?=(?:[^\s,:=|/]+/){%d}[^\s,:=|/])"
_CUT = "…"
_LONG = 20  # characters of a label from which on its options matter less than its width
_OPTIONS = re.compile(r":(?=\w+=)")  # begin after it


def shortened(names: Iterable[str], most: int = MOST) -> dict[str, str]:
    """Return a short form of each name, all different: paths lose folders, others their middle.

    >>> list(shortened(["bertscore:model=/data/models/roberta-large,layer=17", "rougeL"]).values())
    ['bertscore:mode…arge,layer=17', 'rougeL']
    >>> list(shortened(["/home/me/runs/a/out", "/home/me/runs/b/out"], 12).values())
    ['…/a/out', '…/b/out']
    """
    whole = list(dict.fromkeys(names))
    if all(len(name) <= most for name in whole):
        return {name: name for name in whole}
    forms = (_without_folders(whole, kept) for kept in range(8))
    short = next((form for form in forms if len({*form}) == len(whole)), whole)
    return dict(zip(whole, _cut(short, most), strict=True))


def of_metrics(labels: Iterable[str]) -> dict[str, str]:
    """Return a short form of each label: long ones lose the options that tell none apart.

    >>> list(of_metrics(["bertscore:model=/data/models/roberta-large,layer=17", "rougeL"]).values())
    ['bertscore', 'rougeL']
    >>> list(of_metrics(["S:cosine:model=a/roberta,layer=1", "S:cosine:model=a/roberta,layer=2"
    ...                  ]).values())
    ['S:cosine:layer=1', 'S:cosine:layer=2']
    """
    whole = list(dict.fromkeys(labels))
    found = {label: _OPTIONS.split(label, maxsplit=1) for label in whole}
    told = {}
    for label, (head, *options) in found.items():
        others = [other[1:] for one, other in found.items() if one != label and other[0] == head]
        parts = options[0].split(",") if options and len(label) > _LONG else []
        telling = [
            part for part in parts if any(part not in "".join(other).split(",") for other in others)
        ]
        told[label] = f"{head}:{','.join(telling)}" if telling else head if parts else label
    if len({*told.values()}) < len(whole):
        told = dict(zip(whole, whole, strict=True))
    short = shortened(told.values())
    return {label: short[form] for label, form in told.items()}


def _without_folders(names: Sequence[str], kept: int) -> list[str]:
    return [re.sub(_FOLDERS % kept, f"{_CUT}/", name) for name in names]


def _cut(names: Sequence[str], most: int) -> list[str]:
    """Return names cut in the middle, with as many characters as it takes to tell them apart."""
    for length in range(most, max(map(len, names), default=0) + 1):
        end = (length - 1) // 2
        cut = [
            name if len(name) <= length else f"{name[: length // 2]}{_CUT}{name[len(name) - end :]}"
            for name in names
        ]
        if len({*cut}) == len({*names}):
            return cut
    return list(names)


def merged(signatures: Iterable[str]) -> list[str]:
    """Return signatures as few lines: those that differ in one part alone become one.

    >>> merged(["rouge2|lang:en|tok:rouge|v:1", "rouge2|lang:hi|tok:words|v:1",
    ...         "rouge2|lang:jv|tok:words|v:1", "rougeL|lang:en|tok:rouge|v:1"])
    ['rouge2,rougeL|lang:en|tok:rouge|v:1', 'rouge2|lang:hi,jv|tok:words|v:1']
    """
    found = [[[part] for part in signature.split("|")] for signature in dict.fromkeys(signatures)]
    at = 0
    while at < len(found):
        pair = next(
            (
                (number, place)
                for number in range(at + 1, len(found))
                if (place := _only_difference(found[at], found[number])) is not None
            ),
            None,
        )
        if pair is None:
            at += 1
            continue
        number, place = pair
        found[at][place] += [one for one in found[number][place] if one not in found[at][place]]
        del found[number]
        at = 0
    return ["|".join(map(_joined, parts)) for parts in found]


def _only_difference(one: list[list[str]], other: list[list[str]]) -> int | None:
    """Return the place of the only part that differs; None if there are more, or other keys."""
    if len(one) != len(other):
        return None
    places = [at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(places) != 1:
        return None
    (place,) = places
    keys = {part.partition(":")[0] for part in one[place] + other[place]}
    return place if place == 0 or len(keys) == 1 else None


def _joined(values: list[str]) -> str:
    """Return the values of a part: lang:en,hi."""
    if len(values) == 1:
        return values[0]
    key, colon, _ = values[0].partition(":")
    if not colon or len({value.partition(":")[0] for value in values}) > 1:
        return ",".join(values)
    return f"{key}:{','.join(value.partition(':')[2] for value in values)}"
