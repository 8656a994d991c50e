"""The tokens of a sentence that remain when others are gone, with heads and parts renumbered."""


def remaining(tokens: list[dict]) -> list[dict]:
    """Return the tokens of a sentence that have a form, without those that an edit left none.

    Heads count from 1 within the sentence.  If one that is gone was a head, none of them has
    "head" and "deprel" any more: what hung on it hangs nowhere.

    >>> root = {"head": 0, "deprel": "root"}
    >>> remaining([{"form": "", "head": 2, "deprel": "punct"}, {"form": "Hi", **root}])
    [{'form': 'Hi', 'head': 0, 'deprel': 'root'}]
    >>> remaining([{"form": "", **root}, {"form": "Bob", "head": 1, "deprel": "vocative"}])
    [{'form': 'Bob'}]
    """
    left = [at for at, token in enumerate(tokens) if token["form"]]
    numbers = {0: 0} | {at + 1: number for number, at in enumerate(left, 1)}
    holds = all(tokens[at].get("head") in (None, *numbers) for at in left)
    surfaces: dict[int, list[int]] = {}  # where each would begin -> the words left of it
    for at in left:
        if tokens[at].get("part"):
            surfaces.setdefault(at - tokens[at]["part"][0], []).append(at)
    parts = {
        at: [place, len(words)] for words in surfaces.values() for place, at in enumerate(words, 1)
    }
    return [_numbered(tokens[at], numbers if holds else {}, parts.get(at)) for at in left]


def _numbered(token: dict, numbers: dict[int, int], part: list[int] | None) -> dict:
    """Return a token with new numbers, or without its head if there are none."""
    stays = {key: value for key, value in token.items() if numbers or key not in ("head", "deprel")}
    if part == [1, 1]:
        del stays["part"]
    elif part:
        stays["part"] = part
    return stays | {"head": numbers[token["head"]]} if numbers and token.get("head") else stays
