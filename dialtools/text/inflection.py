"""Inflection of the words that agree with a noun, if it is swapped for one of another gender.

agrees, in language.json, has besides what agreement.py reads: "forms": rows of
endings, of men (direct and singular, then all others) and of women (singular,
plural), the regular row last; "short": stems of one letter that take the
regular endings, by tag; "irregular": how words end that are in no row; "many": how verbs end
that are plural.

Words follow where it is certain: the new noun is one of the other group of the
language's specification gender, an ending is a regular one, a noun for men is
direct or oblique beyond doubt, and a verb is singular or plural as its noun is.
"""

import functools
from collections.abc import Iterable, Iterator

from dialtools import languages
from dialtools.languages import Language
from dialtools.records import dialogue, tokens
from dialtools.text import agreement, substitution, terms

NOTE = "agrees"
# places in a row of forms: of men, direct and singular; all others; of women
_MAN, _MEN, _WOMAN = range(3)
Follower = tuple[str, dict, str]  # pointer, token, its new form or "" where that is not certain


def followed(record: dict, made: list[list]) -> list[list]:
    """Return the edits that swap terms, and those of the words that agree with them."""
    found = {
        (pointer, token["start"]): [
            pointer,
            token["start"],
            token["end"],
            token["form"],
            form,
            NOTE,
        ]
        for pointer, token, form in _followers(record, made)
        if form
    }
    if not found:
        return made
    order = {pointer: number for number, (pointer, _) in enumerate(dialogue.utterances(record))}
    return sorted([*made, *found.values()], key=lambda edit: (order[edit[0]], edit[1]))


def facts(
    record: dict, edits: list[list], *, spec: terms.Spec, direction: terms.Direction = "forth"
) -> dict:
    """Return the counts of labels that stay, and of words that may no longer agree."""
    plan = substitution.plan(spec, languages.get(dialogue.lang(record)), "target", direction)
    labels = len(substitution.labels(record, plan))
    counts = {"speakers' labels that are terms and stay": labels, **_left(record, edits)}
    found = {name: count for name, count in counts.items() if count}
    return {"counts": found} if found else {}


def _left(record: dict, edits: list[list]) -> dict[str, int]:
    """Return the counts of words that may no longer agree, if the language has agreement."""
    if not _agrees(record):
        return {}
    changed = {(edit[0], edit[1]) for edit in edits}
    agreed = {(pointer, token["start"]) for pointer, token, _ in _followers(record, edits)}
    swapped = {edit[0] for edit in edits}
    texts = [holder for pointer, holder in dialogue.utterances(record) if pointer in swapped]
    return {
        "words that agreed with a swapped term and stay": len(agreed - changed),
        "texts without feats and heads, where words that agree are not known": sum(
            not tokens.has(holder, *agreement.KEYS) for holder in texts
        ),
    }


def _agrees(record: dict) -> dict:
    return languages.get(dialogue.lang(record)).facts.get("agrees", {})


def _followers(record: dict, edits: Iterable[list]) -> Iterator[Follower]:
    """Yield the words that agree with swapped terms and are not swapped themselves."""
    agrees = _agrees(record)
    if not agrees:
        return
    swapped: dict[str, dict[tuple[int, int], str]] = {}
    for pointer, start, end, _, after, *note in edits:
        if note != [NOTE]:
            swapped.setdefault(pointer, {})[start, end] = after
    for pointer, holder in dialogue.utterances(record):
        if pointer in swapped:
            for token, form in _in_text(
                holder, swapped[pointer], languages.get(dialogue.lang(record)), agrees
            ):
                yield pointer, token, form


def _in_text(
    holder: dict, swapped: dict[tuple[int, int], str], language: Language, agrees: dict
) -> Iterator[tuple[dict, str]]:
    """Yield each word that agrees, and its new form; swapped: the new terms by place."""
    for sentence in _sentences(holder.get("tokens") or ()):
        tree = agreement.tree(sentence)
        for number, noun in enumerate(tree.tokens, 1):
            new = swapped.get((noun["start"], noun["end"]))
            for token, form in _forms(tree, number, new, language, agrees) if new else ():
                if form != token["form"] and (token["start"], token["end"]) not in swapped:
                    yield token, form


