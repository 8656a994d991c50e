"""Words that agree in gender with a noun: बड़ी and गई of लड़की, and की of what is hers."""

KEYS = ("upos", "feats", "head", "deprel")  # what tokens must tell
_GOVERNED = ("nsubj", "nsubj:pass", "obj")  # what a verb may agree with, if no postposition marks it


def words(tokens: list[dict], noun: dict, agrees: dict) -> list[dict]:
    """Return the tokens of a text that agree with one of them; none where it has no gender, or they have no heads.

    They are of its gender, and one of: its dependent; the postposition of its
    possessor; its verb, with auxiliaries, where that agrees.

    agrees: of language.json: {"upos": tags of words that agree, "ends": their last letters}.

    >>> rows = [("बड़ी", "ADJ", 2, "amod"), ("लड़की", "NOUN", 3, "nsubj"), ("आई", "VERB", 0, "root")]
    >>> found = [dict(zip(("form", "upos", "head", "deprel"), row)) | {"feats": "Gender=Fem"} for row in rows]
    >>> [token["form"] for token in words(found, found[1], {"upos": ["ADJ", "VERB"], "ends": "ीई"})]
    ['बड़ी', 'आई']
    """
    gender = _gender(noun)
    here = [token for token in tokens if token.get("sent") == noun.get("sent")]
    number = next(number for number, token in enumerate(here, 1) if token is noun)
    if not gender or any(token.get("head") is None for token in here):
        return []
    dependents = {at for at, token in enumerate(here, 1) if token["head"] == number}
    marked = any(here[at - 1]["deprel"] == "case" for at in dependents)
    verb = noun["head"] if noun.get("deprel") in _GOVERNED and not marked else None
    near = [token for at, token in enumerate(here, 1) if at in dependents or at == verb
            or (token["deprel"] == "case" and token["head"] in dependents)
            or (token["upos"] == "AUX" and token["head"] == verb)]
    return [token for token in near if _gender(token) == gender and token["upos"] in agrees["upos"]
            and token["form"][-1] in agrees["ends"]]


def _gender(token: dict) -> str | None:
    return next((part for part in (token.get("feats") or "").split("|") if part.startswith("Gender=")), None)
