"""Contractions in a text, and forms that can be contracted, by the tables of its language.

contractions.tsv has the long and the short form, the lemmas of the shortened word, and the contexts
that contracting and expanding require ("-": never; empty: always). A form that begins with * is of
any word and needs tokens. contexts.tsv has a pattern for the text around the end of a form, in
lower case, and under `known` the context required instead if a token has one of the lemmas.
"""

import re
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.text import word_forms, words

_SUBJECTS = "i|you|he|she|it|we|they|there"
# not can and will: "can you not" is a request
_INVERTED = "is are was were do does did have has had should".split()
_BEFORE_VERB = frozenset("what who which whom".split())
_OPENING = frozenset(("", *"why how when where and but or so then well oh".split()))


class Contraction(NamedTuple):
    """A place in a text (code points) that holds a form, and the row with the other form."""

    start: int
    end: int
    row: dict
    kind: str  # contract or expand
    subject: str = ""  # " you" of "don't you" and "do you not"


def drawn(holder: dict, language: Language, rng: Random, rate: float) -> Iterator[Contraction]:
    """Draw each place of a text with probability `rate`; places may overlap."""
    text, tokens = holder["text"], holder.get("tokens") or ()
    lower = text.replace("İ", "I").lower().replace("’", "'")  # only İ grows
    forms, pattern = _forms(language), _pattern(language, bool(tokens), lower.isascii())
    matches = [match for match in pattern.finditer(lower) if rng.random() < rate]
    token_at = {token["end"]: token for token in tokens} if matches else {}
    for match in matches:
        form, (start, end) = match[1], match.span(1)
        if words.is_held(text, start, end):
            continue
        for row, kind, subject in forms.get(form) or forms.get("*" + form[form.rfind("'") :]) or ():
            site = Contraction(start, end, row, kind, subject)
            fitting = _fitting(lower, site, token_at.get(end), language)
            if fitting:
                yield fitting
                break


@once_per_language
def _forms(language: Language) -> dict[str, list[tuple[dict, str, str]]]:
    """Return {form in lower case: [(row, kind, subject)]} of the forms that have another one."""
    forms: dict[str, list[tuple[dict, str, str]]] = {}
    contexts = ("", "-", "negated", *(row["context"] for row in language.written("contexts")))
    for row in language.written("contractions"):
        verb, _, last = row["long"].lower().rpartition(" ")
        ways = [(row["long"], "contract", ""), (row["short"], "expand", "")]
        if last == "not" and verb in _INVERTED:
            ways += [
                (f"{verb} {subject} not", "contract", f" {subject}")
                for subject in _SUBJECTS.split("|")
            ]
        for form, kind, subject in ways:
            if language.choice("contractions", row[kind], contexts) != "-":
                forms.setdefault(form.lower(), []).append((row, kind, subject))
    return forms


@once_per_language
def _pattern(language: Language, is_parsed: bool, is_plain: bool) -> Any:
    """Return a pattern whose first group looks ahead for a form, as forms may overlap.

    is_parsed: include the forms of any word, which need tokens.
    is_plain: for ASCII texts; re is twice as fast.
    """
    import regex

    forms = _forms(language)
    alternatives = words.alternatives(form for form in forms if "*" not in form)
    endings = [form[1:] for form in forms if form.startswith("*")]
    if is_parsed and endings:
        alternatives = rf"{alternatives}|\w+{words.alternatives(endings)}"
    marks = "" if is_plain else r"\p{M}\u200d"
    edge, before, after = "", "", "" if is_plain else r"(?!\p{M})"
    if language.space:  # not in wanna-be, is n't
        edge, before, after = r"\b", rf"(?<!['{marks}])(?<!\w-)", rf"(?![\w{marks}]|['-]\w| n't)"
    # The look-behind comes last because few words are forms.
    pattern = f"{edge}(?=({alternatives}){after}){before}"
    return re.compile(pattern, re.ASCII) if is_plain else regex.compile(pattern)


