"""Forms of words that agree in gender with a noun, by a table of them: la and guapa of la chica
guapa become el and guapo with chico.

A language that has genders.tsv says in language.json, under "agrees", with which "verbs" a
participle or an adjective agrees with its subject, and perhaps which features of a noun make all
genders "alike". The columns of the table:

to     the gender that the word takes, f or m
form   the word in lower case, or -a, any that ends so; of two words (de la, del) an article with
       the preposition before it
other  what it becomes; {stem}: the word without the ending, {lemma}: its lemma; "": uncertain
upos   its tags, such as "ADJ VERB"; empty: any
when   features that it must have, and those of the noun's first determiner (Det:Definite=Ind, or
       Det:None); empty: any
right  a pattern of the next word, as it will be; empty: any
place  before, for a word that stands before its noun

A form goes before an ending, and a longer ending before a shorter one; of several rows the first
that fits tells, and where none does the word is uncertain.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import compiled
from dialtools.records import tokens
from dialtools.text import rewrites

_GENDERS = {"f": "Gender=Fem", "m": "Gender=Masc"}
_MODIFIERS = ("det", "nummod", "amod", "acl", "case")
_PREDICATES = ("ADJ", "VERB")
_FAR = 40  # code points before a noun in which its article and a preposition stand


class Form(NamedTuple):
    """A row of the table."""

    other: str
    upos: frozenset[str]
    when: frozenset[str]
    right: Any  # a pattern, or None
    place: str


class AgreeingWord(NamedTuple):
    """A word that agrees, or an article with its preposition: numbers of its tokens, from 0."""

    first: int
    last: int
    rows: list[Form]
    ending: str  # by which the rows are listed, "" for the whole form


Forms = Mapping[tuple[str, str], list[Form]]  # by the gender, and the form or the ending


@once_per_language
def _forms(language: Language) -> Forms:
    forms: dict[tuple[str, str], list[Form]] = {}
    for row in language.table("genders"):
        right = language.pattern("genders", row["right"]) if row["right"] else None
        upos, when = frozenset(row["upos"].split()), frozenset(row["when"].split())
        form = Form(row["other"], upos, when, right, row["place"])
        forms.setdefault((row["to"], row["form"]), []).append(form)
    return forms


def changes(
    text: str,
    sentence: list[dict],
    below: Mapping[int, list[tuple[int, dict]]],
    noun: int,
    to: str,
    new: Mapping[int, str],
    language: Language,
) -> Iterator[tuple[dict, str]]:
    """Yield the words that agree with a noun, each as a token, and what it becomes, "" if uncertain.

    below: as in gender_agreement.SyntaxTree.
    noun: number of its token, from 0.
    to: the gender that the words take, f or m; "" for none that is known.
    new: what the sentence's swapped tokens become, by their numbers.
    """
    agrees = language.facts["agrees"]
    feats_of_noun = tokens.features(sentence[noun])
    if not to or not feats_of_noun.isdisjoint(agrees.get("alike", ())):
        return
    old = _GENDERS["m" if to == "f" else "f"]
    agreeing = _agreeing(sentence, below, noun, old, agrees["verbs"])
    words = [
        word
        for number in agreeing
        if (word := _word(text, sentence, number, noun, to, old, _forms(language)))
    ]
    # del and l' of dell' are one word, not del as well
    with_article = {word.first for word in words if word.first < word.last}
    words = [word for word in words if word.last not in with_article]

    determiners = [child for _, child in below.get(noun + 1, ()) if child["upos"] == "DET"][:1]
    determiner = {f"Det:{part}" for child in determiners for part in tokens.features(child)}
    determiner = determiner if determiners else {"Det:None"}
    becoming = dict(new)
    for word in sorted(words, reverse=True):  # what stands before depends on what follows
        start, end = sentence[word.first]["start"], sentence[word.last]["end"]
        token = sentence[word.last]
        following = becoming.get(word.last + 1) or _form(sentence, word.last + 1)
        feats = set(tokens.features(token))
        if not any(feature.startswith("Number=") for feature in feats):  # français
            feats |= {part for part in feats_of_noun if part.startswith("Number=")}
        feats |= determiner
        other = _becoming(word, token, feats, word.last < noun, following)
        written = text[start:end]
        if other:
            becoming[word.last] = other
            other = rewrites.cased(other, written)
            end, other = _joined(text, sentence, word.last, end, other)
        yield {"start": start, "end": end, "form": text[start:end]}, other


def article(
    text: str, start: int, end: int, to: str, new: str, language: Language
) -> Iterator[tuple[dict, str]]:
    """Yield the article right before a noun that has no token, as `changes` does.

    Only whole forms of the table count, and none that depends on a case.
    """
    words = list(compiled(r"[\p{L}\p{M}]+['’]?").finditer(text, max(0, start - _FAR), start))[-2:]
    spans = [word.span() for word in words if word.end() == start or text[word.end()].isspace()]
    if not spans or text[spans[-1][1] : start].strip():
        return
    forms, written = _forms(language), [_plain(text[first:last]) for first, last in spans]
    rows = forms.get((to, written[-1]), ())
    if not any(not row.upos or row.upos & {"DET", "ADP"} for row in rows):  # una buena amiga
        return
    is_article = (to, written[0]) in forms and (to, " ".join(written)) not in forms  # il suo
    tags = ["DET" if is_article else "ADP", "DET"][-len(spans) :]
    sentence = [
        {
            "form": text[first:last],
            "start": first,
            "end": last,
            "upos": tag,
            "deprel": "",
            "head": 0,
        }
        for (first, last), tag in zip([*spans, (start, end)], [*tags, "NOUN"], strict=True)
    ]
    noun = len(spans)
    below: dict[int, list[tuple[int, dict]]] = {noun + 1: []}
    for number, token in enumerate(sentence[:noun], 1):
        token |= {"head": noun + 1, "deprel": "det" if token["upos"] == "DET" else ""}
        below[noun + 1].append((number, token))
    yield from changes(text, sentence, below, noun, to, {noun: new}, language)


def _agreeing(
    sentence: list[dict],
    below: Mapping[int, list[tuple[int, dict]]],
    noun: int,
    old: str,
    verbs: list[str],
) -> list[int]:
    """Return the numbers of the noun's modifiers, and of the predicate if it agrees with it."""
    modifiers = [
        number - 1
        for number, token in below.get(noun + 1, ())
        if token["deprel"].partition(":")[0] in _MODIFIERS
        and (token["upos"] != "VERB" or "VerbForm=Part" in tokens.features(token))
    ]
    modifiers += [
        place - 1
        for number, clause in below.get(noun + 1, ())
        if clause["deprel"] == "acl:relcl"
        for place, child in below.get(number, ())
        if "PronType=Rel" in ",".join(tokens.features(child)) and child["upos"] == "PRON"
    ]
    token = sentence[noun]
    head = token["head"] - 1
    is_subject = token["deprel"].partition(":")[0] == "nsubj" and 0 <= head < len(sentence)
    is_joined = any(child["deprel"] == "conj" for _, child in below.get(noun + 1, ()))
    if is_subject and not is_joined and sentence[head]["upos"] in _PREDICATES:
        helpers = [
            child.get("lemma")
            for _, child in below.get(head + 1, ())
            if child["deprel"].partition(":")[0] in ("aux", "cop")
        ]
        if not set(helpers).isdisjoint(verbs):
            modifiers.append(head)
    joined = [
        number - 1
        for word in modifiers
        for number, child in below.get(word + 1, ())
        if child["deprel"] == "conj"
        and child["upos"] in _PREDICATES
        and old in tokens.features(child)
    ]
    return list(dict.fromkeys([*modifiers, *joined]))


