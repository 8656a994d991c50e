"""Multiword tokens: where words stand in the surface word that they share (de and le in French du).

Each word is a token with its own stretch of the surface as its form, so that
text[start:end] == form holds for it too.  "word" is the word itself where it
reads otherwise; "part" its place among the words, [1, 2] and [2, 2].
"""

from dialtools.errors import RecordError, show


def spread(surface: str, start: int, words: list[str]) -> list[dict]:
    """Return the beginnings of tokens (form, start, end, word, part) of words that share a surface word.

    start: where the surface begins in the text, in code points.

    >>> [token["form"] for token in spread("dámelo", 0, ["da", "me", "lo"])]
    ['dá', 'me', 'lo']
    """
    cuts = [0, *_cuts(surface, words), len(surface)]
    tokens = []
    for number, (word, first, last) in enumerate(zip(words, cuts[:-1], cuts[1:], strict=True), 1):
        token = {"form": surface[first:last], "start": start + first, "end": start + last}
        if word != token["form"]:
            token["word"] = word
        tokens.append({**token, "part": [number, len(words)]})
    return tokens


def _cuts(surface: str, words: list[str]) -> list[int]:
    """Return where each word but the first begins, such that the fewest letters change and none is empty."""
    from rapidfuzz.distance import Levenshtein

    if len(words) > len(surface):
        raise RecordError(f"the word {show(surface)} has {len(surface)} characters, too few for the "
                          f"{len(words)} words {show(words)}")
    changes = Levenshtein.opcodes("".join(words).lower(), surface.lower())
    cuts, at = [0], 0
    for number, word in enumerate(words[:-1], 1):
        at += len(word)
        change = next(change for change in changes if change.src_end >= at)
        cut = min(change.dest_start + at - change.src_start, change.dest_end)
        cuts.append(max(cuts[-1] + 1, min(cut, len(surface) - len(words) + number)))
    return cuts[1:]