@once_per_language
def _contexts(language: Language) -> dict[str, tuple[re.Pattern, str]]:
    """Return {context: (its pattern, the context required if a token tells the lemma)}."""
    rows = language.written("contexts")
    names = ("", *(row["context"] for row in rows))
    return {
        row["context"]: (
            language.pattern("contexts", row["pattern"]),
            language.choice("contexts", row["known"], names),
        )
        for row in rows
    }


def _fitting(
    text: str, site: Contraction, token: dict | None, language: Language
) -> Contraction | None:
    """Return a place if its form has the meaning and the context of its row."""
    row, context = site.row, site.row[site.kind]
    has_lemma = _has_lemma(site, token)
    if has_lemma is False or (has_lemma is None and "*" in row["long"]):
        return None
    if context == "negated":
        return _negated(text, site)
    if context and has_lemma:
        context = _contexts(language)[context][1]
    return site if not context or _contexts(language)[context][0].match(text, site.end) else None


def _has_lemma(site: Contraction, token: dict | None) -> bool | None:
    """Tell whether the token of the shortened word has a lemma of the row; None if unknown."""
    row = site.row
    long, short = _halves(row)
    _, shortened = long if site.kind == "contract" else short
    if token is None or not token.get("lemma") or not row["lemma"]:
        return None
    if token["form"].lower().replace("’", "'") != shortened:
        return None
    lemma = token["lemma"].lower()
    if site.kind == "contract" and lemma == "have" and token.get("upos") not in (None, "AUX"):
        return False  # I have a car
    return lemma in row["lemma"].split()


def _negated(text: str, site: Contraction) -> Contraction | None:
    """Return the place of an n't with the subject that "not" follows, None if it is not found."""
    before = re.search(r"(\w+) $", text[max(0, site.start - 20) : site.start])
    word = before[1] if before else ""
    subject = re.match(rf" (?:{_SUBJECTS})\b(?!')", text[site.end : site.end + 8])
    question = re.compile(r"[^.!?\n…]{0,300}\?").match(text, site.end)
    if not subject:
        return None if question and word in _OPENING else site
    if question and (word in _BEFORE_VERB or word in _OPENING):
        return site._replace(end=site.end + subject.end(), subject=subject[0])
    return None


def _halves(row: dict) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return the long and the short form in lower case, each cut before the shortened word.

    They are (do, not) and (do, n't); without an apostrophe the first part is empty.
    """
    long, short = row["long"].lower(), row["short"].lower()
    cut = len(short) - 3 if short.endswith("n't") else short.find("'")
    if cut < 0:
        return ("", long), ("", short)
    head, _, tail = long.rpartition(" ") if " " in long else (long[:-3], "", long[-3:])  # cannot
    return (head, tail), (short[:cut], short[cut:])


def edits(text: str, site: Contraction, apostrophe: str) -> list[list]:
    """Return the edits [start, end, before, after] of a place, word by word as tokens are."""
    written = text[site.start : site.end]
    long, short = _halves(site.row)
    (old_head, old), (new_head, new) = (long, short) if site.kind == "contract" else (short, long)
    head, _ = long
    gap = " " if head and " " in site.row["long"] else ""  # in the long form
    old_gap, new_gap = (gap, "") if site.kind == "contract" else ("", gap)
    start = len(written) - len(site.subject) - len(old_gap + old)
    ending = written[start:]
    if start <= 0 or word_forms.is_shouted(written):  # a single capital begins the phrase only
        new = word_forms.cased_like(new, written)
    pieces = []
    if head != "*" and old_head != new_head:
        pieces.append((0, written[:start], word_forms.cased_like(new_head, written)))
    if not site.subject:
        pieces += [(start, old_gap, new_gap)] if gap else []
        pieces.append((start + len(old_gap), ending[len(old_gap) :], new))
    elif site.kind == "contract":  # do[ you not], don't you
        pieces.append((start, ending, new + ending[: len(site.subject)]))
    else:
        pieces.append((start, ending, ending[-len(site.subject) :] + gap + new))
    return [
        [
            site.start + offset,
            site.start + offset + len(before),
            before,
            after.replace("'", apostrophe),
        ]
        for offset, before, after in pieces
    ]
