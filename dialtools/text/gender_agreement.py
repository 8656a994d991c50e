"""Words that agree in gender with a noun, and their forms when the noun is swapped for one of
another gender: बड़ी and गई with लड़की, and the possessive की.

A language that has agreement says so in language.json under "agrees": "upos": tags of words that
agree; "ends": their last letters; "forms": rows of endings, of men (direct and singular, then all
others) and of women (singular, plural), the regular row last; "short": stems of one letter that
take the regular endings, by tag; "irregular": how words end that are in no row; "many": how verbs
end that are plural.

Other languages say it in a table, see gender_forms.py.

Words follow where it is certain: the new noun is one of the other group of the language's
specification gender, an ending is a regular one, a noun for men is direct or oblique beyond doubt,
and a verb is singular or plural as its noun is.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.records import dialogue, tokens
from dialtools.text import gender_forms, specifications, substitution

KEYS = ("upos", "feats", "head", "deprel")  # what tokens must tell
NOTE = "agrees"
_SUBJECTS = ("nsubj", "nsubj:pass")
_MODIFIERS = ("acl", "amod", "det", "nmod:poss", "nummod")
_POSSESSORS = ("acl", "nmod", "nmod:poss")  # whose postposition agrees, too
_VERBAL = ("aux", "aux:pass", "cop")
# places in a row of forms: of men, direct and singular; all others; of women
_MAN, _MEN, _WOMAN = range(3)


class SyntaxTree(NamedTuple):
    """A sentence with its heads."""

    tokens: list[dict]
    # of each number, from 1: numbers and tokens whose head that is
    below: dict[int, list[tuple[int, dict]]]

    def dependents(self, number: int, relations: tuple[str, ...]) -> list[dict]:
        """Return the dependents of a token with one of the relations."""
        return [token for _, token in self.below.get(number, ()) if token["deprel"] in relations]


def tree(sentence: list[dict]) -> SyntaxTree:
    """Return a sentence with its heads, empty if a token has no head, relation or tag."""
    if not all(
        isinstance(token.get("head"), int) and token.get("deprel") and token.get("upos")
        for token in sentence
    ):
        return SyntaxTree([], {})
    below: dict[int, list[tuple[int, dict]]] = {}
    for number, token in enumerate(sentence, 1):
        below.setdefault(token["head"], []).append((number, token))
    return SyntaxTree(sentence, below)


def feature(token: dict, name: str) -> str | None:
    """Return a feature of a token, such as Gender."""
    start = f"{name}="
    pairs = (pair for pair in tokens.features(token) if pair.startswith(start))
    return next((pair.removeprefix(start) for pair in pairs), None)


def agreeing(tree: SyntaxTree, number: int, agrees: dict) -> tuple[list[dict], list[dict]]:
    """Return the modifiers, and the verb with its auxiliaries, that agree with a noun.

    number: of the noun in its sentence, from 1.

    >>> rows = [("बड़ी", "ADJ", 2, "amod"), ("लड़की", "NOUN", 3, "nsubj")]
    >>> rows.append(("आई", "VERB", 0, "root"))
    >>> keys = ("form", "upos", "head", "deprel")
    >>> sentence = [dict(zip(keys, row)) | {"feats": "Gender=Fem"} for row in rows]
    >>> both = agreeing(tree(sentence), 2, {"upos": ["ADJ", "VERB"], "ends": "ीई"})
    >>> [[token["form"] for token in part] for part in both]
    [['बड़ी'], ['आई']]
    """
    gender = feature(tree.tokens[number - 1], "Gender")

    def alike(candidates: list[dict]) -> list[dict]:
        return [
            token
            for token in candidates
            if gender
            and feature(token, "Gender") == gender
            and token["upos"] in agrees["upos"]
            and token["form"][-1] in agrees["ends"]
        ]

    modifiers = tree.dependents(number, _MODIFIERS)
    for possessor, token in tree.below.get(number, ()):
        if token["deprel"] in _POSSESSORS:
            modifiers += tree.dependents(possessor, ("case",))
    verb = _verb(tree, number)
    verbs = [*tree.tokens[verb - 1 : verb], *tree.dependents(verb, _VERBAL)] if verb else []
    return alike(modifiers), alike(verbs)


def _verb(tree: SyntaxTree, number: int) -> int | None:
    """Return the number of the verb that agrees with a noun, None for none.

    A verb agrees with its subject, or with its object if a postposition marks the subject, unless
    the noun is marked itself or joined to another.
    """
    noun = tree.tokens[number - 1]
    head = noun["head"]
    if tree.dependents(number, ("case", "conj")):
        return None
    if noun["deprel"] in _SUBJECTS:
        return head
    subjects = [
        subject_number
        for subject_number, token in tree.below.get(head, ())
        if token["deprel"] in _SUBJECTS
    ]
    is_marked = any(tree.dependents(subject, ("case",)) for subject in subjects)
    return head if noun["deprel"] == "obj" and is_marked else None


def followed(record: dict, swaps: list[list]) -> list[list]:
    """Return the edits that swap terms, and those of the words that agree with them."""
    agreeing_edits = {
        (pointer, token["start"]): [
            pointer,
            token["start"],
            token["end"],
            token["form"],
            form,
            NOTE,
        ]
        for pointer, token, form in _followers(record, swaps)
        if form
    }
    if not agreeing_edits:
        return swaps
    order = {pointer: number for number, (pointer, _) in enumerate(dialogue.utterances(record))}
    return sorted([*swaps, *agreeing_edits.values()], key=lambda edit: (order[edit[0]], edit[1]))


def facts(
    record: dict,
    edits: list[list],
    *,
    spec: specifications.Spec,
    direction: specifications.Direction = "forth",
) -> dict:
    """Return the counts of labels that stay, and of words that may no longer agree."""
    language = dialogue.language(record)
    plan = substitution.plan(language, spec, "target", direction)
    counts = {"speakers' labels that are terms and stay": len(substitution.labels(record, plan))}

    if _agrees(language):
        changed = {(edit[0], edit[1]) for edit in edits}
        agreed = {(pointer, token["start"]) for pointer, token, _ in _followers(record, edits)}
        swapped = {edit[0] for edit in edits}
        texts = [holder for pointer, holder in dialogue.utterances(record) if pointer in swapped]
        counts |= {
            "words that agreed with a swapped term and stay": len(agreed - changed),
            "texts without feats and heads, where words that agree are not known": sum(
                not tokens.has(holder, *KEYS) for holder in texts
            ),
        }
    counts = {name: count for name, count in counts.items() if count}
    return {"counts": counts} if counts else {}


def _agrees(language: Language) -> dict:
    return language.facts.get("agrees", {})


def _followers(record: dict, edits: Iterable[list]) -> Iterator[tuple[str, dict, str]]:
    """Yield (pointer, token, new form) of the words that agree with swapped terms.

    The form is "" where it is not certain. Words that are swapped themselves are left out.
    """
    language = dialogue.language(record)
    if not _agrees(language):
        return
    swapped: dict[str, dict[tuple[int, int], str]] = {}
    spans: dict[str, list[tuple[int, int]]] = {}
    for pointer, start, end, before, after, *note in edits:
        if note != [NOTE]:
            noun = end - len(before.split()[-1])  # the last word of sa fille
            word = after.split()[-1] if noun > start else after
            swapped.setdefault(pointer, {})[noun, end] = word
            spans.setdefault(pointer, []).append((start, end))
    for pointer, holder in dialogue.utterances(record):
        if pointer not in swapped:
            continue
        for token, form in _of_holder(holder, swapped[pointer], language):
            is_swapped = any(
                start < token["end"] and token["start"] < end for start, end in spans[pointer]
            )
            if form != token["form"] and not is_swapped:
                yield pointer, token, form


def _of_holder(
    holder: dict, nouns: dict[tuple[int, int], str], language: Language
) -> Iterator[tuple[dict, str]]:
    """Yield each word of a text that agrees with one of its swapped nouns, and its new form."""
    has_table = "forms" not in _agrees(language)
    sentences: dict[int, list[dict]] = {}
    for token in holder.get("tokens") or ():
        sentences.setdefault(token.get("sent", 1), []).append(token)
    for sentence in map(tree, sentences.values()):
        for number, noun in enumerate(sentence.tokens, 1):
            new = nouns.get((noun["start"], noun["end"]))
            if new and has_table:
                yield from _by_table(holder["text"], sentence, number, nouns, language)
            elif new:
                yield from _forms(sentence, number, new, language)
    if has_table and not tokens.has(holder, *KEYS):
        for (start, end), new in nouns.items():
            to = _gender(holder["text"][start:end], new, language)
            yield from gender_forms.article(holder["text"], start, end, to, new, language)


def _by_table(
    text: str, tree: SyntaxTree, number: int, nouns: dict[tuple[int, int], str], language: Language
) -> Iterator[tuple[dict, str]]:
    """Yield each word that agrees with a noun, and its new form, by genders.tsv."""
    becoming = {
        place: nouns[token["start"], token["end"]]
        for place, token in enumerate(tree.tokens)
        if (token["start"], token["end"]) in nouns
    }
    noun = tree.tokens[number - 1]
    to = _gender(noun["form"], becoming[number - 1], language, feature(noun, "Gender"))
    yield from gender_forms.changes(
        text, tree.tokens, tree.below, number - 1, to, becoming, language
    )


def _gender(old: str, new: str, language: Language, gender: str | None = None) -> str:
    """Return the gender of a new noun, f or m; "" if it is that of the old one, or not known."""
    men, women = (_last_words(language, of) for of in ("Masc", "Fem"))
    if gender is None:
        gender = "Fem" if old.lower() in women else "Masc"
    if new.lower() in men and gender == "Fem":
        return "m"
    return "f" if new.lower() in women and gender == "Masc" else ""


@once_per_language
def _last_words(language: Language, gender: str) -> frozenset[str]:
    """Return the last words of the terms for women, or for men: fils of mon fils."""
    return frozenset(term.lower().split()[-1] for term in _people(language, gender))


@once_per_language
def _people(language: Language, gender: str) -> frozenset[str]:
    """Return the terms for women (Fem), or for men, of a language's specification gender."""
    has_terms = "gender" in language.tables("terms")
    rows = specifications.rows(specifications.Spec("gender"), language) if has_terms else ()
    return frozenset(specifications.listed(rows, "target", "one" if gender == "Fem" else "two"))


