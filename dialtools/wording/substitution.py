"""Terms replaced by their counterparts, with their case, their plural and the article before them, or left out."""

import functools
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dialtools import languages
from dialtools.errors import Unfit
from dialtools.languages import Language
from dialtools.languages.scripts import COMBINING, compiled
from dialtools.records import dialogue
from dialtools.records.tokens import features
from dialtools.wording import articles, capitals, mentions, plurals, rewrites, sentences, terms
from dialtools.wording.terms import Choice, Direction, Spec

FAR = 20  # code points of what follows that tell which article goes with it
_OPENING = "\"'“‘«([{<「『（【《"
_TAIL = r"(?:['’]s(?![\p{L}\p{M}\p{N}]))?"
_SPACES = rf"[ \u3000]+(?![{COMBINING}])"
_NEXT = r"\s*(?:/\s*)?(?:([\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{N}]+)*)|(\S)|$)"
_KEYS = ("form", "lemma", "upos", "xpos", "deprel", "ner")  # of a token; all else is one of its features


class Plan(NamedTuple):
    """What each term becomes (in lower case; guards and the other group's are none), and how terms are found."""

    choices: dict[str, list[Choice]]
    find: Callable[[str], Iterator[mentions.Found]]
    of_people: bool = False  # all are nouns: he hosts a show stays
    acronyms: frozenset[str] = frozenset()  # terms whose capitals are their own, as tables have them: LGBT


@functools.lru_cache(maxsize=256)
def plan(spec: Spec, language: Language, kind: str, direction: Direction) -> Plan:
    """Return how the pairs of a kind are swapped; Unfit where a specification has none for the language."""
    rows = terms.rows(spec, language)
    choices = terms.counterparts(spec, rows, kind, direction)
    if not choices:
        hint = "" if spec.own is None else ": a pair is a line TERM TAB TERM"
        raise Unfit(f"the specification {spec} has no {kind} pairs for {language.tag}{hint}")
    choices = _plurals(choices, language) | choices
    of_people = kind == "target" and all(row.kind for row in rows) and language.space != ""
    known = terms.known(rows, kind)
    return Plan(choices, mentions.finder(frozenset([*choices, *known])), of_people,
                frozenset(filter(capitals.is_shouted, known)))


@functools.lru_cache(maxsize=256)
def keywords(spec: Spec, language: Language, kind: str) -> Plan:
    """Return how the terms of a kind, of the first group, are left out."""
    rows = terms.rows(spec, language)
    listed = terms.listed(rows, kind, "one")
    if not listed:
        raise Unfit(f"the specification {spec} has no {kind} terms for {language.tag}")
    return Plan({term.lower(): [] for term in listed}, mentions.finder(frozenset(terms.known(rows, kind))))


def _plurals(choices: dict[str, list[Choice]], language: Language) -> dict[str, list[Choice]]:
    """Return the plurals of the pairs of which either side has one."""
    found = {}
    for term, (choice, *others) in choices.items():
        one, two = plurals.of(term, language), plurals.of(choice.to, language)
        if one and two and not others:
            found[one] = [Choice(two)]
    return found


def swapped(record: dict, found: Plan, whole: bool = False) -> list[list]:
    """Return the edits that put counterparts for terms; whole: see mentions.places.

    An edit says how one of several counterparts was chosen, where no token told it.
    """
    made = []
    language = languages.get(dialogue.lang(record))
    for pointer, holder, places in mentions.places(record, found.find, whole):
        text, at = holder["text"], 0
        for place in places:
            choices = found.choices.get(place.term, ())
            token = _token(holder, place)
            if choices and not (found.of_people and token.get("upos") == "VERB"):
                before = text[place.start:place.end]
                to, note = _chosen(choices, holder, place, token)
                after = _cased(to, text, place, found.acronyms, language)
                if after != before:
                    follows = after + text[place.end:place.end + FAR]
                    made += articles.edits(pointer, text, place.start, follows, language, at)
                    made.append([pointer, place.start, place.end, before, after, *note])
                    at = place.end
    return made


def _cased(to: str, text: str, place: mentions.Found, acronyms: frozenset[str], language: Language) -> str:
    """Return a counterpart in the case of its term: of an acronym in small letters, with a capital in front."""
    before = text[place.start:place.end]
    if before not in acronyms or text.isupper():
        return rewrites.cased(to, before)
    begun = sentences.split(text[:place.start] + "x", language)[-1].lstrip(_OPENING)
    return capitals.capital(to) if begun == "x" else to


def labels(record: dict, found: Plan) -> list[str]:
    """Return the speakers' labels that stay though they are roles with terms in them: Mom, Sister 2."""
    language = languages.get(dialogue.lang(record))
    return [label for label in dialogue.speakers(dialogue.turns(record)) if language.is_role(label)
            and any(place.term in found.choices for place in found.find(label))]


def removed(record: dict, found: Plan) -> list[list]:
    """Return the edits that leave terms out, each with its 's and with a space beside it."""
    made = []
    language = languages.get(dialogue.lang(record))
    for pointer, holder, places in mentions.places(record, found.find):
        text, at = holder["text"], 0
        for place in places:
            if place.term in found.choices:
                start, end = _with_space(text, at, place.start, place.end)
                article = articles.edits(pointer, text, start, text[end:end + FAR], language, at)
                made += [*article, [pointer, start, end, text[start:end], ""]]
                at = end
    return made


def _with_space(text: str, first: int, start: int, end: int) -> tuple[int, int]:
    """Return a span with the 's after it, and with the space after it or else before it, but not before `first`."""
    end = compiled(_TAIL).match(text, end).end()
    if start == 0 or text[start - 1].isspace() or text[start - 1] in _OPENING:
        spaces = compiled(_SPACES).match(text, end)
        if spaces:
            return start, spaces.end()
        while start > first and text[start - 1] in " \u3000":
            start -= 1
    return start, end


def _token(holder: dict, place: mentions.Found) -> dict:
    """Return the token that a term is, {} where it is none, or several."""
    tokens = holder.get("tokens") or []
    at = bisect_left(tokens, place.start, key=lambda token: token["start"])
    found = tokens[at] if at < len(tokens) else {}
    return found if (found.get("start"), found.get("end")) == (place.start, place.end) else {}


def _chosen(choices: list[Choice], holder: dict, place: mentions.Found, token: dict) -> tuple[str, list[str]]:
    """Return the right one of several counterparts, and a note if no token told which."""
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
    """Has a token all that a choice wants?  None where it does not tell; features that are there tell of all others."""
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
    """Return where what follows a token begins: behind a name that it stands before (लड़की रोजेन के साथ)."""
    sentence = [other for other in tokens if other.get("sent", 1) == token.get("sent", 1)]
    head = token.get("head") or 0
    if token.get("deprel") == "compound" and 0 < head <= len(sentence):
        return max(token["end"], sentence[head - 1]["end"])
    return token["end"]


def _next(text: str, end: int) -> str:
    """Return the word that follows in lower case, behind a stroke too (his/her book).

    \" for an opening sign, . for any other and for the end.
    """
    match = compiled(_NEXT).match(text, end)
    if match[1]:
        return match[1].lower()
    return '"' if match[2] and match[2] in _OPENING else "."


def _last(text: str, start: int) -> str:
    """Return the word right before a place in lower case, a < before it."""
    before = text[max(0, start - FAR):start]
    return "<" + "".join(before.split()[-1:]).lower() if before[-1:].isspace() else ""
