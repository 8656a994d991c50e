"""FED, whether good follow-ups are likelier, from minus infinity to infinity; higher is better.

A causal model of dialogue such as DialoGPT reads the conversation, the prediction as its next
turn, and then an utterance that follows a good turn ("Got it, thank you.") or a bad one ("Sorry,
I cannot follow you."). The score is the mean log-likelihood per token of the good utterances
minus that of the bad ones: above 0 the good ones are likelier. Each turn ends with the model's
end token. Speaker names are not read, and turns without text are left out.

The utterances stand in followups.tsv of each language (en, hi, id, ja, zh); `quality` selects
those of one quality, by default all. They are our own, so scores differ from the paper's. A
conversation longer than the model's positions is an error.

Source: Mehri and Eskenazi 2020, https://aclanthology.org/2020.sigdial-1.28, where log-likelihoods
are sums over whole texts.

>>> score([], [], model="microsoft/DialoGPT-large")
[]
>>> difference([[1.0, 3.0], [2.0]], [[4.0, 5.0]])
2.5
"""

from dialtools import languages
from dialtools.languages import Language, get
from dialtools.models import likelihoods
from dialtools.models.checkpoints import Place
from dialtools.plugins.metric import Metric
from dialtools.plugins.options import flat
from dialtools.system.errors import OptionError, RecordError, nearest


@flat
def score(
    predictions: list[str],
    said: list[list[dict]],
    *,
    model: str = "",
    quality: str = "",
    place: Place = Place(),
    language: Language = get("en"),
) -> list[float]:
    """Return the difference for each prediction; said: the turns before each.

    model: folder or hub name of a causal model.
    quality: interesting, relevant or understandable; by default all.
    """
    if not model:
        raise OptionError("fed: which model? fed:model=PATH, a causal one, of dialogues")
    good, bad = (_followups(language, quality, side) for side in ("good", "bad"))
    conversations = []
    for prediction, turns in zip(predictions, said, strict=True):
        if not prediction.strip():
            raise RecordError("the prediction says nothing that could be followed")
        texts = [turn["text"] for turn in turns if turn["text"].strip()]
        conversations.append([*texts, prediction])
    if not conversations:
        return []
    kind = likelihoods.kind(model, place.offline)
    if kind != "causal":
        raise OptionError(f"{model} is a {kind} model: fed is of a causal one")
    followups = [*good, *bad]
    rows = likelihoods.following(
        model,
        [turns for turns in conversations for _ in followups],
        followups * len(conversations),
        place,
    )
    parts = [rows[start : start + len(followups)] for start in range(0, len(rows), len(followups))]
    return [difference(part[: len(good)], part[len(good) :]) for part in parts]


def difference(good: list[list[float]], bad: list[list[float]]) -> float:
    """Return the mean loss of bad texts minus that of good ones, given each text's token losses."""
    good_loss, bad_loss = (
        sum(sum(row) / len(row) for row in rows) / len(rows) for rows in (good, bad)
    )
    return bad_loss - good_loss


def _followups(language: Language, quality: str, side: str) -> list[str]:
    rows = language.written("followups")
    if not rows:
        raise RecordError(
            f"fed has no utterances in {language.tag}: there are "
            f"{', '.join(languages.having('followups.tsv'))}"
        )
    known = dict.fromkeys(row["quality"] for row in rows)
    if quality and quality not in known:
        raise OptionError(
            f"fed: there is no quality {quality!r}{nearest(quality, known)}; there "
            f"are {', '.join(known)}"
        )
    texts = [row["text"] for row in rows if row["side"] == side and quality in ("", row["quality"])]
    if not texts:
        raise OptionError(f"followups.tsv of {language.tag} has no utterance after a {side} turn")
    return texts


METRIC = Metric(
    score,
    better="higher",
    window=32,
    needs=("prediction", "said"),
    libraries=("torch", "transformers"),
)
