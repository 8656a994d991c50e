"""Terms replaced by their counterparts in case, number and article, or removed."""

import functools
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dialtools import languages
from dialtools.languages import Language
from dialtools.languages.scripts import COMBINING, compiled
from dialtools.records import dialogue
from dialtools.records.tokens import features
from dialtools.system.errors import Unfit
from dialtools.text import articles, capitals, mentions, plurals, rewrites, sentences, terms
from dialtools.text.terms import Choice, Direction, Spec

FAR = 20  # code points after an article that decide its form
_OPENING = "\"'“‘«([{<「『（【《"
_TAIL = r"(?:['’]s(?![\p{L}\p{M}\p{N}]))?"
_SPACES = rf"[ \u3000]+(?![{COMBINING}])"
_NEXT = r"\s*(?:/\s*)?(?:([\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{N}]+)*)|(\S)|$)"
_KEYS = ("form", "lemma", "upos", "xpos", "deprel", "ner")  # of a token; all others are features


class Plan(NamedTuple):
    """The counterparts of each term in lower case, and a function that finds terms."""

    choices: dict[str, list[Choice]]
    find: Callable[[str], Iterator[mentions.Found]]
    of_people: bool = False  # all terms are nouns: "he hosts a show" stays
    acronyms: frozenset[str] = frozenset()  # terms with capitals of their own: LGBT


@functools.lru_cache(maxsize=256)
def plan(spec: Spec, language: Language, kind: str, direction: Direction) -> Plan:
    """Return the plan to swap the pairs of a kind. Raise Unfit if the language has no pairs."""
    rows = terms.rows(spec, language)
    choices = terms.counterparts(spec, rows, kind, direction)
    if not choices:
        hint = "" if spec.own is None else ": a pair is a line TERM TAB TERM"
        raise Unfit(f"the specification {spec} has no {kind} pairs for {language.tag}{hint}")
    choices = _plurals(choices, language) | choices
    of_people = kind == "target" and all(row.kind for row in rows) and language.space != ""
    known = terms.known(rows, kind)
    return Plan(
        choices,
        mentions.finder(frozenset([*choices, *known])),
        of_people,
        frozenset(filter(capitals.is_shouted, known)),
    )


@functools.lru_cache(maxsize=256)
def keywords(spec: Spec, language: Language, kind: str) -> Plan:
    """Return the plan to remove the terms of a kind of the first group."""
    rows = terms.rows(spec, language)
    listed = terms.listed(rows, kind, "one")
    if not listed:
        raise Unfit(f"the specification {spec} has no {kind} terms for {language.tag}")
    return Plan(
        {term.lower(): [] for term in listed}, mentions.finder(frozenset(terms.known(rows, kind)))
    )


def _plurals(choices: dict[str, list[Choice]], language: Language) -> dict[str, list[Choice]]:
    """Return the plurals of the pairs in which both terms have one."""
    found = {}
    for term, (choice, *others) in choices.items():
        one, two = plurals.of(term, language), plurals.of(choice.to, language)
        if one and two and not others:
            found[one] = [Choice(two)]
    return found


def swapped(record: dict, found: Plan, whole: bool = False) -> list[list]:
    """Return the edits that replace terms by their counterparts.

    If no token told which of several counterparts is right, the edit's note says how it was chosen.

    whole: as in mentions.places.
    """
    made = []
    language = languages.get(dialogue.lang(record))
    for pointer, holder, places in mentions.places(record, found.find, whole):
        text, at = holder["text"], 0
        for place in places:
            choices = found.choices.get(place.term, ())
            token = _token(holder, place)
            if choices and not (found.of_people and token.get("upos") == "VERB"):
                before = text[place.start : place.end]
                to, note = _chosen(choices, holder, place, token)
                after = _cased(to, text, place, found.acronyms, language)
                if after != before:
                    follows = after + text[place.end : place.end + FAR]
                    made += articles.edits(pointer, text, place.start, follows, language, at)
                    made.append([pointer, place.start, place.end, before, after, *note])
                    at = place.end
    return made


def _cased(
    to: str, text: str, place: mentions.Found, acronyms: frozenset[str], language: Language
) -> str:
    """Return a counterpart in the case of its term; that of an acronym only begins sentences so."""
    before = text[place.start : place.end]
    if before not in acronyms or text.isupper():
        return rewrites.cased(to, before)
    begun = sentences.split(text[: place.start] + "x", language)[-1].lstrip(_OPENING)
    return capitals.capital(to) if begun == "x" else to


