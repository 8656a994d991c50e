"""Words that agree in gender with a noun: बड़ी and गई of लड़की, and the की of what is hers."""

KEYS = ("upos", "feats", "head", "deprel")  # what tokens must tell
SUBJECTS = ("nsubj", "nsubj:pass")
_MODIFIERS = ("acl", "amod", "det", "nmod:poss", "nummod")
_POSSESSORS = ("acl", "nmod", "nmod:poss")  # whose postposition agrees, too
_VERBAL = ("aux", "aux:pass", "cop")


def words(sentence: list[dict], noun: dict, agrees: dict) -> tuple[list[dict], list[dict]]:
    """Return the modifiers, and the verb and auxiliaries, that agree with a noun; none without gender or heads.

    sentence: its tokens; the noun is one of them.
    agrees: of language.json: {"upos": tags of words that agree, "ends": their last letters}.

    >>> rows = [("बड़ी", "ADJ", 2, "amod"), ("लड़की", "NOUN", 3, "nsubj"), ("आई", "VERB", 0, "root")]
    >>> found = [dict(zip(("form", "upos", "head", "deprel"), row)) | {"feats": "Gender=Fem"} for row in rows]
    >>> [[token["form"] for token in part] for part in words(found, found[1], {"upos": ["ADJ", "VERB"], "ends": "ीई"})]
    [['बड़ी'], ['आई']]
    """
    gender = feature(noun, "Gender")
    if not gender or any(token.get("head") is None or not token.get("deprel") for token in sentence):
        return [], []
    own = next(at for at, token in enumerate(sentence, 1) if token is noun)
    theirs = {at for at, token in enumerate(sentence, 1) if token["head"] == own and token["deprel"] in _POSSESSORS}
    verb = _verb(sentence, noun, own)
    near = ([token for token in sentence if (token["head"] == own and token["deprel"] in _MODIFIERS)
             or (token["head"] in theirs and token["deprel"] == "case")],
            [token for at, token in enumerate(sentence, 1) if verb and (
                at == verb or (token["head"] == verb and token["deprel"] in _VERBAL))])
    modifiers, verbs = ([token for token in part if feature(token, "Gender") == gender
                         and token["upos"] in agrees["upos"] and token["form"][-1] in agrees["ends"]] for part in near)
    return modifiers, verbs


def _verb(sentence: list[dict], noun: dict, own: int) -> int | None:
    """Return the number of the verb that agrees with a noun: its subject, or its object if a postposition marks that.

    None for a noun that is marked itself, or joined to another one.
    """
    head = noun["head"]
    if any(token["head"] == own and token["deprel"] in ("case", "conj") for token in sentence):
        return None
    subjects = {at for at, token in enumerate(sentence, 1) if token["head"] == head and token["deprel"] in SUBJECTS}
    marked = any(token["head"] in subjects and token["deprel"] == "case" for token in sentence)
    return head if noun["deprel"] in SUBJECTS or (noun["deprel"] == "obj" and marked) else None


def feature(token: dict, name: str) -> str | None:
    """Return a feature of a token, such as Gender."""
    start = f"{name}="
    return next((part.removeprefix(start) for part in (token.get("feats") or "").split("|") if part.startswith(start)),
                None)
