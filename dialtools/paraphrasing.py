"""Paraphrases of an utterance: functions (text, rng, *, lang, formality) -> text.

light      wordings of paraphrases.tsv that mean the same, and openers: "I said: …"
verbatim   the text as it is
any other  a generator of dt-generate, such as seq2seq:model=FOLDER, which reads the text
"""

import functools
from collections.abc import Callable
from random import Random

from dialtools import languages, phrases, registry
from dialtools.errors import OptionError, RecordError, show


def named(spec: str | Callable, offline: bool = False) -> Callable[..., str]:
    """Return the function that a spec stands for, which bears its name; a function stands for itself."""
    if callable(spec):
        return spec
    if spec in _BUILT_IN:
        return _BUILT_IN[spec]
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
    reworded = _reworded(text.strip(), lang)
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


_BUILT_IN: dict[str, Callable[..., str]] = {"light": light, "verbatim": verbatim}


def _reworded(text: str, lang: str) -> str:
    """Return the text with each match of a language's patterns put otherwise, capitals kept."""
    pattern, texts = _patterns(lang)

    def put(match) -> str:
        wording = texts[int(match.lastgroup[1:])]
        return wording[0].upper() + wording[1:] if match[0][0].isupper() else wording

    return pattern.sub(put, text)


@functools.lru_cache(maxsize=None)
def _patterns(lang: str) -> tuple:
    """Return the pattern of all that can be put otherwise, and the texts to put, by the number of the group."""
    import regex

    rows = sorted(languages.table(lang, "paraphrases"), key=lambda row: -len(row["text"]))
    found = "|".join(f"(?P<_{i}>{row['pattern']})" for i, row in enumerate(rows)) or "(?!)"
    letter = r"[\p{L}\p{M}\p{N}'’-]"
    whole = rf"(?<!{letter})(?:{found})(?!{letter})" if languages.load(lang)["space"] else found
    return regex.compile(whole, regex.IGNORECASE), [row["text"] for row in rows]
