"""Probability that a response follows its dialogue, from 0 to 1; higher is better (BERT-NSP).

A BERT with its head for next-sentence prediction reads the turns of the dialogue, joined by
spaces, as the first sentence and the prediction as the second; speaker names are not read.
turns=1 reads the last turn alone, 0 all. A dialogue that is too long is an error, unless
long=truncate cuts its beginning.

`model` is a folder or a hub name of a BERT that kept that head, such as bert-base-uncased. For a
model that was trained on your dialogues (dt-train scorer) use -m classifier.

Source: Devlin et al. 2019, https://aclanthology.org/N19-1423; as a metric, Phy et al. 2020,
https://aclanthology.org/2020.coling-main.368.

>>> score([], [], model="bert-base-uncased")
[]
"""

from dialtools.metrics import _pairs
from dialtools.models import classifiers
from dialtools.models.checkpoints import Place
from dialtools.plugins.metric import Metric
from dialtools.plugins.options import flat
from dialtools.records import dialogue
from dialtools.system.errors import OptionError, RecordError

Dialogue = str | list[dict]


@flat
def score(
    predictions: list[str],
    dialogues: list[Dialogue],
    *,
    model: str = "",
    turns: int = 0,
    long: classifiers.Long = "error",
    place: Place = Place(),
) -> list[float]:
    """Return the probability for each prediction; dialogues: the turns before each.

    model: folder or hub name.
    turns: how many of the last turns are read; 0: all.
    """
    if not model:
        raise OptionError("nsp: which model? nsp:model=PATH, a BERT with a next-sentence head")
    if turns < 0:
        raise OptionError(f"nsp: turns is 0 or more, not {turns}")

    def values(pairs: list[_pairs.Pair]) -> list[list[float]]:
        return classifiers.distributions(model, pairs, place, "softmax", long, classifiers.NEXT)

    rows = _pairs.of_each(values, _read(predictions, dialogues, turns))
    return [row[classifiers.IS_NEXT] for row in rows]


@flat
def counts(
    predictions: list[str],
    dialogues: list[Dialogue],
    *,
    model: str = "",
    turns: int = 0,
    long: classifiers.Long = "error",
    place: Place = Place(),
) -> list[dict[str, int]]:
    """Return {"truncated": 1} for each dialogue that was cut."""
    if long == "error":
        return [{}] * len(predictions)
    pairs = _read(predictions, dialogues, turns)
    return _pairs.marked(classifiers.too_long(model, pairs, place, classifiers.NEXT))


def _read(predictions: list[str], dialogues: list[Dialogue], number: int) -> list[_pairs.Pair]:
    return [
        (_before(turns, number), prediction)
        for prediction, turns in zip(predictions, dialogues, strict=True)
    ]


def _before(turns: Dialogue, number: int) -> str:
    """Return the texts of the last turns. Raise RecordError if they say nothing.

    >>> _before("Ann: Hi\\nBob: So?\\nAnn: What?", 2)
    'So? What?'
    """
    texts = [turn["text"] for turn in dialogue.turns({"dialogue": turns}) if turn["text"].strip()]
    if not texts:
        raise RecordError("no turn that the prediction could follow")
    return " ".join(texts[-number:])


METRIC = Metric(
    score,
    range=(0, 1),
    window=256,
    needs=("prediction", "dialogue"),
    counts=counts,
    libraries=("torch", "transformers"),
)
