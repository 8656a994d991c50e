"""German du and Sie, in sentences of which every word that changes is forms.

address.tsv has the pronouns and possessives, and verbs in both forms (hast, haben); a verb that it
lacks becomes formal by its infinitive or its past (machst, machen; gingst, gingen), and never
familiar, as its vowel may change (fahren, fährst).  Commands, and sentences with ihr or euch, stay.
"""

from dialtools.languages import Language, once_per_language
from dialtools.records.tokens import features
from dialtools.text import word_forms

Changes = list[tuple[int, int, str]]  # start, end, what stands there instead


@once_per_language
def _words(language: Language) -> dict[str, dict[tuple[str, str], str]]:
    """Return {"polite": {(kind, familiar form): formal form}, "plain": the other way}."""
    rows = language.table("address")
    return {
        "polite": {(row["kind"], row["familiar"]): row["formal"] for row in rows},
        "plain": {(row["kind"], row["formal"]): row["familiar"] for row in rows},
    }


def changes(tokens: list[dict], to: str, language: Language) -> Changes:
    """Return the changes of a sentence to "polite" or "plain", [] where they are not certain."""
    if any("Mood=Imp" in features(token) for token in tokens):
        return []
    return _formal(tokens, language) if to == "polite" else _familiar(tokens, language)


def _formal(tokens: list[dict], language: Language) -> Changes:
    forms = _words(language)["polite"]
    edits, verbs, subjects = Changes(), 0, 0
    for token in tokens:
        form = token["form"].lower()
        pronoun = forms.get(("pronoun", form))
        if pronoun and token["upos"] in ("PRON", "DET"):
            edits.append((token["start"], token["end"], word_forms.capitalised(pronoun)))
            subjects += form == "du"
        elif token["upos"] in ("VERB", "AUX") and features(token) >= {"Person=2", "Number=Sing"}:
            plural = forms.get(("verb", form)) or _plural(token, tokens)
            if plural is None:
                return []
            edits.append((token["start"], token["end"], _cased(plural, token["form"])))
            verbs += 1
    return edits if (subjects > 0) == (verbs > 0) else []  # du has a verb, and the verb a du


def _plural(token: dict, tokens: list[dict]) -> str | None:
    """Return the third person plural of a verb in the second person singular."""
    form, lemma, feats = token["form"].lower(), (token.get("lemma") or "").lower(), features(token)
    if "Tense=Past" in feats:
        base = form.removesuffix("st")
        return (f"{base}n" if base.endswith("e") else f"{base}en") if base != form else None
    if "Tense=Pres" not in feats or "Mood=Sub" in feats or not lemma.endswith("n"):
        return None
    prefixes = [
        particle["form"].lower() for particle in tokens if particle["upos"] in ("ADP", "ADV")
    ]
    for prefix in prefixes:  # du rufst mich an: rufen, of anrufen
        if lemma.startswith(prefix) and not form.startswith(prefix):
            lemma = lemma.removeprefix(prefix)
            break
    return lemma if lemma[:1] == form[:1] else None


def _familiar(tokens: list[dict], language: Language) -> Changes:
    forms = _words(language)["plain"]
    edits, subjects = Changes(), 0
    verbs: list[tuple[int, int, str]] = []
    for number, token in enumerate(tokens):
        form, upos, feats = token["form"], token["upos"], features(token)
        is_formal = form[:1].isupper() and (number > 0 or "Polite=Form" in feats)
        if upos in ("PRON", "DET") and form.lower() in ("sie", "ihr") and number == 0:
            if "Polite=Form" not in feats:
                return []  # she, they, her, you all
        if form == "Sie" and is_formal:
            if "Case=Acc" in feats:
                edits.append((token["start"], token["end"], "dich"))
            elif "Case=Nom" in feats:
                edits.append((token["start"], token["end"], "Du" if number == 0 else "du"))
                subjects += 1
            else:
                return []
        elif upos in ("PRON", "DET") and is_formal and ("pronoun", form.lower()) in forms:
            familiar = forms["pronoun", form.lower()]
            edits.append(
                (
                    token["start"],
                    token["end"],
                    word_forms.capitalised(familiar) if number == 0 else familiar,
                )
            )
        elif upos in ("VERB", "AUX") and features(token) >= {"Number=Plur", "VerbForm=Fin"}:
            singular = forms.get(("verb", form.lower()))
            if singular is None:
                return []
            verbs.append((token["start"], token["end"], _cased(singular, form)))
    # one subject with one verb; else it might be that of others
    if subjects == len(verbs) == 1:
        return edits + verbs
    return edits if subjects == len(verbs) == 0 else []


def _cased(new: str, written: str) -> str:
    return word_forms.cased_like(new, written)
