"""A sentence as a rule of a dialect sees it, and the places where a rule would change it."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.records.tokens import features
from dialtools.text import rewrites, word_forms

MOST = 64  # dependents of a token that are considered: more would cost quadratic time
REACH = 8  # tokens to either side that a verb group without heads may have
_VERBAL = ("AUX", "VERB", "PART", "ADV")


class DialectSentence(NamedTuple):
    """The tokens of a sentence; heads are indexes, -1 for the root, empty if not annotated."""

    text: str
    is_curly: bool  # does the text have curly apostrophes only?
    tokens: list[dict]
    forms: list[str]  # in lower case, with straight apostrophes
    heads: list[int]
    below: list[list[int]]  # the dependents of each token

    def word(self, i: int) -> str:
        """Return a token's form in lower case, apostrophes straight; "" outside of the sentence."""
        return self.forms[i] if 0 <= i < len(self.forms) else ""

    def upos(self, i: int) -> str:
        return self.tokens[i]["upos"] if 0 <= i < len(self.tokens) else ""

    def lemma(self, i: int) -> str:
        return (self.tokens[i].get("lemma") or "").lower() if 0 <= i < len(self.tokens) else ""

    def has(self, i: int, *wanted: str) -> bool:
        """Tell whether a token has all these features, such as Tense=Pres."""
        return 0 <= i < len(self.tokens) and features(self.tokens[i]) >= set(wanted)

    def relation(self, i: int) -> str:
        """Return a token's relation to its head, without the subtype."""
        return (self.tokens[i].get("deprel") or "").partition(":")[0]

    def dependents(self, i: int, *relations: str) -> list[int]:
        """Return the tokens that depend on one, by these relations or by any."""
        return [k for k in self.below[i] if not relations or self.relation(k) in relations]

    def subtree(self, i: int, without: tuple[str, ...] = ()) -> set[int]:
        """Return a token with all below it, but for what depends by some relations."""
        reached, waiting = {i}, [i]
        while waiting:
            for k in self.below[waiting.pop()]:
                if k not in reached and self.relation(k) not in without:
                    reached.add(k)
                    waiting.append(k)
        return reached

    def is_not(self, i: int) -> bool:
        return self.word(i) in ("not", "n't")

    def is_negated(self, i: int) -> bool:
        """Tell whether a negative word depends on a token."""
        return any(
            self.has(k, "Polarity=Neg") or self.word(k) in ("not", "n't", "never", "hardly")
            for k in self.dependents(i)
        )

    def is_action(self, i: int) -> bool:
        """Tell whether a token is a verb of action that is not negated."""
        is_verb = self.upos(i) == "VERB" and self.lemma(i) not in words("state")
        return is_verb and not self.is_negated(i)

    def is_question(self) -> bool:
        return any(self.word(i) == "?" for i in range(len(self.tokens) - 2, len(self.tokens)))

    def subject(self, i: int) -> int | None:
        """Return the subject of a predicate, None where it has none."""
        return next(iter(self.dependents(i, "nsubj")), None)

    def after(self, i: int, *skipped: str) -> int:
        """Return the next token that is no negation and has none of these tags; skip up to three."""
        for step in range(i + 1, i + 5):
            if self.upos(step) not in skipped and not self.is_not(step):
                return step
        return len(self.tokens)

    def verb_group(self, i: int) -> set[int]:
        """Return a predicate with its auxiliaries and negation; without heads, the verbs beside it."""
        if self.heads:
            is_beside = self.relation(i) in ("aux", "cop") or self.is_not(i)
            head = self.heads[i] if is_beside and self.heads[i] >= 0 else i
            negations = (k for k in self.dependents(head) if self.is_not(k))
            return {head, i, *self.dependents(head, "aux", "cop"), *negations}
        first = last = i
        while i - first < REACH and self.upos(first - 1) in _VERBAL:
            first -= 1
        while last - i < REACH and self.upos(last + 1) in _VERBAL:
            last += 1
        return set(range(first, last + 1))


class Site(NamedTuple):
    """A place for a feature: the tokens that belong together, and the edits (start, end, new)."""

    group: frozenset[int]
    edits: list[tuple[int, int, str]]


def sentences(text: str, tokens: list[dict], with_heads: bool) -> Iterator[DialectSentence]:
    """Yield the sentences of a text; heads count from 1 in a sentence, one beyond it is none."""
    is_curly = "’" in text and "'" not in text
    for _, group in groupby(tokens, key=lambda token: token.get("sent")):
        sentence = list(group)
        heads: list[int] = []
        if with_heads:
            heads = [
                token["head"] - 1 if token["head"] <= len(sentence) else -1 for token in sentence
            ]
        below: list[list[int]] = [[] for _ in heads]
        for i, head in enumerate(heads):
            if head not in (-1, i) and len(below[head]) < MOST:
                below[head].append(i)
        forms = [token["form"].lower().replace("’", "'") for token in sentence]
        yield DialectSentence(text, is_curly, sentence, forms, heads, below)


def words(kind: str) -> dict[str, str]:
    """Return {word: replacement or ""} of a list in dialect_words.tsv."""
    return _word_lists(languages.get("en")).get(kind, {})


@once_per_language
def _word_lists(language: Language) -> dict[str, dict[str, str]]:
    lists: dict[str, dict[str, str]] = {}
    for row in language.table("dialect_words"):
        lists.setdefault(row["list"], {})[row["word"]] = row["other"]
    return lists


def site(
    sentence: DialectSentence, i: int, *edits: tuple[int, int, str], also: tuple[int, ...] = ()
) -> Site:
    """Return a site in the verb group of a token, and of others that it touches too."""
    return Site(frozenset(sentence.verb_group(i).union(also)), list(edits))


def replaced(sentence: DialectSentence, first: int, last: int, new: str) -> tuple[int, int, str]:
    """Return the edit that replaces tokens by words, with a space if they were joined before."""
    start, end = sentence.tokens[first]["start"], sentence.tokens[last]["end"]
    new = new.replace("'", "’") if sentence.is_curly else new
    if start and sentence.text[start - 1].isalnum():
        return start, end, " " + new
    return start, end, word_forms.cased_like(new, sentence.text[start:end])


def exchanged(
    sentence: DialectSentence, i: int, full: dict[str, str]
) -> list[tuple[int, int, str]]:
    """Return the edits that exchange a token and the next one: you are for are you.

    full: what joined forms are on their own, 're for are.
    """
    first, second = sentence.tokens[i : i + 2]
    before, after = (
        full.get(sentence.word(place), token["form"])
        for place, token in ((i, first), (i + 1, second))
    )
    if before[0].isupper() and before != "I":
        before, after = before.lower(), word_forms.capitalised(after)
    space = " " if first["end"] == second["start"] else ""
    return [
        (first["start"], first["end"], after),
        (second["start"], second["end"], space + before),
    ]


def removed(sentence: DialectSentence, i: int) -> tuple[int, int, str]:
    """Return the edit that removes a token and a space."""
    start, end = sentence.tokens[i]["start"], sentence.tokens[i]["end"]
    if start and sentence.text[start - 1].isalnum():
        return start, end, ""
    return rewrites.dropped(sentence.text, start, end)
