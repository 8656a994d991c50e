"""Say sentences politely, or plainly: です and だ, 가요 and 가, Sie and du.

Each sentence for which the rule is certain changes as a whole, with the given rate, by default
always; to=polite or to=plain makes one of the two.  A sentence that is polite already, or whose
rule is not certain, stays as it is.

Japanese: the ends of clauses, of verbs (行きます, 行く), adjectives (高いです, 高い) and nouns (学生です,
学生だ), also before ね, よ, けど, から and the like; tokens with upos and lemma, as dt-parse --parser
fugashi has them.  Korean: 해요 and 해, 이에요 and 이야, and some of 합니다, at the end of a sentence; no
tokens are needed.  German: du and Sie with their verbs and possessives; tokens with upos, lemma and
feats.

Source: ours, from grammars; patterns of Korean, and sentences that stay, in politeness.tsv, German
words in address.tsv.

>>> from random import Random
>>> perturb({"text": "지금 집에 가요.", "lang": "ko"}, Random(1))
[['/text', 7, 8, '요', '', 'plain']]
"""

from collections.abc import Iterable
from itertools import groupby
from random import Random
from typing import Literal

from dialtools.languages import Language
from dialtools.plugins.perturbation import Perturbation
from dialtools.records import dialogue, tokens
from dialtools.text import german_address, japanese_politeness, rewrites, sentence_rules, words

KIND, TABLE = "variation.politeness", "politeness"
TOKENS = {"ja": ("upos", "lemma"), "de": ("upos", "lemma", "feats")}
_NOUN_ENDINGS = frozenset("です だ でしょう だろう でし だっ".split())


def perturb(
    record: dict, rng: Random, *, rate: float = 1.0, to: Literal["any", "polite", "plain"] = "any"
) -> list[list]:
    """Return the edits of each sentence that is said otherwise.

    rate: probability of a sentence, from 0 to 1.
    to: how.
    """
    words.check_rate(rate)
    language = dialogue.language(record).variety
    wanted = ("polite", "plain") if to == "any" else (to,)
    edits = []
    for pointer, holder in dialogue.utterances(record):
        text = holder["text"]
        if language.code not in TOKENS:
            edits += sentence_rules.changed(pointer, text, language, TABLE, rng, rate, wanted)
            continue
        annotated = tokens.annotated(holder, KIND, *TOKENS[language.code])
        if tokens.without(holder):
            continue
        for sentence in _sentences(text, annotated, language):
            part = text[sentence[0]["start"] : sentence[-1]["end"]]
            options = {
                way: changes
                for way in wanted
                if not sentence_rules.stays(part, language, TABLE, way)
                and (changes := _changes(text, sentence, way, language))
            }
            if options and rng.random() < rate:
                way = rng.choice(list(options))
                of_sentence: list[list] = [
                    [pointer, start, end, text[start:end], new, way]
                    for start, end, new in sorted(options[way])
                ]
                if len(rewrites.whole(text, of_sentence)) == len(of_sentence):
                    edits += of_sentence
    return edits


def _sentences(text: str, annotated: list[dict], language: Language) -> Iterable[list[dict]]:
    """Yield the tokens of each sentence, by its marks and by the parser."""
    ends = [end for _, end in sentence_rules.spans(text, language)]

    def sentence_of(token: dict) -> tuple:
        return token.get("sent"), sum(end <= token["start"] for end in ends)

    return (list(group) for _, group in groupby(annotated, key=sentence_of))


def _changes(
    text: str, sentence: list[dict], way: str, language: Language
) -> list[tuple[int, int, str]]:
    if language.code == "de":
        return german_address.changes(sentence, way, language)
    endings = japanese_politeness.polite if way == "polite" else japanese_politeness.plain
    changes = list(endings(sentence))
    table = rewrites.rules(language, "inflection")
    for number, token in enumerate(sentence):  # です and だ
        is_past = token["form"] in ("でし", "だっ")
        ends = not is_past or japanese_politeness.Ending(sentence, number).ends(2)
        if token["form"] in _NOUN_ENDINGS and ends:
            for new, note in rewrites.choices(text, table, sentence, number)[:1]:
                if note == way:
                    changes.append((token["start"], token["end"], new))
    ordered = sorted(changes)
    overlaps = any(
        before[1] > after[0] for before, after in zip(ordered, ordered[1:], strict=False)
    )
    return [] if overlaps else ordered


def annotation(language: Language) -> tuple[str, ...] | None:
    """Return what the tokens of a language must have; None where it needs none."""
    return TOKENS.get(language.code)


PERTURBATION = Perturbation(perturb, resource="politeness.tsv", tokens=annotation)
