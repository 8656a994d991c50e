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
from dialtools.system.errors import Unfit
from dialtools.text import paraphrases, phrases, sentences, tokenizers, words
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
    turns = record["dialogue"]
    eligible = [i for i, turn in enumerate(turns) if any(words.words(turn["text"]))]
    if not eligible or len(dialogue.speakers(turns)) < 2:
        return []
    if targeted == "no":
        chosen = [rng.choice(eligible)]
    else:
        chosen = _targets(record, eligible, targeted, similarity, rng)
    styles = phrases.styles(record, formality)
    return [_repeated(record, number, styles, paraphrase, rng) for number in chosen]


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
    wanted = [
        sentence
        for text in dialogue.references(record)
        for sentence in sentences.split(text, language)
        if not tokenizers.is_empty(sentence)
    ]
    if not wanted:
        raise Unfit(f'targeted={targeted} needs a "reference" with words')
    rows = similarity([record["dialogue"][i]["text"] for i in eligible], wanted, lang=language.tag)
    if targeted == "least":
        return [_best([-fsum(row) for row in rows], eligible, rng)]
    return sorted({_best(list(column), eligible, rng) for column in zip(*rows, strict=True)})


def _best(scores: list[float], eligible: list[int], rng: Random) -> int:
    highest = max(scores)
    return rng.choice([i for i, score in zip(eligible, scores, strict=True) if score == highest])


def _repeated(
    record: dict, number: int, styles: dict[str, str], paraphrase: Callable, rng: Random
) -> list:
    turns, language = record["dialogue"], dialogue.language(record)
    speaker, text = turns[number]["speaker"], turns[number]["text"]
    asking = turntaking.listener(turns, number)
    request = {"speaker": asking, "text": phrases.wording("repeat", language, styles[asking], rng)}
    again = {
        "speaker": speaker,
        "text": paraphrase(text, rng, lang=language.tag, formality=styles[speaker]),
    }
    note = "verbatim" if text.strip() in again["text"] else "reworded"
    return ["/dialogue", number + 1, number + 1, [], [request, again], note]


def facts(record: dict, edits: list[list], **_) -> dict:
    """Return the counts of utterances that are repeated in other words, and word for word."""
    counts = Counter(f"utterances repeated {_HOW[note]}" for *_, note in edits)
    return {"counts": dict(counts)} if counts else {}


_HOW = {"reworded": "in other words", "verbatim": "word for word"}


PERTURBATION = Perturbation(
    perturb, resource="phrases.tsv", needs=needs, facts=facts, settings=settings
)
