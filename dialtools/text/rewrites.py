"""A language's table of rewriting rules: what a token must look like, and what replaces it.

form         the token in lower case; "mem-": any with this beginning, "-s": any with this ending
upos         its tags, such as "AUX VERB"; empty: any
lemma        its lemma; an affix ("p-", "-ना"): with it in place of its own affix the form begins
             with the lemma, or is the lemma
feats        features that it must have, "Mood=Ind VerbForm=Fin"; empty: any
left, right  patterns of the tokens beside it, each as "form/UPOS", "/" at the edge; empty: any;
             no pattern fits a word without a token, such as an inserted filler
other        its replacement: a form, an affix in place of its own, or nothing; itself: it stays
note         the name of the change in the history
tokens       "yes" if the form alone does not tell, so that the rule needs tokens

The rules of a form go before those of its affixes. Apostrophes are written '.
"""

import functools
import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import compiled
from dialtools.records import tokens
from dialtools.text import word_forms, words

_SPACES = (" ", "\u3000")
_WORD = r"\p{L}[\p{L}\p{M}'’]*"


class Rule(NamedTuple):
    """A row of the table."""

    form: str  # without its hyphen
    side: str  # "first" if tokens begin with the form, "last" if they end in it, "" if it is whole
    tags: frozenset[str]
    lemma: str
    feats: frozenset[str]
    left: re.Pattern | None
    right: re.Pattern | None
    other: str
    note: str
    tokens: bool

    def result(self, form: str, token: dict) -> str | None:
        """Return the replacement of a token with this form in lower case, None if none."""
        lemma, is_parsed = token.get("lemma") or "", "upos" in token
        if not is_parsed and self.tokens:
            return None
        if is_parsed and self.tags and token["upos"] not in self.tags:
            return None
        if self.feats and not self.feats <= tokens.features(token):
            return None
        if not self.side:
            return self.other if self.lemma in ("", lemma) else None
        if self.lemma:
            expected = self._with(form, self.lemma)
            is_same = expected == lemma if self.side == "last" else expected.startswith(lemma)
            if not lemma or not is_same:
                return None
        return self._with(form, self.other) or None

    def _with(self, form: str, affix: str) -> str:
        """Return a form with another affix in place of the rule's."""
        affix, length = affix.strip("-"), len(self.form)
        return affix + form[length:] if self.side == "first" else form[: len(form) - length] + affix


class Rules(NamedTuple):
    """The rules of a table."""

    by: dict[tuple[str, str], list[Rule]]  # by side and form
    candidates: Callable[[str], list[Rule]]  # for a form in lower case
    keys: tuple[str, ...]  # that tokens must have
    tokens: bool  # does every rule need tokens?


@once_per_language
def rules(language: Language, name: str) -> Rules:
    """Return the rules of a table; none if the language has no such table."""
    by: dict[tuple[str, str], list[Rule]] = {}
    for row in language.written(name):
        form = row["form"]
        side = "first" if form.endswith("-") else "last" if form.startswith("-") else ""
        left, right = (
            language.pattern(name, row[beside]) if row[beside] else None
            for beside in ("left", "right")
        )
        rule = Rule(
            form.strip("-") if side else form,
            side,
            frozenset(row["upos"].split()),
            row["lemma"],
            frozenset(row["feats"].split()),
            left,
            right,
            row["other"],
            row["note"],
            row["tokens"] == "yes",
        )
        by.setdefault((side, rule.form), []).append(rule)
    affixes = sorted({(len(form), side) for side, form in by if side})  # short ones first

    @functools.lru_cache(maxsize=10_000)
    def candidates(form: str) -> list[Rule]:
        """Return the rules of a form, or else of its affixes."""
        if ("", form) in by:
            return by["", form]
        of_affixes: list[Rule] = []
        for length, side in affixes:
            if length <= len(form):
                affix = form[:length] if side == "first" else form[-length:]
                of_affixes += by.get((side, affix), ())
        return of_affixes

    all_rules = [rule for group in by.values() for rule in group]
    keys = [key for key in ("lemma", "feats") if any(getattr(rule, key) for rule in all_rules)]
    return Rules(by, candidates, ("upos", *keys), all(rule.tokens for rule in all_rules))


def wanted(language: Language, name: str) -> tuple[str, ...] | None:
    """Return the keys that tokens need for a table, None if some rule needs no tokens."""
    table = rules(language, name)
    return table.keys if table.tokens else None