def labels(record: dict, found: Plan) -> list[str]:
    """Return the speakers' labels that are roles with terms in them, and stay: Mom, Sister 2."""
    language = languages.get(dialogue.lang(record))
    return [
        label
        for label in dialogue.speakers(dialogue.turns(record))
        if language.is_role(label)
        and any(place.term in found.choices for place in found.find(label))
    ]


def removed(record: dict, found: Plan) -> list[list]:
    """Return the edits that remove terms, each with its 's and a space beside it."""
    made = []
    language = languages.get(dialogue.lang(record))
    for pointer, holder, places in mentions.places(record, found.find):
        text, at = holder["text"], 0
        for place in places:
            if place.term in found.choices:
                start, end = _with_space(text, at, place.start, place.end)
                article = articles.edits(pointer, text, start, text[end : end + FAR], language, at)
                made += [*article, [pointer, start, end, text[start:end], ""]]
                at = end
    return made


def _with_space(text: str, first: int, start: int, end: int) -> tuple[int, int]:
    """Extend a span by its 's and by the space after it, or else before it down to `first`."""
    end = compiled(_TAIL).match(text, end).end()
    if start == 0 or text[start - 1].isspace() or text[start - 1] in _OPENING:
        spaces = compiled(_SPACES).match(text, end)
        if spaces:
            return start, spaces.end()
        while start > first and text[start - 1] in " \u3000":
            start -= 1
    return start, end


def _token(holder: dict, place: mentions.Found) -> dict:
    """Return the token that spans a term exactly, {} if there is none."""
    tokens = holder.get("tokens") or []
    at = bisect_left(tokens, place.start, key=lambda token: token["start"])
    found = tokens[at] if at < len(tokens) else {}
    return found if (found.get("start"), found.get("end")) == (place.start, place.end) else {}


def _chosen(
    choices: list[Choice], holder: dict, place: mentions.Found, token: dict
) -> tuple[str, list[str]]:
    """Return the right counterpart, and a note if no token told which."""
    held = [(choice, _holds(choice, token)) for choice in choices]
    told = [choice for choice, holds in held if holds and choice.when]
    possible = [choice for choice, holds in held if holds is not False]
    choices = told or possible or choices
    if len(choices) == 1:
        return choices[0].to, []
    last = _last(holder["text"], place.start)
    for choice in choices:
        if last in choice.next:
            return choice.to, ["by the word before"]
    follows = _next(holder["text"], _end(token, holder["tokens"]) if token else place.end)
    fitting = [choice for choice in choices if follows in choice.next]
    others = [choice for choice in choices if not choice.next]
    note = "by the next word" if any(choice.next for choice in choices) else "the first of several"
    return (fitting or others or choices)[0].to, [note]


def _holds(choice: Choice, token: dict) -> bool | None:
    """Tell whether a token meets the conditions of a choice; None if it lacks the features."""
    feats = dict(pair.split("=", 1) for pair in features(token) if "=" in pair)
    known = {key: token[key] for key in _KEYS if token.get(key) is not None} | feats
    for condition in choice.when:
        sign = "!=" if "!=" in condition else "="
        key, _, value = condition.partition(sign)
        if key not in known and (key in _KEYS or not feats):
            return None
        if (known.get(key) == value) != (sign == "="):
            return False
    return True


def _end(token: dict, tokens: list[dict]) -> int:
    """Return the end of a token, with a name that it stands before (लड़की रोजेन के साथ)."""
    sentence = [other for other in tokens if other.get("sent", 1) == token.get("sent", 1)]
    head = token.get("head") or 0
    if token.get("deprel") == "compound" and 0 < head <= len(sentence):
        return max(token["end"], sentence[head - 1]["end"])
    return token["end"]


def _next(text: str, end: int) -> str:
    """Return the next word in lower case, past a slash (his/her book).

    It is \" for an opening sign, and . for another sign or the end.
    """
    match = compiled(_NEXT).match(text, end)
    if match[1]:
        return match[1].lower()
    return '"' if match[2] and match[2] in _OPENING else "."


def _last(text: str, start: int) -> str:
    """Return < and the word right before a place in lower case."""
    before = text[max(0, start - FAR) : start]
    return "<" + "".join(before.split()[-1:]).lower() if before[-1:].isspace() else ""