def _sentences(found: Iterable[dict]) -> Iterable[list[dict]]:
    sentences: dict[int, list[dict]] = {}
    for token in found:
        sentences.setdefault(token.get("sent", 1), []).append(token)
    return sentences.values()


@functools.lru_cache(maxsize=None)
def _people(language: Language, gender: str) -> frozenset[str]:
    """Return the terms for women (Fem), or for men, of a language's specification gender."""
    rows = (
        terms.rows(terms.Spec("gender"), language) if "gender" in language.tables("terms") else ()
    )
    return frozenset(terms.listed(rows, "target", "one" if gender == "Fem" else "two"))


def _forms(
    tree: agreement.Tree, number: int, new: str, language: Language, agrees: dict
) -> Iterator[tuple[dict, str]]:
    """Yield each word that agrees with a noun, and its new form, "" if uncertain."""
    noun = tree.tokens[number - 1]
    modifiers, verbs = agreement.words(tree, number, agrees)
    gender = "Masc" if agreement.feature(noun, "Gender") == "Fem" else "Fem"
    if "forms" not in agrees or new not in _people(language, gender):
        yield from ((token, "") for token in [*modifiers, *verbs])
        return
    count = agreement.feature(noun, "Number")
    many = count == "Plur" or any(_is_polite(token, agrees) for token in verbs)
    of_modifiers: int | None
    of_verbs: int | None
    if gender == "Fem":
        of_modifiers, of_verbs = _WOMAN, None if many else _WOMAN
    elif many:
        of_modifiers, of_verbs = _MEN, _MEN
    else:
        of_modifiers, of_verbs = _of_men(tree, number), _MAN
    yield from ((token, _form(token, of_modifiers, agrees)) for token in modifiers)
    alike = count is not None and all(
        agreement.feature(token, "Number") == count for token in verbs
    )
    forms = [_form(token, of_verbs, agrees) if alike else "" for token in verbs]
    certain = all(forms)  # the verb and its auxiliaries follow together
    yield from ((token, form if certain else "") for token, form in zip(verbs, forms, strict=True))


def _is_polite(verb: dict, agrees: dict) -> bool:
    """Tell whether a verb is plural out of respect for one person, as modifiers of men are then."""
    return agreement.feature(verb, "Number") == "Sing" and (
        agreement.feature(verb, "Polite") == "Form" or verb["form"].endswith(agrees["many"])
    )


def _of_men(tree: agreement.Tree, number: int) -> int | None:
    """Return the place of the form for one man, None if it may be direct or oblique."""
    noun = tree.tokens[number - 1]
    if noun["deprel"] == "compound" and 0 < noun["head"] <= len(tree.tokens):
        number = noun["head"]  # his husband Paul
    whole = tree.tokens[number - 1]
    below = {token["deprel"] for _, token in tree.below.get(number, ())}
    if "case" in below:
        return _MEN
    is_direct = agreement.feature(noun, "Case") != "Acc" and "conj" not in below
    direct = agreement.feature(noun, "Number") and is_direct
    return _MAN if direct and whole["deprel"] in (*agreement.SUBJECTS, "obj", "root") else None


def _form(token: dict, place: int | None, agrees: dict) -> str:
    """Return a word's form at a place of its row of endings, "" if uncertain."""
    form, regular = token["form"], agrees["forms"][-1]
    inflected = token["upos"] != "ADJ" or (token.get("lemma") or "").endswith(regular[0])
    if place is None or not inflected or form.endswith(tuple(agrees["irregular"])):
        return ""
    short = agrees["short"].get(token["upos"], "")
    cuts = [
        (form.removesuffix(ending), row)
        for row in agrees["forms"]
        for ending in row
        if form.endswith(ending)
    ]
    for stem, row in cuts:
        if len(stem) > 1 or (stem and (row is not regular or stem in short)):
            return stem + row[place]
    return "" if cuts else form  # of any gender: हैं