def seen(holder: dict, kind: str, table: Rules) -> list[dict]:
    """Return the tokens of a text, or its words if it has no tokens and some rule needs none.

    A word has form, start and end. kind: as in tokens.annotated.
    """
    if tokens.has(holder, *table.keys) or table.tokens:
        return tokens.annotated(holder, kind, *table.keys)
    return [
        {"form": word, "start": start, "end": end}
        for word, start, end in words.words(holder["text"])
    ]


def choices(text: str, table: Rules, annotated: list[dict], number: int) -> list[tuple[str, str]]:
    """Return the replacements of a token, each with its note, in the order of the table."""
    token = annotated[number]
    form = token["form"].lower().replace("’", "'")
    candidates = table.candidates(form)
    if not candidates or token.get("upos") == "PROPN":
        return []
    results = ((rule.result(form, token), rule) for rule in candidates)
    return [
        (new_form, rule.note)
        for new_form, rule in results
        if new_form is not None
        and new_form != form
        and (rule.left is None or _fits(rule.left, text, annotated, number - 1, number))
        and (rule.right is None or _fits(rule.right, text, annotated, number + 1, number))
    ]


def _fits(pattern: re.Pattern, text: str, annotated: list[dict], number: int, beside: int) -> bool:
    """Tell whether a pattern fits the token beside another, or the edge, with no word between."""
    token = annotated[number] if 0 <= number < len(annotated) else {}
    if not pattern.fullmatch(f"{token.get('form', '').lower()}/{token.get('upos', '')}"):
        return False
    first, second = sorted((number, beside))
    start = annotated[first]["end"] if first >= 0 else 0
    end = annotated[second]["start"] if second < len(annotated) else len(text)
    return not any(map(str.isalnum, text[start:end]))


def cased(new: str, old: str) -> str:
    """Return a word in the case of the word that it replaces, and with its apostrophe.

    >>> cased("are", "Is"), cased("aren't", "ISN’T"), cased("a", "An")
    ('Are', 'AREN’T', 'A')
    """
    return word_forms.cased_like(new.replace("'", "’") if "’" in old else new, old)


def dropped(text: str, start: int, end: int) -> tuple[int, int, str]:
    """Return the edit (start, end, after) that removes a word and a space, if possible after it.

    The next word takes over its capital.

    >>> dropped("The cat", 0, 3), dropped("I saw the", 6, 9), dropped("l’ami", 0, 2)
    ((0, 7, 'Cat'), (5, 9, ''), (0, 2, ''))
    """
    if text[end : end + 1] in _SPACES:
        following = compiled(_WORD).match(text, end + 1) if text[start].isupper() else None
        if following and following[0].islower():
            return start, following.end(), word_forms.capitalised(following[0])
        return start, end + 1, ""
    return (start - 1, end, "") if text[max(start - 1, 0) : start] in _SPACES else (start, end, "")


def whole(text: str, edits: list[list]) -> list[list]:
    """Return the edits of a text, from left to right, that do not split a character.

    An edit that overlaps the one before, a title (《…》) or an address is left out.
    """
    boundaries: set[int] = set()  # between characters; found where letters alone do not tell

    def is_boundary(at: int) -> bool:
        around = text[max(at - 1, 0) : at + 1]
        if len(around) < 2 or at in (0, len(text)) or (around.isascii() and around != "\r\n"):
            return True
        if not boundaries:
            boundaries.update(match.end() for match in compiled(r"\X").finditer(text))
        return at in boundaries

    applied: list[list] = []
    free = 0  # the end of the last edit kept
    for edit in edits:
        start, end = edit[1:3]
        if start < free or words.is_held(text, start, end):
            continue
        if is_boundary(start) and is_boundary(end):
            applied.append(edit)
            free = end
    return applied


def rewritten(
    pointer: str, text: str, annotated: list[dict], table: Rules, rng: Random, rate: float
) -> list[list]:
    """Return the edits of a text; each token that has choices takes one at a rate."""
    edits = []
    for number, token in enumerate(annotated):
        options = choices(text, table, annotated, number)
        if options and not _is_part(text, token) and rng.random() < rate:
            form, note = rng.choice(options)
            start, end, new = token["start"], token["end"], cased(form, token["form"])
            if not new:
                start, end, new = dropped(text, start, end)
            edits.append([pointer, start, end, text[start:end], new, note])
    return whole(text, edits)


def _is_part(text: str, token: dict) -> bool:
    """Tell whether a hyphen joins a word without a tag to another one (bocah-bocah)."""
    start, end = token["start"], token["end"]
    return "upos" not in token and "-" in (text[start - 1 : start], text[end : end + 1])
