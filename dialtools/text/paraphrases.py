"""Paraphrases of an utterance: functions (text, rng, *, lang, formality) -> text.

plain      other words by the tables of the language
light      the same with openers: "I mean: …", "I said: …"
verbatim   the text as it is
any other  a generator of dt-generate, such as seq2seq:model=FOLDER, which reads the text, or a
           prompt with it
"""

import functools
import re
from collections.abc import Callable
from itertools import pairwise, zip_longest
from random import Random
from typing import NamedTuple

from dialtools import languages
from dialtools.languages import Language, once_per_language
from dialtools.plugins import registry
from dialtools.records import dialogue
from dialtools.system.errors import OptionError, RecordError, show
from dialtools.text import contractions, phrases, sentences, word_forms, words

_LONGEST = 200  # code points; the clauses of a longer sentence stay
_MARKS = " \t\n.!?…"
_UNCLEAR = re.compile(r"""["“”()\[\]…\n:;]|\.\.|\w[.!?]+\s|\s[-–—]+\s""")  # of several parts
_APART = re.compile(r"(?<=\w) (n't|'(?:d|ll|m|re|s|ve)\b)")  # do n't, of text that is told apart
_TOGETHER = re.compile(r"(?<=\w)(n't|'(?:d|ll|m|re|s|ve)\b)")
_CONTEXT = 20  # code points that are looked at before a wording


def named(
    spec: str | Callable, offline: bool = False, fill: Callable[[dict], str] | None = None
) -> Callable[..., str]:
    """Return the function of a spec, named like it; a function is returned as it is.

    fill: a record with the text -> the prompt that a generator reads instead.
    """
    if callable(spec) or spec in BUILT_IN:
        if fill is not None:
            raise OptionError("--paraphrase-prompt is for a --paraphraser that is a generator")
        return spec if callable(spec) else BUILT_IN[spec]
    plugin = registry.load("generators", spec)
    if plugin.declared.needs == ("dialogue",):
        raise OptionError(f"{plugin.name} chooses turns of a dialogue and writes no paraphrases")
    if offline:
        plugin = plugin.given(offline=True)
    # an error of the options comes before any record
    plugin.declared.settings(**plugin.defaults())

    paraphrase = functools.partial(_generated, plugin, fill)
    paraphrase.__name__ = spec  # type: ignore[attr-defined]
    return paraphrase


def _generated(
    plugin: registry.Plugin,
    fill: Callable[[dict], str] | None,
    text: str,
    rng: Random,
    *,
    lang: str,
    formality: str,
) -> str:
    """Return what a generator makes of the text, on one line."""
    record = {"id": str(rng.getrandbits(64)), "lang": lang, "text": text}  # samples differ by id
    if fill is not None:
        record["prompt"] = fill(record)
    try:
        [output] = plugin.call([record])
    except RecordError as error:  # of this record, which nobody knows
        raise type(error)(error.reason) from None
    prediction = output["prediction"]
    best = prediction if isinstance(prediction, str) else prediction[0]
    on_one_line = " ".join(best.split())
    if not on_one_line:
        raise RecordError(f"{plugin.label} writes nothing as a paraphrase of {show(text)}")
    return on_one_line


def edits(record: dict, rng: Random, rate: float, paraphrase: Callable[..., str]) -> list[list]:
    """Return an edit for each utterance with words that a paraphraser says otherwise.

    rate: probability of an utterance.
    """
    words.check_rate(rate)
    language = dialogue.language(record)
    styles = phrases.styles({"dialogue": [], **record}, "auto") if language.is_known else {}
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text, formality = holder["text"], styles.get(holder.get("speaker", ""), "casual")
        if any(words.words(text)) and rng.random() < rate:
            again = paraphrase(text, rng, lang=language.tag, formality=formality)
            if again != text:
                edits.append([pointer, 0, len(text), text, again])
    return edits


def plain(text: str, rng: Random, *, lang: str, formality: str) -> str:
    """Return the text in other words; as it is where the tables know none."""
    return reworded(text, languages.get(lang), formality)


def light(text: str, rng: Random, *, lang: str, formality: str) -> str:
    """Return the text in other words, or after an opener that says which it is, or both.

    Nothing is left out, and nothing added but the opener.
    """
    text = text.strip()
    language = languages.get(lang)
    paraphrase = reworded(text, language, formality)
    if paraphrase != text and rng.random() < 0.5:
        return paraphrase
    opener = "again" if paraphrase == text else "reworded"
    return phrases.wording(opener, language, formality, rng).replace("{text}", paraphrase)


def verbatim(text: str, rng: Random, *, lang: str, formality: str) -> str:
    """Return the text."""
    return text


BUILT_IN: dict[str, Callable[..., str]] = {"plain": plain, "light": light, "verbatim": verbatim}


def reworded(text: str, language: Language, formality: str) -> str:
    """Return the text in other words that mean the same; as it is where the tables know none.

    Clauses change places, forms are contracted or written in full, and each wording of
    paraphrases.tsv becomes its paraphrase. What only casual or only formal speakers say stays with
    the others.
    """
    joined = _APART.sub(r"\1", text)
    paraphrase = _rearranged(joined, language)
    paraphrase = _contracted(paraphrase, language, formality)
    paraphrase = _otherwise(paraphrase, language, formality)
    if paraphrase == joined:
        return text
    return _TOGETHER.sub(r" \1", paraphrase) if joined != text else paraphrase


