"""Where a text holds contractions, or forms that can be contracted, by the tables of its language.

contractions.tsv: long and short form, the lemmas of what is shortened, and the
contexts that contracting and expanding need ("-": never so; none: always).
Forms that begin with * are of any word, and decided by tokens alone.
contexts.tsv: a pattern for what stands around the end of a form, in lower case;
guess=yes where tokens with lemmas know better.
"""

import functools
from collections.abc import Iterator
from typing import NamedTuple

from dialtools import languages, words

_SUBJECTS = "i|you|he|she|it|we|they|there"
_INVERTED = "is are was were do does did have has had should".split()  # but not can and will: "can you not" is a request


class Site(NamedTuple):
    """A place in a text (code points) where a form stands, and the other form."""

    start: int
    end: int
    row: dict
    kind: str  # contract or expand
    subject: str = ""  # " you" of "don't you" and "do you not"


def sites(holder: dict, lang: str) -> Iterator[Site]:
    """Yield each place of a text where a form can be exchanged for the other; places may overlap."""
    text = holder["text"]
    pattern, forms = _forms(lang)
    lower = text.replace("İ", "I").lower().replace("’", "'")  # İ alone has a lower case of two letters
    addresses = [] if words.is_plain(text) else words.addresses(text)
    tokens = None
    for match in pattern.finditer(lower, overlapped=True):
        start, end = match.span()
        if any(first < end and start < last for first, last in addresses):
            continue
        if tokens is None:
            tokens = {token["end"]: token for token in holder.get("tokens") or ()}
        form, subject = _form(match[0])
        for row, kind in forms.get(form) or forms.get("*" + form[form.rfind("'"):], ()):
            site = _site(lower, Site(start, end, row, kind, subject), tokens.get(end), lang)
            if site:
                yield site
                break


@functools.lru_cache(maxsize=None)
def _forms(lang: str):
    """Return a pattern that finds all forms of a language, and what each form may be exchanged by."""
    import regex

    forms: dict[str, list[tuple[dict, str]]] = {}
    for row in languages.table(lang, "contractions"):
        for form, kind in ((row["long"], "contract"), (row["short"], "expand")):
            if row[kind] != "-":
                forms.setdefault(form.lower(), []).append((row, kind))
    plain = sorted((form for form in forms if "*" not in form), key=lambda form: (-len(form), form))
    found = [*map(regex.escape, plain), *(r"\w+" + regex.escape(form[1:]) for form in forms if form.startswith("*'"))]
    if any(form.endswith("n't") for form in forms):
        found.append(f"(?:{'|'.join(_INVERTED)}) (?:{_SUBJECTS}) not")
    edges = (r"(?<![\w'\p{M}\u200d])", r"(?![\w\p{M}\u200d]|'\w)") if languages.load(lang)["space"] else ("", r"(?!\p{M})")
    return regex.compile(f"{edges[0]}(?:{'|'.join(found)}){edges[1]}"), forms


def _form(found: str) -> tuple[str, str]:
    """Return what the tables call a form, and the subject within it: "do not" and " you" of "do you not"."""
    words_of = found.split(" ")
    if len(words_of) == 3 and words_of[2] == "not" and words_of[0] in _INVERTED:
        return f"{words_of[0]} not", f" {words_of[1]}"
    return found, ""


@functools.lru_cache(maxsize=None)
def _contexts(lang: str) -> dict[str, tuple]:
    """Return {name: (pattern, whether it is but a guess)}."""
    import regex

    return {row["context"]: (regex.compile(row["pattern"]), row["guess"] == "yes")
            for row in languages.table(lang, "contexts")}


def _site(text: str, site: Site, token: dict | None, lang: str) -> Site | None:
    """Return a place if its form means what its row says, and stands where it can be exchanged."""
    row, context = site.row, site.row[site.kind]
    known = _known(site, token)
    if known is False or (known is None and "*" in row["long"]):
        return None
    if context == "negated":
        return _negated(text, site)
    if context:
        pattern, guess = _contexts(lang)[context]
        if not (guess and known) and not pattern.match(text, site.end):
            return None
    return site


