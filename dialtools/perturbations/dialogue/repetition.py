"""Insert a request to repeat an utterance, and its repetition.

Two turns follow the utterance: the listener (the addressee, or else the next
speaker) asks for a repetition, and the speaker repeats it. The utterance is
drawn from those with words (an address or <file_photo> has none). With
targeted=most, each utterance that is the most similar to some sentence of the
references is repeated; with targeted=least, the one that is the least similar to
them on average. A dialogue with one speaker stays as it is.

It probes the repetition bias of summarisers: does an utterance count for more
if it is repeated? --paraphraser makes the repetition: by default light rules of
each language, which reword what they can and repeat the rest word for word. The
note of an edit says which (reworded or verbatim), and the history counts both.
--encoder measures similarity (by default ROUGE-1); ties are drawn.

Source: "repetitions", section 3.2, and targeted ones, appendix A.4 of
"Evaluating Robustness of Open Dialogue Summarization Models in the Presence of
Naturally Occurring Variations".  There the least relevant utterance is the one
that is the least similar to every sentence; the mean finds it where there is one.

>>> from random import Random
>>> turns = [{"speaker": "Ann", "text": "I can't come."}, {"speaker": "Bob", "text": "Oh!"}]
>>> [turn["text"] for turn in perturb({"dialogue": turns, "lang": "en"}, Random(3))[0][4]]
["Sorry, I didn't catch that.", 'In other words: I cannot come.']
"""

from collections import Counter
from collections.abc import Callable
from math import fsum
from random import Random
from typing import Literal

from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue
from dialtools.records.values import is_empty
from dialtools.system.errors import Unfit
from dialtools.text import paraphrases, phrases, sentences, words
from dialtools.variants import similarity as similarities
from dialtools.variants import turntaking


def perturb(
    record: dict,
    rng: Random,
    *,
    targeted: Literal["no", "most", "least"] = "no",
    formality: phrases.Formality = "auto",
    paraphrase: Callable = paraphrases.light,
    similarity: Callable = similarities.rouge1,
) -> list[list]:
    """Return an edit for each utterance that is repeated; formality: of the request.

    paraphrase: (text, rng, *, lang, formality) -> text.
    similarity: (texts, sentences, *, lang) -> for each text its similarity to each sentence.
    """
    turns, language = record["dialogue"], dialogue.language(record)
    eligible = [number for number, turn in enumerate(turns) if any(words.words(turn["text"]))]
    if not eligible or len(dialogue.speakers(turns)) < 2:
        return []
    if targeted == "no":
        chosen = [rng.choice(eligible)]
    else:
        chosen = _targets(record, eligible, targeted, similarity, rng)
    styles = phrases.styles(record, formality)
    edits = []
    for number in chosen:
        speaker, text = turns[number]["speaker"], turns[number]["text"]
        asking = turntaking.listener(turns, number)
        request = phrases.wording("repeat", language, styles[asking], rng)
        again = paraphrase(text, rng, lang=language.tag, formality=styles[speaker])
        added = [{"speaker": asking, "text": request}, {"speaker": speaker, "text": again}]
        note = "verbatim" if text.strip() in again else "reworded"
        edits.append(["/dialogue", number + 1, number + 1, [], added, note])
    return edits


def needs(options: dict) -> tuple[str, ...]:
    """Return the keys that a record must have; a target is like a reference."""
    return ("dialogue",) if options["targeted"] == "no" else ("dialogue", "reference")


def settings(**options) -> dict:
    """Return the options that matter: similarity does where there are targets."""
    return {
        name: value
        for name, value in options.items()
        if name != "similarity" or options["targeted"] != "no"
    }


def _targets(
    record: dict, eligible: list[int], targeted: str, similarity: Callable, rng: Random
) -> list[int]:
    """Return the numbers of the turns most, or least, similar to the references."""
    language = dialogue.language(record)
    expected = [
        sentence
        for text in dialogue.references(record)
        for sentence in sentences.split(text, language)
        if not is_empty(sentence)
    ]
    if not expected:
        raise Unfit(f'targeted={targeted} needs a "reference" with words')
    texts = [record["dialogue"][number]["text"] for number in eligible]
    rows = similarity(texts, expected, lang=language.tag)

    def best(scores: list[float]) -> int:
        highest = max(scores)
        return rng.choice(
            [number for number, score in zip(eligible, scores, strict=True) if score == highest]
        )

    if targeted == "least":
        return [best([-fsum(row) for row in rows])]
    return sorted({best(list(column)) for column in zip(*rows, strict=True)})


def facts(record: dict, edits: list[list], **_) -> dict:
    """Return the counts of utterances that are repeated in other words, and word for word."""
    counts = Counter(f"utterances repeated {_HOW[note]}" for *_, note in edits)
    return {"counts": dict(counts)} if counts else {}


_HOW = {"reworded": "in other words", "verbatim": "word for word"}


PERTURBATION = Perturbation(
    perturb, resource="phrases.tsv", needs=needs, facts=facts, settings=settings
)
