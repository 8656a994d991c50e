"""Terms replaced by their counterparts in case, number and article, or removed."""

from bisect import bisect_left
from typing import NamedTuple

from dialtools.languages import Language, once_per_language
from dialtools.languages.scripts import COMBINING, compiled
from dialtools.records import dialogue
from dialtools.records.tokens import features
from dialtools.system.errors import Unfit
from dialtools.text import mentions, rewrites, sentences, specifications, word_forms
from dialtools.text.mentions import FoundTerm
from dialtools.text.specifications import Counterpart, Direction, Spec

FAR = 20  # code points after an article that decide its form
_OPENING = "\"'“‘«([{<「『（【《"
_TAIL = r"(?:['’]s(?![\p{L}\p{M}\p{N}]))?"
_SPACES = rf"[ \u3000]+(?![{COMBINING}])"
_NEXT = r"\s*(?:/\s*)?(?:([\p{L}\p{M}\p{N}]+(?:-[\p{L}\p{N}]+)*)|(\S)|$)"
# of a token, and the tag of the next one; all others are features
_KEYS = ("form", "lemma", "upos", "xpos", "deprel", "ner", "follows")


class SwapPlan(NamedTuple):
    """The counterparts of each term in lower case, and a function that finds terms."""

    choices: dict[str, list[Counterpart]]
    find: mentions.Finder
    of_people: bool = False  # all terms are nouns: "he hosts a show" stays
    acronyms: frozenset[str] = frozenset()  # terms with capitals of their own: LGBT


@once_per_language
def plan(language: Language, spec: Spec, kind: str, direction: Direction) -> SwapPlan:
    """Return the plan to swap the pairs of a kind. Raise Unfit if the language has no pairs."""
    rows = specifications.rows(spec, language)
    singular = specifications.counterparts(spec, rows, kind, direction)
    if not singular:
        hint = "" if spec.own is None else ": a pair is a line TERM TAB TERM"
        raise Unfit(f"the specification {spec} has no {kind} pairs for {language.tag}{hint}")
    plural = {
        plural_of_term: [Counterpart(plural_of_other)]
        for term, (choice, *further) in singular.items()
        if not further
        and (plural_of_term := word_forms.plural(term, language))
        and (plural_of_other := word_forms.plural(choice.to, language))
    }
    choices = plural | singular
    known = specifications.known(rows, kind)
    return SwapPlan(
        choices,
        mentions.finder(frozenset([*choices, *known])),
        of_people=kind == "target" and all(row.kind for row in rows) and language.space != "",
        acronyms=frozenset(filter(word_forms.is_shouted, known)),
    )


@once_per_language
def keywords(language: Language, spec: Spec, kind: str) -> SwapPlan:
    """Return the plan to remove the terms of a kind of the first group."""
    rows = specifications.rows(spec, language)
    listed = specifications.listed(rows, kind, "one")
    if not listed:
        raise Unfit(f"the specification {spec} has no {kind} terms for {language.tag}")
    find = mentions.finder(frozenset(specifications.known(rows, kind)))
    return SwapPlan({term.lower(): [] for term in listed}, find)


def swapped(record: dict, plan: SwapPlan, whole: bool = False) -> list[list]:
    """Return the edits that replace terms by their counterparts.

    If no token told which of several counterparts is right, the edit's note says how it was chosen.

    whole: as in mentions.places.
    """
    edits = []
    language = dialogue.language(record)
    for pointer, holder, places in mentions.places(record, plan.find, whole):
        text, free = holder["text"], 0
        for place in places:
            choices = plan.choices.get(place.term, ())
            token = _token(holder, place)
            if not choices or (plan.of_people and token.get("upos") == "VERB"):
                continue
            before = text[place.start : place.end]
            to, note = _chosen(choices, holder, place, token)
            if before not in plan.acronyms or text.isupper():
                after = rewrites.cased(to, before)
            else:  # the capital of an acronym's counterpart only begins sentences
                start = sentences.split(text[: place.start] + "x", language)[-1]
                after = word_forms.capitalised(to) if start.lstrip(_OPENING) == "x" else to
            if after != before:
                follows = after + text[place.end : place.end + FAR]
                edits += word_forms.article_edits(
                    pointer, text, place.start, follows, language, free
                )
                edits.append([pointer, place.start, place.end, before, after, *note])
                free = place.end
    return edits


def labels(record: dict, plan: SwapPlan) -> list[str]:
    """Return the speakers' labels that are roles with terms in them, and stay: Mom, Sister 2."""
    language = dialogue.language(record)
    return [
        label
        for label in dialogue.speakers(dialogue.turns(record))
        if language.is_role(label) and any(place.term in plan.choices for place in plan.find(label))
    ]


def removed(record: dict, plan: SwapPlan) -> list[list]:
    """Return the edits that remove terms, each with its 's and a space beside it."""
    edits = []
    language = dialogue.language(record)
    for pointer, holder, places in mentions.places(record, plan.find):
        text, free = holder["text"], 0
        for place in places:
            if place.term in plan.choices:
                start, end = _with_space(text, free, place.start, place.end)
                follows = text[end : end + FAR]
                edits += word_forms.article_edits(pointer, text, start, follows, language, free)
                edits.append([pointer, start, end, text[start:end], ""])
                free = end
    return edits


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


def _token(holder: dict, place: FoundTerm) -> dict:
    """Return the token that spans a term exactly, {} if there is none."""
    tokens = holder.get("tokens") or []
    number = bisect_left(tokens, place.start, key=lambda token: token["start"])
    token = tokens[number] if number < len(tokens) else {}
    if (token.get("start"), token.get("end")) != (place.start, place.end):
        return {}
    following = tokens[number + 1] if number + 1 < len(tokens) else {}
    return {**token, "follows": following.get("upos", "")}


def _chosen(
    choices: list[Counterpart], holder: dict, place: FoundTerm, token: dict
) -> tuple[str, list[str]]:
    """Return the right counterpart, and a note if no token told which."""
    fits = [(choice, _fits(choice, token)) for choice in choices]
    certain = [choice for choice, fit in fits if fit and choice.when]
    possible = [choice for choice, fit in fits if fit is not False]
    choices = certain or possible or choices
    if len(choices) == 1:
        return choices[0].to, []

    text = holder["text"]
    before = text[max(0, place.start - FAR) : place.start]
    if before[-1:].isspace():
        word_before = "<" + "".join(before.split()[-1:]).lower()
        for choice in choices:
            if word_before in choice.next:
                return choice.to, ["by the word before"]

    following = _next(text, _end(token, holder["tokens"]) if token else place.end)
    fitting = [choice for choice in choices if following in choice.next]
    unconditional = [choice for choice in choices if not choice.next]
    note = "by the next word" if any(choice.next for choice in choices) else "the first of several"
    return (fitting or unconditional or choices)[0].to, [note]


def _fits(choice: Counterpart, token: dict) -> bool | None:
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
    sentence = [sibling for sibling in tokens if sibling.get("sent", 1) == token.get("sent", 1)]
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