def _forms(
    tree: SyntaxTree, number: int, new: str, language: Language
) -> Iterator[tuple[dict, str]]:
    """Yield each word that agrees with a noun, and its new form, "" if uncertain."""
    noun, agrees = tree.tokens[number - 1], _agrees(language)
    modifiers, verbs = agreeing(tree, number, agrees)
    gender = "Masc" if feature(noun, "Gender") == "Fem" else "Fem"
    if "forms" not in agrees or new not in _people(language, gender):
        yield from ((token, "") for token in [*modifiers, *verbs])
        return

    # a verb may be plural out of respect for one person, as modifiers of men are then
    count = feature(noun, "Number")
    is_polite = any(
        feature(verb, "Number") == "Sing"
        and (feature(verb, "Polite") == "Form" or verb["form"].endswith(agrees["many"]))
        for verb in verbs
    )
    is_plural = count == "Plur" or is_polite
    of_modifiers: int | None
    of_verbs: int | None
    if gender == "Fem":
        of_modifiers, of_verbs = _WOMAN, None if is_plural else _WOMAN
    elif is_plural:
        of_modifiers, of_verbs = _MEN, _MEN
    else:
        of_modifiers, of_verbs = _of_man(tree, number), _MAN
    yield from ((token, _form(token, of_modifiers, agrees)) for token in modifiers)

    # the verb and its auxiliaries follow together
    are_alike = count is not None and all(feature(verb, "Number") == count for verb in verbs)
    forms = [_form(verb, of_verbs, agrees) if are_alike else "" for verb in verbs]
    for verb, form in zip(verbs, forms, strict=True):
        yield verb, form if all(forms) else ""


def _of_man(tree: SyntaxTree, number: int) -> int | None:
    """Return the place of the form for one man, None if it may be direct or oblique."""
    noun = tree.tokens[number - 1]
    if noun["deprel"] == "compound" and 0 < noun["head"] <= len(tree.tokens):
        number = noun["head"]  # his husband Paul
    relations = {token["deprel"] for _, token in tree.below.get(number, ())}
    if "case" in relations:
        return _MEN
    is_direct = feature(noun, "Case") != "Acc" and "conj" not in relations
    relation = tree.tokens[number - 1]["deprel"]
    is_certain = feature(noun, "Number") and is_direct and relation in (*_SUBJECTS, "obj", "root")
    return _MAN if is_certain else None


def _form(token: dict, place: int | None, agrees: dict) -> str:
    """Return a word's form at a place of its row of endings, "" if uncertain."""
    form, regular = token["form"], agrees["forms"][-1]
    is_inflected = token["upos"] != "ADJ" or (token.get("lemma") or "").endswith(regular[0])
    if place is None or not is_inflected or form.endswith(tuple(agrees["irregular"])):
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