def _known(site: Site, token: dict | None) -> bool | None:
    """Does the token of what is shortened mean what the row says?  None: there is none, or it does not tell."""
    row = site.row
    last = _parts(row)[2 if site.kind == "expand" else 1]
    if token is None or not token.get("lemma") or not row["lemma"] or token["form"].lower().replace("’", "'") != last:
        return None
    lemma = token["lemma"].lower()
    if site.kind == "contract" and lemma == "have" and token.get("upos") not in (None, "AUX"):
        return False  # I have a car
    return lemma in row["lemma"].split()


def _negated(text: str, site: Site) -> Site | None:
    """Return the place of an n't, with the subject that "not" goes behind; None where the subject is not found."""
    import re

    before = re.search(r"(\w+) $", text[max(0, site.start - 20):site.start])
    word = before[1] if before else ""
    subject = re.match(rf" (?:{_SUBJECTS})\b(?!')", text[site.end:site.end + 8])
    ending = re.compile(r"[.!?\n…]|$").search(text, site.end)
    question = bool(ending) and ending[0] == "?"
    if subject:
        return site._replace(end=site.end + subject.end(), subject=subject[0]) if question and (
            word in _BEFORE_VERB or word in _OPENING) else None
    return None if question and word in _OPENING else site


_BEFORE_VERB = frozenset("what who which whom".split())
_OPENING = frozenset(("", *"why how when where and but or so then well oh".split()))


def _parts(row: dict) -> tuple[str, str, str, str]:
    """Return (what stands before, what is shortened, its short form, what stands before that), in lower case."""
    long, short = row["long"].lower(), row["short"].lower()
    cut = len(short) - 3 if short.endswith("n't") else short.find("'")
    if cut < 0:
        return "", long, short, ""
    head, _, tail = long.rpartition(" ") if " " in long else (long[:-3], "", long[-3:])  # cannot
    return head, tail, short[cut:], short[:cut]


def edits_of(text: str, site: Site, apostrophe: str) -> list[list]:
    """Return [start, end, before, after] of what changes at a place; words stay apart, so that their tokens can follow."""
    written = text[site.start:site.end]
    head, tail, short, short_head = _parts(site.row)
    old_head, old, new_head, new = ((head, tail, short_head, short) if site.kind == "contract" else
                                    (short_head, short, head, tail))
    gap = " " if " " in site.row["long"] and head else ""
    old_gap, new_gap = (gap, "") if site.kind == "contract" else ("", gap)
    start = len(written) - len(site.subject) - len(old_gap + old)  # where what is shortened begins, with its space
    pieces = []
    if head != "*" and old_head != new_head:
        pieces.append((0, written[:start], _cased(new_head, written)))
    if site.subject:
        rest = written[start:]
        subject = rest[:len(site.subject)] if site.kind == "contract" else rest[-len(site.subject):]
        new = _cased(new, written, inside=True)
        pieces.append((start, rest, new + subject if site.kind == "contract" else subject + new_gap + new))
    else:
        if old_gap or new_gap:
            pieces.append((start, written[start:start + len(old_gap)], new_gap))
        pieces.append((start + len(old_gap), written[start + len(old_gap):], _cased(new, written, inside=start > 0)))
    return [[site.start + at, site.start + at + len(before), before, after.replace("'", apostrophe)]
            for at, before, after in pieces]


def _cased(form: str, like: str, inside: bool = False) -> str:
    """Return a form in the case of another: capitals, or a capital at the beginning of its first word."""
    if like.isupper() and sum(map(str.isalpha, like)) > 1:
        return form.upper()
    return form[:1].upper() + form[1:] if like[:1].isupper() and not inside else form
