"""Tokens, and whether a text has those that a filter needs.

A token is a dict with "form", "start" and "end" (code points), where always
text[start:end] == form, and with whatever a parser said of it.  Tokens stand
in the order of the text and do not overlap.
"""

from collections.abc import KeysView
from itertools import pairwise

from dialtools.system.errors import RecordError, Unfit, show, show_names

# UPOS of the words that say what a sentence is about
CONTENT = frozenset(("ADJ", "ADV", "NOUN", "VERB"))
_INFLECTED = ("AUX", "NOUN", "VERB")  # have features in any language that annotates some
_WITHOUT_LEMMA = ("X", "SYM", "PROPN")


def annotated(holder: dict, kind: str, *keys: str) -> list[dict]:
    """Return the tokens beside a "text"; Unfit if they lack what a kind needs.

    holder: what holds the "text" and the "tokens", as in dialogue.holders.
    kind: the plug-in's name, for the message.
    keys: what each token must have, as in `has`.
    """
    if not has(holder, *keys):
        wanted = f"tokens with {', '.join(keys)}" if keys else "tokens"
        tokens = holder.get("tokens") or [{}]
        shared = [key for key in tokens[0] if all(key in token for token in tokens)]
        hint = f" (those here have {show_names(shared)}; another parser tells more)"
        raise Unfit(f"{kind} needs {wanted}: annotate with dt-parse first{hint if shared else ''}")
    return holder.get("tokens") or []


def has(holder: dict, *keys: str) -> bool:
    """Return whether a text has tokens, each with these keys; one without words needs none.

    An empty list of tokens will do: an edit has replaced all of them.  A word may lack "feats", but
    not all words where a noun or a verb is among them.  One tagged X (in treebanks a part of a word
    that is written apart), SYM or PROPN may lack "lemma".
    """
    tokens = holder.get("tokens")
    if tokens is None:
        return not any(map(str.isalnum, holder["text"]))
    for key in keys:
        has_key = [
            token.get(key) is not None or (key == "lemma" and token.get("upos") in _WITHOUT_LEMMA)
            for token in tokens
        ]
        if key == "feats":
            is_enough = any(has_key) or not any(token.get("upos") in _INFLECTED for token in tokens)
        else:
            is_enough = all(has_key)
        if not is_enough:
            return False
    return True


def features(token: dict) -> KeysView[str]:
    """Return the features of a token as a set in their own order, the same in each process.

    >>> list(features({"feats": "Number=Sing|Case=Nom"})), list(features({"feats": None}))
    (['Number=Sing', 'Case=Nom'], [])
    """
    return dict.fromkeys(filter(None, (token.get("feats") or "").split("|"))).keys()


def without(holder: dict) -> str:
    """Return the first word of a text without a token, as a perturbation adds it; "" for none.

    >>> without({"text": "I, uh, see", "tokens": [{"form": "I"}, {"form": "see"}]})
    'uh'
    """
    text, end = holder["text"], 0  # of the token before
    for token in (*(holder.get("tokens") or ()), {"form": "", "start": len(holder["text"])}):
        start, form = token.get("start", end), token["form"]
        if not text.startswith(form, start):
            start = max(text.find(form, end), end)
        if start > end and any(map(str.isalnum, text[end:start])):
            # at the top it would cost each start of a command a hundredth
            from string import punctuation

            return next(
                word for word in text[end:start].split() if any(map(str.isalnum, word))
            ).strip(punctuation)
        end = start + len(form)
    return ""


def require_aligned(holder: dict) -> None:
    """Raise RecordError unless each token stands where it says, in the order of the text."""
    text, last_end = holder["text"], 0
    for token in holder.get("tokens") or ():
        start, end = token["start"], token["end"]
        if not last_end <= start < end <= len(text) or text[start:end] != token["form"]:
            raise RecordError(
                f"the token {show(token['form'])} does not stand at {start} to {end} "
                f"of {show(text)}"
            )
        last_end = end


def spread(surface: str, start: int, words: list[str]) -> list[dict]:
    """Return a token for each word that shares a surface word (de and le in French du).

    Its form is its own part of the surface, so that text[start:end] == form holds for it, too.
    "word" is the word itself if it differs; "part" is its place among the words, [1, 2] or [2, 2].

    start: the start of the surface word in the text, in code points.

    >>> [token["form"] for token in spread("dámelo", 0, ["da", "me", "lo"])]
    ['dá', 'me', 'lo']
    """
    from rapidfuzz.distance import Levenshtein

    if len(words) > len(surface):
        raise RecordError(
            f"the word {show(surface)} has {len(surface)} characters, too few for "
            f"the {len(words)} words {show(words)}"
        )
    changes = Levenshtein.opcodes("".join(words).lower(), surface.lower())
    bounds, end = [0], 0  # no part is empty, and the fewest letters change
    for number, word in enumerate(words[:-1], 1):
        end += len(word)
        change = next(change for change in changes if change.src_end >= end)
        bound = min(change.dest_start + end - change.src_start, change.dest_end)
        bounds.append(max(bounds[-1] + 1, min(bound, len(surface) - len(words) + number)))

    tokens = []
    parts = zip(words, pairwise([*bounds, len(surface)]), strict=True)
    for number, (word, (first, last)) in enumerate(parts, 1):
        token = {"form": surface[first:last], "start": start + first, "end": start + last}
        if word != token["form"]:
            token["word"] = word
        tokens.append({**token, "part": [number, len(words)]})
    return tokens
