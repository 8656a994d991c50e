"""Words that agree in gender with a noun: बड़ी and गई with लड़की, and the possessive की."""

from typing import NamedTuple

from dialtools.records.tokens import features

KEYS = ("upos", "feats", "head", "deprel")  # what tokens must tell
SUBJECTS = ("nsubj", "nsubj:pass")
_MODIFIERS = ("acl", "amod", "det", "nmod:poss", "nummod")
_POSSESSORS = ("acl", "nmod", "nmod:poss")  # whose postposition agrees, too
_VERBAL = ("aux", "aux:pass", "cop")


class Tree(NamedTuple):
    """A sentence with its heads."""

    tokens: list[dict]
    # of each number, from 1: numbers and tokens whose head that is
    below: dict[int, list[tuple[int, dict]]]


def tree(sentence: list[dict]) -> Tree:
    """Return a sentence with its heads, empty if a token has no head, relation or tag."""
    if not all(
        isinstance(token.get("head"), int) and token.get("deprel") and token.get("upos")
        for token in sentence
    ):
        return Tree([], {})
    below: dict[int, list[tuple[int, dict]]] = {}
    for number, token in enumerate(sentence, 1):
        below.setdefault(token["head"], []).append((number, token))
    return Tree(sentence, below)


def words(tree: Tree, number: int, agrees: dict) -> tuple[list[dict], list[dict]]:
    """Return the modifiers, and the verb with its auxiliaries, that agree with a noun.

    number: of the noun in its sentence, from 1.
    agrees: of language.json: {"upos": tags of words that agree, "ends": their last letters}.

    >>> rows = [("बड़ी", "ADJ", 2, "amod"), ("लड़की", "NOUN", 3, "nsubj")]
    >>> rows.append(("आई", "VERB", 0, "root"))
    >>> keys = ("form", "upos", "head", "deprel")
    >>> found = [dict(zip(keys, row)) | {"feats": "Gender=Fem"} for row in rows]
    >>> both = words(tree(found), 2, {"upos": ["ADJ", "VERB"], "ends": "ीई"})
    >>> [[token["form"] for token in part] for part in both]
    [['बड़ी'], ['आई']]
    """
    gender, below = feature(tree.tokens[number - 1], "Gender"), tree.below.get(number, [])
    modifiers = [token for _, token in below if token["deprel"] in _MODIFIERS]
    modifiers += [
        token
        for at, other in below
        if other["deprel"] in _POSSESSORS
        for token in _of(tree, at, ("case",))
    ]
    verb = _verb(tree, number)
    verbs = [*tree.tokens[verb - 1 : verb], *_of(tree, verb, _VERBAL)] if verb else []
    return _alike(modifiers, gender, agrees), _alike(verbs, gender, agrees)


def _verb(tree: Tree, number: int) -> int | None:
    """Return the number of the verb that agrees with a noun, None for none.

    A verb agrees with its subject, or with its object if a postposition marks the subject, unless
    the noun is marked itself or joined to another.
    """
    noun = tree.tokens[number - 1]
    head = noun["head"]
    if _of(tree, number, ("case", "conj")):
        return None
    subjects = [at for at, token in tree.below.get(head, ()) if token["deprel"] in SUBJECTS]
    marked = any(_of(tree, at, ("case",)) for at in subjects)
    return head if noun["deprel"] in SUBJECTS or (noun["deprel"] == "obj" and marked) else None


def _of(tree: Tree, number: int, relations: tuple[str, ...]) -> list[dict]:
    """Return the dependents of a token with one of the relations."""
    return [token for _, token in tree.below.get(number, ()) if token["deprel"] in relations]


def _alike(found: list[dict], gender: str | None, agrees: dict) -> list[dict]:
    return [
        token
        for token in found
        if gender
        and feature(token, "Gender") == gender
        and token["upos"] in agrees["upos"]
        and token["form"][-1] in agrees["ends"]
    ]


def feature(token: dict, name: str) -> str | None:
    """Return a feature of a token, such as Gender."""
    start = f"{name}="
    return next(
        (part.removeprefix(start) for part in features(token) if part.startswith(start)), None
    )
