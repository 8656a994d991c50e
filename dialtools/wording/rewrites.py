"""A language's table of rewriting rules: what a token must look like, and what it becomes.

form         the token in lower case; "mem-": any that begins so, "-s": any that ends so
upos         its tags, such as "AUX VERB"; empty: any
lemma        its lemma; "p-" or "-ना": the form with this in place of its own affix begins with, or is, its lemma
feats        what must be among its features, "Mood=Ind VerbForm=Fin"; empty: any
left, right  patterns of the tokens beside it, each as "form/UPOS", "/" where there is none; empty: any; none fits a
             word without a token, such as a filler that was put in
other        what it becomes: a form, an affix in place of its own, nothing (it is dropped); the form itself: it stays
note         what that is called in the history
tokens       "yes" where the form alone does not tell, so that the rule needs tokens

The rules of a form, where there are any, go before those of its affixes.  Apostrophes are written '.
"""

import functools
import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from dialtools.languages import Language
from dialtools.languages.scripts import compiled
from dialtools.records import tokens
from dialtools.wording import capitals, words

_SPACES = (" ", "\u3000")
_WORD = r"\p{L}[\p{L}\p{M}'’]*"


class Rule(NamedTuple):
    """A row of the table."""

    form: str  # without its hyphen
    side: str  # "first" if the form is how a token begins, "last" if it is how one ends, "" if it is a whole one
    tags: frozenset[str]
    lemma: str
    feats: frozenset[str]
    left: re.Pattern | None
    right: re.Pattern | None
    other: str
    note: str
    tokens: bool

    def result(self, form: str, token: dict) -> str | None:
        """Return what a token with this form, in lower case, becomes; None where its tag or lemma is another."""
        lemma, parsed = token.get("lemma") or "", "upos" in token
        if (self.tokens and not parsed) or (self.tags and parsed and token["upos"] not in self.tags):
            return None
        if self.feats and not self.feats <= tokens.features(token):
            return None
        if not self.side:
            return self.other if self.lemma in ("", lemma) else None
        if self.lemma and not self._is_of(form, lemma):
            return None
        return self._with(form, self.other) or None

    def _is_of(self, form: str, lemma: str) -> bool:
        """Is a form of a lemma, by the affix that the rule has for that?"""
        expected = self._with(form, self.lemma)
        return lemma != "" and (expected == lemma if self.side == "last" else expected.startswith(lemma))

    def _with(self, form: str, affix: str) -> str:
        affix, length = affix.strip("-"), len(self.form)
        return affix + form[length:] if self.side == "first" else form[:len(form) - length] + affix


class Rules(NamedTuple):
    """The rules of a table."""

    by: dict[tuple[str, str], list[Rule]]  # by side and form
    candidates: Callable[[str], list[Rule]]  # of a form in lower case
    keys: tuple[str, ...]  # what tokens must have
    tokens: bool  # does each rule need tokens?


@functools.lru_cache(maxsize=None)
def rules(language: Language, name: str) -> Rules:
    """Return the rules of a table of a language; none where it has no such table."""
    found: dict[tuple[str, str], list[Rule]] = {}
    for row in language.written(name):
        form = row["form"]
        side = "first" if form.endswith("-") else "last" if form.startswith("-") else ""
        rule = Rule(
            form=form.strip("-") if side else form, side=side, tags=frozenset(row["upos"].split()), lemma=row["lemma"],
            feats=frozenset(row["feats"].split()), left=_pattern(row["left"], language, name),
            right=_pattern(row["right"], language, name), other=row["other"], note=row["note"],
            tokens=row["tokens"] == "yes")
        found.setdefault((side, rule.form), []).append(rule)
    every = [rule for group in found.values() for rule in group]
    keys = ["upos"]
    if any(rule.lemma for rule in every):
        keys.append("lemma")
    if any(rule.feats for rule in every):
        keys.append("feats")
    affixes = sorted({(len(form), side) for side, form in found if side})
    candidates = functools.lru_cache(maxsize=10_000)(functools.partial(_candidates, found, affixes))
    return Rules(found, candidates, tuple(keys), all(rule.tokens for rule in every))


def _pattern(text: str, language: Language, name: str) -> re.Pattern | None:
    return language.pattern(name, text) if text else None


def wanted(language: Language, name: str) -> tuple[str, ...] | None:
    """Return what tokens must have for a table of a language; None where some rule does without tokens."""
    table = rules(language, name)
    return table.keys if table.tokens else None


def seen(holder: dict, kind: str, table: Rules) -> list[dict]:
    """Return the tokens of a text, or its words (form, start, end) where it has none and some rule does without.

    kind: as in tokens.annotated; what the tokens must have is what the rules ask for.
    """
    if tokens.has(holder, *table.keys) or table.tokens:
        return tokens.annotated(holder, kind, *table.keys)
    return [{"form": word, "start": start, "end": end} for word, start, end in words.words(holder["text"])]