class Clauses(NamedTuple):
    """A row of clauses.tsv: how the clauses of a sentence change places.

    If it rains, I stay; I stay if it rains.
    """

    sentence: re.Pattern  # of a whole one in lower case, without its end mark
    ends: str  # the permitted end marks; "": any
    rearranged: str  # with {1} for the first group of the pattern


@once_per_language
def _clauses(language: Language) -> list[Clauses]:
    return [
        Clauses(language.pattern("clauses", row["sentence"]), row["ends"], row["rearranged"])
        for row in language.written("clauses")
    ]


def _rearranged(text: str, language: Language) -> str:
    """Return a text with the clauses of its sentences reordered where a row of clauses.tsv fits."""
    if not _clauses(language):
        return text
    cuts = [0, *sentences.ends(text, language), len(text)]
    comma = " ," if re.search(r"\w\s[.,?!]", text) else ","  # in text that is told apart
    return "".join(
        _rearranged_sentence(text[start:end], comma, language) for start, end in pairwise(cuts)
    )


def _rearranged_sentence(text: str, comma: str, language: Language) -> str:
    """Return a sentence reordered, its capital and its end mark in their places."""
    end = len(text.rstrip(_MARKS))
    start = min(end, next((place for place, letter in enumerate(text) if letter.isalnum()), 0))
    sentence, mark = text[start:end], text[end:].strip()
    plain = sentence.lower().replace("’", "'")
    is_clear = (
        len(sentence) <= _LONGEST and len(plain) == len(sentence) and mark[:2] not in ("..", "…")
    )
    if not is_clear or _UNCLEAR.search(plain):
        return text
    fitting = (
        (row, match)
        for row in _clauses(language)
        if (match := row.sentence.fullmatch(plain))
        and (not row.ends or not mark or mark[0] in row.ends)
    )
    row, match = next(fitting, (None, None))
    if row is None or match is None:
        return text
    first_word = sentence.split(maxsplit=1)[0]
    is_capitalised = first_word[:1].isupper()
    if is_capitalised:
        lowered = word_forms.within_sentence(first_word, language, ())
        sentence = lowered + sentence[len(first_word) :]
    spans = map(match.span, range(len(match.groups()) + 1))
    groups = [sentence[first:last] for first, last in spans]
    rearranged = row.rearranged.replace(",", comma).format(*groups)
    if is_capitalised:
        rearranged = word_forms.capitalised(rearranged)
    return text[:start] + rearranged + text[end:]


def _contracted(text: str, language: Language, formality: str) -> str:
    """Return a text with forms contracted for casual speakers, in full for formal ones.

    Only forms with an apostrophe change: others (nggak for tidak) belong to another register. Of
        two that share a word (we will not) the second changes.
    """
    candidates = [
        site
        for site in contractions.drawn({"text": text}, language, Random(0), 1)
        if "'" in site.row["short"]
        and not site.subject
        and site.row.get("formality", "") in ("", formality)
    ]
    preferred = "expand" if formality == "formal" else "contract"
    sites = [site for site in candidates if site.kind == preferred] or candidates
    apostrophe = "’" if "’" in text else "'"
    pieces, done = [], 0
    for site, following in zip_longest(sites, sites[1:]):
        if following is None or site.end <= following.start:
            for start, end, _, after in contractions.edits(text, site, apostrophe):
                pieces += [text[done:start], after]
                done = end
    return "".join([*pieces, text[done:]])


class Wording(NamedTuple):
    """A row of paraphrases.tsv."""

    paraphrase: str
    before: re.Pattern  # what stands before it, and after it
    after: re.Pattern
    formality: str  # of those who say the paraphrase; "": everybody does


def _otherwise(text: str, language: Language, formality: str) -> str:
    """Return the text with each wording of paraphrases.tsv put otherwise, capitals kept.

    What only casual or only formal speakers say (nek for yen, in Javanese) stays with the others.
    """
    plain = text.lower().replace("’", "'")
    if len(plain) != len(text):  # İ, whose lower case is two letters
        return text
    pattern, rows = _wordings(language)
    pieces, done = [], 0
    for match in pattern.finditer(plain):
        start, end = match.span()
        row = rows[match[0]]
        if (
            row.formality in ("", formality)
            and row.before.search(plain[max(0, start - _CONTEXT) : start])
            and row.after.match(plain, end)
        ):
            wording = text[start:end]
            paraphrase = row.paraphrase.lower() if text == plain else row.paraphrase  # i, not I
            if len(wording) > 2 and wording.isupper():  # OK has its capitals anyway
                paraphrase = paraphrase.upper()
            elif wording[0].isupper():
                paraphrase = word_forms.capitalised(paraphrase)
            pieces += [text[done:start], paraphrase]
            done = end
    return "".join([*pieces, text[done:]])


@once_per_language
def _wordings(language: Language) -> tuple[re.Pattern, dict[str, Wording]]:
    """Return the pattern of all wordings, and what each becomes."""
    compiled = functools.partial(language.pattern, "paraphrases")
    formalities = ("", "formal", "casual")
    rows = {
        row["wording"]: Wording(
            row["paraphrase"],
            compiled(rf"(?:{row['before']})\Z"),
            compiled(row["after"]),
            language.choice("paraphrases", row.get("formality", ""), formalities),
        )
        for row in language.written("paraphrases")
    }
    longest_first = sorted(rows, key=lambda wording: (-len(wording), wording))
    pattern = "|".join(map(re.escape, longest_first)) or "(?!)"
    # the vowels of Devanagari are no \w, but parts of a word all the same
    if language.facts["space"]:
        pattern = rf"(?<![\w'-])(?:{pattern})(?![\w\u0900-\u0963'-])"
    return re.compile(pattern), rows
