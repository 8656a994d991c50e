"""Drop determiners as learners do; in other languages, comparable small words.

Each of these words is dropped with the given rate, with one space.  If it began a
sentence, the next word gets its capital.

English: articles and demonstratives.  types=article+indefinite+… adds indefinite
(some), total (every), negative (no) and interrogative (which) determiners, which
change the meaning.  Chinese: measure words (classifier) and 的 before a noun (de).
Japanese: を and が (particle).  Hindi: ने (particle).  "a few", "a little" and words
joined to others stay, such as the Indonesian -nya, which treebanks also tag as a
determiner.

English articles are found without tokens (but not the A of "plan A"); all other
words need tokens with upos.  The rest of the text keeps its tokens.

Source: "grammatical errors", section 3.1 of "Evaluating Robustness of Open
Dialogue Summarization Models in the Presence of Naturally Occurring
Variations": determiners are tokens tagged DET, rate 0.2.

>>> from random import Random
>>> perturb({"text": "The cat sat on a mat.", "lang": "en"}, Random(1))
[['/text', 0, 7, 'The cat', 'Cat', 'article']]
"""

from random import Random

from dialtools.languages import Language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.system.errors import OptionError, nearest
from dialtools.text import rewrites, words

KIND = "grammar.determiner"
TYPES = (
    "article",
    "demonstrative",
    "indefinite",
    "total",
    "negative",
    "interrogative",
    "classifier",
    "de",
    "particle",
)


def annotation(language: Language) -> tuple[str, ...] | None:
    """Return what the tokens of a language must have; None where some words are found without."""
    return rewrites.wanted(language, "determiners")


def perturb(
    record: dict,
    rng: Random,
    *,
    rate: float = 0.2,
    types: str = "article+demonstrative+classifier+de+particle",
) -> list[list]:
    """Return an edit for each word that is dropped.

    rate: probability of a word, from 0 to 1.
    types: of words, with + between them: those named above.
    """
    words.check_rate(rate)
    wanted = _types(types)
    table = rewrites.rules(dialogue.language(record), "determiners")
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text, found, made = holder["text"], rewrites.seen(holder, KIND, table), []
        for at, token in enumerate(found):
            notes = [note for _, note in rewrites.choices(text, table, found, at) if note in wanted]
            if notes and _stands_alone(text, token) and rng.random() < rate:
                start, end, after = rewrites.dropped(text, token["start"], token["end"])
                made.append([pointer, start, end, text[start:end], after, notes[0]])
        edits += rewrites.whole(text, made)
    return edits


def _types(typed: str) -> set[str]:
    """Return the names in an option; OptionError for one that is unknown."""
    for name in typed.split("+"):
        if name not in TYPES:
            raise OptionError(
                f"{KIND}: no type {name!r}{nearest(name, TYPES)}; there are {', '.join(TYPES)}"
            )
    return set(typed.split("+"))


def _stands_alone(text: str, token: dict) -> bool:
    """Tell whether another word follows; without tokens, the A of "plan A" does not count."""
    start, end = token["start"], token["end"]
    if "part" in token or not any(map(str.isalnum, text[end : end + 1000])):
        return False
    if "upos" not in token:
        follows = text[end : end + 1].isspace() and text[end + 1 : end + 2].isalnum()
        return follows and (text[start] != "A" or words.opens(text, start))
    return True


PERTURBATION = Perturbation(perturb, resource="determiners.tsv", tokens=annotation)