def choices(text: str, table: Rules, found: list[dict], at: int) -> list[tuple[str, str]]:
    """Return what a token of a text may become, each with its note, in the order of the table; [] where it stays."""
    token = found[at]
    form = token["form"].lower().replace("’", "'")
    candidates = table.candidates(form)
    if not candidates or token.get("upos") == "PROPN":  # most tokens of most texts have no candidates
        return []
    results = ((rule.result(form, token), rule) for rule in candidates)
    return [(other, rule.note) for other, rule in results if other is not None and other != form
            and (rule.left is None or _fits(rule.left, text, found, at - 1, at))
            and (rule.right is None or _fits(rule.right, text, found, at + 1, at))]


def _candidates(by: dict[tuple[str, str], list[Rule]], affixes: list[tuple[int, str]], form: str) -> list[Rule]:
    """Return the rules of a form, or of what it begins and ends with.

    affixes: lengths and sides of those for a beginning or an end, the short ones first.
    """
    whole_form = by.get(("", form))
    if whole_form is not None:
        return whole_form
    found: list[Rule] = []
    for length, side in affixes:
        if length <= len(form):
            affix = form[:length] if side == "first" else form[-length:]
            found += by.get((side, affix), ())
    return found


def _fits(pattern: re.Pattern, text: str, found: list[dict], at: int, beside: int) -> bool:
    """Does a pattern fit a token that is beside another one, or none at an end, and stands no word between them?"""
    token = found[at] if 0 <= at < len(found) else {}
    if not pattern.fullmatch(f"{token.get('form', '').lower()}/{token.get('upos', '')}"):
        return False
    first, second = sorted((at, beside))
    start = found[first]["end"] if first >= 0 else 0
    end = found[second]["start"] if second < len(found) else len(text)
    return not any(map(str.isalnum, text[start:end]))


def cased(new: str, old: str) -> str:
    """Return a word in the case of the one that it replaces, and with its apostrophe.

    >>> cased("are", "Is"), cased("aren't", "ISN’T"), cased("a", "An")
    ('Are', 'AREN’T', 'A')
    """
    return capitals.like(new.replace("'", "’") if "’" in old else new, old)


def dropped(text: str, start: int, end: int) -> tuple[int, int, str]:
    """Return the edit (start, end, after) that takes a word out and one space beside it, the one that follows if any.

    Its capital goes to the next word, if that has none.

    >>> dropped("The cat", 0, 3), dropped("I saw the", 6, 9), dropped("l’ami", 0, 2)
    ((0, 7, 'Cat'), (5, 9, ''), (0, 2, ''))
    """
    if text[end:end + 1] in _SPACES:
        following = compiled(_WORD).match(text, end + 1) if text[start].isupper() else None
        if following and following[0].islower():
            return start, following.end(), capitals.capital(following[0])
        return start, end + 1, ""
    return (start - 1, end, "") if text[max(start - 1, 0):start] in _SPACES else (start, end, "")


def whole(text: str, edits: list[list]) -> list[list]:
    """Return those edits of a text, from left to right, that begin and end where people see characters begin and end.

    Of two that overlap the second is left out, and so is one within a title (《…》) or an address.
    """
    kept: list[list] = []
    free = 0  # where what is kept ends
    for edit in edits:
        start, end = edit[1:3]
        if start < free or words.is_held(text, start, end):
            continue
        if _is_boundary(text, start) and _is_boundary(text, end):
            kept.append(edit)
            free = end
    return kept


def _is_boundary(text: str, at: int) -> bool:
    around = text[max(at - 1, 0):at + 1]
    return len(around) < 2 or at in (0, len(text)) or (around.isascii() and around != "\r\n") or at in _boundaries(text)


@functools.lru_cache(maxsize=1)
def _boundaries(text: str) -> frozenset[int]:
    return frozenset(match.end() for match in compiled(r"\X").finditer(text))


def _is_part(text: str, token: dict) -> bool:
    """Is a word that no parser has seen tied to another one (bocah-bocah)?"""
    return "upos" not in token and "-" in (text[token["start"] - 1:token["start"]], text[token["end"]:token["end"] + 1])


def rewritten(pointer: str, text: str, found: list[dict], table: Rules, rng: Random, rate: float) -> list[list]:
    """Return the edits of a text in which each token for which there are choices takes one with a rate."""
    edits = []
    for at, token in enumerate(found):
        options = choices(text, table, found, at)
        if options and not _is_part(text, token) and rng.random() < rate:
            other, note = rng.choice(options)
            start, end, new = token["start"], token["end"], cased(other, token["form"])
            if not new:
                start, end, new = dropped(text, start, end)
            edits.append([pointer, start, end, text[start:end], new, note])
    return whole(text, edits)
