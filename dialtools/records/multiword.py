"""Multiword tokens: the spans of the words that share a surface word (de and le in French du).

Each word is a token whose form is its own part of the surface, so that
text[start:end] == form holds for it, too.  "word" is the word itself if it
differs; "part" is its place among the words, [1, 2] or [2, 2].
"""

from itertools import pairwise

from dialtools.system.errors import RecordError, show


def spread(surface: str, start: int, words: list[str]) -> list[dict]:
    """Return a token (form, start, end, word, part) for each word that shares a surface word.

    start: the start of the surface word in the text, in code points.

    >>> [token["form"] for token in spread("dámelo", 0, ["da", "me", "lo"])]
    ['dá', 'me', 'lo']
    """
    cuts = _cuts(surface, words)
    tokens = []
    for number, (word, (first, last)) in enumerate(zip(words, pairwise(cuts), strict=True), 1):
        token = {"form": surface[first:last], "start": start + first, "end": start + last}
        if word != token["form"]:
            token["word"] = word
        tokens.append({**token, "part": [number, len(words)]})
    return tokens


def _cuts(surface: str, words: list[str]) -> list[int]:
    """Return the bounds of the words: no part is empty, and the fewest letters change."""
    from rapidfuzz.distance import Levenshtein

    if len(words) > len(surface):
        raise RecordError(
            f"the word {show(surface)} has {len(surface)} characters, too few for "
            f"the {len(words)} words {show(words)}"
        )
    changes = Levenshtein.opcodes("".join(words).lower(), surface.lower())
    cuts, at = [0], 0
    for number, word in enumerate(words[:-1], 1):
        at += len(word)
        change = next(change for change in changes if change.src_end >= at)
        cut = min(change.dest_start + at - change.src_start, change.dest_end)
        cuts.append(max(cuts[-1] + 1, min(cut, len(surface) - len(words) + number)))
    return [*cuts, len(surface)]
