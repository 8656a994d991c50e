"""Paraphrases of an utterance: functions (text, rng, *, lang, formality) -> text.

light      wordings of paraphrases.tsv that mean the same, and openers: "I said: …"
verbatim   the text as it is
any other  a generator of dt-generate, such as seq2seq:model=FOLDER, which reads the text
"""

import functools
import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from dialtools import languages, registry
from dialtools.errors import OptionError, RecordError, show
from dialtools.wording import phrases


class Wording(NamedTuple):
    """A row of paraphrases.tsv."""

    paraphrase: str
    before: re.Pattern  # what stands before it, and after it
    after: re.Pattern
    formality: str  # of those who say the paraphrase; "": everybody does


def named(spec: str | Callable, offline: bool = False) -> Callable[..., str]:
    """Return the function that a spec stands for, which bears its name; a function stands for itself."""
    if callable(spec):
        return spec
    if spec in BUILT_IN:
        return BUILT_IN[spec]
    plugin = registry.load("generators", spec)
    if "dialogue" in plugin.constant("NEEDS", ()):
        raise OptionError(f"{plugin.name} chooses turns of a dialogue and writes no paraphrases")
    if offline:
        plugin = plugin.given(offline=True)
    plugin.constant("settings", dict)(**plugin.defaults())  # an error of the options comes before any record
    paraphrase = functools.partial(_written, plugin)
    paraphrase.__name__ = spec  # type: ignore[attr-defined]
    return paraphrase


def light(text: str, rng: Random, *, lang: str, formality: str) -> str:
    """Return the text with words put otherwise that mean the same, or after an opener, or both.

    Nothing is left out, and nothing added but the opener.
    """
    reworded = _reworded(text.strip(), lang, formality)
    if reworded != text.strip() and rng.random() < 0.5:
        return reworded
    return phrases.wording("again", lang, formality, rng).replace("{text}", reworded)


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


def _reworded(text: str, lang: str, formality: str) -> str:
    """Return the text with each wording of paraphrases.tsv put otherwise, capitals kept.

    What only casual or only formal speakers say (nek for yen, in Javanese) stays with the others.
    """
    plain = text.lower().replace("’", "'")
    if len(plain) != len(text):  # İ, whose lower case is two letters
        return text
    pattern, rows = _wordings(lang)
    pieces, at = [], 0
    for match in pattern.finditer(plain):
        start, end = match.span()
        row = rows[match[0]]
        if (row.formality in ("", formality) and row.before.search(plain[max(0, start - _CONTEXT):start])
                and row.after.match(plain, end)):
            pieces += [text[at:start], _cased(row.paraphrase, text[start:end])]
            at = end
    return "".join([*pieces, text[at:]])


def _cased(paraphrase: str, wording: str) -> str:
    """Return a paraphrase in the case of what it stands for: capitals (OK has them anyway), or a capital, or none."""
    if len(wording) > 2 and wording.isupper():
        return paraphrase.upper()
    first = paraphrase[0].upper() if wording[0].isupper() else paraphrase[0].lower()
    return first + paraphrase[1:]


_CONTEXT = 20  # code points that are looked at before a wording


@functools.lru_cache(maxsize=None)
def _wordings(lang: str) -> tuple[re.Pattern, dict[str, Wording]]:
    """Return the pattern of all wordings, and what each becomes."""
    compiled = functools.partial(languages.pattern, lang, "paraphrases")
    rows = {}
    for row in languages.get(lang).written("paraphrases"):
        formality = languages.choice(lang, "paraphrases", row.get("formality", ""), ("", "formal", "casual"))
        rows[row["wording"]] = Wording(row["paraphrase"], compiled(rf"(?:{row['before']})\Z"), compiled(row["after"]),
                                       formality)
    found = "|".join(map(re.escape, sorted(rows, key=lambda wording: (-len(wording), wording)))) or "(?!)"
    if languages.load(lang)["space"]:  # the vowels of Devanagari are no \w, but parts of a word all the same
        found = rf"(?<![\w'-])(?:{found})(?![\w\u0900-\u0963'-])"
    return re.compile(found), rows