def _word(
    text: str, sentence: list[dict], number: int, noun: int, to: str, old: str, forms: Forms
) -> AgreeingWord | None:
    """Return a word with the rows of its form; None for one of another gender, or of none."""
    token = sentence[number]
    form = _form(sentence, number)
    if token["upos"] == "DET" and number > 0:
        before = sentence[number - 1]
        is_case = before["upos"] == "ADP" and before["head"] == noun + 1
        written = _plain(text[before["start"] : token["end"]])
        if is_case and (rows := forms.get((to, written))):
            return AgreeingWord(number - 1, number, rows, "")
    if token["upos"] == "ADP":  # with an article in it, or not
        rows = forms.get((to, form), [])
        return AgreeingWord(number, number, rows, "") if rows else None
    gender = [feature for feature in tokens.features(token) if feature.startswith("Gender=")]
    rows = _of_tag(forms.get((to, form), []), token)
    if gender not in ([], [old]) or not (gender or rows):
        return None
    if rows:
        return AgreeingWord(number, number, rows, "")
    for start in range(1, len(form)):
        ending = form[start:]
        if rows := _of_tag(forms.get((to, f"-{ending}"), []), token):
            return AgreeingWord(number, number, rows, ending)
    return AgreeingWord(number, number, [], "")


def _of_tag(rows: list[Form], token: dict) -> list[Form]:
    return [row for row in rows if not row.upos or token["upos"] in row.upos]


def _becoming(
    word: AgreeingWord, token: dict, feats: set[str], is_before: bool, following: str
) -> str:
    """Return what a word becomes before another one, "" if uncertain."""
    for row in word.rows:
        fits = row.when <= feats and (is_before or not row.place)
        if not fits or (row.right and not row.right.search(following.lower())):
            continue
        form, lemma = _plain(token["form"]), _plain(token.get("lemma") or "")
        if "{lemma}" in row.other and (not lemma.isalpha() or lemma[:2] != form[:2]):
            return ""
        return row.other.format(stem=form.removesuffix(word.ending), lemma=lemma)
    return ""


def _joined(text: str, sentence: list[dict], last: int, end: int, other: str) -> tuple[int, str]:
    """Return the end of an edit and its text, with or without the space before the next word."""
    if last + 1 == len(sentence):
        return end, other
    space = text[end : sentence[last + 1]["start"]]
    if other[-1] in "'’" and space.isspace():
        return end + len(space), other
    if text[end - 1] in "'’" and other[-1] not in "'’" and not space:
        return end, other + " "
    return end, other


def _form(sentence: list[dict], number: int) -> str:
    return _plain(sentence[number]["form"]) if number < len(sentence) else ""


def _plain(written: str) -> str:
    return " ".join(written.lower().replace("’", "'").split())
