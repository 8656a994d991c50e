"""Paraphrases of an utterance: functions (text, rng, *, lang, formality) -> text.

light      other words by the tables of the language, and openers: "I mean: …", "I said: …"
verbatim   the text as it is
any other  a generator of dt-generate, such as seq2seq:model=FOLDER, which reads the text
"""

import functools
import re
from collections.abc import Callable
from itertools import zip_longest
from random import Random
from typing import NamedTuple

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.plugins import registry
from dialtools.system.errors import OptionError, RecordError, show
from dialtools.text import capitals, clauses, contractions, phrases


class Wording(NamedTuple):
    """A row of paraphrases.tsv."""

    paraphrase: str
    before: re.Pattern  # what stands before it, and after it
    after: re.Pattern
    formality: str  # of those who say the paraphrase; "": everybody does


def named(spec: str | Callable, offline: bool = False) -> Callable[..., str]:
    """Return the function of a spec, named like it; a function is returned as it is."""
    if callable(spec):
        return spec
    if spec in BUILT_IN:
        return BUILT_IN[spec]
    plugin = registry.load("generators", spec)
    if plugin.declared.needs == ("dialogue",):
        raise OptionError(f"{plugin.name} chooses turns of a dialogue and writes no paraphrases")
    if offline:
        plugin = plugin.given(offline=True)
    # an error of the options comes before any record
    plugin.declared.settings(**plugin.defaults())
    paraphrase = functools.partial(_written, plugin)
    paraphrase.__name__ = spec  # type: ignore[attr-defined]
    return paraphrase


def light(text: str, rng: Random, *, lang: str, formality: str) -> str:
    """Return the text in other words, or after an opener that says which it is, or both.

    Nothing is left out, and nothing added but the opener.
    """
    text = text.strip()
    language = languages.get(lang)
    made = reworded(text, language, formality)
    if made != text and rng.random() < 0.5:
        return made
    opener = "again" if made == text else "reworded"
    return phrases.wording(opener, language, formality, rng).replace("{text}", made)


def verbatim(text: str, rng: Random, *, lang: str, formality: str) -> str:
    """Return the text."""
    return text


def _written(plugin: registry.Plugin, text: str, rng: Random, *, lang: str, formality: str) -> str:
    """Return what a generator makes of the text, on one line."""
    record = {"id": str(rng.getrandbits(64)), "lang": lang, "text": text}  # samples differ by id
    made = plugin.call([record])[0]["prediction"]
    best = " ".join((made if isinstance(made, str) else made[0]).split())
    if not best:
        raise RecordError(f"{plugin.label} writes nothing as a paraphrase of {show(text)}")
    return best


BUILT_IN: dict[str, Callable[..., str]] = {"light": light, "verbatim": verbatim}


def reworded(text: str, language: Language, formality: str) -> str:
    """Return the text in other words that mean the same; as it is where the tables know none.

    Clauses change places, forms are contracted or written in full, and each wording of
    paraphrases.tsv becomes its paraphrase. What only casual or only formal speakers say stays with
    the others.
    """
    joined = _APART.sub(r"\1", text)
    made = clauses.rearranged(joined, language)
    made = _otherwise(_contracted(made, language, formality), language, formality)
    if made == joined:
        return text
    return _TOGETHER.sub(r" \1", made) if joined != text else made


def _contracted(text: str, language: Language, formality: str) -> str:
    """Return a text with forms contracted for casual speakers, in full for formal ones.

    Only forms with an apostrophe change: others (nggak for tidak) belong to another register. Of
        two that share a word (we will not) the second changes.
    """
    found = [
        site
        for site in contractions.drawn({"text": text}, language, Random(0), 1)
        if "'" in site.row["short"]
        and not site.subject
        and site.row.get("formality", "") in ("", formality)
    ]
    ways = ("expand", "contract") if formality == "formal" else ("contract", "expand")
    sites = next(filter(None, ([site for site in found if site.kind == way] for way in ways)), [])
    apostrophe = "’" if "’" in text else "'"
    pieces, at = [], 0
    for site, following in zip_longest(sites, sites[1:]):
        if following is None or site.end <= following.start:
            for start, end, _, after in contractions.edits(text, site, apostrophe):
                pieces += [text[at:start], after]
                at = end
    return "".join([*pieces, text[at:]])


def _otherwise(text: str, language: Language, formality: str) -> str:
    """Return the text with each wording of paraphrases.tsv put otherwise, capitals kept.

    What only casual or only formal speakers say (nek for yen, in Javanese) stays with the others.
    """
    plain = text.lower().replace("’", "'")
    if len(plain) != len(text):  # İ, whose lower case is two letters
        return text
    pattern, rows = _wordings(language)
    pieces, at = [], 0
    for match in pattern.finditer(plain):
        start, end = match.span()
        row = rows[match[0]]
        is_fit = row.before.search(plain[max(0, start - _CONTEXT) : start]) and row.after.match(
            plain, end
        )
        if is_fit and row.formality in ("", formality):
            paraphrase = row.paraphrase.lower() if text == plain else row.paraphrase  # i, not I
            pieces += [text[at:start], _cased(paraphrase, text[start:end])]
            at = end
    return "".join([*pieces, text[at:]])


def _cased(paraphrase: str, wording: str) -> str:
    """Return a paraphrase in capitals if its wording is (OK has them anyway), or with a capital."""
    if len(wording) > 2 and wording.isupper():
        return paraphrase.upper()
    return capitals.capital(paraphrase) if wording[0].isupper() else paraphrase


_APART = re.compile(r"(?<=\w) (n't|'(?:d|ll|m|re|s|ve)\b)")  # do n't, of text that is told apart
_TOGETHER = re.compile(r"(?<=\w)(n't|'(?:d|ll|m|re|s|ve)\b)")
_CONTEXT = 20  # code points that are looked at before a wording


@once_per_language
def _wordings(language: Language) -> tuple[re.Pattern, dict[str, Wording]]:
    """Return the pattern of all wordings, and what each becomes."""
    compiled = functools.partial(language.pattern, "paraphrases")
    rows = {}
    for row in language.written("paraphrases"):
        formality = language.choice(
            "paraphrases", row.get("formality", ""), ("", "formal", "casual")
        )
        rows[row["wording"]] = Wording(
            row["paraphrase"],
            compiled(rf"(?:{row['before']})\Z"),
            compiled(row["after"]),
            formality,
        )
    found = (
        "|".join(map(re.escape, sorted(rows, key=lambda wording: (-len(wording), wording))))
        or "(?!)"
    )
    # the vowels of Devanagari are no \w, but parts of a word all the same
    if language.facts["space"]:
        found = rf"(?<![\w'-])(?:{found})(?![\w\u0900-\u0963'-])"
    return re.compile(found), rows
